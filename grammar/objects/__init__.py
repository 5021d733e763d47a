"""What the values of a script can do: operators, attributes, methods, subscripts, conversions, text.

Functions that scripts find by name are in ``builtins``. Nothing here runs syntax.

May import core.base, core.engine, core.fast, core.graph, core.methods, core.ops.elementwise,
core.ops.losses, core.ops.select and core.ops.shape. Imported by any room above.
"""
