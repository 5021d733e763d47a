"""By which expression a script gets at a tensor: ``w``, or ``params[0]`` for one kept in a list.

Leaves made in a loop or a comprehension have no name of their own, or share one; in a report they are
called by the place where the script keeps them.
"""

from __future__ import annotations

from autodiff.core.node import Leaf
from autodiff.core.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.grammar.run import Execution


def tensors_at(names: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Every tensor bound to a top-level name or kept in a list or tuple below one, with its expression."""
    opened: set[int] = set()  # a list may hold itself
    stack = list(reversed(names.items()))
    while stack:
        place, value = stack.pop()
        if value.__class__ is Tensor:
            yield place, value
        elif (value.__class__ is list or value.__class__ is tuple) and id(value) not in opened:
            opened.add(id(value))
            stack += [(f"{place}[{at}]", entry) for at, entry in reversed(list(enumerate(value)))]


def kept_in_lists(names: dict[str, Any]) -> dict[str, Tensor]:
    """The tensors in lists and tuples by the expressions that give them."""
    return {place: tensor for place, tensor in tensors_at(names) if place[-1] == "]"}


def base_of(place: str) -> str:
    """The name an expression of ``tensors_at`` begins with."""
    return place.partition("[")[0]


def name_leaves(leaves: Iterable[Leaf], execution: Execution) -> None:
    """Call the leaves of a graph that have no name of their own by the place where the script keeps them."""
    by_name: dict[str | None, int] = {}
    for leaf in leaves:
        by_name[leaf.name] = by_name.get(leaf.name, 0) + 1
    unclear = {
        leaf
        for leaf in leaves
        if leaf.name is None or by_name[leaf.name] > 1 or not holds(execution.names.get(leaf.name), leaf)
    }
    if not unclear:
        return
    for place, tensor in kept_in_lists(execution.names).items():
        if tensor.node in unclear:
            unclear.discard(tensor.node)
            tensor.node.name = place


def holds(value: Any, leaf: Leaf) -> bool:
    return value.__class__ is Tensor and value.node is leaf
