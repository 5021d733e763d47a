"""The command line's options, their parsers, shell completion, and the source of the script.

May import cli.process, core.base, grammar.interpret and grammar.syntax. Imported by cli, cli.commands,
cli.data_files and cli.requests.
"""
