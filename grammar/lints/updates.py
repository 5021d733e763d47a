"""Lints of the step against the gradient: what it makes of a leaf, and which way it goes."""

from __future__ import annotations

from autodiff.core.errors import AutodiffError, Edit, Fix
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.lints.finding import Lint, Subject, finding
from autodiff.grammar.lints.values import GRAPH, LEAF, Value, ancestors, comes_from_gradient
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.lints.flow import Event

LOSSES = frozenset("loss losses cost error err mse mae l L Loss J energy".split())


def rebindings(subject: Subject) -> Iterator[tuple[Event, Value]]:
    """``w = w - lr * w.grad`` of a leaf ``w``: the event and the leaf that was."""
    kept = made_leaves(subject)
    reads = {id(node) for node in subject.nodes(syntax.Assign)}
    for event in subject.events("bind"):
        statement, old = event.statement, event.other
        if id(statement) not in reads or old is None or old.kind != LEAF or event.node.id in kept:
            continue
        if not isinstance(statement.value, syntax.Binary) or statement.value.op not in ("-", "+"):
            continue
        steps = event.value is not old and steps_from(statement.value, event.node.id)
        if steps and comes_from_gradient(event.value, old):
            yield event, old


def made_leaves(subject: Subject) -> set[str]:
    """The names that are rebound on purpose: what they are bound to is made a leaf, or keeps its gradient."""
    names = set()
    for node in subject.nodes(syntax.Call):
        method = node.function
        of_name = isinstance(method, syntax.Attribute) and isinstance(method.object, syntax.Name)
        if of_name and method.name in ("detach_", "requires_grad_", "retain_grad"):
            names.add(method.object.id)
    for node in subject.nodes(syntax.Assign):
        for target in node.targets:
            if isinstance(target, syntax.Attribute) and isinstance(target.object, syntax.Name):
                if target.name == "requires_grad":
                    names.add(target.object.id)
            elif isinstance(target, syntax.Name) and is_detached(node.value, target.id):
                names.add(target.id)
    return names


def is_detached(node: syntax.Expression, name: str) -> bool:
    """Whether it is ``name.detach()``, and what is done to that."""
    calls = []
    while isinstance(node, (syntax.Call, syntax.Attribute)):
        if isinstance(node, syntax.Attribute):
            calls.append(node.name)
        node = node.function if isinstance(node, syntax.Call) else node.object
    return "detach" in calls and isinstance(node, syntax.Name) and node.id == name


def steps_from(node: syntax.Expression, name: str) -> bool:
    """Whether a sum has the name itself among its terms."""
    while isinstance(node, syntax.Binary) and node.op in ("+", "-"):
        if isinstance(node.right, syntax.Name) and node.right.id == name and node.op == "+":
            return True
        node = node.left
    return isinstance(node, syntax.Name) and node.id == name


def in_place_text(subject: Subject, statement: syntax.Assign, name: str) -> str:
    """``w -= lr * w.grad`` for ``w = w - lr * w.grad``."""
    value = statement.value
    assert isinstance(value, syntax.Binary)
    if isinstance(value.left, syntax.Name) and value.left.id == name:
        return f"{name} {value.op}= {subject.text(value.right)}"
    return f"{name}.copy_({subject.text(value)})"


def rebound_leaf(subject: Subject) -> Iterator[AutodiffError]:
    for event, _ in rebindings(subject):
        if event.value.kind != GRAPH:
            continue
        name, statement = event.node.id, event.statement
        text = in_place_text(subject, statement, name)
        fixes = []
        if subject.stands_alone(statement):
            fixes = [Fix("step in place, where nothing is recorded", *subject.under_no_grad(statement, text))]
        yield finding(
            statement.span,
            f"this makes `{name}` the result of a subtraction instead of a leaf",
            f"from here on backward() no longer fills `{name}.grad`",
            fixes=fixes,
        )


