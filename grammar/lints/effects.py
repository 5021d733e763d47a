"""Lints for statements without effect: functions that are named but not called, and unused results."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import tensor
from autodiff.grammar.lints.calls import function_name
from autodiff.grammar.lints.finding import Lint, Subject, finding
from autodiff.grammar.lints.values import MAKERS, UNKNOWN
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, attribute_names
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.lints.flow import Event

#: Methods that only tensors have: the type of the owner need not be known.
OF_TENSORS_ALONE = frozenset(
    "backward zero_ retain_grad requires_grad_ detach detach_ item tolist numpy add_ sub_ mul_".split()
)
#: Methods that are called for their side effect.
DOING = frozenset("backward retain_grad requires_grad_ register_hook append".split())
TENSOR_NAMES: set[str] = set()


def tensor_names() -> set[str]:
    """The names of all attributes and methods of a tensor."""
    if not TENSOR_NAMES:
        TENSOR_NAMES.update(attribute_names(tensor(0.0)))
    return TENSOR_NAMES


def tensor_attributes() -> set[str]:
    """The attributes of a tensor that are not methods."""
    return {name for owner, name in ATTRIBUTE_READERS if owner.__name__ == "Tensor"}


def idle_statements(subject: Subject) -> Iterator[tuple[Event, bool]]:
    """The expression statements, each with whether it is the last one, whose value is the script's result."""
    last = subject.script.body[-1] if subject.script.body else None
    for event in subject.events("effect"):
        yield event, event.node is last


def uncalled(subject: Subject) -> Iterator[AutodiffError]:
    owners = {id(event.node): event.value for event in subject.events("attribute")}
    for event, is_last in idle_statements(subject):
        node = event.node.value
        if isinstance(node, tree.Attribute):
            owner = owners.get(id(node))
            if owner is None or node.name not in tensor_names() or node.name in tensor_attributes():
                continue
            if not owner.is_tensor and not (owner.kind == UNKNOWN and node.name in OF_TENSORS_ALONE):
                continue
        elif not isinstance(node, tree.Name) or is_last or not takes_nothing(event.value.node):
            continue
        text = subject.text(node)
        end = node.span.end
        yield finding(
            node.span,
            f"`{text}` names the function and does not call it",
            "this line does nothing",
            fixes=[Fix("call it", Edit(Span(end, end), "()"))],
        )


def takes_nothing(node: object) -> bool:
    """Whether the node defines a function of the script without parameters."""
    return isinstance(node, tree.FunctionDef) and not node.parameters


def without_effect(subject: Subject) -> Iterator[AutodiffError]:
    for event, is_last in idle_statements(subject):
        node = event.node.value
        quiet = (tree.String, tree.Call, tree.Comprehension)
        if is_last or isinstance(node, quiet) or any(isinstance(part, tree.Call) for part in walk(node)):
            continue
        if isinstance(node, tree.Constant) and node.value is ...:
            continue
        text = subject.text(node)
        fix = Fix("show it", Edit(node.span, f"print({text})"))
        caret = "the value is not used"
        if isinstance(node, tree.Comparison) and len(node.rest) == 1 and node.rest[0][0] == "==":
            caret = "`==` compares and changes nothing"
            target = (tree.Name, tree.Attribute, tree.Subscript)
            if isinstance(node.first, target):
                left, right = subject.text(node.first), subject.text(node.rest[0][1])
                fix = Fix("assign it", Edit(node.span, f"{left} = {right}"))
        yield finding(node.span, "this line computes a value and does nothing with it", caret, fixes=[fix])


def thrown_away(subject: Subject) -> Iterator[AutodiffError]:
    owners = {id(event.node): event.value for event in subject.events("method")}
    for event, is_last in idle_statements(subject):
        node = event.node.value
        if is_last or not isinstance(node, tree.Call):
            continue
        name = function_name(subject.flow, node.function)
        target: object = None
        if name:
            if not subject.flow.is_function(name) or (name not in MAKERS and not event.value.is_tensor):
                continue
            target = node.arguments[0].value if node.arguments and name not in MAKERS else None
        elif isinstance(node.function, tree.Attribute):
            name, owner = node.function.name, owners.get(id(node))
            if owner is None or not owner.is_tensor or name in DOING or name.endswith("_"):
                continue
            if name not in tensor_names():
                continue
            target = node.function.object
        else:
            continue
        text = subject.text(node)
        fix = Fix("show it", Edit(node.span, f"print({text})"))
        if isinstance(target, tree.Name) and name not in ("item", "tolist", "numpy"):
            said = f"{target.id} = {text}"
            fix = Fix("keep it", Edit(node.span, said))
        yield finding(
            node.span,
            f"the result of `{name}` is thrown away",
            "it gives a new value and leaves the old one as it is",
            fixes=[fix],
        )


LEAF = "x = torch.tensor(2.0, requires_grad=True)\n"
LINTS = (
    Lint(
        "L020",
        "A function is named and not called.",
        "Without parentheses a line names the function and nothing happens.",
        uncalled,
        LEAF + "L = x**2\nL.backward\nprint(x.grad)\n",
    ),
    Lint(
        "L021",
        "A line does nothing.",
        "A value that is neither given a name nor printed is gone when the line ends.",
        without_effect,
        "x = torch.tensor(2.0)\nx.requires_grad == True\nprint(x.requires_grad)\n",
    ),
    Lint(
        "L022",
        "A result is thrown away.",
        "Functions and methods without a trailing underscore give a new tensor and leave theirs unchanged.",
        thrown_away,
        "x = torch.tensor([-1.0, 2.0])\nx.clamp(min=0)\nprint(x)\n",
    ),
)
