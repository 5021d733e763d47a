"""``backward()`` and ``grad()``: check the request, start the sweep, and store or return the gradients."""

from __future__ import annotations

from operator import attrgetter

from autodiff.core.base.errors import GradientError, ShapeError
from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.engine.sweep import active_sweep
from autodiff.core.engine.tensor import NO_GRAD_MESSAGE, Tensor
from autodiff.core.graph.node import ArrayNode, GradSlot, Leaf, Node, NodeStatus
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import enable_grad, mode, no_grad
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored, cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any


tape_pass = LazyModule("autodiff.core.fast.tape_backward")
hooks_module = LazyModule("autodiff.core.engine.hooks")

CYCLE_WARNING = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its"
    " gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to"
    " avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters to"
    " None after use to break the cycle and avoid the leak."
)


def backward(
    output: Tensor, gradient: Tensor | None, retain_graph: bool | None = None, create_graph: bool = False
) -> None:
    """Run ``output.backward(...)``: accumulate gradients in ``.grad`` of the leaves of ``output``."""
    backward_from([output], [gradient], retain_graph, create_graph)


def backward_from(
    outputs: Sequence[Tensor],
    gradients: Sequence[Tensor | None],
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | None = None,
) -> None:
    """Run ``torch.autograd.backward``: one pass from several outputs, to all leaves or only to ``inputs``."""
    if inputs is None and not create_graph:
        received = run_tape_pass("backward", outputs, gradients, bool(retain_graph))
        if received is not None:
            return
    wanted = (
        None
        if inputs is None
        else {x.node.grad_slot if isinstance(x.node, Leaf) else x.grad_fn for x in inputs}
    )
    seeds = collect_seeds(outputs, gradients, create_graph)
    if create_graph:
        mode.warn(CYCLE_WARNING)
    retain = create_graph if retain_graph is None else retain_graph
    order = newest_first(seeds)
    if wanted is not None:
        ends = [node for node in order if (node.grad_slot if isinstance(node, Leaf) else node) in wanted]
        order = nodes_leading_to(order, ends)
    cotangents = active_sweep()(order, seeds, create_graph=create_graph, keep_inner=False)
    passed = None if wanted is None else set(order)  # other nodes may have only part of their gradient
    accumulate_grads(cotangents, passed, create_graph)
    if create_graph and len(seeds) == 1:
        report_slopes(next(iter(seeds)), order)
    finish_pass("backward", list(seeds), seed_values(seeds), order, retain)


def run_tape_pass(
    kind: str,
    outputs: Sequence[Tensor],
    weights: Sequence[Tensor | None],
    retain: bool,
    wanted: Collection[Node] | None = None,
) -> dict[Leaf, Any] | None:
    """Run a pass along a tape and return the gradients of the leaves; None if the pass needs nodes.

    ``kind`` is "backward", which fills ``.grad`` of the leaves, or "grad", for which the pass must reach all
    ``wanted`` leaves.
    """
    if len(outputs) != 1:
        return None
    [output], [weight] = outputs, weights
    if output.stored_node is not None or output.tape is None or not output.requires_grad_flag:
        return None
    if hooks_module.pass_watch.is_active:
        return None
    if weight is not None:
        check_seed(output, weight)
    is_number = weight is None and output.value.__class__ is float
    seed = 1.0 if is_number else seed_for(output, weight).value
    tape, at, value = output.tape, output.tape_position, output.value  # a .grad is changed by its own pass
    found = tape_pass.backward_from_entry(tape, at, seed)
    if found is None:
        return None
    received: dict[Leaf, Any] = found[0]
    passed = found[1]
    if wanted is not None and not all(leaf in received for leaf in wanted):
        return None
    for leaf in received:
        # A pass through nodes does not free what leads only to other leaves, or what is tracked only for a
        # report; a tape cannot tell these apart. Nodes also keep what a leaf was before an in-place change.
        if (wanted is not None and leaf not in wanted) or (leaf.grad_slot is None and not retain):
            return None
    if wanted is None:
        accumulate_grads(received, None, False)
    if not retain:
        tape_pass.mark_freed(passed)
    if mode.recorder is not None:
        mode.recorder.written_pass_ran(kind, tape, at, value, seed, retain)
    return received


