"""What an error or a warning can say beyond its first line: labels, names of other libraries, torch's habits.

May import core.base, core.engine, grammar.objects, grammar.objects.builtins, grammar.session,
grammar.syntax and grammar.syntax.tree. Imported by cli.commands, cli.requests, grammar.repair and
grammar.repair.proposals.
"""
