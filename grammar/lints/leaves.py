"""Lints for leaves: tensors that cannot have a gradient, need none, or are created in a surprising way."""

from __future__ import annotations

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.lints.calls import keyword, last_word
from autodiff.grammar.lints.finding import Lint, Subject, atom, finding
from autodiff.grammar.lints.gradients import cut_leaves
from autodiff.grammar.lints.updates import rebindings
from autodiff.grammar.lints.values import GRAPH, LEAF, NUMBER, PLAIN, Value, ancestors
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OLD_MAKERS = ("Tensor", "FloatTensor", "DoubleTensor")
MOST_PROPOSALS = 2
#: Usual names of data that is not trained, in lower case.
DATA = frozenset("x xs y ys t data input inputs target targets label labels feature features".split())


def nothing_requires(subject: Subject) -> Iterator[AutodiffError]:
    stepped = {id(event.value) for event, _ in rebindings(subject)}
    makers = {id(event.node): event for event in subject.events("maker")}
    for event in subject.events("backward"):
        value = event.value
        reached, cut, doubt = cut_leaves(value)
        if value.kind != PLAIN or reached or cut or doubt:
            continue
        before = list(ancestors(value))
        if any(id(one) in stepped or one.grad_of is not None for one in before):
            continue
        if any(id(one.node) in makers and asks_misspelt(one.node) for one in before):
            continue
        may_be = [
            one
            for one in sorted(before, key=lambda one: one.node.span.start if one.node is not None else 0)
            if one.names and id(one.node) in makers and one.integer is False and one.kind == PLAIN
        ]
        read = {id(other.value) for other in subject.events("grad")}
        meant = [one for one in may_be if id(one) in read]
        meant = meant or [one for one in may_be if one.names[0][0].lower() not in DATA]
        fixes = [ask_for_gradient(meant)] if meant else []
        fixes = fixes or [ask_for_gradient([one]) for one in may_be]
        yield finding(
            event.node.span,
            "nothing this was computed from requires a gradient",
            "backward() has no leaf to go to",
            fixes=fixes[:MOST_PROPOSALS],
        )


def asks_misspelt(call: tree.Call) -> bool:
    """Whether a call has a misspelt ``requires_grad`` keyword."""
    words = [argument.keyword for argument in call.arguments if argument.keyword]
    return any(word != "requires_grad" and closest_name(word, ["requires_grad"]) for word in words)


def ask_for_gradient(values: list[Value]) -> Fix:
    """The repair that makes tensors created by the script leaves that require a gradient."""
    edits = []
    for value in values:
        call = value.node
        end = call.span.end
        if last_word(call.function) in OLD_MAKERS:
            edits.append(Edit(Span(end, end), ".requires_grad_()"))
        else:
            text = ", requires_grad=True" if call.arguments else "requires_grad=True"
            edits.append(Edit(Span(end - 1, end - 1), text))
    names = [f"`{value.names[0][0]}`" for value in values]
    what = "a leaf that requires a gradient" if len(names) == 1 else "leaves that require gradients"
    return Fix(f"make {' and '.join(dict.fromkeys(names))} {what}", *edits)


def integer_leaf(subject: Subject) -> Iterator[AutodiffError]:
    asked = {id(event.value) for event in subject.events("require")}
    for event in subject.events("maker"):
        value, call = event.value, event.node
        if value.integer is not True or (value.kind != LEAF and id(value) not in asked):
            continue
        fix = as_floats(subject, call)
        yield finding(
            call.span,
            "a tensor of integers cannot require a gradient",
            "integers do not change by a little, so there is no slope",
            fixes=[fix] if fix is not None else [],
        )


def as_floats(subject: Subject, call: tree.Call) -> Fix | None:
    """The repair that makes a new integer tensor a float tensor."""
    dtype = keyword(call, "dtype")
    if dtype is not None:
        return Fix("use a type of floats", Edit(dtype.span, "torch.float64"))
    first = call.arguments[0].value if call.arguments else None
    name = last_word(call.function)
    if name in ("tensor", "as_tensor") and first is not None:
        for node in walk(first):
            if isinstance(node, tree.Number) and subject.text(node).isdigit():
                text = subject.text(node) + "."
                return Fix("write floats", Edit(node.span, text))
    if name in ("arange", "full", "randint"):
        at = call.span.end - 1
        return Fix("ask for floats", Edit(Span(at, at), ", dtype=torch.float64"))
    return None


