"""Errors for saved values that a backward pass cannot use: freed by an earlier pass, or changed in place.

These checks run only if the node has a mark or an operand of it was overwritten.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import InPlaceChange, OpNode

#: Ops whose second parameter sorts after ``self`` alphabetically, unlike ``other`` and ``mat2``.
SELF_FIRST = frozenset(["dot", "mv"])

ALREADY_FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have"
    " already been freed). Saved intermediate values of the graph are freed when you call .backward() or"
    " autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time"
    " or if you need to access saved tensors after calling backward."
)


def check_saved_values(node: OpNode) -> None:
    """Raise GradientError if a value that ``node`` saved was freed or changed in place."""
    mark = node.status
    if mark is not None and mark.freed and (node.op.saves_params or node.reads()):
        error = GradientError(
            ALREADY_FREED,
            code="E0402",
            caret="an earlier backward() has used this graph up",
        )
        error.repair_context = (mark.freed_at,)
        if mark.freed_at is not None:
            error.labels.append(Label(mark.freed_at, "the graph was freed here"))
        raise with_node_label(node, error, "the values kept here for backward are gone")
    if mark is not None and mark.used is not None:
        raise overwritten_error(node, *mark.used, "", "a value")
    count = len(node.inputs)
    # If several are overwritten, torch names the first in the alphabetical order of its parameter names.
    place: Any
    for place in (*((1, 0) if count == 2 and node.op.name not in SELF_FIRST else range(count)), "out"):
        holder = node if place.__class__ is str else node.inputs[place]
        change = None if holder is None or holder.status is None else holder.status.overwritten
        if change is None or (holder is not node and change.exempts(node, place)):
            continue
        if place in node.reads():
            assert holder is not None
            maker = holder.grad_fn_name if holder is node else change.grad_fn_in_message(holder)
            name = f"`{holder.name}`" if holder.name else "a value"
            raise overwritten_error(node, change, change.shape(holder), maker, name)


def overwritten_error(
    node: OpNode, change: InPlaceChange, shape: tuple[int, ...], maker: str, name: str
) -> GradientError:
    """Return the error for a value that ``node`` needs and ``change`` has overwritten.

    ``shape`` is the value's shape, ``maker`` the grad_fn name of the node that made it (empty for none),
    ``name`` the value's name for the labels.
    """
    numbers = f"{change.dtype.tensor_type_name} {list(shape)}"
    made_by = f", which is output 0 of {torch_error_name(maker)}," if maker else ""
    error = GradientError(
        "one of the variables needed for gradient computation has been modified by an inplace operation:"
        f" [{numbers}]{made_by} is at version {change.version_counter.count}; expected version"
        f" {change.expected} instead. Hint: enable anomaly detection to find the operation that failed to"
        " compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
        code="E0403",
        caret="a value that this pass needs was changed in place",
    )
    if change.site is not None:
        error.labels.append(Label(change.site, f"{name} was changed in place here"))
    error.repair_context = (change.site,)
    return with_node_label(node, error, f"needs {name} as it was here")


def with_node_label(node: OpNode, error: GradientError, text: str) -> GradientError:
    """Add a label with ``text`` at the line that made ``node``; return the error."""
    if node.site is not None:
        error.labels.append(Label(node.site, text))
    return error


def torch_error_name(grad_fn_name: str) -> str:
    """Return the name torch's messages use for a node: ``Pow`` for PowBackward0, ``Pow1`` for PowBackward1.

    >>> torch_error_name("PowBackward1"), torch_error_name("CopySlices")
    ('Pow1', 'torch::autograd::CopySlices')
    """
    name, found, number = grad_fn_name.partition("Backward")
    if not found or number == "s":
        return f"torch::autograd::{grad_fn_name}"
    return name + number.removeprefix("0")
