"""Why a gradient is zero, tiny, huge or not finite, and where it is a convention (kinks).

May import core.base, core.engine, core.graph, core.ops.shape, core.paths, core.report and core.symbolic.
Imported by any room above.
"""
