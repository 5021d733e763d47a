"""Spellings of ops that are no call or infix operator, such as ``X.T``, ``x**2``, ``x[0]``, or are omitted.

Ops that only change a shape or a dtype, or copy a number, are omitted where that is not ambiguous. Ops that
write entries are spelled ``zeros(3).index_put(([0, 2],), G)``.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.op import OPS
from autodiff.core.symbolic.expr import (
    ONE,
    ZERO,
    Expr,
    call,
    infix,
    neg,
    number_expr,
    postfix,
    zeros,
)
from autodiff.core.symbolic.symbol import (
    SYMBOL_SPELLERS,
    Shape,
    Symbol,
    broadcast_shapes,
    entry_count,
    spell_key,
    spell_params,
    spell_value,
)

#: If there are more targets, only the first ones are shown.
LONGEST_TARGETS = 12

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Speller = Callable[[list[Symbol], dict[str, Any]], Symbol | None]


def register_spelling(*ops: str) -> Callable[[Speller], Speller]:
    """Register a function in SYMBOL_SPELLERS for these ops."""

    def enter(spell: Speller) -> Speller:
        for op in ops:
            SYMBOL_SPELLERS[op] = spell
        return spell

    return enter


def is_single_number(x: Symbol) -> bool:
    """Whether the expression is a single number, which may be broadcast."""
    return entry_count(x.extent) == 1


@register_spelling("to", "clone", "contiguous")
def omit_op(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    return x.reshaped(x.shape, x.extent)


@register_spelling("expand")
def expand(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    return x.reshaped(params["shape"], x.extent)


@register_spelling("reshape", "squeeze", "unsqueeze")
def reshape(operands: list[Symbol], params: dict[str, Any]) -> Symbol | None:
    [x] = operands
    shape = params.get("shape")
    if shape is None:
        return x.reshaped((1,) * x.ndim) if x.size == 1 and params["dim"] is None else None
    if shape == x.shape:
        return x.reshaped(shape, x.extent)
    if is_single_number(x):
        return x.reshaped(shape, ())
    return Symbol(
        call("reshape", x.expanded_expr(), details=(str(shape),), params=params), shape, dtype=x.dtype
    )


def reduced_shape(shape: Shape, dim: Shape | None, keepdim: bool) -> Shape:
    """The shape after a reduction."""
    dims = range(len(shape)) if dim is None else [d % len(shape) for d in dim] if shape else []
    if keepdim:
        return tuple(1 if axis in dims else n for axis, n in enumerate(shape))
    return tuple(n for axis, n in enumerate(shape) if axis not in dims)


@register_spelling("sum", "sum_to")
def spell_sum(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    shape = params["shape"] if "shape" in params else reduced_shape(x.shape, params["dim"], params["keepdim"])
    if x.shape == shape:
        return x.reshaped(shape, x.extent)
    if is_single_number(x) and x.size == 1:
        return x.reshaped(shape, ())
    if x.size == entry_count(shape):  # only dimensions of size 1 go: leading ones need no mention
        in_front = x.shape[len(x.shape) - len(shape) :] == shape
        return x.reshaped(shape) if in_front else OPS["reshape"](x, shape=shape)
    if is_single_number(x) and entry_count(shape):
        copies = x.size // entry_count(shape)
        return Symbol(infix("*", number_expr(copies), x.expr), shape, extent=(), dtype=x.dtype)
    details = spell_params(params) if "dim" in params else sum_to_details(x.shape, shape)
    one = without_one_hot(x.expr)
    if one is not None and (x.ndim == 1 or shape == (*x.shape[:-1], 1)):  # each row adds up to 1
        return Symbol(one, shape, extent=(), dtype=x.dtype)
    op = "sum" if "dim" in params else "sum_to"
    written = Expr("call", (x.expanded_expr(),), "sum", details, {**params, "op": op})
    return Symbol(written, shape, dtype=x.dtype)


def sum_to_details(before: Shape, after: Shape) -> tuple[str, ...]:
    """The arguments of the ``sum`` that does what ``sum_to`` does."""
    lead = len(before) - len(after)
    dims = tuple(range(lead)) + tuple(
        lead + axis for axis, n in enumerate(after) if n == 1 and before[lead + axis] != 1
    )
    if len(dims) == len(before) or entry_count(after) == 1:
        return ()
    detail = f"dim={dims[0] if len(dims) == 1 else dims}"
    return (detail,) if max(dims) < lead else (detail, "keepdim=True")


@register_spelling("mean")
def mean(operands: list[Symbol], params: dict[str, Any]) -> Symbol | None:
    [x] = operands
    shape = reduced_shape(x.shape, params["dim"], params["keepdim"])
    if is_single_number(x):
        return x.reshaped(shape, ())
    return Symbol(
        call("mean", x.expanded_expr(), details=spell_params(params), params=params), shape, dtype=x.dtype
    )


@register_spelling("transpose", "t", "permute")
def transpose(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    order = list(range(x.ndim))
    if "dims" in params:
        order = list(params["dims"])
    elif "dim0" in params:
        a, b = params["dim0"] % x.ndim, params["dim1"] % x.ndim
        order[a], order[b] = order[b], order[a]
    else:
        order.reverse()
    shape = tuple(x.shape[axis] for axis in order)
    if x.ndim < 2 or is_single_number(x):
        return x.reshaped(shape, () if is_single_number(x) else None)
    if order == sorted(order, reverse=True):
        tail = ".T"
    elif order == [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]:
        tail = ".mT"
    else:
        permuted = call(
            "permute", x.expanded_expr(), details=(str(tuple(order)),), params={"dims": tuple(order)}
        )
        return Symbol(permuted, shape, dtype=x.dtype)
    turned = postfix(x.expanded_expr(), tail, "permute", {"dims": tuple(order)})
    return Symbol(turned, shape, dtype=x.dtype)


@register_spelling("mm", "mv", "vm", "dot", "bmm", "matmul")
def matmul(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    x, y = operands
    left, right = x.shape, y.shape
    rows = left[-2:-1] if len(left) > 1 else ()
    columns = right[-1:] if len(right) > 1 else ()
    shape = (*broadcast_shapes([left[:-2], right[:-2]]), *rows, *columns)
    # Matrices with a single entry multiply like numbers.
    sign = "*" if x.size == y.size == 1 else "@"
    return Symbol(infix(sign, x.expanded_expr(), y.expanded_expr()), shape, dtype=x.dtype)


@register_spelling("outer")
def outer(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    x, y = operands
    shape = (*x.shape, *y.shape)
    if x.size == y.size == 1:
        return Symbol(infix("*", x.expr, y.expr), shape, dtype=x.dtype)
    return Symbol(call("outer", x.expanded_expr(), y.expanded_expr(), params=params), shape, dtype=x.dtype)


@register_spelling("except_where")
def except_where(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """The regular formula. The convention at singular points is reported elsewhere."""
    condition, value, formula = operands
    shape = broadcast_shapes([condition.shape, value.shape, formula.shape])
    return formula.reshaped(shape, formula.extent)


@register_spelling("contribution")
def contribution(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    g, _ = operands
    return g.reshaped(g.shape, g.extent)


@register_spelling("zero")
def zero(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    return Symbol(ZERO, x.shape, extent=(), dtype=x.dtype)


@register_spelling("vector_norm")
def vector_norm(operands: list[Symbol], params: dict[str, Any]) -> Symbol | None:
    """``norm(x)`` for the Euclidean norm."""
    [x] = operands
    if params["ord"] != 2:
        return None
    others = {key: value for key, value in params.items() if key != "ord"}
    written = call(
        "norm", x.expanded_expr(), details=spell_params(others), params={**params, "op": "vector_norm"}
    )
    return Symbol(written, reduced_shape(x.shape, params["dim"], params["keepdim"]), dtype=x.dtype)


@register_spelling("standardize")
def standardize(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``layer_norm`` over the last dimensions, else ``batch_norm``."""
    [x] = operands
    dims = sorted(axis % x.ndim for axis in params["dim"])
    first = x.ndim - len(dims)
    eps = f"eps={params['eps']}"
    named = {**params, "op": "standardize"}
    if dims == list(range(first, x.ndim)):
        written = call("layer_norm", x.expanded_expr(), details=(str(x.shape[first:]), eps), params=named)
    else:
        details = ("None", "None", "training=True", eps)
        written = call("batch_norm", x.expanded_expr(), details=details, params=named)
    return Symbol(written, x.shape, dtype=x.dtype)


