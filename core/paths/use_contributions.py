"""The contribution of each use of an input to its gradient: the user's cotangent through that one edge."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.paths.path_sum import count_paths, edge_contribution
from autodiff.core.report.records import InputUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.report.records import ReportedPass

#: The most uses that are kept, those with the largest contributions.
MOST_USES = 100


def uses_of(subject: ReportedPass, target: Node, names: NodeNames) -> tuple[tuple[InputUse, ...], int]:
    """The uses of ``target``, oldest first, at most ``MOST_USES``; also how many there are in all.

    The contributions of all uses add up to the gradient.
    """
    edges = [
        (user, index)
        for user in reversed(subject.order)
        for index, below in enumerate(user.inputs)
        if below is target and user in subject.cotangents
    ]
    with numpy_warnings_off(subject.order):
        given = [(edge, edge_contribution(edge, subject.cotangents[edge[0]])) for edge in edges]
    if len(given) > MOST_USES:
        kept = sorted(range(len(given)), key=lambda at: -max_abs(given[at][1]))[:MOST_USES]
        given = [given[at] for at in sorted(kept)]
    counts = count_paths(subject.root, {user for (user, _), _ in given}, subject.order)
    uses = tuple(
        InputUse(names[user], names.line(user), index, counts[user], contribution)
        for (user, index), contribution in given
    )
    return uses, len(edges)


def max_abs(contribution: Any) -> float:
    """The largest absolute entry of a contribution; infinite if an entry is nan."""
    if contribution.__class__ is float:
        size = abs(contribution)
    else:
        entries = np.abs(np.asarray(contribution, dtype=float))
        size = float(entries.max()) if entries.size else 0.0
    return size if size == size else float("inf")


def deviation(value: Any, reference: Any) -> float:
    """The largest difference of two values. Equal infinities do not differ, nor do two nans."""
    if value.__class__ is float and reference.__class__ is float:
        same = value == reference or (value != value and reference != reference)
        return 0.0 if same else abs(value - reference)
    with np.errstate(all="ignore"):
        apart = np.abs(np.asarray(value - reference, dtype=float))
    apart = np.where((value == reference) | (np.isnan(value) & np.isnan(reference)), 0.0, apart)
    return float(apart.max()) if apart.size else 0.0
