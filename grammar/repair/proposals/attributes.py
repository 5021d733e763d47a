"""Repairs of attributes and methods that a value does not have (E0204).

What is proposed depends on the owner: a namespace, a tensor, a number, a list, a function.
"""

from __future__ import annotations

from autodiff.core.base.did_you_mean import fold_name, similar_names
from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import FUNCTIONS, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.help.failure_scene import Scene, with_parentheses
from autodiff.grammar.help.other_libraries import synonyms
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, attribute_names
from autodiff.grammar.objects.builtins.namespaces import namespace
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    UNBOUND,
    BoundMethod,
    Builtin,
    Namespace,
    ScriptFunction,
    type_name,
)
from autodiff.grammar.repair.proposals.graph_cuts import explain_cuts, find_cuts
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.repair.proposals.none_values import explain_none
from autodiff.grammar.repair.proposals.numpy_counterparts import COUNTERPARTS, numpy_member, torch_counterpart
from autodiff.grammar.repair.proposals.operand_types import call_it, only_entry
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.imports import functional_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MOST_CANDIDATES = 4


def fit_attribute(scene: Scene) -> Iterator[Fix]:
    """Propose what an attribute may have meant, by the type of its owner."""
    node = scene.node
    if not isinstance(node, tree.Attribute):
        return
    known = scene.error.code == "E0204" and scene.error.repair_context
    owner = scene.error.repair_context[0] if known else scene.value(node.object)
    if owner is None:
        yield from explain_none(scene, node.object)
    elif owner.__class__ is Namespace:
        yield from fit_namespace_member(scene, node, owner)
    else:
        yield from fit_value_member(scene, node, owner)
        convert = FITS_BY_TYPE.get(owner.__class__)
        if convert is not None:
            yield from convert(scene, node, owner)


# -- members of namespaces --------------------------------------------------------------------------


def fit_namespace_member(scene: Scene, node: tree.Attribute, owner: Namespace) -> Iterator[Fix]:
    """Propose a near name in the namespace, else the function in another namespace."""
    name, called = node.name, call_of(scene, node)
    if owner.name.startswith("numpy"):
        full = f"{owner.name}.{name}".removeprefix("numpy.")
        if LibraryWords(scene).module == "numpy":
            yield from numpy_member(scene, node, owner, called)
            return
        if called is not None and full in COUNTERPARTS:
            yield from torch_counterpart(scene, called, full)
            return
    members = {member for member in owner.names() if is_function(owner.find(member)) is (called is not None)}
    here = scene.text(node.object)
    others = [other for other in synonyms(name) if other in members]
    elsewhere = [qualified_name(other) for other in (name, *synonyms(name))]
    others += [full.rpartition(".")[2] for full in elsewhere if full.rpartition(".")[0] == here]
    others = list(dict.fromkeys(others))
    found = [full for full in dict.fromkeys(elsewhere) if full and full.rpartition(".")[0] != here]
    if not others and not found:
        others = similar_names(name, members)[:MOST_CANDIDATES]
        others = [other for other in others if fold_name(other) == fold_name(name)] or others
    for other in others:
        yield Fix(f"did you mean `{scene.text(node.object)}.{other}`?", Edit(node.name_span, other))
    for full in found:
        if full.startswith("F."):
            full = (functional_prefix(scene.script) or "F.") + full.removeprefix("F.")
        yield Fix(f"did you mean `{full}`?", Edit(node.span, full))
    if not others and not found and owner.name != "torch":
        torchs = [key.partition(".")[2] for key in FUNCTIONS if key.startswith("torch.")]
        for other in similar_names(name, torchs)[:1]:
            yield Fix(f"did you mean `torch.{other}`?", Edit(node.span, f"torch.{other}"))


