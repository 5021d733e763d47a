"""Lints for shapes that broadcast where entry by entry was meant."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.grammar.lints.finding import Lint, Subject, atom, finding
from autodiff.grammar.lints.numerics import applied, operation_of
from autodiff.grammar.lints.shapes import shape_of
from autodiff.grammar.lints.values import Value, ancestors
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


def vector_and_column(subject: Subject) -> Iterator[AutodiffError]:
    losses = [one for event in subject.events("backward") for one in ancestors(event.value)]
    averaged = {id(one.inputs[0]) for one in losses if one.inputs and operation_of(one) in ("mean", "sum")}
    compared = {id(one.inputs[0]) for one in losses if id(one) in averaged and is_distance(one)}
    in_losses = {id(one) for one in losses}
    for node, name, inputs, made in applied(subject, "-", *LOSSES):
        if isinstance(node, tree.AugmentedAssign) or len(inputs) < 2:
            continue  # a change in place keeps the shape
        if inputs[0].requires_grad == inputs[1].requires_grad:
            continue
        if id(made) not in (compared if name == "-" else in_losses):
            continue
        shapes = [shape_of(one) for one in inputs[:2]]
        column = next((at for at, shape in enumerate(shapes) if shape is not None and len(shape) == 2), None)
        if column is None or shapes[1 - column] != (shapes[column] or ())[:1]:
            continue
        count, width = shapes[column] or (0, 0)
        if width != 1 or count < 2:
            continue
        parts = (node.left, node.right) if isinstance(node, tree.Binary) else operands(node)
        part = parts[column] if len(parts) == 2 else None
        fixes = []
        if part is not None:
            text = f"{atom(subject, part)}.squeeze(1)"
            fixes = [Fix("compare entry by entry", Edit(part.span, text))]
        yield finding(
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
