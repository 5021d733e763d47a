"""The graph. A Node is one application of an op: the values its rule needs and links to its inputs.

Nodes carry a creation number, so newest first is a topological order: every node comes before its inputs.
Scalar arithmetic makes compact ScalarNodes, everything else ArrayNodes; a Leaf is a tensor that no op made.
Values are never mutated: an in-place change gives the tensor a new node and is noted in the old one's status.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.fast_paths import fusion_settings
from autodiff.core.base.lazy_imports import np, services
from autodiff.core.base.source import Span
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import mode
from autodiff.core.graph.values import placeholder_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.fused.deferred import LazyValue
    from autodiff.core.graph.dtypes import DType


next_number = mode.next_number


class GradSlot:
    """The storage of ``.grad``, shared by a tensor and the node whose gradient fills it.

    ``assigned_at`` is the span of the last assignment to ``.grad``, None if a backward pass filled it since.
    ``retained_by`` refers to the node whose gradient comes here after ``retain_grad()``; None for a leaf.
    """

    __slots__ = ("assigned_at", "grad", "retained_by")

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.assigned_at: Span | None = None
        self.retained_by: ref[Any] | None = None


class VersionCounter:
    """The number of in-place changes of a value, shared by a tensor, its ``detach()`` aliases and its views.

    ``changed_by`` is the grad_fn name of the last change, empty if the change was not recorded.
    ``changed_at`` is its span; a change through ``.data`` sets it too, although it is not counted.
    ``nodes`` are nodes whose value the next change overwrites even if their tensor is gone, such as the node
    of ``h[0]`` in ``h[1] = h[0] * s``. ``users`` are nodes that save the value as a parameter, such as the
    positions in ``x[i]``, each with the value's shape at that time.
    """

    __slots__ = ("changed_at", "changed_by", "count", "nodes", "users")

    def __init__(self) -> None:
        self.count = 0
        self.changed_by = ""
        self.changed_at: Span | None = None
        self.nodes: list[ref[Any]] = []
        self.users: list[tuple[ref[Any], tuple[int, ...]]] = []


class InPlaceChange:
    """One in-place change of a value.

    ``version_counter`` is that of the value, ``expected`` its count before the change, ``by`` the node
    that made the change, ``site`` the span. Nodes numbered ``since`` or later may use the old value: these
    are the nodes of the change itself, for which torch keeps a copy, and nodes made by backward rules, which
    are given values that the change's nodes had saved. ``tensor_ref`` refers to the tensor that held the
    old value, if known.
    """

    __slots__ = ("by", "dtype", "expected", "since", "site", "tensor_ref", "version_counter")

    def __init__(
        self, version_counter: VersionCounter, dtype: DType, by: Node | None, since: int, site: Span | None
    ) -> None:
        self.version_counter = version_counter
        self.dtype = dtype
        self.expected = version_counter.count
        self.by = by
        self.since = since or next_number()
        self.site = site
        self.tensor_ref: ref[Tensor] | None = None

    def for_tensor(self, holder: Tensor) -> InPlaceChange:
        """Return a copy of this change that refers to ``holder``, the tensor that held the old value."""
        seen = InPlaceChange(self.version_counter, self.dtype, self.by, self.since, self.site)
        seen.tensor_ref = ref(holder)
        return seen

    def exempts(self, node: Node, index: int | str) -> bool:
        """Whether ``node`` may still use the old value as its operand ``index``."""
        return node.number >= self.since or (node is self.by and not index)

    def shape(self, old: Node) -> tuple[int, ...]:
        """Return the shape for torch's message: the tensor's present one, which ``unsqueeze_`` may change."""
        holder = None if self.tensor_ref is None else self.tensor_ref()
        return old.shape if holder is None else holder.shape

    def grad_fn_in_message(self, old: Node) -> str:
        """Return the name of the tensor's present ``grad_fn`` for torch's message; empty if it has none."""
        holder = None if self.tensor_ref is None else self.tensor_ref()
        if holder is not None:
            grad_fn = holder.grad_fn
            return "" if grad_fn is None else grad_fn.grad_fn_name
        if old.op is None:
            return ""
        return "AsStridedBackward0" if old.op.is_view else self.version_counter.changed_by


class NodeStatus:
    """Facts that few nodes have, stored outside the node to keep nodes small.

    ``freed``: a backward pass has freed the saved values; ``freed_at`` is its span. ``grad_slot``: where the
    gradient goes if ``retain_grad()`` was called, else None. ``overwritten``: the in-place change of the
    tensor that held this node's value. ``used``: the in-place change of a tensor that this node saves as a
    parameter, with that tensor's old shape. ``is_shared``: many nodes have this same object.
    """

    __slots__ = ("freed", "freed_at", "grad_slot", "is_shared", "overwritten", "used")

    def __init__(self, freed: bool = False, freed_at: Span | None = None, is_shared: bool = False) -> None:
        self.freed = freed
        self.freed_at = freed_at
        self.is_shared = is_shared
        self.grad_slot: GradSlot | None = None
        self.overwritten: InPlaceChange | None = None
        self.used: tuple[InPlaceChange, tuple[int, ...]] | None = None


class Node:
    """A vertex of the graph. ``number`` is the creation order, ``site`` the source span that made it.

    ``scratch`` is scratch space for the function that walks the graph; it is None before and after the walk.
    """

    __slots__ = ("name", "number", "out", "scratch", "site", "status")
    tracked = True
    op: Op | None = None

    number: int
    out: Any
    site: Span | None
    name: str | None
    status: NodeStatus | None
    scratch: Any

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes of the operands, None for a plain number."""
        return ()

    @property
    def operands(self) -> tuple[Any, ...]:
        """The values of the operands as they were when the op ran."""
        return ()

    @property
    def params(self) -> dict[str, Any]:
        """The op's keyword parameters."""
        return {}

    @property
    def grad_fn_name(self) -> str:
        """The name torch prints for this node."""
        return "AccumulateGrad"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the node's value."""
        return () if self.out.__class__ is float else self.out.shape

    def own_status(self) -> NodeStatus:
        """Return a status that belongs to this node alone and may be changed; make one if needed."""
        if self.status is None:
            self.status = NodeStatus()
        elif self.status.is_shared:
            self.status = NodeStatus(self.status.freed, self.status.freed_at)
        return self.status

    def mark_freed(self, used_up: NodeStatus) -> None:
        """Note that the saved values are freed. ``used_up`` is the status shared by all nodes of the pass."""
        if self.status is None or self.status.is_shared:
            self.status = used_up
        else:
            self.status.freed, self.status.freed_at = True, used_up.freed_at


