"""Static evaluation of expressions: a leaf, a value computed from leaves, a plain tensor or a number.

Nothing is computed. Evaluating an expression records its side effects as events: reads of ``.grad``, backward
passes, changes in place.
"""

from __future__ import annotations

from autodiff.grammar.lints.values import (
    FUNCTION,
    GRAPH,
    KEEPING,
    LIST,
    NAMESPACES,
    NO_SLOPE,
    NUMBER,
    OTHER,
    PLAIN,
    SEVERAL,
    UNKNOWN,
    WATCHED,
    Value,
    ancestors,
)
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MOST_STEPS = 20_000


class Event:
    """One action of a script: its kind, the syntax node that performs it and the value it is performed on.

    ``place`` holds the enclosing branches and loop iterations, ``loops`` the enclosing loops. ``recording``
    says whether the graph is recorded there (None: not known). ``other`` is a second value.

    ============================== ======================================== ================================
    kind                           value                                    other
    ============================== ======================================== ================================
    apply                          the result of an op on known values      the op's name and its operands
    assign, effect                 what is assigned; an expression's value
    bind                           what a name gets                         what it had, None if nothing
    augment                        what ``+=`` and others change            the right-hand side
    in-place                       the tensor that is changed               the operands, a tuple
    compare                        the first operand                        the last operand
    attribute, grad, set-attribute the object; its ``.grad`` is read
    method, call                   the object, the function called
    maker, copy                    a new tensor; the one that is copied     the operands of the maker
    keep                           what is appended                         the list
    backward                       the output
    pass                           the output of backward or of ``grad``    the inputs of ``grad``
    reset, require                 whose gradient is cleared; the new leaf
    opaque, escape                 an unknown function; what is passed to it
    ============================== ======================================== ================================
    """

    __slots__ = ("kind", "loops", "node", "other", "place", "recording", "statement", "value")

    def __init__(self, kind: str, node: Any, value: Value, other: Any, flow: Evaluator) -> None:
        self.kind = kind
        self.node = node
        self.value = value
        self.other = other
        self.statement = flow.statement
        self.recording = flow.recording
        self.place = tuple(flow.place)
        self.loops = tuple(flow.loops)


class Evaluator:
    """Evaluates expressions in an environment. The walk over statements maintains ``place`` and ``loops``."""

    def __init__(self, is_function: Callable[[str], bool], bound: frozenset[str]) -> None:
        self.is_function = is_function
        self.bound = bound
        self.events: list[Event] = []
        self.env: dict[str, Value] = {}
        self.outer: list[dict[str, Value]] = []
        self.recording: bool | None = True
        self.default_is_double = True
        self.statement: Any = None
        self.place: list[tuple[int, int, bool]] = []
        self.loops: list[Any] = []
        self.depth = 0
        self.steps = 0
        self.called: set[int] = set()

    def note(self, kind: str, node: Any, value: Value, other: Any = None) -> None:
        self.events.append(Event(kind, node, value, other, self))

    @property
    def conditional(self) -> bool:
        """Whether the current statement may not run: it is inside a branch, not only inside loops."""
        return any(not is_loop for _, _, is_loop in self.place)

    def look_up(self, name: str) -> Value | None:
        """The value of a name; None where the script does not bind the name."""
        if name in self.env:
            return self.env[name]
        for env in reversed(self.outer):
            if name in env:
                return env[name]
        return Value(UNKNOWN) if name in self.bound else None

    def value(self, node: Any) -> Value:
        """What is known of the value of an expression."""
        self.steps += 1
        if node is None or self.steps > MOST_STEPS:
            return Value(UNKNOWN)
        read = EXPRESSIONS.get(node.__class__)
        if read is not None:
            return read(self, node)
        inputs = self.values(part for part in children(node))
        return Value(OTHER if isinstance(node, (tree.FString, tree.String)) else UNKNOWN, node, inputs)

    def values(self, nodes: Iterable[Any]) -> tuple[Value, ...]:
        return tuple([self.value(node) for node in nodes])

    def operation(self, node: Any, name: str, inputs: tuple[Value, ...]) -> Value:
        """The result of an operation that has a derivative."""
        parts = tuple([part for one in inputs for part in (one.inputs if one.kind == LIST else (one,))])
        asks = any(one.requires_grad for one in parts)
        known = not any(one.kind in (UNKNOWN, FUNCTION) for one in parts)
        made = Value(UNKNOWN, node, parts, keeps=name in KEEPING)
        made.single = name not in SEVERAL
        if asks and self.recording:
            made.kind = GRAPH
        elif asks and self.recording is False and known:
            made.kind, made.cut = PLAIN, "no_grad"
        elif known and not asks:
            made.kind = PLAIN if any(one.is_tensor for one in parts) else NUMBER
            if made.kind == NUMBER and all(isinstance(one.number, int) for one in parts):
                made.integer = True
            elif made.kind == PLAIN:
                made.integer = None if not all(one.integer for one in parts) else True
        if name in WATCHED or made.kind == GRAPH:
            self.note("apply", node, made, (name, parts))
        return made


# -- names and displays ----------------------------------------------------------------------------


def read_name(flow: Evaluator, node: tree.Name) -> Value:
    found = flow.look_up(node.id)
    return Value(FUNCTION, node) if found is None else found


def read_number(flow: Evaluator, node: tree.Number) -> Value:
    made = Value(NUMBER, node)
    made.number = node.value
    made.integer = isinstance(node.value, int)
    return made


def read_constant(flow: Evaluator, node: tree.Constant) -> Value:
    return Value(OTHER, node)


