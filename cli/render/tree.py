"""The graph as a tree: one line per use of a node, shared nodes opened once and marked ``(*)`` after that.

Reading a branch downwards and multiplying its ``d parent/d node`` column gives one path. The walk keeps
its own stack, so depth costs no recursion; indentation stops after a dozen levels and chains of single
inputs run straight down, so depth costs no width either.
"""

from __future__ import annotations

import re
from operator import attrgetter

from autodiff.cli.render.numbers import inline, is_array, short, spell_count, spell_range, spell_shape
from autodiff.cli.render.page import EMPTY, Block, Page, fit, muted, prose
from autodiff.cli.render.tree_layout import MARK, Rows, layout
from autodiff.core.report import Graph, GraphEdge, Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line

OPERAND = attrgetter("operand")
DEEPEST_INDENT = 12
NARROW_INDENT = 20  # one step of three columns for so many columns of a narrow page
LONGEST_STAIRS = 6
NUMBERS_BEGIN = "-.0123456789in"  # nan and inf as well
INCOMING = re.compile(r"\bG\b")
VERSION = re.compile(r"(\w+)'(\d+)")  # as core/naming spells them
WIDEST_NAME = 40
WIDEST_OP = 16
WIDEST_OUTPUT = 24
WIDEST_VALUE = 24
ASCII_GUIDES = ("|- ", "`- ", "|  ", "   ")
BOX_GUIDES = ("├─ ", "└─ ", "│  ", "   ")


def tree_lines(graph: Graph, page: Page, gradients: Sequence[Variable] = ()) -> Iterator[Line | Block]:
    """The tree below the root, with its header and what there is to say about shared nodes."""
    rows, ways = walk(graph, page)
    spell(rows, ways, graph, page)
    deep = None
    for line in layout(rows, fit(graph.nodes[graph.root].name, WIDEST_OUTPUT), page):
        if deep is None and isinstance(line, Block):
            deep = next((guide for guide in line.columns[0] if guide.endswith("] ")), None)
        yield line
    if deep is not None:
        depth = deep[deep.rindex("[") :].rstrip()
        yield EMPTY
        says = f"{depth} is the number of steps from the output: rows this deep are not indented further."
        yield from prose(says, page.width)
    yield from tail_lines(graph, rows, gradients, page)


def edges_below(graph: Graph) -> dict[int, list[GraphEdge]]:
    """The edges that leave each node, operands from left to right."""
    below: dict[int, list[GraphEdge]] = {}
    for edge in graph.edges:
        below.setdefault(edge.output, []).append(edge)
    for edges in below.values():
        if len(edges) > 1:
            edges.sort(key=OPERAND)
    return below


