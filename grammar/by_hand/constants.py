"""Constants that a formula names, such as labels, data and scale factors, and other values of them.

A formula with ``y`` in it says what the derivative is for every ``y``, not for the script's alone.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.values import as_stored
from autodiff.grammar.session.assignment_plan import is_number_or_list, top_level_assignments
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from autodiff.grammar.session.run import Execution

#: The entries of labels, or some of them.
LABELS = frozenset([-1.0, 0.0, 1.0])


def constants_behind(read: Collection[str], execution: Execution) -> dict[str, list[str]]:
    """Return the constants among the names ``read``, each with those that it is computed from.

    ``scale = 1/n`` is computed from ``n``; a constant that no other goes into is its own origin.
    """
    assigned: dict[str, tree.Expression | None] = {}
    for target, written in top_level_assignments(parse(execution.source).body):
        assigned[target.id] = None if target.id in assigned else written
    found = {}
    for name in sorted(read, key=execution.first_offset):
        if is_constant(execution.names.get(name)):
            origins = constant_origins(name, assigned, execution)
            if origins:
                found[name] = origins
    return found


def constant_origins(
    name: str, assigned: dict[str, tree.Expression | None], execution: Execution
) -> list[str]:
    origins: dict[str, None] = {}
    todo, seen = [name], {name}
    while todo:
        name = todo.pop()
        written = assigned.get(name)
        if written is None:
            continue
        below = {part.id for part in walk(written) if isinstance(part, tree.Name)}
        values = [one for one in below if is_value(execution.names.get(one))]
        if not values and is_constant(execution.names.get(name)):
            origins[name] = None
        todo += [one for one in values if one not in seen]
        seen.update(values)
    return list(origins)


def is_value(value: Any) -> bool:
    return value.__class__ is Tensor or is_number_or_list(value)


def is_constant(value: Any) -> bool:
    """Whether a value is a number, lists of numbers or a tensor that no gradient is taken of."""
    return is_value(value) and not (value.__class__ is Tensor and value.requires_grad)


def numbers_of(value: Any) -> Any:
    """Return the numbers of a constant as an array."""
    return np.asarray(value.data if value.__class__ is Tensor else value)


def with_numbers(value: Any, numbers: Any) -> Any:
    """Return a constant of the same class with other numbers."""
    if value.__class__ is Tensor:
        return Tensor.of(as_stored(numbers.astype(value.dtype.name)))
    return numbers.tolist()


def other_values(value: Any, random: Any, spread: float) -> Any:
    """Return a constant moved by about ``spread`` of its size; whole numbers, such as labels, permuted."""
    if not is_constant(value):
        return value
    x = numbers_of(value)
    if x.dtype.kind == "f":
        moved = x * (1 + spread * random.uniform(-1, 1, x.shape))
        return with_numbers(value, np.where(x == 0, spread * random.uniform(-1, 1, x.shape) / 3, moved))
    if x.size == 1:
        return with_numbers(value, x + random.choice([-1, 1, 2]))
    return with_numbers(value, random.permutation(x.reshape(-1)).reshape(x.shape))


def is_symmetric(value: Any) -> bool:
    """Whether a constant is a symmetric matrix, or a stack of these, and not a diagonal one."""
    x = numbers_of(value)
    return x.ndim > 1 and np.array_equal(x, np.swapaxes(x, -1, -2)) and bool(np.triu(x, 1).any())


def other_symmetric(value: Any, random: Any, spread: float) -> Any:
    """Return ``other_values``, of a symmetric matrix with the lower triangle above the diagonal too."""
    moved = other_values(value, random, spread)
    if not is_constant(value) or not is_symmetric(value):
        return moved
    x = numbers_of(moved)
    return with_numbers(value, np.tril(x) + np.swapaxes(np.tril(x, -1), -1, -2))


def can_change(value: Any) -> bool:
    """Whether ``other_values`` has others: one whole number many times cannot be permuted."""
    x = numbers_of(value)
    return bool(x.size) and (x.dtype.kind == "f" or x.size == 1 or bool((x != x.flat[0]).any()))


def other_labels(value: Any, random: Any) -> Any:
    """Return a constant with the entries of each row in another order."""
    return with_numbers(value, permuted(numbers_of(value), random))


def permuted(x: Any, random: Any) -> Any:
    return random.permuted(x, axis=max(axis for axis in range(x.ndim) if x.shape[axis] > 1))


def describe_labels(name: str, x: Any) -> str:
    """Return in words what holds for the entries of labels; ``""`` if the numbers look like no labels."""
    if x.dtype.kind != "f" or x.size < 2 or (x == x.flat[0]).all():
        return ""
    are_few = set(np.unique(x).tolist()) <= LABELS
    if x.shape[-1] > 1 and (x >= 0).all() and np.allclose(x.sum(-1), 1.0, rtol=1e-6):
        entries = "the entries" if x.ndim == 1 else "the rows"
        return f"{name} is one-hot" if are_few else f"{entries} of {name} add up to 1"
    if not are_few:
        return ""
    values = " and ".join(f"{value:g}" for value in np.unique(x))
    return f"the entries of {name} are {values}"
