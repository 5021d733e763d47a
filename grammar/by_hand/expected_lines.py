"""The line that a wrong step should be where its name goes on from one value's gradient to another's.

Or the one that is missing before it.
"""

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
from autodiff.grammar.by_hand.points import all_known
from autodiff.grammar.by_hand.running_names import RunningNames
from autodiff.grammar.by_hand.sentences import values_equal_in_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.points import SamplePoints
    from autodiff.grammar.by_hand.runs import ScriptRuns

LONGEST_LINE = 100


def expected_line(key: str, before: Node, after: Node, points: SamplePoints) -> str:
    """Return the line by which ``key`` goes on from the gradient at ``before`` to the one at ``after``.

    Return "" unless there is one path between the two and the line was tried at all points.
    """
    if before.name is not None and is_right_line(
        mask := f"{key}*({before.name} > 0)", key, before, after, points
    ):
        return f"{key} = {mask}"
    paths = LocalPaths(points.subject, after, [before])
    if paths.starts != [before] or paths.count() != 1:
        return ""
    [path] = paths
    symbols = OperandSymbols(points.node_names, None, points.subject.constants)
    g = Symbol(name_expr(key), before.shape)
    for node, index in path:
        g = symbolic_vjp(node, index, g, symbols.symbol(node), symbols.operands(node))
    text = expr_text(simplify(g.expr), None, limits.digits, claims=("(", ")"))
    is_right = len(text) <= LONGEST_LINE and is_right_line(text, key, before, after, points)
    return f"{key} = {text}" if is_right else ""


def expected_step(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return the remark with the line that a step should be which reads one derivative; none if not known."""
    nodes = formula.upstream.nodes(points.subject, runs.first.execution)
    if formula.workings is None or points.node is None or len(nodes) != 1:
        return []
    [(root, node)], [one] = nodes, formula.upstream.found
    if root is not points.subject.root or not one.written.isidentifier():
        return []
    line = expected_line(one.written, node, points.node, points)
    return [f"expected: {formula.workings.segment.key} ={line.partition(' =')[2]}"] if line else []


def is_right_line(text: str, key: str, before: Node, after: Node, points: SamplePoints) -> bool:
    """Whether a text gives the gradient at ``after`` at all points, where ``key`` is that at ``before``."""
    for names, run in zip(points.names, points.runs, strict=True):
        try:
            value = evaluate_formula(text, {**names, key: Tensor.of(as_stored(run.cotangent(before)))})
        except UsageError:
            return False
        if not values_equal_in_shape(np.asarray(value), run.cotangent(after)):
            return False
    return True


def missing_lines(formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return the remark on a step that is right with the gradient of another value in place of one it reads.

    That is of a value from which the one that the name says is computed: a mask is missing before the step.
    """
    if formula.workings is None or points.node is None:
        return []
    names = RunningNames(formula.workings.derivation, runs)
    nodes = formula.upstream.nodes(points.subject, runs.first.execution)
    for at, (one, (root, node, *_)) in enumerate(zip(formula.upstream.found, nodes, strict=True)):
        is_name = one.written.isidentifier() and root is points.subject.root
        below = names.without_names(names.below(node)) if is_name else []
        for after in (other for other in below if other.shape == node.shape):
            try:
                values = [
                    np.asarray(
                        formula.value(
                            {**given, f"gradient_{at}_": Tensor.of(as_stored(run.cotangent(after)))}
                        )
                    )
                    for given, run in zip(points.names, points.runs, strict=True)
                ]
            except UsageError:
                continue
            if all_known(points.compare(values)):
                line = expected_line(one.written, node, after, points)
                return [f"a line is missing before it: {line}"] if line else []
    return []
