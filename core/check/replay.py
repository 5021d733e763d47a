"""The replay of a recorded graph with other inputs: the function that the backward pass differentiated.

What the script did not record (branches taken, values detached, random numbers drawn) stays as it was.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.custom_call import CustomCallOp, OutputPartOp, call_node_and_output
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import enable_grad, mode, no_grad
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.core.ops.linalg.products import mT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from autodiff.core.engine.custom_call import CustomCall


class Replay:
    """The ``steps`` between some inputs and the output ``root``: nodes, oldest first.

    ``inputs`` are nodes of the graph; nodes below them are not run again. ``order`` are the nodes below
    ``root``, newest first; nodes that are left out keep their values.
    """

    __slots__ = ("_doubles", "root", "steps")

    def __init__(self, root: Node, inputs: tuple[Node, ...], order: list[Node] | None = None) -> None:
        self.root = root
        moving = set(inputs)
        steps: list[OpNode] = []
        for node in reversed(order or newest_first([root])):
            if isinstance(node, OpNode) and node not in moving and any(x in moving for x in node.inputs):
                moving.add(node)
                steps.append(node)
        self.steps = steps
        #: Operands converted to double precision, so that constants do not lower the precision of results.
        self._doubles = {
            node: tuple(map(_in_double_precision, node.operands))
            for node in steps
            if any(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in node.operands)
        }

    def values(self, inputs: Mapping[Node, Any]) -> dict[Node, Any]:
        """The value of every step for other values of the inputs: floats or arrays, which may be complex."""
        known = dict(inputs)
        site = mode.site
        try:
            with no_grad(), numpy_warnings_off([*self.steps, self.root]):
                for node in self.steps:
                    known[node] = _computed(node, self._operands(node, known))
        finally:
            mode.site = site
        known.setdefault(self.root, self.root.out)
        return known

    def tensors(self, inputs: Mapping[Node, Tensor]) -> dict[Node, Tensor]:
        """The value of every step as a tensor, for tensors as inputs; their graph can be differentiated."""
        known = dict(inputs)
        outputs: dict[Node, list[Any]] = {}
        site = mode.site
        try:
            with enable_grad(), numpy_warnings_off([*self.steps, self.root]):
                for node in self.steps:
                    mode.site = node.site
                    operands = tuple(
                        x if below is None or isinstance(x, Tensor) else Tensor.of(_in_double_precision(x))
                        for below, x in zip(node.inputs, self._operands(node, known), strict=True)
                    )
                    if isinstance(node.op, CustomCallOp):  # its rule is bound to the operands of its call
                        outputs[node] = node.op.call.apply_again(operands)
                        known[node] = call_result(outputs[node], node.op.call)
                    elif isinstance(node.op, OutputPartOp):
                        call, position = call_node_and_output(node)
                        known[node] = outputs[call][position]
                    else:
                        known[node] = AS_DIFFERENTIATED.get(node.op.name, node.op)(*operands, **node.params)
        finally:
            mode.site = site
        known.setdefault(self.root, Tensor.of(self.root.out))
        return known

    def _operands(self, node: OpNode, known: Mapping[Node, Any]) -> tuple[Any, ...]:
        return tuple(
            value if below is None or below not in known else known[below]
            for below, value in zip(node.inputs, self._doubles.get(node, node.operands), strict=True)
        )


def symmetric(x: Any) -> Any:
    return (x + mT(x)) * 0.5


def from_cholesky_factor(factor: Any, upper: bool) -> Any:
    """The matrix with the given Cholesky factor."""
    return mT(factor) @ factor if upper else factor @ mT(factor)


#: Ops that read one triangle of a matrix, and the functions that their rules differentiate. These read both
#: triangles.
AS_DIFFERENTIATED: dict[str, Callable[..., Any]] = {
    "cholesky": lambda x: OPS["cholesky"](symmetric(x)),
    "eigenvalues": lambda x: OPS["eigenvalues"](symmetric(x)),
    "eigenvectors": lambda x: OPS["eigenvectors"](symmetric(x)),
    "cholesky_inverse": lambda factor, upper: OPS["inv"](from_cholesky_factor(factor, upper)),
    "cholesky_solve": lambda b, factor, upper: OPS["solve"](from_cholesky_factor(factor, upper), b),
}


def call_result(outputs: list[Any], call: CustomCall) -> Tensor:
    """The only output of a call with gradients, or the tensor of the node with all outputs."""
    flowing = [x for x, slot in zip(outputs, call.slots, strict=True) if slot is not None]
    first: Tensor = flowing[0]
    if len(flowing) == 1 or first.node is None or not isinstance(first.node.op, OutputPartOp):
        return first
    [row] = first.node.inputs
    assert row is not None
    return Tensor.of(row.out, row, first.requires_grad_flag)


def _computed(node: OpNode, operands: tuple[Any, ...]) -> Any:
    """The value of an op; its scalar function, if it has one, is used for Python numbers only."""
    is_scalar = node.op.scalar is not None and not node.params
    if is_scalar and all(x.__class__ in (float, int, bool) for x in operands):
        return node.op.evaluate(operands, node.params)
    arrays = tuple(np.asarray(x) if x.__class__ in (float, complex) else x for x in operands)
    forward = node.op.forward
    if node.op.name in AS_DIFFERENTIATED and not isinstance(node.op, CustomCallOp):
        forward = AS_DIFFERENTIATED[node.op.name]
    out = forward(*arrays, **node.params)
    return as_stored(np.asarray(out)) if np.asarray(out).dtype.kind == "f" else np.asarray(out)


def _in_double_precision(value: Any) -> Any:
    """An array of floats in double precision, like the inputs; other values as they are."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    return value.astype(float, copy=False)
