"""Repairs of number types: floats for whole numbers, dtypes that do not mix, numbers that are too large."""

from __future__ import annotations

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, edited_text, with_parentheses
from autodiff.grammar.objects.operators import BEYOND_FLOATS
from autodiff.grammar.repair.proposals.stable_functions import known_functions
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def constructor_of(scene: Scene, node: Any) -> tree.Call | None:
    """Return the call, such as ``torch.tensor(...)``, that made a value, through one name at most."""
    if isinstance(node, tree.Name):
        made = scene.assignments(node.id)
        node = made[0].value if len(made) == 1 else None
    if isinstance(node, tree.Call):
        called = scene.value(node.function)
        if called.__class__ is PublicFunction and called.name not in ("Variable",):
            return node
        for argument in node.arguments[:1]:
            return constructor_of(scene, argument.value)
    return None


def decimal_points(scene: Scene, call: tree.Call | None) -> Iterator[Fix]:
    """Propose a decimal point after the first whole number of a constructor, or a ``dtype``."""
    if call is None:
        return
    function = scene.value(call.function)
    takes_dtype = function.__class__ is PublicFunction and any(p.name == "dtype" for p in function.parameters)
    old = scene.argument(call, "dtype")
    data = [argument.value for argument in call.arguments if argument.keyword in (None, "data", "fill_value")]
    entry = next((n for n in walk(*data) if isinstance(n, tree.Number) and n.value.__class__ is int), None)
    if entry is not None and old is None and function.name in ("tensor", "full", "arange"):
        edit = Edit(Span(entry.span.end, entry.span.end), ".")
        yield Fix(f"write it with a decimal point: {edited_text(scene, call, edit)}", edit)
    if takes_dtype:
        edit = scene.argument_edit(call, "dtype=torch.float64")
        yield Fix(f"say that they are floats: {edited_text(scene, call, edit)}", edit)


def require_floats(scene: Scene) -> Iterator[Fix]:
    """Propose floats where a tensor of whole numbers was asked to require a gradient."""
    node = scene.node
    if isinstance(node, tree.Call) and scene.value(node.function).__class__ is PublicFunction:
        inner = (
            node.arguments[0].value
            if scene.text(node.function).endswith("Variable") and node.arguments
            else node
        )
        yield from decimal_points(scene, constructor_of(scene, inner))
        return
    owner = node.object if isinstance(node, tree.Attribute) else None
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Attribute):
        owner = node.function.object
    if owner is not None:
        yield from decimal_points(scene, constructor_of(scene, owner))


def fit_dtypes(scene: Scene) -> Iterator[Fix]:
    """Propose casts that make two tensors, or a tensor and a function, fit together."""
    node, message = scene.node, scene.error.message
    pairs = scene.given()
    if isinstance(node, tree.AugmentedAssign) and "can't be cast" in message:
        target, value = scene.text(node.target), scene.text(node.value)
        yield from decimal_points(scene, constructor_of(scene, node.target))
        new = f"{target} = {target} {node.op} {value}"
        yield Fix(f"make a new tensor: {new}", Edit(node.span, new))
        return
    if "target dtype to be Long" in message:
        yield from cast(scene, pairs[0][1], "long")
        return
    if "`-` operator" in message:
        yield from invert_mask(scene)
        return
    if len(pairs) == 2 and pairs[0][0].dtype is not pairs[1][0].dtype:
        (narrow, place), (_, other) = sorted(pairs, key=lambda pair: pair[0].dtype.rank)
        if place is None:
            return
        if narrow.dtype.is_floating_point and isinstance(other, tree.Name):
            new = f"{with_parentheses(scene.text(place))}.to({scene.text(other)}.dtype)"
            yield Fix(f"convert it: {new}", Edit(place.span, new))
        else:
            yield from decimal_points(scene, constructor_of(scene, place))
            yield from cast(scene, place, "double")
        return
    for _, place in pairs[:1]:
        if place is not None:
            yield from decimal_points(scene, constructor_of(scene, place))
            yield from cast(scene, place, "double")


def cast(scene: Scene, place: Any, kind: str) -> Iterator[Fix]:
    if place is not None:
        new = f"{with_parentheses(scene.text(place))}.{kind}()"
        yield Fix(f"convert it: {new}", Edit(place.span, new))


def invert_mask(scene: Scene) -> Iterator[Fix]:
    """Propose ``~mask`` for ``-mask`` and ``1 - mask``, and ``^`` for the difference of two masks."""
    node = scene.node
    if isinstance(node, tree.Unary):
        yield Fix(
            f"invert it: ~{scene.text(node.operand)}",
            Edit(Span(node.span.start, node.span.start + 1), "~"),
        )
    if isinstance(node, tree.Binary):
        left, right = scene.text(node.left), scene.text(node.right)
        is_mask = scene.value(node.right).__class__ is Tensor and not scene.value(node.right).dtype.rank
        if is_mask and isinstance(node.left, tree.Number):
            yield Fix(
                f"invert it: ~{with_parentheses(right)}", Edit(node.span, f"~{with_parentheses(right)}")
            )
        for _, place in scene.given():
            yield from cast(scene, place, "double")
        if len(scene.tensors) == 2:
            yield Fix(f"where they differ: {left} ^ {right}", Edit(node.span, f"{left} ^ {right}"))


def is_beyond_floats(node: tree.Expression) -> bool:
    """Whether a power of literal numbers, or of such powers, is too large for a float as well."""
    tower: list[float] = []
    while isinstance(node, tree.Binary) and node.op == "**" and isinstance(node.left, tree.Number):
        tower.append(node.left.value)
        node = node.right
    if not isinstance(node, tree.Number):
        return False
    value = float(node.value)
    try:
        for base in reversed(tower):
            value = float(base) ** value
    except OverflowError:
        return True
    return False


def compute_in_floats(scene: Scene) -> Iterator[Fix]:
    """Repair a result that is too large (E0207).

    Propose a function for a formula around it, or a decimal point in the first whole number of ``10**20``.
    """
    yield from known_functions(scene)
    node = scene.node
    if not isinstance(node, (tree.Binary, tree.Number)):
        return
    if is_beyond_floats(node):
        scene.error.help = (BEYOND_FLOATS,)
        return
    numbers = [part for part in walk(node) if isinstance(part, tree.Number) and isinstance(part.value, int)]
    for part in numbers[:1]:
        text = scene.text(part)
        if text.isdigit():
            begin = node.span.start
            whole_text = (
                f"{scene.source.text[begin : part.span.end]}.0{scene.text(node)[part.span.end - begin :]}"
            )
            point = Edit(Span(part.span.end, part.span.end), ".0")
            scene.error.help = ()
            yield Fix(f"compute in floats: {whole_text}", point)
