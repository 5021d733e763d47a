"""Which gradient a report is about: the target, the weight it starts from, the inputs it is taken to.

Target: what was asked for, else what the script last called backward() on, else its last result, else what
it last gave to grad(); where it ends with an input, and after jacobian() and its kin, the last result that
can be differentiated.
The inputs are chosen in ``wrt``.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, GradientError, ShapeError, UsageError
from autodiff.core.base.lazy import Later, np, services
from autodiff.core.engine.backward import check_seed, seed_for
from autodiff.core.engine.freeing import make_usable
from autodiff.core.engine.sweep import pass_back_at_once, sweep
from autodiff.core.engine.tensor import NO_GRAD_NEEDED, Tensor
from autodiff.core.fast.tape import node_made
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.report.records import Subject
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.inputs import inputs_of
from autodiff.grammar.session.leaf_names import listed, name_leaves, name_of
from autodiff.grammar.session.leaves import is_numbers, number_tensor, unknown
from autodiff.grammar.session.run import Execution, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

written = Later("autodiff.grammar.session.target_on_tape")


def subject_of(execution: Execution, settings: Settings) -> Subject:
    """Pick target, weight and inputs, and sweep."""
    if settings.of is None and settings.grad_output is None:
        subject: Subject | None = written.written_subject(execution, settings.wrt)
        if subject is not None:
            return subject
    root, name, recorded = target_of(execution, settings)
    seed = starting_weight(settings, root, name, recorded)
    is_own = settings.grad_output is None and root in execution.last_passes.backward.roots
    at_once = pass_back_at_once(root, seed)
    order = newest_first([root]) if at_once is None else at_once[0]
    make_usable(order)
    leaves = [node for node in order if node.__class__ is Leaf]
    name_leaves(leaves, execution)
    wrt = inputs_of(execution, settings, order, leaves)
    inner = any(node.__class__ is not Leaf for _, node in wrt)
    try:
        received = sweep(order, {root: seed}, inner=inner) if at_once is None or inner else at_once[1]
    except AutodiffError as error:
        if root.site is not None:
            error.at(root.site)
        raise
    return Subject(
        name=name,
        root=root,
        seed=seed,
        weight=spell_weight(seed),
        wrt=tuple(wrt),
        order=order,
        received=received,
        notes=tuple(notes_on(execution, root, wrt, received, is_own)),
        sweep_all=None if inner else lambda: sweep(order, {root: seed}),
        variables=lambda: variables_of(execution),
        since=changed_since(execution, root, name, wrt),
    )


def variables_of(execution: Execution) -> dict[str, Node | None]:
    """The names at the top of the script and the nodes they stand for."""
    return {
        name: value.node if (value := execution.names.get(name)).__class__ is Tensor else None
        for name in execution.scopes.module.first_bound
    }


# -- target -----------------------------------------------------------------------------------------


def target_of(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """As ``choose_target``; a target that cannot be differentiated is explained."""
    try:
        return choose_target(execution, settings)
    except GradientError as error:
        services["lost target"].explain_lost(error, execution, settings)
        raise


def choose_target(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """The node to start from, its name, and the seed of the script's own backward() if it started there."""
    last = execution.last_passes.backward
    if settings.of is not None:
        value = asked_value(settings.of, execution)
        node = tracked_node(value, settings.of)
        return node, settings.of, seed_given(node, execution)
    if last.roots:
        root = last.roots[0]
        return root, name_of(root, execution), last.seeds[0]
    final = execution.last_value
    if final.__class__ is Tensor:
        return tracked_node(final, name_of(final.source(), execution)), name_of(final.node, execution), None
    if execution.number_chosen is not None:
        raise GradientError(
            NO_GRAD_NEEDED,
            code="E0410",
            caret="this chooses a plain number, which nothing connects to the inputs",
            help=other_outputs(execution),
            span=execution.number_chosen,
        )
    name = name_assigned_last(execution)
    assigned = None if name is None else execution.names.get(name)
    differentiated = execution.last_passes.grad
    if not (assigned.__class__ is Tensor and isinstance(assigned.node, OpNode)):
        if differentiated.roots:
            root = differentiated.roots[-1]
            return root, name_of(root, execution), differentiated.seeds[-1]
        inside = execution.last_passes.functional
        # An input is no result of the script, and jacobian() and its kin differentiate a graph of their own:
        # what the script computed goes first.
        own = assigned.node if assigned.__class__ is Tensor else None
        is_input = isinstance(own, Leaf) and own.tracked and own.name == name
        result = last_result(execution) if inside.roots or is_input else None
        if result is not None:
            return execution.names[result].node, result, None
        if inside.roots:
            root = inside.roots[-1]
            return root, name_of(root, execution), inside.seeds[-1]
    if name is None:
        raise UsageError(
            "the script computes nothing that could be differentiated",
            code="E0604",
            help=("assign a result, as in `L = w**2`, or name one with --of NAME",),
        )
    if assigned.__class__ is not Tensor:
        raise GradientError(
            NO_GRAD_NEEDED,
            code="E0410",
            caret=f"`{name}` is a plain number, which nothing connects to the inputs",
            help=(
                "math functions, float() and .item() leave the graph: write exp(x), not math.exp(x)",
                *other_outputs(execution),
            ),
            span=execution.scopes.module.first_bound.get(name),
        )
    if assigned.node is None or not assigned.node.tracked:
        error = not_differentiable(assigned, name)
        error.help = (*other_outputs(execution), *error.help)
        raise error
    # What grad() answers is a tuple, so that its output may be the last tensor that was given a name.
    return assigned.node, name, seed_given(assigned.node, execution)


