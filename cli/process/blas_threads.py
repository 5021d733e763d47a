"""How many threads numpy's linear algebra works with: one until an array is large, then all of them.

OpenBLAS starts a thread for each processor while numpy is imported, and each of them turns idly for a while:
30 ms of processor time that a small script has no use for. Whoever imports the engine keeps what there is,
and so does who has said how many.
"""

from __future__ import annotations

import os
import sys

from autodiff.core.base.lazy_imports import numpy_import_hooks
from autodiff.core.base.limits import large_array_callbacks

VARIABLE = "OPENBLAS_NUM_THREADS"
#: Where users say how many; OpenBLAS reads all of these.
SAID = (VARIABLE, "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
#: As OpenBLAS calls its functions in numpy's own packages, with long indices or short, and elsewhere.
NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")


def start_alone() -> None:
    """Have numpy start with one thread, where the others can be added later and nobody has said how many."""
    if os.name == "posix" and "numpy" not in sys.modules and not any(name in os.environ for name in SAID):
        os.environ[VARIABLE] = "1"
        numpy_import_hooks.append(forget)
        large_array_callbacks.append(use_all)


def forget() -> None:
    """Numpy is there: scipy's own library loads for large work, with all threads."""
    os.environ.pop(VARIABLE, None)


def use_all() -> None:
    """Add the other threads; a library other than OpenBLAS has them already."""
    forget()
    numpys = sys.modules.get("numpy._core._multiarray_umath")
    if numpys is None:
        return
    import ctypes

    linked = ctypes.CDLL(numpys.__file__)  # finds the functions of what it is linked with
    for name in NAMES:
        count = getattr(linked, name.format("get_num_procs"), None)
        if count is not None:
            getattr(linked, name.format("set_num_threads"))(count())
            return
