"""Process-level code: output streams, exit codes, signals, threads, memory.

May import core.base. Imported by any room above.
"""
