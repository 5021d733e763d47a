"""Checks a derivative that somebody worked out by hand: ``dL/dw1 == -w2*x1 - w3*x2``.

The formula is evaluated by the interpreter with the script's own values, where the script stands and at
points drawn at random around it; there the recorded graph is run again and swept. Where it is not right, its
terms are set against the paths and, in the term that fits none, its factors against the derivatives of the
path that is left: what differs is the mistake.
"""

from __future__ import annotations

from autodiff.core.errors import UsageError
from autodiff.core.lazy import np
from autodiff.grammar.hand_blame import blame
from autodiff.grammar.hand_points import Formula, Points, evaluate, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report import Subject
    from autodiff.grammar.run import Execution


class HandCheck:
    """What was found about one formula.

    ``is_right`` at every point; ``is_right_here`` where the script stands. ``value`` is the formula's,
    ``gradient`` the right one. ``remarks`` say what is wrong, the first thing first; ``points`` is at how
    many points it was tried.
    """

    __slots__ = (
        *("formula", "gradient", "is_right", "is_right_here", "output", "points", "remarks", "value", "wrt"),
    )

    def __init__(self, output: str, wrt: str, formula: str) -> None:
        self.output = output
        self.wrt = wrt
        self.formula = formula
        self.is_right = True
        self.is_right_here = True
        self.value: Any = None
        self.gradient: Any = None
        self.points = 1
        self.remarks: list[str] = []


def check_formula(formula: Formula, wrt: str, subject: Subject, execution: Execution, seed: int) -> HandCheck:
    """Compare a formula with the gradient of one input."""
    node = dict(subject.wrt)[wrt]
    made = HandCheck(subject.name, wrt, formula.source.text)
    points = Points(subject, node, execution, seed)
    values = [evaluate(formula.source.text, point) for point in points.names]
    given = [np.asarray(value) for value in values]
    if formula.entry is not None:
        points.gradients = [entry_of(g, formula.entry, wrt) for g in points.gradients]
    made.points = len(given)
    made.value, made.gradient = given[0], points.gradients[0]
    shape = np.shape(made.gradient)
    if not fits(given[0].shape, shape):
        made.is_right = made.is_right_here = False
        made.remarks.append(f"the formula has the shape {spell(given[0].shape)}, the gradient {spell(shape)}")
        if given[0].T.shape == shape and same(given[0].T, made.gradient):
            made.remarks.append("its transpose is right")
        return made
    right = [same(value, g) for value, g in zip(given, points.gradients, strict=True)]
    made.is_right_here, made.is_right = right[0], all(right)
    if not made.is_right:
        made.remarks = blame(formula, subject, node, points, given)
    return made


def entry_of(g: Any, entry: tuple[int, ...], wrt: str) -> Any:
    """One entry of a gradient."""
    if len(entry) != np.ndim(g) or not all(-n <= i < n for i, n in zip(entry, np.shape(g), strict=True)):
        raise UsageError(
            f"--formula: {wrt} has no entry {list(entry)}: its shape is {spell(np.shape(g))}", code="E0610"
        )
    return np.asarray(g[entry])


def fits(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a formula of one shape can stand for a gradient of another."""
    try:
        return np.broadcast_shapes(shape, other) == other
    except ValueError:
        return False


def spell(shape: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