def qualified_name(name: str) -> str:
    """Return the full name of a function, whichever namespace it is in; empty if there is none."""
    if name in FUNCTIONS or f"torch.{name}" in FUNCTIONS:
        return name if name in FUNCTIONS else f"torch.{name}"
    for space in ("F", "linalg", "special"):
        if f"{space}.{name}" in FUNCTIONS:
            return f"{space}.{name}" if space == "F" else f"torch.{space}.{name}"
    for full in ("torch.autograd", "torch.autograd.functional"):
        if namespace(full).find(name) is not UNBOUND:
            return f"{full}.{name}"
    return ""


def is_function(value: Any) -> bool:
    return isinstance(value, (PublicFunction, Builtin))


def call_of(scene: Scene, node: tree.Attribute) -> tree.Call | None:
    """Return the call of an attribute; None if it is not called."""
    parent = scene.parent
    return parent if isinstance(parent, tree.Call) and parent.function is node else None


# -- attributes and methods of values ---------------------------------------------------------------


def fit_value_member(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose a near attribute or method of the value, with parentheses if it is a method."""
    name, called, kind = node.name, call_of(scene, node), owner.__class__
    known = attribute_names(owner)
    if kind is Tensor and called is not None and f"{name}_" in known:
        yield Fix(f"did you mean `{name}_`, which changes the tensor?", Edit(node.name_span, f"{name}_"))
    if kind is Tensor and name.endswith("_"):
        known = {other for other in known if other.endswith("_")} or known
    elif kind is Tensor:
        known = {other for other in known if not other.endswith("_")}
    others = [other for other in synonyms(name) if other in known or other.partition(".")[0] in known]
    if not others:
        others = similar_names(name, known)[:MOST_CANDIDATES]
        others = [other for other in others if fold_name(other) == fold_name(name)] or others
    if kind is NamedResult and not others and not is_tensor_attribute(name):
        others = list(owner.fields)
    for other in others:
        is_plain = (kind, other) in ATTRIBUTE_READERS or kind is NamedResult
        shown = f"{scene.text(node.object)}.{other}"
        if called is None and not is_plain:
            yield Fix(f"did you mean `{shown}()`?", Edit(node.name_span, f"{other}()"))
        elif called is not None and is_plain and not called.arguments:
            yield Fix(f"did you mean `{shown}`?", Edit(Span(node.name_span.start, called.span.end), other))
        else:
            yield Fix(f"did you mean `{other}`?", Edit(node.name_span, other))


def fit_number_attribute(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose a tensor for a Python number."""
    kind = "a Python number" if owner.__class__ is not bool else "a truth value"
    if not is_tensor_attribute(node.name):
        return
    found = find_cuts(scene, node.object) if needs_leaf(scene) else []
    if found:
        yield from explain_cuts(scene, found)
        scene.error.caret = f"this is {kind}, not a tensor"
        return
    scene.error.caret = f"this is {kind}, not a tensor"
    yield from wrap_in_tensor(scene, node.object)


def wrap_in_tensor(scene: Scene, value: Any) -> Iterator[Fix]:
    """Propose a tensor where the number or list is made, or the tensor that was turned into a number."""
    home = value
    if isinstance(value, tree.Name):
        assigned = scene.assignments(value.id)
        if not assigned:
            return
        home = assigned[0].value
        if scene.line(home.span) != scene.line(value.span):
            scene.error.labels.append(Label(home.span, f"`{value.id}` is made here"))
    text = scene.text(home)
    if isinstance(home, tree.Call):
        function = home.function
        if isinstance(function, tree.Attribute) and function.name in ("item", "tolist"):
            kept = scene.text(function.object)
            yield Fix(f"leave out .{function.name}(): {kept}", Edit(home.span, kept))
            return
        if isinstance(function, tree.Name) and function.id in ("float", "int") and len(home.arguments) == 1:
            kept = scene.text(home.arguments[0].value)
            yield Fix(f"leave out {function.id}(): {kept}", Edit(home.span, kept))
            return
    wrapped = f"torch.tensor({text}, requires_grad=True)" if needs_leaf(scene) else f"torch.tensor({text})"
    if isinstance(home, tree.Number) and isinstance(home.value, int):
        wrapped = wrapped.replace(text, f"{text}.", 1)
    if isinstance(home, (tree.Number, tree.Unary, tree.ListDisplay, tree.Binary)):
        name = f"{value.id} = " if value is not home else ""
        yield Fix(f"make it a tensor: {name}{wrapped}", Edit(home.span, wrapped))


def needs_leaf(scene: Scene) -> bool:
    """Whether the attribute is about gradients, so that a leaf is needed."""
    return scene.node.name in ("backward", "grad", "requires_grad", "requires_grad_", "retain_grad")


def is_tensor_attribute(name: str) -> bool:
    """Whether tensors have an attribute or a method of that name."""
    return name in attribute_names(Tensor.of(0.0))


def fit_list_attribute(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose a tensor, or ``append``, for a list that was used as a tensor or a set."""
    if node.name in ("add", "push", "push_back") and call_of(scene, node) is not None and type(owner) is list:
        scene.error.caret = f"a list has no `{node.name}`"
        yield Fix("did you mean `append`?", Edit(node.name_span, "append"))
        return
    if not is_tensor_attribute(node.name):
        return
    if len(owner) == 1 and owner[0].__class__ is Tensor:
        yield from only_entry(scene, node.object, owner)
        return
    scene.error.caret = f"this is a Python {type_name(owner)}, not a tensor"
    called = call_of(scene, node)
    if owner and all(entry.__class__ is Tensor for entry in owner):
        stacked = f"torch.stack({scene.text(node.object)})"
        yield Fix(f"make one tensor of them: {stacked}", Edit(node.object.span, stacked))
        if node.name == "sum" and called is not None and not called.arguments:
            total = f"sum([p.sum() for p in {scene.text(node.object)}])"
            yield Fix(f"add up all their entries: {total}", Edit(called.span, total))
    else:
        yield from wrap_in_tensor(scene, node.object)


def fit_result_attribute(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose the values of a named result such as ``max(dim=0)``."""
    if is_tensor_attribute(node.name) and "values" in owner.fields:
        scene.error.caret = f"this is two tensors: {' and '.join(owner.fields)}"
        values = f"{with_parentheses(scene.text(node.object))}.values"
        called = call_of(scene, node)
        after = "" if called is None else scene.text(called)[node.span.end - called.span.start :]
        yield Fix(f"take the values: {values}.{node.name}{after}", Edit(node.object.span, values))


def fit_method_attribute(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose to call a method that was not called."""
    yield from call_it(scene, owner, node.object)


def fit_function_attribute(scene: Scene, node: tree.Attribute, owner: Any) -> Iterator[Fix]:
    """Propose a function's result in place of the function; the script may have a name for it."""
    text = scene.text(node.object)
    scene.error.caret = f"`{text}` is a function; its result would be a tensor"
    made = scene.function(owner.name)
    if made is not None:
        scene.error.labels.append(Label(made.name_span, "the function"))
    known = [] if made is None else [parameter.name for parameter in made.parameters]
    for statement in [] if made is None else scene.script.body:
        if isinstance(statement, tree.Assign) and isinstance(statement.targets[0], tree.Name):
            value = statement.value
            if isinstance(value, tree.Call) and scene.text(value.function) == text:
                name = statement.targets[0].id
                line = scene.line(statement.span)
                yield Fix(f"its result is `{name}` (line {line})", Edit(node.object.span, name))
    if known and all(scene.values.get(name, UNBOUND) is not UNBOUND for name in known):
        called = f"{text}({', '.join(known)})"
        yield Fix(f"call it: {called}", Edit(node.object.span, called))


FITS_BY_TYPE: dict[type, Callable[[Scene, tree.Attribute, Any], Iterator[Fix]]] = {
    **dict.fromkeys(NUMBER_CLASSES, fit_number_attribute),
    list: fit_list_attribute,
    tuple: fit_list_attribute,
    NamedResult: fit_result_attribute,
    BoundMethod: fit_method_attribute,
    ScriptFunction: fit_function_attribute,
}