class Leaf(Node):
    """A tensor that no op made. ``tracked`` says whether gradients flow here, ``grad_slot`` stores ``.grad``.

    ``was_whole``: it holds floats that were an array of whole numbers before they met floats.
    The caller must use the leaf's ``out`` as the tensor's value, because a probe may have changed it.
    """

    __slots__ = ("__weakref__", "grad_slot", "tracked", "was_whole")

    def __init__(
        self, out: Any, *, tracked: bool, grad_slot: GradSlot | None = None, site: Span | None = None
    ) -> None:
        self.number = next_number()
        self.grad_slot = grad_slot
        self.out = out if mode.probe is None or not tracked else mode.probe.leaf_made(self, out)
        self.site = site
        self.name = self.status = self.scratch = None
        self.tracked = tracked
        self.was_whole = False
        if tracked and self.out.__class__ is not float and self.out.size >= fusion_settings.least:
            fusion_settings.begin()


class OpNode(Node):
    """One application of an op."""

    __slots__ = ("op",)

    op: Op

    @property
    def grad_fn_name(self) -> str:
        name = self.op.grad_fn
        return name if isinstance(name, str) else name(self)

    def check_saved(self) -> None:
        """Raise GradientError if a saved value was freed or changed in place."""
        own = self.status
        is_marked = own is not None and (own.freed or own.used is not None)
        for node in (self, *self.inputs):
            mark = None if node is None else node.status
            if is_marked or (mark is not None and mark.overwritten is not None):
                from autodiff.core.graph.saved_values import check_saved_values

                return check_saved_values(self)

    def reads(self) -> frozenset[int | str]:
        """Which saved values the rules of the tracked operands read: operand numbers and ``"out"``."""
        return services["values read by rules"].values_read(self)  # type: ignore[no-any-return] # as declared


