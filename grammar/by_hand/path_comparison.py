"""Finds the mistake in a hand formula: compares its terms with the paths, their factors with the edges."""

from __future__ import annotations

from itertools import combinations
from math import prod

from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.graph_report import local_derivative_text
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.paths.path_sum import edge_contribution, vjp_of_ones
from autodiff.grammar.by_hand.constant_factors import explain_ratio
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.formula import Formula, evaluate_formula
from autodiff.grammar.by_hand.formula_symbols import FormulaSymbols, has_values
from autodiff.grammar.by_hand.points import SamplePoints, is_plain_number, terms_equal, values_equal
from autodiff.grammar.by_hand.sentences import (
    accident_remarks,
    constant_ratio,
    format_array,
    format_number,
    other_entry_remarks,
    ratio_remark,
    wrong_entries_remarks,
)
from autodiff.grammar.by_hand.signs import place_of_sign, wrong_sign_inside
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.paths.path_sum import Path
    from autodiff.grammar.by_hand.runs import ScriptRun

#: With more paths than this, terms are not compared with paths.
MAX_PATHS = 200
MAX_REMARKS = 4
MAX_GROUP_SIZE, MAX_GROUP_CANDIDATES = 4, 16
#: How many factors together may match one derivative.
MAX_COMBINED = 3
#: What a path gives is rounding if it is not more than this part of what another one gives.
ROUNDING = 1e-12
#: In place of an operand's index: the output's derivative that a path below an upstream node starts with.
UPSTREAM = -1


def find_mistakes(
    formula: Formula, node: Node, points: SamplePoints, computed: list[Any], tried: SamplePoints
) -> list[str]:
    """Return remarks on what is wrong with the formula; ``computed`` has its values at the points.

    Changes of the formula are tried at the points ``tried``, where constants may have other values as well.
    """
    right = points.gradients
    if values_equal(computed[0], right[0]):
        return accident_remarks(points, computed)
    is_number = is_plain_number(formula, points)
    if is_number:  # a number cannot be compared at other points
        variable = missing_variable(points, computed)
        if variable is not None and abs(abs(variable[1]) - 1) <= 1e-6:
            return [variable_remark(*variable)]
        points.keep([0])
        computed, right = computed[:1], points.gradients
    general = wrong_entries_remarks(computed, right)
    is_whole = formula.place is None and points.has_paths and formula.is_expression
    paths: PathComparison | None = None
    if is_whole and points.paths_to(node).count() <= MAX_PATHS:
        paths = PathComparison(formula, node, points)
    ratio = constant_ratio(computed, right)
    off = (
        []
        if ratio is None
        else [wrong_factor_remark(ratio, node, points, formula, points if is_number else tried)]
    )
    if is_number:  # a missing term may look like a wrong factor by accident
        remarks = [] if paths is None or ", as if " in "".join(off) else paths.remarks()
        if variable is not None and ", as if " not in "".join(off):
            return [variable_remark(*variable)]
        return (remarks if paths is not None and paths.is_sure and remarks else off) or general
    if off and ratio is not None:
        if abs(abs(ratio) - 1) <= 1e-6:
            is_open = ", as if " not in off[0] and formula.is_expression
            return [off[0] + place_of_sign(formula, node, points) * is_open]
        other = CorrectionSearch(formula, tried, node).find_other_constant()
        return [other] if other else off
    if formula.place is not None and not points.is_jacobian:
        others = other_entry_remarks(formula.place, points.whole, computed)
        if others:
            return others
    if formula.is_second and (other := CorrectionSearch(formula, tried, node).find_other_coefficient()):
        return [other]  # the paths of the gradient's graph say less
    if paths is not None:
        remarks = paths.remarks()
        if paths.is_sure and remarks:
            return remarks
        general = general or remarks
    if changed := CorrectionSearch(formula, tried, node).find_remark():
        return [changed]
    ratio = constant_ratio(computed[:1], right[:1]) if np.size(right[0]) > 1 else None
    if ratio is not None:
        return [f"at the script's values {wrong_factor_remark(ratio, node, points, formula, tried)}"]
    return general


