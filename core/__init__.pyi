# Written by `python -m autodiff.core.interface` from the registry of functions.

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.core import linalg as linalg
from autodiff.core import nn as nn
from autodiff.core import special as special
from autodiff.core.engine.custom_function import Function as Function
from autodiff.core.engine.hooks import HookHandle
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.device import Device
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.node import Node
from autodiff.core.graph.state import enable_grad as enable_grad
from autodiff.core.graph.state import no_grad as no_grad
from autodiff.core.graph.state import set_grad_enabled as set_grad_enabled

class Tensor:
    grad: Tensor | None
    requires_grad: builtins.bool
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    @property
    def data(self) -> np.ndarray[Any, Any]: ...
    @property
    def device(self) -> Device: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def grad_fn(self) -> Node | None: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    @property
    def is_leaf(self) -> builtins.bool: ...
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    @property
    def ndim(self) -> builtins.int: ...
    @property
    def retains_grad(self) -> builtins.bool: ...
    @property
    def shape(self) -> builtins.tuple[builtins.int, ...]: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __and__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __array__(self, dtype: Any = ..., copy: builtins.bool | None = ...) -> np.ndarray[Any, Any]: ...
    def __bool__(self) -> builtins.bool: ...
    def __contains__(self, value: Tensor | builtins.float) -> builtins.bool: ...
    def __eq__(self, other: Tensor | builtins.float) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __format__(self, spec: builtins.str, /) -> builtins.str: ...
    def __ge__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __gt__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __iadd__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __iand__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ifloordiv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ilshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __imod__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __imul__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ipow__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __irshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __isub__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ixor__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __le__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __lt__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __matmul__(self, other: Tensor) -> Tensor: ...
    def __mod__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __mul__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ne__(self, other: Tensor | builtins.float) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __radd__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rand__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rfloordiv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rlshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rmod__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rmul__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __ror__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rpow__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rrshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rshift__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rsub__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rtruediv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __rxor__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __setitem__(self, index: Any, value: Tensor | builtins.float) -> None: ...
    def __sub__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __truediv__(self, other: Tensor | builtins.float) -> Tensor: ...
    def __xor__(self, other: Tensor | builtins.float) -> Tensor: ...
    def abs(self) -> Tensor: ...
    def abs_(self) -> Tensor: ...
    def absolute(self) -> Tensor: ...
    def absolute_(self) -> Tensor: ...
    def acos(self) -> Tensor: ...
    def acos_(self) -> Tensor: ...
    def acosh(self) -> Tensor: ...
    def acosh_(self) -> Tensor: ...
    def add(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
        """``input + alpha * other``, entry by entry."""
    def add_(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Tensor:
        """``input + alpha * other``, entry by entry."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``, with the products summed over the batch."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``, with the products summed over the batch."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Any:
        """``input + value * tensor1 / tensor2``."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Tensor:
        """``input + value * tensor1 / tensor2``."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Any:
        """``input + value * tensor1 * tensor2``."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Tensor:
        """``input + value * tensor1 * tensor2``."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``."""
    def adjoint(self) -> Tensor:
        """The last two dimensions exchanged. torch also conjugates complex numbers, which do not exist here."""
    def all(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether all entries are true (not zero)."""
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all entries agree within ``atol + rtol * |other|``."""
    def amax(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The largest of all entries, or over dimensions."""
    def amin(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The smallest of all entries, or over dimensions."""
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> NamedResult:
        """The smallest and the largest of all entries, or along a dimension."""
    def any(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any entry is true (not zero)."""
    def arccos(self) -> Tensor: ...
    def arccos_(self) -> Tensor: ...
    def arccosh(self) -> Tensor: ...
    def arccosh_(self) -> Tensor: ...
    def arcsin(self) -> Tensor: ...
    def arcsin_(self) -> Tensor: ...
    def arcsinh(self) -> Tensor: ...
    def arcsinh_(self) -> Tensor: ...
    def arctan(self) -> Tensor: ...
    def arctan2(self, other: Tensor) -> Tensor: ...
    def arctan2_(self, other: Tensor) -> Tensor: ...
    def arctan_(self) -> Tensor: ...
    def arctanh(self) -> Tensor: ...
    def arctanh_(self) -> Tensor: ...
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the largest entry stands, the first if several tie."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the smallest entry stands, the first if several tie."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
        """The indices that sort the entries along a dimension."""
    def argwhere(self) -> Tensor:
        """The positions of the entries that are not 0, one row for each."""
    def asin(self) -> Tensor: ...
    def asin_(self) -> Tensor: ...
    def asinh(self) -> Tensor: ...
    def asinh_(self) -> Tensor: ...
    def atan(self) -> Tensor: ...
    def atan2(self, other: Tensor) -> Tensor: ...
    def atan2_(self, other: Tensor) -> Tensor: ...
    def atan_(self) -> Tensor: ...
    def atanh(self) -> Tensor: ...
    def atanh_(self) -> Tensor: ...
    def backward(self, gradient: Tensor | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False) -> None:
        """Accumulate the gradient of this tensor in ``.grad`` of the leaves it was computed from."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``, matrix by matrix."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``, matrix by matrix."""
    def bernoulli(self, p: builtins.float | None = None) -> Tensor:
        """Ones with the probabilities in ``input`` (or ``p`` everywhere), else zeros."""
    def bincount(self, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
        """The number of occurrences of each whole number from 0 up, or the sum of their weights."""
    def bitwise_and(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_and_(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_left_shift(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_left_shift_(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_not(self) -> Tensor: ...
    def bitwise_not_(self) -> Tensor: ...
    def bitwise_or(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_or_(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_right_shift(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_right_shift_(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_xor(self, other: Tensor | builtins.float) -> Tensor: ...
    def bitwise_xor_(self, other: Tensor | builtins.float) -> Tensor: ...
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of matrices, one pair per entry of the first dimension."""
    def bool(self) -> Tensor: ...
    def broadcast_to(self, *size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size."""
    def ceil(self) -> Tensor: ...
    def ceil_(self) -> Tensor: ...
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """As ``linalg.cholesky``, by its older name."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of A, given its Cholesky factor."""
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """The X with A X = B, given the Cholesky factor of A."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """At most ``chunks`` slices of equal size along a dimension; the last may be smaller."""
    def clamp(self, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Any:
        """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
    def clamp_(self, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Tensor:
        """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
    def clamp_max(self, max: Tensor | builtins.float) -> Tensor: ...
    def clamp_max_(self, max: Tensor | builtins.float) -> Tensor: ...
    def clamp_min(self, min: Tensor | builtins.float) -> Tensor: ...
    def clamp_min_(self, min: Tensor | builtins.float) -> Tensor: ...
    def clip(self, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Any:
        """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
    def clip_(self, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Tensor:
        """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
    def clone(self) -> Tensor:
        """A copy that passes gradients on."""
    def contiguous(self) -> Tensor:
        """Return the tensor, copied if its entries do not lie in order of rows."""
    def copy_(self, other: Any, non_blocking: Any = False) -> Tensor: ...
    def copysign(self, other: Tensor | builtins.float) -> Tensor: ...
    def copysign_(self, other: Tensor | builtins.float) -> Tensor: ...
    def corrcoef(self) -> Tensor:
        """The covariance of each pair of rows, divided by the product of their standard deviations."""
    def cos(self) -> Tensor: ...
    def cos_(self) -> Tensor: ...
    def cosh(self) -> Tensor: ...
    def cosh_(self) -> Tensor: ...
    def count_nonzero(self, *dim: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The number of entries that are not zero."""
    def cov(self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
        """The covariances of all pairs of rows; ``fweights`` counts observations, ``aweights`` weighs them."""
    def cpu(self) -> Tensor:
        """Return the tensor itself: there is no other device."""
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """As ``linalg.cross``; without ``dim``, along the first dimension of size 3."""
    def cuda(self, device: Any = None, non_blocking: Any = False) -> Tensor: ...
    def cummax(self, dim: builtins.int) -> NamedResult:
        """The largest entry so far along a dimension and its index; of equal entries, the latest."""
    def cummin(self, dim: builtins.int) -> NamedResult:
        """The smallest entry so far along a dimension and its index; of equal entries, the latest."""
    def cumprod(self, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The running products along a dimension."""
    def cumprod_(self, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The running products along a dimension."""
    def cumsum(self, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The running sums along a dimension."""
    def cumsum_(self, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The running sums along a dimension."""
    def deg2rad(self) -> Tensor: ...
    def deg2rad_(self) -> Tensor: ...
    def det(self) -> Tensor:
        """The determinant."""
    def detach(self) -> Tensor:
        """Return a tensor with the same value outside the graph. In-place changes of either affect both."""
    def detach_(self) -> Tensor:
        """Detach the tensor itself from its graph; return it. GradientError for a view."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """The entries of the last dimension on a diagonal of two new dimensions, zeros elsewhere."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """The matrix with all entries of the input on its diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """The entries on a diagonal of two dimensions, as a new last dimension."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """The input with ``src`` on a diagonal."""
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
        """Each entry minus the one before it along a dimension, applied ``n`` times."""
    def digamma(self) -> Tensor: ...
    def digamma_(self) -> Tensor: ...
    def dim(self) -> builtins.int:
        """Return the number of dimensions."""
    def dist(self, other: Tensor, p: builtins.float = 2) -> Tensor:
        """The p-norm of ``input - other``."""
    def div(self, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Any:
        """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
    def div_(self, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
    def divide(self, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Any:
        """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
    def divide_(self, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Tensor:
        """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The sum of the products of the entries of two vectors."""
    def double(self) -> Tensor: ...
    def dsplit(self, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
        """A tensor split along its third dimension."""
    def element_size(self) -> builtins.int:
        """Return the size of an entry in bytes."""
    def eq(self, other: Tensor | builtins.float) -> Tensor: ...
    def eq_(self, other: Tensor | builtins.float) -> Tensor: ...
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether two tensors have the same shape and the same entries."""
    def erf(self) -> Tensor: ...
    def erf_(self) -> Tensor: ...
    def erfc(self) -> Tensor: ...
    def erfc_(self) -> Tensor: ...
    def erfinv(self) -> Tensor: ...
    def erfinv_(self) -> Tensor: ...
    def exp(self) -> Tensor: ...
    def exp2(self) -> Tensor: ...
    def exp2_(self) -> Tensor: ...
    def exp_(self) -> Tensor: ...
    def expand(self, *size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size."""
    def expand_as(self, other: Tensor) -> Tensor:
        """``expand`` to the shape of another tensor."""
    def expm1(self) -> Tensor: ...
    def expm1_(self) -> Tensor: ...
    def exponential_(self, lambd: builtins.float = 1) -> Tensor:
        """Overwrite every entry with an exponentially distributed number of mean 1 / ``lambd``."""
    def fill_(self, value: Any) -> Tensor: ...
    def fix(self) -> Tensor: ...
    def fix_(self) -> Tensor: ...
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """The dimensions from ``start_dim`` to ``end_dim`` merged into one."""
    def flip(self, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The entries in reverse order along the dimensions given."""
    def fliplr(self) -> Tensor:
        """The columns in reverse order."""
    def flipud(self) -> Tensor:
        """The rows in reverse order."""
    def float(self) -> Tensor: ...
    def float_power(self, exponent: Tensor | builtins.float) -> Any:
        """``input ** exponent`` in double precision."""
    def float_power_(self, exponent: Tensor | builtins.float) -> Tensor:
        """``input ** exponent`` in double precision."""
    def floor(self) -> Tensor: ...
    def floor_(self) -> Tensor: ...
    def floor_divide(self, other: Tensor | builtins.float) -> Tensor: ...
    def floor_divide_(self, other: Tensor | builtins.float) -> Tensor: ...
    def fmax(self, other: Tensor) -> Tensor: ...
    def fmin(self, other: Tensor) -> Tensor: ...
    def fmod(self, other: Tensor | builtins.float) -> Tensor: ...
    def fmod_(self, other: Tensor | builtins.float) -> Tensor: ...
    def frac(self) -> Tensor: ...
    def frac_(self) -> Tensor: ...
    def frexp(self) -> NamedResult:
        """The input as ``mantissa * 2**exponent``, where the size of the mantissa is at least 0.5 and below 1."""
    def gather(self, dim: builtins.int, index: Tensor) -> Tensor:
        """``out[i][j] = input[i][index[i][j]]`` for ``dim=1``; likewise along any other dimension."""
    def gcd(self, other: Tensor) -> Tensor:
        """The greatest common divisor."""
    def gcd_(self, other: Tensor) -> Tensor:
        """The greatest common divisor."""
    def ge(self, other: Tensor | builtins.float) -> Tensor: ...
    def ge_(self, other: Tensor | builtins.float) -> Tensor: ...
    def ger(self, vec2: Tensor) -> Tensor:
        """Every entry of one vector times every entry of the other."""
    def get_device(self) -> builtins.int: ...
    def greater(self, other: Tensor | builtins.float) -> Tensor: ...
    def greater_(self, other: Tensor | builtins.float) -> Tensor: ...
    def greater_equal(self, other: Tensor | builtins.float) -> Tensor: ...
    def greater_equal_(self, other: Tensor | builtins.float) -> Tensor: ...
    def gt(self, other: Tensor | builtins.float) -> Tensor: ...
    def gt_(self, other: Tensor | builtins.float) -> Tensor: ...
    def heaviside(self, values: Tensor) -> Tensor:
        """0 where ``input`` is negative, 1 where it is positive, and ``values`` where it is 0."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """0 where ``input`` is negative, 1 where it is positive, and ``values`` where it is 0."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """The number of entries in each of ``bins`` intervals of equal width from ``min`` to ``max``."""
    def histogram(self, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: builtins.bool = False) -> NamedResult:
        """The number of entries in each bin, and the bin edges; ``bins`` is their number or a tensor of edges."""
    def hsplit(self, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
        """A tensor split along its second dimension, a vector along its only one."""
    def hypot(self, other: Tensor) -> Tensor: ...
    def hypot_(self, other: Tensor) -> Tensor: ...
    def i0(self) -> Tensor: ...
    def i0_(self) -> Tensor: ...
    def igamma(self, other: Tensor) -> Tensor: ...
    def igamma_(self, other: Tensor) -> Tensor: ...
    def igammac(self, other: Tensor) -> Tensor: ...
    def igammac_(self, other: Tensor) -> Tensor: ...
    def index_add(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.float = 1) -> Tensor:
        """``source`` times ``alpha`` added at the positions that ``index`` lists; repeated positions add up."""
    def index_add_(self, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.float = 1) -> Tensor:
        """``source`` times ``alpha`` added at the positions that ``index`` lists; repeated positions add up."""
    def index_copy(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """The input with ``source`` at the positions that ``index`` lists."""
    def index_copy_(self, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
        """The input with ``source`` at the positions that ``index`` lists."""
    def index_fill(self, dim: builtins.int, index: Tensor, value: Tensor | builtins.float) -> Tensor:
        """The input with one number at the positions that ``index`` lists."""
    def index_fill_(self, dim: builtins.int, index: Tensor, value: Tensor | builtins.float) -> Tensor:
        """The input with one number at the positions that ``index`` lists."""
    def index_put(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The value of ``input`` after ``input[indices] = values``, as a new tensor."""
    def index_put_(self, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The value of ``input`` after ``input[indices] = values``, as a new tensor."""
    def index_reduce(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """As ``scatter_reduce``, with one list of positions for all other dimensions."""
    def index_reduce_(self, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """As ``scatter_reduce``, with one list of positions for all other dimensions."""
    def index_select(self, dim: builtins.int, index: Tensor) -> Tensor:
        """The positions along a dimension that ``index`` lists, in its order."""
    def inner(self, other: Tensor) -> Tensor:
        """Sums of products along the last dimension of both."""
    def int(self) -> Tensor: ...
    def is_contiguous(self) -> builtins.bool:
        """Whether the entries lie in order of rows, without gaps."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is float32 or float64."""
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Whether the entries agree within ``atol + rtol * |other|``."""
    def isfinite(self) -> Tensor: ...
    def isinf(self) -> Tensor: ...
    def isnan(self) -> Tensor: ...
    def isneginf(self) -> Tensor: ...
    def isposinf(self) -> Tensor: ...
    def isreal(self) -> Tensor: ...
    def item(self) -> builtins.float | builtins.int | builtins.bool:
        """Return the only entry as a Python number; ScriptError if there are several entries."""
    def kron(self, other: Tensor) -> Tensor:
        """Every entry of one tensor replaced by its product with the whole other."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> NamedResult:
        """The k-th smallest entry along a dimension and its index; ``k`` starts at 1."""
    def lcm(self, other: Tensor) -> Tensor:
        """The least common multiple."""
    def lcm_(self, other: Tensor) -> Tensor:
        """The least common multiple."""
    def ldexp(self, other: Tensor) -> Tensor:
        """``input * 2 ** other``."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """``input * 2 ** other``."""
    def le(self, other: Tensor | builtins.float) -> Tensor: ...
    def le_(self, other: Tensor | builtins.float) -> Tensor: ...
    def lerp(self, end: Tensor, weight: Tensor | builtins.float) -> Any:
        """Linear interpolation: ``input + weight * (end - input)``."""
    def lerp_(self, end: Tensor, weight: Tensor | builtins.float) -> Tensor:
        """Linear interpolation: ``input + weight * (end - input)``."""
    def less(self, other: Tensor | builtins.float) -> Tensor: ...
    def less_(self, other: Tensor | builtins.float) -> Tensor: ...
    def less_equal(self, other: Tensor | builtins.float) -> Tensor: ...
    def less_equal_(self, other: Tensor | builtins.float) -> Tensor: ...
    def lgamma(self) -> Tensor: ...
    def lgamma_(self) -> Tensor: ...
    def log(self) -> Tensor: ...
    def log10(self) -> Tensor: ...
    def log10_(self) -> Tensor: ...
    def log1p(self) -> Tensor: ...
    def log1p_(self) -> Tensor: ...
    def log2(self) -> Tensor: ...
    def log2_(self) -> Tensor: ...
    def log_(self) -> Tensor: ...
    def log_softmax(self, dim: builtins.int, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The logarithm of softmax, computed so that small probabilities do not round to 0 first."""
    def logaddexp(self, other: Tensor) -> Tensor: ...
    def logaddexp2(self, other: Tensor) -> Tensor: ...
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """The running log(Σ exp(x)) along a dimension, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant; nan where it is negative."""
    def logical_and(self, other: Tensor | builtins.float) -> Tensor: ...
    def logical_and_(self, other: Tensor | builtins.float) -> Tensor: ...
    def logical_not(self) -> Tensor: ...
    def logical_not_(self) -> Tensor: ...
    def logical_or(self, other: Tensor | builtins.float) -> Tensor: ...
    def logical_or_(self, other: Tensor | builtins.float) -> Tensor: ...
    def logical_xor(self, other: Tensor | builtins.float) -> Tensor: ...
    def logical_xor_(self, other: Tensor | builtins.float) -> Tensor: ...
    def logit(self, eps: builtins.float | None = None) -> Any:
        """log(x / (1 - x)), with x clamped between ``eps`` and ``1 - eps`` if ``eps`` is given."""
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """log(x / (1 - x)), with x clamped between ``eps`` and ``1 - eps`` if ``eps`` is given."""
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
        """log(Σ exp(x)) over dimensions, without overflow."""
    def long(self) -> Tensor: ...
    def lt(self, other: Tensor | builtins.float) -> Tensor: ...
    def lt_(self, other: Tensor | builtins.float) -> Tensor: ...
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> Any:
        """As ``linalg.lu_factor``, by its older name; with ``get_infos`` as ``linalg.lu_factor_ex``."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """As ``linalg.lu_solve``, by its older name and with B first."""
    def masked_fill(self, mask: Tensor, value: Tensor | builtins.float) -> Tensor:
        """The input with the entries where ``mask`` holds replaced by one number."""
    def masked_fill_(self, mask: Tensor, value: Tensor | builtins.float) -> Tensor:
        """The input with the entries where ``mask`` holds replaced by one number."""
    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The input with the entries where the mask holds replaced by those of ``source``, in order."""
    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Tensor:
        """The input with the entries where the mask holds replaced by those of ``source``, in order."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """The entries where the mask holds, in row order."""
    def matmul(self, other: Tensor) -> Tensor:
        """``x @ y``: the product of matrices, of a matrix and a vector, of two vectors, or of batches of them."""
    def matrix_exp(self) -> Tensor:
        """The matrix exponential of a square matrix."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """The ``n``-th power of a square matrix; a negative ``n`` means powers of the inverse."""
    def max(self, dim: Any = None, keepdim: builtins.bool = False, other: Tensor | None = None) -> Any:
        """The largest entry; with ``dim``, values and indices along it; of two tensors, the larger entries."""
    def maximum(self, other: Tensor) -> Tensor: ...
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The mean of all entries, or over dimensions."""
    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
        """The lower of the two middle entries; with ``dim``, values and indices along it."""
    def min(self, dim: Any = None, keepdim: builtins.bool = False, other: Tensor | None = None) -> Any:
        """The smallest entry; with ``dim``, values and indices along it; of two tensors, the smaller entries."""
    def minimum(self, other: Tensor) -> Tensor: ...
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> NamedResult:
        """The most frequent entry along a dimension (the smallest of several) and its last index."""
    def moveaxis(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Dimensions moved to other positions; the rest keep their order."""
    def movedim(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Dimensions moved to other positions; the rest keep their order."""
    def msort(self) -> Tensor:
        """The entries along the first dimension in ascending order."""
    def mul(self, other: Tensor | builtins.float) -> Tensor: ...
    def mul_(self, other: Tensor | builtins.float) -> Tensor: ...
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False) -> Tensor:
        """Positions drawn at random from each row of weights, in proportion to the weights."""
    def multiply(self, other: Tensor | builtins.float) -> Tensor: ...
    def multiply_(self, other: Tensor | builtins.float) -> Tensor: ...
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension ``p``."""
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension ``p``."""
    def nan_to_num(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Any:
        """Replace nan by 0 and infinities by the largest finite numbers, or all three by the numbers given."""
    def nan_to_num_(self, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """Replace nan by 0 and infinities by the largest finite numbers, or all three by the numbers given."""
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
        """The mean of the entries that are not nan."""
    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
        """The lower of the two middle entries that are not nan; with ``dim``, values and indices along it."""
    def nanquantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear') -> Tensor:
        """``quantile`` of the entries that are not nan."""
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The sum of the entries that are not nan."""
    def narrow(self, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
        """``length`` positions along a dimension, from ``start`` on, which is an int or a tensor of one int."""
    def ndimension(self) -> builtins.int:
        """Return the number of dimensions."""
    def ne(self, other: Tensor | builtins.float) -> Tensor: ...
    def ne_(self, other: Tensor | builtins.float) -> Tensor: ...
    def neg(self) -> Tensor: ...
    def neg_(self) -> Tensor: ...
    def negative(self) -> Tensor: ...
    def negative_(self) -> Tensor: ...
    def nelement(self) -> builtins.int:
        """Return the number of entries."""
    def new_empty(self, *args: Any, dtype: Any = None, kwargs: Any) -> Tensor:
        """Return ``empty(...)`` of the same arguments; its default dtype is that of the tensor."""
    def new_full(self, *args: Any, dtype: Any = None, kwargs: Any) -> Tensor:
        """Return ``full(...)`` of the same arguments; its default dtype is that of the tensor."""
    def new_ones(self, *args: Any, dtype: Any = None, kwargs: Any) -> Tensor:
        """Return ``ones(...)`` of the same arguments; its default dtype is that of the tensor."""
    def new_tensor(self, *args: Any, dtype: Any = None, kwargs: Any) -> Tensor:
        """Return ``tensor(...)`` of the same arguments; its default dtype is that of the tensor."""
    def new_zeros(self, *args: Any, dtype: Any = None, kwargs: Any) -> Tensor:
        """Return ``zeros(...)`` of the same arguments; its default dtype is that of the tensor."""
    def nextafter(self, other: Tensor) -> Tensor:
        """The next representable number after ``input`` towards ``other``."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """The next representable number after ``input`` towards ``other``."""
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """The positions of the entries that are not 0: one row for each, or one vector per dimension."""
    def norm(self, p: Any = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The p-norm of all entries, or over dimensions; Euclidean by default."""
    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1) -> Tensor:
        """Overwrite every entry with a normally distributed number."""
    def not_equal(self, other: Tensor | builtins.float) -> Tensor: ...
    def not_equal_(self, other: Tensor | builtins.float) -> Tensor: ...
    def numel(self) -> builtins.int:
        """Return the number of entries."""
    def numpy(self, *, force: builtins.bool = False) -> np.ndarray[Any, Any]:
        """Return the entries as a numpy array, which cannot be written to; GradientError if ``requires_grad``."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Every entry of one vector times every entry of the other."""
    def permute(self, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The dimensions in another order."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """The Moore-Penrose inverse under its older name."""
    def polygamma(self, n: builtins.int) -> Any:
        """The derivative of order ``n`` of digamma."""
    def polygamma_(self, n: builtins.int) -> Tensor:
        """The derivative of order ``n`` of digamma."""
    def positive(self) -> Any:
        """The tensor itself."""
    def pow(self, exponent: Tensor | builtins.float) -> Any:
        """``input ** exponent``, entry by entry; one of them is a tensor."""
    def pow_(self, exponent: Tensor | builtins.float) -> Tensor:
        """``input ** exponent``, entry by entry; one of them is a tensor."""
    def prelu(self, weight: Tensor) -> Tensor:
        """x above 0, ``weight`` times x below, with one weight per channel or one for all."""
    def prod(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The product of all entries, or along one dimension."""
    def put(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The input with ``source`` written, or added, at positions counted over all entries in row order."""
    def put_(self, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
        """The input with ``source`` written, or added, at positions counted over all entries in row order."""
    def qr(self, some: builtins.bool = True) -> NamedResult:
        """As ``linalg.qr``, by its older name: ``some=False`` is the mode "complete"."""
    def quantile(self, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear') -> Tensor:
        """The quantile of level ``q`` (between 0 and 1) of all entries, or along a dimension."""
    def rad2deg(self) -> Tensor: ...
    def rad2deg_(self) -> Tensor: ...
    def ravel(self) -> Tensor:
        """All entries in one dimension."""
    def reciprocal(self) -> Tensor: ...
    def reciprocal_(self) -> Tensor: ...
    def register_hook(self, hook: Any) -> HookHandle:
        """Call ``hook`` with the tensor's gradient in every backward pass; what it returns replaces it."""
    def register_post_accumulate_grad_hook(self, hook: Any) -> HookHandle:
        """Call ``hook`` with the leaf itself whenever backward() has filled its ``.grad``."""
    def relu(self) -> Tensor: ...
    def relu_(self) -> Tensor: ...
    def remainder(self, other: Tensor | builtins.float) -> Tensor: ...
    def remainder_(self, other: Tensor | builtins.float) -> Tensor: ...
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Each slice along ``dim`` scaled down so that its p-norm is at most ``maxnorm``."""
    def renorm_(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Each slice along ``dim`` scaled down so that its p-norm is at most ``maxnorm``."""
    def repeat(self, *repeats: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Copies side by side; ``repeats`` is their number along each dimension."""
    def repeat_interleave(self, repeats: Any = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """Every position along a dimension several times in a row; ``repeats`` is one count or one per position."""
    def requires_grad_(self, requires_grad: Any = True) -> Tensor:
        """Set ``requires_grad`` of a leaf; return it."""
    def reshape(self, *shape: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The entries in the same order in another shape; one size may be -1 and is inferred."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """``reshape`` with the shape of another tensor."""
    def retain_grad(self) -> None:
        """Make backward passes fill ``.grad`` of this tensor although it is not a leaf."""
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """The entries shifted by ``shifts`` positions; those past the end reappear at the start."""
    def rot90(self, k: builtins.int = 1, dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """The tensor rotated by ``k`` right angles in a plane, from its first dimension towards its second."""
    def round(self, *, decimals: builtins.int = 0) -> Any:
        """The nearest whole number, halves to even; ``decimals`` is the number of digits to keep."""
    def round_(self, *, decimals: builtins.int = 0) -> Tensor:
        """The nearest whole number, halves to even; ``decimals`` is the number of digits to keep."""
    def rsqrt(self) -> Tensor: ...
    def rsqrt_(self) -> Tensor: ...
    def scatter(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.float | None = None, *, value: builtins.float | None = None, reduce: builtins.str | None = None) -> Tensor:
        """``out[i][index[i][j]] = src[i][j]`` for ``dim=1``: the reverse of ``gather``."""
    def scatter_(self, dim: builtins.int, index: Tensor, src: Tensor | builtins.float | None = None, *, value: builtins.float | None = None, reduce: builtins.str | None = None) -> Tensor:
        """``out[i][index[i][j]] = src[i][j]`` for ``dim=1``: the reverse of ``gather``."""
    def scatter_add(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """As ``scatter``, but ``src`` is added to the entries of ``input``."""
    def scatter_add_(self, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
        """As ``scatter``, but ``src`` is added to the entries of ``input``."""
    def scatter_reduce(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """Entries of ``src`` combined with the input at the positions in ``index``, by sum, product, ..."""
    def scatter_reduce_(self, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
        """Entries of ``src`` combined with the input at the positions in ``index``, by sum, product, ..."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The entries at one position along a dimension, which the result no longer has."""
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """The input with ``src`` at one position along a dimension."""
    def sgn(self) -> Tensor: ...
    def sgn_(self) -> Tensor: ...
    def sigmoid(self) -> Tensor: ...
    def sigmoid_(self) -> Tensor: ...
    def sign(self) -> Tensor: ...
    def sign_(self) -> Tensor: ...
    def signbit(self) -> Tensor: ...
    def sin(self) -> Tensor: ...
    def sin_(self) -> Tensor: ...
    def sinc(self) -> Tensor: ...
    def sinc_(self) -> Tensor: ...
    def sinh(self) -> Tensor: ...
    def sinh_(self) -> Tensor: ...
    def size(self, dim: Any = None) -> Any:
        """Return the shape, or its entry number ``dim``."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """The input with ``src`` at a slice along a dimension."""
    def slogdet(self) -> NamedResult:
        """The sign and the logarithm of the absolute value of the determinant."""
    def softmax(self, dim: builtins.int, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """exp(x) / Σ exp(x) along a dimension."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool | None = None) -> NamedResult:
        """The entries along a dimension in ascending or descending order, and their original indices."""
    def split(self, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Slices of one size, or of the sizes listed, along a dimension."""
    def split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """Slices of the sizes listed along a dimension."""
    def sqrt(self) -> Tensor: ...
    def sqrt_(self) -> Tensor: ...
    def square(self) -> Tensor: ...
    def square_(self) -> Tensor: ...
    def squeeze(self, *dim: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The tensor without its dimensions of size 1, or only without those that ``dim`` names."""
    def squeeze_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def std(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Tensor:
        """The standard deviation, with n - 1 in the denominator by default."""
    def sub(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
        """``input - alpha * other``, entry by entry."""
    def sub_(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Tensor:
        """``input - alpha * other``, entry by entry."""
    def subtract(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
        """``input - alpha * other``, entry by entry."""
    def subtract_(self, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Tensor:
        """``input - alpha * other``, entry by entry."""
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
        """The sum of all entries, or over dimensions."""
    def sum_to_size(self, *size: builtins.int | Sequence[builtins.int]) -> Tensor:
        """The reverse of ``expand``: sums over the dimensions along which ``size`` would be repeated."""
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> NamedResult:
        """U, the singular values and V (not Vᵀ), by the older name; without ``compute_uv`` U and V are zeros."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Two dimensions exchanged."""
    def swapaxes_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Two dimensions exchanged."""
    def swapdims_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def t(self) -> Tensor:
        """The transpose of a matrix; a vector stays as it is."""
    def t_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def take(self, index: Tensor) -> Tensor:
        """The entries at positions counted over the whole tensor in row order."""
    def take_along_dim(self, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
        """As ``gather``, with the other dimensions broadcast; without ``dim`` the indices count all entries."""
    def tan(self) -> Tensor: ...
    def tan_(self) -> Tensor: ...
    def tanh(self) -> Tensor: ...
    def tanh_(self) -> Tensor: ...
    def tensor_split(self, indices_or_sections: Any = None, dim: builtins.int = 0, *, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None, tensor_indices_or_sections: Any = None) -> builtins.tuple[Tensor, ...]:
        """The pieces along a dimension: a number of sections, or those between the given indices."""
    def tile(self, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Copies side by side, as with ``repeat``; missing leading counts are 1."""
    def to(self, *targets: Any, dtype: Any = None, device: Any = None, non_blocking: Any = False) -> Tensor: ...
    def tolist(self) -> Any:
        """Return the entries as nested lists of Python numbers."""
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> NamedResult:
        """The k largest (or smallest) entries along a dimension, best first, and their indices."""
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Two dimensions exchanged."""
    def transpose_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> NamedResult:
        """As ``linalg.solve_triangular``, by its older name and with B first; the second part is a copy of A."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros above a diagonal."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros above a diagonal."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros below a diagonal."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros below a diagonal."""
    def true_divide(self, other: Tensor | builtins.float) -> Tensor: ...
    def true_divide_(self, other: Tensor | builtins.float) -> Tensor: ...
    def trunc(self) -> Tensor: ...
    def trunc_(self) -> Tensor: ...
    def type(self, dtype: Any = None, non_blocking: Any = False) -> Any:
        """Return the name of torch's legacy tensor class; with ``dtype``, the tensor converted to it."""
    def type_as(self, other: Any) -> Tensor: ...
    def unbind(self, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """The slices at every position along a dimension, as a tuple."""
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """One dimension split into several."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Windows of ``size`` entries, ``step`` apart, along a dimension; their entries form a new last one."""
    def uniform_(self, from_: builtins.float = 0, /, to: builtins.float = 1) -> Tensor:
        """Overwrite every entry with a uniformly distributed number between ``from`` and ``to``."""
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The distinct entries (or slices along ``dim``) in order; on request inverse indices and counts."""
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The entries (or slices along ``dim``) without those equal to their predecessor."""
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """As ``chunk``, as tensors of their own: each may be changed in place."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """As ``split``, as tensors of their own: each may be changed in place."""
    def unsafe_split_with_sizes(self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
        """As ``split_with_sizes``, as tensors of their own: each may be changed in place."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """The tensor with a new dimension of size 1."""
    def unsqueeze_(self, *args: Any, kwargs: Any) -> Tensor: ...
    def var(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Tensor:
        """The variance, with n - 1 in the denominator by default."""
    def vdot(self, other: Tensor) -> Tensor:
        """As ``dot``: the two differ for complex numbers only."""
    def view(self, *shape: builtins.int | Sequence[builtins.int]) -> Tensor:
        """As ``reshape``, but an error where the entries would have to be copied."""
    def view_as(self, other: Tensor) -> Tensor:
        """``view`` with the shape of another tensor."""
    def vsplit(self, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
        """A tensor split along its first dimension."""
    def where(self, condition: Tensor, other: Tensor | builtins.float) -> Any:
        """The tensor's own entries where the condition holds, ``other`` elsewhere."""
    def xlogy(self, other: Tensor | builtins.float) -> Tensor: ...
    def xlogy_(self, other: Tensor | builtins.float) -> Tensor: ...
    def zero_(self) -> Tensor: ...

def BoolTensor(*data: Any) -> Tensor: ...
def ByteTensor(*data: Any) -> Tensor: ...
def DoubleTensor(*data: Any) -> Tensor: ...
def FloatTensor(*data: Any) -> Tensor: ...
def IntTensor(*data: Any) -> Tensor: ...
def LongTensor(*data: Any) -> Tensor: ...
def Variable(data: Tensor, requires_grad: builtins.bool = False) -> Tensor:
    """torch's old constructor of leaves: a new leaf with the value of ``data``."""
def abs(input: Tensor) -> Tensor: ...
def abs_(input: Tensor) -> Tensor:
    """As ``abs``, written over ``input``, which it answers."""
def absolute(input: Tensor) -> Tensor: ...
def acos(input: Tensor) -> Tensor: ...
def acos_(input: Tensor) -> Tensor:
    """As ``acos``, written over ``input``, which it answers."""
def acosh(input: Tensor) -> Tensor: ...
def acosh_(input: Tensor) -> Tensor:
    """As ``acosh``, written over ``input``, which it answers."""
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 1 dimension."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 2 dimensions."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 3 dimensions."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 1 dimension."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 2 dimensions."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 3 dimensions."""
def add(input: Tensor | builtins.float, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
    """``input + alpha * other``, entry by entry."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, with the products summed over the batch."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: builtins.float = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
def adjoint(input: Tensor) -> Tensor:
    """The last two dimensions exchanged. torch also conjugates complex numbers, which do not exist here."""
def affine_grid(theta: Tensor, size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool | None = None) -> Tensor:
    """The grid (N, *sizes, dims) of affine maps (N, dims, dims + 1), for ``grid_sample``."""
def airy_ai(x: Tensor) -> Tensor:
    """Airy ai, entry by entry; no gradient flows through."""
def all(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Whether all entries are true (not zero)."""
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether all entries agree within ``atol + rtol * |other|``."""
def alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """Dropout for selu that keeps the mean and variance."""
def amax(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """The largest of all entries, or over dimensions."""
def amin(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """The smallest of all entries, or over dimensions."""
def aminmax(input: Tensor, *, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> NamedResult:
    """The smallest and the largest of all entries, or along a dimension."""
def any(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Whether any entry is true (not zero)."""
def arange(start: builtins.float | None = None, end: builtins.float | None = None, step: builtins.float = 1, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``start``, ``start + step``, ... up to but not including ``end``; from 0 where one number is given."""
def arccos(input: Tensor) -> Tensor: ...
def arccos_(input: Tensor) -> Tensor:
    """As ``acos``, written over ``input``, which it answers."""
def arccosh(input: Tensor) -> Tensor: ...
def arccosh_(input: Tensor) -> Tensor:
    """As ``acosh``, written over ``input``, which it answers."""
def arcsin(input: Tensor) -> Tensor: ...
def arcsin_(input: Tensor) -> Tensor:
    """As ``asin``, written over ``input``, which it answers."""
def arcsinh(input: Tensor) -> Tensor: ...
def arcsinh_(input: Tensor) -> Tensor:
    """As ``asinh``, written over ``input``, which it answers."""
def arctan(input: Tensor) -> Tensor: ...
def arctan2(input: Tensor, other: Tensor) -> Tensor: ...
def arctan_(input: Tensor) -> Tensor:
    """As ``atan``, written over ``input``, which it answers."""
def arctanh(input: Tensor) -> Tensor: ...
def arctanh_(input: Tensor) -> Tensor:
    """As ``atanh``, written over ``input``, which it answers."""
def argmax(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Where the largest entry stands, the first if several tie."""
def argmin(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Tensor:
    """Where the smallest entry stands, the first if several tie."""
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
    """The indices that sort the entries along a dimension."""
def argwhere(input: Tensor) -> Tensor:
    """The positions of the entries that are not 0, one row for each."""
def as_tensor(data: Any, dtype: DType | builtins.type[Any] | None = None, *, device: Any = None) -> Tensor:
    """The tensor itself if it has that dtype already, else a new one."""
def asin(input: Tensor) -> Tensor: ...
def asin_(input: Tensor) -> Tensor:
    """As ``asin``, written over ``input``, which it answers."""
def asinh(input: Tensor) -> Tensor: ...
def asinh_(input: Tensor) -> Tensor:
    """As ``asinh``, written over ``input``, which it answers."""
def atan(input: Tensor) -> Tensor: ...
def atan2(input: Tensor, other: Tensor) -> Tensor: ...
def atan_(input: Tensor) -> Tensor:
    """As ``atan``, written over ``input``, which it answers."""
def atanh(input: Tensor) -> Tensor: ...
def atanh_(input: Tensor) -> Tensor:
    """As ``atanh``, written over ``input``, which it answers."""
def atleast_1d(*tensors: Any) -> Any:
    """Numbers as vectors; other tensors unchanged."""
def atleast_2d(*tensors: Any) -> Any:
    """Numbers and vectors as matrices of one row; other tensors unchanged."""
def atleast_3d(*tensors: Any) -> Any:
    """Numbers, vectors and matrices with dimensions of size 1 added up to three; other tensors unchanged."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window over 1 dimension."""
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window over 2 dimensions."""
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window over 3 dimensions."""
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``, matrix by matrix."""
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | None = None, bias: Tensor | None = None, training: builtins.bool = False, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance per channel; without ``training``, with the running mean and variance."""
def bernoulli(input: Tensor, p: builtins.float | None = None) -> Tensor:
    """Ones with the probabilities in ``input`` (or ``p`` everywhere), else zeros."""
def bessel_j0(input: Tensor) -> Tensor:
    """Bessel j0, entry by entry; no gradient flows through."""
def bessel_j1(input: Tensor) -> Tensor:
    """Bessel j1, entry by entry; no gradient flows through."""
def bessel_y0(input: Tensor) -> Tensor:
    """Bessel y0, entry by entry; no gradient flows through."""
def bessel_y1(input: Tensor) -> Tensor:
    """Bessel y1, entry by entry; no gradient flows through."""
def betainc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The regularized incomplete beta function I_x(a, b), the distribution function of the beta distribution; torch has none."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W_k y + bias_k for each output k."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """-(y log x + (1 - y) log(1 - x)) for probabilities x, averaged."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """binary_cross_entropy of sigmoid(x), computed from x."""
def bincount(input: Tensor, weights: Tensor | None = None, minlength: builtins.int = 0) -> Tensor:
    """The number of occurrences of each whole number from 0 up, or the sum of their weights."""
def bitwise_and(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def bitwise_left_shift(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def bitwise_not(input: Tensor) -> Tensor: ...
def bitwise_or(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def bitwise_right_shift(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def bitwise_xor(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Matrices along the diagonal of a larger one, zeros elsewhere; vectors count as rows."""
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of matrices, one pair per entry of the first dimension."""
bool: DType
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> builtins.tuple[Tensor, ...]:
    """The tensors, each expanded to their common shape."""
def broadcast_to(input: Tensor, *size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size."""
def bucketize(input: Tensor | builtins.float, boundaries: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False) -> Tensor:
    """The number of the interval between boundaries that holds each value; 0 is below the first."""
def cartesian_prod(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """Every choice of one entry from each vector, as rows."""
def cat(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors joined one after the other along a dimension."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: builtins.str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distance of every row of one matrix from every row of the other."""
def ceil(input: Tensor) -> Tensor: ...
def ceil_(input: Tensor) -> Tensor:
    """As ``ceil``, written over ``input``, which it answers."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x above 0, alpha (exp(x / alpha) - 1) below."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """As ``celu`` with ``inplace=True``."""
def chain_matmul(*matrices: Tensor | Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The channels, dimension 1, of several groups taken in turn."""
def cholesky(input: Tensor, upper: builtins.bool = False) -> Tensor:
    """As ``linalg.cholesky``, by its older name."""
def cholesky_ex(input: Tensor, *, upper: builtins.bool = False, check_errors: builtins.bool = False) -> NamedResult:
    """The Cholesky factor, and for each matrix the order of the minor that is not positive definite, or 0."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = False) -> Tensor:
    """The inverse of A, given its Cholesky factor."""
def cholesky_solve(input: Tensor, input2: Tensor, upper: builtins.bool = False) -> Tensor:
    """The X with A X = B, given the Cholesky factor of A."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """At most ``chunks`` slices of equal size along a dimension; the last may be smaller."""
def clamp(input: Tensor, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Any:
    """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
def clamp_(input: Tensor, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Tensor:
    """As ``clamp``, written over ``input``, which it answers."""
def clamp_max(input: Tensor, max: Tensor | builtins.float) -> Tensor: ...
def clamp_max_(input: Tensor, max: Tensor | builtins.float) -> Tensor:
    """As ``clamp_max``, written over ``input``, which it answers."""
def clamp_min(input: Tensor, min: Tensor | builtins.float) -> Tensor: ...
def clamp_min_(input: Tensor, min: Tensor | builtins.float) -> Tensor:
    """As ``clamp_min``, written over ``input``, which it answers."""
def clip(input: Tensor, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Any:
    """``input`` kept at or above ``min`` and at or below ``max``; either may be left out."""
def clip_(input: Tensor, min: Tensor | builtins.float | None = None, max: Tensor | builtins.float | None = None) -> Tensor:
    """As ``clamp``, written over ``input``, which it answers."""
def clone(input: Tensor) -> Tensor:
    """A copy that passes gradients on."""
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Matrices, and vectors as columns, joined along the second dimension."""
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """Every choice of ``r`` entries of a vector, in its order, as rows."""
def concat(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors joined one after the other along a dimension."""
def concatenate(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """The tensors joined one after the other along a dimension."""
def cond(input: Tensor, p: Any = None) -> Tensor:
    """The condition number: the norm of A times the norm of its inverse."""
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: builtins.float = 0.0) -> Tensor:
    """As ``F.pad`` in the mode "constant"."""
def contiguous(input: Tensor) -> Tensor:
    """The tensor with its entries in row order in memory; itself if they already are."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 1 dimension."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 2 dimensions."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 3 dimensions."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv1d`` in its input: windows are added up."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv2d`` in its input: windows are added up."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv3d`` in its input: windows are added up."""
def copysign(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def corrcoef(input: Tensor) -> Tensor:
    """The covariance of each pair of rows, divided by the product of their standard deviations."""
def cos(input: Tensor) -> Tensor: ...
def cos_(input: Tensor) -> Tensor:
    """As ``cos``, written over ``input``, which it answers."""
def cosh(input: Tensor) -> Tensor: ...
def cosh_(input: Tensor) -> Tensor:
    """As ``cosh``, written over ``input``, which it answers."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1, averaged."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
def count_nonzero(input: Tensor, *dim: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The number of entries that are not zero."""
def cov(input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariances of all pairs of rows; ``fweights`` counts observations, ``aweights`` weighs them."""
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None) -> Tensor:
    """As ``linalg.cross``; without ``dim``, along the first dimension of size 3."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: builtins.int = -100, reduce: Any = None, reduction: Any = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """nll_loss of log_softmax; ``target`` holds class numbers, or one probability per class."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: builtins.int = 0, reduction: Any = 'mean', zero_infinity: builtins.bool = False) -> Tensor:
    """Minus the log probability that ``log_probs``, read step by step without blanks, spells the targets."""
def cummax(input: Tensor, dim: builtins.int) -> NamedResult:
    """The largest entry so far along a dimension and its index; of equal entries, the latest."""
def cummin(input: Tensor, dim: builtins.int) -> NamedResult:
    """The smallest entry so far along a dimension and its index; of equal entries, the latest."""
def cumprod(input: Tensor, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The running products along a dimension."""
def cumsum(input: Tensor, dim: builtins.int, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The running sums along a dimension."""
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """The integrals up to each sample except the first, by the trapezoidal rule."""
def deg2rad(input: Tensor) -> Tensor: ...
def deg2rad_(input: Tensor) -> Tensor:
    """As ``deg2rad``, written over ``input``, which it answers."""
def det(A: Tensor) -> Tensor:
    """The determinant."""
def diag(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal."""
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """The entries of the last dimension on a diagonal of two new dimensions, zeros elsewhere."""
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """The matrix with all entries of the input on its diagonal."""
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """The entries on a diagonal of two dimensions, as a new last dimension."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """The input with ``src`` on a diagonal."""
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """Each entry minus the one before it along a dimension, applied ``n`` times."""
def digamma(input: Tensor) -> Tensor: ...
def dist(input: Tensor, other: Tensor, p: builtins.float = 2) -> Tensor:
    """The p-norm of ``input - other``."""
def div(input: Tensor | builtins.float, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Any:
    """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
def divide(input: Tensor | builtins.float, other: Tensor | builtins.float, *, rounding_mode: builtins.str | None = None) -> Any:
    """``input / other``; ``rounding_mode`` "floor" rounds down, "trunc" towards zero."""
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of the entries of two vectors."""
double: DType
def dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Entries set to 0 at random, the others scaled so that the mean is kept."""
def dropout1d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def dropout2d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def dropout3d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def dsplit(input: Tensor, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
    """A tensor split along its third dimension."""
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the third dimension."""
def eigh(input: Tensor, UPLO: builtins.str = 'L') -> NamedResult:
    """Eigenvalues in ascending order and eigenvectors of a symmetric matrix."""
def eigvalsh(input: Tensor, UPLO: builtins.str = 'L') -> Tensor:
    """The eigenvalues of a symmetric matrix in ascending order."""
def einsum(equation: builtins.str = '', *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Products of entries summed over dimensions: ``einsum("ij,jk->ik", A, B)`` is ``A @ B``."""
def elu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x above 0, alpha (exp(x) - 1) below."""
def elu_(input: Tensor, alpha: builtins.float = 1.0, scale: builtins.float = 1.0, input_scale: builtins.float = 1.0) -> Tensor:
    """As ``elu`` with ``inplace=True``."""
def embedding(input: Tensor, weight: Tensor, padding_idx: builtins.int | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2.0, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False) -> Tensor:
    """Rows of the weight, one per index; the row ``padding_idx`` receives no gradient."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2, scale_grad_by_freq: builtins.bool = False, mode: builtins.str = 'mean', sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False, padding_idx: builtins.int | None = None) -> Tensor:
    """The mean, sum or maximum of the weight's rows, for each bag of indices."""
def empty(*size: builtins.int | Sequence[builtins.int], dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def empty_like(input: Tensor, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def entr(input: Tensor) -> Tensor: ...
def eq(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have the same shape and the same entries."""
def erf(input: Tensor) -> Tensor: ...
def erf_(input: Tensor) -> Tensor:
    """As ``erf``, written over ``input``, which it answers."""
def erfc(input: Tensor) -> Tensor: ...
def erfc_(input: Tensor) -> Tensor:
    """As ``erfc``, written over ``input``, which it answers."""
def erfcx(input: Tensor) -> Tensor: ...
def erfinv(input: Tensor) -> Tensor: ...
def exp(input: Tensor) -> Tensor: ...
def exp2(input: Tensor) -> Tensor: ...
def exp2_(input: Tensor) -> Tensor:
    """As ``exp2``, written over ``input``, which it answers."""
def exp_(input: Tensor) -> Tensor:
    """As ``exp``, written over ``input``, which it answers."""
def expand(input: Tensor, *size: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size."""
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """``expand`` to the shape of another tensor."""
def expit(input: Tensor) -> Tensor: ...
def expm1(input: Tensor) -> Tensor: ...
def expm1_(input: Tensor) -> Tensor:
    """As ``expm1``, written over ``input``, which it answers."""
def eye(n: builtins.int, m: builtins.int | None = None, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
def feature_alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels."""
def fix(input: Tensor) -> Tensor: ...
def fix_(input: Tensor) -> Tensor:
    """As ``trunc``, written over ``input``, which it answers."""
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """The dimensions from ``start_dim`` to ``end_dim`` merged into one."""
def flip(input: Tensor, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The entries in reverse order along the dimensions given."""
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
float: DType
float32: DType
float64: DType
def float_power(input: Tensor | builtins.float, exponent: Tensor | builtins.float) -> Any:
    """``input ** exponent`` in double precision."""
def floor(input: Tensor) -> Tensor: ...
def floor_(input: Tensor) -> Tensor:
    """As ``floor``, written over ``input``, which it answers."""
def floor_divide(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def fmax(input: Tensor, other: Tensor) -> Tensor: ...
def fmin(input: Tensor, other: Tensor) -> Tensor: ...
def fmod(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def fold(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Columns added up to images; the adjoint of ``unfold``."""
def frac(input: Tensor) -> Tensor: ...
def frac_(input: Tensor) -> Tensor:
    """As ``frac``, written over ``input``, which it answers."""
def frexp(input: Tensor) -> NamedResult:
    """The input as ``mantissa * 2**exponent``, where the size of the mantissa is at least 0.5 and below 1."""
def full(size: Sequence[builtins.int], fill_value: builtins.float, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """A tensor with ``fill_value`` everywhere; the type is the value's own."""
def full_like(input: Tensor, fill_value: builtins.float, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``full`` with the shape and type of another tensor."""
def gammainc(input: Tensor, other: Tensor) -> Tensor: ...
def gammaincc(input: Tensor, other: Tensor) -> Tensor: ...
def gammaln(input: Tensor) -> Tensor: ...
def gather(input: Tensor, dim: builtins.int, index: Tensor) -> Tensor:
    """``out[i][j] = input[i][index[i][j]]`` for ``dim=1``; likewise along any other dimension."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | builtins.float, full: builtins.bool = False, eps: builtins.float = 1e-06, reduction: builtins.str = 'mean') -> Tensor:
    """½ (log var + (input - target)² / var), averaged; variances below ``eps`` count as ``eps``."""
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor."""
def ge(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def gelu(input: Tensor, approximate: builtins.str = 'none') -> Any:
    """x times the standard normal distribution function, or its "tanh" approximation."""
def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """Every entry of one vector times every entry of the other."""
def get_default_dtype() -> DType:
    """Return the dtype of float literals."""
def glu(input: Tensor, dim: builtins.int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second half."""
def grad(outputs: Tensor | Sequence[Tensor], inputs: Tensor | Sequence[Tensor], grad_outputs: Tensor | Sequence[Tensor | None] | None = None, retain_graph: builtins.bool | None = None, create_graph: builtins.bool = False, allow_unused: builtins.bool = False) -> builtins.tuple[Tensor | None, ...]:
    """Return the gradients of ``outputs`` with respect to ``inputs``; ``.grad`` of leaves is not changed."""
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: builtins.int = 1) -> builtins.tuple[Tensor, ...]:
    """The slopes of a sampled function along each dimension, by differences of neighbours."""
def greater(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def greater_equal(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def grid_sample(input: Tensor, grid: Tensor, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool | None = None) -> Tensor:
    """Images (N, C, H, W) or (N, C, D, H, W) at the positions of a grid (N, ..., 2 or 3)."""
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """As ``grid_sample``, with numbers for the modes in their order there."""
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """As ``grid_sample``, with numbers for the modes in their order there."""
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """As ``grid_sample``, with numbers for the modes in their order there."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """``F.group_norm`` that also takes groups of one value."""
def gt(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def gumbel_softmax(logits: Tensor, tau: builtins.float = 1, hard: builtins.bool = False, eps: builtins.float = 1e-10, dim: builtins.int = -1) -> Tensor:
    """softmax of logits with Gumbel noise; ``hard`` gives one-hot vectors with the softmax's gradient."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Any:
    """x, and 0 where |x| <= lambd."""
def hardsigmoid(input: Tensor, inplace: builtins.bool = False) -> None: ...
def hardswish(input: Tensor, inplace: builtins.bool = False) -> None: ...
def hardtanh(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x clamped to [min_val, max_val]."""
def hardtanh_(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0) -> Tensor:
    """As ``hardtanh`` with ``inplace=True``."""
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 where ``input`` is negative, 1 where it is positive, and ``values`` where it is 0."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1.0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """``input`` where the target is 1, max(0, margin - input) where it is -1, averaged."""
def histc(input: Tensor, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
    """The number of entries in each of ``bins`` intervals of equal width from ``min`` to ``max``."""
def histogram(input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: builtins.bool = False) -> NamedResult:
    """The number of entries in each bin, and the bin edges; ``bins`` is their number or a tensor of edges."""
def hsplit(input: Tensor, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
    """A tensor split along its second dimension, a vector along its only one."""
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Vectors joined end to end, or matrices side by side."""
def huber_loss(input: Tensor, target: Tensor, reduction: Any = 'mean', delta: builtins.float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Quadratic where |input - target| < delta, linear with slope delta elsewhere, averaged."""
def hypot(input: Tensor, other: Tensor) -> Tensor: ...
def i0(input: Tensor) -> Tensor: ...
def i0_(input: Tensor) -> Tensor:
    """As ``i0``, written over ``input``, which it answers."""
def i0e(input: Tensor) -> Tensor: ...
def i1(input: Tensor) -> Tensor: ...
def i1e(input: Tensor) -> Tensor: ...
def igamma(input: Tensor, other: Tensor) -> Tensor: ...
def igammac(input: Tensor, other: Tensor) -> Tensor: ...
def index_add(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, *, alpha: builtins.float = 1) -> Tensor:
    """``source`` times ``alpha`` added at the positions that ``index`` lists; repeated positions add up."""
def index_copy(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor) -> Tensor:
    """The input with ``source`` at the positions that ``index`` lists."""
def index_fill(input: Tensor, dim: builtins.int, index: Tensor, value: Tensor | builtins.float) -> Tensor:
    """The input with one number at the positions that ``index`` lists."""
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """The value of ``input`` after ``input[indices] = values``, as a new tensor."""
def index_reduce(input: Tensor, dim: builtins.int, index: Tensor, source: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """As ``scatter_reduce``, with one list of positions for all other dimensions."""
def index_select(input: Tensor, dim: builtins.int, index: Tensor) -> Tensor:
    """The positions along a dimension that ``index`` lists, in its order."""
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products along the last dimension of both."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: builtins.bool = True, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance per channel of each input."""
int: DType
int32: DType
int64: DType
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None, antialias: builtins.bool = False) -> Tensor:
    """Images resized: each entry is the nearest one, or a mean of neighbours weighted by distance."""
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix."""
def inv_ex(A: Tensor, *, check_errors: builtins.bool = False) -> NamedResult:
    """The inverse, and for each matrix the position of a zero pivot in elimination, or 0."""
def inverse(A: Tensor) -> Tensor:
    """The inverse of a square matrix."""
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
    """Whether the entries agree within ``atol + rtol * |other|``."""
def isfinite(input: Tensor) -> Tensor: ...
def isin(elements: Tensor | builtins.float, test_elements: Tensor | builtins.float, *, assume_unique: builtins.bool = False, invert: builtins.bool = False) -> Tensor:
    """Whether each of ``elements`` occurs in ``test_elements``."""
def isinf(input: Tensor) -> Tensor: ...
def isnan(input: Tensor) -> Tensor: ...
def isneginf(input: Tensor) -> Tensor: ...
def isposinf(input: Tensor) -> Tensor: ...
def isreal(input: Tensor) -> Tensor: ...
def iv(v: Tensor | builtins.float, z: Tensor | builtins.float) -> Tensor:
    """The modified Bessel function of the first kind, I_v(z)."""
def jv(v: Tensor | builtins.float, z: Tensor | builtins.float) -> Tensor:
    """The Bessel function of the first kind, J_v(z)."""
def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', log_target: builtins.bool = False) -> Tensor:
    """target (log target - input), averaged; ``input`` holds log probabilities."""
def kron(input: Tensor, other: Tensor) -> Tensor:
    """Every entry of one tensor replaced by its product with the whole other."""
def kthvalue(input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False) -> NamedResult:
    """The k-th smallest entry along a dimension and its index; ``k`` starts at 1."""
def kv(v: Tensor | builtins.float, z: Tensor | builtins.float) -> Tensor:
    """The modified Bessel function of the second kind, K_v(z)."""
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Tensor | None = None) -> Tensor:
    """The absolute differences, averaged."""
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then weight and bias entry by entry."""
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple."""
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """``input * 2 ** other``."""
def le(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def leaky_relu(input: Tensor, negative_slope: builtins.float = 0.01, inplace: builtins.bool = False) -> Any:
    """x above 0, ``negative_slope`` times x below."""
def leaky_relu_(input: Tensor, negative_slope: builtins.float = 0.01) -> Tensor:
    """As ``leaky_relu`` with ``inplace=True``."""
def lerp(input: Tensor, end: Tensor, weight: Tensor | builtins.float) -> Any:
    """Linear interpolation: ``input + weight * (end - input)``."""
def less(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def less_equal(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def lgamma(input: Tensor) -> Tensor: ...
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias; ``weight`` has one row per output."""
def linspace(start: Tensor | builtins.float, end: Tensor | builtins.float, steps: builtins.int, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``steps`` numbers at equal distances from ``start`` to ``end``, both included."""
def local_response_norm(input: Tensor, size: builtins.int, alpha: builtins.float = 0.0001, beta: builtins.float = 0.75, k: builtins.float = 1.0) -> Tensor:
    """x divided by a power of the mean square of neighbouring channels."""
def log(input: Tensor) -> Tensor: ...
def log10(input: Tensor) -> Tensor: ...
def log10_(input: Tensor) -> Tensor:
    """As ``log10``, written over ``input``, which it answers."""
def log1p(input: Tensor) -> Tensor: ...
def log1p_(input: Tensor) -> Tensor:
    """As ``log1p``, written over ``input``, which it answers."""
def log2(input: Tensor) -> Tensor: ...
def log2_(input: Tensor) -> Tensor:
    """As ``log2``, written over ``input``, which it answers."""
def log_(input: Tensor) -> Tensor:
    """As ``log``, written over ``input``, which it answers."""
def log_ndtr(input: Tensor) -> Tensor: ...
def log_softmax(input: Tensor, dim: builtins.int, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The logarithm of softmax, computed so that small probabilities do not round to 0 first."""
def logaddexp(input: Tensor, other: Tensor) -> Tensor: ...
def logaddexp2(input: Tensor, other: Tensor) -> Tensor: ...
def logcumsumexp(input: Tensor, dim: builtins.int) -> Tensor:
    """The running log(Σ exp(x)) along a dimension, without overflow."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan where it is negative."""
def logical_and(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def logical_not(input: Tensor) -> Tensor: ...
def logical_or(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def logical_xor(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def logit(input: Tensor, eps: builtins.float | None = None) -> Any:
    """log(x / (1 - x)), with x clamped between ``eps`` and ``1 - eps`` if ``eps`` is given."""
def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """As ``logit``, written over ``input``, which it answers."""
def logsigmoid(input: Tensor) -> None: ...
def logspace(start: Tensor | builtins.float, end: Tensor | builtins.float, steps: builtins.int, base: builtins.float = 10.0, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``base`` to the powers that ``linspace`` gives."""
def logsumexp(input: Tensor, dim: builtins.int | Sequence[builtins.int], keepdim: builtins.bool = False) -> Tensor:
    """log(Σ exp(x)) over dimensions, without overflow."""
long: DType
def lp_pool1d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int, stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 1 dimension."""
def lp_pool2d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 2 dimensions."""
def lp_pool3d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 3 dimensions."""
def lstsq(input: Tensor, b: Tensor, rcond: builtins.float | None = None, *, driver: builtins.str | None = None) -> NamedResult:
    """The X for which A X is nearest to B. As in torch, ``driver`` decides what else is computed."""
def lt(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def lu(A: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> Any:
    """As ``linalg.lu_factor``, by its older name; with ``get_infos`` as ``linalg.lu_factor_ex``."""
def lu_factor(A: Tensor, *, pivot: builtins.bool = True) -> NamedResult:
    """The LU factorization as one matrix, and its pivots."""
def lu_factor_ex(A: Tensor, *, pivot: builtins.bool = True, check_errors: builtins.bool = False) -> NamedResult:
    """As ``linalg.lu_factor``, and for each matrix the position of a zero pivot, or 0."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """As ``linalg.lu_solve``, by its older name and with B first."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True) -> NamedResult:
    """The permutation, the lower and the upper triangular matrix of ``linalg.lu_factor``."""
def manual_seed(seed: Any) -> None:
    """Reset the random numbers to ``seed``, which is converted as ``int`` does."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, -target (input1 - input2) + margin), averaged; a target of 1 asks for a larger input1."""
def masked_fill(input: Tensor, mask: Tensor, value: Tensor | builtins.float) -> Tensor:
    """The input with the entries where ``mask`` holds replaced by one number."""
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with the entries where the mask holds replaced by those of ``source``, in order."""
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The entries where the mask holds, in row order."""
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """``x @ y``: the product of matrices, of a matrix and a vector, of two vectors, or of batches of them."""
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential of a square matrix."""
def matrix_norm(input: Tensor, ord: Any = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """A norm of each matrix: 'fro', 'nuc', inf, 1, 2 or their negatives for the smallest."""
def matrix_power(input: Tensor, n: builtins.int) -> Tensor:
    """The ``n``-th power of a square matrix; a negative ``n`` means powers of the inverse."""
def matrix_rank(input: Tensor, tol: Tensor | builtins.float | None = None, hermitian: builtins.bool = False, *, atol: Tensor | builtins.float | None = None, rtol: Tensor | builtins.float | None = None) -> Tensor:
    """The number of nonzero singular values, as for ``pinv``; ``tol`` is an older name of ``atol``."""
def max(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, other: Tensor | None = None) -> Any:
    """The largest entry; with ``dim``, values and indices along it; of two tensors, the larger entries."""
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 1 dimension."""
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 2 dimensions."""
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 3 dimensions."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def maximum(input: Tensor, other: Tensor) -> Tensor: ...
def mean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The mean of all entries, or over dimensions."""
def median(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
    """The lower of the two middle entries; with ``dim``, values and indices along it."""
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: builtins.str | None = None) -> builtins.tuple[Tensor, ...]:
    """The coordinates of a grid, one tensor per axis; ``"xy"`` puts the second axis first."""
def min(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, other: Tensor | None = None) -> Any:
    """The smallest entry; with ``dim``, values and indices along it; of two tensors, the smaller entries."""
def minimum(input: Tensor, other: Tensor) -> Tensor: ...
def mish(input: Tensor, inplace: builtins.bool = False) -> None: ...
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False) -> NamedResult:
    """The most frequent entry along a dimension (the smallest of several) and its last index."""
def modified_bessel_i0(input: Tensor) -> Tensor:
    """Modified bessel i0, entry by entry; no gradient flows through."""
def modified_bessel_i1(input: Tensor) -> Tensor:
    """Modified bessel i1, entry by entry; no gradient flows through."""
def modified_bessel_k0(input: Tensor) -> Tensor:
    """Modified bessel k0, entry by entry; no gradient flows through."""
def modified_bessel_k1(input: Tensor) -> Tensor:
    """Modified bessel k1, entry by entry; no gradient flows through."""
def moveaxis(input: Tensor, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Dimensions moved to other positions; the rest keep their order."""
def movedim(input: Tensor, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Dimensions moved to other positions; the rest keep their order."""
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Tensor | None = None) -> Tensor:
    """The squared differences, averaged."""
def msort(input: Tensor) -> Tensor:
    """The entries along the first dimension in ascending order."""
def mul(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications."""
def multi_margin_loss(input: Tensor, target: Tensor, p: builtins.int = 1, margin: builtins.float = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin - input[target] + input[class]) ** p, summed over the other classes, averaged."""
def multigammaln(input: Tensor, p: builtins.int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """``multi_margin_loss`` with several right classes per sample, which end at the first -1 of a target."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: builtins.str = 'mean') -> Tensor:
    """binary_cross_entropy of sigmoid(x), averaged over the classes and then over the samples."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False) -> Tensor:
    """Positions drawn at random from each row of weights, in proportion to the weights."""
def multiply(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
def nan_to_num(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Any:
    """Replace nan by 0 and infinities by the largest finite numbers, or all three by the numbers given."""
def nan_to_num_(input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
    """As ``nan_to_num``, written over ``input``, which it answers."""
def nanmean(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False) -> Tensor:
    """The mean of the entries that are not nan."""
def nanmedian(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False) -> Any:
    """The lower of the two middle entries that are not nan; with ``dim``, values and indices along it."""
def nanquantile(input: Tensor, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear') -> Tensor:
    """``quantile`` of the entries that are not nan."""
def nansum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The sum of the entries that are not nan."""
def narrow(input: Tensor, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
    """``length`` positions along a dimension, from ``start`` on, which is an int or a tensor of one int."""
def ndtr(input: Tensor) -> Tensor: ...
def ndtri(input: Tensor) -> Tensor: ...
def ne(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def neg(input: Tensor) -> Tensor: ...
def neg_(input: Tensor) -> Tensor:
    """As ``neg``, written over ``input``, which it answers."""
def negative(input: Tensor) -> Tensor: ...
def negative_(input: Tensor) -> Tensor:
    """As ``neg``, written over ``input``, which it answers."""
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next representable number after ``input`` towards ``other``."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: builtins.int = -100, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """Minus the log probability of the right class, averaged; ``input`` holds log probabilities."""
def nonzero(input: Tensor, *, as_tuple: builtins.bool = False) -> Any:
    """The positions of the entries that are not 0: one row for each, or one vector per dimension."""
def norm(input: Tensor, p: Any = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The p-norm of all entries, or over dimensions; Euclidean by default."""
def normal(mean: Tensor | builtins.float = 0.0, std: Tensor | builtins.float = 1.0, size: Sequence[builtins.int] | None = None, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """Normally distributed numbers; ``mean`` and ``std`` may be tensors, but no gradient flows to them."""
def normalize(input: Tensor, p: builtins.float = 2.0, dim: builtins.int | Sequence[builtins.int] = 1, eps: builtins.float = 1e-12) -> Tensor:
    """x divided by its p-norm along a dimension."""
def not_equal(input: Tensor, other: Tensor | builtins.float) -> Tensor: ...
def one_hot(input: Tensor, num_classes: builtins.int = -1) -> Tensor:
    """Rows of zeros with a one at the index."""
def ones(*size: builtins.int | Sequence[builtins.int], dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def ones_like(input: Tensor, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Every entry of one vector times every entry of the other."""
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = 'constant', value: builtins.float | None = None) -> Tensor:
    """Entries added around the last dimensions; ``pad`` holds (before, after) per dimension, last first."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """The p-norm of the differences along the last dimension."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The distance of every row of a matrix from every row after it, in one vector."""
def permute(input: Tensor, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The dimensions in another order."""
def pinv(input: Tensor, rcond: Tensor | builtins.float | None = None, hermitian: builtins.bool = False, *, atol: Tensor | builtins.float | None = None, rtol: Tensor | builtins.float | None = None) -> Tensor:
    """The Moore-Penrose inverse."""
def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """The Moore-Penrose inverse under its older name."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Channels rearranged to pixels: (..., C r², H, W) to (..., C, H r, W r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool = True, full: builtins.bool = False, size_average: Any = None, eps: builtins.float = 1e-08, reduce: Any = None, reduction: builtins.str = 'mean') -> Tensor:
    """exp(input) - target · input, averaged; ``full`` adds Stirling's approximation of log(target!)."""
def polygamma(n: builtins.int, input: Tensor) -> Any:
    """The derivative of order ``n`` of digamma."""
def positive(input: Tensor) -> Any:
    """The tensor itself."""
def pow(input: Tensor | builtins.float, exponent: Tensor | builtins.float) -> Any:
    """``input ** exponent``, entry by entry; one of them is a tensor."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, ``weight`` times x below, with one weight per channel or one for all."""
def prod(input: Tensor, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The product of all entries, or along one dimension."""
def psi(input: Tensor) -> Tensor: ...
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: builtins.bool = False) -> Tensor:
    """The input with ``source`` written, or added, at positions counted over all entries in row order."""
def qr(input: Tensor, some: builtins.bool = True) -> NamedResult:
    """As ``linalg.qr``, by its older name: ``some=False`` is the mode "complete"."""
def quantile(input: Tensor, q: Tensor | builtins.float, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: builtins.str = 'linear') -> Tensor:
    """The quantile of level ``q`` (between 0 and 1) of all entries, or along a dimension."""
def rad2deg(input: Tensor) -> Tensor: ...
def rad2deg_(input: Tensor) -> Tensor:
    """As ``rad2deg``, written over ``input``, which it answers."""
def rand(*size: builtins.int | Sequence[builtins.int], dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """Uniformly distributed numbers from 0 to 1."""
def rand_like(input: Tensor, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``rand`` with the shape and type of another tensor."""
def randint(low: builtins.int = 0, high: Any = None, size: Any = None, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """Whole numbers from ``low`` up to but not including ``high``: ``randint(10, (2, 3))``."""
def randn(*size: builtins.int | Sequence[builtins.int], dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """Normally distributed numbers of mean 0 and variance 1."""
def randn_like(input: Tensor, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """``randn`` with the shape and type of another tensor."""
def randperm(n: builtins.int, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """The numbers from 0 to ``n`` - 1 in random order."""
def ravel(input: Tensor) -> Tensor:
    """All entries in one dimension."""
def reciprocal(input: Tensor) -> Tensor: ...
def reciprocal_(input: Tensor) -> Tensor:
    """As ``reciprocal``, written over ``input``, which it answers."""
def relu(input: Tensor) -> Tensor: ...
def relu6(input: Tensor, inplace: builtins.bool = False) -> Any:
    """x clamped to [0, 6]."""
def relu_(input: Tensor) -> Tensor:
    """As ``relu``, written over ``input``, which it answers."""
def remainder(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def renorm(input: Tensor, p: builtins.float, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
    """Each slice along ``dim`` scaled down so that its p-norm is at most ``maxnorm``."""
def repeat(input: Tensor, *repeats: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Copies side by side; ``repeats`` is their number along each dimension."""
def repeat_interleave(input: Tensor | None = None, repeats: Any = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """Every position along a dimension several times in a row; ``repeats`` is one count or one per position."""
def reshape(input: Tensor, *shape: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The entries in the same order in another shape; one size may be -1 and is inferred."""
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """``reshape`` with the shape of another tensor."""
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, eps: builtins.float | None = None) -> Tensor:
    """x divided by its root mean square along the last dimensions, times the weight."""
def roll(input: Tensor, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """The entries shifted by ``shifts`` positions; those past the end reappear at the start."""
def rot90(input: Tensor, k: builtins.int = 1, dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """The tensor rotated by ``k`` right angles in a plane, from its first dimension towards its second."""
def round(input: Tensor, *, decimals: builtins.int = 0) -> Any:
    """The nearest whole number, halves to even; ``decimals`` is the number of digits to keep."""
def round_(input: Tensor, *, decimals: builtins.int = 0) -> Tensor:
    """As ``round``, written over ``input``, which it answers."""
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Rows, or matrices, joined one below the other."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """x above 0, a multiple of x below: random between two bounds in training, else by their mean."""
def rsqrt(input: Tensor) -> Tensor: ...
def rsqrt_(input: Tensor) -> Tensor:
    """As ``rsqrt``, written over ``input``, which it answers."""
def rsub(input: Tensor, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
    """``other - alpha * input``, entry by entry."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: builtins.float = 0.0, is_causal: builtins.bool = False, scale: builtins.float | None = None) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; the scale is 1 / √(last dimension) unless given."""
def scaled_modified_bessel_k0(x: Tensor) -> Tensor:
    """Scaled modified bessel k0, entry by entry; no gradient flows through."""
def scaled_modified_bessel_k1(x: Tensor) -> Tensor:
    """Scaled modified bessel k1, entry by entry; no gradient flows through."""
def scatter(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor | builtins.float | None = None, *, value: builtins.float | None = None, reduce: builtins.str | None = None) -> Tensor:
    """``out[i][index[i][j]] = src[i][j]`` for ``dim=1``: the reverse of ``gather``."""
def scatter_add(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor) -> Tensor:
    """As ``scatter``, but ``src`` is added to the entries of ``input``."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Tensor, src: Tensor, reduce: builtins.str, *, include_self: builtins.bool = True) -> Tensor:
    """Entries of ``src`` combined with the input at the positions in ``index``, by sum, product, ..."""
def searchsorted(sorted_sequence: Tensor, input: Tensor | builtins.float, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: builtins.str | None = None, sorter: Tensor | None = None) -> Tensor:
    """The positions at which values would be inserted into sorted rows to keep them sorted."""
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """The entries at one position along a dimension, which the result no longer has."""
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """The input with ``src`` at one position along a dimension."""
def selu(input: Tensor) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1."""
def selu_(input: Tensor) -> Tensor:
    """As ``selu`` with ``inplace=True``."""
def set_default_dtype(d: DType | builtins.type[Any]) -> None:
    """Set the dtype of float literals; only floating-point types are accepted."""
def sgn(input: Tensor) -> Tensor: ...
def sigmoid(input: Tensor) -> Tensor: ...
def sigmoid_(input: Tensor) -> Tensor:
    """As ``sigmoid``, written over ``input``, which it answers."""
def sign(input: Tensor) -> Tensor: ...
def signbit(input: Tensor) -> Tensor: ...
def silu(input: Tensor, inplace: builtins.bool = False) -> None: ...
def sin(input: Tensor) -> Tensor: ...
def sin_(input: Tensor) -> Tensor:
    """As ``sin``, written over ``input``, which it answers."""
def sinc(input: Tensor) -> Tensor: ...
def sinc_(input: Tensor) -> Tensor:
    """As ``sinc``, written over ``input``, which it answers."""
def sinh(input: Tensor) -> Tensor: ...
def sinh_(input: Tensor) -> Tensor:
    """As ``sinh``, written over ``input``, which it answers."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
    """The input with ``src`` at a slice along a dimension."""
def slogdet(input: Tensor) -> NamedResult:
    """The sign and the logarithm of the absolute value of the determinant."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', beta: builtins.float = 1.0) -> Tensor:
    """Quadratic where |input - target| < beta, linear elsewhere, averaged."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """log(1 + exp(-target · input)), averaged; targets are 1 and -1."""
def softmax(input: Tensor, dim: builtins.int, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """exp(x) / Σ exp(x) along a dimension."""
def softmin(input: Tensor, dim: builtins.int | None = None, _stacklevel: Any = 3, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """softmax of the negated entries."""
def softplus(input: Tensor, beta: builtins.float = 1, threshold: builtins.float = 20) -> Any:
    """log(1 + exp(beta x)) / beta."""
def softshrink(input: Tensor, lambd: builtins.float = 0.5) -> Any:
    """x moved towards 0 by ``lambd``, and 0 where |x| <= lambd."""
def softsign(input: Tensor) -> None: ...
def solve(A: Tensor, B: Tensor, *, left: builtins.bool = True) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false."""
def solve_ex(A: Tensor, B: Tensor, *, left: builtins.bool = True, check_errors: builtins.bool = False) -> NamedResult:
    """As ``linalg.solve``, and for each matrix the position of a zero pivot in elimination, or 0."""
def solve_triangular(input: Tensor, B: Tensor, *, upper: builtins.bool, left: builtins.bool = True, unitriangular: builtins.bool = False) -> Tensor:
    """The X with A X = B, or X A = B when ``left`` is false, where only one triangle of A is read."""
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool | None = None) -> NamedResult:
    """The entries along a dimension in ascending or descending order, and their original indices."""
def spherical_bessel_j0(x: Tensor) -> Tensor:
    """Spherical bessel j0, entry by entry; no gradient flows through."""
def split(tensor: Tensor, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Slices of one size, or of the sizes listed, along a dimension."""
def split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """Slices of the sizes listed along a dimension."""
def sqrt(input: Tensor) -> Tensor: ...
def sqrt_(input: Tensor) -> Tensor:
    """As ``sqrt``, written over ``input``, which it answers."""
def square(input: Tensor) -> Tensor: ...
def square_(input: Tensor) -> Tensor:
    """As ``square``, written over ``input``, which it answers."""
def squeeze(input: Tensor, *dim: builtins.int | Sequence[builtins.int]) -> Tensor:
    """The tensor without its dimensions of size 1, or only without those that ``dim`` names."""
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0) -> Tensor:
    """Tensors of the same shape joined along a new dimension."""
def std(input: Tensor, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Tensor:
    """The standard deviation, with n - 1 in the denominator by default."""
def std_mean(input: Tensor, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Any:
    """The standard deviation and the mean."""
def sub(input: Tensor | builtins.float, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
    """``input - alpha * other``, entry by entry."""
def subtract(input: Tensor | builtins.float, other: Tensor | builtins.float, *, alpha: builtins.float = 1) -> Any:
    """``input - alpha * other``, entry by entry."""
def sum(input: Tensor, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The sum of all entries, or over dimensions."""
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True) -> NamedResult:
    """U, the singular values and V (not Vᵀ), by the older name; without ``compute_uv`` U and V are zeros."""
def svdvals(A: Tensor) -> Tensor:
    """The singular values in descending order."""
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Two dimensions exchanged."""
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Two dimensions exchanged."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; a vector stays as it is."""
def take(input: Tensor, index: Tensor) -> Tensor:
    """The entries at positions counted over the whole tensor in row order."""
def take_along_dim(input: Tensor, indices: Tensor, dim: builtins.int | None = None) -> Tensor:
    """As ``gather``, with the other dimensions broadcast; without ``dim`` the indices count all entries."""
def tan(input: Tensor) -> Tensor: ...
def tan_(input: Tensor) -> Tensor:
    """As ``tan``, written over ``input``, which it answers."""
def tanh(input: Tensor) -> Tensor: ...
def tanh_(input: Tensor) -> Tensor:
    """As ``tanh``, written over ``input``, which it answers."""
def tanhshrink(input: Tensor) -> None: ...
def tensor(value: Any, *, dtype: DType | None = None, requires_grad: builtins.bool = False) -> Tensor:
    """Return a leaf made from a number, nested lists, an array or another tensor's value."""
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: builtins.int = 0, *, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None, tensor_indices_or_sections: Any = None) -> builtins.tuple[Tensor, ...]:
    """The pieces along a dimension: a number of sections, or those between the given indices."""
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Products summed over dimensions of one tensor and as many of the other."""
def tensorinv(input: Tensor, ind: builtins.int = 2) -> Tensor:
    """The inverse for ``tensordot(..., ind)``: the first ``ind`` dimensions are rows, the others columns."""
def tensorsolve(input: Tensor, other: Tensor, dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
    """The X with ``tensordot(A, X, X.ndim) = B``; the dimensions ``dims`` of A are moved to its end first."""
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Any:
    """x above the threshold, ``value`` elsewhere."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """As ``threshold`` with ``inplace=True``."""
def tile(input: Tensor, *dims: builtins.int | Sequence[builtins.int]) -> Tensor:
    """Copies side by side, as with ``repeat``; missing leading counts are 1."""
def topk(input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> NamedResult:
    """The k largest (or smallest) entries along a dimension, best first, and their indices."""
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Two dimensions exchanged."""
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """The integral of samples along a dimension, by the trapezoidal rule."""
def trapz(y: Tensor, x: Tensor | None = None, *, dx: builtins.float | None = None, dim: builtins.int = -1) -> Tensor:
    """The older name of ``trapezoid``, which also takes a bool as ``dx``."""
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> NamedResult:
    """As ``linalg.solve_triangular``, by its older name and with B first; the second part is a copy of A."""
def tril(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """Zeros above a diagonal."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """The positions of the entries on and below a diagonal: a row of row numbers, one of column numbers."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2, eps: builtins.float = 1e-06, swap: builtins.bool = False, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), averaged, with the p-norm as distance d."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: builtins.float = 1.0, swap: builtins.bool = False, reduction: Any = 'mean') -> Tensor:
    """``triplet_margin_loss`` with a function of two tensors as the distance."""
def triu(input: Tensor, diagonal: builtins.int = 0) -> Tensor:
    """Zeros below a diagonal."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
    """The positions of the entries on and above a diagonal: a row of row numbers, one of column numbers."""
def true_divide(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def trunc(input: Tensor) -> Tensor: ...
def trunc_(input: Tensor) -> Tensor:
    """As ``trunc``, written over ``input``, which it answers."""
uint8: DType
def unbind(input: Tensor, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """The slices at every position along a dimension, as a tuple."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """One dimension split into several."""
def unfold(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The windows of images as columns: from (N, C, H, W) to (N, C · kernel, windows)."""
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
    """The distinct entries (or slices along ``dim``) in order; on request inverse indices and counts."""
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
    """The entries (or slices along ``dim``) without those equal to their predecessor."""
def unravel_index(indices: Tensor, shape: builtins.int | Sequence[builtins.int]) -> builtins.tuple[Tensor, ...]:
    """Positions along each dimension of ``shape``, from positions counted over all its entries."""
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """As ``chunk``, as tensors of their own: each may be changed in place."""
def unsafe_split(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """As ``split``, as tensors of their own: each may be changed in place."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0) -> builtins.tuple[Tensor, ...]:
    """As ``split_with_sizes``, as tensors of their own: each may be changed in place."""
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """The tensor with a new dimension of size 1."""
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None) -> Tensor:
    """As ``interpolate``, by its older name."""
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """As ``interpolate`` in the mode "bilinear" with aligned corners."""
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """As ``interpolate`` in the mode "nearest"."""
def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """The powers of each entry side by side, the highest first unless ``increasing``."""
def var(input: Tensor, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Tensor:
    """The variance, with n - 1 in the denominator by default."""
def var_mean(input: Tensor, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None) -> Any:
    """The variance and the mean."""
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """As ``dot``: the two differ for complex numbers only."""
def vecdot(x: Tensor, y: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """The dot products of the vectors along a dimension."""
def vector_norm(input: Tensor, ord: Any = 2, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The norm of the entries as one vector, or over dimensions."""
def view(input: Tensor, *shape: builtins.int | Sequence[builtins.int]) -> Tensor:
    """As ``reshape``, but an error where the entries would have to be copied."""
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """``view`` with the shape of another tensor."""
def vsplit(input: Tensor, *indices_or_sections: Any, sections: builtins.int | None = None, indices: builtins.int | Sequence[builtins.int] | None = None) -> builtins.tuple[Tensor, ...]:
    """A tensor split along its first dimension."""
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Rows, or matrices, joined one below the other."""
def where(condition: Tensor, input: Tensor | builtins.float | None = None, other: Tensor | builtins.float | None = None) -> Any:
    """``input`` where the condition holds, ``other`` elsewhere; of a condition alone, where it holds."""
def xlog1py(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def xlogy(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
def xlogy_(input: Tensor, other: Tensor | builtins.float) -> Tensor:
    """As ``xlogy``, written over ``input``, which it answers."""
def yv(v: Tensor | builtins.float, z: Tensor | builtins.float) -> Tensor:
    """The Bessel function of the second kind, Y_v(z)."""
def zeros(*size: builtins.int | Sequence[builtins.int], dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def zeros_like(input: Tensor, *, dtype: DType | builtins.type[Any] | None = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor: ...
def zeta(input: Tensor | builtins.float, other: Tensor | builtins.float) -> Tensor: ...
