"""Rows of values for ``--each``: CSV, TSV and JSON Lines, read block by block as they arrive.

A block is what there is to read, up to a size: rows of a live stream are answered at once, and a large file
never is in memory as a whole.
"""

from __future__ import annotations

import json
import os
import sys

from autodiff.cli.command_line.script_source import REASONS, STDIN, STDIN_NAME, decode, proposals, unreadable
from autodiff.cli.data_files.data_file import check_names, data_error
from autodiff.cli.data_files.json_tables import STRINGS
from autodiff.cli.data_files.text_tables import find_separator, is_row
from autodiff.cli.process.streams import visible
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    #: The values of a row by column: texts of a table, numbers and lists of JSON. A text is what is wrong.
    Row = dict[str, Any] | str

BLOCK = 1 << 20  # bytes
LONGEST_FIELD = 40  # characters of a field in a message


class RowFile:
    """A file of rows: the ``columns`` of a table, and the rows in ``blocks``; those of JSON name theirs."""

    __slots__ = ("blocks", "columns", "is_json", "name", "separator")

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.name = STDIN_NAME if path == STDIN else path
        self.columns: Sequence[str] = columns
        self.separator: str | None = None
        lines = read_lines(path, self.name)
        first = next(lines, [])
        self.is_json = bool(first) and (first[0].lstrip().startswith("{") or path.endswith(".jsonl"))
        if first and not self.is_json:
            self.separator = find_separator(first[0], os.path.splitext(path)[1].lower())
            header = self.fields(first[0])
            has_header = any(header) and not any(map(is_number_text, header))
            if has_header and columns:
                raise data_error(self.name, "its first line names the columns", "leave --columns out")
            if has_header:
                self.columns, first = header, first[1:]
            elif not columns:
                raise data_error(
                    self.name, "its columns have no names", "name them, as in --columns x,y, or add a header"
                )
            check_names(self.name, self.columns)
        self.blocks = self.rows_of(first, lines)

    def rows_of(self, first: list[str], others: Iterator[list[str]]) -> Iterator[list[Row]]:
        """Yield the rows in blocks; none is empty."""
        read = self.json_row if self.is_json else self.table_row
        if first:
            yield [read(line) for line in first]
        for lines in others:
            yield [read(line) for line in lines]

    def fields(self, line: str) -> list[str]:
        """The fields of a line of a table, without blanks around them and without quotes."""
        if self.separator is None:
            return line.split()
        if '"' not in line:
            return [field.strip() for field in line.split(self.separator)]
        import csv

        [row] = csv.reader([line], delimiter=self.separator, skipinitialspace=True)
        return [field.strip() for field in row]

    def table_row(self, line: str) -> Row:
        fields = self.fields(line)
        if len(fields) != len(self.columns):
            return f"it has {len(fields)} fields, and there are {len(self.columns)} columns"
        return dict(zip(self.columns, fields, strict=True))

    def json_row(self, line: str) -> Row:
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            return f"it is no JSON: {error.msg[:1].lower() + error.msg[1:]} at column {error.colno}"
        except RecursionError:
            return "it is nested too deeply"
        return row if isinstance(row, dict) else "it is no JSON object"


def read_lines(path: str, name: str) -> Iterator[list[str]]:
    """Yield the lines that count of a file in blocks; none is empty."""
    if path == STDIN and sys.stdin is None:
        raise unreadable(name, "it is closed")
    rest = b""
    try:
        with open(
            sys.stdin.fileno() if path == STDIN else path, "rb", buffering=0, closefd=path != STDIN
        ) as file:
            while data := file.read(BLOCK):
                whole, newline, rest = (rest + data).rpartition(b"\n")
                lines = [line for line in decode(whole + newline, name).split("\n") if is_row(line)]
                if lines:
                    yield lines
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
        raise unreadable(name, reason, *proposals(path, error.errno)) from None
    if is_row(last := decode(rest, name)):
        yield [last]


def read_columns(rows: list[Row], names: Sequence[str]) -> dict[str, Any] | None:
    """The columns of these names as arrays; None if a row lacks one, or has something else than a number."""
    found = {}
    for name in names:
        try:
            values = [row[name] for row in rows]  # type: ignore[index] # a text raises TypeError
            if values[0].__class__ is str:
                joined = "".join(values)
                if "_" in joined or not joined.isascii():  # float() reads more than is_number_text() does
                    return None
            elif not all(value.__class__ in (float, int) for value in values):
                return None
            found[name] = np.array([float(value) for value in values])
        except (KeyError, TypeError, ValueError, OverflowError):
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
