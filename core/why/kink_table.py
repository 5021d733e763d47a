"""The table of kinks, jumps and singular points of ops, and the derivative that each is given there.

A row says which entries of which op it is about, what is answered there, and what other engines answer. Every
answer is PyTorch's (2.13) unless the row says otherwise; ``tests/core/why/test_kink_remarks.py`` checks the
rows. JAX stands for 0.10, HIPS autograd for 1.9, MyGrad for 2.5.

Predicates work on floats as well as on arrays, so that a script of plain numbers needs no numpy.
"""

from __future__ import annotations

from math import inf

from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.report.kink import FORMULA_GAP, JUMP, KINK, REPEATED, SINGULAR, SLOPE_KINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import OpNode

repeated_positions = LazyModule("autodiff.core.why.repeated_positions")

#: Tolerance: alpha times 1/alpha, the factor in ``celu``, need not be 1 to the last digit.
CELU_TOLERANCE = 1e-12
#: Relative to the largest: eigenvalues of a rounded matrix that repeat differ by as much.
REPEATED_TOLERANCE = 1e-13


class KinkRule:
    """One kind of point of one op.

    ``find_points(out, *operands, **params)`` marks the entries that lie on such a point. The marks have the
    shape of the operand that ``shown_operands`` names, of all operands broadcast together for an elementwise
    op, or of the result if ``shown_operands`` is empty. ``convention`` is the convention, a ``str.format``
    template for the op's parameters. ``others`` is what other engines answer, empty if that was not looked
    up. ``operands`` are those whose derivative the row is about, None for all. ``applies(node)`` limits the
    row to some uses of the op. ``formula`` is the value of the printed formula, if that is not the answer.
    """

    __slots__ = (
        "applies",
        "convention",
        "find_points",
        "formula",
        "kind",
        "operands",
        "others",
        "shown_operands",
    )

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
        self.find_points = find_points
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


def overwriting_rule(find: Callable[..., Any], adding: str) -> KinkRule:
    """A row about an op that writes values to positions, of which some may occur twice."""
    convention = f"{LAST_VALUE}; {adding} adds all values"
    return KinkRule(find, convention, kind=REPEATED, shown_operands=(1,), operands=(1,))


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


def repeated_values(out: Any, x: Any) -> Any:
    """The entries that are equal to a neighbour up to rounding."""
    equal = np.abs(np.diff(out)) <= REPEATED_TOLERANCE * np.abs(out).max(axis=-1, keepdims=True)
    beside = [(0, 0)] * (equal.ndim - 1)
    return np.pad(equal, [*beside, (0, 1)]) | np.pad(equal, [*beside, (1, 0)])


def vanishing_values(out: Any, x: Any) -> Any:
    """The singular values that are 0 up to rounding: their slope is that of an absolute value."""
    return out <= REPEATED_TOLERANCE * out.max(axis=-1, keepdims=True)


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


# -- the table --------------------------------------------------------------------------------------------

INSIDE = "the bound counts as inside, so its slope is 1; PyTorch 2.14 answers 0"
CLAMPS = "JAX answers 0.5, HIPS autograd and MyGrad 0"
FLAT = "the slope is 0, as everywhere else"
ALL_FLAT = "JAX, HIPS autograd and MyGrad answer 0 too"
SHARED = "entries that tie share the gradient equally"
WITHOUT_JUMP = "the slope is that beside the jump"
NEGATIVE_SIDE = "the slope is that of the negative side"
ZERO = "the slope is 0"
OWN_VECTOR = "each of the equal values has the slope along its own {}, of which there is a choice"
VANISHING = "a value of 0 has the slope along its pair of singular vectors, whose signs are a choice"
LAST_VALUE = "the last value counts alone, and each receives the gradient of the position"
SLOPE_OUTSIDE = "the slope's own slope is that of the outside, 0"
BOUND_GETS = "the bound itself receives nothing"
OF_A_TIE = "JAX and HIPS autograd share it as well, MyGrad gives it to the first"
NAN_ELSEWHERE = "JAX, HIPS autograd and MyGrad answer nan"

