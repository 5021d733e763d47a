"""Lints for gradients and backward passes: missing gradients, graphs used twice, unwanted accumulation."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.lints.calls import is_constant
from autodiff.grammar.lints.finding import INDENT, Lint, Subject, atom, contains, finding
from autodiff.grammar.lints.flow import surely_before
from autodiff.grammar.lints.updates import (
    comes_from_other_leaf,
    rebindings,
    without_requires_grad,
)
from autodiff.grammar.lints.values import (
    CUTTING,
    GRAPH,
    LEAF,
    LIST,
    MIXED,
    NO_SLOPE,
    UNKNOWN,
    WHOLE,
    Value,
    ancestors,
)
from autodiff.grammar.session.scaled_leaf import whole_expression_leaf
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.grammar.lints.flow import Event


MOST_NAMES = 3  # in one message


def accumulates(subject: Subject) -> Iterator[AutodiffError]:
    """Find backward() in a loop on leaves whose gradients are read and never reset."""
    passes: dict[tuple[int, int, int], tuple[Event, Value, set[int]]] = {}
    stepped = {id(event.value) for event, _ in rebindings(subject)}
    for event in subject.events("backward"):
        before = list(ancestors(event.value, through_cuts=False))
        leaves = [
            one for one in before if one.kind == LEAF and not any(id(other) in stepped for other in before)
        ]
        for loop in event.loops:
            at = next((at for at, (node, *_) in enumerate(event.place) if node == id(loop)), None)
            if at is None or not all(is_loop for *_, is_loop in event.place[at + 1 :]):
                continue  # the call is in a branch, which may be taken only once
            turn = event.place[at][1]
            for leaf in leaves:
                key = (id(loop), id(event.node), id(leaf))
                passes.setdefault(key, (event, leaf, set()))[2].add(turn)
    found: dict[int, tuple[Event, list[Value]]] = {}
    resets = {loop_id: Resets(subject, loop_id) for loop_id, _, _ in passes}
    for (loop_id, node_id, _), (event, leaf, turns) in passes.items():
        if len(turns) > 1 and leaf.names and resets[loop_id].lets_add_up(leaf, turns):
            leaves = found.setdefault(node_id, (event, []))[1]
            if not any(leaf is other for other in leaves):
                leaves.append(leaf)
    for event, leaves in found.values():
        names = list(dict.fromkeys(leaf.names[0][0] for leaf in leaves))
        grads = " and ".join(f"`{name}.grad`" for name in names[:MOST_NAMES])
        if len(names) > MOST_NAMES:
            grads += f" and {len(names) - MOST_NAMES:,} more"
        lines = resets_of(subject, leaves)
        fixes = []
        place = where_named(subject, event, leaves)
        if lines and place is not None and subject.stands_alone(place):
            fixes = [Fix("start from zero in every iteration", subject.insert_before(place, *lines))]
        yield finding(
            event.node.span,
            f"every iteration adds to {grads}",
            "backward() adds to what is there: the second step is too long",
            fixes=fixes,
        )


def where_named(subject: Subject, event: Event, leaves: list[Value]) -> tree.Statement | None:
    """The pass, or the innermost statement of its loops that calls it, where the leaves' names are known."""
    calls = {node for node, *_ in event.place}
    around = [
        statement
        for loop in reversed(event.loops)
        for statement in loop.body
        if any(id(part) in calls for part in walk(statement))
    ]
    functions = list(subject.nodes(tree.FunctionDef))
    places: list[tree.Statement] = [event.statement, *around]
    for place in places:
        scopes = [one for one in functions if contains(one, place)]
        binding = [one for one in functions for leaf in leaves if contains(one, leaf.names[0][1])]
        if all(one in scopes for one in binding):
            return place
    return None


def resets_of(subject: Subject, leaves: list[Value]) -> list[str]:
    """Lines that reset gradients, by the leaves' names or in a loop over the list that holds them."""
    lines: dict[str, None] = {}
    for leaf in leaves:
        plain = [name for name, statement in leaf.names if not isinstance(statement, tree.For)]
        if plain:
            lines[f"{plain[0]}.grad = None"] = None
            continue
        name, loop = leaf.names[0]
        if not isinstance(loop.target, tree.Name):
            return []
        lines[f"for {name} in {subject.text(loop.iterable)}:\n{INDENT}{name}.grad = None"] = None
    return [part for line in lines for part in line.split("\n")]


