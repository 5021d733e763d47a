"""Turns ``grad --each`` and ``grad --sweep`` into one answer for each row of values.

The first row is run as any script is, with its notes; its inputs are those of all rows. Blocks of rows are
computed in one run where the script allows it, else row by row. A bad row does not end the others.
"""

from __future__ import annotations

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.data_files.row_files import BadRow, read_columns, read_number
from autodiff.cli.process.exit_codes import OK, SCRIPT
from autodiff.cli.process.supervisor import clock
from autodiff.cli.render.row_lines import FORMATS, RowWriter
from autodiff.cli.requests.make_report import (
    prepare_process,
    read_settings,
    warn,
)
from autodiff.cli.requests.row_sources import known_columns, read_rows, read_sweep, used_columns
from autodiff.core.base.errors import AutodiffError, CompileError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.report.records import gradient_or_zeros
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text
from autodiff.grammar.session.rows import RowRuns
from autodiff.grammar.session.run import differentiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.cli.data_files.row_files import Block, Row
    from autodiff.cli.render.row_lines import Answer
    from autodiff.cli.requests.curve import CurvePoints
    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Settings

    Values = dict[str, Any]

MOST_TOLD = 20  # bad rows with a message each
FEWEST_TOGETHER = 2  # rows


def write_rows(session: Session) -> int:
    """Write a line for each row, and return the exit code."""
    request = session.request
    refuse_other_options(session)
    session.script = read_script(request)
    prepare_process(request)
    settings = read_settings(session)
    path = request.text("each")
    columns: Sequence[str]
    blocks: Iterable[Block]
    if path is None:
        columns, blocks = read_sweep(session)
        used, is_json = list(columns), False
    else:
        file = read_rows(session, path)
        is_json = file.is_json
        columns, blocks = known_columns(file)
        used = used_columns(session, file.name, columns)
    form = session.format
    if form == "auto":
        form = "table" if session.for_people else "jsonl" if is_json else "plain"
    kept = columns if path is None or request.values.get("keep") else ()
    writer = RowWriter(form, kept, bool(request.values.get("value")), request.digits)
    return AllRows(session, settings, used, writer).answer_all(blocks)


def refuse_other_options(session: Session) -> None:
    """Raise UsageError for options that rows have no use for."""
    request = session.request
    if request.text("each") is not None and request.texts("sweep"):
        raise UsageError("--each and --sweep both give the rows", code="E0610", help=("leave one out",))
    option = "--each" if request.text("each") is not None else "--sweep"
    if session.format not in ("auto", *FORMATS):
        raise UsageError(
            f"--format {session.format} is not for rows",
            code="E0610",
            help=(f"the formats of {option} are {', '.join(FORMATS)}",),
        )
    if request.number("order") > 1 or request.texts("fail_on"):
        other = "--order" if request.number("order") > 1 else "--fail-on"
        raise UsageError(f"{other} does not go with {option}", code="E0610", help=(f"leave {other} out",))


