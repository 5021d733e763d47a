"""Makes the gradient of a report: the weight (seed) that the pass starts from, the pass, and notes about it.

``choose_target`` chooses the target, ``inputs`` the inputs.
"""

from __future__ import annotations

import math

from autodiff.core.base.errors import AutodiffError, GradientError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import existing_node
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.assignment_plan import given_tensor
from autodiff.grammar.session.leaf_names import display_name, join_words, name_leaves
from autodiff.grammar.session.run import Execution, Settings
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names

#: Numbers that the language has names for, ``pi`` and ``math.pi``.
NAMED_NUMBERS = {"pi": math.pi, "e": math.e, "tau": math.tau}
#: Whole numbers beyond this may be no floats.
LARGEST_WHOLE_NUMBER = 2**53

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.session.choose_target import Target

backward_passes = LazyModule("autodiff.core.engine.backward")
choose_target = LazyModule("autodiff.grammar.session.choose_target")
hand_gradients = LazyModule("autodiff.grammar.session.hand_gradients")
inputs = LazyModule("autodiff.grammar.session.inputs")
outputs = LazyModule("autodiff.grammar.session.outputs")
sweeps = LazyModule("autodiff.core.engine.sweep")
target_on_tape = LazyModule("autodiff.grammar.session.target_on_tape")
topological_order = LazyModule("autodiff.core.graph.topological_order")


#: In larger graphs it is not asked whether the output is made of another result.
MOST_SEARCHED = 10_000


def make_subject(execution: Execution, settings: Settings) -> ReportedPass:
    """Choose target, weight and inputs, and run the backward pass; note where the script ends in another."""
    subject = run_pass(execution, settings)
    subject.numbers_first = execution.first_numbers
    subject.notes = (*[execution.chosen] * bool(execution.chosen), *subject.notes)
    if execution.without_tensors and settings.of is None:
        note = other_output_note(subject, execution)
        if subject.name.startswith(("d", "grad_")) and not note:
            note = next(iter(hand_gradients.hand_gradient_advice(subject.name, execution)), "")
        subject.notes = (*[note] * bool(note), *subject.notes)
    return subject


def run_pass(execution: Execution, settings: Settings) -> ReportedPass:
    """Choose target, weight and inputs, and run the backward pass."""
    if settings.of is None and settings.grad_output is None:
        subject: ReportedPass | None = target_on_tape.subject_from_tape(execution, settings.wrt)
        if subject is not None:
            return subject
    target = choose_target.find_target(execution, settings)
    root, name = target.node, target.name
    is_summed = is_sum_of_entries(settings, target)
    seed = initial_cotangent(settings, target, is_summed, execution)
    is_own = settings.grad_output is None and root in execution.last_passes.backward.roots
    order = topological_order.newest_first([root])
    backward_passes.clear_freed_status(order)
    leaves = [node for node in order if node.__class__ is Leaf]
    name_leaves(leaves, execution)
    wrt = inputs.choose_inputs(execution, settings, order, leaves)
    if target.constant:
        wrt = [(spelled, node) for spelled, node in wrt if spelled != name or settings.wrt]
    inner = any(node.__class__ is not Leaf for _, node in wrt)
    within = None
    try:
        try:
            received = sweeps.sweep(order, {root: seed}, keep_inner=inner)
        except GradientError as error:  # a rule that is missing may be that of an input nobody asked for
            if error.code != "E0414" or not settings.wrt:
                raise
            within = set(topological_order.nodes_leading_to(order, [node for _, node in wrt]))
            received = sweeps.sweep(order, {root: seed}, keep_inner=inner, within=within)
    except AutodiffError as error:
        if root.site is not None:
            error.at(root.site)
        raise
    return ReportedPass(
        name=name,
        root=root,
        seed=seed,
        weight=format_weight(seed),
        wrt=tuple(wrt),
        order=order,
        received=received,
        notes=(target.constant,)
        if target.constant
        else (
            *[note_on_sum(name, root.out)] * is_summed,
            *report_notes(execution, root, wrt, received, is_own),
        ),
        sweep_nodes=None
        if inner
        else lambda first, kept: sweeps.sweep(first, {root: seed}, within=within, kept=kept),
        variables=lambda: top_level_nodes(execution),
        constants=lambda: named_constants(execution),
        since="" if target.constant else changed_inputs(execution, root, name, wrt),
        without_pass=bool(target.constant),
        adds_up=is_summed,
    )


def top_level_nodes(execution: Execution) -> dict[str, Node | None]:
    """Return the script's top-level names with the nodes of their tensors; None for other values."""
    return {
        name: value.node if (value := execution.names.get(name)).__class__ is Tensor else None
        for name in execution.scopes.module.first_binding
    }


