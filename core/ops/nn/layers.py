"""Linear maps, dropout, embeddings, attention, normalization and similarities, composed of other ops."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.aliasing import saves_arguments
from autodiff.core.engine.in_place_checks import check_same_shape
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor, broadcast_shape
from autodiff.core.engine.value_checks import checked_integer, require_castable
from autodiff.core.graph.dtypes import promote
from autodiff.core.graph.values import cast
from autodiff.core.ops.elementwise.arithmetic import add, div, mul
from autodiff.core.ops.elementwise.comparison import where
from autodiff.core.ops.elementwise.selection import clamp_min
from autodiff.core.ops.elementwise.transcendental import sigmoid
from autodiff.core.ops.linalg.einsum import einsum
from autodiff.core.ops.linalg.norms import norm_over
from autodiff.core.ops.linalg.products import addmm_matrices, matmul, mT
from autodiff.core.ops.nn.activations import require_floating
from autodiff.core.ops.reduce.reduction import sum
from autodiff.core.ops.reduce.softmax import softmax
from autodiff.core.ops.reduce.variance import vector_norm
from autodiff.core.ops.shape.dims import legacy_type_name, size_along, wrap_dim
from autodiff.core.ops.shape.picking_ops import index_select, slice_dim
from autodiff.core.ops.shape.reshape import expand_sizes, is_contiguous, reshape, t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Dims = tuple[int, ...]


# -- norms and similarities -------------------------------------------------------------------------------


@public("F.normalize(input: tensor, p: float = 2.0, dim: ints = 1, eps: float = 1e-12)", method=False)
def normalize(x: Tensor, p: float, dim: Any, eps: float) -> Tensor:
    """x divided by its p-norm along a dimension."""
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    return div(x, clamp_min(norm_over(x, p, tuple(dims), True), eps))


@public(
    "F.cosine_similarity(x1: tensor, x2: tensor, dim: int = 1, eps: float = 1e-08)",
    also=("cosine_similarity",),
    method=False,
)
def cosine_similarity(x: Tensor, y: Tensor, dim: int, eps: float) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
    shape = broadcast_shape((x, y))
    axis = wrap_dim(Tensor.of(np.broadcast_to(0.0, shape)), dim)
    common = promote([(v.dtype, v.ndim) for v in (x, y)])
    if not common.is_floating_point:
        raise ScriptError(
            f"expected common dtype to be floating point, yet common dtype is {common.long_name}",
            operands=(x, y),
        )
    if eps < 0:
        raise ScriptError(f"eps must be non-negative, got: {eps}")
    x, y = (expand_sizes(cast(v, common), shape) for v in (x, y))
    dims = (axis,) if shape else None
    unit_x, unit_y = (v / clamp_min(norm_over(v, 2, dims, bool(shape)), eps) for v in (x, y))
    return sum.named("SumBackward1")(unit_x * unit_y, dim=dims, keepdim=False)


@public(
    "F.pairwise_distance(x1: tensor, x2: tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False)",
    also=("pairwise_distance",),
    method=False,
)
def pairwise_distance(x: Tensor, y: Tensor, p: float, eps: float, keepdim: bool) -> Tensor:
    """The p-norm of the differences along the last dimension."""
    difference = x - y + eps
    last = (difference.ndim - 1,) if difference.ndim else None
    return vector_norm.named("NormBackward1")(difference, ord=p, dim=last, keepdim=keepdim)


# -- dropout ----------------------------------------------------------------------------------------------


def check_dropout_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ScriptError(f"dropout probability has to be between 0 and 1, but got {p}", code="E0206")


def apply_dropout(x: Tensor, p: float, training: bool, lead: int) -> Tensor:
    """Return x with parts set to 0 with probability p, and the others divided by 1 - p.

    Each index into the first ``lead`` dimensions is a part: an entry, or a whole channel.
    """
    check_dropout_probability(p)
    if not training or p == 0 or not x.entry_count:
        return x
    if p < 1:
        if x.ndim < lead:
            raise ShapeError("Feature dropout requires at least 2 dimensions in the input", operands=(x,))
        require_castable(x, Tensor.of(1 / (1 - p)))
    shape = (*x.shape[:lead], *(1,) * (x.ndim - lead))
    kept = (random_source.generator.random(shape) >= p).astype(x.data.dtype)
    return mul(x, Tensor.of(kept if p == 1 else kept / (1 - p)))


DROPOUT_SIGNATURE = "(input: tensor, p: float = 0.5, training: bool = True, inplace: bool = False)"


@public(f"F.dropout{DROPOUT_SIGNATURE}", method=False)
def dropout(x: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Entries set to 0 at random, the others scaled so that the mean is kept."""
    return apply_dropout(x, p, training, x.ndim)


