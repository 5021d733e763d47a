"""Ops that work entry by entry: arithmetic, rounding, comparisons, clamping, transcendental functions."""
