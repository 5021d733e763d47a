"""Repairs of backward passes that cannot start or continue, and of changes that a graph forbids.

Repairs that concern leaves are in ``leaves``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.graph.node import OpNode
from autodiff.grammar.help.bindings import DISPLAYS
from autodiff.grammar.help.failure_scene import Scene, edited_text, is_method, method_owner, with_parentheses
from autodiff.grammar.help.labels import bodies
from autodiff.grammar.objects.values import Namespace
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LONGEST_QUOTE = 60


# -- where a pass starts ----------------------------------------------------------------------------------


def start_backward(scene: Scene) -> Iterator[Fix]:
    """Propose a sum and a weight, the two ways to start a backward pass from many numbers."""
    call = scene.node
    if scene.error.message.startswith("The Tensor returned by the function"):
        yield from sum_of_answer(scene)
        return
    if not is_method(call, "backward"):
        yield from start_grad(scene)
        return
    root = method_owner(call)
    if scene.value(root).__class__ is Namespace:
        yield from start_several(scene, call)
        return
    (output,) = scene.tensors
    name = scene.text(root)
    # A leaf that is summed where it is made would be no leaf any more, and its .grad would stay None.
    made = output.node.site if isinstance(output.node, OpNode) else None
    text = "" if made is None else scene.source.excerpt(made)
    if made is not None and text != name and len(text) <= LONGEST_QUOTE and "\n" not in text:
        yield Fix(
            f"add them up:        {name} = {with_parentheses(text)}.sum()",
            Edit(made, f"{with_parentheses(text)}.sum()"),
        )
    else:
        summed = f"{with_parentheses(name)}.sum()"
        yield Fix(f"add them up:        {summed}.backward()", Edit(root.span, summed))
    weight = f"torch.ones_like({name})"
    given = ", ".join([weight, *(scene.text(argument) for argument in call.arguments)])
    inside = Span(call.function.span.end, call.span.end)
    yield Fix(f"or give a weight:   {with_parentheses(name)}.backward({given})", Edit(inside, f"({given})"))


def start_several(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose sums for ``torch.autograd.backward(outputs)`` with outputs of many entries."""
    if not call.arguments:
        return
    outputs = call.arguments[0].value
    text = scene.text(outputs)
    is_list = isinstance(outputs, DISPLAYS) or scene.value(outputs).__class__ in (list, tuple)
    summed = f"[t.sum() for t in {text}]" if is_list else f"{with_parentheses(text)}.sum()"
    yield Fix(f"add each of them up: {summed}", Edit(outputs.span, summed))


def sum_of_answer(scene: Scene) -> Iterator[Fix]:
    """Propose a sum for the function in ``hessian(f, x)`` that returns many numbers."""
    answer = scene.node
    if isinstance(answer, tree.Return):
        answer = answer.value
    if not isinstance(answer, tree.Expression):
        return
    scene.error.help = ()
    scene.error.caret = scene.error.caret or "this is more than one number"
    text = f"{with_parentheses(scene.text(answer))}.sum()"
    yield Fix(f"add the entries up: {text}", Edit(answer.span, text))


def start_grad(scene: Scene) -> Iterator[Fix]:
    """Propose a sum and a weight for ``torch.autograd.grad``."""
    call = scene.node
    if not isinstance(call, tree.Call) or not call.arguments or scene.text(call.function)[-4:] != "grad":
        return
    yield from swap_roles(scene, call)
    output = call.arguments[0].value
    summed = Edit(output.span, f"{with_parentheses(scene.text(output))}.sum()")
    yield Fix(f"add them up:        {edited_text(scene, call, summed)}", summed)
    weight = scene.argument_edit(call, f"grad_outputs=torch.ones_like({scene.text(output)})")
    yield Fix(f"or give a weight:   {edited_text(scene, call, weight)}", weight)


