"""The methods of script values: one table from (class, name) to a function that takes the value first.

Only what core's function table does not have: gradients and bookkeeping of tensors, in-place methods.
Those of strings, lists and shapes are in ``sequence_methods``.
"""

from __future__ import annotations

from autodiff.core.device import Device, settle_on
from autodiff.core.dtypes import DTYPES, DType, float32, float64, int32, int64
from autodiff.core.dtypes import bool_ as bool_dtype
from autodiff.core.errors import GradientError, ScriptError, ShapeError
from autodiff.core.function import Context, apply_function
from autodiff.core.functions import Function, find
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.op import OPS
from autodiff.core.tensors import Tensor, _check_broadcast
from autodiff.core.watch import HookHandle, register_hook
from autodiff.grammar.values import (
    NUMBERS,
    FunctionClass,
    Size,
    as_index,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

METHODS: dict[tuple[type, str], Callable[..., Any]] = {}


def method(kind: type, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function as a method of ``kind``."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[kind, name] = function
        function.__qualname__ = names[0]  # what Python calls it when the arguments do not fit
        return function

    return enter


# -- tensors ----------------------------------------------------------------------------------------


@method(Tensor, "backward")
def backward(
    x: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
    *,
    retain_variables: Any = None,
) -> None:
    if gradient is not None and gradient.__class__ is not Tensor:
        raise no_gradient_tensor(x, gradient)
    if retain_graph is None:
        retain_graph = retain_variables
    if inputs is not None:
        from autodiff.grammar import autograd

        autograd.backward(x, gradient, retain_graph, create_graph, inputs)
        return
    x.backward(gradient, None if retain_graph is None else bool(retain_graph), bool(create_graph))


def no_gradient_tensor(x: Tensor, given: Any) -> ScriptError:
    """The error for a first gradient that is no tensor; torch looks into lists and strings."""
    message = f"'{type_name(given)}' object is not iterable"
    if given.__class__ in (list, tuple, str) and given:
        message = f"gradients can be either Tensors or None, but got {type_name(given[0])}"
    return ScriptError(
        message,
        code="E0411",
        caret=f"the gradient of the output is a tensor of its shape, {x.shape}",
        operands=(x,),
    )


@method(Tensor, "retain_grad")
def retain_grad(x: Tensor) -> None:
    x.retain_grad()


@method(Tensor, "detach")
def detach(x: Tensor) -> Tensor:
    return x.detach()


@method(Tensor, "detach_")
def detach_in_place(x: Tensor) -> Tensor:
    if x.node is not None:
        name = x.node.name
        x.node = Leaf(x.value, tracked=False, site=mode.site)
        x.node.name = name
    x.requires_grad = False
    return x


@method(Tensor, "item")
def item(x: Tensor) -> Any:
    return x.item()


@method(Tensor, "tolist")
def tolist(x: Tensor) -> Any:
    return x.tolist()


@method(Tensor, "numpy")
def numpy(x: Tensor, *, force: Any = False) -> Tensor:
    if x.requires_grad and mode.enabled and not force:
        raise GradientError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            code="E0414",
            caret="a numpy array cannot take part in the graph",
            operands=(x,),
            help=("write `.detach()` before it",),
        )
    return x.detach()


@method(Tensor, "cpu")
def unchanged(x: Tensor) -> Tensor:
    return x


@method(Tensor, "contiguous")
def contiguous(x: Tensor) -> Tensor:
    from autodiff.core.ops.shape import is_contiguous

    return x if is_contiguous(x) else OPS["contiguous"](x)


@method(Tensor, "is_contiguous")
def is_contiguous(x: Tensor) -> bool:
    from autodiff.core.ops.shape import is_contiguous

    return bool(is_contiguous(x))


def like_this(name: str) -> Callable[..., Any]:
    """``x.new_zeros(2, 3)``: what ``torch.zeros`` makes, of the type of ``x``."""

    def make(x: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        function = find(name)
        assert function is not None
        return function(*args, dtype=x.dtype if dtype is None else dtype, **kwargs)

    return make


for _name in ("zeros", "ones", "full", "empty", "tensor"):
    METHODS[Tensor, f"new_{_name}"] = like_this(_name)


@method(Tensor, "requires_grad_")
def requires_grad_(x: Tensor, requires_grad: Any = True) -> Tensor:
    if requires_grad.__class__ is not bool:
        raise ScriptError(
            f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not"
            f" {type_name(requires_grad)}",
            code="E0310",
            caret="write True or False, or leave it out for True",
        )
    return x.set_requires_grad(requires_grad)


@method(Tensor, "size")
def size(x: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return Size(x.shape)
    at = as_index(dim, "a dimension")
    if not -x.ndim <= at < x.ndim:
        low, high = -max(x.ndim, 1), max(x.ndim, 1) - 1
        raise ScriptError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {at})",
            code="E0303",
            operands=(x,),
        )
    return x.shape[at]


@method(Tensor, "dim", "ndimension")
def dim(x: Tensor) -> int:
    return x.ndim


@method(Tensor, "numel", "nelement")
def numel(x: Tensor) -> int:
    return x.size


@method(Tensor, "element_size")
def element_size(x: Tensor) -> int:
    return int(x.data.itemsize)


@method(Tensor, "is_floating_point")
def is_floating_point(x: Tensor) -> bool:
    return x.dtype.is_floating_point


def cast(x: Tensor, dtype: DType) -> Tensor:
    """The tensor in another number type; itself if it has that type already."""
    return x if x.dtype is dtype else OPS["to"](x, dtype=dtype.name)


def casting(name: str, dtype: DType) -> None:
    method(Tensor, name)(lambda x: cast(x, dtype))


for _name, _dtype in {
    "float": float32,
    "double": float64,
    "long": int64,
    "int": int32,
    "bool": bool_dtype,
}.items():
    casting(_name, _dtype)


@method(Tensor, "to")
def to(x: Tensor, *targets: Any, dtype: Any = None, device: Any = None, non_blocking: Any = False) -> Tensor:
    for target in (*targets, dtype):
        if target.__class__ is DType:
            x = cast(x, target)
        elif target.__class__ is Tensor:
            x = cast(x, target.dtype)
        elif target.__class__ is str or target.__class__ is Device:
            settle_on(target)
    settle_on(device)
    return x


@method(Tensor, "type")
def type_of(x: Tensor, dtype: Any = None, non_blocking: Any = False) -> Any:
    """The name of torch's old tensor class, or the tensor in the type that such a class or a dtype names."""
    if dtype is None:
        return f"torch.{x.dtype.long_name}Tensor"
    if dtype.__class__ is Function and dtype.name in OLD_CLASSES:
        dtype = OLD_CLASSES[dtype.name]
    elif dtype.__class__ is str and dtype.startswith("torch.") and dtype[6:] in OLD_CLASSES:
        dtype = OLD_CLASSES[dtype[6:]]
    if dtype.__class__ is not DType:
        raise ScriptError(
            "dtype must be a type, str, or dtype object",
            code="E0203",
            caret="this names no number type",
            help=("write a type: `x.type(torch.float64)`",),
        )
    return cast(x, dtype)


OLD_CLASSES = {f"{dtype.long_name}Tensor": dtype for dtype in DTYPES.values()}


@method(Tensor, "cuda")
def cuda(x: Tensor, device: Any = None, non_blocking: Any = False) -> Tensor:
    settle_on("cuda")
    return x


@method(Tensor, "get_device")
def get_device(x: Tensor) -> int:
    return -1


@method(Tensor, "type_as")
def type_as(x: Tensor, other: Any) -> Tensor:
    if other.__class__ is not Tensor:
        raise ScriptError(
            f"type_as(): argument 'other' (position 1) must be Tensor, not {type_name(other)}", code="E0310"
        )
    return cast(x, other.dtype)


REVERSES_ALL = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will"
    " throw an error in a future release. Consider `x.mT` to transpose batches of matrices or"
    " `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
SINGLE_T = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
SINGLE_H = "Tensor.{} is deprecated on 0-D tensors. Consider using x.conj()."


def transposed(x: Tensor) -> Tensor:
    """``x.T``"""
    if x.ndim != 2:
        mode.warn(REVERSES_ALL if x.ndim else SINGLE_T)
    permute = find("permute")
    assert permute is not None
    return permute(x, tuple(reversed(range(x.ndim)))) if x.ndim else x


def matrix_transposed(x: Tensor, name: str) -> Tensor:
    """``x.mT``, ``x.mH`` and ``x.H``: of real numbers they are one."""
    from autodiff.core.ops.rearranging import transposed_matrices, transposed_matrix

    if not x.ndim:
        mode.warn(SINGLE_T.replace(".T", ".mT") if name == "mT" else SINGLE_H.format(name))
    return transposed_matrix(x) if name == "H" else transposed_matrices(x, name)


def variable_of(node: Leaf) -> Tensor:
    """The tensor an AccumulateGrad node fills."""
    made = Tensor(node.out, node, node.tracked)
    made.cell = node.cell
    return made


# In place


def full_like(x: Tensor, value: float) -> Tensor:
    """A tensor of x's shape and type, all of one number."""
    if x.value.__class__ is float:
        return Tensor(float(value))
    made = x.value.copy()
    made[...] = value
    return Tensor(made)


def overwritten(x: Tensor, value: float, grad_fn: str) -> Tensor:
    """What ``x`` is with one number everywhere; where it was computed, the graph remembers that it was."""
    if not mode.enabled or not is_recorded(x):
        return full_like(x, value)
    return OPS["index_put"].named(grad_fn)(x, value, basic=(), advanced=())  # type: ignore[no-any-return]


@method(Tensor, "zero_")
def zero_(x: Tensor) -> Tensor:
    return x.assign_in_place(overwritten(x, 0, "ZeroBackward0"))


@method(Tensor, "fill_")
def fill_(x: Tensor, value: Any) -> Tensor:
    if value.__class__ is Tensor and value.ndim:
        raise ShapeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.",
            operands=(value,),
        )
    if value.__class__ is Tensor and mode.enabled and value.node is not None and value.node.tracked:
        fill = OPS["index_put"].named("FillBackward3")
        return x.assign_in_place(fill(x, cast(value, x.dtype), basic=(), advanced=()))
    number = value.item() if value.__class__ is Tensor else value
    if number.__class__ not in NUMBERS:
        raise ScriptError(f"fill_(): argument 'value' must be Number, not {type_name(value)}", code="E0310")
    return x.assign_in_place(overwritten(x, number, "FillBackward2"))


