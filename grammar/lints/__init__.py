"""The lints, family by family, and what is certain of a script's values without running it.

May import core, core.base, core.engine, grammar.interpret, grammar.objects, grammar.objects.builtins,
grammar.session, grammar.syntax and grammar.syntax.tree. Imported by grammar and grammar.translate.
"""
