"""Ops that pick or replace entries; their rules put the cotangent back at the picked positions.

``basic`` is a tuple of ints, slices and None in numpy's sense. ``advanced`` is a tuple of position arrays and
whole slices that applies to the result of ``basic``. The indices of scripts are parsed in ``index_parser``.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.op import Op, primitive, selective
from autodiff.core.ops.elementwise.comparison import no_gradient, where
from autodiff.core.ops.shape.reshape import reshape, sum_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

NumpyIndex = tuple["Any", ...]
FULL_SLICE = slice(None)


def part_forward(x: Any, basic: NumpyIndex, advanced: NumpyIndex) -> Any:
    view = x[(*basic, Ellipsis)]
    return view[advanced] if advanced else view


def embed_forward(g: Any, *, shape: tuple[int, ...], basic: NumpyIndex, advanced: NumpyIndex) -> Any:
    """Return zeros of ``shape`` with ``g`` added at the indexed part; an entry picked twice receives both."""
    out = np.zeros(shape, np.asarray(g).dtype)
    view = out[(*basic, Ellipsis)]
    if advanced:
        np.add.at(view, advanced, g)
    else:
        view[...] = g
    return out


def index_along(dim: int, key: Any) -> NumpyIndex:
    """Return the index with ``key`` in dimension ``dim`` and the dimensions before it whole."""
    return (*(FULL_SLICE,) * dim, key)


def gather_index(index: Any, dim: int) -> NumpyIndex:
    """Return the numpy index of ``gather``: ``index`` in dimension ``dim``, own positions in the others."""
    axes: Any = np.ogrid[tuple(slice(0, n) for n in index.shape)]
    return tuple(index if axis == dim else place for axis, place in enumerate(axes))


def leading_block(shape: tuple[int, ...]) -> NumpyIndex:
    """Return the index of the leading block of this shape."""
    return tuple(slice(0, n) for n in shape)


embed: Op = primitive(
    "embed",
    embed_forward,
    lambda g, out, x, shape, basic, advanced: part(g, basic=basic, advanced=advanced),
    saves_params=True,
    grad_fn="IndexPutBackward0",
)
part: Op = primitive(
    "part",
    lambda x, basic, advanced: part_forward(x, basic, advanced),
    lambda g, out, x, basic, advanced: embed(g, shape=x.shape, basic=basic, advanced=advanced),
    saves_params=True,
    grad_fn="IndexBackward0",
)
select: Op = primitive(
    "select",
    lambda x, dim, index: x[(*index_along(dim, index), Ellipsis)],
    lambda g, out, x, dim, index: embed(g, shape=x.shape, basic=index_along(dim, index), advanced=()),
    is_view=True,
)
slice_dim: Op = primitive(
    "slice",
    lambda x, dim, start, stop, step: x[index_along(dim, slice(start, stop, step))],
    lambda g, out, x, dim, start, stop, step: embed(
        g, shape=x.shape, basic=index_along(dim, slice(start, stop, step)), advanced=()
    ),
    is_view=True,
)
index_op: Op = primitive(
    "index",
    lambda x, indices: x[indices],
    lambda g, out, x, indices: embed(g, shape=x.shape, basic=(), advanced=indices),
    saves_params=True,
)
index_select: Op = primitive(
    "index_select",
    lambda x, dim, index: np.take(x, index, axis=dim),
    lambda g, out, x, dim, index: embed(g, shape=x.shape, basic=(), advanced=index_along(dim, index)),
    saves_params=True,
)
gather: Op = primitive(
    "gather",
    lambda x, dim, index: x[gather_index(index, dim)],
    lambda g, out, x, dim, index: embed(g, shape=x.shape, basic=(), advanced=gather_index(index, dim)),
    saved=((0,),),
    saves_params=True,
)


def take_vjp(g: Any, out: Any, x: Any, *, index: Any) -> Any:
    """Put g at the positions counted over all of x in row order."""
    size = 1
    for n in x.shape:
        size *= n
    return reshape(embed(g, shape=(size,), basic=(), advanced=(index,)), shape=x.shape)


take: Op = primitive(
    "take", lambda x, index: x.reshape(-1)[index], take_vjp, saved=((0,),), saves_params=True
)

# -- replacing entries ------------------------------------------------------------------------------


def index_put_forward(x: Any, value: Any, *, basic: NumpyIndex, advanced: NumpyIndex) -> Any:
    out = x.copy()
    view = out[(*basic, Ellipsis)]
    view[advanced or Ellipsis] = value
    return out


def write_through_forward(x: Any, value: Any, *, positions: Any) -> Any:
    """Return ``x`` with ``value`` at ``positions`` in row order, which are the entries that a view shows."""
    out = x.copy()
    out.reshape(-1)[positions] = value
    return out


def index_put_grad_fn(node: Node) -> str:
    """Return torch's name of the node. Only an assignment through positions alone has a node of its own."""
    basic, advanced = node.params["basic"], node.params["advanced"]
    if basic:
        return "CopySlices"
    if advanced:
        return "IndexPutBackward0"
    return "CopyBackwards" if np.ndim(node.operands[1]) == np.ndim(node.out) else "FillBackward3"