def swap_roles(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose ``grad(y, x)`` for ``grad(x, y)``."""
    first, second = [*call.arguments, None, None][:2]
    if first and second and not (first.keyword or second.keyword or first.star or second.star):
        swapped = Edit(first.span.extend_to(second.span), f"{scene.text(second)}, {scene.text(first)}")
        yield Fix(f"the result stands first: {edited_text(scene, call, swapped)}", swapped)


def fit_weight(scene: Scene) -> Iterator[Fix]:
    """Propose a first gradient of the shape of the output."""
    call = scene.node
    if not isinstance(call, tree.Call) or not call.arguments:
        return
    if is_method(call, "backward"):
        output, given = method_owner(call), call.arguments[0]
    else:
        output = call.arguments[0].value
        named = scene.argument(call, "grad_outputs")
        given = named or call.arguments[min(2, len(call.arguments) - 1)]
    if is_method(call, "backward") and "output[0] has a shape of torch.Size([])" in scene.error.message:
        inside = Span(call.function.span.end, call.span.end)
        if len(call.arguments) == 1:
            yield Fix(f"one number needs no weight: {scene.text(call.function)}()", Edit(inside, "()"))
    if isinstance(output, DISPLAYS) and isinstance(given.value, DISPLAYS):
        pairs = list(zip(output.elements, given.value.elements, strict=False))
        edits = [Edit(weight.span, f"torch.ones_like({scene.text(one)})") for one, weight in pairs]
        yield Fix(f"one for each entry: {edited_text(scene, call, *edits)}", *edits)
        return
    if isinstance(given.value, tree.ListDisplay):
        made = Edit(given.value.span, f"torch.tensor({scene.text(given.value)})")
        yield Fix(f"make it a tensor: {edited_text(scene, call, made)}", made)
    ones = Edit(given.value.span, f"torch.ones_like({scene.text(output)})")
    yield Fix(f"one for each entry: {edited_text(scene, call, ones)}", ones)


# -- freed graphs and changed values -----------------------------------------------------------------------


def keep_graph(scene: Scene) -> Iterator[Fix]:
    """Propose ``retain_graph=True`` in the call that freed the graph."""
    error = scene.error
    freed_at = error.repair_context[0] if error.repair_context else None
    call = scene.call_with_span(freed_at)
    if call is None:
        return
    edit = scene.argument_edit(call, "retain_graph=True")
    line = scene.line(call.span)
    yield Fix(f"keep the graph for another pass, in line {line}: {edited_text(scene, call, edit)}", edit)
    if is_method(call, "backward") and isinstance(method_owner(call), tree.Name):
        yield from move_into_loop(scene, method_owner(call).id)
    yield from detach_carried(scene, call)


def detach_carried(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose ``h = h.detach()`` behind the call, where an iteration goes on from the last one's ``h``."""
    path = path_to(scene.script, call.span)
    loop = next((node for node in path if isinstance(node, (tree.For, tree.While))), None)
    statement = next((node for node in reversed(path) if isinstance(node, tree.Statement)), None)
    if loop is None or statement is None:
        return
    inside = [one for one in walk(*loop.body) if isinstance(one, tree.Assign)]
    carried = [
        target.id
        for one in inside
        for target in one.targets
        if isinstance(target, tree.Name)
        and any(isinstance(part, tree.Name) and part.id == target.id for part in walk(one.value))
        and any(made.span.end <= loop.span.start for made in scene.bindings.assigned[target.id])
    ]
    if carried:
        end = Span(statement.span.end, statement.span.end)
        lines = [f"{name} = {name}.detach()" for name in dict.fromkeys(carried)]
        added = "".join(f"\n{indent(scene, statement.span)}{line}" for line in lines)
        yield Fix(f"or take only the values into the next iteration: {'; '.join(lines)}", Edit(end, added))


def move_into_loop(scene: Scene, name: str) -> Iterator[Fix]:
    """Propose to move the statement that computes what a loop starts from into the loop."""
    loop = next((node for node in scene.path if isinstance(node, (tree.For, tree.While))), None)
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
        f"compute it again in each iteration: put {text} into the loop",
        Edit(gone, between.partition("\n")[2]),
        Edit(start, f"{text}\n{indent(scene, start)}"),
    )


def change_a_copy(scene: Scene) -> Iterator[Fix]:
    """Propose ``y = y + 1`` for ``y += 1`` at the line that changed a value the graph needs."""
    changed_at = scene.error.repair_context[0] if scene.error.repair_context else None
    if not isinstance(changed_at, Span):
        return
    path = path_to(scene.script, changed_at)
    statement = next((n for n in reversed(path) if isinstance(n, tree.Statement)), None)
    if any(isinstance(node, tree.With) for node in path):
        scene.error.help = ("call backward() first, and change the values after it",)
        return
    yield from copy_parts(scene)
    if isinstance(statement, tree.AugmentedAssign) and isinstance(statement.target, tree.Name):
        name, value = statement.target.id, statement.value
        text = scene.text(value)
        if isinstance(value, (tree.Binary, tree.Conditional, tree.Comparison)):
            text = f"({text})"
        new = f"{name} = {name} {statement.op} {text}"
        yield Fix(f"make a new tensor: {new}", Edit(statement.span, new))
    elif isinstance(statement, tree.ExpressionStatement) and is_in_place(statement.value):
        call: Any = statement.value
        owner, method = method_owner(call), call.function.name[:-1]
        if isinstance(owner, tree.Name) and method not in ("zero", "fill", "copy"):
            rest = scene.source.text[call.function.span.end : call.span.end]
            new = f"{owner.id} = {owner.id}.{method}{rest}"
            yield Fix(f"make a new tensor: {new}", Edit(statement.span, new))
    if statement is not None:
        changed = next((n for n in walk(statement) if isinstance(n, tree.Name)), None)
        if changed is not None:
            copy = f"{changed.id} = {changed.id}.clone()"
            start = Span(statement.span.start, statement.span.start)
            yield Fix(
                f"change a copy: write {copy} before it", Edit(start, f"{copy}\n{indent(scene, start)}")
            )


