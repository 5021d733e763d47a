"""Losses, from mean squared error to connectionist temporal classification.

May import core.base, core.engine, core.fast, core.fused, core.graph, core.ops.elementwise, core.ops.nn,
core.ops.reduce and core.ops.shape. Imported by grammar.objects.
"""
