"""Answers blocks of a data file for ``--batch``: the output and its gradients, summed over the rows so far.

Sums are added in one order, whoever computed them and when: those of blocks 1 and 2, of 3 and 4, then of
these two, as in a tree. So the bytes of the result do not depend on the number of processes, and the rounding
error grows with the height of the tree, not with the number of blocks.
"""

from __future__ import annotations

import gc
import json
from math import prod

from autodiff.cli.data_files.data_file import data_error
from autodiff.cli.data_files.row_readers import is_missing
from autodiff.cli.requests.block_jobs import Job
from autodiff.cli.requests.row_job import values_of
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.report.records import ReportedPass, gradient_or_zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.cli.data_files.row_readers import Block, Reader
    from autodiff.core.base.source import Source
    from autodiff.grammar.session.run import Settings


class Sums:
    """The output and the gradients of ``rows`` rows as float64 ``arrays``, the output first."""

    __slots__ = ("arrays", "rows")

    def __init__(self, rows: int, arrays: Sequence[Any]) -> None:
        self.rows = rows
        self.arrays = arrays

    def __add__(self, other: Sums) -> Sums:
        pairs = zip(self.arrays, other.arrays, strict=True)
        return Sums(self.rows + other.rows, [one + two for one, two in pairs])

    def times(self, factor: float) -> Sums:
        return Sums(self.rows, [one * factor for one in self.arrays])


class SumTree:
    """Adds sums in the order of a binary tree over their positions; holds one for each level.

    >>> tree = SumTree()
    >>> for value in (1.0, 2.0, 3.0):
    ...     tree.add(Sums(1, [value]))
    >>> tree.total().arrays, tree.total().rows
    ([6.0], 3)
    """

    __slots__ = ("levels",)

    def __init__(self) -> None:
        self.levels: list[tuple[int, Sums]] = []  # the height and the sums of each whole subtree

    def add(self, sums: Sums) -> None:
        height = 0
        while self.levels and self.levels[-1][0] == height:
            sums = self.levels.pop()[1] + sums
            height += 1
        self.levels.append((height, sums))

    def total(self) -> Sums:
        """The sums of everything that was added, which is something."""
        *rest, (_, total) = self.levels
        for _, sums in reversed(rest):
            total = sums + total
        return total


class BatchJob(Job):
    """Runs the script on the rows of each block, which are vectors.

    ``of_mean`` says that the output is a mean over the rows, so that blocks count by their rows. ``file`` is
    the name of the file for messages.
    """

    __slots__ = ("file", "of_mean")
    kind = "batches"

    def __init__(
        self,
        source: Source,
        settings: Settings,
        reader: Reader,
        used: Sequence[str],
        inputs: Sequence[str],
        *,
        file: str,
        of_mean: bool,
    ) -> None:
        super().__init__(source, settings, reader, used, inputs)
        self.file = file
        self.of_mean = of_mean

    def own(self) -> dict[str, Any]:
        return {"file": self.file, "of_mean": self.of_mean}

    def answer(self, block: Block) -> Sums:
        sums = self.sums_of(self.runs.run(columns_of(self.reader, block, self.used, self.file)), len(block))
        gc.collect(0)  # each run leaves cycles, and the program has turned the collector off
        return sums.times(len(block)) if self.of_mean else sums

    def sums_of(self, subject: ReportedPass, rows: int) -> Sums:
        """The output and the gradients of a pass. Raises UsageError if they are not those of the first."""
        nodes = dict(subject.wrt)
        if [*nodes] != self.inputs:
            raise UsageError(
                "the inputs depend on the block",
                code="E0610",
                help=("name those that all blocks have with --wrt",),
            )
        grads = [gradient_or_zeros(subject.received, nodes[name]) for name in self.inputs]
        return Sums(rows, [np.asarray(one, "float64") for one in (subject.value, *grads)])

    def encoded(self, answer: Sums) -> bytes:
        head = [answer.rows, [list(one.shape) for one in answer.arrays]]
        return json.dumps(head).encode() + b"\n" + b"".join(one.tobytes() for one in answer.arrays)

    def decoded(self, data: bytes) -> Sums:
        head, _, rest = data.partition(b"\n")
        rows, shapes = json.loads(head)
        numbers = np.frombuffer(rest)
        arrays, at = [], 0
        for shape in shapes:
            arrays.append(numbers[at : at + prod(shape)].reshape(shape))
            at += prod(shape)
        return Sums(rows, arrays)


def columns_of(reader: Reader, block: Block, names: Sequence[str], file: str) -> dict[str, Any]:
    """The columns of a block. Raises UsageError with the line that has no number."""
    found = reader.numbers(block.lines, names)
    if found is not None:
        return found
    rows = []
    for at, row in enumerate(reader.rows(block.lines)):
        values = values_of(row, names)
        if isinstance(values, AutodiffError):
            raise data_error(
                f"{file}, line {block.numbers[at]:,}",
                values.message,
                "columns that the script does not use may hold anything",
            )
        absent = next((name for name in names if is_missing(row[name])), None)
        if absent is not None:
            raise data_error(
                f"{file}, line {block.numbers[at]:,}",
                f"column {absent}: a value is missing, and the sum over all rows would be nan",
                "leave such lines out: --batch adds up all rows",
            )
        rows.append(values)
    try:
        return {name: np.array([row[name] for row in rows], "float64") for name in names}
    except ValueError:
        lines = f"{block.numbers[0]:,} to {block.numbers[-1]:,}"
        raise data_error(f"{file}, lines {lines}", "the lists of a column have different sizes") from None


MAKE = BatchJob
