"""Lints for gradient descent steps: what a step does to the leaf, and in which direction it goes."""

from __future__ import annotations

from itertools import pairwise

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.lints.calls import last_word
from autodiff.grammar.lints.finding import Lint, Subject, contains, finding, is_name
from autodiff.grammar.lints.values import GRAPH, LEAF, Value, ancestors, bases, comes_from_gradient
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.lints.flow import Event

DISPLAYS = (tree.TupleDisplay, tree.ListDisplay)
LOSSES = frozenset("loss losses cost error err mse mae l L Loss J energy".split())


def rebindings(subject: Subject) -> Iterator[tuple[Event, Value]]:
    """The assignments like ``w = w - lr * w.grad`` to a leaf: the event and the leaf that was replaced."""
    kept = subject.once(made_leaves)
    for event in subject.events("bind"):
        old, step = event.other, event.value.node
        if not isinstance(event.statement, tree.Assign) or old is None or old.kind != LEAF:
            continue
        if event.node.id in kept or event.value is old or not isinstance(step, tree.Binary):
            continue
        is_step = contains(event.statement, step) and steps_from(step, event.node.id)
        if is_step and comes_from_gradient(event.value, old):
            yield event, old


def made_leaves(subject: Subject) -> set[str]:
    """The names that are rebound on purpose: their new value is made a leaf or keeps its gradient."""
    names = set()
    for node in subject.nodes(tree.Call):
        method = node.function
        of_name = isinstance(method, tree.Attribute) and isinstance(method.object, tree.Name)
        if of_name and method.name in ("detach_", "requires_grad_", "retain_grad"):
            names.add(method.object.id)
    for node in subject.nodes(tree.Assign):
        for target in node.targets:
            if isinstance(target, tree.Attribute) and isinstance(target.object, tree.Name):
                if target.name == "requires_grad":
                    names.add(target.object.id)
            elif isinstance(target, tree.Name) and is_made_anew(node.value, target.id):
                names.add(target.id)
    return names


def is_made_anew(node: tree.Expression, name: str) -> bool:
    """Whether an expression makes a leaf or a detached copy of a name's old value, as ``w.detach()``."""
    reads = asks = False
    for part in walk(node):
        if isinstance(part, tree.Name):
            reads = reads or part.id == name
        elif isinstance(part, tree.Attribute):
            asks = asks or part.name == "requires_grad_"
            asks = asks or (part.name in ("detach", "data") and is_name(part.object, name))
        elif isinstance(part, tree.Argument):
            asks = asks or part.keyword == "requires_grad"
    return reads and asks


def steps_from(node: tree.Expression, name: str) -> bool:
    """Whether one of the terms of a sum is the name itself or a multiple of it."""
    while isinstance(node, tree.Binary) and node.op in ("+", "-"):
        if node.op == "+" and is_multiple(node.right, name):
            return True
        node = node.left
    return is_multiple(node, name)


def is_multiple(node: tree.Expression, name: str) -> bool:
    """Whether the node is of the form ``w``, ``0.99 * w`` or ``w * (1 - decay)``."""
    if isinstance(node, tree.Binary) and node.op == "*":
        return is_name(node.left, name) or is_name(node.right, name)
    return is_name(node, name)


def in_place_lines(subject: Subject, statement: tree.Assign) -> list[str]:
    """The lines ``w -= lr * w.grad`` for ``w = w - lr * w.grad``; none if a target's is not a step."""
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, DISPLAYS) and isinstance(value, DISPLAYS):
        if len(target.elements) != len(value.elements):
            return []
        pairs = list(zip(target.elements, value.elements, strict=True))
    lines = []
    for name, step in pairs:
        if not isinstance(name, tree.Name) or not isinstance(step, tree.Binary):
            return []
        if not steps_from(step, name.id):
            return []
        if isinstance(step.left, tree.Name) and step.left.id == name.id:
            lines.append(f"{name.id} {step.op}= {subject.text(step.right)}")
        else:
            lines.append(f"{name.id}.copy_({subject.text(step)})")
    return lines if len(statement.targets) == 1 else []


