"""Expressions: normal form, text, LaTeX, and operands that record the arithmetic done with them."""
