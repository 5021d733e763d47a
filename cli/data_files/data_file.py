"""What was read from a file of numbers: named columns, or one array without names.

Columns become arrays when they are taken, so that columns of text that nobody asks for do not matter.
"""

from __future__ import annotations

from math import nan
from shlex import quote

from autodiff.cli.command_line.script_source import STDIN, STDIN_NAME
from autodiff.cli.process.streams import visible
from autodiff.core.base.errors import UsageError
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

#: What stands for a missing value in a table, in lower case; it counts as nan, as pandas has it.
MISSING = frozenset(("", "-", "--", "na", "n/a", "#na", "#n/a", "<na>", "null", "none"))
#: How many columns an error message lists.
MAX_LISTED = 20
MAX_SHOWN_OPTIONS = 3


def number_in(field: str) -> float:
    """The number in a field of a table, nan for a missing one. Raises ValueError for another text."""
    if is_number_text(field):
        return float(field)
    if field.lower() in MISSING:
        return nan
    raise ValueError(field)


class DataFile:
    """The content of the file ``name``: the ``columns`` it names, () if it names none.

    ``take(columns)`` returns the arrays of these columns. ``whole()`` returns all numbers as one array.
    ``row_labels()`` returns the texts in the first column of a table with names, [] if it holds numbers.
    ``covariance`` returns the names of entries and the matrix of their covariances, if the file is
    the document of a fit; then the columns are the inputs of the fit.
    """

    __slots__ = ("columns", "covariance", "name", "row_labels", "take", "whole")

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        take: Callable[[Sequence[str]], dict[str, Any]],
        whole: Callable[[], Any],
        row_labels: Callable[[], list[str]] = list,
        covariance: Callable[[], tuple[list[str], Any]] | None = None,
    ) -> None:
        self.name = name
        self.columns = tuple(columns)
        self.take = take
        self.whole = whole
        self.row_labels = row_labels
        self.covariance = covariance

    def value_for(self, name: str) -> Any:
        """The array for a variable: all numbers, or the column of that name, or the only column.

        Raises UsageError if the file has several columns and none of that name.
        """
        if not self.columns:
            return self.whole()
        if len(self.columns) == 1:
            name = self.columns[0]
        if name not in self.columns:
            raise data_error(
                self.name,
                f"there is no column `{visible(name)}`; it has {listed(self.columns)}",
                f"a column goes to the variable of its name, as in {column_options(self.name, self.columns)}",
                "or take a file without names, which is one array",
            )
        return self.take([name])[name]


def column_options(file: str, columns: Sequence[str]) -> str:
    """The options that take the columns of a file: ``--set t=@d.csv --set y=@d.csv``."""
    place = STDIN if file == STDIN_NAME else file
    names = [name for name in columns if name.isidentifier()] or ["NAME"]
    return " ".join(f"--set {quote(f'{name}=@{place}')}" for name in names[:MAX_SHOWN_OPTIONS])


def listed(names: Sequence[str]) -> str:
    """Names for a message: the first ones, and how many more there are."""
    more = len(names) - MAX_LISTED
    return ", ".join(map(visible, names[:MAX_LISTED])) + (f", and {more:,} more" if more > 0 else "")


def data_error(place: str, what: str, *help: str) -> UsageError:
    """The error about the content of a file; ``place`` is the file, and the line and column if known."""
    return UsageError(f"{visible(place)}: {what}", code="E0619", help=help)


def nameless(file: str) -> UsageError:
    """The error about columns without names."""
    is_text = not file.endswith((".npy", ".json", ".jsonl"))
    help = "name them, as in --columns x,y" + ", or add a header" * is_text
    return data_error(file, "its columns have no names", help)


def check_names(file: str, names: Sequence[str]) -> None:
    """Raise UsageError if two columns have the same name."""
    twice = next((name for at, name in enumerate(names) if name and name in names[:at]), None)
    if twice is not None:
        raise data_error(file, f"two columns are called `{visible(twice)}`", "give each a name of its own")
