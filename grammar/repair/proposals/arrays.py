"""Repairs of arrays of numpy in scripts of tensors (E0145): torch's functions, at all places at once."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.grammar.help.failure_scene import Scene, edited_text, is_method, method_owner
from autodiff.grammar.repair.proposals.absent_features import absent_name, absent_use, rename_keyword
from autodiff.grammar.repair.proposals.attributes import fit_attribute
from autodiff.grammar.repair.proposals.numpy_counterparts import COUNTERPARTS, torch_counterpart
from autodiff.grammar.repair.proposals.random_draws import draw_with_torch
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: numpy's names of functions that have another name in torch, with the same arguments.
TORCH_NAMES = {"absolute": "abs", "dot": "matmul", "power": "pow"}
#: Calls with more characters are described by what changes in them.
LONGEST_SHOWN = 60
#: torch's dtypes by what numpy takes for them.
NUMPY_DTYPES = {
    **{name: name for name in ("float32", "float64", "int32", "int64", "bool")},
    **{"float": "float64", "int": "int64", "f4": "float32", "f8": "float64", "double": "float64"},
}
#: The functions that make a tensor of numbers; one around the other is one too many.
MAKERS = frozenset(["tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"])


def tensors_for_arrays(scene: Scene) -> Iterator[Fix]:
    """Propose torch's functions at all places with numpy's, else at the place that failed."""
    here = list(tensor_for_array(scene))
    others = [
        Scene(one, one.span, scene.script, scene.source, [], scene.values)
        for one in other_absences(scene)
        if one.span is not None
    ]
    if here and others:
        edits, changes, messages = list(here[0].edits), [change(scene, here[0])], {scene.error.message}
        for there in others:
            fix = next(tensor_for_array(there), None)
            if fix is not None and any(overlap(one, other) for one in fix.edits for other in edits):
                continue  # `torch.from_numpy(np.array(x))` is one change
            if fix is not None:
                edits += fix.edits
                changes.append(change(there, fix))
            elif there.error.message not in messages:
                scene.error.other_errors.append(there.error)
                messages.add(there.error.message)
        if len(changes) > 1:
            lines = ["write torch's functions for numpy's:", *dict.fromkeys("    " + one for one in changes)]
            here = [Fix("\n".join(lines), *edits)]
    yield from here


def overlap(one: Edit, other: Edit) -> bool:
    return one.span.start < other.span.end and other.span.start < one.span.end


def other_absences(scene: Scene) -> list[AutodiffError]:
    """Return the errors for arrays at other places of the script."""
    from autodiff.grammar.translate.error_rewrites import absences
    from autodiff.grammar.translate.pasted_program import parse_pasted

    pasted = parse_pasted(scene.source)
    found = [] if pasted is None else absences(pasted)
    return [one for one in found if one.code == "E0145" and one.span and one.span.end != scene.span.end]


def change(scene: Scene, fix: Fix) -> str:
    """Describe a repair in a line: the new text and the old."""
    place, call = absent_use(scene)
    whole = place if call is None else call
    is_long = len(scene.text(whole)) > LONGEST_SHOWN and all(edit.text for edit in fix.edits)
    if len(fix.edits) == 1 or is_long:
        return ", ".join(f"{edit.text} in place of {scene.source.excerpt(edit.span)}" for edit in fix.edits)
    return f"{edited_text(scene, whole, *fix.edits)} in place of {scene.text(whole)}"


def tensor_for_array(scene: Scene) -> Iterator[Fix]:
    """Propose a tensor in place of an array, and no conversion from one to the other."""
    place, call = absent_use(scene)
    name = absent_name(scene)
    full = str(scene.error.repair_context[0])
    if name in ("array", "asarray") and call is not None:
        if len(call.arguments) == 1 and is_made_a_tensor(scene, call):
            yield without_call(f"leave `{scene.text(place)}` out", call)
        else:
            yield Fix("write `torch.tensor(...)`", Edit(place.span, "torch.tensor"), *torch_dtypes(call))
    elif name == "from_numpy" and call is not None and len(call.arguments) == 1:
        inner = call.arguments[0].value
        is_made = is_method(inner, "array") or is_method(inner, "asarray")
        if isinstance(inner, tree.Call) and is_made:  # other functions compute something
            text = scene.source.text[inner.function.span.end : inner.span.end]
            begin, end = Span(call.span.start, inner.function.span.end), Span(inner.span.end, call.span.end)
            named = torch_dtypes(inner)
            made = "(...)" if named else text
            yield Fix(f"write `torch.tensor{made}`", Edit(begin, "torch.tensor"), *named, Edit(end, ""))
        elif (kept := before_numpy(inner)) is not inner:
            text = scene.text(kept)
            yield Fix(f"stay with tensors: `{text}`", Edit(call.span, text))
        else:
            yield without_call(f"it is a tensor already: `{scene.text(inner)}`", call)
    elif name in ("randn", "rand") and call is not None:
        yield Fix(f"write `torch.{name}(...)`", Edit(place.span, f"torch.{name}"))
    elif "numpy.random." in full and call is not None:
        yield from draw_with_torch(scene, full, call)
    elif name == "linalg" and isinstance(scene.parent, tree.Attribute):
        around = scene.path[-3] if len(scene.path) > 2 else None
        if isinstance(around, tree.Call) and f"linalg.{scene.parent.name}" in COUNTERPARTS:
            yield from torch_counterpart(scene, around, f"linalg.{scene.parent.name}")
            return
        yield Fix(f"write `torch.linalg.{scene.parent.name}`", Edit(place.span, "torch.linalg"))
    elif name == "linspace" and call is not None and scene.argument(call, "num") is not None:
        edits = [Edit(place.span, "torch.linspace"), rename_keyword(scene, call, "num", "steps")]
        yield Fix(f"write `{edited_text(scene, call, *edits)}`", *edits)
    elif name in ("float32", "float64", "int64"):
        yield Fix(f"write `torch.{name}`", Edit(place.span, f"torch.{name}"))
    elif name in ("maximum", "minimum") and call is not None and len(call.arguments) == 2:
        yield from bound(scene, place, call, "min" if name == "maximum" else "max")
    elif (known := full.removeprefix("numpy.")) in COUNTERPARTS and call is not None:
        yield from torch_counterpart(scene, call, known)
    elif full == f"numpy.{name}" and f"torch.{TORCH_NAMES.get(name, name)}" in FUNCTIONS:
        meant = f"torch.{TORCH_NAMES.get(name, name)}"
        yield Fix(f"did you mean `{meant}`?", Edit(place.span, meant))
    else:
        yield from fit_attribute(scene)


def torch_dtypes(call: tree.Call) -> list[Edit]:
    """Return the edits that write torch's dtypes for those that numpy has by a text or of Python."""
    edits = []
    for one in call.arguments:
        if one.keyword != "dtype":
            continue
        value = one.value
        name = value.value if isinstance(value, tree.String) else getattr(value, "id", "")
        if name in NUMPY_DTYPES:
            edits.append(Edit(value.span, f"torch.{NUMPY_DTYPES[name]}"))
    return edits


