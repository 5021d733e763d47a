"""Lines about rows of values, for ``--each`` and ``--sweep``: one for each row, in the order of the rows.

Plain lines have the kept columns, the value and the gradients, separated by tabs and exact. CSV and TSV have
a header above, and JSON Lines an object a row. A row without an answer has empty cells, or an ``error``.
"""

from __future__ import annotations

import re

from autodiff.cli.process.streams import harmless, visible
from autodiff.cli.render.numbers import exact, exact_entries, is_array, short
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.report.records import GradientReport

    #: The value of the output and the gradients by the inputs, or why there are none.
    Answer = tuple[Any, Sequence[Any]] | AutodiffError

NARROWEST = 12  # characters of a column of a table
GAP = "  "
BREAKS = re.compile(r"([\n\t])")


class RowWriter:
    """Writes rows in one of ``ROW_FORMATS``: columns ``kept``, the value if it ``has_value``, gradients.

    In a table that is wider than the page of ``width`` columns, 0 for any, titles are short if then it fits.
    """

    __slots__ = ("digits", "early", "form", "has_value", "inputs", "kept", "remark", "titles", "width")

    def __init__(self, form: str, kept: Sequence[str], has_value: bool, digits: int, width: int = 0) -> None:
        self.form = form
        self.kept = kept
        self.has_value = has_value
        self.digits = digits
        self.width = width
        self.remark = ""
        self.inputs: list[str] = []
        self.titles: list[str] = []
        #: Rows before the first answer, which the header waits for; None once it is written.
        self.early: list[Any] | None = None if form in ("plain", "jsonl") else []

    def name_answers(self, output: str, inputs: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        """Take the names of the output and of the inputs, with their shapes, before the first answer.

        Raises UsageError if the header would have a name twice.
        """
        self.inputs = [name for name, _ in inputs]
        whole = output if output.isidentifier() else f"({output})"
        names = [
            f"{name}[{','.join(map(str, place))}]" if place else name
            for name, shape in inputs
            for place in np.ndindex(shape)
        ]
        self.titles, brief = (
            [output] * self.has_value + [f"d{above}/d{name}" for name in names] for above in (whole, "")
        )
        if self.form == "table" and self.table_width(self.titles) > self.width >= self.table_width(brief):
            self.remark = f"d/d{names[0]} is short for {self.titles[-len(names)]}"
            self.titles = brief
        twice = None if self.early is None else next((one for one in self.titles if one in self.kept), None)
        if twice is not None:
            raise UsageError(
                f"--keep: the rows have a column `{visible(twice)}`, and an answer is called so too",
                code="E0610",
                help=("rename the column", "or take a format without a header: --format jsonl"),
            )

    def line(self, number: int, row: Any, answer: Answer) -> str:
        """The line of a row, below the header if it is the first row with an answer."""
        if self.form == "jsonl":
            return self.json_line(number, row, answer)
        if self.early is not None and isinstance(answer, AutodiffError):
            self.early.append(row)
            return ""
        cells = [""] * len(self.titles) if isinstance(answer, AutodiffError) else self.answer_cells(answer)
        return self.begin() + self.joined([*self.kept_cells(row), *cells])

    def lines(self, first: int, rows: list[Any], value: Any, grads: Sequence[Any]) -> str:
        """The lines of rows, from number ``first`` on; ``value`` and ``grads`` have an entry for each."""
        if self.form in ("jsonl", "table"):
            answers = zip(value.tolist(), zip(*[grad.tolist() for grad in grads], strict=True), strict=True)
            numbered = enumerate(zip(rows, answers, strict=True), first)
            return "".join([self.line(number, row, answer) for number, (row, answer) in numbered])
        separator = "," if self.form == "csv" else "\t"
        shown = (value, *grads) if self.has_value else grads
        columns = [exact_entries(one) for one in shown]
        if self.kept:
            kept = ([self.quoted(cell) for cell in self.kept_cells(row)] for row in rows)
            columns = [*map(list, zip(*kept, strict=True)), *columns]
        return self.begin() + "\n".join(map(separator.join, zip(*columns, strict=True))) + "\n"

    def begin(self) -> str:
        """The header and the rows that waited for it; "" if they are written."""
        if self.early is None:
            return ""
        rows, self.early = self.early, None
        empty = [""] * len(self.titles)
        lines = [visible(self.remark) + "\n"] * bool(self.remark)
        lines += [self.joined([*map(self.shown, self.kept), *map(self.shown, self.titles)])]
        lines += (self.joined([*self.kept_cells(row), *empty]) for row in rows)
        return "".join(lines)

    def end(self) -> str:
        """What has waited for an answer that did not come."""
        return self.begin() if self.early else ""

    def shown(self, text: str) -> str:
        """A text as a cell: what a terminal has in a table for people, else the same in every locale.

        In CSV a line break or a tab is kept, as a program that reads the lines needs the text itself.
        """
        if self.form == "csv":
            return "".join(part if BREAKS.fullmatch(part) else harmless(part) for part in BREAKS.split(text))
        return visible(text) if self.form == "table" else harmless(text)

    def kept_cells(self, row: Any) -> list[str]:
        values = [row.get(name, "") for name in self.kept]
        return [self.shown(value) if isinstance(value, str) else self.spelled(value) for value in values]

    def answer_cells(self, answer: tuple[Any, Sequence[Any]]) -> list[str]:
        value, grads = answer
        shown = (value, *grads) if self.has_value else grads
        return [text for one in shown for text in self.entries(one)]

    def entries(self, value: Any) -> list[str]:
        if value.__class__ is float:
            return [self.spelled(value)]
        if self.form == "table" and is_array(value):
            return [self.spelled(entry) for entry in value.ravel().tolist()]
        return exact_entries(value)

    def spelled(self, value: Any) -> str:
        if value.__class__ is not float:
            from json import dumps

            return dumps(value)
        return short(value, self.digits) if self.form == "table" else exact(value)

    def widths(self, titles: Sequence[str]) -> list[int]:
        """The widths of the columns of a table with these titles."""
        return [max(NARROWEST, len(title)) for title in (*self.kept, *titles)]

    def table_width(self, titles: Sequence[str]) -> int:
        widths = self.widths(titles)
        return sum(widths) + len(GAP) * (len(widths) - 1)

    def joined(self, cells: list[str]) -> str:
        """The cells as one line."""
        if self.form == "table":
            widths = self.widths(self.titles)
            return GAP.join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True)) + "\n"
        separator = "," if self.form == "csv" else "\t"
        return separator.join(map(self.quoted, cells)) + "\n"

    def quoted(self, cell: str) -> str:
        """A cell as csv writes it, in quotation marks where needed; plain lines have it bare between tabs."""
        if self.form != "plain" and not {'"', *(",\n" if self.form == "csv" else "\t")}.isdisjoint(cell):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    def json_line(self, number: int, row: Any, answer: Answer) -> str:
        """The object of a row: its number, the kept columns, and the value and the gradients or the error."""
        from json import dumps

        from autodiff.cli.render.json_values import plain

        made: dict[str, Any] = {"row": number}
        if self.kept and row:
            made["keep"] = {name: row[name] for name in self.kept if name in row}
        if isinstance(answer, AutodiffError):
            made["error"] = {"code": answer.code, "message": answer.message}
        else:
            value, grads = answer
            if self.has_value:
                made["value"] = plain(value)
            made["grad"] = {name: plain(grad) for name, grad in zip(self.inputs, grads, strict=True)}
        return dumps(made, allow_nan=False) + "\n"


def single_line(report: GradientReport, form: str, digits: int) -> str:
    """The value and the gradients of a report as a row, below its header in formats that have one."""
    writer = RowWriter("plain" if form == "auto" else form, (), True, digits)
    writer.name_answers(report.output.name, [(one.name, one.shape) for one in report.gradients])
    return writer.line(1, {}, (report.output.value, [one.grad for one in report.gradients]))
