"""The graph as a tree: one line per use of a node, shared nodes opened once and marked ``(*)`` after that.

Reading a branch downwards and multiplying its ``d parent/d node`` column gives one path. The walk keeps
its own stack, so depth costs no recursion; indentation stops after a dozen levels and chains of single
inputs run straight down, so depth costs no width either.
"""

from __future__ import annotations

import re

from autodiff.cli.render.numbers import inline, is_array, short, spell_count, spell_range, spell_shape
from autodiff.cli.render.page import EMPTY, Page, fit, muted, prose
from autodiff.cli.render.tree_layout import Row, layout
from autodiff.core.report import Graph, GraphEdge, GraphNode, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line

DEEPEST_INDENT = 12
NARROW_INDENT = 20  # one step of three columns for so many columns of a narrow page
LONGEST_STAIRS = 6
NUMBERS_BEGIN = "-.0123456789in"  # nan and inf as well
INCOMING = re.compile(r"\bG\b")
DEPTH = re.compile(r"\[\d+\](?= $)")  # in a guide
VERSION = re.compile(r"(\w+)'(\d+)")  # as core/naming spells them
WIDEST_NAME = 40
WIDEST_OP = 16
WIDEST_OUTPUT = 24
WIDEST_VALUE = 24
ASCII_GUIDES = ("|- ", "`- ", "|  ", "   ")
BOX_GUIDES = ("├─ ", "└─ ", "│  ", "   ")


class Drawing:
    """The rows on show, the ids of the nodes among them, and whether there would be more."""

    __slots__ = ("is_cut", "rows", "seen")

    def __init__(self, rows: list[Row], seen: set[int], is_cut: bool) -> None:
        self.rows = rows
        self.seen = seen
        self.is_cut = is_cut


