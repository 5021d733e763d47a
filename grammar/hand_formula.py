"""Checks a derivative that somebody worked out by hand: ``dL/dw1 == -w2*x1 - w3*x2``.

The formula is evaluated by the interpreter with the script's own values, where the script stands and at
points drawn at random around it, where the script is run again. Where it is not right, its
terms are set against the paths and, in the term that fits none, its factors against the derivatives of the
path that is left: what differs is the mistake.
"""

from __future__ import annotations

from autodiff.core.errors import UsageError
from autodiff.core.lazy import np
from autodiff.grammar.hand_blame import beyond, blame, elsewhere
from autodiff.grammar.hand_points import NEAR, SPREAD, Formula, Points, agreement, evaluate, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report import Subject
    from autodiff.grammar.moved_runs import Rerun
    from autodiff.grammar.run import Execution


class HandCheck:
    """What was found about one formula.

    ``is_right`` at every point, or at every one nearby; ``is_right_here`` where the script stands. Both are
    None where the values are the same and none of them is finite, which shows nothing. ``value`` is the
    formula's, ``gradient`` the right one. ``remarks`` say what is wrong, the first thing first; ``points`` is
    at how many points something finite was compared. ``entry`` is the one entry of the input that is meant,
    None for all of it.
    """

    __slots__ = (
        *("entry", "formula", "gradient", "is_right", "is_right_here", "output", "points", "remarks"),
        *("value", "wrt"),
    )

    def __init__(self, output: str, wrt: str, entry: tuple[int, ...] | None, formula: str) -> None:
        self.output = output
        self.wrt = wrt
        self.entry = entry
        self.formula = formula
        self.is_right: bool | None = True
        self.is_right_here: bool | None = True
        self.value: Any = None
        self.gradient: Any = None
        self.points = 1
        self.remarks: list[str] = []


def check_formula(
    formula: Formula, wrt: str, subject: Subject, execution: Execution, again: Rerun, seed: int
) -> HandCheck:
    """Compare a formula with the gradient of one input, here and where ``again`` runs the script."""
    node = dict(subject.wrt)[wrt]
    made = HandCheck(subject.name, wrt, formula.entry, formula.source.text)
    points = Points(subject, wrt, execution, again, seed, SPREAD)
    given = values_at(points, formula, wrt)
    made.value, made.gradient = given[0], points.gradients[0]
    shape = np.shape(made.gradient)
    if not fits(given[0].shape, shape):
        made.is_right = made.is_right_here = False
        made.remarks.append(f"the formula has the shape {spell(given[0].shape)}, the gradient {spell(shape)}")
        if given[0].T.shape == shape and same(given[0].T, made.gradient):
            made.remarks.append("its transpose is right")
        return made
    right = [agreement(value, g) for value, g in zip(given, points.gradients, strict=True)]
    made.is_right_here, made.is_right = right[0], all_of(right)
    shown = [at for at, is_right in enumerate(right) if is_right is not None]
    made.points = len(shown)
    if made.is_right is not False:
        return made
    points.keep(shown)
    given = [given[at] for at in shown]
    if made.is_right_here is not False:
        near = Points(subject, wrt, execution, again, seed, NEAR[made.gradient.dtype.name])
        if all_of(list(map(agreement, values_at(near, formula, wrt), near.gradients))):
            made.is_right = True
            made.remarks = beyond(points, given)
            return made
    if made.is_right_here is None:
        made.remarks = elsewhere(points, given)
    else:
        made.remarks = blame(formula, subject, node, points, given)
    return made


def all_of(answers: list[bool | None]) -> bool | None:
    """Whether it is right wherever there is an answer; None where there is none."""
    told = [answer for answer in answers if answer is not None]
    return all(told) if told else None


def values_at(points: Points, formula: Formula, wrt: str) -> list[Any]:
    """The values of a formula; the gradients it is compared with become those of its entry."""
    if formula.entry is not None:
        points.gradients = [entry_of(g, formula.entry, wrt) for g in points.whole]
    return [np.asarray(evaluate(formula.source.text, names)) for names in points.names]


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