class Resets:
    """The gradients that a loop reads, with the turn, and those it may reset.

    ``unknown``: it may reset any gradient.
    """

    __slots__ = ("read", "reset", "unknown")

    def __init__(self, subject: Subject, loop_id: int) -> None:
        self.read: set[tuple[int, int]] = set()
        self.reset: set[int] = set()
        self.unknown = False
        for event in subject.flow.events:
            if event.kind not in ("opaque", "reset", "escape", "grad"):
                continue
            if any(id(loop) == loop_id for loop in event.loops):
                if event.kind == "grad":
                    turn = next(turn for node, turn, *_ in event.place if node == loop_id)
                    self.read.add((id(event.value), turn))
                elif event.kind == "opaque" or event.value.kind == UNKNOWN:
                    self.unknown = True
                else:
                    self.reset.add(id(event.value))

    def lets_add_up(self, leaf: Value, turns: set[int]) -> bool:
        """Whether the gradient of a leaf is read after the first of the turns and certainly never reset.

        A name that is bound to another tensor in the first turn reads that tensor's gradient later on.
        """
        is_read = any((id(leaf), turn) in self.read for turn in turns - {min(turns)})
        return not self.unknown and is_read and id(leaf) not in self.reset


def gradient_of_result(subject: Subject) -> Iterator[AutodiffError]:
    stepped = {id(event.value.node) for event, _ in rebindings(subject)}  # in every iteration of a loop
    done: set[int] = set()
    for event in subject.events("grad"):
        value = event.value
        if value.kind != GRAPH or value.retained or id(value) in done or id(value.node) in stepped:
            continue
        done.add(id(value))
        name, statement = value.names[0] if value.names else (subject.text(event.node.object), None)
        fixes, labels = [], []
        if statement is not None and statement is not event.statement:
            labels = [Label(statement.span, f"`{name}` is computed here")]
            if isinstance(statement, tree.Assign) and subject.stands_alone(statement):
                meant = whole_expression_leaf(statement.value, subject.source)
                if meant is not None:
                    fixes = [Fix("make the result the leaf", *meant[0])]
                else:
                    ask = f"{name}.retain_grad()"
                    fixes = [Fix("make backward() keep it", subject.insert_after(statement, ask))]
        yield finding(
            event.node.span,
            f"`{name}` is no leaf, so `{name}.grad` stays None",
            "backward() keeps only the gradients of leaves",
            fixes=fixes,
            labels=labels,
        )


def second_pass(subject: Subject) -> Iterator[AutodiffError]:
    for event in subject.events("pass"):
        if event.value.kind != GRAPH or is_swapped(event):
            continue
        call = event.node
        is_backward = isinstance(call.function, tree.Attribute) and call.function.name == "backward"
        flowing = [event.value]
        if is_backward:
            flowing = sure_ancestors(event.value)
        flowing = [one for one in flowing if one.kind == GRAPH and one.keeps]
        earlier = next(
            (one.used_up for one in flowing if one.used_up and surely_before(one.used_up[0], event.place)),
            None,
        )
        if earlier is not None:
            yield carried_graph(subject, event, earlier[1]) or used_up_twice(event, earlier[1])
        elif not keeps_graph(call):
            for one in flowing:
                if one.used_up is None:
                    one.used_up = (event.place, call)


def is_swapped(event: Event) -> bool:
    """Whether the inputs of a grad() call are computed from its outputs, or are their gradient."""
    outputs, wanted = event.value, event.other
    if wanted is None or wanted is outputs or not outputs.is_tensor:
        return False
    if wanted.grad_of is not None and isinstance(wanted.node, tree.Call):
        return wanted.outputs is outputs
    return any(one is outputs for one in ancestors(wanted))


def sure_ancestors(value: Value) -> list[Value]:
    """The value and its certain ancestors; values merged after a branch are excluded."""
    found: list[Value] = []
    seen: set[int] = set()
    stack = [value]
    while stack:
        one = stack.pop()
        if id(one) not in seen and one.kind != UNKNOWN:
            seen.add(id(one))
            found.append(one)
            stack.extend(() if one.cut else one.inputs)
    return found


