"""The table of methods, from (class, name) to a function that takes the value first.

Here are the tensor methods that core's function table lacks (gradients and bookkeeping) and those of nodes.
``conversions`` converts tensors, ``in_place_methods`` changes them in place, ``custom_functions`` has the
methods of custom functions, ``sequence_methods`` those of strings, lists and shapes.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError
from autodiff.core.engine.aliasing import view_origin_of
from autodiff.core.engine.hooks import HookHandle, register_hook
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import ArrayNode, Leaf, ScalarNode
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.ops.shape.dims import size_along
from autodiff.grammar.objects.values import (
    Size,
    as_index,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

METHODS: dict[tuple[type, str], Callable[..., Any]] = {}

#: The classes of the usual values of ``retain_graph``.
RETAIN_GRAPH_CLASSES = (bool, type(None))


def script_method(kind: type, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function as the methods ``names`` of class ``kind``."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            METHODS[kind, name] = function
        function.__qualname__ = names[0]  # the name in Python's error for wrong arguments
        return function

    return enter


# -- tensors ----------------------------------------------------------------------------------------


@script_method(Tensor, "backward")
def backward(
    x: Tensor,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
    *,
    retain_variables: Any = None,
) -> None:
    if retain_graph is None:
        retain_graph = retain_variables
    is_plain = retain_graph.__class__ in RETAIN_GRAPH_CLASSES and create_graph.__class__ is bool
    if not is_plain or inputs is not None or (gradient is not None and gradient.__class__ is not Tensor):
        from autodiff.grammar.objects import autograd

        autograd.backward(x, gradient, retain_graph, create_graph, inputs)
        return
    x.backward(gradient, retain_graph, create_graph)


@script_method(Tensor, "retain_grad")
def retain_grad(x: Tensor) -> None:
    x.retain_grad()


@script_method(Tensor, "detach")
def detach(x: Tensor) -> Tensor:
    return x.detach()


@script_method(Tensor, "detach_")
def detach_in_place(x: Tensor) -> Tensor:
    if view_origin_of(x) is not None:
        raise GradientError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel"
            " (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP"
            " buckets, and hence detach_() cannot be called on these gradients. To fix this error, please"
            " refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
            code="E0415",
            operands=(x,),
            caret="this is a view of another tensor",
            help=("write `x = x.detach()`",),
        )
    if x.node is not None:
        name = x.node.name
        x.node = Leaf(x.value, tracked=False, site=mode.site)
        x.node.name = name
    x.requires_grad = False
    return x


@script_method(Tensor, "item")
def item(x: Tensor) -> Any:
    return x.item()


@script_method(Tensor, "tolist")
def tolist(x: Tensor) -> Any:
    return x.tolist()


@script_method(Tensor, "numpy")
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


@script_method(Tensor, "cpu")
def unchanged(x: Tensor) -> Tensor:
    return x


@script_method(Tensor, "contiguous")
def contiguous(x: Tensor) -> Tensor:
    from autodiff.core.ops.shape.reshape import is_contiguous

    return x if is_contiguous(x) else OPS["contiguous"](x)


@script_method(Tensor, "is_contiguous")
def is_contiguous(x: Tensor) -> bool:
    from autodiff.core.ops.shape.reshape import is_contiguous

    return bool(is_contiguous(x))


def new_method(name: str) -> Callable[..., Any]:
    """Return a ``new_...`` method such as ``x.new_zeros(2, 3)``: ``torch.zeros`` with the dtype of ``x``."""

    def make(x: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        # torch has no kernel for new_zeros: it fills an empty tensor. Here ``empty`` already returns zeros.
        function = find_function("empty" if name == "zeros" else name)
        assert function is not None
        return function(*args, dtype=x.dtype if dtype is None else dtype, **kwargs)

    return make


for _name in ("zeros", "ones", "full", "empty", "tensor"):
    METHODS[Tensor, f"new_{_name}"] = new_method(_name)


@script_method(Tensor, "requires_grad_")
def requires_grad_(x: Tensor, requires_grad: Any = True) -> Tensor:
    return x.set_requires_grad(requires_grad)


@script_method(Tensor, "size")
def size(x: Tensor, dim: Any = None) -> Any:
    if dim is None:
        return Size(x.shape)
    return size_along(x, as_index(dim, "a dimension"))


@script_method(Tensor, "dim", "ndimension")
def dim(x: Tensor) -> int:
    return x.ndim


@script_method(Tensor, "numel", "nelement")
def numel(x: Tensor) -> int:
    return x.entry_count


@script_method(Tensor, "element_size")
def element_size(x: Tensor) -> int:
    return int(x.data.itemsize)


@script_method(Tensor, "is_floating_point")
def is_floating_point(x: Tensor) -> bool:
    return x.dtype.is_floating_point


REVERSES_ALL = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will"
    " throw an error in a future release. Consider `x.mT` to transpose batches of matrices or"
    " `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)
SINGLE_T = "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases."
SINGLE_H = "Tensor.{} is deprecated on 0-D tensors. Consider using x.conj()."


def transposed(x: Tensor) -> Tensor:
    """Return ``x.T``, with torch's deprecation warnings for other than two dimensions."""
    if x.ndim != 2:
        mode.warn(REVERSES_ALL if x.ndim else SINGLE_T)
    return x.T if x.ndim else x


def matrix_transposed(x: Tensor, name: str) -> Tensor:
    """Return ``x.mT``, ``x.mH`` or ``x.H``, which are equal for real numbers."""
    from autodiff.core.ops.select.rearrange import hermitian_transpose, transpose_last_dims

    if not x.ndim:
        mode.warn(SINGLE_T.replace(".T", ".mT") if name == "mT" else SINGLE_H.format(name))
    return hermitian_transpose(x) if name == "H" else transpose_last_dims(x, name)


def variable_of(node: Leaf) -> Tensor:
    """Return the tensor whose gradient an AccumulateGrad node accumulates."""
    made = Tensor.of(node.out, node, node.tracked)
    made.grad_slot = node.grad_slot
    return made


@script_method(Tensor, "register_hook")
def add_tensor_hook(x: Tensor, hook: Any) -> HookHandle:
    return register_hook(x, hook)


METHODS[HookHandle, "remove"] = HookHandle.remove


# -- nodes, contexts, classes -----------------------------------------------------------------------


def node_name(node: Any) -> str:
    """Return ``grad_fn.name()``. For a leaf this is torch's C++ name, unlike its repr."""
    return "torch::autograd::AccumulateGrad" if isinstance(node, Leaf) else node.grad_fn_name


for _kind in (Leaf, ScalarNode, ArrayNode):
    METHODS[_kind, "name"] = node_name
