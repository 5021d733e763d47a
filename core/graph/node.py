"""What is recorded: a Node is one use of an op, with the values its rule will need and links to its inputs.

Nodes carry a creation number, so newest first is an order in which every node comes before its inputs.
Results of scalar arithmetic get the compact ScalarNode, everything else an ArrayNode; Leaf stands for a
tensor that no op made. Values are never mutated: an in-place change gives the tensor a new node and
leaves a Mark on the old one.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.fast_paths import settings
from autodiff.core.base.lazy import np, services
from autodiff.core.base.source import Span
from autodiff.core.graph.hollow import hollow
from autodiff.core.graph.op import Op
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.fused.deferred import Lazy
    from autodiff.core.graph.dtypes import DType


next_number = mode.next_number


class GradCell:
    """Where ``.grad`` lives: shared by a tensor and the node that fills it.

    ``assigned_at`` is the place that assigned it, where one did after the last pass that filled it.
    """

    __slots__ = ("assigned_at", "grad")

    def __init__(self) -> None:
        self.grad: Tensor | None = None
        self.assigned_at: Span | None = None


class VersionCounter:
    """How often a value was changed in place; shared by a tensor, its ``detach()`` aliases and its views.

    ``changed_by`` is the name of the node that changed it last, empty for a change nothing recorded.
    ``changed_at`` is the place of that change; one through ``.data``, which is not counted, has it too.
    ``nodes`` are those whose value a change overwrites although no tensor may be left that shows it, such as
    that of ``h[0]`` in ``h[1] = h[0] * s``. ``users`` are those that keep the value as a parameter, such as
    the positions in ``x[i]``, each with the shape it had.
    """

    __slots__ = ("changed_at", "changed_by", "count", "nodes", "users")

    def __init__(self) -> None:
        self.count = 0
        self.changed_by = ""
        self.changed_at: Span | None = None
        self.nodes: list[ref[Any]] = []
        self.users: list[tuple[ref[Any], tuple[int, ...]]] = []


class Change:
    """One change in place: of which ``versions``, which of them was the last good one, by which node, where.

    Nodes numbered ``since`` or later may use the value of before: those that the change itself consists of,
    for which torch keeps a copy, and those of rules, which were given what the change's nodes had saved.
    ``holder`` is the tensor that held the value, where there was one.
    """

    __slots__ = ("by", "dtype", "expected", "holder", "since", "site", "versions")

    def __init__(
        self, versions: VersionCounter, dtype: DType, by: Node | None, since: int, site: Span | None
    ) -> None:
        self.versions = versions
        self.dtype = dtype
        self.expected = versions.count
        self.by = by
        self.since = since or next_number()
        self.site = site
        self.holder: ref[Tensor] | None = None

    def seen_by(self, holder: Tensor) -> Change:
        """The same change of what one tensor held."""
        seen = Change(self.versions, self.dtype, self.by, self.since, self.site)
        seen.holder = ref(holder)
        return seen

    def spares(self, node: Node, index: int | str) -> bool:
        """Whether a node may use the value of before as its operand ``index``."""
        return node.number >= self.since or (node is self.by and not index)

    def shape(self, old: Node) -> tuple[int, ...]:
        """The shape in torch's message: that of the tensor now, which ``unsqueeze_`` may have changed."""
        holder = None if self.holder is None else self.holder()
        return old.shape if holder is None else holder.shape

    def maker(self, old: Node) -> str:
        """What torch says made the tensor: the name of its ``grad_fn`` of now, empty where it has none."""
        holder = None if self.holder is None else self.holder()
        if holder is not None:
            grad_fn = holder.grad_fn
            return "" if grad_fn is None else grad_fn.grad_fn_name
        if old.op is None:
            return ""
        return "AsStridedBackward0" if old.op.is_view else self.versions.changed_by


class Mark:
    """The rare facts about a node, kept off the node itself.

    ``freed``: a backward pass has used up the saved values, at the place ``freed_at``. ``cell``:
    ``retain_grad()`` was asked for. ``overwritten``: the change in place of the tensor that held this value.
    ``is_shared``: this is the mark of many nodes. ``used``: the change in place of a tensor that this node
    keeps as a parameter, and the shape that had.
    """

    __slots__ = ("cell", "freed", "freed_at", "is_shared", "overwritten", "used")

    def __init__(self, freed: bool = False, freed_at: Span | None = None, is_shared: bool = False) -> None:
        self.freed = freed
        self.freed_at = freed_at
        self.is_shared = is_shared
        self.cell: GradCell | None = None
        self.overwritten: Change | None = None
        self.used: tuple[Change, tuple[int, ...]] | None = None


