"""The line that a wrong step should be where its name goes on from one value's gradient to another's."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.operand_symbols import OperandSymbols
from autodiff.core.symbolic.expr import expr_text, name_expr
from autodiff.core.symbolic.simplify import simplify
from autodiff.core.symbolic.symbol import Symbol, symbolic_vjp
from autodiff.grammar.by_hand.formula import evaluate_formula
from autodiff.grammar.by_hand.local_paths import LocalPaths
from autodiff.grammar.by_hand.sentences import values_equal_in_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.points import SamplePoints

LONGEST_LINE = 100


def expected_line(key: str, before: Node, after: Node, points: SamplePoints) -> str:
    """Return the line by which ``key`` goes on from the gradient at ``before`` to the one at ``after``.

    Return "" unless there is one path between the two and the line was tried at all points.
    """
    paths = LocalPaths(points.subject, after, [before])
    if paths.starts != [before] or paths.count() != 1:
        return ""
    [path] = paths
    symbols = OperandSymbols(points.node_names, None, points.subject.constants)
    g = Symbol(name_expr(key), before.shape)
    for node, index in path:
        g = symbolic_vjp(node, index, g, symbols.symbol(node), symbols.operands(node))
    text = expr_text(simplify(g.expr), None, limits.digits, claims=("(", ")"))
    for names, run in zip(points.names, points.runs, strict=True):
        try:
            value = evaluate_formula(text, {**names, key: Tensor.of(as_stored(run.cotangent(before)))})
        except UsageError:
            return ""
        if not values_equal_in_shape(np.asarray(value), run.cotangent(after)):
            return ""
    return f"{key} = {text}" if len(text) <= LONGEST_LINE else ""
