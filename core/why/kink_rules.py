"""The class for one row of the kink table: a kind of point of an op, how to find it, what to report there.

Predicates work on floats as well as on arrays, so that a script of plain numbers needs no numpy.
"""

from __future__ import annotations

from math import inf

from autodiff.core.base.lazy import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import OpNode

#: The slopes of the two sides differ.
KINK = "kink"
#: The values of the two sides differ.
JUMP = "jump"
#: There is no slope. The engine answers with a number or nan.
SINGULAR = "singular"
#: There is a slope, but the formula of the op divides by zero to find it.
GAP = "gap"
#: The slopes of the two sides agree, but their own slopes do not: a kink of the first derivative.
BEND = "bend"

#: Tolerance: alpha times 1/alpha, the factor in ``celu``, need not be 1 to the last digit.
NEARLY = 1e-12


class Row:
    """One kind of point of one op.

    ``at(out, *operands, **params)`` marks the entries that lie on such a point. The marks have the shape of
    the operand that ``shows`` names, of all operands broadcast together for an elementwise op, or of the
    result if ``shows`` is empty. ``says`` is the convention, a ``str.format`` template for the op's
    parameters. ``others`` is what other engines answer, empty if that was not looked up. ``operands`` are
    those whose derivative the row is about, None for all. ``applies(node)`` limits the row to some uses of
    the op. ``formula`` is the value of the printed formula, if that is not the answer.
    """

    __slots__ = ("applies", "at", "formula", "kind", "operands", "others", "says", "shows")

    def __init__(
        self,
        at: Callable[..., Any],
        says: str,
        others: str = "",
        *,
        kind: str = KINK,
        shows: tuple[int, ...] = (0,),
        operands: tuple[int, ...] | None = None,
        applies: Callable[[OpNode], bool] | None = None,
        formula: str = "",
    ) -> None:
        self.at = at
        self.says = says
        self.others = others
        self.kind = kind
        self.shows = shows
        self.operands = operands
        self.applies = applies
        self.formula = formula


def slope_in(operand: int, at: Callable[..., Any], says: str, others: str = "", **more: Any) -> Row:
    """A row about the slope with respect to one of two operands. The report shows both."""
    return Row(at, says, others, shows=(0, 1), operands=(operand,), **more)


# -- predicates that several rows share -----------------------------------------------------------------


def at_zero(out: Any, x: Any, *_: Any, **params: Any) -> Any:
    return x == 0


def both_zero(out: Any, x: Any, y: Any) -> Any:
    return (x == 0) & (y == 0)


def equal(out: Any, x: Any, y: Any, **params: Any) -> Any:
    return x == y


def at_whole(out: Any, x: Any) -> Any:
    """Where rounding changes nothing. Infinities are excluded: nothing jumps there."""
    return (out == x) & (x - x == 0)


def at_whole_but_zero(out: Any, x: Any) -> Any:
    return at_whole(out, x) & (x != 0)


def whole_quotient(out: Any, x: Any, y: Any) -> Any:
    return (out * y == x) & (y != 0)


def whole_quotient_but_zero(out: Any, x: Any, y: Any) -> Any:
    return whole_quotient(out, x, y) & (x != 0)


def result_is_zero(out: Any, *_: Any, **params: Any) -> Any:
    return out == 0


def nothing_to_add(out: Any, *_: Any, **params: Any) -> Any:
    """Where the result is the logarithm of a sum of exponentials that is 0."""
    return out == -inf


def tied(out: Any, x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The entries that attain the extreme (or the middle) together with others."""
    axes = tuple(range(np.ndim(x))) if dim is None else dim
    reached = x == (out if keepdim or not axes else np.expand_dims(out, axes))
    return reached & (np.sum(reached, axis=axes, keepdims=True) > 1)


def tied_sizes(out: Any, x: Any, *, ord: float, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """Like ``tied`` for the largest or smallest absolute value. A 0 counts without a tie: it has no sign."""
    size = np.abs(x)
    return tied(out, size, dim, keepdim) | ((size == 0) & tied_to(out, size, dim, keepdim))


def tied_to(out: Any, x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    axes = tuple(range(np.ndim(x))) if dim is None else dim
    return x == (out if keepdim or not axes else np.expand_dims(out, axes))


def largest_coordinates(out: Any, x: Any) -> Any:
    return tied_sizes(out, x, ord=inf, dim=(np.ndim(x) - 1,), keepdim=False)


def met_by_several(out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    """The positions where several of the entries scattered there attain the extreme."""
    from autodiff.core.ops.shape.pick import corner, grid

    places = grid(index, dim)
    counts = (x == out).astype(int)
    np.add.at(counts, places, source[corner(index.shape)] == out[places])
    return counts > 1


def norm_at(*orders: Callable[[float], bool]) -> Callable[..., Any]:
    """A predicate for norms of some orders: the entries that are 0."""
    return lambda out, x, *, ord, **_: (x == 0) & any(test(ord) for test in orders)


def zero_norm(out: Any, x: Any, *, ord: float, **_: Any) -> Any:
    return (out == 0) & (1 < ord < inf)


def is_of_tensors(*operands: int) -> Callable[[OpNode], bool]:
    """A test whether these operands are tensors. With a plain number the formula is a simpler one."""
    return lambda node: all(node.inputs[at] is not None for at in operands)


def is_of_two(node: OpNode) -> bool:
    """Whether the two operands differ. For ``maximum(x, x)`` the halves add up to the true slope."""
    first, second = node.inputs
    return first is None or first is not second


def norm_of(test: Callable[[float], bool]) -> Callable[[OpNode], bool]:
    return lambda node: test(node.params["ord"])
