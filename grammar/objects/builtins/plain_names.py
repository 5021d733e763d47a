"""The names of scripts without tensors: those of numpy and scipy for numbers and arrays, ``ln``, ``norm``.

Arrays are tensors, and ``axis`` and ``keepdims`` are accepted for torch's names, so most functions of numpy
are core's under another name.
"""

from __future__ import annotations

import math

from autodiff.core.engine.public_functions import FUNCTIONS, find_function
from autodiff.grammar.objects import operators
from autodiff.grammar.objects.builtins.namespaces import namespace
from autodiff.grammar.objects.math_functions import CONSTANTS, MATH
from autodiff.grammar.objects.numpy_functions import ARRAY_TYPES, NUMPY_FUNCTIONS, as_array
from autodiff.grammar.objects.numpy_parts import NUMPY_PARTS
from autodiff.grammar.objects.numpy_random import RANDOM
from autodiff.grammar.objects.plain_functions import call_plain, copy_array, dot
from autodiff.grammar.objects.values import NUMBER_CLASSES, UNBOUND, Builtin, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Call core's function ``name`` with numbers or tensors."""
    function = find_function(name)
    assert function is not None
    return call_plain(function, args, kwargs)


# -- numpy ------------------------------------------------------------------------------------------


#: The functions of numpy that core has under the same name.
SHARED_NAMES = frozenset(
    """
    sqrt exp log log2 log10 log1p expm1 exp2 square abs absolute sign sin cos tan sinh cosh tanh arcsin
    arccos arctan arctan2 arcsinh arccosh arctanh hypot deg2rad rad2deg fmod sinc
    logaddexp logaddexp2 maximum minimum where reciprocal sum prod column_stack count_nonzero
    floor_divide nansum nanmean any all add subtract multiply divide negative isclose allclose matmul
    outer inner kron diag trace stack vstack hstack reshape ravel isnan isinf isfinite
    heaviside copysign diff argmax argmin tril triu squeeze
    broadcast_to diagonal dstack fliplr flipud float_power fmax fmin greater greater_equal hsplit less
    less_equal moveaxis nanmedian not_equal positive rot90 swapaxes true_divide vdot vsplit
    """.split()
)
#: The functions of numpy that core has under another name.
RENAMED = {
    "power": "pow",
    "concatenate": "cat",
    "conj": "positive",
    "equal": "eq",
    "real": "positive",
    "row_stack": "vstack",
    "max": "amax",
    "amax": "amax",
    "min": "amin",
    "amin": "amin",
    "degrees": "rad2deg",
    "radians": "deg2rad",
}
NUMPY_OWN: dict[str, Any] = {
    **CONSTANTS,
    **NUMPY_FUNCTIONS,
    **NUMPY_PARTS,
    "newaxis": None,
    "dot": Builtin("dot", dot),
    "copy": Builtin("copy", copy_array),
    # numpy has no types of the names `float` and `int`, and a code such as `f8` is no name.
    **{name: of for name, of in ARRAY_TYPES.items() if len(name) > 2 and name not in ("float", "int")},
}


def numpy_member(name: str) -> Any:
    if name in NUMPY_OWN:
        return NUMPY_OWN[name]
    if name == "linalg":
        return LINALG
    if name == "random":
        return RANDOM
    if name == "testing":
        return NAMESPACES["numpy.testing"]
    name = RENAMED.get(name, name if name in SHARED_NAMES else "")
    return find_function(name) or UNBOUND


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    return call_plain(FUNCTIONS["linalg.norm"], (x, ord, axis, keepdims), {})


def linalg_member(name: str) -> Any:
    return Builtin("norm", norm) if name == "norm" else namespace("torch.linalg").find(name)


LINALG = Namespace("numpy.linalg", linalg_member, namespace("torch.linalg").names)


def numpy_names() -> Iterable[str]:
    return [*NUMPY_OWN, *SHARED_NAMES, *RENAMED, "linalg", "random", "testing"]


# -- scipy ------------------------------------------------------------------------------------------


def is_number_equal_to(value: Any, number: int) -> bool:
    return value.__class__ in NUMBER_CLASSES and value == number


def standardise(x: Any, loc: Any, scale: Any) -> Any:
    """Return ``(x - loc) / scale`` for numbers, lists and tensors.

    The location 0 and the scale 1 of the standard normal distribution add no op to the graph.
    """
    z = x if x.__class__ in NUMBER_CLASSES else as_array(x)
    if not is_number_equal_to(loc, 0):
        z = operators.sub(z, loc)
    return z if is_number_equal_to(scale, 1) else operators.truediv(z, scale)


