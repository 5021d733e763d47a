"""Runs in which the script took another branch: a formula is tried there by itself.

Their graphs are others, so that paths and factors cannot be compared; values can.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.points import SamplePoints, formula_values
from autodiff.grammar.by_hand.sentences import counterexample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns


def compared_elsewhere(formula: Formula, runs: ScriptRuns) -> list[tuple[bool | None, list[str]]]:
    """Return whether a formula is right in each run with another graph, and the point where it is wrong.

    Runs where it cannot be computed are left out, and so are steps of derivations, which know one graph.
    """
    found: list[tuple[bool | None, list[str]]] = []
    for one in runs.elsewhere if formula.workings is None else ():
        try:
            if not set(formula.inputs) <= dict(one.first.subject.wrt).keys():
                continue
            points = SamplePoints(one, formula, [one.first])
            computed = formula_values(points, formula)
            if computed[0].shape == points.gradients[0].shape:
                [is_right] = points.compare(computed)
                found.append((is_right, counterexample(points, computed) if is_right is False else []))
        except UsageError:
            continue
    return found


def other_side_remarks(formula: Formula, runs: ScriptRuns) -> list[str]:
    """Return remarks on a formula that is wrong where the script takes another branch, else none."""
    for is_right, where in compared_elsewhere(formula, runs):
        if is_right is False:
            return ["it is wrong where the script takes another branch", *where]
    return []


def is_right_elsewhere(formula: Formula, runs: ScriptRuns) -> bool:
    """Whether a formula is right at every other point, where the script takes another branch than here."""
    found = [is_right for is_right, _ in compared_elsewhere(formula, runs) if is_right is not None]
    return bool(found) and all(found)
