"""The graph of a backward pass for a report: nodes by name, edges with their local derivatives."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Leaf, Node, OpNode, ScalarNode
from autodiff.core.graph.state import no_grad
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.core.report.records import ReportedPass
from autodiff.core.symbolic.expr import expr_text
from autodiff.core.symbolic.symbol import Symbol, is_custom, symbolic_derivative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST_SYMBOL = 400


def newest_part(order: list[Node], count: int) -> tuple[list[Node], dict[Node, int]]:
    """The first ``count`` nodes of ``order`` (newest first) and their inputs, in this order.

    The second result has the version of each with a name, and of their inputs: how many nodes of that name
    are not newer.
    """
    kept = dict.fromkeys(order[:count])
    for node in order[:count]:
        kept.update((below, None) for below in node.inputs if below is not None and below.tracked)
    spelled = {*kept, *(below for node in kept for below in node.inputs)}
    counts: dict[str, int] = {}
    versions: dict[Node, int] = {}
    for node in reversed(order):
        if node.name is not None:
            counts[node.name] = counts.get(node.name, 0) + 1
            if node in spelled:
                versions[node] = counts[node.name]
    return [node for node in order if node in kept], versions


def graph_of(subject: ReportedPass, names: NodeNames, order: list[Node]) -> Graph:
    """The graph of the nodes in ``order`` (newest first): inputs before outputs, and the edges between."""
    oldest_first = order[::-1]
    ids = {node: rank for rank, node in enumerate(oldest_first)}
    formulas = OperandSymbols(names)
    nodes = []
    edges = []
    with no_grad(), numpy_warnings_off(order):
        for node in oldest_first:
            below = [(index, x) for index, x in enumerate(node.inputs) if x is not None and x in ids]
            nodes.append(_graph_node(subject, node, names, ids, tuple(ids[x] for _, x in below)))
            for index, x in below:
                assert isinstance(node, OpNode)
                symbol = local_derivative_text(node, index, formulas)
                edges.append(GraphEdge(ids[node], ids[x], index, local_derivative(node, index), symbol))
    left_out = len(subject.order) - len(order)
    return Graph(ids[subject.root], tuple(nodes), tuple(edges), subject.alias, left_out)


def _graph_node(
    subject: ReportedPass, node: Node, names: NodeNames, ids: dict[Node, int], inputs: tuple[int, ...]
) -> GraphNode:
    return GraphNode(
        id=ids[node],
        name=names[node],
        op="leaf" if isinstance(node, Leaf) or node.op is None else node.op.name,
        grad_fn=None if isinstance(node, Leaf) else node.grad_fn_name,
        line=names.line(node),
        shape=node.shape,
        dtype=dtype_of(node.out).name,
        value=node.out,
        grad=subject.cotangents.get(node),
        inputs=inputs,
    )


def local_derivative_text(node: OpNode, index: int, formulas: OperandSymbols) -> str:
    """The derivative of an edge as text, in the script's names."""
    from autodiff.core.symbolic.simplify import simplify

    op = node.op
    if op.partials and isinstance(rule := op.partials[index], int):
        return str(rule)
    out, operands = formulas.symbol(node), formulas.operands(node)
    symbol: Symbol = symbolic_derivative(node, index, out, operands)
    return expr_text(simplify(symbol.expr), LONGEST_SYMBOL, limits.digits)


def local_derivative(node: OpNode, index: int) -> Any:
    """d output/d input of an elementwise op, as a float or an array of the output's shape; else None."""
    op = node.op
    if not op.is_elementwise or is_custom(op):
        return None
    out, operands = node.out, node.operands
    if isinstance(node, ScalarNode):
        from autodiff.core.graph.vjp import scalar_edge_pullback

        return scalar_edge_pullback(node, index, 1.0)
    arrays = tuple(np.asarray(x) for x in operands)
    ones = np.ones_like(out)
    local = np.asarray(op.contribution(index, ones, np.asarray(out), arrays, node.params))
    return as_stored(np.broadcast_to(local, np.shape(out)).astype(ones.dtype, copy=False))
