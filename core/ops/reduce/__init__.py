"""Ops that combine entries along dimensions: sums, extremes, scans, sorting, counting."""
