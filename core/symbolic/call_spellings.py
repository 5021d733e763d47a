"""Calls that run for ops which another function provides: windows, padding, picking entries, factorizations.

``CALL_WRITERS`` also gets the functions that ``callable_form`` registers.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.symbolic.expr import Expr, call, infix, name_expr, number_expr, postfix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    CallWriter = Callable[[Expr, list[Any], dict[str, Any]], "Expr | None"]

#: The functions that write an op whose name or arguments are not those of a public function. A function
#: returns None if the op cannot be written.
CALL_WRITERS: dict[str, CallWriter] = {}


def register_call(*ops: str) -> Callable[[CallWriter], CallWriter]:
    """Register a function in WORDS for these ops."""

    def enter(say: CallWriter) -> CallWriter:
        for op in ops:
            CALL_WRITERS[op] = say
        return say

    return enter


# -- numbers and shapes as arguments ----------------------------------------------------------------------


def tensor_literal(values: Any) -> Expr:
    """``tensor([0, 2])``."""
    array = np.asarray(values)
    return name_expr(f"tensor({array.tolist()}{'' if array.size else ', dtype=torch.int64'})")


def reshaped(x: Expr, shape: tuple[int, ...]) -> Expr:
    if x.head == "number":
        return name_expr(f"full({shape}, {float(x.value)!r})")
    return call("reshape", x, details=(str(shape),), params={"shape": shape})


def permuted(x: Expr, order: tuple[int, ...]) -> Expr:
    return call("permute", x, details=(str(order),))


def zeros(shape: tuple[int, ...]) -> Expr:
    return name_expr(f"zeros({', '.join(map(str, shape)) or '()'})")


def flipped(x: Expr, *dims: int) -> Expr:
    return call("flip", x, details=(str(dims),))


# -- reading and writing entries --------------------------------------------------------------------------


@register_call("flip")
def flip(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return flipped(expr.args[0], *params["dims"])


@register_call("index_select", "gather")
def index_select_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return call(expr.value, expr.args[0], number_expr(params["dim"]), tensor_literal(params["index"]))


@register_call("scatter", "scatter_add")
def scatter(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    x, value = expr.args
    return call(expr.value, x, number_expr(params["dim"]), tensor_literal(params["index"]), value)


@register_call("diag_embed")
def diag_embed(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """For a matrix that is not square, the entries are added at their positions."""
    shape, offset, dims = params["shape"], params["offset"], (params["dim1"], params["dim2"])
    [x] = expr.args
    size = np.shape(values[0])[-1] + abs(offset)
    if all(shape[dim] == size for dim in dims):
        words = [f"offset={offset}"] * (offset != 0)
        if dims != (len(shape) - 2, len(shape) - 1):
            words += [f"dim1={dims[0]}", f"dim2={dims[1]}"]
        return call("diag_embed", x, details=tuple(words))
    count = int(np.prod(shape))
    places = np.diagonal(np.arange(count).reshape(shape), offset, *dims).ravel()
    put = call(
        "index_add", zeros((count,)), number_expr(0), tensor_literal(places), reshaped(x, (places.size,))
    )
    return reshaped(put, shape)


# -- windows ----------------------------------------------------------------------------------------------


def as_2d_sizes(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes for one dimension as sizes for two."""
    return (1,) * (2 - len(sizes)) + tuple(sizes)


def window_details(params: dict[str, Any]) -> tuple[str, ...]:
    """The further arguments of ``F.fold`` and ``F.unfold``."""
    return tuple(
        f"{key}={as_2d_sizes(params[key])}" for key in ("dilation", "stride") if set(params[key]) != {1}
    )


@register_call("windows")
def windows(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr | None:
    """``F.unfold`` of one or two dimensions, whose blocks are columns."""
    kernel, shape = params["kernel"], np.shape(values[0])
    dims = len(kernel)
    if dims > 2 or not np.size(values[0]):
        return None
    lead, sizes = shape[:-dims], shape[-dims:]
    counts = tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(sizes, kernel, params["stride"], params["dilation"], strict=True)
    )
    flat = reshaped(expr.args[0], (int(np.prod(lead)), 1, *as_2d_sizes(sizes)))
    columns = call("F.unfold", flat, details=(str(as_2d_sizes(kernel)), *window_details(params)))
    return permuted(reshaped(columns, (*lead, *kernel, *counts)), swap_window_dims(len(lead), dims))


