"""Answers blocks of rows for ``--each`` and ``--sweep``: the lines that are written, and what is wrong.

Blocks are computed in one run where the script allows it, else row by row. A bad row does not end the others.
Numbers that are computed in one run do not depend on which rows are in the block.
"""

from __future__ import annotations

import gc
import json
from collections import Counter
from time import perf_counter

from autodiff.cli.data_files.row_readers import BadRow, Block, read_number
from autodiff.cli.render.row_lines import RowWriter
from autodiff.cli.requests.block_jobs import Job
from autodiff.cli.requests.fail_on import kinds_of_row
from autodiff.core.base.errors import AutodiffError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source, Span
from autodiff.core.report.records import ReportedPass, gradient_or_zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.cli.data_files.row_readers import Reader, Row
    from autodiff.cli.render.row_lines import Answer
    from autodiff.cli.requests.curve import CurvePoints
    from autodiff.grammar.session.run import Settings

    Values = dict[str, Any]

MOST_CYCLES = 1000  # runs whose garbage is kept
MOST_ERRORS = 20  # bad rows with a message each, of a block and of all


class RowAnswers:
    """The ``text`` of the lines of ``count`` rows, of which ``bad`` have no answer.

    ``errors`` are those of the first bad rows, each with its index in the block. ``failed`` has the number of
    rows of each kind in --fail-on. ``missing`` is the number of values that are nan, ``seconds`` how long it
    took.
    """

    __slots__ = ("bad", "count", "errors", "failed", "missing", "seconds", "text")

    def __init__(self, text: str = "", count: int = 0) -> None:
        self.text = text
        self.count = count
        self.bad = self.missing = 0
        self.errors: list[tuple[int, AutodiffError]] = []
        self.failed: Counter[str] = Counter()
        self.seconds = 0.0

    def add_error(self, at: int, error: AutodiffError) -> None:
        """Count a bad row, and keep what is wrong with it unless there are many."""
        self.bad += 1
        if len(self.errors) < MOST_ERRORS:
            self.errors.append((at, error))


