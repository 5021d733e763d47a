"""One entry of a tensor gradient, derived with the index sums written out.

The rules of the backward pass are applied to tables of expressions (``entry_symbols``) for one entry:
``dL/dW[0,1] = X[0,0]*G[0,1] + X[1,0]*G[1,1]``. Long intermediate parts get a name: an entry of a gradient
``dL/dz[0,1]`` or of a value ``t1[0,1]``. The result of an op without a spelling gets a name too.
"""

from __future__ import annotations

import re
from functools import partial

from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.derivation.entry_symbols import NO_VALUE_ERRORS, EntryTable, UnspelledError, spelled_place
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames, bracketed, is_unnamed_constant
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.paths.use_contributions import deviation
from autodiff.core.report.entry_records import EntryDerivation, EntryStep
from autodiff.core.report.records import ReportedPass, StandaloneFormula
from autodiff.core.symbolic.evaluate import value_of
from autodiff.core.symbolic.expr import (
    ONE,
    ZERO,
    Expr,
    expand_names,
    expr_text,
    infix,
    name_expr,
    names_in,
    number_expr,
    postorder,
    substitute,
)
from autodiff.core.symbolic.simplify import simplify, summands
from autodiff.core.symbolic.sum_text import written_sum
from autodiff.core.symbolic.symbol import dtype_of_value, is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Place = tuple[int, ...]

CALL_START = re.compile(r"[^\W\d][\w.]*[(\[]")
#: Entries of values and of gradients with more symbols than these get a name.
LONGEST_VALUE = 16
LONGEST_GRADIENT = 40
#: After this many nodes, an entry of a gradient becomes a name, whose meaning is written later.
DEEPEST = 30
#: At most this many symbols are built for one answer, and at most this many names are explained.
MOST_SYMBOLS = 60_000
MOST_MEANINGS = 500
#: Formulas of more symbols are not written out for programs.
LONGEST_FORMULA = 1_000_000
#: The chain rule is written with at most this many steps.
MOST_STEPS = 64


class TooLongError(Exception):
    """The answer needs too many entries to be readable."""


class EntryWriter:
    """Derives entries of the gradients of one backward pass."""

    def __init__(self, subject: ReportedPass, names: NodeNames, formulas: OperandSymbols) -> None:
        self.subject = subject
        self.names = names
        self.formulas = formulas
        self.is_weighted = subject.weight is not None or np.size(subject.seed) != 1
        self.output = "S" if self.is_weighted else names[subject.root]

    def derive(
        self, node: Node, spelled: str, place: Place, from_tensor: Callable[[], tuple[str, str]]
    ) -> EntryDerivation:
        """The derivation of the entry at ``place`` of the gradient of ``node``.

        ``from_tensor`` writes the entry as an entry of the whole gradient, if it has no formula of its own.
        """
        run = _EntryDerivation(self, node)
        above, below = bracketed(self.output), bracketed(spelled) + spelled_place(place)
        backward = _gradient_number(self.subject, node, place)
        try:
            expr = simplify(run.gradient(node, place))
            run.complete_meanings()
            steps = run.steps(node, place)
        except TooLongError:
            complete = StandaloneFormula(from_tensor)
            return EntryDerivation(place, above, below, backward, backward, {}, complete=complete)
        whole = run.expand_gradients(expr)
        value = backward if whole is None else float(value_of(whole, run.values))
        own = whole if value == value or backward != backward else None  # None at a gap of the formula
        where = [
            (name_of, written_sum(summands(meaning), limits.digits))
            for name_of, meaning in run.named_gradients(expr)
        ]
        terms = summands(expr)
        return EntryDerivation(
            place,
            above,
            below,
            value=value,
            backward=backward,
            difference=None if whole is None else deviation(value, backward),
            formula=written_sum(terms, limits.digits),
            numbers=tuple(map(run.numbers, terms)),
            contributions=tuple(float(value_of(term, run.values)) for term in terms),
            complete=StandaloneFormula(
                from_tensor if own is None else lambda: run.complete(own) or from_tensor()
            ),
            expr=expr,
            steps=steps,
            where=(*where, *run.formulas.where(map(name_expr, run.mentioned_tensors(expr)))),
            meanings=(
                *run.named_gradients(expr),
                *run.formulas.meanings(map(name_expr, run.mentioned_tensors(expr))),
            ),
            unspelled=tuple(run.unspelled.items()),
            values=run.values,
        )


