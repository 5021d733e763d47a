"""Ops that read or write chosen entries: indexing, gather, scatter.

May import core.base, core.engine, core.graph, core.ops.create, core.ops.elementwise, core.ops.reduce and
core.ops.shape. Imported by core.interface, core.methods, core.ops, core.ops.nn and
grammar.objects.
"""
