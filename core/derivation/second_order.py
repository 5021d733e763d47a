"""Second and higher derivatives: a backward pass is recorded, and its graph is differentiated again.

Nodes of that graph are named after what they are, ``dL/dz`` for the gradient of ``z``. So a derivation of
``d2L/dw2`` reads like a derivation of ``dL/dw``.
"""

from __future__ import annotations

from itertools import groupby

from autodiff.core.base.record import Record
from autodiff.core.derivation.derive import has_place
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.node_names import NodeNames, SlopeOrigins, bracketed
from autodiff.core.report.records import ReportedPass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from autodiff.core.base.source import Source

    GetWeights = Callable[[str, Tensor], tuple[Any, "str | None"]]


class SecondDerivative(Record):
    """One second or higher derivative. ``subject`` has a gradient, or a derivative, as its output.

    ``given`` is a text like ``d2L/dw2``. ``called`` are names for the nodes of the gradient's graph,
    ``origins`` the ops that these belong to. ``by`` are the inputs, one for each order, as numbers.
    """

    subject: ReportedPass
    given: str
    called: dict[Node, str]
    origins: SlopeOrigins
    by: tuple[int, ...]


class WatchedOrder(list[Node]):
    """The nodes of a pass. ``starts`` has the number of the last node made when each was reached."""

    def __init__(self, order: list[Node]) -> None:
        super().__init__(order)
        self.starts: list[tuple[int, Node]] = []

    def __iter__(self) -> Iterator[Node]:
        self.starts.clear()
        for node in super().__iter__():
            mode.close_tape()  # its entries get numbers of nodes only then
            self.starts.append((mode.number, node))
            yield node


def higher_derivatives(
    subject: ReportedPass, source: Source, order: int, entry: tuple[int, ...] | None, get_weights: GetWeights
) -> list[SecondDerivative]:
    """The derivatives of ``order`` 2 or more by the inputs of ``subject``, each combination once.

    ``entry`` and ``get_weights`` are as for ``second_derivatives``, for each derivative that is derived.
    """
    found = second_derivatives(subject, source, entry, get_weights)
    for _ in range(order - 2):
        found = [
            further
            for last in found
            for further in Differentiation(subject, source, entry, get_weights, last).derivatives()
        ]
    return found


def second_derivatives(
    subject: ReportedPass, source: Source, entry: tuple[int, ...] | None, get_weights: GetWeights
) -> list[SecondDerivative]:
    """The gradient of every input, derived by that input and by the inputs after it: each pair once.

    ``entry`` is the position of the entry of a tensor gradient that is derived. Without it, ``get_weights``
    returns the weights of a gradient of several entries, as a value and as text.
    """
    return Differentiation(subject, source, entry, get_weights).derivatives()


