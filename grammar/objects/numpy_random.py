"""``np.random`` in scripts without tensors: numpy's own generators, so the numbers are numpy's.

Functions of the module share one generator, which starts from ``--seed`` in each run; ``RandomState(s)`` and
``default_rng(s)`` make others. Without a size the result is one number. Slopes flow to the location and the
scale of a distribution; its other parameters are constants.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.base.limits import check_allocation
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import operators, subscripts
from autodiff.grammar.objects.numpy_functions import array_of, as_shape, is_array
from autodiff.grammar.objects.plain_functions import call_plain, find, is_tracked
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND, Builtin, Namespace, as_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Returns numpy's generator of a namespace.
    Source = Callable[[], Any]
    #: Returns a method of a generator.
    Method = Callable[[Any], Callable[..., Any]]


# -- arguments and results --------------------------------------------------------------------------


def size_of(size: Any) -> tuple[int, ...] | None:
    """Return the ``size`` of a call; None for one number."""
    if size is None:
        return None
    shape = as_shape(size)
    check_allocation(shape)
    return shape


def constant(x: Any, is_count: bool = False) -> Any:
    """Return a parameter as numpy takes it, which gets no slope; a whole one that ``is_count`` has none."""
    if x.__class__ in (list, tuple):
        return [constant(entry, is_count) for entry in x]
    if x.__class__ is not Tensor:
        return x
    number = x.data if x.shape else x.item()
    is_whole = not x.shape and float(number).is_integer()
    if is_whole and is_count:
        mode.count(x)
    elif is_tracked(x):
        runtime.tell("the parameter of a distribution is a constant here: no gradient flows to it")
    return int(number) if is_whole else number


def result_of(made: Any) -> Any:
    """Return what numpy drew as a number or an array of scripts."""
    if isinstance(made, np.ndarray):
        return Tensor.of(made)
    return made.item() if isinstance(made, np.generic) else made


# -- distributions ----------------------------------------------------------------------------------


def draw(method_of: Method, count: int, source: Source, *args: Any, size: Any = None, **named: Any) -> Any:
    """Call a method of numpy's generator, which takes ``count`` parameters and then the size."""
    if len(args) > count:
        args, size = args[:count], args[count]
    method = method_of(source())
    if "dtype" in named:
        named["dtype"] = getattr(named["dtype"], "name", named["dtype"])  # int, np.int64 or a text
    has_counts = method.__name__ in WITH_COUNTS
    named = {key: constant(x, has_counts) for key, x in named.items()}
    return result_of(method(*[constant(x, has_counts) for x in args], size=size_of(size), **named))


def draw_shape(method_of: Method, source: Source, *sizes: Any) -> Any:
    """Return numpy's ``rand`` or ``randn``, whose arguments are sizes."""
    return result_of(method_of(source())(*(size_of(sizes) or ())))


def draw_standard(method_of: Method, source: Source, size: Any, parameters: list[Any]) -> Any:
    """Return what a distribution draws at location 0 and scale 1, as many as ``parameters`` need."""
    shape = size_of(size)
    if shape is None and any(map(is_array, parameters)):
        shape = np.broadcast_shapes(*[array_of(x).shape for x in parameters if is_array(x)])
    return result_of(method_of(source())(size=shape))


