"""Names of a derivation that are none of the script's: which gradient each is.

``dhidden`` is that of ``hidden_layer``, by its name and its shape. Other names, such as ``delta`` in
``dW = x.T @ delta``, do not say it: it follows from the values, those of the gradient of a value of the
script; or, where a line is wrong, from the lines that use the name: with the gradient that is meant these
are right.
"""

from __future__ import annotations

from copy import copy

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, OpNode
from autodiff.grammar.by_hand.formula import derivative_names
from autodiff.grammar.by_hand.left_side import DerivativeNames
from autodiff.grammar.by_hand.own_scale import values_at
from autodiff.grammar.by_hand.points import SamplePoints
from autodiff.grammar.by_hand.running_names import MAX_MEANT, RunningNames
from autodiff.grammar.by_hand.runs import SPREAD
from autodiff.grammar.by_hand.segments import Guess, Segment, find_segments
from autodiff.grammar.by_hand.sentences import constant_ratio, values_equal_in_shape
from autodiff.grammar.by_hand.step_lines import BLOCK, HELPER, Line, read_lines
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.by_hand.unclear_names import looks_like_gradient

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.runs import ScriptRuns

BY_USE = "its lines, or those that use it, are right with that"
#: A name is not guessed from fewer letters: ``h1`` does not stand for ``h1_mean``.
SHORTEST = 3