def make_channel_dropout(dims: int) -> Callable[..., Tensor]:
    def drop(x: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
        check_dropout_probability(p)
        if dims == 1 and x.ndim not in (2, 3):
            raise ShapeError(
                f"dropout1d: Expected 2D or 3D input, but received a {x.ndim}D input. Note that dropout1d"
                " exists to provide channel-wise dropout on inputs with 1 spatial dimension, a channel"
                " dimension, and an optional batch dimension (i.e. 2D or 3D inputs).",
                operands=(x,),
            )
        # torch still treats an image without a batch dimension as a batch of series.
        is_batch = dims == 2 or x.ndim == dims + 2
        return apply_dropout(x, p, training, 1 + is_batch)

    drop.__doc__ = "Whole channels set to 0 at random, the others scaled so that the mean stays."
    return drop


for dims in (1, 2, 3):
    public(f"F.dropout{dims}d{DROPOUT_SIGNATURE}", method=False)(make_channel_dropout(dims))


# -- embeddings and attention -----------------------------------------------------------------------------


@public(
    "F.embedding(input: tensor, weight: tensor, padding_idx: int = None, max_norm: float = None,"
    " norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False)",
    method=False,
)
@saves_arguments("index")
def embedding(
    index: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    """Rows of the weight, one per index; the row ``padding_idx`` receives no gradient."""
    if padding_idx:
        count = size_along(weight, 0)
        if not -count <= padding_idx < count:
            raise ShapeError(
                "Padding_idx must be within num_embeddings",
                code="E0208",
                operands=(weight,),
                caret=f"there are {count} rows, and {padding_idx} is none of them",
            )
    if weight.ndim != 2:
        raise ShapeError("'weight' must be 2-D", operands=(weight,), caret=f"it has shape {weight.shape}")
    if index.dtype.name not in ("int64", "int32"):
        raise ScriptError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int;"
            f" but got {legacy_type_name(index)} instead (while checking arguments for embedding)",
            operands=(index,),
        )
    if max_norm is not None or scale_grad_by_freq:
        raise ScriptError(
            "embedding() takes neither max_norm nor scale_grad_by_freq here",
            help=("rescale the weight yourself under torch.no_grad()",),
        )
    flat = index.data.reshape(-1).astype(np.int64)
    outside = flat[(flat < 0) | (flat >= weight.shape[0])]
    if outside.size:
        raise ShapeError(
            "index out of range in self",
            code="E0208",
            operands=(index, weight),
            caret=f"there are {weight.shape[0]} rows, and {outside[0]} is none of them",
        )
    name = "EmbeddingBackward0"
    rows = index_select(weight, dim=0, index=flat)
    if padding_idx is not None:
        padded = (flat == padding_idx % weight.shape[0])[:, None]
        rows = where(padded, Tensor.of(rows.data), rows)
    return reshape.named(name)(rows, shape=(*index.shape, *weight.shape[1:]))


@public("F.one_hot(input: tensor, num_classes: int = -1)", method=False)
def one_hot(index: Tensor, classes: int) -> Tensor:
    """Rows of zeros with a one at the index."""
    if index.dtype.name != "int64":
        raise ScriptError("one_hot is only applicable to index tensor of type LongTensor.", operands=(index,))
    data = index.data
    if data.size and data.min() < 0:
        raise ScriptError("Class values must be non-negative.", operands=(index,))
    if not data.size and classes <= 0:
        raise ScriptError("Can not infer total number of classes from empty tensor.", operands=(index,))
    if classes == -1:
        classes = int(data.max()) + 1
    elif data.size and data.max() >= classes:
        raise ScriptError("Class values must be smaller than num_classes.", operands=(index,))
    check_allocation((*data.shape, classes))
    return Tensor.of((data[..., None] == np.arange(classes)).astype(np.int64))


def sum_all(x: Tensor) -> Tensor:
    return sum(x, dim=None, keepdim=False)


def check_attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Refuse operands of other dtypes or of fewer than two dimensions."""
    operands = (query, key, value)
    if not query.dtype is key.dtype is value.dtype:
        raise DtypeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype:"
            f" {query.dtype.c_name} key.dtype: {key.dtype.c_name} and value.dtype: {value.dtype.c_name}"
            " instead.",
            operands=operands,
        )
    if min(x.ndim for x in operands) < 2:
        raise ShapeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim:"
            f" {query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.",
            operands=operands,
        )
    if mask is not None and mask.dtype.name not in ("bool", "float32", query.dtype.name):
        raise DtypeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got"
            f" attn_mask.dtype: {mask.dtype.c_name} and  query.dtype: {query.dtype.c_name} instead.",
            operands=(mask, query),
        )


@public(
    "F.scaled_dot_product_attention(query: tensor, key: tensor, value: tensor, attn_mask: tensor = None,"
    " dropout_p: float = 0.0, is_causal: bool = False, scale: float = None)",
    method=False,
)
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; the scale is 1 / √(last dimension) unless given."""
    check_attention(query, key, value, mask)
    if not query.shape[-2] or not value.shape[-2]:  # torch does not check the other sizes then
        nothing = 0 * (sum_all(query) + sum_all(key) + sum_all(value))
        return Tensor.of(np.zeros((*query.shape[:-1], value.shape[-1]), query.data.dtype)) + nothing
    if mask is not None and mask.dtype.name == "bool" and query.dtype.kind == "i":
        checked_integer(-math.inf, query.dtype, (mask, query))  # raises: integers hold no -inf
    if is_causal:
        if mask is not None:
            raise ScriptError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
                operands=(mask,),
                caret="is_causal=True is a mask of its own",
            )
        mask = Tensor.of(np.tri(query.shape[-2], key.shape[-2], dtype=bool))
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    if not query.dtype.is_floating_point:  # torch scales both, which converts them to floats
        query, key = query * 1.0, key * 1.0
    scores = matmul(query, mT(key)) * factor
    if mask is not None:
        if mask.dtype.name == "bool":
            mask = Tensor.of(np.where(mask.data, 0.0, -np.inf).astype(query.data.dtype))
        scores = scores + mask
    nothing = (scores.data == -np.inf).all(axis=-1, keepdims=True)
    if nothing.any():  # a query that attends to no key gives zeros
        weights = where(nothing, 0.0, softmax(where(nothing, 0.0, scores), dim=scores.ndim - 1))
    else:
        weights = softmax(scores, dim=scores.ndim - 1)
    if dropout_p > 0:
        weights = apply_dropout(weights, dropout_p, True, weights.ndim)
    return matmul(weights, value)


