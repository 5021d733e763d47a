"""Checks whether a gradient is right, by methods that do not use the derivative rules."""
