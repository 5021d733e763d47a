"""Tensors that share memory in torch: a tensor, its ``.data``, its ``detach()``, and views of any of them.

Arrays are never mutated here, so sharing is recorded as data. An ``Alias`` is one block of memory; its
members are the tensors that show all of it, and each view of it is an alias with a recipe. The effects of
in-place changes are in ``in_place.py``.
"""

from __future__ import annotations

from functools import wraps
from weakref import ref

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.fast.tape import is_array_entry
from autodiff.core.graph.node import ArrayNode, Leaf, Node, VersionCounter
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from autodiff.core.engine.tensor import Tensor

    F = TypeVar("F", bound=Callable[..., Any])
    T = TypeVar("T")


class ViewOrigin:
    """How a view was made from its base: ``op(base, **params)``.

    ``output_number`` is the view's number if one call returned several views, as ``unbind`` does; 0 for a
    view of such a view, None for all others. ``made_without_grad`` says that the view, or a view between it
    and the first base, was made under ``no_grad``.
    """

    __slots__ = ("base", "made_without_grad", "op", "output_number", "params")

    def __init__(self, base: Tensor, op: Op, params: dict[str, Any]) -> None:
        self.base = base
        self.op = op
        self.params = params
        self.output_number: int | None = None
        self.made_without_grad = not mode.enabled

    @property
    def is_recordable(self) -> bool:
        """Whether the graph can record how changes of the view affect its base, and the reverse."""
        return self.output_number is None and not self.made_without_grad


class Alias:
    """A block of memory: ``members`` are the tensors that show all of it, ``views`` the aliases of its parts.

    ``recipe`` says how it was made if it is itself a view. ``owner`` is the tensor for which the alias was
    made; the other members are its ``detach()`` and ``.data``, which share the memory but not the history.
    """

    __slots__ = ("__weakref__", "members", "owner", "recipe", "views")

    def __init__(self, tensor: Tensor, recipe: ViewOrigin | None = None) -> None:
        self.owner = ref(tensor)
        self.members: list[ref[Tensor]] = [self.owner]
        self.views: list[ref[Alias]] = []
        self.recipe = recipe


def live_objects(refs: list[ref[T]]) -> list[T]:
    """Return the referenced objects that still exist."""
    return [kept for r in refs if (kept := r()) is not None]


def add_weakref(refs: list[ref[T]], kept: T) -> None:
    """Append a weak reference; drop dead references each time the length reaches a power of two."""
    if len(refs) >= 8 and not len(refs) & (len(refs) - 1):
        refs[:] = [r for r in refs if r() is not None]
    refs.append(ref(kept))


def share_alias(tensor: Tensor, other: Tensor) -> None:
    """Make ``other`` a member of the alias of ``tensor``: both show the same memory."""
    if tensor.alias is None:
        tensor.alias = Alias(tensor)
    other.alias = tensor.alias
    add_weakref(tensor.alias.members, other)


def version_counter_of(tensor: Tensor) -> VersionCounter:
    """Return the tensor's version counter, which it shares with its aliases and views; make one if needed."""
    versions = tensor.version_counter
    if versions is None:
        versions = tensor.version_counter = VersionCounter()
        node = tensor.node if tensor.stored_node is None and is_array_entry(tensor) else tensor.stored_node
        if node is not None:
            watch_node(versions, node)
    return versions


def watch_node(versions: VersionCounter, node: Node) -> None:
    """Register ``node`` so that an in-place change marks it even if its tensor is gone or has a new node."""
    add_weakref(versions.nodes, node)


def saves_arguments(*names: str, of: str = "") -> Callable[[F], F]:
    """Return a decorator for functions whose node saves the arguments called ``names`` as parameters.

    A backward pass through the result then fails if one of these arguments was changed in place. With
    ``of``, this applies only if the argument called ``of`` requires a gradient.
    """

    def enter(function: F) -> F:
        parameters = function.__code__.co_varnames
        places = [parameters.index(name) for name in names]
        place_of = parameters.index(of) if of else 0

        @wraps(function)
        def keeps(*args: Any) -> Any:
            made = function(*args)
            if not of or args[place_of].requires_grad_flag:
                register_saved_params(made, [args[place] for place in places])
            return made

        return keeps  # type: ignore[return-value] # same parameters and result as `function`

    return enter


