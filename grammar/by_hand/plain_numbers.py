"""A plain number as the answer: it may be right at the script's values and at no others."""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.grammar.by_hand.sentences import MAX_INPUTS, format_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints

describing = LazyModule("autodiff.core.derivation.describe")

#: A longer formula of the derivative is not shown.
LONGEST_SHOWN = 60
WORD = re.compile(r"[^\W\d]\w*")


def right_here_remark(formula: Formula, points: SamplePoints) -> str:
    """Return where a number is right, and what the derivative is elsewhere if a short formula says it."""
    derivative = derivative_text(formula, points)
    read = set(WORD.findall(derivative))
    known = set(points.variables())
    names = [name for name in points.names[0] if name in read & known]
    if not derivative:
        names = [str(leaf.name) for leaf in sorted(points.leaves, key=lambda leaf: leaf.number)]
    where = "the script's values"
    if names and len(names) <= MAX_INPUTS and all(name in points.names[0] for name in names):
        values = [points.number(name, 0) for name in names]
        if not any(map(np.ndim, values)):
            named = zip(names, values, strict=True)
            where = " and ".join(f"{name} = {format_number(value)}" for name, value in named)
    what = "derivative" if formula.is_second else "gradient"
    return f"it is a number, and right at {where} only" + (
        f": elsewhere the {what} is {derivative}" if derivative else ""
    )


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
