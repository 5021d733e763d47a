"""A line of progress: what is done, a bar and the time left where the end is known, the time since the start.

rich draws the bar and estimates the time. It is imported only for a run of more than a second.
"""

from __future__ import annotations

import io

from autodiff.cli.process.streams import cells
from rich.console import Console
from rich.progress import BarColumn, Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WIDEST_BAR, SHORTEST_BAR = 30, 5


class Sketch(io.StringIO):
    """A file for rich to write to, of which it asks the encoding."""

    encoding = "utf-8"


class ProgressBar:
    """Draws lines of progress. ``clock`` gives seconds."""

    __slots__ = ("_bar", "_progress", "_task")

    def __init__(self, is_ascii: bool, clock: Callable[[], float]) -> None:
        sketch = Sketch()
        sketch.encoding = "ascii" if is_ascii else "utf-8"
        console = Console(file=sketch, force_terminal=False, color_system=None, _environ={})
        self._bar = BarColumn()
        self._progress = Progress(self._bar, console=console, auto_refresh=False, get_time=clock)
        self._task = self._progress.add_task("", total=1.0)

    def line(self, says: str, fraction: float | None, seconds: float, width: int) -> str:
        """The line, shorter than ``width``: less of it where there is little room."""
        text = f"{says}  {spell_seconds(seconds)}"
        if fraction is not None:
            self._progress.update(self._task, completed=fraction)
            left = self._progress.tasks[0].time_remaining
            progress = f"{fraction:4.0%} after {spell_seconds(seconds)}"
            progress += "" if left is None else f", {spell_seconds(left)} left"
            room = width - 1 - cells(f"{says}  [] {progress}")
            if room >= SHORTEST_BAR:
                text = f"{says}  [{self._sketch(min(room, WIDEST_BAR))}] {progress}"
        return text if cells(text) < width else ""

    def _sketch(self, width: int) -> str:
        self._bar.bar_width = width
        console = self._progress.console
        with console.capture() as capture:
            console.print(self._bar.render(self._progress.tasks[0]), end="", width=width)
        return capture.get().strip("\n")[:width].ljust(width)


def spell_seconds(seconds: float) -> str:
    """A time since the start.

    >>> spell_seconds(7.9), spell_seconds(75), spell_seconds(7325)
    ('7 s', '1:15', '2:02:05')
    """
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
