"""Chooses the gradient of a report: the target, and the weight (seed) that the pass starts from.

The target is the one asked for, else the tensor of the last backward(), else the script's last result, else
the last output given to grad(). If the script ends with an input, or after jacobian() and similar functions,
it is the last result that can be differentiated. ``inputs`` chooses the inputs.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, GradientError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import LazyModule, np, services
from autodiff.core.engine.backward import check_seed, clear_freed_status, seed_for
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import NO_GRAD_MESSAGE, Tensor
from autodiff.core.fast.tape import existing_node
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.assignment_plan import is_number_or_list, number_tensor, unknown_name_error
from autodiff.grammar.session.inputs import choose_inputs
from autodiff.grammar.session.leaf_names import display_name, join_words, name_leaves
from autodiff.grammar.session.run import Execution, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

target_on_tape = LazyModule("autodiff.grammar.session.target_on_tape")


def make_subject(execution: Execution, settings: Settings) -> ReportedPass:
    """Choose target, weight and inputs, and run the backward pass."""
    if settings.of is None and settings.grad_output is None:
        subject: ReportedPass | None = target_on_tape.subject_from_tape(execution, settings.wrt)
        if subject is not None:
            return subject
    root, name, recorded = find_target(execution, settings)
    seed = initial_cotangent(settings, root, name, recorded)
    is_own = settings.grad_output is None and root in execution.last_passes.backward.roots
    order = newest_first([root])
    clear_freed_status(order)
    leaves = [node for node in order if node.__class__ is Leaf]
    name_leaves(leaves, execution)
    wrt = choose_inputs(execution, settings, order, leaves)
    inner = any(node.__class__ is not Leaf for _, node in wrt)
    try:
        received = sweep(order, {root: seed}, keep_inner=inner)
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
        notes=tuple(report_notes(execution, root, wrt, received, is_own)),
        sweep_all=None if inner else lambda: sweep(order, {root: seed}),
        variables=lambda: top_level_nodes(execution),
        since=changed_inputs(execution, root, name, wrt),
    )


def top_level_nodes(execution: Execution) -> dict[str, Node | None]:
    """Return the script's top-level names with the nodes of their tensors; None for other values."""
    return {
        name: value.node if (value := execution.names.get(name)).__class__ is Tensor else None
        for name in execution.scopes.module.first_binding
    }


# -- target -----------------------------------------------------------------------------------------


