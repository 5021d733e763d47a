"""Changes in place: what a tensor becomes, and everything that shares its memory with it.

The old value stays with the nodes that saved it. The node that made it is marked with the version it had,
so that a backward pass which needs the value refuses, as torch's version check does. The rules are torch's:
https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.errors import GradientError, ShapeError
from autodiff.core.lazy import np
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Change, Leaf, Node, OpNode, name_in_messages
from autodiff.core.op import OPS
from autodiff.core.requirements import need_room
from autodiff.core.sharing import (
    Alias,
    Recipe,
    base_of,
    counter_of,
    keep_in_sight,
    live,
    positions_of,
    recipe_of,
    recipes_between,
    sharing_memory,
    whole_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from autodiff.core.node import VersionCounter
    from autodiff.core.tensors import Tensor

MADE_UNDER_NO_GRAD = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by"
    " moving both the view and the inplace either both inside the no_grad block (if you don't want the"
    " inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
ONE_OF_SEVERAL = (
    " This view is the output of a function that returns multiple views. Such functions do not allow the"
    " output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
OVERLAPS_AN_INPUT = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single"
    " memory location. Please clone() the tensor before performing the operation."
)
OVERLAPS_ITSELF = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory"
    " location. Please clone() the tensor before performing the operation."
)


# -- what may be changed --------------------------------------------------------------------------------


def refuse_change(tensor: Tensor, others: Iterable[Any] = (), part: bool = False) -> None:
    """Refuse a change that torch refuses: of leaves that require a gradient, and of views it cannot follow.

    ``others`` are what the change computes with. ``part`` says that it goes through a view that has no tensor
    of its own, as in ``x[0] = 1``.
    """
    if not mode.enabled:
        return
    if not tensor.requires_grad and not any(getattr(x, "requires_grad", False) for x in others):
        return
    recipe = recipe_of(tensor)
    if recipe is not None:
        refuse_view(tensor, recipe)
    if not tensor.requires_grad:
        return
    base = base_of(tensor)
    of_a_view = part or recipe is not None
    if base.is_leaf if of_a_view else tensor.is_leaf:
        view = "view of a " if of_a_view else ""
        raise GradientError(
            f"a {view}leaf Variable that requires grad is being used in an in-place operation.",
            code="E0407",
            operands=(base,),
            caret="this leaf would lose the value its gradient belongs to",
            help=("update it inside `with torch.no_grad():`",),
        )


def refuse_view(view: Tensor, recipe: Recipe) -> None:
    """Refuse to change a view of which torch does not know how its base would change."""
    if recipe.is_followed:
        return
    raise unfollowed(
        recipe,
        view.grad_fn,
        "is being",
        "take the part by its index, as in `x[0]`, or a copy with `.clone()`"
        if recipe.piece is not None
        else "make the view outside of `no_grad()`, or change it inside",
    )


def unfollowed(recipe: Recipe, made_by: Node | None, changed: str, advice: str) -> GradientError:
    """The error, in torch's words, for views that were made several at once or under ``no_grad``."""
    several = recipe.piece is not None
    maker = "" if made_by is None else name_in_messages(made_by.grad_fn_name)
    if several and maker:
        message = f"Output {recipe.piece} of {maker} is a view and {changed} modified inplace."
    else:
        start = f"Output 0 of {maker} is a view of a view which" if maker else "A view"
        message = (
            f"{start} was created in no_grad mode and {changed} modified inplace with grad mode enabled."
        )
    return GradientError(
        message + (ONE_OF_SEVERAL if several else MADE_UNDER_NO_GRAD),
        code="E0415",
        caret="this is one of several views that were made at once"
        if several
        else "this view was made under no_grad(), and the graph knows nothing of it",
        help=(advice,),
    )


class StaleView(Leaf):
    """Stands for a view that torch cannot follow and whose base has changed: who asks for it is refused."""

    __slots__ = ("made_by", "recipe")

    def __init__(self, recipe: Recipe, value: Any, old: Node) -> None:
        self.number = old.number
        self.out = value
        self.site = old.site
        self.name = old.name
        self.mark = None
        self.cell = None
        self.recipe = recipe
        self.made_by = old.made_by if isinstance(old, StaleView) else None if old.op is None else old

    @property
    def tracked(self) -> bool:  # type: ignore[override]
        """Whether gradients flow here, which nobody can say."""
        raise unfollowed(
            self.recipe, self.made_by, "its base or another view of its base has been", "make the view again"
        )


