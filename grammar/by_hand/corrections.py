"""Finds a change of a hand formula that makes it right.

Each change is tried: the changed formula is evaluated at all points. A reported change is therefore correct,
though it may not be the one that the user had in mind.
"""

from __future__ import annotations

import re
from itertools import combinations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.graph_report import elementwise_derivative_text, elementwise_values
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.node_names import ordinal
from autodiff.core.symbolic.symbol import is_custom
from autodiff.grammar.by_hand.formula import (
    Formula,
    evaluate_formula,
    root_name,
    simple_statements,
    written_names,
)
from autodiff.grammar.by_hand.formula_symbols import FormulaSymbols, has_values
from autodiff.grammar.by_hand.points import SamplePoints, values_equal
from autodiff.grammar.by_hand.sentences import FRACTIONS, constant_ratio
from autodiff.grammar.by_hand.upstream import PLACEHOLDER
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.grammar.by_hand.runs import ScriptRun

    Edge = tuple[OpNode, int]

#: Limits of the search: evaluated formulas, derivatives of ops on the paths, and names to insert.
MAX_TRIED, MAX_DERIVATIVES, MAX_NAMES = 2500, 12, 12
#: The same for steps of several lines, which take longer to evaluate.
MAX_TRIED_IN_LINES = 500
#: A coefficient of a term is 0 if it is nearer to it than this.
RATIO_TOLERANCE = 1e-6
#: How many changes are tried in pairs.
MAX_PAIRED = 44
#: The functions that add up entries.
SUMS = ("sum", "mean")
WORD = re.compile(r"\w+")


class Correction:
    """A text that replaces some parts of the formula, and the remark if that makes the formula right."""

    __slots__ = ("remark", "spans", "text")

    def __init__(self, spans: tuple[Span, ...], text: str, remark: str) -> None:
        self.spans = spans
        self.text = text
        self.remark = remark


class OpDerivative:
    """The local derivative of an elementwise op on a path to the input: its text and values at the points.

    Changed formulas refer to it by ``name``. The text is "" if a formula with it has no such value.
    """

    __slots__ = ("edge", "name", "quotient", "symbol", "values")

    def __init__(self, name: str, quotient: str, symbol: str, values: list[Any], edge: Edge) -> None:
        self.edge = edge
        self.name = name
        self.quotient = quotient
        self.symbol = symbol
        self.values = values

    @property
    def spelled(self) -> str:
        return f"{self.quotient} = {self.symbol}" if self.symbol else self.quotient


