"""Exponentials, logarithms, trigonometric, hyperbolic and special functions."""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.graph.dtypes import ONES
from autodiff.core.graph.op import Op, elementwise, selective
from autodiff.core.ops.elementwise.comparison import except_where, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Node

PI = math.pi


def grad_fn_by_number(name: str) -> Callable[[Node], str]:
    """Return the function that names torch's node: 0 for two tensors, 1 or 2 for a number first or second."""

    def grad_fn(node: Node) -> str:
        first, second = node.inputs
        return f"{name}Backward{1 if first is None else 2 if second is None else 0}"

    return grad_fn


def sigmoid_scalar(x: float) -> float:
    """1 / (1 + exp(-x)), arranged so that the exponential never overflows."""
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    e = math.exp(x)
    return e / (1.0 + e)


def sigmoid_forward(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype, copy=False)


def from_scipy(name: str) -> Callable[..., Any]:
    """Return the forward that calls a scipy.special function; scipy is imported on the first call."""

    def forward(*operands: Any) -> Any:
        import scipy.special

        # Unlike numpy, scipy turns a plain number or bools beside single precision into doubles.
        types = [x.dtype for x in operands if isinstance(x, np.ndarray) and x.dtype.kind != "b"]
        if types and len(types) < len(operands):
            operands = tuple(
                x if isinstance(x, np.ndarray) and x.dtype.kind != "b" else np.asarray(x, types[0])
                for x in operands
            )
        return vars(scipy.special)[name](*operands)

    return forward


exp = elementwise("exp", lambda x: np.exp(x), lambda out, x: out, scalar=math.exp, real=True)
log = elementwise("log", lambda x: np.log(x), lambda out, x: 1 / x, scalar=math.log, real=True)
sqrt = elementwise("sqrt", lambda x: np.sqrt(x), lambda out, x: 1 / (2 * out), scalar=math.sqrt, real=True)
sin: Op = elementwise("sin", lambda x: np.sin(x), lambda out, x: cos(x), scalar=math.sin, real=True)
cos: Op = elementwise("cos", lambda x: np.cos(x), lambda out, x: -sin(x), scalar=math.cos, real=True)
tan = elementwise("tan", lambda x: np.tan(x), lambda out, x: 1 + out**2, scalar=math.tan, real=True)
tanh = elementwise(
    "tanh",
    lambda x: np.tanh(x),
    lambda out, x: 1 - out**2,
    fast_vjps=(lambda g, out, x: np.multiply(g, np.subtract(ONES[out.dtype], np.multiply(out, out))),),
    scalar=math.tanh,
    real=True,
    fused_backward="TanhBackwardBackward0",
)
sigmoid = elementwise(
    "sigmoid",
    sigmoid_forward,
    lambda out, x: out * (1 - out),
    fast_vjps=(lambda g, out, x: np.multiply(g, np.multiply(out, np.subtract(ONES[out.dtype], out))),),
    scalar=sigmoid_scalar,
    real=True,
    fused_backward="SigmoidBackwardBackward0",
)

rsqrt = elementwise(
    "rsqrt",
    lambda x: 1 / np.sqrt(x),
    lambda out, x: -0.5 * out**3,
    scalar=lambda x: 1 / math.sqrt(x),
    real=True,
)
exp2 = elementwise(
    "exp2", lambda x: np.exp2(x), lambda out, x: math.log(2) * out, scalar=lambda x: 2.0**x, real=True
)
expm1 = elementwise("expm1", lambda x: np.expm1(x), lambda out, x: out + 1, scalar=math.expm1, real=True)
log1p = elementwise(
    "log1p",
    lambda x: np.log1p(x),
    lambda out, x: 1 / (x + 1),
    scalar=math.log1p,
    real=True,
    grad_fn="Log1PBackward0",
)
log2 = elementwise(
    "log2", lambda x: np.log2(x), lambda out, x: 1 / (x * math.log(2)), scalar=math.log2, real=True
)
log10 = elementwise(
    "log10", lambda x: np.log10(x), lambda out, x: 1 / (x * math.log(10)), scalar=math.log10, real=True
)

