"""What is wrong with a derivative worked out by hand: terms against paths, factors against edges."""

from __future__ import annotations

from itertools import combinations

from autodiff.core.describe import edge_symbol
from autodiff.core.lazy import np
from autodiff.core.naming import Formulas, Names
from autodiff.core.node import Node, OpNode
from autodiff.core.paths import contribution_of, count_paths, follow
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.hand_points import Formula, Points, close, evaluate, same
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.paths import Path
    from autodiff.core.report import Subject

#: More paths than this are not set against the terms.
MOST_PATHS = 200
MOST_REMARKS = 4
MOST_INPUTS = 6
MOST_IN_A_GROUP, MOST_TO_GROUP = 4, 16


def blame(formula: Formula, subject: Subject, node: Node, points: Points, given: list[Any]) -> list[str]:
    """What is wrong with the formula, in sentences."""
    right = points.gradients
    if same(given[0], right[0]):
        return by_accident(formula, points, given)
    ratio = constant_ratio(given, right)
    if ratio is not None:
        said = "the sign is wrong" if same(ratio, -1.0) else f"it is {number_text(ratio)} times the gradient"
        return [said]
    if formula.entry is not None:
        return []
    if any(np.ndim(g) for g in right):
        apart = np.abs(np.broadcast_to(given[0], right[0].shape) - right[0])
        place = tuple(int(i) for i in np.unravel_index(int(np.nanargmax(apart)), apart.shape))
        value = np.broadcast_to(given[0], right[0].shape)[place]
        return [f"entry {list(place)} is {number_text(value)} and should be {number_text(right[0][place])}"]
    if count_paths(subject.root, [node], subject.order)[node] > MOST_PATHS:
        return []
    return Blame(formula, subject, node, points).remarks()


def by_accident(formula: Formula, points: Points, given: list[Any]) -> list[str]:
    """What to say of a formula that is right where the script stands and wrong elsewhere."""
    read = {node.id for node in walk(formula.node) if isinstance(node, syntax.Name)}
    fixed = sorted(read & points.fixed)
    if fixed:
        names = " and ".join(fixed)
        return [
            "it is right at the script's values; elsewhere that cannot be told, for"
            f" {names} {'was' if len(fixed) == 1 else 'were'} computed outside of the graph and held fixed"
        ]
    at = next(at for at, g in enumerate(points.gradients) if not same(given[at], g))
    told = ["it is right at the script's values by accident, and wrong at others"]
    numbers = [leaf for leaf in points.leaves if leaf.name is not None and not leaf.shape]
    numbers.sort(key=lambda leaf: leaf.number)
    if len(numbers) == len(points.leaves) <= MOST_INPUTS and not np.ndim(points.gradients[at]):
        where = ", ".join(f"{leaf.name} = {number_text(points.known[at][leaf].item())}" for leaf in numbers)
        value, right = number_text(given[at]), number_text(points.gradients[at])
        told.append(f"at {where} the formula gives {value}, and the gradient is {right}")
    return told


def constant_ratio(values: list[Any], right: list[Any]) -> float | None:
    """What the formula is too large by, where that is the same everywhere."""
    ratios = []
    for value, g in zip(values, right, strict=True):
        value, g = np.broadcast_to(np.asarray(value, dtype=float), np.shape(g)), np.asarray(g, dtype=float)
        if not g.size or not np.all(g) or not np.isfinite(value).all():
            return None
        ratios += (value / g).ravel().tolist()
    first = ratios[0]
    return first if first and all(abs(r - first) <= 1e-6 * abs(first) for r in ratios) else None


def number_text(value: Any) -> str:
    return f"{float(value):.6g}"