class CorrectionSearch:
    """The possible changes of one formula, and the search for those that make it right."""

    def __init__(self, formula: Formula, points: SamplePoints, node: Node) -> None:
        self.formula = formula
        self.points = points
        self.text = formula.source.text
        self.tried_count = 0
        self.slopes = elementwise_derivatives(points, node) if points.has_paths else []
        #: The gradients of the steps before, such as dz, by names that stand for them.
        self.earlier = earlier_gradients(formula, points)
        self.names = self.names_at(points)
        everything = list(walk(*formula.values_written()))
        self.parts = [part for part in everything if isinstance(part, PART_TYPES)]
        callees = {part.function for part in everything if isinstance(part, tree.Call)}
        attributes = [part for part in everything if isinstance(part, tree.Attribute)]
        objects = {part.object for part in attributes}
        self.transposed_parts = {part.object for part in attributes if part.name == "T"}
        self.parts = [
            part
            for part in self.parts
            if part not in callees and not (part in objects and self.is_module(part))
        ]
        self.parts = list({part.span: part for part in reversed(self.parts)}.values())[::-1]
        self.values = {part: self.part_value(part) for part in self.parts}

    def names_at(self, points: SamplePoints) -> list[dict[str, Any]]:
        """Return the values of the names at each point, and what stands for slopes and for earlier steps."""
        found = []
        for known, run in zip(points.names, points.runs, strict=True):
            made = {slope.name: derivative_value(slope.edge, run) for slope in self.slopes}
            made |= {name: earlier_value(node, run) for name, (_, node) in self.earlier.items()}
            found.append({**known, **{name: Tensor.of(as_stored(x)) for name, x in made.items()}})
        return found

    def is_module(self, part: Any) -> bool:
        if not isinstance(part, tree.Name):
            return False
        value = self.names[0].get(part.id)
        return value is None or isinstance(value, Namespace)

    def part_value(self, part: Any) -> Any:
        try:
            return np.asarray(evaluate_formula(self.formula.text(part), self.names[0]), dtype=float)
        except (UsageError, TypeError, ValueError):
            return None

    # -- the search -----------------------------------------------------------------------------------

    def find_remark(self) -> str:
        """Return the remark for one or two changes that make the formula right; ``""`` if there are none."""
        if len(self.points.names) < 2 and np.size(self.points.gradients[0]) < 2:
            return ""  # almost any formula can be changed to give one number
        for kind in CORRECTION_KINDS if self.formula.is_expression else KINDS_IN_LINES:
            for edit in kind(self):
                if self.is_right(edit):
                    return edit.remark + self.line_of(edit)
        pairs = [edit for kind in PAIRED_KINDS for edit in kind(self)][:MAX_PAIRED]
        for first, second in combinations(pairs, 2):
            if are_disjoint(first, second) and self.is_right(first, second):
                return f"{first.remark}{self.line_of(first)}, and {second.remark}{self.line_of(second)}"
        return ""

    def find_other_constant(self) -> str:
        """Return the remark that a number or a mean is another's or a sum's, or that a tensor is missing.

        It may look missing beside a factor too many: ``mask*p*mask`` is ``mask`` for a mask of 0 and ``1/p``.
        """
        for edit in self.means():
            if self.is_right(edit):
                return edit.remark + self.line_of(edit)
        numbers = {name for name in self.names_of_script() if self.names[0][name].__class__ in (int, float)}
        for edit in self.other_names():
            replaced = self.text[edit.spans[0].start : edit.spans[0].end]
            if {replaced, edit.text.partition("-")[0].strip()} <= numbers and self.is_right(edit):
                return edit.remark + self.line_of(edit)
        whole = self.formula.node.span
        for edit in self.missing_names():
            name = edit.text.rpartition("*")[2]
            if edit.spans == (whole,) and name.isidentifier() and name not in numbers and self.is_right(edit):
                found = next((one for one in self.dropped_factors() if self.is_right(one)), edit)
                return found.remark + self.line_of(found)
        return ""

    def line_of(self, edit: Correction) -> str:
        """Return the line of a change, for a step of several lines: `` (line 12)``."""
        if self.formula.is_expression:
            return ""
        at = edit.spans[0].start
        if at >= self.formula.node.span.start and self.formula.step is not None:
            return f" (line {self.formula.step[1]})"  # the name behind the lines is none of them
        return f" (line {self.formula.line(at)})"

    def is_right(self, *edits: Correction) -> bool:
        """Whether the formula is right with these changes, at every point."""
        text = self.changed(edits)
        if not self.has_gradients(text, self.names, self.points):
            return False
        return bool(np.isfinite(self.points.gradients[0]).any()) and self.is_right_for_others(edits, text)

    def has_gradients(self, text: str, known: list[dict[str, Any]], points: SamplePoints) -> bool:
        """Whether a text has the values of the gradient at all points."""
        for names, gradient in zip(known, points.gradients, strict=True):
            self.tried_count += 1
            if self.tried_count > (MAX_TRIED if self.formula.is_expression else MAX_TRIED_IN_LINES):
                return False
            try:
                value = np.asarray(evaluate_formula(text, names, self.formula.is_expression), dtype=float)
            except (UsageError, TypeError, ValueError):
                return False
            if value.shape != np.shape(gradient) or not values_equal(value, gradient):
                return False
        return True

    def is_right_for_others(self, edits: tuple[Correction, ...], text: str) -> bool:
        """Whether the changed formula is right for other values of the names too that the changes bring in.

        A constant, or an input of another output, may happen to be the number that is missing.
        """
        symbols = {slope.name: slope.symbol for slope in self.slopes}
        words = {word for edit in edits for word in WORD.findall(edit.text)}
        words |= {word for name in words & symbols.keys() for word in WORD.findall(symbols[name])}
        added = words.intersection(self.points.variables) - self.formula.names_read
        if not added:
            return True
        runs = self.points.script_runs.with_others(added)
        points = self.points.at_runs(runs)
        return self.has_gradients(text, self.names_at(points), points)

    def changed(self, edits: tuple[Correction, ...]) -> str:
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

    def replace_part(self, part: Any, text: str, remark: str = "", shown: str = "") -> Correction:
        if not remark:
            remark = f"with {shown or text} in place of {self.written(part)}{self.which(part)} it is right"
        return Correction((part.span,), text, remark)

    def which(self, part: Any) -> str:
        """Return which of several parts with the same text this is: `` (the 2nd of 3)``."""
        alike = [one for one in self.parts if self.written(one) == self.written(part)]
        places = sorted(one.span.start for one in alike)
        if len(places) < 2 or part.span.start not in places:  # it stands in another line of the step
            return ""
        return f" (the {ordinal(places.index(part.span.start) + 1)} of {len(places)})"

    def flipped_signs(self) -> Iterator[Correction]:
        for part in self.terms():
            yield self.replace_part(
                part,
                f"-({self.written(part)})",
                f"the sign of the term {self.written(part)}{self.which(part)} is wrong",
            )

        if not self.formula.is_expression:
            for value in self.formula.values_written():
                remark = f"the sign of {self.written(value)} is wrong"
                yield self.replace_part(value, f"-({self.written(value)})", remark)

    def terms(self) -> list[Any]:
        """Return all operands of sums and differences in the formula, and what its lines add."""
        sums = [part for part in self.parts if isinstance(part, tree.Binary) and part.op in ("+", "-")]
        lines = simple_statements(self.formula.parsed)
        added = [one.value for one in lines if isinstance(one, tree.AugmentedAssign) and one.op in ("+", "-")]
        return [*(side for part in sums for side in (part.left, part.right)), *added]

    def factors(self) -> list[Any]:
        """Return all operands of products and quotients, all terms and all that a call sums; no numbers."""
        products = [part for part in self.parts if isinstance(part, tree.Binary) and part.op in "*/@"]
        found = [side for part in products for side in (part.left, part.right)]
        calls = [part.function for part in self.parts if isinstance(part, tree.Call)]
        objects = [
            one.object for one in calls if isinstance(one, tree.Attribute) and one.object in self.parts
        ]
        others = (*self.terms(), *objects, *self.summed(), self.formula.node)
        found += [part for part in others if part not in found]
        return [part for part in found if not isinstance(part, tree.Number)]

    def summed(self) -> list[Any]:
        """Return the first argument of each ``np.sum(...)`` and its like."""
        found = []
        for part in self.parts:
            if not isinstance(part, tree.Call):
                continue
            function = part.function
            is_method = isinstance(function, tree.Attribute) and not self.is_module(function.object)
            if not is_method and self.written(function).rpartition(".")[2] in SUMS:
                found += [one.value for one in part.arguments[:1] if one.value in self.parts]
        return found

    def dropped_terms(self) -> Iterator[Correction]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op in ("+", "-"):
                right = self.written(part.right)
                minus = "-" if part.op == "-" else ""
                yield self.replace_part(
                    part, self.written(part.left), f"the term {right}{self.which(part.right)} is superfluous"
                )
                left = f"the term {self.written(part.left)}{self.which(part.left)} is superfluous"
                yield self.replace_part(part, f"{minus}({right})", left)

    def dropped_factors(self) -> Iterator[Correction]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op in ("*", "/"):
                left, right = self.written(part.left), self.written(part.right)
                what = f"the {'factor' if part.op == '*' else 'divisor'} {right}{self.which(part.right)}"
                yield self.replace_part(part, left, f"{what} is superfluous")
                if part.op == "*":
                    what = f"the factor {left}{self.which(part.left)}"
                    yield self.replace_part(part, right, f"{what} is superfluous")

    def other_derivatives(self) -> Iterator[Correction]:
        """Replace a factor by the derivative of an op on a path."""
        for part in self.factors():
            for slope in self.slopes:
                remark = f"the factor {self.written(part)}{self.which(part)} should be {slope.spelled}"
                yield self.replace_part(part, slope.name, remark)

    def other_pairs(self) -> Iterator[Correction]:
        """Leave two factors of a product out, or replace them by the derivative of an op on a path."""
        products = [part for part in self.parts if isinstance(part, tree.Binary) and part.op in ("*", "/")]
        inner = {part.left for part in products}
        for product in (part for part in products if part not in inner):
            factors = factors_of(product)
            multiplied = [at for at, (_, op) in enumerate(factors) if op == "*"]
            for pair in combinations(multiplied, 2):
                left = "".join(
                    f" {op} ({self.written(x)})" for at, (x, op) in enumerate(factors) if at not in pair
                )
                written = [self.written(factors[at][0]) for at in pair]
                is_one = pair[1] == pair[0] + 1 and all(map(str.isalnum, written))  # such as 2*f
                both = f"the factor {'*'.join(written)}" if is_one else f"the factors {' and '.join(written)}"
                remark = f"{both} {'is' if is_one else 'are'} superfluous"
                yield self.replace_part(product, f"1{left}", remark)
                for slope in self.slopes:
                    remark = f"{both} should be {slope.spelled}"
                    yield self.replace_part(product, f"{slope.name}{left}", remark)

    def other_compound_factors(self) -> Iterator[Correction]:
        """Replace a factor that is not a bare name by the derivative of an op on a path."""
        plain = {part.span for part in self.factors() if isinstance(part, tree.Name)}
        return (edit for edit in self.other_derivatives() if edit.spans[0] not in plain)

    def missing_derivatives(self) -> Iterator[Correction]:
        """Multiply or divide a part by the derivative of an op on a path."""
        whole = self.formula.node
        for part in [whole, *(part for part in self.factors() if part is not whole)]:
            text = self.written(part)
            for slope in self.slopes:
                at = "" if part is whole else f" beside {text}{self.which(part)}"
                remark = f"the factor {slope.spelled} is missing{at}"
                yield self.replace_part(part, f"({text})*{slope.name}", remark)
                yield self.replace_part(
                    part, f"({text})/{slope.name}", f"there is a division by {slope.spelled} too few{at}"
                )

    def missing_numbers(self) -> Iterator[Correction]:
        """Multiply or divide a term by 2, 3 or 4."""
        for part in (part for part in self.terms() if not isinstance(part, tree.Number)):
            text = self.written(part)
            term = f"the term {text}{self.which(part)}"
            for times in (2, 3, 4):
                remark = f"{term} is {FRACTIONS[times]} of what it should be: a factor {times} is"
                yield self.replace_part(part, f"{times}*({text})", f"{remark} missing")
                remark = f"{term} is {times} times what it should be: a factor {times} is"
                yield self.replace_part(part, f"({text})/{times}", f"{remark} superfluous")

    def find_other_coefficient(self) -> str:
        """Return the remark that the number before a term is another one; ``""`` if none makes it right."""
        for part in self.terms():
            first = part
            while isinstance(first, tree.Binary) and first.op in "*/":
                first = first.left
            if not isinstance(first, tree.Number) or first.value == 0:
                continue
            doubled = self.changed((self.replace_part(part, f"2*({self.written(part)})"),))
            try:
                values = [
                    [np.asarray(evaluate_formula(text, names), dtype=float) for text in (self.text, doubled)]
                    for names in self.names
                ]
            except (UsageError, TypeError, ValueError):
                continue
            missing = [g - before for g, (before, _) in zip(self.points.gradients, values, strict=True)]
            ratio = constant_ratio(missing, [after - before for before, after in values])
            if ratio is None or abs(ratio + 1) <= RATIO_TOLERANCE:
                continue
            edit = self.replace_part(first, f"{float(f'{first.value * (1 + ratio):.6g}'):g}")
            if self.is_right(edit):
                return edit.remark
        return ""

    def names_of_script(self) -> list[str]:
        """Return the script's names of tensors and numbers; those that the formula reads come first."""
        read = [part.id for part in self.parts if isinstance(part, tree.Name)]
        steps = () if self.formula.workings is None else self.formula.workings.steps
        known = self.points.variables  # without names of the language, such as pi
        known = [name for name in known if name not in steps]  # a step means its own dh, not the script's
        return [name for name in dict.fromkeys([*read, *known]) if name in known]

    def other_names(self) -> Iterator[Correction]:
        """Replace a name by another one of the same shape: first everywhere, then at each place.

        By ``n - 1``, where the script has that, before another number that happens to be the same.
        """
        shapes = {name: np.shape(self.points.number(name, 0)) for name in self.names_of_script()}
        read: dict[str, list[Span]] = {}
        for part in self.parts:
            if isinstance(part, tree.Name) and part.id in shapes:
                read.setdefault(part.id, []).append(part.span)
        for name, spans in read.items():
            for less in dict.fromkeys(re.findall(rf"(?<![\w.]){name} ?- ?1\b", self.points.source.text)):
                yield Correction(tuple(spans), less, f"with {less} in place of {name} it is right")
            others = [other for other in shapes if other != name and shapes[other] == shapes[name]]
            for other in others[:MAX_NAMES]:
                for chosen in dict.fromkeys([tuple(spans), *((span,) for span in spans)]):
                    yield Correction(chosen, other, f"with {other} in place of {name} it is right")

    def other_steps(self) -> Iterator[Correction]:
        """Replace the gradient of one step of a derivation by that of another one before this."""
        for part in self.parts:
            if isinstance(part, tree.Name) and PLACEHOLDER.fullmatch(part.id):
                for name, (key, _) in self.earlier.items():
                    yield self.replace_part(part, name, shown=key)

    def missing_names(self) -> Iterator[Correction]:
        """Multiply or divide a part by a name of the script."""
        whole = self.formula.node
        for part in [whole, *(part for part in self.factors() if part is not whole)]:
            text = self.written(part)
            at = "" if part is whole else f" beside {text}{self.which(part)}"
            for name in self.names_of_script()[:MAX_NAMES]:
                yield self.replace_part(part, f"({text})*{name}", f"the factor {name} is missing{at}")
                remark = f"the divisor {name} is missing{at.replace('beside', 'below', 1)}"
                yield self.replace_part(part, f"({text})/{name}", remark)

    def powers(self) -> Iterator[Correction]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op == "**":
                yield self.replace_part(part, self.written(part.left))
                for power in (2, 3):
                    yield self.replace_by_power(part, part.left, power)
            elif not isinstance(part, (tree.Number, tree.Unary)):
                yield self.replace_by_power(part, part, 2)

    def replace_by_power(self, part: Any, base: Any, power: int) -> Correction:
        """Return the edit that replaces a part by a power of ``base``."""
        text = self.written(base)
        is_atom = isinstance(base, (tree.Name, tree.Call))
        shown = f"{text}**{power}" if is_atom else f"({text})**{power}"
        return self.replace_part(part, f"({text})**{power}", shown=shown)

    def changed_transposes(self) -> Iterator[Correction]:
        seen: dict[str, list[Span]] = {}
        for part in self.parts:
            if isinstance(part, (tree.Name, tree.Call)):
                seen.setdefault(self.written(part), []).append(part.span)
        for text, spans in seen.items():
            if len(spans) > 1:
                yield Correction(
                    tuple(spans), f"({text}).T", f"{text} must be transposed everywhere: {text}.T"
                )
        for part in reversed(self.parts):  # names before the parts that contain them
            value = self.values[part]
            if part in self.transposed_parts or (value is not None and value.ndim != 2):
                continue
            text = self.written(part)
            if isinstance(part, tree.Attribute) and part.name == "T":
                yield self.replace_part(part, self.written(part.object), f"{text} must not be transposed")
            elif isinstance(part, tree.Name):
                yield self.replace_part(part, f"{text}.T", f"{text} must be transposed: {text}.T")
            elif not isinstance(part, tree.Number):
                yield self.replace_part(part, f"({text}).T", f"{text} must be transposed")

    def symmetric_parts(self) -> Iterator[Correction]:
        """Replace a matrix by its symmetric part."""
        for part in self.parts:
            value = self.values[part]
            if isinstance(part, tree.Name) and value is not None and value.ndim == 2:
                yield self.replace_part(
                    part, f"({part.id} + {part.id}.T)/2", shown=f"({part.id} + {part.id}.T)/2"
                )

    def orders(self) -> Iterator[Correction]:
        for part in self.parts:
            if isinstance(part, tree.Binary) and part.op == "@":
                left, right = self.written(part.left), self.written(part.right)
                remark = f"{left} and {right} stand in the wrong order"
                yield self.replace_part(part, f"({right}) @ ({left})", remark)
                remark = f"{left} and {right} must be multiplied entry by entry: ({left})*({right})"
                yield self.replace_part(part, f"({left})*({right})", remark)
            elif isinstance(part, tree.Binary) and part.op == "*":
                left, right = self.written(part.left), self.written(part.right)
                remark = f"{left} and {right} must be multiplied as matrices: {left} @ {right}"
                yield self.replace_part(part, f"({left}) @ ({right})", remark)

    def other_products(self) -> Iterator[Correction]:
        """Replace a product of two vectors by the outer one, and a vector by the diagonal matrix of it."""
        if np.ndim(self.points.gradients[0]) != 2:
            return
        for part in self.parts:
            value = self.values[part]
            if isinstance(part, tree.Binary) and part.op in "*@":
                left, right = self.written(part.left), self.written(part.right)
                sizes = [self.part_value(side) for side in (part.left, part.right)]
                if all(size is not None and size.ndim == 1 for size in sizes):
                    yield self.replace_part(part, f"outer({left}, {right})")
            if value is not None and value.ndim == 1 and not isinstance(part, tree.Number):
                yield self.replace_part(part, f"diag({self.written(part)})")

    def other_dimensions(self) -> Iterator[Correction]:
        """Replace the dimension that a method such as ``sum``, or ``np.sum``, is called with."""
        for part in self.parts:
            if not isinstance(part, tree.Call):
                continue
            given = [one.value for one in part.arguments if one.keyword in (None, "dim", "axis")]
            if isinstance(part.function, tree.Attribute) and not self.is_module(part.function.object):
                given.insert(0, part.function.object)
            if len(given) != 2 or not isinstance(given[1], tree.Number):
                continue
            value, over, text = self.part_value(given[0]), given[1].span, self.written(part)
            for dim in range(0 if value is None else value.ndim):
                place, end = over.start - part.span.start, over.end - part.span.start
                yield self.replace_part(part, f"{text[:place]}{dim}{text[end:]}")

    def means(self) -> Iterator[Correction]:
        """Replace a mean by a sum: ``np.mean(dz)``, ``dz.mean(0)``."""
        for part in self.parts:
            if isinstance(part, tree.Call) and isinstance(part.function, (tree.Attribute, tree.Name)):
                text = self.written(part.function)
                if text.rpartition(".")[2] == "mean":
                    yield self.replace_part(part.function, text.removesuffix("mean") + "sum")

    def other_numbers(self) -> Iterator[Correction]:
        """Replace a number by the next one, or by 1."""
        for part in self.parts:
            if isinstance(part, tree.Number):
                for number in dict.fromkeys([1, part.value + 1, part.value - 1]):
                    if number != part.value:
                        yield self.replace_part(part, f"{number:g}")

    def other_indices(self) -> Iterator[Correction]:
        """Replace an index by the one before or after it: ``h[t]`` by ``h[t + 1]``, and back."""
        for part in self.parts:
            if isinstance(part, tree.Subscript) and isinstance(part.index, (tree.Name, tree.Binary)):
                start, end = part.index.span.start - part.span.start, part.index.span.end - part.span.start
                text = self.written(part)
                for step in (1, -1):
                    yield self.replace_part(
                        part, text[:start] + self.moved_index(part.index, step) + text[end:]
                    )

    def moved_index(self, index: tree.Name | tree.Binary, step: int) -> str:
        base: tree.Expression = index
        moved: float = step
        if isinstance(index, tree.Binary) and index.op in "+-" and isinstance(index.right, tree.Number):
            base, moved = index.left, step + int(index.op + "1") * index.right.value
        text = self.written(base)
        return f"{text} {'+' if moved > 0 else '-'} {abs(moved)}" if moved else text

    def overwritten_sums(self) -> Iterator[Correction]:
        """Add in each turn of a loop what a line of it puts in place of the sum before."""
        key = self.written(self.formula.node)
        for one in [] if self.formula.is_expression else simple_statements(self.formula.parsed[:-1]):
            if isinstance(one, tree.Assign) and len(one.targets) == 1 and root_name(one.targets[0]) == key:
                target = self.written(one.targets[0])  # all of it, or entries
                text = f"each turn overwrites {target}: write `{target} += ...`"
                yield self.replace_part(one.value, f"{target} + ({self.written(one.value)})", text)

    def missing_terms(self) -> Iterator[Correction]:
        """Add to a value of the lines another one that they make, as the part of the step before."""
        lines = [] if self.formula.is_expression else simple_statements(self.formula.parsed[:-1])
        made = list(dict.fromkeys(name for one in lines for name in sorted(written_names(one))))
        for one in lines:
            for name in made:
                if name not in written_names(one):
                    text = self.written(one.value)
                    yield self.replace_part(one.value, f"({text}) + {name}", f"the term {name} is missing")

    def missing_dimensions(self) -> Iterator[Correction]:
        """Let a sum or a mean over all entries be one over a dimension: ``np.sum(dz)``, ``dz.sum()``."""
        is_numpy = bool({"np", "numpy"} & self.names[0].keys())
        over, kept = ("axis", "keepdims=True") if is_numpy else ("dim", "keepdim=True")
        for part in self.parts:
            if not isinstance(part, tree.Call) or not isinstance(part.function, (tree.Attribute, tree.Name)):
                continue
            function, keywords = part.function, {one.keyword for one in part.arguments}
            operands = [one.value for one in part.arguments if one.keyword is None]
            if isinstance(function, tree.Attribute) and not self.is_module(function.object):
                operands.insert(0, function.object)
            name = function.id if isinstance(function, tree.Name) else function.name
            if name not in SUMS or len(operands) != 1 or keywords & {"dim", "axis"}:
                continue
            value, text = self.part_value(operands[0]), self.written(part)
            start = text[:-1] + (", " if part.arguments else "")
            for dim in range(0 if value is None else value.ndim):
                yield self.replace_part(part, f"{start}{over}={dim})")
                if not keywords & {"keepdim", "keepdims"}:
                    yield self.replace_part(part, f"{start}{over}={dim}, {kept})")

    def sums(self) -> Iterator[Correction]:
        """Add the sum over dimensions that the gradient does not have, or has with size 1."""
        shape = np.shape(self.points.gradients[0])
        value = self.part_value(self.formula.node)
        if value is None or value.ndim < len(shape):
            return
        text = self.written(self.formula.node)
        if value.ndim == len(shape):
            wide = tuple(at for at, size in enumerate(shape) if size == 1 < value.shape[at])
            if wide and all(value.shape[at] == size for at, size in enumerate(shape) if at not in wide):
                size = value.size // max(int(np.prod(shape)), 1)
                yield self.replace_part(
                    self.formula.node, f"({text}).sum({wide}, keepdim=True)", missing_sum(size)
                )
            return
        for count in range(1, value.ndim + 1):
            for dims in combinations(range(value.ndim), count):
                kept = tuple(n for at, n in enumerate(value.shape) if at not in dims)
                if kept == shape:
                    size = value.size // max(int(np.prod(shape)), 1)
                    over = missing_sum(size)
                    if size == 1:  # the sum changes no value, as after keepdim=True
                        which = f"dimension{'s' if count > 1 else ''} {' and '.join(map(str, dims))}"
                        over = f"its values are right: {which} of size 1 must be removed"
                    yield self.replace_part(self.formula.node, f"({text}).sum({dims})", over)


