"""Formulas with values for matrices: every name becomes a block of lines, and blocks are set side by side.

A block is a list of lines of equal width. A vector is a column, as in a product. Only small matrices are
drawn, with fewer digits where they would be too wide; others keep their name.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import (
    Expr,
    expr_text,
    name_expr,
    names_in,
    number_expr,
    number_text,
    postorder,
    substitute,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MOST_ROWS = 6
MOST_COLUMNS = 6
#: The width of a page of 80 columns beside the labels of the steps, and of what follows a name and ``=``.
ROOM = 66
ROOM_OF_PART = ROOM - 5
#: Numbers of a wide matrix have fewer digits, at least so many.
FEWEST_DIGITS = 3


def layout(term: Expr, values: Mapping[str, Any]) -> list[str]:
    """The term with values for names, on several lines if there are matrices.

    >>> from autodiff.core.symbolic.expr import infix
    >>> values = {"X": np.array([[1.0, 2.0], [3.0, 4.0]]), "v": np.array([5.0, 6.0])}
    >>> print(*layout(infix("@", name_expr("X"), name_expr("v")), values), sep="\\n")
    | 1  2 |   | 5 |
    | 3  4 | @ | 6 |
    """
    term = substitute_entries(term, values)
    # In the text each name is replaced by one private-use character, which marks where its block goes.
    marks: dict[str, str] = {}
    blocks: dict[str, list[str]] = {}
    for spelled in names_in(term):
        block = block_of(values.get(spelled))
        if block:
            mark = marks[spelled] = chr(0xE000 + len(marks))
            blocks[mark] = block
    marked = substitute(term, {spelled: name_expr(mark) for spelled, mark in marks.items()})
    return side_by_side([blocks.get(piece, [piece]) for piece in expr_text(marked, None, limits.digits)])


def side_by_side(blocks: Sequence[list[str]]) -> list[str]:
    """Blocks beside each other, each centred on the line with the signs."""
    height = max(map(len, blocks))
    lines = [""] * height
    for block in blocks:
        blank = [" " * len(block[0])]
        above = height // 2 - len(block) // 2
        padded = blank * above + block + blank * (height - len(block) - above)
        lines = [line + piece for line, piece in zip(lines, padded, strict=True)]
    return [line.rstrip() for line in lines]


def substitute_entries(term: Expr, values: Mapping[str, Any]) -> Expr:
    """The term with numbers for single entries: 2 for ``x[1]``, not a vector with an index."""
    done: dict[int, Expr] = {}
    for expr in postorder(term):
        if expr.head == "postfix" and expr.args[0].head == "name":
            whole = values.get(expr.args[0].value)
            entry = np.zeros(0) if whole is None or np.size(whole) == 1 else value_of(expr, values)
            if entry.size == 1:
                done[id(expr)] = number_expr(float(f"{entry.item():.{limits.digits}g}"))
                continue
        args = tuple(done[id(arg)] for arg in expr.args)
        done[id(expr)] = expr.with_args(args) if args else expr
    return done[id(term)]


def block_of(value: Any) -> list[str]:
    """A value as lines; empty if it is unknown or too large to draw."""
    if value is None:
        return []
    array = np.asarray(value)
    if array.size == 1:
        spelled = number_text(array.item(), limits.digits)
        return [f"({spelled})" if spelled[0] == "-" else spelled]
    if not array.size or array.ndim > 2:
        return []
    rows = array if array.ndim == 2 else array[:, None]
    if len(rows) > MOST_ROWS or rows.shape[1] > MOST_COLUMNS:
        return []
    for digits in range(limits.digits, min(limits.digits, FEWEST_DIGITS) - 1, -1):
        cells = [[number_text(x, digits) for x in row] for row in rows.tolist()]
        width = max(len(cell) for row in cells for cell in row)
        lines = ["| " + "  ".join(cell.rjust(width) for cell in row) + " |" for row in cells]
        if len(lines[0]) <= ROOM_OF_PART:
            return lines
    return []
