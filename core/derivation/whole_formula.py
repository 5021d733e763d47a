"""The whole gradient as one expression: the sum over its paths, or a factored form.

The sum says most if there are few paths. The factored form writes shared parts of paths once: it is as long
as the graph, not as the list of its paths. A long part with several users gets a name, ``dL/dz``.
"""

from __future__ import annotations

from autodiff.core.base.limits import limits
from autodiff.core.symbolic.expr import ZERO, Expr, expr_text, infix, name_expr, names_in
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, broadcast_shapes, symbolic_vjp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodiff.core.derivation.path_formula import PathWriter
    from autodiff.core.graph.node import Node
    from autodiff.core.paths.operand_symbols import OperandSymbols

#: The sum over the paths is shown up to LONGEST_SUM symbols, a factored form up to MOST_NAMED_PARTS.
LONGEST_SUM = 400
MOST_NAMED_PARTS = 12
#: A derivative gets a name if it is longer than LONGEST_UNNAMED, or than LONGEST_SHARED and read repeatedly.
LONGEST_SHARED = 12
LONGEST_UNNAMED = 120
#: The meaning of a name is cut after this many characters.
LONGEST_MEANING = 4_000


class Formula:
    """A gradient in normal form.

    ``shown`` is the form that people read, rounded in ``simplified``; it is None if the graph is too large
    for any form. ``where`` has the meanings of invented names as text, ``meanings`` as expressions.
    ``factored`` is a shorter form of a sum, empty if there is none, and ``short`` is its expression.
    ``whole`` is the whole gradient, None if it is not known; ``shared`` are the derivatives it names.
    If ``later`` is set, calling it computes ``whole`` and ``shared``.
    """

    __slots__ = ("factored", "later", "meanings", "shared", "short", "shown", "simplified", "where", "whole")

    def __init__(
        self,
        shown: Expr | None = None,
        short: Expr | None = None,
        meanings: tuple[tuple[str, Expr | str], ...] = (),
        whole: Expr | None = None,
        shared: dict[str, Expr] | None = None,
    ) -> None:
        self.shown = shown
        self.short = short
        self.meanings = meanings
        self.simplified = "" if shown is None else expr_text(shown, None, limits.digits)
        self.factored = "" if short is None else expr_text(short, None, limits.digits)
        self.whole = whole
        self.shared = shared or {}
        self.later: Callable[[], FactoredForm | None] | None = None
        self.where = tuple(
            (
                spelled,
                expr_text(meaning, LONGEST_MEANING, limits.digits) if isinstance(meaning, Expr) else meaning,
            )
            for spelled, meaning in meanings
        )


def sum_contributions(symbols: Sequence[Symbol], node: Node, is_scalar: bool) -> Expr:
    """The sum of the contributions to ``node`` in normal form."""
    if not symbols:
        return ZERO
    exprs = [symbol.expr for symbol in symbols]
    if not is_scalar and node.shape != broadcast_shapes([symbol.extent for symbol in symbols]):
        exprs = [symbol.expanded_expr() for symbol in symbols]
    total = exprs[0]
    for expr in exprs[1:]:
        total = infix("+", total, expr)
    return simplify(total)


def choose_formula(total: Expr | None, short: FactoredForm | None, formulas: OperandSymbols) -> Formula:
    """What to show of the sum over all paths and of the factored form. Either may be missing."""
    extra: Expr | None = None
    shared: dict[str, Expr] = {}
    if total is not None and (total.size <= LONGEST_SUM or short is None):
        shown = total
        if short is not None and short.size < total.size:
            extra, shared = short.expr, short.shared
    elif short is not None and len(short.shared) <= MOST_NAMED_PARTS:
        shown, shared = short.expr, short.shared
    else:
        return Formula() if short is None else Formula(whole=short.expr, shared=short.shared)
    exprs = [shown] if extra is None else [shown, extra]
    return Formula(
        shown,
        extra,
        (*reversed(shared.items()), *formulas.meanings([*exprs, *shared.values()])),
        shown,
        shared,
    )


class FactoredForm:
    """A gradient as backward computes it: ``expr``, and the meanings of the derivatives that it names."""

    __slots__ = ("expr", "shared", "size")

    def __init__(self, expr: Expr, shared: dict[str, Expr]) -> None:
        self.expr = expr
        self.shared = shared
        self.size = expr.size + sum(2 + meaning.size for meaning in shared.values())


def factor_gradient(writer: PathWriter, leading: list[Node], is_scalar: bool) -> FactoredForm:
    """The gradient of the last of ``leading``, the nodes between it and the output, newest first."""
    subject, names, formulas = writer.subject, writer.names, writer.formulas
    received: dict[Node, ReceivedSum] = {subject.root: ReceivedSum()}
    received[subject.root].add((0, 0), writer.start())
    shared: dict[str, Expr] = {}
    useful = set(leading)
    for node in leading[:-1]:
        g = received.pop(node).total()
        readers = [index for index, below in enumerate(node.inputs) if below in useful]
        if (
            g.expr.size > (LONGEST_UNNAMED if len(readers) < 2 else LONGEST_SHARED)
            and node is not subject.root
        ):
            spelled = names.quotient(subject.root, node)
            shared[spelled] = g.expr
            formulas.values[spelled] = subject.cotangents.get(node)
            g = Symbol(name_expr(spelled), g.shape, extent=g.extent, dtype=g.dtype)
        for index in readers:
            below = node.inputs[index]
            assert below is not None
            use = (node.number, index)
            getting = received.setdefault(below, ReceivedSum())
            if is_scalar:
                getting.add(use, Symbol(writer.factor((node, index), True)), g.expr)
            else:
                out, operands = formulas.symbol(node), formulas.operands(node)
                getting.add(use, symbolic_vjp(node, index, g, out, operands))
    target = leading[-1]
    expr = sum_contributions([received[target].total()], target, is_scalar)
    needed: set[str] = set()
    todo = [expr]
    while todo:
        for spelled in names_in(todo.pop()):
            if spelled in shared and spelled not in needed:
                needed.add(spelled)
                todo.append(shared[spelled])
    return FactoredForm(expr, {spelled: meaning for spelled, meaning in shared.items() if spelled in needed})


class ReceivedSum:
    """What a node receives from its users, added up in the order of use."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[tuple[tuple[int, int], Expr | None, Symbol]] = []

    def add(self, use: tuple[int, int], symbol: Symbol, g: Expr | None = None) -> None:
        """Add a symbol, or ``g`` times a number. ``use`` is the number of the user and of its operand."""
        self._parts.append((use, g, symbol))

    def total(self) -> Symbol:
        """The sum in normal form. Factors of the same ``g`` are added up before they are multiplied by it."""
        whole: Symbol | None = None
        factors: dict[Expr, Symbol] = {}
        for _, g, symbol in sorted(self._parts, key=lambda part: part[0]):
            if g is None:
                whole = symbol if whole is None else whole + symbol
            else:
                factors[g] = factors[g] + symbol if g in factors else symbol
        for g, factor in factors.items():
            product = Symbol(infix("*", simplify(factor.expr), g))
            whole = product if whole is None else whole + product
        assert whole is not None
        return Symbol(simplify(whole.expr), whole.shape, extent=whole.extent, dtype=whole.dtype)
