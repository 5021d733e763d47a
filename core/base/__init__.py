"""The foundation: errors as data, places in source texts, limits, modules that load on first use.

Nothing here knows tensors or scripts.

May import nothing of ours. Imported by any room above.
"""
