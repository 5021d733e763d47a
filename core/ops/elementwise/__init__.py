"""Ops that work entry by entry: arithmetic, transcendental functions, comparisons, choices."""
