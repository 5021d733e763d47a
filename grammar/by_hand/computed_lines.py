"""The values that the lines of a derivation compute before each of its steps, in the runs of the script."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from functools import cached_property

from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.evaluate import run_text
from autodiff.grammar.by_hand.formula import NotJudgedError, advice_on, located_in, to_numbers
from autodiff.grammar.by_hand.inner_names import outer_names
from autodiff.grammar.by_hand.points import values_equal
from autodiff.grammar.by_hand.repeated_lines import repeated_places, untouched_places
from autodiff.grammar.by_hand.runs import changed_later
from autodiff.grammar.by_hand.step_errors import in_step, like, not_judged
from autodiff.grammar.by_hand.step_lines import BLOCK, BLOCKS, HELPER
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.grammar.by_hand.runs import ScriptRun
    from autodiff.grammar.by_hand.segments import Segment
    from autodiff.grammar.by_hand.step_lines import Line
    from autodiff.grammar.by_hand.steps import Derivation


class ComputedLines:
    """The values that the lines of a ``derivation`` give its names, in each run of the script.

    Lines that change no value of the script, such as ``N = 5``, are not run again. Those of the script itself
    read the values that names had when they ran.
    """

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.starts = sorted(one.span.start for one in derivation.statements)
        #: The names to which a line gives the value that they have in the script, such as N = 5, or its data.
        self.restated: dict[int, set[str]] = {}
        #: The names that have no value because their line failed, with the errors.
        self.failed: dict[str, UsageError] = {}
        self._values: dict[ScriptRun, list[dict[str, Any]]] = {}
        self._repeated: set[int] | None = None

    def values(self, at: int, run: ScriptRun, first: ScriptRun) -> dict[str, Any] | None:
        """Return the values of the derivation's own names before a line, in a run of the script.

        Lines that cannot be run in the ``first`` run give no values. Return None if others cannot be run.
        """
        if run is not first:
            self.values(at, first, first)
        if run not in self._values:
            self._values[run] = [{**self.given_values(0, run), **self.turn_values(run)}]
        known = self._values[run]
        while len(known) <= at:
            place = len(known) - 1
            values = known[-1]
            if place in self.derivation.helpers:
                try:
                    made = self.run_helper(place, values, run, first)
                    restated = self.restated.get(place, set())
                    kept = {name: one for name, one in values.items() if name not in restated}
                    values = {**kept, **made}
                except UsageError as error:
                    line = self.derivation.lines[place]
                    if line.kind not in (HELPER, BLOCK):
                        pass  # a part of a step, which reports the error
                    elif run is first:
                        self.derivation.unreadable[line.number] = error
                        self.failed |= dict.fromkeys(line.binds | line.changes, error)
                        values = {name: one for name, one in values.items() if name not in self.failed}
                    elif line.number not in self.derivation.unreadable:
                        return None
            done = {
                one.key for one in self.derivation.segments if one.places[-1] == place and one.turn is None
            }
            left = {name: value for name, value in values.items() if name not in done}
            known.append({**left, **self.given_values(place + 1, run)})
        return known[at]

    def run_rest(self, first: ScriptRun) -> None:
        """Run the lines behind the last step too, so that those that cannot be run are told."""
        self.values(len(self.derivation.lines), first, first)

    def given_values(self, at: int, run: ScriptRun) -> dict[str, Any]:
        """Return the gradients that the steps which begin at a line change, or with which a loop begins."""
        found = {
            one.key: one.before
            for one in self.derivation.segments
            if one.places[0] == at and one.before is not None
        }
        if at < len(self.derivation.lines) and self.derivation.lines[at].kind == BLOCK:
            carried = (
                self.derivation.lines[at].binds
                & self.derivation.lines[at].carried
                & self.derivation.guessed.keys()
            )
            found |= {name: node for name, node in self.derivation.meant(at).items() if name in carried}
        return {name: Tensor.of(as_stored(run.cotangent(node))) for name, node in found.items()}

    def turn_values(self, run: ScriptRun) -> dict[str, Any]:
        """Return the right values of wrong lines of loops, as lists."""
        return {
            list_names(place, at)[2]: [Tensor.of(as_stored(value)) for value in one.right(run)]
            for place, wrong in self.derivation.turns.items()
            for at, one in enumerate(wrong)
        }

    def repeated(self, first: ScriptRun) -> set[int]:
        """Return the places of the lines whose names have the values that the script gives them."""
        if self._repeated is None and self.derivation.statements:
            self._repeated = untouched_places(self.derivation)
        elif self._repeated is None:
            script = first.execution.source if self.derivation.turn is None else self.derivation.turn.lines
            counts = Counter(node.name for node in first.subject.order)
            later = changed_later(first.subject, first.execution)
            settled = [name for name in later if counts[name] == 1]
            self._repeated = repeated_places(self.derivation.lines, script, settled)
        return self._repeated

    # -- the values that lines of the script itself read -----------------------------------------------

    def start_of(self, at: int) -> int:
        """Return the offset of the statement at top level in which the line ``at`` stands; -1 if in none."""
        found = (
            bisect_right(self.starts, self.derivation.lines[at].statement.origin(0)) - 1
            if self.starts
            else -1
        )
        return self.starts[found] if found >= 0 else -1

    @cached_property
    def inner_places(self) -> set[int]:
        """The places of lines that stand inside of a statement at top level, as below ``with``."""
        blocks = {one.span.start for one in self.derivation.statements if isinstance(one, BLOCKS)}
        found = {at: self.start_of(at) for at in range(len(self.derivation.lines))}
        return {
            at
            for at, start in found.items()
            if start in blocks and (self.derivation.lines[at].kind != BLOCK or found.get(at - 1) == start)
        }

    def reads_at(self, at: int) -> set[str]:
        """Return the names that a line reads, those that its functions of the script read too."""
        found, todo = set[str](), [*self.derivation.lines[at].reads, *self.derivation.lines[at].changes]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.read_by_functions.get(name, ())
        return found

    @cached_property
    def read_by_functions(self) -> dict[str, set[str]]:
        functions = [one for one in self.derivation.statements if isinstance(one, tree.FunctionDef)]
        return {one.name: {part.id for part in outer_names(one)} for one in functions}

    def names_to_keep(self) -> dict[int, set[str]]:
        """Return the names whose values the lines of the script read, or make, by the next statement."""
        found: dict[int, set[str]] = {}
        made: set[str] = set()
        last = -1
        for at in range(len(self.derivation.lines)) if self.starts else ():
            start = self.start_of(at)
            found.setdefault(start, set()).update(self.reads_at(at))
            if start != last:
                found[start] |= made
                made, last = set(), start
            made |= self.derivation.lines[at].binds | self.derivation.lines[at].changes
        return found

    def kept(self, at: int, run: ScriptRun) -> dict[str, Any]:
        """Return the values that names have in a run of the script before the line ``at``, if it is its own.

        Those of the steps are left out: they are read as gradients.
        """
        start = self.start_of(at)
        found = {} if start < 0 else run.execution.kept[start]
        return {name: value for name, value in found.items() if name not in self.derivation.keys}

    def value_after(self, at: int, name: str, run: ScriptRun) -> Any:
        """Return the value that a line of the script gives a name in a run, None without one."""
        later = (
            place
            for place in range(at + 1, len(self.derivation.lines))
            if self.start_of(place) != self.start_of(at)
        )
        following = next(later, None) if self.starts else None
        found = {} if following is None else self.kept(following, run)
        return found.get(name, run.names.get(name))

    def kept_for(self, segment: Segment, run: ScriptRun) -> dict[str, Any]:
        """Return the values that the lines of a step read, each as it is before the first that reads it."""
        found: dict[str, Any] = {}
        changed: set[str] = set()
        for at in segment.places[-1:] if self.derivation.is_overwritten(segment) else segment.places:
            kept = self.kept(at, run).items()
            found |= {name: value for name, value in kept if name not in changed and name not in found}
            changed |= self.derivation.lines[at].binds | self.derivation.lines[at].changes
        return found

    def run_helper(
        self, place: int, values: Mapping[str, Any], run: ScriptRun, first: ScriptRun
    ) -> dict[str, Any]:
        upstream, line = self.derivation.helpers[place], self.derivation.lines[place]
        if place in self.repeated(first):
            self.restated[place] = line.binds | line.changes
            return {}
        self.refuse_failed(line, values)
        nodes = upstream.nodes_in(run, upstream.nodes(first.subject, first.execution))
        known = {**run.names_with(line.reads), **self.kept(place, run), **values}
        names = {**known, **upstream.values(nodes, run.subject)}
        text = upstream.placed.text
        try:
            bound = run_text(text, names, False)[0]
        except AutodiffError as error:
            advice = advice_on(error, Source(text), names, False)
            made = located_in(upstream.placed, self.derivation.given, error, advice, upstream)
            raise in_step(made, self.derivation.name, line.number, self.derivation.given) from None
        if run is first:
            self.restated[place] = {name for name in bound if is_same(bound[name], first.names.get(name))}
        given = (line.binds | line.changes) - self.restated[place]
        return {name: value for name, value in bound.items() if name in given}

    def refuse_failed(self, line: Line, values: Mapping[str, Any]) -> None:
        """Raise a UsageError if a line reads what one before it should have given a value, and has not."""
        for name in sorted(line.reads.difference(values, self.derivation.keys)):
            if name in self.failed:
                raise like(self.failed[name], self.failed[name].message, NotJudgedError)
            for number, names in self.derivation.unread.items():
                if name in names and number < line.number:
                    raise in_step(
                        not_judged(number, name), self.derivation.name, line.number, self.derivation.given
                    )


def list_names(place: int, at: int) -> tuple[str, str, str]:
    """Return the names of three lists for a wrong line of the loop at a place.

    They have the values that it makes, the right ones that are left, and all right ones.
    """
    return f"turns_{place}_{at}_made", f"turns_{place}_{at}_left", f"turns_{place}_{at}_right"


def is_same(value: Any, other: Any) -> bool:
    """Whether a line gives numbers that the script has under the same name; whole ones may be of any type."""
    try:
        given, known = to_numbers(value, ""), to_numbers(other, "")
    except UsageError:
        return False
    return np.shape(given) == np.shape(known) and values_equal(given, known)
