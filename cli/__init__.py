"""The command line: what is asked for, what is shown, and with which exit code. Computes nothing.

May import cli.command_line, cli.commands, cli.process, cli.requests and core.base. Imported by nothing: it
is the top.
"""
