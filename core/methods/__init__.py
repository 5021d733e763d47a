"""Methods and attributes of tensors that are not public functions, in-place variants, and the look-up of all.

May import core.base, core.engine, core.fast, core.graph, core.ops.create, core.ops.select and core.ops.shape.
Imported by core.interface and grammar.objects.
"""