def refuse_overlap(tensor: Tensor) -> None:
    """Refuse to change a tensor that shows one number in several places, as ``expand`` makes them."""
    if shows_numbers_twice(tensor):
        raise GradientError(
            OVERLAPS_ITSELF,
            code="E0415",
            operands=(tensor,),
            caret="some of these entries are one and the same number",
            help=("take a copy first: `.clone()`",),
        )


def shows_numbers_twice(tensor: Tensor) -> bool:
    """Whether ``expand`` has made several entries of one."""
    alias = tensor.alias
    if alias is None or alias.recipe is None:
        return False
    recipes = recipes_between(alias, None)
    if all(recipe.op.name != "expand" for recipe in recipes):
        return False
    positions = positions_of(recipes)
    return bool(np.unique(positions).size < positions.size)


def refuse_input(tensor: Tensor, other: Any) -> None:
    """Refuse to compute a change from a tensor that shows some of the same memory in another order.

    As in torch this is found for tensors without gaps only: of those the first and the last entry tell.
    """
    alias = tensor.alias
    if alias is None or other is tensor or other.__class__ is not tensor.__class__ or other.alias is None:
        return
    if other.alias is alias or whole_of(alias) is not whole_of(other.alias):
        return
    places = [memory_of(tensor), memory_of(other)]
    first, last = (((p.min(), p.max()) if p.size else (0, -1)) for p in places)
    if any(high - low + 1 != p.size for (low, high), p in zip((first, last), places, strict=True)):
        return
    if first == last and (places[0].shape != places[1].shape or np.array_equal(*places)):
        return
    if first[0] <= last[1] and last[0] <= first[1]:
        raise GradientError(
            OVERLAPS_AN_INPUT,
            code="E0415",
            operands=(tensor, other),
            caret="what is changed is read here at the same time, in another order",
            help=("take a copy of what is read: `.clone()`",),
        )


def memory_of(tensor: Tensor) -> Any:
    """The entries of the shared memory that the tensor shows."""
    assert tensor.alias is not None
    recipes = recipes_between(tensor.alias, None)
    return positions_of(recipes) if recipes else np.arange(tensor.size).reshape(tensor.shape)


# -- the change -----------------------------------------------------------------------------------------


def assign_in_place(tensor: Tensor, result: Tensor, since: int = 0) -> Tensor:
    """Have ``tensor`` take on the value and history of ``result``, as in-place methods do; returns it.

    ``since`` is the number from which on the nodes of the change were made, where it may have been several:
    they may use the value of before, of which torch keeps a copy for them.
    """
    refuse_change(tensor, (result,))
    refuse_overlap(tensor)
    if result.shape != tensor.shape:
        raise ShapeError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(result.shape)}",
            operands=(tensor,),
        )
    if result.dtype is not tensor.dtype:
        need_room(tensor, result)
        result = OPS["to"](result, dtype=tensor.dtype.name)
    base = base_of(tensor)
    change = Change(tensor.versions or counter_of(tensor), result.node, since, mode.site)
    group = [tensor] if tensor.alias is None else sharing_memory(tensor.alias)
    mark_old_values(group, change)
    made = result if base is tensor else base_after(base, tensor, result)
    old = base.node
    value = new_memory(tensor, result)
    write(base, group, value)
    give_history(base, old, made)
    for other in group:
        if other is not base:
            follow(other, change.versions)
    return tensor


def mark_old_values(group: list[Tensor], change: Change) -> None:
    """Mark the nodes that made what is shown now: whoever saved these values cannot use them any more."""
    versions = change.versions
    for tensor in group:
        if tensor.versions is versions and tensor.node is not None:
            tensor.node.set_mark().overwritten = change.seen_by(tensor)
    for node in live(versions.nodes):
        if node.mark is None or node.mark.overwritten is None:
            node.set_mark().overwritten = change
    versions.nodes.clear()
    versions.count += 1


def base_after(base: Tensor, view: Tensor, result: Tensor) -> Tensor:
    """What the base of a view is when the entries that the view shows are those of ``result``."""
    assert view.alias is not None
    positions = positions_of(recipes_between(view.alias, base.alias))
    return OPS["write_through"](base, result, positions=positions)  # type: ignore[no-any-return]


def new_memory(tensor: Tensor, result: Tensor) -> Any:
    """All of the memory of which ``tensor`` shows some, after the change."""
    from autodiff.core.tensors import settle

    alias = tensor.alias
    if alias is None or alias.recipe is None:
        return result.value
    recipes = recipes_between(alias, None)
    value = recipes[0].base.data.copy()
    value.reshape(-1)[positions_of(recipes)] = result.data
    return settle(value)


