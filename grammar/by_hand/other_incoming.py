"""A step that is right for the gradient which comes in here only: the sum of ``dp*p`` over the wrong axis.

Where the labels of a small example make both sums the same, the step is tried with another gradient.
"""

from __future__ import annotations

from copy import copy

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.points import compare_values
from autodiff.grammar.by_hand.sentences import values_equal_in_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns

#: Larger graphs are not looked at.
MOST_NODES = 1000


def other_incoming_remarks(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return remarks on a right step that is wrong for another gradient of the one value that it reads."""
    nodes = formula.upstream.nodes(points.subject, runs.first.execution)
    is_plain, below = formula.is_expression and formula.place is None, points.node
    if len(nodes) != 1 or not is_plain or below is None or len(points.subject.order) > MOST_NODES:
        return []
    root, above, *others = nodes[0]
    own = () if formula.workings is None else formula.workings.own_names
    if (
        others  # a second derivative is by two values
        or root is not points.subject.root
        or above not in points.subject.cotangents
        or formula.names_read & set(own)
    ):
        return []
    random, tried = np_random.default_rng(runs.seed), copy(points)
    tried.gradients, tried.names, values = [], [], []
    for run, names in zip(points.runs, points.names, strict=True):
        if not values_equal_in_shape(
            passed_on(run, above, below, run.cotangent(above)), run.cotangent(below)
        ):
            return []  # other paths lead to it too
        g = random.uniform(-1, 1, above.shape).astype(np.asarray(above.out).dtype)
        tried.gradients.append(passed_on(run, above, below, g))
        tried.names.append({**names, "gradient_0_": Tensor.of(as_stored(g))})
        try:
            values.append(np.asarray(formula.value(tried.names[-1])))
        except UsageError:
            return []
    if not any(compare_values(*pair) is False for pair in zip(values, tried.gradients, strict=True)):
        return []
    changed = CorrectionSearch(formula, tried, below).find_remark()
    remark = f"it is right for this {formula.upstream.found[0].written} only, and wrong for others"
    return [remark, *[changed] * bool(changed)]


def passed_on(run: ScriptRun, above: Node, below: Node, g: Any) -> Any:
    """Return the gradient of one value that comes from the gradient ``g`` of another one."""
    root = run.known[above]
    order = newest_first([root])
    with numpy_warnings_off(order):
        found = sweep(order, {root: as_stored(np.asarray(g))}).get(run.known.get(below, below))
    return np.zeros(below.shape) if found is None else np.asarray(found)