class Blame:
    """The terms of a formula against the paths of a graph of numbers."""

    def __init__(self, formula: Formula, subject: Subject, node: Node, points: Points) -> None:
        self.formula = formula
        self.points = points
        self.subject = subject
        self.node = node
        self.names = Names(subject.order, points.source)

    def remarks(self) -> list[str]:
        paths = [path for path, _ in follow(self.subject.root, self.node, None, self.subject.order)]
        carried = [[self.contribution(path, known) for known in self.points.known] for path in paths]
        terms = summands(self.formula.node)
        values = [
            [sign * self.value(term, at) for at in range(len(self.points.names))] for sign, term in terms
        ]
        left_terms = list(range(len(terms)))
        left_paths = list(range(len(paths)))
        for term in list(left_terms):
            partner = next((path for path in left_paths if close(values[term], carried[path])), None)
            if partner is not None:
                left_terms.remove(term)
                left_paths.remove(partner)
        for term in list(left_terms):
            group = self.group(values[term], carried, left_paths)
            if group:  # a factor in brackets serves several paths
                left_terms.remove(term)
                left_paths = [path for path in left_paths if path not in group]
        if left_terms:
            together = [sum(values[term][at] for term in left_terms) for at in range(len(values[0]))]
            partner = next((path for path in left_paths if close(together, carried[path])), None)
            if partner is not None:  # a factor that is a sum, multiplied out or left alone
                left_terms = []
                left_paths.remove(partner)
        if not left_terms:
            return [self.missing(paths[at]) for at in left_paths]
        if not left_paths:
            return [f"the term {self.spelled(terms[at])} belongs to no path" for at in left_terms]
        remarks = []
        if len(left_terms) == len(left_paths):
            for term in left_terms:
                path = min(left_paths, key=lambda at: self.unlike(terms[term], paths[at]))
                left_paths.remove(path)
                remarks.append(self.compared(terms[term], values[term], paths[path], carried[path]))
            return remarks
        for term in left_terms:
            told = number_text(values[term][0])
            remarks.append(f"the term {self.spelled(terms[term])} = {told} is no path's contribution")
        return remarks + [self.missing(paths[at]) for at in left_paths[:MOST_REMARKS]]

    def group(self, values: list[float], carried: list[list[float]], among: list[int]) -> tuple[int, ...]:
        """Paths that give together what a term gives."""
        for size in range(2, min(len(among), MOST_IN_A_GROUP) + 1):
            for group in combinations(among[:MOST_TO_GROUP], size):
                if close(values, [sum(carried[path][at] for path in group) for at in range(len(values))]):
                    return group
        return ()

    # -- values ---------------------------------------------------------------------------------------

    def value(self, node: Any, at: int) -> float:
        return float(np.asarray(evaluate(self.formula.text(node), self.points.names[at])))

    def derivative(self, edge: tuple[Node, int], known: dict[Node, Tensor]) -> float:
        node, index = edge
        made = known[node].node if node in known else node
        assert isinstance(made, OpNode)
        one = 1.0 if made.out.__class__ is float else np.ones_like(made.out)
        return float(np.asarray(contribution_of((made, index), one)).sum())

    def contribution(self, path: Path, known: dict[Node, Tensor]) -> float:
        product = float(np.asarray(self.subject.seed).sum())
        for edge in path:
            product *= self.derivative(edge, known)
        return product

    # -- words ----------------------------------------------------------------------------------------

    def spelled(self, term: tuple[int, Any]) -> str:
        sign, node = term
        return f"{'-' if sign < 0 else ''}{self.formula.text(node)}"

    def along(self, path: Path) -> str:
        names = [self.names[node] for node, _ in path] + [self.names[self.node]]
        return " <- ".join(names)

    def missing(self, path: Path) -> str:
        value = self.contribution(path, self.points.known[0])
        return f"the path {self.along(path)} is missing: it gives {number_text(value)}"

    def unlike(self, term: tuple[int, Any], path: Path) -> int:
        """How many factors of a term and derivatives of a path have no partner."""
        factors, edges = self.unmatched(term, path)
        return len(factors) + len(edges)

    def unmatched(self, term: tuple[int, Any], path: Path) -> tuple[list[Any], list[Any]]:
        """The factors of a term and the edges of a path that have no partner; derivatives of 1 need none."""
        count = len(self.points.names)
        factors = [
            (node, [self.factor(node, power, at) for at in range(count)])
            for node, power in factors_of(term[1])
        ]
        edges = [(edge, [self.derivative(edge, known) for known in self.points.known]) for edge in path]
        edges = [(edge, values) for edge, values in edges if not all(abs(v) == 1.0 for v in values)]
        left = []
        for node, values in factors:
            partner = next(
                (pair for pair in edges if close(values, pair[1]) or close([-v for v in values], pair[1])),
                None,
            )
            if partner is None:
                left.append(node)
            else:
                edges.remove(partner)
        return left, [edge for edge, _ in edges]

    def factor(self, node: Any, power: int, at: int) -> float:
        value = self.value(node, at)
        return value if power > 0 else 1 / value if value else float("inf")

    def compared(self, term: tuple[int, Any], values: list[float], path: Path, carried: list[float]) -> str:
        """A term beside the path that it should be."""
        spelled, along = self.spelled(term), self.along(path)
        told = (
            f"the term {spelled} = {number_text(values[0])} stands for the path {along},"
            f" which gives {number_text(carried[0])}"
        )
        if close([-v for v in values], carried):
            return f"{told}: its sign is wrong"
        factors, edges = self.unmatched(term, path)
        if len(factors) <= 1 and len(edges) == 1:
            node, index = edges[0]
            below = node.inputs[index]
            assert below is not None
            quotient = self.names.quotient(node, below)
            right = self.spelled_derivative(edges[0])
            if factors:
                return f"{told}: the factor {self.formula.text(factors[0])} should be {quotient} = {right}"
            return f"{told}: the factor {quotient} = {right} is missing"
        if factors and not edges:
            extra = " and ".join(self.formula.text(node) for node in factors)
            return f"{told}: the factor {extra} is too much"
        ratio = constant_ratio([np.asarray(v) for v in values], [np.asarray(v) for v in carried])
        return told if ratio is None else f"{told}: it is {number_text(ratio)} times too much"

    def spelled_derivative(self, edge: tuple[Node, int]) -> str:
        node, index = edge
        assert isinstance(node, OpNode)
        value = self.derivative(edge, self.points.known[0])
        return f"{edge_symbol(node, index, Formulas(self.names))} = {number_text(value)}"


def summands(node: Any) -> list[tuple[int, Any]]:
    """The terms of a sum with their signs."""
    found: list[tuple[int, Any]] = []
    stack = [(1, node)]
    while stack:
        sign, part = stack.pop()
        if isinstance(part, syntax.Binary) and part.op in ("+", "-"):
            stack.append((-sign if part.op == "-" else sign, part.right))
            stack.append((sign, part.left))
        elif isinstance(part, syntax.Unary) and part.op in ("-", "+"):
            stack.append((-sign if part.op == "-" else sign, part.operand))
        else:
            found.append((sign, part))
    return found


def factors_of(node: Any) -> list[tuple[Any, int]]:
    """The factors of a product, those below the line with -1."""
    found: list[tuple[Any, int]] = []
    stack = [(node, 1)]
    while stack:
        part, power = stack.pop()
        if isinstance(part, syntax.Binary) and part.op in ("*", "/"):
            stack.append((part.right, -power if part.op == "/" else power))
            stack.append((part.left, power))
        elif isinstance(part, syntax.Unary) and part.op in ("-", "+"):
            stack.append((part.operand, power))
        else:
            found.append((part, power))
    return found