@method(Tensor, "copy_")
def copy_(x: Tensor, src: Any, non_blocking: Any = False) -> Tensor:
    if src.__class__ is not Tensor:
        raise ScriptError(
            f"copy_(): argument 'src' (position 1) must be Tensor, not {type_name(src)}", code="E0310"
        )
    if mode.enabled and any(t.node is not None and t.node.tracked for t in (x, src)):
        from autodiff.core.ops.indexing import setitem_value

        return x.assign_in_place(setitem_value(x, ..., src))
    value = cast(src, x.dtype)
    if value.shape != x.shape:
        shape = _check_broadcast((x, value))
        if shape != x.shape:
            raise ShapeError(
                f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(shape)}",
                code="E0301",
                caret=f"shape {value.shape} does not fit into shape {x.shape}",
                operands=(x, value),
            )
        value = OPS["expand"](value, shape=shape)
    return x.assign_in_place(value)


def in_place(function: Function) -> Callable[..., Tensor]:
    """The method with the trailing underscore."""

    def changed(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        result = function(x, *args, **kwargs)
        if mode.enabled and is_recorded(x) and result.node is None:
            # A comparison has no slope: the graph goes on and what x was receives zeros.
            recorded = OPS["index_put"].named(f"{function.name.capitalize()}Backward0")
            result = recorded(x, cast(result, x.dtype), basic=(), advanced=())
        return x.assign_in_place(result)

    return changed


def is_recorded(x: Tensor) -> bool:
    """Whether the graph holds how ``x`` was computed."""
    return x.node is not None and x.node.tracked and not isinstance(x.node, Leaf)


@method(Tensor, "register_hook")
def hook(x: Tensor, hook: Any) -> HookHandle:
    return register_hook(x, hook)


METHODS[HookHandle, "remove"] = HookHandle.remove


# -- nodes, contexts, classes -----------------------------------------------------------------------


def node_name(node: Any) -> str:
    """``grad_fn.name()``, which for a leaf spells torch's C++ name where the repr does not."""
    return "torch::autograd::AccumulateGrad" if isinstance(node, Leaf) else node.grad_fn_name


for _kind in (Leaf, ScalarNode, ArrayNode):
    METHODS[_kind, "name"] = node_name


@method(Context, "save_for_backward")
def save_for_backward(ctx: Context, *tensors: Any) -> None:
    for position, value in enumerate(tensors):
        if value is not None and value.__class__ is not Tensor:
            raise ScriptError(
                f"save_for_backward can only save variables, but argument {position} is of type"
                f" {type_name(value)}",
                code="E0412",
                caret="only tensors are saved this way",
                help=("keep other values as attributes: `ctx.n = n`",),
            )
    ctx.save_for_backward(*tensors)


@method(Context, "mark_non_differentiable", "set_materialize_grads")
def no_effect(ctx: Context, *args: Any) -> None:
    """Accepted: what these switch off costs nothing here."""


@method(FunctionClass, "apply")
def apply(custom: FunctionClass, *operands: Any) -> Any:
    for name in ("forward", "backward"):
        if name not in custom.methods:
            message = f"You must implement the {name} function for custom autograd.Function."
            if name == "backward":
                message = (
                    "You must implement either the backward or vjp method for your custom autograd.Function"
                    " to use it with backward mode AD."
                )
            raise ScriptError(
                message,
                caret=f"`{custom.name}` has no `{name}`",
                code="E0412",
                help=(f"add `@staticmethod` and `def {name}(ctx, ...)` to the class",),
            )
    return apply_function(custom.name, custom.methods["forward"], custom.methods["backward"], operands)


METHODS[FunctionClass, "forward"] = lambda custom, *args: custom.methods["forward"](*args)
METHODS[FunctionClass, "backward"] = lambda custom, *args: custom.methods["backward"](*args)
