"""Repairs of backward passes that cannot start or go on, and of changes that a graph does not allow."""

from __future__ import annotations

from autodiff.core.errors import Edit, Fix, Label
from autodiff.core.functions import Function
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.proposals.scene import Scene, after, atom
from autodiff.grammar.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LONGEST_QUOTE = 60


def is_method(node: Any, name: str) -> bool:
    """Whether a node is the call of a method of this name."""
    return (
        isinstance(node, syntax.Call)
        and isinstance(node.function, syntax.Attribute)
        and node.function.name == name
    )


def owner_of(call: Any) -> Any:
    """What a method is called on."""
    return call.function.object


# -- where a pass starts ----------------------------------------------------------------------------------


def start_backward(scene: Scene) -> Iterator[Fix]:
    """The two ways to start a backward pass from many numbers."""
    call = scene.node
    if not is_method(call, "backward"):
        yield from start_grad(scene)
        return
    (output,) = scene.tensors
    root = owner_of(call)
    name = scene.text(root)
    made = None if output.node is None else output.node.site
    text = "" if made is None else scene.source.excerpt(made)
    if made is not None and text != name and len(text) <= LONGEST_QUOTE and "\n" not in text:
        yield Fix(f"add them up:        {name} = {atom(text)}.sum()", Edit(made, f"{atom(text)}.sum()"))
    else:
        summed = f"{atom(name)}.sum()"
        yield Fix(f"add them up:        {summed}.backward()", Edit(root.span, summed))
    weight = f"torch.ones_like({name})"
    given = ", ".join([weight, *(scene.text(argument) for argument in call.arguments)])
    inside = Span(call.function.span.end, call.span.end)
    yield Fix(f"or give a weight:   {name}.backward({given})", Edit(inside, f"({given})"))


def start_grad(scene: Scene) -> Iterator[Fix]:
    """The same for ``torch.autograd.grad``."""
    call = scene.node
    if not isinstance(call, syntax.Call) or not call.arguments or scene.text(call.function)[-4:] != "grad":
        return
    output = call.arguments[0].value
    summed = Edit(output.span, f"{atom(scene.text(output))}.sum()")
    yield Fix(f"add them up:        {after(scene, call, summed)}", summed)
    weight = scene.with_argument(call, f"grad_outputs=torch.ones_like({scene.text(output)})")
    yield Fix(f"or give a weight:   {after(scene, call, weight)}", weight)


def right_weight(scene: Scene) -> Iterator[Fix]:
    """A first gradient of the shape of the output."""
    call = scene.node
    if not isinstance(call, syntax.Call) or not call.arguments:
        return
    if is_method(call, "backward"):
        output, given = owner_of(call), call.arguments[0]
    else:
        output = call.arguments[0].value
        named = scene.argument(call, "grad_outputs")
        given = named or call.arguments[min(2, len(call.arguments) - 1)]
    ones = Edit(given.value.span, f"torch.ones_like({scene.text(output)})")
    yield Fix(f"one for each entry: {after(scene, call, ones)}", ones)


# -- graphs that are used up, values that were changed ----------------------------------------------------


def keep_graph(scene: Scene) -> Iterator[Fix]:
    """``retain_graph=True`` in the call that freed the graph."""
    error = scene.error
    freed_at = error.about[0] if error.about else None
    call = scene.call_at(freed_at)
    if call is None:
        return
    edit = scene.with_argument(call, "retain_graph=True")
    line = scene.line(call.span)
    yield Fix(f"keep the graph for another pass, in line {line}: {after(scene, call, edit)}", edit)
    if is_method(call, "backward") and isinstance(owner_of(call), syntax.Name):
        yield from compute_anew(scene, owner_of(call).id)