class RowJob(Job):
    """Writes the lines of rows with ``writer``, which has written its header.

    ``why`` is the reason why rows are run one by one, "" if they are not. ``constants`` are the values of
    inputs that are no columns. With ``stops``, the first bad row is the last. ``fails_on`` are the kinds of
    results that --fail-on names. ``running`` are the values of the row that is run alone, and ``lines`` those
    of the rows before it in its block.
    """

    __slots__ = ("constants", "fails_on", "lines", "running", "stops", "why", "writer")
    kind = "rows"

    def __init__(
        self,
        source: Source,
        settings: Settings,
        reader: Reader,
        used: Sequence[str],
        inputs: Sequence[str],
        *,
        writer: RowWriter | CurvePoints,
        constants: Mapping[str, Any],
        why: str,
        stops: bool,
        fails_on: Sequence[str],
    ) -> None:
        super().__init__(source, settings, reader, used, inputs)
        self.writer = writer
        self.constants = dict(constants)
        self.why = why
        self.stops = stops
        self.fails_on = fails_on
        self.running: Values = {}
        self.lines: list[str] = []

    def own(self) -> dict[str, Any]:
        writer = self.writer
        assert isinstance(writer, RowWriter)
        return {
            "writer": [writer.form, writer.kept, writer.has_value, writer.digits, writer.titles, self.inputs],
            "constants": self.constants,
            "why": self.why,
            "stops": self.stops,
            "fails_on": self.fails_on,
        }

    def answer(self, block: Block) -> RowAnswers:
        began = perf_counter()
        made = self.answer_whole(block)
        if made is None:
            made = RowAnswers()
            rows = [*self.reader.rows(block.lines)]
            lines = self.lines = []
            given = [values_of(row, self.used) for row in rows]
            for row, values, answer in zip(rows, given, self.answers(given), strict=True):
                made.missing += count_missing(values)
                if isinstance(answer, AutodiffError):
                    made.add_error(made.count, answer)
                else:
                    made.failed.update(kinds_of_row(self.fails_on, *answer))
                lines.append(self.writer.line(block.first + made.count, row, answer))
                made.count += 1
                if made.bad and self.stops:
                    break
            made.text = "".join(lines)
            self.lines, self.running = [], {}
        made.seconds = perf_counter() - began
        gc.collect(0)  # each run leaves cycles, and the program has turned the collector off
        return made

    def answer_whole(self, block: Block) -> RowAnswers | None:
        """The answers to all rows of a block from one run; None if that cannot be done."""
        if self.why:
            return None
        columns = self.reader.numbers(block.lines, self.used)
        found = None if columns is None else self.runs.run_block(columns, self.constants, self.inputs)
        if found is None or not all(np.isfinite(one).all() for one in (found[0], *found[1])):
            return None
        count = len(block)
        rows = [*self.reader.rows(block.lines)] if self.writer.kept else [{}] * count
        made = RowAnswers(self.writer.lines(block.first, rows, *found), count)
        for kind in {"zero", "zero-entry"} & {*self.fails_on}:  # the gradients of a row are single numbers
            made.failed[kind] = int(np.any([grad == 0 for grad in found[1]], axis=0).sum())
        return made

    def answers(self, block: list[Values | AutodiffError]) -> Iterator[Answer]:
        """Yield the answers to rows: those of one run where it has a finite one, else of a run of its own."""
        good = [] if self.why else [at for at, row in enumerate(block) if isinstance(row, dict)]
        together = self.together(good, [block[at] for at in good]) if good else {}
        for at, row in enumerate(block):
            yield together[at] if at in together else self.alone(row)
            if at % MOST_CYCLES == 0:
                gc.collect(0)

    def alone(self, values: Values | AutodiffError) -> Answer:
        """The answer to one row, from a run of its own."""
        if isinstance(values, AutodiffError):
            return values
        self.running = values
        try:
            subject = self.runs.run(values)
        except LimitError:
            raise
        except AutodiffError as error:
            return error
        return self.answer_of(subject)

    def answer_of(self, subject: ReportedPass) -> Answer:
        nodes = dict(subject.wrt)
        return subject.value, [
            gradient_or_zeros(subject.received, nodes[name]) if name in nodes else 0.0 for name in self.inputs
        ]

    def together(self, places: list[int], rows: list[Any]) -> Mapping[int, Answer]:
        """The answers of one run for rows at these places; rows without a finite one are left out."""
        columns = {name: [row[name] for row in rows] for name in self.used}
        if any(value.__class__ is not float for column in columns.values() for value in column):
            return {}
        arrays = {name: np.array(column) for name, column in columns.items()}
        found = self.runs.run_block(arrays, self.constants, self.inputs)
        if found is None:
            return {}
        value, grads = found
        lists = zip(value.tolist(), zip(*[grad.tolist() for grad in grads], strict=True), strict=True)
        finite = np.all(np.isfinite([value, *grads]), axis=0).tolist()
        return {at: one for at, one, is_finite in zip(places, lists, finite, strict=True) if is_finite}

    def encoded(self, answer: RowAnswers) -> bytes:
        errors = [
            (at, error.code, error.message, error.span and [error.span.start, error.span.end])
            for at, error in answer.errors
        ]
        head = [answer.count, answer.bad, answer.missing, errors, answer.failed, answer.seconds]
        return json.dumps(head).encode() + b"\n" + answer.text.encode("utf-8", "surrogatepass")

    def decoded(self, data: bytes) -> RowAnswers:
        head, _, text = data.partition(b"\n")
        made = RowAnswers(text.decode("utf-8", "surrogatepass"))
        made.count, made.bad, made.missing, errors, failed, made.seconds = json.loads(head)
        made.failed = Counter(failed)
        made.errors = [
            (at, AutodiffError(message, code=code, span=Span(*span) if span else None))
            for at, code, message, span in errors
        ]
        return made


def values_of(row: Row, used: Sequence[str]) -> Values | AutodiffError:
    """The values of a row for the script's names, or what is wrong with them."""
    if isinstance(row, BadRow):
        return bad_row(row.what)
    values = {}
    for name in used:
        try:
            values[name] = read_number(row[name])
        except KeyError:
            return bad_row(f"it has no `{name}`")
        except ValueError as error:
            return bad_row(f"column {name}: {error}")
    return values


def count_missing(values: Values | AutodiffError) -> int:
    """How many single numbers of a row are nan."""
    if isinstance(values, AutodiffError):
        return 0
    return sum(value.__class__ is float and value != value for value in values.values())


def bad_row(text: str) -> UsageError:
    return UsageError(text, code="E0619")


def read_row_job(*shared: Any, writer: Sequence[Any], **own: Any) -> RowJob:
    """The job of other processes: the header is written."""
    form, kept, has_value, digits, titles, inputs = writer
    made = RowWriter(form, kept, has_value, digits)
    made.titles, made.inputs, made.early = titles, inputs, None
    return RowJob(*shared, writer=made, **own)


MAKE = read_row_job
