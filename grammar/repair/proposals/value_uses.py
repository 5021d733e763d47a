"""Repairs of operations on a value of the wrong kind: subscripts, calls, loops, conversions to numbers.

Operators are in ``types``, attributes in ``attributes``, arguments in ``arguments``.
"""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.number_text import is_number_text
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, edited_text, with_parentheses
from autodiff.grammar.objects.values import NUMBER_CLASSES, UNBOUND, BoundMethod, Builtin
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.repair.proposals.none_values import explain_none
from autodiff.grammar.repair.proposals.operand_types import (
    CALLABLE_TYPES,
    call_it,
    fit_context,
    fit_format,
    fit_operands,
    other_operator,
)
from autodiff.grammar.repair.proposals.stable_functions import known_functions
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import children, path_to, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def fit_subscript(scene: Scene) -> Iterator[Fix]:
    """Repair a subscript of a value without entries, such as ``x.size[0]``."""
    node = scene.node
    if not isinstance(node, tree.Subscript) or not scene.error.repair_context:
        return
    owner, index = scene.error.repair_context
    if owner is None:
        yield from explain_none(scene, node.object)
    elif owner.__class__ is BoundMethod:
        yield from call_it(scene, owner, node.object)
    elif owner.__class__ in CALLABLE_TYPES:
        text = scene.text(node.object)
        scene.error.caret = f"`{text}` is a function: its arguments go in ( )"
        inside = scene.source.text[node.object.span.end : node.span.end].strip()
        if inside.startswith("[") and inside.endswith("]"):
            call = f"({inside[1:-1]})"
            yield Fix(f"call it: {text}{call}", Edit(Span(node.object.span.end, node.span.end), call))
    elif index.__class__ is float and index.is_integer():
        yield Fix(f"write a whole number: {int(index)}", Edit(node.index.span, str(int(index))))
        yield Fix(f"make it one: int({scene.text(node.index)})", int_edit(scene, node.index))
    elif index.__class__ is float:
        yield Fix(f"round it down: int({scene.text(node.index)})", int_edit(scene, node.index))


def int_edit(scene: Scene, node: Any) -> Edit:
    return Edit(node.span, f"int({scene.text(node)})")


def fit_call(scene: Scene) -> Iterator[Fix]:
    """Repair the call of a value that is no function (E0209)."""
    node = scene.node
    if not isinstance(node, tree.Call) or not scene.error.repair_context:
        return
    (owner,) = scene.error.repair_context
    callee = node.function
    text = scene.text(callee)
    if owner is None:
        yield from explain_none(scene, callee)
        return
    if owner.__class__ in NUMBER_CLASSES or owner.__class__ is Tensor:
        scene.error.span = callee.span
        scene.error.caret = f"this is {'a tensor' if owner.__class__ is Tensor else 'a number'}, no function"
    between = Span(callee.span.end, node.span.end)
    if not node.arguments:
        if isinstance(callee, tree.Attribute):
            scene.error.caret = f"`{text}` is a value, no method"
            if callee.name == "requires_grad":
                mark = Edit(Span(callee.span.end, callee.span.end), "_")
                yield Fix(f"ask for a gradient: {text}_()", mark)
                return
        yield Fix(f"leave out the (): {text}", Edit(between, ""))
    elif isinstance(callee, tree.Name) and scene.values.get(callee.id) is owner:
        yield from fit_shadowed_function(scene, callee)
    if node.arguments and (owner.__class__ in NUMBER_CLASSES or owner.__class__ is Tensor):
        yield from product_of_factors(scene, node)
        yield from power_of_call(scene, node)
        inside = scene.source.text[between.start : between.end].strip()
        if len(node.arguments) == 1 and owner.__class__ is Tensor and inside.startswith("("):
            index = f"[{inside[1:-1]}]"
            yield Fix(f"entries are picked with [ ]: {text}{index}", Edit(between, index))
    elif owner.__class__ in (list, tuple) and len(node.arguments) == 1:
        inside = scene.source.text[between.start : between.end].strip()
        yield Fix(f"entries are picked with [ ]: {text}[{inside[1:-1]}]", Edit(between, f"[{inside[1:-1]}]"))