def write(base: Tensor, group: list[Tensor], value: Any) -> None:
    """Let every tensor of the group show its part of the new memory."""
    from autodiff.core.tensors import settle

    shown: dict[Alias, Any] = {}
    for tensor in group:
        alias = tensor.alias
        if alias is None or alias.recipe is None:
            tensor.value = value
            continue
        if alias not in shown:
            recipe = alias.recipe
            shown[alias] = settle(recipe.op.forward(recipe.base.data, **recipe.params))
        tensor.value = shown[alias]


def give_history(base: Tensor, old: Node | None, made: Tensor) -> None:
    """The history of a tensor whose value has changed to that of ``made``."""
    if made.node is not None and made.node.tracked:
        base.node = made.node
        base.requires_grad = made.requires_grad or base.requires_grad
        if old is not None and old.mark is not None and old.mark.cell is not None and base.cell is not None:
            # retain_grad() was asked for: what is kept is the gradient of the tensor as it is now.
            base.node.set_mark().cell, old.mark.cell = base.cell, None
    elif old is not None:
        base.node = unrecorded_change(old, base.value)
    grad_fn = base.grad_fn
    if base.versions is not None:
        base.versions.changed_by = "" if grad_fn is None else grad_fn.grad_fn_name


def follow(tensor: Tensor, versions: VersionCounter) -> None:
    """The history of a tensor whose memory was changed through another: of a view, that of its base."""
    old, recipe = tensor.node, recipe_of(tensor)
    if recipe is not None and tensor.dtype.is_floating_point:
        base = recipe.base
        if old is not None and base.requires_grad and not recipe.is_followed and tensor.versions is versions:
            tensor.node = StaleView(recipe, tensor.value, old)
            return
        if base.node is not None and recipe.is_followed and base.node.tracked:
            op = recipe.op
            if tensor.versions is versions:
                op = op.named("AsStridedBackward0")  # torch no longer knows how it was made either
            site = mode.site if old is None else old.site
            made = ArrayNode(op, (base.node,), (base.data,), recipe.params, tensor.value, site)
            made.name = None if old is None else old.name
            tensor.node = made
            tensor.requires_grad = base.requires_grad
            keep_in_sight(versions, made)
            return
    if old is not None:
        tensor.node = unrecorded_change(old, tensor.value)
        if tensor.versions is not None:
            keep_in_sight(tensor.versions, tensor.node)


def unrecorded_change(old: Node, value: Any) -> Node:
    """The node of a tensor that was changed unseen by the graph: gradients go on as before."""
    node: Node
    if isinstance(old, Leaf):
        node = Leaf(value, tracked=old.tracked, cell=old.cell, site=old.site)
    elif not old.tracked:
        node = Leaf(value, tracked=False, site=old.site)
    else:
        assert isinstance(old, OpNode)
        op = OPS["clone"].named(old.grad_fn_name)
        node = ArrayNode(op, (old,), (np.asarray(old.out),), {}, value, old.site)
    node.name = old.name
    return node


def reshape_in_place(tensor: Tensor, result: Tensor) -> Tensor:
    """Have ``tensor`` take on another shape, as ``unsqueeze_`` does; ``result`` is a view of it.

    Where its memory is shared, what it was lives on beside it, for its aliases and views.
    """
    alias, recipe = tensor.alias, recipe_of(result)
    if recipe is None:  # a single number has no dimensions to exchange
        return assign_in_place(tensor, result)
    assert alias is not None
    change = Change(counter_of(tensor), result.node, 0, mode.site)
    if tensor.node is not None:
        tensor.node.set_mark().overwritten = change.seen_by(tensor)
    change.versions.count += 1
    name = None if tensor.node is None else tensor.node.name
    others = [other for other in live(alias.members) if other is not tensor]
    # The view that result was made as is gone with it; all other views look at what is left behind.
    views = [view for view in live(alias.views) if view is not result.alias]
    if not others and not views and alias.recipe is None:
        tensor.alias = None
    else:
        leave_behind(tensor, alias, recipe, views)
    tensor.value = result.value
    if mode.enabled and result.node is not None and result.node.tracked:
        tensor.node, result.node.name = result.node, name
    elif tensor.node is not None:
        tensor.node = unrecorded_change(tensor.node, tensor.value)
    grad_fn = tensor.grad_fn
    change.versions.changed_by = "" if grad_fn is None else grad_fn.grad_fn_name
    return tensor


def leave_behind(tensor: Tensor, alias: Alias, recipe: Recipe, views: list[Alias]) -> None:
    """Make ``tensor`` a view of what it was, which its aliases and views go on sharing memory with."""
    before = tensor.__class__(tensor.value, tensor.node, tensor.requires_grad)
    before.versions, before.alias = tensor.versions, alias
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
