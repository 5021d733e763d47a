"""Which entries of operands the entries of a result are computed from, whatever the values are.

A row of a result reads its own row of the operands alone. The chain rule reads others too: it multiplies 0 by
their slopes, and 0 times nan is nan.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.graph.node import Leaf, OpNode, ScalarNode
from autodiff.core.graph.op import OPS, RULE_ERRORS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from autodiff.core.graph.node import Node

#: Ops whose slopes at random numbers are 0 only where an entry is not read.
AT_RANDOM_NUMBERS = frozenset(
    "addmm addmv addr alias baddbmm binary_cross_entropy binary_cross_entropy_with_logits block_diag bmm"
    " cat clone constant_pad contiguous cross cumsum det diag_embed diagonal dot einsum embed expand flip"
    " gather huber_loss index index_add index_copy index_put index_select inv log_softmax logcumsumexp"
    " logsumexp matmul mean mm mse_loss mv nll_loss outer part permute pick repeat reshape roll rot90"
    " scatter scatter_add select slice smooth_l1_loss soft_margin_loss softmax solve squeeze stack"
    " standardize std sum sum_to t take to trace transpose tril triu unfold unsqueeze var vector_norm vm"
    " windows write_through".split()
)
#: Ops of which this holds at equal numbers: they choose by values, or random products underflow.
AT_EQUAL_NUMBERS = frozenset(("amax", "amin", "cumprod", "prod"))
#: The orders of norms that random numbers are good for.
PLAIN_NORMS = (1, 2)


def unread_entries(
    order: list[Node], seeds: Mapping[Node, Any], fixed: Mapping[Node, Any]
) -> dict[Node, Any]:
    """Return masks of the entries that no entry with a seed other than 0 is computed from.

    ``order`` is that of a pass, newest first. Nodes of which all entries may be read are left out. Entries
    that are ``fixed`` count as unread, and so does what they alone read.
    """
    reached = {node: np.asarray(seed) != 0 for node, seed in seeds.items()}
    found: dict[Node, Any] = {}
    for node in order:
        read = reached.pop(node, False)
        if node.__class__ is Leaf:
            continue
        if node in fixed:
            read = read & ~fixed[node]
        if not np.all(read):
            found[node] = np.broadcast_to(~np.asarray(read), node.shape)
        if not np.any(read):
            continue
        assert isinstance(node, OpNode)
        for below, mask in zip(node.inputs, entries_read(node, read), strict=True):
            if below is not None:
                reached[below] = reached[below] | mask if below in reached else mask
    return found


def entries_read(node: OpNode, wanted: Any) -> list[Any]:
    """Return a mask for each operand: the entries that the ``wanted`` ones of the result are computed from.

    A mask may have too many. It is True for all.
    """
    op = node.op
    if node.__class__ is ScalarNode:
        return [True] * len(node.inputs)
    shapes = [np.shape(x) for x in node.operands]
    if op.is_elementwise:
        if np.all(wanted) and op.name not in CHOOSING:
            return [True] * len(shapes)
        masks = CHOOSING[op.name](wanted, *node.operands) if op.name in CHOOSING else [wanted] * len(shapes)
        return [over_operand(mask, node.shape, shape) for mask, shape in zip(masks, shapes, strict=True)]
    is_equal = op.name in AT_EQUAL_NUMBERS or node.params.get("ord", 2) not in PLAIN_NORMS
    if op.__class__ is not Op or not (is_equal or op.name in AT_RANDOM_NUMBERS):
        return [True] * len(shapes)
    draw = np_random.default_rng(0)
    values = tuple(numbers_like(x, None if is_equal else draw) for x in node.operands)
    try:
        out = np.asarray(op.forward(*values, **node.params))
        slopes = slopes_at(node, values, out, numbers_like(out, draw) * wanted)
    except (AutodiffError, *RULE_ERRORS):
        return [True] * len(shapes)
    return [True if slope is None else np.asarray(slope) != 0 for slope in slopes]


def slopes_at(node: OpNode, values: tuple[Any, ...], out: Any, g: Any) -> list[Any]:
    """The cotangents of operands with these values; None for those that are no floats."""
    return [
        node.op.contribution(at, g, out, values, node.params) if value.dtype.kind == "f" else None
        for at, value in enumerate(values)
    ]


def numbers_like(x: Any, draw: Any) -> Any:
    """Numbers between 0 and 1 in place of floats: random ones, or equal ones without ``draw``."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return x
    return (np.full(x.shape, 1.0) if draw is None else draw.uniform(0.1, 0.9, x.shape)).astype(x.dtype)


def over_operand(mask: Any, result: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The entries of an operand that are broadcast to an entry of the mask."""
    return OPS["sum_to"].forward(np.broadcast_to(mask, result).astype(float), shape=shape) > 0


def by_condition(wanted: Any, condition: Any, x: Any, y: Any) -> list[Any]:
    chosen = np.asarray(condition, bool)
    return [wanted, wanted & chosen, wanted & ~chosen]


def by_mask(wanted: Any, x: Any, mask: Any, value: Any) -> list[Any]:
    filled = np.asarray(mask, bool)
    return [wanted & ~filled, wanted, wanted & filled]


def unless_nan(wanted: Any, x: Any) -> list[Any]:
    return [wanted & ~np.isnan(x)]


def if_finite(wanted: Any, x: Any) -> list[Any]:
    return [wanted & np.isfinite(x)]


#: Elementwise ops that do not read all entries of their operands.
CHOOSING: dict[str, Callable[..., list[Any]]] = {
    "except_where": by_condition,
    "masked_fill": by_mask,
    "nan_to_num": if_finite,
    "where": by_condition,
    "without_nan": unless_nan,
}
