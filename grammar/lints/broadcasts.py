"""Lints for shapes that broadcast where entry by entry was meant."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.grammar.interpret.script_kind import is_plain
from autodiff.grammar.lints.finding import Lint, Subject, atom, finding
from autodiff.grammar.lints.numerics import operation_of
from autodiff.grammar.lints.shapes import shape_of
from autodiff.grammar.lints.values import Value, ancestors
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

AXIS_METHODS = ("reshape", "view", "unsqueeze", "expand_dims")
REDUCTIONS = ("mean", "sum")
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def vector_and_column(subject: Subject) -> Iterator[AutodiffError]:
    is_numpy = is_plain(subject.names)
    if is_numpy and not any(f"{name}(" in subject.source.text for name in REDUCTIONS):
        return
    seen: set[int] = set()
    losses = {id(one): one for root in roots_of(subject, is_numpy) for one in ancestors(root, seen=seen)}
    averaged = {
        id(one.inputs[0]) for one in losses.values() if one.inputs and operation_of(one) in REDUCTIONS
    }
    compared = {id(losses[at].inputs[0]) for at in averaged if at in losses and is_distance(losses[at])}
    found: dict[int, AutodiffError] = {}
    for at, made in losses.items():
        is_difference = isinstance(made.node, tree.Binary) and made.node.op == "-" and at in compared
        inputs = made.inputs[:2] if is_difference or operation_of(made) in LOSSES else ()
        if len(inputs) < 2 or (not is_numpy and inputs[0].requires_grad == inputs[1].requires_grad):
            continue
        column = column_of(inputs)
        if column is not None and not (is_numpy and adds_axis(made.node, inputs[column])):
            found.setdefault(made.node.span.start, mismatch(subject, made.node, column, inputs))
    yield from (found[start] for start in sorted(found))


def roots_of(subject: Subject, is_numpy: bool) -> list[Value]:
    """The values whose parts are losses: outputs of backward(), in a script of numpy what is assigned."""
    return [event.value for event in subject.events("bind" if is_numpy else "backward")]


def column_of(inputs: Sequence[Value]) -> int | None:
    """Which of two operands is a column, where the other is a vector of as many entries; None elsewhere."""
    shapes = [shape_of(one) for one in inputs]
    for at, shape in enumerate(shapes):
        if shape is not None and len(shape) == 2 and shape[1] == 1 < shape[0] and shapes[1 - at] == shape[:1]:
            return at
    return None


def adds_axis(node: Any, column: Value) -> bool:
    """Whether the expression itself makes the column, so that all pairs are meant."""
    made = column.node
    return operation_of(column) in AXIS_METHODS and node.span.start <= made.span.start < node.span.end


def mismatch(subject: Subject, node: Any, column: int, inputs: Sequence[Value]) -> AutodiffError:
    """The finding for a difference or a loss of a column and a vector."""
    count = (shape_of(inputs[column]) or ())[0]
    parts = (node.left, node.right) if isinstance(node, tree.Binary) else operands(node)
    fixes = []
    if len(parts) == 2:
        text = f"{atom(subject, parts[column])}.squeeze(1)"
        fixes = [Fix("compare entry by entry", Edit(parts[column].span, text))]
    return finding(
        node.span,
        f"a vector of {count} entries meets a column of {count}: the result is {count} x {count}",
        "the loss adds up all pairs, not the entries that belong together",
        fixes=fixes,
    )


def is_distance(value: Value) -> bool:
    """Whether a value is the square or the size of its first input."""
    return bool(value.inputs) and (
        (isinstance(value.node, tree.Binary) and value.node.op == "**")
        or operation_of(value) in ("square", "pow", "abs")
    )


def operands(call: tree.Call) -> list[tree.Expression]:
    """The first two arguments of a loss, where both are given by position."""
    return [one.value for one in call.arguments[:2] if one.keyword is None and not one.star]


LINTS = (
    Lint(
        "L059",
        "A loss compares a vector with a column.",
        "Shapes (n,) and (n, 1) broadcast to (n, n), so every entry is compared with every other one.",
        vector_and_column,
        "w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\ntarget = torch.ones(3, 1)\n"
        "L = ((w * 2 - target) ** 2).mean()\nL.backward()\nprint(w.grad)\n",
    ),
)