def located(method_of: Method, source: Source, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Return ``loc + scale * z`` for the standard numbers z of a distribution, as numpy computes it."""
    z = draw_standard(method_of, source, size, [loc, scale])
    return operators.add(operators.mul(z, scale), loc)


def scaled(method_of: Method, source: Source, scale: Any = 1.0, size: Any = None) -> Any:
    return operators.mul(draw_standard(method_of, source, size, [scale]), scale)


def uniform(source: Source, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    share = draw_standard(lambda g: g.uniform, source, size, [low, high])
    return operators.add(operators.mul(share, operators.sub(high, low)), low)


def lognormal(source: Source, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
    return call_plain(find("exp"), (located(lambda g: g.standard_normal, source, mean, sigma, size),), {})


# -- entries and orders -----------------------------------------------------------------------------


def order(method_of: Method, source: Source, x: Any) -> Any:
    """Return in which order numpy puts the rows of an array or the entries of a list."""
    shape = tuple(x.shape) if x.__class__ is Tensor else (len(x),)
    numbered = np.arange(int(np.prod(shape))).reshape(shape)
    made = method_of(source())(numbered)
    rows = (numbered if made is None else made).reshape(shape[0], -1)
    return rows[:, 0] // rows.shape[1]


def permutation(source: Source, x: Any) -> Any:
    """Return the numbers below ``x``, or the rows of an array, in random order."""
    if not is_array(x):
        return result_of(source().permutation(as_index(x, "a count")))
    rows = array_of(x)
    return rows[Tensor.of(order(lambda g: g.permutation, source, rows))]


def shuffle(source: Source, x: Any) -> None:
    """Put the rows of an array, or the entries of a list, in random order."""
    places = order(lambda g: g.shuffle, source, x)
    if x.__class__ is list:
        x[:] = [x[at] for at in places]
    else:
        subscripts.set_item(x, slice(None), x[Tensor.of(places)])


def choice(source: Source, a: Any, size: Any = None, replace: Any = True, p: Any = None) -> Any:
    """Return entries of an array, or numbers below ``a``."""
    count = len(a) if is_array(a) else as_index(a, "a count")
    places = result_of(source().choice(count, size_of(size), replace, constant(p)))
    if not is_array(a):
        return places
    if a.__class__ in (list, tuple) and places.__class__ is int:
        return a[places]
    return subscripts.get_item(array_of(a), places)


# -- namespaces -------------------------------------------------------------------------------------

#: Distributions without slopes: numpy's method, and how many parameters stand before the size.
CONSTANT_DISTRIBUTIONS: dict[str, tuple[Method, int]] = {
    "random": (lambda g: g.random, 0),
    "standard_cauchy": (lambda g: g.standard_cauchy, 0),
    "standard_exponential": (lambda g: g.standard_exponential, 0),
    "standard_normal": (lambda g: g.standard_normal, 0),
    "chisquare": (lambda g: g.chisquare, 1),
    "dirichlet": (lambda g: g.dirichlet, 1),
    "geometric": (lambda g: g.geometric, 1),
    "pareto": (lambda g: g.pareto, 1),
    "poisson": (lambda g: g.poisson, 1),
    "power": (lambda g: g.power, 1),
    "standard_gamma": (lambda g: g.standard_gamma, 1),
    "standard_t": (lambda g: g.standard_t, 1),
    "weibull": (lambda g: g.weibull, 1),
    "beta": (lambda g: g.beta, 2),
    "binomial": (lambda g: g.binomial, 2),
    "f": (lambda g: g.f, 2),
    "gamma": (lambda g: g.gamma, 2),
    "multinomial": (lambda g: g.multinomial, 2),
    "multivariate_normal": (lambda g: g.multivariate_normal, 2),
    "negative_binomial": (lambda g: g.negative_binomial, 2),
    "vonmises": (lambda g: g.vonmises, 2),
    "wald": (lambda g: g.wald, 2),
    "hypergeometric": (lambda g: g.hypergeometric, 3),
    "triangular": (lambda g: g.triangular, 3),
}
#: Those that count something, or draw whole numbers between bounds.
WITH_COUNTS = frozenset(
    ["binomial", "hypergeometric", "integers", "multinomial", "negative_binomial", "randint"]
)
SHARED: dict[str, Callable[..., Any]] = {
    **{name: partial(draw, *method) for name, method in CONSTANT_DISTRIBUTIONS.items()},
    "gumbel": partial(located, lambda g: g.gumbel),
    "laplace": partial(located, lambda g: g.laplace),
    "logistic": partial(located, lambda g: g.logistic),
    "choice": choice,
    "exponential": partial(scaled, lambda g: g.exponential),
    "lognormal": lognormal,
    "normal": partial(located, lambda g: g.standard_normal),
    "permutation": permutation,
    "rayleigh": partial(scaled, lambda g: g.rayleigh),
    "shuffle": shuffle,
    "uniform": uniform,
}
OF_GENERATORS: dict[str, Callable[..., Any]] = {**SHARED, "integers": partial(draw, lambda g: g.integers, 2)}
OF_RANDOM_STATES: dict[str, Callable[..., Any]] = {
    **SHARED,
    "rand": partial(draw_shape, lambda g: g.rand),
    "randint": partial(draw, lambda g: g.randint, 2),
    "randn": partial(draw_shape, lambda g: g.randn),
    "random_sample": partial(draw, lambda g: g.random_sample, 0),
    "seed": lambda source, value=None: source().seed(constant(value, True)),
}


def namespace_of(
    name: str, source: Source, functions: dict[str, Callable[..., Any]], more: dict[str, Builtin]
) -> Namespace:
    members = {member: Builtin(member, partial(function, source)) for member, function in functions.items()}
    members |= more
    return Namespace(name, lambda member: members.get(member, UNBOUND), lambda: list(members))


def generator(seed: Any = None) -> Namespace:
    """Return ``np.random.default_rng(seed)``; without a seed one that starts elsewhere each time."""
    start = random_source.generator.integers(2**63) if seed is None else constant(seed, True)
    made = np_random.default_rng(start)
    return namespace_of("numpy.random.Generator", lambda: made, OF_GENERATORS, {})


def random_state(seed: Any = None) -> Namespace:
    """Return ``np.random.RandomState(seed)``."""
    start = random_source.generator.integers(2**32) if seed is None else constant(seed, True)
    made = np_random.RandomState(start)
    return namespace_of("numpy.random.RandomState", lambda: made, OF_RANDOM_STATES, {})


RANDOM = namespace_of(
    "numpy.random",
    lambda: random_source.legacy_generator,
    OF_RANDOM_STATES,
    {
        "default_rng": Builtin("default_rng", generator),
        "RandomState": Builtin("RandomState", random_state),
    },
)
