"""The graph of a backward pass for a report: nodes by name, edges with their local derivatives."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Leaf, Node, OpNode, ScalarNode
from autodiff.core.graph.op import PLAIN_NUMBERS
from autodiff.core.graph.state import mode, no_grad
from autodiff.core.graph.values import as_stored
from autodiff.core.graph.vjp import edge_pullback_or_none
from autodiff.core.paths.graph_ids import GraphIds
from autodiff.core.paths.node_names import LONGEST_NAME, NodeNames
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.core.report.records import ReportedPass
from autodiff.core.symbolic.expr import expr_text, number_expr
from autodiff.core.symbolic.symbol import (
    Symbol,
    as_symbol,
    elementwise_derivative,
    is_factor,
    symbolic_derivative,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from autodiff.core.symbolic.expr import Expr

LONGEST_SYMBOL = 400


def newest_part(order: list[Node], count: int) -> list[Node]:
    """The first ``count`` nodes of ``order`` (newest first) and their inputs, in this order."""
    kept = set(order[:count])
    for node in order[:count]:
        kept.update(below for below in node.inputs if below is not None and below.tracked)
    return [node for node in order if node in kept]


def graph_of(
    subject: ReportedPass, names: NodeNames, order: list[Node], most_drawn: int = 0, in_full: bool = False
) -> Graph:
    """The graph of the nodes in ``order`` (newest first): inputs before outputs, and the edges between.

    If ``order`` is the newest part of the pass, ``most_drawn`` of it are not there as inputs alone. Only
    ``in_full`` it has visits, constants and what edges gave, for which the rules run once more. It ends at
    inputs that the script computes, and the gradients are those by paths that do not lead through them.
    """
    oldest_first = order[::-1]
    left_out = len(subject.drawn) - len(order)
    whole_from = len(order) - most_drawn if left_out else 0
    ends = subject.ends
    cotangents: Mapping[Node, Any]
    if ends:
        cotangents = sweep(subject.drawn, {subject.root: subject.seed}, stop_nodes=ends, kept=set(order))
    else:
        cotangents = subject.cotangents_of(set(order)) if left_out else subject.cotangents
    ids = GraphIds(order, ends)
    formulas = OperandSymbols(names, None, subject.constants)
    nodes = []
    edges = []
    constants = Constants(len(order), names)
    site = mode.site
    try:
        with no_grad(), numpy_warnings_off(order):
            for rank, node in enumerate(oldest_first):
                below = list(ids.operands(node))
                inputs = tuple(ids.nodes[x] for _, x in below)
                visit = names.visit(node) if in_full else 1
                nodes.append(_graph_node(cotangents, node, names, rank, inputs, visit))
                if not isinstance(node, OpNode):
                    continue
                given = given_to_operands(cotangents, node) if in_full and rank >= whole_from else {}
                for (index, _), used in zip(below, inputs, strict=True):
                    expr = local_derivative_expr(node, index, formulas)
                    text = expr_text(expr, LONGEST_SYMBOL, limits.digits)
                    local = local_derivative(node, index)
                    edges.append(GraphEdge(rank, used, index, local, text, expr, given.get(index)))
                if in_full and node not in ends:
                    constants.add_operands(rank, node)
    finally:
        mode.site = site  # a custom backward runs statements, which set it
    return Graph(
        ids.nodes[subject.root],
        tuple(nodes),
        tuple(edges),
        subject.alias,
        left_out,
        tuple(constants.nodes),
        tuple(constants.uses),
        whole_from,
        names.key(),
        tuple(ids.nodes[node] for _, node in subject.wrt if node in ids.nodes),
    )


def given_to_operands(cotangents: Mapping[Node, Any], node: OpNode) -> dict[int, Any]:
    """What a node has passed on to its operands in the pass, by operand number.

    An operand that nobody asked about has none: its rule may be missing.
    """
    g = cotangents.get(node)
    if g is None:
        return {}
    node.op.reset_rule_cache()
    given = {}
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked and cotangents.get(below) is not None:
            given[index] = edge_pullback_or_none(node, index, g)
    return given


class Constants:
    """The plain numbers and untracked tensors among the operands, as nodes with ids from ``first_id`` on.

    A number is a node for each use, a tensor is one node.
    """

    def __init__(self, first_id: int, names: NodeNames) -> None:
        self.nodes: list[GraphNode] = []
        self.uses: list[GraphEdge] = []
        self._first_id = first_id
        self._names = names
        self._tensors: dict[Node, int] = {}

    def add_operands(self, user: int, node: OpNode) -> None:
        """Add those among the operands of a node, whose id is ``user``."""
        for index, (below, value) in enumerate(zip(node.inputs, node.operands, strict=True)):
            if below is not None and (below.tracked or below.out is None):
                continue
            if below is None and value.__class__ not in PLAIN_NUMBERS and value.__class__ is not np.ndarray:
                continue
            id = None if below is None else self._tensors.get(below)
            if id is None:
                id = self._first_id + len(self.nodes)
                self.nodes.append(self._number(id, value) if below is None else self._tensor(id, below))
            if below is not None:
                self._tensors[below] = id
            self.uses.append(GraphEdge(user, id, index, None, ""))

    def _number(self, id: int, value: Any) -> GraphNode:
        name = expr_text(as_symbol(value).expr, LONGEST_NAME, limits.digits)
        value = float(value) if value.__class__ in PLAIN_NUMBERS else value
        shape = () if value.__class__ is float else value.shape
        return GraphNode(id, name, "constant", None, None, shape, dtype_of(value).name, value, None, ())

    def _tensor(self, id: int, node: Node) -> GraphNode:
        name, line, dtype = self._names[node], self._names.line(node), dtype_of(node.out).name
        visit = self._names.visit(node)
        return GraphNode(
            id, name, "untracked", None, line, node.shape, dtype, node.out, None, (), node.site, visit
        )


def _graph_node(
    cotangents: Mapping[Node, Any],
    node: Node,
    names: NodeNames,
    id: int,
    inputs: tuple[int, ...],
    visit: int,
) -> GraphNode:
    return GraphNode(
        id=id,
        name=names.in_full(node),
        op="leaf" if isinstance(node, Leaf) or node.op is None else node.op.name,
        grad_fn=None if isinstance(node, Leaf) else node.grad_fn_name,
        line=names.line(node),
        shape=node.shape,
        dtype=dtype_of(node.out).name,
        value=node.out,
        grad=cotangents.get(node),
        inputs=inputs,
        span=node.site,
        visit=visit,
    )


def local_derivative_text(node: OpNode, index: int, formulas: OperandSymbols) -> str:
    """The derivative of an edge as text, in the script's names."""
    return expr_text(local_derivative_expr(node, index, formulas), LONGEST_SYMBOL, limits.digits)


