"""Where the gradient of a tensor that is not a leaf is kept after ``retain_grad()``.

The gradient of one node at a time fills ``.grad``. An in-place change gives the tensor a new node, and the
gradient of that node is kept from then on. A view whose memory was changed through another tensor gets its
new node, as in torch, only when it is used next: https://docs.pytorch.org/docs/stable/notes/autograd.html
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import ViewOrigin, positions_in_base, view_chain, view_origin_of
from autodiff.core.graph.node import ArrayNode, GradSlot, Node, ScalarNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor


def keep_grad_of(node: Node, slot: GradSlot) -> None:
    """Keep the gradient of ``node`` in ``slot`` from now on, and that of no earlier node."""
    earlier = None if slot.retained_by is None else slot.retained_by()
    if earlier is not None and earlier.status is not None and earlier.status.grad_slot is slot:
        earlier.own_status().grad_slot = None
    assert isinstance(node, (ArrayNode, ScalarNode))  # these have weak references
    node.own_status().grad_slot = slot
    slot.retained_by = ref(node)


class NewViewNode(ArrayNode):
    """The new node of a retained view whose memory was changed; an ArrayNode as soon as it is used."""

    __slots__ = ()

    @property
    def tracked(self) -> bool:  # type: ignore[override] # every use of an operand asks for this flag first
        """True. The first use moves the place where the gradient is kept to this node."""
        slot = None if self.status is None else self.status.grad_slot
        self.__class__ = ArrayNode  # type: ignore[assignment] # same layout
        if slot is not None:
            keep_grad_of(self, slot)
        return True


def pass_by_views(view: Tensor, base: Tensor, result: Tensor, since: int) -> None:
    """Let the nodes of a change of ``view`` read it from ``base``, not from a retained view between.

    In torch a change of a view is a change of its first base, and no view between gets a gradient from it.
    ``since`` is as in ``assign_in_place``.
    """
    recipe, is_retained = view_origin_of(view), False
    while recipe is not None and recipe.base is not base:
        is_retained = is_retained or recipe.base.retains_grad
        recipe = view_origin_of(recipe.base)
    old, root, made = view.node, base.node, result.node
    if not is_retained or old is None or root is None or made is None:
        return
    assert view.alias is not None
    positions = positions_in_base(view_chain(view.alias, base.alias))
    indices = np.unravel_index(positions, base.shape) if base.ndim else ()
    direct = ArrayNode(OPS["index"], (root,), (base.data,), {"indices": indices}, old.out, old.site)
    direct.number, direct.name = old.number, old.name
    first, waiting = since or made.number, [made]
    while waiting:
        node = waiting.pop()
        # As in torch, only what is changed is read from the base: in `v.add_(v)` the added one is the view.
        if isinstance(node, ScalarNode) and node.a is old:
            node.a = direct
        elif isinstance(node, ArrayNode) and node.inputs[:1] == (old,):
            node._inputs = (direct, *node.inputs[1:])
        waiting += [below for below in node.inputs if below is not None and below.number >= first]


def node_of_view(node: Node, data: Any, recipes: list[ViewOrigin]) -> ArrayNode:
    """Return a node that shows the part given by the recipes of the tensor that has ``node`` and ``data``.

    No node on the way belongs to a view of the script: as in torch, gradients pass from a part straight to
    its first base.
    """
    assert recipes
    for recipe in recipes:
        shown = recipe.op.forward(data, **recipe.params)
        node = ArrayNode(recipe.op, (node,), (data,), recipe.params, as_stored(shown), mode.site)
        data = shown
    return node  # type: ignore[return-value] # there is at least one recipe
