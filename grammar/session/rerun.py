"""Runs a script again with moved leaves, for ``check``: branches, masks and choices are evaluated again."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, GradientError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.outputs import is_output
from autodiff.grammar.session.run import differentiate, run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.node import Node
    from autodiff.core.graph.op import Op
    from autodiff.grammar.session.run import Execution, Settings

COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne"])


class Probe:
    """Observes a run: numbers its tracked leaves in order, which is the same in every run, and moves some.
    A probe of several runs knows the leaves of the last one.

    ``moves`` has the values to add, by leaf number. ``numbers`` maps node numbers to leaf numbers, ``leaves``
    leaf numbers to the moved leaves. ``ties`` are the places where floats were compared and some were equal.
    """

    __slots__ = ("before", "leaves", "moves", "numbers", "ties")

    def __init__(self, moves: dict[int, Any] | None = None) -> None:
        self.moves = moves or {}
        self.leaves: dict[int, Leaf] = {}
        self.numbers: dict[int, int] = {}
        self.ties: list[Span] = []

    def __enter__(self) -> Probe:
        self.numbers.clear()
        self.leaves.clear()
        self.before, mode.probe = mode.probe, self
        return self

    def __exit__(self, *exc: object) -> None:
        mode.probe = self.before

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        """Called by the engine for each tracked leaf; return the value that the leaf shall have."""
        number = len(self.numbers)
        self.numbers[leaf.number] = number
        if number not in self.moves:
            return value
        self.leaves[number] = leaf
        x = np.asarray(value)
        return as_stored(self.moved(x, self.moves[number]).astype(x.dtype))

    def moved(self, x: Any, move: Any) -> Any:
        """The array that takes the place of the leaf's array ``x``."""
        return x + move.reshape(x.shape)

    def after_unrecorded(self, op: Op, values: tuple[Any, ...]) -> None:
        """Called by the engine for every op whose result is not recorded."""
        if op.name not in COMPARISONS or mode.site is None or mode.site in self.ties:
            return
        x, y = (np.asarray(value) for value in values)
        if "f" in (x.dtype.kind, y.dtype.kind) and np.any(x == y):
            self.ties.append(mode.site)


class Rerun:
    """A script that can be run again; ``first`` is the probe that observed its first run, ``execution``."""

    __slots__ = ("first", "output_is_expression", "script", "settings", "source")

    def __init__(self, execution: Execution, settings: Settings, first_probe: Probe) -> None:
        self.source, self.script = execution.source, execution.script
        self.settings = settings
        self.first = first_probe
        #: Whether the output is the script's last expression, which then holds for every run.
        self.output_is_expression = settings.of is None and is_output(execution.last_value)

    def moved(self, moves: dict[Node, Any]) -> Probe:
        """Return the probe that makes these moves, given for leaves of the first run, in another run."""
        return Probe({self.first.numbers[leaf.number]: move for leaf, move in moves.items()})

    def run(
        self, moves: dict[Node, Any], changes: dict[str, Callable[[Any], Any]] | None = None
    ) -> tuple[Execution, ReportedPass] | None:
        """Run with ``moves`` added to leaves of the first run; return the run and its backward pass.

        ``changes`` has functions that change the values of constants where the script assigns them. Return
        None if the run ends with an error.
        """
        settings = self.settings.copy(changes=changes) if changes else self.settings
        with self.moved(moves):
            try:
                execution = run_once(self.source, settings, discard_text, discard_warning, self.script)
                return execution, differentiate(execution, settings)
            except AutodiffError:
                return None

    def moved_subject(self, subject: ReportedPass, moves: dict[Node, Any]) -> ReportedPass | None:
        """Return the backward pass of a run with moved leaves, by the inputs of ``subject``, or None.

        If the output depends on none of the inputs it is a constant, and all gradients are 0.
        """
        with self.moved(moves) as probe:
            found = self.rerun_subject(subject)
        if found is None:
            return None
        known = {name for name, _ in found.wrt}
        found.wrt += tuple(
            (name, probe.leaves[number])
            for name, node in subject.wrt
            if name not in known and (number := self.first.numbers.get(node.number)) in probe.leaves
        )
        return found

    def rerun_subject(self, subject: ReportedPass) -> ReportedPass | None:
        """Return the same with only the inputs that the output depends on."""
        try:
            execution = run_once(self.source, self.settings, discard_text, discard_warning, self.script)
        except AutodiffError as error:  # the error may be that backward() started from a constant
            return constant_subject(subject, error.operands[0]) if is_constant_output_error(error) else None
        try:
            return differentiate(execution, self.settings)
        except AutodiffError:
            return constant_subject(subject, constant_output(subject, execution, self.settings))


def is_constant_output_error(error: AutodiffError) -> bool:
    """Whether the error is that a pass would have started from a tensor without a graph."""
    return isinstance(error, GradientError) and error.code == "E0410" and bool(error.operands)


def constant_output(subject: ReportedPass, execution: Execution, settings: Settings) -> Any:
    """Return the output of a run if it is a constant, else None; ``subject`` is that of another run."""
    names = execution.names
    last = names.get(execution.last_assigned or "")
    found = [names.get(settings.of or subject.name), execution.last_value, last]
    return next((value for value in found if is_constant(value)), None)


def is_constant(value: Any) -> bool:
    """Whether a value is a number, or a tensor that does not require grad."""
    return value.__class__ in (float, int) or (value.__class__ is Tensor and not value.requires_grad)


def constant_subject(subject: ReportedPass, value: Any) -> ReportedPass | None:
    """Return the subject of a pass from a constant of the same shape; None if ``value`` is not one."""
    if not is_constant(value):
        return None
    out = as_stored(np.asarray(value.data if value.__class__ is Tensor else value, dtype=float))
    if np.shape(out) != subject.root.shape:
        return None
    root = Leaf(out, tracked=False)
    return ReportedPass(subject.name, root, subject.seed, subject.weight, (), [root], {root: subject.seed})
