"""Fast paths for small work: tapes of scalar programs, ops on small arrays, tiled helpers for large ones.

The engine calls these and works without them (``AUTODIFF_FAST=0``).

May import core.base and core.graph. Imported by any room above.
"""
