"""Where the nan in a leaf came from: leaves change in place, and a training loop may have spoiled one.

The graph that a report is about begins at the leaf as it is now. So the script runs again, with every change
of its leaves and every gradient that reaches them looked at, and once more up to the pass at fault. Scripts
without a leaf that holds nan or infinity pay nothing for this.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from itertools import pairwise

from autodiff.core.base.lazy import np
from autodiff.core.engine.freeing import make_usable
from autodiff.core.engine.sweep import sweep
from autodiff.core.fast.tape import node_of
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.node_names import Names, ordinal
from autodiff.core.report.cause import Cause
from autodiff.core.report.records import Subject
from autodiff.core.why.first_cause import causes_of
from autodiff.grammar.session.run import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source, Span
    from autodiff.core.graph.node import GradCell
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Recorder, Tape
    from autodiff.core.report.records import Derivation, GradientReport
    from autodiff.grammar.repair.gradient_remedies import Trial, Trials
    from autodiff.grammar.session.run import Execution

#: A leaf that has become so many times as large, with every change of the last ones, has run away.
GROWTH = 1e6
#: So many of the last changes are looked at, and told are so many of the first.
LAST, TOLD = 8, 3
#: Factors that differ by no more than this are told as one.
STEADY = 1.05


class Stopped(Exception):
    """Ends a run at the pass that was looked for."""


class History:
    """What became of one leaf: its largest entry after every change, and where each change was made.

    ``spoiled`` is the index of the first value that is not finite; ``passes`` counts the backward passes of
    the script before it, ``first_bad`` is the first of those since which its gradient was never finite.
    ``is_remade`` says that these are the first values of leaves that one line has made, one after the other.
    """

    __slots__ = ("first_bad", "is_remade", "passes", "sites", "spoiled", "values")

    def __init__(self) -> None:
        self.values: list[float] = []
        self.sites: list[Span | None] = []
        self.spoiled: int | None = None
        self.passes = 0
        self.first_bad: int | None = None
        self.is_remade = False

    def when(self, index: int, here: str) -> str:
        """``at its 3rd change here``"""
        times = ordinal(self.times(index))
        return f"the {times} time it is made {here}" if self.is_remade else f"at its {times} change {here}"

    def times(self, index: int) -> int:
        """How often the line that made the change ``index`` had changed the leaf by then."""
        return self.sites[: index + 1].count(self.sites[index])

    @property
    def growth(self) -> list[float]:
        """The factors of the last changes before the value was not finite, if it ran away."""
        sizes = [abs(value) for value in self.values[: self.spoiled] if value]
        factors = [now / before for before, now in pairwise(sizes)][-LAST:]
        ran_away = len(factors) > 1 and min(factors) > 1 and sizes[-1] > GROWTH * max(1.0, sizes[0])
        return factors if ran_away else []


class Follower:
    """Watches a run: the changes of its leaves and the gradients that reach them; it may end at a pass."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.backwards = 0
        self.histories: dict[GradCell, History] = {}
        self.roots: list[Node] = []
        self.seeds: list[Any] = []
        self.recorder: Recorder | None = None

    def __enter__(self) -> Follower:
        self.before, mode.probe = mode.probe, self
        return self

    def __exit__(self, *exc: object) -> None:
        mode.probe = self.before

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        """Called by the engine for every tracked leaf, and again for one that was changed in place."""
        if self.recorder is None and mode.recorder is not None:
            self.recorder, mode.recorder = mode.recorder, self
        if leaf.cell is not None:
            history = self.histories.setdefault(leaf.cell, History())
            history.values.append(largest(value))
            history.sites.append(mode.site)
            if history.spoiled is None and not is_finite(history.values[-1]):
                history.spoiled, history.passes = len(history.values) - 1, self.backwards
        return value

    def compared(self, op: Op, values: tuple[Any, ...]) -> None:
        """Called by the engine; what was compared does not matter here."""

    def grads_gathered(self, before: list[tuple[GradCell, Any]]) -> None:
        """Called by the engine, which has filled these ``.grad``."""
        assert self.recorder is not None
        self.recorder.grads_gathered(before)
        for cell, _ in before:
            history = self.histories.get(cell)
            if history is None or history.spoiled is not None or cell.grad is None:
                continue
            if is_finite(largest(cell.grad.value)):
                history.first_bad = None
            elif history.first_bad is None:
                history.first_bad = self.backwards + 1

    def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None:
        assert self.recorder is not None
        self.recorder.slopes_made(slopes)

    def written_pass_ran(self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool) -> None:
        root = node_of(tape, at)
        self.pass_ran(kind, [root], [seed], [] if retain else newest_first([root]))

    def pass_ran(self, kind: str, roots: list[Node], seeds: list[Any], order: list[Node]) -> None:
        """Called by the engine at the end of a pass."""
        assert self.recorder is not None
        self.recorder.pass_ran(kind, roots, seeds, order)
        self.backwards += kind == "backward"
        if kind == "backward" and self.backwards == self.last:
            self.roots, self.seeds = roots, seeds
            raise Stopped