def rebound_leaf(subject: Subject) -> Iterator[AutodiffError]:
    for event, _ in rebindings(subject):
        if event.value.kind != GRAPH:
            continue
        name, statement = event.node.id, event.statement
        lines = in_place_lines(subject, statement)
        fixes = []
        if lines and subject.stands_alone(statement):
            edits = subject.under_no_grad(statement, *lines)
            fixes = [Fix("step in place, where nothing is recorded", *edits)]
        yield finding(
            statement.span,
            f"this makes `{name}` the result of a {word_of(event.value.node)} instead of a leaf",
            f"from here on backward() no longer fills `{name}.grad`",
            fixes=fixes,
        )


def word_of(step: tree.Binary) -> str:
    return "subtraction" if step.op == "-" else "sum"


def rebound_without_gradient(subject: Subject) -> Iterator[AutodiffError]:
    for event, _ in rebindings(subject):
        parts = ancestors(event.value, through_cuts=False)
        if event.recording is not False or not any(one.cut == "no_grad" for one in parts):
            continue
        name, statement = event.node.id, event.statement
        lines = in_place_lines(subject, statement)
        fixes = []
        if len(lines) == 1 or (lines and subject.stands_alone(statement)):
            text = ("\n" + subject.indentation(statement)).join(lines)
            fixes = [Fix("change it in place", Edit(statement.span, text))]
        yield finding(
            statement.span,
            f"under no_grad() this makes `{name}` a new tensor that requires no gradient",
            f"the next backward() does not reach `{name}`",
            fixes=fixes,
        )


def comes_from_other_leaf(value: Value, leaf: Value) -> bool:
    """Whether a value is computed from a leaf other than ``leaf``, recorded or not."""
    return any(one.kind == LEAF and one is not leaf for one in ancestors(value))


def is_filled(event: Event, leaf: Value) -> bool:
    """Whether a change in place writes a result that other leaves receive a gradient from into ``leaf``."""
    values = event.other
    if isinstance(event.node, tree.Call) and last_word(event.node.function) == "copy_":  # may copy parameters
        values = [one for one in values if one.kind == GRAPH]
    return any(one.requires_grad and comes_from_other_leaf(one, leaf) for one in values)


def without_requires_grad(leaf: Value) -> tuple[Edit, ...]:
    """The edit that takes ``requires_grad=True`` out of the call that made a leaf, if it is there."""
    arguments = leaf.node.arguments if isinstance(leaf.node, tree.Call) else ()
    for before, argument in pairwise(arguments):
        if argument.keyword == "requires_grad":
            return (Edit(Span(before.span.end, argument.span.end), ""),)
    return ()


def filled_leaf(event: Event, leaf: Value) -> AutodiffError:
    """Return the finding about a leaf that a result is written into."""
    name = leaf.names[0][0] if leaf.names else "that has no name"
    edits = without_requires_grad(leaf)
    return finding(
        event.node.span,
        f"the leaf `{name}` is changed in place while the graph is recorded",
        f"`{name}` is a result that is filled in here: it need not be a leaf",
        fixes=[Fix("leave requires_grad=True out", *edits)] if edits else [],
    )


def changed_leaf(subject: Subject) -> Iterator[AutodiffError]:
    filled: set[int] = set()
    for event in subject.events("in-place"):
        leaf = next((one for one in bases(event.value) if one.kind == LEAF), None)
        if leaf is None or event.recording is not True or event.statement is None:
            continue
        statement = event.statement
        if is_filled(event, leaf):
            filled.add(id(leaf))
            yield filled_leaf(event, leaf)
        if id(leaf) in filled:
            continue
        text = subject.text(statement)
        fixes = []
        simple = (tree.AugmentedAssign, tree.Assign, tree.ExpressionStatement)
        if isinstance(statement, simple) and subject.stands_alone(statement):
            fixes = [Fix("do it where nothing is recorded", *subject.under_no_grad(statement, text))]
        name = leaf.names[0][0] if leaf.names else "that has no name"
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


def has_minus(value: Value, node: tree.Expression) -> bool:
    """Whether a minus sign or a number that may be negative can reverse the direction of the step."""
    if any(isinstance(part, tree.Unary) or operator_of(part) == "-" for part in walk(node)):
        return True
    for one in ancestors(value):
        if one.grad_of is None and not one.is_tensor and (one.number is None or one.number < 0):
            return True
    return False


def operator_of(node: tree.SyntaxNode) -> str:
    return node.op if isinstance(node, tree.Binary) else ""


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
        "PyTorch changes a leaf that requires a gradient in place only under no_grad().",
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
