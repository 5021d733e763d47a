"""The reference of functions: a catalog with examples that run.

May import core.base, core.derivation, core.engine, core.graph, grammar, grammar.objects,
grammar.objects.builtins and grammar.session. Imported by cli.commands.
"""
