"""Finds where nan or infinity in a leaf came from, since training loops change leaves in place.

The graph of a report begins at the leaf as it is now. So the script runs again while every change of its
leaves and every gradient that reaches them is recorded, and once more up to the backward pass at fault.
Scripts without such a leaf pay nothing for this.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from itertools import pairwise

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.backward import clear_freed_status
from autodiff.core.engine.sweep import sweep
from autodiff.core.fast.tape import entry_node
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.node_names import NodeNames, ordinal
from autodiff.core.report.cause import Cause
from autodiff.core.report.records import ReportedPass
from autodiff.core.why.first_cause import causes_of
from autodiff.grammar.session.run import EngineSetup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source, Span
    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import GradSlot
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Recorder, Tape
    from autodiff.core.report.records import Derivation, GradientReport
    from autodiff.grammar.repair.gradient_remedies import Trial, Trials
    from autodiff.grammar.session.run import Execution

#: A leaf that has become so many times as large, and larger with each of its last changes, has diverged.
GROWTH = 1e6
#: How many of the last changes are looked at, and how many of the first are shown.
LAST, SHOWN_VALUES = 8, 3
#: Growth factors within this ratio of each other are reported as one.
STEADY = 1.05


class PassReached(Exception):
    """Ends a run at the backward pass that is looked for."""


class LeafHistory:
    """The history of one leaf: its largest entry after every change, and where each change was made.

    ``spoiled`` is the index of the first value that is not finite; ``passes`` counts the backward passes of
    the script before it. ``first_bad_pass`` is the first pass since which the gradient was never finite.
    ``is_remade`` means that the values are the first values of successive leaves, all made by one line.
    """

    __slots__ = ("first_bad_pass", "first_nonfinite", "is_remade", "passes", "sites", "values")

    def __init__(self) -> None:
        self.values: list[float] = []
        self.sites: list[Span | None] = []
        self.first_nonfinite: int | None = None
        self.passes = 0
        self.first_bad_pass: int | None = None
        self.is_remade = False

    def change_phrase(self, index: int, here: str) -> str:
        """Return a phrase such as ``at its 3rd change here``."""
        times = ordinal(self.times(index))
        return f"the {times} time it is made {here}" if self.is_remade else f"at its {times} change {here}"

    def times(self, index: int) -> int:
        """Return how often the line of the change ``index`` had changed the leaf by then."""
        return self.sites[: index + 1].count(self.sites[index])

    @property
    def growth(self) -> list[float]:
        """The factors of the last changes before the value was not finite; empty if it did not diverge."""
        sizes = [abs(value) for value in self.values[: self.first_nonfinite] if value]
        factors = [now / before for before, now in pairwise(sizes)][-LAST:]
        ran_away = len(factors) > 1 and min(factors) > 1 and sizes[-1] > GROWTH * max(1.0, sizes[0])
        return factors if ran_away else []


class RunRecorder:
    """Records the changes of leaves and their gradients in a run, up to the pass ``last`` if given."""

    def __init__(self, last: int | None = None) -> None:
        self.last = last
        self.backwards = 0
        self.histories: dict[GradSlot, LeafHistory] = {}
        self.roots: list[Node] = []
        self.seeds: list[Any] = []
        self.recorder: Recorder | None = None

    def __enter__(self) -> RunRecorder:
        self.before, mode.probe = mode.probe, self
        return self

    def __exit__(self, *exc: object) -> None:
        mode.probe = self.before

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        """Called by the engine for every tracked leaf, and again for one that was changed in place."""
        if self.recorder is None and mode.recorder is not None:
            self.recorder, mode.recorder = mode.recorder, self
        if leaf.grad_slot is not None:
            history = self.histories.setdefault(leaf.grad_slot, LeafHistory())
            history.values.append(largest(value))
            history.sites.append(mode.site)
            if history.first_nonfinite is None and not is_finite(history.values[-1]):
                history.first_nonfinite, history.passes = len(history.values) - 1, self.backwards
        return value

    def after_unrecorded(self, op: Op, values: tuple[Any, ...]) -> None:
        """Called by the engine for every comparison; nothing is recorded."""

    def grads_gathered(self, before: list[tuple[GradSlot, Any]], is_partial: bool) -> None:
        """Called by the engine after it has filled these ``.grad``."""
        assert self.recorder is not None
        self.recorder.grads_gathered(before, is_partial)
        for cell, _ in before:
            history = self.histories.get(cell)
            if history is None or history.first_nonfinite is not None or cell.grad is None:
                continue
            if is_finite(largest(cell.grad.value)):
                history.first_bad_pass = None
            elif history.first_bad_pass is None:
                history.first_bad_pass = self.backwards + 1

    def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None:
        assert self.recorder is not None
        self.recorder.slopes_made(slopes)

    def derivatives_made(self, result: Any, inputs: list[Tensor], order: int) -> None:
        assert self.recorder is not None
        self.recorder.derivatives_made(result, inputs, order)

    def written_pass_ran(self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool) -> None:
        root = entry_node(tape, at)
        self.pass_ran(kind, [root], [seed], [] if retain else newest_first([root]))

    def pass_ran(self, kind: str, roots: list[Node], seeds: list[Any], order: list[Node]) -> None:
        """Called by the engine at the end of a pass."""
        assert self.recorder is not None
        self.recorder.pass_ran(kind, roots, seeds, order)
        self.backwards += kind == "backward"
        if kind == "backward" and self.backwards == self.last:
            self.roots, self.seeds = roots, seeds
            raise PassReached


def explain_nonfinite_leaves(report: GradientReport, execution: Execution, trials: Trials) -> None:
    """Explain leaves that hold nan or infinity by the change that it came from, if they changed."""
    spoiled = [one for one in report.derivations if any(cause.kind == "data" for cause in one.causes)]
    if not spoiled:
        return
    source = execution.source
    with RunRecorder() as follower:
        trial = trials.run(source.text, source, spoiled[0].wrt)
    if trial is None:
        mention_changes(spoiled, execution)
        return
    causes = causes_in_run(follower, trial, trials)
    for derivation in spoiled:
        derivation.causes = tuple(copy(cause) for cause in causes) or derivation.causes


def causes_in_run(follower: RunRecorder, trial: Trial, trials: Trials) -> tuple[Cause, ...]:
    """Return why the first leaf of the graph that became not finite did so.

    Empty if all such leaves were created with nan or infinity.
    """
    source = trial.source
    subject = trial.subject
    names = NodeNames(subject.order or [subject.root], source, numbers_first=subject.numbers_first)
    found: list[tuple[int, Leaf, LeafHistory]] = []
    for leaf in names.of:
        if isinstance(leaf, Leaf) and leaf.grad_slot is not None:
            history = follower.histories.get(leaf.grad_slot)
            if history is not None and history.first_nonfinite:
                found.append((history.passes, leaf, history))
    if found:
        _, leaf, history = min(found, key=lambda one: (one[0], one[1].number))
        assert leaf.grad_slot is not None
        at = list(follower.histories).index(leaf.grad_slot)
    else:
        remade = first_remade(follower, names)
        if remade is None:
            return ()
        leaf, history, at = remade
    name = names[leaf]
    causes: tuple[Cause, ...] = ()
    if not history.growth and history.first_bad_pass is not None:
        causes = causes_in_pass(history.first_bad_pass, at, name, trial, trials)
        for cause in causes:
            cause.text += f"; {spoiling_change(name, history, source)}"
    return causes or (change_cause(name, history, source),)


def first_remade(follower: RunRecorder, names: NodeNames) -> tuple[Leaf, LeafHistory, int] | None:
    """Return a leaf made by a line that made finite leaves before, with the history of all of them.

    The number is the index of the last finite leaf among all histories.
    The gradient that made the next leaf not finite is that of the last finite one.
    """
    histories = list(follower.histories.values())
    made_at: dict[Span | None, list[int]] = {}
    for at, history in enumerate(histories):
        made_at.setdefault(history.sites[0], []).append(at)
    for leaf in names.of:
        own = (
            follower.histories.get(leaf.grad_slot)
            if isinstance(leaf, Leaf) and leaf.grad_slot is not None
            else None
        )
        if own is None or own.first_nonfinite != 0:
            continue
        assert isinstance(leaf, Leaf)
        alike = made_at.pop(own.sites[0], None)
        if alike is None:  # another leaf of this line has been looked at
            continue
        made = LeafHistory()
        made.is_remade = True
        made.values = [histories[at].values[0] for at in alike]
        made.sites = [own.sites[0]] * len(alike)
        made.first_nonfinite = next(
            turn for turn, at in enumerate(alike) if histories[at].first_nonfinite == 0
        )
        if made.first_nonfinite:
            last = alike[made.first_nonfinite - 1]
            made.first_bad_pass = histories[last].first_bad_pass
            return leaf, made, last
    return None


def causes_in_pass(
    number: int, leaf_index: int, name: str, first: Trial, trials: Trials
) -> tuple[Cause, ...]:
    """Return why the pass ``number`` gave the leaf with index ``at`` a gradient that is not finite."""
    source, wrt = first.source, first.wrt
    with RunRecorder(number) as follower, suppress(PassReached):
        trials.run(source.text, source, wrt)
    if len(follower.roots) != 1:
        return ()
    [root], [seed] = follower.roots, follower.seeds
    cell = list(follower.histories)[leaf_index]
    order = newest_first([root])
    clear_freed_status(order)
    target = next((node for node in order if isinstance(node, Leaf) and node.grad_slot is cell), None)
    if target is None:
        return ()
    with EngineSetup(trials.settings):
        subject = ReportedPass(
            name=root.name or "the output",
            root=root,
            seed=seed,
            weight=None,
            wrt=((name, target),),
            order=order,
            received=sweep(order, {root: seed}),
        )
        return causes_of(subject, name, target, NodeNames(order, source), ())


def change_cause(name: str, history: LeafHistory, source: Source) -> Cause:
    """Return the cause for a change that itself spoiled the leaf: it diverged, or got such values."""
    spoiled = history.first_nonfinite
    assert spoiled is not None
    site = history.sites[spoiled]
    line = line_of(site, source)
    sizes = history.values
    first_nan = next((at for at in range(spoiled, len(sizes)) if sizes[at] != sizes[at]), None)
    ends = f"{spelled(sizes[spoiled])} {history.change_phrase(spoiled, 'here')}"
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
    shown = [spelled(value) for value in values[:SHOWN_VALUES]]
    if len(values) > SHOWN_VALUES:
        shown += ["...", spelled(values[-1])]
    each = "turn" if history.is_remade else "change"
    text = f"{name} grows {how} each {each} ({', '.join(shown)}) and becomes {ends}: the steps are too large"
    # The step is in another line than the one that makes the leaf anew, so smaller steps are not tried.
    kind = "changed" if history.is_remade else "diverged"
    return Cause(kind, text, name, "", None, line, site)


def spoiling_change(name: str, history: LeafHistory, source: Source) -> str:
    """Say which change spoiled the leaf after its gradient was not finite."""
    spoiled = history.first_nonfinite
    assert spoiled is not None
    line = line_of(history.sites[spoiled], source)
    place = "" if line is None else f" in line {line}"
    became = f"then {name} became {spelled(history.values[spoiled])}{place}"
    return f"{became}, {history.change_phrase(spoiled, 'there')}"


def mention_changes(derivations: list[Derivation], execution: Execution) -> None:
    """Say only that a leaf was changed, where the script is too long to run again."""
    for cause in (cause for derivation in derivations for cause in derivation.causes):
        held = execution.names.get(cause.name)
        versions = getattr(held, "version_counter", None)
        if cause.kind == "data" and versions is not None and versions.count:
            cause.text = cause.text.replace(" itself", ", having been changed in place since this line", 1)


def line_of(site: Span | None, source: Source) -> int | None:
    return None if site is None else source.position(site.start)[0]


def largest(value: Any) -> float:
    """Return the entry of the largest magnitude; nan if there is one."""
    if value.__class__ is float:
        return float(value)
    entries = np.asarray(value, dtype=float).ravel()
    return float(entries[np.abs(entries).argmax()]) if entries.size else 0.0


def is_finite(value: float) -> bool:
    return value - value == 0.0


def spelled(value: float) -> str:
    return f"{value:.3g}"
