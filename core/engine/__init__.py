"""Tensors: applying ops, aliasing and changes in place, backward passes, hooks, custom functions.

Ops themselves are declared in core.ops; public functions are bound to their arguments here.

May import core.base, core.fast and core.graph. Imported by any room above.
"""
