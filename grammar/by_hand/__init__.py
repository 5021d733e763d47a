"""Checking a derivative that was worked out by hand, and finding the part that is wrong."""
