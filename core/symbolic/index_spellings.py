"""The spelling of ops that read and write entries: ``x[0]``, ``zeros(3).index_put(([0, 2],), G)``."""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.symbolic.call_spellings import zeros
from autodiff.core.symbolic.expr import ONE, ZERO, Expr, call, infix, neg, postfix
from autodiff.core.symbolic.op_spellings import is_one_number, spelling
from autodiff.core.symbolic.symbol import Symbol, spell_key, spell_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@spelling("select")
def select(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``x[0]``; 1 or 0 for a unit vector."""
    [x] = operands
    if x.ndim == 1 and not is_one_number(x):
        expr = picked(x.expr, {"basic": (params["index"] % x.shape[0],), "advanced": ()})
        if expr is not None:
            return Symbol(expr, (), dtype=x.dtype)
    return read_along("select", x, params, (), str(params["index"]))


@spelling("slice")
def slice_dim(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    taken = slice(params["start"], params["stop"], params["step"])
    left = len(range(x.shape[params["dim"]])[taken])
    return read_along("slice", x, params, (left,), spell_value(taken))


def read_along(op: str, x: Symbol, params: dict[str, Any], left: tuple[int, ...], key: str) -> Symbol:
    """``x[:, key]``. ``left`` are the sizes that replace the size of the indexed dimension: one or none."""
    dim = params["dim"] % x.ndim
    shape = (*x.shape[:dim], *left, *x.shape[dim + 1 :])
    if is_one_number(x):
        return x.reshaped(shape, ())
    return Symbol(postfix(x.filled(), "[" + ":, " * dim + f"{key}]", op, params), shape, dtype=x.dtype)


@spelling("embed")
def embed(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``G`` in a tensor of zeros. A number in a vector is the number times a unit vector."""
    [x] = operands
    shape, basic = params["shape"], params["basic"]
    if len(shape) == 1 and is_place(basic, params["advanced"]):
        at = basic[0] % shape[0]
        unit = call("one_hot", details=(str(at), str(shape[0])), params={"targets": at, "classes": shape[0]})
        return Symbol(infix("*", x.filled(), unit), shape, dtype=x.dtype)
    about = [axis for axis, key in enumerate(basic) if key != slice(None)]
    axis = about[0] if len(about) == 1 and not params["advanced"] else -1
    if axis >= 0 and basic[axis].__class__ is int and None not in basic:
        spelled = f"{zeros(shape)}.select_scatter({{0}}, {axis}, {basic[axis]})"
    elif axis >= 0 and basic[axis].__class__ is slice:
        start, stop, step = basic[axis].indices(shape[axis])
        ends = ", ".join(map(str, (axis, start, stop, *([step] if step != 1 else []))))
        spelled = f"{zeros(shape)}.slice_scatter({{0}}, {ends})"
    else:
        added = ", accumulate=True" * adds_up(params)
        spelled = f"{zeros(shape)}.index_put({places_text(params)}, {{0}}{added})"
    written = call(spelled, x.filled(), params={**params, "op": "embed"})
    return Symbol(written, shape, dtype=x.dtype)


def places_text(params: dict[str, Any]) -> str:
    """``([0, 2],)``: the key as ``index_put`` takes it."""
    return spell_value((*params["basic"], *params["advanced"]))


@spelling("index_put")
def index_put(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    x, value = operands
    spelled = f"index_put({{0}}, {places_text(params)}, {{1}})"
    written = call(spelled, x.filled(), value.expr, params={**params, "op": "index_put"})
    return Symbol(written, x.shape, dtype=x.dtype)


def adds_up(params: dict[str, Any]) -> bool:
    """Whether a key selects some entry more than once, so that the values written there are added."""
    if not params["advanced"]:
        return False
    counts = np.zeros(params["shape"], int)
    np.add.at(counts[(*params["basic"], Ellipsis)], params["advanced"], 1)
    return bool(counts.max(initial=0) > 1)


@spelling("index")
def index(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    [x] = operands
    indices = params["indices"]
    shape = np.broadcast_to(0.0, x.shape)[indices].shape
    key = spell_key({"basic": (), "advanced": indices})
    return Symbol(postfix(x.filled(), key, "index", params), shape, dtype=x.dtype)


@spelling("part")
def part(operands: list[Symbol], params: dict[str, Any]) -> Symbol:
    """``x[0]``; of an entry that has just been embedded its value, of a unit vector 1 or 0."""
    [x] = operands
    basic, advanced = params["basic"], params["advanced"]
    stand_in = np.broadcast_to(0.0, x.shape)[(*basic, Ellipsis)]
    shape = (stand_in[advanced] if advanced else stand_in).shape
    if is_one_number(x):
        return x.reshaped(shape, ())
    expr = picked(x.expr, params)
    if expr is None:
        expr = postfix(x.filled(), spell_key(params), "part", params)
    return Symbol(expr, shape, extent=() if expr.head == "number" else None, dtype=x.dtype)


def is_place(basic: tuple[Any, ...], advanced: tuple[Any, ...]) -> bool:
    """Whether a key consists of integers alone."""
    return bool(basic) and not advanced and all(key.__class__ is int for key in basic)


def picked(expr: Expr, params: dict[str, Any]) -> Expr | None:
    """The entry that a key selects, if the expression shows it; else None."""
    if expr.head == "neg":
        inner = picked(expr.args[0], params)
        return None if inner is None else neg(inner)
    if expr.head == "*":
        # A number times a tensor. Of two tensors, only the unit vector is recognized.
        factor, unit = expr.args
        one = picked(unit, params) if unit.value == "one_hot" else None
        return None if one is None else infix("*", factor, one) if one != ZERO else ZERO
    if expr.head != "call" or not is_place(params["basic"], params["advanced"]):
        return None
    known = expr.params or {}
    if expr.value == "one_hot" and known["targets"].__class__ is int:
        return ONE if params["basic"] == (known["targets"],) else ZERO
    if known.get("op") == "embed" and is_place(known["basic"], known["advanced"]):
        here, there = params["basic"], known["basic"]
        if len(here) == len(there):
            return expr.args[0] if here == there else ZERO
    return None
