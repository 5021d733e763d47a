"""Memory that arrays have freed stays with the process, for the next arrays.

glibc gives the top of its heap back as soon as 128 KiB of it are free, and has each array of more than that
mapped by the system. The arrays of the next pass are then new pages, which the system clears and enters one
by one when they are first written: with arrays of 32 KiB that takes longer than the arithmetic. Both
thresholds are described in mallopt(3), and so are the environment variables by which users set them.
Whoever imports the engine keeps what there is.
"""

from __future__ import annotations

import os
import sys

from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import numpy_import_hooks

#: Parameters of mallopt(3), as in malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
#: Bytes that may lie free at the top of the heap before they are given back.
FREE_AT_TOP = 256 << 20
#: Bytes from which on an array is mapped by itself: the most that glibc takes.
MAPPED = 32 << 20
#: Where users say how the heap is to be kept.
SAID = (
    "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_",
    "MALLOC_MMAP_MAX_",
    "MALLOC_TOP_PAD_",
    "GLIBC_TUNABLES",
)


def keep_freed_memory() -> None:
    """Raise both thresholds once there are arrays, where the C library is glibc and nobody has set them."""
    if is_fast and sys.platform == "linux" and not any(name in os.environ for name in SAID):
        numpy_import_hooks.append(raise_thresholds)


def raise_thresholds() -> None:
    import ctypes  # numpy, which has just been loaded, loads it too

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, FREE_AT_TOP)
        mallopt(M_MMAP_THRESHOLD, MAPPED)
