"""The records of a graph: nodes and edges. ``core/derivation/graph_report.py`` builds them."""

from __future__ import annotations

from autodiff.core.report.records import TensorFacts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.report.name_key import NameKey
    from autodiff.core.symbolic.expr import Expr


class GraphNode(TensorFacts):
    """A vertex: ``id`` is its topological rank (inputs before outputs), ``inputs`` the ids of its operands.

    ``op`` is ``"leaf"`` if no op made the value, ``"constant"`` for a plain number and ``"untracked"`` for a
    tensor that gradients do not reach; ``inputs`` has neither of these. ``name`` is the script's own name, or
    the source text of an unnamed result. ``span`` is the code that made it. Where that code ran several
    times, in a loop or a function, ``visit`` counts the nodes it made of this op and name, from 1, if asked
    for.
    """

    __slots__ = ("grad", "grad_fn", "id", "inputs", "op", "span", "value", "visit")

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
        span: Span | None = None,
        visit: int = 1,
    ) -> None:
        super().__init__(name, line, shape, dtype)
        self.id = id
        self.op = op
        self.grad_fn = grad_fn
        self.value = value
        self.grad = grad
        self.inputs = inputs
        self.span = span
        self.visit = visit


class GraphEdge:
    """One use of ``input`` by ``output`` as operand number ``operand``, with the local derivative.

    ``local`` is d output/d input for elementwise ops, a number or an array of the output's shape, else None.
    ``symbol`` spells it (``"x3"``, ``"cos(z)"``). For other ops, and where ``input`` was broadcast to more
    entries, ``symbol`` spells the map from the incoming gradient (``"X.T @ G"``, ``"sum(G)"``). ``expr`` is
    the same as an expression. ``give`` is what the pass added to the gradient of ``input`` through this use;
    None if nothing arrived, or if it was not asked for.
    """

    __slots__ = ("expr", "give", "input", "local", "operand", "output", "symbol")

    def __init__(
        self,
        output: int,
        input: int,
        operand: int,
        local: Any,
        symbol: str,
        expr: Expr | None = None,
        give: Any = None,
    ) -> None:
        self.output = output
        self.input = input
        self.operand = operand
        self.local = local
        self.symbol = symbol
        self.expr = expr
        self.give = give


class Graph:
    """The graph below ``root`` (an id). Nodes are in order of id, the edges of each node in order of operand.

    The id of an edge is its position in ``edges``. ``constants`` are the plain numbers and untracked tensors
    that ops were applied to; their ids follow those of ``nodes``. ``constant_uses`` are their uses, as edges
    without derivatives, whose ids follow those of ``edges``.
    ``output`` is the script's name for the root at the end, if that is not the name of its node. ``left_out``
    is the number of nodes that are not in this record. All uses of the nodes with ids from ``whole_from`` on
    are in it. ``key`` has the meanings of made-up names, ``inputs`` are the ids of what is differentiated by.
    """

    __slots__ = (
        "constant_uses",
        "constants",
        "edges",
        "inputs",
        "key",
        "left_out",
        "nodes",
        "output",
        "root",
        "whole_from",
    )

    def __init__(
        self,
        root: int,
        nodes: tuple[GraphNode, ...],
        edges: tuple[GraphEdge, ...],
        output: str = "",
        left_out: int = 0,
        constants: tuple[GraphNode, ...] = (),
        constant_uses: tuple[GraphEdge, ...] = (),
        whole_from: int = 0,
        key: NameKey | None = None,
        inputs: tuple[int, ...] = (),
    ) -> None:
        self.inputs = inputs
        self.root = root
        self.key = key
        self.nodes = nodes
        self.edges = edges
        self.left_out = left_out
        self.constants = constants
        self.constant_uses = constant_uses
        self.whole_from = whole_from
        self.output = output or nodes[root].name
