"""Derivations as text: the five steps, one entry, second order, the whole formula."""
