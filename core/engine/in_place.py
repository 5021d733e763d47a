"""In-place changes: the new value, node and flags of a tensor and of all tensors that share its memory.

The nodes that saved the old value keep it. The node that made it is marked with the version it had, so that a
backward pass that needs the old value fails, as with torch's version check. The rules are torch's:
https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.engine.aliasing import (
    Alias,
    ViewOrigin,
    live_objects,
    positions_in_base,
    root_base,
    tensors_sharing,
    version_counter_of,
    view_chain,
    view_origin_of,
    watch_node,
)
from autodiff.core.engine.in_place_checks import (
    StaleView,
    check_change,
    check_no_input_overlap,
    check_no_self_overlap,
    check_same_shape,
)
from autodiff.core.engine.retained_grads import NewViewNode, keep_grad_of, node_of_view, pass_by_views
from autodiff.core.engine.value_checks import require_castable
from autodiff.core.fast import tape
from autodiff.core.graph.node import InPlaceChange, Leaf, Node, OpNode, UnrecordedChange
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import VersionCounter


tensor_module = LazyModule("autodiff.core.engine.tensor")

#: View ops whose result has all entries of the base in the same row order.
ROW_ORDER_VIEWS = frozenset(["alias", "reshape", "squeeze", "unsqueeze"])


def assign_in_place(tensor: Tensor, result: Tensor, since: int = 0) -> Tensor:
    """Give ``tensor`` the value and history of ``result``, as in-place methods do; return ``tensor``.

    ``since`` is the number of the first node made by the change if it made several, else 0. These nodes may
    use the old value, because torch keeps a copy for them.
    """
    if result.tape is not None and tape.update_in_place(tensor, result):
        return tensor
    is_wanted = mode.enabled and (tensor.requires_grad_flag or result.requires_grad_flag)
    if is_wanted or tensor.alias is not None or not have_same_layout(tensor.value, result.value):
        check_change(tensor, (result,))
        check_no_self_overlap(tensor)
        check_same_shape(tensor, result.shape)
        if result.dtype is not tensor.dtype:
            require_castable(tensor, result)
            result = OPS["to"](result, dtype=tensor.dtype.name)
    if is_unreferenced(tensor) and not (mode.enabled and result.node is not None and result.node.tracked):
        versions = tensor.version_counter or version_counter_of(tensor)
        versions.count += 1
        versions.changed_by = ""
        versions.changed_at = mode.site
        tensor.value = result.value
        return tensor
    base = root_base(tensor)
    change = InPlaceChange(
        tensor.version_counter or version_counter_of(tensor), tensor.dtype, result.node, since, mode.site
    )
    if tensor.alias is None:
        mark_old_values([tensor], change)
        old, tensor.value = tensor.node, result.value
        set_history(tensor, old, result)
        return tensor
    group = tensors_sharing(tensor.alias)
    mark_old_values(group, change)
    if base is not tensor and mode.enabled:
        pass_by_views(tensor, base, result, since)
    made = result if base is tensor or not mode.enabled else updated_base(base, tensor, result)
    old = base.node
    value = updated_memory(tensor, result)
    write_values(base, group, value)
    set_history(base, old, made)
    if base is not tensor and result.node is not None:
        watch_node(change.version_counter, result.node)  # it may have saved the view's new value
    for other in group:
        if other is not base:
            update_sharing_tensor(other, change.version_counter)
    if base is not tensor and mode.enabled:
        move_retained_grad(tensor)
    return tensor


def change_by_operator(x: Tensor, other: Any, operate: Callable[[Any, Any], Any]) -> Tensor:
    """Run ``x += other`` or the like: change ``x`` to ``operate(x, other)``; return it."""
    is_result = x.stored_node is None and x.tape is not None and x.alias is None
    if not is_result or (isinstance(other, tensor_module.Tensor) and other.alias is not None):
        check_change(x, (other,))
        check_no_input_overlap(x, other)
    return assign_in_place(x, operate(x, other))


def have_same_layout(x: Any, y: Any) -> bool:
    """Whether both are numbers, or both are arrays of the same shape and dtype."""
    if x.__class__ is float or y.__class__ is float:
        return x.__class__ is y.__class__
    return x.shape == y.shape and x.dtype is y.dtype


def is_unreferenced(tensor: Tensor) -> bool:
    """Whether no graph and no other tensor refers to the value, as is usual for gradients."""
    versions = tensor.version_counter
    if versions is not None and (versions.nodes or versions.users):
        return False
    return tensor.alias is None and tensor.stored_node is None and tensor.tape is None


def mark_old_values(group: list[Tensor], change: InPlaceChange) -> None:
    """Mark the nodes of the old values as overwritten by ``change`` and count the change.

    ``group`` are the tensors that share the changed memory. A backward pass then fails at nodes that saved an
    old value, unless ``mode.follows_numpy``: the arrays of old values are still what they were.
    """
    versions = change.version_counter
    if mode.follows_numpy:
        versions.count += 1
        return
    for tensor in group:
        if tensor.version_counter is versions and (node := tensor.node) is not None:
            node.own_status().overwritten = change.for_tensor(tensor)
    if versions.nodes:
        for node in live_objects(versions.nodes):
            if node.status is None or node.status.overwritten is None:
                node.own_status().overwritten = change
        versions.nodes.clear()
    for user, shape in versions.users:
        node = user()
        if node is not None and node.number < change.since:
            mark = node.own_status()
            mark.used = mark.used or (change, shape)
    versions.users.clear()
    versions.count += 1
    for tensor in group:
        version_counter_of(tensor).changed_at = mode.site


def updated_base(base: Tensor, view: Tensor, result: Tensor) -> Tensor:
    """Return ``base`` with the entries that ``view`` shows replaced by ``result``, recorded in the graph."""
    assert view.alias is not None
    recipes = view_chain(view.alias, base.alias)
    if len(recipes) == 1 and recipes[0].op.name in ("select", "slice"):  # so derivations show an index
        params = recipes[0].params
        at = params["index"] if "index" in params else slice(params["start"], params["stop"], params["step"])
        basic = (*(slice(None),) * params["dim"], at)
        return OPS["index_put"](base, result, basic=basic, advanced=())  # type: ignore[no-any-return] # a Tensor
    positions = positions_in_base(recipes)
    return OPS["write_through"](base, result, positions=positions)  # type: ignore[no-any-return] # a Tensor


def updated_memory(tensor: Tensor, result: Tensor) -> Any:
    """Return the new value of the whole memory that contains ``tensor``, without recording."""
    alias = tensor.alias
    if alias is None or alias.recipe is None:
        return result.value
    recipes = view_chain(alias, None)
    whole = recipes[0].base.data
    if all(recipe.op.name in ROW_ORDER_VIEWS for recipe in recipes):
        return tensor_module.as_stored(result.data.reshape(whole.shape))
    value = whole.copy()
    value.reshape(-1)[positions_in_base(recipes)] = result.data
    return tensor_module.as_stored(value)


def write_values(base: Tensor, group: list[Tensor], value: Any) -> None:
    """Set the value of every tensor in the group to its part of ``value``, the new memory."""
    shown: dict[Alias, Any] = {}
    for tensor in group:
        alias = tensor.alias
        if alias is None or alias.recipe is None:
            tensor.value = value
            continue
        if alias not in shown:
            recipe = alias.recipe
            shown[alias] = tensor_module.as_stored(recipe.op.forward(recipe.base.data, **recipe.params))
        tensor.value = shown[alias]


def set_history(base: Tensor, old: Node | None, made: Tensor) -> None:
    """Set the node and flags of ``base`` after it got the value of ``made``; ``old`` is its old node."""
    node = made.node
    if mode.enabled and node is not None and node.tracked:
        base.node = node
        if old is not None and node.name is None:
            node.name = old.name  # the next value of the variable
        base.requires_grad_flag = made.requires_grad_flag or base.requires_grad_flag
        move_retained_grad(base)
    elif old is not None:
        replace_node_unrecorded(base, old)
    if base.version_counter is not None:
        grad_fn = base.grad_fn
        base.version_counter.changed_by = "" if grad_fn is None else grad_fn.grad_fn_name


def move_retained_grad(tensor: Tensor) -> None:
    """After ``retain_grad()``, keep the gradient of the tensor's new node."""
    if tensor.retains_grad and tensor.node is not None and tensor.grad_slot is not None:
        keep_grad_of(tensor.node, tensor.grad_slot)