def report_slopes(root: Node, order: list[Node]) -> None:
    """Report to the recorder which recorded ``.grad`` a pass has filled: others may start from them."""
    leaves = [node for node in order if isinstance(node, Leaf) and node.name is not None]
    grads = [(node.grad_slot.grad, node) for node in leaves if node.grad_slot is not None]
    slopes = {
        grad.node: (root, str(node.name)) for grad, node in grads if grad is not None and grad.requires_grad
    }
    if mode.recorder is not None and slopes:
        mode.recorder.slopes_made({node: made for node, made in slopes.items() if node is not None})


def accumulate_grads(cotangents: Mapping[Any, Any], passed: set[Node] | None, create_graph: bool) -> None:
    """Accumulate the cotangents of leaves and of nodes that retain their gradient in their ``.grad``.

    If ``passed`` is not None, only for the nodes in it.
    """
    before: list[tuple[GradSlot, Any]] = []
    filled: list[Node] = []
    # Filter before sorting: few nodes are leaves or have a mark.
    where_kept = [node for node in cotangents if node.__class__ is Leaf or node.status is not None]
    for node in sorted(where_kept, key=attrgetter("number"), reverse=True):
        g = cotangents[node]
        slot = (
            node.grad_slot
            if isinstance(node, Leaf)
            else node.status.grad_slot
            if node.status is not None
            else None
        )
        if slot is None or (passed is not None and node not in passed):
            continue
        before.append((slot, None if slot.grad is None else slot.grad.value))
        accumulate_grad(slot, g, create_graph, node)
        filled.append(node)
    if mode.recorder is not None:
        mode.recorder.grads_gathered(before, passed is not None)
    if hooks_module.pass_watch.after:
        with enable_grad() if create_graph else no_grad():
            hooks_module.run_hooks_after(filled)


def accumulate_grad(slot: GradSlot, g: Any, create_graph: bool, node: Node) -> None:
    """Add gradient ``g`` of ``node`` to a ``.grad``; with ``create_graph``, ``g`` is a recorded Tensor."""
    slot.assigned_at = None
    is_leaf = node.__class__ is Leaf
    if slot.grad is None and create_graph:
        # A copy, as in torch: entries of `g` may share a memory location, and then in-place sums fail.
        slot.grad = OPS["clone"].named("CopyBackwards")(g) if is_leaf else g
    elif slot.grad is None:
        slot.grad = Tensor.of(match_layout(as_stored(g), node.out if is_leaf else None))
    elif create_graph:
        slot.grad = slot.grad + g
    elif is_leaf:  # in place, as in torch: other references to the old .grad see the sum
        slot.grad.assign_in_place(Tensor.of(_plain_sum(slot.grad.value, g)))
    else:
        slot.grad = Tensor.of(_plain_sum(slot.grad.value, g))


def match_layout(g: Any, like: Any) -> Any:
    """Return a gradient in the memory layout of ``like``, as in torch, so that ``view`` works on it.

    ``g`` may be transposed, or several of its entries may share one memory location.
    """
    if g.__class__ is float or like.__class__ is float or not g.ndim:
        return g
    if like is not None and like.flags.f_contiguous and not like.flags.c_contiguous:
        return np.asfortranarray(g)
    return g if g.flags.c_contiguous else np.ascontiguousarray(g)


