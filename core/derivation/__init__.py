"""Derivations: the five steps of a path sum, one entry, second order, the whole formula.

May import core.base, core.engine, core.graph, core.paths, core.report, core.symbolic, core.events and
core.why. Imported by cli.render, cli.requests, grammar.by_hand and grammar.session.
"""
