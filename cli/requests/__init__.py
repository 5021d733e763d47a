"""Turns requests into reports: runs the script and calls the engine.

May import cli.command_line, cli.process, cli.render, core.base, core.check, core.derivation, core.graph,
core.paths, core.report, core.why, grammar, grammar.by_hand, grammar.help, grammar.repair, grammar.session
and grammar.syntax. Imported by cli and cli.commands.
"""
