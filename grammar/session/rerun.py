"""A script run again with its leaves moved, for ``check``: branches, masks and choices are made anew."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, GradientError
from autodiff.core.base.lazy import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import settle
from autodiff.core.report.records import Subject
from autodiff.grammar.objects.runtime import ignore, ignore_warning
from autodiff.grammar.session.run import attempt, differentiate
from autodiff.grammar.session.target import name_assigned_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.node import Node
    from autodiff.core.graph.op import Op
    from autodiff.grammar.session.run import Execution, Settings

COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne"])


class Probe:
    """Watches a run: counts its tracked leaves, which are the same in every run, and moves some.

    ``moves`` are added to the leaves with these numbers; ``numbers`` has them by the numbers of the nodes,
    ``leaves`` are those that were moved.
    ``ties`` are the places where floats were compared and some were equal.
    """

    __slots__ = ("before", "leaves", "moves", "numbers", "ties")

    def __init__(self, moves: dict[int, Any] | None = None) -> None:
        self.moves = moves or {}
        self.leaves: dict[int, Leaf] = {}
        self.numbers: dict[int, int] = {}
        self.ties: list[Span] = []

    def __enter__(self) -> Probe:
        self.before, mode.probe = mode.probe, self
        return self

    def __exit__(self, *exc: object) -> None:
        mode.probe = self.before

    def leaf_made(self, leaf: Leaf, value: Any) -> Any:
        """Called by the engine: the value that a tracked leaf is to have."""
        number = len(self.numbers)
        self.numbers[leaf.number] = number
        if number not in self.moves:
            return value
        self.leaves[number] = leaf
        x = np.asarray(value)
        return settle((x + self.moves[number].reshape(x.shape)).astype(x.dtype))

    def compared(self, op: Op, values: tuple[Any, ...]) -> None:
        """Called by the engine for every result that nothing is recorded of."""
        if op.name not in COMPARISONS or mode.site is None or mode.site in self.ties:
            return
        x, y = (np.asarray(value) for value in values)
        if "f" in (x.dtype.kind, y.dtype.kind) and np.any(x == y):
            self.ties.append(mode.site)


class Rerun:
    """A script that can be run again; ``execution`` is its first run, which was watched by ``first``."""

    __slots__ = ("first", "is_of_expression", "settings", "source")

    def __init__(self, execution: Execution, settings: Settings, first: Probe) -> None:
        self.source = execution.source
        self.settings = settings
        self.first = first
        #: Whether the output was the script's last expression: then it is so in every run.
        self.is_of_expression = settings.of is None and execution.last_value.__class__ is Tensor

    def moved(self, moves: dict[Node, Any]) -> Probe:
        """What moves leaves of another run as these of the first are to be."""
        return Probe({self.first.numbers[leaf.number]: move for leaf, move in moves.items()})

    def run(self, moves: dict[Node, Any]) -> tuple[Execution, Subject] | None:
        """The run and its backward pass with these added to leaves of the first run; None where it stops."""
        with self.moved(moves):
            try:
                execution = attempt(self.source, self.settings, ignore, ignore_warning)
                return execution, differentiate(execution, self.settings)
            except AutodiffError:
                return None

    def beside(self, subject: Subject, moves: dict[Node, Any]) -> Subject | None:
        """The backward pass beside that of the first run, with the same inputs; None where there is none.

        Where the output is made of none of them it is a constant, and the gradient by each is 0.
        """
        with self.moved(moves) as probe:
            found = self.subject_beside(subject)
        if found is None:
            return None
        known = {name for name, _ in found.wrt}
        found.wrt += tuple(
            (name, probe.leaves[number])
            for name, node in subject.wrt
            if name not in known and (number := self.first.numbers.get(node.number)) in probe.leaves
        )
        return found

    def subject_beside(self, subject: Subject) -> Subject | None:
        """The same with the inputs that lead to the output alone."""
        try:
            execution = attempt(self.source, self.settings, ignore, ignore_warning)
        except AutodiffError as error:  # backward() may have refused a constant
            return constant(subject, error.operands[0]) if is_refused(error) else None
        is_number = execution.last_value.__class__ in (float, int)
        if self.is_of_expression and is_number and not execution.last_passes.backward.roots:
            return constant(subject, execution.last_value)
        try:
            return differentiate(execution, self.settings)
        except AutodiffError:
            return constant(subject, output_of(subject, execution, self.settings))


def is_refused(error: AutodiffError) -> bool:
    """Whether a pass was to start from a tensor that nothing leads from."""
    return isinstance(error, GradientError) and error.code == "E0410" and bool(error.operands)


def output_of(subject: Subject, execution: Execution, settings: Settings) -> Any:
    """What a run came to if that is a constant, else None; ``subject`` is that of another run."""
    names = execution.names
    assigned = name_assigned_last(execution)
    found = [names.get(settings.of or subject.name), execution.last_value, names.get(assigned or "")]
    return next((value for value in found if is_constant(value)), None)


def is_constant(value: Any) -> bool:
    """Whether a value is a number, or a tensor that nothing leads from."""
    return value.__class__ in (float, int) or (value.__class__ is Tensor and not value.requires_grad)


def constant(subject: Subject, value: Any) -> Subject | None:
    """A pass from a value of the same shape that is made of no input; None where it is none."""
    if not is_constant(value):
        return None
    out = settle(np.asarray(value.data if value.__class__ is Tensor else value, dtype=float))
    if np.shape(out) != subject.root.shape:
        return None
    root = Leaf(out, tracked=False)
    return Subject(subject.name, root, subject.seed, subject.weight, (), [root], {root: subject.seed})
