"""Rarely used special functions: scaled Bessel functions, zeta, steps and divisors.

The Bessel and Airy functions at the end have no derivative in torch, so their results have none here.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import require_kind
from autodiff.core.graph import dtypes
from autodiff.core.graph.op import Op, elementwise, selective
from autodiff.core.graph.values import as_stored
from autodiff.core.ops.elementwise.arithmetic import add, missing_derivative_rule
from autodiff.core.ops.elementwise.comparison import except_where, where, zero
from autodiff.core.ops.elementwise.rounding import round_to
from autodiff.core.ops.elementwise.selection import sign
from autodiff.core.ops.elementwise.transcendental import (
    TINY_SQUARE,
    checked_polygamma,
    digamma,
    exp2,
    from_scipy,
    lgamma,
)
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.shape.join import cast_to_common_dtype
from autodiff.core.ops.shape.reshape import reshape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Node


# -- Bessel functions scaled by exp(-|x|) -----------------------------------------------------------------

i0e: Op = elementwise(
    "i0e",
    lambda x: from_scipy("i0e")(x),
    lambda out, x: i1e(x) - sign(x) * out,
    real=True,
    grad_fn="SpecialI0EBackward0",
)
i1e: Op = elementwise(
    "i1e",
    lambda x: from_scipy("i1e")(x),
    lambda out, x: except_where(
        x**2 < TINY_SQUARE, 0.5, i0e(x) - out * (sign(x) + 1 / except_where(x**2 < TINY_SQUARE, 1.0, x))
    ),
    real=True,
    grad_fn="SpecialI1EBackward0",
)
expose("special.i0e(input)", i0e, method=False)
expose("special.i1e(input)", i1e, method=False)

# -- relatives of the gamma function ----------------------------------------------------------------------


def zeta_grad_fn(node: Node) -> str:
    """Return the name of the node; torch has a separate kernel for a number on either side."""
    left, right = (below is None for below in node.inputs)
    return f"SpecialZetaBackward{1 if left else 2 if right else 0}"


zeta: Op = elementwise(
    "zeta",
    lambda a, x: from_scipy("zeta")(a, x),
    missing_derivative_rule(
        "the derivative for 'zeta' is not implemented.",
        "differentiate by the second argument, with --wrt on the command line",
    ),
    lambda out, x, q: -x * zeta(x + 1, q),
    real=True,
    grad_fn=zeta_grad_fn,
)
expose("special.zeta(input: value, other)", zeta, method=False)
expose("special.gammaln(input)", lgamma, method=False)
expose("special.psi(input)", digamma, method=False)


@public("mvlgamma(input: tensor, p: int)", also=("special.multigammaln",), in_place=True)
def mvlgamma(x: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
    if x.dtype.kind == "b":
        raise DtypeError(
            "The input tensor may not be a boolean tensor.",
            operands=(x,),
            caret="truth values are no numbers here",
        )
    if p < 1:
        raise ScriptError("p has to be greater than or equal to 1")
    check_allocation((max(x.entry_count, 1), p))
    shifts = Tensor.of(
        (np.arange(1 - p, 1) / 2).astype(x.data.dtype if x.dtype.is_floating_point else "float64")
    )
    terms = lgamma(reshape(x, shape=(*x.shape, 1)) + shifts)
    total = sum(terms, dim=(x.ndim,), keepdim=False)
    return add.named("MvlgammaBackward0")(total, p * (p - 1) / 4 * math.log(math.pi))


@public("Tensor.polygamma(input, n: int)", in_place=True)
def polygamma_method(x: Any, n: int) -> Any:
    """The derivative of order ``n`` of digamma."""
    return checked_polygamma(n, x)


@public("special.round(input: tensor, *, decimals: int = 0)", method=False)
def round_decimals(x: Tensor, decimals: int) -> Tensor:
    """The entries rounded to ``decimals`` decimals, halves to even."""
    if not decimals:
        require_kind(x, "round_vml_cpu", "f")
    return round_to(x, decimals=decimals)


# -- powers of two, steps, divisors, kinds of numbers -----------------------------------------------------

# torch computes 2 ** y of integers y in integers, and so its slope in x is 0 where such a y is negative.
ldexp = elementwise(
    "ldexp",
    lambda x, y: x * np.exp2(y),
    lambda out, x, y: exp2(y),
    lambda out, x, y: out * math.log(2),
    real=True,
)
nextafter = selective(
    "nextafter",
    lambda x, y: np.nextafter(x, y),
    lambda g, out, x, y: where(x == y, 0.0, g),
    lambda g, out, x, y: zero(g),
    kinds="f",
    kernel="nextafter_cpu",
)
NO_HEAVISIDE_RULE = missing_derivative_rule(
    "derivative for aten::heaviside is not implemented", "`torch.where(x > 0, 1.0, 0.0)` has the gradient 0"
)
heaviside = elementwise(
    "heaviside",
    lambda x, y: np.where(x == 0, y, x > 0).astype(x.dtype),
    NO_HEAVISIDE_RULE,
    NO_HEAVISIDE_RULE,
    grad_fn="NotImplemented",
)
gcd = elementwise("gcd", lambda x, y: np.gcd(x, y), 0, 0)
lcm = elementwise("lcm", lambda x, y: np.lcm(x, y), 0, 0)
isposinf = elementwise("isposinf", lambda x: np.equal(x, math.inf), 0)
isneginf = elementwise("isneginf", lambda x: np.equal(x, -math.inf), 0)
isreal = elementwise("isreal", lambda x: np.ones(np.shape(x), bool), 0)
signbit = elementwise("signbit", lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0, 0)

for op in (isposinf, isneginf, isreal, signbit):
    expose(f"{op.name}(input)", op)


@public("ldexp(input, other: tensor)", in_place=True)
def checked_ldexp(x: Any, y: Tensor) -> Tensor:
    """``input * 2 ** other``."""
    if x.__class__ is not Tensor or x.dtype.is_floating_point:
        broadcast_shape((x, y))
        require_kind(y, "ldexp_cpu_exp", "if")
    return ldexp(x, y)


@public("nextafter(input: tensor, other: tensor)", in_place=True)
def checked_nextafter(x: Tensor, y: Tensor) -> Tensor:
    """The next representable number after ``input`` towards ``other``."""
    return nextafter(x, y)


@public("heaviside(input: tensor, values: tensor)", in_place=True)
def checked_heaviside(x: Tensor, values: Tensor) -> Tensor:
    """0 where ``input`` is negative, 1 where it is positive, and ``values`` where it is 0."""
    if x.dtype is not values.dtype:
        raise DtypeError(
            "heaviside is not yet implemented for tensors with different dtypes.",
            operands=(x, values),
            caret=f"one holds {x.dtype.name} numbers, the other {values.dtype.name}",
        )
    return heaviside(x, values)


def make_integer_function(op: Op) -> Callable[[Tensor, Tensor], Tensor]:
    def function(x: Tensor, y: Tensor) -> Tensor:
        x, y = cast_to_common_dtype([x, y])
        require_kind(x, f"{op.name}_cpu", "i")
        return op(x, y)

    function.__doc__ = f"The {'greatest common divisor' if op is gcd else 'least common multiple'}."
    return function


expose("gcd(input: tensor, other: tensor)", make_integer_function(gcd), in_place=True)
expose("lcm(input: tensor, other: tensor)", make_integer_function(lcm), in_place=True)

# -- without a derivative ---------------------------------------------------------------------------------


def airy(x: Any) -> Any:
    import scipy.special

    return scipy.special.airy(x)[0]


def spherical(x: Any) -> Any:
    import scipy.special

    return scipy.special.spherical_jn(0, np.abs(x))


#: By torch's name: the forward, and whether torch returns nan at infinity.
BESSEL_FUNCTIONS: dict[str, tuple[Callable[..., Any], bool]] = {
    "airy_ai": (airy, True),
    "bessel_j0": (from_scipy("j0"), True),
    "bessel_j1": (from_scipy("j1"), True),
    "bessel_y0": (from_scipy("y0"), True),
    "bessel_y1": (from_scipy("y1"), True),
    "modified_bessel_i0": (from_scipy("i0"), True),
    "modified_bessel_i1": (from_scipy("i1"), True),
    "modified_bessel_k0": (from_scipy("k0"), False),
    "modified_bessel_k1": (from_scipy("k1"), False),
    "scaled_modified_bessel_k0": (from_scipy("k0e"), False),
    "scaled_modified_bessel_k1": (from_scipy("k1e"), False),
    "spherical_bessel_j0": (spherical, False),
}


def make_bessel_function(name: str) -> Callable[[Tensor], Tensor]:
    forward, is_nan_at_infinity = BESSEL_FUNCTIONS[name]

    def function(x: Tensor) -> Tensor:
        kind = x.dtype if x.dtype.is_floating_point else dtypes.default_dtype()
        data = x.data.astype(kind.name)
        out = forward(data)
        if is_nan_at_infinity:
            out = np.where(np.isinf(data), math.nan, out)
        return Tensor.of(as_stored(np.asarray(out, kind.name)))

    function.__doc__ = f"{name.replace('_', ' ').capitalize()}, entry by entry; no gradient flows through."
    return function


#: The functions whose argument torch calls ``x`` instead of ``input``.
ARGUMENT_NAMED_X = {
    "airy_ai",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
}
for name in BESSEL_FUNCTIONS:
    expose(
        f"special.{name}({'x' if name in ARGUMENT_NAMED_X else 'input'}: tensor)",
        make_bessel_function(name),
        method=False,
    )
