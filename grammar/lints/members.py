"""Finds attributes, methods and arguments that a value does not have, where the value's type is known."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.lints.signatures import check_arguments
from autodiff.grammar.lints.values import FIELDS, LIST, NAMESPACES, NUMBER, UNKNOWN, Value, ancestors
from autodiff.grammar.objects.attributes import (
    ATTRIBUTE_READERS,
    ATTRIBUTE_WRITERS,
    METHODS,
    attribute_names,
    find_method,
    missing_attribute_error,
    set_attribute,
)
from autodiff.grammar.objects.numpy_functions import NUMPY_METHODS
from autodiff.grammar.objects.numpy_random import OF_GENERATORS, OF_RANDOM_STATES
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.side_modules import is_side_module
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import statements, walk

fixed_arrays = LazyModule("autodiff.grammar.objects.fixed_arrays")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.lints.flow import Event, Flow


def unresolved_members(
    script: tree.Script, names: ScriptScopes, flow: Flow, wrong: list[AutodiffError], lost: frozenset[str]
) -> list[AutodiffError]:
    """The errors for attributes and methods that values do not have, as far as the values are known.

    Values computed from a ``wrong`` expression or from the ``lost`` names are unknown.
    """
    never = {(id(node), way) for node, way in never_taken(script)}
    modules = {
        alias or name.partition(".")[0]
        for node in statements(script)
        if isinstance(node, (tree.Import, tree.ImportFrom))
        for name, alias in node.names
    }
    # The script may set attributes itself, as on ctx. Members of modules are checked by the resolver, and
    # names that hide a module by a lint.
    targets = [
        target for node in statements(script) if isinstance(node, tree.Assign) for target in node.targets
    ]
    given = {part.name for part in walk(*targets) if isinstance(part, tree.Attribute)}
    given |= {node.name for node in names.attributes if root(node) in modules | NAMESPACES}
    # What a module that draws makes has any attribute.
    allowed = None if any(is_side_module(name) for name in names.modules) else given
    found = []
    for event in flow.events:
        if event.kind not in MEMBERS or any((node, way) in never for node, way, _ in event.place):
            continue
        error = MEMBERS[event.kind](event, allowed)
        if error is not None and not follows(event.value, wrong, lost):
            found.append(error)
    return found


def follows(value: Value, wrong: list[AutodiffError], lost: frozenset[str]) -> bool:
    """Whether a value was computed by calling something that is wrong or lost."""
    for one in ancestors(value):
        node = one.node
        if isinstance(node, tree.Call) and root(node.function) in lost:
            return True
        if isinstance(node, tree.Call) and any(
            mistake.span is not None and within(mistake.span, node.function.span) for mistake in wrong
        ):
            return True
    return False


def root(node: Any) -> str:
    """The first name of a dotted expression, such as ``torch``; "" where it does not begin with a name."""
    while isinstance(node, tree.Attribute):
        node = node.object
    return node.id if isinstance(node, tree.Name) else ""


def sample_of(event: Event) -> Any:
    """A sample value of the type that the event's value certainly has; UNBOUND where the type is unknown."""
    value = event.value
    if value.is_tensor and value.single:
        return Tensor.of(0.0)
    if value.kind == NUMBER and value.cut in ("item", "float"):
        return 0.0
    return [] if value.kind == LIST and isinstance(value.node, tree.ListDisplay) else UNBOUND


def read_member(event: Event, given: set[str] | None) -> AutodiffError | None:
    node = event.node if event.kind == "attribute" else event.node.function
    sample = sample_of(event)
    if sample is not UNBOUND:
        return (
            None
            if node.name in attribute_names(sample)
            else missing_attribute_error(sample, node.name, node.name_span)
        )
    is_saved_value = node.name.startswith("_saved_")  # of a node, which has those of its operation
    if given is None or event.value.kind != UNKNOWN or is_saved_value:
        return None
    if node.name not in every_name() | given:
        return of_nothing(node)
    return None


def call_member(event: Event, given: set[str] | None) -> AutodiffError | None:
    error = read_member(event, given)
    sample = sample_of(event)
    if error is not None or sample is UNBOUND:
        return error
    method = find_method(sample, event.node.function.name)
    if method is None:
        return None
    try:
        check_arguments(method, event.node, of=event.node.function.name)
    except ScriptError as refused:
        return refused.at(event.node.span)
    return None


def set_member(event: Event, given: set[str] | None) -> AutodiffError | None:
    sample, node = sample_of(event), event.node
    if sample is UNBOUND or (sample.__class__, node.name) in ATTRIBUTE_WRITERS:
        return None
    try:
        set_attribute(sample, node.name, None, node.name_span)
    except ScriptError as error:
        return error
    return None


#: The check for each kind of event. Its second argument holds the attribute names that the script sets
#: itself, which are not reported; None if any name may be one.
MEMBERS: dict[str, Callable[[Event, set[str] | None], AutodiffError | None]] = {
    "attribute": read_member,
    "method": call_member,
    "set-attribute": set_member,
}
NAMES: set[str] = set()


def every_name() -> set[str]:
    """The names of all attributes and methods of all types of the language."""
    if not NAMES:
        NAMES.update(name for _, name in (*ATTRIBUTE_READERS, *METHODS))
        NAMES.update(attribute_names(Tensor.of(0.0)), FIELDS)
        NAMES.update(NUMPY_METHODS, OF_GENERATORS, OF_RANDOM_STATES)
    return NAMES | fixed_arrays.AT_METHODS.keys() | {"at"} if runtime.fixed_arrays else NAMES


def of_nothing(node: tree.Attribute) -> AutodiffError:
    """The error for an attribute that no type has; repairs are sought among the attributes of tensors."""
    return ScriptError(
        f"no value has an attribute '{node.name}'",
        code="E0204",
        caret=f"nothing has a `{node.name}` here",
        span=node.name_span,
        repair_context=(Tensor.of(0.0), node.name),
    )


def within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def never_taken(script: tree.Script) -> list[tuple[tree.If, int]]:
    """The branches that no run takes, as pairs of node and branch number, such as tests for a GPU."""
    found = [node for node in statements(script) if isinstance(node, tree.If)]
    return [(node, way) for node in found for way, (test, _) in enumerate(node.branches) if is_never(test)]


def is_never(test: tree.Expression) -> bool:
    if isinstance(test, tree.Constant):
        return test.value is False
    function = test.function if isinstance(test, tree.Call) else None
    return isinstance(function, tree.Attribute) and function.name == "is_available"
