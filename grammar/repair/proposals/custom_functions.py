"""Repairs of classes with a ``forward`` and a ``backward`` of their own.

They derive from ``torch.autograd.Function`` and are used through ``apply``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.help.failure_scene import Scene, edited_text, is_method
from autodiff.grammar.objects.values import FunctionClass
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def fit_gradient_count(scene: Scene) -> Iterator[Fix]:
    """Propose as many gradients as ``forward`` takes arguments, and label the return statement."""
    message = scene.error.message
    for node in walk(scene.script):
        if not isinstance(node, tree.ClassDef):
            continue
        if f"{node.name}Backward" not in message and f"`{node.name}.backward" not in scene.error.caret:
            continue
        methods = {part.name: part for part in node.body if isinstance(part, tree.FunctionDef)}
        if "backward" not in methods:
            return
        answer = next((n for n in walk(methods["backward"]) if isinstance(n, tree.Return)), None)
        if answer is None or answer.value is None:
            continue
        scene.error.labels.append(Label(answer.value.span, f"what `{node.name}.backward` returns"))
        given = answer.value.elements if isinstance(answer.value, tree.TupleDisplay) else (answer.value,)
        missing = len(methods["forward"].parameters) - 1 - len(given) if "forward" in methods else 0
        if "number of gradients" in message and missing > 0:
            edit = Edit(Span(answer.value.span.end, answer.value.span.end), ", None" * missing)
            yield Fix(f"None where there is no gradient: {edited_text(scene, answer, edit)}", edit)
        elif "number of gradients" in message and missing < 0:
            kept = Span(given[missing - 1].span.end, answer.value.span.end)
            edit = Edit(kept, "")
            yield Fix(f"one for each argument of forward: {edited_text(scene, answer, edit)}", edit)


def apply_instead(scene: Scene) -> Iterator[Fix]:
    """Propose ``Square.apply(x)`` for ``Square(x)`` and ``Square()(x)``."""
    node = scene.node
    if not isinstance(node, tree.Call) or not any(
        isinstance(x, FunctionClass) for x in scene.error.repair_context
    ):
        return
    scene.error.help = ()
    text, outer = scene.text(node.function), scene.parent
    if node.arguments:
        end = node.function.span.end
        given = scene.source.excerpt(Span(end, node.span.end))
        yield Fix(f"apply it: {text}.apply{given}", Edit(Span(end, end), ".apply"))
    elif isinstance(outer, tree.Call) and outer.function is node:
        given = scene.source.text[node.span.end : outer.span.end]
        yield Fix(f"apply it: {text}.apply{given}", Edit(node.span, f"{text}.apply"))
    else:
        yield Fix(f"keep the function: {text}.apply", Edit(node.span, f"{text}.apply"))


def fit_function_class(scene: Scene) -> Iterator[Fix]:
    """Repair a Function that is called, or that returns what cannot be used (E0412)."""
    yield from apply_instead(scene)
    yield from fit_gradient_count(scene)


def add_context(scene: Scene) -> Iterator[Fix]:
    """Propose the context as the first parameter of ``def forward(x)`` and of ``backward``."""
    call = scene.node
    if not is_method(call, "apply") or "forward() takes" not in scene.error.message:
        return
    name = scene.text(call.function.object)
    made = next((n for n in walk(scene.script) if isinstance(n, tree.ClassDef) and n.name == name), None)
    if made is None:
        return
    edits = []
    for part in made.body:
        if isinstance(part, tree.FunctionDef) and part.name in ("forward", "backward"):
            if part.parameters and part.parameters[0].name in ("ctx", "self"):
                return
            after_bracket = scene.source.text.index("(", part.name_span.end) + 1
            text = "ctx, " if part.parameters else "ctx"
            edits.append(Edit(Span(after_bracket, after_bracket), text))
            if part.name == "forward":
                scene.error.labels.append(Label(part.name_span, "its first argument is the context"))
    yield Fix("name it `ctx` in both: def forward(ctx, ...) and def backward(ctx, ...)", *edits)
