"""Graphs with fewer nodes: a part of a graph, and groups of nodes folded into one.

A group has consecutive nodes in the order of creation, without leaves: then no path leaves it and comes back,
and what is drawn has no cycle. Groups are repeated steps without the first and last; where that is not enough
calls of functions and passes of loops; where these are too many, several in a row.
"""

from __future__ import annotations

from autodiff.cli.pictures.repeats import MOST_WHOLE, fold_repeats
from autodiff.cli.process.streams import visible
from autodiff.cli.render.page import fit
from autodiff.core.base.errors import UsageError
from autodiff.core.base.record import Record
from autodiff.core.report.array_summary import ArraySummary
from autodiff.core.report.events import Events, Flow, Make, PathProduct, Seed
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from autodiff.core.report.records import Derivation

    Construct = tuple[int, int, str]

#: What is folded has at most so many nodes: long chains of them take long to place, and are no longer seen.
MOST_FOLDED = 120
#: More names near an unknown one are not all listed.
MOST_NEAR = 4
#: How many edges from the node ``--around`` names are drawn.
AROUND_DEPTH = 2
WIDEST_CAUSE = 300


class View(Record):
    """What is drawn of a graph: ``graph`` and its ``events``, and by id which node stands for each of before.

    That is None for a node that is left out. ``edges`` has the same for edges, without those that are not
    drawn. ``note`` says what is folded, empty if nothing is.
    """

    graph: Graph
    events: Events
    shown: tuple[int | None, ...]
    edges: Mapping[int, int]
    note: str


def part_of(graph: Graph, around: str, depth: int, of_inputs: bool = False) -> list[int]:
    """The ids of the nodes at most ``depth`` edges below the output; or from ``around``, in both directions.

    0 means any number; AROUND_DEPTH where a node is named. Raises UsageError if no node has that name.
    ``of_inputs`` leaves out nodes that lead to no input of the graph, unless one is named.
    """
    near: dict[int, list[int]] = {}
    for edge in graph.edges:
        near.setdefault(edge.output, []).append(edge.input)
        if around:
            near.setdefault(edge.input, []).append(edge.output)
    first = [graph.root]
    if around:
        first = [node.id for node in graph.nodes if node.name == around][-1:]
        if not first:
            raise unknown_node(around, graph)
        depth = depth or AROUND_DEPTH
    reached = dict.fromkeys(first)
    last = first
    steps = 0
    while last and (not depth or steps < depth):
        # Each node once: what two edges lead to would be twice as often at every step.
        found = dict.fromkeys(below for node in last for below in near.get(node, ()) if below not in reached)
        last = list(found)
        reached |= found
        steps += 1
    useful = leading_to_inputs(graph) if of_inputs and not around else reached
    return sorted(reached.keys() & useful.keys())


def leading_to_inputs(graph: Graph) -> dict[int, None]:
    """The ids of the nodes between the output and the inputs, these included; all if none leads to one."""
    users: dict[int, list[int]] = {}
    for edge in graph.edges:
        users.setdefault(edge.input, []).append(edge.output)
    found = dict.fromkeys(graph.inputs)
    todo = list(found)
    while todo:
        new = dict.fromkeys(user for user in users.get(todo.pop(), ()) if user not in found)
        found |= new
        todo += new
    return found if graph.root in found else dict.fromkeys(node.id for node in graph.nodes)


def unknown_node(name: str, graph: Graph) -> UsageError:
    """The error for a name that no node has, with the names near it, in the order of the script."""
    from autodiff.core.base.did_you_mean import similar_names

    names = dict.fromkeys(node.name for node in graph.nodes)
    wanted = {*similar_names(name, names), *(other for other in names if is_numbered(other, name))}
    near = [visible(other) for other in names if other in wanted]
    if len(near) > MOST_NEAR:
        near[2:-1] = ["..."]
    shows = "`autodiff graph` without this option shows the names"
    return UsageError(
        f"--around {visible(name)}: the graph has no node of this name",
        code="E0601",
        help=(f"names near it: {', '.join(near)}", shows) if near else (shows,),
    )


def is_numbered(other: str, name: str) -> bool:
    """Whether a node's name is that of a variable with the number of one of its values.

    >>> is_numbered("h_12", "h"), is_numbered("hidden_1", "h")
    (True, False)
    """
    return other.startswith(f"{name}_") and other[len(name) + 1 :].isdecimal()


