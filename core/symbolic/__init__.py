"""Expressions: normal form, text, LaTeX, and operands that record arithmetic."""
