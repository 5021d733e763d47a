"""Chooses the gradient of a report if the output is an entry of a tape; gradients then need no nodes."""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import (
    entry_name,
    entry_names,
    entry_node,
    existing_node,
    is_tape_entry,
    visits_more_than,
)
from autodiff.core.fast.tape_backward import backward_from_entry
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.session.leaf_names import name_leaves, named_tensors, source_text_at
from autodiff.grammar.session.run import Execution
from autodiff.grammar.session.target import format_weight, named_constants, top_level_nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.state import Tape

backward_passes = LazyModule("autodiff.core.engine.backward")
inputs = LazyModule("autodiff.grammar.session.inputs")
outputs = LazyModule("autodiff.grammar.session.outputs")
sweeps = LazyModule("autodiff.core.engine.sweep")
topological_order = LazyModule("autodiff.core.graph.topological_order")


def subject_from_tape(execution: Execution, requested: list[str]) -> ReportedPass | None:
    """Return the subject if the output is an entry of a tape and the inputs ``requested`` are leaves, else
    None.

    It is found without nodes: making them for a million entries takes as long as the pass.
    """
    output = output_on_tape(execution)
    if output is None:
        return None
    tape, position, value, seed, name = output
    site = None if tape[0].nodes is not None else tape[position][6]
    try:
        found = backward_from_entry(tape, position, seed, accepts_freed=True)
    except AutodiffError as error:
        if site is not None:
            error.at(site)
        raise
    if found is None:
        return None
    received: dict[Node, Any] = dict(found[0].items())
    wrt = inputs_of_pass(execution, requested, [*found[0]], [tape for tape, _ in found[1]])
    if wrt is None:
        return None

    def make_nodes() -> tuple[Node, list[Node]]:
        root = entry_node(tape, position)
        order = topological_order.newest_first([root])
        backward_passes.clear_freed_status(order)
        return root, order

    notes: tuple[str, ...] = ()
    if execution.last_passes.backward.entry is not None:
        from autodiff.grammar.session.grad_notes import grad_notes

        notes = tuple(grad_notes(execution, wrt, received))
    subject = ReportedPass(
        name=name or name_of_entry(tape, position, execution) or source_text_at(site, execution),
        root=None,
        seed=seed,
        weight=format_weight(seed),
        wrt=tuple(wrt),
        order=[],
        received=received,
        notes=notes,
        sweep_nodes=lambda first, kept: sweeps.sweep(first, {subject.root: seed}, kept=kept),
        variables=lambda: top_level_nodes(execution),
        constants=lambda: named_constants(execution),
        value=value,
        site=site,
        make_nodes=make_nodes,
        most_nodes=sum(len(tape) for tape, _ in found[1]),
        tapes=[tape for tape, _ in found[1]],
        visits_more_than=partial(visits_more_than, found[1]),
    )
    return subject


def output_on_tape(execution: Execution) -> tuple[Tape, int, float, Any, str] | None:
    """Return tape, position, value, seed and name of the output if it is an entry of a tape, else None.

    It is the output of the last backward(), whose name is given as ``""``, or else the script's last result.
    """
    last = execution.last_passes
    if last.backward.entry is not None:
        return *last.backward.entry, last.backward.value, last.backward.seeds[0], ""
    if last.backward.roots or last.slopes:
        return None
    final = execution.last_value
    if final is not None and final.__class__ is not Tensor and outputs.is_output(final):
        return None
    if final is None and execution.may_lack_value():
        return None
    name = "" if final.__class__ is Tensor else execution.last_assigned or ""
    output = execution.names.get(name) if name else final
    if output.__class__ is not Tensor or output.tape is None or not is_tape_entry(output):
        return None
    if output.value.__class__ is not float:  # a pass from an array needs a weight
        return None
    # grad() returns a tuple, so the output given to grad() may be the last tensor that was assigned.
    entry = last.grad.entry
    is_given = entry is not None and entry[0] is output.tape and entry[1] == output.tape_position
    seed = last.grad.seeds[0] if is_given else 1.0
    return output.tape, output.tape_position, output.value, seed, name


def inputs_of_pass(
    execution: Execution, requested: list[str], leaves: list[Leaf], tapes: list[Tape]
) -> list[tuple[str, Node]] | None:
    """Return the inputs ``requested``, or the default ones; None if one of them is not a leaf."""
    leaves.sort(key=attrgetter("number"), reverse=True)
    held = {existing_node(x) for _, x in named_tensors(execution.names)}
    if not held.issuperset(leaves):  # the script has changed some since
        return None
    wrt = requested_leaves(execution, requested, leaves, tapes)
    if wrt is None:
        return None
    name_leaves(leaves, execution)
    return wrt or inputs.default_inputs(execution, leaves)


def requested_leaves(
    execution: Execution, requested: list[str], leaves: list[Leaf], tapes: list[Tape]
) -> list[tuple[str, Node]] | None:
    """Return the requested inputs with their leaves; None if one of them is not a leaf, or a result too."""
    wrt: list[tuple[str, Node]] = []
    for name in requested:
        leaf = find_leaf(name, execution, leaves)
        # If a result has the same name, the name means the result.
        is_again = name in execution.reassigned or name in execution.first_leaves
        if leaf is None or is_again or any(name in entry_names(tape) for tape in tapes):
            return None
        wrt.append((name, leaf))
    return wrt


def find_leaf(name: str, execution: Execution, leaves: list[Leaf]) -> Leaf | None:
    """Return the leaf that a script's name refers to; None if another leaf of the graph has that name."""
    value = execution.names.get(name)
    leaf = value.stored_node if value.__class__ is Tensor else None
    if leaf not in leaves or any(other.name == name for other in leaves if other is not leaf):
        return None
    return leaf


def name_of_entry(tape: Tape, position: int, execution: Execution) -> str:
    """Return the name of an output: in ``d = f(a)`` that is ``d``, and no variable of the function."""
    name = entry_name(tape, position) or ""
    return name if name in execution.names else find_entry_name(tape, position, execution) or name


def find_entry_name(tape: Tape, position: int, execution: Execution) -> str:
    """Return the first name whose tensor is this entry; ``""`` if there is none."""
    for name, value in execution.names.items():
        if value.__class__ is Tensor and value.tape is tape and value.tape_position == position:
            return name
    return ""
