"""Symbols: operands that record arithmetic as an expression, so a rule applied to them spells the derivative.

A symbol has the ``shape`` of the tensor it represents, and an ``extent``: the shape of its expression alone.
Where they differ (``1`` for a matrix of ones) broadcasting makes up for it. An op that does not broadcast
gets the expression expanded first. The spellings of single ops are in ``op_spellings``.
"""

from __future__ import annotations

from math import prod

from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.dtypes import DTYPES, DType, float64
from autodiff.core.graph.op import APPLIERS, CUSTOM_OP_DOC, OPS, PLAIN_NUMBERS, RULE_ERRORS, Op
from autodiff.core.symbolic.expr import Expr, call, infix, name_expr, neg, number_expr, postfix, times_ones
from autodiff.core.symbolic.literals import ArrayText, entries_text
from autodiff.core.symbolic.op_names import reader_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node, OpNode

Shape = tuple[int, ...]
NO_READS: frozenset[int | str] = frozenset()
LOGIC = {"logical_and": "&", "logical_or": "|", "logical_not": "~"}


class CustomCallName(str):
    """The displayed name of a call of a function defined in the script. It equals the name of that call only.

    ``operand`` is the operand whose gradient the call gives; None for the call's value.
    """

    node: Node
    operand: int | None

    def __new__(cls, shown: str, node: Node, operand: int | None = None) -> CustomCallName:
        made = super().__new__(cls, shown)
        made.node, made.operand = node, operand
        return made

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CustomCallName)
            and str.__eq__(self, other)
            and (self.node, self.operand) == (other.node, other.operand)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other


#: Functions that spell the ops that need their own spelling. A function may return None for the default.
SYMBOL_SPELLERS: dict[str, Callable[[list[Symbol], dict[str, Any]], Symbol | None]] = {}


def _unary(op: str) -> Callable[[Any], Any]:
    return lambda self: OPS[op](self)


