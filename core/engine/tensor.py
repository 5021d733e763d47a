"""The tensor: a value, the node that made it, and whether the script asked for gradients.

A 0-d float64 is kept as a Python float and looks like an array to whoever asks for ``data``; anything
else is an ndarray that is never mutated. A tensor may be tracked by a node without the script having
asked for it (the command line does that); ``requires_grad`` is what the script sees.
"""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError, ShapeError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy import Later, np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine import aliasing, value_checks
from autodiff.core.fast import array_operators, scalar_operators
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType, dtype_of
from autodiff.core.graph.node import GradCell, Leaf, Node, VersionCounter
from autodiff.core.graph.op import OPS, PLAIN_NUMBERS, SHORT_WAYS
from autodiff.core.graph.registry import OPERATORS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.fast.tape import Form
    from autodiff.core.fused.deferred import Lazy
    from autodiff.core.graph.state import Tape

# What needs the class of tensors itself.
changes = Later("autodiff.core.engine.in_place")
passes = Later("autodiff.core.engine.backward")
tapes = Later("autodiff.core.fast.tape")

LOSES_GRADIENT = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using"
    " tensor.detach() first."
)
NO_GRAD_NEEDED = "element 0 of tensors does not require grad and does not have a grad_fn"


# -- operators ------------------------------------------------------------------------------------------


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    def operator(self: Tensor) -> Tensor:
        op = OPS[name]
        return (op.of_one or op)(self)  # type: ignore[no-any-return] # an op answers what it is given

    return operator


def _binary(name: str) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ is not Tensor and other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented  # type: ignore[no-any-return] # what Python asks of an operator
        return OPS[name](self, other)  # type: ignore[no-any-return] # an op answers what it is given

    return (
        scalar_operators.infix(name, array_operators.infix(name, operator))
        if is_fast and name in IN_LOOPS
        else operator
    )


def _reflected(name: str) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented  # type: ignore[no-any-return] # what Python asks of an operator
        return OPS[name](other, self)  # type: ignore[no-any-return] # an op answers what it is given

    if is_fast and name in IN_LOOPS:
        return scalar_operators.reflected(name, array_operators.reflected(name, operator))
    return operator


#: The operators that programs spend their time in.
IN_LOOPS = ("add", "sub", "mul", "div", "pow")