def read_display(flow: Evaluator, node: Any) -> Value:
    inputs = flow.values(node.elements)
    if any(isinstance(element, tree.Starred) for element in node.elements):
        return Value(UNKNOWN, node, inputs)
    return Value(LIST, node, inputs)


def read_comprehension(flow: Evaluator, node: tree.Comprehension) -> Value:
    before = flow.env
    flow.env = dict(before)
    inputs = []
    for clause in node.clauses:
        inputs.append(flow.value(clause.iterable))
        for part in walk(clause.target):
            if isinstance(part, tree.Name):
                flow.env[part.id] = Value(UNKNOWN, node, tuple(inputs))
        flow.values(clause.conditions)
    inputs.append(flow.value(node.element))
    flow.env = before
    return Value(UNKNOWN, node, tuple(inputs))


def read_lambda(flow: Evaluator, node: tree.Lambda) -> Value:
    made = Value(FUNCTION, node)
    made.scope = [*flow.outer, flow.env]
    return made


# -- operators -------------------------------------------------------------------------------------


def read_unary(flow: Evaluator, node: tree.Unary) -> Value:
    inner = flow.value(node.operand)
    if node.op == "not":
        return Value(OTHER, node)
    made = flow.operation(node, node.op, (inner,))
    if inner.number is not None:
        made.number = -inner.number if node.op == "-" else inner.number
    made.integer = inner.integer
    return made


def read_binary(flow: Evaluator, node: tree.Binary) -> Value:
    operands = (flow.value(node.left), flow.value(node.right))
    if LIST in (operands[0].kind, operands[1].kind):
        return Value(UNKNOWN, node, operands)
    made = flow.operation(node, node.op, operands)
    if node.op in ("//", "%", "&", "|", "^", "<<", ">>") and made.kind == GRAPH:
        made.kind = UNKNOWN
    return made


def read_comparison(flow: Evaluator, node: tree.Comparison) -> Value:
    operands = flow.values((node.first, *(part for _, part in node.rest)))
    flow.note("compare", node, operands[0], operands[-1])
    tensors = any(one.is_tensor for one in operands)
    entry_by_entry = len(node.rest) == 1 and node.rest[0][0] in ("==", "!=", "<", "<=", ">", ">=")
    if tensors and entry_by_entry:
        return Value(PLAIN, node, operands, cut=NO_SLOPE)
    return Value(OTHER, node)


def read_either(flow: Evaluator, node: Any) -> Value:
    """The value of ``a or b`` or ``a if t else b``: not known which."""
    inputs = flow.values(children(node))
    return Value(UNKNOWN, node, inputs)


def read_subscript(flow: Evaluator, node: tree.Subscript) -> Value:
    owner = flow.value(node.object)
    index = flow.value(node.index)
    if owner.kind == LIST:
        at = index.number
        if isinstance(at, int) and -len(owner.inputs) <= at < len(owner.inputs):
            return owner.inputs[at]
        return Value(UNKNOWN, node, owner.inputs)
    if owner.is_tensor:
        made = flow.operation(node, "[]", (owner,))
        made.single = owner.single or not isinstance(node.index, tree.Slice)
        made.integer = owner.integer
        places = index.inputs if isinstance(node.index, tree.TupleDisplay) else (index,)
        made.is_view = all(one.kind in (NUMBER, OTHER) for one in places)
        made.inputs += positions(places)
        return made
    return Value(UNKNOWN, node, (owner,))


def positions(places: Iterable[Value]) -> tuple[Value, ...]:
    """The places in a subscript at whose values a gradient stops, as of ``x.argsort()``."""
    return tuple(one for one in places if any(before.cut for before in ancestors(one)))


def read_slice(flow: Evaluator, node: tree.Slice) -> Value:
    flow.values(children(node))
    return Value(OTHER, node)


# -- attributes ------------------------------------------------------------------------------------


def read_attribute(flow: Evaluator, node: tree.Attribute) -> Value:
    owner = flow.value(node.object)
    if owner.kind == FUNCTION:
        return Value(FUNCTION, node) if in_namespace(node) else Value(UNKNOWN, node)
    if owner.is_tensor or owner.kind in (UNKNOWN, LIST, NUMBER):
        flow.note("attribute", node, owner)
    if node.name == "grad":
        flow.note("grad", node, owner)
        made = Value(PLAIN if owner.is_tensor else UNKNOWN, node)
        made.grad_of = owner
        return made
    if node.name == "data" and owner.is_tensor:
        return Value(PLAIN, node, (owner,), cut="data")
    if node.name in ("T", "mT", "H", "mH", "values", "real") and owner.is_tensor:
        return flow.operation(node, node.name, (owner,))
    if node.name in ("requires_grad", "is_leaf", "shape", "ndim", "dtype", "grad_fn"):
        return Value(OTHER, node)
    return Value(UNKNOWN, node, (owner,))


def in_namespace(node: tree.Attribute) -> bool:
    """Whether the node is ``torch.exp`` or the like, not an attribute of a value of the script."""
    part: Any = node
    while isinstance(part, tree.Attribute):
        part = part.object
    return isinstance(part, tree.Name) and part.id in NAMESPACES


EXPRESSIONS: dict[type, Callable[[Any, Any], Value]] = {
    tree.Name: read_name,
    tree.Number: read_number,
    tree.Constant: read_constant,
    tree.ListDisplay: read_display,
    tree.TupleDisplay: read_display,
    tree.Comprehension: read_comprehension,
    tree.Lambda: read_lambda,
    tree.Unary: read_unary,
    tree.Binary: read_binary,
    tree.Comparison: read_comparison,
    tree.Boolean: read_either,
    tree.Conditional: read_either,
    tree.Subscript: read_subscript,
    tree.Slice: read_slice,
    tree.Attribute: read_attribute,
}
