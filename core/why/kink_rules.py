"""The class for one row of the kink table: a kind of point of an op, how to find it, what to report there.

Predicates work on floats as well as on arrays, so that a script of plain numbers needs no numpy.
"""

from __future__ import annotations

from math import inf

from autodiff.core.base.lazy_imports import np

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
FORMULA_GAP = "gap"
#: The slopes of the two sides agree, but their own slopes do not: a kink of the first derivative.
SLOPE_KINK = "bend"

#: Tolerance: alpha times 1/alpha, the factor in ``celu``, need not be 1 to the last digit.
CELU_TOLERANCE = 1e-12


class KinkRule:
    """One kind of point of one op.

    ``at(out, *operands, **params)`` marks the entries that lie on such a point. The marks have the shape of
    the operand that ``shown_operands`` names, of all operands broadcast together for an elementwise op, or of
    the result if ``shown_operands`` is empty. ``convention`` is the convention, a ``str.format`` template for
    the op's parameters. ``others`` is what other engines answer, empty if that was not looked up.
    ``operands`` are those whose derivative the row is about, None for all. ``applies(node)`` limits the row
    to some uses of the op. ``formula`` is the value of the printed formula, if that is not the answer.
    """

    __slots__ = ("applies", "at", "convention", "formula", "kind", "operands", "others", "shown_operands")

    def __init__(
        self,
        find_points: Callable[..., Any],
        convention: str,
        elsewhere: str = "",
        *,
        kind: str = KINK,
        shown_operands: tuple[int, ...] = (0,),
        operands: tuple[int, ...] | None = None,
        applies: Callable[[OpNode], bool] | None = None,
        formula: str = "",
    ) -> None:
        self.at = find_points
        self.convention = convention
        self.others = elsewhere
        self.kind = kind
        self.shown_operands = shown_operands
        self.operands = operands
        self.applies = applies
        self.formula = formula


def slope_rule(
    operand: int, find_points: Callable[..., Any], convention: str, elsewhere: str = "", **more: Any
) -> KinkRule:
    """A row about the slope with respect to one of two operands. The report shows both."""
    return KinkRule(find_points, convention, elsewhere, shown_operands=(0, 1), operands=(operand,), **more)


# -- predicates that several rows share -----------------------------------------------------------------


def at_zero(out: Any, x: Any, *_: Any, **params: Any) -> Any:
    return x == 0


def both_zero(out: Any, x: Any, y: Any) -> Any:
    return (x == 0) & (y == 0)


def operands_equal(out: Any, x: Any, y: Any, **params: Any) -> Any:
    return x == y


def at_integer(out: Any, x: Any) -> Any:
    """Where rounding changes nothing. Infinities are excluded: nothing jumps there."""
    return (out == x) & (x - x == 0)


def at_nonzero_integer(out: Any, x: Any) -> Any:
    return at_integer(out, x) & (x != 0)


def integer_quotient(out: Any, x: Any, y: Any) -> Any:
    return (out * y == x) & (y != 0)


def nonzero_integer_quotient(out: Any, x: Any, y: Any) -> Any:
    return integer_quotient(out, x, y) & (x != 0)


def result_is_zero(out: Any, *_: Any, **params: Any) -> Any:
    return out == 0


def sum_of_exps_is_zero(out: Any, *_: Any, **params: Any) -> Any:
    """Where the result is the logarithm of a sum of exponentials that is 0."""
    return out == -inf


def tied_entries(out: Any, x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """The entries that attain the extreme (or the middle) together with others."""
    axes = tuple(range(np.ndim(x))) if dim is None else dim
    reached = x == (out if keepdim or not axes else np.expand_dims(out, axes))
    return reached & (np.sum(reached, axis=axes, keepdims=True) > 1)


def tied_magnitudes(out: Any, x: Any, *, ord: float, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    """Like ``tied_entries`` for the largest or smallest absolute value. A 0 counts without a tie: it has no
    sign.
    """
    size = np.abs(x)
    return tied_entries(out, size, dim, keepdim) | ((size == 0) & entries_at_extreme(out, size, dim, keepdim))


def entries_at_extreme(out: Any, x: Any, dim: tuple[int, ...] | None, keepdim: bool) -> Any:
    axes = tuple(range(np.ndim(x))) if dim is None else dim
    return x == (out if keepdim or not axes else np.expand_dims(out, axes))


def largest_coordinates(out: Any, x: Any) -> Any:
    return tied_magnitudes(out, x, ord=inf, dim=(np.ndim(x) - 1,), keepdim=False)


def tied_scatter_positions(out: Any, x: Any, source: Any, *, dim: int, index: Any) -> Any:
    """The positions where several of the entries scattered there attain the extreme."""
    from autodiff.core.ops.shape.picking_ops import gather_index, leading_block

    places = gather_index(index, dim)
    counts = (x == out).astype(int)
    np.add.at(counts, places, source[leading_block(index.shape)] == out[places])
    return counts > 1


def zero_entries_of_norm(*orders: Callable[[float], bool]) -> Callable[..., Any]:
    """A predicate for norms of some orders: the entries that are 0."""
    return lambda out, x, *, ord, **_: (x == 0) & any(test(ord) for test in orders)


def zero_norm(out: Any, x: Any, *, ord: float, **_: Any) -> Any:
    return (out == 0) & (1 < ord < inf)


def are_tensors(*operands: int) -> Callable[[OpNode], bool]:
    """A test whether these operands are tensors. With a plain number the formula is a simpler one."""
    return lambda node: all(node.inputs[at] is not None for at in operands)


def operands_differ(node: OpNode) -> bool:
    """Whether the two operands differ. For ``maximum(x, x)`` the halves add up to the true slope."""
    first, second = node.inputs
    return first is None or first is not second


def has_norm_order(test: Callable[[float], bool]) -> Callable[[OpNode], bool]:
    return lambda node: test(node.params["ord"])