def named_constants(execution: Execution) -> dict[str, Any]:
    """Return the values of the names that have one value each, numbers without a gradient.

    ``math.pi`` and the like are among them, by the names that scripts have for them.
    """
    found: dict[str, Any] = {}
    for name in execution.assigned_once:
        value = execution.names.get(name)
        if value.__class__ is Tensor and not value.requires_grad and value.dtype.is_floating_point:
            found[name] = value.data
        elif value.__class__ is float or (value.__class__ is int and abs(value) <= LARGEST_WHOLE_NUMBER):
            found[name] = float(value)
    for name, value in NAMED_NUMBERS.items():
        found.update({f"{module}.{name}": value for module in ("math", "np", "torch")})
        if name not in execution.scopes.module.first_binding:
            found[name] = value
    return found


# -- weight -----------------------------------------------------------------------------------------


def is_sum_of_entries(settings: Settings, target: Target) -> bool:
    """Whether the report is about the sum of the output's entries, because nothing else was asked for."""
    if not settings.adds_up or settings.grad_output is not None or target.seed is not None:
        return False
    output = Tensor.of(target.node.out)
    return output.dtype.is_floating_point and output.entry_count > 1


def note_on_sum(name: str, out: Any) -> str:
    """Return the note that the gradients are those of the sum of the output's entries."""
    count = f"{np.size(out):,}"
    return f"`{name}` holds {count} numbers; the gradients are those of their sum (--grad-output ones)"


def initial_cotangent(settings: Settings, target: Target, is_summed: bool, execution: Execution) -> Any:
    """Return the cotangent that the pass starts from, as a float or an array; ones if it ``is_summed``."""
    weights, root, name = "ones" if is_summed else settings.grad_output, target.node, target.name
    output = Tensor.of(root.out)
    if weights is None:
        if target.seed is not None:
            return target.seed
        try:
            return backward_passes.seed_for(output, None).value
        except GradientError as error:
            error.operands = ()
            if target.listed is not None:
                entries = list(outputs.entries_of(target.listed, name))
                last = [key for key, value in execution.names.items() if value is entries[-1][1]]
                error.caret = f"`{name}` holds {output.entry_count} numbers"
                error.help = (
                    f"choose one of its entries: --of '{entries[0][0]}'",
                    *[f"or the last of them: --of {found}" for found in last[:1]],
                    "or weigh all equally: --grad-output ones",
                    "or get the slopes of each: autodiff jacobian",
                )
                error.span = root.site
                raise
            error.caret = f"this has {output.entry_count} entries, of shape {output.shape}"
            entry = f"{name}[{', '.join('0' * len(output.shape))}]"
            number = choose_target.last_number(execution)
            other_output = [f"choose an output of one number: --of {number}"] if number else []
            error.help = hand_gradients.hand_gradient_advice(name, execution) or (
                *other_output,
                "weigh the entries equally: --grad-output ones",
                "or add them up in the script: `.sum()`",
                *[f"or take one entry, a row of the Jacobian: --of '{entry}'"] * is_place(name),
            )
            error.span = root.site
            raise
    if target.listed is not None and (weights.__class__ is list or outputs.is_number(weights)):
        weights = outputs.join_weights(target.listed, weights, name)
    if weights.__class__ is str and weights == "ones":
        return backward_passes.seed_for(output, uniform_weight(output, 1.0)).value
    if weights.__class__ is str:
        weights = weights_of_variable(weights, execution)
    if weights.__class__ in (bool, type(None)):
        raise UsageError(
            f"--grad-output is `ones`, a number or a nested list, not {type_name(weights)}", code="E0605"
        )
    weight = given_tensor(weights, output.dtype, "--grad-output", "E0605")
    if weight.entry_count == 1 and output.shape != weight.shape:
        weight = uniform_weight(output, weight.item())
    try:
        backward_passes.check_seed(output, weight)
    except ShapeError as error:
        shown = str(np.ones(output.shape, dtype=int).tolist()) if output.entry_count <= 8 else "ones"
        error.operands = ()
        error.help = (
            f"give one number for each of the {output.entry_count:,} entries: --grad-output '{shown}'",
        )
        error.span = root.site
        raise
    return backward_passes.seed_for(output, weight).value


def weights_of_variable(name: str, execution: Execution) -> Any:
    """Return the value of a variable of the script that ``--grad-output`` names."""
    value = execution.names.get(name)
    if isinstance(value, Tensor):
        return np.asarray(value.data).tolist()
    if outputs.is_number(value) or value.__class__ is list:
        return value
    raise UsageError(
        f"--grad-output: `{name}` has no value: the script has no variable `{name}` of numbers",
        code="E0610",
        help=("did you mean `--grad-output ones`?",),
    )


def is_place(name: str) -> bool:
    """Whether a name is that of a variable or of a part of one, as in ``y[0]`` and ``m.values``."""
    return name[:1].isidentifier() and all(sign.isalnum() or sign in "_.[]" for sign in name)


def uniform_weight(output: Tensor, value: float) -> Tensor:
    if output.value.__class__ is float:
        return Tensor.of(float(value))
    return Tensor.of(np.full(output.shape, value, dtype=output.dtype.name))


