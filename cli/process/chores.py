"""What the main thread does while the work runs on another: chores that must not wait for the work.

A chore is done every tenth of a second. While there is one, the signals that end the process are handled in
Python, so that the chore can be finished before: the text that a script printed is written.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event
    from types import FrameType
    from typing import Protocol

    class Chore(Protocol):
        """Something to do from time to time; every method is called on the main thread."""

        def begin(self) -> None: ...

        def run_once(self) -> bool:
            """Do it once, without blocking. Return False if it need not be done again."""

        def end(self) -> None: ...

        def write_some(self, seconds: float) -> None:
            """Finish before the process ends, in at most this time."""


INTERVAL = 0.1  # seconds
LAST_SECONDS = 0.1  # that a dying process spends on its output
DEADLY = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def run_chores(
    requested: list[Chore], woken: Event, time_left: Callable[[], float], ended: list[int]
) -> None:
    """Do the ``requested`` chores until none is left, the work has ``ended``, or there is no ``time_left``.

    They are ended then. ``woken`` is set when another chore is requested and when the work ends.
    """
    chores: list[Chore] = []
    signals = Signals(chores)
    signals.catch()
    while True:
        woken.clear()  # before the checks below, so that no request is missed
        if ended or not time_left():
            break
        while requested:
            chore = requested.pop()
            if chore not in chores:
                chores.append(chore)
                chore.begin()
        woken.wait(min(INTERVAL, time_left()))
        with signals.postponed():
            for chore in [*chores]:
                if not chore.run_once():
                    chores.remove(chore)
                    chore.end()
        if not chores and not requested:
            break
    with signals.postponed():
        for chore in chores:
            chore.end()
    signals.release()


class Signals:
    """Catches the signals that end the process; it still dies of them, after finishing the ``chores``."""

    __slots__ = ("arrived", "caught", "chores", "is_postponed")

    def __init__(self, chores: list[Chore]) -> None:
        self.chores = chores
        self.caught: list[int] = []
        self.is_postponed = False
        self.arrived = 0

    def catch(self) -> None:
        """Handle each of the signals that would end the process. Those that are ignored stay ignored."""
        for number in DEADLY:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self.handle)
                self.caught.append(number)

    def release(self) -> None:
        """Restore the system's default action."""
        for number in self.caught:
            signal.signal(number, signal.SIG_DFL)

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_postponed:
            self.arrived = number
            return
        for chore in self.chores:
            chore.write_some(LAST_SECONDS)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    @contextmanager
    def postponed(self) -> Iterator[None]:
        """Let a signal wait for the end of the block, which does not block."""
        self.is_postponed = True
        yield
        self.is_postponed = False
        if self.arrived:
            self.handle(self.arrived, None)