def copy_parts(scene: Scene) -> Iterator[Fix]:
    """Propose ``h[0].clone()`` for a ``h[0]`` that a graph needs, if other entries of ``h`` change later."""
    for label in scene.error.labels:
        if not label.text.startswith("needs"):
            continue
        needed = path_to(scene.script, label.span)[-1]
        reads = [n for n in walk(needed) if isinstance(n, tree.Subscript) and isinstance(n.object, tree.Name)]
        if reads:
            ends = [Edit(Span(read.span.end, read.span.end), ".clone()") for read in reads]
            first = f"{scene.text(reads[0])}.clone()"
            yield Fix(f"keep a copy of the part: {first}", *ends)


def is_in_place(node: Any) -> bool:
    """Whether a node calls a method that changes its tensor."""
    return (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Attribute)
        and node.function.name.endswith("_")
    )


def indent(scene: Scene, place: Span) -> str:
    """Return the blanks before a statement on its line; empty if other text precedes it."""
    line, column = scene.source.position(place.start)
    lead = scene.source.line(line)[: column - 1]
    return lead if not lead.strip() else ""


def update_under_no_grad(scene: Scene) -> Iterator[Fix]:
    """Propose ``with torch.no_grad():`` around adjacent changes of leaves."""
    statement = scene.statement
    value: Any = statement.value if isinstance(statement, tree.Assign) else None
    if is_in_place(value):  # `y = x.relu_()`
        function = value.function
        named = Edit(function.name_span, function.name[:-1])
        yield Fix(f"make a new tensor: {edited_text(scene, statement, named)}", named)
        return
    above = scene.path[scene.path.index(statement) - 1] if statement in scene.path else None
    lead = indent(scene, statement.span)
    group = [statement]
    for body in bodies(above):
        if statement in body:
            for other in body[body.index(statement) + 1 :]:
                if not updates(other):
                    break
                group.append(other)
    whole = statement.span.extend_to(group[-1].span)
    lines = scene.source.excerpt_lines(whole)
    inside = "\n".join(
        [f"{lead}    {lines[0]}", *(f"    {line}" if line.strip() else line for line in lines[1:])]
    )
    first = lines[0] if len(lines) == 1 else f"{lines[0]} ..."
    yield Fix(
        f"update leaves outside of the graph:\nwith torch.no_grad():\n    {first}",
        Edit(whole, f"with torch.no_grad():\n{inside}"),
    )


def updates(statement: Any) -> bool:
    """Whether a statement only changes tensors in place."""
    if isinstance(statement, tree.AugmentedAssign):
        return True
    return isinstance(statement, tree.ExpressionStatement) and is_in_place(statement.value)


def avoid_view_change(scene: Scene) -> Iterator[Fix]:
    """Propose to change the part itself, or a copy, in place of the view."""
    changed = scene.statement
    if isinstance(changed, tree.AugmentedAssign) and isinstance(changed.target, tree.Name):
        made = scene.assignments(changed.target.id)
        if len(made) == 1 and isinstance(made[0].value, tree.Subscript):
            edit = Edit(changed.target.span, scene.text(made[0].value))
            yield Fix(f"change the part itself: {edited_text(scene, changed, edit)}", edit)
            return
    for node in walk(scene.statement):
        if isinstance(node, tree.Name):
            made = scene.assignments(node.id)
            if len(made) == 1 and not is_method(made[0].value, "clone"):
                copy = f"{with_parentheses(scene.text(made[0].value))}.clone()"
                yield Fix(f"change a copy: {node.id} = {copy}", Edit(made[0].value.span, copy))
            return
