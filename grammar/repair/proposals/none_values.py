"""Explains why a value is None: a missing gradient, a function without ``return``, an in-place method.

The reason goes to the caret of the error, and the repairs make the value something.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.grammar.help.failure_scene import Scene
from autodiff.grammar.repair.proposals.constant_slopes import none_for_zero
from autodiff.grammar.session.scaled_leaf import whole_expression_leaf
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: Methods that change their owner or the gradients and return None.
NONE_METHODS = frozenset(
    [*("append", "extend", "insert", "remove", "reverse", "clear", "sort"), "backward", "retain_grad"]
)


def explain_none(scene: Scene, node: Any) -> Iterator[Fix]:
    """Write at the caret why ``node`` is None, and propose repairs."""
    text = scene.text(node)
    scene.error.span = node.span
    scene.error.caret = "this is None" if isinstance(node, tree.Constant) else f"`{text}` is None"
    if isinstance(node, tree.Name):
        yield from explain_none_name(scene, node)
    elif isinstance(node, tree.Attribute) and node.name == "grad":
        yield from explain_missing_grad(scene, node.object, text)
    elif isinstance(node, tree.Call):
        yield from explain_none_call(scene, node, None)


def explain_none_name(scene: Scene, name: tree.Name) -> Iterator[Fix]:
    """Explain a name whose value is None."""
    caret = f"`{name.id}` is None"
    zeros = list(none_for_zero(scene, name))
    assigned = scene.assignments(name.id)
    if zeros or not assigned:
        yield from zeros
        return
    # In a loop the value may come from the previous iteration: `xs = xs.append(x)`.
    empty = [node for node in assigned if isinstance(node.value, tree.Call) and returns_none(node.value)]
    made = (empty or assigned)[0]
    value = made.value
    if isinstance(value, tree.Constant) and value.value is None:
        scene.error.labels.append(Label(made.span, "it is None from here on"))
    elif isinstance(value, tree.Call):
        yield from explain_none_call(scene, value, made)
    elif isinstance(value, tree.Attribute) and value.name == "grad":
        owner = scene.value(value.object)
        if owner.__class__ is Tensor and owner.grad is not None:
            scene.error.caret = f"{caret}: backward() fills `{scene.text(value)}` later, in a new tensor"
            scene.error.labels.append(Label(value.span, "there was no gradient yet"))
            instead = scene.text(value)
            yield Fix(f"read it here: {instead}", Edit(name.span, instead))
        else:
            yield from explain_missing_grad(scene, value.object, f"{name.id}")
            scene.error.labels.append(Label(value.span, "it is None from here on"))


def returns_none(call: tree.Call) -> bool:
    """Whether a call calls a method that changes its owner and returns None."""
    return isinstance(call.function, tree.Attribute) and call.function.name in NONE_METHODS


def explain_none_call(scene: Scene, call: tree.Call, assigned: tree.Assign | None) -> Iterator[Fix]:
    """Explain a call that returned None; ``assigned`` is the statement that stores the result."""
    error, callee = scene.error, call.function
    if isinstance(callee, tree.Attribute) and callee.name in NONE_METHODS:
        error.labels.append(Label(call.span, f"{callee.name}() gives nothing back"))
        if assigned is None:
            return
        name, owner = scene.text(assigned.targets[0]), scene.text(callee.object)
        if callee.name == "backward" and isinstance(assigned.targets[0], tree.Name) and name != owner:
            alone = f"{name}.backward"
            given = scene.source.text[callee.span.end : call.span.end]
            between = Span(callee.object.span.end, callee.span.end)
            yield Fix(
                f"keep the loss:\n{name} = {owner}\n{alone}{given}",
                Edit(between, f"\n{indent(scene, assigned)}{alone}"),
            )
        else:
            text = scene.text(call)
            yield Fix(f"call it alone: {text}", Edit(Span(assigned.span.start, call.span.start), ""))
        return
    if not isinstance(callee, tree.Name):
        return
    made = scene.function(callee.id)
    if made is None or any(isinstance(node, tree.Return) for node in walk(*made.body)):
        return
    error.labels.append(Label(made.name_span, f"`{made.name}` has no `return`, so a call of it is None"))
    last = made.body[-1]
    if isinstance(last, tree.ExpressionStatement):
        returned = f"return {scene.text(last.value)}"
        yield Fix(f"end `{made.name}` with: {returned}", Edit(last.span, returned))
    elif isinstance(last, tree.Assign) and isinstance(last.targets[0], tree.Name):
        returned = f"return {last.targets[0].id}"
        after = Span(last.span.end, last.span.end)
        yield Fix(f"end `{made.name}` with: {returned}", Edit(after, f"\n{indent(scene, last)}{returned}"))


# -- gradients --------------------------------------------------------------------------------------


def explain_missing_grad(scene: Scene, owner: Any, text: str) -> Iterator[Fix]:
    """Explain why ``w.grad`` is None: no leaf, no gradient required, or not reached by backward()."""
    tensor, name, error = scene.value(owner), scene.text(owner), scene.error
    if tensor.__class__ is not Tensor or tensor.grad is not None:  # another value of that name
        return
    site = None if tensor.node is None else tensor.node.site
    update = find_update(scene, owner)
    if not tensor.requires_grad:
        error.caret = f"`{text}` is None: `{name}` does not require a gradient"
        if update is not None and made_by_statement(update, site):
            error.caret = f"`{text}` is None: `{name}` is a new tensor that requires no gradient"
            error.labels.append(Label(update.span, f"this made a new `{name}`, outside of the graph"))
        elif site is not None:
            error.labels.append(Label(site, f"`{name}` is this tensor"))
    elif not tensor.is_leaf:
        error.caret = f"`{text}` is None: `{name}` is the result of an operation, and only leaves keep .grad"
        if update is not None and made_by_statement(update, site):
            error.caret = f"`{text}` is None: `{name}` is no longer a leaf"
            error.labels.append(Label(update.span, f"this put a result in place of the leaf `{name}`"))
        elif site is not None:
            error.labels.append(Label(site, f"`{name}` is this result, no leaf"))
    elif backward_count() == 0:
        error.caret = f"`{text}` is None: backward() has not run yet"
        error.help = ("call `.backward()` on the loss first; it fills .grad",)
        yield from run_backward_first(scene)
    else:
        cleared = clearing_place(scene, name)
        loop = loop_over(scene, name, cleared)
        if loop is not None:
            others = [other for other, value in scene.values.items() if value is tensor and other != name]
            error.caret = f"`{text}` is None: the last backward() came from no result of this `{name}`"
            if others:
                error.labels.append(Label(loop.target.span, f"`{name}` is `{others[0]}` in this iteration"))
            yield guard_fix(scene, text)
        elif cleared is not None:
            error.caret = f"`{text}` is None: it was set to None, and no backward() has run since"
            error.labels.append(Label(cleared, "set to None here"))
        else:
            error.caret = f"`{text}` is None: no backward() so far came from a result of `{name}`"
    if update is not None:
        yield from step_in_place(scene, update, name)
    if not tensor.requires_grad and update is None:
        yield from ask_for_gradient(scene, owner)
    elif not tensor.is_leaf and update is None:
        yield from keep_gradient(scene, owner, name)
    elif (
        update is None
        and isinstance(scene.statement, tree.ExpressionStatement)
        and calls_method_of(scene.statement, text, scene)
    ):
        yield guard_fix(scene, text)


def run_backward_first(scene: Scene) -> Iterator[Fix]:
    """Propose to call ``L.backward``, or to move the line that reads a gradient below the call."""
    error = scene.error
    for node in walk(scene.script):
        if not isinstance(node, tree.Attribute) or node.name != "backward":
            continue
        text = scene.text(node)
        around = path_to(scene.script, node.span)
        if isinstance(around[-2], tree.ExpressionStatement):
            error.labels.append(Label(node.span, "this does not call it"))
            error.help = ()
            yield Fix(f"call it: {text}()", Edit(Span(node.span.end, node.span.end), "()"))
        elif isinstance(around[-2], tree.Call) and node.span.start > error.span.start:  # type: ignore[union-attr] # a scene's error has a span
            error.labels.append(Label(around[-2].span, "it runs only here"))
            yield from move_below(scene, around)
        return


def move_below(scene: Scene, around: list[Any]) -> Iterator[Fix]:
    """Propose to move the failed line below the call of backward, if both are in one block."""
    statement = scene.statement
    if not isinstance(statement, (tree.ExpressionStatement, tree.Assign)):
        return
    path = path_to(scene.script, statement.span)
    block = path[path.index(statement) - 1]
    if block not in around or not isinstance(later := around[around.index(block) + 1], tree.Statement):
        return
    line, after = scene.line(statement.span), scene.source.position(later.span.end)[0]
    if scene.source.position(statement.span.end)[0] != line:
        return
    if any(isinstance(node, tree.Attribute) and node.name.endswith("_") for node in walk(statement)):
        return  # below backward() it would discard the new gradient
    text, line_start = scene.source.line(line), scene.source.line_start
    yield Fix(
        f"move line {line} below line {after}",
        Edit(Span(line_start(line), line_start(line + 1)), ""),
        Edit(Span(later.span.end, later.span.end), f"\n{text}"),
    )


def backward_count() -> int:
    """Return how many backward passes the script has run."""
    recorder: Any = mode.recorder
    return 0 if recorder is None else recorder.backwards


def made_by_statement(update: tree.Assign, site: Span | None) -> bool:
    """Whether the tensor made at ``site`` is what a statement assigns."""
    return site is not None and update.span.start <= site.start and site.end <= update.span.end


def find_update(scene: Scene, owner: Any) -> tree.Assign | None:
    """Return the statement ``w = w - ...`` that makes a new tensor of a leaf, or None."""
    if not isinstance(owner, tree.Name):
        return None
    for node in scene.assignments(owner.id):
        value = node.value
        if (
            isinstance(value, tree.Binary)
            and value.op in "+-"
            and len(node.targets) == 1
            and isinstance(value.left, tree.Name)
            and value.left.id == owner.id
        ):
            return node
    return None


def step_in_place(scene: Scene, update: tree.Assign, name: str) -> Iterator[Fix]:
    """Propose to change ``w`` in place for ``w = w - step``, so that it stays a leaf."""
    value: Any = update.value
    step = f"{name} {value.op}= {scene.text(value.right)}"
    around = path_to(scene.script, update.span)
    if any(isinstance(node, tree.With) for node in around):
        yield Fix(f"change `{name}` itself: {step}", Edit(update.span, step))
        return
    margin = indent(scene, update)
    inner = margin + "    "
    yield Fix(
        f"change `{name}` itself:\nwith torch.no_grad():\n    {step}",
        Edit(update.span, f"with torch.no_grad():\n{inner}{step}"),
    )


def ask_for_gradient(scene: Scene, owner: Any) -> Iterator[Fix]:
    """Propose ``requires_grad=True`` where the tensor is made."""
    if not isinstance(owner, tree.Name):
        return
    for node in scene.assignments(owner.id)[-1:]:
        value = node.value
        if isinstance(value, tree.Call) and value.arguments:
            at = Span(value.span.end - 1, value.span.end - 1)
            text = scene.text(value)[:-1] + ", requires_grad=True)"
            yield Fix(f"ask for its gradient: {owner.id} = {text}", Edit(at, ", requires_grad=True"))


def keep_gradient(scene: Scene, owner: Any, name: str) -> Iterator[Fix]:
    """Propose ``y.retain_grad()``, or to make ``y`` the leaf if it was scaled where it was made."""
    if not isinstance(owner, tree.Name):
        return
    for node in scene.assignments(owner.id)[:1]:
        meant = whole_expression_leaf(node.value, scene.source)
        if meant is not None:
            edits, text = meant
            yield Fix(f"make the result the leaf: {name} = {text}", *edits)
            return
        line = f"{name}.retain_grad()"
        after = Span(node.span.end, node.span.end)
        yield Fix(f"ask it to keep its gradient: {line}", Edit(after, f"\n{indent(scene, node)}{line}"))


def calls_method_of(statement: tree.ExpressionStatement, text: str, scene: Scene) -> bool:
    """Whether a statement only calls a method of the value, as ``w.grad.zero_()`` does."""
    call = statement.value
    return (
        isinstance(call, tree.Call)
        and isinstance(call.function, tree.Attribute)
        and scene.text(call.function.object) == text
    )


def guard_fix(scene: Scene, text: str) -> Fix:
    """Return the fix that runs the statement only if there is a gradient."""
    statement = scene.statement
    inner = indent(scene, statement) + "    "
    body = scene.text(statement)
    test = f"if {text} is not None:"
    return Fix(f"test first:\n{test}\n    {body}", Edit(statement.span, f"{test}\n{inner}{body}"))


def clearing_place(scene: Scene, name: str) -> Span | None:
    """Return the place of ``w.grad = None`` in the script, or None."""
    for node in walk(scene.script):
        if (
            isinstance(node, tree.Assign)
            and isinstance(node.value, tree.Constant)
            and node.value.value is None
            and scene.text(node.targets[0]) == f"{name}.grad"
        ):
            return node.span
    return None


def loop_over(scene: Scene, name: str, cleared: Span | None) -> tree.For | None:
    """Return the innermost loop whose variable is the tensor ``name``; None if it has been cleared since.

    What the loop clears at ``cleared``, below the failed place, were earlier tensors of that name.
    """
    for node in reversed(path_to(scene.script, scene.span)):
        if isinstance(node, tree.For) and isinstance(node.target, tree.Name) and node.target.id == name:
            later = cleared is None or scene.span.end <= cleared.start <= node.span.end
            return node if later else None
    return None


def indent(scene: Scene, node: tree.SyntaxNode) -> str:
    """Return the blanks before the line on which a node begins."""
    line = scene.source.line(scene.line(node.span))
    return line[: len(line) - len(line.lstrip())]