def tree_lines(graph: Graph, page: Page, gradients: Sequence[Variable] = ()) -> Iterator[Line]:
    """The tree below the root, with its header and what there is to say about shared nodes."""
    below = edges_below(graph)
    drawing = draw(graph, below, page)

    def draw_again() -> list[str]:
        return [use[0] for use in walk(graph.root, below, page, page.width // NARROW_INDENT)]

    output = fit(graph.nodes[graph.root].name, WIDEST_OUTPUT)
    depth = None
    for line in layout(drawing.rows, output, has_shapes(graph), page, draw_again):
        depth = depth or DEPTH.search(line[0][1])
        yield line
    if depth is not None:
        yield EMPTY
        says = f"{depth[0]} is the number of steps from the output: rows this deep are not indented further."
        yield from prose(says, page.width)
    yield from tail_lines(graph, drawing, gradients, page)


def edges_below(graph: Graph) -> dict[int, list[GraphEdge]]:
    """The edges that leave each node, operands from left to right."""
    below: dict[int, list[GraphEdge]] = {}
    for edge in graph.edges:
        below.setdefault(edge.output, []).append(edge)
    for edges in below.values():
        edges.sort(key=lambda edge: edge.operand)
    return below


def walk(
    root: int, below: dict[int, list[GraphEdge]], page: Page, deepest: int
) -> Iterator[tuple[str, int, GraphEdge | None, bool]]:
    """The uses of nodes, depth first: guides, the node, the edge to it, and whether it was there before.

    Indentation stops after ``deepest`` levels.
    """
    branch, corner, bar, blank = BOX_GUIDES if page.box else ASCII_GUIDES
    seen: set[int] = set()
    # What waits to be drawn: a node, the edge that leads to it, its depth, its level of indentation, the
    # guides before it, whether it is the last and whether it is the only input.
    stack: list[tuple[int, GraphEdge | None, int, int, str, bool, bool]]
    stack = [(root, None, 0, 0, "", True, False)]
    while stack:
        at, way, depth, level, base, is_last, is_only = stack.pop()
        is_known = at in seen
        seen.add(at)
        if level > deepest:
            guide = f"{base}[{depth}] "
        elif depth:
            guide = base + (corner if is_last else branch)
        else:
            guide = ""
        yield guide, at, way, is_known
        edges = below.get(at)
        if is_known or not edges:
            continue
        # After a few steps a single input of a single input goes straight down: no staircase of 10,000.
        if not (is_only and len(edges) == 1 and depth >= LONGEST_STAIRS):
            level += 1
            if depth and level <= deepest:
                base += blank if is_last else bar
        is_only = len(edges) == 1
        is_last = True
        for edge in reversed(edges):
            stack.append((edge.input, edge, depth + 1, level, base, is_last, is_only))
            is_last = False


def draw(graph: Graph, below: dict[int, list[GraphEdge]], page: Page) -> Drawing:
    """As many rows as the page takes."""
    shapes = has_shapes(graph)
    rows: list[Row] = []
    facts: dict[int, tuple[str, str, str, str, str]] = {}
    for guide, at, way, is_known in walk(graph.root, below, page, DEEPEST_INDENT):
        if page.rows and len(rows) >= page.rows:
            return Drawing(rows, set(facts), True)
        node = graph.nodes[at]
        if at not in facts:  # spelled once for all uses of the node
            facts[at] = spell_node(node, shapes, page)
        name, op, shape, value, grad = facts[at]
        local = spell_local(way, page) if way is not None else ""
        op = "" if is_known and node.op != "leaf" else op
        rows.append(Row(guide, name, " (*)" if is_known else "", (op, shape, value, local, grad)))
    return Drawing(rows, set(facts), False)


def has_shapes(graph: Graph) -> bool:
    return any(node.shape for node in graph.nodes)


def spell_node(node: GraphNode, shapes: bool, page: Page) -> tuple[str, str, str, str, str]:
    """What is the same wherever a node is shown: name, op, shape, value and gradient."""
    return (
        fit(node.name, WIDEST_NAME),
        fit(node.op, WIDEST_OP),
        spell_shape(node.shape) if shapes and node.shape else "",
        entry(node.value, page),
        entry(node.grad, page),
    )


def entry(value: Any, page: Page) -> str:
    """A value in a column of the tree: whole where it is short, else its range."""
    if value.__class__ is float:
        return short(value, page.digits)
    text = inline(value, page.digits)
    if is_array(value) and len(text) > WIDEST_VALUE:
        text = inline(value, 3)
    return text if len(text) <= WIDEST_VALUE else spell_range(value)


def spell_local(edge: GraphEdge, page: Page) -> str:
    """A local derivative: ``x3 = 1``, or the number alone where the symbol is that number."""
    symbol = fit(edge.symbol, WIDEST_NAME)
    if edge.local is None:
        return symbol
    value = inline(edge.local, page.digits)
    if symbol == value:
        return value
    if not symbol or is_array(edge.local):
        return symbol or value
    if symbol[0] in NUMBERS_BEGIN and is_number(symbol, value, page):
        return symbol
    return f"{symbol} = {value}"


def is_number(symbol: str, value: str, page: Page) -> bool:
    """Whether a symbol is nothing but the number that ``value`` shows."""
    try:
        return short(float(symbol), page.digits) == value
    except ValueError:
        return False


def tail_lines(graph: Graph, drawing: Drawing, gradients: Sequence[Variable], page: Page) -> Iterator[Line]:
    """What was left out, and what names with versions and ``(*)`` mean."""
    if drawing.is_cut:
        left = len(graph.nodes) - len(drawing.seen)
        yield muted(f"... {left:,} more nodes (--all)" if left else "... more uses of these nodes (--all)")
    if any(INCOMING.search(edge.symbol) for edge in graph.edges if edge.local is None):
        yield EMPTY
        says = "G is the gradient that arrives at the parent, the last column of its row."
        yield from prose(says, page.width)
    version = next(filter(None, (VERSION.fullmatch(row.name) for row in drawing.rows)), None)
    if version is not None:
        yield EMPTY
        says = f"{version[0]} is value {version[2]} of {version[1]}, no derivative."
        yield from prose(says, page.width)
    marked = {row.name for row in drawing.rows if row.mark}
    if not marked:
        return
    says = "(*) already shown above."
    for variable in gradients:
        name = fit(variable.name, WIDEST_NAME)
        if variable.paths > 1 and name in marked:
            says += f"  {name} is reached by {spell_count(variable.paths)} paths; its gradient is their sum."
            break
    yield EMPTY
    yield from prose(says, page.width)