class MeantGradients:
    """Finds such names in a ``derivation``, and divides its lines into steps."""

    def __init__(self, derivation: Derivation, runs: ScriptRuns) -> None:
        self.derivation = derivation
        self.runs = runs
        self.points = runs.around(SPREAD)

    def entered(self) -> Derivation:
        """Return the derivation where the lines of these names are steps.

        The values that are meant become inputs of the first of the ``runs``.
        """
        for name in list(self.derivation.uncompared):
            node = self.node_by_name(name)
            lines = [] if node is None else self.lines_with(name)
            segments = [one for one in find_segments(lines) if one.key == name]
            if node is not None and segments:
                reason = f"the script has no `{name[1:]}`"
                self.derivation = self.with_gradient(name, lines, segments, node, reason)
        self.derivation = RunningNames(self.derivation, self.runs).divided()
        for name in self.names():
            self.enter(name, is_by_value=True)
        for name in reversed(self.names()):  # the mistake in a line may be known by one that uses it only
            self.enter(name)
        return self.derivation

    def enter(self, name: str, is_by_value: bool = False) -> None:
        """Let the lines of a name be steps if they make a gradient; ``is_by_value``: or a multiple of one."""
        lines = [] if name in self.derivation.guessed else self.lines_with(name)
        made = self.with_name(name, lines, is_by_value) if lines else None
        if made is not None:
            made.unreadable = self.derivation.unreadable
            self.derivation = made

    def node_by_name(self, name: str) -> Node | None:
        """Return the only value of the graph whose name begins with that of a derivative or has it as a part.

        Its gradient has no other name, and the shape of the derivative.
        """
        derivation, part = self.derivation, name[1:]
        first = self.runs.first
        places = [at for at, line in enumerate(derivation.lines) if name in line.binds]
        if len(part) < SHORTEST or part in derivation.words or derivation.lines[places[-1]].kind != HELPER:
            return None
        found = {
            str(node.name): node
            for node in reversed(first.subject.order)
            if node.name is not None and (node.name.startswith(part) or part in node.name.split("_"))
        }
        value = (derivation.computed.values(places[-1] + 1, first, first) or {}).get(name)
        if len(found) != 1 or not isinstance(value, Tensor):
            return None
        [(whole, node)] = found.items()
        others = {guess.node for guess in derivation.guessed.values()}
        is_free = f"d{whole}" not in derivation.keys and node in first.subject.cotangents.keys() - others
        return node if is_free and np.shape(value.data) == node.shape else None

    def names(self) -> list[str]:
        """Return the names of helper lines that the script has not, and that later lines read.

        If the lines are the script's own, it has what the output is made of, and arrays that it writes.
        """
        derivation, first = self.derivation, self.runs.first
        known = set(derivation.words)
        script = first.execution.source if derivation.turn is None else derivation.turn.lines
        if derivation.given.text == script.text:
            known = {str(node.name) for node in first.subject.order}
            values = first.execution.names.items()
            known |= {name for name, one in values if isinstance(one, Tensor) and isinstance(one.node, Leaf)}
        found: dict[str, None] = {}
        for at, line in enumerate(derivation.lines):
            if line.kind == HELPER:
                later = derivation.lines[at + 1 :]
                used = [name for name in line.binds if any(name in one.reads for one in later)]
                found |= dict.fromkeys(name for name in sorted(used) if name not in known)
        return list(found)

    def lines_with(self, name: str) -> list[Line]:
        """Return the lines, where those of a name are lines of a derivative; none if they cannot be."""
        known = self.derivation.lines
        variables = derivative_names(self.runs.first.execution.source).variables
        names = DerivativeNames(self.derivation.words, [*self.derivation.guessed, name], variables)
        made = read_lines(self.derivation.given, names, {})
        if len(made) != len(known):
            return []
        for new, old in zip(made, known, strict=True):
            new.take_signs(old)
        lines = [new if new.key == name else old for new, old in zip(made, known, strict=True)]
        changing = [line for line in lines if name in line.binds | line.changes]
        own = [line for line in changing if line.key == name]
        is_own = all(line.kind == BLOCK and name in line.carried for line in changing[len(own) :])
        return lines if is_own and own == changing[: len(own)] else []

    def with_name(self, name: str, lines: list[Line], is_by_value: bool) -> Derivation | None:
        """Return the derivation where the lines of a name are steps; None if these are no gradients."""
        loops = [at for at, line in enumerate(lines) if line.kind == BLOCK and name in line.binds]
        before_loops = [copy(line) for line in lines[: min(loops, default=len(lines))]]
        segments = [one for one in find_segments(before_loops) if one.key == name]
        if not segments:
            return None
        first = min(one.places[0] for one in segments)
        before = self.wrong_users(self.derivation, name, first)
        best: tuple[int, Derivation] | None = None
        places = [at for at, line in enumerate(lines) if line.key == name]
        multiples = (self.multiples(self.values(name, at)) for at in places)
        nodes = (
            next(filter(None, multiples), [])
            if is_by_value
            else self.possible_nodes(name, lines, places, bool(before))
        )
        for node in nodes:
            made = self.divided(name, lines, segments, node)
            count = self.wrong_count(made, name, before)
            if count is not None and (best is None or count < best[0]):
                best = (count, made)
            if best is not None and not best[0]:
                break
        return None if best is None else best[1]

    def wrong_users(self, derivation: Derivation, name: str, start: int) -> set[Segment]:
        names = RunningNames(derivation, self.runs)
        users = derivation.users(name, start, len(derivation.lines))
        return {one for one in users if one.key != name and names.is_wrong(derivation, one)}

    def possible_nodes(
        self, name: str, lines: list[Line], places: list[int], is_used_wrongly: bool
    ) -> list[Node]:
        """Return the values whose gradient the lines of a name may be meant for, the most probable first.

        It is the one whose gradient they make if it has a name. An input, or a value without a name as in
        ``1/(1 + exp(-z))``, may be that by accident: the minus of ``z`` is often forgotten. So of several
        values without names ``-z`` is the last.
        """
        subject = self.runs.first.subject
        named = RunningNames(self.derivation, self.runs).named_nodes()
        found = [node for node in subject.order if node not in named and node in subject.cotangents]
        found.sort(key=lambda node: (node.name is None, is_negation(node)))
        equal = next(filter(None, (self.node_with(self.values(name, at), found) for at in places)), None)
        by_value = [] if equal is None else [equal]
        values = self.values(name, places[0])
        is_carried = any(name in line.carried for line in lines if line.kind == BLOCK)
        if not is_used_wrongly or not values or (is_carried and not is_changing(values)):
            return by_value  # a loop often begins with zeros
        alike = [node for node in found if node.shape == np.shape(values[0])]
        by_use = RunningNames(self.derivation, self.runs).distinct(alike, subject.root)[:MAX_MEANT]
        is_sure = equal is not None and equal.name is not None and isinstance(equal, OpNode)
        return list(dict.fromkeys([*by_value, *by_use] if is_sure else [*by_use, *by_value]))

    def multiples(self, values: list[Any]) -> list[Node]:
        """Return the first value with a name whose gradient these are at all points, times one number."""
        named = RunningNames(self.derivation, self.runs).named_nodes()
        for node in self.runs.first.subject.order if is_changing(values) else ():
            is_free = isinstance(node, OpNode) and node.name is not None and node not in named
            if not is_free or node.shape != np.shape(values[0]):
                continue
            if constant_ratio(values, [run.cotangent(node) for run in self.points]) is not None:
                return [node]
        return []

    def node_with(self, values: list[Any], nodes: list[Node]) -> Node | None:
        """Return the first of the nodes with these gradients at the points, if they are no constant."""
        for node in nodes if is_changing(values) else ():
            if all(map(values_equal_in_shape, values, (run.cotangent(node) for run in self.points))):
                return node
        return None

    def values(self, name: str, place: int) -> list[Any]:
        """Return the values of a name behind a line at the points; none if it is no tensor or number."""
        found = []
        for run in self.points:
            made = self.derivation.computed.values(place + 1, run, self.runs.first) or {}
            known = made[name] if name in made else self.derivation.computed.value_after(place, name, run)
            if known.__class__ not in (Tensor, float):
                return []
            found.append(np.asarray(known.data if isinstance(known, Tensor) else known))
        return found

    def with_gradient(
        self, name: str, lines: list[Line], segments: list[Segment], node: Node, reason: str
    ) -> Derivation:
        """Return the derivation where a name is at first the gradient of a node."""
        guess = Guess(node, self.runs.enter_input(node), reason)
        return self.derivation.with_segments([*self.derivation.segments, *segments], lines, {name: guess})

    def divided(self, name: str, lines: list[Line], segments: list[Segment], node: Node) -> Derivation:
        """Return that derivation divided into steps; errors found in it are kept apart."""
        made = self.with_gradient(name, lines, segments, node, BY_USE)
        made.unreadable = dict(made.unreadable)
        names = RunningNames(made, self.runs)
        names.divide_lines(name)
        return names.derivation

    def wrong_count(self, made: Derivation, name: str, before: set[Segment]) -> int | None:
        """Return how many steps of a name, or that use it, are wrong.

        Return None if the name is none: a wrong step of it has to make another one right.
        """
        own = [one for one in made.segments if one.key == name]
        names = RunningNames(made, self.runs)
        wrong = [one for one in own if names.is_wrong(made, one)]
        after = self.wrong_users(made, name, own[0].places[0])
        mended = before - after
        if after - before:
            return None
        may_be_multiple = len(before) == len(mended) == 1 and not looks_like_gradient(name)
        if may_be_multiple and any(self.is_plain_multiple(made, one) for one in wrong):
            return None
        for one in wrong:
            if mended.isdisjoint(made.users(name, one.places[-1], len(made.lines))):
                return None
        return len(wrong) + len(after)

    def is_plain_multiple(self, made: Derivation, segment: Segment) -> bool:
        """Whether a step that reads no gradient is one times a positive number, which may be meant so."""
        formula = made.formula(segment)
        points = SamplePoints(self.runs, formula, self.points)
        computed = values_at(points, formula)
        ratio = constant_ratio(computed, points.gradients) if computed else None
        return ratio is not None and ratio > 0 and not formula.upstream.found


def is_negation(node: Node) -> bool:
    return isinstance(node, OpNode) and node.op.name == "neg"


def is_changing(values: list[Any]) -> bool:
    """Whether values at several points are there and not all the same."""
    return not all(values_equal_in_shape(value, values[0]) for value in values[1:])
