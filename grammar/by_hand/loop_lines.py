"""Lines in loops of a derivation: where a result of a loop is wrong, the line that makes it so is a step.

What such a line makes in each turn is the gradient of a value that a loop of the script made in one of its
turns, the part of one that comes along one use of the value, or a row or a column of a gradient. The line
that is wrong makes the results right if it has these values, and differs from them first.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.extra_work import try_extra
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.grammar.by_hand.computed_lines import list_names
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.evaluate import parse_once
from autodiff.grammar.by_hand.formula import inner_bodies, root_name, simple_statements, written_names
from autodiff.grammar.by_hand.placed_text import PlacedText, joined
from autodiff.grammar.by_hand.points import SamplePoints, formula_values
from autodiff.grammar.by_hand.running_names import RunningNames
from autodiff.grammar.by_hand.runs import SPREAD
from autodiff.grammar.by_hand.segments import Segment
from autodiff.grammar.by_hand.sentences import (
    constant_ratio,
    format_array,
    ratio_remark,
    values_equal_in_shape,
    wrong_entries_remarks,
)
from autodiff.grammar.by_hand.step_lines import BLOCK, Line
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns

#: Limits of the search: wrong lines that are told of one loop, and runs of a loop with other values.
MAX_WRONG, MAX_TRIALS = 3, 60


class TurnGradient:
    """A gradient that a line makes in one turn: that at ``node``, or a part of it.

    The part is what comes along the operand ``index`` of the op ``use``, or the row ``at`` of a dimension.
    """

    __slots__ = ("at", "dim", "index", "node", "use")

    def __init__(
        self, node: Node, use: OpNode | None = None, index: int = 0, at: int | None = None, dim: int = 0
    ) -> None:
        self.node, self.use, self.index, self.at, self.dim = node, use, index, at, dim

    def gradient(self, run: ScriptRun) -> Any:
        """Return the gradient in a run of the script."""
        if self.use is not None:
            use = run.known[self.use]
            return np.asarray(edge_contribution((use, self.index), run.subject.cotangents[use]))
        g = run.cotangent(self.node)
        return g if self.at is None else np.take(g, self.at, self.dim)


class LoopLine:
    """A statement in a loop, or a loop in it, that gives a value to ``name``.

    It ends at the offset ``end`` of the loop's text. ``between`` separates it from another one behind it.
    """

    __slots__ = ("between", "end", "name", "number")

    def __init__(self, end: int, name: str, number: int, between: str) -> None:
        self.end, self.name, self.number, self.between = end, name, number, between

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoopLine) and (self.end, self.name) == (other.end, other.name)

    def __hash__(self) -> int:
        return hash((self.end, self.name))


class WrongTurn:
    """The first turn in which a line of a loop is wrong: its place ``at`` and, in words, ``when``.

    ``meant`` are the gradients that the line should make, one a turn, and ``shapes`` those of its values.
    """

    __slots__ = ("at", "line", "meant", "shapes", "when")

    def __init__(
        self, line: LoopLine, meant: list[TurnGradient], shapes: list[tuple[int, ...]], at: int, when: str
    ) -> None:
        self.line, self.meant, self.shapes, self.at, self.when = line, meant, shapes, at, when

    def right(self, run: ScriptRun) -> list[Any]:
        """Return the right values in a run of the script."""
        pairs = zip(self.meant, self.shapes, strict=True)
        return [np.reshape(one.gradient(run), shape) for one, shape in pairs]


class LoopLines:
    """Finds the wrong lines in the loops of a ``derivation``."""

    def __init__(self, derivation: Derivation, runs: ScriptRuns) -> None:
        self.derivation = derivation
        self.runs = runs
        self.trials = 0

    def entered(self) -> Derivation:
        """Return the derivation where wrong lines of loops are steps, with right values behind them."""
        for place, line in enumerate(self.derivation.lines):
            if line.kind == BLOCK and isinstance(line.node, tree.For):
                turns: list[WrongTurn] = []
                while len(turns) < MAX_WRONG and (found := self.find_wrong(place, line, turns)):
                    turns.append(found)
                    made = self.with_turns(place, line, turns)
                    made.unreadable = self.derivation.unreadable
                    self.derivation = made
        return self.derivation

    def find_wrong(self, place: int, line: Line, turns: list[WrongTurn]) -> WrongTurn | None:
        """Return the line that makes most results right with the values that it should have, if one does."""
        results = self.results(place, line)
        names = RunningNames(self.derivation, self.runs)
        wrong = {one for one in results if names.is_wrong(self.derivation, one)}
        if not wrong:
            return None
        best: tuple[tuple[int, int, int], WrongTurn] | None = None
        known = {one.line for one in turns}
        for order, one in enumerate(loop_lines(self.derivation, line)):
            values, whens = self.recorded(place, line, turns, one)
            if not values or one in known:
                continue
            shapes = [np.shape(value) for value in values]
            for meant in possible_meanings(shapes, self.runs.first):
                found = WrongTurn(one, meant, shapes, 0, "")
                right = found.right(self.runs.first)
                at = first_difference(values, right)
                if at is None and any(one.node.name is not None for one in meant):
                    break  # the line is right; without a name it may be the gradient of -z by accident
                if at is None:
                    continue
                mended = self.mended(place, self.with_turns(place, line, [*turns, found]), results, wrong)
                if mended and (best is None or (-mended, at, order) < best[0]):
                    found.at, found.when = at, whens[at]
                    best = (-mended, at, order), found
        return None if best is None else best[1]

    def results(self, place: int, line: Line) -> list[Segment]:
        """Return the steps that have values from a loop."""
        derivation = self.derivation
        made = line.binds | line.changes
        found = [one for one in derivation.segments if place in one.places and one.turn is None]
        for name in sorted(made):
            found += derivation.users(name, place, len(derivation.lines))
        return list(dict.fromkeys(found))

    def may_mend(self, place: int, trial: Derivation, wrong: set[Segment]) -> bool:
        """Whether a result is right when the loop is run once, or is known only after later lines."""
        first = self.runs.first
        ending = [one for one in wrong if one.places[-1] == place and one.key.isidentifier()]
        if len(ending) < len(wrong):
            return True
        try:
            before = trial.computed.values(place, first, first) or {}
            known = trial.computed.run_helper(place, before, first, first)
        except UsageError:
            return False
        names = RunningNames(trial, self.runs)
        for one in ending:
            node, value = one.node or names.named_node(one), known.get(one.key)
            if node is None or not isinstance(value, Tensor):
                return True
            if values_equal_in_shape(value.data, first.cotangent(node)):
                return True
        return False

    def mended(self, place: int, trial: Derivation, results: list[Segment], wrong: set[Segment]) -> int:
        """Return how many wrong results are right in a trial; 0 if others become wrong."""
        self.trials += 1
        if self.trials > MAX_TRIALS:
            return 0
        if not self.may_mend(place, trial, wrong):
            return 0
        names = RunningNames(trial, self.runs)
        here = {one for one in wrong if not names.is_wrong(trial, one, is_here_only=True)}
        if not here or any(names.is_wrong(trial, one) for one in results if one not in wrong):
            return 0
        return sum(not names.is_wrong(trial, one) for one in here)

    # -- loops with other texts -----------------------------------------------------------------------

    def recorded(
        self, place: int, line: Line, turns: list[WrongTurn], one: LoopLine
    ) -> tuple[list[Any], list[str]]:
        """Return the value that a line makes in each turn, and which turn that is; none without numbers."""
        assert isinstance(line.node, tree.For)
        target = line.node.target
        variable = target.id if isinstance(target, tree.Name) else "0"
        after = f"turns_made.append({one.name}*1); turns_of.append({variable})"
        made = with_texts(line, place, turns, [(one, after)], ["turns_made = []", "turns_of = []"])
        derivation = self.derivation.with_loop(place, made, turns, self.derivation.segments)
        try:
            known = derivation.computed.values(place + 1, self.runs.first, self.runs.first) or {}
        except UsageError:
            return [], []
        values, labels = known.get("turns_made", []), known.get("turns_of", [])
        if any(value.__class__ not in (Tensor, float) for value in values):
            return [], []
        numbers = [np.asarray(value.data if isinstance(value, Tensor) else value) for value in values]
        if isinstance(target, tree.Name) and all(turn.__class__ in (int, float) for turn in labels):
            return numbers, [f"for {variable} = {turn:g}" for turn in labels]
        return numbers, [f"in turn {at + 1} of the loop" for at in range(len(values))]

    def with_turns(self, place: int, line: Line, turns: list[WrongTurn]) -> Derivation:
        """Return the derivation where the wrong lines of a loop are steps, followed by their right values."""
        segments = [one for one in self.derivation.segments if one.turn is None or one.places != [place]]
        for one in turns:
            node = one.meant[one.at].node
            segments.append(Segment(one.line.name, [place], node, self.runs.enter_input(node), turn=one))
        return self.derivation.with_loop(place, with_texts(line, place, turns), turns, segments)


def loop_lines(derivation: Derivation, line: Line) -> Iterator[LoopLine]:
    """Yield the statements of a loop, and the loops in it, that give values to names that begin in it.

    An entry of a list that gets a value, as in ``grads[l] = x.T @ delta``, has a name too.
    """
    assert isinstance(line.node, tree.For)
    lists = line.changes.difference(derivation.keys)
    todo = list(line.node.body)
    while todo:
        node = todo.pop(0)
        inner = simple_statements([node])
        names = {name: one for one in reversed(inner) for name in sorted(written_names(one) & line.binds)}
        if isinstance(node, tree.Assign) and isinstance(node.targets[0], tree.Subscript):
            target = node.targets[0]
            if root_name(target) in lists:
                names[line.statement.text[target.span.start : target.span.end]] = node
        start = line.statement.text.rfind("\n", 0, node.span.start) + 1
        between = "; " if inner == [node] else "\n" + line.statement.text[start : node.span.start]
        for name, one in names.items() if between[0] == ";" or isinstance(node, tree.For) else ():
            number = derivation.given.position(line.statement.origin(one.span.start))[0]
            yield LoopLine(max(part.span.end for part in inner), name, number, between)
        todo = [part for body in inner_bodies(node) for part in body] + todo


def with_texts(
    line: Line,
    place: int,
    turns: list[WrongTurn],
    texts: Sequence[tuple[LoopLine, str]] = (),
    before: Sequence[str] = (),
) -> Line:
    """Return the line of a loop where ``texts`` follow statements, and the right values follow wrong ones.

    The values that these had are kept. ``before`` are statements in front of the loop.
    """
    after = list(texts)
    first = list(before)
    for at, one in enumerate(turns):
        made, right, given = list_names(place, at)
        first += [f"{made} = []", f"{right} = [*{given}]"]
        name = one.line.name
        after.append((one.line, f"{made}.append({name}*1); {name} = {right}.pop(0)"))
    statement = line.statement
    for part, text in sorted(after, key=lambda pair: -pair[0].end):
        statement = statement[: part.end] + PlacedText(part.between + text, []) + statement[part.end :]
    statement = joined([*(PlacedText(text, []) for text in first), statement], "\n")
    return Line(BLOCK, line.number, statement, parse_once(statement.text, False).script.body[-1])


def possible_meanings(shapes: list[tuple[int, ...]], first: ScriptRun) -> Iterator[list[TurnGradient]]:
    """Yield the gradients that a line may make in its turns, without those of equal values.

    The order of a loop of the script is kept or reversed, and so is that of rows and columns.
    """
    seen: set[bytes] = set()
    for meant in turn_gradients(len(shapes), first):
        windows = range(len(meant) - len(shapes) + 1)
        for chosen in (ordered[at : at + len(shapes)] for at in windows for ordered in (meant[::-1], meant)):
            values = [one.gradient(first) for one in chosen]
            if any(np.size(g) != np.prod(shape) for g, shape in zip(values, shapes, strict=True)):
                continue
            key = b"".join(np.asarray(g, dtype=float).tobytes() for g in values)
            if key not in seen:
                seen.add(key)
                yield chosen


def first_difference(values: list[Any], right: list[Any]) -> int | None:
    pairs = zip(values, right, strict=True)
    return next((at for at, pair in enumerate(pairs) if not values_equal_in_shape(*pair)), None)


def turn_gradients(count: int, first: ScriptRun) -> Iterator[list[TurnGradient]]:
    """Yield gradients of at least as many turns: of values in a list or of one op, of rows, of uses."""
    subject = first.subject
    for values in first.execution.names.values():
        if values.__class__ in (list, tuple) and all(value.__class__ is Tensor for value in values):
            nodes = [value.node for value in values if value.node in subject.cotangents]
            if len(nodes) >= count:
                yield list(map(TurnGradient, nodes))
    groups: dict[tuple[Any, str], list[OpNode]] = {}
    for node in reversed(subject.order):
        if isinstance(node, OpNode) and node in subject.cotangents:
            groups.setdefault((node.site, node.op.name), []).append(node)
    repeated = [nodes for nodes in groups.values() if len(nodes) >= count]
    yield from (list(map(TurnGradient, nodes)) for nodes in repeated)
    for node in subject.order:
        if node in subject.cotangents and node.shape:
            for dim in {0, len(node.shape) - 1}:
                if node.shape[dim] == count:
                    yield [TurnGradient(node, at=at, dim=dim) for at in range(count)]
    for nodes in repeated:
        for index in range(len(nodes[0].inputs)):
            if any(node.inputs[index] is not None for node in nodes):
                yield [TurnGradient(node.inputs[index] or node, node, index) for node in nodes]


def tell_turn(made: HandCheck, formula: Formula, runs: ScriptRuns) -> None:
    """Set the result for a line of a loop that is wrong in some turn."""
    assert formula.workings is not None
    turn = formula.workings.segment.turn
    assert turn is not None
    points = SamplePoints(runs, formula, runs.around(SPREAD))
    points.gradients = points.whole = [turn.right(run)[turn.at] for run in points.runs]
    computed = formula_values(points, formula)
    made.gradient, made.value, made.points = points.gradients[0], computed[0], len(computed)
    made.is_right = made.is_right_here = False
    made.left = f"{turn.line.name} {turn.when}"
    node = dict(points.subject.wrt)[made.by[-1]]
    ratio = constant_ratio(computed, points.gradients)
    remark = ratio_remark(ratio, "the sign is wrong") if ratio is not None else ""
    search = CorrectionSearch(formula, points, node)
    remark = remark or try_extra("the search for the reason", search.find_remark, "")
    remark = remark or "".join(wrong_entries_remarks(computed, points.gradients))
    remark = remark or f"it is {format_array(made.value)} and should be {format_array(made.gradient)}"
    made.remarks = [f"`{turn.line.name}` is wrong {turn.when} first: {remark}"]
