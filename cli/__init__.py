"""The command line: reads requests, shows results and sets the exit code. It computes nothing itself.

May import cli.command_line, cli.commands, cli.process, cli.requests and core.base. Imported by nothing: it
is the top.
"""
