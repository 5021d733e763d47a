"""A script run again with its leaves moved, for ``check``: branches, masks and choices are made anew."""

from __future__ import annotations

from autodiff.core.errors import AutodiffError
from autodiff.core.lazy import np
from autodiff.core.mode import mode
from autodiff.core.tensors import settle
from autodiff.grammar.run import attempt, differentiate
from autodiff.grammar.runtime import ignore, ignore_warning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.node import Leaf, Node
    from autodiff.core.op import Op
    from autodiff.core.report import Subject
    from autodiff.core.span import Source, Span
    from autodiff.grammar.run import Execution, Settings

COMPARISONS = frozenset(["lt", "le", "gt", "ge", "eq", "ne"])


class Probe:
    """Watches a run: counts its tracked leaves, which are the same in every run, and moves some.

    ``moves`` are added to the leaves with these numbers; ``numbers`` has them by the numbers of the nodes.
    ``ties`` are the places where floats were compared and some were equal.
    """

    __slots__ = ("before", "moves", "numbers", "ties")

    def __init__(self, moves: dict[int, Any] | None = None) -> None:
        self.moves = moves or {}
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
    """A script that can be run again; its first run was watched by ``first``."""

    __slots__ = ("first", "settings", "source")

    def __init__(self, source: Source, settings: Settings, first: Probe) -> None:
        self.source = source
        self.settings = settings
        self.first = first

    def __call__(self, moves: dict[Node, Any]) -> Subject | None:
        """The backward pass with these added to leaves of the first run; None where the script stops."""
        run = self.run(moves)
        return None if run is None else run[1]

    def run(self, moves: dict[Node, Any]) -> tuple[Execution, Subject] | None:
        """The run itself as well."""
        with Probe({self.first.numbers[leaf.number]: move for leaf, move in moves.items()}):
            try:
                execution = attempt(self.source, self.settings, ignore, ignore_warning)
                return execution, differentiate(execution, self.settings)
            except AutodiffError:
                return None
