"""Sums in a backward pass that cancel: to exactly 0, or to a rounding error."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import OpNode
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.why.magnitude import rounding_tolerance
from autodiff.core.why.op_table import CENTERING_OPS, PRODUCT_OPS
from autodiff.core.why.sentences import operand_in_words, spoken_name, value_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.records import InputUse
    from autodiff.core.why.first_cause import CauseSearch

ADDING = ("add", "sub")


def rounding_error_cause(search: CauseSearch, g: Any, uses: tuple[InputUse, ...]) -> Cause:
    users = {search.names[node]: node for node in search.leading}
    parts = [
        f"{value_words(use.contribution)} through {spoken_name(users[use.name], search.names)}"
        for use in uses[:4]
    ]
    more = f" and {len(uses) - 4} more" if len(uses) > 4 else ""
    words = (
        f"what reaches {search.spelled} cancels: {', '.join(parts)}{more}; {value_words(g)} is what"
        " rounding left"
    )
    return search.cause("cancelled", words, search.target)


def is_bias(node: OpNode, index: int) -> bool:
    """Whether an operand is the bias that a linear layer adds to its product."""
    return node.op.name == "addmm" and index == 0 and node.params.get("beta", 1) == 1


def find_cancelling_copies(search: CauseSearch, edge: Edge, arrived: Any, g: Any) -> list[Cause]:
    """A cause if an op adds an operand to several entries and the gradients there add up to 0, or nearly so.

    ``g`` is the sum of these gradients.
    """
    node, index = edge
    size = np.size(node.operands[index]) if isinstance(node, OpNode) else 0
    if not size or not isinstance(node, OpNode) or not (node.op.name in ADDING or is_bias(node, index)):
        return []
    count = np.size(arrived) / size
    if count == 1 or max_abs(g) > count * rounding_tolerance(g) * max_abs(arrived):
        return []
    below = node.inputs[index]
    assert below is not None
    left = f", up to rounding ({value_words(g)})" if np.any(g) else ""
    words = (
        f"{spoken_name(below, search.names)} goes into {count:,.0f} entries of"
        f" {spoken_name(node, search.names)}"
        f"{' each' * (size > 1)}, and what arrives at them ({value_words(arrived)}) adds up to 0{left}"
    )
    return [search.cause("cancelled", words, node, index)]


def find_cancelling_entries(search: CauseSearch, edge: Edge, arrived: Any) -> list[Cause]:
    """A cause if several entries of an op pass a gradient on to the operand and these add up to 0.

    This is tested with uneven weights: then the sum is not 0, unless each entry passes on nothing.
    """
    node, index = edge
    if np.size(arrived) < 2 or not isinstance(node, OpNode):
        return []
    uneven = np.linspace(1.0, 2.0, np.size(arrived)) ** 3
    passed_on = edge_contribution(edge, arrived * uneven.reshape(np.shape(arrived)).astype(arrived.dtype))
    if not np.isfinite(passed_on).all() or max_abs(passed_on) <= rounding_tolerance(passed_on) * max_abs(
        arrived
    ):
        return []
    below = node.inputs[index]
    assert below is not None
    factors = ["the slopes"]
    if node.op.name in PRODUCT_OPS:
        others = (at for at in range(len(node.operands)) if at != index)
        factors = [operand_in_words(node, at, search.names) for at in others]
    words = (
        f"{spoken_name(below, search.names)} goes into several entries of {spoken_name(node, search.names)},"
        f" and what arrives there ({value_words(arrived)}) times {' times '.join(factors)} adds up to 0"
    )
    return [search.cause("cancelled", words, node, index)]


def find_rounding_in_single_use(search: CauseSearch, g: Any) -> list[Cause]:
    """A cause if the input has a single use, whose op passed on only a rounding error."""
    edges = [
        (user, index)
        for user in search.leading
        for index, below in enumerate(user.inputs)
        if below is search.target
    ]
    arrived = search.subject.cotangents.get(edges[0][0]) if len(edges) == 1 else None
    if arrived is None:
        return []
    [(user, index)] = edges
    if not isinstance(user, OpNode) or user.op.name not in CENTERING_OPS:
        return find_cancelling_copies(search, (user, index), arrived, g)
    if max_abs(g) > rounding_tolerance(g) * max_abs(arrived):
        return []
    words = (
        f"{spoken_name(user, search.names)} passes on how much what arrives differs from entry to entry,"
        f" and all of it is the same: what is left ({value_words(g)}) is rounding"
    )
    return [search.cause("cancelled", words, user)]


def find_rounding_above(search: CauseSearch, g: Any) -> list[Cause]:
    """A cause if the gradients of a node above the input cancel down to a rounding error."""
    cotangents = search.subject.cotangents
    sizes = {node: max_abs(cotangents[node]) for node in search.leading if node in cotangents}
    if max_abs(g) > rounding_tolerance(g) * max(sizes.values(), default=0.0):
        return []
    arrived: dict[Node, list[tuple[Edge, Any]]] = {}
    with numpy_warnings_off(search.subject.order):
        for node in search.leading:
            given = arrived.get(node, [])
            if len(given) > 1 and sizes[node] <= rounding_tolerance(g) * max(max_abs(c) for _, c in given):
                left = f"; {value_words(cotangents[node])} is what rounding left"
                return [cancellation_cause(search, node, given, left)]
            for edge in search.edges(node) if node in sizes else ():
                below = node.inputs[edge[1]]
                assert below is not None
                arrived.setdefault(below, []).append((edge, edge_contribution(edge, cotangents[node])))
    return []


def cancellation_cause(
    search: CauseSearch, node: Node, given: list[tuple[Edge, Any]], left: str = " add up to 0"
) -> Cause:
    name = spoken_name(node, search.names)
    parts = [f"{value_words(c)} through {spoken_name(user, search.names)}" for (user, _), c in given[:4]]
    more = f" and {len(given) - 4} more" if len(given) > 4 else ""
    return search.cause("cancelled", f"what reaches {name} cancels: {', '.join(parts)}{more}{left}", node)
