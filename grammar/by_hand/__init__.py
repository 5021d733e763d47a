"""Checking a derivative that was worked out by hand, and finding the part that is wrong.

May import core.base, core.check, core.derivation, core.engine, core.graph, core.paths, core.report,
core.symbolic, core.why, grammar.interpret, grammar.objects, grammar.objects.builtins, grammar.session,
grammar.syntax and grammar.syntax.tree. Imported by cli.requests.
"""
