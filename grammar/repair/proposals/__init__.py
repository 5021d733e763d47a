"""Proposes repairs by error code: each function reads the source where a script failed and yields edits.

What is proposed here is a guess that knows shapes, names and syntax; ``repair`` runs the script with it
and drops what does not hold, so a proposal may be bold. Whoever finds the reason of an error on the way
writes it at the error's caret.

May import core.base, core.engine, core.graph, grammar.help, grammar.objects, grammar.objects.builtins,
grammar.session, grammar.syntax, grammar.syntax.tree and grammar.translate. Imported by grammar.repair.
"""
