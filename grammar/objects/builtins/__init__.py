"""What names mean that a script does not bind: Python's builtins, torch's functions and namespaces.

May import core.base, core.engine, core.graph and grammar.objects. Imported by any room above.
"""