def before_numpy(node: Any) -> Any:
    """Return ``x`` in ``x.detach().cpu().numpy()``, else the node itself."""
    while any(is_method(node, name) for name in ("numpy", "cpu", "detach")):
        node = method_owner(node)
    return node


def bound(scene: Scene, place: Any, call: tree.Call, keyword: str) -> Iterator[Fix]:
    """Propose ``torch.clamp(v, min=0)`` for ``np.maximum(0, v)``: torch's takes no numbers."""
    numbers = [one for one in call.arguments if is_number(one.value)]
    if len(numbers) != 1:
        yield Fix(f"did you mean `torch.{place.name}`?", Edit(place.span, f"torch.{place.name}"))
        return
    number = numbers[0]
    first, second = call.arguments
    text = f"{keyword}={scene.text(number.value)}"
    edits = [Edit(place.span, "torch.clamp")]
    if number is second:
        edits.append(Edit(second.span, text))
    else:
        behind = Span(second.span.end, second.span.end)
        edits += [Edit(Span(first.span.start, second.span.start), ""), Edit(behind, f", {text}")]
    yield Fix(f"write `{edited_text(scene, call, *edits)}`", *edits)


def is_number(node: Any) -> bool:
    return isinstance(node, tree.Number) or (
        isinstance(node, tree.Unary) and isinstance(node.operand, tree.Number)
    )


def is_made_a_tensor(scene: Scene, call: tree.Call) -> bool:
    """Whether an array is the argument of a maker of tensors, as in ``torch.tensor(np.array(x))``."""
    around = next(
        (node for node in reversed(scene.path) if isinstance(node, tree.Call) and node is not call), None
    )
    return (
        around is not None
        and isinstance(around.function, (tree.Attribute, tree.Name))
        and getattr(around.function, "name", getattr(around.function, "id", "")) in MAKERS
        and any(one.value is call for one in around.arguments)
    )


def without_call(text: str, call: tree.Call) -> Fix:
    """Return the fix that leaves only the argument of a call."""
    inner = call.arguments[0].span
    return Fix(text, Edit(Span(call.span.start, inner.start), ""), Edit(Span(inner.end, call.span.end), ""))
