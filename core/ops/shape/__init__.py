"""Ops that change shapes, and how dimensions, shapes and indices in calls are read."""
