"""Names of a derivation that stand for one gradient after another, as ``dh`` does in ``dh *= h > 0``.

Before that line ``dh`` is the gradient at ``h = relu(z)``, after it the one at ``z``. So is ``dout`` where it
goes back from layer to layer. The lines of such a name are divided into steps: the value that each makes is
compared with the gradients at the values from which the one before was computed, at several points.
"""

from __future__ import annotations

from copy import copy
from itertools import islice

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.overwritten_sums import as_sum
from autodiff.grammar.by_hand.points import SamplePoints, all_known, formula_values
from autodiff.grammar.by_hand.runs import SPREAD, is_constant
from autodiff.grammar.by_hand.segments import Segment
from autodiff.grammar.by_hand.sentences import values_equal_in_shape
from autodiff.grammar.by_hand.step_lines import ADDITION
from autodiff.grammar.by_hand.steps import Derivation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.runs import ScriptRuns

#: Limits of the search: wrong steps of one name, values that a wrong step may be about, divisions compared.
MAX_WRONG, MAX_MEANT, MAX_DIVISIONS = 2, 6, 24


class Division:
    """Lines of one name as steps. ``are_wrong`` says of each whether its value is not its gradient."""

    __slots__ = ("are_wrong", "segments")

    def __init__(self, segments: tuple[Segment, ...] = (), are_wrong: tuple[bool, ...] = ()) -> None:
        self.segments = segments
        self.are_wrong = are_wrong

    @property
    def wrong_count(self) -> int:
        return sum(self.are_wrong)

    def plus(self, segment: Segment, is_wrong: bool) -> Division:
        return Division((*self.segments, segment), (*self.are_wrong, is_wrong))


