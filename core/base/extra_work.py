"""Work that only adds to an answer, such as the search for the reason of a mistake.

When the time is over, it ends, and the answer is shown without it. ``stopped`` says what was ended; further
such work is not begun.
"""

from __future__ import annotations

import threading
from time import sleep

from autodiff.core.base.errors import PartOverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Made = TypeVar("Made")

#: What was ended: ``the search for the reason``. Whoever tells of it clears it.
stopped: list[str] = []
lock = threading.Lock()


class State:
    """``depth`` counts the extra work that runs, each within the one before.

    ``is_ending`` says that a PartOverError for the innermost one is on its way.
    """

    depth = 0
    is_ending = False


def try_extra(what: str, work: Callable[[], Made], otherwise: Made) -> Made:
    """Return what the work returns, or ``otherwise`` if the time is over before it has ended."""
    depth = State.depth
    if not stopped:
        try:
            State.depth = depth + 1
            try:
                made = work()
            except PartOverError:
                raise
            except BaseException:  # a limit or Ctrl-C, too: the next script may run in this process
                close(depth)
                raise
            close(depth)
            return made
        except PartOverError:
            State.depth = depth
            if not State.is_ending:  # it is not this work that ends
                raise
            State.is_ending = False
    stopped.append(what)
    return otherwise


def close(depth: int) -> None:
    """End extra work; an error that is on its way to it arrives here, and not later."""
    while True:
        with lock:
            if not State.is_ending:
                State.depth = depth
                return
        sleep(0.001)


def end_extra_work() -> bool:
    """Say whether extra work runs; then the caller ends the innermost by a PartOverError in its thread."""
    with lock:
        State.is_ending = State.depth > 0
        return State.is_ending


__all__ = ["end_extra_work", "stopped", "try_extra"]
