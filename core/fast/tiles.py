"""Work on large arrays in tiles that fit into the cache, shared by two threads. Settings for deferred ops."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

#: Arrays of fewer entries fit into the cache as a whole.
MIN_TILED_SIZE = 1 << 15
#: The entries of one tile: enough that numpy's call overhead does not matter, few enough for the cache.
TILE = 1 << 14
#: The entries of one tile with two threads: larger, since the threads wait for each other's Python code.
SHARED_TILE = 1 << 16
#: From this many entries on a second thread saves more time than it costs.
MIN_THREADED_SIZE = 1 << 19


_executor: Executor | None = None


def second_thread() -> Executor:
    """The second thread, started when first needed, and again in a forked process."""
    global _executor
    if _executor is None:
        from concurrent.futures import ThreadPoolExecutor

        _executor = ThreadPoolExecutor(1)
    return _executor


def forget_thread() -> None:
    global _executor
    _executor = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget_thread)


def thread_count() -> int:
    """How many processors this process may use, at most two."""
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def run_in_tiles(work: Callable[[int, int, int], None], count: int, width: int = 1) -> None:
    """Call ``work(start, stop, step)`` to cover ``range(count)``, where ``step`` is the length of a tile.

    ``width`` is the number of entries per item of ``count``, such as the entries of a row. Large arrays get
    two calls in parallel, one for each half: each must write only to its own part.
    """
    if count * width < MIN_THREADED_SIZE or count < 2 or thread_count() < 2:
        work(0, count, max(1, TILE // width))
        return
    import contextvars

    step = max(1, SHARED_TILE // width)
    # How numpy treats overflow and nan is part of the context.
    other = second_thread().submit(contextvars.copy_context().run, work, count // 2, count, step)
    try:
        work(0, count // 2, step)
    finally:
        other.result()
