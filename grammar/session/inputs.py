"""Chooses a report's inputs: those of ``--wrt``, else leaves with requires_grad, else all float leaves."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Leaf, Node
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.leaf_names import (
    base_of,
    kept_in_lists,
    listed,
    name_of,
    tensors_at,
    told_apart,
)
from autodiff.grammar.session.leaves import matches, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.run import Execution, Settings


def inputs_of(
    execution: Execution, settings: Settings, order: list[Node], leaves: list[Leaf]
) -> list[tuple[str, Node]]:
    """Return the (name, node) pairs to report, in source order."""
    if settings.wrt:
        shown = dict(inputs_shown(execution, leaves))
        return [pair for entry in settings.wrt for pair in asked_for(entry, execution, order, shown)]
    return inputs_shown(execution, leaves)


def inputs_shown(execution: Execution, leaves: list[Leaf]) -> list[tuple[str, Node]]:
    """Return the inputs of a report without ``--wrt``, under unique names."""
    marked = [node for node in leaves if node.cell is not None]
    found: list[tuple[str, Node]] = [(name_of(node, execution), node) for node in marked or leaves]
    found.sort(key=lambda pair: (place_of(pair, execution), pair[1].number))
    return told_apart(found)


def place_of(pair: tuple[str, Node], execution: Execution) -> int:
    name, node = pair
    if base_of(name) in execution.scopes.module.first_bound:
        return execution.bound_at(base_of(name))
    return len(execution.source.text) if node.site is None else node.site.start


def asked_for(
    entry: str, execution: Execution, order: list[Node], shown: dict[str, Node]
) -> list[tuple[str, Node]]:
    """Return the inputs that a ``--wrt`` entry means: a name, a place in a list, or a glob over tensor names.

    ``shown`` are the inputs of a report without ``--wrt``; an entry may be one of the names they have there.
    """
    if not entry.isidentifier() and entry in shown:
        return [(entry, shown[entry])]
    if entry.endswith("]"):
        kept = kept_in_lists(execution.names)
        if entry in kept:
            return [(entry, differentiable(node_in(order, kept[entry]), entry))]
    versions: dict[str, Node] = {}
    for node in order:  # newest first, so the first node of a name is its latest version
        if node.name is not None:
            versions.setdefault(node.name, node)
    within = set(order)
    for name, value in execution.names.items():
        if value.__class__ is Tensor and value.node in within:
            known = versions.get(name)
            if known is None or value.node.number > known.number:
                versions[name] = value.node
    target = order[0]
    if target.name is not None:  # the derivative by itself would be 1, so its name means its first version
        versions[target.name] = next(node for node in reversed(order) if node.name == target.name)
    names = set(versions) | {n for n, v in execution.names.items() if v.__class__ is Tensor}
    names = {name for name in names if matches(name, entry)}
    if not names:
        if entry in execution.names:
            value = execution.names[entry]
            raise UsageError(
                f"--wrt {entry}: `{entry}` is no number but of type {type_name(value)}",
                code="E0603",
                help=help_on_list(entry, value),
            )
        if isinstance(execution.names.get(base_of(entry)), Tensor) and entry.endswith("]"):
            raise entry_asked(entry, base_of(entry))
        known_names = [place for place, _ in tensors_at(execution.names)]
        raise unknown(entry, known_names, "variable", "E0601")
    found = []
    places = {place: at for at, (place, _) in enumerate(tensors_at(execution.names))}
    for name in sorted(
        names, key=lambda name: (execution.bound_at(base_of(name)), places.get(name, -1), name)
    ):
        latest = versions.get(name)
        if latest is None:
            tensor = execution.names[name]
            if entry != name and not tensor.dtype.is_floating_point:
                continue
            latest = node_in(order, tensor)
        found.append((name, latest))
    return [(name, differentiable(node, name)) for name, node in found]


def help_on_list(name: str, value: Any) -> tuple[str, ...]:
    """Return the help for ``--wrt`` with the name of a list: how to name the tensors in it."""
    places = [place for place, _ in tensors_at({name: value})]
    if not places:
        return ()
    return (f"it holds {listed(places)}: name one, or write --wrt '{name}*' for all",)


def entry_asked(entry: str, name: str) -> UsageError:
    """Return the error for ``--wrt W[0,1]``, which is an entry of an input and not an input."""
    at = entry[len(name) :].replace("][", ",").strip("[]").replace(" ", "")
    return UsageError(
        f"--wrt {entry}: this is an entry of `{name}`, and gradients are taken to whole tensors",
        code="E0603",
        help=(
            f"--wrt {name} gives the gradients of all entries",
            f"`autodiff explain --wrt {name} --entry {at}` derives this one",
        ),
    )


def node_in(order: list[Node], tensor: Tensor) -> Node:
    """Return the node of a tensor in the graph; for a leaf changed in place since, the node that was used."""
    node = tensor.source()
    if isinstance(node, Leaf) and node.cell is not None and node not in order:
        return next((x for x in order if isinstance(x, Leaf) and x.cell is node.cell), node)
    return node


def differentiable(node: Node, name: str) -> Node:
    """Return ``node`` if its dtype can have a gradient; else raise a UsageError."""
    dtype = dtype_of(node.out)
    if not dtype.is_floating_point:
        held = "truth values" if dtype.kind == "b" else "whole numbers"
        raise UsageError(
            f"--wrt {name}: `{name}` holds {held}, which have no gradient",
            code="E0603",
            help=(f"give `{name}` numbers with a point, or convert it where it is assigned: .double()",),
        )
    return node
