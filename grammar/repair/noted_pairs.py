"""A note on a loss of all pairs: shapes (n, 1) and (n,) are broadcast to (n, n) where (n,) was meant.

The shapes are those of the run. An axis that is added for it, as in ``x[:, None] - centers``, is intended.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.grammar.help.failure_scene import with_parentheses
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeGuard

    from autodiff.core.base.source import Span
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution

#: Ops that reduce the terms of a loss, and those after which they are still its terms.
REDUCTIONS = ("sum", "mean", "vector_norm")
JOINING = ("add", "sub", "neg", "mul", "div")
DISTANCES = ("pow", "square", "abs")
LOGARITHMS = ("log", "log1p", "log2", "log10", "logsigmoid")
#: Ops that add an axis, and methods that do.
AXIS_MAKERS = ("unsqueeze", "reshape")
AXIS_METHODS = ("unsqueeze", "reshape", "view", "expand_dims")


def notes_on_pairs(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield a note on the first difference or product with a logarithm whose loss adds up all pairs."""
    found = {node.site: node for loss in subject.order for node in pairings(loss)}
    if not found:
        return
    source = execution.source
    script = parse_to_first_error(source)
    for site in sorted([site for site in found if site is not None], key=lambda site: site.start):
        node, written = found[site], operands_at(script, site)
        if written is not None and not is_meant(node, written[column_place(node) or 0]):
            repair = repair_of(execution, node, written)
            count, (line, _) = node.shape[0], source.position(site.start)
            yield (
                f"`{source.excerpt(site)}` in line {line}: a column of {count:,} entries meets a vector of"
                f" {count:,}, so the loss adds up all {count * count:,} pairs" + f"; {repair}" * bool(repair)
            )
            return


def operands_at(script: tree.Script, site: Span) -> list[Any] | None:
    """The two operands of the operator or call at a place; None if there is another expression."""
    node = path_to(script, site)[-1]
    if isinstance(node, tree.Binary):
        return [node.left, node.right]
    given = [one.value for one in node.arguments] if isinstance(node, tree.Call) else []
    return given if len(given) == 2 else None


def is_meant(node: OpNode, column: Any) -> bool:
    """Whether pairs are meant: the expression makes the column itself, or both sides are of the graph.

    Of values of the graph, one that an axis was added to anywhere is meant to be a column.
    """
    is_made_here = isinstance(column, tree.Subscript) or (
        isinstance(column, tree.Call)
        and isinstance(column.function, tree.Attribute)
        and column.function.name in AXIS_METHODS
    )
    before = node.inputs[column_place(node) or 0]
    return is_made_here or (None not in node.inputs and is_made_by(before, AXIS_MAKERS))


def pairings(loss: Node) -> Iterator[OpNode]:
    """Yield the nodes that pair all entries of a column and a vector, in the terms that a loss reduces."""
    if not isinstance(loss, OpNode) or loss.op.name not in REDUCTIONS:
        return
    todo, seen = [loss.inputs[0]], set()
    while todo:
        node = todo.pop()
        if not isinstance(node, OpNode) or len(node.shape) != 2 or node in seen:
            continue
        seen.add(node)
        first, *others = node.inputs
        if is_difference(node) and loss.op.name == "vector_norm":
            yield node
        elif node.op.name in DISTANCES or (node.op.name == "mul" and first in others):
            if is_difference(first):
                yield first
        elif node.op.name == "mul" and any(is_made_by(one, LOGARITHMS) for one in node.inputs):
            if column_place(node) is not None:
                yield node
        elif node.op.name in JOINING:
            todo += node.inputs


def is_made_by(node: Node | None, names: tuple[str, ...]) -> bool:
    return isinstance(node, OpNode) and node.op.name in names


def is_difference(node: Node | None) -> TypeGuard[OpNode]:
    """Whether a node is the difference of a column and a vector that were not made to be paired."""
    return isinstance(node, OpNode) and node.op.name == "sub" and column_place(node) is not None


def column_place(node: OpNode) -> int | None:
    """Which of two operands is a column, where the other is a vector of as many entries; None elsewhere."""
    shapes = [np.shape(operand) for operand in node.operands]
    for at, shape in enumerate(shapes):
        if len(shape) == 2 and shape[1] == 1 < shape[0] and shapes[1 - at] == shape[:1]:
            return at
    return None


def repair_of(execution: Execution, node: OpNode, written: list[Any]) -> str:
    """How to compare entry by entry: the difference mended, or the column made a vector before a product."""
    source, place = execution.source, column_place(node) or 0
    texts = [source.excerpt(part.span) for part in written]
    if node.op.name == "sub":
        texts[place] = f"{with_parentheses(texts[place])}.squeeze(1)"
        right = written[1]
        if place == 0 and isinstance(right, tree.Binary) and right.op in ("+", "-"):
            texts[1] = f"({texts[1]})"
        return f"`{' - '.join(texts)}` compares entry by entry"
    for name in walk(written[place]):  # the logarithms of a loss may all have the same column
        value = execution.names.get(name.id) if isinstance(name, tree.Name) else None
        if isinstance(value, Tensor) and value.shape == (node.shape[0], 1):
            return f"`{name.id} = {name.id}.squeeze(1)` before it compares entry by entry"
    return ""
