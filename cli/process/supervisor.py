"""Runs a command's work with a large stack, a memory limit, a time limit and default signal handling.

The work runs on a thread with a large stack. The main thread waits for its end or for the time limit, and
does the chores that the work asks for (``chores.py``). Without a chore, signals keep the system's default
action, termination, so they need not wait for the interpreter: Ctrl-C ends a matmul of twenty seconds
immediately.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from time import monotonic

from autodiff.cli.process.exit_codes import BUG
from autodiff.core.base.errors import PartOverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

    from autodiff.cli.process.chores import Chore

FOREVER = float("inf")  # in seconds
LONGEST_WAIT = 1e6  # seconds; a lock cannot be waited for much longer than that
SHOWN_AFTER = 1.0  # seconds
STACK_SIZES = (512 << 20, 64 << 20, 16 << 20)
# Seconds that the work has for ending a part of it: a product of large matrices is not interrupted.
GRACE = 10.0
# Added to the system's memory limit, which catches what the limits on single results and steps do not: the
# most that numpy, its threads and the stack take beside the script's memory.
ROOM = 3 << 30
# Memory needed to load the modules that report the error and to lay out the message.
LAST_WORDS = 256 << 20
# A recursion level that goes through C takes about 600 bytes of stack (CPython 3.11); twice that is safe.
BYTES_PER_LEVEL = 1280


class Clock:
    """The time limit. It runs once ``start`` has been called, and anew with every further call."""

    __slots__ = ("until",)

    def __init__(self) -> None:
        self.until = FOREVER

    def start(self, seconds: float) -> None:
        """From now on, allow the work this many seconds; 0 for no limit."""
        self.until = monotonic() + seconds if seconds else FOREVER
        woken.set()

    def ring(self) -> None:
        """Give the work a last while to end its part."""
        self.until = monotonic() + GRACE

    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return min(max(self.until - monotonic(), 0), LONGEST_WAIT)


#: The chores that the main thread has been asked to do and has not begun.
requested: list[Chore] = []
#: Set when a chore is requested, when the clock is started and when the work ends.
woken = threading.Event()
#: Started when a script has been read: waiting for standard input does not count.
clock = Clock()


def request_chore(chore: Chore) -> None:
    """Ask the main thread to do a chore while the work goes on. Nothing happens without ``supervise``."""
    requested.append(chore)
    woken.set()


def settle_signals() -> None:
    """Let SIGINT and SIGPIPE terminate the process, unless the parent process set SIGINT to be ignored.

    SIGPIPE does so too if the parent process blocked it, as the threads that start the workers of --jobs do.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if os.name == "posix":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPIPE])


def set_wall(memory: int) -> None:
    """Limit memory to four results of the largest allowed size or to the physical memory, plus ``ROOM``.

    RLIMIT_DATA and not RLIMIT_AS: mapped libraries and files do not count. numpy and Python then raise
    MemoryError, where the system would otherwise kill this process or another. Reporting the error needs a
    little more memory, so the limit is raised for it.
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
        pass  # no such limit on this system: only the script's own limits apply


def supervise(
    work: Callable[[], int],
    when_over: Callable[[], int],
    progress: Callable[[], Iterable[Chore]] | None = None,
    goes_on: Callable[[], bool] = lambda: False,
) -> NoReturn:
    """Exit with the status of ``work``, or when the time of ``clock`` is over with that of ``when_over``.

    Both functions must flush their output themselves: nothing is flushed here. ``progress`` gives the chore
    that shows how far the work is, if there is one; it is called after a second. ``goes_on`` is asked first
    each time that the time is over, and says whether only a part of the work ends, by a PartOverError in it.
    """
    # The graph has no cycles, and searching for them takes two to three times as long as the run.
    gc.disable()
    # Warnings of Python's libraries speak of their sources; a script has its own warnings.
    warnings.simplefilter("ignore")
    statuses: list[int] = []

    def run_work() -> None:
        status = BUG
        try:
            status = work()
        finally:
            statuses.append(status)
            woken.set()

    shown_at = FOREVER if progress is None else monotonic() + SHOWN_AFTER

    def left() -> float:
        return max(min(clock.left(), shown_at - monotonic()), 0)

    worker = start_worker(run_work)
    while not statuses:
        if not clock.left():
            if not goes_on():
                break
            clock.ring()
            raise_in(worker, PartOverError)
        woken.wait(left())
        woken.clear()  # before the checks below, so that no request is missed
        if progress is not None and shown_at <= monotonic():
            shown_at = FOREVER
            requested.extend(progress())
        if requested and not statuses:
            from autodiff.cli.process.chores import run_chores

            run_chores(requested, woken, left, statuses)
    status = statuses[0] if statuses else when_over()
    # Not sys.exit: freeing a million nodes one by one would only take time.
    os._exit(status)


def raise_in(worker: threading.Thread, error: type[BaseException]) -> None:
    """Have another thread raise an error where it runs Python next."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(error))


def start_worker(target: Callable[[], None]) -> threading.Thread:
    """Start a thread with the largest stack that the system grants."""
    for size in STACK_SIZES:
        worker = threading.Thread(target=target, daemon=True)
        try:
            threading.stack_size(size)
            sys.setrecursionlimit(size // BYTES_PER_LEVEL)
            worker.start()
        except (RuntimeError, MemoryError, ValueError):
            continue  # little address space (ulimit -v): a smaller stack suffices for most scripts
        return worker
    threading.stack_size(0)
    sys.setrecursionlimit(4000)
    worker = threading.Thread(target=target, daemon=True)
    worker.start()
    return worker
