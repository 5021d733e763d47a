"""The graph as a tree: one line per use of a node, shared nodes opened once and marked ``(*)`` after that.

Reading a branch downwards and multiplying its ``d parent/d node`` column gives one path. The walk keeps
its own stack, so depth costs no recursion; indentation stops after a dozen levels and chains of single
inputs run straight down, so depth costs no width either.
"""

from __future__ import annotations

from autodiff.cli.console import cells
from autodiff.cli.render.numbers import inline, is_array, short, spell_count, spell_range, spell_shape
from autodiff.cli.render.page import EMPTY, GRADIENT, GUIDE, MUTED, NAME, NUMBER, PLAIN, Page, fit, muted, pad
from autodiff.core.report import Graph, GraphEdge, GraphNode, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

DEEPEST_INDENT = 12
WIDEST_NAME = 40
WIDEST_VALUE = 24
ASCII_GUIDES = ("|- ", "`- ", "|  ", "   ")
BOX_GUIDES = ("├─ ", "└─ ", "│  ", "   ")


class Row:
    """One line of the tree: guides, name and mark, then the cells of the other columns."""

    __slots__ = ("cells", "guide", "mark", "name")

    def __init__(self, guide: str, name: str, mark: str, cells: tuple[str, ...]) -> None:
        self.guide = guide
        self.name = name
        self.mark = mark
        self.cells = cells


class Drawing:
    """The rows on show, the ids of the nodes among them, and whether there would be more."""

    __slots__ = ("is_cut", "rows", "seen")

    def __init__(self, rows: list[Row], seen: set[int], is_cut: bool) -> None:
        self.rows = rows
        self.seen = seen
        self.is_cut = is_cut


class Visit:
    """A node waiting to be drawn: by which edge, how deep, after which guides."""

    __slots__ = ("base", "depth", "edge", "is_last", "is_only", "level", "node")

    def __init__(
        self,
        node: int,
        edge: GraphEdge | None,
        depth: int,
        level: int,
        base: str,
        is_last: bool,
        is_only: bool,
    ) -> None:
        self.node = node
        self.edge = edge
        self.depth = depth
        self.level = level
        self.base = base
        self.is_last = is_last
        self.is_only = is_only


def tree_lines(graph: Graph, page: Page, gradients: Sequence[Variable] = ()) -> Iterator[Line]:
    """The tree below the root, with its header and what there is to say about shared nodes."""
    drawing = draw(graph, page)
    rows = drawing.rows
    output = fit(graph.nodes[graph.root].name, 24)
    has_shapes = any(node.shape for node in graph.nodes)
    header = ("op", *(("shape",) if has_shapes else ()), "value", "d parent/d node", f"d{output}/d node")
    styles = (MUTED, *((MUTED,) if has_shapes else ()), NUMBER, PLAIN, GRADIENT)
    right = (False, *((False,) if has_shapes else ()), True, True, True)
    first = max([21] + [cells(row.guide) + cells(row.name) + len(row.mark) for row in rows])
    widths = [max([cells(title)] + [cells(row.cells[at]) for row in rows]) for at, title in enumerate(header)]
    widths[0] = max(widths[0], 4)
    yield (
        (MUTED, pad("node", first)),
        *((MUTED, "   " + pad(t, w, r)) for t, w, r in zip(header, widths, right, strict=True)),
    )
    for row in rows:
        left = cells(row.guide) + cells(row.name) + len(row.mark)
        yield (
            (GUIDE, row.guide),
            (NAME, row.name),
            (MUTED, row.mark + " " * (first - left)),
            *(
                (style, "   " + pad(text, width, side))
                for style, text, width, side in zip(styles, row.cells, widths, right, strict=True)
            ),
        )
    yield from tail_lines(graph, drawing, gradients)


def draw(graph: Graph, page: Page) -> Drawing:
    """As many rows as the page takes, depth first."""
    below: dict[int, list[GraphEdge]] = {}
    for edge in graph.edges:
        below.setdefault(edge.output, []).append(edge)
    for edges in below.values():
        edges.sort(key=lambda edge: edge.operand)
    branch, corner, bar, blank = BOX_GUIDES if page.box else ASCII_GUIDES
    has_shapes = any(node.shape for node in graph.nodes)
    rows: list[Row] = []
    seen: set[int] = set()
    stack = [Visit(graph.root, None, 0, 0, "", True, False)]
    while stack and not (page.rows and len(rows) >= page.rows):
        visit = stack.pop()
        node = graph.nodes[visit.node]
        known = visit.node in seen
        seen.add(visit.node)
        if visit.level > DEEPEST_INDENT:
            guide = f"{visit.base}[{visit.depth}] "
        elif visit.depth:
            guide = visit.base + (corner if visit.is_last else branch)
        else:
            guide = ""
        mark = " (*)" if known else ""
        rows.append(
            Row(guide, fit(node.name, WIDEST_NAME), mark, row_cells(node, visit, known, has_shapes, page))
        )
        if known:
            continue
        edges = below.get(visit.node, [])
        # A single input of a single input goes straight down: a chain of 10,000 is no staircase.
        is_chain = len(edges) == 1 and visit.is_only
        level = visit.level if is_chain else visit.level + 1
        base = visit.base
        if visit.depth and not is_chain and level <= DEEPEST_INDENT:
            base += blank if visit.is_last else bar
        for at in range(len(edges) - 1, -1, -1):
            edge = edges[at]
            is_last = at == len(edges) - 1
            stack.append(Visit(edge.input, edge, visit.depth + 1, level, base, is_last, len(edges) == 1))
    return Drawing(rows, seen, bool(stack))


def row_cells(node: GraphNode, visit: Visit, known: bool, has_shapes: bool, page: Page) -> tuple[str, ...]:
    op = "" if known and node.op != "leaf" else fit(node.op, 16)
    return (
        op,
        *((spell_shape(node.shape) if node.shape else "",) if has_shapes else ()),
        entry(node.value, page),
        spell_local(visit.edge, page) if visit.edge is not None else "",
        entry(node.grad, page),
    )


def entry(value: object, page: Page) -> str:
    """A value in a column of the tree: whole where it is short, else its range."""
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
    try:
        is_number = not symbol or is_array(edge.local) or short(float(symbol), page.digits) == value
    except ValueError:
        is_number = False
    if is_number:
        return symbol or value
    return f"{symbol} = {value}"


def tail_lines(graph: Graph, drawing: Drawing, gradients: Sequence[Variable]) -> Iterator[Line]:
    """What was left out, and what ``(*)`` means."""
    if drawing.is_cut:
        left = len(graph.nodes) - len(drawing.seen)
        yield muted(f"... {left:,} more nodes (--all)" if left else "... more uses of these nodes (--all)")
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
    yield muted(says)
