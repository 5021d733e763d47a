"""Jacobians, Hessians and products with vectors: rows of numbers for a pipe, tables with names for people."""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.expression_latex import ATOM_LEVEL, matrix, name_latex, name_piece
from autodiff.cli.render.numbers import exact_entries, short
from autodiff.cli.render.page import EMPTY, GRADIENT, NAME, NUMBER, TITLE, Page, Table, fit, left_out
from autodiff.cli.render.records import TEXT_FIELDS, Records, entries, place, readable
from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line
    from autodiff.core.report.derivative_matrix import DerivativeMatrix
    from autodiff.core.report.records import Variable

WIDEST_NAME = 24
MOST_NAMED = 6  # entries on one side of a formula
AMSMATH_COLUMNS = 10  # of a matrix, unless a document raises the limit
INDENT, GAP = 2, 3


def places(variables: Sequence[Variable]) -> list[tuple[str, tuple[int, ...]]]:
    """The entries of tensors, each as a name and an index."""
    return [(variable.name, index) for variable in variables for index, _ in entries(variable.value)]


def matrix_records(found: DerivativeMatrix) -> Records:
    """A row for each derivative. As arrays: the part of each input; of a Hessian that of each pair."""
    above, below = places(found.above), places(found.below)
    rows = (
        (*above[i], *below[j], value)
        for i, row in enumerate(found.matrix)
        for j, (_, value) in enumerate(entries(row))
        if value != 0 or not found.is_sparse
    )
    if found.order == 1:
        fields = ("output", "output_index", "input", "input_index", "derivative")
        return Records(fields, rows, blocks(found), found.matrix)
    fields = ("input", "index", "by", "by_index", "derivative")
    return Records(fields, rows, blocks(found), found.matrix)


def blocks(found: DerivativeMatrix) -> dict[str, Any]:
    """The matrix cut into the parts that belong to one tensor above and one below, by name."""
    made: dict[str, Any] = {}
    i = 0
    for upper in found.above:
        j, rows = 0, int(np.size(upper.value))
        for lower in found.below:
            columns = int(np.size(lower.value))
            part = found.matrix[i : i + rows, j : j + columns]
            name = lower.name if found.order == 1 else f"{upper.name},{lower.name}"
            made[name] = part.reshape((*upper.shape, *lower.shape))
            j += columns
        i += rows
    return made


def bare_matrix(found: DerivativeMatrix) -> str:
    """A line for each row, its numbers separated by tabs."""
    return "".join("\t".join(exact_entries(row)) + "\n" for row in found.matrix)


def matrix_lines(found: DerivativeMatrix, page: Page) -> Iterator[Line]:
    """A title, and the matrix with names; where it is too wide, a line for each derivative."""
    output = fit(found.report.output.name, WIDEST_NAME)
    weighed = found.order == 2 and found.report.weight is not None
    of = (
        f"sum({incoming.letter}*{output}), {incoming.letter} = {fit(found.report.weight or '')}"
        if weighed
        else output
    )
    yield ((TITLE, f"{'Jacobian' if found.order == 1 else 'Hessian'} of {of}"),)
    yield EMPTY
    kept = kept_rows(found)
    named = places(found.above)
    above = [place(fit(named[at][0], WIDEST_NAME), named[at][1]) for at in kept]
    below = [place(fit(name, WIDEST_NAME), index) for name, index in places(found.below)]
    shown = above[: page.shown_rows(len(above))]
    for digits in (page.digits, min(page.digits, 3)):
        texts = [[short(value, digits) for value in row] for row in found.matrix[kept[: len(shown)]].tolist()]
        widths = [max(map(cells, column)) for column in zip(below, *texts, strict=True)] if below else []
        if INDENT + max(map(cells, [*shown, ""])) + sum(width + GAP for width in widths) <= page.width:
            rows = [[[name], *([text] for text in row)] for name, row in zip(shown, texts, strict=True)]
            styles = [NAME, *(GRADIENT for _ in below)]
            yield from Table(["", *below], rows, styles, [False, *(True for _ in below)]).lines()
            break
    else:
        yield from record_lines(matrix_records(found), page)
        return
    if len(shown) < len(above):
        yield left_out(len(above) - len(shown), "row")


