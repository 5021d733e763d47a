"""Tables of numbers as text: CSV, TSV, and columns separated by blanks.

The separator is that of the first line. Blank lines and lines that begin with ``#`` do not count. A field in
quotation marks may hold line breaks (RFC 4180, section 2). The first line is a header if none of its fields
is a number. An empty field, ``NA`` and the like are missing values, which count as nan. numpy reads what is
regular; what it refuses is read again field by field, to say what is wrong and where.
"""

from __future__ import annotations

import re
from shlex import quote

from autodiff.cli.command_line.script_source import STDIN_NAME
from autodiff.cli.data_files.data_file import DataFile, check_names, data_error, number_in
from autodiff.cli.process.streams import visible
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

LONGEST_FIELD = 40  # characters of a field in a message
#: The most characters of a row with line breaks: a mark that is not closed does not take all that follows.
LONGEST_ROW = 1 << 16
#: A field in quotation marks, and the beginning of one that is not closed.
CLOSED_FIELD = re.compile(r'((?:\A|[,;\t])\s*)"(?:[^"]|"")*"(?=\s*(?:[,;\t]|\Z))')
OPEN_FIELD = re.compile(r'(?:\A|[,;\t])\s*"(?:[^"]|"")*\Z')
#: How a row begins whose first value is missing, in spite of the sign of a comment.
MISSING_FIRST = ("#N/A", "#NA,", "#NA;", "#NA\t")
NOT_A_NUMBER = (
    "a missing value is an empty field, nan, NA or -; columns that the script does not use may hold anything"
)


def read_text_table(text: str, file: str, suffix: str, names: Sequence[str] = ()) -> DataFile:
    """Read a table; ``names`` are those of its columns if it has no header. ``suffix`` is as in ``.csv``."""
    table = TextTable(text, file, suffix)
    if not table.rows:
        raise data_error(file, "it holds no numbers")
    header = table.header()
    if names and header:
        raise data_error(
            f"{file}, line {table.line_number(0)}",
            f"this line names the columns already: {visible(table.rows[0][:LONGEST_FIELD])}",
            "leave --columns out",
            *other_names(file, table.line_number(0), "--data"),
        )
    if header:
        table.first = 1
        if len(table.rows) == 1:
            raise data_error(file, "it has a header, and no numbers below")
    table.names = names or header
    if names and len(names) != table.width:
        raise data_error(
            f"{file}, line {table.line_number(0)}",
            f"{counted(table.width)}, and --columns names {len(names)}",
            "name every column, in order; columns that the script does not use are fine",
        )
    check_names(file, table.names)
    columns = [name for name in table.names if name]
    return DataFile(file, columns, table.take, table.whole, table.row_labels)


def other_names(file: str, line: int, option: str) -> tuple[str, ...]:
    """How to give other names than those in a line of a file; no text for standard input."""
    if file == STDIN_NAME:
        return ()
    return (
        f"for other names, drop the line: sed {line}d {quote(file)} | autodiff ... {option} - --columns ...",
    )