def factors_of(product: Any) -> list[tuple[Any, str]]:
    """Return the factors and divisors of a product, with * or /."""
    found: list[tuple[Any, str]] = []
    while isinstance(product, tree.Binary) and product.op in ("*", "/"):
        found.append((product.right, product.op))
        product = product.left
    return [(product, "*"), *reversed(found)]


def missing_sum(size: int) -> str:
    return f"the sum over {size} entries is missing: the input is in each of them"


PART_TYPES = (
    *(tree.Name, tree.Number, tree.Unary, tree.Binary, tree.Call, tree.Attribute),
    tree.Subscript,
)
#: The kinds of changes, the most informative first.
CORRECTION_KINDS = (
    *(
        CorrectionSearch.sums,
        CorrectionSearch.flipped_signs,
        CorrectionSearch.missing_numbers,
        CorrectionSearch.dropped_terms,
        CorrectionSearch.other_dimensions,
        CorrectionSearch.missing_dimensions,
        CorrectionSearch.changed_transposes,
        CorrectionSearch.orders,
        CorrectionSearch.other_steps,
    ),
    *(
        CorrectionSearch.symmetric_parts,
        CorrectionSearch.other_products,
        CorrectionSearch.dropped_factors,
        CorrectionSearch.other_pairs,
        CorrectionSearch.other_derivatives,
        CorrectionSearch.powers,
        CorrectionSearch.missing_derivatives,
    ),
    *(CorrectionSearch.missing_names, CorrectionSearch.other_names, CorrectionSearch.other_numbers),
    CorrectionSearch.other_indices,
)
#: The same for steps of several lines, those first that lines of a loop call for.
KINDS_IN_LINES = (
    CorrectionSearch.overwritten_sums,
    CorrectionSearch.flipped_signs,
    CorrectionSearch.other_indices,
    CorrectionSearch.changed_transposes,
    CorrectionSearch.orders,
    CorrectionSearch.other_numbers,
    CorrectionSearch.missing_numbers,
    CorrectionSearch.missing_terms,
    *(kind for kind in CORRECTION_KINDS if kind is not CorrectionSearch.other_derivatives),
)
PAIRED_KINDS = (
    CorrectionSearch.changed_transposes,
    CorrectionSearch.orders,
    CorrectionSearch.other_compound_factors,
)


