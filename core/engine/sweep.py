"""The sweep of a backward pass: it propagates cotangents along the edges, newest node first.

``backward()``, ``grad()`` and the reports all use it. With ``create_graph`` the rules run on Tensors, so the
pass itself is recorded and can be differentiated again.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.fast_paths import fusion_settings, is_fast
from autodiff.core.base.lazy_imports import LazyModule, np, services
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import ArrayNode, Leaf, Node, OpNode, ScalarNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import enable_grad, no_grad
from autodiff.core.graph.values import as_stored, fit_recorded
from autodiff.core.graph.vjp import edge_pullback_or_none, node_contributions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

array_rules = LazyModule("autodiff.core.fast.array_vjp")
reading = LazyModule("autodiff.core.engine.entries_read")
number_rules = LazyModule("autodiff.core.fast.recorded_numbers")
hooks_module = LazyModule("autodiff.core.engine.hooks")


#: Where powers, roots, logarithms, quotients and the inverses of sine and tanh have slopes of all orders.
REGULAR = 0.5


def sweep(
    order: list[Node],
    seeds: dict[Node, Any],
    create_graph: bool = False,
    keep_inner: bool = True,
    stop_nodes: Collection[Node] = (),
    within: Collection[Node] | None = None,
    kept: Collection[Node] | None = None,
    fixed: Mapping[Node, Any] | None = None,
) -> dict[Node, Any]:
    """Return the cotangent of every node in ``order`` (newest first) that the seeds reach.

    ``seeds`` maps output nodes to their cotangents. With ``keep_inner`` false, the result may omit nodes that
    are neither leaves nor retain their gradient. With ``kept``, it omits such nodes that are not among these.
    The rules of ``stop_nodes`` are not run.
    With ``within``, only the rules of edges to these nodes are run; it is not meant for ``create_graph``.
    ``fixed`` has masks of entries that pass nothing on, by node.
    """
    regions, is_dropped = None, kept is not None or not keep_inner
    if fusion_settings.has_begun and not keep_inner and not create_graph:
        regions = services["fused ops"].regions(order)
    cotangents = dict(seeds)
    known = cotangents.get
    pull: Callable[[Node, Any], list[tuple[Node, Any]]] = (
        recorded_contributions if create_graph else fast_contributions if is_fast else node_contributions
    )
    if within is not None:
        pull = partial(node_contributions, within=within)
    if fixed:
        pull = partial(recorded_contributions if create_graph else contributions_of_moving, fixed=fixed)
    with enable_grad() if create_graph else no_grad(), numpy_warnings_off(order):
        for node in order:
            g = known(node)
            if g is None or node.__class__ is Leaf or node in stop_nodes:
                continue
            if is_dropped and node.status is None and (kept is None or node not in kept):
                del cotangents[node]  # frees memory: the cotangent may be a large array
            if regions is not None and node in regions.uses and regions.pass_back(node, g, cotangents):
                continue
            for below, contribution in pull(node, g):
                before = known(below)
                cotangents[below] = contribution if before is None else before + contribution
    return cotangents


def fast_contributions(node: Node, g: Any) -> list[tuple[Node, Any]]:
    """As ``node_contributions``, by the fast path where it applies."""
    found: list[tuple[Node, Any]] | None = array_rules.pull_back_arrays(node, g, edge_pullback_or_none)
    return node_contributions(node, g) if found is None else found


def contributions_of_moving(node: Node, g: Any, fixed: Mapping[Node, Any]) -> list[tuple[Node, Any]]:
    """As ``node_contributions``, if nothing arrives at the entries that masks of ``fixed`` choose."""
    mask = fixed.get(node)
    if mask is None:
        return node_contributions(node, g)
    if np.all(mask):
        return []
    assert isinstance(node, OpNode)
    values, result = regular_values(node, mask)
    if values is not node.operands:
        node = ArrayNode(node.op, node.inputs, values, node.params, result, node.site)
    return node_contributions(node, as_stored(np.where(mask, np.zeros_like(g), g)))


def active_sweep() -> Callable[..., dict[Node, Any]]:
    """Return the sweep function for the script's passes: ``sweep``, or ``sweep_with_hooks`` if needed."""
    return hooks_module.sweep_with_hooks if hooks_module.pass_watch.is_active else sweep


