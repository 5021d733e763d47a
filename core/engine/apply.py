"""Applying an op to tensors: promote the operands, compute the value, record a node if gradients may flow."""

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError
from autodiff.core.base.fast_paths import fusion_settings, is_fast
from autodiff.core.base.lazy_imports import LazyModule, np, services
from autodiff.core.engine import aliasing
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import number_kind, require_kind, require_not_bool
from autodiff.core.fast.array_operators import is_tracked_tensor
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType, promote
from autodiff.core.graph.node import ArrayNode, Leaf
from autodiff.core.graph.op import APPLIERS, OPS, PLAIN_NUMBERS, Op
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


fast_arrays = LazyModule("autodiff.core.engine.array_apply")
fast_scalars = LazyModule("autodiff.core.fast.scalar_operators")


def apply_op(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Tensor:
    """Compute ``op`` on ``operands``; record a node if gradients flow to one of them."""
    if is_fast:
        short = fast_arrays.apply_elementwise if op.is_elementwise else fast_arrays.apply_to_arrays
        made: Tensor | None = short(op, operands, params)
        if made is not None:
            return made
    if op.name == "sub":  # torch checks this before anything else
        require_not_bool(op, *operands)
    if op.is_elementwise:
        operands = _promote_operands(op, operands)
    if op.kinds:
        if op.is_elementwise and len(operands) > 1:
            broadcast_shape(operands)
        # The tensor of the common dtype: a boolean operand beside numbers was not cast to it.
        widest = max((x for x in operands if x.__class__ is Tensor), key=lambda x: "bif".index(x.dtype.kind))
        require_kind(widest, op.kernel, op.kinds)
    values = []
    tracked = requires_grad = False
    are_numbers = is_fast and op.scalar is not None and not params
    for x in operands:
        value = x
        if x.__class__ is Tensor:
            value = x.value
            if mode.enabled and is_tracked_tensor(x):
                tracked = True
                requires_grad = requires_grad or x.requires_grad_flag
        are_numbers = are_numbers and value.__class__ in PLAIN_NUMBERS
        values.append(value)
    if are_numbers:
        out = op.evaluate_scalars(*values)
        if not tracked:
            return Tensor.of(out)
        if len(operands) <= 2:
            return fast_scalars.make_result(Tensor, op, operands, values, out)  # type: ignore[no-any-return] # a Tensor
        inputs = tuple([x.source() if x.__class__ is Tensor else None for x in operands])
        return Tensor.of(out, ArrayNode(op, inputs, tuple(values), params, out, mode.site), requires_grad)
    if float in map(type, values):
        for place, x in enumerate(operands):
            if x.__class__ is Tensor and values[place].__class__ is float:
                values[place] = np.asarray(values[place])
    given = tuple(values)
    if op.is_elementwise and len(given) > 1:
        broadcast_shape(operands)
    out, given = compute_forward(op, operands, given, params)
    is_view = op.is_view and (out.ndim == 0 or out.size == 0 or np.may_share_memory(out, given[0]))
    out = as_stored(out)
    is_single = out.__class__ is float
    if not tracked or not (is_single or out.dtype.kind == "f"):
        made = Tensor.of(out)
        if mode.probe is not None:
            mode.probe.after_unrecorded(op, given)
    else:
        sources = tuple([(x.stored_node or x.source()) if x.__class__ is Tensor else None for x in operands])
        made = Tensor.of(out, ArrayNode(op, sources, given, params, out, mode.site), requires_grad)
        if not is_single and out.size >= fusion_settings.least:
            fusion_settings.begin()
    if is_view:
        aliasing.record_view(made, operands[0], op, params)
    return made


APPLIERS[Tensor] = apply_op


def compute_forward(
    op: Op, operands: tuple[Any, ...], given: tuple[Any, ...], params: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """Return the op's value for the values ``given`` of the operands, and the values that were used."""
    try:
        if is_fast or any(np.ndim(v) for v in given):
            out = op.forward(*given, **params)
        else:
            with np.errstate(all="ignore"):  # 0-d arrays: the fast path computes them without warnings
                out = op.forward(*given, **params)
    except TypeError:  # numpy does not define this function for booleans
        raise boolean_operand_error(op, operands) from None
    except OverflowError:  # a number outside the range of an integer type wraps around, as in torch
        kind = next(v.dtype for v in given if v.__class__ is np.ndarray)
        given = tuple([np.asarray(v).astype(kind) if v.__class__ is int else v for v in given])
        out = op.forward(*given, **params)
    return out, given


def boolean_operand_error(op: Op, operands: tuple[Any, ...]) -> ScriptError:
    """Return the error for an op that is not defined for booleans; torch has its own wording for minus."""
    masks = [x for x in operands if number_kind(x) == "b"]
    invert = " If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
    if op.name == "neg":
        message = "Negation, the `-` operator, on a bool tensor is not supported." + invert
    elif op.name == "sub" and len(masks) == 2:
        message = (
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or"
            " `logical_xor()` operator instead."
        )
    elif op.name == "sub":
        message = "Subtraction, the `-` operator, with a bool tensor is not supported." + invert
    else:
        message = f"\"{op.name}\" not implemented for 'Bool'"
    return DtypeError(
        message,
        operands=tuple([x for x in masks if x.__class__ is Tensor]),
        caret="truth values are no numbers here",
        help=("convert them to numbers first, as in `x.double()`",),
    )


def _promote_operands(op: Op, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands with tensors cast to torch's common dtype; numpy adapts plain numbers itself."""
    if mode.follows_numpy and any(x.__class__ is Tensor and x.dtype is dtypes.uint8 for x in operands):
        services["bytes of numpy"].check_operands(op, operands)
    first = None
    for x in operands:
        if x.__class__ is Tensor:
            if first is None:
                first = x.dtype
            elif x.dtype is not first:
                break
        elif x.__class__ is float and first is not None and not first.is_floating_point:
            break
    else:
        if first is None or first.is_floating_point or not (op.real or float in map(type, operands)):
            return operands
    common = promote(
        [(x.dtype, x.ndim) if x.__class__ is Tensor else (_number_dtype(x), -1) for x in operands]
    )
    if op.real and not common.is_floating_point:
        common = dtypes.default_dtype()
    # A boolean beside a tensor of the common dtype needs no cast: numpy reads it as 0 or 1.
    uncast = dtypes.bool_ if any(x.__class__ is Tensor and x.dtype is common for x in operands) else common
    return tuple(
        cast(x, common) if x.__class__ is Tensor and x.dtype is not common and x.dtype is not uncast else x
        for x in operands
    )


def cast(x: Tensor, dtype: DType) -> Tensor:
    """Return ``x`` cast to ``dtype``.

    torch saves ``x`` itself for backward. So the cast shares its version counter: an in-place change of
    ``x`` makes a pass that needs the cast fail too.
    """
    made: Tensor = OPS["to"](x, dtype=dtype.name)
    if mode.follows_numpy and not x.dtype.is_floating_point:
        made.node = Leaf(made.value, tracked=False, site=mode.site)
        made.node.was_whole = True
    if mode.enabled:
        made.version_counter = aliasing.version_counter_of(x)
        if made.node is not None:
            aliasing.watch_node(made.version_counter, made.node)
    return made


def _number_dtype(value: object) -> DType:
    if value.__class__ is float:
        return dtypes.default_dtype()
    return dtypes.bool_ if value.__class__ is bool else dtypes.int64