asin = elementwise(
    "asin", lambda x: np.arcsin(x), lambda out, x: 1 / sqrt(1 - x**2), scalar=math.asin, real=True
)
acos = elementwise(
    "acos", lambda x: np.arccos(x), lambda out, x: -1 / sqrt(1 - x**2), scalar=math.acos, real=True
)
atan = elementwise("atan", lambda x: np.arctan(x), lambda out, x: 1 / (1 + x**2), scalar=math.atan, real=True)
sinh: Op = elementwise("sinh", lambda x: np.sinh(x), lambda out, x: cosh(x), scalar=math.sinh, real=True)
cosh: Op = elementwise("cosh", lambda x: np.cosh(x), lambda out, x: sinh(x), scalar=math.cosh, real=True)
asinh = elementwise(
    "asinh", lambda x: np.arcsinh(x), lambda out, x: 1 / sqrt(x**2 + 1), scalar=math.asinh, real=True
)
acosh = elementwise(
    "acosh",
    lambda x: np.arccosh(x),
    lambda out, x: 1 / sqrt(x**2 - 1),
    scalar=math.acosh,
    real=True,
)
atanh = elementwise(
    "atanh", lambda x: np.arctanh(x), lambda out, x: 1 / (1 - x**2), scalar=math.atanh, real=True
)
deg2rad = elementwise(
    "deg2rad",
    lambda x: x * (PI / 180),
    lambda out, x: PI / 180,
    scalar=lambda x: x * (PI / 180),
    real=True,
    grad_fn="Deg2RadBackward0",
)
rad2deg = elementwise(
    "rad2deg",
    lambda x: x * (180 / PI),
    lambda out, x: 180 / PI,
    scalar=lambda x: x * (180 / PI),
    real=True,
    grad_fn="Rad2DegBackward0",
)
sinc = elementwise(
    "sinc",
    lambda x: np.sinc(x),
    lambda out, x: except_where(x == 0, 0.0, (cos(PI * x) - out) / x),
    saved=((0,),),
    scalar=lambda x: math.sin(PI * x) / (PI * x),
    real=True,
    kink="the slope at 0 is 0, the limit",
)
logit = elementwise(
    "logit",
    lambda x: np.log(x / (1 - x)),
    lambda out, x: except_where(x * (1 - x) < 0, math.nan, 1 / (x * (1 - x))),
    scalar=lambda x: math.log(x / (1 - x)),
    real=True,
)


def logit_within_forward(x: Any, *, eps: float) -> Any:
    kept = np.clip(x, eps, 1 - eps)
    return np.log(kept / (1 - kept))


def logit_within_vjp(g: Any, out: Any, x: Any, *, eps: float) -> Any:
    """g / (x (1 - x)) between the bounds, which count as inside, and 0 outside."""
    is_outside = (x < eps) | (x > 1 - eps)
    kept = except_where(is_outside, 0.5, x)
    return where(is_outside, 0.0, g / (kept * (1 - kept)))


logit_within: Op = selective(
    "logit_within",
    logit_within_forward,
    logit_within_vjp,
    real=True,
    grad_fn="LogitBackward0",
    kink="at the bounds the slope is that of the inside",
)

# -- functions of two operands ------------------------------------------------------------------------


def inverse_squared_radius(x: Any, y: Any) -> Any:
    """Return 1 / (x² + y²), and 0 at the origin, where torch sets both slopes of ``atan2`` to 0."""
    squared = x * x + y * y
    return except_where(squared == 0, 0.0, 1 / squared)


