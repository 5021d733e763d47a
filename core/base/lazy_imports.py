"""Lazy imports of numpy and of this package's modules. ``np`` imports numpy when one of its names is used.

A script of plain numbers never needs numpy, and importing numpy takes longer than running such a script.
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
        """Import numpy, copy all its names into the stand-in, and return the one called ``name``."""
        while numpy_preparations:
            numpy_preparations.pop()()
        import numpy

        vars(np).update(vars(numpy))
        # Attribute lookup in a module is a few times faster without a module `__getattr__`. Removing numpy's
        # disables the submodules that it loads on demand; import these like `np_random` below.
        vars(np).pop("__getattr__", None)
        while numpy_import_hooks:
            numpy_import_hooks.pop()()
        if name not in vars(np):
            raise AttributeError(f"numpy has no {name!r}, or loads it on demand")
        return vars(np)[name]

    np = type(sys)("numpy")
    np.__getattr__ = import_numpy


class LazyModule:
    """A module that is imported when one of its names is first used. Names are cached after that.

    An ``import`` statement inside a function costs half a microsecond per call, as much as adding two small
    arrays in numpy.
    """

    def __init__(self, name: str) -> None:
        self.module_name = name

    def __getattr__(self, name: str) -> Any:
        __import__(self.module_name)  # a literal in this package's code, never text from a script
        value = getattr(sys.modules[self.module_name], name)
        vars(self)[name] = value
        return value


class NumpyModule(LazyModule):
    """A submodule that numpy loads on demand. ``np`` is imported first, and its hooks called."""

    def __getattr__(self, name: str) -> Any:
        np.ndarray  # noqa: B018 - reading any name imports numpy
        return super().__getattr__(name)


if not TYPE_CHECKING:
    np_random = NumpyModule("numpy.random")

#: What an upper room does for a lower one, by name: ``core/__init__`` and ``grammar/__init__`` enter it.
services: dict[str, Any] = {}

#: Called just before numpy is imported.
numpy_preparations: list[Callable[[], None]] = []
#: Called once numpy is there; a running script turns its warnings off so.
numpy_import_hooks: list[Callable[[], None]] = []

__all__ = ["LazyModule", "np", "np_random", "numpy_import_hooks", "numpy_preparations", "services"]