def are_disjoint(first: Correction, second: Correction) -> bool:
    """Whether two changes do not overlap."""
    return all(a.end <= b.start or b.end <= a.start for a in first.spans for b in second.spans)


def earlier_gradients(formula: Formula, points: SamplePoints) -> dict[str, tuple[str, Node]]:
    """Return the keys of the steps before a step, and what they are gradients by, by names for them."""
    found: dict[str, tuple[str, Node]] = {}
    segments = [] if formula.workings is None or points.is_jacobian else formula.workings.earlier
    inputs = dict(points.subject.wrt)
    for segment, left in segments:
        node = segment.node or inputs.get(left.by[0][0])
        is_other = left.output not in ("", points.subject.name)
        if node is None or left.place is not None or len(left.by) > 1 or is_other:
            continue
        runs = [run for run in points.runs if run.known.get(node, node) in run.subject.cotangents]
        if len(runs) == len(points.runs):
            found[f"earlier_{len(found)}_"] = (segment.key, node)
    return found


def earlier_value(node: Node, run: ScriptRun) -> Any:
    return np.asarray(run.subject.cotangents[run.known.get(node, node)])


def elementwise_derivatives(points: SamplePoints, target: Node) -> list[OpDerivative]:
    """Return the local derivatives of the elementwise ops between output and input that are not 1 or -1."""
    names = points.node_names
    formulas = FormulaSymbols(points)
    found: list[OpDerivative] = []
    way = points.paths_to(target).nodes
    on_way = set(way)
    for node in way:
        if not isinstance(node, OpNode) or not node.op.is_elementwise or is_custom(node.op):
            continue
        for index, below in enumerate(node.inputs):
            if below is None or below not in on_way:
                continue
            values = [derivative_value((node, index), run) for run in points.runs]
            if any(value is None or np.all(np.abs(value) == 1.0) for value in values[:1]):
                continue
            name = f"slope_{len(found)}_"
            symbol = elementwise_derivative_text(node, index, formulas)
            symbol = symbol if has_values(symbol, values, points) else ""
            found.append(OpDerivative(name, names.quotient(node, below), symbol, values, (node, index)))
            if len(found) == MAX_DERIVATIVES:
                return found
    return found


def derivative_value(edge: Edge, run: ScriptRun) -> Any:
    node = run.known[edge[0]]
    assert isinstance(node, OpNode)
    with np.errstate(all="ignore"):
        return elementwise_values(node, edge[1])
