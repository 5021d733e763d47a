"""Expressions as calls that run: with functions of the language that torch has too, not the engine's ops.

Most ops have the name of a public function. The ops that differ are converted by the functions here.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS, RULE_ERRORS
from autodiff.core.graph.values import as_stored
from autodiff.core.symbolic.expr import (
    Expr,
    call,
    expr_text,
    flipped,
    infix,
    name_expr,
    number_expr,
    permuted,
    postfix,
    reshaped,
    zeros,
)
from autodiff.core.symbolic.symbol import spell_key, spell_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    CallWriter = Callable[[Expr, list[Any], dict[str, Any]], "Expr | None"]

#: Up to this condition number, a matrix and its inverse give the cofactors with enough digits.
LARGEST_CONDITION = 1e6
NAMESPACES = ("torch", "F", "torch.linalg", "linalg", "torch.special", "special")


#: The functions that write an op whose name or arguments are not those of a public function. A function
#: returns None if the op cannot be written.
CALL_WRITERS: dict[str, CallWriter] = {}


def register_call(*ops: str) -> Callable[[CallWriter], CallWriter]:
    """Register a function in CALL_WRITERS for these ops."""

    def enter(say: CallWriter) -> CallWriter:
        for op in ops:
            CALL_WRITERS[op] = say
        return say

    return enter


def as_script_call(expr: Expr, values: list[Any], result: Any) -> Expr | None:
    """A call or postfix expression as a script would write it; None if no public function computes the same.

    ``values`` are the values of the arguments, ``result`` is the value of the expression.
    """
    params = dict(expr.params or {})
    op = params.pop("op", None) or params.pop("function", None) or expr.value
    are_numbers = expr.head == "call" and expr.args and all(arg.head == "number" for arg in expr.args)
    if are_numbers and not np.ndim(result):  # public functions take tensors
        return number_expr(float(result))
    if op in CALL_WRITERS:
        return CALL_WRITERS[op](expr, values, params)
    if expr.head != "call" or expr.value == "ones":
        return expr
    return expr if _is_public(expr, values, params, result) else None


def _is_public(expr: Expr, values: list[Any], params: dict[str, Any], result: Any) -> bool:
    """Whether the public function with the op's name gives the same result when called as it is written."""
    called = [f"{space}.{expr.value}" for space in NAMESPACES if f"{space}.{expr.value}" in FUNCTIONS]
    if not called:
        return False
    operands = [
        value if arg.head == "number" else Tensor.of(as_stored(np.asarray(value)))
        for arg, value in zip(expr.args, values, strict=True)
    ]
    said = [word.partition("=")[0] for word in spell_params(params)]
    options = {key: _as_written_argument(key, value) for key, value in params.items() if key in said}
    try:
        made = FUNCTIONS[called[0]](*operands, **options)
    except (AutodiffError, *RULE_ERRORS):
        return False
    if not isinstance(made, Tensor):
        return False
    return bool(made.shape == np.shape(result) and np.allclose(made.data, result, equal_nan=True))


def _as_written_argument(key: str, value: Any) -> Any:
    """An argument in the form in which ``spell_params`` writes it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value[0] if value.__class__ is tuple and len(value) == 1 and key != "shape" else value


def tensor_literal(values: Any) -> Expr:
    """``tensor([0, 2])``."""
    array = np.asarray(values)
    return name_expr(f"tensor({array.tolist()}{'' if array.size else ', dtype=torch.int64'})")


def flat_indices_of_key(params: dict[str, Any], shape: tuple[int, ...]) -> Any:
    """The entries of a tensor that a key selects, as indices in row-major order."""
    size = int(np.prod(shape))
    return OPS["part"].forward(
        np.arange(size).reshape(shape), basic=params["basic"], advanced=params["advanced"]
    )


# -- entries that a key selects ---------------------------------------------------------------------------


@register_call("part", "index", "select", "slice")
def index_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """``x[0]``, with all entries of the key's arrays."""
    if "indices" in params:
        params = {"basic": (), "advanced": params["indices"]}
    if "basic" not in params:
        return expr
    return postfix(expr.args[0], spell_key(params, complete=True), "part", params)


