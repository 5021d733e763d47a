"""Prepares the import of numpy: with one thread, without its docstrings, and with freed memory kept.

Programs that import the engine get numpy unchanged.

Threads: OpenBLAS starts a thread per processor while numpy is imported, and each spins idle for a while:
30 ms of processor time that a small script does not need. So it starts with one, until an array is large.
Nothing changes where the user has set the number of threads.

Docstrings: numpy keeps those of its C functions in two modules that do nothing else. Attaching them takes a
tenth of the import time. For versions known to do so, these are replaced by empty modules.

Memory: glibc returns the top of its heap to the system as soon as 128 KiB of it are free, and maps each
larger array separately. The arrays of the next pass then need new pages, which the system clears and maps one
by one at the first write: with arrays of 32 KiB that takes longer than the arithmetic. mallopt(3) describes
both thresholds and the environment variables that set them.
"""

from __future__ import annotations

import os
import sys

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import numpy_import_hooks
from autodiff.core.base.limits import large_array_callbacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any

VARIABLE = "OPENBLAS_NUM_THREADS"
#: Environment variables that set the number of threads; OpenBLAS reads all of these.
THREAD_VARIABLES = (VARIABLE, "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
#: Names of OpenBLAS functions in numpy's own packages, with long or short indices, and elsewhere.
NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")

#: The modules that hold the docstrings, and the numpy versions for which this is known.
TEXTS = frozenset(["numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"])
KNOWN = frozenset(["2.0", "2.1", "2.2", "2.3", "2.4"])

#: Parameters of mallopt(3), as in malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
#: Bytes that may stay free at the top of the heap before they are returned.
FREE_AT_TOP = 256 << 20
#: Size in bytes from which an array is mapped separately: the most that glibc accepts.
MAPPED = 32 << 20
#: Environment variables with which users configure the heap.
HEAP_VARIABLES = (
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_MMAP_MAX_",
    "MALLOC_TOP_PAD_",
    "GLIBC_TUNABLES",
)


def prepare() -> None:
    """Do all three; called just before numpy is imported."""
    start_alone()
    leave_texts_out()
    keep_freed_memory()


# -- threads ----------------------------------------------------------------------------------------


def start_alone() -> None:
    """Let numpy start with one thread, if threads can be added later and the user set no number."""
    said = any(name in os.environ for name in THREAD_VARIABLES)
    if os.name == "posix" and "numpy" not in sys.modules and not said:
        os.environ[VARIABLE] = "1"
        numpy_import_hooks.append(forget)
        large_array_callbacks.append(use_all)


def forget() -> None:
    """Clear the variable once numpy is imported.

    scipy has its own OpenBLAS, which is loaded only for large work and uses all threads.
    """
    os.environ.pop(VARIABLE, None)


def use_all() -> None:
    """Use all threads. A library other than OpenBLAS uses them already."""
    forget()
    numpys = sys.modules.get("numpy._core._multiarray_umath")
    if numpys is None:
        return
    import ctypes

    linked = ctypes.CDLL(numpys.__file__)  # also resolves functions of the libraries it is linked with
    for name in NAMES:
        count = getattr(linked, name.format("get_num_procs"), None)
        if count is not None:
            getattr(linked, name.format("set_num_threads"))(count())
            return


# -- docstrings -----------------------------------------------------------------------------------


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


# -- memory ---------------------------------------------------------------------------------------


def keep_freed_memory() -> None:
    """Raise both thresholds once numpy is imported, under glibc and unless the user has set them."""
    if is_fast and sys.platform == "linux" and not any(name in os.environ for name in HEAP_VARIABLES):
        numpy_import_hooks.append(raise_thresholds)


def raise_thresholds() -> None:
    import ctypes  # numpy, which was just imported, has imported ctypes already

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, FREE_AT_TOP)
        mallopt(M_MMAP_THRESHOLD, MAPPED)