def compute_anew(scene: Scene, name: str) -> Iterator[Fix]:
    """The statement that computes what a loop starts from, moved into the loop."""
    loop = next((node for node in scene.path if isinstance(node, (syntax.For, syntax.While))), None)
    made = scene.assignments(name)
    if loop is None or len(made) != 1 or made[0].span.end > loop.span.start:
        return
    text, first = scene.text(made[0]), loop.body[0].span
    gone = Span(made[0].span.start, loop.span.start)
    between = scene.source.excerpt(Span(made[0].span.end, loop.span.start))
    if "\n" in text or between.count("\n") == 0:
        return
    start = Span(first.start, first.start)
    yield Fix(
        f"compute it anew in each turn: put {text} into the loop",
        Edit(gone, between.partition("\n")[2]),
        Edit(start, f"{text}\n{indent(scene, start)}"),
    )


def change_a_copy(scene: Scene) -> Iterator[Fix]:
    """``y = y + 1`` for ``y += 1`` at the line that changed what the graph needs."""
    changed_at = scene.error.about[0] if scene.error.about else None
    if not isinstance(changed_at, Span):
        return
    path = path_to(scene.script, changed_at)
    statement = next((n for n in reversed(path) if isinstance(n, syntax.Statement)), None)
    if any(isinstance(node, syntax.With) for node in path):
        scene.error.help = ("call backward() first, and change the values after it",)
        return
    if isinstance(statement, syntax.AugmentedAssign) and isinstance(statement.target, syntax.Name):
        name, value = statement.target.id, statement.value
        text = scene.text(value)
        if isinstance(value, (syntax.Binary, syntax.Conditional, syntax.Comparison)):
            text = f"({text})"
        new = f"{name} = {name} {statement.op} {text}"
        yield Fix(f"make a new tensor: {new}", Edit(statement.span, new))
    elif isinstance(statement, syntax.ExpressionStatement) and is_in_place(statement.value):
        call: Any = statement.value
        owner, method = owner_of(call), call.function.name[:-1]
        if isinstance(owner, syntax.Name) and method not in ("zero", "fill", "copy"):
            rest = scene.source.text[call.function.span.end : call.span.end]
            new = f"{owner.id} = {owner.id}.{method}{rest}"
            yield Fix(f"make a new tensor: {new}", Edit(statement.span, new))
    if statement is not None:
        changed = next((n for n in walk(statement) if isinstance(n, syntax.Name)), None)
        if changed is not None:
            copy = f"{changed.id} = {changed.id}.clone()"
            start = Span(statement.span.start, statement.span.start)
            yield Fix(
                f"change a copy: write {copy} before it", Edit(start, f"{copy}\n{indent(scene, start)}")
            )


def is_in_place(node: Any) -> bool:
    """Whether a node calls a method that changes its tensor."""
    return (
        isinstance(node, syntax.Call)
        and isinstance(node.function, syntax.Attribute)
        and node.function.name.endswith("_")
    )


def indent(scene: Scene, place: Span) -> str:
    """What stands before a statement in its line, as blanks."""
    line, column = scene.source.position(place.start)
    lead = scene.source.line(line)[: column - 1]
    return lead if not lead.strip() else ""


def without_graph(scene: Scene) -> Iterator[Fix]:
    """``with torch.no_grad():`` around the changes of leaves that stand together."""
    statement = scene.statement
    above = scene.path[scene.path.index(statement) - 1] if statement in scene.path else None
    lead = indent(scene, statement.span)
    group = [statement]
    for body in bodies(above):
        if statement in body:
            for other in body[body.index(statement) + 1 :]:
                if not updates(other):
                    break
                group.append(other)
    whole = statement.span.to(group[-1].span)
    lines = scene.source.excerpt(whole).split("\n")
    inside = "\n".join(
        [f"{lead}    {lines[0]}", *(f"    {line}" if line.strip() else line for line in lines[1:])]
    )
    first = lines[0] if len(lines) == 1 else f"{lines[0]} ..."
    yield Fix(
        f"update leaves outside of the graph:\n{'with torch.no_grad():'}\n    {first}",
        Edit(whole, f"with torch.no_grad():\n{inside}"),
    )


