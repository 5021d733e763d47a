"""A path read as a sentence: what happens to the output when the input grows by one."""

from __future__ import annotations

from autodiff.core.expr import number, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DIGITS = 6
#: Of a longer path the first and the last steps are told.
MOST_STEPS = 8


def path_in_words(names: Sequence[str], rates: Sequence[float]) -> str:
    """``names`` from the input to the output and the derivative of each step between them.

    >>> path_in_words(["a", "c", "e"], [1.0, 2.0])
    'if a grows by 1, c grows by 1, so e grows by 2'
    >>> path_in_words(["w", "x", "L"], [3.0, -2.0])
    'if w grows by 1, x grows by 3, so L falls by 6'
    """
    said = []
    rate = 1.0
    for name, step in zip(names[1:], rates, strict=True):
        rate *= step
        said.append(f"{name} {_change(rate)}")
    if len(said) > MOST_STEPS:
        half = MOST_STEPS // 2
        said = [*said[:half], "and so on until " + said[-half], *said[1 - half :]]
    first, *others = said
    return ", so ".join([f"if {names[0]} grows by 1, {first}", *others]).replace("so and so", "and so")


def _change(rate: float) -> str:
    if rate == 0:
        return "stays as it is"
    verb = "falls" if rate < 0 else "grows"
    return f"{verb} by {text(number(abs(rate)), digits=DIGITS)}"
