"""Tensors as tables of expressions: what rules get instead of arrays to derive a single entry.

An Entries has a shape and computes one entry at a time, so that only the entries an answer needs are built.
Elementwise ops are applied to Symbols. Ops that only move, copy or add up entries are linear: their own rule
says how much of each operand an entry of the result takes, so one function handles them all. Products of
matrices are sums over the inner index.
"""

from __future__ import annotations

import itertools

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.dtypes import DType, float64
from autodiff.core.graph.op import APPLIERS, OPS, PLAIN_NUMBERS, Op
from autodiff.core.symbolic.expr import ONE, ZERO, Expr, infix, neg, number_expr
from autodiff.core.symbolic.symbol import Operators, Symbol, broadcast_shapes, is_custom
from autodiff.core.symbolic.symbol import apply as written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Shape = tuple[int, ...]
    Place = tuple[int, ...]

#: Ops whose result is a sum of entries of their operands with fixed factors, and possibly constants.
LINEAR = frozenset(
    """
    sum_to expand to clone alias contiguous reshape permute transpose t squeeze unsqueeze repeat flip roll sum
    mean cumsum embed part select slice index index_select gather take index_put write_through scatter
    scatter_add index_add index_copy tril triu diagonal diag_embed cat stack trace windows add_windows
    constant_pad rot90 unfold block_diag nll_loss nll_transposed
    """.split()
)
#: What a rule raises that computes with its operands' entries, which have no values here.
NO_VALUE_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    AutodiffError,
    LookupError,
    TypeError,
    ValueError,
)
#: Determinants of larger matrices have too many terms.
LARGEST_DETERMINANT = 3
PRODUCTS = frozenset(["mm", "mv", "vm", "dot", "bmm", "matmul"])


class UnspelledError(Exception):
    """An op cannot be written entry by entry; ``op`` is its name."""

    def __init__(self, op: str) -> None:
        super().__init__(op)
        self.op = op


class EntryTable(Operators):
    """A tensor of expressions. ``at`` returns the expression at a position, which is computed once.

    >>> from autodiff.core.symbolic.expr import name_expr
    >>> x = EntryTable((2,), lambda place: name_expr(f"x{place[0]}"))
    >>> str((x * x).entry((1,)))
    'x1*x1'
    """

    __slots__ = ("_give", "_known", "dtype", "shape")

    def __init__(self, shape: Shape, give: Callable[[Place], Expr], dtype: DType = float64) -> None:
        self.shape = shape
        self.dtype = dtype
        self._give = give
        self._known: dict[Place, Expr] = {}

    def __repr__(self) -> str:
        return f"<entries of shape {self.shape}>"

    def entry(self, place: Place) -> Expr:
        """The entry at a position; errors: UnspelledError if an op it depends on has no spelling."""
        expr = self._known.get(place)
        if expr is None:
            expr = self._known[place] = self._give(place)
        return expr

    def broadcast_entry(self, place: Place) -> Expr:
        """The entry that broadcasting puts at a position of a larger tensor."""
        own = place[len(place) - len(self.shape) :]
        return self.entry(tuple(0 if n == 1 else at for n, at in zip(self.shape, own, strict=True)))


def as_entry_table(value: Any) -> EntryTable:
    """Entries for a constant: a number or an array."""
    if value.__class__ is EntryTable:
        assert isinstance(value, EntryTable)
        return value
    if value.__class__ in PLAIN_NUMBERS:
        return EntryTable((), lambda place: number_expr(value))
    array = np.asarray(value)
    return EntryTable(array.shape, lambda place: number_expr(array[place].item()))