atan2 = elementwise(
    "atan2",
    lambda x, y: np.arctan2(x, y),
    lambda out, x, y: y * inverse_squared_radius(x, y),
    lambda out, x, y: -x * inverse_squared_radius(x, y),
    scalar=math.atan2,
    real=True,
    kink="both slopes at the origin are 0",
)
hypot = elementwise(
    "hypot",
    lambda x, y: np.hypot(x, y),
    lambda out, x, y: x / out,
    lambda out, x, y: y / out,
    scalar=math.hypot,
    kinds="f",
    kernel="hypot_cpu",
    kink="both slopes at the origin are nan",
)
logaddexp = elementwise(
    "logaddexp",
    lambda x, y: np.logaddexp(x, y),
    lambda out, x, y: 1 / (1 + exp(y - x)),
    lambda out, x, y: 1 / (1 + exp(x - y)),
    kinds="f",
    kernel="logaddexp_cpu",
)
logaddexp2 = elementwise(
    "logaddexp2",
    lambda x, y: np.logaddexp2(x, y),
    lambda out, x, y: 1 / (1 + exp2(y - x)),
    lambda out, x, y: 1 / (1 + exp2(x - y)),
    kinds="f",
    kernel="logaddexp2_cpu",
)
xlogy: Op = selective(
    "xlogy",
    from_scipy("xlogy"),
    lambda g, out, x, y: except_where((x == 0) & (y <= 0), 0.0, xlogy(g, y)),
    lambda g, out, x, y: g * x / y,
    real=True,
    grad_fn=grad_fn_by_number("Xlogy"),
    kink="at 0 * log(0) the slope in x is 0, in y nan",
)
xlog1py: Op = selective(
    "xlog1py",
    from_scipy("xlog1py"),
    lambda g, out, x, y: except_where((x == 0) & (y <= -1), 0.0, xlog1py(g, y)),
    lambda g, out, x, y: g * x / (y + 1),
    real=True,
    grad_fn=grad_fn_by_number("SpecialXlog1Py"),
)

# -- special functions --------------------------------------------------------------------------------

TWO_OVER_ROOT_PI = 2 / math.sqrt(PI)

erf = elementwise(
    "erf",
    from_scipy("erf"),
    lambda out, x: TWO_OVER_ROOT_PI * exp(-(x**2)),
    scalar=math.erf,
    real=True,
)
erfc = elementwise(
    "erfc",
    from_scipy("erfc"),
    lambda out, x: -TWO_OVER_ROOT_PI * exp(-(x**2)),
    scalar=math.erfc,
    real=True,
)
erfinv = elementwise(
    "erfinv",
    lambda x: np.copysign(from_scipy("erfinv")(x), x),  # scipy returns 0 for -0
    lambda out, x: exp(out**2) / TWO_OVER_ROOT_PI,
    saved=((0,),),
    real=True,
)
erfcx = elementwise(
    "erfcx",
    from_scipy("erfcx"),
    lambda out, x: 2 * x * out - TWO_OVER_ROOT_PI,
    real=True,
    grad_fn="SpecialErfcxBackward0",
)


def polygamma_forward(x: Any, *, n: int) -> Any:
    import scipy.special

    return scipy.special.polygamma(n, x).astype(x.dtype, copy=False)


polygamma: Op = selective(
    "polygamma", polygamma_forward, lambda g, out, x, n: g * polygamma(x, n=n + 1), real=True
)
digamma = elementwise("digamma", from_scipy("digamma"), lambda out, x: polygamma(x, n=1), real=True)


def lgamma_forward(x: Any) -> Any:
    """Return log|Γ(x)|: inf at -inf too, as in torch, and -log|x| near 0, where scipy overflows."""
    size = np.abs(x)
    near = np.where(size < np.finfo(x.dtype).tiny, -np.log(size), from_scipy("gammaln")(x))
    return np.where(np.isinf(x), size, near)


lgamma = elementwise(
    "lgamma",
    lgamma_forward,
    lambda out, x: digamma(x),
    real=True,
)
#: Below this x², I1(x)/x is ½ to all digits. The quotient is not used there: I1(x) may be rounded to 0.
TINY_SQUARE = 1e-32

