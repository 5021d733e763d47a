"""Comparisons and logic, which have no gradient, and ``where``, which passes it to the chosen entries.

``except_where`` states a convention at singular points. It computes like ``where``, but a printed derivation
shows only the regular formula.
"""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, DtypeError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import expose, public
from autodiff.core.engine.tensor import Tensor, broadcast_shape, tensor
from autodiff.core.engine.value_checks import missing_kernel_error
from autodiff.core.fast import masking
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.op import Op, elementwise, selective
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def no_gradient(g: Any, out: Any, *operands: Any) -> Any:
    """The rule of a condition or a mask, which is never differentiated."""
    raise AssertionError("a condition is never tracked")


def integers_only(name: str, forward: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``forward`` for bools and ints, with torch's error for floats."""

    def checked(*operands: Any) -> Any:
        for x in operands:
            if np.asarray(x).dtype.kind == "f":
                help = "compare first, as in `(x > 0) & (x < 1)`"
                raise missing_kernel_error(f"{name}_cpu", dtype_of(np.asarray(x)), code="E0200", help=help)
        return forward(*operands)

    return checked


zero: Op = elementwise("zero", lambda g: np.zeros_like(g), 0, scalar=lambda g: 0.0)
# The cotangent of x, recorded as a function of x too, with slope 0, as in torch (``Op.reads_input``).
contribution: Op = elementwise("contribution", lambda g, x: np.positive(g), 1, 0, scalar=lambda g, x: g)

lt = elementwise("lt", lambda x, y: np.less(x, y), 0, 0, infix="<")
le = elementwise("le", lambda x, y: np.less_equal(x, y), 0, 0, infix="<=")
gt = elementwise("gt", lambda x, y: np.greater(x, y), 0, 0, infix=">")
ge = elementwise("ge", lambda x, y: np.greater_equal(x, y), 0, 0, infix=">=")
eq = elementwise("eq", lambda x, y: np.equal(x, y), 0, 0, infix="==")
ne = elementwise("ne", lambda x, y: np.not_equal(x, y), 0, 0, infix="!=")
logical_and = elementwise("logical_and", lambda x, y: np.logical_and(x, y), 0, 0)
logical_or = elementwise("logical_or", lambda x, y: np.logical_or(x, y), 0, 0)
logical_xor = elementwise("logical_xor", lambda x, y: np.logical_xor(x, y), 0, 0)
logical_not = elementwise("logical_not", lambda x: np.logical_not(x), 0)
bitwise_and = elementwise(
    "bitwise_and", integers_only("bitwise_and", lambda x, y: np.bitwise_and(x, y)), 0, 0, infix="&"
)
bitwise_or = elementwise(
    "bitwise_or", integers_only("bitwise_or", lambda x, y: np.bitwise_or(x, y)), 0, 0, infix="|"
)
bitwise_xor = elementwise(
    "bitwise_xor", integers_only("bitwise_xor", lambda x, y: np.bitwise_xor(x, y)), 0, 0, infix="^"
)
bitwise_not = elementwise(
    "bitwise_not", integers_only("bitwise_not", lambda x: np.bitwise_not(x)), 0, infix="~"
)


def shift_forward(name: str, move: Callable[[Any, Any], Any], is_left: bool) -> Callable[..., Any]:
    """Return the forward of a bit shift of integers.

    A count that is negative or at least the number of bits gives 0; for a negative number shifted right, -1.
    """

    def forward(x: Any, y: Any) -> Any:
        common = np.result_type(x, y)
        if common.kind not in "iu":
            dtype, help = dtype_of(np.empty(0, common)), "multiply by a power of 2, as in `x * 2 ** n`"
            raise missing_kernel_error(f"{name}_cpu", dtype, code="E0200", help=help)
        bits = 8 * common.itemsize
        count = np.asarray(y).astype("int64")
        inside = (count >= 0) & (count < bits)
        value = np.asarray(x).astype(common)
        emptied = np.where(value < 0, 0 if is_left else -1, 0)
        return np.where(inside, move(value, np.where(inside, count, 0).astype(common)), emptied).astype(
            common
        )

    return forward


bitwise_left_shift = elementwise(
    "bitwise_left_shift", shift_forward("lshift", lambda x, y: np.left_shift(x, y), True), 0, 0, infix="<<"
)
bitwise_right_shift = elementwise(
    "bitwise_right_shift", shift_forward("rshift", lambda x, y: np.right_shift(x, y), False), 0, 0, infix=">>"
)
isnan = elementwise("isnan", lambda x: np.isnan(x), 0)
isinf = elementwise("isinf", lambda x: np.isinf(x), 0)
isfinite = elementwise("isfinite", lambda x: np.isfinite(x), 0)
# The value of a tensor after an in-place comparison: ``result``. It passes zeros on.
compared: Op = elementwise("compared", lambda x, y, result: result, 0, 0)

where: Op = selective(
    "where",
    lambda condition, x, y: masking.where(condition, x, y),
    no_gradient,
    lambda g, out, condition, x, y: where(condition, g, 0.0),
    lambda g, out, condition, x, y: where(condition, 0.0, g),
    scalar=lambda condition, x, y: float(x if condition else y),
)
except_where_op: Op = selective(
    "except_where",
    lambda condition, value, formula: masking.where(condition, value, formula),
    no_gradient,
    lambda g, out, condition, value, formula: where(condition, g, 0.0),
    lambda g, out, condition, value, formula: where(condition, 0.0, g),
    scalar=lambda condition, value, formula: float(value if condition else formula),
)


def except_where(condition: Any, value: float, formula: Any) -> Any:
    """Return ``value`` where ``condition`` holds, else ``formula``."""
    # A condition on plain numbers (the 2 of x**2 is not 0) is decided here, without a node in the graph.
    return formula if condition is False else except_where_op(condition, value, formula)


for comparison, word in (
    *((lt, "less"), (le, "less_equal"), (gt, "greater"), (ge, "greater_equal"), (ne, "not_equal")),
):
    expose(f"{comparison.name}(input, other)", comparison, also=(word,), in_place=True)
for comparison in (eq, logical_and, logical_or, logical_xor):
    expose(f"{comparison.name}(input, other)", comparison, in_place=True)
for comparison in (bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift, bitwise_right_shift):
    expose(f"{comparison.name}(input: value, other)", comparison, in_place=True)
expose("logical_not(input)", logical_not, in_place=True)
expose("bitwise_not(input)", bitwise_not, in_place=True)
for comparison in (isnan, isinf, isfinite):
    expose(f"{comparison.name}(input)", comparison)


@public("where(condition: tensor, input: value = None, other = None)", method=False)
def where_or_nonzero(condition: Tensor, x: Any, y: Any) -> Any:
    """``input`` where the condition holds, ``other`` elsewhere; of a condition alone, where it holds."""
    if x is None and y is None:
        return nonzero(condition, True)
    if x is None or y is None:
        raise ArgumentError(
            "where() received an invalid combination of arguments - got (Tensor, Tensor), but expected one"
            " of:",
            caret="one of the two to choose from is missing",
        )
    if condition.dtype.name == "uint8":
        mode.warn(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a"
            " future version of PyTorch. Use a boolean condition instead."
        )
        condition = condition != 0
    if condition.dtype.name != "bool":
        raise ScriptError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype"
            f" {condition.dtype.long_name}",
            operands=(condition,),
            help=("compare to get a condition, as in `x > 0`",),
        )
    if x.__class__ is not Tensor and y.__class__ is not Tensor:
        x = tensor(x) if x.__class__ is float or y.__class__ is not float else tensor(float(x))
    return where(condition, x, y)