def check_bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    if x.ndim != y.ndim:
        message = f"input dimensions do not match: got {x.ndim} and {y.ndim}"
        raise ShapeError(f"bilinear(): {message}", operands=(x, y))
    for dim in range(x.ndim - 1):
        if x.shape[dim] != y.shape[dim]:
            message = (
                f"input batch dimensions do not match at dim {dim}: got {x.shape[dim]} and {y.shape[dim]}"
            )
            raise ShapeError(f"bilinear(): {message}", operands=(x, y))
    for number, operand in ((1, x), (2, y)):
        size, wanted = size_along(operand, operand.ndim - 1), size_along(weight, number)
        if size != wanted:
            message = f"input{number} size does not match weight size: got {size} but expected {wanted}"
            raise ShapeError(f"bilinear(): {message}", operands=(operand, weight))
    if bias is not None and size_along(bias, 0) != weight.shape[0]:
        message = f"bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}"
        raise ShapeError(f"bilinear(): {message}", operands=(bias, weight))


@public(
    "F.bilinear(input1: tensor, input2: tensor, weight: tensor, bias: tensor = None)",
    also=("bilinear",),
    method=False,
)
def bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x W_k y + bias_k for each output k."""
    given = {"input1": x, "input2": y, "weight": weight} | ({} if bias is None else {"bias": bias})
    if len({operand.dtype for operand in given.values()}) > 1:
        listed = ", ".join([f"{name}: {operand.dtype.c_name}" for name, operand in given.items()])
        raise DtypeError(
            f"All tensors must have the same dtype, got {listed}", operands=tuple(given.values())
        )
    check_bilinear(x, y, weight, bias)
    out = einsum("...i,kij,...j->...k", [x, weight, y])
    return out if bias is None else add(out, bias)


@public("F.glu(input: tensor, dim: int = -1)", method=False)
def glu(x: Tensor, dim: int) -> Tensor:
    """The first half along a dimension times the sigmoid of the second half."""

    if not x.ndim:
        raise ShapeError("glu does not support scalars because halving size must be even", operands=(x,))
    axis = wrap_dim(x, dim)
    size = x.shape[axis]
    if size % 2:
        raise ShapeError(
            f"Halving dimension must be even, but dimension {axis} is size {size}", operands=(x,)
        )
    require_floating(x, "glu_cpu")
    first, second = (
        slice_dim(x, dim=axis, start=start, stop=start + size // 2, step=1) for start in (0, size // 2)
    )
    return mul.named("GluBackward0")(first, sigmoid(second))


@public("renorm(input: tensor, p: float, dim: int, maxnorm: float)", in_place=True)
def renorm(x: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Each slice along ``dim`` scaled down so that its p-norm is at most ``maxnorm``."""
    if p <= 0:
        raise ScriptError("renorm: non-positive-norm not supported", operands=(x,))
    if maxnorm < 0:
        raise ScriptError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}", operands=(x,))
    if x.ndim < 2:
        raise ShapeError(f"renorm: input needs at least 2 dimensions, got {x.ndim} dimensions", operands=(x,))
    axis = wrap_dim(x, dim)
    others = tuple(d for d in range(x.ndim) if d != axis)
    is_large = norm_over(x.detach(), p, others, True) > maxnorm
    large = where(is_large, x, 0.0)  # the norm of unchanged slices is not differentiated
    factor = maxnorm / (norm_over(large, p, others, True) + 1e-7)
    return where.named("RenormBackward0")(is_large, large * factor, x)


# -- linear -------------------------------------------------------------------------------------------


@public("F.linear(input: tensor, weight: tensor, bias: tensor = None)", method=False)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x @ weight.T + bias; ``weight`` has one row per output."""
    if not x.ndim or not weight.ndim:
        raise ShapeError(
            f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {weight.ndim}D",
            operands=(x, weight),
        )
    if weight.ndim > 2:
        raise ShapeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {weight.ndim}D", operands=(weight,)
        )
    transposed = t(weight) if weight.ndim == 2 else weight
    if bias is None:
        return matmul(x, transposed)
    if x.ndim == 2:
        return addmm_matrices(bias, x, transposed, 1, 1)
    if bias.ndim == 1 and is_contiguous(x):  # torch computes all rows in one product
        flat = reshape(x, shape=(math.prod(x.shape[:-1]), x.shape[-1]))
        rows = addmm_matrices(bias, flat, transposed, 1, 1)
        return reshape(rows, shape=(*x.shape[:-1], weight.shape[0]))
    out = matmul(x, transposed)
    check_same_shape(out, broadcast_shape((out, bias)))
    require_castable(out, bias)
    return out + cast(bias, out.dtype)