def elementwise_derivative_text(node: OpNode, index: int, formulas: OperandSymbols) -> str:
    """The derivative of an elementwise op in each entry of its result, as text in the script's names."""
    from autodiff.core.symbolic.simplify import simplify

    symbol = elementwise_derivative(node, index, formulas.symbol(node), formulas.operands(node))
    return expr_text(simplify(symbol.expr), LONGEST_SYMBOL, limits.digits)


def local_derivative_expr(node: OpNode, index: int, formulas: OperandSymbols) -> Expr:
    """The derivative of an edge as an expression, in the script's names."""
    from autodiff.core.symbolic.simplify import simplify

    op = node.op
    if op.partials and isinstance(rule := op.partials[index], int) and is_factor(node, index):
        return number_expr(rule)
    out, operands = formulas.symbol(node), formulas.operands(node)
    symbol: Symbol = symbolic_derivative(node, index, out, operands)
    return simplify(symbol.expr)


def local_derivative(node: OpNode, index: int) -> Any:
    """d output/d input of an edge that is a factor, a float or an array of the output's shape; else None."""
    return elementwise_values(node, index) if is_factor(node, index) else None


def elementwise_values(node: OpNode, index: int) -> Any:
    """The derivative of an elementwise op in each entry of its result, a float or an array."""
    op, out, operands = node.op, node.out, node.operands
    if isinstance(node, ScalarNode):
        from autodiff.core.graph.vjp import scalar_edge_pullback

        return scalar_edge_pullback(node, index, 1.0)
    arrays = tuple(np.asarray(x) for x in operands)
    ones = np.ones_like(out)
    local = np.asarray(op.contribution(index, ones, np.asarray(out), arrays, node.params))
    return as_stored(np.broadcast_to(local, np.shape(out)).astype(ones.dtype, copy=False))
