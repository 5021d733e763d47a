"""Formulas that disagree with the ``backward`` of a Function of the script: which of the two is wrong."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.check.checked_functions import GradientFunction, OutputFunction
from autodiff.core.check.verify import slopes_by_differences
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.saved_constants import saved_constants
from autodiff.grammar.by_hand.points import gradient_entry
from autodiff.grammar.by_hand.sentences import format_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints

#: How far difference quotients may be from what they are compared with, relative to the largest entry.
TOLERANCE = 1e-5
#: Derivatives of more entries are not taken by differences.
MAX_ENTRIES = 200


def blame_backward(made: HandCheck, formula: Formula, points: SamplePoints, value: Any) -> bool:
    """Compare a formula with differences where a Function's ``backward`` is wrong; return whether one is.

    ``value`` is the formula's value at the script's own point.
    """
    if points.is_jacobian:
        return False
    node = dict(points.subject.wrt)[made.by[0]]
    leading = nodes_leading_to(points.subject.order, [node])
    calls = dict.fromkeys(one.op.name for one in leading if one.op is not None and is_custom(one.op))
    right = derivative_by_differences(points, made.by) if calls else None
    if right is None:
        return False
    if formula.place is not None:
        right = gradient_entry(right, formula.place, made.by)
    if not np.isfinite(right).all() or is_close(points.gradients[0], right):
        return False
    given, by_differences = format_array(points.gradients[0]), format_array(right)
    made.gradient = right
    made.is_right_here = made.is_right = is_close(value, right)
    made.points = 1
    remark = f"the backward of {' or '.join(calls)} is wrong: {given}, and differences give {by_differences}"
    if len(made.by) == 2:
        remark += saved_in_words(points, node)
    made.remarks = [remark]
    return True


def saved_in_words(points: SamplePoints, node: Node) -> str:
    """Return which intermediate results Functions saved without the graph that second derivatives need."""
    saved = saved_constants(points.subject.order, points.source, node)
    places = " and ".join(one.place for one in saved)
    return f". It takes {places} for a constant, because nothing is recorded in forward" if saved else ""


def derivative_by_differences(points: SamplePoints, by: list[str]) -> Any:
    """Return the first or second derivative by one input at the script's values; None if it is not taken."""
    subject = points.subject
    node = dict(subject.wrt)[by[0]]
    if len(set(by)) > 1 or np.size(node.out) > MAX_ENTRIES:
        return None
    if len(by) == 1:
        return slopes_by_differences(OutputFunction(subject, by[0], node))
    rows = []
    for place in np.ndindex(node.shape):
        weights = np.zeros(node.shape)
        weights[place] = 1.0
        rows.append(slopes_by_differences(GradientFunction(subject, by[0], node, weights)))
    return np.array(rows).reshape((*node.shape, *node.shape))


def is_close(value: Any, right: Any) -> bool:
    apart = np.abs(np.asarray(value, dtype=float) - right)
    return bool(np.all(apart <= TOLERANCE * np.abs(right).max(initial=0.0)))
