"""Step 4 for tensors: parts of a wide formula get names, so that the numbers of each line fit the page.

A part that would be too wide is cut where its operands are: they become ``A``, ``B``, ... with a line of
their own, which has the numbers of the operand and its value. A line that is still too wide shows the name of
a matrix instead of its entries. So no line is ever broken inside a bracket. What follows may have only names
of parts, whose numbers stand above.
"""

from __future__ import annotations

from string import ascii_uppercase

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.matrix_layout import (
    ROOM,
    ROOM_OF_PART,
    block_of,
    layout,
    side_by_side,
    substitute_entries,
)
from autodiff.core.graph.op import RULE_ERRORS
from autodiff.core.report.records import NumberedPart
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import Expr, expr_text, name_expr, names_in, postorder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

ATOMS = ("number", "name")


class PartNames:
    """The names of the parts of one report: equal parts have one name in all of its derivations.

    ``is_new`` says whether a name is neither in the script nor in the graph.
    """

    def __init__(self, is_new: Callable[[str], bool]) -> None:
        self._names: dict[Expr, str] = {}
        self._free = (name for name in _letters() if is_new(name))

    def name(self, part: Expr) -> str:
        """The name of a part, a new one at its first use."""
        known = self._names.get(part)
        if known is None:
            known = self._names[part] = next(self._free)
        return known


def _letters() -> Iterator[str]:
    """``A`` to ``Z``, then ``A2`` to ``Z2`` and so on, without those that mean something else."""
    number = 1
    while True:
        for letter in ascii_uppercase:
            if letter not in "GIOST":
                yield letter if number == 1 else f"{letter}{number}"
        number += 1


def numbered_parts(
    terms: Sequence[Expr], values: dict[str, Any], names: PartNames
) -> tuple[list[NumberedPart], list[NumberedPart]]:
    """The parts that were named, each before its first use, and the terms in which these names stand.

    ``values`` gets those of the parts of arrays, such as ``X[2]``, that are drawn without the rest.
    """
    writer = _PartWriter(values, names)
    written = [writer.write(term) for term in terms]
    return list(writer.named.values()), written


