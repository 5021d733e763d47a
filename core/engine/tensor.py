"""The Tensor class: a value, the node that made it, and whether the script requires its gradient.

A 0-d float64 is stored as a Python float, and ``data`` converts it to an array; any other value is an ndarray
that is never mutated. The command line may track a tensor with a node although the script did not ask for
its gradient; ``requires_grad`` is what the script sees.
"""

from __future__ import annotations

from autodiff.core.base.errors import BroadcastError, ScriptError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.base.limits import check_allocation
from autodiff.core.fast import array_operators, scalar_operators
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType, dtype_of
from autodiff.core.graph.node import GradSlot, Leaf, Node, VersionCounter, recorded_node
from autodiff.core.graph.op import APPLIERS, FAST_CALL_FACTORIES, OPS, PLAIN_NUMBERS
from autodiff.core.graph.registry import OPERATORS
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.engine.aliasing import Alias
    from autodiff.core.fast.tape import ArraySpec
    from autodiff.core.fused.deferred import LazyValue
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Tape

# What needs the class of tensors itself, or what programs of plain numbers do not use.
aliasing = LazyModule("autodiff.core.engine.aliasing")
in_place = LazyModule("autodiff.core.engine.in_place")
backward_passes = LazyModule("autodiff.core.engine.backward")
retained_grads = LazyModule("autodiff.core.engine.retained_grads")
tapes = LazyModule("autodiff.core.fast.tape")
value_checks = LazyModule("autodiff.core.engine.value_checks")

TO_SCALAR_WARNING = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using"
    " tensor.detach() first."
)
NO_GRAD_MESSAGE = "element 0 of tensors does not require grad and does not have a grad_fn"


# -- operators ------------------------------------------------------------------------------------------


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    def operator(self: Tensor) -> Tensor:
        op = OPS[name]
        return (op.of_one or op)(self)  # type: ignore[no-any-return] # an op returns a Tensor for a Tensor

    return operator


def _binary(name: str) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ is not Tensor and other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented  # type: ignore[no-any-return] # Python's protocol for operators
        return OPS[name](self, other)  # type: ignore[no-any-return] # an op returns a Tensor for a Tensor

    return (
        scalar_operators.infix_operator(name, array_operators.infix_operator(name, operator))
        if is_fast and name in FAST_OPERATORS
        else operator
    )


def _reflected(name: str) -> Callable[[Tensor, Any], Tensor]:
    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ not in PLAIN_NUMBERS:
            return NotImplemented  # type: ignore[no-any-return] # Python's protocol for operators
        return OPS[name](other, self)  # type: ignore[no-any-return] # an op returns a Tensor for a Tensor

    if is_fast and name in FAST_OPERATORS:
        return scalar_operators.reflected_operator(name, array_operators.reflected_operator(name, operator))
    return operator


#: The operators in which programs spend most of their time; these get fast paths.
FAST_OPERATORS = ("add", "sub", "mul", "div", "pow")