KINK_RULES: dict[str, tuple[KinkRule, ...]] = {
    # sides of a number
    "abs": (KinkRule(at_zero, ZERO, "HIPS autograd and MyGrad answer 0 too, JAX 1"),),
    "relu": (KinkRule(at_zero, ZERO, "JAX and MyGrad answer 0 too, HIPS autograd, by way of maximum, 0.5"),),
    "sign": (KinkRule(at_zero, FLAT, "JAX and HIPS autograd answer 0 too, MyGrad has no sign", kind=JUMP),),
    "leaky_relu": (
        KinkRule(
            lambda out, x, negative_slope: (x == 0) & (negative_slope != 1),
            f"{NEGATIVE_SIDE}, {{negative_slope:g}}",
            "JAX answers 1, MyGrad 0",
        ),
    ),
    "prelu": (
        KinkRule(
            lambda out, x, weight: (x == 0) & (weight != 1),
            NEGATIVE_SIDE,
            shown_operands=(0, 1),
            operands=(0,),
        ),
    ),
    "elu": (
        KinkRule(
            lambda out, x, alpha, scale, input_scale: (
                (x == 0) & (abs(alpha * input_scale - 1) > CELU_TOLERANCE)
            ),
            NEGATIVE_SIDE,
        ),
        KinkRule(
            lambda out, x, alpha, scale, input_scale: (
                (x == 0) & (abs(alpha * input_scale - 1) <= CELU_TOLERANCE)
            ),
            "the slope's own slope is that of the positive side, 0",
            kind=SLOPE_KINK,
        ),
    ),
    "copysign": (
        KinkRule(at_zero, ZERO, operands=(0,), formula="0/0"),
        KinkRule(lambda out, x, y: (y == 0) & (x != 0), FLAT, kind=JUMP, shown_operands=(1,), operands=(1,)),
    ),
    # bounds
    "clamp": (
        KinkRule(lambda out, x, low, high: (x == low) | (x == high), INSIDE, CLAMPS, operands=(0,)),
        KinkRule(
            lambda out, x, low, high: (x == low) | (x == high),
            BOUND_GETS,
            shown_operands=(0, 1, 2),
            operands=(1, 2),
        ),
    ),
    "clamp_min": (
        KinkRule(operands_equal, INSIDE, CLAMPS, operands=(0,)),
        KinkRule(operands_equal, BOUND_GETS, shown_operands=(0, 1), operands=(1,)),
    ),
    "clamp_max": (
        KinkRule(operands_equal, INSIDE, CLAMPS, operands=(0,)),
        KinkRule(operands_equal, BOUND_GETS, shown_operands=(0, 1), operands=(1,)),
    ),
    "hardtanh": (
        KinkRule(
            lambda out, x, min_val, max_val: (x == 6) & (min_val == 0) & (max_val == 6),
            "the slope at a bound is 0",
            "JAX's relu6 answers 0 too",
        ),
        KinkRule(
            lambda out, x, min_val, max_val: (
                (x == min_val) | ((x == max_val) & ((min_val != 0) | (max_val != 6)))
            ),
            "the slope at a bound is 0",
        ),
    ),
    "hardsigmoid": (KinkRule(lambda out, x: (x == -3) | (x == 3), "the slope at a bound is 0"),),
    "hardswish": (
        KinkRule(lambda out, x: x == -3, "the slope is that of the outside, 0"),
        KinkRule(lambda out, x: x == 3, "the slope is that of the outside, 1"),
    ),
    "softshrink": (
        KinkRule(lambda out, x, lambd: (x == lambd) | (x == -lambd), "the slope at a bound is 0"),
    ),
    "hardshrink": (
        KinkRule(
            lambda out, x, lambd: (x == lambd) | (x == -lambd),
            "the slope at a bound is 0",
            kind=JUMP,
            applies=lambda node: node.params["lambd"] != 0,
        ),
        # This is the identity, but its rule takes 0 for inside the bounds, which leave no inside.
        KinkRule(at_zero, ZERO, kind=SINGULAR, applies=lambda node: node.params["lambd"] == 0),
    ),
    "threshold": (
        KinkRule(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            kind=JUMP,
            applies=lambda node: node.params["threshold"] != node.params["value"],
        ),
        KinkRule(
            lambda out, x, threshold, value: x == threshold,
            "the slope at the threshold is 0",
            applies=lambda node: node.params["threshold"] == node.params["value"],
        ),
    ),
    "logit_within": (
        KinkRule(
            lambda out, x, eps: (x == eps) | (x == 1 - eps), "the slope at a bound is that of the inside"
        ),
    ),
    # the larger of two
    "maximum": (
        KinkRule(
            operands_equal,
            "each of the two receives half",
            "JAX and HIPS autograd share it as well, MyGrad answers 0 for both",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    "minimum": (
        KinkRule(
            operands_equal, "each of the two receives half", shown_operands=(0, 1), applies=operands_differ
        ),
    ),
    "fmax": (
        KinkRule(
            operands_equal,
            "the first of the two receives all",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    "fmin": (
        KinkRule(
            operands_equal,
            "the first of the two receives all",
            shown_operands=(0, 1),
            applies=operands_differ,
        ),
    ),
    # the largest of many; for picked entries ``kinks`` compares what the tied entries received
    "amax": (KinkRule(tied_entries, SHARED, OF_A_TIE),),
    "amin": (KinkRule(tied_entries, SHARED),),
    "median": (KinkRule(tied_entries, SHARED, "JAX takes the mean of the two middle entries"),),
    "nanmedian": (KinkRule(tied_entries, SHARED),),
    "scatter_amax": (KinkRule(tied_scatter_positions, SHARED, shown_operands=()),),
    "scatter_amin": (KinkRule(tied_scatter_positions, SHARED, shown_operands=()),),
    "largest_coordinate": (KinkRule(largest_coordinates, "each of those that tie receives the whole slope"),),
    # steps
    "floor": (KinkRule(at_integer, FLAT, ALL_FLAT, kind=JUMP),),
    "ceil": (KinkRule(at_integer, FLAT, kind=JUMP),),
    "trunc": (KinkRule(at_nonzero_integer, FLAT, kind=JUMP),),
    "round": (KinkRule(lambda out, x: abs(x - out) == 0.5, FLAT, ALL_FLAT, kind=JUMP),),
    "round_to": (KinkRule(lambda out, x, decimals: x * 10.0**decimals % 1 == 0.5, FLAT, kind=JUMP),),
    "frac": (KinkRule(lambda out, x: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP),),
    "remainder": (KinkRule(result_is_zero, WITHOUT_JUMP, kind=JUMP, shown_operands=(0, 1)),),
    "fmod": (
        KinkRule(lambda out, x, y: (out == 0) & (x != 0), WITHOUT_JUMP, kind=JUMP, shown_operands=(0, 1)),
    ),
    "div_floor": (KinkRule(integer_quotient, FLAT, kind=JUMP, shown_operands=(0, 1)),),
    "div_trunc": (KinkRule(nonzero_integer_quotient, FLAT, kind=JUMP, shown_operands=(0, 1)),),
    "mantissa": (KinkRule(lambda out, x: abs(out) == 0.5, WITHOUT_JUMP, kind=JUMP),),
    # norms and spreads
    "vector_norm": (
        KinkRule(
            zero_norm,
            ZERO,
            NAN_ELSEWHERE,
            shown_operands=(),
            applies=has_norm_order(lambda ord: ord == 2),
            formula="0/0",
        ),
        KinkRule(
            zero_norm, ZERO, shown_operands=(), applies=has_norm_order(lambda ord: ord != 2), formula="0/0"
        ),
        KinkRule(zero_entries_of_norm(lambda ord: ord == 1), ZERO),
        KinkRule(
            zero_entries_of_norm(lambda ord: 0 < ord < 1), ZERO, kind=SINGULAR, formula="0 times infinity"
        ),
        KinkRule(zero_entries_of_norm(lambda ord: ord == 0), FLAT, kind=JUMP),
        KinkRule(
            tied_magnitudes,
            "entries that tie share the gradient equally, and an entry of 0 receives none",
            applies=has_norm_order(lambda ord: ord in (inf, -inf)),
        ),
    ),
    "std": (KinkRule(result_is_zero, ZERO, NAN_ELSEWHERE, shown_operands=(), formula="0/0"),),
    # powers, angles, logarithms
    "pow": (
        slope_rule(
            0,
            both_zero,
            "the slope in the base is 0, since x**0 is 1 everywhere",
            "HIPS autograd and MyGrad answer 0 too, JAX nan",
            kind=FORMULA_GAP,
            applies=are_tensors(1),
            formula="0 times infinity",
        ),
        slope_rule(
            1,
            both_zero,
            "the slope in the exponent is 0",
            "JAX, HIPS autograd and MyGrad answer 0 too",
            kind=JUMP,
            formula="log(0)",
        ),
        slope_rule(
            1,
            lambda out, x, y: (x == 0) & (y > 0),
            "the slope in the exponent is 0, since 0**y is 0 for every y above 0",
            kind=FORMULA_GAP,
            formula="0 times log(0)",
        ),
    ),
    "atan2": (
        KinkRule(
            both_zero,
            "both slopes are 0",
            NAN_ELSEWHERE,
            kind=SINGULAR,
            shown_operands=(0, 1),
            formula="0 times 1/0",
        ),
    ),
    "hypot": (
        KinkRule(
            both_zero,
            "both slopes are nan",
            "HIPS autograd answers nan too, JAX 0.5 for both",
            shown_operands=(0, 1),
        ),
    ),
    "xlogy": (
        slope_rule(
            0,
            both_zero,
            "the slope in the first operand is 0",
            "JAX answers -infinity",
            kind=SINGULAR,
            formula="log(0)",
        ),
        slope_rule(
            1,
            both_zero,
            "the slope in the second operand is nan",
            "JAX answers nan too",
            kind=SINGULAR,
        ),
        slope_rule(
            0,
            lambda out, x, y: (x == 0) & (y < 0),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="the logarithm of a negative number",
        ),
    ),
    "xlog1py": (
        slope_rule(
            0,
            lambda out, x, y: (x == 0) & (y <= -1),
            "the slope in the first operand is 0",
            kind=SINGULAR,
            formula="a logarithm of no positive number",
        ),
    ),
    "sinc": (
        KinkRule(
            at_zero,
            "the slope is 0, the limit",
            "JAX and MyGrad answer 0 too, HIPS autograd nan",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "logaddexp": (
        KinkRule(sum_of_exps_is_zero, "both slopes are nan", kind=SINGULAR, shown_operands=(0, 1)),
    ),
    "logaddexp2": (
        KinkRule(sum_of_exps_is_zero, "both slopes are nan", kind=SINGULAR, shown_operands=(0, 1)),
    ),
    "logsumexp": (
        KinkRule(
            sum_of_exps_is_zero, "the slope is nan", "JAX answers nan too", kind=SINGULAR, shown_operands=()
        ),
    ),
    "logcumsumexp": (KinkRule(sum_of_exps_is_zero, "the slope is nan", kind=SINGULAR, shown_operands=()),),
    # products
    "prod": (
        KinkRule(
            at_zero,
            "the slope is the product of the other entries",
            "JAX and MyGrad answer the same, HIPS autograd nan",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "cumprod": (
        KinkRule(
            at_zero,
            "the slope is made of the products of the other entries",
            "JAX and MyGrad answer the same",
            kind=FORMULA_GAP,
            formula="0/0",
        ),
    ),
    "det": (
        KinkRule(
            result_is_zero,
            "the gradient is the matrix of cofactors, as at every matrix",
            "PyTorch answers zeros, JAX a finite matrix, HIPS autograd raises LinAlgError",
            kind=FORMULA_GAP,
            shown_operands=(),
        ),
    ),
    # factorizations
    "eigenvalues": (KinkRule(repeated_values, OWN_VECTOR.format("eigenvector"), shown_operands=()),),
    "singular_values": (
        KinkRule(repeated_values, OWN_VECTOR.format("pair of singular vectors"), shown_operands=()),
        KinkRule(vanishing_values, VANISHING, shown_operands=()),
    ),
    # writing
    "index_put": (
        overwriting_rule(
            lambda *of, **to: repeated_positions.of_index_put(*of, **to), "index_put(..., accumulate=True)"
        ),
    ),
    "index_copy": (
        overwriting_rule(lambda *of, **to: repeated_positions.of_index_copy(*of, **to), "index_add"),
    ),
    "scatter": (overwriting_rule(lambda *of, **to: repeated_positions.of_scatter(*of, **to), "scatter_add"),),
    # losses
    "smooth_l1_loss": (
        KinkRule(
            lambda out, x, y, *, beta, reduction: abs(x - y) == beta,
            SLOPE_OUTSIDE,
            kind=SLOPE_KINK,
            shown_operands=(0, 1),
        ),
    ),
    "huber_loss": (
        KinkRule(
            lambda out, x, y, *, delta, reduction: abs(x - y) == delta,
            SLOPE_OUTSIDE,
            kind=SLOPE_KINK,
            shown_operands=(0, 1),
        ),
    ),
}

#: Ops that pass on entries which they chose by size. ``Op.kink`` of their record says what happens in a tie;
#: it is empty if the script gave the positions.
TIE_OPS = ("pick", "gather")
#: What other engines do with a tie, by torch's name for the node.
TIES_ELSEWHERE = {
    "MaxBackward0": "JAX and HIPS autograd share it, MyGrad gives it to the first",
    "CummaxBackward0": "for [1, 1, 2] JAX answers 1.5, 0.5, 1 and PyTorch 1, 1, 1",
}
