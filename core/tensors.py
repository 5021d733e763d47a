"""The tensor: a value, the node that made it, and whether the script asked for gradients.

A 0-d float64 is kept as a Python float and looks like an array to whoever asks for ``data``; anything
else is an ndarray that is never mutated. A tensor may be tracked by a node without the script having
asked for it (the command line does that); ``requires_grad`` is what the script sees.
"""

from __future__ import annotations

from autodiff.core import dtypes, sharing
from autodiff.core.dtypes import DType, dtype_of, promote
from autodiff.core.errors import GradientError, ScriptError, ShapeError
from autodiff.core.lazy import np
from autodiff.core.limits import check_allocation
from autodiff.core.mode import mode
from autodiff.core.node import ArrayNode, GradCell, Leaf, Node, ScalarNode, VersionCounter, next_number
from autodiff.core.op import APPLIERS, OPS, PLAIN_NUMBERS, Op

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LOSES_GRADIENT = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using"
    " tensor.detach() first."
)
NO_GRAD_NEEDED = "element 0 of tensors does not require grad and does not have a grad_fn"


# -- operators ------------------------------------------------------------------------------------------


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    def operator(self: Tensor) -> Tensor:
        return apply(OPS[name], (self,), {})

    return operator


def _binary(name: str) -> Callable[[Tensor, Any], Tensor]:
    """An infix operator; two Python floats take the short way, which scalar programs live on."""
    op: Op | None = None

    def operator(self: Tensor, other: Any) -> Tensor:
        nonlocal op
        if op is None:
            op = OPS[name]
        x = self.value
        if other.__class__ is Tensor:
            y, b = other.value, other.node
        elif other.__class__ in PLAIN_NUMBERS:
            y, b = other, None
        else:
            return NotImplemented  # type: ignore[no-any-return]
        if x.__class__ is not float or (y.__class__ is not float and y.__class__ is not int):
            return apply(op, (self, other), {})
        if op.scalar is None:
            return apply(op, (self, other), {})
        out = op.evaluate_scalars(x, y)
        a = self.node
        if not mode.enabled or not ((a is not None and a.tracked) or (b is not None and b.tracked)):
            return Tensor(out)
        node = ScalarNode()
        node.op = op
        node.a = self.source() if a is None else a
        node.b = other.source() if b is None and other.__class__ is Tensor else b
        node.number = next_number()  # after its operands, which may have been made just now
        node.x = x
        node.y = y
        node.out = out
        node.site = mode.site
        node.name = node.mark = None
        return Tensor(out, node, self.requires_grad or (other.__class__ is Tensor and other.requires_grad))

    return operator


def _reflected(name: str) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented  # type: ignore[no-any-return]
        return apply(OPS[name], (other, self), {})

    return operator


