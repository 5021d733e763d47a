"""``np.random`` in scripts without tensors: the same source of numbers as torch's functions here.

The numbers are not numpy's, but the same in each run. The result is one number where no size is given.
"""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.numpy_functions import as_shape, is_array
from autodiff.grammar.objects.plain_functions import as_tensor, call_plain, find
from autodiff.grammar.objects.values import UNBOUND, Builtin, Namespace, as_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def draw(name: str, size: Any) -> Any:
    """Return what torch's ``rand`` or ``randn`` draws: an array of a shape, a number for None."""
    made = call_plain(find(name), (() if size is None else as_shape(size),), {})
    return made.item() if size is None and made.__class__ is Tensor else made


def of_sizes(name: str) -> Callable[..., Any]:
    """Return numpy's ``rand`` or ``randn``, whose arguments are sizes."""
    return lambda *sizes: draw(name, sizes or None)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    return operators.add(operators.mul(draw("randn", size), scale), loc)


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return operators.add(operators.mul(draw("rand", size), operators.sub(high, low)), low)


def integers(low: Any, high: Any = None, size: Any = None) -> Any:
    low, high = (0, low) if high is None else (low, high)
    bounds = [as_index(bound, "a bound") for bound in (low, high)]
    made = call_plain(find("randint"), [*bounds, () if size is None else as_shape(size)], {})
    return made.item() if size is None and made.__class__ is Tensor else made


def permutation(x: Any) -> Any:
    """Return the numbers below ``x``, or the rows of an array, in random order."""
    if is_array(x):
        rows = as_tensor(x, True)
        return rows[call_plain(find("randperm"), (len(rows),), {})]
    return call_plain(find("randperm"), (as_index(x, "a count"),), {})


def choice(a: Any, size: Any = None, replace: Any = True) -> Any:
    """Return entries of an array, or numbers below ``a``, each with the same chance."""
    entries = as_tensor(a, True) if is_array(a) else None
    count = as_index(a, "a count") if entries is None else len(entries)
    if replace or size is None:
        places = integers(count, size=size)
    else:
        places = permutation(count)[: as_index(size, "a size")]
    return places if entries is None else entries[places]


def seed(value: Any = 0) -> None:
    call_plain(find("manual_seed"), (as_index(value, "a seed"),), {})


def generator(value: Any = 0) -> Namespace:
    """Return ``np.random.default_rng(seed)``: the one source of numbers, with a new seed."""
    seed(value)
    return GENERATOR


def namespace_of(name: str, functions: dict[str, Callable[..., Any]]) -> Namespace:
    members = {member: Builtin(member, function) for member, function in functions.items()}
    return Namespace(name, lambda member: members.get(member, UNBOUND), lambda: list(members))


SHARED: dict[str, Callable[..., Any]] = {
    "choice": choice,
    "normal": normal,
    "permutation": permutation,
    "random": lambda size=None: draw("rand", size),
    "standard_normal": lambda size=None: draw("randn", size),
    "uniform": uniform,
}
GENERATOR = namespace_of("numpy.random.Generator", {**SHARED, "integers": integers})
RANDOM = namespace_of(
    "numpy.random",
    {
        **SHARED,
        "default_rng": generator,
        "rand": of_sizes("rand"),
        "randint": integers,
        "randn": of_sizes("randn"),
        "random_sample": SHARED["random"],
        "seed": seed,
    },
)
