"""Keeps, for the report, the last backward passes of a script: their roots, seeds and the nodes they used."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.fast.tape import entry_node
from autodiff.core.graph.node import ArrayNode, GradSlot, Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.state import Tape

topological_order = LazyModule("autodiff.core.graph.topological_order")


class PassRecord:
    """One pass of the engine: its ``roots``, their ``seeds``, and in ``order`` the nodes it has freed.

    A pass along a tape keeps the ``entry`` it started from, and its ``value``, until ``roots`` or ``order``
    is read. ``retained`` says that it freed no nodes.
    """

    __slots__ = ("_order", "_roots", "entry", "retained", "seeds", "value")

    def __init__(self) -> None:
        self.set_pass([], [], [])

    def set_pass(self, roots: list[Node], seeds: list[Any], order: list[Node]) -> None:
        """Set all attributes to those of the pass that has just run."""
        self._roots, self.seeds, self._order = roots, seeds, order
        self.entry: tuple[Tape, int] | None = None
        self.value: Any = None
        self.retained = False

    @property
    def roots(self) -> list[Node]:
        self.make_nodes()
        return self._roots

    @property
    def order(self) -> list[Node]:
        self.make_nodes()
        return self._order

    @property
    def arrays(self) -> list[ArrayNode]:
        """The array nodes among the freed nodes; a tape has none."""
        return [node for node in self._order if node.__class__ is ArrayNode]

    def make_nodes(self) -> None:
        if self.entry is not None:
            root, self.entry = entry_node(*self.entry), None
            self._roots, self._order = [root], [] if self.retained else topological_order.newest_first([root])


class Derivatives:
    """What ``jacobian()`` (``order`` 1) or ``hessian()`` (2) returned for the ``inputs``: ``result``."""

    __slots__ = ("inputs", "order", "result")

    def __init__(self, result: Any, inputs: list[Tensor], order: int) -> None:
        self.result = result
        self.inputs = inputs
        self.order = order


class LastPasses:
    """Keeps the graphs of the last ``backward()`` and ``grad()``, which the engine would release otherwise.

    ``functional`` is the last pass inside ``jacobian()`` and similar functions, ``derivatives`` what
    ``jacobian()`` or ``hessian()`` returned last. ``keeps_graphs`` says that a
    report may be about any tensor, so that no graph is released. ``grads_before_after`` has each ``.grad``
    that the last ``backward()`` filled, with its values before and after; ``is_partial`` says that it was
    given its inputs; ``hook_replacements`` has the nodes
    whose gradients hooks replaced then, with the places where the hooks were registered; ``slopes`` the
    gradients that were differentiated again, each with its output and the name of its input.
    """

    __slots__ = (
        "backward",
        "backwards",
        "derivatives",
        "functional",
        "grad",
        "grads_before_after",
        "hook_replacements",
        "is_partial",
        "keeps_graphs",
        "slopes",
    )

    def __init__(self, keeps_graphs: bool = False) -> None:
        self.backward = PassRecord()
        self.grad = PassRecord()
        self.functional = PassRecord()
        self.derivatives: Derivatives | None = None
        self.keeps_graphs = keeps_graphs
        self.backwards = 0
        self.is_partial = False
        self.slopes: dict[Node, tuple[Node, str]] = {}
        self.grads_before_after: dict[GradSlot, tuple[Any, Any]] = {}
        self.hook_replacements: list[tuple[Node, Span | None]] = []

    def grads_gathered(self, before: list[tuple[GradSlot, Any]], is_partial: bool) -> None:
        """Called by the engine after it has filled these ``.grad``; ``before`` has their earlier values.

        ``is_partial`` says that ``backward()`` was given its inputs.
        """
        self.is_partial = is_partial
        self.grads_before_after = {
            cell: (held, None if cell.grad is None else cell.grad.value) for cell, held in before
        }
        self.hook_replacements, pass_watch.answered = pass_watch.answered, []

    def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None:
        """Called when gradients are differentiated again, with the output and the input of each."""
        self.slopes = slopes

    def derivatives_made(self, result: Any, inputs: list[Tensor], order: int) -> None:
        """Called by ``jacobian()`` and ``hessian()`` with what they return."""
        self.derivatives = Derivatives(result, inputs, order)

    def pass_ran(self, kind: str, roots: list[Node], seeds: list[object], order: list[Node]) -> None:
        """Called by the engine after a pass; ``order`` are the nodes it has freed."""
        passes = {"backward": self.backward, "grad": self.grad, "functional": self.functional}
        ran = passes[kind]
        arrays = [] if self.keeps_graphs else ran.arrays
        ran.set_pass(roots, seeds, order)
        if arrays:  # nothing uses the nodes of the previous pass of this kind any more
            kept = {node for other in passes.values() for node in other.arrays}
            for node in arrays:
                if node not in kept:
                    node.release()
        self.backwards += kind == "backward"

    def written_pass_ran(self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool) -> None:
        """Called by the engine after a pass along a tape."""
        ran = {"backward": self.backward, "grad": self.grad, "functional": self.functional}[kind]
        if ran.arrays:
            self.pass_ran(kind, [], [], [])
        else:
            self.backwards += kind == "backward"
        ran.set_pass([], [seed], [])
        ran.entry, ran.value, ran.retained = (tape, at), value, retain