def _binary(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: OPS[op](self, other)


def _reflected(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: OPS[op](other, self)


class Operators:
    """The operators, ``ndim`` and ``size`` of any class with a ``shape`` that replaces tensors in a rule."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy arrays on the left defer to these operators
    shape: Shape

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
    __matmul__ = _binary("matmul")
    __rmatmul__ = _reflected("matmul")
    __neg__ = _unary("neg")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __eq__ = _binary("eq")
    __ne__ = _binary("ne")
    __and__ = _binary("logical_and")
    __rand__ = _reflected("logical_and")
    __or__ = _binary("logical_or")
    __ror__ = _reflected("logical_or")
    __invert__ = _unary("logical_not")
    __hash__ = object.__hash__

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return entry_count(self.shape)

    @property
    def T(self) -> Any:
        """The transpose: the dimensions in reverse order."""
        return OPS["permute"](self, dims=tuple(range(self.ndim - 1, -1, -1)))


class Symbol(Operators):
    """A stand-in for a tensor in a rule, which records what the rule computes from it.

    ``reads`` says which saved values it was computed from. Only ``values_read`` sets it.

    >>> x = Symbol(name_expr("x"))
    >>> str((x * 2 - 1).expr)
    'x*2 - 1'
    """

    __slots__ = ("dtype", "expr", "extent", "reads", "shape")

    def __init__(
        self,
        expr: Expr,
        shape: Shape = (),
        *,
        extent: Shape | None = None,
        dtype: DType = float64,
        reads: frozenset[int | str] = NO_READS,
    ) -> None:
        self.expr = expr
        self.shape = shape
        self.extent = shape if extent is None else extent
        self.dtype = dtype
        self.reads = reads

    def __repr__(self) -> str:
        return f"<symbol {self.expr} of shape {self.shape}>"

    def reshaped(self, shape: Shape, extent: Shape | None = None) -> Symbol:
        """The same expression with another shape and extent."""
        return Symbol(self.expr, shape, extent=extent, dtype=self.dtype, reads=self.reads)

    def expanded_expr(self) -> Expr:
        """The expression expanded to all entries of the shape, for ops that do not broadcast."""
        if entry_count(self.extent) == self.size:
            return self.expr
        if entry_count(self.extent) == 1:
            return times_ones(self.expr, self.shape)
        return call("expand", self.expr, details=(str(self.shape),), params={"shape": self.shape})


def entry_count(shape: Shape) -> int:
    """The number of entries of a shape."""
    size = 1
    for n in shape:
        size *= n
    return size


def broadcast_shapes(shapes: Sequence[Shape]) -> Shape:
    """The common shape. The shapes are known to fit: ops refuse others when they run."""
    longest = max(map(len, shapes), default=0)
    common = [1] * longest
    for shape in shapes:
        for back, n in enumerate(reversed(shape), 1):
            if n != 1:
                common[-back] = n
    return tuple(common)


def as_symbol(value: Any) -> Symbol:
    """A symbol for a constant in a rule."""
    if value.__class__ is Symbol:
        assert isinstance(value, Symbol)
        return value
    if value.__class__ in PLAIN_NUMBERS:
        return Symbol(number_expr(value))
    array = np.asarray(value)
    return Symbol(constant_expr(array), array.shape)


def constant_expr(array: Any) -> Expr:
    """The expression for a constant: one number, or a list that shows only the ends if it is long."""
    if array.size == 1:
        return number_expr(array.item())
    return name_expr(ArrayText(entries_text(array, 4), array))


def apply(op: Op, operands: tuple[Any, ...], params: dict[str, Any]) -> Symbol:
    """The result of an op on symbols."""
    symbols = [as_symbol(x) for x in operands]
    spell = SYMBOL_SPELLERS.get(op.name)
    result = None if spell is None else spell(symbols, params)
    if result is None:
        result = _entrywise(op, symbols, params) if op.is_elementwise else _general(op, symbols, params)
    expr = result.expr
    if (
        not op.is_elementwise
        and expr.shapes is None
        and expr.head in ("call", "postfix", "@")
        and len(expr.args) == len(symbols)
        and all(expr is not x.expr for x in symbols)
    ):
        expr.shapes = tuple(x.shape for x in symbols)
    for x in symbols:
        if x.reads and x.reads is not result.reads:
            result.reads = result.reads | x.reads
    return result


APPLIERS[Symbol] = apply


def _entrywise(op: Op, symbols: list[Symbol], params: dict[str, Any]) -> Symbol:
    exprs = [x.expr for x in symbols]
    shape = broadcast_shapes([x.shape for x in symbols])
    extent = broadcast_shapes([x.extent for x in symbols])
    return Symbol(_op_expr(op, exprs, params), shape, extent=extent, dtype=symbols[0].dtype)


def _general(op: Op, symbols: list[Symbol], params: dict[str, Any]) -> Symbol:
    shape = _shape_by_forward(op, symbols, params)
    return Symbol(_op_expr(op, [x.expanded_expr() for x in symbols], params), shape, dtype=symbols[0].dtype)


def _op_expr(op: Op, exprs: list[Expr], params: dict[str, Any]) -> Expr:
    sign = op.infix or LOGIC.get(op.name)
    if sign is not None and not params:
        if len(exprs) == 2:
            return infix(sign, *exprs)
        return neg(exprs[0]) if sign == "-" else Expr(sign, (exprs[0],))
    said = reader_name(op.name)
    named = params if said == op.name else {**params, "op": op.name}
    return call(said, *exprs, details=spell_params(params), params=named)


def spell_params(params: dict[str, Any], *, complete: bool = False) -> tuple[str, ...]:
    """Parameters as text, ``dim=0, keepdim=True``, without defaults such as None and False.

    Arrays are written with all their entries if ``complete``.
    """
    spelled = []
    for key, value in params.items():
        if value is None or value is False or (value.__class__ is tuple and not value):
            continue
        if value.__class__ is tuple and len(value) == 1 and key != "shape":
            value = value[0]
        spelled.append(f"{key}={spell_value(value, complete=complete)}")
    return tuple(spelled)


def spell_key(params: dict[str, Any], *, complete: bool = False) -> str:
    """``[0, 1:3]``: the key of ``part`` or ``embed``."""
    keys = (*params["basic"], *params["advanced"])
    return "[" + ", ".join(spell_value(key, complete=complete) for key in keys) + "]"


def spell_value(value: Any, *, complete: bool = False) -> str:
    if value.__class__ is slice:
        ends = ["" if end is None else str(end) for end in (value.start, value.stop)]
        return ":".join([*ends, str(value.step)] if value.step not in (None, 1) else ends)
    if value.__class__ is tuple:
        inside = ", ".join(spell_value(one, complete=complete) for one in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.ndarray):
        return entries_text(value, value.size if complete else 6)
    return repr(value) if value.__class__ is str else str(value)


def _shape_by_forward(op: Op, symbols: list[Symbol], params: dict[str, Any]) -> Shape:
    """The shape of the result, found by running the op on ones or identity matrices, which all ops accept."""
    with np.errstate(all="ignore"):
        arrays = []
        for x in symbols:
            is_square = len(x.shape) > 1 and x.shape[-1] == x.shape[-2]
            block: Any = np.eye(x.shape[-1]) if is_square else 1.0
            arrays.append(np.broadcast_to(block, x.shape).astype(x.dtype.name))
        return tuple(np.shape(op.forward(*arrays, **params)))


# -- what rules read ------------------------------------------------------------------------------------


def is_custom(op: Op) -> bool:
    """Whether the op is a class defined in a script. Its rule takes Tensors and cannot be spelled."""
    return op.doc == CUSTOM_OP_DOC or op.name not in OPS


def values_read(node: Node) -> frozenset[int | str]:
    """The saved values that the rules of a node's tracked operands read: operand numbers and ``"out"``.

    ``x + y`` reads nothing, ``x * y`` the other factor, ``exp(x)`` its own result. A shape is not a value.
    """
    op = node.op
    assert op is not None
    everything: frozenset[int | str] = frozenset(range(len(node.inputs)))
    if op.saved is not None:
        tracked = [index for index, below in enumerate(node.inputs) if below is not None and below.tracked]
        saved = op.saved(node) if callable(op.saved) else op.saved
        return frozenset(value for index in tracked for value in saved[index])
    if is_custom(op):
        return everything
    try:
        return _trace_reads(op, node)
    except RULE_ERRORS:
        return everything | {"out"}


def _trace_reads(op: Op, node: Node) -> frozenset[int | str]:
    operands = tuple(
        Symbol(name_expr(f"x{index}"), _shape(value), dtype=dtype_of_value(value), reads=frozenset({index}))
        for index, value in enumerate(node.operands)
    )
    shape = _shape(node.out)
    out = Symbol(name_expr("out"), shape, reads=frozenset({"out"}))
    read = NO_READS
    for index, below in enumerate(node.inputs):
        if below is not None and below.tracked:
            g = Symbol(name_expr(incoming.letter), shape)
            read |= op.contribution(index, g, out, operands, node.params).reads
    return read


def _shape(value: Any) -> Shape:
    return () if value.__class__ in PLAIN_NUMBERS else tuple(value.shape)


def dtype_of_value(value: Any) -> DType:
    """The dtype of a value; plain numbers count as float64."""
    return float64 if value.__class__ in PLAIN_NUMBERS else DTYPES.get(str(value.dtype), float64)


# -- one edge -------------------------------------------------------------------------------------------


def symbolic_vjp(node: Node, index: int, g: Symbol, out: Symbol, operands: tuple[Symbol, ...]) -> Symbol:
    """The vjp of operand ``index`` as a symbol: what the operand receives when ``out`` receives ``g``."""
    op = node.op
    assert op is not None
    shape = operands[index].shape
    if is_custom(op):
        from autodiff.core.engine.custom_call import OutputPartOp

        if isinstance(op, OutputPartOp):
            text = CustomCallName(f"{op.name}.output", node, index)
            return Symbol(call(text, g.expr, details=(str(op.position),)), shape)
        answer = call(CustomCallName(f"{op.name}.backward", node, index), g.expr)
        return Symbol(custom_result(answer, index) if len(node.inputs) > 1 else answer, shape)
    try:
        c = as_symbol(op.contribution(index, g, out, operands, node.params))
        return apply(OPS["sum_to"], (c,), {"shape": shape}) if op.is_elementwise else c
    except RULE_ERRORS:
        # A rule that computes with its operands' entries cannot take symbols. Name the vjp instead.
        others = tuple(operands[at].expanded_expr() for at in range(len(operands)))
        return Symbol(
            call(f"{op.name}_vjp", g.expanded_expr(), *others, details=spell_params(node.params)), shape
        )


def custom_result(made: Expr, position: int) -> Expr:
    """One of several results of a function defined in the script."""
    return postfix(made, f"[{position}]", "answer")


def is_factor(node: OpNode, index: int) -> bool:
    """Whether an edge multiplies each entry of the incoming gradient by a number.

    True for elementwise ops. Not for an operand that was broadcast to more entries, such as a bias that is
    added to every row: it receives a sum over them.
    """
    op = node.op
    below = node.inputs[index]
    return (
        op.is_elementwise and not is_custom(op) and (below is None or prod(below.shape) == prod(node.shape))
    )


def symbolic_derivative(node: OpNode, index: int, out: Symbol, operands: tuple[Symbol, ...]) -> Symbol:
    """The derivative of an edge: d out/d operand if it is a factor, else the vjp applied to ``G``."""
    if is_factor(node, index):
        return elementwise_derivative(node, index, out, operands)
    return symbolic_vjp(node, index, Symbol(name_expr(incoming.letter), out.shape), out, operands)


def elementwise_derivative(node: OpNode, index: int, out: Symbol, operands: tuple[Symbol, ...]) -> Symbol:
    """d out/d operand of an elementwise op, in each entry of the result."""
    op = node.op
    if op.vjps:
        g = Symbol(number_expr(1), out.shape, extent=())
        return as_symbol(op.vjps[index](g, out, *operands, **node.params))
    partial = op.partials[index]
    return as_symbol(partial if isinstance(partial, int) else partial(out, *operands))


from autodiff.core.symbolic import op_spellings as _op_spellings  # noqa: E402, F401 - it registers itself
