"""Repairs of operands that do not fit together, and of functions and methods that were not called.

The operands come from the error, their expressions from the node that failed.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.number_text import is_number_text
from autodiff.core.base.source import Span
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, edited_text, with_parentheses
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    UNBOUND,
    BoundMethod,
    Builtin,
    ScriptFunction,
    type_name,
)
from autodiff.grammar.repair.proposals.none_values import explain_none
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def operands_of(scene: Scene) -> list[tuple[Any, Any]]:
    """Return the operands of the failed operator, each with its expression."""
    node, about = scene.node, scene.error.repair_context
    if isinstance(node, tree.Unary):
        nodes = [node.operand]
    elif isinstance(node, tree.Binary):
        nodes = [node.left, node.right]
    elif isinstance(node, tree.AugmentedAssign):
        nodes = [node.target, node.value]
    elif isinstance(node, tree.Comparison) and len(node.rest) == 1:
        nodes = [node.first, node.rest[0][1]]
    else:
        return []
    return list(zip(about, nodes, strict=True)) if len(about) == len(nodes) else []


def fit_operands(scene: Scene) -> Iterator[Fix]:
    """Propose changes that make the operands of an operator fit each other."""
    pairs = operands_of(scene)
    for value, node in pairs:
        if value is None:
            yield from explain_none(scene, node)
            if isinstance(scene.path[-1], tree.Comparison) and isinstance(node, tree.Name):
                whole = scene.path[-1]
                text = f"{node.id} is None or {scene.text(whole)}"
                yield Fix(f"test for None first: {text}", Edit(whole.span, text))
            return
    for value, node in pairs:
        if value.__class__ in CALLABLE_TYPES:
            yield from call_it(scene, value, node)
            yield from apply_to_other(scene, pairs, value)
            return
    if not pairs:
        return
    yield from other_operator(scene)
    if len(pairs) == 1:
        yield from fit_sequence(scene, *pairs[0], 0)
    if len(pairs) == 2:
        (x, left), (y, right) = pairs
        yield from fit_text(scene, x, left, y, right)
        for (value, node), (other, _) in ((pairs[0], pairs[1]), (pairs[1], pairs[0])):
            yield from fit_sequence(scene, value, node, other)


def apply_to_other(scene: Scene, pairs: list[tuple[Any, Any]], value: Any) -> Iterator[Fix]:
    """Propose ``torch.sin(x)`` for ``torch.sin * x``, ``f(x)`` for ``f * x``, ``exp(-x)`` for ``exp -x``."""
    if value.__class__ is BoundMethod or len(pairs) != 2 or pairs[0][0] is not value:
        return
    sign = "-" if isinstance(scene.node, tree.Binary) and scene.node.op == "-" else ""
    inner = sign + scene.text(pairs[1][1])
    call = f"{scene.text(pairs[0][1])}({inner})"
    yield Fix(f"apply it: {call}", Edit(scene.node.span, call))


def other_operator(scene: Scene) -> Iterator[Fix]:
    """Propose ``**`` for ``^`` and ``*`` for ``@``."""
    node = scene.node
    if not isinstance(node, (tree.Binary, tree.AugmentedAssign)) or node.op not in OTHER_OPERATORS:
        return
    left, right = (node.left, node.right) if isinstance(node, tree.Binary) else (node.target, node.value)
    between = scene.source.text[left.span.end : right.span.start]
    at = left.span.end + between.index(node.op)
    op = OTHER_OPERATORS[node.op]
    if op == "**":
        scene.error.caret = "`^` is Python's exclusive or, not a power"
        scene.error.help = ()
    edit = Edit(Span(at, at + len(node.op)), op)
    yield Fix(f"{OPERATOR_REASONS[op]}: {edited_text(scene, node, edit)}", edit)


OTHER_OPERATORS = {"^": "**", "@": "*"}
OPERATOR_REASONS = {"**": "a power is written with two stars", "*": "to multiply by a number"}


def fit_text(scene: Scene, x: Any, left: Any, y: Any, right: Any) -> Iterator[Fix]:
    """Propose a string for the operand beside a string, or a number for the string."""
    for (value, node), (other, beside) in (((x, left), (y, right)), ((y, right), (x, left))):
        if value.__class__ is not str or other.__class__ is str:
            continue
        if is_number_text(value) and (other.__class__ in NUMBER_CLASSES or other.__class__ is Tensor):
            yield from number_instead(scene, node)
        if "+" in operator_of(scene.node):
            text = f"str({scene.text(beside)})"
            yield Fix(f"make it a string: {text}", Edit(beside.span, text))


def number_instead(scene: Scene, node: Any) -> Iterator[Fix]:
    """Propose the number in a string: without its quotes if it is a literal, else with ``float``."""
    assigned = scene.assignments(node.id) if isinstance(node, tree.Name) else []
    home = assigned[0].value if assigned else node
    if isinstance(home, tree.String):
        name = f"{node.id} = " if assigned else ""
        if assigned:
            scene.error.labels.append(Label(home.span, f"`{node.id}` is a string"))
        yield Fix(f"leave out the quotes: {name}{home.value}", Edit(home.span, home.value))
    else:
        number = f"float({scene.text(node)})"
        yield Fix(f"make it a number: {number}", Edit(node.span, number))


def operator_of(node: Any) -> str:
    """Return the operator of a node; empty if it has none."""
    return node.op if isinstance(node, (tree.Binary, tree.AugmentedAssign, tree.Unary)) else ""


def fit_sequence(scene: Scene, value: Any, node: Any, other: Any) -> Iterator[Fix]:
    """Propose a tensor for a list, a tuple or a named result."""
    if value.__class__ is NamedResult and "values" in value.fields:
        scene.error.caret = f"{scene.text(node)} is two tensors: {' and '.join(value.fields)}"
        values = f"{with_parentheses(scene.text(node))}.values"
        yield Fix(f"take the values: {values}", Edit(node.span, values))
    elif value.__class__ in (list, tuple) and (
        other.__class__ in NUMBER_CLASSES or other.__class__ is Tensor
    ):
        if len(value) == 1 and value[0].__class__ is Tensor:
            yield from only_entry(scene, node, value)
            return
        unpacked = list(unpack(scene, node))
        if unpacked:
            yield from unpacked
            return
        if value and all(entry.__class__ is Tensor for entry in value):
            stacked = f"torch.stack({scene.text(node)})"
            yield Fix(f"make one tensor of them: {stacked}", Edit(node.span, stacked))
            return
        home = node
        if isinstance(node, tree.Name) and (assigned := scene.assignments(node.id)):
            home = assigned[0].value
        if isinstance(home, (tree.ListDisplay, tree.TupleDisplay, tree.Comprehension)):
            made = f"torch.tensor({scene.text(home)})"
            name = f"{node.id} = " if home is not node else ""
            if home is not node:
                scene.error.labels.append(Label(home.span, f"`{node.id}` is a Python {type_name(value)}"))
            if point := comma_number(scene, home):
                yield Fix(f"write a decimal point: {name}{point}", Edit(home.span, point))
            yield Fix(f"make it a tensor: {name}{made}", Edit(home.span, made))
        else:
            made = f"torch.tensor({scene.text(node)})"
            yield Fix(f"make it a tensor: {made}", Edit(node.span, made))


def unpack(scene: Scene, node: Any) -> Iterator[Fix]:
    """Propose ``(x,) = ctx.saved_tensors`` where ``2 * x`` would repeat the tuple of one tensor."""
    for name in [part for part in walk(node) if isinstance(part, tree.Name)]:
        for made in scene.assignments(name.id)[:1]:
            value, target = made.value, made.targets[0]
            called = value.function if isinstance(value, tree.Call) else value
            if isinstance(called, tree.Attribute) and called.name in ("saved_tensors", "grad"):
                scene.error.labels.append(Label(made.span, f"`{name.id}` is a tuple"))
                text = f"({scene.text(target)},)"
                yield Fix(f"take the tensor out of it: {text} = {scene.text(value)}", Edit(target.span, text))


def comma_number(scene: Scene, node: Any) -> str:
    """Return ``0.1`` for ``0,1``, a number with a decimal comma; empty for any other tuple."""
    if not isinstance(node, tree.TupleDisplay) or not all(
        isinstance(entry, tree.Number) for entry in node.elements
    ):
        return ""
    whole, comma, rest = scene.text(node).partition(",")
    return f"{whole}.{rest}" if comma and whole.isdigit() and rest.isdigit() else ""


def only_entry(scene: Scene, node: Any, value: Any) -> Iterator[Fix]:
    """Propose the only tensor of a list or tuple, such as the result of ``grad()``."""
    scene.error.caret = f"`{scene.text(node)}` is a {type_name(value)} of one tensor"
    entry = f"{with_parentheses(scene.text(node))}[0]"
    yield Fix(f"take the tensor out of it: {entry}", Edit(node.span, entry))


CALLABLE_TYPES = frozenset([BoundMethod, PublicFunction, Builtin, ScriptFunction])


def call_it(scene: Scene, value: Any, node: Any) -> Iterator[Fix]:
    """Propose to call a function or method where its result was meant."""
    text = scene.text(node)
    what = "a method" if value.__class__ is BoundMethod else "a function"
    scene.error.caret = f"`{text}` is {what} that was not called"
    if isinstance(node, tree.Name) and (assigned := scene.assignments(node.id)):
        # The name stores the method, which should have been called there.
        home = assigned[0].value
        if isinstance(home, tree.Attribute):
            scene.error.labels.append(Label(home.span, f"`{text}` is this method"))
            call = Edit(Span(home.span.end, home.span.end), "()")
            yield Fix(f"call it: {text} = {scene.text(home)}()", call)
            return
    after = Span(node.span.end, node.span.end)
    if value.__class__ is BoundMethod and value.name == "size":
        yield Fix(f"count its entries: {text[: -len('size')]}numel()", Edit(method_name(node), "numel()"))
    yield Fix(f"call it: {text}()", Edit(after, "()"))


def method_name(node: Any) -> Span:
    return node.name_span if isinstance(node, tree.Attribute) else node.span


def fit_context(scene: Scene) -> Iterator[Fix]:
    """Propose the parentheses that ``with torch.no_grad:`` lacks."""
    value = scene.value(scene.node)
    if value.__class__ in CALLABLE_TYPES:
        yield from call_it(scene, value, scene.node)


def fit_format(scene: Scene) -> Iterator[Fix]:
    """Repair ``f"{x:.3f}"`` where ``x`` is not one number."""
    node = scene.node
    value, text = scene.value(node), scene.text(node)
    if value is None:
        yield from explain_none(scene, node)
    elif value.__class__ in CALLABLE_TYPES:
        yield from call_it(scene, value, node)
    elif value is UNBOUND and isinstance(node, tree.Attribute):
        yield Fix(f"call it: {text}()", Edit(Span(node.span.end, node.span.end), "()"))
    replacement = next((part for part in reversed(scene.path) if isinstance(part, tree.Replacement)), None)
    if value.__class__ is Tensor and replacement is not None:
        between = scene.source.text[node.span.end : replacement.span.end]
        if between.startswith(":") and between.endswith("}"):
            end = replacement.span.end - 1
            yield Fix(f"print all of it: {{{text}}}", Edit(Span(node.span.end, end), ""))
