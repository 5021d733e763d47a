"""Why a gradient is vanishingly small or huge: the factors on its way, put together by their places.

The way is the one that gives most at every step, from the input up to the output. A factor is how much larger
the largest entry leaves an op than it arrives.
"""

from __future__ import annotations

from math import log10

from autodiff.core.base.lazy import np
from autodiff.core.engine.sweep import np_errors_ignored
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import contribution_of
from autodiff.core.paths.use_contributions import size_of
from autodiff.core.report.cause import Cause
from autodiff.core.why.sentences import fitting, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import Names
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.records import Subject

#: A gradient so many times as small or as large as what it started from is told of, where at least so many
#: factors on its way are of that kind: one number may be meant to be small.
FAR, MANY = 1e8, 5
#: So many places are told.
MOST_PLACES = 3
#: A sum that is this many units of rounding beside its parts is what rounding left of them.
UNITS = 45


class Place:
    """The factors of one operand of an op, at one place in the script (and ``more``), from the input on."""

    def __init__(self, node: OpNode, index: int) -> None:
        self.node = node
        self.index = index
        self.factors: list[float] = []
        self.more = 0

    @property
    def exponent(self) -> float:
        """The decimal logarithm of all factors together."""
        return sum(map(log10, self.factors))


def rounding(g: Any) -> float:
    """How much smaller than its parts a sum is of which rounding left nothing else."""
    dtype = np.asarray(g).dtype
    return UNITS * float(np.finfo(dtype if dtype.kind == "f" else float).eps)


def shrunk_or_grown(
    subject: Subject, names: Names, leading: Sequence[Node], target: Node, g: Any
) -> list[Cause]:
    """The places that made most of a gradient's being so small or so large; none where it is neither."""
    start, end = size_of(subject.seed), size_of(g)
    if not start or not end or 1 / FAR < end / start < FAR:
        return []
    sign = 1 if end > start else -1
    places = list(places_on_the_way(subject, leading, target).values())
    if sum(sign * log10(factor) > 0.01 for place in places for factor in place.factors) < MANY:
        return []
    exponent = abs(log10(end / start))
    places = [place for place in places if sign * place.exponent > 0]
    most = largest(places, exponent)
    if sum(abs(place.exponent) for place in most) < exponent / 2:
        most = largest(put_together(places), exponent)
    if not most:
        return []
    told = [in_words(place, names) for place in most]
    how = "grows" if sign > 0 else "shrinks"
    text = f"the gradient {how} from {shown(start)} to {shown(end)} on its way: {'; '.join(told)}"
    node = most[0].node
    kind = "grown" if sign > 0 else "shrunk"
    return [Cause(kind, text, names[node], node.op.name, None, names.line(node), node.site)]


def largest(places: list[Place], exponent: float) -> list[Place]:
    """The places to tell of, largest first: each has its share in the whole, or is the largest there is."""
    places = sorted(places, key=lambda place: -round(abs(place.exponent), 6))[:MOST_PLACES]
    return [place for place in places if place is places[0] or abs(place.exponent) > 0.05 * exponent]


def put_together(places: list[Place]) -> list[Place]:
    """The same op on the same operand as one place, wherever it stands: a script may write its loop out."""
    together: dict[tuple[str, int], Place] = {}
    for place in places:
        whole = together.setdefault((place.node.op.name, place.index), Place(place.node, place.index))
        whole.more += bool(whole.factors)
        whole.factors += place.factors
    return list(together.values())


def places_on_the_way(subject: Subject, leading: Sequence[Node], target: Node) -> dict[Any, Place]:
    """The factors of the way that gives most at every step, by op and place."""
    best: dict[Node, tuple[float, Edge, float]] = {}  # by node: the most given, through what, and the factor
    with np_errors_ignored(list(subject.order)):
        for node in leading:
            arrived = subject.cotangents.get(node)
            size = 0.0 if arrived is None else size_of(arrived)
            if not size:
                continue
            for index, below in enumerate(node.inputs):
                if below is not None:
                    given = size_of(contribution_of((node, index), arrived))
                    if below not in best or given > best[below][0]:
                        best[below] = (given, (node, index), given / size)
    places: dict[Any, Place] = {}
    at = target
    while at in best and at is not subject.root:
        _, (at, index), factor = best[at]
        assert isinstance(at, OpNode)
        if 0 < factor < float("inf"):
            places.setdefault((at.site, at.op.name, index), Place(at, index)).factors.append(factor)
    return places


def in_words(place: Place, names: Names) -> str:
    """``30 times by 0.23 to 0.25 through sigmoid(h) in line 4``; of several operands, to which."""
    node, count = place.node, len(place.factors)
    low, high = (f"{factor:.3g}" for factor in (min(place.factors), max(place.factors)))
    by = low if low == high else f"{low} to {high}"
    times = f"{count:,} times by {by}, together by {10**place.exponent:.3g}," if count > 1 else f"by {by}"
    if node.site is None:
        return f"{times} through {names.without_place(node)}"
    text = fitting(names.text_of(node))
    below = node.inputs[place.index]
    several = len({operand for operand in node.inputs if operand is not None}) > 1
    to = f" to {below.name}" if several and below is not None and below.name else ""
    others = f" and {node.op.name} in {place.more:,} more place{'s'[: place.more > 1]}" if place.more else ""
    return f"{times} through {text}{to} in line {names.line(node)}{others}"
