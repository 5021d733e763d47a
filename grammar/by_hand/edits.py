"""Finds a change of a hand formula that makes it right.

Each change is tried: the changed formula is evaluated at all points. A reported change is therefore correct,
though it may not be the one that the user had in mind.
"""

from __future__ import annotations

from itertools import combinations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy import np
from autodiff.core.derivation.graph_report import edge_symbol, edge_value
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.topological_order import leading_to
from autodiff.core.graph.values import settle
from autodiff.core.paths.node_names import Names, ordinal
from autodiff.core.paths.operand_exprs import Formulas
from autodiff.core.symbolic.symbol import is_custom
from autodiff.grammar.by_hand.points import Formula, Points, evaluate, same
from autodiff.grammar.by_hand.sentences import FRACTIONS
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.base.source import Span

#: Limits of the search: evaluated formulas, derivatives of ops on the paths, and names to insert.
MOST_TRIED, MOST_SLOPES, MOST_NAMES = 2500, 12, 12
#: How many changes are tried in pairs.
MOST_PAIRED = 44


class Edit:
    """A text that replaces some parts of the formula, and the remark if that makes the formula right."""

    __slots__ = ("spans", "text", "told")

    def __init__(self, spans: tuple[Span, ...], text: str, told: str) -> None:
        self.spans = spans
        self.text = text
        self.told = told


class Slope:
    """The local derivative of an elementwise op on a path to the input: its text and values at the points.

    Changed formulas refer to it by ``name``.
    """

    __slots__ = ("name", "quotient", "symbol", "values")

    def __init__(self, name: str, quotient: str, symbol: str, values: list[Any]) -> None:
        self.name = name
        self.quotient = quotient
        self.symbol = symbol
        self.values = values

    @property
    def spelled(self) -> str:
        return f"{self.quotient} = {self.symbol}"


