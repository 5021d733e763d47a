"""The three kinds of rows: lines of a table, JSON Lines, and the combinations of a sweep.

A reader turns the lines of a block into rows, or into columns of numbers. It is made of texts and numbers, so
that another process can make the same one: ``described`` and ``make_reader``.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from math import nan, prod

from autodiff.cli.data_files.data_file import MISSING, number_in
from autodiff.cli.data_files.json_tables import STRINGS
from autodiff.cli.data_files.text_tables import counted, quoted_fields
from autodiff.cli.process.streams import visible
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    #: The values of a row by column: texts of a table, numbers and lists of JSON.
    Row = dict[str, Any]
    #: What a reader reads: lines of a text, or numbers of combinations.
    Lines = Sequence[Any]

LONGEST_FIELD = 40  # characters of a field in a message


class BadRow(dict[str, "Any"]):
    """A row that cannot be read: the values that could be separated, and what is wrong."""

    __slots__ = ("what",)

    def __init__(self, what: str, values: Row | None = None) -> None:
        super().__init__(values or {})
        self.what = what


class Block:
    """Rows that were read together.

    ``first`` is the number of the first row, counted from 1. ``numbers`` are those of the lines in their
    file; () for combinations. ``share`` is the part of all rows, as two fractions, if it is known.
    """

    __slots__ = ("first", "lines", "numbers", "share")

    def __init__(
        self,
        lines: Lines,
        numbers: Sequence[int] = (),
        first: int = 1,
        share: tuple[float, float] | None = None,
    ) -> None:
        self.lines = lines
        self.numbers = numbers
        self.first = first
        self.share = share

    def __len__(self) -> int:
        return len(self.lines)

    def part(self, start: int, stop: int) -> Block:
        """The rows from index ``start`` up to ``stop``."""
        lines = self.lines[start:stop]
        share = None
        if self.share is not None:
            begin, end = self.share
            each = (end - begin) / max(len(self), 1)
            share = (begin + each * start, begin + each * (start + len(lines)))
        return Block(lines, self.numbers[start:stop], self.first + start, share)

    def place(self, at: int) -> str:
        """Where the row at an index is, for a message."""
        return f"row {self.first + at:,}" + (f" (line {self.numbers[at]:,})" if self.numbers else "")


class Reader(ABC):
    """What the readers share."""

    __slots__ = ()
    kind: str

    def described(self) -> list[Any]:
        """The kind and the arguments of the reader, for ``make_reader``."""
        return [self.kind]

    @abstractmethod
    def row(self, line: Any) -> Row:
        """The values of a line by column, or a ``BadRow``."""

    def rows(self, lines: Lines) -> Iterable[Row]:
        return map(self.row, lines)

    @abstractmethod
    def numbers(self, lines: Lines, names: Sequence[str]) -> dict[str, Any] | None:
        """The columns of these names as arrays; None where each row has to be looked at by itself."""


class TableRows(Reader):
    """Lines of fields; ``separator`` None stands for any number of blanks."""

    __slots__ = ("columns", "separator")
    kind = "table"

    def __init__(self, columns: Sequence[str], separator: str | None) -> None:
        self.columns = list(columns)
        self.separator = separator

    def described(self) -> list[Any]:
        return [self.kind, self.columns, self.separator]

    def fields(self, line: str) -> list[str]:
        """The fields of a line, without blanks around them and without quotes.

        Raises ValueError for quotation marks that are not closed in the line.
        """
        if '"' not in line:
            return [field.strip() for field in line.split(self.separator)]
        return quoted_fields(line, self.separator or " ")

    def row(self, line: str) -> Row:
        try:
            fields = self.fields(line)
        except ValueError as error:
            return BadRow(str(error))
        row = dict(zip(self.columns, fields, strict=False))
        if len(fields) != len(self.columns):
            return BadRow(f"it has {counted(len(fields))}, and there are {len(self.columns)} columns", row)
        return row

    def numbers(self, lines: Lines, names: Sequence[str]) -> dict[str, Any] | None:
        """The columns; None if a line has quotes, another number of fields, or a field that is no number."""
        count = len(self.columns) - 1
        for line in lines:
            fields = len(line.split()) - 1 if self.separator is None else line.count(self.separator)
            if fields != count or '"' in line:
                return None
        positions = tuple(self.columns.index(name) for name in names)
        try:
            found = np.loadtxt(lines, delimiter=self.separator, comments=None, usecols=positions, ndmin=2)
        except ValueError:
            return None
        # Texts of numbers that are not finite have several spellings, of which numpy takes more.
        if len(found) != len(lines) or not np.isfinite(found).all():
            return None
        return {name: np.ascontiguousarray(found[:, at]) for at, name in enumerate(names)}


class JsonRows(Reader):
    """Lines of JSON objects, which name their values."""

    __slots__ = ()
    kind = "json"

    def row(self, line: str) -> Row:
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            return BadRow(f"it is no JSON: {error.msg[:1].lower() + error.msg[1:]} at column {error.colno}")
        except RecursionError:
            return BadRow("it is nested too deeply")
        return row if isinstance(row, dict) else BadRow("it is no JSON object")

    def numbers(self, lines: Lines, names: Sequence[str]) -> dict[str, Any] | None:
        rows = [*self.rows(lines)]
        try:
            columns = [[row[name] for row in rows] for name in names]
            if all(value.__class__ in (float, int) for column in columns for value in column):
                return {
                    name: np.array(column, "float64") for name, column in zip(names, columns, strict=True)
                }
        except (KeyError, OverflowError):
            pass
        return None


class SweepRows(Reader):
    """All combinations of the ``values`` of names; the last name changes fastest."""

    __slots__ = ("values",)
    kind = "sweep"

    def __init__(self, values: Mapping[str, Sequence[float]]) -> None:
        self.values = dict(values)

    def described(self) -> list[Any]:
        return [self.kind, self.values]

    def __len__(self) -> int:
        return prod(map(len, self.values.values()))

    def row(self, at: int) -> Row:
        """The combination of this number."""
        found = []
        for name, values in reversed(self.values.items()):
            at, place = divmod(at, len(values))
            found.append((name, values[place]))
        return dict(reversed(found))

    def numbers(self, lines: Lines, names: Sequence[str]) -> dict[str, Any]:
        assert isinstance(lines, range)
        sizes = [len(values) for values in self.values.values()]
        places = np.unravel_index(np.arange(lines.start, lines.stop), sizes)
        return {
            name: np.array(values)[at] for (name, values), at in zip(self.values.items(), places, strict=True)
        }


def make_reader(described: Sequence[Any]) -> Reader:
    """The reader that ``described`` itself so."""
    kind, *arguments = described
    return {reader.kind: reader for reader in (TableRows, JsonRows, SweepRows)}[kind](*arguments)


def is_missing(value: object) -> bool:
    """Whether a field has no value; what is written nan is one."""
    return value is None or (isinstance(value, str) and value.lower() in MISSING)


def read_number(value: object) -> Any:
    """The number, or the nested lists of numbers, in a field; nan for a missing one.

    Raises ValueError with what is wrong.
    """
    if isinstance(value, str):
        try:
            return float(value) if value in STRINGS else number_in(value)
        except ValueError:
            why = ": fractions have a point, as in 1.5" if is_number_text(value.replace(",", ".")) else ""
            raise ValueError(f"`{visible(value[:LONGEST_FIELD])}` is no number{why}") from None
    if value is None:
        return nan
    if isinstance(value, list):
        return [read_number(one) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{json.dumps(value)[:LONGEST_FIELD]} is no number")
