"""Tensors that share memory in torch: a tensor, its ``.data``, its ``detach()``, and views of any of them.

Arrays are never mutated here, so sharing is kept as knowledge: an ``Alias`` is one place in memory, its
members are the tensors that show all of it, and each view of it is an alias with a recipe. What a change in
place does to them is in ``changes``.
"""

from __future__ import annotations

from functools import wraps
from weakref import ref

from autodiff.core.base.lazy import np
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.fast.tape import is_of_arrays
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


class Recipe:
    """How a view was made from its base.

    ``piece`` is its number among the views that one call answered, as ``unbind`` does, 0 for a view of such
    a view, and None for all others. ``unrecorded`` says that it, or what it is a view of, was made under
    ``no_grad``.
    """

    __slots__ = ("base", "op", "params", "piece", "unrecorded")

    def __init__(self, base: Tensor, op: Op, params: dict[str, Any]) -> None:
        self.base = base
        self.op = op
        self.params = params
        self.piece: int | None = None
        self.unrecorded = not mode.enabled

    @property
    def is_followed(self) -> bool:
        """Whether the graph knows what a change of the view makes of its base, and the other way round."""
        return self.piece is None and not self.unrecorded


class Alias:
    """One place in memory: the tensors that show it (``members``), its parts (``views``), what it is part of.

    ``owner`` is the view itself; the other members of its alias are its ``detach()`` and ``.data``, which
    share the memory and not the history.
    """

    __slots__ = ("__weakref__", "members", "owner", "recipe", "views")

    def __init__(self, tensor: Tensor, recipe: Recipe | None = None) -> None:
        self.owner = ref(tensor)
        self.members: list[ref[Tensor]] = [self.owner]
        self.views: list[ref[Alias]] = []
        self.recipe = recipe


def live(refs: list[ref[T]]) -> list[T]:
    """The tensors, aliases or nodes that still exist."""
    return [kept for r in refs if (kept := r()) is not None]


def enter(refs: list[ref[T]], kept: T) -> None:
    """Add one more, and at every doubling forget those that are gone."""
    if len(refs) >= 8 and not len(refs) & (len(refs) - 1):
        refs[:] = [r for r in refs if r() is not None]
    refs.append(ref(kept))


def share(tensor: Tensor, other: Tensor) -> None:
    """Let ``other`` be another holder of the value of ``tensor``."""
    if tensor.alias is None:
        tensor.alias = Alias(tensor)
    other.alias = tensor.alias
    enter(tensor.alias.members, other)


def counter_of(tensor: Tensor) -> VersionCounter:
    """The version counter of the tensor, from now on shared with its aliases and views."""
    versions = tensor.versions
    if versions is None:
        versions = tensor.versions = VersionCounter()
        node = tensor.node if tensor.own_node is None and is_of_arrays(tensor) else tensor.own_node
        if node is not None:
            keep_in_sight(versions, node)
    return versions


def keep_in_sight(versions: VersionCounter, node: Node) -> None:
    """Have a change find this node although its tensor may be gone, or go on with another, by then."""
    enter(versions.nodes, node)


def keeping(*names: str, of: str = "") -> Callable[[F], F]:
    """Have a pass refuse changes in place of these arguments, which the node keeps as parameters.

    Of a function whose result was made by that node; with ``of``, where that argument has a gradient.
    """

    def enter(function: F) -> F:
        parameters = function.__code__.co_varnames
        places = [parameters.index(name) for name in names]
        place_of = parameters.index(of) if of else 0

        @wraps(function)
        def keeps(*args: Any) -> Any:
            made = function(*args)
            if not of or args[place_of].requires_grad:
                keep(made, [args[place] for place in places])
            return made

        return keeps  # type: ignore[return-value] # it takes and answers what `function` does

    return enter


def keep(made: Tensor, given: Iterable[Any]) -> None:
    """Remember that the node of ``made`` keeps the tensors among what was given to it."""
    node = made.node
    if node.__class__ is not ArrayNode or not mode.enabled:
        return
    for x in given:
        if x.__class__ is not made.__class__:
            continue
        users = counter_of(x).users
        if len(users) >= 8 and not len(users) & (len(users) - 1):
            users[:] = [user for user in users if user[0]() is not None]
        users.append((ref(node), x.shape))


