"""Repairs of values of the wrong type: in operators, conversions, loops, calls and subscripts."""

from __future__ import annotations

from autodiff.core.errors import Edit, Fix, Label
from autodiff.core.functions import Function
from autodiff.core.results import NamedResult
from autodiff.core.span import Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.proposals.nothing import explain_nothing
from autodiff.grammar.proposals.scene import Scene, atom
from autodiff.grammar.values import NUMBERS, BoundMethod, Builtin, ScriptFunction
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def operands_of(scene: Scene) -> list[tuple[Any, Any]]:
    """The operands of the failed operator, each with its expression."""
    node, about = scene.node, scene.error.about
    if isinstance(node, syntax.Unary):
        nodes = [node.operand]
    elif isinstance(node, syntax.Binary):
        nodes = [node.left, node.right]
    elif isinstance(node, syntax.AugmentedAssign):
        nodes = [node.target, node.value]
    elif isinstance(node, syntax.Comparison) and len(node.rest) == 1:
        nodes = [node.first, node.rest[0][1]]
    else:
        return []
    return list(zip(about, nodes, strict=True)) if len(about) == len(nodes) else []


def fit_operands(scene: Scene) -> Iterator[Fix]:
    """What makes the operands of an operator fit each other."""
    pairs = operands_of(scene)
    for value, node in pairs:
        if value is None:
            yield from explain_nothing(scene, node)
            if isinstance(scene.path[-1], syntax.Comparison) and isinstance(node, syntax.Name):
                whole = scene.path[-1]
                text = f"{node.id} is None or {scene.text(whole)}"
                yield Fix(f"ask for None first: {text}", Edit(whole.span, text))
            return
    for value, node in pairs:
        if value.__class__ in UNCALLED:
            yield from call_it(scene, value, node)
            return
    if not pairs:
        return
    yield from other_operator(scene)
    if len(pairs) == 2:
        (x, left), (y, right) = pairs
        yield from fit_text(scene, x, left, y, right)
        for (value, node), (other, _) in ((pairs[0], pairs[1]), (pairs[1], pairs[0])):
            yield from fit_sequence(scene, value, node, other)


def other_operator(scene: Scene) -> Iterator[Fix]:
    """``^`` and ``@`` where ``**`` and ``*`` are meant."""
    node = scene.node
    if not isinstance(node, (syntax.Binary, syntax.AugmentedAssign)) or node.op not in INSTEAD:
        return
    left, right = (node.left, node.right) if isinstance(node, syntax.Binary) else (node.target, node.value)
    between = scene.source.text[left.span.end : right.span.start]
    at = left.span.end + between.index(node.op)
    op = INSTEAD[node.op]
    if op == "**":
        scene.error.caret = "`^` is Python's exclusive or, not a power"
        scene.error.help = ()
    equals = "" if isinstance(node, syntax.Binary) else "="
    yield Fix(
        f"{MEANS[op]}: {scene.text(left)} {op}{equals} {scene.text(right)}",
        Edit(Span(at, at + len(node.op)), op),
    )


INSTEAD = {"^": "**", "@": "*"}
MEANS = {"**": "a power is written with two stars", "*": "to multiply by a number"}


def fit_text(scene: Scene, x: Any, left: Any, y: Any, right: Any) -> Iterator[Fix]:
    """A string beside something else: make text of that, or a number of the string."""
    for (value, node), (other, beside) in (((x, left), (y, right)), ((y, right), (x, left))):
        if value.__class__ is not str or other.__class__ is str:
            continue
        if is_number(value) and (other.__class__ in NUMBERS or other.__class__ is Tensor):
            number = f"float({scene.text(node)})"
            yield Fix(f"make it a number: {number}", Edit(node.span, number))
        if "+" in operator_of(scene.node):
            text = f"str({scene.text(beside)})"
            yield Fix(f"make it a string: {text}", Edit(beside.span, text))


def operator_of(node: Any) -> str:
    """The operator of a node that has one."""
    return node.op if isinstance(node, (syntax.Binary, syntax.AugmentedAssign, syntax.Unary)) else ""


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def fit_sequence(scene: Scene, value: Any, node: Any, other: Any) -> Iterator[Fix]:
    """A list, a tuple or a named result where a tensor was meant."""
    if value.__class__ is NamedResult and "values" in value.fields:
        scene.error.caret = f"{scene.text(node)} is two tensors: {' and '.join(value.fields)}"
        values = f"{atom(scene.text(node))}.values"
        yield Fix(f"take the values: {values}", Edit(node.span, values))
    elif value.__class__ in (list, tuple) and (other.__class__ in NUMBERS or other.__class__ is Tensor):
        if value and all(entry.__class__ is Tensor for entry in value):
            stacked = f"torch.stack({scene.text(node)})"
            yield Fix(f"make one tensor of them: {stacked}", Edit(node.span, stacked))
            return
        home = node
        if isinstance(node, syntax.Name) and (assigned := scene.assignments(node.id)):
            home = assigned[0].value
        if isinstance(home, (syntax.ListDisplay, syntax.TupleDisplay, syntax.Comprehension)):
            made = f"torch.tensor({scene.text(home)})"
            name = f"{node.id} = " if home is not node else ""
            if home is not node:
                scene.error.labels.append(Label(home.span, f"`{node.id}` is a Python list"))
            yield Fix(f"make it a tensor: {name}{made}", Edit(home.span, made))
        else:
            made = f"torch.tensor({scene.text(node)})"
            yield Fix(f"make it a tensor: {made}", Edit(node.span, made))


