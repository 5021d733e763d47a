"""Ops that combine entries along dimensions: sums, extremes, scans, sorting, counting.

May import core.base, core.engine, core.fast, core.graph, core.ops.elementwise and core.ops.shape. Imported
by core.ops.linalg, core.ops.losses, core.ops.nn and core.ops.select.
"""