def with_places(name: str, values: Tensor, indices: Tensor) -> NamedResult:
    """What ``max(dim=0)`` and its kin answer; the node of the values keeps the positions."""
    keep(values, (indices,))
    return NamedResult(f"torch.return_types.{name}", ("values", "indices"), (values, indices))


def note_view(view: Tensor, base: Tensor, op: Op, params: dict[str, Any]) -> None:
    """Remember that ``view`` is ``op(base, **params)`` and shares its memory in torch."""
    if base.alias is None:
        base.alias = Alias(base)
    recipe = Recipe(base, op, params)
    above = recipe_of(base)
    if above is not None:
        recipe.unrecorded = recipe.unrecorded or above.unrecorded
        recipe.piece = None if above.piece is None else 0
    view.alias = Alias(view, recipe)
    enter(base.alias.views, view.alias)
    view.versions = counter_of(base)
    if base.requires_grad and view.node is None and view.dtype.is_floating_point:
        # As in torch it requires a gradient although nothing leads from it to its base.
        view.requires_grad = True
        view.node = Leaf(view.value, tracked=True, site=mode.site)
        view.value = view.node.out
    if view.node is not None:
        keep_in_sight(view.versions, view.node)


def number_pieces(views: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Say that one call has answered all of these; as in torch, none of them may be changed in place."""
    for number, view in enumerate(views):
        recipe = recipe_of(view)
        if recipe is not None:
            recipe.piece = number
    return views


def recipe_of(tensor: Tensor) -> Recipe | None:
    """How the tensor was made, if it is a view; what was detached from a view is none."""
    alias = tensor.alias
    return None if alias is None or alias.owner() is not tensor else alias.recipe


def base_of(tensor: Tensor) -> Tensor:
    """The tensor of which this is a view, a view of a view and so on: the one whose history it shares."""
    recipe = recipe_of(tensor)
    while recipe is not None:
        tensor = recipe.base
        recipe = recipe_of(tensor)
    return tensor


def recipes_between(alias: Alias, base: Alias | None) -> list[Recipe]:
    """What leads from ``base`` to ``alias``, in this order; from the whole of the memory for None."""
    found = []
    while alias is not base and alias.recipe is not None:
        found.append(alias.recipe)
        above = alias.recipe.base.alias
        assert above is not None
        alias = above
    found.reverse()
    return found


def positions_of(recipes: list[Recipe]) -> Any:
    """Which entries of the first base the last view shows, counted in row order: an array of its shape."""
    base = recipes[0].base
    grid = np.arange(base.size).reshape(base.shape)
    for recipe in recipes:
        grid = recipe.op.forward(grid, **recipe.params)
    return grid


def whole_of(alias: Alias) -> Alias:
    """The alias of all the memory of which this one is a part."""
    while alias.recipe is not None:
        above = alias.recipe.base.alias
        assert above is not None
        alias = above
    return alias


def share_memory(tensor: Tensor, other: Tensor) -> bool:
    """Whether both show some of one place in memory."""
    if tensor.alias is None or other.alias is None:
        return tensor is other
    return whole_of(tensor.alias) is whole_of(other.alias)


def sharing_memory(alias: Alias) -> list[Tensor]:
    """Every tensor that shows some of this memory, each after what it is a view of."""
    found = []
    aliases = [whole_of(alias)]
    for place in aliases:  # grows
        found += live(place.members)
        aliases += live(place.views)
    return found


def is_part(part: Tensor, of: Tensor) -> bool:
    """Whether ``part``, read from ``of`` by an index, is a view of it and no copy."""
    return part.alias is not None and part.alias.recipe is not None and part.versions is of.versions


def count_again(tensor: Tensor) -> None:
    """Count the second change of ``x[i] += v``: Python assigns the part that has changed to ``x[i]``."""
    counter_of(tensor).count += 1
