"""Backward passes with hooks, which may change gradients, and with anomaly mode, which checks for nan.

Passes without either take the plain ``sweep`` and have no overhead from this module.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node, OpNode, recorded_node
from autodiff.core.graph.state import enable_grad, mode, no_grad
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Protocol

    from autodiff.core.base.source import Span

    class Hook(Protocol):
        name: str

        def __call__(self, gradient: Tensor, /) -> Any: ...


class PassWatch:
    """The hooks of all nodes and the anomaly mode; ``pass_watch`` is the only instance.

    ``hooks`` maps each node to its hooks by handle. ``anomaly``: a nan in a pass is an error. ``answered``
    lists the nodes whose gradients hooks replaced in the last pass, each with the span that registered the
    hook. ``after`` maps each leaf to the hooks that run when its ``.grad`` is filled, with their tensors.
    """

    __slots__ = ("after", "anomaly", "answered", "hooks")

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Reset everything for a new script."""
        self.anomaly = False
        self.hooks: dict[Node, dict[HookHandle, Hook]] = {}
        self.after: dict[Node, dict[HookHandle, tuple[Tensor, Hook]]] = {}
        self.answered: list[tuple[Node, Span | None]] = []

    @property
    def is_active(self) -> bool:
        """Whether passes must use ``sweep_with_hooks``."""
        return self.anomaly or bool(self.hooks) or bool(self.after)


pass_watch = PassWatch()


class HookHandle:
    """The result of ``register_hook``; ``remove()`` unregisters the hook."""

    __slots__ = ("node", "site")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.site = mode.site

    def remove(self) -> None:
        """Unregister the hook; do nothing if it is unregistered already."""
        tables: tuple[dict[Node, dict[HookHandle, Any]], ...] = (pass_watch.hooks, pass_watch.after)
        for table in tables:
            hooks = table.get(self.node, {})
            hooks.pop(self, None)
            if not hooks:
                table.pop(self.node, None)


def need_gradient(x: Tensor) -> Node:
    """Return the node of ``x``; raise GradientError where no gradient arrives."""
    if not x.requires_grad_flag or x.node is None:
        raise GradientError(
            "cannot register a hook on a tensor that doesn't require gradient",
            code="E0410",
            operands=(x,),
            caret="no gradient will ever come here",
            help=("make an input with requires_grad=True",),
        )
    return recorded_node(x.node)


def register_post_accumulate_grad_hook(x: Tensor, hook: Hook) -> HookHandle:
    """Register ``hook(x)`` on the leaf ``x``, to be called whenever backward() has filled ``x.grad``."""
    node = need_gradient(x)
    if node.__class__ is not Leaf:
        raise GradientError(
            "post accumulate grad hooks cannot be registered on non-leaf tensors",
            code="E0411",
            operands=(x,),
            caret="backward() fills `.grad` of leaves alone",
            help=("register_hook() is called with the gradient of any tensor",),
        )
    handle = HookHandle(node)
    pass_watch.after.setdefault(node, {})[handle] = (x, hook)
    return handle


def run_hooks_after(leaves: list[Node]) -> None:
    """Call the hooks of leaves whose ``.grad`` a pass has filled."""
    site = mode.site
    for leaf in leaves:
        for x, hook in list(pass_watch.after.get(leaf, {}).values()):
            hook(x)
            mode.site = site


def register_hook(x: Tensor, hook: Hook) -> HookHandle:
    """Register ``hook(gradient)`` on ``x``; a tensor that it returns replaces the gradient."""
    handle = HookHandle(need_gradient(x))
    pass_watch.hooks.setdefault(handle.node, {})[handle] = hook
    return handle


