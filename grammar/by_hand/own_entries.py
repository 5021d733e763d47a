"""A step that takes an op for an elementwise one: ``da*a*(1 - a)`` behind a softmax."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.sentences import values_equal_in_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns

#: Larger values are not looked at: there is a pass for each entry.
MOST_ENTRIES = 64


def own_entries_remarks(
    formula: Formula, points: SamplePoints, computed: list[Any], runs: ScriptRuns
) -> list[str]:
    """Return the remark on a step that has only what each entry does to the same entry of the next value."""
    nodes = [node for _, node in formula.upstream.nodes(points.subject, runs.first.execution)]
    if len(nodes) != 1 or points.node is None or nodes[0].shape != points.node.shape:
        return []
    below, above = points.node, nodes[0]
    if not 1 < np.size(below.out) <= MOST_ENTRIES or above not in points.subject.cotangents:
        return []
    own = [run.cotangent(above) * own_derivatives(run, above, below) for run in points.runs]
    if not all(map(values_equal_in_shape, computed, own)):
        return []
    z, a = (points.node_names[node] for node in (below, above))
    return [
        f"it has only what each entry of {z} does to the same entry of {a}: each entry of {z} also acts on"
        f" other entries of {a}, and those terms are missing"
    ]


def own_derivatives(run: ScriptRun, above: Node, below: Node) -> Any:
    """Return the derivative of each entry of a value by the same entry of another one."""
    root, node = run.known[above], run.known[below]
    order = newest_first([root])
    found = np.zeros(below.shape)
    with numpy_warnings_off(order):
        for place in np.ndindex(found.shape):
            unit = np.zeros(found.shape)
            unit[place] = 1.0
            g = sweep(order, {root: as_stored(unit)}).get(node)
            found[place] = 0.0 if g is None else np.asarray(g)[place]
    return found