def accumulate_retained_grads(cotangents: dict[Node, Any], order: list[Node], create_graph: bool) -> None:
    """Accumulate the gradients of nodes in ``order`` that retain them after ``retain_grad()``."""
    kept = [node for node in cotangents if node.status is not None and node.status.grad_slot is not None]
    passed = set(order) if kept else ()  # other nodes may have only part of their gradient
    for node in kept:
        if node in passed and node.status is not None and node.status.grad_slot is not None:
            accumulate_grad(node.status.grad_slot, cotangents[node], create_graph, node)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of ``outputs`` with respect to ``inputs``; ``.grad`` of leaves is not changed.

    There is one result per input, in the input's shape. A single tensor is accepted for a list of one.

    >>> from autodiff.core.engine.tensor import tensor
    >>> x = tensor(2.0, requires_grad=True)
    >>> (slope,) = grad(x * x * x, x, create_graph=True)
    >>> slope.item(), grad(slope, x)[0].item()
    (12.0, 12.0)
    """
    targets, wanted = as_list(outputs), as_list(inputs)
    weights = [None] * len(targets) if grad_outputs is None else as_list(grad_outputs)
    if not create_graph and all(x.requires_grad_flag and x.stored_node.__class__ is Leaf for x in wanted):
        leaves: list[Any] = [x.stored_node for x in wanted]
        received = run_tape_pass("grad", targets, weights, bool(retain_graph), leaves)
        if received is not None:
            return tuple([Tensor.of(as_stored(received[leaf])) for leaf in leaves])
    seeds = collect_seeds(targets, weights, create_graph)
    nodes = [differentiated_node(x) for x in wanted]
    everything = newest_first(seeds)
    earlier = {
        index: leaves for index, x in enumerate(wanted) if (leaves := previous_leaf_nodes(x, everything))
    }
    order = nodes_leading_to(everything, [*nodes, *(leaf for leaves in earlier.values() for leaf in leaves)])
    inner = any(not isinstance(node, Leaf) for node in nodes)
    ends = stop_nodes_of(order) if inner else set()
    cotangents = active_sweep()(order, seeds, create_graph=create_graph, keep_inner=inner, stop_nodes=ends)
    results: list[Tensor | None] = []
    for index, (x, node) in enumerate(zip(wanted, nodes, strict=True)):
        g = cotangents.get(node)
        for leaf in earlier.get(index, ()):
            more = cotangents.get(leaf)
            if more is not None:
                g = more if g is None else g + more
        if g is None and not allow_unused:
            raise unused_input_error(index, x)
        results.append(None if g is None else g if create_graph else Tensor.of(as_stored(g)))
    accumulate_retained_grads(cotangents, order, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    passed = [node for node in order if node not in ends] if ends else order
    finish_pass("grad", list(seeds), seed_values(seeds), passed, retain)
    return tuple(results)


def as_list(tensors: Any) -> list[Any]:
    """Return one tensor or several as a list."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def collect_seeds(
    outputs: Sequence[Tensor], gradients: Sequence[Tensor | None], create_graph: bool
) -> dict[Node, Any]:
    """Return the cotangent at each node where a pass from ``outputs`` starts: Tensors if ``create_graph``."""
    seeds: dict[Node, Any] = {}
    for output, gradient in zip(outputs, gradients, strict=True):
        root, seed = start_node_and_seed(output, gradient)
        g = seed if create_graph else seed.value
        seeds[root] = seeds[root] + g if root in seeds else g
    return seeds


def differentiated_node(x: Tensor) -> Node:
    """Return the node of an input of ``grad()``; GradientError if it does not require a gradient."""
    if not x.requires_grad_flag or x.node is None:
        raise GradientError(
            "One of the differentiated Tensors does not require grad",
            code="E0408",
            operands=(x,),
            help=("make it a leaf with requires_grad=True before it is used",),
        )
    return x.grad_fn or x.source()


def unused_input_error(index: int, x: Tensor) -> GradientError:
    """Return the error for an input of ``grad()`` that the outputs do not depend on."""
    return GradientError(
        f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set"
        " allow_unused=True if this is the desired behavior.",
        code="E0409",
        operands=(x,),
        caret="the output does not depend on this tensor",
        help=("leave it out, or pass allow_unused=True to get None",),
    )


def stop_nodes_of(order: list[Node]) -> set[Node]:
    """Return the op nodes without inputs in ``order``: a pass stops there and does not run their rules."""
    members = set(order)
    return {node for node in order if not isinstance(node, Leaf) and members.isdisjoint(node.inputs)}


def previous_leaf_nodes(x: Tensor, order: list[Node]) -> list[Node]:
    """Return the nodes in ``order`` that leaf ``x`` had before in-place changes: earlier results use them."""
    is_changed = x.version_counter is not None or x.alias is not None
    if not is_changed or not isinstance(x.node, Leaf) or x.node.grad_slot is None:
        return []
    slot = x.node.grad_slot
    return [
        node for node in order if isinstance(node, Leaf) and node.grad_slot is slot and node is not x.node
    ]