@register_call("embed")
def put_into_zeros(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    shape = params["shape"]
    basic, advanced = params["basic"], params["advanced"]
    if not np.size(values[0]):
        return zeros(shape)
    axis = only_axis(basic) if not advanced else None
    if axis is not None:
        return scattered(zeros(shape), expr.args[0], axis, basic[axis], shape)
    axis = only_axis(advanced) if not basic else None
    if axis is not None and np.ndim(advanced[axis]) == 1 and np.asarray(advanced[axis]).dtype != bool:
        index = tensor_literal(np.asarray(advanced[axis]) % shape[axis])
        return call("index_add", zeros(shape), number_expr(axis), index, expr.args[0])
    places = flat_indices_of_key(params, shape).ravel()
    size = int(np.prod(shape))
    value = expr.args[0] if np.shape(values[0]) == places.shape else reshaped(expr.args[0], places.shape)
    flat = call("index_add", zeros((size,)), number_expr(0), tensor_literal(places), value)
    return flat if shape == (size,) else reshaped(flat, shape)


@register_call("index_put")
def put_into(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    shape = np.shape(values[0])
    places = flat_indices_of_key(params, shape)
    x, value = expr.args
    size = int(np.prod(shape))
    if not np.ndim(values[1]):
        value = expand_to_shape(value, values[1], (places.size,))
    elif np.shape(values[1]) != places.shape:
        value = expand_to_shape(value, values[1], places.shape)
    if np.ndim(values[1]) and places.ndim != 1:
        value = reshaped(value, (places.size,))
    rows = x if shape == (size,) else reshaped(x, (size,))
    flat = call("index_copy", rows, number_expr(0), tensor_literal(places.ravel()), value)
    return flat if shape == (size,) else reshaped(flat, shape)


def only_axis(keys: tuple[Any, ...]) -> int | None:
    """The single dimension that a key restricts; None if it restricts several or none."""
    if any(key is None or key is Ellipsis for key in keys):
        return None
    about = [axis for axis, key in enumerate(keys) if not (key.__class__ is slice and key == slice(None))]
    return about[0] if len(about) == 1 else None


def scattered(x: Expr, value: Expr, axis: int, key: Any, shape: tuple[int, ...]) -> Expr:
    """``x`` with ``value`` written at an index or a slice of one dimension."""
    if key.__class__ is not slice:
        return call("select_scatter", x, value, number_expr(axis), number_expr(int(key) % shape[axis]))
    start, stop, step = key.indices(shape[axis])
    ends = (
        number_expr(axis),
        number_expr(start),
        number_expr(stop),
        *([number_expr(step)] if step != 1 else []),
    )
    return call("slice_scatter", x, value, *ends)


@register_call("pick")
def picked(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """The entries that ``max`` and similar functions chose along a dimension."""
    if not np.ndim(values[0]):
        return expr.args[0]
    dim = params["dim"]
    made = call("gather", expr.args[0], number_expr(dim), tensor_literal(params["index"]))
    return made if params["keepdim"] else call("squeeze", made, number_expr(dim))


@register_call("one_hot")
def one_hot(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """The rows of the identity: ``one_hot`` gives integers, which no matrix product takes with floats."""
    targets = params["targets"]
    key = f"tensor({[*targets]})" if targets.__class__ is tuple else targets
    return postfix(call("eye", number_expr(params["classes"])), f"[{key}]")


# -- arguments in another order ---------------------------------------------------------------------------


@register_call("stack", "cat")
def joined(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return call(expr.value, Expr("list", expr.args), details=(f"dim={params['dim']}",), params=expr.params)


@register_call("einsum")
def einsum(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    operands = [name_expr(f"tensor({expr_text(arg)})") if arg.head == "number" else arg for arg in expr.args]
    return call("einsum", name_expr(repr(params["equation"])), *operands)


# -- formulas ---------------------------------------------------------------------------------------------


@register_call("cofactor")
def cofactor(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr | None:
    """The determinant times the transposed inverse; None if the matrix is close to singular."""
    [x] = expr.args
    if np.any(np.linalg.cond(values[0]) > LARGEST_CONDITION):
        return None
    size = call("det", x)
    if np.ndim(values[0]) > 2:
        size = reshaped(size, (*np.shape(values[0])[:-2], 1, 1))
    return infix("*", size, postfix(call("inv", x), ".mT"))


@register_call("standardize")
def standardized(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    [x] = expr.args
    details = (*spell_params({"dim": params["dim"]}), "keepdim=True")
    centred = infix("-", x, call("mean", x, details=details))
    square = call("mean", infix("**", centred, number_expr(2)), details=details)
    return infix("/", centred, call("sqrt", infix("+", square, number_expr(params["eps"]))))


@register_call("nll_loss")
def nll_loss_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """``nll_loss`` if all rows have the same weight, else a sum with the weights written out."""
    [x] = expr.args
    target, weight, reduction = params["target"], params["weight"], params["reduction"]
    shape = np.shape(values[0])
    if len(shape) == 2 and (weight == 1).all():
        details = () if reduction == "mean" else (f"reduction={reduction!r}",)
        return call("nll_loss", x, tensor_literal(target.ravel()), details=details)
    one = np.ones(np.shape(OPS["nll_loss"].forward(np.asarray(values[0]), **params)))
    taken = tensor_literal(OPS["nll_transposed"].forward(one, shape=shape, **params))
    product = infix("*", x, taken)
    if reduction != "none":
        return call("sum", product)
    return call("sum", product, details=(f"dim={0 if len(shape) == 1 else 1}",))


@register_call("nll_transposed")
def nll_gradient_formula(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """The gradient of classification scores: fixed factors times the incoming gradient."""
    shape = params["shape"]
    g = expr.args[0]
    if params["reduction"] == "none":
        axis = 0 if len(shape) == 1 else 1
        g = reshaped(g, (*shape[:axis], 1, *shape[axis + 1 :]))
    one = np.ones(np.shape(values[0]))
    return infix("*", g, tensor_literal(OPS["nll_transposed"].forward(one, **params)))


@register_call("where")
def where_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """``where`` with a tensor as condition. If both values are numbers they are written as floats."""
    condition, *others = expr.args
    if condition.head == "number":
        condition = name_expr(f"tensor({bool(values[0])})")
    if all(other.head == "number" for other in others):
        others = [name_expr(repr(float(value))) for value in values[1:]]
    return call("where", condition, *others)


def expand_to_shape(x: Expr, value: Any, shape: tuple[int, ...]) -> Expr:
    """``expand(x, (2, 3))``; ``full((2, 3), 0.5)`` for a number."""
    if x.head == "number":
        return name_expr(f"full({shape}, {float(value)!r})")
    return call("expand", x, details=(str(shape),), params={"shape": shape})


@register_call("expand")
def expand(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return expand_to_shape(expr.args[0], values[0], params["shape"])


@register_call("vector_norm")
def norm(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    if params["ord"] == 2:
        return expr
    return call("linalg.vector_norm", *expr.args, details=spell_params(params), params=expr.params)


@register_call("sum_to")
def sum_to_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    """A sum over dimensions, with the leading dimensions dropped."""
    shape = params["shape"]
    is_shorter = len(shape) not in (0, np.ndim(values[0]))
    return reshaped(expr, shape) if is_shorter and "keepdim=True" in expr.details else expr


@register_call("reshape")
def reshape(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return (
        expand_to_shape(expr.args[0], values[0], params["shape"]) if expr.args[0].head == "number" else expr
    )


@register_call("sum", "permute", "mean")
def keep_call(expr: Expr, values: list[Any], params: dict[str, Any]) -> Expr:
    return expr


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