@public("nonzero(input: tensor, *, as_tuple: bool = False)")
def nonzero(x: Tensor, as_tuple: bool) -> Any:
    """The positions of the entries that are not 0: one row for each, or one vector per dimension."""
    if as_tuple:
        return tuple(Tensor.of(places) for places in np.atleast_1d(x.data).nonzero())
    return Tensor.of(np.argwhere(x.data))


@public("argwhere(input: tensor)")
def argwhere(x: Tensor) -> Tensor:
    """The positions of the entries that are not 0, one row for each."""
    return Tensor.of(np.argwhere(x.data))


@public("unravel_index(indices: tensor, shape: ints)", method=False)
def unravel_index(indices: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Positions along each dimension of ``shape``, from positions counted over all its entries."""
    if indices.dtype.kind != "i":
        raise ScriptError(
            f"expected 'indices' to be integer dtype, but got {indices.dtype!r}",
            code="E0203",
            operands=(indices,),
        )
    if any(n < 0 for n in shape):
        raise ScriptError(f"'shape' cannot have negative values, but got {shape}", code="E0206")
    if 0 in shape:
        raise ScriptError("ZeroDivisionError", operands=(indices,))
    places, rest = [], indices.data.astype("int64")
    for n in reversed(shape):  # torch accepts positions beyond the end
        places.append(Tensor.of(rest % n))
        rest = rest // n
    return tuple(reversed(places))


@public("Tensor.where(input: tensor, condition: tensor, other)", method=True)
def where_method(x: Tensor, condition: Tensor, y: Any) -> Any:
    """The tensor's own entries where the condition holds, ``other`` elsewhere."""
    return where_or_nonzero(condition, x, y)


@public(
    "isclose(input: tensor, other: tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False)"
)
def isclose(x: Tensor, y: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """Whether the entries agree within ``atol + rtol * |other|``."""
    if x.dtype is not y.dtype:
        raise DtypeError(f"{x.dtype.long_name} did not match {y.dtype.long_name}", operands=(x, y))
    for name, bound in (("rtol", rtol), ("atol", atol)):
        if bound < 0:
            raise ScriptError(f"{name} must be greater than or equal to zero, but got {bound}")
    broadcast_shape((x, y))
    return Tensor.of(np.asarray(np.isclose(x.data, y.data, rtol=rtol, atol=atol, equal_nan=equal_nan)))


@public(
    "allclose(input: tensor, other: tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False)"
)
def allclose(x: Tensor, y: Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """Whether all entries agree within ``atol + rtol * |other|``."""
    return bool(isclose(x, y, rtol, atol, equal_nan).data.all())


@public("equal(input: tensor, other: tensor)")
def equal(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors have the same shape and the same entries."""
    return x.shape == y.shape and bool(np.array_equal(x.data, y.data))
