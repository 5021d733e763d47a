"""One path as text: its quotients, its local derivatives, and their product or composition."""

from __future__ import annotations

from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.paths.graph_ids import GraphIds
from autodiff.core.paths.path_sum import vjp_of_ones
from autodiff.core.report.records import Path
from autodiff.core.symbolic.expr import ONE, Expr, expr_text, infix, name_expr, number_expr, substitute
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, symbolic_vjp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.paths.operand_symbols import OperandSymbols
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.paths.path_sum import Path as Edges
    from autodiff.core.report.records import ReportedPass

#: Of a longer path only the two ends are shown, with ELLIPSIS between them.
LONGEST_PATH = 40
ELLIPSIS = name_expr("...")
INCOMING = "(incoming)"
#: Between these it needs no brackets of its own.
AROUND_ARGUMENTS = (("(", ", "), (", ", ", "), (", ", ")"))


class PathWriter:
    """Writes the paths of one backward pass. The derivative of an edge is kept for every path through it.

    ``weight`` is the expression of what the output receives, None for the 1 of a scalar.
    """

    def __init__(
        self, subject: ReportedPass, names: NodeNames, formulas: OperandSymbols, weight: Expr | None
    ) -> None:
        self.subject = subject
        self.names = names
        self.formulas = formulas
        self._weight = weight
        self._edge_derivatives: dict[tuple[Edge, bool], Expr] = {}
        self._ids = GraphIds(subject.drawn, subject.ends)

    def with_symbols(self, formulas: OperandSymbols) -> PathWriter:
        """A writer of the same paths with other expressions for operands."""
        return PathWriter(self.subject, self.names, formulas, self._weight)

    def start(self) -> Symbol:
        """What the output receives, as a symbol."""
        shape = self.subject.root.shape
        return Symbol(ONE, shape, extent=()) if self._weight is None else Symbol(self._weight, shape)

    def path(self, end: Node, edges: Edges, contribution: Any, is_scalar: bool) -> tuple[Path, Symbol]:
        all_edges = edges
        kept = tuple((node, index) for node, index in edges if not self.names.is_passing(node))
        nodes = [node for node, _ in kept] + [end]
        edges, gap = shorten_path(kept)
        chain = [self._quotient(edge) for edge in edges]
        derivatives = [self.factor(edge, is_scalar) for edge in edges]
        factors = [expr_text(factor, None, limits.digits) for factor in derivatives]
        passed = [(self.names.expr(node), self._operand_expr(node, index)) for node, index in edges]
        if gap:
            chain.insert(gap, "...")
            factors.insert(gap, "...")
            derivatives.insert(gap, ELLIPSIS)
            passed.insert(gap, (ELLIPSIS, ELLIPSIS))
        if not edges:
            chain, factors = [self.names.quotient(end, end, self.subject.alias)], ["1"]
        if self._weight is not None:
            chain.insert(0, incoming.letter)
            if is_scalar:
                factors.insert(0, incoming.letter)
        symbol = self.contribution(all_edges, is_scalar)
        product = simplify(symbol.expr)
        ids = self._ids
        path = Path(
            nodes=tuple(self.names[node] for node in nodes),
            chain=tuple(chain),
            factors=tuple(factors),
            symbol=expr_text(product, None, limits.digits),
            contribution=contribution,
            edges=tuple(passed),
            derivatives=tuple(derivatives),
            product=product,
            node_ids=tuple(ids.nodes[node] for node in [*(node for node, _ in all_edges), end]),
            edge_ids=tuple(ids.edge(edge) for edge in all_edges),
        )
        return path, symbol

    def contribution(self, all_edges: Edges, is_scalar: bool) -> Symbol:
        """What one path contributes to the gradient."""
        edges, gap = shorten_path(all_edges)
        return self._product(edges, gap, all_edges) if is_scalar else self._composition(edges, gap)

    def _operand_expr(self, node: Node, index: int) -> Expr:
        below = node.inputs[index]
        assert below is not None
        return self.names.expr(below)

    def _quotient(self, edge: Edge) -> str:
        node, index = edge
        below = node.inputs[index]
        assert below is not None
        return self.names.quotient(node, below)

    def factor(self, edge: Edge, is_scalar: bool) -> Expr:
        """The simplified derivative of one edge, shared by every path through it."""
        expr = self._edge_derivatives.get((edge, is_scalar))
        if expr is None:
            node, index = edge
            expr = self._edge_derivatives[edge, is_scalar] = simplify(
                self._raw_derivative(node, index, is_scalar).expr
            )
        return expr

    def _raw_derivative(self, node: Node, index: int, is_scalar: bool) -> Symbol:
        """d out/d operand for scalars, else the vjp applied to the incoming ``G``."""
        assert isinstance(node, OpNode)
        partial = node.op.partials[index] if node.op.partials else None
        if is_scalar and isinstance(partial, int):
            return Symbol(number_expr(partial))
        out, operands = self.formulas.symbol(node), self.formulas.operands(node)
        g = Symbol(ONE, out.shape, extent=()) if is_scalar else Symbol(name_expr(incoming.letter), out.shape)
        return symbolic_vjp(node, index, g, out, operands)

    def _product(self, edges: Edges, gap: int, all_edges: Edges) -> Symbol:
        """For scalars: the product of the local derivatives, with one number for the edges left out."""
        expr = self._weight
        factors = [self.factor(edge, True) for edge in edges]
        if gap:
            factors.insert(gap, number_expr(derivative_product(all_edges[gap : len(all_edges) - gap])))
        for factor in factors:
            expr = factor if expr is None else infix("*", expr, factor)
        return Symbol(expr or ONE)

    def _composition(self, edges: Edges, gap: int) -> Symbol:
        """For tensors: the rules along the path, each applied to the result of the one before."""
        g = self.start()
        for at, (node, index) in enumerate(edges):
            if gap and at == gap:
                g = Symbol(ELLIPSIS, node.shape)
            g = symbolic_vjp(node, index, g, self.formulas.symbol(node), self.formulas.operands(node))
        return g

    def local_step(self, edges: Edges, path: Path, is_scalar: bool) -> str:
        """The second step for one path: a product of numbers, or what every edge does to its gradient."""
        if is_scalar or not edges:
            return " * ".join(f"({factor})" for factor in path.factors)
        said = []
        edges, gap = shorten_path(tuple(edge for edge in edges if not self.names.is_passing(edge[0])))
        for edge in edges:
            node, _ = edge
            assert node.op is not None
            factor = self.factor(edge, False)
            if factor == name_expr(incoming.letter):
                does = f"{node.op.name}, passes {'it' if self._weight is None else incoming.letter} through"
            else:
                does = expr_text(
                    substitute(factor, {incoming.letter: name_expr(INCOMING)}), None, limits.digits
                )
                does = does.replace(f"({INCOMING})", INCOMING)
                for before, after in AROUND_ARGUMENTS:
                    does = does.replace(f"{before}{INCOMING}{after}", f"{before}{INCOMING[1:-1]}{after}")
            said.append(f"{self._quotient(edge)}: {does}")
        if gap:
            said.insert(gap, "...")
        return "   ".join(said)


def shorten_path(edges: Edges) -> tuple[Edges, int]:
    """The edges to show, and the position where some are left out; 0 if none are."""
    if len(edges) <= LONGEST_PATH:
        return edges, 0
    half = LONGEST_PATH // 2
    return edges[:half] + edges[-half:], half


def derivative_product(edges: Edges) -> float:
    """The product of the derivatives along edges between numbers."""
    product = 1.0
    for node, index in edges:
        product *= float(np.asarray(vjp_of_ones((node, index))).sum())
    return product
