"""Lints for training steps: values that backward() still needs, gradients cleared too early, idle terms."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.grammar.lints.calls import argument_of
from autodiff.grammar.lints.finding import Lint, Subject, contains, finding
from autodiff.grammar.lints.flow import surely_before
from autodiff.grammar.lints.gradients import cut_fixes, is_swapped, sure_ancestors
from autodiff.grammar.lints.values import GRAPH, LEAF, NUMBER, PLAIN, UNKNOWN, Value, ancestors, bases
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.grammar.lints.flow import Event

#: Which operations save a value for backward(): their result, their operand, or each operand whose partner
#: requires a gradient. These are torch's formulas (derivatives.yaml); operations on several tensors that save
#: other things are left out.
SAVE_RESULT = frozenset("exp exp2 sqrt rsqrt sigmoid tanh relu softmax log_softmax reciprocal".split())
SAVE_OPERAND = frozenset("sin cos tan log log2 log10 log1p square pow ** abs prod".split())
SAVE_PARTNER = frozenset("* mul multiply @ matmul mm mv bmm dot".split())
DIVISION = frozenset(["/", "div", "divide"])


def saved_by(name: str, made: Value, operands: tuple[Value, ...]) -> list[Value]:
    """The values that an operation saves for backward()."""
    if name in SAVE_RESULT:
        return [made]
    if name in SAVE_OPERAND:
        return [*operands[:1]]
    if len(operands) != 2:
        return []
    first, second = operands
    if name in DIVISION:
        return [second, first] if second.requires_grad else [second]
    if name in SAVE_PARTNER:
        return [one for one, partner in ((first, second), (second, first)) if partner.requires_grad]
    return []


def changed_while_needed(subject: Subject) -> Iterator[AutodiffError]:
    """Find changes in place of results that an earlier operation saved and a later backward() needs."""
    saved: dict[int, list[Value]] = {}
    changed: dict[int, tuple[Event, Value]] = {}
    for event in subject.flow.events:
        if event.kind == "apply" and event.value.kind == GRAPH:
            for one in saved_by(event.other[0], event.value, event.other[1]):
                if one.kind == GRAPH:
                    saved.setdefault(id(one), []).append(event.value)
        elif event.kind == "in-place":
            for base in bases(event.value):
                for user in saved.pop(id(base), ()):
                    changed.setdefault(id(user), (event, base))
        elif event.kind == "backward":
            for user in sure_ancestors(event.value):
                if id(user) not in changed:
                    continue
                change, value = changed.pop(id(user))
                if is_sure(change, event):
                    yield needed_value(subject, change, value, user, event)
                    break


def is_sure(change: Event, call: Event) -> bool:
    """Whether the change ran before the call: it is in no branch that the call is not in.

    The call uses a value computed before the change, so a loop around the change has run.
    """
    return all(is_loop or (node, way, is_loop) in call.place for node, way, is_loop in change.place)


def needed_value(subject: Subject, change: Event, value: Value, user: Value, call: Event) -> AutodiffError:
    name = value.names[0][0] if value.names else "this"
    fixes = []
    statement = change.statement
    if value.names and statement is not None and subject.stands_alone(statement):
        fixes = [Fix("change a copy", subject.insert_before(statement, f"{name} = {name}.clone()"))]
    return finding(
        change.node.span,
        f"`{name}` is changed in place after an operation saved it for backward()",
        "backward() refuses to use the changed value",
        fixes=fixes,
        labels=[
            Label(user.node.span, "this saved it"),
            Label(call.node.span, "this needs the value as it was"),
        ],
    )


def cleared_before_step(subject: Subject) -> Iterator[AutodiffError]:
    """Find gradients that are cleared after backward() and read by the step that follows."""
    filled: set[int] = set()
    cleared: dict[int, Event] = {}
    late: dict[int, tuple[Event, Value]] = {}  # resets before a read, by the statement that reads
    done: set[int] = set()
    for event in subject.flow.events:
        leaf = event.value
        if event.kind == "backward":
            leaves = [id(one) for one in ancestors(leaf, through_cuts=False) if one.kind == LEAF]
            filled.update(leaves)
            for one in leaves:
                cleared.pop(one, None)
            late.clear()
        elif event.kind == "reset" and id(leaf) in filled:
            cleared[id(leaf)] = event
        elif event.kind == "grad" and id(leaf) in cleared:
            late[id(event.statement)] = (cleared[id(leaf)], leaf)
        elif event.kind == "in-place" and leaf.kind == LEAF and id(event.statement) in late:
            reset, read = late[id(event.statement)]
            if read is leaf and id(reset.statement) not in done and surely_before(reset.place, event.place):
                done.add(id(reset.statement))
                yield early_reset(subject, reset, event, leaf)


def early_reset(subject: Subject, reset: Event, step: Event, leaf: Value) -> AutodiffError:
    name = leaf.names[0][0] if leaf.names else "the leaf"
    last = step.statement
    for block in subject.nodes(tree.With):
        if contains(block, step.statement) and not contains(block, reset.statement):
            last = block
            break
    fixes = []
    if subject.stands_alone(reset.statement) and subject.stands_alone(last):
        text = subject.text(reset.statement)
        fixes = [
            Fix("clear it after the step", subject.remove(reset.statement), subject.insert_after(last, text))
        ]
    return finding(
        reset.statement.span,
        f"`{name}.grad` is cleared between backward() and the step",
        f"the step moves `{name}` by nothing",
        fixes=fixes,
        labels=[Label(step.statement.span, "this step reads it")],
    )


def idle_terms(subject: Subject) -> Iterator[AutodiffError]:
    """Find terms of a loss that are computed from a detached tensor, so that they move the loss alone."""
    done: set[int] = set()
    for event in subject.events("backward"):
        reached = {id(one) for one in ancestors(event.value, through_cuts=False) if one.kind == LEAF}
        for term in terms_of(event.value):
            if term.kind != PLAIN or term.cut or id(term) in done:
                continue
            before = list(ancestors(term))
            if any(one.kind == UNKNOWN for one in before):
                continue
            place = next((one for one in before if one.cut in ("detach", "data")), None)
            if place is None or not any(one.kind == LEAF and id(one) in reached for one in ancestors(place)):
                continue
            done.add(id(term))
            name = f"`{term.names[0][0]}`" if term.names else "this term"
            yield finding(
                place.node.span,
                f"{name} is made of a detached tensor: it moves the loss and no gradient",
                "the gradient stops here",
                fixes=cut_fixes(subject, place),
                labels=[Label(term.node.span, f"{name} is computed here")],
            )


def terms_of(value: Value) -> Iterator[Value]:
    """The terms of a sum, without factors that are numbers; nothing of a value that is no sum."""
    stack = list(value.inputs) if is_sum(value) else []
    while stack:
        one = stack.pop()
        if is_sum(one):
            stack.extend(one.inputs)
            continue
        if isinstance(one.node, tree.Binary) and one.node.op in ("*", "/") and not one.cut:
            tensors = [part for part in one.inputs if part.kind != NUMBER and part.is_tensor]
            if len(tensors) == 1:
                one = tensors[0]
        yield one


def is_sum(value: Value) -> bool:
    return isinstance(value.node, tree.Binary) and value.node.op in ("+", "-") and not value.cut


def swapped_roles(subject: Subject) -> Iterator[AutodiffError]:
    """Find grad() calls whose inputs are computed from their outputs."""
    for event in subject.events("pass"):
        if not is_swapped(event):
            continue
        node = event.node
        given, asked = argument_of(node, "outputs", 0), argument_of(node, "inputs", 1)
        fixes = []
        if event.other.grad_of is None:  # a gradient would have to be computed with create_graph first
            swap = Edit(given.span, subject.text(asked)), Edit(asked.span, subject.text(given))
            fixes = [Fix("swap them", *swap)]
        yield finding(
            node.span,
            f"`{subject.text(asked)}` is computed from `{subject.text(given)}`, not the other way round",
            "`outputs` are what is differentiated, `inputs` what it is differentiated by",
            fixes=fixes,
            help=() if fixes else (f"to differentiate `{subject.text(asked)}`, pass it as `outputs`",),
        )


LEAVES = "w = torch.tensor([1.0, 2.0], requires_grad=True)\n"
LINTS = (
    Lint(
        "L018",
        "A value that backward() needs is changed in place.",
        "Operations save values for backward(), which refuses to run when one was changed since.",
        changed_while_needed,
        LEAVES + "y = w.sigmoid()\ny[1] = 2.0\ny.sum().backward()\nprint(w.grad)\n",
    ),
    Lint(
        "L019",
        "A gradient is cleared before the step that reads it.",
        "backward() fills `.grad` and the step reads it; cleared in between, it moves nothing.",
        cleared_before_step,
        "w = torch.tensor(1.0, requires_grad=True)\nfor step in range(3):\n    loss = (w * 2 - 1) ** 2\n"
        "    loss.backward()\n    w.grad.zero_()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n",
    ),
    Lint(
        "L023",
        "A term of the loss has no gradient.",
        "What is computed from a detached tensor adds to the loss, and nothing is trained by it.",
        idle_terms,
        LEAVES + "share = torch.softmax(w, 0)\nfit = (share * w).sum()\nfixed = share.detach()\n"
        "penalty = (fixed**2).sum()\nloss = fit + 0.1 * penalty\nloss.backward()\nprint(w.grad)\n",
    ),
    Lint(
        "L024",
        "The outputs and inputs of grad() are swapped.",
        "grad(outputs, inputs) differentiates the outputs, which are computed from the inputs.",
        swapped_roles,
        "x = torch.tensor(2.0, requires_grad=True)\ny = x**2\nz = y * 3\n"
        "(first,) = torch.autograd.grad(y, z, allow_unused=True)\nprint(first)\n",
    ),
)
