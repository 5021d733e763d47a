"""A derivation by hand in steps, a text with a formula on each line: ``dh == dscores @ W2.T``.

Later steps may use the derivatives of earlier ones. These then have their right values, so that each mistake
shows at its own step. A derivative may take several lines, ``dW = x.T @ dz`` and ``dW += reg*W``: its step is
the last of them. Other lines, such as ``N = 5``, functions and loops, are run as they stand.
"""

from __future__ import annotations

import re
from functools import partial

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.grammar.by_hand.computed_lines import ComputedLines, list_names
from autodiff.grammar.by_hand.formula import (
    Formula,
    NotJudgedError,
    value_or_none,
)
from autodiff.grammar.by_hand.left_side import (
    LeftSide,
    is_loose,
    is_of_differences,
    side_of_name,
    split_equation,
)
from autodiff.grammar.by_hand.placed_text import PlacedText, joined
from autodiff.grammar.by_hand.segments import Guess, Segment
from autodiff.grammar.by_hand.side_by_side import needs_values, with_signs
from autodiff.grammar.by_hand.step_errors import in_step, like, not_judged
from autodiff.grammar.by_hand.step_lines import (
    ADDITION,
    BLOCK,
    CHANGE,
    CLIP,
    HELPER,
    IDLE,
    START,
    Line,
)
from autodiff.grammar.by_hand.unclear_names import UNCLEAR, by_unclear_name
from autodiff.grammar.by_hand.upstream import UpstreamDerivatives
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.loop_lines import WrongTurn
    from autodiff.grammar.by_hand.runs import ScriptRun
    from autodiff.grammar.by_hand.training_turns import Turn


#: Statements that give names no values: what they bind is called.
FUNCTIONS = (tree.ClassDef, tree.FunctionDef, tree.Import, tree.ImportFrom)


