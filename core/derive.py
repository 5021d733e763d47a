"""A gradient derived in five steps: the chain rule, local derivatives, simplified, in numbers, the value.

Each path is followed twice, with the engine's rules on numbers and with the same rules on symbols, and the
sum over the paths is compared with what backward found.
"""

from __future__ import annotations

from itertools import islice

from autodiff.core.expr import ONE, ZERO, Expr, infix, name, number, substitute, text
from autodiff.core.lazy import np
from autodiff.core.matrices import layout
from autodiff.core.naming import Formulas, Names
from autodiff.core.node import Node, OpNode
from autodiff.core.paths import Edge, follow
from autodiff.core.paths import Path as Edges
from autodiff.core.report import Derivation, Path, Subject
from autodiff.core.simplify import simplify
from autodiff.core.symbol import Symbol, broadcast, pull_symbol
from autodiff.core.terms import summands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

DIGITS = 6
#: Following stops after this many edges, so that few paths are followed where they are very long.
MOST_EDGES = 200_000
#: A longer path is shown by its two ends, with GAP between them.
LONGEST_PATH = 400
GAP = name("...")
INCOMING = "(incoming)"
G = name("G")


class Derivations:
    """The derivations of one backward pass; they share names and what was found out about single edges."""

    def __init__(self, subject: Subject, names: Names, counts: dict[Node, int], max_paths: int) -> None:
        self.subject = subject
        self.names = names
        self.counts = counts
        self.max_paths = max_paths
        self.formulas = Formulas(names)
        self._locals: dict[tuple[Edge, bool], Expr] = {}
        self._weight: Expr | None = None
        if subject.weight is not None or _size(subject.seed) != 1:
            self._weight = name("G")
            self.formulas.values["G"] = subject.seed

    def of(self, index: int) -> Derivation:
        """The derivation for one of the inputs asked about."""
        subject, names = self.subject, self.names
        spelled, node = subject.wrt[index]
        count = self.counts[node]
        found = self._follow(node) if count else []
        is_scalar = all(_is_number(x) for edges, _ in found for x in (*(e[0] for e in edges), node))
        paths = [self._path(node, edges, contribution, is_scalar) for edges, contribution in found]
        total, shown = self._total([symbol for _, symbol in paths], node, is_scalar)
        local = tuple(
            self._local_step(edges, path, is_scalar)
            for (edges, _), (path, _) in zip(found, paths, strict=True)
        )
        is_complete = len(found) == count
        simplified = text(total, None, DIGITS)
        backward = self._backward(node)
        return Derivation(
            output=subject.name,
            output_line=names.line(subject.root),
            wrt=spelled,
            wrt_line=names.line(node),
            count=count,
            paths=tuple(path for path, _ in paths),
            chain=tuple((" * " if is_scalar else " . ").join(path.chain) for path, _ in paths),
            local=local,
            simplified=simplified if is_complete else f"{simplified} + ...",
            numbers=tuple(self._numbers(term, is_scalar) for term in shown),
            value=backward,
            backward=backward,
            difference=self._difference([c for _, c in found], backward) if is_complete else None,
            is_scalar=is_scalar,
            where=self.formulas.where([total]),
        )

    def _follow(self, node: Node) -> list[tuple[Edges, Any]]:
        found = []
        edges = 0
        for path, contribution in islice(
            follow(self.subject.root, node, self.subject.seed, self.subject.order), self.max_paths or None
        ):
            found.append((path, contribution))
            edges += len(path)
            if edges > MOST_EDGES:
                break
        return found

    def _backward(self, node: Node) -> Any:
        g = self.subject.cotangents.get(node)
        if g is None:
            return 0.0 if node.out.__class__ is float else np.zeros_like(node.out)
        return g

    def _difference(self, contributions: Sequence[Any], backward: Any) -> float:
        """The largest deviation of the sum over the paths; equal infinities and nans deviate by nothing."""
        if all(c.__class__ is float for c in (*contributions, backward)):
            total = 0.0
            for c in contributions:
                total = total + c
            if total == backward or (total != total and backward != backward):
                return 0.0
            return float(abs(total - backward))
        with np.errstate(all="ignore"):
            sum_of_paths = np.zeros_like(np.asarray(backward))
            for c in contributions:
                sum_of_paths = sum_of_paths + c
            apart = np.abs(np.asarray(sum_of_paths - backward, dtype=float))
        same = (sum_of_paths == backward) | (np.isnan(sum_of_paths) & np.isnan(backward))
        apart = np.where(same, 0.0, apart)
        return float(apart.max()) if apart.size else 0.0

    # -- one path ---------------------------------------------------------------------------------------

    def _path(self, end: Node, edges: Edges, contribution: Any, is_scalar: bool) -> tuple[Path, Symbol]:
        nodes = [node for node, _ in edges] + [end]
        all_edges = edges
        edges, gap = shortened(all_edges)
        chain = [self._quotient(edge) for edge in edges]
        factors = [text(self._factor(edge, is_scalar), None, DIGITS) for edge in edges]
        if gap:
            chain.insert(gap, "...")
            factors.insert(gap, "...")
        if not edges:
            chain, factors = [self.names.quotient(end, end)], ["1"]
        if self._weight is not None:
            chain.insert(0, "G")
            if is_scalar:
                factors.insert(0, "G")
        symbol = self._product(edges, gap, all_edges) if is_scalar else self._composition(edges, gap)
        path = Path(
            nodes=tuple(self.names[node] for node in nodes),
            chain=tuple(chain),
            factors=tuple(factors),
            symbol=text(simplify(symbol.expr), None, DIGITS),
            contribution=contribution,
        )
        return path, symbol

    def _quotient(self, edge: Edge) -> str:
        node, index = edge
        below = node.inputs[index]
        assert below is not None
        return self.names.quotient(node, below)

    def _factor(self, edge: Edge, is_scalar: bool) -> Expr:
        """The derivative of one edge, simplified; every path through it shares it."""
        expr = self._locals.get((edge, is_scalar))
        if expr is None:
            node, index = edge
            expr = self._locals[edge, is_scalar] = simplify(self._local(node, index, is_scalar).expr)
        return expr

    def _local(self, node: Node, index: int, is_scalar: bool) -> Symbol:
        """A number's derivative, or else what becomes of the incoming ``G``."""
        assert isinstance(node, OpNode)
        partial = node.op.partials[index] if node.op.partials else None
        if is_scalar and isinstance(partial, int):
            return Symbol(number(partial))
        out, operands = self.formulas.symbol(node), self.formulas.operands(node)
        g = Symbol(ONE, out.shape, extent=()) if is_scalar else Symbol(name("G"), out.shape)
        return pull_symbol(node, index, g, out, operands)

    def _product(self, edges: Edges, gap: int, all_edges: Edges) -> Symbol:
        """All numbers: the product of the local derivatives. A gap of mere signs needs no mention."""
        expr = self._weight
        factors = [self._factor(edge, True) for edge in edges]
        if gap:
            signs = _signs(all_edges[gap : len(all_edges) - gap])
            factors.insert(gap, GAP if signs is None else number(signs))
        for factor in factors:
            expr = factor if expr is None else infix("*", expr, factor)
        return Symbol(expr or ONE)

    def _composition(self, edges: Edges, gap: int) -> Symbol:
        """Tensors: the rules along the path, each applied to what the one before gave."""
        shape = self.subject.root.shape
        g = Symbol(ONE, shape, extent=()) if self._weight is None else Symbol(self._weight, shape)
        for at, (node, index) in enumerate(edges):
            if gap and at == gap:
                g = Symbol(GAP, node.shape)
            g = pull_symbol(node, index, g, self.formulas.symbol(node), self.formulas.operands(node))
        return g

    def _local_step(self, edges: Edges, path: Path, is_scalar: bool) -> str:
        """The second step for one path: a product of numbers, or what every edge does to what comes in."""
        if is_scalar or not edges:
            return " * ".join(f"({factor})" for factor in path.factors)
        said = []
        edges, gap = shortened(edges)
        for edge in edges:
            node, _ = edge
            assert node.op is not None
            factor = self._factor(edge, False)
            if factor == G:
                does = f"{node.op.name}, passes {'it' if self._weight is None else 'G'} through"
            else:
                does = text(substitute(factor, {"G": name(INCOMING)}), None, DIGITS)
                does = does.replace(f"({INCOMING})", INCOMING)
            said.append(f"{self._quotient(edge)}: {does}")
        if gap:
            said.insert(gap, "...")
        return "   ".join(said)

    # -- the sum ----------------------------------------------------------------------------------------

    def _total(self, symbols: Sequence[Symbol], node: Node, is_scalar: bool) -> tuple[Expr, list[Expr]]:
        """The whole gradient in normal form, and its terms."""
        if not symbols:
            return ZERO, [ZERO]
        exprs = [symbol.expr for symbol in symbols]
        if not is_scalar and node.shape != broadcast([symbol.extent for symbol in symbols]):
            exprs = [symbol.filled() for symbol in symbols]
        total = exprs[0]
        for expr in exprs[1:]:
            total = infix("+", total, expr)
        total = simplify(total)
        return total, summands(total)

    def _numbers(self, term: Expr, is_scalar: bool) -> str:
        """A term with every name replaced by its value."""
        if is_scalar:
            values = {
                spelled: number(float(f"{_item(value):.{DIGITS}g}"))
                for spelled, value in self.formulas.values.items()
                if value is not None and _size(value) == 1
            }
            return text(substitute(term, values), None, DIGITS)
        return layout(term, self.formulas.values)


def shortened(edges: Edges) -> tuple[Edges, int]:
    """The edges to show, and where among them some are left out; 0 when none are."""
    if len(edges) <= LONGEST_PATH:
        return edges, 0
    half = LONGEST_PATH // 2
    return edges[:half] + edges[-half:], half


def _signs(edges: Edges) -> int | None:
    """The product of derivatives that are whole numbers; None when there are others."""
    product = 1
    for node, index in edges:
        partial = node.op.partials[index] if node.op is not None and node.op.partials else None
        if not isinstance(partial, int):
            return None
        product *= partial
    return product


def _size(value: Any) -> int:
    return 1 if value.__class__ is float else int(value.size)


def _item(value: Any) -> float:
    number: float = value if value.__class__ is float else value.item()
    return number


def _is_number(node: Node) -> bool:
    return _size(node.out) == 1
