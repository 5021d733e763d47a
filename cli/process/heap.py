"""Keeps memory that arrays have freed in the process, for the next arrays.

glibc returns the top of its heap to the system as soon as 128 KiB of it are free, and maps each larger array
separately. The arrays of the next pass then need new pages, which the system clears and maps one by one at
the first write: with arrays of 32 KiB that takes longer than the arithmetic. mallopt(3) describes both
thresholds and the environment variables that set them. A program that imports the engine keeps its own
settings.
"""

from __future__ import annotations

import os
import sys

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import numpy_import_hooks

#: Parameters of mallopt(3), as in malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
#: Bytes that may stay free at the top of the heap before they are returned.
FREE_AT_TOP = 256 << 20
#: Size in bytes from which an array is mapped separately: the most that glibc accepts.
MAPPED = 32 << 20
#: Environment variables with which users configure the heap.
SAID = (
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_MMAP_MAX_",
    "MALLOC_TOP_PAD_",
    "GLIBC_TUNABLES",
)


def keep_freed_memory() -> None:
    """Raise both thresholds once numpy is imported, under glibc and unless the user has set them."""
    if is_fast and sys.platform == "linux" and not any(name in os.environ for name in SAID):
        numpy_import_hooks.append(raise_thresholds)


def raise_thresholds() -> None:
    import ctypes  # numpy, which was just imported, has imported ctypes already

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, FREE_AT_TOP)
        mallopt(M_MMAP_THRESHOLD, MAPPED)
