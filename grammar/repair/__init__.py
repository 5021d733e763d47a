"""Errors completed with repairs. A repair is tried before it is proposed.

The repairs themselves are in ``proposals``, by error code.

May import core.base, core.engine, core.fast, core.graph, core.paths, core.report, core.why, grammar.help,
grammar.interpret, grammar.objects, grammar.objects.builtins, grammar.repair.proposals, grammar.session,
grammar.syntax and grammar.syntax.tree. Imported by cli.requests and grammar.
"""
