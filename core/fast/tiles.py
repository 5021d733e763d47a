"""Work on large arrays, piece by piece: what a piece needs stays in the cache, and two threads share them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

#: Arrays of fewer entries fit into the cache as they are.
LARGE = 1 << 15
#: The entries of one piece: so many that calling numpy does not matter, so few that they stay in the cache.
TILE = 1 << 14
#: A piece is larger with two threads, which otherwise wait for each other's turn in the interpreter.
SHARED_TILE = 1 << 16
#: From this many entries on a second thread earns its start.
WORTH_A_THREAD = 1 << 19


_executor: Executor | None = None


def second_thread() -> Executor:
    """The other thread; started when first needed, and again in a process that was forked off."""
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
    """How many processors may be used, two at most."""
    return min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def in_tiles(work: Callable[[int, int, int], None], count: int, width: int = 1) -> None:
    """Call ``work(start, stop, step)`` so that all of ``range(count)`` is covered, in steps of one tile each.

    ``width`` is the number of entries that one of ``count`` stands for, such as those of a row. Where it
    pays there are two calls at once, each for one half: ``work`` must only write to what is its own.
    """
    if count * width < WORTH_A_THREAD or count < 2 or thread_count() < 2:
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