class Edits:
    """The possible changes of one formula, and the search for those that make it right."""

    def __init__(self, formula: Formula, points: Points, names: Names, node: Node) -> None:
        self.formula = formula
        self.points = points
        self.text = formula.source.text
        self.tried = 0
        self.slopes = slopes_on_way(points, names, node) if not formula.is_second else []
        self.names = [
            {**known, **{slope.name: Tensor.of(settle(slope.values[at])) for slope in self.slopes}}
            for at, known in enumerate(points.names)
        ]
        self.parts = [part for part in walk(formula.node) if isinstance(part, PARTS)]
        callees = {part.function for part in walk(formula.node) if isinstance(part, tree.Call)}
        attributes = [part for part in walk(formula.node) if isinstance(part, tree.Attribute)]
        objects = {part.object for part in attributes}
        self.turned = {part.object for part in attributes if part.name == "T"}
        self.parts = [
            part
            for part in self.parts
            if part not in callees and not (part in objects and self.is_module(part))
        ]
        self.values = {part: self.value_of(part) for part in self.parts}

    def is_module(self, part: Any) -> bool:
        return isinstance(part, tree.Name) and part.id not in self.names[0]

    def value_of(self, part: Any) -> Any:
        try:
            return np.asarray(evaluate(self.formula.text(part), self.names[0]), dtype=float)
        except (UsageError, TypeError, ValueError):
            return None

    # -- the search -----------------------------------------------------------------------------------

    def remark(self) -> str:
        """Return the remark for one or two changes that make the formula right; ``""`` if there are none."""
        if len(self.points.names) < 2 and np.size(self.points.gradients[0]) < 2:
            return ""  # almost any formula can be changed to give one number
        for kind in KINDS:
            for edit in kind(self):
                if self.is_right(edit):
                    return edit.told
        pairs = [edit for kind in PAIRED for edit in kind(self)][:MOST_PAIRED]
        for first, second in combinations(pairs, 2):
            if are_apart(first, second) and self.is_right(first, second):
                return f"{first.told}, and {second.told}"
        return ""

    def is_right(self, *edits: Edit) -> bool:
        """Whether the formula is right with these changes, at every point."""
        text = self.changed(edits)
        for names, gradient in zip(self.names, self.points.gradients, strict=True):
            self.tried += 1
            if self.tried > MOST_TRIED:
                return False
            try:
                value = np.asarray(evaluate(text, names), dtype=float)
            except (UsageError, TypeError, ValueError):
                return False
            if value.shape != np.shape(gradient) or not same(value, gradient):
                return False
        return bool(np.isfinite(self.points.gradients[0]).any())

    def changed(self, edits: tuple[Edit, ...]) -> str:
        places = sorted(
            ((span, edit.text) for edit in edits for span in edit.spans), key=lambda place: -place[0].start
        )
        text = self.text
        for span, new in places:
            text = f"{text[: span.start]}({new}){text[span.end :]}"
        return text

    # -- the changes ----------------------------------------------------------------------------------

    def written(self, part: Any) -> str:
        return self.formula.text(part)

    def instead(self, part: Any, text: str, told: str = "", shown: str = "") -> Edit:
        if not told:
            told = f"with {shown or text} in place of {self.written(part)}{self.which(part)} it is right"
        return Edit((part.span,), text, told)

    def which(self, part: Any) -> str:
        """Return which of several parts with the same text this is: `` (the 2nd of 3)``."""
        alike = [one for one in self.parts if self.written(one) == self.written(part)]
        alike.sort(key=lambda one: one.span.start)
        return f" (the {ordinal(alike.index(part) + 1)} of {len(alike)})" if len(alike) > 1 else ""

    def signs(self) -> Iterator[Edit]:
        for part in self.terms():
            yield self.instead(
                part, f"-({self.written(part)})", f"the sign of the term {self.written(part)} is wrong"
            )

    def terms(self) -> list[Any]:
        """Return all operands of sums and differences in the formula."""
        sums = [part for part in self.parts if isinstance(part, tree.Binary) and part.op in ("+", "-")]
        return [side for part in sums for side in (part.left, part.right)]

    def factors(self) -> list[Any]:
        """Return all operands of products and quotients, and all terms; numbers are left out."""
        products = [part for part in self.parts if isinstance(part, tree.Binary) and part.op in "*/@"]
        found = [side for part in products for side in (part.left, part.right)]
        found += [part for part in (*self.terms(), self.formula.node) if part not in found]
        return [part for part in found if not isinstance(part, tree.Number)]

    def without_terms(self) -> Iterator[Edit]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op in ("+", "-"):
                right = self.written(part.right)
                minus = "-" if part.op == "-" else ""
                yield self.instead(part, self.written(part.left), f"the term {right} is superfluous")
                left = f"the term {self.written(part.left)} is superfluous"
                yield self.instead(part, f"{minus}({right})", left)

    def without_factors(self) -> Iterator[Edit]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op in ("*", "/"):
                left, right = self.written(part.left), self.written(part.right)
                what = "factor" if part.op == "*" else "divisor"
                yield self.instead(part, left, f"the {what} {right} is superfluous")
                if part.op == "*":
                    yield self.instead(part, right, f"the factor {left} is superfluous")

    def other_slopes(self) -> Iterator[Edit]:
        """Replace a factor by the derivative of an op on a path."""
        for part in self.factors():
            for slope in self.slopes:
                told = f"the factor {self.written(part)} should be {slope.spelled}"
                yield self.instead(part, slope.name, told)

    def other_sums(self) -> Iterator[Edit]:
        """Replace a factor that is not a bare name by the derivative of an op on a path."""
        plain = {part.span for part in self.factors() if isinstance(part, tree.Name)}
        return (edit for edit in self.other_slopes() if edit.spans[0] not in plain)

    def missing_slopes(self) -> Iterator[Edit]:
        """Multiply or divide a part by the derivative of an op on a path."""
        whole = self.formula.node
        for part in [whole, *(part for part in self.factors() if part is not whole)]:
            text = self.written(part)
            for slope in self.slopes:
                at = "" if part is whole else f" beside {text}"
                told = f"the factor {slope.spelled} is missing{at}"
                yield self.instead(part, f"({text})*{slope.name}", told)
                yield self.instead(
                    part, f"({text})/{slope.name}", f"there is a division by {slope.spelled} too few{at}"
                )

    def missing_numbers(self) -> Iterator[Edit]:
        """Multiply or divide a term by 2, 3 or 4."""
        for part in self.terms():
            text = self.written(part)
            for times in (2, 3, 4):
                told = f"the term {text} is {FRACTIONS[times]} of what it should be"
                yield self.instead(part, f"{times}*({text})", f"{told}: a factor {times} is missing")
                told = f"the term {text} is {times} times what it should be"
                yield self.instead(part, f"({text})/{times}", f"{told}: a factor {times} is superfluous")

    def names_of_script(self) -> list[str]:
        """Return the script's names of tensors and numbers; those that the formula reads come first."""
        read = [part.id for part in self.parts if isinstance(part, tree.Name)]
        nodes = [node.name for node in self.points.subject.order if node.name in self.points.names[0]]
        known = {  # without names of the language, such as pi
            name for name, value in self.points.names[0].items() if value.__class__ not in (list, tuple)
        }
        in_order = dict.fromkeys([*read, *map(str, nodes), *self.points.names[0]])
        return [name for name in in_order if name in known]

    def other_names(self) -> Iterator[Edit]:
        """Replace a name by another one of the same shape: first everywhere, then at each place."""
        shapes = {name: np.shape(self.plain(name)) for name in self.names_of_script()}
        read: dict[str, list[Span]] = {}
        for part in self.parts:
            if isinstance(part, tree.Name) and part.id in shapes:
                read.setdefault(part.id, []).append(part.span)
        for name, spans in read.items():
            others = [other for other in shapes if other != name and shapes[other] == shapes[name]]
            for other in others[:MOST_NAMES]:
                for chosen in dict.fromkeys([tuple(spans), *((span,) for span in spans)]):
                    yield Edit(chosen, other, f"with {other} in place of {name} it is right")

    def plain(self, name: str) -> Any:
        value = self.points.names[0][name]
        return value.data if isinstance(value, Tensor) else value

    def missing_names(self) -> Iterator[Edit]:
        """Multiply or divide a part by a name of the script."""
        whole = self.formula.node
        for part in [whole, *(part for part in self.factors() if part is not whole)]:
            text = self.written(part)
            at = "" if part is whole else f" beside {text}"
            for name in self.names_of_script()[:MOST_NAMES]:
                yield self.instead(part, f"({text})*{name}", f"the factor {name} is missing{at}")
                told = f"the divisor {name} is missing{' below ' + text if at else ''}"
                yield self.instead(part, f"({text})/{name}", told)

    def powers(self) -> Iterator[Edit]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op == "**":
                yield self.instead(part, self.written(part.left))
                for power in (2, 3):
                    yield self.raised(part, part.left, power)
            elif not isinstance(part, (tree.Number, tree.Unary)):
                yield self.raised(part, part, 2)

    def raised(self, part: Any, base: Any, power: int) -> Edit:
        """Return the edit that replaces a part by a power of ``base``."""
        text = self.written(base)
        is_atom = isinstance(base, (tree.Name, tree.Call))
        shown = f"{text}**{power}" if is_atom else f"({text})**{power}"
        return self.instead(part, f"({text})**{power}", shown=shown)

    def transposes(self) -> Iterator[Edit]:
        for part in reversed(self.parts):  # names before the parts that contain them
            value = self.values[part]
            if part in self.turned or (value is not None and value.ndim != 2):
                continue
            text = self.written(part)
            if isinstance(part, tree.Attribute) and part.name == "T":
                yield self.instead(part, self.written(part.object), f"{text} must not be transposed")
            elif isinstance(part, tree.Name):
                yield self.instead(part, f"{text}.T", f"{text} must be transposed: {text}.T")
            elif not isinstance(part, tree.Number):
                yield self.instead(part, f"({text}).T", f"{text} must be transposed")

    def halves(self) -> Iterator[Edit]:
        """Replace a matrix by its symmetric part."""
        for part in self.parts:
            value = self.values[part]
            if isinstance(part, tree.Name) and value is not None and value.ndim == 2:
                yield self.instead(part, f"({part.id} + {part.id}.T)/2", shown=f"({part.id} + {part.id}.T)/2")

    def orders(self) -> Iterator[Edit]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op == "@":
                left, right = self.written(part.left), self.written(part.right)
                told = f"{left} and {right} stand in the wrong order"
                yield self.instead(part, f"({right}) @ ({left})", told)

    def sums(self) -> Iterator[Edit]:
        """Add the sum over dimensions that the gradient does not have."""
        shape = np.shape(self.points.gradients[0])
        value = self.value_of(self.formula.node)
        if value is None or value.ndim <= len(shape):
            return
        text = self.text
        for count in range(1, value.ndim + 1):
            for dims in combinations(range(value.ndim), count):
                kept = tuple(n for at, n in enumerate(value.shape) if at not in dims)
                if kept == shape:
                    size = value.size // max(int(np.prod(shape)), 1)
                    over = f"the sum over {size} entries is missing: the input is in each of them"
                    yield self.instead(self.formula.node, f"({text}).sum({dims})", over)


