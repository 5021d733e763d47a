"""Finds the expression by which a script refers to a tensor: ``w``, or ``params[0]`` for one in a list.

Leaves made in a loop or a comprehension have no name of their own, or share one. A report names them by the
place where the script keeps them.
"""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import existing_node
from autodiff.core.graph.node import Leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.core.base.source import Source, Span
    from autodiff.core.graph.node import GradSlot, Node
    from autodiff.grammar.session.run import Execution


def named_tensors(names: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Yield every tensor with its expression: a top-level name, or a place in a list or tuple below one."""
    opened: set[int] = set()  # a list may contain itself
    stack = list(reversed(names.items()))
    while stack:
        place, value = stack.pop()
        if value.__class__ is Tensor:
            yield place, value
        elif (value.__class__ is list or value.__class__ is tuple) and id(value) not in opened:
            opened.add(id(value))
            stack += [(f"{place}[{at}]", entry) for at, entry in reversed(list(enumerate(value)))]


def tensors_in_lists(names: dict[str, Any]) -> dict[str, Tensor]:
    """Return the tensors in lists and tuples by their expressions, such as ``params[0]``."""
    return {place: tensor for place, tensor in named_tensors(names) if place[-1] == "]"}


def base_name(place: str) -> str:
    """Return the name that an expression of ``named_tensors`` begins with."""
    return place.partition("[")[0]


MAX_LISTED = 3

#: The ranks of a leaf's names: its own name, then a place in a list, then a name that several leaves share.
OWN_NAME, LIST_PLACE, SHARED_NAME = range(3)


def name_leaves(leaves: Iterable[Leaf], execution: Execution) -> None:
    """Name the leaves of a graph that have no name of their own by the expression that refers to them.

    A leaf that was changed in place after its use is found by its gradient cell, which the change keeps.
    """
    by_name: dict[str | None, int] = {}
    for leaf in leaves:
        by_name[leaf.name] = by_name.get(leaf.name, 0) + 1
    shared = execution.scopes.loop_targets | {name for name, count in by_name.items() if name and count > 1}
    unclear: dict[Leaf | GradSlot, list[Leaf]] = {}
    for leaf in leaves:
        name = leaf.name
        base = base_name(name or "")
        if (
            base in execution.reassigned or base in execution.first_leaves
        ):  # the name may hold another value by now
            continue
        if name is None or name in shared or not is_same_leaf(execution.names.get(name), leaf):
            unclear.setdefault(leaf.grad_slot or leaf, []).append(leaf)
    if not unclear:
        return
    found: dict[Leaf | GradSlot, tuple[int, str]] = {}
    for place, tensor in named_tensors(execution.names):
        node = existing_node(tensor)
        key = None if not isinstance(node, Leaf) else node.grad_slot or node
        if key in unclear:
            rank = LIST_PLACE if place[-1] == "]" else SHARED_NAME if place in shared else OWN_NAME
            if key not in found or rank < found[key][0]:
                found[key] = rank, place
    for key, (_, place) in found.items():
        for leaf in unclear[key]:
            leaf.name = place


def is_same_leaf(value: Any, leaf: Node) -> bool:
    """Whether a value of the script is this leaf, or the same leaf after a change in place."""
    if value.__class__ is not Tensor:
        return False
    node = existing_node(value)
    if not isinstance(node, Leaf) or not isinstance(leaf, Leaf) or leaf.grad_slot is None:
        return node is leaf
    return node.grad_slot is leaf.grad_slot


def unique_names(named: list[tuple[str, Node]], source: Source) -> list[tuple[str, Node]]:
    """Return the pairs with unique names: repeated names get a number, as in ``w_1``, ``w_2``."""
    nodes: dict[str, list[Node]] = {}
    for name, node in named:
        nodes.setdefault(name, []).append(node)
    if len(nodes) == len(named):
        return named
    from autodiff.core.paths.node_names import WORDS, first_number, version_parts

    words = set(WORDS.findall(source.text))
    spelled: dict[str, Iterator[str]] = {}
    for name, values in nodes.items():
        first = first_number(values)
        numbers = range(first, first + len(values))
        before, after = version_parts(name, numbers, words)
        spelled[name] = iter([name] if len(values) == 1 else [f"{before}{n}{after}" for n in numbers])
    return [(next(spelled[name]), node) for name, node in named]


def display_name(node: Node | None, execution: Execution) -> str:
    """Return the script's name for a node, else the text of the expression that made it."""
    if node is None:
        return "result"
    if node.name:
        return node.name
    if node in execution.last_passes.slopes:
        from autodiff.core.paths.node_names import bracketed

        of, by = execution.last_passes.slopes[node]
        return f"d{bracketed(display_name(of, execution))}/d{bracketed(by)}"
    return held_as(node, execution) or source_text_at(node.site, execution)


def output_name(node: Node, execution: Execution) -> str:
    """Return the name of an output: in ``d = f(a)`` that is ``d``, and no variable of the function."""
    name = display_name(node, execution)
    return name if name in execution.names else held_as(node, execution) or name


def held_as(node: Node, execution: Execution) -> str:
    """Return the first variable of the script that holds a node; "" if none does."""
    for name, value in execution.names.items():
        if value.__class__ is Tensor and existing_node(value) is node:
            return name
    return ""


def source_text_at(site: Span | None, execution: Execution) -> str:
    """Return the script's text at ``site`` if it is short, else ``result``."""
    text = "" if site is None else " ".join(execution.source.excerpt(site).split())
    return text if 0 < len(text) <= 60 else "result"


def join_words(words: list[str]) -> str:
    """Return the words as ``a, b and c``; of many, only the first and the number of the others."""
    if len(words) > MAX_LISTED + 1:
        words = [*words[:MAX_LISTED], f"{len(words) - MAX_LISTED:,} more"]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