@register_call("add_windows")
def add_windows(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr | None:
    """``F.fold``, the transpose of ``windows``."""
    kernel, shape = params["kernel"], params["shape"]
    dims = len(kernel)
    if dims > 2 or not np.size(values[0]):
        return None
    lead, sizes = shape[:-dims], shape[-dims:]
    ordered = permuted(expr.args[0], swap_window_dims(len(lead), dims))
    columns = reshaped(ordered, (int(np.prod(lead)), int(np.prod(kernel)), -1))
    details = (str(as_2d_sizes(sizes)), str(as_2d_sizes(kernel)), *window_details(params))
    return reshaped(call("F.fold", columns, details=details), shape)


def swap_window_dims(lead: int, dims: int) -> tuple[int, ...]:
    """The order of dimensions that exchanges the last ``dims`` with the ``dims`` before them."""
    return (*range(lead), *range(lead + dims, lead + 2 * dims), *range(lead, lead + dims))


@register_call("constant_pad")
def padded(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    sizes = tuple(n for pad in reversed(params["pads"]) for n in pad)
    words = [f"value={params['value']!r}"] * (params["value"] != 0)
    return call("F.pad", expr.args[0], details=(str(sizes), *words))


@register_call("mix")
def mix_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """A product with a matrix of constants along a dimension."""
    [x] = expr.args
    weights = name_expr(f"tensor({np.nan_to_num(params['weights']).T.tolist()})")
    dim, last = params["dim"] % np.ndim(values[0]), np.ndim(values[0]) - 1
    if dim == last:
        return infix("@", x, weights)
    turned = call("transpose", x, number_expr(dim), number_expr(last))
    return call("transpose", infix("@", turned, weights), number_expr(dim), number_expr(last))


# -- scans and special functions --------------------------------------------------------------------------


@register_call("cumsum", "logcumsumexp")
def scan_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    dim = params["dim"]
    if not params["reverse"]:
        return call(expr.value, *expr.args, details=(f"dim={dim}",))
    return flipped(call(expr.value, flipped(expr.args[0], dim), details=(f"dim={dim}",)), dim)


@register_call("polygamma")
def polygamma(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return call("polygamma", number_expr(params["n"]), *expr.args)


@register_call("div_floor", "div_trunc")
def rounded(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    mode = "trunc" if "trunc" in str(expr.value) else "floor"
    return call("div", *expr.args, details=(f"rounding_mode='{mode}'",))


@register_call("maximum", "minimum")
def bounded(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """``clamp`` if the bound is a number, else the call as it is."""
    x, bound = expr.args
    if np.ndim(values[0]) and not np.ndim(values[1]) and bound.head == "number":
        side = "min" if expr.value == "maximum" else "max"
        return call("clamp", x, details=(f"{side}={float(values[1])!r}",))
    return expr


# -- factors ----------------------------------------------------------------------------------------------

#: The functions that return several factors at once, and the position of each factor.
FACTORS = {
    "eigenvalues": ("linalg.eigh", 0),
    "eigenvectors": ("linalg.eigh", 1),
    "qr_q": ("linalg.qr", 0),
    "qr_r": ("linalg.qr", 1),
    "lu_permutation": ("linalg.lu", 0),
    "lu_lower": ("linalg.lu", 1),
    "lu_upper": ("linalg.lu", 2),
    "left_vectors": ("linalg.svd", 0),
    "right_vectors": ("linalg.svd", 2),
    "exponent": ("frexp", 1),
}


def factor_writer(function: str, place: int) -> CallWriter:
    def say(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
        words = ("full_matrices=False",) if params.get("full") is False else ()
        return postfix(call(function, *expr.args, details=words), f"[{place}]")

    return say


CALL_WRITERS.update({op: factor_writer(*place) for op, place in FACTORS.items()})


@register_call("singular_values")
def singular_values(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return call("linalg.svdvals", *expr.args)


@register_call("solve_triangular")
def solve_triangular(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr | None:
    if any(np.ndim(value) < 2 for value in values):
        return None
    words = [f"upper={bool(params['upper'])}"] + ["unitriangular=True"] * bool(params["unit"])
    return call("linalg.solve_triangular", *expr.args, details=tuple(words))


@register_call("alias")
def alias_operand(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return expr.args[0]
