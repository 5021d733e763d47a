"""The reference of functions: a catalog with examples that run.

May import core.base, core.engine, core.graph, core.symbolic, grammar, grammar.objects,
grammar.objects.builtins and grammar.session. Imported by cli.command_line and cli.commands.
"""
