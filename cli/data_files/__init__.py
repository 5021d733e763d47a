"""Files of numbers, as ``--set NAME=@FILE`` and other options read them. Nothing in them is ever executed.

May import cli.command_line, cli.process and core.base. Imported by cli.requests.
"""