i1: Op = elementwise(
    "i1",
    from_scipy("i1"),
    lambda out, x: (
        i0(x) - except_where(x**2 < TINY_SQUARE, 0.5, out / except_where(x**2 < TINY_SQUARE, 1.0, x))
    ),
    real=True,
    grad_fn="SpecialI1Backward0",
)
i0: Op = elementwise("i0", from_scipy("i0"), lambda out, x: i1(x), real=True)
ndtr = elementwise(
    "ndtr",
    from_scipy("ndtr"),
    lambda out, x: exp(-(x**2) / 2) / math.sqrt(2 * PI),
    saved=(("inside",),),
    real=True,
    grad_fn="MulBackward1",
)


def log_ndtr_partial(out: Any, x: Any) -> Any:
    """Return √(2/π) / erfcx(-x/√2) for x ≤ 0, and the density over Φ for x > 0, where erfcx overflows.

    Each formula is evaluated on its own side only.
    """
    right = except_where(x <= 0, 0.0, x)
    density = exp(-(right**2) / 2 - log_ndtr(right)) / math.sqrt(2 * PI)
    return except_where(
        x > 0, density, math.sqrt(2 / PI) / erfcx(except_where(x > 0, 0.0, x) / -math.sqrt(2))
    )


log_ndtr: Op = elementwise(
    "log_ndtr",
    from_scipy("log_ndtr"),
    log_ndtr_partial,
    saved=((0, "out"),),
    real=True,
    grad_fn="SpecialLogNdtrBackward0",
)
ndtri = elementwise(
    "ndtri",
    from_scipy("ndtri"),
    lambda out, x: math.sqrt(2 * PI) * exp(out**2 / 2),
    real=True,
    grad_fn="SpecialNdtriBackward0",
)
entr = elementwise(
    "entr", from_scipy("entr"), lambda out, x: -1 - log(x), real=True, grad_fn="SpecialEntrBackward0"
)

for op in (exp, log, sqrt, sin, cos, tan, tanh, rsqrt, log2, log10, sinh, cosh, deg2rad, rad2deg, lgamma):
    expose(f"{op.name}(input)", op, in_place=True)
expose("sigmoid(input)", sigmoid, also=("F.sigmoid", "special.expit"), in_place=True)
for op in (exp2, expm1, log1p, sinc, erf, erfc, erfinv, digamma, i0):
    expose(f"{op.name}(input)", op, also=(f"special.{op.name}",), in_place=True)
for op, alias in ((asin, "arcsin"), (acos, "arccos"), (atan, "arctan")):
    expose(f"{op.name}(input)", op, also=(alias,), in_place=True)
for op, alias in ((asinh, "arcsinh"), (acosh, "arccosh"), (atanh, "arctanh")):
    expose(f"{op.name}(input)", op, also=(alias,), in_place=True)
for op in (i1, ndtr, log_ndtr, ndtri, entr, erfcx):
    expose(f"special.{op.name}(input)", op, method=False)
expose("atan2(input, other: tensor)", atan2, also=("arctan2",), in_place=True)
expose("hypot(input, other: tensor)", hypot, in_place=True)
expose("logaddexp(input, other: tensor)", logaddexp)
expose("logaddexp2(input, other: tensor)", logaddexp2)
expose("xlogy(input: value, other)", xlogy, also=("special.xlogy",), in_place=True)
expose("special.xlog1py(input: value, other)", xlog1py, method=False)


@public("logit(input, eps: float = None)", also=("special.logit",), in_place=True)
def clamped_logit(x: Any, eps: float | None) -> Any:
    """log(x / (1 - x)), with x clamped between ``eps`` and ``1 - eps`` if ``eps`` is given."""
    return logit(x) if eps is None else logit_within(x, eps=eps)


@public("polygamma(n: int, input)", also=("special.polygamma",), method=False)
def checked_polygamma(n: int, x: Any) -> Any:
    """The derivative of order ``n`` of digamma."""
    if n < 0:
        raise ScriptError("polygamma(n, x) does not support negative n.", code="E0308")
    return polygamma(x, n=n) if n else digamma.named("PolygammaBackward0")(x)
