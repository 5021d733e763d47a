"""Sets the threads of numpy's linear algebra: one until an array is large, then all.

OpenBLAS starts a thread per processor while numpy is imported, and each spins idle for a while: 30 ms of
processor time that a small script does not need. Nothing changes where numpy was imported before, as when the
engine is used as a library, or where the user has set the number of threads.
"""

from __future__ import annotations

import os
import sys

from autodiff.core.base.lazy_imports import numpy_import_hooks
from autodiff.core.base.limits import large_array_callbacks

VARIABLE = "OPENBLAS_NUM_THREADS"
#: Environment variables that set the number of threads; OpenBLAS reads all of these.
SAID = (VARIABLE, "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
#: Names of OpenBLAS functions in numpy's own packages, with long or short indices, and elsewhere.
NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


def start_alone() -> None:
    """Let numpy start with one thread, if threads can be added later and the user set no number."""
    if os.name == "posix" and "numpy" not in sys.modules and not any(name in os.environ for name in SAID):
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
