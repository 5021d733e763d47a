"""Layers of neural networks: activations, convolution, pooling, normalization, embedding.

May import core.base, core.engine, core.graph, core.ops.create, core.ops.elementwise, core.ops.linalg,
core.ops.reduce, core.ops.select and core.ops.shape. Imported by core.ops and core.ops.losses.
"""
