"""numpy and modules of our own on first need: ``np`` is a stand-in that imports numpy when a name is used.

A script of plain numbers never needs numpy, and importing it costs more than such a script takes.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import numpy as np
    from numpy import random as np_random
else:

    def import_numpy(name: str) -> object:
        """Let the stand-in have all names that numpy has, of which one was asked for."""
        import numpy

        vars(np).update(vars(numpy))
        # Python looks names up in modules a few times faster where they have no hook of their own. With that
        # of numpy go the modules that it loads on demand: they are asked for as `np_random` is.
        vars(np).pop("__getattr__", None)
        while hooks:
            hooks.pop()()
        if name not in vars(np):
            raise AttributeError(f"numpy has no {name!r}, or loads it on demand")
        return vars(np)[name]

    np = type(sys)("numpy")
    np.__getattr__ = import_numpy


class Later:
    """A module that is loaded when one of its names is used; asking again takes no import.

    An ``import`` inside a function takes half a microsecond each time, as long as numpy adds small arrays.
    """

    def __init__(self, name: str) -> None:
        self.module_name = name

    def __getattr__(self, name: str) -> Any:
        __import__(self.module_name)  # written out where it is made, never from a script
        value = vars(sys.modules[self.module_name])[name]
        vars(self)[name] = value
        return value


if not TYPE_CHECKING:
    np_random = Later("numpy.random")  # which numpy loads on demand itself

#: What an upper room does for a lower one, by name: ``core/__init__`` and ``grammar/__init__`` enter it.
services: dict[str, Any] = {}

#: Called once numpy is there; a running script turns its warnings off so.
hooks: list[Callable[[], None]] = []

__all__ = ["Later", "hooks", "np", "np_random", "services"]