def walk(graph: Graph, page: Page) -> tuple[Rows, list[GraphEdge | None]]:
    """The uses of nodes, depth first, as many as the page takes, and the edges that lead to them.

    Indentation stops after a number of levels, smaller on a narrow page; from there the depth is a number.
    """
    below = edges_below(graph)
    branch, corner, bar, blank = BOX_GUIDES if page.box else ASCII_GUIDES
    deepest, narrowest = DEEPEST_INDENT, min(page.width // NARROW_INDENT, DEEPEST_INDENT)
    most = page.rows or len(graph.edges) + 1
    rows = Rows()
    ats, marks = rows.ats, rows.marks
    ways: list[GraphEdge | None] = []
    #: The guides of each row, on a wide and on a narrow page, and those that go on below it.
    guides: list[tuple[str, str, str]] = []
    seen: set[int] = set()
    # What waits to be drawn: a node, the edge that leads to it, its guides, its depth, its level of
    # indentation, what its guides begin with, whether it is the last and whether it is the only input.
    stack: list[tuple[int, GraphEdge | None, tuple[str, str, str], int, int, str, str, bool, bool]]
    stack = [(graph.root, None, ("", "", ""), 0, 0, "", "", True, False)]
    while stack:
        if len(ats) == most:
            rows.is_cut = True
            break
        at, way, before, depth, level, base, narrow_base, is_last, is_only = stack.pop()
        ats.append(at)
        ways.append(way)
        guides.append(before)
        if at in seen:
            marks.append(MARK)
            continue
        marks.append("")
        seen.add(at)
        edges = below.get(at)
        if edges is None:
            continue
        # After a few steps a single input of a single input goes straight down: no staircase of 10,000.
        if not (is_only and len(edges) == 1 and depth >= LONGEST_STAIRS):
            level += 1
            if depth and level <= deepest:
                base += blank if is_last else bar
                if level <= narrowest:
                    narrow_base = base
        depth += 1
        if level <= narrowest:
            guide = base + corner
            before = guide, guide, base + blank
        else:
            number = f"[{depth}] "
            before = base + (number if level > deepest else corner), narrow_base + number, narrow_base
        is_only = len(edges) == 1
        edge = edges[-1]
        stack.append((edge.input, edge, before, depth, level, base, narrow_base, True, is_only))
        if is_only:
            continue
        if level <= narrowest:
            guide = base + branch
            before = guide, guide, base + bar
        elif level <= deepest:
            before = base + branch, narrow_base + number, narrow_base
        for edge in edges[-2::-1]:
            stack.append((edge.input, edge, before, depth, level, base, narrow_base, False, False))
    rows.guides, rows.narrow, rows.under = map(list, zip(*guides, strict=True))
    return rows, ways


def spell(rows: Rows, ways: Sequence[GraphEdge | None], graph: Graph, page: Page) -> None:
    """Fill in the texts. What is the same for all uses of a node is spelled once."""
    ids = list(dict.fromkeys(rows.ats))
    nodes = [graph.nodes[at] for at in ids]
    kinds = {op: fit(op, WIDEST_OP) for op in {node.op for node in nodes}}
    of = dict(zip(ids, [kinds[node.op] for node in nodes], strict=True))
    ops = [of[at] for at in rows.ats]
    rows.ops = [op if op == "leaf" or not mark else "" for op, mark in zip(ops, rows.marks, strict=True)]
    rows.names = dict(zip(ids, fit_all([node.name for node in nodes]), strict=True))
    if any(node.shape for node in graph.nodes):
        shapes = [spell_shape(node.shape) if node.shape else "" for node in nodes]
        rows.shapes = dict(zip(ids, shapes, strict=True))
    rows.values = dict(zip(ids, entries([node.value for node in nodes], page), strict=True))
    rows.grads = dict(zip(ids, entries([node.grad for node in nodes], page), strict=True))
    rows.locals_ = spell_locals(ways, page)


def fit_all(names: list[str]) -> list[str]:
    together = "".join(names)
    if together.isascii() and together.isprintable() and max(map(len, names)) <= WIDEST_NAME:
        return names
    return [fit(name, WIDEST_NAME) for name in names]


def entries(values: list[Any], page: Page) -> list[str]:
    """Values in a column of the tree: whole where they are short, else their range."""
    spec, limit = f"%.{page.digits}g", 10.0**page.digits  # below it `short` writes whole numbers so as well
    return [
        spec % value if value.__class__ is float and -limit < value < limit else entry(value, page)
        for value in values
    ]


def entry(value: Any, page: Page) -> str:
    """A value in a column of the tree."""
    if value.__class__ is float:
        return short(value, page.digits)
    text = inline(value, page.digits)
    if is_array(value) and len(text) > WIDEST_VALUE:
        text = inline(value, 3)
    return text if len(text) <= WIDEST_VALUE else spell_range(value)


def spell_locals(ways: Sequence[GraphEdge | None], page: Page) -> list[str]:
    """The local derivatives of edges; most are a short symbol with a number, or that number."""
    spec, limit = f"%.{page.digits}g", 10.0**page.digits
    symbols = "".join([way.symbol for way in ways if way is not None])
    longest = WIDEST_NAME if symbols.isascii() and symbols.isprintable() else -1
    spelled = []
    for way in ways:
        if way is None:
            spelled.append("")
            continue
        symbol, value = way.symbol, way.local
        if value.__class__ is float and -limit < value < limit and 0 < len(symbol) <= longest:
            text = spec % value
            if symbol == text:
                spelled.append(text)
                continue
            if symbol[0] not in NUMBERS_BEGIN:
                spelled.append(f"{symbol} = {text}")
                continue
        spelled.append(spell_local(way, page))
    return spelled


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


def tail_lines(graph: Graph, rows: Rows, gradients: Sequence[Variable], page: Page) -> Iterator[Line]:
    """What was left out, and what names with versions and ``(*)`` mean."""
    if rows.is_cut:
        left = len(graph.nodes) - len(rows.names)
        yield muted(f"... {left:,} more nodes (--all)" if left else "... more uses of these nodes (--all)")
    if any(INCOMING.search(edge.symbol) for edge in graph.edges if edge.local is None):
        yield EMPTY
        says = "G is the gradient that arrives at the parent, the last column of its row."
        yield from prose(says, page.width)
    version = next(filter(None, map(VERSION.fullmatch, rows.names.values())), None)
    if version is not None:
        yield EMPTY
        says = f"{version[0]} is value {version[2]} of {version[1]}, no derivative."
        yield from prose(says, page.width)
    marked = {rows.names[at] for at, mark in zip(rows.ats, rows.marks, strict=True) if mark}
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