@register_spelling("square")
def square(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    return with_expr(x, infix("**", x.expr, number_expr(2)))


@register_spelling("reciprocal")
def reciprocal(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    return with_expr(x, infix("/", number_expr(1), x.expr))


def with_expr(x: Symbol, expr: Expr) -> Symbol:
    return Symbol(expr, x.shape, extent=x.extent, dtype=x.dtype)


#: Contractions with a shorter spelling. Letters are renamed in the order of appearance.
CONTRACTIONS = {
    **{"a,b->ab": "outer", "a,a->": "dot"},
    **{"ab,b->a": "mv", "a,ab->b": "vm", "ab,bc->ac": "mm", "abc,acd->abd": "bmm"},
}


@register_spelling("einsum")
def einsum(operands: list[Symbol], params: dict[str, Any]) -> Symbol | None:
    """A matrix product if the equation is one; else None, for a call that begins with the equation."""
    letters: dict[str, str] = {}
    equation: str = params["equation"]
    for letter in equation:
        if letter.isalpha():
            letters.setdefault(letter, chr(ord("a") + len(letters)))
    known = CONTRACTIONS.get("".join(letters.get(sign, sign) for sign in equation))
    return None if known is None else OPS[known](*operands)


@register_spelling("exp")
def exp(operands: list[Symbol], params: dict[str, Any]) -> Symbol | None:
    """``exp(log_softmax(x))`` is ``softmax(x)``."""
    [x] = operands
    if x.expr.head != "call" or x.expr.value != "log_softmax":
        return None
    softmax = call("softmax", *x.expr.args, details=x.expr.details, params=x.expr.params)
    return Symbol(softmax, x.shape, extent=x.extent, dtype=x.dtype)


@register_spelling("nll_transposed")
def spell_nll_gradient(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """The gradient of classification scores: ``-one_hot(target)/n`` if all weights are equal.

    Otherwise an array of fixed factors times the incoming gradient.
    """
    [g] = operands
    shape, target, weight = params["shape"], params["target"], params["weight"]
    if len(shape) != 2 or params["reduction"] == "none" or not is_single_number(g) or not (weight == 1).all():
        axis = min(len(shape) - 1, 1)
        each = OPS["reshape"](g, shape=(*shape[:axis], 1, *shape[axis + 1 :])) if g.size > 1 else g
        factors = OPS["nll_transposed"].forward(np.ones(g.shape), **params)
        return Symbol((each * factors).expr, shape, dtype=g.dtype)
    product = infix("*", neg(one_hot_rows(target.ravel().tolist(), shape[1])), g.expr)
    if params["reduction"] == "mean":
        product = infix("/", product, number_expr(params["total"]))
    return Symbol(product, shape, dtype=g.dtype)


def one_hot_rows(targets: list[int], classes: int) -> Expr:
    """A matrix with a 1 in each row, at its target: ``one_hot([0, 1], 2)``."""
    shown = str(targets) if len(targets) <= LONGEST_TARGETS else f"[{targets[0]}, {targets[1]}, ...]"
    return call(
        "one_hot", details=(shown, str(classes)), params={"targets": tuple(targets), "classes": classes}
    )


def targets_of_rows(shape: Shape, params: dict[str, Any]) -> list[int] | None:
    """The entries that ``z[range(n), y]`` takes from the n rows of ``z``; None for another index."""
    keys = params["advanced"]
    if (
        len(shape) != 2
        or len(keys) != 2
        or any(np.ndim(key) != 1 or np.asarray(key).dtype.kind != "i" for key in keys)
    ):
        return None
    rows, columns = (np.asarray(key).tolist() for key in keys)
    return [at % shape[1] for at in columns] if rows == list(range(shape[0])) else None


def without_one_hot(expr: Expr) -> Expr | None:
    """A product of numbers and one one-hot matrix, without that matrix; None for anything else."""
    if expr.head == "call" and expr.value == "one_hot":
        return ONE
    if expr.head == "neg":
        rest = without_one_hot(expr.args[0])
        return None if rest is None else neg(rest)
    if expr.head in ("*", "/"):
        a, b = expr.args
        if expr.head == "*" and is_constant(a):
            a, b = b, a
        rest = without_one_hot(a) if is_constant(b) else None
        return None if rest is None else infix(expr.head, rest, b)
    return None


def is_constant(expr: Expr) -> bool:
    return expr.head == "number" or (expr.head in ("neg", "*", "/") and all(map(is_constant, expr.args)))


# -- reading and writing entries --------------------------------------------------------------------------


@register_spelling("select")
def select(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``x[0]``; 1 or 0 for a unit vector."""
    [x] = operands
    if x.ndim == 1 and not is_single_number(x):
        expr = entry_shown_at(x.expr, {"basic": (params["index"] % x.shape[0],), "advanced": ()})
        if expr is not None:
            return Symbol(expr, (), dtype=x.dtype)
    return spell_dim_index("select", x, params, (), str(params["index"]))


@register_spelling("slice")
def slice_dim(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    taken = slice(params["start"], params["stop"], params["step"])
    left = len(range(x.shape[params["dim"]])[taken])
    return spell_dim_index("slice", x, params, (left,), spell_value(taken))


def spell_dim_index(
    op: str, x: Symbol, params: dict[str, Any], kept_sizes: tuple[int, ...], key: str
) -> Symbol:
    """``x[:, key]``. ``left`` are the sizes that replace the size of the indexed dimension: one or none."""
    dim = params["dim"] % x.ndim
    shape = (*x.shape[:dim], *kept_sizes, *x.shape[dim + 1 :])
    if is_single_number(x):
        return x.reshaped(shape, ())
    return Symbol(postfix(x.expanded_expr(), "[" + ":, " * dim + f"{key}]", op, params), shape, dtype=x.dtype)


@register_spelling("embed")
def embed(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``G`` in a tensor of zeros. A number in a vector is the number times a unit vector."""
    [x] = operands
    shape, basic = params["shape"], params["basic"]
    if len(shape) == 1 and is_integer_key(basic, params["advanced"]):
        at = basic[0] % shape[0]
        unit = call("one_hot", details=(str(at), str(shape[0])), params={"targets": at, "classes": shape[0]})
        return Symbol(infix("*", x.expanded_expr(), unit), shape, dtype=x.dtype)
    targets = targets_of_rows(shape, params)
    if targets is not None and is_single_number(x):
        return Symbol(infix("*", one_hot_rows(targets, shape[1]), x.expr), shape, dtype=x.dtype)
    about = [axis for axis, key in enumerate(basic) if key != slice(None)]
    axis = about[0] if len(about) == 1 and not params["advanced"] else -1
    if axis >= 0 and basic[axis].__class__ is int and None not in basic:
        spelled = f"{zeros(shape)}.select_scatter({{0}}, {axis}, {basic[axis]})"
    elif axis >= 0 and basic[axis].__class__ is slice:
        start, stop, step = basic[axis].indices(shape[axis])
        ends = ", ".join(map(str, (axis, start, stop, *([step] if step != 1 else []))))
        spelled = f"{zeros(shape)}.slice_scatter({{0}}, {ends})"
    else:
        added = ", accumulate=True" * has_repeated_places(params)
        spelled = f"{zeros(shape)}.index_put({index_put_key(params)}, {{0}}{added})"
    written = call(spelled, x.expanded_expr(), params={**params, "op": "embed"})
    return Symbol(written, shape, dtype=x.dtype)


def index_put_key(params: dict[str, Any]) -> str:
    """``([0, 2],)``: the key as ``index_put`` takes it."""
    return spell_value((*params["basic"], *params["advanced"]))


@register_spelling("index_put")
def index_put(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    x, value = operands
    spelled = f"index_put({{0}}, {index_put_key(params)}, {{1}})"
    written = call(spelled, x.expanded_expr(), value.expr, params={**params, "op": "index_put"})
    return Symbol(written, x.shape, dtype=x.dtype)


def has_repeated_places(params: dict[str, Any]) -> bool:
    """Whether a key selects some entry more than once, so that the values written there are added."""
    if not params["advanced"]:
        return False
    counts = np.zeros(params["shape"], int)
    np.add.at(counts[(*params["basic"], Ellipsis)], params["advanced"], 1)
    return bool(counts.max(initial=0) > 1)


@register_spelling("index")
def index(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    indices = params["indices"]
    shape = np.broadcast_to(0.0, x.shape)[indices].shape
    key = spell_key({"basic": (), "advanced": indices})
    return Symbol(postfix(x.expanded_expr(), key, "index", params), shape, dtype=x.dtype)


@register_spelling("part")
def part(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``x[0]``; of an entry that has just been embedded its value, of a unit vector 1 or 0."""
    [x] = operands
    basic, advanced = params["basic"], params["advanced"]
    stand_in = np.broadcast_to(0.0, x.shape)[(*basic, Ellipsis)]
    shape = (stand_in[advanced] if advanced else stand_in).shape
    if is_single_number(x):
        return x.reshaped(shape, ())
    expr = entry_shown_at(x.expr, params)
    if expr is None:
        expr = postfix(x.expanded_expr(), spell_key(params), "part", params)
    return Symbol(expr, shape, extent=() if expr.head == "number" else None, dtype=x.dtype)


def is_integer_key(basic: tuple[Any, ...], advanced: tuple[Any, ...]) -> bool:
    """Whether a key consists of integers alone."""
    return bool(basic) and not advanced and all(key.__class__ is int for key in basic)


def entry_shown_at(expr: Expr, params: dict[str, Any]) -> Expr | None:
    """The entry that a key selects, if the expression shows it; else None."""
    if expr.head == "neg":
        inner = entry_shown_at(expr.args[0], params)
        return None if inner is None else neg(inner)
    if expr.head == "*":
        # A number times a tensor. Of two tensors, only the unit vector is recognized.
        factor, unit = expr.args
        one = entry_shown_at(unit, params) if unit.value == "one_hot" else None
        return None if one is None else infix("*", factor, one) if one != ZERO else ZERO
    if expr.head != "call" or not is_integer_key(params["basic"], params["advanced"]):
        return None
    known = expr.params or {}
    if expr.value == "one_hot" and known["targets"].__class__ is int:
        return ONE if params["basic"] == (known["targets"],) else ZERO
    if known.get("op") == "embed" and is_integer_key(known["basic"], known["advanced"]):
        here, there = params["basic"], known["basic"]
        if len(here) == len(there):
            return expr.args[0] if here == there else ZERO
    return None
