"""From a request to a report: the script is run and the engine is asked.

May import cli.command_line, cli.process, cli.render, core.base, core.check, core.derivation, core.graph,
core.paths, core.report, core.why, grammar, grammar.by_hand, grammar.help, grammar.repair, grammar.session
and grammar.syntax. Imported by cli and cli.commands.
"""
