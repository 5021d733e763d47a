"""Paths from an output to an input: their number, contributions, the strongest, the names of nodes."""