def view_of(
    graph: Graph, events: Events, constructs: Sequence[Construct], kept: Sequence[int], most: int
) -> View:
    """The kept nodes, folded if they are more than ``most`` (0: never).

    Repeated steps are folded where these are more than MOST_WHOLE.
    """
    groups = [[id] for id in kept]
    if most and len(kept) > min(most, MOST_WHOLE):
        names = [construct_of(node, constructs) for node in graph.nodes]
        groups = fold_repeats(graph, kept, names)
        if len(groups) > most:
            groups = list(runs(graph, kept, names))
            if len(groups) > min(most, MOST_FOLDED):
                groups = list(chunks(graph, groups, min(most, MOST_FOLDED)))
        folded = [group for group in groups if len(group) > 1]
        if folded:
            inside = sum(map(len, folded))
            note = f"{inside:,} of {len(kept):,} nodes are folded into {len(folded):,} (--fold 0 draws all)"
            return regroup(graph, events, groups, [name_of(group, graph, names) for group in groups], note)
    return regroup(graph, events, groups, [""] * len(groups), "")


def construct_of(node: GraphNode, constructs: Sequence[Construct]) -> str:
    """The name of the innermost loop or function around the code of a node; empty at the top level."""
    if node.span is None:
        return ""
    around = [one for one in constructs if one[0] <= node.span.start and node.span.end <= one[1]]
    return min(around, key=lambda one: one[1] - one[0])[2] if around else ""


def runs(graph: Graph, kept: Sequence[int], names: Sequence[str]) -> Iterator[list[int]]:
    """The passes of loops and calls of functions: nodes in a row, of one construct, no code twice."""
    group: list[int] = []
    seen: set[tuple[object, ...]] = set()
    for id in kept:
        node = graph.nodes[id]
        place = (node.span and (node.span.start, node.span.end), node.op)
        if node.op == "leaf":
            yield [id]
            continue
        if group and (not names[id] or names[id] != names[group[-1]] or place in seen):
            yield group
            group, seen = [], set()
        group.append(id)
        seen.add(place)
    if group:
        yield group


