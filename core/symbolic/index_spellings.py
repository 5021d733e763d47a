"""The spelling of ops that read and write entries: ``x[0]``, ``zeros(3).index_put(([0, 2],), G)``."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.symbolic.call_spellings import zeros
from autodiff.core.symbolic.expr import ONE, ZERO, Expr, call, infix, neg, postfix
from autodiff.core.symbolic.op_spellings import is_single_number, register_spelling
from autodiff.core.symbolic.symbol import Symbol, spell_key, spell_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