class Node:
    """A vertex of the graph. ``number`` orders creation; ``site`` is the source span that made it.

    ``g`` is for the one that walks the graph: None before and after, else what it keeps of this node.
    """

    __slots__ = ("g", "mark", "name", "number", "out", "site")
    tracked = True
    op: Op | None = None

    number: int
    out: Any
    site: Span | None
    name: str | None
    mark: Mark | None
    g: Any

    @property
    def inputs(self) -> tuple[Node | None, ...]:
        """The nodes of the operands; None stands for a plain number."""
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

    def set_mark(self) -> Mark:
        """The node's own Mark, to write on."""
        if self.mark is None:
            self.mark = Mark()
        elif self.mark.is_shared:
            self.mark = Mark(self.mark.freed, self.mark.freed_at)
        return self.mark

    def free(self, used_up: Mark) -> None:
        """Say that a backward pass has used up the values saved here; all its nodes share ``used_up``."""
        if self.mark is None or self.mark.is_shared:
            self.mark = used_up
        else:
            self.mark.freed, self.mark.freed_at = True, used_up.freed_at


class Leaf(Node):
    """A tensor that no op made. ``tracked`` says whether gradients are wanted, ``cell`` where they go.

    Whoever makes a tracked one takes over its ``out``, which a probe may have moved.
    """

    __slots__ = ("__weakref__", "cell", "tracked")

    def __init__(
        self, out: Any, *, tracked: bool, cell: GradCell | None = None, site: Span | None = None
    ) -> None:
        self.number = next_number()
        self.cell = cell
        self.out = out if mode.probe is None or not tracked else mode.probe.leaf_made(self, out)
        self.site = site
        self.name = self.mark = self.g = None
        self.tracked = tracked
        if tracked and self.out.__class__ is not float and self.out.size >= settings.least:
            settings.begin()


class OpNode(Node):
    """One application of an op."""

    __slots__ = ("op",)

    op: Op

    @property
    def grad_fn_name(self) -> str:
        name = self.op.grad_fn
        return name if isinstance(name, str) else name(self)

    def check_saved(self) -> None:
        """Refuse to go on where a saved value was freed or changed in place."""
        own = self.mark
        is_marked = own is not None and (own.freed or own.used is not None)
        for node in (self, *self.inputs):
            mark = None if node is None else node.mark
            if is_marked or (mark is not None and mark.overwritten is not None):
                from autodiff.core.graph.saved_values import check

                return check(self)

    def reads(self) -> frozenset[int | str]:
        """Which saved values the rules of the tracked operands read: operand numbers and ``"out"``."""
        return services["values read by rules"].values_read(self)  # type: ignore[no-any-return] # as declared


class ScalarNode(OpNode):
    """One or two Python floats in, one out.

    ``a`` and ``b`` are the nodes of the operands, whose ``out`` are the values; where one of two operands is
    a plain number its node is None and ``constant`` the number. ``b`` and ``y`` are None where there is one
    operand. Whoever makes one sets all the fields: scalar programs consist of these.
    """

    __slots__ = ("__weakref__", "a", "b", "constant")

    a: Node | None
    b: Node | None
    constant: Any

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


#: Arrays of so many bytes are as well kept as replaced.
SMALL = 4096


class ArrayNode(OpNode):
    """Any other application: a tuple of inputs, their values, and the op's parameters.

    A node whose op was put off (see ``fusion``) has a ``lazy`` and what that is made of in ``given``; its
    ``out`` and its operands are computed when somebody asks for them.
    """

    __slots__ = ("__weakref__", "_inputs", "_operands", "_params", "given", "lazy")

    given: tuple[Any, ...]
    lazy: Lazy | None

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
        self.name = self.mark = self.g = None

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
        """Let go of the saved arrays and keep their shapes; the links to the inputs stay, as in torch."""
        lazy = self.lazy if settings.has_begun else None
        if lazy is None and (self.out.__class__ is float or self.out.nbytes <= SMALL):
            if self.op.is_elementwise:
                return  # the operands are no larger
            for value in self._operands:
                if value.__class__ is np.ndarray and value.nbytes > SMALL:
                    break
            else:
                return
        if lazy is not None:
            self._operands = tuple(hollow(value) for value in self.given)
            self.out = hollow(lazy) if lazy.shape else lazy.value()
            self.lazy, self.given = None, ()
            return
        self._operands = tuple(hollow(value) for value in self._operands)
        self.out = hollow(self.out)