class AllRows:
    """Answers rows one after the other and counts those that have no answer.

    ``inputs`` are those of the first row that has an answer; ``None`` until then.
    """

    __slots__ = (
        "bad",
        "constants",
        "count",
        "inputs",
        "runs",
        "session",
        "settings",
        "used",
        "why",
        "writer",
    )

    def __init__(
        self, session: Session, settings: Settings, used: list[str], writer: RowWriter | CurvePoints
    ) -> None:
        assert session.script is not None
        self.session = session
        self.settings = settings
        self.used = used
        self.writer = writer
        self.runs = RowRuns(session.script.source, settings)
        self.inputs: list[str] | None = None
        self.constants: dict[str, float] = {}
        self.why = ""
        self.count = self.bad = 0

    def answer_all(self, blocks: Iterable[Block]) -> int:
        """Write the answers to all rows, and return the exit code."""
        session = self.session
        seconds = session.request.seconds("timeout")
        for block in blocks:
            clock.start(seconds)  # for each block: a live stream may last for days
            if not self.answer_whole(block):
                answers = self.answers([self.values_of(row) for row in block])
                for at, (row, answer) in enumerate(zip(block, answers, strict=True)):
                    self.write(row, answer, block.lines[at] if block.lines else None)
                    if self.bad and session.request.values.get("fail_fast"):
                        return SCRIPT
            session.flush()
        session.show_text(self.writer.end())
        if self.bad:
            session.note(f"{self.bad:,} of {self.count:,} rows have no gradient")
        return SCRIPT if self.bad else OK

    def answer_whole(self, block: Block) -> bool:
        """Answer all rows of a block in one run and write them; False if that cannot be done."""
        if self.inputs is None or self.why or len(block) < FEWEST_TOGETHER:
            return False
        columns = read_columns(block, self.used)
        found = None if columns is None else self.runs.run_block(columns, self.constants, self.inputs)
        if found is None or not all(np.isfinite(one).all() for one in (found[0], *found[1])):
            return False
        self.count += len(block)
        self.session.show_text(self.writer.lines(self.count - len(block) + 1, block, *found))
        return True

    def write(self, row: Row, answer: Answer, line: int | None) -> None:
        """Write the line of a row, and to stderr what is wrong with it; ``line`` is its line in the file."""
        self.count += 1
        if isinstance(answer, AutodiffError):
            self.bad += 1
            self.tell(answer, line)
        self.session.show_text(self.writer.line(self.count, row, answer))

    def values_of(self, row: Row) -> Values | AutodiffError:
        """The values of a row for the script's names, or what is wrong with them."""
        if isinstance(row, BadRow):
            return bad_row(row.what)
        values = {}
        for name in self.used:
            try:
                values[name] = read_number(row[name])
            except KeyError:
                return bad_row(f"it has no `{name}`")
            except ValueError as error:
                return bad_row(f"column {name}: {error}")
        return values

    def answers(self, block: list[Values | AutodiffError]) -> Iterator[Answer]:
        """Yield the answers to the rows of a block."""
        answers: dict[int, Answer] = {}
        start = 0
        while self.inputs is None and start < len(block):
            answers[start] = self.alone(block[start])
            start += 1
        good = [at for at in range(start, len(block)) if isinstance(block[at], dict)]
        if not self.why and len(good) >= FEWEST_TOGETHER:
            answers.update(self.together(good, [block[at] for at in good]))
        for at, row in enumerate(block):
            yield answers[at] if at in answers else self.alone(row)

    def alone(self, values: Values | AutodiffError) -> Answer:
        """The answer to one row, from a run of its own."""
        if isinstance(values, AutodiffError):
            return values
        try:
            subject = self.first_pass(values) if self.inputs is None else self.runs.run(values)
        except LimitError:
            raise
        except AutodiffError as error:
            if isinstance(error, (CompileError, UsageError)) and self.inputs is None:
                raise  # it is not about the values of the row
            return error
        nodes = dict(subject.wrt)
        assert self.inputs is not None
        grads = [
            gradient_or_zeros(subject.received, nodes[name]) if name in nodes else 0.0 for name in self.inputs
        ]
        return subject.value, grads

    def first_pass(self, values: Values) -> ReportedPass:
        """The pass of the first row; warnings and notes are those of a single run."""
        session = self.session
        assert session.script is not None
        settings = self.settings.copy(sets={**self.settings.sets, **values})
        execution = execute(session.script.source, settings, discard_text, lambda *what: warn(session, *what))
        subject = differentiate(execution, settings)
        for note in subject.notes:
            session.note(note)
        self.inputs = [name for name, _ in subject.wrt]
        self.writer.name_answers(subject.name, [(name, np.shape(node.out)) for name, node in subject.wrt])
        self.why = self.runs.reason_against_blocks(subject, values)
        self.constants = {name: node.out for name, node in subject.wrt if name not in values}
        if session.request.number("verbose"):
            told = f"row by row: {self.why}" if self.why else "in blocks, as vectors"
            session.note(f"the rows are run {told}")
        return subject

    def together(self, places: list[int], rows: list[Any]) -> Mapping[int, Answer]:
        """The answers of one run for rows at these places; rows without a finite one are left out."""
        columns = {name: [row[name] for row in rows] for name in self.used}
        if any(value.__class__ is not float for column in columns.values() for value in column):
            return {}
        assert self.inputs is not None
        arrays = {name: np.array(column) for name, column in columns.items()}
        found = self.runs.run_block(arrays, self.constants, self.inputs)
        if found is None:
            return {}
        value, grads = found
        lists = zip(value.tolist(), zip(*[grad.tolist() for grad in grads], strict=True), strict=True)
        finite = np.all(np.isfinite([value, *grads]), axis=0).tolist()
        return {at: one for at, one, is_finite in zip(places, lists, finite, strict=True) if is_finite}

    def tell(self, error: AutodiffError, line: int | None) -> None:
        """Write one line about a bad row, unless many were written."""
        if self.bad > MOST_TOLD or self.session.is_silent:
            return
        place = f"row {self.count:,}" + (f" (line {line:,})" if line else "")
        if error.span is not None and self.session.script is not None:
            number, _ = self.session.script.source.position(error.span.start)
            place += f", line {number} of the script"
        told = AutodiffError(f"{place}: {error.message}")
        told.code = error.code
        self.session.say(told)


def bad_row(text: str) -> UsageError:
    return UsageError(text, code="E0619")
