"""Memory that arrays have freed stays with the process, for the next arrays.

glibc gives the top of its heap back as soon as 128 KiB of it are free, and has each array of more than that
mapped by the system. The arrays of the next pass are then new pages, which the system clears and enters one
by one when they are first written: with arrays of 32 KiB that takes longer than the arithmetic. Both
thresholds are described in mallopt(3), and so are the environment variables by which users set them.
"""

from __future__ import annotations

import os
import sys

#: Parameters of mallopt(3), as in malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
#: Bytes that may lie free at the top of the heap before they are given back.
FREE_AT_TOP = 256 << 20
#: Bytes from which on an array is mapped by itself: the most that glibc takes.
MAPPED = 32 << 20
#: Where users say how the heap is to be kept.
SAID = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")


def keep_freed_memory() -> None:
    """Raise both thresholds, where the C library is glibc and the user has not set any."""
    if sys.platform != "linux" or any(name in os.environ for name in SAID):
        return
    import ctypes  # numpy has loaded it

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, FREE_AT_TOP)
        mallopt(M_MMAP_THRESHOLD, MAPPED)