def sweep_with_hooks(
    order: list[Node],
    seeds: dict[Node, Any],
    create_graph: bool = False,
    keep_inner: bool = True,
    stop_nodes: Collection[Node] = (),
) -> dict[Node, Any]:
    """Like ``sweep``, but call the hooks and, in anomaly mode, check every contribution for nan.

    As in torch, a leaf's hooks run as soon as its gradient is complete, an inner node's when the sweep
    reaches the node.
    """
    from autodiff.core.engine.sweep import numpy_warnings_off, recorded_contributions
    from autodiff.core.graph.vjp import node_contributions

    cotangents = dict(seeds)
    pass_watch.answered.clear()
    members = set(order)
    pending_uses: dict[Node, int] = {}
    for node in order:
        for below in node.inputs:
            if below.__class__ is Leaf and below in members:
                pending_uses[below] = pending_uses.get(below, 0) + 1
    with enable_grad() if create_graph else no_grad(), numpy_warnings_off(order):
        for node in order:
            if node.__class__ is Leaf:
                if node not in pending_uses and node in cotangents:  # the output itself is a leaf
                    cotangents[node] = run_hooks(node, cotangents[node], create_graph)
                continue
            g = cotangents.get(node)
            if g is not None:
                g = cotangents[node] = run_hooks(node, g, create_graph)
            if g is not None and node not in stop_nodes:
                pulled = recorded_contributions(node, g) if create_graph else node_contributions(node, g)
                places = iter(enumerate(node.inputs))
                for below, contribution in pulled:
                    if pass_watch.anomaly:
                        index = next(at for at, operand in places if operand is below)
                        check_no_nan(node, index, contribution)
                    before = cotangents.get(below)
                    cotangents[below] = contribution if before is None else before + contribution
            for below in node.inputs:
                if below in pending_uses:
                    pending_uses[below] -= 1
                    if not pending_uses[below] and below in cotangents:
                        cotangents[below] = run_hooks(below, cotangents[below], create_graph)
    return cotangents


def run_hooks(node: Node, g: Any, create_graph: bool) -> Any:
    """Return gradient ``g`` after the hooks of ``node``; each hook gets the result of the one before."""
    site = mode.site
    for handle, hook in list(pass_watch.hooks.get(node, {}).items()):
        given = g if create_graph else Tensor.of(as_stored(g))
        answer = hook(given)
        if answer is None:
            mode.site = site
            continue
        if not isinstance(answer, Tensor):
            raise GradientError(
                f"expected Variable, but hook returned '{type(answer).__name__}'",
                code="E0412",
                caret="a hook returns the gradient to go on with, or nothing",
            )
        if answer.dtype is not given.dtype:
            raise GradientError(
                f"hook '{hook.name}' has changed the type of value (was {given.dtype.tensor_type_name} got"
                f" {answer.dtype.tensor_type_name})",
                code="E0413",
                operands=(answer,),
                caret=f"the gradient holds {given.dtype.name} numbers",
                help=("return a gradient of the type that came in, as in `.to(g.dtype)`",),
            )
        if answer.shape != given.shape:
            raise GradientError(
                f"hook '{hook.name}' has changed the size of value",
                code="E0413",
                operands=(answer,),
                caret=f"the gradient has shape {given.shape}",
                help=("return a gradient of the shape that came in",),
            )
        g = answer if create_graph else answer.value
        pass_watch.answered.append((node, handle.site))
        mode.site = site  # the line that started the pass; running the hook changed mode.site
    return g


def check_no_nan(node: Node, index: int, contribution: Any) -> None:
    """Raise anomaly mode's error if the contribution of ``node`` to its operand ``index`` contains nan."""
    value = contribution.value if isinstance(contribution, Tensor) else contribution
    if not np.isnan(value).any():
        return
    error = GradientError(
        f"Function '{node.grad_fn_name}' returned nan values in its {index}th output.",
        code="E0416",
        caret="this pass meets a nan",
        help=("look at the values of that line: a root or a quotient of 0 has no finite slope",),
    )
    assert isinstance(node, OpNode)
    from autodiff.core.graph.saved_values import with_node_label

    raise with_node_label(node, error, "the derivative of this is nan here")