class Tensor:
    """An n-dimensional array that remembers how it was made.

    >>> w = tensor(3.0, requires_grad=True)
    >>> L = w * w
    >>> L.backward()
    >>> w.grad.item()
    6.0
    """

    __slots__ = (
        *("__weakref__", "alias", "at", "cell", "form", "lazy", "own_node", "requires_grad", "tape"),
        *("value", "versions"),
    )
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
    __eq__ = _binary("eq")  # type: ignore[assignment] # entry by entry: a tensor, where object answers bool
    __ne__ = _binary("ne")  # type: ignore[assignment] # as __eq__
    __hash__ = object.__hash__

    lazy: Lazy | None
    value: Any
    own_node: Node | None  # as ``node``, and None where it is still to be made of an entry of the tape
    tape: Tape | None
    at: int
    form: Form | None  # of what has a place on the tape; None for numbers
    requires_grad: bool
    cell: GradCell | None
    alias: aliasing.Alias | None
    versions: VersionCounter | None

    @staticmethod
    def of(value: Any, node: Node | None = None, requires_grad: bool = False) -> Tensor:
        """A tensor of this value. There is no ``__init__``: to call a class without one is faster."""
        made = Tensor()
        made.value, made.own_node = value, node
        made.tape = made.cell = made.alias = made.versions = None
        made.requires_grad = requires_grad
        return made

    def __matmul__(self, other: Any) -> Tensor:
        return OPERATORS["matmul"](self, other) if other.__class__ is Tensor else NotImplemented

    def __getitem__(self, index: Any) -> Tensor:
        return OPERATORS["getitem"](self, index)  # type: ignore[no-any-return] # a Tensor

    @property
    def node(self) -> Node | None:
        """What made it; None where no graph knows it."""
        if self.own_node is None and self.tape is not None:
            self.own_node, self.tape = tapes.node_of(self.tape, self.at), None
        return self.own_node

    @node.setter
    def node(self, node: Node | None) -> None:
        self.own_node = node
        self.tape = None  # where it is entered is what it was

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
        return OPERATORS["transposed"](self)  # type: ignore[no-any-return] # a Tensor

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
        return not self.requires_grad or (isinstance(self.own_node, Leaf) and self.own_node.tracked)

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
        if grad is not None:
            value_checks.need_fitting_gradient(self, grad)
        if self.cell is None:
            self.cell = GradCell()
        self.cell.grad = grad
        self.cell.assigned_at = mode.site

    def __repr__(self) -> str:
        from autodiff.core.engine.printing import format_tensor

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
        value_checks.need_one_entry(self)
        return self.value.item()  # type: ignore[no-any-return] # numpy says Any

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.value if self.value.__class__ is float else self.value.tolist()

    # -- gradients ----------------------------------------------------------------------------------

    def set_requires_grad(self, flag: bool = True) -> Tensor:
        """Mark a leaf (``requires_grad_()`` in scripts), or take the mark off."""
        if flag:
            value_checks.need_floats(self, "only Tensors of floating point dtype can require gradients")
        if not self.is_leaf:
            if flag:
                return self
            raise value_checks.only_leaves_change(self)
        if flag == self.requires_grad:
            return self
        self.requires_grad = flag
        if self.cell is None:
            self.cell = GradCell()
        name = None if self.node is None else self.node.name
        self.node = Leaf(self.value, tracked=flag, cell=self.cell if flag else None, site=mode.site)
        self.node.name = name
        self.value = self.node.out
        return self

    def track(self) -> None:
        """Have gradients flow here without the script noticing (``requires_grad`` stays as it is)."""
        if self.node is None or not self.node.tracked:
            name, site = (None, mode.site) if self.node is None else (self.node.name, self.node.site)
            self.node = Leaf(self.value, tracked=True, site=site)
            self.node.name = name
            self.value = self.node.out

    def source(self) -> Node:
        """The node that stands for this tensor in a graph, made when first asked for."""
        node = self.node
        if node is None:
            node = self.node = Leaf(self.value, tracked=False, site=mode.site)
            if self.versions is not None:
                aliasing.keep_in_sight(self.versions, node)
        return node

    def retain_grad(self) -> None:
        """Have ``.grad`` filled although this is not a leaf."""
        value_checks.need_grad_to_retain(self)
        node = self.node
        if isinstance(node, Leaf) or node is None:
            return
        if self.cell is None:
            self.cell = GradCell()
        node.set_mark().cell = self.cell

    @property
    def retains_grad(self) -> bool:
        mark = None if self.is_leaf or self.own_node is None else self.own_node.mark
        return mark is not None and mark.cell is not None

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Fill ``.grad`` of the leaves below with the gradient of this tensor.

        ``gradient`` weighs the entries and has this tensor's shape; a tensor of one entry needs none.
        """
        passes.backward(self, gradient, retain_graph, create_graph)

    def detach(self) -> Tensor:
        """The same value, outside the graph. An in-place change of either is seen by both."""
        other = Tensor.of(self.value)
        other.versions = aliasing.counter_of(self)
        aliasing.share(self, other)
        return other

    def data_alias(self) -> Tensor:
        """``.data`` of a script: as ``detach()``, but the version check does not see changes through it."""
        other = Tensor.of(self.value)
        aliasing.share(self, other)
        return other

    def assign_in_place(self, result: Tensor, since: int = 0) -> Tensor:
        """Take on the value and history of ``result``, as every in-place method does; returns self."""
        return changes.assign_in_place(self, result, since)  # type: ignore[no-any-return] # a Tensor


# -- values -------------------------------------------------------------------------------------------


def check_broadcast(operands: tuple[Any, ...]) -> tuple[int, ...]:
    """The common shape; refused, in torch's words, where there is none or it is too large for the memory."""
    shape: tuple[int, ...] = ()
    before: Any = None
    for x in operands:
        if x.__class__ is not Tensor:
            continue
        other = x.shape
        if other == shape or not shape:
            shape, before = other, x
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
        made = Tensor.of(value)
    else:
        is_array = isinstance(value, np.ndarray)
        array = np.array(value)
        if dtype is not None:
            array = array.astype(dtype.name)
        elif not is_array and (array.dtype.kind == "f" or not array.size):
            array = array.astype(dtypes.default_dtype().name)
        made = Tensor.of(settle(array))
    if requires_grad:
        made.set_requires_grad()
    return made


if is_fast:
    SHORT_WAYS[1] = lambda op: scalar_operators.of_one(Tensor, op)

from autodiff.core.engine import apply as _apply  # noqa: E402, F401 - enters how ops apply to Tensor
