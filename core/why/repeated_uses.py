"""Why some uses of an input hardly count: what arrives at them shrinks or grows from step to step.

A weight of a recurrent network is used at every step, and the gradient by it is the sum over these uses. It
may be of ordinary size, as the last use is near the output, although the first uses hardly count.
"""

from __future__ import annotations

from math import isfinite

from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.why.magnitude import (
    MIN_FACTORS,
    STEPS_RATIO,
    change_words,
    changes_by_steps,
    factor_places,
    magnitude_cause,
    most_of_the_way,
    way_words,
)
from autodiff.core.why.sentences import shorten_middle, value_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.records import ReportedPass

#: A gradient that grows is reported from this ratio on: that of sums of many terms often grows a little.
GROWTH_RATIO = STEPS_RATIO**2
#: Uses that change a gradient by less than this share of it hardly count.
SMALL_SHARE = 0.01


def repeated_use_causes(
    subject: ReportedPass, names: NodeNames, leading: Sequence[Node], spelled: str, target: Node, g: Any
) -> list[Cause]:
    """A cause for each op that uses the input at many steps, if what arrives changes much over the steps."""
    found = []
    for edges in repeated_uses(subject, leading, target):
        last, first = edges[-1][0], edges[0][0]
        start, end = (max_abs(subject.cotangents[node]) for node in (last, first))
        ratio, sign = (GROWTH_RATIO, 1) if end > start else (STEPS_RATIO, -1)
        if not max(start, end) >= ratio * min(start, end) or not isfinite(max(start, end)):
            continue
        places = factor_places(subject, leading, first, last)
        most = most_of_the_way(places, start, end)
        if not most or not changes_by_steps(places, sign, ratio):
            continue
        a_use = (end / start) ** (1 / (len(edges) - 1))
        user = names.source_line(first) or names.without_suffix(first)
        way = way_words(most, end / start, names)
        is_one = len({node.site for node, _ in edges}) == 1
        where = f"{' in' if is_one else ', first in'} {shorten_middle(user)}"
        text = (
            f"{spelled} is used {len(edges):,} times{where}"
            f"{small_uses(subject, edges, g)}: {change_words(start, end)} on its way from the last use to the"
            f" first, by {a_use:.3g} a use on average: {way}"
            f"{small_last_use(subject, edges[-1], spelled)}"
        )
        found.append(magnitude_cause(text, most[0].node, end > start, names))
    return found


def repeated_uses(subject: ReportedPass, leading: Sequence[Node], target: Node) -> list[list[Edge]]:
    """The uses of the input at which a gradient arrives, oldest first, by op and operand, if many."""
    together: dict[tuple[str, int], list[Edge]] = {}
    for node in reversed(leading):
        for index, below in enumerate(node.inputs):
            if below is target and max_abs(subject.cotangents.get(node, 0.0)):
                assert isinstance(node, OpNode)
                together.setdefault((node.op.name, index), []).append((node, index))
    return [edges for edges in together.values() if len(edges) >= MIN_FACTORS]


def small_uses(subject: ReportedPass, edges: Sequence[Edge], g: Any) -> str:
    """How many uses, from the one where the smallest gradient arrives on, hardly change the sum of all."""
    is_growth = max_abs(subject.cotangents[edges[0][0]]) > max_abs(subject.cotangents[edges[-1][0]])
    count, together = 0, 0.0
    with numpy_warnings_off(list(subject.order)):
        for edge in reversed(edges) if is_growth else edges:
            together = together + edge_contribution(edge, subject.cotangents[edge[0]])
            if max_abs(together) > SMALL_SHARE * max_abs(g):
                break
            count += 1
    if 2 * count < len(edges):
        return ""
    which = "last" if is_growth else "first"
    return f", and the {which} {count:,} of them change its gradient by less than {100 * SMALL_SHARE:g} %"


def small_last_use(subject: ReportedPass, last: Edge, spelled: str) -> str:
    """What the last use passes on, if it is little: a state that vanishes makes every use small."""
    arrived = subject.cotangents[last[0]]
    with numpy_warnings_off(list(subject.order)):
        passed_on = max_abs(edge_contribution(last, arrived))
    if passed_on > max_abs(arrived) / STEPS_RATIO:
        return ""
    return (
        f"; the last use passes on to {spelled} only {value_words(passed_on)} of the"
        f" {value_words(max_abs(arrived))} that arrives"
    )
