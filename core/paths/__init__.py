"""Paths from an output to an input: how many, what each contributes, the strongest, the names of nodes.

May import core.base, core.engine, core.graph, core.report and core.symbolic. Imported by any room above.
"""
