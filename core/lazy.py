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
else:

    class _Numpy:
        """Each name is fetched from numpy once and then found in the instance like any attribute."""

        def __getattr__(self, name: str) -> object:
            import numpy

            while hooks:
                hooks.pop()()
            names = vars(numpy)
            # numpy loads some submodules (random, fft) on demand through its own module hook.
            value = names[name] if name in names else names["__getattr__"](name)
            vars(self)[name] = value
            return value

    np = _Numpy()


class Later:
    """A module of our own that is loaded when one of its names is used; asking again takes no import.

    An ``import`` inside a function takes half a microsecond each time, as long as numpy adds small arrays.
    """

    def __init__(self, name: str) -> None:
        self.module_name = name

    def __getattr__(self, name: str) -> Any:
        __import__(self.module_name)  # written out where it is made, never from a script
        value = vars(sys.modules[self.module_name])[name]
        vars(self)[name] = value
        return value


#: Called once numpy is there; a running script turns its warnings off so.
hooks: list[Callable[[], None]] = []

__all__ = ["Later", "hooks", "np"]
