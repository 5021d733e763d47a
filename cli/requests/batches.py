"""Turns ``grad --data FILE --batch N`` into the report of a sum or a mean over rows, N of them at a time.

The file never is in memory as a whole. The first block is run as any script is, with its notes; its report
gets the output and the gradients of all blocks.
"""

from __future__ import annotations

from itertools import chain
from time import monotonic

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.data_files.data_file import data_error
from autodiff.cli.data_files.row_files import WHOLE_FILES, of_size
from autodiff.cli.requests.batch_job import BatchJob, SumTree, columns_of
from autodiff.cli.requests.executors import answers_of
from autodiff.cli.requests.make_report import prepare_process, read_settings, warn
from autodiff.cli.requests.row_sources import (
    WITHOUT_ROWS,
    known_columns,
    read_rows,
    refuse_file_without_rows,
    refuse_missing_column,
    used_columns,
)
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import differentiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.data_files.row_readers import Block
    from autodiff.cli.requests.batch_job import Sums
    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import GradientReport, ReportedPass

#: The relative difference up to which sums and means of parts count as equal to the whole.
SAME = 1e-4


def batch_report(session: Session) -> GradientReport:
    """The report about all rows of the file."""
    refuse_other_options(session)
    session.script = read_script(session.request)
    prepare_process(session.request)
    batches = AllBatches(session)
    report = batches.reduce_all()
    if session.request.texts("fail_on"):
        from autodiff.cli.requests.fail_on import judge

        judge(session, [report])
    return report


def refuse_other_options(session: Session) -> None:
    """Raise UsageError for a file that has no rows to read, and for options that do not go with blocks."""
    request = session.request
    paths = request.texts("data")
    if len(paths) != 1:
        raise UsageError(
            "--batch reads the rows of one file", code="E0610", help=("name it: --data rows.csv",)
        )
    refuse_file_without_rows("--batch", paths[0], (".json", *WHOLE_FILES, *WITHOUT_ROWS))
    if request.number("order") > 1 or request.text("grad_output") is not None:
        other = "--order" if request.number("order") > 1 else "--grad-output"
        raise UsageError(f"{other} does not go with --batch", code="E0610", help=(f"leave {other} out",))


