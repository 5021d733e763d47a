"""Why a gradient is vanishingly small or huge: the factors along its path, collected by place in the script.

The path runs from the input up to the output and takes the largest contribution at every step. A factor is
the ratio of the largest entry that an op passes on to the largest entry that arrives.
"""

from __future__ import annotations

from math import log10
from sys import float_info

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.report.cause import Cause
from autodiff.core.why.sentences import shorten_middle, value_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.records import ReportedPass

#: A gradient is reported if it is FAR_RATIO times smaller or larger than the gradient at the output, and at
#: least MIN_FACTORS factors contribute: a single number may be meant to be small.
FAR_RATIO, MIN_FACTORS = 1e8, 5
#: MIN_FACTORS values of a loop have so many steps between them.
MIN_STEPS = MIN_FACTORS - 1
#: Equal steps, as those of a recurrent network, are reported from this ratio on: there it is what vanishes.
STEPS_RATIO = 100.0
#: At most this many places are reported.
MOST_PLACES = 3
#: A factor up to this, or one over it, may be the rounding of the others as they are printed.
NEAR_ONE = 1.02
#: A sum within this many rounding units of 0, relative to its parts, counts as a rounding error.
ROUNDING_UNITS = 45


class FactorPlace:
    """The factors of one operand of an op at one place in the script and ``more`` others, input first."""

    def __init__(self, node: OpNode, index: int) -> None:
        self.node = node
        self.index = index
        self.factors: list[float] = []
        self.more = 0

    @property
    def exponent(self) -> float:
        """The decimal logarithm of the product of all factors."""
        return sum(map(log10, self.factors))


def rounding_tolerance(g: Any) -> float:
    """The size, relative to its parts, up to which a sum counts as a rounding error."""
    if g.__class__ is float:  # numpy need not be imported for it
        return ROUNDING_UNITS * float_info.epsilon
    dtype = np.asarray(g).dtype
    return ROUNDING_UNITS * float(np.finfo(dtype if dtype.kind == "f" else float).eps)


def magnitude_causes(
    subject: ReportedPass, names: NodeNames, leading: Sequence[Node], target: Node, g: Any
) -> list[Cause]:
    """A cause with the places that made a gradient very small or very large; none if it is neither."""
    start, end = max_abs(subject.seed), max_abs(g)
    if not start or not end or 1 / STEPS_RATIO < end / start < FAR_RATIO:
        return []
    sign = 1 if end > start else -1
    places = factor_places(subject, leading, target, subject.root)
    if end / start > 1 / FAR_RATIO and sign < 0:
        if not changes_by_steps(places, sign, STEPS_RATIO):
            return []
        places = merge_places(places)
    if sum(sign * log10(factor) > 0.01 for place in places for factor in place.factors) < MIN_FACTORS:
        return []
    most = most_of_the_way(places, start, end)
    if not most:
        return []
    change = f"{change_words(start, end)} on its way"
    text = f"{change}: {way_words(most, end / start, names)}"
    return [magnitude_cause(text, most[0].node, end > start, names)]


def magnitude_cause(text: str, node: OpNode, is_growth: bool, names: NodeNames) -> Cause:
    """The cause at the op that made most of it."""
    kind = "grown" if is_growth else "shrunk"
    return Cause(kind, text, names[node], node.op.name, None, names.line(node), node.site)


def change_words(start: float, end: float) -> str:
    how = "grows" if end > start else "shrinks"
    return f"the gradient {how} from {value_words(start)} to {value_words(end)}"


def most_of_the_way(places: list[FactorPlace], start: float, end: float) -> list[FactorPlace]:
    """The places that made most of the way from ``start`` to ``end``, merged if each alone made little."""
    sign, exponent = (1 if end > start else -1), abs(log10(end / start))
    places = [place for place in places if sign * place.exponent > 0]
    most = places_to_report(places, exponent)
    if sum(abs(place.exponent) for place in most) < exponent / 2:
        most = places_to_report(merge_places(places), exponent)
    return most