def chunks(graph: Graph, groups: Sequence[list[int]], most: int) -> Iterator[list[int]]:
    """At most ``most`` groups: several in a row become one, leaves apart from others, so 2 are the fewest."""
    leaves = [group for group in groups if graph.nodes[group[0]].op == "leaf"]
    others = [group for group in groups if graph.nodes[group[0]].op != "leaf"]
    of_leaves = min(len(leaves), max(1, most // 3))
    for part, room in ((leaves, of_leaves), (others, max(1, most - of_leaves))):
        size = max(1, -(-len(part) // max(1, room)))
        for at in range(0, len(part), size):
            yield [id for group in part[at : at + size] for id in group]


def name_of(group: Sequence[int], graph: Graph, names: Sequence[str]) -> str:
    """What a folded group is called: its construct, or its lines."""
    if len(group) == 1:
        return ""
    first, last = graph.nodes[group[0]], graph.nodes[group[-1]]
    if first.op == "leaf":
        return f"{first.name} to {last.name}"
    kinds = {names[id] for id in group}
    if len(kinds) == 1 and "" not in kinds:
        [kind] = kinds
        # What ran most often ran in every pass.
        most = max((graph.nodes[id] for id in group), key=lambda node: node.visit)
        same = [node for id in group if (node := graph.nodes[id]).op == most.op and node.span == most.span]
        passes = f"{same[0].visit}-{most.visit}" if most.visit > same[0].visit else f"{most.visit}"
        return f"{kind}, {'call' if kind.endswith('()') else 'pass'} {passes}"
    lines = sorted({line for id in group if (line := graph.nodes[id].line) is not None})
    return f"line {lines[0]} to {lines[-1]}" if len(lines) > 1 else f"line {first.line}"


def regroup(
    graph: Graph, events: Events, groups: Sequence[list[int]], names: Sequence[str], note: str
) -> View:
    """The graph whose nodes are the groups, in the order of their last node, which is what a group shows."""
    order = sorted(range(len(groups)), key=lambda at: groups[at][-1])
    shown: list[int | None] = [None] * len(graph.nodes)
    nodes = []
    for new, at in enumerate(order):
        node = graph.nodes[groups[at][-1]]
        for id in groups[at]:
            shown[id] = new
        is_fold = len(groups[at]) > 1
        op = f"{len(groups[at]):,} {'leaves' if node.op == 'leaf' else 'nodes'}" if is_fold else node.op
        nodes.append(
            GraphNode(
                id=new,
                name=names[at] if is_fold else node.name,
                op=op,
                grad_fn=None if is_fold else node.grad_fn,
                line=node.line,
                shape=node.shape,
                dtype=node.dtype,
                value=node.value,
                grad=node.grad,
                inputs=(),
                span=node.span,
                visit=node.visit,
            )
        )
    heads = {groups[at][-1] for at in order}
    folds = {new for new, at in enumerate(order) if len(groups[at]) > 1}
    edges, edge_ids = regrouped_edges(graph, shown, folds)
    root = shown[graph.root]
    left = graph.left_out + sum(one is None for one in shown)
    made = Graph(-1 if root is None else root, tuple(nodes), tuple(edges), graph.output, left, key=graph.key)
    return View(made, regrouped_events(events, shown, edge_ids, heads), tuple(shown), edge_ids, note)


def regrouped_edges(
    graph: Graph, shown: Sequence[int | None], folds: set[int]
) -> tuple[list[GraphEdge], Mapping[int, int]]:
    """The edges between groups, and by id of before the new one. Edges of a fold to the same node are one."""
    edges: list[GraphEdge] = []
    ids: dict[int, int] = {}
    merged: dict[tuple[int, int], int] = {}
    for id, edge in enumerate(graph.edges):
        output, input = shown[edge.output], shown[edge.input]
        if output is None or input is None or output == input:
            continue
        is_folded = output in folds or input in folds
        if is_folded and (output, input) in merged:
            ids[id] = merged[output, input]
            continue
        ids[id] = merged[output, input] = len(edges)
        local, symbol = (None, "") if is_folded else (edge.local, edge.symbol)
        edges.append(GraphEdge(output, input, edge.operand, local, symbol, edge.expr, edge.give))
    return edges, ids


def regrouped_events(
    events: Events, shown: Sequence[int | None], edges: Mapping[int, int], heads: set[int]
) -> Events:
    """The events of what is shown: of a group those of its last node, and paths that are shown whole."""
    forward = [
        Make(new, made.line, made.visit)
        for made in events.forward
        if (new := shown[made.node]) is not None and made.node in heads
    ]
    backward: list[Seed | Flow] = []
    for event in events.backward:
        new = shown[event.node]
        if new is None or event.node not in heads:
            continue
        if isinstance(event, Seed):
            backward.append(Seed(new, event.line, event.sum))
        elif event.edge in edges:
            flow, before = moved(event, edges[event.edge], new), backward[-1] if backward else None
            if isinstance(before, Flow) and before.edge == flow.edge and not is_summary(before, flow):
                backward[-1] = together(before, flow)
            else:
                backward.append(flow)
    paths = []
    for path in events.paths:
        on = [shown[id] for id in path.nodes]
        wrt = shown[path.wrt]
        if wrt is None or None in on:
            continue
        nodes = tuple(dict.fromkeys(id for id in on if id is not None))
        ways = tuple(dict.fromkeys(edges[id] for id in path.edges if id in edges))
        paths.append(
            PathProduct(wrt, path.index, nodes, ways, path.symbol, path.locals, path.product, path.so_far)
        )
    return Events(tuple(sorted(forward, key=lambda made: made.node)), tuple(backward), tuple(paths))


def moved(event: Flow, edge: int, node: int) -> Flow:
    """The event with other ids."""
    return Flow(
        edge=edge,
        node=node,
        line=event.line,
        arriving=event.arriving,
        local=event.local,
        give=event.give,
        before=event.before,
        sum=event.sum,
        last=event.last,
    )


def is_summary(*flows: Flow) -> bool:
    """Whether the contributions are too large to have been kept."""
    return any(isinstance(flow.give, ArraySummary) for flow in flows)


def together(first: Flow, second: Flow) -> Flow:
    """Two flows along one edge of a fold, which stands for several, as one."""
    return Flow(
        edge=second.edge,
        node=second.node,
        line=second.line,
        arriving=second.arriving,
        local=None,
        give=first.give + second.give,
        before=first.before,
        sum=second.sum,
        last=second.last,
    )


def lost_edges(derivations: Sequence[Derivation], graph: Graph, view: View) -> dict[int, str]:
    """By their ids in a view of a graph the edges that lost a gradient, and why."""
    found: dict[int, str] = {}
    for cause in [cause for one in derivations for cause in one.causes]:
        for id in cause.lost_edges(graph):
            if id in view.edges:
                found.setdefault(view.edges[id], fit(cause.text, WIDEST_CAUSE))
    return found
