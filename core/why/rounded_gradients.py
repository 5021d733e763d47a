"""Gradients that are nothing but rounding of the values they were made from: ``(1 - cos(x))/x**2`` at 1e-9.

There ``cos(x)`` is rounded to 1, and the gradient, 1e+09, would be -8e-11. The recorded gradient is
differentiated by every value of the forward pass; the slope times the value's rounding is how far that moves
the gradient (the running error; N. Higham, Accuracy and Stability of Numerical Algorithms, section 3.3).
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode, ScalarNode
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.path_sum import vjp_of_ones
from autodiff.core.symbolic.symbol import is_custom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node

#: Larger graphs, and gradients and values of more entries, are not looked at.
MOST_NODES, MOST_ENTRIES, MOST_VALUES = 1_000, 8, 10_000
#: An op whose result is so many times smaller than what it was made from has lost digits.
LOST_DIGITS = 1e4
#: A gradient counts as rounding if a value's rounding can move it by this part of it.
LARGE_PART = 0.5
#: The ops that may lose digits: sums, and functions that have a zero where their operand is not 0.
CANCELLING_OPS = frozenset("add sub sum mean log log2 log10 cos sin dot mm mv matmul addmm logsumexp".split())
#: Splits a number of double precision into halves (T. Dekker, Numerische Mathematik 18, 1971).
SPLITTER = 2.0**27 + 1.0


class RoundedGradient:
    """The rounding of ``node`` can move entry ``place`` of a gradient by ``share``, from ``given``.

    ``rounding`` is how far the value of the node's entry ``at`` may be off.
    """

    __slots__ = ("at", "given", "node", "place", "rounding", "share")

    def __init__(self, place: tuple[int, ...], given: float, share: float, node: Node, rounding: Any) -> None:
        self.place = place
        self.given = given
        self.share = share
        self.node = node
        self.rounding = float(np.max(rounding))


def rounded_gradient(order: Sequence[Node], root: Node, seed: Any, target: Node) -> RoundedGradient | None:
    """Return the entry of a gradient that rounding moves most, for its size; None if it moves none much.

    ``order`` has the nodes of the pass from ``root``, newest first; ``seed`` is what the pass started from.
    """
    found: RoundedGradient | None = None
    for place, given, shares in roundings_of_gradient(order, root, seed, target):
        share, node, rounding = max(shares, key=lambda one: one[0])
        part = 0.0 if found is None else found.share / abs(found.given)
        if np.isfinite(share) and 0 < abs(given) * max(LARGE_PART, part) < share:
            found = RoundedGradient(place, given, share, node, rounding)
    return found


def value_rounding(order: Sequence[Node], root: Node, seed: Any, target: Node) -> Any:
    """Return how far the rounding of values moves each entry of a gradient; 0 where that is not known."""
    found = np.zeros(target.shape)
    for place, _, shares in roundings_of_gradient(order, root, seed, target):
        total = sum(share for share, _, _ in shares)
        found[place] = total if np.isfinite(total) else 0.0
    return found


def roundings_of_gradient(
    order: Sequence[Node], root: Node, seed: Any, target: Node
) -> Iterator[tuple[tuple[int, ...], float, list[tuple[float, Node, Any]]]]:
    """Yield each entry of a gradient: its place, its value, and how far each value's rounding moves it.

    There are none for large graphs, for those that lose no digits, and for rules that have no derivative.
    """
    leading = nodes_leading_to(list(order), [target])
    size = 1 if target.out.__class__ is float else np.size(target.out)
    if len(leading) > MOST_NODES or not 0 < size <= MOST_ENTRIES:
        return
    if any(isinstance(node, OpNode) and is_custom(node.op) for node in leading):
        return
    site, mode.site = mode.site, None  # the rules have no position in the script
    try:
        with numpy_warnings_off(leading):
            if not any(map(loses_digits, leading)):
                return
            gradient = sweep(leading, {root: Tensor.of(as_stored(seed))}, create_graph=True).get(target)
            if gradient is not None and gradient.requires_grad_flag and gradient.node is not None:
                yield from entries_of(gradient, gradient.node, leading)
    except AutodiffError:  # a rule that cannot be differentiated
        return
    finally:
        mode.site = site


def entries_of(
    gradient: Tensor, root: Node, leading: list[Node]
) -> Iterator[tuple[tuple[int, ...], float, list[tuple[float, Node, Any]]]]:
    """Yield the entries of a recorded gradient as ``roundings_of_gradient`` does."""
    roundings: list[tuple[Node, Any]] = [
        (node, rounding_of(node)) for node in leading if isinstance(node, OpNode)
    ]
    again = newest_first([root])
    for place in np.ndindex(gradient.shape):
        unit = np.zeros_like(np.asarray(root.out))
        unit[place] = 1
        slopes = sweep(again, {root: as_stored(unit)})
        shares = [
            (float(np.sum(np.abs(np.asarray(slopes[node])) * rounding)), node, rounding)
            for node, rounding in roundings
            if node in slopes
        ]
        if shares:
            yield place, float(np.asarray(gradient.value)[place]), shares


def loses_digits(node: Node) -> bool:
    """Whether a result is far smaller than the values that it was made from, in some entry."""
    if not isinstance(node, OpNode) or node.op.name not in CANCELLING_OPS:
        return False
    if isinstance(node, ScalarNode):  # numpy need not be imported for numbers
        tracked = [index for index, below in enumerate(node.inputs) if below is not None and below.tracked]
        parts = [abs(vjp_of_ones((node, index)) * node.operands[index]) for index in tracked]
        return any(part / LOST_DIGITS > abs(node.out) for part in parts)
    if np.size(node.out) > MOST_VALUES:
        return False
    sizes = 0.0
    for index, below in enumerate(node.inputs):
        if below is None or not below.tracked:
            continue
        if node.op.infix or node.op.is_elementwise:
            part = np.asarray(vjp_of_ones((node, index))) * np.asarray(node.operands[index])
            sizes = np.maximum(sizes, np.abs(part)) if np.shape(part) == np.shape(node.out) else sizes
        else:
            sizes = np.maximum(sizes, np.abs(np.asarray(node.operands[index])).max(initial=0.0))
    return bool(np.any(np.asarray(sizes) / LOST_DIGITS > np.abs(np.asarray(node.out))))


def rounding_of(node: OpNode) -> Any:
    """How far each entry of a value may be from what its operands give exactly.

    For sums and products of two numbers in double precision that is known (D. Knuth, The Art of Computer
    Programming, volume 2, section 4.2.2); elsewhere it is half a unit of the last digit.
    """
    out = np.asarray(node.out)
    if out.dtype.kind != "f":
        return np.zeros(out.shape)
    unit = float(np.finfo(out.dtype).eps) / 2 * np.abs(out)
    if node.op.name not in ("add", "sub", "mul", "neg") or node.params or out.dtype != np.float64:
        return unit
    if node.op.name == "neg":
        return np.zeros(out.shape)
    x, y = (np.asarray(operand, float) for operand in node.operands)
    if node.op.name == "mul":
        exact = product_error(x, y, out)
        return np.where(np.isfinite(exact), np.abs(exact), unit)
    y = -y if node.op.name == "sub" else y
    back = out - x
    return np.abs((x - (out - back)) + (y - back))


def product_error(x: Any, y: Any, out: Any) -> Any:
    """The exact product minus the rounded one."""
    high_x, high_y = (SPLITTER * one - (SPLITTER * one - one) for one in (x, y))
    low_x, low_y = x - high_x, y - high_y
    return low_x * low_y - (((out - high_x * high_y) - low_x * high_y) - high_x * low_y)
