"""Ops that change shapes, and the reading of dimensions, shapes and indices in calls."""