def unused_leaf(subject: Subject) -> Iterator[AutodiffError]:
    if not any(event.value.kind == GRAPH for event in subject.events("bind")):
        return
    used = {name for name, _ in subject.names.reads}
    for event in subject.events("bind"):
        call = event.value.node
        if event.value.kind != LEAF or event.node.id in used or not isinstance(call, tree.Call):
            continue
        asked = next((one for one in call.arguments if one.keyword == "requires_grad"), None)
        fixes = []
        if asked is not None:
            text = subject.source.text
            start = asked.span.start
            comma = text.rfind(",", call.span.start, start)
            if asked is call.arguments[-1] and comma > 0 and not text[comma + 1 : start].strip():
                edit = Edit(Span(comma, asked.span.end), "")
                fixes = [Fix("leave `requires_grad=True` out", edit)]
        yield finding(
            event.node.span,
            f"`{event.node.id}` requires a gradient and is never used",
            "its gradient stays None",
            fixes=fixes,
        )


def copied_tensor(subject: Subject) -> Iterator[AutodiffError]:
    for event in subject.events("copy"):
        source = event.node.arguments[0].value
        if event.value.node is not source and isinstance(source, tree.Call):  # tensor(x.tolist())
            source = source.function.object if isinstance(source.function, tree.Attribute) else source
        text = f"{atom(subject, source)}.detach().clone()"
        more = [one for one in event.node.arguments[1:] if one.keyword == "requires_grad"]
        if more:
            text += ".requires_grad_()"
        fixes = [Fix("say that it is a copy", Edit(event.node.span, text))]
        yield finding(
            event.node.span,
            "tensor() of a tensor makes a copy outside of the graph",
            "PyTorch warns of this",
            fixes=fixes if len(event.node.arguments) == 1 + len(more) else [],
        )


def uninitialised(subject: Subject) -> Iterator[AutodiffError]:
    changed = {id(event.value) for event in subject.events("in-place")}
    for event in subject.events("maker"):
        name, call = last_word(event.node.function), event.node
        sizes = all(one.kind == NUMBER and one.integer for one in event.other)
        if name not in OLD_MAKERS or not event.other or not sizes or id(event.value) in changed:
            continue
        text = "torch.zeros(" + ", ".join(subject.text(one) for one in call.arguments) + ")"
        yield finding(
            call.span,
            f"in PyTorch `{subject.text(call)}` holds whatever was in memory",
            "these are sizes, not values; here they give zeros",
            fixes=[Fix("say what it holds", Edit(call.span, text))],
            help=("a tensor of these values is `torch.tensor([...])`",),
        )


LINTS = (
    Lint(
        "L010",
        "Nothing requires a gradient.",
        "backward() fills `.grad` of the leaves that were made with requires_grad=True, and there is none.",
        nothing_requires,
        "w = torch.tensor(3.0)\nL = w**2\nL.backward()\n",
    ),
    Lint(
        "L011",
        "Integers are asked for a gradient.",
        "A gradient says how a result changes when a number changes a little, and integers cannot.",
        integer_leaf,
        "x = torch.tensor([1, 2], requires_grad=True)\nL = (x * x).sum()\nL.backward()\n",
    ),
    Lint(
        "L012",
        "A leaf is never used.",
        "A leaf that no result depends on gets no gradient, which often means that a name is misspelt.",
        unused_leaf,
        "w = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(1.0, requires_grad=True)\n"
        "L = (w * 3) ** 2\nL.backward()\n",
    ),
    Lint(
        "L013",
        "A tensor is made from a tensor.",
        "tensor() copies the values and leaves the graph; PyTorch warns of that.",
        copied_tensor,
        "x = torch.tensor([1.0, 2.0])\ny = torch.tensor(x)\nprint(y)\n",
    ),
    Lint(
        "L014",
        "A tensor is made from sizes, without values.",
        "torch.Tensor(3) is three numbers that nobody set, and not the number 3.",
        uninitialised,
        "x = torch.Tensor(3)\nprint(x + 1)\n",
    ),
)