def register_saved_params(made: Tensor, given: Iterable[Any]) -> None:
    """Register the node of ``made`` as a user of the tensors among ``given``, its saved parameters."""
    node = made.node
    if node.__class__ is not ArrayNode or not mode.enabled:
        return
    for x in given:
        if x.__class__ is not made.__class__:
            continue
        users = version_counter_of(x).users
        if len(users) >= 8 and not len(users) & (len(users) - 1):
            users[:] = [user for user in users if user[0]() is not None]
        users.append((ref(node), x.shape))


def values_and_indices(name: str, values: Tensor, indices: Tensor) -> NamedResult:
    """Return the named result of ``max(dim=0)`` and similar functions.

    The node of ``values`` is registered as a user of ``indices``.
    """
    register_saved_params(values, (indices,))
    return NamedResult(f"torch.return_types.{name}", ("values", "indices"), (values, indices))


def record_view(view: Tensor, base: Tensor, op: Op, params: dict[str, Any]) -> None:
    """Record that ``view`` is ``op(base, **params)`` and shares memory with ``base`` in torch."""
    if base.alias is None:
        base.alias = Alias(base)
    recipe = ViewOrigin(base, op, params)
    above = view_origin_of(base)
    if above is not None:
        recipe.made_without_grad = recipe.made_without_grad or above.made_without_grad
        recipe.output_number = None if above.output_number is None else 0
    view.alias = Alias(view, recipe)
    add_weakref(base.alias.views, view.alias)
    view.version_counter = version_counter_of(base)
    if base.requires_grad_flag and view.node is None and view.dtype.is_floating_point:
        # As in torch, the view requires a gradient although no node leads from it to its base.
        view.requires_grad_flag = True
        view.node = Leaf(view.value, tracked=True, site=mode.site)
        view.value = view.node.out
    if view.node is not None:
        watch_node(view.version_counter, view.node)


def separate(view: Tensor) -> Tensor:
    """Make a view a value of its own, which later changes of its base leave as it is, and return it."""
    view.alias = view.version_counter = None
    return view


def number_outputs(views: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Record that one call returned all these views; as in torch, none may be changed in place."""
    for number, view in enumerate(views):
        recipe = view_origin_of(view)
        if recipe is not None:
            recipe.output_number = number
    return views


def view_origin_of(tensor: Tensor) -> ViewOrigin | None:
    """Return the recipe of a view, else None. A tensor detached from a view is not a view."""
    alias = tensor.alias
    return None if alias is None or alias.owner() is not tensor else alias.recipe


def root_base(tensor: Tensor) -> Tensor:
    """Return the first base of a view, whose history the view shares; the tensor itself if it is no view."""
    recipe = view_origin_of(tensor)
    while recipe is not None:
        tensor = recipe.base
        recipe = view_origin_of(tensor)
    return tensor


def view_chain(alias: Alias, base: Alias | None) -> list[ViewOrigin]:
    """Return the recipes that lead from ``base`` to ``alias``, in order; None starts at the whole memory."""
    found = []
    while alias is not base and alias.recipe is not None:
        found.append(alias.recipe)
        above = alias.recipe.base.alias
        assert above is not None
        alias = above
    found.reverse()
    return found


def positions_in_base(recipes: list[ViewOrigin]) -> Any:
    """Return, for each entry of the last view, its position in the first base, counted in row order."""
    base = recipes[0].base
    grid = np.arange(base.entry_count).reshape(base.shape)
    for recipe in recipes:
        grid = recipe.op.forward(grid, **recipe.params)
    return grid


def root_alias(alias: Alias) -> Alias:
    """Return the alias of the whole memory that contains this one."""
    while alias.recipe is not None:
        above = alias.recipe.base.alias
        assert above is not None
        alias = above
    return alias


def shares_memory(tensor: Tensor, other: Tensor) -> bool:
    """Whether both tensors show parts of the same memory; the parts need not overlap."""
    if tensor.alias is None or other.alias is None:
        return tensor is other
    return root_alias(tensor.alias) is root_alias(other.alias)


def tensors_sharing(alias: Alias) -> list[Tensor]:
    """Return every tensor that shows part of this memory, each after its base."""
    found = []
    aliases = [root_alias(alias)]
    for place in aliases:  # the loop appends to the list
        found += live_objects(place.members)
        aliases += live_objects(place.views)
    return found


def is_view_of(part: Tensor, of: Tensor) -> bool:
    """Whether ``part``, read from ``of`` by an index, is a view of it rather than a copy."""
    return (
        part.alias is not None
        and part.alias.recipe is not None
        and part.version_counter is of.version_counter
    )


def count_change(tensor: Tensor) -> None:
    """Count the second change made by ``x[i] += v``: Python also assigns the changed part to ``x[i]``."""
    version_counter_of(tensor).count += 1
