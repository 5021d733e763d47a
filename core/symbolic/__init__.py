"""Expressions: normal form, text, and symbols, which record the arithmetic that rules do with them.

May import core.base, core.engine and core.graph. Imported by any room above.
"""
