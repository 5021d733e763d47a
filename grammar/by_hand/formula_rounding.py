"""How far rounding may move the value of a hand formula: ``1 - p`` has few digits where ``p`` is near 1.

The formula is recorded, and its value differentiated by every value on the way, which is off by up to half a
unit of its last digit (the running error; N. Higham, Accuracy and Stability of Numerical Algorithms, section
3.3).
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.core.why.rounded_gradients import rounding_of
from autodiff.grammar.by_hand.evaluate import run_text
from autodiff.grammar.session.assignment_plan import to_leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: Larger formulas, and values of more entries, are not looked at.
MOST_NODES, MOST_ENTRIES = 300, 64
#: Values of the script are made by several ops, and so are off by more than half a unit.
UNITS = 4.0


def formula_rounding(text: str, names: Mapping[str, Any], is_expression: bool, exact: Collection[str]) -> Any:
    """Return how far each entry of a formula's value may be off; 0 where that is not known.

    ``names`` have the values that the formula reads, ``exact`` are those that are not off themselves.
    """
    given = {name: to_leaf(value) for name, value in names.items() if value.__class__ in (Tensor, float)}
    try:
        result = run_text(text, {**names, **given}, is_expression, records=True)[1]
        if result.__class__ is not Tensor or not isinstance(result.node, OpNode):
            return 0.0
        order = newest_first([result.node])
        size = int(np.size(result.data))
        if len(order) > MOST_NODES or not 0 < size <= MOST_ENTRIES:
            return 0.0
        roundings = {node: rounding_of(node) for node in order if isinstance(node, OpNode)}
        roundings |= {
            one.node: float(np.finfo(one.data.dtype).eps) / 2 * np.abs(one.data)
            for name, one in given.items()
            if name not in exact and one.data.dtype.kind == "f"
        }
        found = np.zeros(result.shape)
        with numpy_warnings_off(order):
            for place in np.ndindex(found.shape):
                unit = np.zeros(found.shape)
                unit[place] = 1.0
                slopes = sweep(order, {result.node: as_stored(unit.astype(result.data.dtype))})
                found[place] = sum(
                    float(np.sum(np.abs(np.asarray(g)) * roundings[node]))
                    for node, g in slopes.items()
                    if node in roundings
                )
    except AutodiffError:  # a rule that cannot be differentiated
        return 0.0
    return UNITS * np.where(np.isfinite(found), found, 0.0)
