"""Which gradient a report is about: the target, the weight it starts from, the inputs it is taken to.

Target: what was asked for, else what the script last called backward() on, else its last result, else what
it last gave to grad(); where it ends with an input, and after jacobian() and its kin, the last result that
can be differentiated.
Inputs: what was asked for, else the leaves the script marked, else every float leaf.
"""

from __future__ import annotations

from autodiff.core.backward import check_seed, seed_for
from autodiff.core.dtypes import dtype_of
from autodiff.core.errors import AutodiffError, GradientError, ShapeError, UsageError
from autodiff.core.lazy import np
from autodiff.core.node import Leaf, Node, OpNode
from autodiff.core.report import Subject
from autodiff.core.sweep import newest_first, pass_back_at_once, sweep
from autodiff.core.tensors import NO_GRAD_NEEDED, Tensor
from autodiff.core.used_up import make_usable
from autodiff.grammar.leaves import is_numbers, matches, number_tensor, unknown
from autodiff.grammar.places import base_of, kept_in_lists, name_leaves, tensors_at
from autodiff.grammar.run import Execution, Settings
from autodiff.grammar.values import type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def subject_of(execution: Execution, settings: Settings) -> Subject:
    """Pick target, weight and inputs, and sweep."""
    root, name, recorded = target_of(execution, settings)
    seed = starting_weight(settings, root, name, recorded)
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
        notes=tuple(notes_on(execution, root, wrt, received, recorded)),
        sweep_all=None if inner else lambda: sweep(order, {root: seed}),
        variables={
            name: value.node if (value := execution.names.get(name)).__class__ is Tensor else None
            for name in execution.scopes.module.first_bound
        },
    )


# -- target -----------------------------------------------------------------------------------------