def tell_spoiled(report: GradientReport, execution: Execution, trials: Trials) -> None:
    """Replace what is said of leaves that hold nan or infinity by where it came from, if they changed."""
    spoiled = [one for one in report.derivations if any(cause.kind == "data" for cause in one.causes)]
    if not spoiled:
        return
    source = execution.source
    with Follower() as follower:
        trial = trials.run(source.text, source, spoiled[0].wrt)
    if trial is None:
        tell_changed(spoiled, execution)
        return
    causes = causes_in_run(follower, trial, trials)
    for derivation in spoiled:
        derivation.causes = tuple(copy(cause) for cause in causes) or derivation.causes


def causes_in_run(follower: Follower, trial: Trial, trials: Trials) -> tuple[Cause, ...]:
    """Why the first leaf of the graph that did not stay finite did not; none where all were created so."""
    source = trial.source
    names = Names(trial.subject.order or [trial.subject.root], source)
    found: list[tuple[int, Leaf, History]] = []
    for leaf in names.of:
        if isinstance(leaf, Leaf) and leaf.cell is not None:
            history = follower.histories.get(leaf.cell)
            if history is not None and history.spoiled:
                found.append((history.passes, leaf, history))
    if found:
        _, leaf, history = min(found, key=lambda one: (one[0], one[1].number))
        assert leaf.cell is not None
        at = list(follower.histories).index(leaf.cell)
    else:
        remade = first_remade(follower, names)
        if remade is None:
            return ()
        leaf, history, at = remade
    name = names[leaf]
    causes: tuple[Cause, ...] = ()
    if not history.growth and history.first_bad is not None:
        causes = causes_in_pass(history.first_bad, at, name, trial, trials)
        for cause in causes:
            cause.text += f"; {what_came(name, history, source)}"
    return causes or (own_cause(name, history, source),)


def first_remade(follower: Follower, names: Names) -> tuple[Leaf, History, int] | None:
    """A leaf made anew by a line that has made finite ones before: what became of these, and which was last.

    The gradient that made the next one not finite is that of the last finite one.
    """
    histories = list(follower.histories.values())
    made_at: dict[Span | None, list[int]] = {}
    for at, history in enumerate(histories):
        made_at.setdefault(history.sites[0], []).append(at)
    for leaf in names.of:
        own = follower.histories.get(leaf.cell) if isinstance(leaf, Leaf) and leaf.cell is not None else None
        if own is None or own.spoiled != 0:
            continue
        assert isinstance(leaf, Leaf)
        alike = made_at.pop(own.sites[0], None)
        if alike is None:  # another leaf of this line has been looked at
            continue
        made = History()
        made.is_remade = True
        made.values = [histories[at].values[0] for at in alike]
        made.sites = [own.sites[0]] * len(alike)
        made.spoiled = next(turn for turn, at in enumerate(alike) if histories[at].spoiled == 0)
        if made.spoiled:
            last = alike[made.spoiled - 1]
            made.first_bad = histories[last].first_bad
            return leaf, made, last
    return None


