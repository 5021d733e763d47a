"""Foundations used by every room: errors as data, positions in a source text, limits, lazy imports."""
