"""Tensors that share memory in torch: a tensor, its ``.data``, its ``detach()``, and views of any of them.

Arrays are never mutated here, so sharing is kept as knowledge: aliases take on one value together, and a
view remembers how it was made and is made again when its base changes in place.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.errors import GradientError, ShapeError
from autodiff.core.lazy import np
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Leaf, Node, OpNode, VersionCounter
from autodiff.core.op import OPS, Op
from autodiff.core.requirements import need_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from autodiff.core.tensors import Tensor

    T = TypeVar("T")


class Recipe:
    """How a view was made from its base."""

    __slots__ = ("base", "op", "params")

    def __init__(self, base: Tensor, op: Op, params: dict[str, Any]) -> None:
        self.base = base
        self.op = op
        self.params = params


class Alias:
    """One shared value: who holds it (``members``), who looks into it (``views``), whose part it is.

    ``nodes`` are those of all views, which a graph may need longer than there are tensors: ``h[0]`` in
    ``h[1] = h[0] * s``. A view has them in common with its base.
    """

    __slots__ = ("members", "nodes", "recipe", "views")

    def __init__(self, recipe: Recipe | None = None) -> None:
        self.members: list[ref[Tensor]] = []
        self.views: list[ref[Tensor]] = []
        self.recipe = recipe
        self.nodes: list[ref[ArrayNode]] = []
        if recipe is not None and recipe.base.alias is not None:
            self.nodes = recipe.base.alias.nodes


def live(refs: list[ref[T]]) -> list[T]:
    """The tensors or nodes that still exist."""
    return [tensor for r in refs if (tensor := r()) is not None]


def enter(refs: list[ref[T]], kept: T) -> None:
    """Add a tensor or a node, and at every doubling forget those that are gone."""
    if len(refs) >= 8 and not len(refs) & (len(refs) - 1):
        refs[:] = [r for r in refs if r() is not None]
    refs.append(ref(kept))


def share(tensor: Tensor, other: Tensor) -> None:
    """Let ``other`` be another holder of the value of ``tensor``."""
    if tensor.alias is None:
        tensor.alias = Alias()
    if not tensor.alias.members:
        tensor.alias.members.append(ref(tensor))
    other.alias = tensor.alias
    enter(tensor.alias.members, other)


def note_view(view: Tensor, base: Tensor, op: Op, params: dict[str, Any]) -> None:
    """Remember that ``view`` is ``op(base, **params)`` and shares its memory in torch."""
    if base.alias is None:
        base.alias = Alias()
    enter(base.alias.views, view)
    view.alias = Alias(Recipe(base, op, params))
    if view.node.__class__ is ArrayNode:
        enter(view.alias.nodes, view.node)


def assign_in_place(tensor: Tensor, result: Tensor) -> Tensor:
    """Have ``tensor`` take on the value and history of ``result``, as in-place methods do; returns it.

    The old value stays with the nodes that saved it; a Mark on the old node lets backward refuse.
    """
    refuse_leaf(tensor)
    if result.shape != tensor.shape:
        raise ShapeError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(result.shape)}",
            operands=(tensor,),
        )
    if result.dtype is not tensor.dtype:
        need_room(tensor, result)
        result = OPS["to"](result, dtype=tensor.dtype.name)
    alias = tensor.alias
    if alias is not None and alias.recipe is not None:
        write_through(tensor, alias.recipe, result)
        return tensor
    versions = count_change(tensor, result.node)
    old = tensor.node
    if result.node is not None and result.node.tracked:
        tensor.node = result.node
        tensor.requires_grad = result.requires_grad or tensor.requires_grad
    elif old is not None and old.tracked and isinstance(old, OpNode):
        tensor.node = passed_on(old, result.value)
    elif old is not None:
        cell = old.cell if isinstance(old, Leaf) else None
        tracked = old.tracked and isinstance(old, Leaf)
        tensor.node = Leaf(result.value, tracked=tracked, cell=cell, site=old.site)
        tensor.node.name = old.name
    grad_fn = tensor.grad_fn
    versions.changed_by = "" if grad_fn is None else grad_fn.grad_fn_name
    tensor.value = result.value
    if alias is not None:
        for member in live(alias.members):
            member.value = result.value
            if member is not tensor and isinstance(member.node, Leaf):
                # `w.data -= ...` goes unnoticed by the version check, but what w is from now on is this.
                leaf = member.node
                member.node = Leaf(result.value, tracked=leaf.tracked, cell=leaf.cell, site=leaf.site)
                member.node.name = leaf.name
        remake_views(tensor, versions)
    return tensor


def passed_on(old: OpNode, value: Any) -> Node:
    """The node of a computed tensor that was changed unseen by the graph: gradients go on as before."""
    op = OPS["clone"].named(old.grad_fn_name)
    node = ArrayNode(op, (old,), (np.asarray(old.out),), {}, value, old.site)
    node.name = old.name
    return node


def refuse_leaf(tensor: Tensor, part: bool = False) -> None:
    """A leaf that requires a gradient, or a view of one, may only be changed under ``no_grad``.

    ``part`` says that the change goes through a view that has no tensor of its own, as in ``x[0] = 1``.
    """
    if not mode.enabled or not tensor.requires_grad:
        return
    base = tensor
    while base.alias is not None and base.alias.recipe is not None:
        base = base.alias.recipe.base
    if isinstance(base.node, Leaf) or isinstance(tensor.node, Leaf):
        view = "view of a " if part or base is not tensor else ""
        raise GradientError(
            f"a {view}leaf Variable that requires grad is being used in an in-place operation.",
            code="E0407",
            operands=(base,),
            caret="this leaf would lose the value its gradient belongs to",
            help=("update it inside `with torch.no_grad():`",),
        )


def count_change(tensor: Tensor, by: Node | None) -> VersionCounter:
    """One more change in place: the node that made the old value is marked with the version it had."""
    if tensor.versions is None:
        tensor.versions = VersionCounter()
    if tensor.node is not None:
        tensor.node.set_mark().overwritten = (tensor.versions, tensor.versions.count, by, mode.site)
    tensor.versions.count += 1
    return tensor.versions


def write_through(view: Tensor, recipe: Recipe, result: Tensor) -> None:
    """Change a base through one of its views: the entries the view shows take the new values."""
    base = recipe.base
    if mode.enabled and (result.requires_grad or base.requires_grad):
        raise GradientError(
            "changing a tensor through a view of it cannot be recorded here",
            code="E0415",
            operands=(view, base),
            caret="this changes a part of another tensor",
            help=("assign to the part itself, as in `x[0] = x[0] * 2`, or take a copy with `.clone()`",),
        )
    value = base.data.copy()
    # The view of a table of positions says which entries of the base the view shows.
    positions = recipe.op.forward(np.arange(value.size).reshape(value.shape), **recipe.params)
    value.reshape(-1)[positions] = result.data
    from autodiff.core.tensors import Tensor, settle

    assign_in_place(base, Tensor(settle(value)))


def remake_views(base: Tensor, versions: VersionCounter) -> None:
    """Give every view of ``base``, and views of those, the entries of the new value."""
    from autodiff.core.tensors import settle

    seen = base.alias.nodes if base.alias is not None else []
    nodes = live(seen)
    seen.clear()
    stack = [base]
    while stack:
        changed = stack.pop()
        if changed.alias is None:
            continue
        for view in live(changed.alias.views):
            assert view.alias is not None
            recipe = view.alias.recipe
            assert recipe is not None
            old, source = view.node, recipe.base
            array = source.data
            value = settle(recipe.op.forward(array, **recipe.params))
            if old is not None:
                old.set_mark().overwritten = (versions, versions.count - 1, None, mode.site)
                view.node = remade_node(view, old, source, recipe, array, value)
                view.node.name = old.name
                if view.node.__class__ is ArrayNode:
                    enter(seen, view.node)
            view.versions = versions
            for member in [view, *live(view.alias.members)]:
                member.value = value
            stack.append(view)
    for node in nodes:
        if node.mark is None or node.mark.overwritten is None:
            node.set_mark().overwritten = (versions, versions.count - 1, None, mode.site)


def remade_node(view: Tensor, old: Node, base: Tensor, recipe: Recipe, array: Any, value: Any) -> Node:
    """The node of a view after its base has changed: an application to the base's new node."""
    if old.tracked and not isinstance(old, Leaf) and base.node is not None and base.node.tracked:
        # torch no longer knows how the view was made either, and says so in the name.
        op = recipe.op.named("AsStridedBackward0")
        return ArrayNode(op, (base.node,), (array,), recipe.params, value, old.site)
    return Leaf(value, tracked=old.tracked, cell=old.cell if isinstance(old, Leaf) else None, site=old.site)
