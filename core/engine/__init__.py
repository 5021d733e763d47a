"""Tensors, applying ops to them, backward passes, in-place changes, custom functions."""