def missing_variable(points: SamplePoints, computed: list[Any]) -> tuple[str, float] | None:
    """Return a variable that a number lacks, and how many times too large the number is beside it.

    At one point alone the variable's value could not be distinguished from a constant factor.
    """
    if len(computed) < 2 or constant_ratio(computed, points.gradients) is not None:
        return None
    inputs = {leaf.name for leaf in points.leaves}
    for name in sorted(points.variables, key=lambda name: name not in inputs):
        for power, spelled in ((1, name), (2, f"{name}**2")):
            factors = [points.number(name, at) ** power for at in range(len(computed))]
            if np.shape(factors[0]) not in ((), np.shape(points.gradients[0])):
                continue
            products = [value * factor for value, factor in zip(computed, factors, strict=True)]
            ratio = constant_ratio(products, points.gradients)
            if ratio is not None:
                return spelled, ratio
    return None


def variable_remark(spelled: str, ratio: float) -> str:
    rest = "" if abs(ratio - 1) <= 1e-6 else f"; beside it, {ratio_remark(ratio, 'the sign is wrong')}"
    return f"the factor {spelled} is missing{rest}"


def wrong_factor_remark(
    ratio: float, node: Node, points: SamplePoints, formula: Formula, tried: SamplePoints
) -> str:
    """Return the remark on a formula that is off by a factor, and the constant that may be the cause.

    That has to explain the factor at the points ``tried`` as well.
    """
    remark = ratio_remark(ratio, "the sign is wrong")
    if not points.has_paths:
        return remark
    ratios, runs = [ratio], points.runs[:1]
    for names, gradient, run in zip(tried.names, tried.gradients, tried.runs, strict=True):
        found = constant_ratio([formula.value(names)], [gradient])
        if found is None and np.any(gradient):
            return remark
        if found is not None:
            ratios.append(found)
            runs = [*runs, run]
    return remark + explain_ratio(ratios, runs, points.paths_to(node).nodes, node, points.node_names)


class PathComparison:
    """Compares the terms of a formula with the paths of the graph.

    ``is_sure`` says that every remark names exactly one mistake, or that whole paths are missing.
    """

    def __init__(self, formula: Formula, node: Node, points: SamplePoints) -> None:
        self.formula = formula
        self.points = points
        self.node = node
        self.names = points.node_names
        self.formulas = FormulaSymbols(points)
        self.is_sure = True

    def remarks(self) -> list[str]:
        """The remarks; the last says what made-up names in them stand for."""
        remarks = self.remarks_on_paths()
        key = [f"{one.name} = {one.text}" for one in self.names.key().of(remarks) if one.text]
        return [*remarks[:-1], "; ".join((*remarks[-1:], *key))] if remarks else []

    def remarks_on_paths(self) -> list[str]:
        paths = list(self.points.paths_to(self.node))
        contributions = [[self.contribution(path, run) for run in self.points.runs] for path in paths]
        terms, left_paths = self.unmatched_terms(contributions)
        values = [self.values(*term) for term in terms]
        left_terms = list(range(len(terms)))
        for term in list(left_terms):
            group = self.group(values[term], contributions, left_paths)
            if group:  # a term with a factor in brackets is the sum of several paths
                left_terms.remove(term)
                left_paths = [path for path in left_paths if path not in group]
        if left_terms:
            together = [sum(values[term][at] for term in left_terms) for at in range(len(values[0]))]
            partner = next((path for path in left_paths if terms_equal(together, contributions[path])), None)
            if partner is not None:  # the terms together are one path, whose factor is a sum
                left_terms = []
                left_paths.remove(partner)
        largest = [
            max((largest_entry(given[at]) for given in contributions), default=0.0)
            for at in range(len(self.points.runs))
        ]
        given = self.without_cancelling(contributions, left_paths, largest)
        if not left_terms:
            twins = {self.along(path): path for at, path in enumerate(paths) if at not in left_paths}
            return [self.missing(paths[at], twins.get(self.along(paths[at]))) for at in given]
        if len(left_terms) <= len(given):
            left_paths = given
        if not left_paths:
            return [f"the term {self.spelled(terms[at])} belongs to no path" for at in left_terms]
        if len(left_terms) == 1 and 2 <= len(left_paths) <= MAX_GROUP_SIZE:
            [term] = left_terms
            together = sums_of(contributions, left_paths)
            ratio = constant_ratio(values[term], together)
            self.is_sure = ratio is not None
            if self.is_sure or len(terms) > 1 or len(left_paths) < len(paths):
                along = " and ".join(dict.fromkeys(self.along(paths[at]) for at in left_paths))
                return [
                    f"the term {self.spelled(terms[term])} = {format_array(values[term][0])} stands for the"
                    f" paths {along}, which give {format_array(together[0])} together"
                    + ("" if ratio is None else f": {ratio_remark(ratio, 'its sign is wrong')}")
                ]
        remarks = []
        if len(left_terms) == len(left_paths):
            for term in left_terms:
                path = min(left_paths, key=lambda at: self.count_unmatched(terms[term], paths[at]))
                left_paths.remove(path)
                remarks.append(self.compared(terms[term], values[term], paths[path], contributions[path]))
            return remarks
        self.is_sure = False
        if len(terms) == 1 or len(left_paths) > MAX_REMARKS:
            return []  # the formula as a whole is wrong, which says nothing of a path
        for term in left_terms:
            value = format_array(values[term][0])
            remarks.append(f"the term {self.spelled(terms[term])} = {value} is no path's contribution")
        return remarks + [self.missing(paths[at]) for at in left_paths]

    def without_cancelling(
        self, contributions: list[list[Any]], among: list[int], largest: list[float]
    ) -> list[int]:
        """Return the paths that give all that these give together: no rounding, and none that cancel."""
        given = [path for path in among if not are_rounding(contributions[path], largest)]
        if not given:
            return []
        return list(self.group(sums_of(contributions, given), contributions, given)) or given

    def unmatched_terms(self, contributions: list[list[Any]]) -> tuple[list[tuple[int, Any]], list[int]]:
        """Return the terms, with signs, that match no path's contribution, and the paths that match no term.

        A sum is one term if its value is a path's contribution; otherwise it is split into its terms.
        """
        terms: list[tuple[int, Any]] = []
        paths = list(range(len(contributions)))
        stack: list[tuple[int, Any]] = [(1, self.formula.node)]
        while stack:
            term = stack.pop()
            values = self.values(*term)
            partner = next((path for path in paths if terms_equal(values, contributions[path])), None)
            if partner is not None:
                paths.remove(partner)
            elif parts := split_sum(*term):
                stack += reversed(parts)
            else:
                terms.append(term)
        return terms, paths

    def group(self, values: list[Any], contributions: list[list[Any]], among: list[int]) -> tuple[int, ...]:
        """Return the fewest paths whose contributions add up to these values, or ``()``."""
        for size in range(1, min(len(among), MAX_GROUP_SIZE) + 1):
            for group in combinations(among[:MAX_GROUP_CANDIDATES], size):
                if terms_equal(values, sums_of(contributions, group)):
                    return group
        return ()

    # -- values ---------------------------------------------------------------------------------------

    def values(self, sign: int, node: Any) -> list[Any]:
        return [sign * self.value(node, at) for at in range(len(self.points.names))]

    def value(self, node: Any, at: int) -> Any:
        return np.asarray(evaluate_formula(self.formula.text(node), self.points.names[at]), dtype=float)

    def edge_derivative(self, edge: tuple[Node, int], run: ScriptRun) -> float:
        node, index = edge
        if index == UPSTREAM:
            return float(run.subject.cotangents[run.known[node]])
        return float(np.asarray(vjp_of_ones((run.known[node], index))).sum())

    def edge_values(self, edge: tuple[Node, int]) -> list[float]:
        return [self.edge_derivative(edge, run) for run in self.points.runs]

    def contribution(self, path: Path, run: ScriptRun) -> Any:
        g = run.subject.cotangents[run.known[path[0][0]]] if path else run.subject.seed
        for node, index in path:
            g = edge_contribution((run.known[node], index), g)
        return np.asarray(g, dtype=float)

    def is_scalar_path(self, path: Path) -> bool:
        """Whether all nodes of a path are scalars, so that its local derivatives are factors."""
        return not self.node.shape and all(not node.shape for node, _ in path)

    # -- sentences ------------------------------------------------------------------------------------

    def spelled(self, term: tuple[int, Any]) -> str:
        sign, node = term
        return f"{'-' if sign < 0 else ''}{self.formula.text(node)}"

    def along(self, path: Path) -> str:
        names = [self.names[node] for node, _ in path] + [self.names[self.node]]
        return " <- ".join(names)

    def missing(self, path: Path, twin: Path | None = None) -> str:
        """Return the remark on a path that no term is; the ``twin`` is the other path through ``w*w``."""
        value = self.contribution(path, self.points.runs[0])
        for (node, index), (other, _) in () if twin is None else zip(path, twin, strict=True):
            below = node.inputs[index]
            if node is other and below is not None and node.inputs.count(below) > 1:
                return (
                    f"{self.names[below]} stands twice in {self.names[node]}: a factor 2 is missing, and the"
                    f" other half gives {format_array(value)}"
                )
        return f"the path {self.along(path)} is missing: it gives {format_array(value)}"

    def count_unmatched(self, term: tuple[int, Any], path: Path) -> int:
        """Return how many factors of a term and derivatives of a path do not match."""
        if not self.is_scalar_path(path):
            return 0
        factors, edges = self.unmatched_factors(term, path)
        return len(factors) + len(edges)

    def unmatched_factors(
        self, term: tuple[int, Any], path: Path
    ) -> tuple[list[tuple[Any, int]], list[tuple[Node, int]]]:
        """Return the factors of a term and the edges of a path that do not match, signs aside.

        Several factors may match one edge, and several edges one factor. Factors 1 and -1 need no match.
        """
        count = range(len(self.points.names))
        factors = [(factor, [self.factor(*factor, at) for at in count]) for factor in split_product(term[1])]
        start = [(path[0][0], UPSTREAM)] if path and path[0][0] is not self.points.subject.root else []
        edges = [(edge, self.edge_values(edge)) for edge in (*start, *path)]
        left, right = drop_units(factors), drop_units(edges)
        for size in range(1, MAX_COMBINED + 1):
            remove_matches(left, right, size)
            remove_matches(right, left, size)
        return [factor for factor, _ in left], [edge for edge, _ in right]

    def factor(self, node: Any, power: int, at: int) -> float:
        value = float(self.value(node, at))
        return value if power > 0 else 1 / value if value else float("inf")

    def compared(self, term: tuple[int, Any], values: list[Any], path: Path, contributions: list[Any]) -> str:
        """Return the remark that compares a term with the path it should be."""
        spelled, along = self.spelled(term), self.along(path)
        text = (
            f"the term {spelled} = {format_array(values[0])} stands for the path {along},"
            f" which gives {format_array(contributions[0])}"
        )
        if terms_equal([-v for v in values], contributions):
            sign, node = term
            if sign < 0:
                return f"{text}: its sign is wrong, so its minus is superfluous"
            return f"{text}: its sign is wrong{place_of_sign(self.formula, self.node, self.points, node)}"
        ratio = constant_ratio(values, contributions)
        if not self.is_scalar_path(path):
            self.is_sure &= ratio is not None
            return text if ratio is None else f"{text}: {self.path_ratio_remark(ratio, path)}"
        factors, edges = self.unmatched_factors(term, path)
        written = " and ".join(self.format_factor(*factor) for factor in factors)
        wanted = " and ".join(map(self.format_edge, edges))
        are = "factor {} is" if len(factors or edges) == 1 else "factors {} are"
        turned = self.sign_remark(values, contributions, factors, edges)
        if turned is not None and (not factors or not edges):
            self.is_sure &= len(edges) <= 1
            what = "superfluous" if factors else "missing"
            return f"{text}: the {are.format(written or wanted)} {what}{turned}"
        if turned is not None and len(factors) == 1 == len(edges):
            inside = wrong_sign_inside(self.formula, factors[0], self.points, self.edge_values(edges[0]))
            return f"{text}: the factor {written} should be {wanted}{turned or inside}"
        if ratio is not None:
            return f"{text}: {self.path_ratio_remark(ratio, path)}"
        self.is_sure = False
        if turned is not None and max(len(factors), len(edges)) <= MAX_COMBINED:
            return f"{text}: the factor{'s' * (len(factors) > 1)} {written} should be {wanted}{turned}"
        return text

    def sign_remark(
        self,
        values: list[Any],
        contributions: list[Any],
        factors: list[tuple[Any, int]],
        edges: list[tuple[Node, int]],
    ) -> str | None:
        """Return what is said of the sign of a term with the right factors; None if that is wrong as well."""
        changed, wanted = [], []
        for at, (value, run) in enumerate(zip(values, self.points.runs, strict=True)):
            wrong = prod(self.factor(*factor, at) for factor in factors)
            if wrong:  # the term is 0 otherwise, whatever the other factors are
                changed.append(value / wrong * prod(self.edge_derivative(edge, run) for edge in edges))
                wanted.append(contributions[at])
        if not changed or terms_equal(changed, wanted):
            return "" if changed else None
        return ", and the sign is wrong then" if terms_equal([-x for x in changed], wanted) else None

    def path_ratio_remark(self, ratio: float, path: Path) -> str:
        way = [node for node, _ in path]
        runs = self.points.runs[:1]
        return ratio_remark(ratio, "its sign is wrong") + explain_ratio(
            [ratio], runs, way, self.node, self.names
        )

    def format_factor(self, node: Any, power: int) -> str:
        text = self.formula.text(node)
        if power > 0:
            return text
        return f"1/({text})" if isinstance(node, tree.Binary) and node.op != "**" else f"1/{text}"

    def format_edge(self, edge: tuple[Node, int]) -> str:
        node, index = edge
        if index == UPSTREAM:
            value = format_number(self.edge_derivative(edge, self.points.runs[0]))
            return f"{self.names.quotient(self.points.subject.root, node)} = {value}"
        below = node.inputs[index]
        assert below is not None
        return f"{self.names.quotient(node, below)} = {self.format_derivative(edge)}"

    def format_derivative(self, edge: tuple[Node, int]) -> str:
        node, index = edge
        assert isinstance(node, OpNode)
        values = self.edge_values(edge)
        text, number = local_derivative_text(node, index, self.formulas), format_number(values[0])
        return f"{text} = {number}" if text != number and has_values(text, values, self.points) else number


def largest_entry(value: Any) -> float:
    return float(np.max(np.abs(value), initial=0.0))


def are_rounding(values: list[Any], largest: list[float]) -> bool:
    """Whether what a path gives at each point is 0, or nothing but rounding beside the ``largest`` there."""
    return all(largest_entry(value) <= ROUNDING * size for value, size in zip(values, largest, strict=True))


def sums_of(contributions: list[list[Any]], group: Sequence[int]) -> list[Any]:
    """Return what the paths of a group give together, at each point."""
    return [sum(given) for given in zip(*(contributions[path] for path in group), strict=True)]


def drop_units(values: list[tuple[Any, list[float]]]) -> list[tuple[Any, list[float]]]:
    """Return the pairs whose values are not 1 or -1 at every point."""
    return [pair for pair in values if not all(abs(v) == 1.0 for v in pair[1])]


def remove_matches(
    ones: list[tuple[Any, list[float]]], groups: list[tuple[Any, list[float]]], size: int
) -> None:
    """Remove from both lists each of ``ones`` that is the product of ``size`` of ``groups``, signs aside."""
    for one in list(ones):
        for group in combinations(groups[:MAX_GROUP_CANDIDATES], size):
            products = [abs(prod(values)) for values in zip(*(values for _, values in group), strict=True)]
            if terms_equal(products, [abs(v) for v in one[1]]):
                ones.remove(one)
                for member in group:
                    groups.remove(member)
                break


def split_sum(sign: int, node: Any) -> list[tuple[int, Any]]:
    """Return the terms of a sum, or the operand of a sign, with their signs; ``[]`` for other terms."""
    if isinstance(node, tree.Binary) and node.op in ("+", "-"):
        return [(sign, node.left), (-sign if node.op == "-" else sign, node.right)]
    if isinstance(node, tree.Unary) and node.op in ("-", "+"):
        return [(-sign if node.op == "-" else sign, node.operand)]
    return []


def split_product(node: Any) -> list[tuple[Any, int]]:
    """Return the factors of a product, each with the power 1, or -1 if it is a divisor."""
    found: list[tuple[Any, int]] = []
    stack = [(node, 1)]
    while stack:
        part, power = stack.pop()
        if isinstance(part, tree.Binary) and part.op in ("*", "/"):
            stack.append((part.right, -power if part.op == "/" else power))
            stack.append((part.left, power))
        elif isinstance(part, tree.Unary) and part.op in ("-", "+"):
            stack.append((part.operand, power))
        else:
            found.append((part, power))
    return found
