"""Contributions of sums and products of numbers in a pass that is recorded, as nodes without a detour.

The rules would put some of them on a tape that the next product turns into nodes. Without this module
(``AUTODIFF_FAST=0``) the rules run.
"""

from __future__ import annotations

from autodiff.core.fast.rule_analysis import PRODUCT, SUM, UNKNOWN, analyse_op
from autodiff.core.fast.scalar_operators import scalar_node
from autodiff.core.graph.op import OPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import Node, ScalarNode


def recorded_numbers(node: ScalarNode, g: Tensor) -> list[tuple[Node, Tensor]] | None:
    """The inputs of a sum or product with their contributions, as the rules record them; else None."""
    op = node.op
    if op.pattern == UNKNOWN:
        analyse_op(op)
    if op.pattern not in (SUM, PRODUCT) or g.value.__class__ is not float:
        return None
    node.check_saved()
    a, b = node.a, node.b
    if op.pattern == SUM:
        return [(below, g) for below in (a, b) if below is not None and below.tracked]
    pulled = []
    for below, other, factor in ((a, b, node.y), (b, a, node.x)):
        if below is None or not below.tracked:
            continue
        if factor.__class__ is not float:
            return None
        c = product(g, factor if other is None else g.__class__.of(factor, other, other.tracked))
        pulled.append((below, c))
    return pulled


def product(g: Tensor, factor: Tensor | float) -> Tensor:
    """``g * factor``, with a node if one of them is tracked."""
    kind = g.__class__
    if factor.__class__ is kind:
        made = kind.of(g.value * factor.value, None, g.requires_grad_flag or factor.requires_grad_flag)
    else:
        made = kind.of(g.value * factor, None, g.requires_grad_flag)
    if made.requires_grad_flag:
        made.stored_node = scalar_node(OPS["mul"], (g, factor), made)
    return made