def keeps_graph(call: tree.Call) -> bool:
    """Whether a pass may keep the graph."""
    named = ("retain_graph", "retain_variables", "create_graph")
    positional = [argument for argument in call.arguments if argument.keyword is None]
    return len(positional) > 2 or any(
        argument.keyword in named and not is_constant(argument.value, False) for argument in call.arguments
    )


def carried_graph(subject: Subject, event: Event, first: tree.Call) -> AutodiffError | None:
    """Return the finding for a loop that carries a state along, with the graph of the iteration before.

    None if the pass is no other iteration of the same one, or if no name carries the state. Keeping the graph
    would not help: passes would lead through all iterations, whose weights have changed.
    """
    if first is not event.node or not event.loops:
        return None
    events = subject.flow.events
    before = next(at for at, one in enumerate(events) if one.kind == "pass" and one.node is event.node)
    fresh = {id(one.value) for one in events[before : events.index(event)] if one.kind == "apply"}
    carried: dict[str, Any] = {}
    for value in sure_ancestors(event.value):
        for below in value.inputs if id(value) in fresh else ():
            if id(below) in fresh or below.kind != GRAPH:
                continue
            for name, statement in below.names:
                if contains(event.loops[-1], statement):
                    carried[name] = statement
    if not carried:
        return None
    named = " and ".join(f"`{name}`" for name in carried)
    lines = [f"{name} = {name}.detach()" for name in carried]
    fixes = []
    if subject.stands_alone(event.statement):
        fixes = [Fix("cut the graph after each pass", subject.insert_after(event.statement, *lines))]
    return finding(
        event.node.span,
        "this goes backward through a graph that was freed",
        f"{named} lead{'s' * (len(carried) == 1)} to the graph of the iteration before, which is freed",
        fixes=fixes,
        labels=[Label(one.span, f"this makes `{name}` of its value before") for name, one in carried.items()],
    )


def used_up_twice(event: Event, first: tree.Call) -> AutodiffError:
    end = first.span.end - 1
    text = ", retain_graph=True" if first.arguments else "retain_graph=True"
    fixes = []
    if not any(argument.keyword for argument in first.arguments if argument.keyword == "retain_graph"):
        fixes = [Fix("keep the graph for another pass", Edit(Span(end, end), text))]
    again = first is event.node
    help = ("or compute the output again in every iteration",) if again else ()
    labels = [] if again else [Label(first.span, "this pass frees the graph")]
    return finding(
        event.node.span,
        "this goes backward through a graph that was freed",
        "from the second iteration on, the graph is freed"
        if again
        else "the values it needs were freed by the pass before",
        fixes=fixes,
        help=help,
        labels=labels,
    )


def cut_leaves(value: Value) -> tuple[set[int], dict[int, tuple[Value, Value]], bool]:
    """The leaves a gradient reaches, those cut off with their cuts, and whether an ancestor is unknown."""
    reached = {id(one) for one in ancestors(value, through_cuts=False) if one.kind == LEAF}
    doubt = any(one.kind == UNKNOWN for one in ancestors(value))
    cut: dict[int, tuple[Value, Value]] = {}
    beyond: set[int] = set()  # shared between cuts: each leaf is attributed to the first cut that leads to it
    for one in ancestors(value, through_cuts=False):
        if one.cut:
            for below in one.inputs:
                for other in ancestors(below, seen=beyond):
                    if other.kind == LEAF and id(other) not in reached:
                        cut.setdefault(id(other), (other, one))
    return reached, cut, doubt


def gradient_cut(subject: Subject) -> Iterator[AutodiffError]:
    stepped = {id(event.value) for event, _ in rebindings(subject)}
    wanted = {id(event.value) for event in subject.events("grad")}
    for event in subject.events("backward"):
        if any(id(one) in stepped for one in ancestors(event.value)):
            continue
        reached, cut, doubt = cut_leaves(event.value)
        if doubt:
            continue
        for leaf, place in sorted(cut.values(), key=lambda pair: begin(pair[0])):
            if reached and id(leaf) not in wanted:
                continue  # other leaves are trained; this one is left out on purpose
            if place.cut != "no_grad" and not is_leaf_on_purpose(place, wanted):
                yield cut_at(subject, leaf, place)
                break


def is_leaf_on_purpose(place: Value, wanted: set[int]) -> bool:
    """Whether a leaf is made of copied numbers to be trained itself.

    Its own gradient is read, or it is a step along a gradient. A loss that ``tensor()`` copies is neither.
    """
    is_step = any(one.grad_of is not None for one in ancestors(place))
    return place.kind == LEAF and (id(place) in wanted or is_step)


