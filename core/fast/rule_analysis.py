"""What the rules of an op come to when they are followed: most answer a saved value, and need no call.

``a*b`` has the slopes ``b`` and ``a``, ``exp(x)`` has its own value. The passes that are written for speed
ask once per op and multiply then.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.graph.op import APPLIERS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# g, -g, nothing, g times a value that is at hand, g times what one function gives for x or the opposite of
# that, g times what the rule answers, what the rule answers.
SAME, NEGATED, NONE, TIMES_X, TIMES_Y, TIMES_OUT, CALL_X, MINUS_CALL_X, TIMES, VJP = range(10)

#: What the recipe of an op is as a whole, so that a pass through numbers asks one question at most entries:
#: not known yet, a sum, a difference, a product, a function whose slope is another function of its operand,
#: something else.
UNKNOWN, SUM, DIFFERENCE, PRODUCT, FUNCTION, OTHER = range(6)
PATTERNS = {
    (SAME, SAME): SUM,
    (SAME, NEGATED): DIFFERENCE,
    (TIMES_Y, TIMES_X): PRODUCT,
    (CALL_X,): FUNCTION,
}


class Stand:
    """Stands for a value: a rule that answers it as it is needs no computing, any other fails on it."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        raise TypeError

    __hash__ = None  # type: ignore[assignment] # nothing looks it up, and == is refused

    def __bool__(self) -> bool:
        raise TypeError

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError


class Call(Stand):
    """What the function of an op answers for ``of``, or the opposite of that."""

    __slots__ = ("function", "kind", "of")

    def __init__(self, kind: int, function: Any, of: Any) -> None:
        self.kind = kind
        self.function = function
        self.of = of

    def __neg__(self) -> Call:
        return Call(MINUS_CALL_X if self.kind == CALL_X else CALL_X, self.function, self.of)


def called(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Call:
    if len(operands) > 1 or params or op.scalar is None:
        raise TypeError
    return Call(CALL_X, op.scalar, operands[0])


def refuse(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
    raise TypeError


def recipe_of(op: Op) -> tuple[tuple[int, Any], ...]:
    """What the rule of each operand comes to, with the rule, or the function of numbers that it calls."""
    if op.vjps:
        return tuple((VJP, rule) for rule in op.fast_vjps or op.vjps)
    made: list[tuple[int, Any]] = []
    out, x, y = Stand(), Stand(), Stand()
    for partial in op.partials:
        if isinstance(partial, int):
            made.append((SAME if partial == 1 else NEGATED if partial == -1 else NONE, None))
            continue
        try:
            slope = partial(out, x) if len(op.partials) == 1 else partial(out, x, y)
        except (
            TypeError,
            GradientError,
        ):  # torch has no derivative: passes say so
            slope = None
        if isinstance(slope, Call) and slope.of is x and len(op.partials) == 1:
            made.append((slope.kind, slope.function))
            continue
        kind = TIMES_X if slope is x else TIMES_Y if slope is y else TIMES_OUT if slope is out else TIMES
        made.append((kind, partial))
    return tuple(made)


def learn(op: Op) -> None:
    """Note the recipe of an op with it."""
    op.recipe = recipe_of(op)
    op.pattern = PATTERNS.get(tuple([kind for kind, _ in op.recipe]), OTHER)
    if op.pattern == FUNCTION:
        op.slope = op.recipe[0][1]


APPLIERS[Stand] = called
APPLIERS[Call] = refuse
