"""Repairs that ask for a gradient where something is made, or leave the graph where one is in the way."""

from __future__ import annotations

from autodiff.core.errors import Edit, Fix, Label
from autodiff.core.functions import Function
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.proposals.scene import Scene, after, atom, is_method, owner_of
from autodiff.grammar.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def require_gradient(scene: Scene) -> Iterator[Fix]:
    """``requires_grad=True`` where something that the target was made from is created."""
    start = scene.node
    if is_method(start, "backward") or is_method(start, "retain_grad"):
        start = owner_of(start)
    elif isinstance(start, syntax.Call) and start.arguments:
        start = start.arguments[0].value
    found, ends = origins(scene, start)
    for node, kept, why in ends:
        scene.error.caret = "the graph was left on the way to this"
        scene.error.help = ()
        scene.error.labels.append(Label(node.span, why))
        if kept:
            yield Fix(f"stay in the graph: write {kept} for {scene.text(node)}", Edit(node.span, kept))
    for name, call in found if not ends else ():
        function = scene.value(call.function)
        if any(p.name == "requires_grad" for p in function.parameters):
            edit = scene.with_argument(call, "requires_grad=True")
        else:
            edit = Edit(Span(call.span.end, call.span.end), ".requires_grad_()")
        new = after(scene, call, edit)
        line = scene.line(call.span)
        yield Fix(f"ask for it where `{name}` is made, in line {line}: {name} = {new}", edit)


End = tuple["Any", str, str]


def origins(scene: Scene, start: Any) -> tuple[list[tuple[str, syntax.Call]], list[End]]:
    """The calls that create tensors, followed back through the names an expression was made from.

    Beside them the places where the graph was left, by ``no_grad``, ``detach()``, ``.data`` or ``item()``,
    with what to write there instead and what to say about it.
    """
    found: list[tuple[str, syntax.Call]] = []
    ends: list[End] = []
    seen: set[str] = set()
    todo = [start]
    while todo:
        for node in walk(todo.pop(0)):
            if is_method(node, "detach"):
                ends.append((node, atom(scene.text(owner_of(node))), "detach() leaves the graph"))
            elif isinstance(node, syntax.Attribute) and node.name == "data":
                ends.append((node, scene.text(node.object), ".data is outside of the graph"))
            if not isinstance(node, syntax.Name) or node.id in seen:
                continue
            seen.add(node.id)
            for statement in scene.assignments(node.id):
                ends += unrecorded(scene, statement)
                value: Any = statement.value
                numbers = [n for n in walk(value) if is_method(n, "item")]
                if creates(scene, value) and numbers:
                    ends.append((value, scene.text(numbers[0].function.object), "a number has no graph"))
                elif creates(scene, value):
                    found.append((node.id, value))
                else:
                    todo.append(value)
    return found, ends


FILLED = ("tensor", "zeros", "ones", "full", "rand", "randn", "randint", "eye", "arange", "linspace")
CREATE = frozenset([*FILLED, "Tensor", "FloatTensor", "DoubleTensor", "Variable"])


def creates(scene: Scene, node: Any) -> bool:
    """Whether an expression is the call of a function that makes leaves."""
    function = scene.value(node.function) if isinstance(node, syntax.Call) else None
    return function.__class__ is Function and (function.name in CREATE or function.name.endswith("_like"))


def unrecorded(scene: Scene, statement: Any) -> list[End]:
    """The ``with no_grad():`` around an assignment; of a step along the gradient the step itself."""
    value: Any = statement.value
    if any(isinstance(node, syntax.Attribute) and node.name == "grad" for node in walk(value)):
        target = step_target(statement)
        if target is None:
            return []
        step = f"{target.id} -= {scene.text(value.right)}"
        return [(statement, step, "under no_grad() this makes a tensor without a graph")]
    return [
        (context, "torch.enable_grad()", "nothing is recorded under this")
        for node in path_to(scene.script, statement.span)
        if isinstance(node, syntax.With)
        for context, _ in node.items
        if "no_grad" in scene.text(context) or "inference_mode" in scene.text(context)
    ]


def step_target(statement: Any) -> syntax.Name | None:
    """The ``w`` of ``w = w - lr * w.grad``."""
    if not isinstance(statement, syntax.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, syntax.Name) or not isinstance(value, syntax.Binary) or value.op != "-":
        return None
    return target if isinstance(value.left, syntax.Name) and value.left.id == target.id else None


def require_input(scene: Scene) -> Iterator[Fix]:
    """``grad()`` was asked for a tensor that requires no gradient."""
    for x, _ in scene.given():
        for name, value in scene.values.items():
            if value is x:
                for made, call in origins(scene, syntax.Name(scene.span, name))[0]:
                    edit = scene.with_argument(call, "requires_grad=True")
                    yield Fix(f"ask for it where `{made}` is made: {made} = {after(scene, call, edit)}", edit)
                return


def allow_unused(scene: Scene) -> Iterator[Fix]:
    """None for what the output does not depend on."""
    call = scene.node
    if isinstance(call, syntax.Call):
        edit = scene.with_argument(call, "allow_unused=True")
        yield Fix(f"take None for it: {after(scene, call, edit)}", edit)


def detach_instead(scene: Scene) -> Iterator[Fix]:
    """``y = y.detach()`` for a computed tensor that is to stop requiring gradients."""
    node = scene.node
    owner = owner_of(node) if is_method(node, "requires_grad_") else object_of(node)
    if isinstance(owner, syntax.Name):
        new = f"{owner.id} = {owner.id}.detach()"
        yield Fix(f"stop the gradient there: {new}", Edit(scene.statement.span, new))


def object_of(node: Any) -> Any:
    return node.object if isinstance(node, syntax.Attribute) else None


def detach_first(scene: Scene) -> Iterator[Fix]:
    """``.detach()`` before ``.numpy()``."""
    call = scene.node
    if is_method(call, "numpy"):
        end = owner_of(call).span.end
        edit = Edit(Span(end, end), ".detach()")
        yield Fix(f"leave the graph first: {after(scene, call, edit)}", edit)


PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {
    "E0405": detach_instead,
    "E0406": require_gradient,
    "E0408": require_input,
    "E0409": allow_unused,
    "E0410": require_gradient,
    "E0414": detach_first,
}