def format_weight(seed: Any) -> str | None:
    """Return the weight as a report writes it; None for the 1 of a single number."""
    if seed.__class__ is float:
        return None if seed == 1 else str(seed)
    if (seed == 1).all():
        return None if seed.size == 1 else f"ones({', '.join(map(str, seed.shape))})"
    text = str(seed.tolist())
    return text if len(text) <= 40 else "the gradient given"


def other_output_note(subject: ReportedPass, execution: Execution) -> str:
    """Return the note that the last assignment gives another name a value; "" if it does not.

    That is one among several names, or a name that gets a text, a truth value or a list with such a value.
    A loop may carry several results along, as a solution and its time.
    """
    output, target, values = subject.name, execution.last_target, execution.names
    if execution.last_loop is not None:
        return loop_note(subject, execution.last_loop, execution)
    if target is None or execution.last_passes.backwards:
        return ""
    if isinstance(target, tree.Name):
        if target.id == output or output not in values:
            return ""
        value = values.get(target.id)
        entries = [entry for _, entry in outputs.entries_of(value, "")]
        other = next((entry for entry in entries if entry.__class__ in (str, bool)), None)
        if other is None:
            return ""
        held = f"is of type {type_name(value)}" if other is value else f"holds a {type_name(other)}"
        return f"`{target.id}` {held}, which is no number: the output is `{output}`"
    parts = target.elements if isinstance(target, tree.TupleDisplay) else ()
    names = [part.id for part in parts if isinstance(part, tree.Name)]
    others = [name for name in names if name != output and choose_target.is_computed(values.get(name))]
    if output not in names or not others:
        return ""
    line, _ = execution.source.position(target.span.start)
    reason = f"line {line} gives {join_words(names)} values: the output is `{output}`"
    return f"{reason}; --of {others[0]} chooses another"


def loop_note(subject: ReportedPass, loop: tree.For | tree.While, execution: Execution) -> str:
    """Return the note that the last loop carries other results along with the output; "" if it does not.

    A result that the output is made of is none of these, as far as the graph is small enough to look.
    """
    changed = {name.id for name in assigned_names(*loop.body)}
    carried = [
        name
        for name in execution.names
        if name in changed
        and execution.first_offset(name) < loop.span.start
        and choose_target.is_computed(execution.names[name])
    ]
    output = subject.name
    if output not in carried or len(carried) == 1:
        return ""
    within = set(subject.order) if subject.size <= MOST_SEARCHED else set()
    others = [
        name for name in carried if name != output and not (within and is_part(execution.names[name], within))
    ]
    if not others:
        return ""
    line, _ = execution.source.position(loop.span.start)
    reason = f"the loop in line {line} changes {join_words(carried)}: the output is `{output}`"
    return f"{reason}; --of {others[0]} chooses another"


def is_part(value: Any, nodes: set[Node]) -> bool:
    """Whether a result, or an entry of a list of results, is made by one of these nodes."""
    if value.__class__ in (list, tuple):
        return any(is_part(entry, nodes) for entry in value)
    return value.__class__ is Tensor and value.node in nodes


# -- notes ---------------------------------------------------------------------------------------------


def gradient_names(execution: Execution) -> dict[Node, str]:
    """Return the names of the gradients that ``hessian()`` or similar functions have differentiated again."""
    return {node: display_name(node, execution) for node in execution.last_passes.slopes}


def is_from_functional(root: Node, execution: Execution) -> bool:
    """Whether a target belongs to the graph that ``jacobian()`` or a similar function made for itself."""
    roots = execution.last_passes.functional.roots
    return bool(roots) and root in roots


def report_notes(
    execution: Execution, root: Node, wrt: list[tuple[str, Node]], received: dict[Node, Any], is_own: bool
) -> list[str]:
    """Return the notes of a report: how ``.grad`` differs from this pass's result, and which pass it is.

    ``is_own`` says that this is the last ``backward()`` of the script.
    """
    if is_from_functional(root, execution):
        return [
            "this is not a result of the script, but the last pass inside jacobian() or a similar function"
        ]
    if not is_own:
        return []
    from autodiff.grammar.session.grad_notes import grad_notes, retained_notes

    roots = execution.last_passes.backward.roots
    if len(roots) > 1:
        together = join_words([display_name(one, execution) for one in roots])
        alone = display_name(root, execution)
        return [f"backward() started from {together} together; this is the gradient of {alone} alone"]
    return [*grad_notes(execution, wrt, received), *retained_notes(execution)]


def changed_inputs(execution: Execution, root: Node, output: str, wrt: list[tuple[str, Node]]) -> str:
    """Return the note that names the inputs changed since the output was computed from them; "" if none."""
    if all(is_same_node(execution.names.get(name), node) for name, node in wrt):
        return ""
    from autodiff.grammar.session.grad_notes import changed_inputs_note

    return changed_inputs_note(execution, root, output, wrt)


def is_same_node(value: Any, node: Node) -> bool:
    return value.__class__ is Tensor and existing_node(value) is node