def find_target(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """Return the result of ``choose_target``; its error explains why a target cannot be differentiated."""
    try:
        return choose_target(execution, settings)
    except GradientError as error:
        services["lost target"].explain_missing_target(error, execution, settings)
        raise


def choose_target(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """Return the node to start from, its name, and the seed of the script's own pass from there, if any."""
    if settings.of is not None:
        node = check_tracked(requested_output(settings.of, execution), settings.of)
        return node, settings.of, script_seed(node, execution)
    backward = execution.last_passes.backward
    if backward.roots:
        return backward.roots[0], display_name(backward.roots[0], execution), backward.seeds[0]
    final = execution.last_value
    if final.__class__ is Tensor:
        node = check_tracked(final, display_name(final.source(), execution))
        return node, display_name(node, execution), None
    if execution.number_chosen is not None:
        raise GradientError(
            NO_GRAD_MESSAGE,
            code="E0410",
            caret="this chooses a plain number, which nothing connects to the inputs",
            help=other_output_help(execution),
            span=execution.number_chosen,
        )
    name = target_name(execution)
    assigned = None if name is None else execution.names.get(name)
    if not (assigned.__class__ is Tensor and isinstance(assigned.node, OpNode)):
        found = target_of_functions(execution, name, assigned)
        if found is not None:
            return found
    return assigned_target(execution, name, assigned)


def target_of_functions(
    execution: Execution, name: str | None, assigned: Any
) -> tuple[Node, str, Any] | None:
    """Return the target if the last variable is no result: an output that was given to grad() or jacobian().

    ``assigned`` is the value of ``name``, the last variable. An input is no result of the script, and
    jacobian() and similar functions differentiate a graph of their own: a result that the script computed is
    preferred to both.
    """
    grad, functional = execution.last_passes.grad, execution.last_passes.functional
    if grad.roots:
        return grad.roots[-1], display_name(grad.roots[-1], execution), grad.seeds[-1]
    node = assigned.node if assigned.__class__ is Tensor else None
    is_input = isinstance(node, Leaf) and node.tracked and node.name == name
    result = last_result(execution) if functional.roots or is_input else None
    if result is not None:
        return execution.names[result].node, result, None
    if functional.roots:
        return functional.roots[-1], display_name(functional.roots[-1], execution), functional.seeds[-1]
    return None


def assigned_target(execution: Execution, name: str | None, assigned: Any) -> tuple[Node, str, Any]:
    """Return the target that the last variable is; raise if it cannot be differentiated."""
    if name is None:
        raise UsageError(
            "the script computes nothing that could be differentiated",
            code="E0604",
            help=("assign a result, as in `L = w**2`, or name one with --of NAME",),
        )
    if assigned.__class__ is not Tensor:
        raise GradientError(
            NO_GRAD_MESSAGE,
            code="E0410",
            caret=f"`{name}` is a plain number, which nothing connects to the inputs",
            help=(
                "math functions, float() and .item() leave the graph: write exp(x), not math.exp(x)",
                *other_output_help(execution),
            ),
            span=execution.scopes.module.first_binding.get(name),
        )
    if assigned.node is None or not assigned.node.tracked:
        error = not_differentiable(assigned, name)
        error.help = (*other_output_help(execution), *error.help)
        raise error
    # grad() returns a tuple, so the output given to grad() may be the last tensor that was assigned.
    return assigned.node, name, script_seed(assigned.node, execution)


def script_seed(node: Node, execution: Execution) -> Any:
    """Return the seed of the script's own backward() or grad() that started at ``node``; None without one."""
    for ran in (execution.last_passes.backward, execution.last_passes.grad):
        if node in ran.roots:
            return ran.seeds[ran.roots.index(node)]
    return None


def target_name(execution: Execution) -> str | None:
    """Return the name of the target: that of the last tensor, or of a number if all tensors are inputs.

    In ``y = x.item(); L = y * 5`` the user wants to differentiate ``L``, not ``x``.
    """
    name = execution.last_assigned
    is_tensor = name is not None and execution.names.get(name).__class__ is Tensor
    if name is None or not is_tensor or last_result(execution) is not None:
        return name
    start = execution.first_offset(name)
    numbers = [
        (execution.first_offset(other), other)
        for other, value in execution.names.items()
        if value.__class__ in (float, int) and execution.first_offset(other) > start
    ]
    return max(numbers)[1] if numbers else name


def last_result(execution: Execution) -> str | None:
    """Return the name of the last result that can be differentiated; None if there is none."""
    results = [
        (value.node.number, name)
        for name, value in execution.names.items()
        if value.__class__ is Tensor and isinstance(value.node, OpNode)
    ]
    return max(results)[1] if results else None


def other_output_help(execution: Execution) -> tuple[str, ...]:
    """Return the help that proposes another output, if there is one."""
    name = last_result(execution)
    return () if name is None else (f"choose another output: --of {name}",)


def requested_output(of: str, execution: Execution) -> Tensor:
    """Return the tensor that ``--of`` means; an expression is the script's last line by then."""
    is_name = of.isidentifier()
    if is_name and of not in execution.names:
        tensors = [n for n, value in execution.names.items() if value.__class__ is Tensor]
        raise unknown_name_error(of, tensors, "variable", "E0601")
    value = execution.names[of] if is_name else execution.last_value
    if value.__class__ is not Tensor:
        what = f"`{of}`" if is_name else "this"
        raise UsageError(f"--of {of}: {what} is no tensor but of type {type_name(value)}", code="E0603")
    return value


def check_tracked(value: Tensor, name: str) -> Node:
    """Return the node of a tensor; raise a GradientError if the tensor is not tracked."""
    if value.node is None or not value.node.tracked:
        raise not_differentiable(value, name)
    return value.node


def not_differentiable(value: Tensor, name: str) -> GradientError:
    return GradientError(
        NO_GRAD_MESSAGE,
        code="E0410",
        caret=f"nothing `{name}` was made from can be differentiated",
        operands=(value,),
        help=("create an input with requires_grad=True, or name one with --wrt NAME",),
        span=None if value.node is None else value.node.site,
    )


# -- weight -----------------------------------------------------------------------------------------


def initial_cotangent(settings: Settings, root: Node, name: str, recorded_seed: Any) -> Any:
    """Return the cotangent that the pass starts from, as a float or an array."""
    weights = settings.grad_output
    output = Tensor.of(root.out)
    if weights is None:
        if recorded_seed is not None:
            return recorded_seed
        try:
            return seed_for(output, None).value
        except GradientError as error:
            error.operands = ()
            error.caret = f"this has {output.entry_count} entries, of shape {output.shape}"
            entry = f"{name}[{', '.join('0' * len(output.shape))}]"
            error.help = (
                "weigh the entries equally: --grad-output ones",
                "or add them up in the script: `.sum()`",
                *[f"or take one entry, a row of the Jacobian: --of '{entry}'"] * name.isidentifier(),
            )
            error.span = root.site
            raise
    if weights.__class__ is str and weights == "ones":
        return seed_for(output, uniform_weight(output, 1.0)).value
    if not (is_number_or_list(weights) or weights.__class__ is Tensor or isinstance(weights, np.ndarray)):
        raise UsageError(
            f"--grad-output is `ones`, a number or a nested list, not {type_name(weights)}", code="E0605"
        )
    weight = number_tensor(weights, output.dtype)
    if weight.entry_count == 1 and output.shape != weight.shape:
        weight = uniform_weight(output, weight.item())
    try:
        check_seed(output, weight)
    except ShapeError as error:
        shown = str(np.ones(output.shape, dtype=int).tolist()) if output.entry_count <= 8 else "ones"
        error.operands = ()
        error.help = (
            f"give one number for each of the {output.entry_count:,} entries: --grad-output '{shown}'",
        )
        error.span = root.site
        raise
    return seed_for(output, weight).value


def uniform_weight(output: Tensor, value: float) -> Tensor:
    if output.value.__class__ is float:
        return Tensor.of(float(value))
    return Tensor.of(np.full(output.shape, value, dtype=output.dtype.name))


def format_weight(seed: Any) -> str | None:
    """Return the weight as a report writes it; None for the 1 of a single number."""
    flat = np.asarray(seed).ravel().tolist() if seed.__class__ is not float else [seed]
    if all(entry == 1 for entry in flat):
        return None if len(flat) == 1 else f"ones({', '.join(map(str, np.shape(seed)))})"
    text = str(np.asarray(seed).tolist() if seed.__class__ is not float else seed)
    return text if len(text) <= 40 else "the gradient given"


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
        return ["no result of the script: this is the last pass that jacobian() or its kin have made"]
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