def begin(leaf: Value) -> int:
    return leaf.node.span.start if leaf.node is not None else 0


CUTS = {
    "detach": "detach() leaves the graph",
    "data": "`.data` is outside of the graph",
    "item": "a number has no gradient",
    "numpy": "a numpy array has no gradient",
    "float": "a number has no gradient",
    "int": "a number has no gradient",
    **dict.fromkeys(("tensor", LIST, MIXED), "tensor() copies the numbers and leaves the graph"),
    NO_SLOPE: "this is constant between jumps, so it has no slope",
    WHOLE: "whole numbers have no gradient",
}


def cut_at(subject: Subject, leaf: Value, place: Value) -> AutodiffError:
    name = leaf.names[0][0] if leaf.names else "the leaf"
    labels = [Label(leaf.names[0][1].span, f"`{name}` requires a gradient")] if leaf.names else []
    return finding(
        place.node.span,
        f"the gradient of `{name}` stops here",
        CUTS[place.cut],
        fixes=cut_fixes(subject, place),
        labels=labels,
    )


def cut_fixes(subject: Subject, place: Value) -> list[Fix]:
    """The repair that keeps the value in the graph; none where no short one is known."""
    cuts = [one for one in ancestors(place) if one.cut in CUTS and place.cut not in (NO_SLOPE, WHOLE)]
    nodes = {id(one.node): one for one in cuts}  # a loop makes a value of the same node in every iteration
    edits = [
        without_cut(subject, one, text)
        for one in nodes.values()
        if not any(contains(other.node, one.node) for other in cuts if other.node is not one.node)
        and (text := joined(subject, one))
    ]
    if len(edits) == 1 and not edits[0].text:
        return [Fix("stay in the graph: delete this line", *edits)]
    return [Fix("stay in the graph", *edits)] if edits else []


def without_cut(subject: Subject, cut: Value, text: str) -> Edit:
    """The edit that writes ``text`` for a cut; ``x = x.detach()`` goes as a whole."""
    for statement in subject.nodes(tree.Assign):
        if statement.value is cut.node and [subject.text(target) for target in statement.targets] == [text]:
            return subject.remove(statement)
    return Edit(cut.node.span, text)


def joined(subject: Subject, cut: Value) -> str:
    """The text that replaces a cut so that the gradient flows; "" where no short one is known."""
    node = cut.node
    inner = node
    if isinstance(node, tree.Attribute):
        inner = node.object
    elif isinstance(node, tree.Call) and cut.cut in ("detach", "item", "numpy"):
        assert isinstance(node.function, tree.Attribute)
        inner = node.function.object
    elif isinstance(node, tree.Call):
        inner = node.arguments[0].value
        if cut.cut == MIXED:
            return ""
        if cut.cut == LIST:
            return f"torch.stack({uncut(subject, inner)})"
    alone = any(statement.value is node for statement in subject.nodes(tree.Assign))
    text = uncut(subject, inner)
    return text if alone or atom(subject, inner) == subject.text(inner) else f"({text})"


def uncut(subject: Subject, node: tree.Expression) -> str:
    """The text of an expression without calls such as ``.item()`` and ``.detach()`` inside it."""
    edits = []
    for part in walk(node):
        cut = part.function if isinstance(part, tree.Call) else part
        names = (*CUTTING, "cpu") if cut is not part else ("data",)
        if isinstance(cut, tree.Attribute) and cut.name in names:  # a parenthesis may close before the dot
            dot = subject.source.text.rindex(".", cut.object.span.end, cut.span.end)
            edits.append(Edit(Span(dot, part.span.end), ""))
    text = Fix("", *edits).apply(subject.source.text[: node.span.end])
    return text[node.span.start :]