def target_of(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """As ``choose_target``; a target that cannot be differentiated is explained."""
    try:
        return choose_target(execution, settings)
    except GradientError as error:
        from autodiff.grammar.lost_target import explain_lost

        explain_lost(error, execution, settings)
        raise


def choose_target(execution: Execution, settings: Settings) -> tuple[Node, str, Any]:
    """The node to start from, its name, and the seed of the script's own backward() if it started there."""
    last = execution.last_passes.backward
    if settings.of is not None:
        value = asked_value(settings.of, execution)
        node = tracked_node(value, settings.of)
        ran = last.seeds[last.roots.index(node)] if node in last.roots else None
        return node, settings.of, ran
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
    return assigned.node, name, None


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


def name_of(node: Node | None, execution: Execution) -> str:
    """The script's name for a node, else the text that made it."""
    if node is None:
        return "result"
    if node.name:
        return node.name
    if node in execution.last_passes.slopes:
        from autodiff.core.naming import bracketed

        of, by = execution.last_passes.slopes[node]
        return f"d{bracketed(name_of(of, execution))}/d{bracketed(by)}"
    for name, value in execution.names.items():
        if value.__class__ is Tensor and value.node is node:
            return name
    if node.site is not None:
        text = " ".join(execution.source.excerpt(node.site).split())
        if 0 < len(text) <= 60:
            return text
    return "result"


# -- weight -----------------------------------------------------------------------------------------


def starting_weight(settings: Settings, root: Node, name: str, recorded: Any) -> Any:
    """The cotangent the pass starts from, as a float or an array."""
    given = settings.grad_output
    output = Tensor(root.out)
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
        return Tensor(float(value))
    return Tensor(np.full(output.shape, value, dtype=output.dtype.name))


def spell_weight(seed: Any) -> str | None:
    """How a report calls the weight; None for the 1 of a single number."""
    flat = np.asarray(seed).ravel().tolist() if seed.__class__ is not float else [seed]
    if all(entry == 1 for entry in flat):
        return None if len(flat) == 1 else f"ones({', '.join(map(str, np.shape(seed)))})"
    text = str(np.asarray(seed).tolist() if seed.__class__ is not float else seed)
    return text if len(text) <= 40 else "the gradient given"


# -- inputs -----------------------------------------------------------------------------------------


def inputs_of(
    execution: Execution, settings: Settings, order: list[Node], leaves: list[Leaf]
) -> list[tuple[str, Node]]:
    """The (name, node) pairs to report, in source order."""
    if settings.wrt:
        return [pair for entry in settings.wrt for pair in asked_for(entry, execution, order)]
    marked = [node for node in leaves if node.cell is not None]
    found: list[tuple[str, Node]] = [(name_of(node, execution), node) for node in marked or leaves]
    found.sort(key=lambda pair: (place_of(pair, execution), pair[1].number))
    return found


def place_of(pair: tuple[str, Node], execution: Execution) -> int:
    name, node = pair
    if base_of(name) in execution.scopes.module.first_bound:
        return execution.bound_at(base_of(name))
    return len(execution.source.text) if node.site is None else node.site.start


def asked_for(entry: str, execution: Execution, order: list[Node]) -> list[tuple[str, Node]]:
    """The inputs one ``--wrt`` entry means: a name, a place in a list, or a glob over names of tensors."""
    if entry.endswith("]"):
        kept = kept_in_lists(execution.names)
        if entry in kept:
            return [(entry, differentiable(node_in(order, kept[entry]), entry))]
    versions: dict[str, Node] = {}
    for node in order:  # newest first, so the latest version of a name comes first
        if node.name is not None:
            versions.setdefault(node.name, node)
    within = set(order)
    for name, value in execution.names.items():
        if value.__class__ is Tensor and value.node in within:
            known = versions.get(name)
            if known is None or value.node.number > known.number:
                versions[name] = value.node
    target = order[0]
    if target.name is not None:  # its own derivative by itself is 1: its name means what it began as
        versions[target.name] = next(node for node in reversed(order) if node.name == target.name)
    names = set(versions) | {n for n, v in execution.names.items() if v.__class__ is Tensor}
    names = {name for name in names if matches(name, entry)}
    if not names:
        if entry in execution.names:
            value = execution.names[entry]
            raise UsageError(
                f"--wrt {entry}: `{entry}` is no number but of type {type_name(value)}", code="E0603"
            )
        known_names = [place for place, _ in tensors_at(execution.names)]
        raise unknown(entry, known_names, "variable", "E0601")
    found = []
    for name in sorted(names, key=lambda name: execution.bound_at(base_of(name))):
        latest = versions.get(name)
        if latest is None:
            tensor = execution.names[name]
            if entry != name and not tensor.dtype.is_floating_point:
                continue
            latest = node_in(order, tensor)
        found.append((name, latest))
    return [(name, differentiable(node, name)) for name, node in found]


def node_in(order: list[Node], tensor: Tensor) -> Node:
    """What stands for a tensor in the graph: of a leaf that was changed since it was used, what was used."""
    node = tensor.source()
    if isinstance(node, Leaf) and node.cell is not None and node not in order:
        return next((x for x in order if isinstance(x, Leaf) and x.cell is node.cell), node)
    return node


def differentiable(node: Node, name: str) -> Node:
    """An input that was asked for, if it holds what can have a gradient."""
    dtype = dtype_of(node.out)
    if not dtype.is_floating_point:
        held = "truth values" if dtype.kind == "b" else "whole numbers"
        raise UsageError(
            f"--wrt {name}: `{name}` holds {held}, which have no gradient",
            code="E0603",
            help=(f"give `{name}` numbers with a point, or convert it where it is assigned: .double()",),
        )
    return node


def names_of_slopes(execution: Execution) -> dict[Node, str]:
    """What gradients are called that ``hessian()`` or its kin have differentiated again."""
    return {node: name_of(node, execution) for node in execution.last_passes.slopes}


def is_of_a_function(root: Node, execution: Execution) -> bool:
    """Whether a target was made inside of ``jacobian()`` or its kin, in a graph of their own."""
    return root in execution.last_passes.functional.roots


def notes_on(
    execution: Execution, root: Node, wrt: list[tuple[str, Node]], cotangents: dict[Node, Any], recorded: Any
) -> list[str]:
    """Remarks for the reader: where ``.grad`` holds more than this pass, and which pass it is."""
    notes = []
    if is_of_a_function(root, execution):
        notes.append("no result of the script: this is the last pass that jacobian() or its kin have made")
    if recorded is not None and execution.last_passes.backwards > 1:
        for name, node in wrt:
            cell = node.cell if isinstance(node, Leaf) else None
            if cell is None or cell.grad is None:
                continue
            held, shown = np.asarray(cell.grad.value), np.asarray(cotangents.get(node, 0.0))
            if held.any() and not np.allclose(held, shown, equal_nan=True):
                notes.append(
                    f"{name}.grad in the script holds the sum over several backward() calls;"
                    " this is the last one alone"
                )
    return notes
