"""A line of progress: what is done, a bar and the time left where the end is known, the time since the start.

rich draws the bar and estimates the time. It is imported only for a run of more than a second.
"""

from __future__ import annotations

import io

from autodiff.cli.process.streams import cells
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeRemainingColumn
from rich.table import Column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WIDEST_BAR = 30
SHORTEST_BAR = 5
ROOM_FOR_NUMBERS = 16  # of a bar: "  100%  0:00:00"


class Sketch(io.StringIO):
    """A file for rich to write to, of which it asks the encoding."""

    encoding = "utf-8"


class ProgressBar:
    """Draws lines of progress. ``clock`` gives seconds."""

    __slots__ = ("_bar_column", "_console", "_progress", "_sketch", "_task")

    def __init__(self, is_ascii: bool, clock: Callable[[], float]) -> None:
        self._sketch = Sketch()
        self._sketch.encoding = "ascii" if is_ascii else "utf-8"
        self._console = Console(file=self._sketch, force_terminal=False, color_system=None, _environ={})
        self._bar_column = BarColumn(WIDEST_BAR)
        self._progress = Progress(
            self._bar_column,
            TaskProgressColumn(table_column=Column(width=4, no_wrap=True)),
            TimeRemainingColumn(table_column=Column(no_wrap=True)),
            console=self._console,
            auto_refresh=False,
            get_time=clock,
        )
        self._task = self._progress.add_task("", total=1.0)

    def line(self, says: str, fraction: float | None, seconds: float, width: int) -> str:
        """The line, shorter than ``width``: less of it where there is little room."""
        elapsed = spell_seconds(seconds)
        text = f"{says}  {elapsed}"
        room = width - 1 - cells(text) - 2
        if fraction is not None:
            self._progress.update(self._task, completed=fraction)
            if room >= SHORTEST_BAR + ROOM_FOR_NUMBERS:
                text = f"{says}  {self._bar(min(room, WIDEST_BAR + ROOM_FOR_NUMBERS))}  {elapsed}"
        return text if cells(text) < width else ""

    def _bar(self, width: int) -> str:
        self._sketch.seek(0)
        self._sketch.truncate()
        self._console.width = width
        self._bar_column.bar_width = width - ROOM_FOR_NUMBERS
        self._console.print(self._progress.make_tasks_table(self._progress.tasks), end="")
        return self._sketch.getvalue().strip("\n")


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
