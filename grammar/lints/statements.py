"""The walk over each kind of statement: what it binds, how its branches join, whether its end is reached."""

from __future__ import annotations

from autodiff.grammar.lints.calls import is_constant
from autodiff.grammar.lints.values import FUNCTION, LIST, NUMBER, OTHER, UNKNOWN, Value
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from autodiff.grammar.lints.flow import Flow

MOST_TURNS = 16  # the most elements of a list that a loop is followed through one by one


def do_expression(flow: Flow, node: tree.ExpressionStatement) -> None:
    flow.note("effect", node, flow.value(node.value))


def do_assign(flow: Flow, node: tree.Assign) -> None:
    value = flow.value(node.value)
    flow.note("assign", node, value)
    for target in node.targets:
        flow.bind(target, value)


def do_augmented(flow: Flow, node: tree.AugmentedAssign) -> None:
    value = flow.value(node.value)
    if isinstance(node.target, tree.Name):
        owner = flow.look_up(node.target.id) or Value(UNKNOWN)
    elif isinstance(node.target, tree.Subscript):
        owner = flow.value(node.target.object)
        flow.value(node.target.index)
    else:
        owner = flow.value(node.target)
    flow.note("augment", node, owner, value)
    if owner.is_tensor and not (node.op == "@" and isinstance(node.target, tree.Name)):
        flow.note("in-place", node, owner, (value,))
        flow.change(owner, (value,))
    elif isinstance(node.target, tree.Name):
        made = flow.operation(node, node.op, (owner, value))
        flow.note("bind", node.target, made, owner)
        flow.env[node.target.id] = made
        made.names.append((node.target.id, node))


def do_if(flow: Flow, node: tree.If) -> bool:
    ways = []
    for way, (test, body) in enumerate(node.branches):
        flow.value(test)
        ways.append(flow.branch(node, way, body))
    ways.append(flow.branch(node, len(node.branches), node.orelse))
    open_ways = [way for way in ways if way is not None]
    flow.join(open_ways)
    return not open_ways


def do_for(flow: Flow, node: tree.For) -> None:
    iterable = flow.value(node.iterable)
    elements = iterable.inputs if iterable.kind == LIST and len(iterable.inputs) <= MOST_TURNS else None
    counted = iterable.number if iterable.kind == OTHER and isinstance(iterable.number, int) else None
    turns = 2 if counted is None else min(2, counted)
    if elements is not None:
        turns = len(elements)
    elif iterable.kind == LIST:
        flow.escape((iterable,))  # too many iterations to follow each element
    certain = turns > 0 and (elements is not None or counted is not None)
    counts = isinstance(node.iterable, tree.Call) and iterable.kind == OTHER
    before = flow.env
    flow.loops.append(node)
    flow.env = dict(before)
    reached = True
    for turn in range(turns):
        element = Value(NUMBER if counts else UNKNOWN, node.target, iterable.inputs)
        if elements is not None:
            element = elements[turn]
        elif iterable.is_tensor:
            element = flow.operation(node.target, "unbind", (iterable,))
        flow.place.append((id(node), turn, True))
        flow.statement = node
        if counts:
            element.inputs = ()
        flow.bind(node.target, element)
        ended = flow.run(node.body)
        flow.place.pop()
        if ended:
            reached = False
            break
    flow.loops.pop()
    after, flow.env = flow.env, before
    flow.join([after] if certain and reached and not has_jump(node.body) else [dict(before), after])
    flow.forget_lost()
    flow.run(node.orelse)


def has_jump(body: Iterable[tree.Statement]) -> bool:
    return any(isinstance(part, (tree.Break, tree.Continue, tree.Return)) for part in walk(*body))


def do_while(flow: Flow, node: tree.While) -> None:
    before = flow.env
    flow.loops.append(node)
    flow.env = dict(before)
    for turn in range(2):
        flow.value(node.test)
        flow.place.append((id(node), turn, True))
        ended = flow.run(node.body)
        flow.place.pop()
        if ended:
            break
    flow.loops.pop()
    after, flow.env = flow.env, before
    flow.join([dict(before), after])
    flow.forget_lost()
    flow.run(node.orelse)


def do_with(flow: Flow, node: tree.With) -> bool:
    before = flow.recording
    for context, target in node.items:
        flow.value(context)
        if target is not None:
            flow.bind(target, Value(OTHER, context))
        flow.recording = mode_of(context)
    ended = flow.run(node.body)
    flow.recording = before
    return ended


def mode_of(context: Any) -> bool | None:
    """Whether the graph is recorded inside ``with context``."""
    name = context.function if isinstance(context, tree.Call) else context
    word = name.name if isinstance(name, tree.Attribute) else name_id(name)
    given = context.arguments if isinstance(context, tree.Call) else ()
    if word == "no_grad" or (word == "inference_mode" and not given):
        return False
    if word == "enable_grad" or (word == "set_grad_enabled" and given and is_constant(given[0].value, True)):
        return True
    if word == "set_grad_enabled" and given and is_constant(given[0].value, False):
        return False
    return None


def name_id(node: Any) -> str:
    return node.id if isinstance(node, tree.Name) else ""


def do_return(flow: Flow, node: tree.Return) -> bool:
    flow.returned.append(flow.value(node.value))
    if flow.conditional:
        flow.returned.append(Value(UNKNOWN))
    return True


def do_jump(flow: Flow, node: tree.Statement) -> bool:
    return True


def do_function(flow: Flow, node: Any) -> None:
    for parameter in node.parameters:
        if parameter.default is not None:
            flow.value(parameter.default)
    made = flow.env[node.name] = Value(FUNCTION, node)
    made.scope = [*flow.outer, flow.env]


def do_class(flow: Flow, node: tree.ClassDef) -> None:
    flow.env[node.name] = Value(OTHER, node)


def do_assert(flow: Flow, node: tree.Assert) -> None:
    flow.value(node.test)
    if node.message is not None:
        flow.value(node.message)


def do_delete(flow: Flow, node: tree.Delete) -> None:
    for target in node.targets:
        if isinstance(target, tree.Name):
            flow.env.pop(target.id, None)
        elif isinstance(target, tree.Attribute) and target.name == "grad":
            flow.note("reset", target, flow.value(target.object))


USUAL_NAMES = {
    "torch.nn.functional": "F",
    "numpy": "np",
    "torch.linalg": "linalg",
    "torch.autograd": "autograd",
}


def do_import(flow: Flow, node: Any) -> None:
    """Handle an import: a module under its usual name keeps its meaning, other names are unknown."""
    for name, alias in node.names:
        bound = alias or name
        whole = f"{node.module}.{name}" if isinstance(node, tree.ImportFrom) else name
        same = bound in (name.partition(".")[0], USUAL_NAMES.get(whole))
        if same:
            flow.env.pop(bound, None)
        elif bound != "*":
            flow.env[bound] = Value(UNKNOWN, node)


STATEMENTS: dict[type, Callable[[Any, Any], bool | None]] = {
    tree.ExpressionStatement: do_expression,
    tree.Assign: do_assign,
    tree.AugmentedAssign: do_augmented,
    tree.If: do_if,
    tree.For: do_for,
    tree.While: do_while,
    tree.With: do_with,
    tree.Return: do_return,
    tree.Break: do_jump,
    tree.Continue: do_jump,
    tree.FunctionDef: do_function,
    tree.ClassDef: do_class,
    tree.Assert: do_assert,
    tree.Delete: do_delete,
    tree.Import: do_import,
    tree.ImportFrom: do_import,
}
