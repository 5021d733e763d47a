"""The lints, one module per family, and the static analysis that finds what is certain of a script's values.

May import core.base, core.engine, grammar.interpret, grammar.objects, grammar.objects.builtins,
grammar.session, grammar.syntax and grammar.syntax.tree. Imported by grammar and grammar.translate.
"""
