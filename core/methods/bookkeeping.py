"""Tensor methods and attributes about gradients, shape, dtype and device, and the table of all such methods.

They are those that core's table of public functions lacks. ``conversions`` has those that convert a tensor,
``in_place`` those that change one.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.aliasing import view_origin_of
from autodiff.core.engine.hooks import HookHandle, register_hook, register_post_accumulate_grad_hook
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import CPU, Device
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.op import OPS
from autodiff.core.graph.state import mode
from autodiff.core.ops.shape.dims import size_along

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: The methods by name; each function takes the tensor first.
TENSOR_METHODS: dict[str, Callable[..., Any]] = {}


def tensor_method(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function as the methods ``names``."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        TENSOR_METHODS.update(dict.fromkeys(names, function))
        function.__name__ = function.__qualname__ = names[0]  # the name in Python's error for wrong arguments
        return function

    return enter


@tensor_method("detach_")
def detach_in_place(x: Tensor) -> Tensor:
    """Detach the tensor itself from its graph; return it. GradientError for a view."""
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
    x.requires_grad_flag = False
    return x


def check_numpy_call(x: Tensor, force: Any) -> None:
    """Raise GradientError if ``x.numpy()`` would lose a gradient that was not given up with ``force``."""
    if x.requires_grad_flag and mode.enabled and not force:
        raise GradientError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            code="E0414",
            caret="a numpy array cannot take part in the graph",
            operands=(x,),
            help=("write `.detach()` before it",),
        )


@tensor_method("numpy")
def numpy(x: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """Return the entries as a numpy array, which cannot be written to; GradientError if ``requires_grad``."""
    check_numpy_call(x, force)
    array = x.data.view()
    array.flags.writeable = False
    return array


@tensor_method("cpu")
def unchanged(x: Tensor) -> Tensor:
    """Return the tensor itself: there is no other device."""
    return x


@tensor_method("contiguous")
def contiguous(x: Tensor) -> Tensor:
    """Return the tensor, copied if its entries do not lie in order of rows."""
    from autodiff.core.ops.shape.reshape import is_contiguous

    return x if is_contiguous(x) else OPS["contiguous"](x)


@tensor_method("is_contiguous")
def is_contiguous(x: Tensor) -> bool:
    """Whether the entries lie in order of rows, without gaps."""
    from autodiff.core.ops.shape.reshape import is_contiguous

    return bool(is_contiguous(x))


def new_method(name: str) -> Callable[..., Any]:
    """Return a ``new_...`` method such as ``x.new_zeros(2, 3)``: ``torch.zeros`` with the dtype of ``x``."""

    def make(x: Tensor, *args: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        # torch has no kernel for new_zeros: it fills an empty tensor. Here ``empty`` already returns zeros.
        function = find_function("empty" if name == "zeros" else name)
        assert function is not None
        made: Tensor = function(*args, dtype=x.dtype if dtype is None else dtype, **kwargs)
        return made

    make.__doc__ = f"Return ``{name}(...)`` of the same arguments; its default dtype is that of the tensor."
    return make


for _name in ("zeros", "ones", "full", "empty", "tensor"):
    tensor_method(f"new_{_name}")(new_method(_name))


@tensor_method("requires_grad_")
def requires_grad_(x: Tensor, requires_grad: Any = True) -> Tensor:
    """Set ``requires_grad`` of a leaf; return it."""
    return x.set_requires_grad(requires_grad)


@tensor_method("size")
def size(x: Tensor, dim: Any = None) -> Any:
    """Return the shape, or its entry number ``dim``."""
    return x.shape if dim is None else size_along(x, dim)


@tensor_method("dim", "ndimension")
def dim(x: Tensor) -> int:
    """Return the number of dimensions."""
    return x.ndim


@tensor_method("numel", "nelement")
def numel(x: Tensor) -> int:
    """Return the number of entries."""
    return x.entry_count


@tensor_method("element_size")
def element_size(x: Tensor) -> int:
    """Return the size of an entry in bytes."""
    return int(x.data.itemsize)


@tensor_method("is_floating_point")
def is_floating_point(x: Tensor) -> bool:
    """Whether the dtype is float32 or float64."""
    return x.dtype.is_floating_point


@tensor_method("register_hook")
def add_tensor_hook(x: Tensor, hook: Any) -> HookHandle:
    """Call ``hook`` with the tensor's gradient in every backward pass; what it returns replaces it."""
    return register_hook(x, hook)


def rows(x: Tensor) -> Iterator[Any]:
    """Return an iterator over the slices along the first dimension; ScriptError for a 0-d tensor."""
    if not x.shape:
        raise ScriptError(
            "iteration over a 0-d tensor",
            code="E0205",
            caret="this tensor is a single number",
            operands=(x,),
        )
    unbind = find_function("unbind")
    assert unbind is not None
    return iter(unbind(x))


@tensor_method("register_post_accumulate_grad_hook")
def add_leaf_hook(x: Tensor, hook: Any) -> HookHandle:
    """Call ``hook`` with the leaf itself whenever backward() has filled its ``.grad``."""
    return register_post_accumulate_grad_hook(x, hook)


# -- attributes -------------------------------------------------------------------------------------


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


def device(x: Tensor) -> Device:
    """The device that holds the entries: always the CPU."""
    return CPU


def is_cuda(x: Tensor) -> bool:
    """Whether a GPU holds the entries: never."""
    return False


def mT(x: Tensor) -> Tensor:
    """The last two dimensions swapped."""
    return matrix_transposed(x, "mT")


def mH(x: Tensor) -> Tensor:
    """The last two dimensions swapped: the adjoint of a matrix of real numbers."""
    return matrix_transposed(x, "mH")


def H(x: Tensor) -> Tensor:
    """The adjoint of a matrix; ScriptError for more than two dimensions."""
    return matrix_transposed(x, "H")


#: The attributes that the class Tensor lacks.
TENSOR_ATTRIBUTES: dict[str, Callable[[Tensor], Any]] = {
    function.__name__: function for function in (device, is_cuda, mT, mH, H)
}