def rebound_without_gradient(subject: Subject) -> Iterator[AutodiffError]:
    for event, _ in rebindings(subject):
        if event.value.cut != "no_grad" or event.recording is not False:
            continue
        name, statement = event.node.id, event.statement
        text = in_place_text(subject, statement, name)
        yield finding(
            statement.span,
            f"under no_grad() this makes `{name}` a new tensor that requires no gradient",
            f"the next backward() does not reach `{name}`",
            fixes=[Fix("change it in place", Edit(statement.span, text))],
        )


def changed_leaf(subject: Subject) -> Iterator[AutodiffError]:
    for event in subject.events("in-place"):
        if event.value.kind != LEAF or event.recording is not True or event.statement is None:
            continue
        statement = event.statement
        text = subject.text(statement)
        fixes = []
        simple = (syntax.AugmentedAssign, syntax.Assign, syntax.ExpressionStatement)
        if isinstance(statement, simple) and subject.stands_alone(statement):
            fixes = [Fix("do it where nothing is recorded", *subject.under_no_grad(statement, text))]
        name = event.value.names[0][0] if event.value.names else "that has no name"
        yield finding(
            event.node.span,
            f"the leaf `{name}` is changed in place while the graph is recorded",
            "PyTorch refuses this: backward() needs the old value",
            fixes=fixes,
        )


def ascends(subject: Subject) -> Iterator[AutodiffError]:
    roots: dict[int, str] = {}
    for event in subject.events("backward"):
        for one in ancestors(event.value, through_cuts=False):
            if one.kind == LEAF:
                names = [name for name, _ in event.value.names]
                roots[id(one)] = next((name for name in names if name in LOSSES), "")
    for event in subject.events("augment"):
        node, leaf = event.node, event.value
        if node.op != "+" or leaf.kind != LEAF or not roots.get(id(leaf)):
            continue
        if not comes_from_gradient(event.other, leaf) or has_minus(event.other, node.value):
            continue
        at = subject.source.text.index("+=", node.target.span.end)
        yield finding(
            node.span,
            f"this step goes along the gradient, so `{roots[id(leaf)]}` grows",
            f"to make `{roots[id(leaf)]}` smaller, subtract",
            fixes=[Fix("go against the gradient", Edit(Span(at, at + 2), "-="))],
        )


def has_minus(value: Value, node: syntax.Expression) -> bool:
    """Whether a sign anywhere may turn the step around."""
    if any(isinstance(part, syntax.Unary) or operator_of(part) == "-" for part in walk(node)):
        return True
    for one in ancestors(value):
        if one.grad_of is None and not one.is_tensor and (one.number is None or one.number < 0):
            return True
    return False


def operator_of(node: syntax.Syntax) -> str:
    return node.op if isinstance(node, syntax.Binary) else ""


TRAIN = """\
w = torch.tensor(1.0, requires_grad=True)
loss = (w - 3) ** 2
loss.backward()
"""
LINTS = (
    Lint(
        "L001",
        "A leaf is replaced by the result of its own step.",
        "`w = w - lr * w.grad` gives the name to a new tensor in the graph, whose `.grad` is never filled.",
        rebound_leaf,
        TRAIN + "w = w - 0.1 * w.grad\n",
    ),
    Lint(
        "L002",
        "A leaf is replaced by a tensor that requires no gradient.",
        "Under no_grad() `w = w - lr * w.grad` makes a tensor without a gradient; `w -= ...` keeps the leaf.",
        rebound_without_gradient,
        TRAIN + "with torch.no_grad():\n    w = w - 0.1 * w.grad\n",
    ),
    Lint(
        "L003",
        "A leaf is changed in place while the graph is recorded.",
        "PyTorch refuses to change a leaf that requires a gradient in place, but under no_grad().",
        changed_leaf,
        TRAIN + "w -= 0.1 * w.grad\n",
    ),
    Lint(
        "L004",
        "A step goes along the gradient of a loss.",
        "The gradient points to where the loss grows, so a step that is to make it smaller is subtracted.",
        ascends,
        TRAIN + "with torch.no_grad():\n    w += 0.1 * w.grad\n",
    ),
)