UNCALLED = frozenset([BoundMethod, Function, Builtin, ScriptFunction])


def call_it(scene: Scene, value: Any, node: Any) -> Iterator[Fix]:
    """A function or method where its result was meant."""
    text = scene.text(node)
    what = "a method" if value.__class__ is BoundMethod else "a function"
    scene.error.caret = f"`{text}` is {what} that was not called"
    after = Span(node.span.end, node.span.end)
    if value.__class__ is BoundMethod and value.name == "size":
        yield Fix(f"count its entries: {text[: -len('size')]}numel()", Edit(method_name(node), "numel()"))
    yield Fix(f"call it: {text}()", Edit(after, "()"))


def method_name(node: Any) -> Span:
    return node.name_span if isinstance(node, syntax.Attribute) else node.span


# -- subscripts, calls, loops -----------------------------------------------------------------------


def fit_subscript(scene: Scene) -> Iterator[Fix]:
    """``x.size[0]``: a subscript of what has no entries."""
    node = scene.node
    if not isinstance(node, syntax.Subscript) or not scene.error.about:
        return
    owner, index = scene.error.about
    if owner is None:
        yield from explain_nothing(scene, node.object)
    elif owner.__class__ is BoundMethod:
        yield from call_it(scene, owner, node.object)
    elif owner.__class__ in UNCALLED:
        text = scene.text(node.object)
        scene.error.caret = f"`{text}` is a function: arguments stand in ( )"
        inside = scene.source.text[node.object.span.end : node.span.end].strip()
        if inside.startswith("[") and inside.endswith("]"):
            call = f"({inside[1:-1]})"
            yield Fix(f"call it: {text}{call}", Edit(Span(node.object.span.end, node.span.end), call))
    elif index.__class__ is float and index.is_integer():
        yield Fix(f"write a whole number: {int(index)}", Edit(node.index.span, str(int(index))))
        yield Fix(f"make it one: int({scene.text(node.index)})", whole(scene, node.index))
    elif index.__class__ is float:
        yield Fix(f"round it down: int({scene.text(node.index)})", whole(scene, node.index))


def whole(scene: Scene, node: Any) -> Edit:
    return Edit(node.span, f"int({scene.text(node)})")


def fit_call(scene: Scene) -> Iterator[Fix]:
    """Something is called that is no function (E0209)."""
    node = scene.node
    if not isinstance(node, syntax.Call) or not scene.error.about:
        return
    (owner,) = scene.error.about
    callee = node.function
    text = scene.text(callee)
    if owner is None:
        yield from explain_nothing(scene, callee)
        return
    if owner.__class__ in NUMBERS or owner.__class__ is Tensor:
        scene.error.span = callee.span
        scene.error.caret = f"this is {'a tensor' if owner.__class__ is Tensor else 'a number'}, no function"
    between = Span(callee.span.end, node.span.end)
    if not node.arguments:
        yield Fix(f"leave out the (): {text}", Edit(between, ""))
    elif isinstance(callee, syntax.Name) and scene.values.get(callee.id) is owner:
        yield from shadowed(scene, callee)
    if node.arguments and (owner.__class__ in NUMBERS or owner.__class__ is Tensor):
        inside = scene.source.text[between.start : between.end].strip()
        yield Fix(f"write `*` to multiply: {text} * {inside}", Edit(between, f" * {inside}"))
        if len(node.arguments) == 1 and owner.__class__ is Tensor and inside.startswith("("):
            index = f"[{inside[1:-1]}]"
            yield Fix(f"entries are picked with [ ]: {text}{index}", Edit(between, index))
    elif owner.__class__ in (list, tuple) and len(node.arguments) == 1:
        inside = scene.source.text[between.start : between.end].strip()
        yield Fix(f"entries are picked with [ ]: {text}[{inside[1:-1]}]", Edit(between, f"[{inside[1:-1]}]"))