def normal_function(name: str, of_standard: Callable[[Any, Any], Any]) -> Builtin:
    """Return ``norm``'s function ``name`` from that of ``z = (x - loc) / scale`` and the scale."""

    def function(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
        return of_standard(standardise(x, loc, scale), scale)

    return Builtin(name, function)


def log_density(z: Any, scale: Any) -> Any:
    """Return the logarithm of exp(-z²/2) / (scale √(2π))."""
    return operators.sub(operators.mul(z, operators.mul(z, -0.5)), call("log", operators.mul(scale, ROOT)))


def quantile(q: Any, loc: Any = 0, scale: Any = 1) -> Any:
    z = call("ndtri", q)
    if not is_number_equal_to(scale, 1):
        z = operators.mul(z, scale)
    return z if is_number_equal_to(loc, 0) else operators.add(z, loc)


ROOT = math.sqrt(2 * math.pi)
NORMAL: dict[str, Any] = {
    "cdf": normal_function("cdf", lambda z, scale: call("ndtr", z)),
    "sf": normal_function("sf", lambda z, scale: call("ndtr", operators.negative(z))),
    "logcdf": normal_function("logcdf", lambda z, scale: call("log_ndtr", z)),
    "logpdf": normal_function("logpdf", log_density),
    "pdf": normal_function("pdf", lambda z, scale: call("exp", log_density(z, scale))),
    "ppf": Builtin("ppf", quantile),
}


def bessel(name: str, function: str, order: int) -> Builtin:
    """Return scipy's Bessel function of a fixed order."""
    return Builtin(name, lambda z: call(function, order, z))


#: Bessel functions of whole orders, by the functions of any order, which are differentiable.
SCIPY_SPECIAL: dict[str, Builtin] = {
    f"{letter}{order}": bessel(f"{letter}{order}", f"{letter}v", order)
    for letter in ("j", "y", "i", "k")
    for order in (0, 1)
}
#: scipy's names for functions that core has under another name.
SCIPY_RENAMED = {"jn": "jv", "yn": "yv", "kn": "kv"}


def log_gamma(x: Any) -> Any:
    return call("lgamma", x)


def log_beta(a: Any, b: Any) -> Any:
    """Return log(Γ(a) Γ(b) / Γ(a + b))."""
    return operators.sub(operators.add(log_gamma(a), log_gamma(b)), log_gamma(operators.add(a, b)))


def combinations(n: Any, k: Any) -> Any:
    """Return Γ(n + 1) / (Γ(k + 1) Γ(n - k + 1)), for whole plain numbers exactly."""
    if n.__class__ is k.__class__ is int and n >= 0 <= k:
        return float(math.comb(n, k))
    below = operators.add(log_gamma(operators.add(k, 1)), log_gamma(operators.add(operators.sub(n, k), 1)))
    return call("exp", operators.sub(log_gamma(operators.add(n, 1)), below))


#: scipy's functions of counts, which are those of gamma and so have slopes, unlike those of ``math``.
SCIPY_COUNTS: dict[str, Builtin] = {
    "factorial": Builtin("factorial", lambda n: MATH["gamma"](operators.add(n, 1))),
    "comb": Builtin("comb", combinations),
    "binom": Builtin("binom", combinations),
    "beta": Builtin("beta", lambda a, b: call("exp", log_beta(a, b))),
    "betaln": Builtin("betaln", log_beta),
}


def special_member(name: str) -> Any:
    if name in ("gamma", "cbrt", "perm"):
        return MATH[name]
    if name in SCIPY_COUNTS:
        return SCIPY_COUNTS[name]
    if name in SCIPY_SPECIAL:
        return SCIPY_SPECIAL[name]
    return namespace("torch.special").find(SCIPY_RENAMED.get(name, name))


# -- all together -----------------------------------------------------------------------------------


def member_of(members: dict[str, Any]) -> Callable[[str], Any]:
    return lambda name: members.get(name, UNBOUND)


NORM = Namespace("scipy.stats.norm", member_of(NORMAL), lambda: NORMAL)
NAMESPACES: dict[str, Namespace] = {
    "numpy": Namespace("numpy", numpy_member, numpy_names),
    "numpy.linalg": LINALG,
    "numpy.random": RANDOM,
    "numpy.testing": namespace("numpy.testing"),
    "scipy": Namespace("scipy", lambda name: NAMESPACES.get(f"scipy.{name}", UNBOUND), lambda: ["special"]),
    "scipy.special": Namespace(
        "scipy.special",
        special_member,
        lambda: [*namespace("torch.special").names(), *SCIPY_SPECIAL, *SCIPY_COUNTS, *SCIPY_RENAMED],
    ),
    "scipy.optimize": namespace("scipy.optimize"),
    "scipy.stats": Namespace("scipy.stats", member_of({"norm": NORM}), lambda: ["norm"]),
    "scipy.stats.norm": NORM,
}
#: Names that mean something else than in torch: numpy's arrays are tensors, and whole numbers stay whole.
OWN = {
    "np": NAMESPACES["numpy"],
    "special": NAMESPACES["scipy.special"],
    "gcd": MATH["gcd"],
    "lcm": MATH["lcm"],
    "random": namespace("random"),
}


def own_value(name: str) -> Any:
    """Return the value of a name that scripts without tensors have beyond the others; UNBOUND without one."""
    if name == "ln":
        return find_function("log")
    value = OWN[name] if name in OWN else MATH.get(name, UNBOUND)
    return numpy_member(name) if value is UNBOUND else value