class _EntryDerivation:
    """The state of one entry's derivation. ``values`` has the number for every name used."""

    def __init__(self, writer: EntryWriter, target: Node) -> None:
        self.subject = writer.subject
        self.names = writer.names
        self.formulas = writer.formulas
        self.is_weighted = writer.is_weighted
        self.output = writer.output
        self.target = target
        self.order = nodes_leading_to(self.subject.order, [target])
        self.useful = set(self.order)
        self.users: dict[Node, list[tuple[OpNode, int]]] = {}
        for user in reversed(self.order):
            for index, below in enumerate(user.inputs):
                if below in self.useful and below is not None and isinstance(user, OpNode):
                    self.users.setdefault(below, []).append((user, index))
        self.values: dict[str, float] = {}
        #: The positions of the named entries of values.
        self.places: dict[str, tuple[Node, Place]] = {}
        self.unspelled: dict[str, str] = {}
        #: The meanings of names. The meaning of a gradient is filled in by ``complete_meanings``.
        self.meanings: dict[str, Expr] = {}
        self._deferred: list[tuple[str, Node, Place]] = []
        self._tensor_names: dict[str, str] = {}  # the invented name of the tensor, by entry
        self._value_tables: dict[Node, EntryTable] = {}
        self._gradient_tables: dict[Node, EntryTable] = {}
        self._depth = 0
        self._symbols_left = MOST_SYMBOLS

    # -- values ---------------------------------------------------------------------------------------------

    def value(self, node: Node) -> EntryTable:
        """The value of a node, entry by entry: by its name, as a number, or written out."""
        known = self._value_tables.get(node)
        if known is None:
            known = self._value_tables[node] = self._make_value_table(node)
        return known

    def _make_value_table(self, node: Node) -> EntryTable:
        shape, dtype = node.shape, dtype_of_value(node.out)
        if node.name is None and not isinstance(node, OpNode) and not node.tracked:
            return EntryTable(shape, lambda place: number_expr(_number(node, place)), dtype)
        if node.name is not None or not isinstance(node, OpNode):
            return EntryTable(shape, lambda place: self.named(self.names[node], node, place), dtype)
        try:
            made = node.op(*self.operands(node), **node.params)
        except (UnspelledError, *NO_VALUE_ERRORS):
            return EntryTable(
                shape, lambda place: self.named(bracketed_unless_call(self.names[node]), node, place), dtype
            )

        def give(place: Place) -> Expr:
            expr = simplify(made.entry(place))
            if expr.size <= LONGEST_VALUE:
                return expr
            table = self.formulas.abbreviation(node)
            entry = self.named(table, node, place)
            self._tensor_names[entry.value] = table
            return entry

        return EntryTable(shape, give, dtype)

    def operands(self, node: OpNode) -> tuple[Any, ...]:
        """The operands of a node; constants that the script does not write with names as they are."""
        found: list[Any] = []
        for index, (below, value) in enumerate(zip(node.inputs, node.operands, strict=True)):
            named = self.formulas.named_constant(node, index) if is_unnamed_constant(below) else None
            if named is not None and self.is_entrywise(named, np.shape(value)):
                found.append(EntryTable(np.shape(value), partial(self.constant_entry, named)))
            else:
                found.append(value if below is None else self.value(below))
        return tuple(found)

    def is_entrywise(self, expr: Expr, shape: Place) -> bool:
        """Whether each entry of an expression of constants is the same expression of their entries."""
        heads = {part.head for part in postorder(expr)}
        shapes = {np.shape(self.formulas.constants[name]) for name in names_in(expr)}
        return heads.isdisjoint(["call", "postfix", "@"]) and shapes <= {(), shape}

    def constant_entry(self, expr: Expr, place: Place) -> Expr:
        """The entry of an expression of constants; their values are those of names from here on."""
        entries = {}
        for name in names_in(expr):
            value = np.asarray(self.formulas.constants[name])
            spelled = name + spelled_place(place) if value.ndim else name
            self.values[spelled] = float(value[place] if value.ndim else value)
            entries[name] = name_expr(spelled)
        return substitute(expr, entries)

    def named(self, spelled: str, node: Node, place: Place) -> Expr:
        entry = spelled + spelled_place(place)
        self.values[entry] = _number(node, place)
        self.places[entry] = (node, place)
        return name_expr(entry)

    # -- gradients ------------------------------------------------------------------------------------------

    def gradient(self, node: Node, place: Place) -> Expr:
        """An entry of the gradient that a node receives, written out across at least one op."""
        return self.received(node).entry(place)

    def received(self, node: Node) -> EntryTable:
        """The gradient that a node receives."""
        known = self._gradient_tables.get(node)
        if known is None:
            known = self._gradient_tables[node] = self._make_gradient_table(node)
        return known

    def _make_gradient_table(self, node: Node) -> EntryTable:
        shape, dtype = node.shape, dtype_of_value(node.out)
        if node is self.subject.root:
            if not self.is_weighted:
                return EntryTable(shape, lambda place: ONE, dtype)
            return EntryTable(shape, self._weight, dtype)
        return EntryTable(shape, lambda place: self._sum_over_users(node, place), dtype)

    def _weight(self, place: Place) -> Expr:
        entry = incoming.letter + spelled_place(place)
        self.values[entry] = float(np.asarray(self.subject.seed)[place])
        return name_expr(entry)

    def _sum_over_users(self, node: Node, place: Place) -> Expr:
        try:
            parts = [self.edge_table(user, index).entry(place) for user, index in self.users.get(node, ())]
        except UnspelledError as error:
            entry = self.gradient_name(node, place)
            self.unspelled[entry.value] = error.op
            return entry
        total = parts[0] if parts else ZERO
        for part in parts[1:]:
            total = infix("+", total, part)
        self._symbols_left -= total.size
        if self._symbols_left < 0:
            raise TooLongError
        return total

    def edge_table(self, user: OpNode, index: int, g: EntryTable | None = None) -> EntryTable:
        """What an operand receives through one edge. ``g`` is the gradient of the user."""
        if g is None:
            g = EntryTable(user.shape, lambda place: self.short(user, place), dtype_of_value(user.out))
        if is_custom(user.op):
            raise UnspelledError(user.op.name)
        try:
            made = user.op.contribution(index, g, self.value(user), self.operands(user), user.params)
            below = user.inputs[index]
            assert below is not None
            if made.__class__ is not EntryTable:
                raise UnspelledError(user.op.name)
            if made.shape != below.shape:
                made = OPS["sum_to"](made, shape=below.shape)
        except NO_VALUE_ERRORS:
            raise UnspelledError(user.op.name) from None
        assert isinstance(made, EntryTable)
        return made

    def short(self, node: Node, place: Place) -> Expr:
        """An entry of an intermediate gradient: written out, or a name if that is long or far away."""
        if node is self.subject.root:
            return self.gradient(node, place)
        if self._depth >= DEEPEST:
            return self.defer_gradient(node, place)
        self._depth += 1
        try:
            expr = simplify(self.gradient(node, place))
        finally:
            self._depth -= 1
        return expr if expr.size <= LONGEST_GRADIENT else self.defer_gradient(node, place)

    def defer_gradient(self, node: Node, place: Place) -> Expr:
        entry = self.gradient_name(node, place)
        if entry.value not in self.meanings:
            self.meanings[entry.value] = ZERO  # replaced in explain
            self._deferred.append((entry.value, node, place))
        return entry

    def gradient_name(self, node: Node, place: Place) -> Expr:
        entry = f"d{bracketed(self.output)}/d{bracketed(self.names[node])}{spelled_place(place)}"
        self.values[entry] = _gradient_number(self.subject, node, place)
        return name_expr(entry)

    def complete_meanings(self) -> None:
        """Compute the meanings of named gradients, and of the names in these meanings."""
        at = 0
        while at < len(self._deferred):
            if at > MOST_MEANINGS:
                raise TooLongError
            entry, node, place = self._deferred[at]
            self.meanings[entry] = simplify(self.gradient(node, place))
            at += 1

    # -- the chain rule -------------------------------------------------------------------------------------

    def steps(self, node: Node, place: Place) -> tuple[EntryStep, ...]:
        """The chain rule for the entry: every entry of a user that depends on it, with the derivative.

        Empty if an op on the way has no spelling, or if there are too many steps.
        """
        found: dict[tuple[Node, Place], Expr] = {}
        for user, index in self.users.get(node, ()):
            marks: dict[str, Place] = {}

            def mark(at: Place, marks: dict[str, Place] = marks) -> Expr:
                spelled = f"?{spelled_place(at)}"
                marks[spelled] = at
                return name_expr(spelled)

            try:
                expr = self.edge_table(
                    user, index, EntryTable(user.shape, mark, dtype_of_value(user.out))
                ).entry(place)
            except UnspelledError:
                return ()
            reached = names_in(expr)
            for spelled in [mark_ for mark_ in marks if mark_ in reached]:
                if len(found) >= MOST_STEPS:
                    return ()
                if self.short(user, marks[spelled]) == ZERO:
                    continue
                ones = {other: ONE if other == spelled else ZERO for other in marks}
                local = simplify(substitute(expr, ones))
                key = (user, marks[spelled])
                found[key] = simplify(infix("+", found[key], local)) if key in found else local
        return tuple(self._step(user, at, local) for (user, at), local in found.items())

    def _step(self, user: Node, at: Place, local: Expr) -> EntryStep:
        entry = bracketed(self.names[user]) + spelled_place(at)
        expansion = ""
        if isinstance(user, OpNode):
            try:
                made = user.op(*self.operands(user), **user.params).entry(at)
                expansion = written_sum(summands(simplify(made)), limits.digits)
            except (UnspelledError, *NO_VALUE_ERRORS):
                expansion = ""
        return EntryStep(
            entry,
            expansion,
            expr_text(local, None, limits.digits),
            float(value_of(local, self.values)),
            _gradient_number(self.subject, user, at),
        )

    # -- texts ----------------------------------------------------------------------------------------------

    def named_gradients(self, root: Expr) -> list[tuple[str, Expr]]:
        """The named gradients in an expression with their meanings, and those in the meanings."""
        found: dict[str, Expr] = {}
        todo = [root]
        while todo:
            for spelled in names_in(todo.pop(0)):
                if spelled in self.meanings and spelled not in found:
                    found[spelled] = self.meanings[spelled]
                    todo.append(self.meanings[spelled])
        return list(found.items())

    def mentioned_tensors(self, root: Expr) -> list[str]:
        """The invented names of tensors whose entries occur in an expression or in the meanings."""
        exprs = [root, *(meaning for _, meaning in self.named_gradients(root))]
        return list(
            dict.fromkeys(
                self._tensor_names[s] for expr in exprs for s in names_in(expr) if s in self._tensor_names
            )
        )

    def expand_gradients(self, expr: Expr) -> Expr | None:
        """The expression without the names of gradients; None if it is too long."""
        whole = expand_names(expr, self.meanings)
        return whole if whole.size <= LONGEST_FORMULA else None

    def complete(self, whole: Expr) -> tuple[str, str] | None:
        """The formula for programs; None if a part of it has no expression entry by entry."""
        from autodiff.core.derivation.standalone_formula import (
            write_entry_formula,  # here: most readers want the short form
        )

        return None if self.unspelled else write_entry_formula(whole, self.places, self.values, self.formulas)

    def numbers(self, term: Expr) -> str:
        rounded = {s: number_expr(float(f"{self.values[s]:.{limits.digits}g}")) for s in names_in(term)}
        return expr_text(substitute(term, rounded), None, limits.digits)


def bracketed_unless_call(spelled: str) -> str:
    """A source text in front of an index. A call needs no brackets."""
    return spelled if is_call(spelled) else bracketed(spelled)


def is_call(spelled: str) -> bool:
    """Whether a text is a single call or indexing and nothing else.

    >>> [is_call(text) for text in ("torch.exp(x)", "x[0]", "f(x)*(y)", "a - b", "x*y (line 3)")]
    [True, True, False, False, False]
    """
    head = CALL_START.match(spelled)
    depth = 0
    for at, character in enumerate(spelled):
        depth += (character in "([") - (character in ")]")
        if head is not None and at >= head.end() - 1 and not depth:
            return at == len(spelled) - 1
    return False


def _number(node: Node, place: Place) -> float:
    return float(np.asarray(node.out)[place])


def _gradient_number(subject: ReportedPass, node: Node, place: Place) -> float:
    g = subject.cotangents.get(node)
    return 0.0 if g is None else float(np.asarray(g)[place])
