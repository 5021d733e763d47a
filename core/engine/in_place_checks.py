"""Checks before in-place changes: leaves, views that torch cannot follow, and overlapping memory."""

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, GradientError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import (
    ViewOrigin,
    positions_in_base,
    root_base,
    shares_memory,
    view_chain,
    view_origin_of,
)
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from autodiff.core.engine.tensor import Tensor

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


class StaleView(Leaf):
    """The node of a view that torch cannot follow and whose base has changed. Using it raises an error."""

    __slots__ = ("made_by", "recipe")

    def __init__(self, recipe: ViewOrigin, value: Any, old: Node) -> None:
        self.number = old.number
        self.out = value
        self.site = old.site
        self.name = old.name
        self.status = self.scratch = None
        self.grad_slot = None
        self.recipe = recipe
        self.made_by: Node | None = None
        if isinstance(old, StaleView):
            self.made_by = old.made_by
        elif old.op is not None:
            self.made_by = old

    @property
    def tracked(self) -> bool:  # type: ignore[override] # a property that raises, where a Leaf has a flag
        """Always raises: the graph does not know whether gradients flow here."""
        raise self.error()

    def error(self) -> GradientError:
        """Return the error for using this view."""
        changed = "its base or another view of its base has been"
        return view_change_error(self.recipe, self.made_by, changed, "make the view again")


def check_change(tensor: Tensor, others: Iterable[Any] = (), through_view: bool = False) -> None:
    """Raise GradientError for a change that torch refuses: of a leaf that requires a gradient, or of a view
    that it cannot follow.

    ``others`` are the operands of the change. ``through_view`` says that the change goes through a view
    without a tensor of its own, as in ``x[0] = 1``. In scripts of numpy the slopes of a leaf are those by its
    old value.
    """
    if not mode.enabled:
        return
    computed_with = [x for x in others if x.__class__ is tensor.__class__ and x.requires_grad_flag]
    for other in computed_with:
        check_not_stale(other)
    if not tensor.requires_grad_flag and not computed_with:
        return
    recipe = view_origin_of(tensor)
    if recipe is not None:
        check_view_change(tensor, recipe)
    if not tensor.requires_grad_flag or mode.follows_numpy:
        return
    base = root_base(tensor)
    of_a_view = through_view or recipe is not None
    if base.is_leaf if of_a_view else tensor.is_leaf:
        view = "view of a " if of_a_view else ""
        raise GradientError(
            f"a {view}leaf Variable that requires grad is being used in an in-place operation.",
            code="E0407",
            operands=(base,),
            caret="this leaf would lose the value its gradient belongs to",
            help=("update it inside `with torch.no_grad():`",),
        )


def check_view_change(view: Tensor, recipe: ViewOrigin) -> None:
    """Raise GradientError if torch cannot follow how changing this view changes its base."""
    if recipe.is_recordable:
        return
    raise view_change_error(
        recipe,
        view.grad_fn,
        "is being",
        "take the part by its index, as in `x[0]`, or a copy with `.clone()`"
        if recipe.output_number is not None
        else "make the view outside of `no_grad()`, or change it inside",
    )


def view_change_error(recipe: ViewOrigin, made_by: Node | None, changed: str, advice: str) -> GradientError:
    """Return torch's error for a view that is one of several results or was made under ``no_grad``.

    ``made_by`` is the node that made the view, ``changed`` says in torch's words what was changed.
    """
    several = recipe.output_number is not None
    from autodiff.core.graph.saved_values import torch_error_name

    maker = "" if made_by is None else torch_error_name(made_by.grad_fn_name)
    if several and maker:
        message = f"Output {recipe.output_number} of {maker} is a view and {changed} modified inplace."
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


def check_same_shape(tensor: Tensor, shape: tuple[int, ...]) -> None:
    """Raise ShapeError if the new values have another shape than the tensor."""
    if shape != tensor.shape:
        raise BroadcastError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(shape)}",
            operands=(tensor,),
            caret=f"shape {shape} does not fit into shape {tensor.shape}",
        )


def check_not_stale(tensor: Tensor) -> None:
    """Raise GradientError for a view whose base has changed and which torch cannot follow."""
    if isinstance(tensor.stored_node, StaleView):
        raise tensor.stored_node.error()


def check_no_self_overlap(tensor: Tensor) -> None:
    """Raise GradientError for a tensor with several entries in one memory location, as after ``expand``."""
    if has_self_overlap(tensor):
        raise GradientError(
            OVERLAPS_ITSELF,
            code="E0415",
            operands=(tensor,),
            caret="some of these entries are one and the same number",
            help=("take a copy first: `.clone()`",),
        )


def has_self_overlap(tensor: Tensor) -> bool:
    """Whether several entries of the tensor share one memory location because of ``expand``."""
    alias = tensor.alias
    if alias is None or alias.recipe is None:
        return False
    recipes = view_chain(alias, None)
    if all(recipe.op.name != "expand" for recipe in recipes):
        return False
    positions = positions_in_base(recipes)
    return bool(np.unique(positions).size < positions.size)


def check_no_input_overlap(tensor: Tensor, other: Any, by_positions: bool = False) -> None:
    """Raise GradientError if a change of ``tensor`` reads from ``other``, which shows the same memory in
    another order.

    With ``by_positions`` (a change of entries given by indices), any overlap is an error. As in torch,
    overlap is detected only for tensors without gaps, from their first and last entries.
    """
    if other.__class__ is not tensor.__class__:
        return
    if other is tensor:
        if by_positions:
            raise input_overlap_error(tensor, other)
        return
    if not shares_memory(tensor, other):
        return
    places = [memory_positions(tensor), memory_positions(other)]
    first, last = (((p.min(), p.max()) if p.size else (0, -1)) for p in places)
    if any(high - low + 1 != p.size for (low, high), p in zip((first, last), places, strict=True)):
        return
    is_same = first == last and (places[0].shape != places[1].shape or np.array_equal(*places))
    if first[0] <= last[1] and last[0] <= first[1] and (by_positions or not is_same):
        raise input_overlap_error(tensor, other)


def input_overlap_error(tensor: Tensor, other: Tensor) -> GradientError:
    """Return the error for a change that reads memory it writes."""
    return GradientError(
        OVERLAPS_AN_INPUT,
        code="E0415",
        operands=(tensor, other),
        caret="what is changed is read here at the same time",
        help=("take a copy of what is read: `.clone()`",),
    )


def memory_positions(tensor: Tensor) -> Any:
    """Return the positions in the shared memory of the tensor's entries, in its shape."""
    assert tensor.alias is not None
    recipes = view_chain(tensor.alias, None)
    return positions_in_base(recipes) if recipes else np.arange(tensor.entry_count).reshape(tensor.shape)
