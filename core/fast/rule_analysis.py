"""Classification of an op's derivative rules: most local derivatives are a saved value and need no call.

The local derivatives of ``a*b`` are ``b`` and ``a``, that of ``exp(x)`` is its own value. The fast passes
classify each op once and then multiply directly.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.graph.op import APPLIERS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The cotangent of one operand, in this order: g, -g, none, g times a saved value (x, y or out), g times a
# function of x, g times the value of the partial, the value of the vjp.
SAME, NEGATED, NONE, TIMES_X, TIMES_Y, TIMES_OUT, TIMES_F_X, TIMES_PARTIAL, VJP = range(9)

#: The recipe of an op as a whole, so that a pass through numbers needs one test for most entries: not
#: analysed yet, a sum, a difference, a product, a function with a derivative that is a function of its
#: operand, other.
UNKNOWN, SUM, DIFFERENCE, PRODUCT, FUNCTION, OTHER = range(6)
PATTERNS = {
    (SAME, SAME): SUM,
    (SAME, NEGATED): DIFFERENCE,
    (TIMES_Y, TIMES_X): PRODUCT,
    (TIMES_F_X,): FUNCTION,
}


class Placeholder:
    """A placeholder for a value. A rule that returns it needs no call; rules that compute with it raise."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        raise TypeError

    __hash__ = None  # type: ignore[assignment] # never a key, as == is refused

    def __bool__(self) -> bool:
        raise TypeError

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError


class PlaceholderCall(Placeholder):
    """The value of an op's function at ``operand``."""

    __slots__ = ("function", "operand")

    def __init__(self, function: Any, operand: Any) -> None:
        self.function = function
        self.operand = operand


def apply_to_placeholder(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> PlaceholderCall:
    if len(operands) > 1 or params or op.scalar is None:
        raise TypeError
    return PlaceholderCall(op.scalar, operands[0])


def refuse(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
    raise TypeError


def classify_rules(op: Op) -> tuple[tuple[int, Any], ...]:
    """For each operand the kind of its rule, with the rule or the scalar function that it calls."""
    if op.vjps:
        return tuple((VJP, rule) for rule in op.fast_vjps or op.vjps)
    made: list[tuple[int, Any]] = []
    out, x, y = Placeholder(), Placeholder(), Placeholder()
    for partial in op.partials:
        if isinstance(partial, int):
            made.append((SAME if partial == 1 else NEGATED if partial == -1 else NONE, None))
            continue
        try:
            slope = partial(out, x) if len(op.partials) == 1 else partial(out, x, y)
        except (
            TypeError,
            GradientError,
        ):  # torch has no derivative; the pass reports it
            slope = None
        if isinstance(slope, PlaceholderCall) and slope.operand is x and len(op.partials) == 1:
            made.append((TIMES_F_X, slope.function))
            continue
        kind = (
            TIMES_X if slope is x else TIMES_Y if slope is y else TIMES_OUT if slope is out else TIMES_PARTIAL
        )
        made.append((kind, partial))
    return tuple(made)


def analyse_op(op: Op) -> None:
    """Analyse the rules of an op and store its recipe and pattern on it."""
    op.recipe = classify_rules(op)
    op.pattern = PATTERNS.get(tuple([kind for kind, _ in op.recipe]), OTHER)
    if op.pattern == FUNCTION:
        op.slope = op.recipe[0][1]


APPLIERS[Placeholder] = apply_to_placeholder
APPLIERS[PlaceholderCall] = refuse
