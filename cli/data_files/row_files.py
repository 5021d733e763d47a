"""Rows of values for ``--each``: CSV, TSV and JSON Lines, read block by block as they arrive.

A block is what there is to read, up to a size: rows of a live stream are answered at once, and a large file
never is in memory as a whole.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import chain

from autodiff.cli.command_line.script_source import REASONS, STDIN, STDIN_NAME, decode, proposals, unreadable
from autodiff.cli.data_files.data_file import check_names, data_error
from autodiff.cli.data_files.json_tables import STRINGS
from autodiff.cli.data_files.text_tables import counted, find_separator, is_row, quoted_fields
from autodiff.cli.process.streams import visible
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    #: The values of a row by column: texts of a table, numbers and lists of JSON.
    Row = dict[str, Any]

BLOCK = 1 << 20  # bytes
LONGEST_FIELD = 40  # characters of a field in a message


class BadRow(dict[str, "Any"]):
    """A row that cannot be read: the values that could be told apart, and what is wrong."""

    __slots__ = ("what",)

    def __init__(self, what: str, values: Row | None = None) -> None:
        super().__init__(values or {})
        self.what = what


class Block(list["Row"]):
    """Rows that were read together, and the ``lines`` of the file that they stand in; () for made-up rows."""

    __slots__ = ("lines",)

    def __init__(self, rows: Iterable[Row], lines: Sequence[int] = ()) -> None:
        super().__init__(rows)
        self.lines = lines


class RowFile:
    """A file of rows: the ``columns`` of a table, and the rows in ``blocks``; those of JSON name theirs."""

    __slots__ = ("blocks", "columns", "is_json", "name", "separator")

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.name = STDIN_NAME if path == STDIN else path
        self.columns: Sequence[str] = columns
        self.separator: str | None = None
        blocks = read_lines(path, self.name)
        numbers, first = next(blocks, ((), []))
        self.is_json = bool(first) and (first[0].lstrip().startswith("{") or path.endswith(".jsonl"))
        if first and not self.is_json:
            self.separator = find_separator(first[0], os.path.splitext(path)[1].lower())
            header = self.header(first[0], numbers[0])
            if header and columns:
                raise data_error(self.name, "its first line names the columns", "leave --columns out")
            if header:
                self.columns, first, numbers = header, first[1:], numbers[1:]
            elif not columns:
                raise data_error(
                    self.name, "its columns have no names", "name them, as in --columns x,y, or add a header"
                )
            check_names(self.name, self.columns)
        self.blocks = self.rows_of(chain([(numbers, first)], blocks))

    def header(self, line: str, number: int) -> list[str]:
        """The names in the first line; [] if it holds a number."""
        try:
            fields = self.fields(line)
        except ValueError as error:
            raise data_error(f"{self.name}, line {number}", str(error)) from None
        return fields if any(fields) and not any(map(is_number_text, fields)) else []

    def rows_of(self, blocks: Iterable[tuple[Sequence[int], list[str]]]) -> Iterator[Block]:
        """Yield the rows in blocks; none is empty."""
        read = self.json_row if self.is_json else self.table_row
        for numbers, lines in blocks:
            if lines:
                yield Block(map(read, lines), numbers)

    def fields(self, line: str) -> list[str]:
        """The fields of a line of a table, without blanks around them and without quotes.

        Raises ValueError for quotation marks that are not closed in the line.
        """
        if '"' not in line:
            return [field.strip() for field in line.split(self.separator)]
        return quoted_fields(line, self.separator or " ")

    def table_row(self, line: str) -> Row:
        try:
            fields = self.fields(line)
        except ValueError as error:
            return BadRow(str(error))
        row = dict(zip(self.columns, fields, strict=False))
        if len(fields) != len(self.columns):
            return BadRow(f"it has {counted(len(fields))}, and there are {len(self.columns)} columns", row)
        return row

    def json_row(self, line: str) -> Row:
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            return BadRow(f"it is no JSON: {error.msg[:1].lower() + error.msg[1:]} at column {error.colno}")
        except RecursionError:
            return BadRow("it is nested too deeply")
        return row if isinstance(row, dict) else BadRow("it is no JSON object")


def read_lines(path: str, name: str) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Yield the lines that count of a file in blocks, with their numbers; none is empty."""
    if path == STDIN and sys.stdin is None:
        raise unreadable(name, "it is closed")
    rest = b""
    number = 1
    try:
        opened = sys.stdin.fileno() if path == STDIN else path
        with open(opened, "rb", buffering=0, closefd=path != STDIN) as file:
            while data := file.read(BLOCK):
                whole, newline, rest = (rest + data).rpartition(b"\n")
                lines = decode(whole, name).split("\n") if newline else []
                yield from those_that_count(lines, number)
                number += len(lines)
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
        raise unreadable(name, reason, *proposals(path, error.errno)) from None
    yield from those_that_count([decode(rest, name)], number)


def those_that_count(lines: list[str], number: int) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Yield lines that are neither blank nor comments, if there are any, and their numbers."""
    kept = [line for line in lines if is_row(line)]
    if len(kept) == len(lines):
        numbers: Sequence[int] = range(number, number + len(lines))
    else:
        numbers = [at for at, line in enumerate(lines, number) if is_row(line)]
    if kept:
        yield numbers, kept


def read_columns(rows: list[Row], names: Sequence[str]) -> dict[str, Any] | None:
    """The columns of these names as arrays; None if a row lacks one, or has something else than a number."""
    found = {}
    for name in names:
        try:
            values = [row[name] for row in rows if row.__class__ is not BadRow]
            if len(values) < len(rows):
                return None
            if values[0].__class__ is str:
                joined = "".join(values)
                if "_" in joined or not joined.isascii():  # float() reads more than is_number_text() does
                    return None
            elif not all(value.__class__ in (float, int) for value in values):
                return None
            found[name] = np.array([float(value) for value in values])
        except (KeyError, ValueError, OverflowError):
            return None
    return found


def read_number(value: object) -> Any:
    """The number, or the nested lists of numbers, in a field. Raises ValueError with what is wrong."""
    if isinstance(value, str):
        if is_number_text(value) or value in STRINGS:
            return float(value)
        raise ValueError(
            f"`{visible(value[:LONGEST_FIELD])}` is no number" if value else "there is no number"
        )
    if isinstance(value, list):
        return [read_number(one) for one in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{json.dumps(value)[:LONGEST_FIELD]} is no number")
