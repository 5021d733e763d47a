"""Expressions as calls that run: with functions of the language that torch has too, not the engine's ops.

Most ops have the name of a public function. The ops that differ are converted by the functions here and in
``call_spellings``.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS, RULE_ERRORS
from autodiff.core.graph.values import as_stored
from autodiff.core.symbolic.call_spellings import CALL_WRITERS, register_call, reshaped, tensor_literal, zeros
from autodiff.core.symbolic.expr import Expr, call, expr_text, infix, name_expr, number_expr, postfix
from autodiff.core.symbolic.symbol import spell_key, spell_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Up to this condition number, a matrix and its inverse give the cofactors with enough digits.
LARGEST_CONDITION = 1e6
NAMESPACES = ("torch", "F", "torch.linalg", "linalg", "torch.special", "special")


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
    targets = params["targets"]
    made = list(targets) if targets.__class__ is tuple else targets
    return call("one_hot", name_expr(f"tensor({made})"), number_expr(params["classes"]))


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