def causes_in_pass(number: int, at: int, name: str, first: Trial, trials: Trials) -> tuple[Cause, ...]:
    """Why the backward pass of that number gave the leaf ``at`` a gradient that is not finite."""
    source, wrt = first.source, first.wrt
    with Follower(number) as follower, suppress(Stopped):
        trials.run(source.text, source, wrt)
    if len(follower.roots) != 1:
        return ()
    [root], [seed] = follower.roots, follower.seeds
    cell = list(follower.histories)[at]
    order = newest_first([root])
    make_usable(order)
    target = next((node for node in order if isinstance(node, Leaf) and node.cell is cell), None)
    if target is None:
        return ()
    with Stage(trials.settings):
        subject = Subject(
            name=root.name or "the output",
            root=root,
            seed=seed,
            weight=None,
            wrt=((name, target),),
            order=order,
            received=sweep(order, {root: seed}),
        )
        return causes_of(subject, name, target, Names(order, source), ())


def own_cause(name: str, history: History, source: Source) -> Cause:
    """What is said of a change that itself made the leaf what it is: it ran away, or was given them."""
    spoiled = history.spoiled
    assert spoiled is not None
    site = history.sites[spoiled]
    line = line_of(site, source)
    sizes = history.values
    first_nan = next((at for at in range(spoiled, len(sizes)) if sizes[at] != sizes[at]), None)
    ends = f"{spelled(sizes[spoiled])} {history.when(spoiled, 'here')}"
    if first_nan is not None and first_nan != spoiled:
        at = "" if history.is_remade else "at "
        ends += f", nan {at}the {ordinal(history.times(first_nan))}"
    factors = history.growth
    if not factors:
        text = f"{name} becomes {ends}; it was {spelled(sizes[spoiled - 1])} before"
        return Cause("changed", text, name, "", None, line, site)
    is_steady = max(factors) <= STEADY * min(factors)
    how = f"about {factors[-1]:.3g} times with" if is_steady else "faster and faster with"
    values = sizes[1:spoiled]
    shown = [spelled(value) for value in values[:TOLD]]
    if len(values) > TOLD:
        shown += ["...", spelled(values[-1])]
    each = "turn" if history.is_remade else "change"
    text = f"{name} grows {how} each {each} ({', '.join(shown)}) and becomes {ends}: the steps are too large"
    # The step stands in another line than the one that makes the leaf anew, and is not looked for.
    kind = "changed" if history.is_remade else "diverged"
    return Cause(kind, text, name, "", None, line, site)


def what_came(name: str, history: History, source: Source) -> str:
    """Which change spoiled the leaf after its gradient was not finite."""
    spoiled = history.spoiled
    assert spoiled is not None
    line = line_of(history.sites[spoiled], source)
    place = "" if line is None else f" in line {line}"
    became = f"then {name} became {spelled(history.values[spoiled])}{place}"
    return f"{became}, {history.when(spoiled, 'there')}"


def tell_changed(derivations: list[Derivation], execution: Execution) -> None:
    """Say at least that a leaf was changed, where the script is too long to run again."""
    for cause in (cause for derivation in derivations for cause in derivation.causes):
        held = execution.names.get(cause.name)
        versions = getattr(held, "versions", None)
        if cause.kind == "data" and versions is not None and versions.count:
            cause.text = cause.text.replace(" itself", ", having been changed in place since this line", 1)


def line_of(site: Span | None, source: Source) -> int | None:
    return None if site is None else source.position(site.start)[0]


def largest(value: Any) -> float:
    """The entry of the largest size; nan where there is one."""
    if value.__class__ is float:
        return float(value)
    entries = np.asarray(value, dtype=float).ravel()
    return float(entries[np.abs(entries).argmax()]) if entries.size else 0.0


def is_finite(value: float) -> bool:
    return value - value == 0.0


def spelled(value: float) -> str:
    return f"{value:.3g}"
