"""The end of a backward pass: free the saved values, and undo the marks if a report needs the graph again."""

from __future__ import annotations

from autodiff.core.graph.node import ArrayNode, Leaf, Node, NodeStatus
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def finish_pass(kind: str, roots: list[Node], seeds: list[Any], order: list[Node], retain: bool) -> None:
    """Free the values saved in ``order`` unless ``retain``, and notify the recorder."""
    used: list[Node] = []
    if not retain:
        used = order
        used_up = NodeStatus(freed=True, freed_at=mode.site, is_shared=True)
        has_followed = False
        for node in order:
            if node.__class__ is Leaf:
                has_followed = has_followed or node.grad_slot is None
                continue
            if node.status is None:
                node.status = used_up
            else:
                node.mark_freed(used_up)
            if mode.recorder is None and node.__class__ is ArrayNode:
                node.release()
        if has_followed:
            used = visited_by_script(order)
            clear_freed_status(set(order).difference(used))
    if mode.recorder is not None:
        mode.recorder.pass_ran(kind, roots, seeds, used)


def visited_by_script(order: list[Node]) -> list[Node]:
    """Return the nodes of ``order`` that a pass of the script itself visits, in the same order.

    The others are tracked only for a report, and the pass does not free them. An op node without inputs in
    ``order`` counts as visited: its gradient was requested.
    """
    found: set[Node] = set()
    members = set(order)
    for node in reversed(order):
        below = [x for x in node.inputs if x in members]
        if (
            node.grad_slot is not None
            if isinstance(node, Leaf)
            else not below or any(x in found for x in below)
        ):
            found.add(node)
    return [node for node in order if node in found]


def clear_freed_status(nodes: Iterable[Node]) -> None:
    """Clear the marks that say nodes were freed or overwritten; their values still exist unchanged."""
    for node in nodes:
        mark = node.status
        if mark is not None and mark.is_shared:
            node.status = None
        elif mark is not None:
            mark.freed = False
            mark.overwritten = mark.used = None
