"""The command line's options, their parsers, shell completion, and the source of the script.

May import cli.codes, cli.process, core.base, grammar, grammar.interpret, grammar.reference and
grammar.syntax. Imported by cli, cli.commands,
cli.data_files and cli.requests.
"""
