"""Linear algebra: products, contractions, solving, factorizations, norms.

May import core.base, core.engine, core.fast, core.graph, core.ops.elementwise, core.ops.reduce and
core.ops.shape. Imported by core.check and core.ops.nn.
"""
