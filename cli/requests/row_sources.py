"""The rows of ``--each`` and ``--sweep``, and which of their values the script takes."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from itertools import chain
from math import inf

from autodiff.cli.command_line.script_source import STDIN, reads_stdin
from autodiff.cli.data_files.data_file import data_error, listed
from autodiff.cli.data_files.row_files import RowFile
from autodiff.cli.data_files.row_readers import BadRow, Block, SweepRows
from autodiff.cli.requests.make_report import read_names
from autodiff.cli.requests.values import split_names, values_of
from autodiff.core.base.errors import AutodiffError, CompileError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.grammar.session.data_names import (
    function_as_number,
    nearly_named,
    read_before_assigned,
    sort_columns,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from autodiff.cli.requests.session import Session

BLOCK_OF_SWEEP = 10_000  # rows
#: Formats whose rows are not read by --each.
WITHOUT_ROWS = (".parquet", ".safetensors")


def refuse_file_without_rows(option: str, path: str, suffixes: Sequence[str] = WITHOUT_ROWS) -> None:
    """Raise UsageError for a file of a format that has no rows to read one by one."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in suffixes:
        raise UsageError(
            f"{option} does not read the rows of {suffix} files",
            code="E0610",
            help=(f"leave {option} out and give the file to --data, or save the rows as CSV",),
        )


def read_rows(session: Session, path: str, option: str = "--each") -> RowFile:
    """The file of an option; ``-`` is standard input."""
    refuse_file_without_rows(option, path)
    values = values_of(session)
    if path == STDIN:
        if values.stdin_user or reads_stdin(session.request):
            raise UsageError(
                f"{option}: standard input holds {values.stdin_user or 'the script'} already",
                code="E0610",
                help=("read one of them from a file",),
            )
        values.stdin_user = f"the rows of {option}"
    names = read_names((session.request.text("columns") or "",))
    return RowFile(path, names, session.request.number("max_input"))


def known_columns(file: RowFile) -> tuple[Sequence[str], Iterable[Block]]:
    """The names of the columns, and the rows. JSON names the values in every row; the first counts."""
    if not file.is_json:
        return file.columns, file.blocks
    seen = []
    for block in file.blocks:
        seen.append(block)
        for row in file.reader.rows(block.lines):
            if row.__class__ is not BadRow:
                return list(row), chain(seen, file.blocks)
    return (), seen


def used_columns(session: Session, file: str, columns: Sequence[str]) -> list[str]:
    """The columns whose values the script takes. Raises UsageError if there are none."""
    assert session.script is not None
    session.columns[file] = columns
    refuse_read_before_assigned(session, columns)
    used, reasons, inputs = sort_columns(session.script.source, columns)
    for column, reason in reasons.items():
        session.note(f"column `{column}` of {file} is not used: {reason}")
    note_near_columns(session, file, [name for name in columns if name not in reasons], inputs)
    if columns and not used:
        raise data_error(
            file,
            f"the script uses none of its columns: {listed(columns)}",
            f"the script reads: {listed(inputs) or 'no values'}",
        )
    return used


def refuse_read_before_assigned(session: Session, columns: Sequence[str]) -> None:
    """Raise UsageError for columns that the script assigns from themselves: they have no value there."""
    assert session.script is not None
    found = read_before_assigned(session.script.source, columns)
    if found:
        first = next(iter(found))
        line, _ = session.script.source.position(found[first].start)
        starts = "; ".join(f"{name} = 0" for name in found)
        those = "the column replaces the 0" if len(found) == 1 else "the columns replace each 0"
        raise UsageError(
            f"line {line} reads the column `{first}`, and the script assigns `{first}` itself",
            code="E0619",
            span=found[first],
            help=(f"write `{starts}` in the first line: {those}",),
        )


def refuse_missing_column(session: Session, given: Collection[str]) -> None:
    """Raise UsageError for a name that should be a column, as it means only a function where it stands.

    ``given`` are the names that have values from the command line.
    """
    assert session.script is not None
    try:
        name = function_as_number(session.script.source, given) if session.columns else None
    except CompileError:
        return  # the run reports it, with repairs
    if name is not None:
        raise UsageError(
            f"the script reads `{name.id}`, and no column has that name",
            code="E0619",
            caret=f"without a column, `{name.id}` is a function of the language, and no number",
            span=name.span,
            help=columns_there(session),
        )


