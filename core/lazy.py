"""numpy on first need: ``np`` here is a stand-in that imports numpy when one of its names is used.

A script of plain numbers never needs numpy, and importing it costs more than such a script takes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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

#: Called once numpy is there; a running script turns its warnings off so.
hooks: list[Callable[[], None]] = []

__all__ = ["hooks", "np"]
