"""What a node saved for backward, under torch's names: ``y.grad_fn._saved_self``, ``_saved_result``."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.node import OpNode

PREFIX = "_saved_"
#: The names of the operands in torch's table of derivatives, by the name of the node without ``Backward0``.
OPERAND_NAMES = {
    "Pow": ("self", "exponent"),
    **dict.fromkeys(["Mm", "Bmm"], ("self", "mat2")),
    "Mv": ("self", "vec"),
    "Dot": ("self", "tensor"),
    **dict.fromkeys(["MseLoss", "HuberLoss", "SmoothL1Loss", "BinaryCrossEntropy"], ("self", "target")),
}
SELF_AND_OTHER = ("self", "other")


def read_saved_value(node: OpNode, name: str, span: Span) -> Any:
    """The value of ``node._saved_NAME``: a tensor, or None where this node did not need that operand.

    Raises GradientError if a backward pass has freed it or an in-place change has overwritten it, ScriptError
    if this kind of node has no such value.
    """
    places = saved_places(node)
    if name not in places:
        known = ", ".join(f"`{one}`" for one in places)
        raise ScriptError(
            f"'{node.grad_fn_name}' object has no attribute '{name}'",
            code="E0204",
            caret=f"it has {known}" if known else "this operation saves no value",
            span=span,
        )
    place = places[name]
    if isinstance(place, int) and node.inputs[place] is None and node.op.name == "pow":
        value = node.operands[place]  # torch keeps plain numbers of powers as numbers, wherever it is read
        return int(value) if value == int(value) else value
    if place not in node.reads():
        return None
    node.check_saved()
    if isinstance(place, str):
        return Tensor.of(node.out, node, True)
    value, below = node.operands[place], node.inputs[place]
    if below is None:
        return Tensor.of(as_stored(np.asarray(value)))
    return Tensor.of(value, below, below.tracked)


def saved_places(node: OpNode) -> dict[str, int | str]:
    """The attributes of a node, each with the number of the operand, or ``"out"`` for the result."""
    read = node.reads()
    names = OPERAND_NAMES.get(node.grad_fn_name.partition("Backward")[0], SELF_AND_OTHER)
    places: dict[str, int | str] = {}
    if len(node.inputs) <= len(names) and any(isinstance(place, int) for place in read):
        places |= {PREFIX + name: at for at, (name, _) in enumerate(zip(names, node.inputs, strict=False))}
    if "out" in read:
        places[PREFIX + "result"] = "out"
    return places
