"""Turns ``grad --each`` and ``grad --sweep`` into one answer for each row of values.

The first row is run as any script is, with its notes; its inputs are those of all rows. The other rows are
answered block by block (``row_job.py``), here or elsewhere (``executors.py``), and written in their order.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from time import monotonic

from autodiff.cli.command_line.options import ROW_FORMATS
from autodiff.cli.command_line.script_source import STDIN, STDIN_NAME, read_script
from autodiff.cli.data_files.row_files import in_parts
from autodiff.cli.process.exit_codes import OK, SCRIPT
from autodiff.cli.process.supervisor import clock
from autodiff.cli.render.row_lines import RowWriter
from autodiff.cli.requests.executors import answers_of
from autodiff.cli.requests.fail_on import judge, kinds_of_row, read_kinds, sentences_on_rows
from autodiff.cli.requests.make_report import (
    note_reshaped,
    prepare_process,
    read_settings,
    warn,
)
from autodiff.cli.requests.row_job import MOST_ERRORS, RowAnswers, RowJob, count_missing, values_of
from autodiff.cli.requests.row_sources import (
    known_columns,
    read_rows,
    read_sweep,
    refuse_missing_column,
    used_columns,
)
from autodiff.cli.requests.row_timeouts import enter_place
from autodiff.core.base.errors import AutodiffError, CompileError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text
from autodiff.grammar.session.rows import RowRuns
from autodiff.grammar.session.run import differentiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autodiff.cli.data_files.row_readers import Block, Reader, Row
    from autodiff.cli.render.row_lines import Answer
    from autodiff.cli.requests.curve import CurvePoints
    from autodiff.cli.requests.row_job import Values
    from autodiff.cli.requests.session import Session
    from autodiff.grammar.session.run import Settings

#: Rows that are run one by one are answered in parts. A part takes about this long.
SECONDS_OF_A_PART = 0.1
LARGEST_PART = 10_000  # rows
#: From so many rows that are run one by one on, a note says why they are not run in blocks.
MANY_ROWS = 10_000


def write_rows(session: Session) -> int:
    """Write a line for each row, and return the exit code."""
    request = session.request
    refuse_other_options(session)
    session.script = read_script(request)
    prepare_process(request)
    settings = read_settings(session)
    path = request.text("each")
    reader: Reader
    blocks: Iterable[Block]
    columns: Sequence[str]
    if path is None:
        sweep, blocks = read_sweep(session)
        reader, columns = sweep, list(sweep.values)
        used = columns
    else:
        file = read_rows(session, path)
        reader = file.reader
        columns, blocks = known_columns(file)
        used = used_columns(session, file.name, columns)
    refuse_missing_column(session, {*settings.sets, *used})
    refuse_values_given_twice(settings, used, "--sweep" if path is None else "--each")
    form = session.format
    if form == "auto":
        form = "table" if session.for_people else "jsonl" if reader.kind == "json" else "plain"
    kept = columns if path is None or request.values.get("keep") else ()
    writer = RowWriter(form, kept, bool(request.values.get("value")), request.digits, session.out.width)
    return AllRows(session, settings, reader, used, writer).answer_all(blocks)


def refuse_other_options(session: Session) -> None:
    """Raise UsageError for options that rows have no use for."""
    request = session.request
    if request.text("each") is not None and request.texts("sweep"):
        raise UsageError("--each and --sweep both give the rows", code="E0610", help=("leave one out",))
    option = "--each" if request.text("each") is not None else "--sweep"
    if session.format not in ("auto", *ROW_FORMATS):
        raise UsageError(
            f"--format {session.format} is not for rows",
            code="E0610",
            help=(f"the formats of {option} are {', '.join(ROW_FORMATS)}",),
        )
    if request.number("batch"):
        raise UsageError(f"--batch does not go with {option}", code="E0610", help=("leave one out",))
    if request.number("order") > 1:
        raise UsageError(f"--order does not go with {option}", code="E0610", help=("leave --order out",))


def refuse_values_given_twice(settings: Settings, used: Sequence[str], option: str) -> None:
    """Raise UsageError for a name that has values in the rows and in another option."""
    for name in used:
        if name in settings.sets:
            other = "--data" if name in settings.data else "--set"
            raise UsageError(
                f"both {option} and {other} give `{name}`", code="E0610", help=("leave one out",)
            )


def shown_name(path: str) -> str:
    """The name of the file with the rows in messages."""
    return STDIN_NAME if path == STDIN else path


class AllRows:
    """Answers rows one after the other and counts those that have no answer.

    ``job`` answers them once one row has an answer; ``None`` until then. ``done`` is the fraction of the rows
    that are answered, if it is known. ``failed`` has the number of rows of each kind that ``fails_on`` names,
    ``missing`` that of values that are nan.
    """

    __slots__ = (
        "bad",
        "began",
        "count",
        "done",
        "failed",
        "fails_on",
        "is_told",
        "job",
        "missing",
        "part",
        "reader",
        "running",
        "session",
        "settings",
        "used",
        "writer",
    )

    def __init__(
        self,
        session: Session,
        settings: Settings,
        reader: Reader,
        used: Sequence[str],
        writer: RowWriter | CurvePoints,
    ) -> None:
        self.session = session
        self.settings = settings
        self.reader = reader
        self.used = used
        self.writer = writer
        self.job: RowJob | None = None
        self.running: Values = {}
        self.began = monotonic()
        self.count = self.bad = self.missing = 0
        self.fails_on = read_kinds(session.request)
        self.failed: Counter[str] = Counter()
        self.part = 1  # rows of the next part
        self.is_told = bool(session.request.number("verbose"))  # then the first row tells it
        self.done: float | None = None

    @property
    def stops(self) -> bool:
        """Whether a bad row is the last one."""
        return bool(self.session.request.values.get("fail_fast"))

    def answer_all(self, blocks: Iterable[Block]) -> int:
        """Write the answers to all rows, and return the exit code."""
        session = self.session
        enter_place(self)
        session.show_so_far = self.show_so_far
        for block, answers in self.all_answers(iter(blocks)):
            self.write(block, answers)
            if self.bad and self.stops:
                return SCRIPT
            session.flush()
        session.show_so_far = None
        session.show_text(self.writer.end())
        path = session.request.text("each")
        if not self.count and path is not None:
            session.note(f"{shown_name(path)} has no rows")
        if self.missing:
            what = "value is missing and counts" if self.missing == 1 else "values are missing and count"
            session.note(f"{self.missing:,} {what} as nan")
        if self.bad:
            session.note(f"{self.bad:,} of {self.count:,} rows have no gradient")
        judge(session, [], sentences_on_rows(self.failed, self.count))
        return SCRIPT if self.bad else OK

    def all_answers(self, blocks: Iterator[Block]) -> Iterator[tuple[Block, RowAnswers]]:
        """Yield blocks and their answers: rows of the first ones by themselves until one has an answer."""
        session = self.session
        for block in blocks:
            for at, row in enumerate(self.reader.rows(block.lines)):
                clock.start(session.request.seconds("timeout"))  # for each: a live stream may last for days
                alone = block.part(at, at + 1)
                yield alone, self.one_answer(alone, row)
                if self.job is not None:
                    rest = chain([block.part(at + 1, len(block))], blocks)
                    yield from answers_of(session, self.job, self.parts(self.job, rest))
                    return

    def show_so_far(self) -> None:
        """Write the lines of a part whose time is over."""
        self.session.show_text("".join(self.job.lines if self.job is not None else ()))

    def parts(self, job: RowJob, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks in parts, which are small where rows are run one by one."""
        return in_parts(blocks, lambda: self.part if job.why else LARGEST_PART)

    def write(self, block: Block, answers: RowAnswers) -> None:
        """Write the lines of a block, and to stderr what is wrong with bad rows."""
        for at, error in answers.errors:
            self.bad += 1
            self.tell(error, block, at)
        self.bad += answers.bad - len(answers.errors)
        self.count += answers.count
        self.failed += answers.failed
        self.missing += answers.missing
        if self.job is not None and self.job.why and self.count >= MANY_ROWS and not self.is_told:
            self.tell_why(self.job.why)
        self.done = block.share and block.share[1]
        self.session.show_text(answers.text)
        if answers.seconds:
            factor = min(max(SECONDS_OF_A_PART / answers.seconds, 0.5), 2)
            self.part = min(max(int(self.part * factor), 1), LARGEST_PART)

    def tell_why(self, why: str) -> None:
        """Say why rows are run one by one, and what to write for a branch."""
        self.is_told = True
        help = "; to run in blocks, which is faster, write where(condition, a, b)" if "branch" in why else ""
        self.session.note(f"the rows are run row by row: {why}{help}")

    def tell(self, error: AutodiffError, block: Block, at: int) -> None:
        """Write one line about a bad row, unless many were written, and the advice on the first.

        Diagnostics for programs point at the line of the script, or at that of the file with the rows.
        """
        if self.bad > MOST_ERRORS or self.session.is_silent:
            return
        place = block.place(at)
        if error.span is not None and self.session.script is not None:
            number, _ = self.session.script.source.position(error.span.start)
            place += f", line {number} of the script"
        placed = AutodiffError(f"{place}: {error.message}")
        placed.code = error.code
        placed.help = error.help if self.bad == 1 else ()
        path = self.session.request.text("each")
        if self.session.diagnostics != "text":
            placed.span = error.span
            if error.span is None and path is not None and block.numbers:
                number = block.numbers[at]
                placed.source = Source("\n" * (number - 1) + block.lines[at], shown_name(path))
                placed.span = placed.source.line_span(number)
        self.session.say(placed)

    def one_answer(self, block: Block, row: Row) -> RowAnswers:
        """The answer to one row, from a run of its own."""
        values = values_of(row, self.used)
        assert self.session.script is not None
        try:
            answer: Answer = values if isinstance(values, AutodiffError) else self.first_answer(values)
        except (LimitError, CompileError, UsageError):
            raise  # it is not about the values of the row
        except AutodiffError as error:
            answer = error
        made = RowAnswers(self.writer.line(block.first, row, answer), 1)
        made.missing = count_missing(values)
        if isinstance(answer, AutodiffError):
            made.add_error(0, answer)
        else:
            made.failed.update(kinds_of_row(self.fails_on, *answer))
        return made

    def first_answer(self, values: Values) -> Answer:
        """The answer to the first row that has one; warnings and notes are those of a single run."""
        session, settings = self.session, self.settings
        self.running = values
        assert session.script is not None
        source = session.script.source
        of_row = settings.copy(sets={**settings.sets, **values})
        execution = execute(source, of_row, discard_text, lambda *what: warn(session, *what))
        given = [one for one in ("over", "each", "sweep") if session.request.values.get(one)]
        note_reshaped(session, execution, f"--{given[0]}", values)
        subject = differentiate(execution, of_row)
        for note in subject.notes:
            session.note(note)
        self.writer.name_answers(subject.name, [(name, np.shape(node.out)) for name, node in subject.wrt])
        why = RowRuns(source, settings).reason_against_blocks(subject, values)
        self.job = RowJob(
            source,
            settings,
            self.reader,
            self.used,
            [name for name, _ in subject.wrt],
            writer=self.writer,
            constants={name: node.out for name, node in subject.wrt if name not in values},
            why=why,
            stops=self.stops,
            fails_on=self.fails_on,
        )
        if session.request.number("verbose"):
            session.note(f"the rows are run {f'row by row: {why}' if why else 'in blocks, as vectors'}")
        return self.job.answer_of(subject)
