"""Runs a command's work where deep scripts have room and signals act at once.

The work runs on a thread with a large stack. The main thread only waits, for the end or for the time
limit. Signals keep the system's own action, death, so none has to wait for Python to get its turn:
Ctrl-C ends a matmul of twenty seconds in its middle.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

STACK_SIZES = (512 << 20, 64 << 20, 16 << 20)
# The second wall, where the limits on single results and steps do not reach: what numpy, its threads and
# the stack take at most, beside the memory the script may fill.
ROOM = 3 << 30
# What it takes to load the modules that tell of the end, and to lay out what they say.
LAST_WORDS = 256 << 20
# A level of recursion that goes through C takes some 600 bytes of stack (CPython 3.11); twice that is safe.
BYTES_PER_LEVEL = 1280


def settle_signals() -> None:
    """Die of SIGINT and SIGPIPE as other programs do, unless whoever started us ignores SIGINT."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.name == "posix":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def set_wall(memory: int) -> None:
    """Have the system refuse memory beyond four results of the largest size allowed, or all there is.

    RLIMIT_DATA and not RLIMIT_AS: mapped libraries and files cost nothing. numpy and Python then raise
    MemoryError, where the system would otherwise kill this process or another; to say so takes a little more.
    """
    if not memory:
        return
    try:
        import resource

        from autodiff.core.base.limits import out_of_memory_callbacks

        there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        wall = min(4 * memory, there_is) + ROOM
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if resource.RLIM_INFINITY in (soft, hard) or wall < soft:
            wall = wall if hard == resource.RLIM_INFINITY else min(wall, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (wall, hard))
            more = wall + LAST_WORDS if hard == resource.RLIM_INFINITY else min(wall + LAST_WORDS, hard)
            out_of_memory_callbacks.append(lambda: resource.setrlimit(resource.RLIMIT_DATA, (more, hard)))
    except (ImportError, OSError, ValueError):
        pass  # no such limit on this system: the script's own limits have to do


def supervise(work: Callable[[], int], seconds: float, when_over: Callable[[], int]) -> NoReturn:
    """Do the work and leave with its status; after ``seconds`` (0: never) with that of ``when_over``.

    Both write and flush what they have to say themselves: nothing is flushed here.
    """
    # The graph has no cycles, and looking for some costs two to three times the run.
    gc.disable()
    if sys.warnoptions:
        import warnings  # PYTHONWARNINGS is about Python programs; a script's warnings are our own

        warnings.simplefilter("ignore")
    statuses: list[int] = []
    worker = start_worker(lambda: statuses.append(work()))
    worker.join(seconds or None)
    status = when_over() if worker.is_alive() else statuses[0]
    # Not sys.exit: taking a million nodes apart one by one is no use to anybody.
    os._exit(status)


def start_worker(target: Callable[[], None]) -> threading.Thread:
    """A thread with the largest stack the system grants."""
    for size in STACK_SIZES:
        try:
            threading.stack_size(size)
            sys.setrecursionlimit(size // BYTES_PER_LEVEL)
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
        except (RuntimeError, MemoryError, ValueError):
            continue  # little address space (ulimit -v): a smaller stack will do for most scripts
        return thread
    threading.stack_size(0)
    sys.setrecursionlimit(4000)
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread
