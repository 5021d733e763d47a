"""A gradient derived in five steps: the chain rule, local derivatives, simplified, in numbers, the value.

Each path is evaluated twice, with the engine's rules on numbers and with the same rules on symbols. The sum
over the paths is compared with the result of backward. If there are too many paths, only the strongest are
extracted from a graph of numbers, and the formula is built in the order in which backward runs.
"""

from __future__ import annotations

from itertools import islice
from math import isfinite, nan

from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.derivation.closed_form import ENDS, closed_form, long_product, product
from autodiff.core.derivation.matrix_layout import substitute_entries
from autodiff.core.derivation.named_parts import PartNames, numbered_parts, part_texts, term_text
from autodiff.core.derivation.path_formula import ELLIPSIS, LONGEST_PATH, PathWriter
from autodiff.core.derivation.whole_formula import (
    FactoredForm,
    Formula,
    choose_formula,
    factor_gradient,
    sum_contributions,
)
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.paths.path_sum import Path as Edges
from autodiff.core.paths.path_sum import PathCounts, paths_between, paths_with_contributions
from autodiff.core.paths.strongest_paths import ScalarEdges, has_one_entry
from autodiff.core.paths.use_contributions import deviation, max_abs, uses_of
from autodiff.core.report.records import (
    Derivation,
    DerivationExprs,
    ReportedPass,
    StandaloneFormula,
    gradient_or_zeros,
)
from autodiff.core.symbolic.expr import (
    ONE,
    Expr,
    expr_text,
    name_expr,
    names_in,
    number_expr,
    postorder,
    substitute,
)
from autodiff.core.symbolic.op_names import glossary
from autodiff.core.symbolic.simplify import summands
from autodiff.core.symbolic.symbol import Symbol
from autodiff.core.why.first_cause import causes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.report.entry_records import EntryDerivation
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.records import NumberedPart, Path

#: A product of more symbols along a long path is shown with dots.
LARGEST_PRODUCT = 24
#: No more paths are followed after this many edges, which matters if paths are very long.
MOST_EDGES = 200_000
#: The strongest paths of a graph may have at most this many edges together.
MOST_WALKED = 10_000_000
#: A formula beside a gradient is made of at most so many paths, and has at most so many symbols.
MOST_IN_FORMULA = 20
LARGEST_FORMULA = 80
#: It has at most so many factors from a long path, and a closed form is looked for in so many nodes.
MOST_FACTORS, MOST_CLOSED = 10, 200
#: With at most this many paths, the formula is the sum over all paths.
MOST_SUMMED = 100
#: Of a longer path, the sentence has only the first and the last steps.
MOST_STEPS = 8
#: If there are more nodes between input and output, no factored formula is made.
MOST_NODES = 2_000


class Derivations:
    """The derivations of one backward pass, which share names and what is known about single edges.

    At most ``max_paths`` paths are followed (0: all), and at most the ``top`` strongest are written out.
    ``entry`` is the position of an entry to derive, for each input that has it.
    """

    def __init__(
        self,
        subject: ReportedPass,
        names: NodeNames,
        counts: PathCounts,
        max_paths: int,
        top: int,
        entry: tuple[int, ...] | None = None,
    ) -> None:
        self.subject = subject
        self.names = names
        self.counts = counts
        self.max_paths = max_paths
        self.top = top
        self.entry = entry
        self.kinks: dict[str, tuple[Kink, ...]] = {}
        self.formulas = OperandSymbols(names, subject.variables, subject.constants)
        self._part_names = PartNames(names.is_new)
        self._sources = {node for node in subject.order if not isinstance(node, OpNode)}
        self._scalar_edges: ScalarEdges | None = None
        weight = None
        if subject.weight is not None or _size(subject.seed) != 1:
            weight = name_expr(incoming.letter)
            self.formulas.values[incoming.letter] = subject.seed
        self._writer = PathWriter(subject, names, self.formulas, weight)

    def derive(self, index: int) -> Derivation:
        """The derivation for one of the inputs in ``subject.wrt``."""
        subject, names = self.subject, self.names
        spelled, node = subject.wrt[index]
        count = self.counts[node]
        leading = nodes_leading_to(subject.order, [node]) if count else []
        is_scalar = all(map(has_one_entry, leading))
        edges = self._edges() if is_scalar and count > 1 else None
        followed, are_strongest = self._follow(node, count, edges)
        written, paths, local, total, formula = self._write_paths(node, followed, leading, is_scalar)
        backward = gradient_or_zeros(subject.cotangents, node)
        uses, use_count = uses_of(subject, node, names) if count > 1 else ((), count)
        is_complete = len(followed) == count
        is_again = node is not subject.root and spelled == subject.name
        terms = summands(formula.shown or total)
        named, numbered = ([], []) if is_scalar else self._numbered(terms)
        kinks = self._kinks(spelled, leading)
        return Derivation(
            output=names[subject.root] if is_again else subject.name,
            output_line=names.line(subject.root),
            wrt=spelled,
            wrt_line=names.line(node),
            entry=self._entry(spelled, node, formula, backward),
            weight=subject.weight,
            is_only_input=node in self._sources and len(self._sources) == 1,
            count=count,
            paths=tuple(path for path, _ in paths),
            followed=len(followed),
            are_strongest=are_strongest,
            chain=tuple((" * " if is_scalar else " . ").join(path.chain) for path, _ in paths),
            local=tuple(local),
            simplified=formula.simplified
            or expr_text(total, None, limits.digits) + " + ..." * (len(paths) < count),
            factored=formula.factored,
            complete=StandaloneFormula(lambda: self._complete(formula, backward)),
            where=self._where(formula, total),
            expressions=DerivationExprs(
                formula.shown,
                formula.short,
                formula.meanings or self.formulas.meanings([total]),
                self.formulas.values,
                tuple(named),
                tuple(numbered),
            ),
            numbers=tuple(map(self._numbers, terms) if is_scalar else map(term_text, numbered)),
            named=tuple(text for part in named for text in part_texts(part)),
            value=backward,
            backward=backward,
            difference=_deviation_of_sum([c for _, c in followed], backward) if is_complete else None,
            magnitude=None if edges is None else edges.magnitude(node, _item(subject.seed)),
            is_scalar=is_scalar,
            uses=uses,
            use_count=use_count,
            causes=causes_of(subject, spelled, node, names, uses),
            kinks=kinks,
            words=self._path_sentence(written, node, count, kinks)
            if is_scalar
            else self._entry_sentence(leading, spelled, count),
            key=names.key(),
        )

    def _numbered(self, terms: list[Expr]) -> tuple[list[NumberedPart], list[NumberedPart]]:
        """The parts of the terms that were named, and the terms in which these names stand."""
        return numbered_parts(terms, self.formulas.values, self._part_names)

    def _where(self, formula: Formula, total: Expr) -> tuple[tuple[str, str], ...]:
        """The meanings of the invented names and of the functions in a formula."""
        used = functions_in(formula.shown or total, formula.short, *expressions_in(formula.meanings))
        return (formula.where or self.formulas.where([total])) + glossary(used)

    def formula(self, index: int) -> str:
        """The simplified derivative for one of the inputs as text, without the rest of its derivation.

        It is empty if there are many or long paths, and where it would need an explanation beside it, as
        beside a gradient that is not finite, or zero at a kink.
        """
        subject = self.subject
        spelled, node = subject.wrt[index]
        if not self.counts[node]:
            return ""
        leading = nodes_leading_to(subject.order, [node])
        kinks = self._kinks(spelled, leading)
        if is_open(subject.cotangents.get(node), bool(kinks)):
            return ""
        is_scalar = all(map(has_one_entry, leading))
        closed = closed_form(self._writer, leading) if is_scalar and len(leading) <= MOST_CLOSED else None
        if closed is not None:
            return "" if any(kink.formula for kink in kinks) else expr_text(closed.expr, None, limits.digits)
        if self.counts[node] > MOST_IN_FORMULA:
            return ""
        symbols = []
        for path in paths_between(subject.root, node, leading):
            symbol = self._writer.contribution(path, is_scalar)
            if len(path) > LONGEST_PATH:  # a part of it would be shown as a number
                factors = self._factors(path) if is_scalar and subject.weight is None else ()
                if not factors:
                    return ""
                symbol = Symbol(product(factors))
            symbols.append(symbol)
        total = sum_contributions(symbols, node, is_scalar)
        names_with_versions = {self.names[one] for one in leading if self.names.has_versions(one)}
        if (
            total.size > LARGEST_FORMULA
            or not names_with_versions.isdisjoint(names_in(total))
            or self.formulas.meanings([total])
            or any(glossary(functions_in(total)))
        ):
            return ""
        if any(kink.formula for kink in kinks):
            return ""
        return expr_text(total, None, limits.digits)

    def _factors(self, path: Edges) -> Sequence[Expr]:
        """The derivatives along a path of numbers that are not 1; none if there are many."""
        factors = [factor for edge in path if (factor := self._writer.factor(edge, True)) != ONE]
        return (factors or [ONE]) if len(factors) <= MOST_FACTORS else ()

    def _kinks(self, spelled: str, leading: list[Node]) -> tuple[Kink, ...]:
        """The kinks between the output and an input, which are kept for hints."""
        if spelled not in self.kinks:
            from autodiff.core.why.kinks import kinks_of  # here: reports of gradients alone do not need it

            self.kinks[spelled] = kinks_of(leading, self.subject.cotangents, lambda: self.names)
        return self.kinks[spelled]

    def _write_paths(
        self, node: Node, followed: list[tuple[Edges, Any]], leading: list[Node], is_scalar: bool
    ) -> tuple[list[tuple[Edges, Any]], list[tuple[Path, Symbol]], list[str], Expr, Formula]:
        """The strongest paths, their texts and steps, the sum of all that were written, and the formula."""
        writer, count = self._writer, self.counts[node]
        is_sum = len(followed) == count <= max(MOST_SUMMED, self.top)
        written = followed if is_sum else _strongest(followed, self.top)
        if any(map(self.names.is_of_later_turn, leading)):
            written = sorted(written, key=lambda one: len(one[0]))  # the last turn of a loop first
        paths = [writer.path(node, path, carried, is_scalar) for path, carried in written]
        total = _sum_of(paths, node, is_scalar)
        if len(written) > self.top:
            kept = {path for path, _ in _strongest(written, self.top)}
            paths = [paths[at] for at, (path, _) in enumerate(written) if path in kept]
            written = [one for one in written if one[0] in kept]
        local = [
            writer.local_step(path, said, is_scalar)
            for (path, _), (said, _) in zip(written, paths, strict=True)
        ]
        formula = self._choose_formula(total if is_sum else None, leading, written, is_scalar)
        if is_sum and formula.shown is None:  # the whole sum is too long to read
            total = _sum_of(paths, node, is_scalar)
        return written, paths, local, total, formula

    def _choose_formula(
        self, total: Expr | None, leading: list[Node], written: list[tuple[Edges, Any]], is_scalar: bool
    ) -> Formula:
        """The formula to show: a closed form if that is short, the sum over the paths, or a factored form.

        ``total`` is the sum over the paths if all of them are ``written``.
        """
        count = self.counts[leading[-1]] if leading else 0
        is_shortened = any(len(path) > LONGEST_PATH for path, _ in written)
        closed = closed_form(self._writer, leading) if is_scalar and (count > 1 or is_shortened) else None
        if closed is not None and (total is None or is_shortened or closed.size < total.size):
            return Formula(closed.expr, whole=closed.expr)
        short = self._factored(leading, is_scalar) if count > 1 else None
        if is_shortened and is_scalar and count == 1 and total is not None and total.size > LARGEST_PRODUCT:
            shown, factors = long_product(self._writer, written[0][0])
            meaning = f"{factors - 2 * ENDS:,} more factors"
            formula = Formula(shown, None, ((ELLIPSIS.value, meaning), *self.formulas.meanings([shown])))
        else:
            formula = choose_formula(total, short, self.formulas)
        if is_shortened:  # the sum has dots in it, and few read the whole formula
            formula.later = lambda: short or self._factored(leading, is_scalar)
        return formula

    def _entry(self, spelled: str, node: Node, formula: Formula, gradient: Any) -> EntryDerivation | None:
        place = self.entry
        if place is None or not has_place(node.shape, place):
            return None
        from autodiff.core.derivation.entry import EntryWriter  # here: most derivations have no entry

        writer = EntryWriter(self.subject, self.names, self.formulas)
        return writer.derive(node, spelled, place, lambda: self._complete(formula, gradient, place))

    def _complete(
        self, formula: Formula, gradient: Any, place: tuple[int, ...] | None = None
    ) -> tuple[str, str]:
        if formula.later is not None:
            whole, formula.later = formula.later(), None
            formula.whole, formula.shared = (whole.expr, whole.shared) if whole else (None, {})
        if formula.whole is None:
            return "", ""
        from autodiff.core.derivation.standalone_formula import (
            write_formula,  # here: most readers want the short form
        )

        return write_formula(formula.whole, formula.shared, self.formulas, gradient, place)

    def _edges(self) -> ScalarEdges:
        if self._scalar_edges is None:
            self._scalar_edges = ScalarEdges(self.subject.order)
        return self._scalar_edges

    def _follow(
        self, node: Node, count: int, edges: ScalarEdges | None
    ) -> tuple[list[tuple[Edges, Any]], bool]:
        """Paths with their contributions (all, the strongest or the first), and whether none is stronger."""
        subject = self.subject
        if edges is not None and edges.are_finite and self.max_paths and count > self.max_paths:
            most = min(self.top, max(MOST_WALKED // len(subject.order), 1))
            return edges.strongest(node, _item(subject.seed), most), True
        found: list[tuple[Edges, Any]] = []
        length = 0
        if count:
            every = paths_with_contributions(subject.root, node, subject.seed, subject.order)
            for path, contribution in islice(every, self.max_paths or None):
                found.append((path, contribution))
                length += len(path)
                if length > MOST_EDGES:
                    break
        return found, len(found) == count

    def _factored(self, leading: list[Node], is_scalar: bool) -> FactoredForm | None:
        is_short_enough = 0 < len(leading) <= MOST_NODES
        return factor_gradient(self._writer, leading, is_scalar) if is_short_enough else None

    def _path_sentence(
        self, written: list[tuple[Edges, Any]], node: Node, count: int, kinks: tuple[Kink, ...]
    ) -> str:
        """The strongest path as a sentence; empty if there is no path, no slope or a rate is not finite."""
        edges = self._edges()
        if not written or not written[0][0] or not edges.are_finite:
            return ""
        if any(kink.is_without_slope for kink in kinks):
            return ""
        path = max(written, key=lambda one: max_abs(one[1]))[0]
        steps = {(user, index): rate for user, _ in path for index, _, rate in edges.edges_from(user)}
        upwards = [edge for edge in path[::-1] if not self.names.is_passing(edge[0])]
        names = [self.names[node], *(self.names[user] for user, _ in upwards)]
        total = None
        if count > 1:
            seed = _item(self.subject.seed)
            total = _item(gradient_or_zeros(self.subject.cotangents, node)) / seed if seed else nan
            if not isfinite(total):
                return ""
        return path_as_sentence(names, [steps[edge] for edge in upwards], total)

    def _entry_sentence(self, leading: list[Node], spelled: str, count: int) -> str:
        """How many of many paths carry an entry of the input; empty if not known, or not fewer."""
        is_short_enough = len(leading) <= MOST_NODES
        if count <= MOST_SUMMED or not is_short_enough or _size(self.subject.root.out) != 1:
            return ""
        from autodiff.core.paths.entry_paths import paths_by_entry  # here: few graphs have so many paths

        counts = paths_by_entry(leading)
        if counts is None or not counts.sum() < count:
            return ""
        total, least, most = int(counts.sum()), int(counts.min()), int(counts.max())
        each = f"{most:,} to each" if least == most else f"{least:,} to {most:,} to each"
        return (
            f"from entry to entry, {total:,} paths reach {spelled}, {each} of its entries; the others carry"
            " 0, since what they pass on is overwritten or stands in another place"
        )

    def _numbers(self, term: Expr) -> str:
        """A term of numbers with every name replaced by its value."""
        term = substitute_entries(term, self.formulas.values)
        known = {spelled: self.formulas.values.get(spelled) for spelled in names_in(term)}
        values = {
            spelled: number_expr(float(f"{_item(value):.{limits.digits}g}"))
            for spelled, value in known.items()
            if value is not None and _size(value) == 1
        }
        return expr_text(substitute(term, values), None, limits.digits)


def is_open(gradient: Any, at_kink: bool) -> bool:
    """Whether a gradient is infinite or nan, or zero at a kink: somebody will ask why."""
    if gradient is None:
        return True
    if gradient.__class__ is float:  # numpy need not be imported for it
        return not isfinite(gradient) or (at_kink and not gradient)
    return not np.isfinite(gradient).all() or (at_kink and not np.any(gradient))


def expressions_in(meanings: tuple[tuple[str, Expr | str], ...]) -> list[Expr]:
    """The meanings that are expressions, not text."""
    return [meaning for _, meaning in meanings if isinstance(meaning, Expr)]


def functions_in(*exprs: Expr | None) -> Iterator[str]:
    """Yield the functions that the expressions call."""
    for expr in exprs:
        for part in () if expr is None else postorder(expr):
            if part.head == "call":
                yield part.value


def _deviation_of_sum(contributions: Sequence[Any], backward: Any) -> float:
    """The largest deviation of the sum over the paths from the result of backward."""
    if all(c.__class__ is float for c in (*contributions, backward)):
        total = 0.0
        for c in contributions:
            total = total + c
        return deviation(total, backward)
    with np.errstate(all="ignore"):
        sum_of_paths = np.zeros_like(np.asarray(backward))
        for c in contributions:
            sum_of_paths = sum_of_paths + c
    return deviation(sum_of_paths, backward)


def _sum_of(paths: Sequence[tuple[Path, Symbol]], node: Node, is_scalar: bool) -> Expr:
    """The sum of what the paths give, without those that give 0 if others do not."""
    terms = [symbol for path, symbol in paths if not path.is_zero]
    return sum_contributions(terms or [symbol for _, symbol in paths], node, is_scalar)


def _strongest(followed: list[tuple[Edges, Any]], top: int) -> list[tuple[Edges, Any]]:
    """The paths that contribute most, largest first."""
    return sorted(followed, key=lambda one: -max_abs(one[1]))[:top]


def has_place(shape: tuple[int, ...], place: tuple[int, ...]) -> bool:
    """Whether tensors of the shape have an entry at this position. Negative positions do not count.

    >>> has_place((2, 3), (1, 2)), has_place((2, 3), (2, 0)), has_place((2,), (0, 0))
    (True, False, False)
    """
    return len(shape) == len(place) and all(0 <= at < n for at, n in zip(place, shape, strict=True))


def _size(value: Any) -> int:
    return 1 if value.__class__ is float else int(value.size)


def _item(value: Any) -> float:
    number: float = value if value.__class__ is float else value.item()
    return number


# -- a path as a sentence: how much the output changes per unit of the input -----------------------------


def path_as_sentence(names: Sequence[str], rates: Sequence[float], total: float | None = None) -> str:
    """The sentence for ``names``, from input to output, and the derivative of each step between them.

    ``total`` is the derivative over all paths if there are several. The sentence gives rates, not the effect
    of a whole unit, since a curve may turn within that unit.

    >>> path_as_sentence(["a", "c", "e"], [1.0, 2.0])
    'per unit of a, c grows by 1, so e grows by 2'
    >>> path_as_sentence(["x", "3*x", "y"], [3.0, -1.0], -2.0)
    'along one path alone, per unit of x, 3*x grows by 3, so y falls by 3; over all paths y falls by 2'
    """
    said = []
    rate = 1.0
    for name, step in zip(names[1:], rates, strict=True):
        rate *= step
        said.append(f"{name} {_change(rate)}")
    if len(said) > MOST_STEPS:
        half = MOST_STEPS // 2
        said = [*said[:half], "and so on until " + said[-half], *said[1 - half :]]
    first, *others = said
    along = ", so ".join([f"per unit of {names[0]}, {first}", *others]).replace("so and so", "and so")
    if total is None:
        return along
    return f"along one path alone, {along}; over all paths {names[-1]} {_change(total)}"


def _change(rate: float) -> str:
    if rate == 0:
        return "stays as it is"
    verb = "falls" if rate < 0 else "grows"
    return f"{verb} by {expr_text(number_expr(abs(rate)), digits=limits.digits)}"
