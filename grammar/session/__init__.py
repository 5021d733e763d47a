"""One run of a script, and the choice of what a report is about: the target, the inputs, the backward pass.

May import core.base, core.check, core.derivation, core.engine, core.fast, core.graph, core.paths,
core.report, core.why, grammar.interpret, grammar.objects, grammar.objects.builtins, grammar.syntax and
grammar.syntax.tree. Imported by any room above.
"""