class _PartWriter:
    """The parts of one sum. ``named`` are those with a name, in order."""

    def __init__(self, values: dict[str, Any], names: PartNames) -> None:
        self.given = values
        self.values = dict(values)
        self.names = names
        self.named: dict[str, NumberedPart] = {}
        # Every part is measured twice at least: by itself, and among the operands of what it is part of.
        self._widths: dict[tuple[Expr, frozenset[str]], int] = {}

    def write(self, term: Expr) -> NumberedPart:
        """The term with names for parts. It is left as it is if it would have no entries of matrices."""
        term = self._with_parts(substitute_entries(term, self.values))
        if (
            not any(_has_bars(self.values.get(spelled)) for spelled in names_in(term))
            or self._width(term, frozenset()) <= ROOM
        ):
            return self._part("", term, frozenset())
        done: dict[int, tuple[Expr, frozenset[str]]] = {}
        known = dict(self.named)
        for expr in postorder(term):
            if expr.args:
                done[id(expr)] = self._shorten(expr, [done[id(arg)] for arg in expr.args])
            else:
                done[id(expr)] = expr, frozenset()
        part = self._part("", *done[id(term)])
        computed = [
            one for spelled in names_in(part.expr) if (one := self.named.get(spelled)) and one.expr.args
        ]
        if any(map(_has_bars, (*part.inserted.values(), *(one.value for one in computed)))):
            return part
        self.named = known  # names without numbers say less than the formula
        return self._part("", term, frozenset(names_in(term)))

    def _with_parts(self, term: Expr) -> Expr:
        """The term with parts of arrays such as ``X[2]`` as names: they are drawn without the rest."""
        done: dict[int, Expr] = {}
        for expr in postorder(term):
            if expr.head == "postfix" and expr.value[0] == "[" and expr.args[0].head == "name":
                whole = self.values.get(expr.args[0].value)
                part = None if whole is None or np.size(whole) == 1 else self._value(expr)
                if part is not None:
                    spelled = expr_text(expr)
                    self.values[spelled] = self.given[spelled] = part
                    done[id(expr)] = name_expr(spelled)
                    continue
            args = tuple(done[id(arg)] for arg in expr.args)
            done[id(expr)] = expr.with_args(args) if args else expr
        return done[id(term)]

    def _shorten(self, expr: Expr, args: list[tuple[Expr, frozenset[str]]]) -> tuple[Expr, frozenset[str]]:
        """The expression, with names for wide operands until it fits; and the matrices not drawn in it."""
        made, hidden = _combined(expr, args)
        order = sorted(range(len(args)), key=lambda at: -self._width(*args[at]))
        for at in order:
            if self._fits(made, hidden):
                return made, hidden
            if not _is_atom(args[at][0]):
                args[at] = self._named(*args[at])
                made, hidden = _combined(expr, args)
        for spelled in sorted(names_in(made), key=lambda one: one not in self.named):
            if self._fits(made, hidden):
                break
            if _has_bars(self.values.get(spelled)):
                hidden |= {spelled}
                if spelled not in self.named:
                    self.named[spelled] = self._part(spelled, name_expr(spelled), frozenset())
        return made, hidden

    def _named(self, part: Expr, hidden: frozenset[str]) -> tuple[Expr, frozenset[str]]:
        """A name instead of the part. A number before it stays, so that its multiples share the name."""
        if part.head == "*" and part.args[0].head == "number" and not _is_atom(part.args[1]):
            made, _ = self._named(part.args[1], hidden)
            return part.with_args((part.args[0], made)), frozenset()
        spelled = self.names.name(part)
        if spelled not in self.named:
            self.values[spelled] = self._value(part)
            self.named[spelled] = self._part(spelled, part, hidden)
        return name_expr(spelled), frozenset()

    def _value(self, part: Expr) -> Any:
        """The value of a part; None for calls that only stand for something, as ``index_put`` does."""
        try:
            return np.asarray(value_of(part, self.values))
        except (*RULE_ERRORS, AutodiffError):
            return None

    def _part(self, spelled: str, expr: Expr, hidden: frozenset[str]) -> NumberedPart:
        known = {one: self.values.get(one) for one in names_in(expr)}
        return NumberedPart(spelled, expr, known, hidden, self.values.get(spelled))

    def _width(self, expr: Expr, hidden: frozenset[str]) -> int:
        width = self._widths.get((expr, hidden))
        if width is None:
            known = {one: self.values.get(one) for one in names_in(expr) if one not in hidden}
            width = self._widths[expr, hidden] = max(map(len, layout(expr, known)))
        return width

    def _fits(self, expr: Expr, hidden: frozenset[str]) -> bool:
        return self._width(expr, hidden) <= ROOM_OF_PART


def _combined(expr: Expr, args: list[tuple[Expr, frozenset[str]]]) -> tuple[Expr, frozenset[str]]:
    hidden: frozenset[str] = frozenset().union(*(names for _, names in args))
    return expr.with_args(tuple(arg for arg, _ in args)), hidden


def _has_bars(value: Any) -> bool:
    """Whether a value is shown by its entries, between bars."""
    return any(line.startswith("|") for line in block_of(value))


def _is_atom(expr: Expr) -> bool:
    """Whether a name would be no shorter: a name, a number, or one of them transposed or negated."""
    while expr.head in ("postfix", "neg"):
        expr = expr.args[0]
    return expr.head in ATOMS


def part_texts(part: NumberedPart) -> list[str]:
    """The definition of a named part in numbers, with its value: beside it, or below if that is too wide.

    >>> x = name_expr("x")
    >>> print(*part_texts(NumberedPart("x", x, {}, frozenset(), np.array([1.0, 2.0]))))
        | 1 |
    x = | 2 |
    """
    left = f"{part.name} = "
    value = block_of(part.value)
    if part.expr == name_expr(part.name):
        whole = side_by_side([[left], value])
        return ["\n".join(whole)] if max(map(len, whole)) <= ROOM else [left.rstrip(), "\n".join(value)]
    defined = side_by_side([[left], formula := layout(part.expr, part.inserted)])
    if not value:
        return ["\n".join(defined)]
    whole = side_by_side([[left], formula, [" = "], value])
    if max(map(len, whole)) <= ROOM:
        return ["\n".join(whole)]
    return ["\n".join(lines) for lines in (defined, side_by_side([["= ".rjust(len(left))], value]))]


def term_text(part: NumberedPart) -> str:
    """A term in numbers, on several lines if there are matrices."""
    return "\n".join(layout(part.expr, part.inserted))