def apply(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> EntryTable:
    """The result of an op on entries."""
    tables = [as_entry_table(x) for x in operands]
    if is_custom(op):
        raise UnspelledError(op.name)
    if op.is_elementwise:
        return entrywise(op, tables, params)
    if op.name in PRODUCTS:
        return product(*tables)
    if op.name in COMPOSED:
        return as_entry_table(COMPOSED[op.name](*tables, **params))
    if op.name in LINEAR:
        return linear(op, tables, params)
    raise UnspelledError(op.name)


APPLIERS[EntryTable] = apply


def entrywise(op: Op, tables: list[EntryTable], params: dict[str, Any]) -> EntryTable:
    """The result of an elementwise op, with its operands broadcast."""
    if any(getattr(value, "ndim", 0) for value in params.values()):
        raise UnspelledError(op.name)

    def give(place: Place) -> Expr:
        exprs = [x.broadcast_entry(place) for x in tables]
        if op.name == "mul" and ZERO in exprs:
            return ZERO
        if op.name == "add" and ZERO in exprs:
            return exprs[1] if exprs[0] == ZERO else exprs[0]
        return written(op, tuple(map(Symbol, exprs)), params).expr

    return EntryTable(broadcast_shapes([x.shape for x in tables]), give, tables[0].dtype)


def linear(op: Op, tables: list[EntryTable], params: dict[str, Any]) -> EntryTable:
    """The result of a linear op. Its rule gives the factors when applied to a cotangent of 1 at one entry."""
    zeros = tuple(np.zeros(x.shape) for x in tables)
    constant = np.asarray(op.forward(*zeros, **params), dtype=float)

    def give(place: Place) -> Expr:
        alone = np.zeros(constant.shape)
        alone[place] = 1.0
        total = number_expr(constant[place].item())
        for index, x in enumerate(tables):
            taken = op.contribution(index, alone, constant, zeros, params)
            for at in zip(*np.nonzero(np.atleast_1d(taken)), strict=True):
                where = tuple(map(int, at)) if x.shape else ()
                term = x.entry(where)
                factor = float(taken[where])
                if term != ZERO:
                    total = plus(total, term if factor == 1 else times(number_expr(factor), term))
        return total

    return EntryTable(constant.shape, give, tables[0].dtype)


def product(x: EntryTable, y: EntryTable) -> EntryTable:
    """``x @ y`` for every pair of shapes."""
    rows = x.shape[-2:-1] if len(x.shape) > 1 else ()
    columns = y.shape[-1:] if len(y.shape) > 1 else ()
    batch = broadcast_shapes([x.shape[:-2], y.shape[:-2]])
    count = x.shape[-1]

    def give(place: Place) -> Expr:
        lead = place[: len(batch)]
        row = place[len(batch) : len(batch) + len(rows)]
        column = place[len(batch) + len(rows) :]
        total = ZERO
        for k in range(count):
            left = x.broadcast_entry((*lead, *row, k)) if len(x.shape) > 1 else x.entry((k,))
            right = y.broadcast_entry((*lead, k, *column)) if len(y.shape) > 1 else y.entry((k,))
            total = plus(total, times(left, right))
        return total

    return EntryTable((*batch, *rows, *columns), give, x.dtype)


def plus(a: Expr, b: Expr) -> Expr:
    return b if a == ZERO else a if b == ZERO else infix("+", a, b)


def times(a: Expr, b: Expr) -> Expr:
    if ZERO in (a, b):
        return ZERO
    return b if a == ONE else a if b == ONE else infix("*", a, b)


# -- ops made of others -----------------------------------------------------------------------------------


def outer(x: EntryTable, y: EntryTable) -> EntryTable:
    def product(place: Place) -> Expr:
        return times(x.entry(place[:1]), y.entry(place[1:]))

    return EntryTable((*x.shape, *y.shape), product, x.dtype)


def sum_keepdim(x: EntryTable, dim: int) -> Any:
    """The sum along a dimension, which is kept with size 1."""
    return OPS["sum"](x, dim=(dim,) if x.shape else (), keepdim=True)


def softmax(x: EntryTable, dim: int) -> Any:
    e = OPS["exp"](x)
    return e / sum_keepdim(e, dim)


def log_softmax(x: EntryTable, dim: int) -> Any:
    return x - OPS["log"](sum_keepdim(OPS["exp"](x), dim))


def einsum(*tables: EntryTable, equation: str) -> EntryTable:
    left, _, result = equation.partition("->")
    letters = left.split(",")
    sizes = {
        letter: n
        for own, x in zip(letters, tables, strict=True)
        for letter, n in zip(own, x.shape, strict=True)
    }
    summed = [letter for letter in sizes if letter not in result]

    def give(place: Place) -> Expr:
        whole = ZERO
        for inside in np.ndindex(*(sizes[letter] for letter in summed)):
            at = dict(zip((*result, *summed), (*place, *inside), strict=True))
            term = ONE
            for own, x in zip(letters, tables, strict=True):
                term = times(term, x.entry(tuple(at[letter] for letter in own)))
            whole = plus(whole, term)
        return whole

    return EntryTable(tuple(sizes[letter] for letter in result), give, tables[0].dtype)


def places_along(x: EntryTable, dim: Place | None, place: Place) -> list[Place]:
    """The positions that differ from ``place`` in these dimensions only, itself included; None means all."""
    axes = range(x.ndim) if dim is None else [axis % x.ndim for axis in dim]
    free = [range(n) if axis in axes else (place[axis],) for axis, n in enumerate(x.shape)]
    return list(itertools.product(*free))


def other_products(x: EntryTable, dim: Place | None) -> EntryTable:
    """For every entry, the product of the other entries along the dimensions."""

    def give(place: Place) -> Expr:
        whole = ONE
        for beside in places_along(x, dim, place):
            whole = whole if beside == place else times(whole, x.entry(beside))
        return whole

    return EntryTable(x.shape, give, x.dtype)


def vector_norm(x: EntryTable, ord: float, dim: Place | None, keepdim: bool) -> Any:
    if ord not in (1, 2):
        raise UnspelledError("vector_norm")
    sizes = OPS["abs"](x) if ord == 1 else x * x
    added = OPS["sum"](sizes, dim=dim, keepdim=keepdim)
    return added if ord == 1 else OPS["sqrt"](added)


def cross(x: EntryTable, y: EntryTable, dim: int) -> EntryTable:
    shape = broadcast_shapes([x.shape, y.shape])

    def give(place: Place) -> Expr:
        second, third = ((*place[:dim], (place[dim] + step) % 3, *place[dim + 1 :]) for step in (1, 2))
        left = times(x.broadcast_entry(second), y.broadcast_entry(third))
        return minus(left, times(x.broadcast_entry(third), y.broadcast_entry(second)))

    return EntryTable(shape, give, x.dtype)


def minus(a: Expr, b: Expr) -> Expr:
    return a if b == ZERO else neg(b) if a == ZERO else infix("-", a, b)


def determinant(x: EntryTable, lead: Place, rows: Place, columns: Place) -> Expr:
    """The determinant of some rows and columns of a matrix, expanded along its first row."""
    if not rows:
        return ONE
    whole = ZERO
    for at, column in enumerate(columns):
        rest = determinant(x, lead, rows[1:], columns[:at] + columns[at + 1 :])
        term = times(x.entry((*lead, rows[0], column)), rest)
        whole = minus(whole, term) if at % 2 else plus(whole, term)
    return whole


def indices_except(count: int, left_out: int) -> Place:
    return tuple(at for at in range(count) if at != left_out)


def cofactor(x: EntryTable) -> EntryTable:
    """For every entry, the determinant of the matrix without its row and column, with its sign."""
    n = x.shape[-1]
    if n > LARGEST_DETERMINANT:
        raise UnspelledError("cofactor")

    def give(place: Place) -> Expr:
        *lead, row, column = place
        minor = determinant(x, tuple(lead), indices_except(n, row), indices_except(n, column))
        return neg(minor) if (row + column) % 2 and minor != ZERO else minor

    return EntryTable(x.shape, give, x.dtype)


def det(x: EntryTable) -> EntryTable:
    n = x.shape[-1]
    if n > LARGEST_DETERMINANT:
        raise UnspelledError("det")
    everything = tuple(range(n))
    return EntryTable(x.shape[:-2], lambda lead: determinant(x, lead, everything, everything), x.dtype)


def inverse(x: EntryTable) -> Any:
    """The transposed cofactors divided by the determinant: Cramer's rule."""
    whole = det(x)
    order = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    return OPS["permute"](cofactor(x), dims=order) / OPS["reshape"](whole, shape=(*whole.shape, 1, 1))


def solution(x: EntryTable, y: EntryTable) -> Any:
    """The solution of a system of linear equations, whose right side is a vector or a matrix."""
    return OPS["matmul"](inverse(x), y)


def weigh_and_add(x: EntryTable, y: Any, beta: float, alpha: float) -> Any:
    return x * beta + y * alpha


#: Ops composed of others; ``beta`` and ``alpha`` are the weights of the two parts of a sum.
COMPOSED: dict[str, Callable[..., Any]] = {
    "outer": outer,
    "softmax": softmax,
    "einsum": einsum,
    "others": other_products,
    "vector_norm": vector_norm,
    "cross": cross,
    "cofactor": cofactor,
    "det": det,
    "inv": inverse,
    "solve": solution,
    "log_softmax": log_softmax,
    "addmm": lambda x, y, z, beta, alpha: weigh_and_add(x, y @ z, beta, alpha),
    "addmv": lambda x, y, z, beta, alpha: weigh_and_add(x, y @ z, beta, alpha),
    "addr": lambda x, y, z, beta, alpha: weigh_and_add(x, outer(y, z), beta, alpha),
    "baddbmm": lambda x, y, z, beta, alpha: weigh_and_add(x, y @ z, beta, alpha),
}


def spelled_place(place: Place) -> str:
    """``[0,1]``; empty for the position in a number."""
    return f"[{','.join(map(str, place))}]" if place else ""
