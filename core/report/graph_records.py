"""The records of a graph: nodes and edges. ``core/derivation/graph_report.py`` builds them."""

from __future__ import annotations

from autodiff.core.report.records import TensorFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class GraphNode(TensorFacts):
    """A vertex: ``id`` is its topological rank (inputs before outputs), ``inputs`` the ids of its operands.

    ``op`` is ``"leaf"`` if no op made the value. Operands that are plain numbers or not tracked are left out.
    ``name`` is the script's own name, or the source text of an unnamed result.
    """

    __slots__ = ("grad", "grad_fn", "id", "inputs", "op", "value")

    def __init__(
        self,
        id: int,
        name: str,
        op: str,
        grad_fn: str | None,
        line: int | None,
        shape: tuple[int, ...],
        dtype: str,
        value: Any,
        grad: Any,
        inputs: tuple[int, ...],
    ) -> None:
        super().__init__(name, line, shape, dtype)
        self.id = id
        self.op = op
        self.grad_fn = grad_fn
        self.value = value
        self.grad = grad
        self.inputs = inputs


class GraphEdge:
    """One use of ``input`` by ``output`` as operand number ``operand``, with the local derivative.

    ``local`` is d output/d input for elementwise ops, a number or an array of the output's shape, else None.
    ``symbol`` spells it (``"x3"``, ``"cos(z)"``). For other ops ``symbol`` spells the map from the incoming
    gradient (``"X.T @ G"``).
    """

    __slots__ = ("input", "local", "operand", "output", "symbol")

    def __init__(
        self,
        output: int,
        input: int,
        operand: int,
        local: Any,
        symbol: str,
    ) -> None:
        self.output = output
        self.input = input
        self.operand = operand
        self.local = local
        self.symbol = symbol


class Graph:
    """The graph below ``root`` (an id). Nodes are in order of id, the edges of each node in order of operand.

    ``output`` is the script's name for the root at the end, if that is not the name of its node. ``left_out``
    is the number of nodes that are not in this record.
    """

    __slots__ = ("edges", "left_out", "nodes", "output", "root")

    def __init__(
        self,
        root: int,
        nodes: tuple[GraphNode, ...],
        edges: tuple[GraphEdge, ...],
        output: str = "",
        left_out: int = 0,
    ) -> None:
        self.root = root
        self.nodes = nodes
        self.edges = edges
        self.left_out = left_out
        self.output = output or nodes[root].name
