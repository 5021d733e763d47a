"""The gradient of a loop in closed form: ``1000*w**999`` where a loop multiplies by ``w`` a thousand times.

The values that a loop gives to one name are written out as long as they stay short, as ``w**2``, ``w**3`` and
so on. Then the gradient is built as backward builds it, and equal parts are added up.
"""

from __future__ import annotations

from autodiff.core.derivation.path_formula import ELLIPSIS, LONGEST_PATH, PathWriter
from autodiff.core.derivation.whole_formula import FactoredForm, factor_gradient
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.symbolic.expr import ONE, Expr, infix
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.path_sum import Path as Edges

#: A value that is written out has at most so many symbols, and a closed form too.
LARGEST_VALUE, LARGEST_CLOSED = 12, 40
#: In larger graphs no closed form is looked for. Sums take a tenth of the time of products.
MOST_NODES, MOST_OF_SUM = 50_000, 200_000
SUMS = frozenset(["add", "sub"])
#: Of a product of many factors, so many are shown at each end.
ENDS = 4


class NoClosedFormError(Exception):
    """Some value in the loop is long when it is written out."""


class WrittenOutSymbols(OperandSymbols):
    """Operands as expressions, in which the values that one name has had are written out.

    Raises NoClosedFormError if one has more than ``LARGEST_VALUE`` symbols.
    """

    def is_written_out(self, node: Node) -> bool:
        return isinstance(node, OpNode) and (node.name is None or self._names.has_versions(node))

    def _make_symbol(self, node: Node) -> Symbol:
        if not self.is_written_out(node):
            return super()._make_symbol(node)
        assert isinstance(node, OpNode)
        written = None if is_custom(node.op) else self._application(node)
        expr = None if written is None else simplify(written.expr)
        if expr is None or expr.size > LARGEST_VALUE:
            raise NoClosedFormError
        return Symbol(expr, node.shape)


def closed_form(writer: PathWriter, leading: list[Node]) -> FactoredForm | None:
    """The gradient of the last of ``leading``, the numbers between it and the output, newest first.

    None if there are few and no name has several values, or if the form is not short.
    """
    names = writer.names
    is_sum = all(map(is_term, leading))
    is_long = len(leading) > LONGEST_PATH or any(map(names.has_versions, leading))
    if not is_long or len(leading) > (MOST_OF_SUM if is_sum else MOST_NODES):
        return None
    symbols = WrittenOutSymbols(names, writer.formulas.variables, writer.formulas.constants)
    try:
        found = factor_gradient(writer.with_symbols(symbols), leading, True)
    except NoClosedFormError:
        return None
    if found.shared or found.expr.size > LARGEST_CLOSED or symbols.meanings([found.expr]):
        return None
    writer.formulas.values.update(symbols.values)
    return found


def is_term(node: Node) -> bool:
    """Whether a node adds, or multiplies by a plain number, or is an input."""
    return node.op is None or node.op.name in SUMS or (node.op.name == "mul" and None in node.inputs)


def long_product(writer: PathWriter, edges: Edges) -> tuple[Expr, int]:
    """The product of the derivatives along a path of numbers, with dots, and the number of all factors."""
    factors = [factor for edge in edges if (factor := writer.factor(edge, True)) != ONE]
    return product([*factors[:ENDS], ELLIPSIS, *factors[-ENDS:]]), len(factors)


def product(factors: Sequence[Expr]) -> Expr:
    whole = factors[0]
    for factor in factors[1:]:
        whole = infix("*", whole, factor)
    return whole
