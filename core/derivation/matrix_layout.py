"""Formulas with values for matrices: every name becomes a block of lines, and blocks are set side by side.

A block is a list of lines of equal width. A vector is a column, as in a product, but a row where it meets the
rows of a matrix entry by entry, as a bias does. Only small matrices are drawn, with fewer digits where they
would be too wide; others keep their name.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.graph.op import RULE_ERRORS
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
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

MOST_ROWS = 6
MOST_COLUMNS = 6
#: The width of a page of 80 columns beside the labels of the steps, and of what follows a name and ``=``.
ROOM = 66
ROOM_OF_PART = ROOM - 5
ENTRY_BY_ENTRY = ("+", "-", "*", "/", "**", "<", "<=", ">", ">=", "==", "!=")
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
    rows = vectors_beside_rows(term, values)
    for spelled in names_in(term):
        block = block_of(values.get(spelled), as_row=spelled in rows)
        if block:
            mark = marks[spelled] = chr(0xE000 + len(marks))
            blocks[mark] = block
    marked = substitute(term, {spelled: name_expr(mark) for spelled, mark in marks.items()})
    return side_by_side([blocks.get(piece, [piece]) for piece in expr_text(marked, None, limits.digits)])


def vectors_beside_rows(term: Expr, values: Mapping[str, Any]) -> frozenset[str]:
    """The names of vectors that meet each row of a matrix entry by entry, as ``b`` does in ``X @ W + b``.

    >>> from autodiff.core.symbolic.expr import infix
    >>> X, v, b = map(name_expr, "Xvb")
    >>> values = {"X": np.ones((2, 2)), "v": np.ones(2), "b": np.ones(2)}
    >>> sorted(vectors_beside_rows(infix("+", infix("@", X, v), b), values))
    []
    >>> sorted(vectors_beside_rows(infix("+", infix("@", X, X), b), values))
    ['b']
    """
    sizes = {
        spelled: np.ndim(values[spelled]) for spelled in names_in(term) if values.get(spelled) is not None
    }
    if not {1, 2} <= set(sizes.values()):
        return frozenset()
    found: set[str] = set()
    dimensions: dict[int, int | None] = {}
    for expr in postorder(term):
        given = [dimensions[id(arg)] for arg in expr.args]
        dimensions[id(expr)] = dimensions_of(expr, given, values)
        if expr.head in ENTRY_BY_ENTRY and 2 in given and 1 in given:
            found.update(names_in_entries(expr.args[given.index(1)], sizes))
    return frozenset(found)


def dimensions_of(expr: Expr, given: Sequence[int | None], values: Mapping[str, Any]) -> int | None:
    """The number of dimensions of an expression whose arguments have the ``given`` ones; None if unknown."""
    if expr.head == "number":
        return 0
    if expr.head == "@" and None not in given:
        return sum(given) - 2  # type: ignore[arg-type] # of numbers, as the line above asks
    if expr.head in (*ENTRY_BY_ENTRY, "neg", "claim") and None not in given:
        return max(given)  # type: ignore[type-var] # as above
    try:
        return int(np.ndim(value_of(expr, values)))
    except (*RULE_ERRORS, AutodiffError, KeyError):
        return None


def names_in_entries(expr: Expr, sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield the names of vectors that an expression combines entry by entry."""
    stack = [expr]
    while stack:
        part = stack.pop()
        if part.head == "name" and sizes.get(part.value) == 1:
            yield part.value
        elif part.head in (*ENTRY_BY_ENTRY, "neg", "claim"):
            stack += part.args


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


def block_of(value: Any, as_row: bool = False) -> list[str]:
    """A value as lines, a vector as a column or ``as_row``; empty if it is unknown or too large to draw."""
    if value is None:
        return []
    array = np.asarray(value)
    if array.size == 1:
        spelled = number_text(array.item(), limits.digits)
        return [f"({spelled})" if spelled[0] == "-" else spelled]
    if not array.size or array.ndim > 2:
        return []
    rows = array if array.ndim == 2 else array[None] if as_row else array[:, None]
    if len(rows) > MOST_ROWS or rows.shape[1] > MOST_COLUMNS:
        return []
    for digits in range(limits.digits, min(limits.digits, FEWEST_DIGITS) - 1, -1):
        cells = [[number_text(x, digits) for x in row] for row in rows.tolist()]
        width = max(len(cell) for row in cells for cell in row)
        lines = ["| " + "  ".join(cell.rjust(width) for cell in row) + " |" for row in cells]
        if len(lines[0]) <= ROOM_OF_PART:
            return lines
    return []
