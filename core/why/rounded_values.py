"""Values that are 0 but for rounding, where an op has a kink or a slope without a bound: ``atan2(6e-17, 0)``.

How far rounding can move a value is the running error of its computation: the rounding of each value that it
was made from, times the slope of the way up from there (N. Higham, Accuracy and Stability of Numerical
Algorithms, section 3.3).
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

#: The operands whose being 0, all of them, leaves the slope of an op without a bound.
UNBOUNDED_AT_ZERO = {
    **dict.fromkeys(["atan2", "hypot"], (0, 1)),
    "div": (1,),
    **dict.fromkeys(["reciprocal", "log", "log2", "log10", "sqrt", "rsqrt"], (0,)),
}
#: The operand by whose sign an op chooses its slope.
CHOOSING_BY_SIGN = dict.fromkeys(("abs", "relu", "leaky_relu"), (0,))
#: What counts as a rounding error, by op.
OPERANDS_AT_ZERO = {**UNBOUNDED_AT_ZERO, **CHOOSING_BY_SIGN}
#: Larger values are not looked at: rounding of a sum of numbers near 1 leaves about 1e-16.
LARGEST = {"float64": 1e-10, "float32": 1e-3}
#: Longer computations are not looked at.
MOST_NODES = 10_000
#: The running error is a first-order estimate: a value of this many times it counts as rounding.
SLACK = 4.0


def is_rounding(node: OpNode) -> bool:
    """Whether an op has a slope without meaning because its operands are nothing but rounding errors.

    Operands of several entries, inputs of the script and exact zeros alone are not: those are what they are.
    """
    places = OPERANDS_AT_ZERO.get(node.op.name, ())
    if not places or np.size(node.out) != 1:
        return False
    largest = LARGEST.get(np.asarray(node.out).dtype.name, 0.0)
    sizes = [abs(float(np.asarray(node.operands[at]).reshape(-1)[0])) for at in places]
    if not 0 < max(sizes) < largest:
        return False
    made = [node.inputs[at] for at in places]
    return all(
        isinstance(below, OpNode) and size <= SLACK * running_error(below)
        for below, size in zip(made, sizes, strict=True)
    )


def running_error(root: OpNode) -> float:
    """How far rounding can move the value of a node of one entry; 0 where that is not known."""
    order = newest_first([root])
    if len(order) > MOST_NODES or any(isinstance(node, OpNode) and is_custom(node.op) for node in order):
        return 0.0
    slopes: dict[Node, Any] = {root: np.ones_like(np.asarray(root.out))}
    error = 0.0
    for node in order:
        slope = slopes.get(node)
        if slope is None:
            continue
        value = np.asarray(node.out)
        if value.dtype.kind != "f":
            continue
        error += float(np.sum(np.abs(slope) * np.abs(value))) * float(np.finfo(value.dtype).eps)
        for at, below in enumerate(node.inputs):
            if below is not None and below.tracked:
                passed = np.asarray(edge_contribution((node, at), slope))
                slopes[below] = slopes[below] + passed if below in slopes else passed
    return error if np.isfinite(error) else 0.0
