"""Ops that change shapes, and how dimensions, shapes and indices in calls are read.

May import core.base, core.engine, core.graph and core.ops.elementwise. Imported by any room above.
"""