class RunningNames:
    """Divides the lines of each name of a ``derivation`` that changes into steps."""

    def __init__(self, derivation: Derivation, runs: ScriptRuns) -> None:
        self.derivation = derivation
        self.runs = runs
        self.subject = runs.first.subject

    def divided(self) -> Derivation:
        for key in dict.fromkeys(self.derivation.keys):
            self.divide_lines(key)
        return self.derivation

    def divide_lines(self, key: str) -> None:
        """Divide the lines of one name into steps."""
        own = [segment for segment in self.derivation.segments if segment.key == key]
        node = self.named_node(own[0])
        if node is None or (len(own) > 1 and self.merge_into_sum(own, node)):
            return
        last: Node | None = None
        for segment in own:
            division = self.divide(
                segment, node, self.near(node, last) if len(own) > 1 else self.versions(node)
            )
            if division.segments != (segment,):
                self.derivation = self.with_segments(segment, division.segments)
            last = division.segments[-1].node or node

    def merge_into_sum(self, own: list[Segment], node: Node) -> bool:
        """Make one sum of the lines of a name, and return True; not if the last line alone is right."""
        if self.is_gradient(self.values(own[-1], (own[-1],)), node):
            return False
        found = as_sum(self.derivation, own)
        if found is None:
            return False
        made, whole = found
        if not self.is_gradient(RunningNames(made, self.runs).values(whole, (whole,)), node):
            return False
        is_last = any(one.places[-1] == whole.places[-1] for one in made.segments if one is not whole)
        self.derivation = RunningNames(made, self.runs).with_segments(whole, () if is_last else (whole,))
        return True

    def named_node(self, segment: Segment) -> Node | None:
        """Return the value that the name of a step says; None if that has no gradient."""
        left = self.derivation.left_side(segment)
        if not segment.key.isidentifier() or len(left.by) != 1 or left.output or self.subject.adds_up:
            return None
        node = dict(self.subject.wrt).get(left.by[0][0])
        return node if node in self.subject.cotangents else None

    def with_segments(self, replaced: Segment, segments: tuple[Segment, ...]) -> Derivation:
        kept = [one for one in self.derivation.segments if one is not replaced]
        return self.derivation.with_segments([*kept, *segments])

    # -- the values that a name may stand for ---------------------------------------------------------

    def below(self, node: Node) -> list[Node]:
        """Return the values with other gradients from which one was computed, the nearest first.

        The last are named constants, such as the data that the first layer takes.
        """
        reached: dict[Node, None] = {node: None}
        for one in self.subject.order:
            if one in reached:
                reached |= dict.fromkeys(below for below in one.inputs if below is not None)
        constants = [one for one in reached if one.name is not None and is_constant(one)]
        return self.distinct([*(one for one in self.subject.order if one in reached), *constants], node)

    def near(self, node: Node, last: Node | None) -> list[Node]:
        """Return the value that a name says, and others that it may stand for after it stood for ``last``."""
        named = self.named_nodes()
        if last is not None:
            return [node, *(one for one in self.below(last) if one not in named)]
        leading = {node}
        for one in reversed(self.subject.order):
            if any(below in leading for below in one.inputs):
                leading.add(one)
        above = self.distinct([one for one in self.subject.order if one in leading], node)
        return [node, *(one for one in (*above, *self.below(node)) if one not in named)]

    def versions(self, node: Node) -> list[Node]:
        """Return a value, and the earlier ones of its name from which it was computed, the last first."""
        return [node, *(one for one in self.below(node) if one.name is not None and one.name == node.name)]

    def without_names(self, nodes: Iterable[Node]) -> list[Node]:
        """Return the first of the nodes whose gradients have no names of their own in the derivation."""
        named = self.named_nodes()
        return [node for node in nodes if node not in named][:MAX_MEANT]

    def named_nodes(self) -> set[Node | None]:
        return {self.named_node(Segment(one.key, one.places)) for one in self.derivation.segments}

    def distinct(self, nodes: list[Node], node: Node) -> list[Node]:
        """Return those of the nodes with a gradient that neither ``node`` has nor one of them before."""
        found: list[Node] = [node]
        values = [self.runs.first.cotangent(node)]
        for one in nodes:
            if one in self.subject.cotangents or is_constant(one):
                g = self.runs.first.cotangent(one)
                if not any(values_equal_in_shape(g, value) for value in values):
                    found.append(one)
                    values.append(g)
        return found[1:]

    # -- the search -----------------------------------------------------------------------------------

    def divide(self, segment: Segment, node: Node, first: list[Node]) -> Division:
        """Return the steps that the lines of a segment are; the first is about one of the nodes ``first``."""
        best = Division((segment,), (False,))
        if len(segment.places) > 1 or len(first) > 1:
            best = self.best_division(segment, node, first)
        if best.wrong_count + self.count_wrong(segment, best, is_here_only=True) > 1:
            # The first mistake may be a missing line, and the others follow from it.
            found = [best, *self.with_line_left_out(segment, best)]
            best = min(found, key=lambda one: one.wrong_count + self.count_wrong(segment, one))
        return best

    def best_division(self, segment: Segment, node: Node, first: list[Node]) -> Division:
        is_right = self.is_gradient(self.values(segment, (segment,)), node)
        whole = Division((segment,), (not is_right,))
        if is_right and not self.ends_idle(segment, node):
            return whole
        divisions = islice(self.divisions(segment, segment.places, first, Division()), MAX_DIVISIONS)
        found = list(islice(divisions, 1))
        if found and not found[0].wrong_count:
            return found[0]
        found += divisions
        divided = [one for one in found if len(one.segments) > one.wrong_count]
        last = self.derivation.lines[segment.places[-1]]
        is_sum = last.kind == ADDITION and last.op in ("+", "-")
        alike = [one for one in found if len(one.segments) == 1]
        return min(
            [whole, *alike, *divided] if is_sum else [*divided, whole, *alike],
            key=lambda one: one.wrong_count + self.count_wrong(segment, one),
        )

    def with_line_left_out(self, whole: Segment, division: Division) -> Iterator[Division]:
        """Yield the divisions where a line that changes the name is missing before one that uses it."""
        derivation = self.with_segments(whole, division.segments)
        for at, segment in enumerate(division.segments):
            node, user = self.node_of(segment), self.first_user(segment, derivation)
            if node is None or user is None or not self.is_wrong(derivation, user, is_here_only=True):
                continue
            rest = [place for one in division.segments[at + 1 :] for place in one.places]
            for after in self.without_names(one for one in self.below(node) if one.shape == node.shape):
                made = copy(segment)
                made.left_out = (user.places[-1], after)
                before = Division(division.segments[:at], division.are_wrong[:at])
                before = before.plus(made, division.are_wrong[at])
                yield from islice(self.divisions(whole, rest, self.below(after), before), MAX_MEANT)

    def first_user(self, segment: Segment, derivation: Derivation) -> Segment | None:
        """Return the first step behind a segment if it uses its name."""
        for at in range(segment.places[-1] + 1, len(derivation.lines)):
            if segment.key in derivation.lines[at].reads:
                ends = [one for one in derivation.segments if one.places[-1] == at]
                return ends[0] if ends and ends[0].key != segment.key else None
        return None

    def ends_idle(self, segment: Segment, node: Node) -> bool:
        """Whether the last line of a segment changes no value, as a mask may that is meant to."""
        first = Segment(segment.key, segment.places[:-1])
        return bool(first.places) and self.is_gradient(self.values(segment, (first,)), node)

    def count_wrong(self, whole: Segment, division: Division, is_here_only: bool = False) -> int:
        """Return how many of the steps that use a name are wrong if its lines are divided like this."""
        derivation = self.with_segments(whole, division.segments)
        after = [one for one in derivation.segments if one.places[-1] > whole.places[-1]]
        end = min((one.places[0] for one in after if one.key == whole.key), default=len(derivation.lines))
        users = derivation.users(whole.key, whole.places[0], end)
        return sum(self.is_wrong(derivation, one, is_here_only) for one in users if one.key != whole.key)

    def is_wrong(self, derivation: Derivation, segment: Segment, is_here_only: bool = False) -> bool:
        """Whether a step is wrong at the points, or the script's own; one that cannot be computed is.

        A step about another output is not.
        """
        if not is_here_only and self.is_wrong(derivation, segment, is_here_only=True):
            return True
        try:
            formula = derivation.formula(segment)
            formula.resolve_lists(self.runs.first.execution.names)
            subject = self.runs.first.subject
            if formula.output not in ("", subject.name):
                return False
            if not dict(subject.wrt).keys() >= set(formula.inputs):
                return True  # about a name that is none of the script's
            chosen = [self.runs.first] if is_here_only else self.runs.around(SPREAD)
            points = SamplePoints(self.runs, formula, chosen)
            return all_known(points.compare(formula_values(points, formula))) is False
        except (UsageError, ValueError):
            return True

    def divisions(
        self, whole: Segment, places: list[int], nodes: list[Node], before: Division
    ) -> Iterator[Division]:
        """Yield the ways to divide the lines ``places``; the first step is about one of the ``nodes``.

        A right step may take in the lines behind it that change no value, as the mask of relu behind that of
        dropout.
        """
        if not places:
            yield before
            return
        last = self.node_of(before.segments[-1]) if before.segments else None
        for end in range(1, len(places) + 1):
            part = Segment(whole.key, places[:end], before=last)
            values = self.values(whole, (*before.segments, part))
            node = next((one for one in nodes if self.is_gradient(values, one)), None)
            while node is not None and self.is_gradient(values, node):
                made = before.plus(self.about(part, node, whole), False)
                yield from self.divisions(whole, places[end:], self.below(node), made)
                end += 1
                part = Segment(whole.key, places[:end], before=last)
                values = self.values(whole, (*before.segments, part)) if end <= len(places) else None
            if node is not None:
                return
        if before.wrong_count == MAX_WRONG:
            return
        part = Segment(whole.key, places[:1], before=last)
        values = self.values(whole, (*before.segments, part))
        alike = [one for one in nodes if values is not None and np.shape(values[0][0]) == one.shape]
        own = [] if before.segments else nodes[:1]
        for node in [*own, *self.without_names(alike or nodes)]:
            made = before.plus(self.about(part, node, whole), True)
            yield from self.divisions(whole, places[1:], self.below(node), made)

    def node_of(self, segment: Segment) -> Node | None:
        """Return the value whose gradient the name is behind a step."""
        if segment.left_out is not None:
            return segment.left_out[1]
        return segment.node or self.named_node(Segment(segment.key, segment.places))

    def about(self, part: Segment, node: Node, whole: Segment) -> Segment:
        """Return a step with the value whose gradient it makes, which gets a name among the inputs."""
        if node is self.named_node(whole):
            return part
        return Segment(part.key, part.places, node, self.runs.enter_input(node), part.before)

    def values(self, whole: Segment, segments: tuple[Segment, ...]) -> list[Any] | None:
        """Return the values of the last of ``segments`` at all points; None if it has none."""
        derivation = self.with_segments(whole, segments)
        try:
            formula = derivation.formula(segments[-1])
            formula.resolve_lists(self.runs.first.execution.names)
            points = SamplePoints(self.runs, formula, self.runs.around(SPREAD))
            values = [np.asarray(formula.value(names)) for names in points.names]
            return list(zip(values, points.runs, strict=True))
        except UsageError:
            return None

    def is_gradient(self, values: list[Any] | None, node: Node) -> bool:
        return values is not None and all(
            values_equal_in_shape(value, run.cotangent(node)) for value, run in values
        )