class AllBatches:
    """Adds up what the blocks of a file give.

    ``count`` rows are done, the fraction ``done`` of all, if it is known; ``progress.py`` reads both.
    """

    __slots__ = ("began", "blocks", "count", "done", "name", "reader", "session", "settings", "used")

    def __init__(self, session: Session) -> None:
        self.session = session
        self.settings = read_settings(session)
        file = read_rows(session, session.request.texts("data")[0], "--data")
        columns, blocks = known_columns(file)
        self.name, self.reader = file.name, file.reader
        self.used = used_columns(session, file.name, columns)
        refuse_missing_column(session, {*self.settings.sets, *self.used})
        self.settings.data = frozenset(self.used)
        self.blocks = of_size(blocks, session.request.number("batch"))
        self.began = monotonic()
        self.count = 0
        self.done: float | None = None

    def reduce_all(self) -> GradientReport:
        """The report with the output and the gradients of all rows."""
        session = self.session
        assert session.script is not None
        first = next(self.blocks, None)
        if first is None:
            raise data_error(self.name, "it holds no rows")
        subject = self.first_pass(first)
        report = describe(subject, session.script.source, graph=False, derivations=False)
        job = BatchJob(
            session.script.source,
            self.settings,
            self.reader,
            self.used,
            [name for name, _ in subject.wrt],
            file=self.name,
            of_mean=False,
        )
        whole = job.sums_of(subject, len(first))
        shapes = [one.shape for one in whole.arrays]
        job.of_mean = self.is_mean(job, first, whole)
        del subject
        tree = SumTree()
        for block, sums in answers_of(session, job, chain([first], self.blocks)):
            check_shapes(job, sums, shapes)
            tree.add(sums)
            self.count += len(block)
            self.done = block.share and block.share[1]
        return filled(report, tree.total(), job.of_mean)

    def first_pass(self, block: Block) -> ReportedPass:
        """The pass of the first block; warnings and notes are those of a single run."""
        session, settings = self.session, self.settings
        assert session.script is not None
        columns = columns_of(self.reader, block, self.used, self.name)
        of_block = settings.copy(sets={**settings.sets, **columns})
        execution = execute(
            session.script.source, of_block, session.print_from_script, lambda *what: warn(session, *what)
        )
        session.has_run = True
        subject = differentiate(execution, of_block)
        for note in subject.notes:
            session.note(note)
        for name, _ in subject.wrt:
            if name in self.used:
                raise UsageError(
                    f"`{name}` is a column of {self.name}: its gradient has an entry for each row",
                    code="E0610",
                    help=("grad --each writes a line for each row", "name other inputs with --wrt"),
                )
        return subject

    def is_mean(self, job: BatchJob, block: Block, whole: Sums) -> bool:
        """Whether the output is a mean over rows: as ``--reduce`` or else the halves of a block say."""
        asked = self.session.request.text("reduce")
        found = self.reductions(job, block, whole)
        if asked is None and len(found) != 1:
            raise UsageError(
                "the output is neither the sum nor the mean of those of blocks of rows"
                if not found
                else "the first block does not show whether the output is a sum or a mean over rows",
                code="E0610",
                help=("say how the blocks are put together: --reduce sum or --reduce mean",),
            )
        if asked is not None and found and asked not in found:
            self.session.note(
                f"--reduce {asked}: for the first block, the output is the {found[0]} of those of its halves",
                "warning",
            )
        elif not found:
            self.session.note(
                "the output is neither the sum nor the mean of those of blocks: it depends on --batch",
                "warning",
            )
        return (asked or found[0]) == "mean"

    def reductions(self, job: BatchJob, block: Block, whole: Sums) -> list[str]:
        """Those of sum and mean that hold for the first block and its halves; both for a single row."""
        if len(block) < 2:
            return ["sum", "mean"]
        half = len(block) // 2
        try:
            one, two = job.answer(block.part(0, half)), job.answer(block.part(half, len(block)))
        except AutodiffError:
            return []
        check_shapes(job, one, [array.shape for array in whole.arrays])
        weighted = one.times(one.rows / whole.rows) + two.times(two.rows / whole.rows)
        sizes = [
            max(np.max(np.abs(array), initial=0) for array in arrays)
            for arrays in zip(one.arrays, whole.arrays, strict=True)
        ]
        return [
            name
            for name, parts in (("sum", one + two), ("mean", weighted))
            if all(
                np.allclose(array, expected, SAME, SAME * size, equal_nan=True)
                for array, expected, size in zip(parts.arrays, whole.arrays, sizes, strict=True)
            )
        ]


def check_shapes(job: BatchJob, sums: Sums, shapes: list[tuple[int, ...]]) -> None:
    """Raise UsageError for a gradient whose shape is not that of the first block."""
    for name, array, shape in zip(["output", *job.inputs], sums.arrays, shapes, strict=True):
        if array.shape != shape:
            raise UsageError(
                f"the gradient of `{name}` has an entry for each row: there is nothing to add up",
                code="E0610",
                help=("name other inputs with --wrt", "grad --each writes a line for each row"),
            )


def filled(report: GradientReport, total: Sums, is_mean: bool) -> GradientReport:
    """The report with the sums of all rows, or with their means."""
    value, *grads = total.arrays if not is_mean else [one / total.rows for one in total.arrays]
    report.output.value = like(report.output.value, value)
    for variable, grad in zip(report.gradients, grads, strict=True):
        variable.grad = like(variable.grad, grad)
    return report


def like(before: Any, value: Any) -> Any:
    """A number of the class and the type of another one."""
    return float(value) if before.__class__ is float else np.asarray(value, before.dtype)