class Derivation:
    """The lines of a derivation and the segments that are its steps.

    ``helpers`` are the lines that give values to names of their own, by their places, and those that begin a
    derivative of several lines. ``uncompared`` are the names of derivatives that are none of the script's,
    with the numbers of their lines. ``guessed`` are those that are taken for the gradient of another value.
    ``unreadable`` are the errors about lines that are none, that fail when they are run or that no formula
    can be made of, by the numbers of the lines.
    """

    def __init__(
        self,
        lines: list[Line],
        name: str,
        given: Source,
        words: Collection[str],
        segments: list[Segment],
        unreadable: dict[int, UsageError],
        guessed: Mapping[str, Guess] | None = None,
        turns: Mapping[int, list[WrongTurn]] | None = None,
        turn: Turn | None = None,
        statements: tree.Body = (),
        lefts: Mapping[str, LeftSide] | None = None,
    ) -> None:
        #: The statements at top level, if the lines are those of the script itself.
        self.statements = statements
        #: The derivatives that names are which do not say it.
        self.lefts = lefts or {}
        #: The turn of the script that the derivation is about, if it has a training loop.
        self.turn = turn
        self.unreadable = unreadable
        self.guessed = guessed or {}
        #: The wrong lines of loops, by the places of these, which are followed by the right values.
        self.turns = turns or {}
        self.lines, self.name, self.given, self.words = lines, name, given, words
        self.segments = sorted(segments, key=lambda segment: segment.places[-1])
        self.keys = [segment.key for segment in self.segments]
        self.helpers: dict[int, UpstreamDerivatives] = {}
        self.uncompared: dict[str, int] = {}
        several = {at for one in self.segments if one.key.isidentifier() for at in one.places[:-1]}
        for at, line in enumerate(lines):
            if line.kind in (HELPER, BLOCK) or at in several:
                self.helpers[at] = self.derivatives_in(line.statement, at)
            is_value = line.kind in (HELPER, BLOCK) and not isinstance(line.node, FUNCTIONS)
            for bound in sorted(line.binds) if is_value else ():
                is_named = (bound[0] == "d" and len(bound) > 1) or UNCLEAR.fullmatch(bound)
                if is_named or is_of_differences(bound, words):
                    self.uncompared.setdefault(bound, line.number)
        numbers = {line.number for line in lines}
        #: The names that each line changes which is no statement, by the numbers of those lines.
        self.unread = {one: names_changed_in(given.line(one)) for one in unreadable if one not in numbers}
        #: The values of its names before each line.
        self.computed = ComputedLines(self)

    def derivatives_in(self, text: PlacedText, at: int) -> UpstreamDerivatives:
        """Return the derivatives in a text of the line ``at``."""
        own = self.own_names(at) | self.lines[at].binds | self.lines[at].changes
        return UpstreamDerivatives(text, self.words, self.keys, own, self.meant(at))

    def give_signs(self, first: ScriptRun) -> None:
        """Give products without a sign, such as ``X w``, the one that fits the values in the script's run."""
        for at, line in enumerate(self.lines):
            if line.right is None or not any(needs_values(one.text) for one in (line.right, *line.members)):
                continue
            names = {**first.names_with(line.reads), **(self.computed.values(at, first, first) or {})}

            def signed(text: PlacedText, at: int = at, names: Mapping[str, Any] = names) -> PlacedText:
                found = self.derivatives_in(text, at)
                known = {**names, **found.known_values(first)}
                return found.spelled(with_signs(found.placed, partial(value_or_none, known)))

            line.change_right(signed)
            if at in self.helpers:
                self.helpers[at] = self.derivatives_in(line.statement, at)

    def with_segments(
        self,
        segments: list[Segment],
        lines: list[Line] | None = None,
        guessed: Mapping[str, Guess] | None = None,
    ) -> Derivation:
        """Return the derivation with other steps, and other lines or further guesses if they are given."""
        lines = self.lines if lines is None else lines
        guessed = {**self.guessed, **(guessed or {})}
        return self.remade(lines, segments, self.unreadable, guessed, self.turns)

    def without_values(self, names: Collection[str]) -> Derivation:
        """Return the derivation where lines that give these names values are no steps, if others are left."""
        segments = [one for one in self.segments if one.key not in names]
        if not segments or len(segments) == len(self.segments):
            return self
        lines = [line.as_helper() if line.key in names else line for line in self.lines]
        return self.with_segments(segments, lines)

    def with_loop(
        self, place: int, line: Line, wrong: list[WrongTurn], segments: list[Segment]
    ) -> Derivation:
        """Return the derivation with another text of a loop, which reads the right values of wrong lines."""
        lines = [*self.lines[:place], line, *self.lines[place + 1 :]]
        turns = {**self.turns, place: wrong}
        return self.remade(lines, segments, dict(self.unreadable), self.guessed, turns)

    def remade(
        self,
        lines: list[Line],
        segments: list[Segment],
        unreadable: dict[int, UsageError],
        guessed: Mapping[str, Guess],
        turns: Mapping[int, list[WrongTurn]],
    ) -> Derivation:
        given, own = (self.name, self.given, self.words), (self.turn, self.statements, self.lefts)
        return Derivation(lines, *given, segments, unreadable, guessed, turns, *own)

    def lefts_in(self, names: Mapping[str, str], output: str | None) -> dict[str, LeftSide]:
        """Return the derivatives of an output that variables of a function are, with ``names`` for these.

        They are those of which only the steps here say by what they are.
        """
        found = {**self.lefts}
        found |= {one.key: self.left_side(one) for one in self.segments if is_loose(one.key, self.words)}
        return {names[key]: LeftSide(output or "", left.by) for key, left in found.items() if key in names}

    def remarks(self, first: ScriptRun) -> list[str]:
        """Return sentences on names that look like derivatives and are compared with none, or with a guess.

        Values that the output of the ``first`` run is made of are no derivatives, such as ``data_loss``, nor
        are arrays that the script draws or writes.
        """
        found = []
        for name, guess in self.guessed.items():
            line = next(one.number for one in self.lines if one.key == name)
            meant = [one.spelled or guess.spelled for one in self.segments if one.key == name]
            values = ", ".join(f"`{one}`" for one in dict.fromkeys(meant))
            text = f"`{name}` is compared with the gradient of {values}: {guess.reason}"
            found.append(f"{self.name}:{line}: {text}")
        compared = {one.key for one in self.segments if one.turn is not None}
        compared |= {node.name for node in first.subject.order if node.name is not None}
        compared |= self.forward_names()
        given = first.execution.names.items()
        compared |= {name for name, one in given if isinstance(one, Tensor) and isinstance(one.node, Leaf)}
        for name, line in self.uncompared.items():
            if name in compared or side_of_name(name, self.words) is not None:
                continue  # such as dz_dw of an array z, of which a note tells
            reason = "its lines are a loop, or make a list"
            if is_of_differences(name, self.words):
                reason = "differences give a few of its digits only"
            elif by := by_unclear_name(name, self.words):
                reason = f"write whose gradient it is, as in `d{first.subject.name}/d{by} == {name}`"
            elif name[1:] not in self.words:
                near = closest_name(name, self.keys)
                reason = f"the script has no `{name[1:]}`" + (f"; did you mean `{near}`?" if near else "")
            found.append(f"{self.name}:{line}: `{name}` is not compared: {reason}")
        for one in self.lines:
            if one.kind == CLIP:
                found.append(f"{self.name}:{one.number}: `{one.key}` is compared before this line bounds it")
        return found

    @property
    def remark_on_headings(self) -> str:
        """The sentence that says which lines are passed over because they have no formula; "" if none is."""
        headings = [
            str(one.number) for one in self.lines if one.kind == IDLE and one.node is None and not one.key
        ]
        lines = f"line{'s' * (len(headings) > 1)} {', '.join(headings)}"
        return f"{self.name}: no formula in {lines}: passed over" if headings else ""

    def forward_names(self) -> set[str]:
        """Return the names that lines before the first step give values, and that are no derivatives."""
        start = min((one.places[0] for one in self.segments), default=0)
        bound = set().union(*(line.binds for line in self.lines[:start]))
        read = set().union(*(self.lines[at].reads for one in self.segments for at in one.places))
        for line in reversed(self.lines):
            if not read.isdisjoint(line.binds):
                read |= line.reads
        if self.statements:  # in a script, what steps are made of is judged with them
            return {name for name in bound | read if self.has_no_value(name)}
        return {name for name in bound - read if name[1:] not in self.words}

    def has_no_value(self, name: str) -> bool:
        """Whether the script has neither what ``dh`` is called after nor another derivative like it."""
        return name[1:] not in self.words and closest_name(name, self.keys) is None

    def meant(self, at: int) -> dict[str, Node]:
        """Return the values whose gradients names have before a line, where the names do not say it."""
        last: dict[str, Segment] = {}
        for one in self.segments:
            if one.places[-1] < at:
                last[one.key] = one
        found = {name: guess.node for name, guess in self.guessed.items()}
        for key, one in last.items():
            if one.left_out is not None and at > one.left_out[0]:
                found[key] = one.left_out[1]
            elif one.node is not None:
                found[key] = one.node
        return found

    def left_out(self, at: int) -> dict[str, Node]:
        """Return the values for whose gradients the lines behind a line, but not it, take names of steps."""
        found = {one.key: one.left_out for one in self.segments if one.left_out is not None}
        return {key: node for key, (place, node) in found.items() if place == at}

    def own_names(self, at: int) -> set[str]:
        """Return the names that have values of the derivation's own before the line ``at``."""
        bound = {name for line in self.lines[:at] if line.kind in (HELPER, BLOCK) for name in line.binds}
        return bound | {one.key for one in self.segments if one.is_open_at(at)}

    def users(self, key: str, start: int, end: int) -> list[Segment]:
        """Return the steps that end between two lines and read a name, or helper lines that read it."""
        read = {key}
        for line in self.lines[start:end]:
            if line.kind in (HELPER, BLOCK) and line.reads & read:
                read |= line.binds | line.changes
        return [
            one
            for one in self.segments
            if start < one.places[-1] < end and any(self.lines[at].reads & read for at in one.places)
        ]

    def names_behind(self, segment: Segment) -> set[str]:
        """Return the names that a step reads, itself or in the lines that make what it reads."""
        read = set().union(*(self.lines[at].reads for at in segment.places))
        for line in reversed(self.lines[: segment.places[-1]]):
            if read & (line.binds | line.changes | {line.key}):
                read |= line.reads
        return read

    def sources(self, segment: Segment) -> list[Segment]:
        """Return the steps from which a step is computed, by other steps and helper lines too."""
        read = set().union(*(self.lines[at].reads for at in segment.places))
        found = []
        for at in reversed(range(segment.places[-1])):
            line = self.lines[at]
            for one in self.segments:
                if one.places[-1] == at and one.key in read:
                    found.append(one)
                    read.discard(one.key)
                    read = read.union(*(self.lines[place].reads for place in one.places))
            if line.kind in (HELPER, BLOCK) and read & (line.binds | line.changes):
                read |= line.reads
        return found

    def number_of(self, segment: Segment) -> int:
        """Return the number of the line that ends a step."""
        return self.lines[segment.places[-1]].number_of(segment.key, self.given)

    def formulas(self) -> list[Formula]:
        """Return the formulas of the steps that have one, in the order of their lines."""
        found = []
        for segment in self.segments:
            try:
                found.append(self.formula(segment))
            except UsageError as error:
                number = self.lines[segment.places[-1]].number
                self.unreadable[number] = in_step(error, self.name, number, self.given)
        return sorted(found, key=lambda formula: formula.step or ("", 0))

    def formula(self, segment: Segment) -> Formula:
        """Return the formula of a step; raise a UsageError that points at a mistake in it."""
        self.refuse_unread(segment)
        if segment.turn is not None:
            return self.turn_formula(segment, segment.turn)
        start, *later = [self.lines[at] for at in segment.places]
        own = self.own_names(segment.places[-1])
        right, written = self.value_before(segment), ""
        is_overwritten = self.is_overwritten(segment)
        if is_overwritten or right is None or any(line.kind != ADDITION for line in later):
            parts = [later[-1]] if is_overwritten else [start, *later]
            own = own.union([segment.key], *(line.binds | line.changes for line in parts))
            shown = [segment.key, start.shown] if right is None else [" ".join(right.text.split())]
            written = "; then ".join([*shown, *(line.shown for line in later)])
            end = PlacedText(segment.key, [])
            right = joined([*(line.statement for line in parts), end], "\n")
        else:
            for line in later:
                right = line.added_to(right)
        last = segment.places[-1]
        step = (self.name, self.lines[last].number_of(segment.key, self.given))
        workings = Workings(self, segment, own)
        left = self.left_side(segment)
        made = Formula(left, right, self.given, self.words, step, workings, written)
        if start.members and later:
            raise UsageError(
                f"`{segment.key}` is changed below, and its line has more than one equals sign",
                code="E0610",
                help=("write a line for each equals sign, with the left side in front of it",),
            )
        made.others = [Formula(left, one, self.given, self.words, step, workings) for one in start.members]
        return made

    def refuse_unread(self, segment: Segment) -> None:
        """Raise a UsageError if a line that cannot be read changes the derivative or what it needs."""
        lines = [self.lines[at] for at in segment.places]
        begins = [self.lines[one.places[0]].number for one in self.segments if one.key == segment.key]
        for number, names in self.unread.items():
            before = [one for one in begins if one < number]
            changed = {segment.key} if lines[0].number in before[-1:] else set()
            for line in lines:
                if line.number > number:
                    bound = [one.binds for one in self.lines if number < one.number < line.number]
                    changed |= line.reads.difference(self.keys, *bound)
            for name in sorted(names & changed):
                raise not_judged(number, name)

    def turn_formula(self, segment: Segment, turn: WrongTurn) -> Formula:
        """Return the formula of the value that a line of a loop makes in one turn."""
        [place] = segment.places
        line = self.lines[place]
        made = list_names(place, self.turns[place].index(turn))[0]
        name = segment.key if segment.key.isidentifier() else made
        end = PlacedText(f"{name} = {made}[{turn.at}]\n{name}", [])
        right = joined([line.statement, end], "\n")
        own = self.own_names(place) | line.binds | line.changes
        workings = Workings(self, segment, own)
        step = (self.name, turn.line.number)
        before, _, after = split_equation(self.given.line(turn.line.number))
        is_whole = before.strip() == turn.line.name
        written = " ".join((after if is_whole else self.given.line(turn.line.number)).split())
        return Formula(self.left_side(segment), right, self.given, self.words, step, workings, written)

    def value_before(self, segment: Segment) -> PlacedText | None:
        """Return the value that the first line of a step gives; None if the lines change an earlier one."""
        start = self.lines[segment.places[0]]
        if segment.before is None or (len(segment.places) == 1 and start.kind == START):
            return start.value()
        if len(segment.places) == 1 and start.kind == ADDITION:
            return start.added_to(PlacedText(segment.key, []))
        return None

    def left_side(self, segment: Segment) -> LeftSide:
        if segment.spelled:
            return LeftSide("", ((segment.spelled, None),))
        if segment.key in self.guessed:
            return LeftSide("", ((self.guessed[segment.key].spelled, None),))
        if segment.key in self.lefts:
            return self.lefts[segment.key]
        left = side_of_name(segment.key, self.words)
        assert left is not None
        return left

    def unfolded(self, segment: Segment) -> Formula | None:
        """Return the formula of a step with the lines before it that make the names that it reads.

        Return None if there are none, or if there is a loop, which takes long to try again and again.
        """
        last = segment.places[-1]
        chosen = set(segment.places)
        wanted = set().union(*(self.lines[at].reads for at in chosen))
        for at in reversed(range(last)):
            line = self.lines[at]
            made = (line.binds | line.changes) - self.computed.restated.get(at, set())
            if line.kind == HELPER and wanted & made:
                chosen.add(at)
                wanted |= line.reads
        parts = [self.lines[at] for at in sorted(chosen)]
        if len(chosen) == len(segment.places) or any(line.kind == BLOCK for line in parts):
            return None
        if not segment.key.isidentifier():
            return None
        left = self.left_side(segment)
        own = self.own_names(last).union([segment.key], *(line.binds | line.changes for line in parts))
        end = PlacedText(segment.key, [])
        right = joined([*(line.statement for line in parts), end], "\n")
        return Formula(left, right, self.given, self.words, None, Workings(self, segment, own), segment.key)

    def is_overwritten(self, segment: Segment) -> bool:
        """Whether names that the first lines of a step read have other values before its last line."""
        first, last = segment.places[0], segment.places[-1]
        if not segment.key.isidentifier():
            return False
        own_loops = {at for at in segment.places if self.lines[at].kind == BLOCK}
        inner = [at for at in range(first + 1, last) if at not in own_loops]
        between = [self.lines[at] for at in inner if self.lines[at].kind != CHANGE]
        bound = set().union(*(line.binds | line.changes for line in between))
        return any(self.lines[at].reads & bound for at in segment.places[:-1])