def scatter_forward(x: Any, value: Any, *, dim: int, index: Any) -> Any:
    out = x.copy()
    out[gather_index(index, dim)] = value[leading_block(index.shape)] if np.ndim(value) else value
    return out


def scatter_add_forward(x: Any, value: Any, *, dim: int, index: Any) -> Any:
    out = x.copy()
    np.add.at(out, gather_index(index, dim), value[leading_block(index.shape)])
    return out


def scatter_source_vjp(g: Any, out: Any, x: Any, value: Any, *, dim: int, index: Any) -> Any:
    """Gather g at the positions of the values."""
    gathered = gather(g, dim=dim, index=index)
    return embed(gathered, shape=value.shape, basic=leading_block(index.shape), advanced=())


def masked_fill_forward(x: Any, mask: Any, value: Any) -> Any:
    filled: Any = np.where(mask, value, x)
    return filled.astype(x.dtype, copy=False)


index_put: Op = primitive(
    "index_put",
    index_put_forward,
    lambda g, out, x, value, basic, advanced: index_put(g, 0.0, basic=basic, advanced=advanced),
    lambda g, out, x, value, basic, advanced: sum_to(
        part(g, basic=basic, advanced=advanced), shape=value.shape
    ),
    saves_params=True,
    grad_fn=index_put_grad_fn,
)
write_through: Op = primitive(
    "write_through",
    write_through_forward,
    lambda g, out, x, value, positions: write_through(g, 0.0, positions=positions),
    lambda g, out, x, value, positions: take(g, index=positions),
    saves_params=True,
    grad_fn="CopySlices",
)
scatter: Op = primitive(
    "scatter",
    scatter_forward,
    lambda g, out, x, value, dim, index: scatter(g, 0.0, dim=dim, index=index),
    scatter_source_vjp,
    saves_params=True,
    grad_fn=lambda node: "ScatterBackward1" if node.inputs[1] is None else "ScatterBackward0",
)
scatter_add: Op = primitive(
    "scatter_add",
    scatter_add_forward,
    lambda g, out, x, value, dim, index: g,
    scatter_source_vjp,
    saves_params=True,
)
masked_fill: Op = selective(
    "masked_fill",
    masked_fill_forward,
    lambda g, out, x, mask, value: where(mask, 0.0, g),
    no_gradient,
    lambda g, out, x, mask, value: where(mask, g, 0.0),
    grad_fn=lambda node: "MaskedFillBackward0" if node.inputs[2] is None else "MaskedFillBackward1",
)

# -- triangles and diagonals ------------------------------------------------------------------------


def diag_embed_forward(g: Any, *, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Any:
    """Return zeros of ``shape`` with ``g`` on a diagonal."""
    out = np.zeros(shape, np.asarray(g).dtype)
    steps = np.arange(g.shape[-1])
    np.moveaxis(out, (dim1, dim2), (-2, -1))[..., steps + max(-offset, 0), steps + max(offset, 0)] = g
    return out


tril: Op = primitive(
    "tril",
    lambda x, diagonal: np.tril(x, diagonal),
    lambda g, out, x, diagonal: tril(g, diagonal=diagonal),
)
triu: Op = primitive(
    "triu",
    lambda x, diagonal: np.triu(x, diagonal),
    lambda g, out, x, diagonal: triu(g, diagonal=diagonal),
)
diagonal: Op = primitive(
    "diagonal",
    lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2),
    lambda g, out, x, offset, dim1, dim2: diag_embed(g, shape=x.shape, offset=offset, dim1=dim1, dim2=dim2),
    is_view=True,
)
diag_embed: Op = primitive(
    "diag_embed",
    diag_embed_forward,
    lambda g, out, x, shape, offset, dim1, dim2: diagonal(g, offset=offset, dim1=dim1, dim2=dim2),
)
