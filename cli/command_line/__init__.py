"""Reading the command line: options, click, completion, where the script comes from.

May import cli.process, core.base, grammar.interpret and grammar.syntax. Imported by cli, cli.commands and
cli.requests.
"""