def tell_columns(session: Session, error: AutodiffError) -> None:
    """Say at names that nothing binds what columns there are."""
    for one in (error, *error.other_errors):
        if one.code == "E0201" and one.caret.startswith("there is no variable"):
            one.help = (*one.help, *columns_there(session))


def columns_there(session: Session) -> tuple[str, ...]:
    """What columns the files of the command line have, a text for each file."""
    return tuple(
        f"{file} has the column{'s' * (len(columns) != 1)} {listed(columns)}"
        for file, columns in session.columns.items()
    )


def note_near_columns(session: Session, file: str, columns: Collection[str], inputs: Collection[str]) -> None:
    """Note the columns whose names are nearly those of inputs without a column."""
    for column, name in nearly_named(columns, inputs).items():
        session.note(f"column `{column}` of {file} is not used; the script has `{name}`")


def read_sweep(session: Session) -> tuple[SweepRows, Iterator[Block]]:
    """The values of ``--sweep`` and the blocks of their combinations."""
    texts = split_names("--sweep", session.request.texts("sweep"))
    sweep = SweepRows(
        {name: read_range(session, f"--sweep {name}", text, name) for name, text in texts.items()}
    )
    count = len(sweep)
    starts = range(0, count, BLOCK_OF_SWEEP)
    ends = (min(start + BLOCK_OF_SWEEP, count) for start in starts)
    blocks = (
        Block(range(start, end), (), start + 1, (start / count, end / count))
        for start, end in zip(starts, ends, strict=True)
    )
    return sweep, blocks


def read_decimal(session: Session, option: str, text: str, name: str) -> Decimal:
    """A number as it is written, or the value of an expression, as in ``pi/4``."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        value = np.asarray(values_of(session).read(option, text, name), dtype="float64")
        number = Decimal(repr(float(value.reshape(()))))
    if not number.is_finite():
        raise UsageError(f"{option}: the ends and the step of a range are finite, not `{text}`", code="E0610")
    return number


def note_wide_step(session: Session, option: str, first: Decimal, last: Decimal, step: Decimal) -> None:
    """Say that there is one value, and how to write so many if the step may be meant as their number."""
    told = f"{option}: the third number is the step, and {step:f} is wider than the range: there is one value"
    if step == int(step) and step > 1:
        told += f"; for {step:f} values, write {first:f}:{last:f}:{float((last - first) / (step - 1)):.6g}"
    session.note(told)


def read_range(session: Session, option: str, text: str, name: str, points: int = 0) -> Sequence[float]:
    """The values of ``0:2:0.5`` (the end belongs to them), ``log:1:1000:4``, a list or a vector.

    With ``points``, ``0:2`` and ``log:1:1000`` are so many values from the first to the last.
    """
    parts = text.split(":")
    if points and parts[0] == "log" and len(parts) == 3:
        parts.append(str(points))
    try:
        if len(parts) == 2 and points:
            first, last = (read_decimal(session, option, part, name) for part in parts)
            step = (last - first) / (points - 1)
            return [float(first + at * step) for at in range(points)]
        if len(parts) == 3:
            first, last, step = (read_decimal(session, option, part, name) for part in parts)
            count = int((last - first) / step + Decimal("1e-9")) + 1 if step else 0
            if count < 1 or (last - first) / step < 0:
                raise UsageError(
                    f"{option}: `{text}` has no values",
                    code="E0610",
                    help=("it is first:last:step, as in 0:2:0.5, or 2:0:-0.5 downwards",),
                )
            check_allocation((count,))
            if count == 1 and first != last:
                note_wide_step(session, option, first, last, step)
            return [float(first + at * step) for at in range(count)]  # without the rounding errors of a sum
        if len(parts) == 4 and parts[0] == "log":
            start, end, wanted = float(parts[1]), float(parts[2]), int(parts[3])
            if 0 < min(start, end) <= max(start, end) < inf and wanted > 0:
                made: list[float] = np.geomspace(start, end, wanted).tolist()
                return made
    except (InvalidOperation, ValueError, OverflowError):
        pass
    if len(parts) > 1:
        raise UsageError(
            f"{option} takes {'first:last, log:first:last, ' * bool(points)}first:last:step,"
            f" log:first:last:points or a list, not `{text}`",
            code="E0610",
            help=("write it as in 0:2:0.5, log:0.001:1000:7 or [1, 2, 5]",),
        )
    values = np.ravel(np.asarray(values_of(session).read(option, text, name), dtype="float64"))
    listed_values: list[float] = values.tolist()
    return listed_values