class TextTable:
    """The ``rows`` of a text, without blank lines and comments; the numbers begin at row ``first``."""

    __slots__ = ("file", "first", "line_numbers", "names", "rows", "separator", "text", "width")

    def __init__(self, text: str, file: str, suffix: str) -> None:
        self.text = text
        self.file = file
        found = [*rows_in(text.split("\n"))]
        self.line_numbers = [number for number, _ in found]
        self.rows = [row for _, row in found]
        self.separator = find_separator(self.rows[0], suffix) if self.rows else None
        self.width = len(self.fields(0)) if self.rows else 0
        self.names: Sequence[str] = ()
        self.first = 0

    def fields(self, at: int) -> list[str]:
        """The fields of a row, without blanks around them and without quotes."""
        line = self.rows[at]
        if self.separator is None:
            return line.split()
        if '"' not in line:
            return [field.strip() for field in line.split(self.separator)]
        try:
            return quoted_fields(line, self.separator)
        except ValueError as error:
            raise data_error(
                f"{self.file}, line {self.line_number(at)}",
                str(error),
                'write "..." around the whole field, and "" for a quotation mark in it',
            ) from None

    def header(self) -> list[str]:
        """The names in the first line; [] if it holds a number."""
        fields = self.fields(0)
        return fields if any(fields) and not any(map(is_number_text, fields)) else []

    def row_labels(self) -> list[str]:
        """The texts in the first column of a table with names; [] if it begins with a number."""
        if not self.names or is_number_text(self.fields(self.first)[0]):
            return []
        return [self.fields(at)[0] for at in range(self.first, len(self.rows))]

    def line_number(self, at: int) -> int:
        """The number of a row's line in the file, counted from 1."""
        return self.line_numbers[at] + 1

    def take(self, names: Sequence[str]) -> dict[str, Any]:
        """The columns of these names, each as an array of one dimension."""
        positions = [list(self.names).index(name) for name in names]
        numbers = self.numbers(positions)
        return {name: np.ascontiguousarray(numbers[:, at]) for at, name in enumerate(names)}

    def whole(self) -> Any:
        """All numbers: a matrix; one row, one column or one number without the dimensions of size 1."""
        numbers = self.numbers(range(self.width))
        return numbers.reshape([size for size in numbers.shape if size != 1])

    def numbers(self, positions: Sequence[int]) -> Any:
        """The numbers in the columns at these positions, a row for each row."""
        rows = self.rows[self.first :]
        if self.is_regular(rows):
            try:
                return np.loadtxt(
                    rows, delimiter=self.separator, comments=None, usecols=tuple(positions), ndmin=2
                )
            except ValueError:
                pass  # the lines below find the field, or read what numpy does not, such as quotes
        return np.array(
            [self.row_numbers(at, positions) for at in range(self.first, len(self.rows))], dtype="float64"
        )

    def is_regular(self, rows: list[str]) -> bool:
        """Whether all rows have the same number of fields, and no quotes."""
        if '"' in self.text:
            return False
        if self.separator is None:
            return all(len(row.split()) == self.width for row in rows)
        separator, count = self.separator, self.width - 1
        return all(row.count(separator) == count for row in rows)

    def row_numbers(self, at: int, positions: Sequence[int]) -> list[float]:
        """The numbers of one row. Raises UsageError with the line, the column and the text."""
        fields = self.fields(at)
        if len(fields) != self.width:
            raise data_error(
                f"{self.file}, line {self.line_number(at)}",
                f"{counted(len(fields))}, and line {self.line_number(0)} has {self.width}:"
                f" {visible(self.rows[at][:LONGEST_FIELD])}",
                "give every line the same number of fields",
            )
        numbers = []
        for position in positions:
            try:
                numbers.append(number_in(fields[position]))
            except ValueError:
                raise self.not_a_number(at, position, fields) from None
        return numbers

    def not_a_number(self, at: int, position: int, fields: Sequence[str]) -> Exception:
        field, line = fields[position], self.line_number(at)
        name = self.names[position] if position < len(self.names) else ""
        column = f"column {position + 1}" + (f" (`{name}`)" if name else "")
        help = NOT_A_NUMBER
        place = "" if self.file == STDIN_NAME else f" {quote(self.file)}"
        if is_number_text(field.replace(",", ".")):
            help = "write fractions with a point, as in 1.5"
            if self.separator != ",":
                commas = f"tr , . <{place}" if place else "tr , ."
                help += f": {commas} | autodiff ... --data -"
        elif at == 0 and not self.names:
            help = "a header has no numbers; without a header every field is one"
        elif at == 1 and not any(map(is_number_text, fields)):
            help = f"leave a line of units out: sed {line}d{place} | autodiff ... --data -"
        what = f"`{visible(field[:LONGEST_FIELD])}` is no number"
        return data_error(f"{self.file}, line {line}, {column}", what, help)


def quoted_fields(line: str, separator: str) -> list[str]:
    """The fields of a line with quotation marks, without them and without blanks around the fields.

    Raises ValueError for marks that are not closed or stand within a field.
    """
    import csv

    try:
        [row] = csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)
    except csv.Error:
        row = []
    if not row or line.count('"') % 2:
        raise ValueError("a quotation mark is not closed in this row, or stands within a field")
    return [field.strip() for field in row]


def rows_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the rows of a table, each with the index of its first line.

    Blank lines and comments are left out. A row goes on in the next line where a field in quotation marks is
    not closed.
    """
    at = 0
    while at < len(lines):
        if not is_row(lines[at]):
            at += 1
            continue
        row, end = row_from(lines, at)
        if is_open(row):  # it is never closed: what is wrong is said of its first line
            row, end = lines[at], at + 1
        yield at, row
        at = end


def open_lines(lines: Sequence[str]) -> int:
    """The number of the last lines, which belong to a row that goes on in what is not read yet."""
    at = 0
    while at < len(lines):
        if not is_row(lines[at]):
            at += 1
            continue
        row, end = row_from(lines, at)
        if not is_open(row):
            at = end
        elif end == len(lines) and len(row) < LONGEST_ROW:
            return end - at
        else:
            at += 1
    return 0


def row_from(lines: Sequence[str], at: int) -> tuple[str, int]:
    """The row that begins in a line, and the index of the line after it; it may be open at the end."""
    row, end = lines[at], at + 1
    while is_open(row) and end < len(lines) and len(row) < LONGEST_ROW:
        row, end = f"{row}\n{lines[end]}", end + 1
    return row, end


def is_open(row: str) -> bool:
    """Whether a row ends within a field in quotation marks."""
    return '"' in row and OPEN_FIELD.search(CLOSED_FIELD.sub(r"\1", row)) is not None


def is_row(line: str) -> bool:
    """Whether a line is no blank one and no comment; it may begin with a spreadsheet's ``#N/A``."""
    line = line.lstrip()
    return bool(line) and (line[0] != "#" or line.upper().startswith(MISSING_FIRST))


def find_separator(line: str, suffix: str) -> str | None:
    """The separator of a table's first line; None for any number of blanks."""
    if suffix == ".tsv":
        return "\t"
    found = next((sign for sign in ";\t," if sign in line), None)
    return "," if found is None and suffix == ".csv" else found


def counted(fields: int) -> str:
    return f"{fields} field{'' if fields == 1 else 's'}"
