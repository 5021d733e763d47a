"""Turns requests into reports: runs the script and calls the engine.

May import cli.command_line, cli.data_files, cli.process, cli.render, core.base, core.check,
core.derivation, core.engine, core.graph, core.paths, core.report, core.why, grammar, grammar.by_hand,
grammar.help, grammar.objects, grammar.repair, grammar.session, grammar.syntax and grammar.syntax.tree.
Imported by cli and cli.commands.
"""