def names_changed_in(text: str) -> set[str]:
    """Return the names that a line may change which is no statement.

    They stand before ``=``; in a call before it, as its first argument, or behind ``out=``.
    """
    if function := re.match(r"\s*def\s+(\w+)", text):
        return {function[1]}
    found = re.match(r"[^=,]*\([^=,)]*", text)
    if found is None and "=" not in text:
        return set()
    changed = text.partition("=")[0] if found is None else found[0]
    return set(re.findall(r"(?<!\w)[^\W\d]\w*", changed)).union(re.findall(r"\bout\s*=\s*(\w+)", text))


class Workings:
    """What a derivation computes before one of its lines: the values of its ``own_names``."""

    __slots__ = ("derivation", "own_names", "segment", "steps")

    def __init__(self, derivation: Derivation, segment: Segment, own_names: Collection[str]) -> None:
        self.derivation = derivation
        self.segment = segment
        self.own_names = own_names
        self.steps = derivation.keys

    def values(self, run: ScriptRun, first: ScriptRun) -> dict[str, Any] | None:
        """Return the values, None if there are none in a run; raise the error of a line that they need."""
        derivation, places = self.derivation, self.segment.places
        values = derivation.computed.values(places[-1], run, first)
        if values is not None and not derivation.is_overwritten(self.segment):  # all its lines are run again
            own = derivation.computed.given_values(places[0], run)
            values = {**values, **{name: one for name, one in own.items() if name == self.segment.key}}
        values = None if values is None else {**derivation.computed.kept_for(self.segment, run), **values}
        for name in set().union(*(derivation.lines[at].reads for at in places)):
            if name in derivation.computed.failed and name not in (values or {}):
                raise like(
                    derivation.computed.failed[name], derivation.computed.failed[name].message, NotJudgedError
                )
        return values

    @property
    def meant(self) -> dict[str, Node]:
        """The values whose gradients names in the first line of the step are, where they do not say it."""
        return self.derivation.meant(self.segment.places[0])

    @property
    def earlier(self) -> list[tuple[Segment, LeftSide]]:
        """The steps before, and which derivative each makes."""
        own, derivation = self.segment.places[-1], self.derivation
        before = [
            one
            for one in derivation.segments
            if one.places[-1] < own and one.overwrites is None and one.turn is None
        ]
        return [(one, derivation.left_side(one)) for one in before]

    @property
    def left_out(self) -> dict[str, Node]:
        return self.derivation.left_out(self.segment.places[-1])

    @property
    def unfolded(self) -> Formula | None:
        return self.derivation.unfolded(self.segment)

    @property
    def upstream(self) -> list[UpstreamDerivatives]:
        """The derivatives in the lines before."""
        return [one for at, one in self.derivation.helpers.items() if at < self.segment.places[-1]]