class Differentiation:
    """The gradients of one backward pass, derived again: of ``subject``, or of the pass of ``last``.

    The arguments are those of ``second_derivatives``. A derivative ``last`` is that by its last input.
    """

    def __init__(
        self,
        subject: ReportedPass,
        source: Source,
        entry: tuple[int, ...] | None,
        get_weights: GetWeights,
        last: SecondDerivative | None = None,
    ) -> None:
        self.first = subject
        self.ran = subject if last is None else last.subject
        self.source = source
        self.entry = entry
        self.get_weights = get_weights
        self.last = last
        self.output = "S" if self.ran.weight is not None else self.ran.name

    def derivatives(self) -> list[SecondDerivative]:
        ran, last = self.ran, self.last
        known, above = (None, None) if last is None else (last.called, last.origins)
        names = NodeNames(
            ran.order, self.source, known, above, ran.numbers_first, constants=lambda: ran.constants
        )
        order = nodes_leading_to(ran.order, [node for _, node in ran.wrt])
        before = max((node.number for node in order), default=0)
        site, mode.site = mode.site, None  # the rules have no position in the script
        try:
            with numpy_warnings_off(order):
                watched = WatchedOrder(order)
                received = sweep(watched, {ran.root: Tensor.of(as_stored(ran.seed))}, create_graph=True)
                origins = SlopeOrigins(names, watched.starts)
                called: dict[Node, str] = {} if last is None else dict(last.called)
                for node in (*(node for _, node in ran.wrt), *order):
                    g = received.get(node)
                    if (
                        g is not None
                        and g.requires_grad_flag
                        and g.node is not None
                        and g.node.number > before
                    ):
                        called.setdefault(g.node, f"d{bracketed(self.output)}/d{bracketed(names[node])}")
                places = range(len(ran.wrt)) if last is None else [last.by[-1]]
                return [
                    derived
                    for at, (spelled, node) in zip(places, ran.wrt, strict=True)
                    for derived in self.of_gradient(
                        at, spelled, node, received.get(node), before, called, origins
                    )
                ]
        finally:
            mode.site = site

    def of_gradient(
        self,
        at: int,
        spelled: str,
        node: Node,
        g: Tensor | None,
        before: int,
        called: dict[Node, str],
        origins: SlopeOrigins,
    ) -> Iterator[SecondDerivative]:
        """Yield the derivatives of the gradient ``g`` by the inputs from number ``at`` on."""
        last = self.last
        name = f"d{bracketed(self.output)}/d{bracketed(spelled)}" if last is None else last.given
        if g is None:
            g = Tensor.of(OPS["mul"](as_stored(node.out), 0.0))
        if self.entry is not None and has_place(node.shape, self.entry):
            g = OPS["part"](g, basic=self.entry, advanced=())
            name += f"[{','.join(map(str, self.entry))}]"
        root = g.node if g.requires_grad_flag and g.node is not None else Leaf(g.value, tracked=False)
        seed, weight = self.get_weights(name, g)
        names = {**called, root: name} if root.number > before else called
        for further, other in enumerate(self.first.wrt[at:], start=at):
            by = (*((at,) if last is None else last.by), further)
            if last is None or name.endswith("]"):
                given = spelled_second(self.output, name, spelled, other[0])
            else:
                given = spelled_higher(self.first.name, [self.first.wrt[one][0] for one in by])
            ran = _subject(name, root, seed, weight, other, self.first)
            yield SecondDerivative(ran, given, names, origins, by)


def _subject(
    name: str, root: Node, seed: Any, weight: str | None, wrt: tuple[str, Node], first: ReportedPass
) -> ReportedPass:
    order = newest_first([root])
    return ReportedPass(
        name,
        root,
        seed,
        weight,
        (wrt,),
        order,
        sweep(order, {root: seed}),
        first.notes,
        variables=first._variables,
        constants=first._constants,
    )


def spelled_higher(output: str, inputs: list[str]) -> str:
    """A derivative of third or higher order.

    >>> spelled_higher("L", ["w", "w", "w"]), spelled_higher("L", ["v", "v", "w"])
    ('d3L/dw3', 'd3L/dv2 dw')
    """
    parts = []
    for name, run in groupby(inputs):
        count, spelled = len(list(run)), f"d{bracketed(name)}"
        parts += [spelled] * count if count == 1 or spelled[-1].isdigit() else [f"{spelled}{count}"]
    return f"d{len(inputs)}{bracketed(output)}/{' '.join(parts)}"


def spelled_second(output: str, name: str, first: str, second: str) -> str:
    """``d2L/dw2``, or ``d2L/dv dw``; for an entry of a gradient ``d(dL/dW[0,1])/dW``.

    >>> spelled_second("L", "dL/dw", "w", "w"), spelled_second("L", "dL/dv", "v", "w")
    ('d2L/dw2', 'd2L/dv dw')
    >>> spelled_second("L", "dL/dw1", "w1", "w1")  # dw12 would be read as another name
    'd2L/dw1 dw1'
    """
    if name.endswith("]") and not first.endswith("]"):
        return f"d({name})/d{bracketed(second)}"
    output, first, second = map(bracketed, (output, first, second))
    is_square = first == second and not first[-1].isdigit()
    return f"d2{output}/d{first}2" if is_square else f"d2{output}/d{first} d{second}"