def updates(statement: Any) -> bool:
    """Whether a statement changes tensors in place and does nothing else."""
    if isinstance(statement, syntax.AugmentedAssign):
        return True
    return isinstance(statement, syntax.ExpressionStatement) and is_in_place(statement.value)


def bodies(node: Any) -> list[Any]:
    from autodiff.grammar.labels import bodies

    return bodies(node)


def change_no_view(scene: Scene) -> Iterator[Fix]:
    """The part itself, or a copy, in place of the view through which something was changed."""
    changed = scene.statement
    if isinstance(changed, syntax.AugmentedAssign) and isinstance(changed.target, syntax.Name):
        made = scene.assignments(changed.target.id)
        if len(made) == 1 and isinstance(made[0].value, syntax.Subscript):
            edit = Edit(changed.target.span, scene.text(made[0].value))
            yield Fix(f"change the part itself: {after(scene, changed, edit)}", edit)
            return
    for node in walk(scene.statement):
        if isinstance(node, syntax.Name):
            made = scene.assignments(node.id)
            if len(made) == 1 and not is_method(made[0].value, "clone"):
                copy = f"{atom(scene.text(made[0].value))}.clone()"
                yield Fix(f"change a copy: {node.id} = {copy}", Edit(made[0].value.span, copy))
            return


# -- what requires a gradient -----------------------------------------------------------------------------


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


def unrecorded(scene: Scene, statement: syntax.Syntax) -> list[End]:
    """The ``with no_grad():`` around an assignment."""
    return [
        (context, "torch.enable_grad()", "nothing is recorded under this")
        for node in path_to(scene.script, statement.span)
        if isinstance(node, syntax.With)
        for context, _ in node.items
        if "no_grad" in scene.text(context) or "inference_mode" in scene.text(context)
    ]


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


# -- functions of the script ------------------------------------------------------------------------------


def right_answers(scene: Scene) -> Iterator[Fix]:
    """As many gradients as ``forward`` took arguments; the return statement is pointed at."""
    message = scene.error.message
    for node in walk(scene.script):
        if not isinstance(node, syntax.ClassDef):
            continue
        if f"{node.name}Backward" not in message and f"`{node.name}.backward" not in scene.error.caret:
            continue
        methods = {part.name: part for part in node.body if isinstance(part, syntax.FunctionDef)}
        if "backward" not in methods:
            return
        answer = next((n for n in walk(methods["backward"]) if isinstance(n, syntax.Return)), None)
        if answer is None or answer.value is None:
            continue
        scene.error.labels.append(Label(answer.value.span, f"what `{node.name}.backward` returns"))
        given = answer.value.elements if isinstance(answer.value, syntax.TupleDisplay) else (answer.value,)
        missing = len(methods["forward"].parameters) - 1 - len(given) if "forward" in methods else 0
        if "number of gradients" in message and missing > 0:
            edit = Edit(Span(answer.value.span.end, answer.value.span.end), ", None" * missing)
            yield Fix(f"None where there is no gradient: {after(scene, answer, edit)}", edit)
        elif "number of gradients" in message and missing < 0:
            kept = Span(given[missing - 1].span.end, answer.value.span.end)
            edit = Edit(kept, "")
            yield Fix(f"one for each argument of forward: {after(scene, answer, edit)}", edit)


PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {
    "E0401": start_backward,
    "E0402": keep_graph,
    "E0403": change_a_copy,
    "E0405": detach_instead,
    "E0406": require_gradient,
    "E0407": without_graph,
    "E0408": require_input,
    "E0409": allow_unused,
    "E0410": require_gradient,
    "E0411": right_weight,
    "E0412": right_answers,
    "E0413": right_answers,
    "E0414": detach_first,
    "E0415": change_no_view,
}