def kept_rows(found: DerivativeMatrix) -> list[int]:
    """The rows that are shown: those of zeros are left out on demand."""
    return [at for at, row in enumerate(found.matrix) if row.any() or not found.is_sparse]


def markdown_matrix(found: DerivativeMatrix, digits: int) -> str:
    """The matrix as a table with names at its sides, as GitHub and notebooks show it."""
    above, below = ([place(*one) for one in places(side)] for side in (found.above, found.below))
    kept = kept_rows(found)
    rows = [[above[at], *(short(value, digits) for value in found.matrix[at].tolist())] for at in kept]
    table = [["", *below], ["---", *["---:"] * len(below)], *rows]
    lines = [" | ".join(visible(cell).replace("|", "\\|") for cell in row) for row in table]
    return "".join(f"| {line} |\n" for line in lines)


def latex_matrix(found: DerivativeMatrix, digits: int) -> str:
    """The matrix as a formula of amsmath, with the derivative that it is on the left."""
    kept = kept_rows(found)
    by = names_latex(found.below, range(found.matrix.shape[1]))
    if found.order == 1:
        left = rf"\frac{{\partial {names_latex(found.above, kept)}}}{{\partial {by}}}"
    else:
        output = found.report.output.name
        is_weighed = found.report.weight is not None
        of = name_latex(f"sum({incoming.letter}*{output})" if is_weighed else output)
        left = rf"\nabla_{{{by}}}^{{2}} {of}"
    body = matrix(found.matrix[kept].tolist(), digits)
    for before, after in ((r"\begin{pmatrix} ", "\\begin{pmatrix}\n"), (r" \end", "\n\\end")):
        body = body.replace(before, after)
    lines = [r"\[", f"{left} =", body.replace(r" \\ ", " \\\\\n"), r"\]", ""]
    if found.matrix.shape[1] > AMSMATH_COLUMNS:
        lines.insert(0, rf"\setcounter{{MaxMatrixCols}}{{{found.matrix.shape[1]}}}")
    return "\n".join(lines)


def names_latex(variables: Sequence[Variable], kept: Sequence[int]) -> str:
    """The entries that rows or columns belong to; of many the tensors."""
    named = places(variables)
    names = [place(*named[at]) for at in kept]
    if len(names) > MOST_NAMED:
        names = [variable.name for variable in variables]
    text = ", ".join(map(name_latex, names))
    return text if len(names) == 1 and name_piece(names[0])[1] == ATOM_LEVEL else rf"\left({text}\right)"


def record_lines(records: Records, page: Page) -> Iterator[Line]:
    """A table with a line for each record."""
    header, *rows = readable(records, page.digits)
    shown = rows[: page.shown_rows(len(rows))]
    is_text = [field in TEXT_FIELDS for field in header]
    styles = [NAME if text else NUMBER for text in is_text]
    styles[-1] = GRADIENT
    cut = [[[fit(cell, WIDEST_NAME)] for cell in row] for row in shown]
    yield from Table(header, cut, styles, [not text for text in is_text]).lines()
    if len(shown) < len(rows):
        yield left_out(len(rows) - len(shown), "row")


def product_records(variables: Sequence[Variable], product: str) -> Records:
    """The entries of tensors beside those of a product, which is their ``grad``."""
    rows = (
        (variable.name, index, value, entry)
        for variable in variables
        for (index, value), (_, entry) in zip(entries(variable.value), entries(variable.grad), strict=True)
    )
    arrays = {variable.name: variable.grad for variable in variables}
    return Records(("name", "index", "value", product), rows, arrays)
