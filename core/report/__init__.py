"""Everything that can be said about a gradient, as plain data.

Rooms above fill these records; the command line renders them.

May import core.base and core.graph. Imported by any room above.
"""
