"""Checks a derivative that was worked out by hand, and finds the part that is wrong."""
