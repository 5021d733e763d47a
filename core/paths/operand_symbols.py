"""Operands as expressions in formulas: variables by name, constants, and unnamed results written out."""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.op import RULE_ERRORS
from autodiff.core.paths.node_names import NodeNames, is_unnamed_constant, short_constant
from autodiff.core.symbolic.expr import Expr, call, expr_text, name_expr, names_in, number_expr
from autodiff.core.symbolic.literals import ArrayText, source_expr_of_constant
from autodiff.core.symbolic.named_constants import MAX_SOURCE_LENGTH, NamedConstants
from autodiff.core.symbolic.symbol import (
    CustomCallName,
    Shape,
    Symbol,
    as_symbol,
    custom_result,
    dtype_of_value,
    is_custom,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

VARIABLE_END = re.compile(r"[.\[]")  # ends the variable's name in net.weight or params[0]
LONGEST_OPERAND = 60


class NoExpressionError(Exception):
    """There is no such expression. ``part`` is the part without one, empty if the text would be too long."""

    def __init__(self, part: str = "") -> None:
        super().__init__(part)
        self.part = part


def is_uniform(value: Any) -> bool:
    """Whether all entries of an array of floats are one number, as is common in cotangents made from a 1."""
    return bool(value.size) and value.dtype.kind == "f" and bool((value == value.flat[0]).all())


def custom_call_node(node: OpNode) -> OpNode:
    """The node with the operands: the call for an output of a custom function, else the node itself."""
    if not is_custom(node.op):
        return node
    from autodiff.core.engine.custom_call import (
        call_node_and_output,  # here: most scripts define no such function
    )

    whole, _ = call_node_and_output(node)
    assert isinstance(whole, OpNode)
    return whole


def op_symbol(node: OpNode, operands: tuple[Symbol, ...]) -> Symbol | None:
    """The op of a node applied to the symbols of its operands; None where it has no expression."""
    if is_custom(node.op):
        from autodiff.core.engine.custom_call import call_node_and_output

        made = call(CustomCallName(f"{node.op.name}.apply", node), *(x.expr for x in operands))
        whole, position = call_node_and_output(node)
        return Symbol(made if whole is node else custom_result(made, position), node.shape)
    try:
        written = node.op(*operands, **node.params)
    except RULE_ERRORS:
        return None
    return written if written.__class__ is Symbol else None


class OperandSymbols:
    """The symbols of operands in formulas: names, numbers, and unnamed results written out.

    ``variables`` are the names that generated programs can use, None for all. ``constants`` are the script's
    names for constants, with their values. ``values`` has the value of every name used so far, and ``where``
    the meaning of the invented names.
    """

    def __init__(
        self,
        names: NodeNames,
        variables: Mapping[str, Node | None] | None = None,
        constants: Mapping[str, Any] | None = None,
    ) -> None:
        self._names = names
        self.constants = constants or {}
        self._named_constants = NamedConstants(self.constants)
        self.variables = variables
        self._symbols: dict[Node, Symbol] = {}
        self.values: dict[str, Any] = {}
        self._meanings: dict[str, str | Expr] = {}
        self._hidden_nodes: dict[str, Node] = {}  # nodes of names that a program cannot use
        self._results: dict[str, OpNode] = {}  # results that programs find under these names
        self._abbreviations: dict[Node, str] = {}

    def operands(self, node: Node) -> tuple[Symbol, ...]:
        """The symbols of the operands of a node."""
        return tuple(
            self._operand(node, index, below, value)
            for index, (below, value) in enumerate(zip(node.inputs, node.operands, strict=True))
        )

    def _operand(self, node: Node, index: int, below: Node | None, value: Any) -> Symbol:
        named = self.named_constant(node, index) if is_unnamed_constant(below) else None
        if named is None:
            return as_symbol(value) if below is None else self.symbol(below)
        self.values.update((name, self.constants[name]) for name in names_in(named))
        shape = () if value.__class__ is float else np.shape(value)
        return Symbol(named, shape, dtype=dtype_of_value(value))

    def named_constant(self, node: Node, index: int) -> Expr | None:
        """The expression of a constant operand if the script writes it with names, else None."""
        if node.site is None:
            return self._constant_of_rule(node, index)
        return self._named_constants.of_node(node, index, self._names.source)

    def _constant_of_rule(self, node: Node, index: int) -> Expr | None:
        """The same in a recorded pass, where the rule of an op of the script has taken over its constant."""
        origins, taken = self._names.origins, node.operands[index]
        origin = None if origins is None else origins.of(node)
        if origins is None or origin is None or np.size(taken) != 1:
            return None
        if abs(taken) in (0, 1):  # 1/c and c are equal at 1
            return None
        # The constant factor of the output arrives at the op above it, as in 2*pi*sqrt(x).
        for one in (origin, *origins.users(origin)):
            for at, (below, value) in enumerate(zip(one.inputs, one.operands, strict=True)):
                if is_unnamed_constant(below) and np.size(value) == 1 and value == taken:
                    return self.named_constant(one, at)
        return None

    def symbol(self, root: Node) -> Symbol:
        """The symbol of the value of a node."""
        stack = [root]
        while stack:
            node = stack[-1]
            if node in self._symbols:
                stack.pop()
                continue
            if isinstance(node, OpNode) and self.is_written_out(node):
                missing = [
                    x
                    for x in node.inputs
                    if x is not None and x not in self._symbols and not is_unnamed_constant(x)
                ]
                if missing:
                    stack.extend(missing)
                    continue
            self._symbols[stack.pop()] = self._make_symbol(node)
        return self._symbols[root]

    def is_written_out(self, node: Node) -> bool:
        """Whether the result of an op is shown as its expression, not as a name."""
        return node.name is None

    def _make_symbol(self, node: Node) -> Symbol:
        shape = node.shape
        if not self.is_written_out(node):
            return self._name_symbol(self._names[node], node, shape)
        if not isinstance(node, OpNode):
            if node.out is not None and not node.tracked and node.out.__class__ is float:
                return Symbol(number_expr(node.out))
            if node.out is not None and not node.tracked and node.out.size == 1:
                return Symbol(number_expr(node.out.item()), shape, extent=())
            if not node.tracked and node.out is not None and is_uniform(node.out):
                return Symbol(number_expr(node.out.flat[0].item()), shape, extent=())
            if isinstance(node, Leaf) and not node.tracked and node.out is not None:
                return self._invent(node, shape, self._constant(node))
            return self._invent(node, shape, self._names[node])
        written = self._application(node)
        if (
            written is None
            or written.expr.size > LONGEST_OPERAND
            or len(expr_text(written.expr)) > LONGEST_OPERAND
        ):
            return self._invent(node, shape, self._names[node] if written is None else written.expr)
        return written.reshaped(shape, written.extent if written.shape == shape else None)

    def _constant(self, leaf: Leaf) -> Expr:
        """The expression of an unnamed constant: its source text if that can be computed, or its values."""
        if leaf.site is not None and leaf.site.end - leaf.site.start <= MAX_SOURCE_LENGTH:
            spelled = self._names.source.excerpt(leaf.site)
            found = source_expr_of_constant(spelled, leaf.out, self._names.values)
            if found is not None:
                return found
        shown = short_constant(leaf)
        if "..." in shown:
            shown += self._names.place_suffix(leaf)
        return name_expr(ArrayText(shown, leaf.out))

    def _application(self, node: OpNode) -> Symbol | None:
        return op_symbol(node, self.operands(custom_call_node(node)))

    def contains(self, node: Node) -> bool:
        """Whether the node belongs to the graph of these formulas."""
        return node in self._names.of

    def is_free(self, spelled: str) -> bool:
        """Whether no value of the graph and no constant has this name."""
        return self._names.is_free(spelled) and spelled not in self.constants

    def definition(self, spelled: str) -> Expr | None:
        """The expression behind a name that programs cannot use; None for a variable.

        Errors: UnwrittenError if it is the result of an op without an expression.
        """
        meaning = self._meanings.get(spelled)
        node = self._hidden_nodes.get(spelled)
        if isinstance(meaning, Expr) or node is None:
            return meaning if isinstance(meaning, Expr) else None
        if not isinstance(node, OpNode):
            return as_symbol(node.out).expr
        written = self._application(node)
        if written is None:
            raise NoExpressionError(node.op.name)
        return written.expr

    def result(self, spelled: str) -> Expr | None:
        """The expression that computes the variable of this name; None if it is an input.

        Raises NoExpressionError if it has none, or if a program cannot compute it again from the inputs: it
        comes from a function that the script defines, or from a value that an input had before.
        """
        node = self._results.get(spelled)
        if node is None:
            if isinstance(self._hidden_nodes.get(spelled), Leaf):
                raise NoExpressionError(spelled)
            return None
        written = None if is_custom(node.op) else self._application(node)
        if written is None:
            raise NoExpressionError(node.op.name)
        return written.expr

    def _name_symbol(self, spelled: str, node: Node, shape: Shape) -> Symbol:
        self.values[spelled] = node.out
        if node.name is None or self._names.has_versions(node) or not self._is_variable(node, node.name):
            self._hidden_nodes[spelled] = node
        elif isinstance(node, OpNode):
            self._results[spelled] = node
        return Symbol(name_expr(spelled), shape, dtype=dtype_of_value(node.out))

    def _is_variable(self, node: Node, spelled: str) -> bool:
        """Whether a program finds the value under this name; results must not have been reassigned since."""
        if self.variables is None:
            return True
        base = VARIABLE_END.split(spelled)[0]
        is_kept = not isinstance(node, OpNode) or base != spelled or self.variables.get(base) is node
        return base in self.variables and is_kept

    def _invent(self, node: Node, shape: Shape, meaning: str | Expr) -> Symbol:
        spelled = self._names.of[node] if node in self._names.called else self._names.short_name(node)
        self._meanings[spelled] = meaning
        return self._name_symbol(spelled, node, shape)

    def abbreviation(self, node: Node) -> str:
        """An invented name for an unnamed result that a formula would repeat."""
        known = self._abbreviations.get(node)
        if known is None:
            expr = self.symbol(node).expr
            if expr.value not in self._meanings:
                expr = self._invent(node, node.shape, expr).expr
            known = self._abbreviations[node] = expr.value
        return known

    def where(self, exprs: Iterable[Expr]) -> tuple[tuple[str, str], ...]:
        """The meanings, as text, of all invented names in the expressions and in these meanings."""
        return tuple(
            (spelled, expr_text(meaning, 400, limits.digits) if isinstance(meaning, Expr) else meaning)
            for spelled, meaning in self.meanings(exprs)
        )

    def meanings(self, exprs: Iterable[Expr]) -> tuple[tuple[str, Expr | str], ...]:
        """As ``where``, with an expression instead of text where there is one."""
        needed: dict[str, None] = {}
        todo = list(self._invented_in(exprs))
        while todo:
            spelled = todo.pop()
            if spelled in needed:
                continue
            needed[spelled] = None
            meaning = self._meanings[spelled]
            if isinstance(meaning, Expr):
                todo.extend(self._invented_in([meaning]))
        return tuple((spelled, meaning) for spelled, meaning in self._meanings.items() if spelled in needed)

    def _invented_in(self, exprs: Iterable[Expr]) -> Iterator[str]:
        for expr in exprs:
            for spelled in names_in(expr):
                if spelled in self._meanings:
                    yield spelled