def way_words(most: list[FactorPlace], ratio: float, names: NodeNames) -> str:
    """What the reported places do, and what all else does, so that the factors make the ``ratio``."""
    parts = [place_words(place, names) for place in most]
    rest = log10(ratio) - sum(place.exponent for place in most)
    if abs(rest) > log10(NEAR_ONE):
        parts.append(f"other factors {'enlarge' if rest > 0 else 'shrink'} it, together by {10**rest:.3g}")
    return "; ".join(parts)


def changes_by_steps(places: list[FactorPlace], sign: int, ratio: float) -> bool:
    """Whether ops that occur at MIN_STEPS steps, each time with a factor on one side of 1, make ``ratio``.

    ``sign`` is 1 if the factors have to be above 1, and -1 if below.
    """
    steps = [
        place.exponent
        for place in merge_places(places)
        if len(place.factors) >= MIN_STEPS and all(sign * log10(factor) > 0 for factor in place.factors)
    ]
    return sign * sum(steps) >= log10(ratio)


def places_to_report(places: list[FactorPlace], exponent: float) -> list[FactorPlace]:
    """The places to report, largest first. Each has over 5 percent of the exponent, or is the largest."""
    places = sorted(places, key=lambda place: -round(abs(place.exponent), 6))[:MOST_PLACES]
    return [place for place in places if place is places[0] or abs(place.exponent) > 0.05 * exponent]


def merge_places(places: list[FactorPlace]) -> list[FactorPlace]:
    """The places merged by op and operand: a script may write out its loop."""
    together: dict[tuple[str, int], FactorPlace] = {}
    for place in places:
        whole = together.setdefault((place.node.op.name, place.index), FactorPlace(place.node, place.index))
        whole.more += bool(whole.factors)
        whole.factors += place.factors
    return list(together.values())


def factor_places(
    subject: ReportedPass, leading: Sequence[Node], target: Node, newest: Node
) -> list[FactorPlace]:
    """The factors along the path with the largest contribution at every step, by op and place.

    The path runs from ``target`` up to the last node that is not newer than ``newest``.
    """
    best: dict[Node, tuple[float, Edge, float]] = {}  # by node: largest contribution, its edge, factor
    with numpy_warnings_off(list(subject.order)):
        for node in leading:
            arrived = subject.cotangents.get(node)
            size = 0.0 if arrived is None else max_abs(arrived)
            if not size:
                continue
            for index, below in enumerate(node.inputs):
                if below is not None and below.tracked:
                    given = max_abs(edge_contribution((node, index), arrived))
                    if below not in best or given > best[below][0]:
                        best[below] = (given, (node, index), given / size)
    places: dict[Any, FactorPlace] = {}
    at = target
    while at in best and best[at][1][0].number <= newest.number:
        _, (at, index), factor = best[at]
        assert isinstance(at, OpNode)
        if 0 < factor < float("inf"):
            places.setdefault((at.site, at.op.name, index), FactorPlace(at, index)).factors.append(factor)
    return list(places.values())


def place_words(place: FactorPlace, names: NodeNames) -> str:
    """``30 times by 0.23 to 0.25 through sigmoid(h) in line 4``, with the operand if there are several."""
    node, count = place.node, len(place.factors)
    low, high = (f"{factor:.3g}" for factor in (min(place.factors), max(place.factors)))
    by = low if low == high else f"{low} to {high}"
    times = f"{count:,} times by {by}, together by {10**place.exponent:.3g}," if count > 1 else f"by {by}"
    if node.site is None:
        return f"{times} through {names.without_suffix(node)}"
    text = shorten_middle(names.source_line(node))
    below = node.inputs[place.index]
    several = len({operand for operand in node.inputs if operand is not None}) > 1
    to = f" to {below.name}" if several and below is not None and below.name else ""
    others = f" and {node.op.name} in {place.more:,} more place{'s'[: place.more > 1]}" if place.more else ""
    return f"{times} through {text}{to} in line {names.line(node)}{others}"
