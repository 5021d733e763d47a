"""Explains why a gradient cannot be differentiated again, although it was made with ``create_graph=True``.

It is constant, so that the next derivative is 0, or the ``backward`` of a Function used a value of its
``forward``, where nothing is recorded.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.help.failure_scene import Scene, edited_text, is_method, method_owner, with_parentheses
from autodiff.grammar.repair.proposals.graph_cuts import creates_graph
from autodiff.grammar.repair.proposals.position_cuts import function_name
from autodiff.grammar.repair.proposals.value_origins import assignments_to, transitive_users
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Methods = tuple[tree.FunctionDef, tree.FunctionDef]

#: Attributes of a tensor that do not depend on its entries.
PLAIN_ATTRIBUTES = frozenset(["shape", "dtype", "ndim", "device"])


# -- the gradient that is differentiated -----------------------------------------------------------------


def slope_call(scene: Scene, start: Any) -> tree.Call | None:
    """Return the call of ``grad`` with ``create_graph=True`` that an expression was made from, or None."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, tree.Call) and function_name(scene, node) == "grad" and creates_graph(node):
            return node
        waiting += children(node)
        if isinstance(node, tree.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += [value for _, value in assignments_to(scene, node.id)]
    return None


def explain_constant_slope(scene: Scene, start: Any) -> Iterator[Fix]:
    """Explain why the gradient in ``start`` has no graph, and propose what to write instead."""
    made = slope_call(scene, start)
    if made is None or made is start:
        return
    cause = other_cause(scene, made)
    if cause is not None:
        yield from cause
        return
    error = scene.error
    error.is_constant_slope = True
    line = scene.line(made.span)
    error.caret = f"the derivative of line {line} does not depend on any input: the next derivative is 0"
    error.labels.append(Label(made.span, "this derivative is constant"))
    error.help = ("a constant has no graph; `requires_grad` of the derivative says whether it has one",)
    yield from zeros_instead(scene, start)


def other_cause(scene: Scene, made: Any) -> Iterator[Fix] | None:
    """Return what explains why ``made``, though not constant, has no graph; None if nothing does."""
    once = marked_once(scene, made)
    if once is not None:
        return explain_marked_once(scene, *once)
    lost = lost_value(scene, made)
    return None if lost is None else explain_lost_value(scene, lost)


def zeros_instead(scene: Scene, start: Any) -> Iterator[Fix]:
    """Propose zeros where the gradient ``start`` is constant."""
    call, statement = scene.node, scene.statement
    if not isinstance(call, tree.Call) or len(call.arguments) < 2:
        return
    inputs = call.arguments[1].value
    if not isinstance(inputs, tree.Name) or not isinstance(statement, tree.Assign):
        return
    zeros = f"torch.zeros_like({inputs.id})"
    value = statement.value
    if value is call:
        zeros = f"({zeros},)"
    elif not (isinstance(value, tree.Subscript) and value.object is call):
        return
    text = f"{scene.text(value)} if {with_parentheses(scene.text(start))}.requires_grad else {zeros}"
    yield Fix(f"0 where it is constant: {text}", Edit(value.span, text))


def unused_slope(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Explain an input that a first derivative does not depend on, and propose zeros for it."""
    made = slope_call(scene, call.arguments[0].value) if call.arguments else None
    if made is None:
        return
    cause = other_cause(scene, made)
    if cause is not None:
        yield from cause
        return
    given = scene.given()
    shown = given[-1][1] if given else None
    names = [name for name, value in scene.values.items() if given and value is given[-1][0]]
    name = names[0] if names else "this input" if shown is None else scene.text(shown)
    line = scene.line(made.span)
    scene.error.is_constant_slope = True
    scene.error.caret = f"the derivative of line {line} does not depend on {name}: the next derivative is 0"
    scene.error.labels.append(Label(made.span, f"this derivative is constant in {name}"))
    edit = scene.argument_edit(call, "materialize_grads=True")
    yield Fix(f"take zeros for it: {edited_text(scene, call, edit)}", edit)


def none_for_zero(scene: Scene, start: Any) -> Iterator[Fix]:
    """Explain a None in ``start`` that ``allow_unused=True`` gave in place of a derivative of 0."""
    if isinstance(start, tree.Call) and start.arguments and function_name(scene, start) == "grad":
        start = start.arguments[0].value
    if not isinstance(start, tree.Name):
        return
    for statement, value in assignments_to(scene, passed_over(scene, start.id)):
        made: Any = value.object if isinstance(value, tree.Subscript) else value
        if statement.span.end > scene.span.start or function_name(scene, made) != "grad":
            continue
        if scene.argument(made, "allow_unused") is None:
            continue
        scene.error.is_constant_slope = True
        scene.error.caret = f"`{start.id}` is None in place of a derivative that is 0"
        scene.error.labels.append(Label(made.span, "None here: the output does not depend on the input"))
        edit = scene.argument_edit(made, "materialize_grads=True")
        yield Fix(f"take zeros for it: {edited_text(scene, made, edit)}", edit)
        return


def passed_over(scene: Scene, name: str) -> str:
    """Return the name of the values that a loop or a comprehension calls ``name`` in turn, or the name."""
    for node in walk(scene.script):
        if not isinstance(node, (tree.For, tree.ComprehensionFor)) or not isinstance(
            node.iterable, tree.Name
        ):
            continue
        if isinstance(node.target, tree.Name) and node.target.id == name:
            return node.iterable.id
    return name


# -- backward() marked as differentiable once ----------------------------------------------------------------


def marked_once(scene: Scene, made: tree.Call) -> tuple[str, tree.Expression] | None:
    """Return a Function below the output of ``made``, and the ``@once_differentiable`` of its backward."""
    for function in functions_below(scene, made.arguments[0].value if made.arguments else made):
        for part in function.body:
            for decorator in part.decorators if isinstance(part, tree.FunctionDef) else ():
                if scene.text(decorator).rpartition(".")[2] == "once_differentiable":
                    return function.name, decorator
    return None


def explain_marked_once(scene: Scene, name: str, decorator: tree.Expression) -> Iterator[Fix]:
    """Say that a decorator keeps the gradient from having a graph, and propose to leave it out."""
    scene.error.caret = f"`{name}.backward` is marked @once_differentiable: its result has no graph"
    scene.error.labels.append(Label(decorator.span, "this says that its derivative is not to be taken"))
    scene.error.help = ()
    start = scene.source.text.rindex("@", 0, decorator.span.start)
    rest = scene.source.text[decorator.span.end :]
    end = decorator.span.end + len(rest) - len(rest.lstrip())
    yield Fix("leave @once_differentiable out", Edit(Span(start, end), ""))


# -- values of forward that a backward uses ------------------------------------------------------------------


class LostValue:
    """A value computed in ``forward`` of a Function that its ``backward`` uses.

    ``kept`` is the expression that keeps it, ``text`` how ``backward`` reads it.
    """

    __slots__ = ("backward", "forward", "function", "kept", "text")

    def __init__(self, function: tree.ClassDef, methods: Methods, kept: Any, text: str) -> None:
        self.function = function
        self.forward, self.backward = methods
        self.kept = kept
        self.text = text


def lost_value(scene: Scene, made: tree.Call) -> LostValue | None:
    """Return a value that a Function below the output of ``made`` keeps from its forward pass, or None."""
    for function in functions_below(scene, made.arguments[0].value if made.arguments else made):
        methods = {part.name: part for part in function.body if isinstance(part, tree.FunctionDef)}
        forward, backward = methods.get("forward"), methods.get("backward")
        if forward is None or backward is None or not forward.parameters or not backward.parameters:
            continue
        for kept, text in kept_values(scene, forward, backward):
            if is_computed(forward, kept):
                return LostValue(function, (forward, backward), kept, text)
    return None


def functions_below(scene: Scene, start: Any) -> list[tree.ClassDef]:
    """Return the Functions of the script that are applied on the way to an expression."""
    classes = {node.name: node for node in walk(scene.script) if isinstance(node, tree.ClassDef)}
    found: list[tree.ClassDef] = []
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        if not isinstance(node, tree.Name):
            continue
        if node.id in classes and classes[node.id] not in found:
            found.append(classes[node.id])
        elif node.id not in seen:
            seen.add(node.id)
            waiting += [value for _, value in assignments_to(scene, node.id)]
            called = scene.function(node.id)
            waiting += [] if called is None else list(called.body)
    return found


def kept_values(
    scene: Scene, forward: tree.FunctionDef, backward: tree.FunctionDef
) -> Iterator[tuple[Any, str]]:
    """Yield what ``forward`` keeps and ``backward`` reads: the expression, and its text in ``backward``."""
    context, reader = forward.parameters[0].name, backward.parameters[0].name
    read = {scene.text(node) for node in walk(*backward.body) if isinstance(node, tree.Attribute)}
    saved: list[Any] = []
    for node in walk(*forward.body):
        if is_method(node, "save_for_backward") and scene.text(method_owner(node)) == context:
            saved = [argument.value for argument in node.arguments]
        targets: Any = node.targets if isinstance(node, tree.Assign) else ()
        for target in targets:
            is_kept = isinstance(target, tree.Attribute) and scene.text(target.object) == context
            if is_kept and f"{reader}.{target.name}" in read:
                yield node.value, f"{reader}.{target.name}"
    for node in walk(*backward.body):
        if not isinstance(node, tree.Assign) or scene.text(node.value) != f"{reader}.saved_tensors":
            continue
        for target in node.targets:
            parts = target.elements if isinstance(target, (tree.TupleDisplay, tree.ListDisplay)) else ()
            for part, kept in zip(parts, saved, strict=False):
                uses = [one for one in walk(*backward.body) if isinstance(one, tree.Name) and one is not part]
                if isinstance(part, tree.Name) and any(one.id == part.id for one in uses):
                    yield kept, part.id


def is_computed(forward: tree.FunctionDef, kept: Any) -> bool:
    """Whether a kept expression is computed from the inputs of ``forward``; an input or the result is not."""
    inputs = [one.name for one in forward.parameters[1:]]
    returned = [node.value for node in walk(*forward.body) if isinstance(node, tree.Return)]
    if isinstance(kept, tree.Name):
        if kept.id in inputs or any(isinstance(one, tree.Name) and one.id == kept.id for one in returned):
            return False
    elif isinstance(kept, tree.Attribute) and kept.name in PLAIN_ATTRIBUTES:
        return False
    users: dict[str, list[str]] = {}
    for node in walk(*forward.body):
        if isinstance(node, tree.Assign):
            names = [part.id for part in walk(node.value) if isinstance(part, tree.Name)]
            for target in node.targets:
                if isinstance(target, tree.Name):
                    for name in names:
                        users.setdefault(name, []).append(target.id)
    made = transitive_users(inputs, users)
    return any(isinstance(part, tree.Name) and part.id in made for part in walk(kept))


def explain_lost_value(scene: Scene, lost: LostValue) -> Iterator[Fix]:
    """Say which value of ``forward`` has no graph, and propose to compute it again in ``backward``."""
    error, name = scene.error, lost.function.name
    error.caret = f"`{name}.backward` uses {lost.text}, which has no graph: this derivative misses a part"
    error.labels.append(Label(lost.kept.span, "computed in forward, where nothing is recorded"))
    inputs = ", ".join(one.name for one in lost.forward.parameters[1:])
    error.help = (
        f"save the inputs with {lost.forward.parameters[0].name}.save_for_backward({inputs}), and compute"
        f" {lost.text} from them again in backward",
    )
    yield from compute_again(scene, lost)


def compute_again(scene: Scene, lost: LostValue) -> Iterator[Fix]:
    """Propose to save the inputs for ``ctx.mid = mid`` and to compute ``mid`` in ``backward``."""
    statement = next(
        (n for n in walk(*lost.forward.body) if isinstance(n, tree.Assign) and n.value is lost.kept), None
    )
    if statement is None or any(is_method(node, "save_for_backward") for node in walk(*lost.forward.body)):
        return
    kept: Any = lost.kept
    if isinstance(kept, tree.Name):
        made = [
            node.value
            for node in walk(*lost.forward.body)
            if isinstance(node, tree.Assign)
            and any(isinstance(one, tree.Name) and one.id == kept.id for one in node.targets)
        ]
        if len(made) != 1:
            return
        kept = made[0]
    inputs = [one.name for one in lost.forward.parameters[1:]]
    used = [name for name in inputs if any(isinstance(n, tree.Name) and n.id == name for n in walk(kept))]
    names = {part.id for part in walk(kept) if isinstance(part, tree.Name)} - {*inputs, "torch", "math", "F"}
    if names or not used:
        return
    context, reader = lost.forward.parameters[0].name, lost.backward.parameters[0].name
    first = lost.backward.body[0].span.start
    column = scene.source.position(first)[1] - 1
    unpacked = f"{', '.join(used)}{',' * (len(used) == 1)} = {reader}.saved_tensors"
    reads = [
        Edit(node.span, f"({scene.text(kept)})")
        for node in walk(*lost.backward.body)
        if isinstance(node, tree.Attribute) and scene.text(node) == lost.text
    ]
    yield Fix(
        f"compute it again in backward: {unpacked}, and ({scene.text(kept)}) for {lost.text}",
        Edit(statement.span, f"{context}.save_for_backward({', '.join(used)})"),
        Edit(Span(first, first), f"{unpacked}\n{' ' * column}"),
        *reads,
    )