def product_of_factors(scene: Scene, node: tree.Call) -> Iterator[Fix]:
    """Propose ``5 * (x + 1) * (x - 1)`` for ``5(x + 1)(x - 1)``."""
    chain = [one for one in path_to(scene.script, node.span) if isinstance(one, tree.Call)]
    factors = [one for one in chain if one.span.start == node.span.start]
    ends = [scene.bracketed_span(one.function).end for one in factors]
    edits = [Edit(Span(end, scene.source.text.index("(", end)), " * ") for end in ends]
    yield Fix(f"write `*` to multiply: {edited_text(scene, factors[0], *edits)}", *edits)


def power_of_call(scene: Scene, node: tree.Call) -> Iterator[Fix]:
    """Propose ``sin(x)**2`` for ``sin^2(x)`` and ``sin**2(x)``."""
    power = scene.parent
    if isinstance(power, tree.Binary) and power.op in ("^", "**") and power.right is node:
        argument = scene.source.text[node.function.span.end : node.span.end]
        text = f"{scene.text(power.left)}{argument}**{scene.text(node.function)}"
        yield Fix(f"the power stands after the call: {text}", Edit(power.span, text))


def fit_shadowed_function(scene: Scene, callee: tree.Name) -> Iterator[Fix]:
    """``sum = 0`` and later ``sum(xs)``: the script's name hides the function."""
    from autodiff.grammar.objects.builtins.namespaces import builtin_value

    meant = builtin_value(callee.id)
    if meant.__class__ not in (PublicFunction, Builtin):
        return
    for assigned in scene.assignments(callee.id)[:1]:
        scene.error.labels.append(
            Label(assigned.span, f"`{callee.id}` is no longer the function from here on")
        )
    yield Fix(f"name the function in full: torch.{callee.id}", Edit(callee.span, f"torch.{callee.id}"))
    others = [node for node in walk(scene.script) if isinstance(node, tree.Name) and node.id == callee.id]
    called = [node.function for node in walk(scene.script) if isinstance(node, tree.Call)]
    edits = [Edit(node.span, f"{callee.id}_") for node in others if node not in called]
    yield Fix(f"call the value something else: {callee.id}_", *edits)


def fit_loop(scene: Scene) -> Iterator[Fix]:
    """Propose a range where a number is used as a sequence (E0205)."""
    node = scene.node
    parent = scene.path[-2] if len(scene.path) > 1 else None
    text = scene.text(node)
    if isinstance(parent, (tree.For, tree.ComprehensionFor)) and parent.target is node:
        given = f"enumerate({scene.text(parent.iterable)})"
        yield Fix(f"to count along: for {text} in {given}", Edit(parent.iterable.span, given))
    elif isinstance(parent, (tree.For, tree.ComprehensionFor)) and parent.iterable is node:
        value = scene.value(node)
        if value is None:
            yield from explain_none(scene, node)
            return
        yield Fix(f"count up to it: range({text})", Edit(node.span, f"range({text})"))
        if value.__class__ is Tensor or "0-d" in scene.error.message:
            yield Fix(f"count up to it: range(int({text}))", Edit(node.span, f"range(int({text}))"))
    elif isinstance(node, tree.Call) and text.partition("(")[0].endswith("grad"):
        yield from fit_grad_function(scene, node)
    elif isinstance(node, tree.Call) and len(node.arguments) == 1 and isinstance(node.function, tree.Name):
        inner = node.arguments[0].value
        text = scene.text(inner)
        if scene.value(inner) is None:
            yield from explain_none(scene, inner)
            return
        if scene.value(inner).__class__ in CALLABLE_TYPES:
            yield from call_it(scene, scene.value(inner), inner)
            return
        if isinstance(inner, tree.Attribute):
            yield Fix(f"call it: {text}()", Edit(Span(inner.span.end, inner.span.end), "()"))
        given = f"range({text})"
        yield Fix(f"count up to it: {scene.text(node.function)}({given})", Edit(inner.span, given))