def seed_given(node: Node, execution: Execution) -> Any:
    """What the script's own backward() or grad() began with there; None where none of them did."""
    for ran in (execution.last_passes.backward, execution.last_passes.grad):
        if node in ran.roots:
            return ran.seeds[ran.roots.index(node)]
    return None


def name_assigned_last(execution: Execution) -> str | None:
    """The name that the target goes by: that of the last tensor, or of a number where all tensors are inputs.

    In ``y = x.item(); L = y * 5`` it is ``L`` that somebody wants to differentiate, not ``x``.
    """
    name = execution.last_assigned
    is_tensor = name is not None and execution.names.get(name).__class__ is Tensor
    if name is None or not is_tensor or last_result(execution) is not None:
        return name
    start = execution.bound_at(name)
    numbers = [
        (execution.bound_at(other), other)
        for other, value in execution.names.items()
        if value.__class__ in (float, int) and execution.bound_at(other) > start
    ]
    return max(numbers)[1] if numbers else name


def last_result(execution: Execution) -> str | None:
    """The name of the last result that can be differentiated."""
    results = [
        (value.node.number, name)
        for name, value in execution.names.items()
        if value.__class__ is Tensor and isinstance(value.node, OpNode)
    ]
    return max(results)[1] if results else None


def other_outputs(execution: Execution) -> tuple[str, ...]:
    """The proposal of another output."""
    name = last_result(execution)
    return () if name is None else (f"choose another output: --of {name}",)


def asked_value(of: str, execution: Execution) -> Tensor:
    """The tensor that ``--of`` means: that of a name, or of an expression, the script's last line then."""
    is_name = of.isidentifier()
    if is_name and of not in execution.names:
        tensors = [n for n, value in execution.names.items() if value.__class__ is Tensor]
        raise unknown(of, tensors, "variable", "E0601")
    value = execution.names[of] if is_name else execution.last_value
    if value.__class__ is not Tensor:
        what = f"`{of}`" if is_name else "this"
        raise UsageError(f"--of {of}: {what} is no tensor but of type {type_name(value)}", code="E0603")
    return value


def tracked_node(value: Tensor, name: str) -> Node:
    """The node of a tensor that gradients can flow from."""
    if value.node is None or not value.node.tracked:
        raise not_differentiable(value, name)
    return value.node


def not_differentiable(value: Tensor, name: str) -> GradientError:
    return GradientError(
        NO_GRAD_NEEDED,
        code="E0410",
        caret=f"nothing `{name}` was made from can be differentiated",
        operands=(value,),
        help=("create an input with requires_grad=True, or name one with --wrt NAME",),
        span=None if value.node is None else value.node.site,
    )


# -- weight -----------------------------------------------------------------------------------------