class Tensor:
    """An n-dimensional array that remembers how it was made.

    >>> w = tensor(3.0, requires_grad=True)
    >>> L = w * w
    >>> L.backward()
    >>> w.grad.item()
    6.0
    """

    __slots__ = ("__weakref__", "alias", "cell", "node", "requires_grad", "value", "versions")
    __array_ufunc__ = None  # numpy arrays on the left leave the operation to us

    __add__ = _binary("add")
    __radd__ = _reflected("add")
    __sub__ = _binary("sub")
    __rsub__ = _reflected("sub")
    __mul__ = _binary("mul")
    __rmul__ = _reflected("mul")
    __truediv__ = _binary("div")
    __rtruediv__ = _reflected("div")
    __pow__ = _binary("pow")
    __rpow__ = _reflected("pow")
    __floordiv__ = _binary("floor_divide")
    __rfloordiv__ = _reflected("floor_divide")
    __mod__ = _binary("remainder")
    __rmod__ = _reflected("remainder")
    __and__ = _binary("bitwise_and")
    __rand__ = _reflected("bitwise_and")
    __or__ = _binary("bitwise_or")
    __ror__ = _reflected("bitwise_or")
    __xor__ = _binary("bitwise_xor")
    __rxor__ = _reflected("bitwise_xor")
    __invert__ = _unary("bitwise_not")
    __neg__ = _unary("neg")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __eq__ = _binary("eq")  # type: ignore[assignment]
    __ne__ = _binary("ne")  # type: ignore[assignment]
    __hash__ = object.__hash__

    value: Any
    node: Node | None
    requires_grad: bool
    cell: GradCell | None
    alias: sharing.Alias | None
    versions: VersionCounter | None

    def __init__(self, value: Any, node: Node | None = None, requires_grad: bool = False) -> None:
        self.value = value
        self.node = node
        self.requires_grad = requires_grad
        self.cell = None
        self.alias = None
        self.versions = None

    def __matmul__(self, other: Any) -> Tensor:
        from autodiff.core.ops.products import matmul

        return matmul(self, other) if other.__class__ is Tensor else NotImplemented

    def __getitem__(self, index: Any) -> Tensor:
        from autodiff.core.ops.indexing import getitem

        return getitem(self, index)

    # -- what it is ---------------------------------------------------------------------------------

    @property
    def data(self) -> np.ndarray[Any, Any]:
        """The value as an ndarray (do not write to it)."""
        return np.asarray(self.value)

    @property
    def shape(self) -> tuple[int, ...]:
        return () if self.value.__class__ is float else self.value.shape

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> Tensor:
        """The dimensions in reverse order: the transpose of a matrix."""
        from autodiff.core.ops.shape import transposed

        return transposed(self)

    @property
    def size(self) -> int:
        """The number of entries."""
        return 1 if self.value.__class__ is float else int(self.value.size)

    @property
    def dtype(self) -> DType:
        return dtype_of(self.value)

    @property
    def is_leaf(self) -> bool:
        """True when no op made it, or when nobody asked for its gradient."""
        return not self.requires_grad or isinstance(self.node, Leaf)

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it; None for leaves."""
        return None if self.is_leaf else self.node

    @property
    def grad(self) -> Tensor | None:
        """The gradient gathered so far; None before any backward()."""
        return None if self.cell is None else self.cell.grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None and grad.shape != self.shape:
            raise ShapeError(
                f"attempting to assign a gradient of size '{list(grad.shape)}' to a tensor of size"
                f" '{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size",
                operands=(self, grad),
                caret="a gradient has one entry for each entry of its tensor",
            )
        if grad is not None and grad.dtype is not self.dtype:
            raise ScriptError(
                f"attempting to assign a gradient with dtype '{grad.dtype.c_name}' to a tensor with"
                f" grad_dtype '{self.dtype.long_name}'. The gradient must match the tensor's grad_dtype"
                " (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a"
                " specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the"
                " dtypes of a tensor and its gradient may break downstream systems that assume they match.",
                code="E0312",
                operands=(self, grad),
                caret=f"the tensor holds {self.dtype.name} numbers, the gradient {grad.dtype.name}",
            )
        if self.cell is None:
            self.cell = GradCell()
        self.cell.grad = grad

    def __repr__(self) -> str:
        from autodiff.core.printing import format_tensor

        grad_fn = self.grad_fn
        return format_tensor(
            self.value,
            default_dtype=dtypes.default_dtype().name,
            requires_grad=self.requires_grad,
            grad_fn=grad_fn.grad_fn_name if grad_fn is not None else None,
        )

    def __len__(self) -> int:
        if not self.shape:
            raise ScriptError("len() of a 0-d tensor", operands=(self,))
        return self.shape[0]

    def item(self) -> float | int | bool:
        """The one entry as a Python number; an error when there are several."""
        if self.value.__class__ is float:
            return self.value
        if self.value.size != 1:
            raise ScriptError(
                f"a Tensor with {self.value.size} elements cannot be converted to Scalar",
                code="E0305",
                operands=(self,),
                caret=f"this has shape {self.shape}: {self.size} numbers where one is wanted",
            )
        return self.value.item()  # type: ignore[no-any-return]

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.value if self.value.__class__ is float else self.value.tolist()

    # -- gradients ----------------------------------------------------------------------------------

    def set_requires_grad(self, flag: bool = True) -> Tensor:
        """Mark a leaf (``requires_grad_()`` in scripts), or take the mark off."""
        if flag:
            self.need_floats("only Tensors of floating point dtype can require gradients")
        if not self.is_leaf:
            if flag:
                return self
            raise GradientError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed"
                " variable in a subgraph that doesn't require differentiation use"
                " var_no_grad = var.detach().",
                code="E0405",
                operands=(self,),
                help=("use `x.detach()` where the gradient should stop",),
            )
        if flag == self.requires_grad:
            return self
        self.requires_grad = flag
        if self.cell is None:
            self.cell = GradCell()
        name = None if self.node is None else self.node.name
        self.node = Leaf(self.value, tracked=flag, cell=self.cell if flag else None, site=mode.site)
        self.node.name = name
        return self

    def need_room_for(self, result: Tensor) -> None:
        """Refuse to put numbers of a wider kind in place of these: floats do not fit among integers."""
        if "bif".index(result.dtype.kind) > "bif".index(self.dtype.kind):
            raise ScriptError(
                f"result type {result.dtype.long_name} can't be cast to the desired output type"
                f" {self.dtype.long_name}",
                code="E0312",
                operands=(self,),
                caret=f"the result holds {result.dtype.name} numbers, for which this has no room",
            )

    def need_floats(self, message: str) -> None:
        """Refuse to require a gradient of whole numbers; torch has three wordings for it."""
        if not self.dtype.is_floating_point:
            raise GradientError(
                message,
                code="E0404",
                caret=f"this tensor holds {self.dtype.name} numbers, which cannot change by a little",
                operands=(self,),
                help=("write its numbers with a decimal point, as in 1.0, or pass dtype=torch.float64",),
            )

    def track(self) -> None:
        """Have gradients flow here without the script noticing (``requires_grad`` stays as it is)."""
        if self.node is None or not self.node.tracked:
            name, site = (None, mode.site) if self.node is None else (self.node.name, self.node.site)
            self.node = Leaf(self.value, tracked=True, site=site)
            self.node.name = name

    def source(self) -> Node:
        """The node that stands for this tensor in a graph, made when first asked for."""
        if self.node is None:
            self.node = Leaf(self.value, tracked=False, site=mode.site)
        return self.node

    def retain_grad(self) -> None:
        """Have ``.grad`` filled although this is not a leaf."""
        if not self.requires_grad:
            raise GradientError(
                "can't retain_grad on Tensor that has requires_grad=False",
                code="E0406",
                operands=(self,),
                help=("make something it depends on require a gradient first",),
            )
        if isinstance(self.node, Leaf) or self.node is None:
            return
        if self.cell is None:
            self.cell = GradCell()
        self.node.set_mark().cell = self.cell

    @property
    def retains_grad(self) -> bool:
        return (
            not self.is_leaf
            and self.node is not None
            and self.node.mark is not None
            and (self.node.mark.cell is not None)
        )

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Fill ``.grad`` of the leaves below with the gradient of this tensor.

        ``gradient`` weighs the entries and has this tensor's shape; a tensor of one entry needs none.
        """
        from autodiff.core.backward import backward

        backward(self, gradient, retain_graph, create_graph)

    def detach(self) -> Tensor:
        """The same value, outside the graph. An in-place change of either is seen by both."""
        other = Tensor(self.value)
        if self.versions is None:
            self.versions = VersionCounter()
        other.versions = self.versions
        sharing.share(self, other)
        return other

    def data_alias(self) -> Tensor:
        """``.data`` of a script: as ``detach()``, but the version check does not see changes through it."""
        other = Tensor(self.value)
        sharing.share(self, other)
        return other

    def assign_in_place(self, result: Tensor) -> Tensor:
        """Take on the value and history of ``result``, as every in-place method does; returns self."""
        return sharing.assign_in_place(self, result)