def fit_grad_function(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose ``f(x)`` in ``torch.autograd.grad(f, x)``, which takes the function's result."""
    if len(call.arguments) < 2 or scene.value(call.arguments[0].value).__class__ not in CALLABLE_TYPES:
        return
    function, at = call.arguments[0], scene.text(call.arguments[1].value)
    text = scene.text(function)
    scene.error.span = function.span
    scene.error.caret = f"`{text}` is a function: grad() takes its result"
    if isinstance(call.arguments[1].value, tree.Name):
        edit = Edit(function.span, f"{text}({at})")
        yield Fix(f"call it: {edited_text(scene, call, edit)}", edit)
    else:
        scene.error.help = (f"with a name for the input, the result is `{text}(x)`",)


def fit_values(scene: Scene) -> Iterator[Fix]:
    """Repair values that are of the right type and still not accepted (E0206)."""
    if scene.error.repair_context and scene.error.message.startswith("too many values to unpack"):
        yield from fit_targets(scene)
    elif scene.error.message == "math domain error":
        yield from known_functions(scene)
        point_at_operand(scene)
    else:
        yield from fit_number(scene)


def point_at_operand(scene: Scene) -> None:
    """Say at the caret which value is outside of the domain of a function of one number."""
    node = scene.node
    if not isinstance(node, tree.Call) or len(node.arguments) != 1:
        return
    inner = node.arguments[0].value
    value = scene.value(inner)
    if value.__class__ is Tensor and value.entry_count == 1:
        value = value.item()
    if value.__class__ in NUMBER_CLASSES and not isinstance(inner, tree.Number):
        scene.error.caret = f"{scene.text(inner)} is {value:.6g}, and there is no value for it"


def fit_targets(scene: Scene) -> Iterator[Fix]:
    """Propose a name for each remaining value in ``y, z = model(x)`` of three values."""
    wanted, given = scene.error.repair_context
    statement = scene.statement
    if isinstance(statement, tree.Assign) and given is not None and given - wanted <= 3:
        targets = statement.targets[-1]
        spare = ", _" * (given - wanted)
        if not scene.text(targets).startswith(("(", "[")):
            after = Span(targets.span.end, targets.span.end)
            yield Fix(
                f"name the rest too, or use `_`: {scene.text(targets)}{spare} = ...", Edit(after, spare)
            )


def fit_number(scene: Scene) -> Iterator[Fix]:
    """Repair a function of one number that was given something else."""
    node = scene.node
    if not isinstance(node, tree.Call) or not node.arguments:
        return
    inner = node.arguments[0].value
    value = scene.value(inner)
    if value.__class__ is str and len(node.arguments) == 1:
        yield from fit_text_number(scene)
        return
    callee, text = node.function, scene.text(inner)
    if value is None:
        yield from explain_none(scene, inner)
        return
    words = LibraryWords(scene)
    if isinstance(callee, tree.Attribute) and words.module == "numpy":
        if full := words.name(callee.name):
            yield Fix(f"for many numbers: {full}({text})", Edit(callee.span, full))
    elif isinstance(callee, tree.Attribute) and scene.text(callee.object) in ("math", "np"):
        full = f"torch.{callee.name}"
        yield Fix(f"for many numbers: {full}({text})", Edit(callee.span, full))
        if not any(operand.__class__ is Tensor for operand in scene.error.operands):
            tensor = f"{full}(torch.tensor({text}))"
            yield Fix(f"for many numbers: {tensor}", Edit(node.span, tensor))
    elif isinstance(callee, tree.Name) and callee.id in ("float", "int"):
        yield Fix(
            f"for all of them as a list: {with_parentheses(text)}.tolist()",
            Edit(node.span, f"{with_parentheses(text)}.tolist()"),
        )
    elif isinstance(callee, tree.Name) and callee.id == "len":
        yield Fix(
            f"count its entries: {with_parentheses(text)}.numel()",
            Edit(node.span, f"{with_parentheses(text)}.numel()"),
        )
    elif isinstance(callee, tree.Name) and callee.id == "range" and is_shape(inner):
        scene.error.caret = f"`{text}` is the sizes of all dimensions"
        first = Edit(Span(inner.span.end, inner.span.end), "[0]")
        yield Fix(f"count along the first: range({text}[0])", first)
    elif isinstance(callee, tree.Name) and callee.id == "range" and has_length(value):
        scene.error.help = ()
        yield Fix(f"count its entries: range(len({text}))", Edit(inner.span, f"len({text})"))
    elif isinstance(callee, tree.Name) and callee.id == "range":
        yield from fit_range_bounds(scene, node)


def fit_single_number(scene: Scene) -> Iterator[Fix]:
    """Repair E0305: more than one number where one is wanted."""
    yield from fit_number(scene)
    yield from one_of_many(scene)


def one_of_many(scene: Scene) -> Iterator[Fix]:
    """Propose a sum, or the first entry, where one number is wanted."""
    (x, node), *_ = [*scene.given(), (None, None)]
    if node is None or not x.entry_count:
        return
    text = with_parentheses(scene.text(node))
    ways = (("add them up", f"{text}.sum()"), ("pick one", f"{text}[{', '.join('0' * x.ndim)}]"))
    for way, new in ways:
        edit = Edit(node.span, new)
        yield Fix(f"{way}: {edited_text(scene, scene.node, edit)}", edit)


def is_shape(node: Any) -> bool:
    """Whether an expression is ``x.shape`` or ``x.size()``."""
    if isinstance(node, tree.Call) and not node.arguments and isinstance(node.function, tree.Attribute):
        return bool(node.function.name == "size")
    return isinstance(node, tree.Attribute) and bool(node.name == "shape")


def has_length(value: Any) -> bool:
    return value.__class__ in (list, tuple) or (value.__class__ is Tensor and value.ndim > 0)


def fit_range_bounds(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose whole numbers for the bounds in ``range(n / 2)`` that are none."""
    texts, edits = [], []
    for argument in call.arguments:
        text = scene.text(argument.value)
        value = argument.value
        if isinstance(value, tree.Binary) and value.op == "/":
            between = scene.source.text[value.left.span.end : value.right.span.start]
            at = value.left.span.end + between.index("/")
            edits.append(Edit(Span(at, at + 1), "//"))
            texts.append(f"{scene.text(value.left)} // {scene.text(value.right)}")
        elif isinstance(value, tree.Number) and isinstance(value.value, int):
            texts.append(text)
        elif isinstance(value, tree.Number) and float(value.value).is_integer():
            edits.append(Edit(value.span, str(int(value.value))))
            texts.append(str(int(value.value)))
        else:
            edits.append(Edit(value.span, f"int({text})"))
            texts.append(f"int({text})")
    if edits:
        scene.error.help = ()
        yield Fix(f"whole numbers: range({', '.join(texts)})", *edits)


def fit_text_number(scene: Scene) -> Iterator[Fix]:
    """Repair ``int("3.5")`` and ``float("0,5")``: the text is not the number it should be."""
    call = scene.node
    (argument,) = call.arguments
    text = scene.value(argument.value)
    if text.__class__ is not str:
        return
    scene.error.span, shown = argument.value.span, scene.text(argument.value)
    scene.error.caret = "this text is not a number as Python writes them"
    if scene.text(call.function) == "int" and is_number_text(text):
        scene.error.caret = "this text is not a whole number"
        yield Fix(
            f"read it as a float first: int(float({shown}))", Edit(argument.value.span, f"float({shown})")
        )
    elif is_number_text(text.replace(",", ".")) and isinstance(argument.value, tree.String):
        point = shown.replace(",", ".")
        yield Fix(f"write a decimal point: {point}", Edit(argument.value.span, point))


def point_at_zero(scene: Scene) -> Iterator[Fix]:
    """Move the caret to the divisor that is 0 (E0212)."""
    node = scene.node
    if isinstance(node, (tree.Binary, tree.AugmentedAssign)) and node.op in ("/", "//", "%"):
        right = node.right if isinstance(node, tree.Binary) else node.value
        scene.error.span = right.span
        scene.error.caret = "this is 0"
    return iter(())


def show_values(scene: Scene) -> Iterator[Fix]:
    """Add the values of the sides that an assertion compares to the caret (E0210), else those of its names.

    Of two arrays it is the entry where they differ most.
    """
    shown: list[str] = []
    places, sides = (
        [side for side, _ in scene.error.repair_context],
        [x for _, x in scene.error.repair_context],
    )
    if len(sides) == 2 and all(value.__class__ is Tensor and value.entry_count > 1 for value in sides):
        shown = largest_difference(scene, places, sides)
    todo = [] if shown else places or [scene.node]
    known = dict(zip(places, sides, strict=True))
    while todo:
        node = todo.pop(0)
        is_place = isinstance(node, (tree.Name, tree.Attribute, tree.Subscript))
        value = known[node] if node in known else scene.value(node) if is_place else UNBOUND
        if value.__class__ is Tensor and value.entry_count == 1:
            value = value.item()
        text = f"`{scene.text(node)}` is {value}"
        if value.__class__ in NUMBER_CLASSES or (value is None and isinstance(node, tree.Attribute)):
            shown += [text] * (text not in shown)
        elif isinstance(node, tree.Attribute) and value.__class__ is Tensor:
            continue  # its object is not what is compared
        else:
            todo = [*children(node), *todo]
    if 0 < len(shown) <= 3:
        scene.error.caret += f": {', '.join(shown)}"
    return iter(())


def largest_difference(scene: Scene, places: list[tree.Expression], pair: list[Any]) -> list[str]:
    """The entries of two arrays of one shape where they differ most; none if that is not a number."""
    left, right = (np.asarray(value.data, dtype=np.float64) for value in pair)
    if left.shape != right.shape:
        return []
    apart = np.abs(left - right)
    at = np.unravel_index(int(np.argmax(apart)), apart.shape)
    where = f"[{', '.join(map(str, at))}]"
    return [
        f"entry {where} of `{scene.text(place)}` is {value[at].item()}"
        for place, value in zip(places, (left, right), strict=True)
    ]


def clear_grad(scene: Scene) -> Iterator[Fix]:
    """Propose ``x.grad = None`` for ``x.grad = 0``."""
    statement = scene.statement
    if isinstance(statement, tree.Assign):
        scene.error.span = statement.value.span
        scene.error.caret = "this is neither a tensor nor None"
        cleared = Edit(statement.value.span, "None")
        yield Fix(f"to clear it: {edited_text(scene, statement, cleared)}", cleared)


def fit_operation(scene: Scene) -> Iterator[Fix]:
    """Repair E0200: propose another operator, or probabilities where there are none."""
    call = scene.node
    if "between 0 and 1" not in scene.error.message or not isinstance(call, tree.Call):
        yield from other_operator(scene)
        return
    scene.error.caret = "this takes probabilities"
    name = scene.text(call.function)
    if call.arguments and name.endswith("binary_cross_entropy"):
        first = call.arguments[0].value
        scene.error.help = ()
        logits = Edit(Span(call.function.span.end, call.function.span.end), "_with_logits")
        yield Fix(f"if they are scores: {edited_text(scene, call, logits)}", logits)
        squeezed = Edit(first.span, f"torch.sigmoid({scene.text(first)})")
        yield Fix(f"make them probabilities: {edited_text(scene, call, squeezed)}", squeezed)


def fit_types(scene: Scene) -> Iterator[Fix]:
    """Repair E0203, by what failed."""
    if isinstance(scene.node, tree.Subscript):
        yield from fit_subscript(scene)
    elif scene.error.message.startswith("assigned grad expected"):
        yield from clear_grad(scene)
    elif scene.error.message.endswith("context manager protocol"):
        yield from fit_context(scene)
    elif scene.error.message.startswith("unsupported format string"):
        yield from fit_format(scene)
    elif isinstance(scene.node, tree.Call):
        yield from fit_number(scene)
    else:
        yield from fit_operands(scene)
