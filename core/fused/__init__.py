"""Several ops computed as one: elementwise formulas of large arrays in tiles, loops of numbers as programs.

Values and gradients equal those of the ops one by one; ``AUTODIFF_FAST=0`` turns all of it off.

May import core.base, core.engine, core.fast, core.graph and core.symbolic. Imported by core,
core.ops.losses and grammar.interpret.
"""