# -- applying ops to tensors --------------------------------------------------------------------------


def apply(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Tensor:
    """Compute ``op`` and, where a gradient may be wanted, record a node."""
    if op.is_elementwise:
        operands = _in_common_type(op, operands)
    values = [x.value if x.__class__ is Tensor else x for x in operands]
    tracked = visible = False
    if mode.enabled:
        for x in operands:
            if x.__class__ is Tensor and x.node is not None and x.node.tracked:
                tracked = True
                visible = visible or x.requires_grad
    if op.scalar is not None and not params and all(v.__class__ in PLAIN_NUMBERS for v in values):
        out = op.evaluate_scalars(*values)
        if not tracked:
            return Tensor(out)
        inputs = [x.source() if x.__class__ is Tensor else None for x in operands]
        if len(inputs) > 2:
            return Tensor(out, ArrayNode(op, tuple(inputs), tuple(values), params, out, mode.site), visible)
        return Tensor(out, _scalar_node(op, inputs, values, out), visible)
    arrays = tuple(
        np.asarray(v) if v.__class__ is float and x.__class__ is Tensor else v
        for v, x in zip(values, operands, strict=True)
    )
    if op.is_elementwise and len(arrays) > 1:
        _check_broadcast(operands)
    try:
        out = op.forward(*arrays, **params)
    except TypeError:  # numpy has no such function of truth values
        raise not_for_booleans(op, operands) from None
    is_view = op.is_view and (out.ndim == 0 or np.may_share_memory(out, arrays[0]))
    out = settle(out)
    if not tracked or not dtype_of(out).is_floating_point:
        made = Tensor(out)
    else:
        sources = tuple(x.source() if x.__class__ is Tensor else None for x in operands)
        made = Tensor(out, ArrayNode(op, sources, arrays, params, out, mode.site), visible)
    if is_view:
        sharing.note_view(made, operands[0], op, params)
    return made


APPLIERS[Tensor] = apply


def not_for_booleans(op: Op, operands: tuple[Any, ...]) -> ScriptError:
    """The error for an op that truth values do not have, in torch's words for minus."""
    masks = [x for x in operands if x.__class__ is Tensor and x.dtype is dtypes.bool_]
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
    return ScriptError(
        message,
        code="E0312",
        operands=tuple(masks),
        caret="truth values are no numbers here",
        help=("convert them to numbers first, as in `x.double()`",),
    )


def settle(out: Any) -> Any:
    """A value in the form tensors keep: a Python float for a 0-d float64, else an ndarray."""
    if out.__class__ is float:
        return out
    if not out.ndim:
        return float(out) if out.dtype == np.float64 else np.asarray(out)
    return out


def _scalar_node(op: Op, inputs: list[Node | None], values: list[Any], out: float) -> ScalarNode:
    node = ScalarNode()
    node.number = next_number()
    node.op = op
    node.a = inputs[0]
    node.x = values[0]
    node.b, node.y = (inputs[1], values[1]) if len(values) == 2 else (None, None)
    node.out = out
    node.site = mode.site
    node.name = None
    node.mark = None
    return node


def _in_common_type(op: Op, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands with tensors cast to torch's common type; numbers stay, numpy adapts those by itself."""
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
    # A truth value beside numbers of the common type needs no cast: numpy reads it as 0 or 1 by itself.
    as_it_is = dtypes.bool_ if any(x.__class__ is Tensor and x.dtype is common for x in operands) else common
    cast = OPS["to"]
    return tuple(
        cast(x, dtype=common.name)
        if x.__class__ is Tensor and x.dtype is not common and x.dtype is not as_it_is
        else x
        for x in operands
    )


def _number_dtype(value: object) -> DType:
    if value.__class__ is float:
        return dtypes.default_dtype()
    return dtypes.bool_ if value.__class__ is bool else dtypes.int64


def _check_broadcast(operands: tuple[Any, ...]) -> tuple[int, ...]:
    """The common shape; refused, in torch's words, where there is none or it is too large for the memory."""
    shape: tuple[int, ...] = ()
    before: Any = None
    for x in operands:
        if x.__class__ is not Tensor:
            continue
        other = x.shape
        if other == shape:
            before = x
            continue
        merged = []
        for back in range(1, max(len(shape), len(other)) + 1):
            m = shape[-back] if back <= len(shape) else 1
            n = other[-back] if back <= len(other) else 1
            if m != n and m != 1 and n != 1:
                dim = max(len(shape), len(other)) - back
                raise ShapeError(
                    f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton"
                    f" dimension {dim}",
                    code="E0301",
                    caret=f"shapes {shape} and {other} differ in dimension {dim}: {m} against {n}",
                    help=("sizes go together where they are equal, or one of them is 1",),
                    operands=(before, x),
                )
            merged.append(n if m == 1 else m)
        shape = tuple(reversed(merged))
        before = x
    check_allocation(shape, 8)
    return shape


def tensor(value: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """A leaf from a number, nested lists or an array.

    >>> tensor([[1.0, 2.0]]).shape
    (1, 2)
    """
    if value.__class__ is Tensor:
        value = value.value
    if (
        value.__class__ is float
        and dtype in (None, dtypes.float64)
        and dtypes.default_dtype() is dtypes.float64
    ):
        made = Tensor(value)
    else:
        is_array = isinstance(value, np.ndarray)
        array = np.array(value)
        if dtype is not None:
            array = array.astype(dtype.name)
        elif not is_array and (array.dtype.kind == "f" or not array.size):
            array = array.astype(dtypes.default_dtype().name)
        made = Tensor(settle(array))
    if requires_grad:
        made.set_requires_grad()
    return made
