"""Chooses a report's inputs: those of ``--wrt``, else leaves with requires_grad, else all float leaves."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Leaf, Node
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.assignment_plan import matches_pattern, unknown_name_error
from autodiff.grammar.session.leaf_names import (
    base_name,
    display_name,
    join_words,
    name_leaves,
    named_tensors,
    tensors_in_lists,
    unique_names,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.run import Execution, Settings


def choose_inputs(
    execution: Execution, settings: Settings, order: list[Node], leaves: list[Leaf]
) -> list[tuple[str, Node]]:
    """Return the (name, node) pairs to report, in source order."""
    if settings.wrt:
        shown = dict(default_inputs(execution, leaves))
        return [pair for entry in settings.wrt for pair in requested_inputs(entry, execution, order, shown)]
    return default_inputs(execution, leaves)


def default_inputs(execution: Execution, leaves: list[Leaf]) -> list[tuple[str, Node]]:
    """Return the inputs of a report without ``--wrt``, under unique names.

    ``leaves`` are those that the output depends on. Inputs that variables hold are there as well, with the
    gradient 0: which inputs a report has must not depend on the way that a script has gone. Data are inputs
    if there are no others.
    """
    all_leaves = leaves + unused_leaves(execution, leaves)
    marked = [node for node in all_leaves if node.grad_slot is not None]
    found: list[tuple[str, Node]] = [(display_name(node, execution), node) for node in marked or all_leaves]
    found.sort(key=lambda pair: (source_offset(pair, execution), pair[1].number))
    if execution.data:
        found = [pair for pair in found if pair[0] not in execution.data] or found
    return unique_names(found, execution.source)


def unused_leaves(execution: Execution, leaves: list[Leaf]) -> list[Leaf]:
    """Return the inputs in the script's variables that are not among ``leaves``, nor changed since.

    An array of whole numbers that has picked entries, as labels do, is none: a position has no gradient.
    """
    known = {leaf.grad_slot or leaf for leaf in leaves}
    names = {leaf.name for leaf in leaves}
    entries = [entry for listed in execution.list_entries.values() for entry in listed]
    found = {node: place for place, node in entries if isinstance(node, Leaf) and node not in known}
    for place, tensor in named_tensors(execution.names):
        node = tensor.stored_node
        if isinstance(node, Leaf) and node.tracked and (node.grad_slot or node) not in known:
            found.setdefault(node, place)
    name_leaves(found, execution)
    return [
        leaf
        for leaf, place in found.items()
        if not {leaf.name, place} & names and leaf not in execution.positions
    ]


def source_offset(pair: tuple[str, Node], execution: Execution) -> int:
    name, node = pair
    if base_name(name) in execution.scopes.module.first_binding:
        return execution.first_offset(base_name(name))
    return len(execution.source.text) if node.site is None else node.site.start


def requested_inputs(
    entry: str, execution: Execution, order: list[Node], shown: dict[str, Node]
) -> list[tuple[str, Node]]:
    """Return the inputs that a ``--wrt`` entry means: a name, a place in a list, or a glob.

    A glob is over the names of tensors, or where it matches none, over those of their values.

    ``shown`` are the inputs of a report without ``--wrt``; an entry may be one of the names they have there,
    or the name that reports give to one of the values of a variable, ``h_20``, or to one without a variable,
    ``w*x``.
    """
    single = single_input(entry, execution, order, shown)
    if single is not None:
        return single
    versions = versions_by_name(execution, order)
    names = set(versions) | {n for n, v in execution.names.items() if v.__class__ is Tensor}
    names = {name for name in names if matches_pattern(name, entry)}
    if not names:
        from autodiff.grammar.session.versions import matching_versions

        values = list(matching_versions(entry, execution, order))
        values = values or value_of_text(entry, execution, order)
        if not values:
            raise no_input_error(entry, execution)
        return values
    found = []
    places = {place: at for at, (place, _) in enumerate(named_tensors(execution.names))}
    for name in sorted(
        names, key=lambda name: (execution.first_offset(base_name(name)), places.get(name, -1), name)
    ):
        latest = versions.get(name)
        if latest is None:
            tensor = execution.names[name]
            if entry != name and not tensor.dtype.is_floating_point:
                continue
            latest = graph_node(order, tensor)
        found.append((name, latest))
    return [(name, check_differentiable(node, name)) for name, node in found]


def value_of_text(text: str, execution: Execution, order: list[Node]) -> list[tuple[str, Node]]:
    """Return the value that reports call by this source text, such as ``w*x``; none if there is none."""
    from autodiff.core.paths.node_names import NodeNames

    names = NodeNames(order, execution.source, numbers_first=execution.first_numbers)
    wanted = "".join(text.split())
    return [
        (names[node], check_differentiable(node, names[node]))
        for node in order
        if node.name is None and "".join(names[node].split()) == wanted
    ][:1]


def single_input(
    entry: str, execution: Execution, order: list[Node], shown: dict[str, Node]
) -> list[tuple[str, Node]] | None:
    """Return the input of a name in a report, of a list or a place in one, or of a version such as ``h_20``.

    None is for an entry of another kind.
    """
    if entry in shown and entry not in execution.names:
        return [(entry, shown[entry])]
    if entry in execution.list_entries:
        return execution.list_entries[entry]
    if entry.endswith("]"):
        for place, leaf in execution.list_entries.get(base_name(entry), ()):
            if place == entry:
                return [(place, leaf)]
        kept = tensors_in_lists(execution.names)
        if entry in kept:
            return [(entry, check_differentiable(graph_node(order, kept[entry]), entry))]
    if entry in execution.names:
        return None
    from autodiff.grammar.session.versions import version_node

    node = version_node(entry, execution, [order], "--wrt")
    return None if node is None else [(entry, node)]


def versions_by_name(execution: Execution, order: list[Node]) -> dict[str, Node]:
    """Return the value that each name means as an input; ``order`` has the nodes, newest first."""
    versions: dict[str, Node] = {}
    for node in order:  # the first node of a name is its latest version
        if node.name is not None:
            versions.setdefault(node.name, node)
    bound = {value.node for value in execution.names.values() if value.__class__ is Tensor}
    within = {node for node in order if node in bound}  # a set of a million nodes takes 50 MB
    for name, value in execution.names.items():
        if value.__class__ is Tensor and value.node in within:
            known = versions.get(name)
            if known is None or value.node.number > known.number:
                versions[name] = value.node
    # A number that a script without tensors assigns again means its first value, and so does an array that it
    # changes: the others are made of it.
    for node in order:
        if node.__class__ is Leaf and (
            node.name in execution.reassigned
            or node.name in execution.first_leaves
            or (execution.without_tensors and node.name in execution.assigned_once)
        ):
            versions[node.name] = node
    leaves = {node.name for node in order if node.__class__ is Leaf}
    firsts = {name: leaf for name, leaf in execution.first_leaves.items() if name not in leaves}
    versions.update(firsts)
    versions.update(entry for listed in execution.list_entries.values() for entry in listed)
    target = order[0].name
    # The derivative of the target by itself would be 1, so its name means its first version.
    if target is not None and target not in firsts:
        versions[target] = next(node for node in reversed(order) if node.name == target)
    return versions


def no_input_error(entry: str, execution: Execution) -> UsageError:
    """Return the error for an entry of ``--wrt`` that no input matches."""
    if entry in execution.names:
        value = execution.names[entry]
        return UsageError(
            f"--wrt {entry}: `{entry}` is no number but of type {type_name(value)}",
            code="E0603",
            help=list_help(entry, value),
        )
    if isinstance(execution.names.get(base_name(entry)), Tensor) and entry.endswith("]"):
        return entry_requested_error(entry, base_name(entry))
    known_names = [place for place, _ in named_tensors(execution.names)]
    return unknown_name_error(entry, known_names, "variable", "E0601")


def list_help(name: str, value: Any) -> tuple[str, ...]:
    """Return the help for ``--wrt`` with the name of a list: how to name the tensors in it."""
    places = [place for place, _ in named_tensors({name: value})]
    if not places:
        return ()
    return (f"it holds {join_words(places)}: name one, or write --wrt '{name}*' for all",)


def entry_requested_error(entry: str, name: str) -> UsageError:
    """Return the error for ``--wrt W[0,1]``, which is an entry of an input and not an input."""
    at = entry[len(name) :].replace("][", ",").strip("[]").replace(" ", "")
    return UsageError(
        f"--wrt {entry}: this is an entry of `{name}`, and an input is a whole tensor",
        code="E0603",
        help=(
            f"--wrt {name} gives the gradients of all entries",
            f"`autodiff explain --wrt {name} --entry {at}` derives this one",
        ),
    )


def graph_node(order: list[Node], tensor: Tensor) -> Node:
    """Return the node of a tensor in the graph; for a leaf changed in place since, the node that was used."""
    node = tensor.source()
    if isinstance(node, Leaf) and node.grad_slot is not None and node not in order:
        return next((x for x in order if isinstance(x, Leaf) and x.grad_slot is node.grad_slot), node)
    return node


def check_differentiable(node: Node, name: str) -> Node:
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
