"""Repairs that require a gradient where a tensor is made, or detach a tensor from the graph.

They handle errors about leaves, inputs without a gradient and unused inputs.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.grammar.help.failure_scene import Scene, edited_text, is_method, method_owner
from autodiff.grammar.repair.proposals.constant_slopes import (
    explain_constant_slope,
    none_for_zero,
    slope_call,
    unused_slope,
)
from autodiff.grammar.repair.proposals.gradients import swap_roles, update_under_no_grad
from autodiff.grammar.repair.proposals.graph_cuts import explain_cuts, find_cuts
from autodiff.grammar.repair.proposals.value_origins import assignments_to, depends_on_gradient
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def require_gradient(scene: Scene) -> Iterator[Fix]:
    """Propose ``requires_grad=True`` where a tensor that the target was made from is created."""
    start = scene.node
    if is_method(start, "backward") or is_method(start, "retain_grad"):
        start = method_owner(start)
    elif isinstance(start, tree.Call) and start.arguments:
        start = start.arguments[0].value
    found = find_cuts(scene, start)
    if found:
        yield from explain_cuts(scene, found)
        return
    if slope_call(scene, start) is not None:
        yield from explain_constant_slope(scene, start)
        return
    if depends_on_gradient(scene, start):
        scene.error.caret = "the lines that ran made this of no input: it is a constant"
        scene.error.help = ("the derivative of a constant is 0; PyTorch has no graph for it",)
        scene.error.labels += [Label(value.span, "made of no input") for value in constants_in(scene, start)]
        return
    for name, call in creating_calls(scene, start):
        function = scene.value(call.function)
        if any(p.name == "requires_grad" for p in function.parameters):
            edit = scene.argument_edit(call, "requires_grad=True")
        else:
            edit = Edit(Span(call.span.end, call.span.end), ".requires_grad_()")
        new = edited_text(scene, call, edit)
        line = scene.line(call.span)
        yield Fix(f"ask for it where `{name}` is made, in line {line}: {name} = {new}", edit)


def constants_in(scene: Scene, start: Any) -> list[Any]:
    """Return what functions of the script that are called in an expression return without using an input."""
    found: list[Any] = []
    for node in walk(*(value for _, value in assignments_to(scene, scene.text(start))), start):
        made = scene.function(node.id) if isinstance(node, tree.Name) else None
        for part in walk(*made.body) if made is not None else ():
            if isinstance(part, tree.Return) and part.value is not None:
                value = part.value
                ways = [value.body, value.orelse] if isinstance(value, tree.Conditional) else [value]
                found += [one for one in ways if not depends_on_gradient(scene, one)]
    return found


def creating_calls(scene: Scene, start: Any) -> list[tuple[str, tree.Call]]:
    """Return the calls that create tensors, followed back through the names in an expression."""
    found: list[tuple[str, tree.Call]] = []
    seen: set[str] = set()
    todo = [start]
    while todo:
        for node in walk(todo.pop(0)):
            if not isinstance(node, tree.Name) or node.id in seen:
                continue
            seen.add(node.id)
            for statement in scene.assignments(node.id):
                value: Any = statement.value
                if creates(scene, value):
                    found.append((node.id, value))
                else:
                    todo.append(value)
    return found


FILLED = ("tensor", "zeros", "ones", "full", "rand", "randn", "randint", "eye", "arange", "linspace")
CREATE = frozenset([*FILLED, "Tensor", "FloatTensor", "DoubleTensor", "Variable"])


def creates(scene: Scene, node: Any) -> bool:
    """Whether an expression is the call of a function that makes leaves."""
    function = scene.value(node.function) if isinstance(node, tree.Call) else None
    return function.__class__ is PublicFunction and (
        function.name in CREATE or function.name.endswith("_like")
    )


def require_input(scene: Scene) -> Iterator[Fix]:
    """Propose ``requires_grad=True`` for an input of ``grad()`` that requires no gradient."""
    yield from none_for_zero(scene, scene.node)
    for x, _ in scene.given():
        for name, value in scene.values.items():
            if value is x:
                for made, call in creating_calls(scene, tree.Name(scene.span, name)):
                    edit = scene.argument_edit(call, "requires_grad=True")
                    yield Fix(
                        f"ask for it where `{made}` is made: {made} = {edited_text(scene, call, edit)}", edit
                    )
                return


def allow_unused(scene: Scene) -> Iterator[Fix]:
    """Propose to swap the arguments, or to take None for what the output does not depend on."""
    call = scene.node
    if isinstance(call, tree.Call):
        yield from unused_slope(scene, call)
        yield from swap_roles(scene, call)
        edit = scene.argument_edit(call, "allow_unused=True")
        yield Fix(f"take None for it: {edited_text(scene, call, edit)}", edit)


def detach_instead(scene: Scene) -> Iterator[Fix]:
    """Propose ``y = y.detach()`` for a computed tensor that should stop requiring gradients."""
    node = scene.node
    owner = method_owner(node) if is_method(node, "requires_grad_") else object_of(node)
    if isinstance(owner, tree.Name):
        new = f"{owner.id} = {owner.id}.detach()"
        yield Fix(f"stop the gradient there: {new}", Edit(scene.statement.span, new))


def object_of(node: Any) -> Any:
    return node.object if isinstance(node, tree.Attribute) else None


def detach_first(scene: Scene) -> Iterator[Fix]:
    """Propose ``.detach()`` before ``.numpy()``."""
    call = scene.node
    if is_method(call, "numpy"):
        end = method_owner(call).span.end
        edit = Edit(Span(end, end), ".detach()")
        yield Fix(f"leave the graph first: {edited_text(scene, call, edit)}", edit)


def change_of_leaf(scene: Scene) -> Iterator[Fix]:
    """Propose to make a result that is filled in no leaf, or ``no_grad()`` around an update of a leaf."""
    filled = list(fill_no_leaf(scene))
    yield from filled or update_under_no_grad(scene)


def fill_no_leaf(scene: Scene) -> Iterator[Fix]:
    """Propose to leave out ``requires_grad=True`` where a tensor is made that results are written into.

    Under ``no_grad()`` nothing would lead from the results to what they were computed from.
    """
    statement = scene.statement
    written = statement.value if isinstance(statement, (tree.Assign, tree.AugmentedAssign)) else scene.node
    leaves = [x for x in scene.tensors if x.is_leaf and x.requires_grad]
    names = [name for name, value in scene.values.items() if leaves and value is leaves[0]]
    others = [
        part.id
        for part in walk(written)
        if isinstance(part, tree.Name) and part.id not in names and depends_on_gradient(scene, part)
    ]
    if not others or not isinstance(written, tree.Expression):
        return
    if any(isinstance(part, tree.Attribute) and part.name in ("grad", "data") for part in walk(written)):
        return  # a step of an optimizer
    for name in names:
        for made in scene.assignments(name)[:1]:
            edit = without_gradient(scene, made.value)
            if edit is None:
                continue
            scene.error.caret = f"`{name}` is a result that is filled in here: it need not be a leaf"
            scene.error.labels.append(Label(made.value.span, f"`{name}` was made a leaf here"))
            line = scene.line(made.span)
            yield Fix(f"leave it out in line {line}: {edited_text(scene, made, edit)}", edit)
            return


def without_gradient(scene: Scene, call: Any) -> Edit | None:
    """Return the edit that takes ``requires_grad=True`` or ``.requires_grad_()`` from a call, or None."""
    if is_method(call, "requires_grad_"):
        return Edit(Span(method_owner(call).span.end, call.span.end), "")
    given = scene.argument(call, "requires_grad") if isinstance(call, tree.Call) else None
    if given is None:
        return None
    at = call.arguments.index(given)
    if at:
        return Edit(Span(call.arguments[at - 1].span.end, given.span.end), "")
    after = call.arguments[1].span.start if len(call.arguments) > 1 else given.span.end
    return Edit(Span(given.span.start, after), "")
