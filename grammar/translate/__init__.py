"""Rewrites programs that use modules, optimizers and data loaders as functions and leaves.

The rewrite reads the program's syntax tree: its layers with their sizes, its optimizer with its settings.
A part without a rewrite is reported with its line and advice; nothing is guessed.
"""