def update_sharing_tensor(tensor: Tensor, versions: VersionCounter) -> None:
    """Set the node of a tensor whose memory was changed through another tensor; a view follows its base."""
    old, recipe = tensor.node, view_origin_of(tensor)
    if old is not None and tensor.version_counter is not None:
        watch_node(
            tensor.version_counter, old
        )  # nodes that saved its value may use it until a counted change
    if recipe is not None and tensor.dtype.is_floating_point:
        base = root_base(tensor)
        if (
            old is not None
            and base.requires_grad_flag
            and not recipe.is_recordable
            and tensor.version_counter is versions
        ):
            tensor.node = StaleView(recipe, tensor.value, old)
            return
        if base.node is not None and recipe.is_recordable and base.node.tracked:
            assert tensor.alias is not None
            made = node_of_view(base.node, base.data, view_chain(tensor.alias, base.alias))
            if tensor.version_counter is versions:
                made.op = made.op.named("AsStridedBackward0")  # torch also loses the op that made the view
            if old is not None:
                made.site, made.name = old.site, old.name
            made.out = tensor.value
            tensor.node = made
            tensor.requires_grad_flag = base.requires_grad_flag
            if tensor.grad_slot is not None and tensor.retains_grad:
                made.own_status().grad_slot = tensor.grad_slot
                made.__class__ = NewViewNode
            watch_node(versions, made)
            return
    if old is not None:
        replace_node_unrecorded(tensor, old)
        if tensor.version_counter is not None and tensor.node is not None:
            watch_node(tensor.version_counter, tensor.node)


