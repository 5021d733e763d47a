"""The op families: each module declares ops and public functions, and loads when one of them is used.

May import core.engine, core.graph, core.ops.create, core.ops.elementwise, core.ops.nn, core.ops.select and
core.ops.shape. Imported by nothing: it is the top.
"""