class Tensor:
    """An n-dimensional array that records how it was computed.

    ``value`` is a Python float or an ndarray. A tensor that is an entry of a tape has ``tape``, its
    ``tape_position`` and, for arrays, the ``array_spec``; it has no node until one is asked for.
    ``grad_slot`` stores ``.grad``. ``alias`` and ``version_counter`` are set for tensors that share memory
    with others. ``lazy_value`` is the deferred value, if any (see ``core/fused/deferred.py``).

    >>> w = tensor(3.0, requires_grad=True)
    >>> L = w * w
    >>> L.backward()
    >>> w.grad.item()
    6.0
    """

    __slots__ = (
        *(
            "__weakref__",
            "alias",
            "tape_position",
            "grad_slot",
            "array_spec",
            "lazy_value",
            "stored_node",
            "requires_grad_flag",
            "tape",
        ),
        *("value", "version_counter"),
    )
    __array_ufunc__ = None  # makes a numpy array on the left defer to the Tensor's reflected operator

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
    __eq__ = _binary("eq")  # type: ignore[assignment] # compares entry by entry; object returns bool
    __ne__ = _binary("ne")  # type: ignore[assignment] # as __eq__
    __hash__ = object.__hash__

    lazy_value: LazyValue | None
    value: Any
    stored_node: Node | None  # like ``node``, but None if the node of a tape entry has not been made yet
    tape: Tape | None
    tape_position: int
    array_spec: ArraySpec | None  # only for tape entries; None for numbers
    requires_grad_flag: bool  # the slot of ``requires_grad``, which the engine reads without a call
    grad_slot: GradSlot | None
    alias: Alias | None
    version_counter: VersionCounter | None

    @staticmethod
    def of(value: Any, node: Node | None = None, requires_grad: bool = False) -> Tensor:
        """Return a tensor with this value. The class has no ``__init__`` because calling it is faster so."""
        made = Tensor()
        made.value, made.stored_node = value, node
        made.tape = made.grad_slot = made.alias = made.version_counter = None
        made.requires_grad_flag = requires_grad
        return made

    def __matmul__(self, other: Any) -> Tensor:
        return OPERATORS["matmul"](self, other) if other.__class__ is Tensor else NotImplemented

    def __getitem__(self, index: Any) -> Tensor:
        return OPERATORS["getitem"](self, index)  # type: ignore[no-any-return] # a Tensor

    @property
    def node(self) -> Node | None:
        """The node that made this tensor; None if it is in no graph. Its tape's nodes are made if needed."""
        if self.stored_node is None and self.tape is not None:
            self.stored_node, self.tape = tapes.entry_node(self.tape, self.tape_position), None
        return self.stored_node

    @node.setter
    def node(self, node: Node | None) -> None:
        self.stored_node = node
        self.tape = None  # the tape entry belongs to the old value

    # -- value and attributes ------------------------------------------------------------------------

    @property
    def data(self) -> np.ndarray[Any, Any]:
        """The value as an ndarray, which must not be written to."""
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
    def entry_count(self) -> int:
        """The number of entries."""
        return 1 if self.value.__class__ is float else int(self.value.size)

    @property
    def dtype(self) -> DType:
        return dtype_of(self.value)

    @property
    def requires_grad(self) -> bool:
        """Whether backward passes send a gradient to the tensor. It can be set for a leaf."""
        return self.requires_grad_flag

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if flag.__class__ is not bool:
            raise ScriptError("requires_grad must be a bool", operands=(self,))
        self.set_requires_grad(flag)

    @property
    def is_leaf(self) -> bool:
        """Whether no op made it, or it does not require a gradient."""
        return not self.requires_grad_flag or (
            isinstance(self.stored_node, Leaf) and self.stored_node.tracked
        )

    @property
    def grad_fn(self) -> Node | None:
        """The node that made the tensor; None for leaves."""
        if self.is_leaf or self.node is None or not self.node.tracked:
            return None
        return recorded_node(self.node)

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far; None before any backward()."""
        return None if self.grad_slot is None else self.grad_slot.grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            value_checks.require_matching_grad(self, grad)
        if self.grad_slot is None:
            self.grad_slot = GradSlot()
        self.grad_slot.grad = grad
        self.grad_slot.assigned_at = mode.site

    def __repr__(self) -> str:
        from autodiff.core.engine.printing import format_tensor

        grad_fn = self.grad_fn
        return format_tensor(
            self.value,
            default_dtype=dtypes.default_dtype().name,
            requires_grad=self.requires_grad_flag,
            grad_fn=grad_fn.grad_fn_name if grad_fn is not None else None,
        )

    def __len__(self) -> int:
        if not self.shape:
            raise ScriptError("len() of a 0-d tensor", operands=(self,))
        return self.shape[0]

    def item(self) -> float | int | bool:
        """Return the only entry as a Python number; ScriptError if there are several entries."""
        if self.value.__class__ is float:
            return self.value
        value_checks.require_one_entry(self)
        return self.value.item()  # type: ignore[no-any-return] # numpy says Any

    def tolist(self) -> Any:
        """Return the entries as nested lists of Python numbers."""
        return self.value if self.value.__class__ is float else self.value.tolist()

    # -- gradients ----------------------------------------------------------------------------------

    def set_requires_grad(self, flag: bool = True) -> Tensor:
        """Set ``requires_grad`` of a leaf (``requires_grad_()`` in scripts); return self."""
        if flag and not self.dtype.is_floating_point:
            value_checks.require_floating_dtype(
                self, "only Tensors of floating point dtype can require gradients"
            )
        if not self.is_leaf:
            if flag:
                return self
            raise value_checks.non_leaf_flag_error(self)
        if flag == self.requires_grad_flag:
            return self
        self.requires_grad_flag = flag
        if self.grad_slot is None:
            self.grad_slot = GradSlot()
        name = None if self.node is None else self.node.name
        self.node = Leaf(self.value, tracked=flag, grad_slot=self.grad_slot if flag else None, site=mode.site)
        self.node.name = name
        self.value = self.node.out
        return self

    def track(self) -> None:
        """Make gradients flow to this tensor without changing ``requires_grad``, which the script sees."""
        if self.node is None or not self.node.tracked:
            name, site = (None, mode.site) if self.node is None else (self.node.name, self.node.site)
            self.node = Leaf(self.value, tracked=True, site=site)
            self.node.name = name
            self.value = self.node.out

    def source(self) -> Node:
        """Return the node that represents this tensor as an operand: an untracked Leaf if it had no node."""
        node = self.node
        if node is None:
            node = self.node = Leaf(self.value, tracked=False, site=mode.site)
            if self.version_counter is not None:
                aliasing.watch_node(self.version_counter, node)
        return node

    def retain_grad(self) -> None:
        """Make backward passes fill ``.grad`` of this tensor although it is not a leaf."""
        value_checks.require_retainable(self)
        node = self.node
        if isinstance(node, Leaf) or node is None or self.retains_grad:
            return
        if self.grad_slot is None:
            self.grad_slot = GradSlot()
        retained_grads.keep_grad_of(recorded_node(node), self.grad_slot)

    @property
    def retains_grad(self) -> bool:
        """Whether ``retain_grad()`` was called when this was not a leaf."""
        return self.grad_slot is not None and self.grad_slot.retained_by is not None

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Accumulate the gradient of this tensor in ``.grad`` of the leaves it was computed from.

        ``gradient`` is the cotangent of this tensor and has its shape; a tensor of one entry needs none.
        """
        backward_passes.backward(self, gradient, retain_graph, create_graph)

    def detach(self) -> Tensor:
        """Return a tensor with the same value outside the graph. In-place changes of either affect both."""
        other = Tensor.of(self.value)
        other.version_counter = aliasing.version_counter_of(self)
        aliasing.share_alias(self, other)
        return other

    def data_alias(self) -> Tensor:
        """Return ``.data`` of a script: like ``detach()``, but changes through it are not counted."""
        other = Tensor.of(self.value)
        aliasing.share_alias(self, other)
        return other

    def assign_in_place(self, result: Tensor, since: int = 0) -> Tensor:
        """Take the value and history of ``result``, as every in-place method does; return self."""
        return in_place.assign_in_place(self, result, since)  # type: ignore[no-any-return] # a Tensor


# -- values -------------------------------------------------------------------------------------------


def broadcast_shape(operands: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the broadcast shape of the tensors among ``operands``.

    Raises ShapeError in torch's wording if there is none, LimitError if it exceeds the memory limit.
    """
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
                raise BroadcastError(
                    f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton"
                    f" dimension {dim}",
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
    """Return a leaf made from a number, nested lists, an array or another tensor's value.

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
        made = Tensor.of(as_stored(array))
    if requires_grad:
        made.set_requires_grad()
    return made


if is_fast:
    FAST_CALL_FACTORIES[1] = lambda op: scalar_operators.unary_function(Tensor, op)


def import_apply(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Apply the first op; this imports the module that enters itself here. Single numbers do without it."""
    from autodiff.core.engine.apply import apply_op

    return apply_op(op, operands, params)


APPLIERS[Tensor] = import_apply
