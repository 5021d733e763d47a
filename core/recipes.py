"""What the rules of an op come to when they are followed: most answer a saved value, and need no call.

``a*b`` has the slopes ``b`` and ``a``, ``exp(x)`` has its own value. The passes that are written for speed
ask once per op and multiply then.
"""

from __future__ import annotations

from autodiff.core.op import APPLIERS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# g, -g, nothing, g times a value that is at hand, g times what the rule answers, what the rule answers.
SAME, NEGATED, NONE, TIMES_X, TIMES_Y, TIMES_OUT, TIMES, VJP = range(8)


class Stand:
    """Stands for a value: a rule that answers it as it is needs no computing, any other fails on it."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        raise TypeError

    __hash__ = None  # type: ignore[assignment] # nothing looks it up, and == is refused


def refuse_stand(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
    raise TypeError


def recipe_of(op: Op) -> tuple[tuple[int, Any], ...]:
    """What the rule of each operand comes to, with the rule."""
    if op.vjps:
        return tuple((VJP, rule) for rule in op.vjps)
    made: list[tuple[int, Any]] = []
    out, x, y = Stand(), Stand(), Stand()
    for partial in op.partials:
        if isinstance(partial, int):
            made.append((SAME if partial == 1 else NEGATED if partial == -1 else NONE, None))
            continue
        try:
            slope = partial(out, x) if len(op.partials) == 1 else partial(out, x, y)
        except TypeError:
            slope = None
        kind = TIMES_X if slope is x else TIMES_Y if slope is y else TIMES_OUT if slope is out else TIMES
        made.append((kind, partial))
    return tuple(made)


APPLIERS[Stand] = refuse_stand
