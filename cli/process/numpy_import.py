"""numpy without its documentation: to enter that into the functions is a tenth of importing it.

numpy keeps the texts of what is written in C in two modules that do nothing else. In versions that are known
to be so, empty ones stand in for them. Whoever imports the engine has numpy as it is.
"""

from __future__ import annotations

import sys

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import numpy_import_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any

#: The modules that hold the texts, and the versions of which that is known.
TEXTS = frozenset(["numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"])
KNOWN = frozenset(["2.0", "2.1", "2.2", "2.3", "2.4"])


class NoTexts:
    """Finds the modules with the texts before anybody else does, and gives empty ones."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in TEXTS or not is_known(sys.modules.get("numpy.version")):
            return None
        # importlib, which would say it by name, takes as long to import as the texts of a function.
        described: type[ModuleSpec] = type(__spec__)
        return described(name, NoTexts)  # type: ignore[arg-type] # it does what a loader has to

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Have the usual module made."""

    @staticmethod
    def exec_module(module: Any) -> None:
        """Put nothing into it."""


def is_known(version: Any) -> bool:
    """Whether numpy says that it is a version whose texts stand by themselves."""
    said: str = getattr(version, "version", "")
    return ".".join(said.split(".")[:2]) in KNOWN


def leave_texts_out() -> None:
    """Have numpy imported without its documentation, where it is still to be imported."""
    if is_fast and "numpy" not in sys.modules:
        finder: Any = NoTexts
        sys.meta_path.insert(0, finder)
        numpy_import_hooks.append(step_back)


def step_back() -> None:
    """numpy is there: find nothing any more. A script's run calls its hooks once more when it ends."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not NoTexts]
