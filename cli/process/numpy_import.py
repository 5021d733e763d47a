"""Imports numpy without its docstrings: attaching them takes a tenth of the import time.

numpy keeps the docstrings of its C functions in two modules that do nothing else. For versions known to do
so, these are replaced by empty modules. Programs that import the engine get numpy unchanged.
"""

from __future__ import annotations

import sys

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import numpy_import_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any

#: The modules that hold the docstrings, and the numpy versions for which this is known.
TEXTS = frozenset(["numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"])
KNOWN = frozenset(["2.0", "2.1", "2.2", "2.3", "2.4"])


class NoTexts:
    """A meta path finder and loader that supplies empty modules in place of those with the docstrings."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in TEXTS or not is_known(sys.modules.get("numpy.version")):
            return None
        # Importing importlib to name this class takes as long as importing the docstrings.
        described: type[ModuleSpec] = type(__spec__)
        return described(name, NoTexts)  # type: ignore[arg-type] # it does what a loader has to

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Return None, so that the default module is created."""

    @staticmethod
    def exec_module(module: Any) -> None:
        """Leave the module empty."""


def is_known(version: Any) -> bool:
    """Whether numpy's version is known to keep its docstrings in separate modules."""
    said: str = getattr(version, "version", "")
    return ".".join(said.split(".")[:2]) in KNOWN


def leave_texts_out() -> None:
    """Install the finder, unless numpy is already imported."""
    if is_fast and "numpy" not in sys.modules:
        finder: Any = NoTexts
        sys.meta_path.insert(0, finder)
        numpy_import_hooks.append(remove_finder)


def remove_finder() -> None:
    """Remove the finder. May be called twice: a script's run calls the import hooks again when it ends."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not NoTexts]
