"""The end of a pass: what it has used up is let go of, and what marks it so can be undone for a report."""

from __future__ import annotations

from autodiff.core.graph.node import ArrayNode, Leaf, Mark, Node
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def finish(kind: str, roots: list[Node], seeds: list[Any], order: list[Node], retain: bool) -> None:
    """Let go of what the pass has used up, unless it is to be kept, and tell the recorder."""
    used: list[Node] = []
    if not retain:
        used = order
        used_up = Mark(freed=True, freed_at=mode.site, is_shared=True)
        has_followed = False
        for node in order:
            if node.__class__ is Leaf:
                has_followed = has_followed or node.cell is None
                continue
            if node.mark is None:
                node.mark = used_up
            else:
                node.free(used_up)
            if mode.recorder is None and node.__class__ is ArrayNode:
                node.release()
        if has_followed:
            used = required(order)
            make_usable(set(order).difference(used))
    if mode.recorder is not None:
        mode.recorder.pass_ran(kind, roots, seeds, used)


def required(order: list[Node]) -> list[Node]:
    """The nodes that the script's own marks ask for; the others are followed for a report and not used up.

    A node without any input in ``order`` leads to a result that gradients were asked for.
    """
    found: set[Node] = set()
    members = set(order)
    for node in reversed(order):
        below = [x for x in node.inputs if x in members]
        if node.cell is not None if isinstance(node, Leaf) else not below or any(x in found for x in below):
            found.add(node)
    return [node for node in order if node in found]


def make_usable(nodes: Iterable[Node]) -> None:
    """Undo what marks nodes as used up or changed; their values were kept and never changed."""
    for node in nodes:
        mark = node.mark
        if mark is not None and mark.is_shared:
            node.mark = None
        elif mark is not None:
            mark.freed = False
            mark.overwritten = mark.used = None