def starting_weight(settings: Settings, root: Node, name: str, recorded: Any) -> Any:
    """The cotangent the pass starts from, as a float or an array."""
    given = settings.grad_output
    output = Tensor.of(root.out)
    if given is None:
        if recorded is not None:
            return recorded
        try:
            return seed_for(output, None).value
        except GradientError as error:
            error.operands = ()
            error.caret = f"this has {output.size} entries, of shape {output.shape}"
            entry = f"{name}[{', '.join('0' * len(output.shape))}]"
            error.help = (
                "weigh the entries equally: --grad-output ones",
                "or add them up in the script: `.sum()`",
                *[f"or take one entry, a row of the Jacobian: --of '{entry}'"] * name.isidentifier(),
            )
            error.span = root.site
            raise
    if given.__class__ is str and given == "ones":
        return seed_for(output, weight_tensor(output, 1.0)).value
    if not (is_numbers(given) or given.__class__ is Tensor or isinstance(given, np.ndarray)):
        raise UsageError(
            f"--grad-output is `ones`, a number or a nested list, not {type_name(given)}", code="E0605"
        )
    weight = number_tensor(given, output.dtype)
    if weight.size == 1 and output.shape != weight.shape:
        weight = weight_tensor(output, weight.item())
    try:
        check_seed(output, weight)
    except ShapeError as error:
        shown = str(np.ones(output.shape, dtype=int).tolist()) if output.size <= 8 else "ones"
        error.operands = ()
        error.help = (f"give one number for each of the {output.size:,} entries: --grad-output '{shown}'",)
        error.span = root.site
        raise
    return seed_for(output, weight).value


def weight_tensor(output: Tensor, value: float) -> Tensor:
    if output.value.__class__ is float:
        return Tensor.of(float(value))
    return Tensor.of(np.full(output.shape, value, dtype=output.dtype.name))


def spell_weight(seed: Any) -> str | None:
    """How a report calls the weight; None for the 1 of a single number."""
    flat = np.asarray(seed).ravel().tolist() if seed.__class__ is not float else [seed]
    if all(entry == 1 for entry in flat):
        return None if len(flat) == 1 else f"ones({', '.join(map(str, np.shape(seed)))})"
    text = str(np.asarray(seed).tolist() if seed.__class__ is not float else seed)
    return text if len(text) <= 40 else "the gradient given"


# -- what it is about ----------------------------------------------------------------------------------


def names_of_slopes(execution: Execution) -> dict[Node, str]:
    """What gradients are called that ``hessian()`` or its kin have differentiated again."""
    return {node: name_of(node, execution) for node in execution.last_passes.slopes}


def is_of_a_function(root: Node, execution: Execution) -> bool:
    """Whether a target was made inside of ``jacobian()`` or its kin, in a graph of their own."""
    roots = execution.last_passes.functional.roots
    return bool(roots) and root in roots


def notes_on(
    execution: Execution, root: Node, wrt: list[tuple[str, Node]], received: dict[Node, Any], is_own: bool
) -> list[str]:
    """Remarks for the reader: where ``.grad`` is not what this pass gives, and which pass it is.

    ``is_own`` says that this is the last ``backward()`` of the script.
    """
    if is_of_a_function(root, execution):
        return ["no result of the script: this is the last pass that jacobian() or its kin have made"]
    if not is_own:
        return []
    from autodiff.grammar.session.left_gradients import notes_on_passes

    roots = execution.last_passes.backward.roots
    if len(roots) > 1:
        together = listed([name_of(one, execution) for one in roots])
        alone = name_of(root, execution)
        return [f"backward() started from {together} together; this is the gradient of {alone} alone"]
    return list(notes_on_passes(execution, wrt, received))


def changed_since(execution: Execution, root: Node, output: str, wrt: list[tuple[str, Node]]) -> str:
    """Which inputs have other values in the end than the output was made from; "" where none has."""
    if all(is_same_node(execution.names.get(name), node) for name, node in wrt):
        return ""
    from autodiff.grammar.session.left_gradients import changes_after

    return changes_after(execution, root, output, wrt)


def is_same_node(value: Any, node: Node) -> bool:
    return value.__class__ is Tensor and node_made(value) is node
