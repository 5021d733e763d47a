"""A plain number as the answer: it may be right at the script's values and at no others."""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import LazyModule
from autodiff.grammar.by_hand.points import values_equal
from autodiff.grammar.by_hand.sentences import MAX_INPUTS, format_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints

describing = LazyModule("autodiff.core.derivation.describe")

#: A longer formula of the derivative is not shown.
LONGEST_SHOWN = 60
WORD = re.compile(r"[^\W\d]\w*")


def right_here_remark(formula: Formula, points: SamplePoints, computed: list[Any]) -> str:
    """Return where a number is right and where not, and what the derivative is if a short formula says it."""
    derivative = derivative_text(formula, points)
    read = set(WORD.findall(derivative))
    leaves = sorted(points.leaves, key=lambda leaf: leaf.number)
    leaves = [leaf for leaf in leaves if leaf.name in read] or leaves
    wrong = [at for at, g in enumerate(points.gradients) if at and not values_equal(computed[at], g)]
    right, other = "the script's values", "others"
    if (
        wrong
        and len(leaves) <= MAX_INPUTS
        and all(leaf.name is not None and not leaf.shape for leaf in leaves)
    ):
        right, other = (
            " and ".join(f"{leaf.name} = {format_number(points.leaf_value(leaf, at))}" for leaf in leaves)
            for at in (0, wrong[0])
        )
    what = "derivative" if formula.is_second else "gradient"
    digits = formula.digits and f" {formula.digits}"
    remark = f"it is a number, right{digits} at {right} and wrong at {other}"
    return remark + (f": the {what} is {derivative}" if derivative else "")


def derivative_text(formula: Formula, points: SamplePoints) -> str:
    """Return the derivative as a short formula in the script's names; "" if there is none."""
    if formula.is_second:
        points, _ = points.in_gradient_graph(formula.inputs)
    if points.node is None or formula.place is not None:
        return ""
    index = [node for _, node in points.subject.wrt].index(points.node)
    report = describing.describe(
        points.subject,
        points.source,
        graph=False,
        derivations=False,
        formulas=index + 1,
        called=points.called,
    )
    text = report.formulas[index] if index < len(report.formulas) else ""
    return text if len(text) <= LONGEST_SHOWN else ""
