"""Formulas that are right for symmetric matrices only, as those of covariances often are."""

from __future__ import annotations

from autodiff.grammar.by_hand.points import SamplePoints
from autodiff.grammar.by_hand.runs import SPREAD, SYMMETRY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns


def symmetric_points(formula: Formula, runs: ScriptRuns) -> SamplePoints | None:
    """Return points where all square matrices among the leaves are symmetric; None if there are none."""
    moved = runs.moved(SPREAD, SYMMETRY) if runs.square_leaves else []
    return SamplePoints(runs, formula, moved) if moved else None


def symmetric_names(formula: Formula, runs: ScriptRuns) -> str:
    """Return the names of the square leaves, those only that the formula reads if it reads some."""
    names = [str(leaf.name) for leaf in runs.square_leaves]
    return " and ".join([name for name in names if name in formula.names_read] or names)
