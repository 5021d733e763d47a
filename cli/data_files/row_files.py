"""Rows of values from files: CSV, TSV and JSON Lines, read block by block as they arrive.

A block is what there is to read, up to a size: rows of a live stream are answered at once, and a large file
never is in memory as a whole. Lists of JSON objects and numpy's files are read whole.
"""

from __future__ import annotations

import os
import stat
import sys
from itertools import chain

from autodiff.cli.command_line.script_source import REASONS, STDIN, STDIN_NAME, decode, proposals, unreadable
from autodiff.cli.data_files.data_file import check_names, data_error, nameless
from autodiff.cli.data_files.read import refuse_foreign
from autodiff.cli.data_files.row_readers import Block, JsonRows, TableRows
from autodiff.cli.data_files.text_tables import find_separator, is_row, open_lines, other_names, rows_in
from autodiff.core.base.number_text import is_number_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Share = tuple[float, float] | None

BLOCK = 1 << 20  # bytes
WHOLE_FILES = (".npy", ".npz")


class RowFile:
    """A file of rows: the ``reader`` of its lines, and the rows in ``blocks``, of which none is empty.

    ``columns`` are those of a table; JSON names the values in every row.
    """

    __slots__ = ("blocks", "columns", "name", "reader")

    def __init__(self, path: str, columns: Sequence[str], limit: int) -> None:
        """``columns`` name those without a header; a file that is read whole has at most ``limit`` bytes."""
        self.name = STDIN_NAME if path == STDIN else path
        self.columns = columns
        self.reader: TableRows | JsonRows = JsonRows()
        if path.lower().endswith(WHOLE_FILES) or is_list_of_json(path):
            from autodiff.cli.data_files.whole_rows import read_whole

            self.reader, self.columns, lines = read_whole(path, columns, limit)
            self.blocks = numbered([Block(lines, share=(0.0, 1.0))])
            return
        refuse_foreign(path)
        blocks = read_lines(path, self.name)
        start = next(blocks, None)
        first = start.lines[0] if start else ""
        if first.strip() == "[" or first.startswith(("[{", "[[")):
            raise data_error(
                self.name, "it is one list of JSON", "write an object a line, as jq -c '.[]' does"
            )
        if start and not (first.lstrip().startswith("{") or path.endswith(".jsonl")):
            self.reader = TableRows(columns, find_separator(first, os.path.splitext(path)[1].lower()))
            header = self.header(self.reader, start)
            if header and columns:
                others = other_names(self.name, start.numbers[0] if start.numbers else 1, "--each")
                raise data_error(
                    self.name, "its first line names the columns", "leave --columns out", *others
                )
            if header:
                self.reader.columns, columns = header, header
                start = start.part(1, len(start))
            elif not columns:
                raise nameless(self.name)
            check_names(self.name, columns)
        self.columns = columns
        self.blocks = numbered(chain([start] if start else [], blocks))

    @property
    def is_json(self) -> bool:
        return isinstance(self.reader, JsonRows)

    def header(self, reader: TableRows, block: Block) -> list[str]:
        """The names in the first line; [] if it holds a number."""
        try:
            fields = reader.fields(block.lines[0])
        except ValueError as error:
            raise data_error(f"{self.name}, line {block.numbers[0]}", str(error)) from None
        return fields if any(fields) and not any(map(is_number_text, fields)) else []


def is_list_of_json(path: str) -> bool:
    """Whether a file holds one list of JSON, by its name and its first sign."""
    if not path.endswith(".json"):
        return False
    try:
        with open(path, "rb") as file:
            return file.read(BLOCK).lstrip().startswith(b"[")
    except OSError:
        return False  # the reader of lines says why


def read_lines(path: str, name: str) -> Iterator[Block]:
    """Yield the lines that count of a file in blocks; none is empty, and the rows have no numbers yet."""
    if path == STDIN and sys.stdin is None:
        raise unreadable(name, "it is closed")
    rest = b""
    number, taken, is_table = 1, 0, True
    try:
        opened = sys.stdin.fileno() if path == STDIN else path
        with open(opened, "rb", buffering=0, closefd=path != STDIN) as file:
            about = os.fstat(file.fileno())
            size = about.st_size if stat.S_ISREG(about.st_mode) else 0
            while data := file.read(BLOCK):
                share = (taken / size, min((taken + len(data)) / size, 1)) if size else None
                taken += len(data)
                whole, newline, rest = (rest + data).rpartition(b"\n")
                if newline:
                    lines = decode(whole, name).split("\n")
                    is_table = is_table and not (number == 1 and holds_json(lines[0], path))
                    if is_table and b'"' in whole and (waiting := open_lines(lines)):
                        rest = b"\n".join([*whole.split(b"\n")[-waiting:], rest])
                        del lines[-waiting:]
                    yield from those_that_count(lines, number, share, is_table)
                    number += len(lines)
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
        raise unreadable(name, reason, *proposals(path, error.errno)) from None
    lines = decode(rest, name).split("\n")
    is_table = is_table and not (number == 1 and holds_json(lines[0], path))
    yield from those_that_count(lines, number, None, is_table)


def holds_json(first: str, path: str) -> bool:
    """Whether a file holds JSON Lines, by its first line or its name."""
    return first.lstrip().startswith("{") or path.endswith(".jsonl")


def those_that_count(lines: list[str], number: int, share: Share, is_table: bool) -> Iterator[Block]:
    """Yield the block of those lines that are neither blank nor comments, if there are any.

    In a table, lines that belong to one row are joined.
    """
    kept: Sequence[str] = lines
    numbers: Sequence[int] = range(number, number + len(lines))
    if is_table and any('"' in line for line in lines):
        found = [*rows_in(lines)]
        kept, numbers = [row for _, row in found], [number + at for at, _ in found]
    elif any("#" in line for line in lines) or not all(map(str.strip, lines)):
        kept = [line for line in lines if is_row(line)]
        numbers = [at for at, line in enumerate(lines, number) if is_row(line)]
    if kept:
        yield Block(kept, numbers, share=share)


def numbered(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give the rows of blocks their numbers, from 1 on."""
    number = 1
    for block in blocks:
        block.first = number
        number += len(block)
        if block.lines:
            yield block


def in_parts(blocks: Iterable[Block], rows: Callable[[], int]) -> Iterator[Block]:
    """Yield the blocks in parts of at most so many rows; ``rows`` is asked for each part."""
    for block in blocks:
        start = 0
        while start < len(block):
            stop = start + rows()
            yield block if not start and stop >= len(block) else block.part(start, stop)
            start = stop


def of_size(blocks: Iterable[Block], rows: int) -> Iterator[Block]:
    """Yield the rows in blocks of this size; the last one may be smaller."""
    waiting: list[Block] = []
    for part in in_parts(blocks, lambda: rows - sum(map(len, waiting))):
        waiting.append(part)
        if sum(map(len, waiting)) == rows:
            yield joined(waiting)
            waiting.clear()
    if waiting:
        yield joined(waiting)


def joined(blocks: Sequence[Block]) -> Block:
    """The rows of consecutive blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    lines = [line for block in blocks for line in block.lines]
    numbers = [number for block in blocks for number in block.numbers]
    return Block(lines, numbers, blocks[0].first, blocks[-1].share)
