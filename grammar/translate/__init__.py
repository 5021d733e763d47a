"""Rewrites programs that use modules, optimizers and data loaders as functions and leaves.

The rewrite is read off the script's own syntax tree: its layers with their sizes, its optimizer with its
settings. What cannot be carried over is named, with its line and what to do about it; nothing is made up.

May import core.base, grammar.interpret, grammar.lints, grammar.objects, grammar.objects.builtins,
grammar.syntax and grammar.syntax.tree. Imported by grammar and grammar.repair.proposals.
"""
