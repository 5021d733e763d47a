"""The interface for Python programs: functions by name, methods and operators of tensors, typed stubs.

It makes them from the tables that scripts use. A script does not load this room.

May import core.base, core.engine, core.graph, core.methods and core.ops.select. Imported by core and core.nn.
"""
