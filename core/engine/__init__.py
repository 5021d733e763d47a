"""Tensors, ops applied to them, backward passes, changes in place, custom functions."""
