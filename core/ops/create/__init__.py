"""New tensors: from numbers and lists, by a rule, at random.

May import core.base, core.engine, core.graph, core.ops.elementwise and core.ops.shape. Imported by
core.methods, core.ops, core.ops.nn and core.ops.select.
"""
