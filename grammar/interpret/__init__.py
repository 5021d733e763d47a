"""Running a syntax tree: names are resolved to slots, statements and expressions become closures.

May import core.base, core.engine, core.fast, core.fused, core.graph, grammar.objects,
grammar.objects.builtins, grammar.syntax and grammar.syntax.tree. Imported by any room above.
"""