def unrecorded_sums(subject: Subject) -> Iterator[AutodiffError]:
    """Find leaves that a loss is summed into where nothing is recorded, and that backward() starts from."""
    roots = {id(event.value): event for event in subject.events("backward") if event.value.kind == LEAF}
    blocks = list(subject.nodes(tree.With))
    for event in subject.events("in-place"):
        is_data = event.value.cut == "data"
        leaf = event.value.inputs[0] if is_data else event.value
        if (event.recording is not False and not is_data) or id(leaf) not in roots:
            continue
        if not any(comes_from_other_leaf(one, leaf) for one in event.other):
            continue
        call = roots.pop(id(leaf))
        where = "`.data` is outside of the graph" if is_data else "nothing is recorded under no_grad()"
        edits = recorded_data(subject, event.node) if is_data else recorded_block(subject, blocks, event.node)
        edits = (*without_requires_grad(leaf), *edits)
        yield finding(
            event.node.span,
            f"{where}, so backward() has no graph to go through",
            f"what is added to `{leaf.names[0][0]}` here has no graph" if leaf.names else "this has no graph",
            fixes=[Fix("sum it where the graph is recorded, from a tensor that is no leaf", *edits)]
            if len(edits) > 1
            else [],
            labels=[Label(call.node.span, "this pass reaches the sum alone")],
        )


def recorded_block(subject: Subject, blocks: list[tree.With], node: tree.SyntaxNode) -> tuple[Edit, ...]:
    """The edits that take the lines of the innermost ``with`` around a node out of it."""
    around = [block for block in blocks if contains(block, node)]
    return subject.dedent(around[-1]) if around else ()


def recorded_data(subject: Subject, node: tree.SyntaxNode) -> tuple[Edit, ...]:
    """The edit that writes ``total.data += loss.data`` as ``total += loss``."""
    if not isinstance(node, tree.AugmentedAssign):
        return ()
    text = f"{uncut(subject, node.target)} {node.op}= {uncut(subject, node.value)}"
    return (Edit(node.span, text),)


def computed_unrecorded(subject: Subject) -> Iterator[AutodiffError]:
    yield from unrecorded_sums(subject)
    stepped = {id(event.value) for event, _ in rebindings(subject)}
    blocks = list(subject.nodes(tree.With))
    for event in subject.events("backward"):
        if event.value.requires_grad or any(id(one) in stepped for one in ancestors(event.value)):
            continue
        reached, cut, doubt = cut_leaves(event.value)
        if doubt or reached:
            continue
        for _, place in cut.values():
            if place.cut != "no_grad" or place.node is None:
                continue
            around = [block for block in blocks if contains(block, place.node)]
            fixes = []
            if around and not any(contains(around[-1], node.node) for node in subject.events("in-place")):
                edits = subject.dedent(around[-1])
                fixes = [Fix("compute it where the graph is recorded", *edits)] if edits else []
            yield finding(
                place.node.span,
                "nothing is recorded under no_grad(), so backward() has no graph to go through",
                "this is computed without a graph",
                fixes=fixes,
                labels=[Label(event.node.span, "this pass needs the graph")],
            )
            break


LEAVES = "w = torch.tensor(1.0, requires_grad=True)\n"
LINTS = (
    Lint(
        "L005",
        "A graph is used twice.",
        "backward() frees the values it needed, so a second pass through the same graph fails.",
        second_pass,
        LEAVES + "L = w**2\nL.backward()\nL.backward()\n",
    ),
    Lint(
        "L006",
        "The gradient of a value that is no leaf is read.",
        "backward() fills `.grad` of leaves only; other tensors keep theirs after retain_grad().",
        gradient_of_result,
        LEAVES + "y = w * 2\nL = y**2\nL.backward()\nprint(y.grad)\n",
    ),
    Lint(
        "L007",
        "Gradients add up over the iterations of a loop.",
        "backward() adds to `.grad`, so each iteration steps along the sum of all gradients so far.",
        accumulates,
        LEAVES + "for step in range(3):\n    loss = (w - 3) ** 2\n    loss.backward()\n"
        "    with torch.no_grad():\n        w -= 0.1 * w.grad\n",
    ),
    Lint(
        "L008",
        "The gradient is cut off on its way to a leaf.",
        "detach(), .data, .item(), float() and tensor() give the numbers without their graph.",
        gradient_cut,
        LEAVES + "y = (w * 2).detach()\nL = (y - 3) ** 2\nL.backward()\n",
    ),
    Lint(
        "L009",
        "A loss is computed where nothing is recorded.",
        "Under no_grad() results have no graph, so there is nothing for backward() to go through.",
        computed_unrecorded,
        LEAVES + "with torch.no_grad():\n    L = w**2\nL.backward()\n",
    ),
)