def seed_values(seeds: dict[Node, Any]) -> list[Any]:
    """Return the start cotangents of a pass as floats or arrays."""
    return [seed.value if isinstance(seed, Tensor) else seed for seed in seeds.values()]


def start_node_and_seed(output: Tensor, gradient: Tensor | None) -> tuple[Node, Tensor]:
    """Return the node where a pass from ``output`` starts and its cotangent.

    Raises GradientError if ``output`` does not require a gradient.
    """
    if gradient is not None:
        check_seed(output, gradient)
    if not output.requires_grad_flag or output.node is None or not output.node.tracked:
        raise GradientError(
            NO_GRAD_MESSAGE,
            code="E0410",
            operands=(output,),
            caret="nothing this was made from requires a gradient",
            help=(
                "create an input with requires_grad=True, as in `w = torch.tensor(1.0, requires_grad=True)`",
            ),
        )
    return output.node, seed_for(output, gradient)


def check_seed(output: Tensor, gradient: Tensor) -> None:
    """Raise ShapeError if ``gradient`` has not the shape of ``output``."""
    if gradient.shape != output.shape:
        raise ShapeError(
            f"Mismatch in shape: grad_output[0] has a shape of torch.Size({list(gradient.shape)}) and"
            f" output[0] has a shape of torch.Size({list(output.shape)}).",
            code="E0411",
            operands=(output, gradient),
            caret="the gradient must have one entry for each entry of the output",
        )


def seed_for(output: Tensor, gradient: Tensor | None) -> Tensor:
    """Return the cotangent of the output: ``gradient`` in the output's dtype, or 1 for a single entry."""
    if gradient is None:
        if (
            fusion_settings.has_begun and output.lazy_value is not None and not output.lazy_value.shape
        ):  # without computing the deferred value
            return Tensor.of(as_stored(np.ones((), output.lazy_value.dtype)))
        if output.entry_count != 1:
            raise GradientError(
                "grad can be implicitly created only for scalar outputs",
                code="E0401",
                operands=(output,),
                caret=f"backward() needs one number to start from, but this has {output.entry_count}",
            )
        return Tensor.of(1.0 if output.value.__class__ is float else np.ones_like(output.value))
    return cast(gradient, output.dtype)  # type: ignore[no-any-return] # a Tensor


def _plain_sum(a: Any, b: Any) -> Any:
    return a + b if a.__class__ is float and b.__class__ is float else as_stored(np.add(a, b))


def finish_pass(kind: str, roots: list[Node], seeds: list[Any], order: list[Node], retain: bool) -> None:
    """Free the values saved in ``order`` unless ``retain``, and notify the recorder."""
    used: list[Node] = []
    if not retain:
        used = order
        used_up = NodeStatus(freed=True, freed_at=mode.site, is_shared=True)
        has_followed = False
        for node in order:
            if node.__class__ is Leaf:
                has_followed = has_followed or node.grad_slot is None
                continue
            if node.status is None:
                node.status = used_up
            else:
                node.mark_freed(used_up)
            if mode.recorder is None and node.__class__ is ArrayNode:
                node.release()
        if has_followed:
            used = visited_by_script(order)
            clear_freed_status(set(order).difference(used))
    if mode.recorder is not None:
        mode.recorder.pass_ran(kind, roots, seeds, used)


def visited_by_script(order: list[Node]) -> list[Node]:
    """Return the nodes of ``order`` that a pass of the script itself visits, in the same order.

    The others are tracked only for a report, and the pass does not free them. An op node without inputs in
    ``order`` counts as visited: its gradient was requested.
    """
    found: set[Node] = set()
    members = set(order)
    for node in reversed(order):
        below = [x for x in node.inputs if x in members]
        if (
            node.grad_slot is not None
            if isinstance(node, Leaf)
            else not below or any(x in found for x in below)
        ):
            found.add(node)
    return [node for node in order if node in found]


def clear_freed_status(nodes: Iterable[Node]) -> None:
    """Clear the marks that say nodes were freed or overwritten; their values still exist unchanged."""
    for node in nodes:
        mark = node.status
        if mark is not None and mark.is_shared:
            node.status = None
        elif mark is not None:
            mark.freed = False
            mark.overwritten = mark.used = None
