"""Second derivatives: the backward pass is recorded, and its graph is differentiated again.

Nodes of that graph are named after what they are, ``dL/dz`` for the gradient of ``z``. So a derivation of
``d2L/dw2`` reads like a derivation of ``dL/dw``.
"""

from __future__ import annotations

from autodiff.core.base.record import Record
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
    """One second derivative. ``subject`` has a gradient as its output, ``given`` is a text like ``d2L/dw2``.

    ``called`` are names for the nodes of the gradient's graph, ``origins`` the ops that these belong to.
    """

    subject: ReportedPass
    given: str
    called: dict[Node, str]
    origins: SlopeOrigins


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


def second_derivatives(
    subject: ReportedPass, source: Source, entry: tuple[int, ...] | None, get_weights: GetWeights
) -> list[SecondDerivative]:
    """The gradient of every input, derived by that input and by the inputs after it: each pair once.

    ``entry`` is the position of the entry of a tensor gradient that is derived. Without it, ``get_weights``
    returns the weights of a gradient of several entries, as a value and as text.
    """
    from autodiff.core.derivation.derive import has_place

    first = NodeNames(subject.order, source)
    order = nodes_leading_to(subject.order, [node for _, node in subject.wrt])
    before = max((node.number for node in order), default=0)
    site, mode.site = mode.site, None  # the rules have no position in the script
    try:
        with numpy_warnings_off(order):
            watched = WatchedOrder(order)
            received = sweep(watched, {subject.root: Tensor.of(as_stored(subject.seed))}, create_graph=True)
            origins = SlopeOrigins(first, watched.starts)
            output = "S" if subject.weight is not None else subject.name
            called: dict[Node, str] = {}
            for node in (*(node for _, node in subject.wrt), *order):
                g = received.get(node)
                if g is not None and g.requires_grad_flag and g.node is not None and g.node.number > before:
                    called.setdefault(g.node, f"d{bracketed(output)}/d{bracketed(first[node])}")
            found = []
            for at, (spelled, node) in enumerate(subject.wrt):
                name = f"d{bracketed(output)}/d{bracketed(spelled)}"
                g = received.get(node)
                if g is None:
                    g = Tensor.of(OPS["mul"](as_stored(node.out), 0.0))
                if entry is not None and has_place(node.shape, entry):
                    g = OPS["part"](g, basic=entry, advanced=())
                    name += f"[{','.join(map(str, entry))}]"
                root = g.node if g.requires_grad_flag and g.node is not None else Leaf(g.value, tracked=False)
                seed, weight = get_weights(name, g)
                names = {**called, root: name} if root.number > before else called
                for other in subject.wrt[at:]:
                    second = _subject(name, root, seed, weight, other, subject)
                    given = spelled_second(output, name, spelled, other[0])
                    found.append(SecondDerivative(second, given, names, origins))
            return found
    finally:
        mode.site = site


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
    )


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
