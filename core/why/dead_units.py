"""Units of relu that pass nothing on for any sample: columns, or rows, without an entry above the bound."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import Leaf, OpNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

#: The ops that are relu where their other operand is 0.
RECTIFIERS = ("relu", "maximum", "clamp_min")
#: At most so many units are named.
MOST_UNITS = 6


def dead_units(node: OpNode, index: int, name: str) -> str:
    """Return which columns of operand ``index``, ``name``, relu lets pass in no row; empty if there are none.

    ``maximum(x, 0)`` and ``clamp(x, min=0)`` are relu too. The operand has a row a sample and a column a
    unit; if the weights stand left of the samples, a column a sample. A single sample tells nothing of units.
    """
    x: Any = np.asarray(node.operands[index])
    bound = 0.0 if node.op.name == "relu" else node.operands[1 - index] if len(node.operands) == 2 else None
    if node.op.name not in RECTIFIERS or x.ndim != 2 or bound is None or np.size(bound) != 1 or np.any(bound):
        return ""
    samples = 1 if are_weights_left(node.inputs[index]) else 0
    # At 0 the others pass something on.
    is_dead = (x <= 0 if node.op.name == "relu" else x < 0).all(axis=samples)
    count, total = int(is_dead.sum()), is_dead.size
    if x.shape[samples] < 2 or not count:
        return ""
    unit, sample, place = ("column", "rows", "[:, {}]") if samples == 0 else ("row", "columns", "[{}]")
    places = [place.format(at) for at in np.flatnonzero(is_dead)[:MOST_UNITS].tolist()]
    if count > MOST_UNITS:
        places.append(f"{count - MOST_UNITS} more")
    listed = " and ".join([", ".join(places[:-1])] * (len(places) > 1) + places[-1:])
    which = f"{unit}{'s' * (count > 1)} {listed}"
    if count == total > 1:
        which = f"all {total} {unit}s"
    is_so, units = ("are", "these units are") if count > 1 else ("is", "this unit is")
    return f"; {which} of {name} {is_so} not positive in any of the {x.shape[samples]} {sample}: {units} dead"


def are_weights_left(node: Node | None) -> bool:
    """Whether a sum's product has its parameters on the left, as in ``W @ x + b``."""
    while isinstance(node, OpNode) and node.op.name == "add":
        node = next((one for one in node.inputs if isinstance(one, OpNode)), None)
    if not isinstance(node, OpNode) or node.op.name not in ("mm", "matmul"):
        return False
    left, right = (isinstance(one, Leaf) and one.tracked for one in node.inputs)
    return left and not right
