"""Deferred elementwise formulas of large arrays, computed on demand in one loop over tiles.

Such formulas are limited by the memory traffic of their intermediate results. So an op of large arrays is
deferred: its tensor has a ``LazyValue`` and no value until the value is read. If a backward pass comes first,
one loop computes the gradients too, from the same rules, and intermediate results are never stored. Without
this module all ops run at once; results differ by rounding only.
"""

from __future__ import annotations

from math import prod

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.apply import apply_op
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.array_operators import is_tracked_tensor
from autodiff.core.fused.tile_program import UFUNCS, TileCell, TileProgram, as_cell
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import ArrayNode, next_number
from autodiff.core.graph.op import APPLIERS, OPS
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.graph.op import Op

    Operator = Callable[[Tensor, Any], Any]


REDUCTIONS = ("sum", "mean")


class LazyValue:
    """A deferred op and its ``operands``: arrays, plain numbers and other lazy values.

    ``known`` is the value once ``is_computed``. ``length`` is the number of deferred ops in the formula; an
    op counts once for every use.
    """

    __slots__ = ("dtype", "is_computed", "known", "length", "ndim", "op", "operands", "shape")

    def __init__(self, op: Op, operands: tuple[Any, ...], shape: tuple[int, ...], dtype: Any) -> None:
        self.op = op
        self.operands = operands
        self.shape = shape
        self.ndim = len(shape)
        self.dtype = dtype
        self.is_computed = False
        self.known: Any = None
        self.length = 1 + sum(x.length for x in operands if is_uncomputed(x))

    def value(self) -> Any:
        """The value, computed if need be, as tensors hold it."""
        if not self.is_computed:
            compute(self, [self])
        return self.known

    def value_with_intermediates(self) -> Any:
        """The value, computed together with all intermediate values, for callers that read these too."""
        if not self.is_computed:
            compute(self, uncomputed_below(self))
        return self.known

    def values(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values of the operands that this was made from, as a node holds them."""
        return tuple(x.value_with_intermediates() if x.__class__ is LazyValue else x for x in operands)

    def set_value(self, value: Any) -> None:
        """Set the value and release the operands."""
        if not self.ndim:
            value = float(value) if self.dtype == np.float64 else np.asarray(value, self.dtype)
        self.known, self.is_computed, self.operands = value, True, ()


#: Reads the value of a tensor without computing it; raises AttributeError if there is none.
stored_value = vars(Tensor)["value"].__get__


def is_uncomputed(x: Any) -> bool:
    """Whether it is a LazyValueValue that is not computed yet."""
    return x.__class__ is LazyValue and not x.is_computed


def uncomputed_below(lazy: LazyValue) -> list[LazyValue]:
    """All lazy values without a value that this one depends on, operands first, itself last."""
    order: list[LazyValue] = []
    seen: set[LazyValue] = set()
    stack = [(lazy, False)]
    while stack:
        item, is_done = stack.pop()
        if is_done:
            order.append(item)
        elif item not in seen:
            seen.add(item)
            stack.append((item, True))
            stack.extend((x, False) for x in item.operands if is_uncomputed(x))
    return order


def compute(lazy: LazyValue, wanted: list[LazyValue]) -> None:
    """Compute ``wanted`` in one loop: ``lazy`` itself and any lazy values it depends on."""
    inner = lazy.operands[0] if lazy.op.name in REDUCTIONS else lazy
    program = TileProgram(inner.shape, inner.dtype)
    known: dict[LazyValue, TileCell] = {}
    for item in wanted:
        request_value(program, item, known)
    for item, value in zip(wanted, program.run(), strict=True):
        item.set_value(value / prod(inner.shape) if item.op.name == "mean" else value)


def request_value(program: TileProgram, lazy: LazyValue, known: dict[LazyValue, TileCell]) -> int:
    """Make the value of a LazyValue a result of the program (for a mean: the sum); return its place there."""
    if lazy.op.name in REDUCTIONS:
        return program.request(cell_of(program, lazy.operands[0], known), is_sum=True)
    return program.request(cell_of(program, lazy, known))


def cell_of(program: TileProgram, value: Any, known: dict[LazyValue, TileCell]) -> TileCell:
    """The cell of an operand: an array, a number, or a LazyValue, entered with all that it depends on."""
    if value.__class__ is not LazyValue:
        return program.array(value) if np.shape(value) else as_cell(program, value)
    if value.is_computed:
        return program.array(value.known)
    for item in () if value in known else uncomputed_below(value):
        if item not in known:
            cells = [
                known[x]
                if is_uncomputed(x)
                else cell_of(program, x.known if x.__class__ is LazyValue else x, known)
                for x in item.operands
            ]
            known[item] = program.apply(item.op.name, *cells)
    return known[value]


# -- deferring ------------------------------------------------------------------------------------------


def lazy_of(x: Tensor) -> LazyValue | None:
    """The LazyValue of a tensor whose value was not read or changed yet, else None."""
    node = x.stored_node
    if node.__class__ is not ArrayNode or node.lazy_value is None:
        return None
    try:
        stored_value(x)
    except AttributeError:
        return node.lazy_value
    return None


def is_large_or_lazy(x: Any) -> bool:
    """Whether it is a tensor with a deferred value, or one so large that ops of it may be deferred."""
    if x.__class__ is not Tensor:
        return False
    if lazy_of(x) is not None:
        return True
    value = x.value
    return value.__class__ is not float and value.size >= fusion_settings.least


def regions(order: list[Node]) -> Any:
    """The deferred formulas among the nodes of a pass, for ``sweep``."""
    from autodiff.core.fused.fused_backward import Regions

    return Regions(order)


def install_deferral() -> None:
    """Make operators and ops of tensors check first whether they can be deferred."""
    # A __getattr__ slows down every attribute access, so it is added only once an array is large.
    # `Any`: to the type checker the classes have no `__getattr__`, and a property has the type of its value.
    tensors: Any = Tensor
    nodes: Any = ArrayNode
    tensors.__getattr__, nodes.__getattr__ = tensor_getattr, node_getattr

    def apply_later(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
        made = defer(op, operands, params) if any(map(is_large_or_lazy, operands)) else None
        return apply_op(op, operands, params) if made is None else made

    APPLIERS[Tensor] = apply_later
    # Installed here, not in the class, so that programs without large arrays do not pay for them.
    Tensor.__add__, Tensor.__radd__ = deferring_operators("add", Tensor.__add__, Tensor.__radd__)
    Tensor.__sub__, Tensor.__rsub__ = deferring_operators("sub", Tensor.__sub__, Tensor.__rsub__)
    Tensor.__mul__, Tensor.__rmul__ = deferring_operators("mul", Tensor.__mul__, Tensor.__rmul__)
    Tensor.__pow__, Tensor.__rpow__ = deferring_operators("pow", Tensor.__pow__, Tensor.__rpow__)
    both = deferring_operators("div", Tensor.__truediv__, Tensor.__rtruediv__)
    Tensor.__truediv__, Tensor.__rtruediv__ = both
    tensors.shape = lazy_property(Tensor.shape, lambda lazy: lazy.shape)
    tensors.entry_count = lazy_property(Tensor.entry_count, lambda lazy: prod(lazy.shape))
    tensors.dtype = lazy_property(Tensor.dtype, dtype_of)


def tensor_getattr(self: Tensor, name: str) -> Any:
    """``Tensor.__getattr__``: computes a deferred ``value``; a ``lazy_value`` never set is None."""
    if name == "lazy_value":
        return None
    if name == "value" and self.lazy_value is not None:
        self.value = self.lazy_value.value()
        self.lazy_value = None
        return self.value
    raise AttributeError(f"'Tensor' object has no attribute '{name}'")


def node_getattr(self: ArrayNode, name: str) -> Any:
    """``ArrayNode.__getattr__``: as ``tensor_getattr``, for the value of a node and its operands."""
    if name == "lazy_value":
        return None
    if name == "out" and self.lazy_value is not None:
        self.out = self.lazy_value.value_with_intermediates()
        return self.out
    if name == "_operands" and self.lazy_value is not None:
        self._operands = self.lazy_value.values(self.lazy_operands)
        return self._operands
    raise AttributeError(f"'ArrayNode' object has no attribute '{name}'")


def deferring_operators(name: str, now: Operator, reflected_now: Operator) -> tuple[Operator, Operator]:
    """The operator and its reflected form, which defer the op where possible and else call the given ones."""
    op = OPS[name]

    def operator(self: Tensor, other: Any) -> Any:
        made = defer_if_large(op, (self, other))
        return now(self, other) if made is None else made

    def reflected(self: Tensor, other: Any) -> Any:
        made = defer_if_large(op, (other, self))
        return reflected_now(self, other) if made is None else made

    return operator, reflected


def lazy_property(now: Any, measure: Callable[[LazyValue], Any]) -> property:
    """A property of Tensor that needs no value: ``measure`` of its LazyValue, or ``now`` if it has none."""

    def measured(self: Tensor) -> Any:
        lazy = lazy_of(self)
        return now.fget(self) if lazy is None else measure(lazy)

    return property(measured)


def defer_if_large(op: Op, operands: tuple[Any, ...]) -> Tensor | None:
    """As ``defer`` if an operand is large, else None."""
    return defer(op, operands, {}) if any(map(is_large_or_lazy, operands)) else None


def defer(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Tensor | None:
    """The tensor of a deferred ``op``, without a value; None where the op must be computed now."""
    is_reduction = op.name in REDUCTIONS
    if not mode.enabled or not (is_reduction or op.name in UFUNCS):
        return None
    if is_reduction and (lazy_of(operands[0]) is None or params != {"dim": None, "keepdim": False}):
        return None
    if op.name == "pow" and operands[1].__class__ not in (float, int):
        return None
    lazy_operands: list[Any] = []
    shape: tuple[int, ...] = ()
    dtypes = set()
    tracked = requires_grad = False
    for x in operands:
        if x.__class__ is not Tensor:
            if x.__class__ not in (float, int) or (x.__class__ is int and abs(x) > 2**53):
                return None
            lazy_operands.append(x)
            continue
        lazy = lazy_of(x)
        value: Any = x.value if lazy is None else lazy
        if value.__class__ is float:
            dtypes.add(np.dtype(np.float64))
            value = np.asarray(value)
        else:
            if value.ndim == 0 or (shape and value.shape != shape):
                return None
            if lazy is None and not value.flags.c_contiguous:
                return None
            shape = value.shape
            dtypes.add(value.dtype)
        lazy_operands.append(value)
        if is_tracked_tensor(x):
            tracked = True
            requires_grad = requires_grad or x.requires_grad_flag
    if not tracked or prod(shape) < fusion_settings.least or len(dtypes) != 1:
        return None
    [dtype] = dtypes
    if dtype.kind != "f" or (not is_reduction and params):
        return None
    check_allocation(shape, 8)
    lazy = LazyValue(op, tuple(lazy_operands), () if is_reduction else shape, dtype)
    if lazy.length > fusion_settings.most:
        for x in lazy_operands:
            if x.__class__ is LazyValue:
                x.value()
        lazy.length = 1
    made = Tensor()
    made.lazy_value = lazy
    made.tape = made.grad_slot = made.alias = made.version_counter = None
    made.requires_grad_flag = requires_grad
    sources = tuple(x.source() if x.__class__ is Tensor else None for x in operands)
    made.stored_node = deferred_node(op, sources, lazy.operands, params, lazy)
    return made


def deferred_node(
    op: Op, inputs: tuple[Node | None, ...], lazy_operands: tuple[Any, ...], params: dict[str, Any], lazy: Any
) -> ArrayNode:
    """The node of an op whose value or operands are not computed yet."""
    node = object.__new__(ArrayNode)
    node.op = op
    node._inputs = inputs
    node._params = params
    node.lazy_value = lazy
    node.lazy_operands = lazy_operands
    node.number = next_number()
    node.site = mode.site
    node.name = node.status = node.scratch = None
    return node