def recorded_contributions(
    node: Node, g: Tensor, fixed: Mapping[Node, Any] | None = None
) -> list[tuple[Node, Tensor]]:
    """Like ``node_contributions``, but on Tensors that are recorded, so that the result can be
    differentiated. ``fixed`` is that of ``sweep``.
    """
    assert isinstance(node, OpNode)
    mask = None if fixed is None else fixed.get(node)
    if mask is not None:
        if np.all(mask):
            return []
        g = OPS["where"](np.asarray(mask), 0.0, g)
    elif is_fast and node.__class__ is ScalarNode:
        found: list[tuple[Node, Tensor]] | None = number_rules.recorded_numbers(node, g)
        if found is not None:
            return found
    node.check_saved()
    op = node.op
    op.reset_rule_cache()
    out = Tensor.of(node.out, node, True)
    operands = tuple(
        value if below is None else Tensor.of(as_stored(np.asarray(value)), below, below.tracked)
        for below, value in zip(node.inputs, node.operands, strict=True)
    )
    if mask is not None:
        values, result = regular_values(node, mask)
        out = with_regular(out, result)
        operands = tuple(map(with_regular, operands, values))
    pulled = []
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked:
            try:
                c = op.contribution(index, g, out, operands, node.params)
            except ArithmeticError:  # as in edge_pullback_or_none: 1 / 0 raises, while tensors give inf
                constant = tuple(
                    Tensor.of(as_stored(np.asarray(v))) if v.__class__ is not Tensor else v for v in operands
                )
                c = op.contribution(index, g, out, constant, node.params)
            if c is None:
                continue
            if op.reads_input:
                c = OPS["contribution"](c, operands[index])
            if op.fused_backward and isinstance(c.node, OpNode):
                c.node.op = c.node.op.named(op.fused_backward)
            pulled.append((below, fit_recorded(c, operands[index].shape, operands[index].dtype.name)))
    return pulled


def regular_values(node: OpNode, mask: Any) -> tuple[tuple[Any, ...], Any]:
    """The operands and the result of a node, as if ``REGULAR`` stood in entries that are not read.

    Those are read by entries of the result that pass nothing on, if at all. What is computed from them counts
    nowhere, but infinity times 0 would be nan.
    """
    if node.op.name in reading.CHOOSING:
        return node.operands, node.out  # their rules do not multiply
    values = []
    for value, read in zip(node.operands, reading.entries_read(node, ~mask), strict=True):
        x = np.asarray(value)
        if x.dtype.kind == "f" and not np.all(read):
            x = np.where(read, x, x.dtype.type(REGULAR))
            value = float(x) if value.__class__ is float else x
        values.append(value)
    if all(new is old for new, old in zip(values, node.operands, strict=True)):
        return node.operands, node.out
    result = node.op.forward(*map(np.asarray, values), **node.params)
    return tuple(values), as_stored(np.asarray(result))


def with_regular(x: Any, regular: Any) -> Any:
    """A Tensor with ``regular`` in entries that differ, which are no longer read; or ``regular`` itself."""
    if x.__class__ is not Tensor:
        return regular
    is_same = np.asarray(x.value) == np.asarray(regular)
    return x if is_same.all() else OPS["where"](is_same, x, regular)


def numpy_warnings_off(order: list[Node]) -> Any:
    """Return a context manager that silences numpy's warnings; it does nothing if no node is an ArrayNode.

    Passes through scalars alone must not import numpy.
    """
    if ArrayNode not in {node.__class__ for node in order}:
        return _NULL_CONTEXT
    return np.errstate(all="ignore")


class _NullContext:
    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


_NULL_CONTEXT = _NullContext()