PARTS = (
    *(tree.Name, tree.Number, tree.Unary, tree.Binary, tree.Call, tree.Attribute),
    tree.Subscript,
)
#: The kinds of changes, the most informative first.
KINDS = (
    *(Edits.sums, Edits.signs, Edits.missing_numbers, Edits.without_terms, Edits.transposes, Edits.orders),
    *(Edits.halves, Edits.other_slopes, Edits.powers, Edits.missing_slopes, Edits.without_factors),
    *(Edits.missing_names, Edits.other_names),
)
PAIRED = (Edits.transposes, Edits.orders, Edits.other_sums)


def are_apart(first: Edit, second: Edit) -> bool:
    """Whether two changes do not overlap."""
    return all(a.end <= b.start or b.end <= a.start for a in first.spans for b in second.spans)


def slopes_on_way(points: Points, names: Names, target: Node) -> list[Slope]:
    """Return the local derivatives of the elementwise ops between output and input that are not 1 or -1."""
    formulas = Formulas(names)
    found: list[Slope] = []
    way = leading_to(points.subject.order, [target])
    on_way = set(way)
    for node in way:
        if not isinstance(node, OpNode) or not node.op.is_elementwise or is_custom(node.op):
            continue
        for index, below in enumerate(node.inputs):
            if below is None or below not in on_way:
                continue
            values = [value_at(known[node], index) for known in points.known]
            if any(value is None or np.all(np.abs(value) == 1.0) for value in values[:1]):
                continue
            name = f"slope_{len(found)}_"
            symbol = edge_symbol(node, index, formulas)
            found.append(Slope(name, names.quotient(node, below), symbol, values))
            if len(found) == MOST_SLOPES:
                return found
    return found


def value_at(node: Node, index: int) -> Any:
    assert isinstance(node, OpNode)
    with np.errstate(all="ignore"):
        return edge_value(node, index)
