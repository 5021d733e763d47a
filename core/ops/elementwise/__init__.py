"""Ops that work entry by entry: arithmetic, transcendental functions, rounding, comparison, selection.

May import core.base, core.engine, core.fast and core.graph. Imported by any room above.
"""
