"""The sweep of a backward pass: it propagates cotangents along the edges, newest node first.

``backward()``, ``grad()`` and the reports all use it. With ``lift`` the rules run on Tensors, so the pass
itself is recorded and can be differentiated again.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.fast_paths import is_fast, settings
from autodiff.core.base.lazy import Later, np, services
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.array_sweep import find_and_sweep, sweep_found
from autodiff.core.graph.node import ArrayNode, Leaf, Node, OpNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import enable_grad, no_grad
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import settle
from autodiff.core.graph.vjp import pull_back, pull_edge_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

short_rules = Later("autodiff.core.fast.array_vjp")
watching = Later("autodiff.core.engine.hooks")


def sweep(
    order: list[Node],
    seeds: dict[Node, Any],
    lift: bool = False,
    inner: bool = True,
    ends: Collection[Node] = (),
) -> dict[Node, Any]:
    """Return the cotangent of every node in ``order`` (newest first) that the seeds reach.

    ``seeds`` maps output nodes to their cotangents. With ``inner`` false, the result may omit nodes that are
    neither leaves nor retain their gradient. The rules of ``ends`` are not run.
    """
    is_short = is_fast and not lift
    regions = None
    if settings.has_begun and not inner and not lift:
        regions = services["fused ops"].regions(order)
    done: dict[Node, Any] = {}
    cotangents = dict(seeds)
    if is_short and not ends and (regions is None or not regions.uses):
        done, cotangents = sweep_found(order, seeds, inner)
        if not cotangents:
            return done
    known = cotangents.get
    pull: Callable[[Node, Any], list[tuple[Node, Any]]] = pull_back_lifted if lift else pull_back
    with enable_grad() if lift else no_grad(), np_errors_ignored(order):
        for node in order:
            g = known(node)
            if g is None or node.__class__ is Leaf or node in ends:
                continue
            if not inner and node.mark is None:
                del cotangents[node]  # frees memory: the cotangent may be a large array
            if regions is not None and node in regions.uses and regions.pass_back(node, g, cotangents):
                continue
            for below, contribution in (
                is_short and short_rules.pull_back_arrays(node, g, pull_edge_or_none)
            ) or pull(node, g):
                before = known(below)
                cotangents[below] = contribution if before is None else before + contribution
    return {**done, **cotangents}


def pass_back(seeds: dict[Node, Any], lift: bool) -> tuple[list[Node], dict[Node, Any]]:
    """Return every tracked node below the seeds, newest first, and the cotangents ``backward()`` needs."""
    run = passing()
    if is_fast and run is sweep and not lift and not settings.has_begun:
        found = find_and_sweep(seeds, sweep)
        if found is not None:
            return found
    order = newest_first(seeds)
    return order, run(order, seeds, lift=lift, inner=False)


def pass_back_at_once(root: Node, seed: Any) -> tuple[list[Node], dict[Node, Any]] | None:
    """Like ``pass_back`` from one root, but return None if it would fail or run code of the script."""
    if not is_fast or settings.has_begun:
        return None
    try:
        return find_and_sweep({root: seed}, None)
    except AutodiffError:
        return None


def passing() -> Callable[..., dict[Node, Any]]:
    """Return the sweep function for the script's passes: ``sweep``, or ``watched_sweep`` if needed."""
    return watching.watched_sweep if watching.watch.is_on else sweep


def pull_back_lifted(node: Node, g: Tensor) -> list[tuple[Node, Tensor]]:
    """Like ``pull_back``, but on Tensors that are recorded, so that the result can be differentiated."""
    assert isinstance(node, OpNode)
    node.check_saved()
    op = node.op
    op.begin_pass()
    out = Tensor.of(node.out, node, True)
    operands = tuple(
        value if below is None else Tensor.of(settle(np.asarray(value)), below, below.tracked)
        for below, value in zip(node.inputs, node.operands, strict=True)
    )
    pulled = []
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked:
            try:
                c = op.contribution(index, g, out, operands, node.params)
            except ArithmeticError:  # as in pull_edge_or_none: 1 / 0 raises, while tensors give inf
                constant = tuple(
                    Tensor.of(settle(np.asarray(v))) if v.__class__ is not Tensor else v for v in operands
                )
                c = op.contribution(index, g, out, constant, node.params)
            if c is None:
                continue
            if op.reads_input:
                c = OPS["contribution"](c, operands[index])
            if op.fused_backward and isinstance(c.node, OpNode):
                c.node.op = c.node.op.named(op.fused_backward)
            if op.is_elementwise and c.shape != operands[index].shape:
                c = OPS["sum_to"](c, shape=operands[index].shape)
            if c.dtype is not operands[index].dtype:
                c = OPS["to"](c, dtype=operands[index].dtype.name)
            pulled.append((below, c))
    return pulled


def np_errors_ignored(order: list[Node]) -> Any:
    """Return a context manager that silences numpy's warnings; it does nothing if no node is an ArrayNode.

    Passes through scalars alone must not import numpy.
    """
    if ArrayNode not in {node.__class__ for node in order}:
        return _NOTHING
    return np.errstate(all="ignore")


class _Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


_NOTHING = _Nothing()