def shadowed(scene: Scene, callee: syntax.Name) -> Iterator[Fix]:
    """``sum = 0`` and later ``sum(xs)``: the script's name hides the function."""
    from autodiff.grammar.namespaces import builtin

    meant = builtin(callee.id)
    if meant.__class__ not in (Function, Builtin):
        return
    for assigned in scene.assignments(callee.id)[:1]:
        scene.error.labels.append(Label(assigned.span, f"`{callee.id}` is no longer the function since here"))
    yield Fix(f"name the function in full: torch.{callee.id}", Edit(callee.span, f"torch.{callee.id}"))
    others = [node for node in walk(scene.script) if isinstance(node, syntax.Name) and node.id == callee.id]
    called = [node.function for node in walk(scene.script) if isinstance(node, syntax.Call)]
    edits = [Edit(node.span, f"{callee.id}_") for node in others if node not in called]
    yield Fix(f"call the value something else: {callee.id}_", *edits)


def fit_loop(scene: Scene) -> Iterator[Fix]:
    """A number where a sequence is gone through (E0205)."""
    node = scene.node
    parent = scene.path[-2] if len(scene.path) > 1 else None
    text = scene.text(node)
    if isinstance(parent, (syntax.For, syntax.ComprehensionFor)) and parent.iterable is node:
        value = scene.value(node)
        if value is None:
            yield from explain_nothing(scene, node)
            return
        yield Fix(f"count up to it: range({text})", Edit(node.span, f"range({text})"))
        if value.__class__ is Tensor or "0-d" in scene.error.message:
            yield Fix(f"count up to it: range(int({text}))", Edit(node.span, f"range(int({text}))"))
    elif (
        isinstance(node, syntax.Call) and len(node.arguments) == 1 and isinstance(node.function, syntax.Name)
    ):
        inner = node.arguments[0].value
        text = scene.text(inner)
        if scene.value(inner) is None:
            yield from explain_nothing(scene, inner)
            return
        given = f"range({text})"
        yield Fix(f"count up to it: {scene.text(node.function)}({given})", Edit(inner.span, given))


def fit_number(scene: Scene) -> Iterator[Fix]:
    """A function of one number was given something else."""
    node = scene.node
    if not isinstance(node, syntax.Call) or not node.arguments:
        return
    inner = node.arguments[0].value
    value = scene.value(inner)
    callee, text = node.function, scene.text(inner)
    if value is None:
        yield from explain_nothing(scene, inner)
        return
    if isinstance(callee, syntax.Attribute) and scene.text(callee.object) in ("math", "np"):
        full = f"torch.{callee.name}"
        yield Fix(f"for many numbers: {full}({text})", Edit(callee.span, full))
        if value.__class__ is not Tensor:
            tensor = f"{full}(torch.tensor({text}))"
            yield Fix(f"for many numbers: {tensor}", Edit(node.span, tensor))
    elif isinstance(callee, syntax.Name) and callee.id in ("float", "int"):
        yield Fix(
            f"for all of them as a list: {atom(text)}.tolist()", Edit(node.span, f"{atom(text)}.tolist()")
        )
    elif isinstance(callee, syntax.Name) and callee.id == "len":
        yield Fix(f"count its entries: {atom(text)}.numel()", Edit(node.span, f"{atom(text)}.numel()"))
    elif isinstance(callee, syntax.Name) and callee.id == "range":
        yield from whole_bounds(scene, node)


def whole_bounds(scene: Scene, call: syntax.Call) -> Iterator[Fix]:
    """``range(n / 2)``: whole numbers for all bounds that are none."""
    texts, edits = [], []
    for argument in call.arguments:
        text = scene.text(argument.value)
        value = argument.value
        if isinstance(value, syntax.Binary) and value.op == "/":
            between = scene.source.text[value.left.span.end : value.right.span.start]
            at = value.left.span.end + between.index("/")
            edits.append(Edit(Span(at, at + 1), "//"))
            texts.append(f"{scene.text(value.left)} // {scene.text(value.right)}")
        elif isinstance(value, syntax.Number) and isinstance(value.value, int):
            texts.append(text)
        elif isinstance(value, syntax.Number) and float(value.value).is_integer():
            edits.append(Edit(value.span, str(int(value.value))))
            texts.append(str(int(value.value)))
        else:
            edits.append(Edit(value.span, f"int({text})"))
            texts.append(f"int({text})")
    if edits:
        scene.error.help = ()
        yield Fix(f"whole numbers: range({', '.join(texts)})", *edits)


def fit_types(scene: Scene) -> Iterator[Fix]:
    """The repairs of E0203, by what failed."""
    if isinstance(scene.node, syntax.Subscript):
        yield from fit_subscript(scene)
    elif isinstance(scene.node, syntax.Call):
        yield from fit_number(scene)
    else:
        yield from fit_operands(scene)