def replace_node_unrecorded(tensor: Tensor, old: Node) -> None:
    """Give a tensor that was changed without recording a new node; gradients flow as before the change."""
    value = tensor.value
    node: Node
    if isinstance(old, Leaf):
        node = Leaf(value, tracked=old.tracked, grad_slot=old.grad_slot, site=old.site)
    elif not old.tracked:
        node = Leaf(value, tracked=False, site=old.site)
    else:
        assert isinstance(old, OpNode)
        op = OPS["clone"].named(old.grad_fn_name)
        node = UnrecordedChange(op, (old,), (np.asarray(old.out),), {}, value, old.site)
    node.name = old.name
    tensor.node, tensor.value = node, node.out


def reshape_in_place(tensor: Tensor, result: Tensor) -> Tensor:
    """Give ``tensor`` another shape, as ``unsqueeze_`` does; ``result`` is a view of it with that shape.

    If its memory is shared, a new tensor with the old shape takes its place for its aliases and views.
    """
    alias, recipe = tensor.alias, view_origin_of(result)
    if recipe is None:  # a 0-d tensor has no dimensions to swap, so `result` is no view
        return assign_in_place(tensor, result)
    assert alias is not None
    # The alias of `result` itself is dropped; all other views stay views of the tensor with the old shape.
    views = [view for view in live_objects(alias.views) if view is not result.alias]
    alias.views[:] = [ref(view) for view in views]
    versions = version_counter_of(tensor)
    versions.nodes[:] = [node for node in versions.nodes if node() is not result.node]
    others = [other for other in live_objects(alias.members) if other is not tensor]
    old = tensor.node
    mark_old_values(tensors_sharing(alias), InPlaceChange(versions, tensor.dtype, result.node, 0, mode.site))
    if not others and not views and alias.recipe is None:
        tensor.alias = None
    else:
        split_off_old_shape(tensor, alias, recipe, views)
    tensor.value = result.value
    if mode.enabled and result.node is not None and result.node.tracked:
        tensor.node, result.node.name = result.node, None if old is None else old.name
    elif old is not None:
        replace_node_unrecorded(tensor, old)
    for other in tensors_sharing(alias):
        if other is not tensor:
            update_sharing_tensor(other, versions)
    grad_fn = tensor.grad_fn
    versions.changed_by = "" if grad_fn is None else grad_fn.grad_fn_name
    return tensor


def split_off_old_shape(tensor: Tensor, alias: Alias, recipe: ViewOrigin, views: list[Alias]) -> None:
    """Make ``tensor`` a view of a new tensor with its old shape, which takes over its aliases and views."""
    before = tensor.of(tensor.value, tensor.node, tensor.requires_grad_flag)
    before.version_counter, before.alias = tensor.version_counter, alias
    alias.members[:] = [member for member in alias.members if member() is not tensor]
    alias.members.append(ref(before))
    if alias.owner() is tensor:
        alias.owner = alias.members[-1]
    for view in views:
        assert view.recipe is not None
        if view.recipe.base is tensor:
            view.recipe.base = before
    recipe.base = before
    tensor.alias = Alias(tensor, recipe)
    alias.views.append(ref(tensor.alias))
