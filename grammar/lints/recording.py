"""Lints for recording: graphs that are kept needlessly, not requested, or requested too late."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.lints.calls import keyword
from autodiff.grammar.lints.finding import Lint, Subject, atom, finding, is_name
from autodiff.grammar.lints.gradients import keeps_graph
from autodiff.grammar.lints.values import GRAPH, LEAF, PLAIN, UNKNOWN, Value, ancestors
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.lints.flow import Event


def kept_graphs(subject: Subject) -> Iterator[AutodiffError]:
    """Find values that backward() has used and that are kept in a list or a sum beyond the iteration."""
    done = {id(event.value) for event in subject.events("backward") if not keeps_graph(event.node)}
    for event, node, value, what in stored(subject):
        if event.loops and value.kind == GRAPH and id(value) in done:
            yield finding(
                node.span,
                f"the {what} keeps the graph of every iteration, and not only its number",
                "all tensors of each iteration stay in memory",
                fixes=[Fix("keep only the number", Edit(node.span, f"{atom(subject, node)}.detach()"))],
            )


def stored(subject: Subject) -> Iterator[tuple[Event, tree.Expression, Value, str]]:
    """The values appended to lists or added to sums: the event, the node, the value, and "list" or "sum"."""
    for event in subject.flow.events:
        if event.kind == "keep":
            yield event, event.node.arguments[0].value, event.value, "list"
        elif event.kind == "augment" and event.value.kind != LEAF and event.node.op == "+":
            yield event, event.node.value, event.other, "sum"
        elif event.kind == "bind" and isinstance(event.value.node, tree.Binary):
            node, inputs = event.value.node, event.value.inputs
            if node.op == "+" and is_name(node.left, event.node.id) and len(inputs) == 2:
                yield event, node.right, inputs[1], "sum"


def gradient_without_graph(subject: Subject) -> Iterator[AutodiffError]:
    """Find backward passes through a gradient that was computed without a graph."""
    for event in subject.events("pass"):
        before = list(ancestors(event.value, through_cuts=False))
        doubt = any(one.requires_grad or one.cut or one.kind == UNKNOWN for one in before)
        if event.value.kind != PLAIN or doubt:
            continue
        gradient = next((one for one in before if one.grad_of is not None), None)
        if gradient is None:
            continue
        first = gradient.node
        if isinstance(first, tree.Attribute):  # x.grad: the previous pass computed it
            passes = [other.node for other in subject.events("backward") if other.node is not event.node]
            if any(keyword(one, "create_graph") is not None for one in passes):
                continue
            first = passes[0] if len(passes) == 1 else None
        fixes, labels = [], []
        if isinstance(first, tree.Call):
            fixes = [Fix("record how the gradient is computed", with_graph(first))]
            labels = [Label(first.span, "this pass records nothing")]
        yield finding(
            event.node.span,
            "this differentiates a gradient that has no graph",
            "how the gradient was computed is not recorded",
            fixes=fixes,
            labels=labels,
        )


def with_graph(call: tree.Call) -> Edit:
    """The edit that adds ``create_graph=True`` to a pass."""
    given = keyword(call, "create_graph")
    if given is not None:
        return Edit(given.span, "True")
    at = call.span.end - 1
    return Edit(Span(at, at), ", create_graph=True" if call.arguments else "create_graph=True")


def required_late(subject: Subject) -> Iterator[AutodiffError]:
    """Find tensors that become leaves after something was computed from them that backward() uses."""
    asked: dict[int, Event] = {}
    for event in subject.flow.events:
        if event.kind == "require":
            asked.setdefault(id(event.value), event)
        if event.kind != "backward" or event.value.kind != PLAIN:
            continue
        for one in ancestors(event.value, through_cuts=False):
            request = asked.pop(id(one), None)
            if request is not None and one.kind == LEAF and one is not event.value:
                yield late(subject, one, request, event)


def late(subject: Subject, leaf: Value, request: Event, backward: Event) -> AutodiffError:
    statement = request.statement
    name, made = leaf.names[0] if leaf.names else ("this", None)
    fixes = []
    if made is not None and all(
        subject.stands_alone(one) and not subject.indentation(one) for one in (made, statement)
    ):
        edits = subject.insert_after(made, subject.text(statement)), subject.remove(statement)
        fixes = [Fix("require the gradient first", *edits)]
    return finding(
        request.node.span,
        f"`{name}` requires a gradient only after it was used",
        "what was computed before is not recorded",
        fixes=fixes,
        labels=[Label(backward.node.span, "this pass finds no graph")],
    )


LEAVES = "w = torch.tensor(1.0, requires_grad=True)\n"
LINTS = (
    Lint(
        "L015",
        "A list or a sum keeps the graphs of all iterations.",
        "A loss refers to its graph, so a list of losses keeps them all in memory; detach() leaves it off.",
        kept_graphs,
        LEAVES + "losses = []\nfor step in range(3):\n    loss = (w - step) ** 2\n    loss.backward()\n"
        "    losses.append(loss)\nprint(len(losses))\n",
    ),
    Lint(
        "L016",
        "A gradient is asked for too late.",
        "Only what is computed after requires_grad_() is recorded, so it has to come before the first use.",
        required_late,
        "w = torch.tensor(1.0)\nL = (w - 3) ** 2\nw.requires_grad_()\nL.backward()\nprint(w.grad)\n",
    ),
    Lint(
        "L017",
        "A gradient without a graph is differentiated.",
        "grad() and backward() record their own steps only with create_graph=True.",
        gradient_without_graph,
        "x = torch.tensor(2.0, requires_grad=True)\n(first,) = torch.autograd.grad(x**3, x)\n"
        "(second,) = torch.autograd.grad(first, x)\nprint(second)\n",
    ),
)