class ScalarNode(OpNode):
    """An application to one or two Python floats with a float result.

    ``a`` and ``b`` are the nodes of the operands; their ``out`` are the operand values. If one of two
    operands is a plain number, its node is None and ``constant`` is the number. With one operand, ``b`` and
    ``y`` are None. There is no ``__init__``, for speed: the caller sets all attributes.
    """

    __slots__ = ("__weakref__", "a", "b", "constant")

    a: Node | None
    b: Node | None
    constant: Any

    def check_saved(self) -> None:
        """As for every node; without a mark there is nothing to look for."""
        for node in (self, self.a, self.b):
            if node is not None and node.status is not None:
                return super().check_saved()

    @property
    def x(self) -> Any:
        return self.constant if self.a is None else self.a.out

    @property
    def y(self) -> Any:
        return self.constant if self.b is None else self.b.out

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        return (self.a,) if self.y is None else (self.a, self.b)

    @property
    def operands(self) -> tuple[Any, ...]:
        y = self.y
        return (self.x,) if y is None else (self.x, y)


#: Replacing an array of at most this many bytes by a placeholder saves nothing.
SMALL_BYTES = 4096


class ArrayNode(OpNode):
    """Any other application: a tuple of input nodes, the operand values, and the op's parameters.

    If the op was deferred (see ``core/fused/deferred.py``), ``lazy_value`` is its value and ``lazy_operands``
    the operands of that; ``out`` and ``operands`` are computed when they are read.
    """

    __slots__ = ("__weakref__", "_inputs", "_operands", "_params", "lazy_operands", "lazy_value")

    lazy_operands: tuple[Any, ...]
    lazy_value: LazyValue | None

    def __init__(
        self,
        op: Op,
        inputs: tuple[Node | None, ...],
        operands: tuple[Any, ...],
        params: dict[str, Any],
        out: Any,
        site: Span | None,
    ) -> None:
        self.number = next_number()
        self.op = op
        self._inputs = inputs
        self._operands = operands
        self._params = params
        self.out = out
        self.site = site
        self.name = self.status = self.scratch = None

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        return self._inputs

    @property
    def operands(self) -> tuple[Any, ...]:
        return self._operands

    @property
    def params(self) -> dict[str, Any]:
        return self._params

    def release(self) -> None:
        """Replace the saved arrays by placeholders of their shapes; input links stay, as in torch."""
        lazy = self.lazy_value if fusion_settings.has_begun else None
        if lazy is None and (self.out.__class__ is float or self.out.nbytes <= SMALL_BYTES):
            if self.op.is_elementwise:
                return  # the operands are no larger
            for value in self._operands:
                if value.__class__ is np.ndarray and value.nbytes > SMALL_BYTES:
                    break
            else:
                return
        if lazy is not None:
            self._operands = tuple(placeholder_for(value) for value in self.lazy_operands)
            self.out = placeholder_for(lazy) if lazy.shape else lazy.value()
            self.lazy_value, self.lazy_operands = None, ()
            return
        self._operands = tuple(placeholder_for(value) for value in self._operands)
        self.out = placeholder_for(self.out)


class UnrecordedChange(ArrayNode):
    """The node of a value changed where nothing is recorded: gradients pass to the node of the old value.

    For torch the tensor still has the old node.
    """

    __slots__ = ()


def recorded_node(node: Node) -> Node:
    """Return the node that torch calls the ``grad_fn`` of the tensor that has ``node``."""
    while node.__class__ is UnrecordedChange:
        node = node.inputs[0]  # type: ignore[assignment] # the node of the old value
    return node
