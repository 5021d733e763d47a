"""The graph as a tree: one line per use of a node; a shared node is expanded once, then marked ``(*)``.

The product of the ``d parent/d node`` column along a branch is the derivative along one path. The walk keeps
its own stack, so depth needs no recursion. Indentation stops after a dozen levels and chains of single inputs
are not indented further, so depth needs no width either.
"""

from __future__ import annotations

from autodiff.cli.render.name_keys import brief_meanings, meaning_texts, repeat_text
from autodiff.cli.render.numbers import inline, is_array, short, spell_count, spell_range, spell_shape
from autodiff.cli.render.page import EMPTY, Block, Page, fit, left_out, muted, prose
from autodiff.cli.render.prose import in_words
from autodiff.cli.render.tree_layout import DEEPEST_INDENT, LAST, MARK, MORE, ONLY, Rows, layout
from autodiff.core.base.incoming import incoming, words_in
from autodiff.core.base.limits import limits
from autodiff.core.report.graph_records import Graph, GraphEdge
from autodiff.core.report.records import Variable
from autodiff.core.symbolic.expr import expr_text, infix, name_expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line

LONGEST_STAIRS = 6
NUMBERS_BEGIN = "-.0123456789in"  # includes nan and inf
WIDEST_NAME = 40
MOST_REACHED = 4  # inputs that the note on several paths names
WIDEST_OP = 16
WIDEST_OUTPUT = 24
WIDEST_VALUE = 24


def tree_lines(
    graph: Graph,
    page: Page,
    gradients: Sequence[Variable] = (),
    weight: str | None = None,
    kept: Collection[int] | None = None,
    options: str = "",
) -> Iterator[Line | Block]:
    """The lines of the tree with its header and legends.

    ``weight`` is the text of the output's cotangent, None for the 1 of a number. ``kept`` are the ids of the
    nodes that are shown, because of these ``options``; None for all.
    """
    rows, ways = walk(graph, page, kept)
    fill_texts(rows, ways, graph, page)
    deep = None
    output = fit(graph.output, WIDEST_OUTPUT)
    for line in layout(rows, output if weight is None else "S", page):
        if deep is None and isinstance(line, Block):
            deep = next((guide for guide in line.columns[0] if guide.endswith("] ")), None)
        yield line
    if deep is not None:
        depth = deep[deep.rindex("[") :].rstrip()
        yield EMPTY
        says = f"{depth} is the number of steps from the output, of rows that are not indented further."
        yield from prose(says, page.width)
    if weight is not None:
        yield EMPTY
        times = "" if weight.startswith("ones(") else f", each times its entry of {fit(weight)}"
        yield from prose(f"S is the sum of the entries of {output}{times}.", page.width)
    yield from tail_lines(graph, rows, gradients, page, options)


def walk(graph: Graph, page: Page, kept: Collection[int] | None = None) -> tuple[Rows, list[GraphEdge]]:
    """The uses of nodes, depth first, as many as the page allows, and the edges that lead to them."""
    below: list[list[GraphEdge]] = [[] for _ in graph.nodes]
    for edge in graph.edges if kept is None else [edge for edge in graph.edges if edge.input in kept]:
        below[edge.output].append(edge)
    most = page.rows or len(graph.edges) + 1
    rows = Rows()
    shown, ats, marks = rows.nodes, rows.ats, rows.marks
    depths, levels, turns = rows.depths, rows.levels, rows.turns
    ways: list[GraphEdge] = []
    known = [-1] * len(graph.nodes)
    way, depth, level, turn = GraphEdge(graph.root, graph.root, 0, None, ""), 0, 0, LAST
    waiting: list[tuple[GraphEdge, int, int, int]] = []
    for _ in range(most):
        ways.append(way)
        depths.append(depth)
        levels.append(level)
        turns.append(turn)
        node = way.input
        at = known[node]
        if at < 0:
            known[node] = at = len(shown)
            shown.append(node)
            marks.append("")
            edges = below[node]
        else:
            marks.append(MARK)
            edges = None
        ats.append(at)
        if edges:
            is_single = len(edges) == 1
            # After a few levels, chains of single inputs are not indented, and their depth is a number.
            if level <= DEEPEST_INDENT and not (is_single and turn == ONLY and depth >= LONGEST_STAIRS):
                level += 1
            depth += 1
            way = edges[0]
            if is_single:
                turn = ONLY
            else:
                turn = MORE
                waiting.append((edges[-1], depth, level, LAST))
                if len(edges) > 2:
                    waiting += [(edge, depth, level, MORE) for edge in edges[-2:0:-1]]
        elif waiting:
            way, depth, level, turn = waiting.pop()
        else:
            break
    else:
        rows.is_cut = True
    return rows, ways


def fill_texts(rows: Rows, ways: Sequence[GraphEdge], graph: Graph, page: Page) -> None:
    """Fill in the texts of the rows. Texts that all uses of a node share are made once."""
    nodes = [graph.nodes[node] for node in rows.nodes]
    kinds = {op: fit(op, WIDEST_OP) for op in {node.op for node in nodes}}
    ops = [kinds[node.op] for node in nodes]
    again = ["leaf" if op == "leaf" else "" for op in ops]
    rows.ops = [(again if mark else ops)[at] for at, mark in zip(rows.ats, rows.marks, strict=True)]
    rows.names = fit_all([node.name for node in nodes])
    shapes = [node.shape for node in nodes]
    if any(shapes):
        rows.shapes = [spell_shape(shape) if shape else "" for shape in shapes]
    rows.values = entries([node.value for node in nodes], page)
    rows.grads = entries([node.grad for node in nodes], page)
    rows.locals_ = spell_locals(ways, page)


def fit_all(names: list[str]) -> list[str]:
    together = "".join(names)
    if together.isascii() and together.isprintable() and max(map(len, names)) <= WIDEST_NAME:
        return names
    return [fit(name, WIDEST_NAME) for name in names]


def entries(values: list[Any], page: Page) -> list[str]:
    """The values in a column of the tree: in full if short, else their range."""
    spec, limit = f"%.{page.digits}g", 10.0**page.digits  # below it `short` writes whole numbers alike
    if {*map(type, values)} == {float} and -limit < min(values) and max(values) < limit:
        return ((spec + "\n") * len(values) % (*values,)).replace("-0\n", "0\n").splitlines()
    return [
        spec % value if value.__class__ is float and value and -limit < value < limit else entry(value, page)
        for value in values
    ]


def entry(value: Any, page: Page) -> str:
    """One value in a column of the tree."""
    if value.__class__ is float:
        return short(value, page.digits)
    text = inline(value, page.digits)
    if is_array(value) and len(text) > WIDEST_VALUE:
        text = inline(value, 3)
    return text if len(text) <= WIDEST_VALUE else spell_range(value)


def spell_locals(ways: Sequence[GraphEdge], page: Page) -> list[str]:
    """The local derivatives of edges, with a fast path for symbols and numbers in usual form."""
    spec, limit = f"%.{page.digits}g", 10.0**page.digits
    spelled = []
    known: dict[str, tuple[float, str]] = {}  # last value and text of a symbol: most edges repeat them
    for way in ways:
        symbol, value = way.symbol, way.local
        if value.__class__ is not float or not value or not -limit < value < limit:
            spelled.append(spell_local(way, page))
            continue
        if symbol in known:
            before, text = known[symbol]
            if before == value:
                spelled.append(text)
                continue
        text = spec % value
        if symbol != text:
            if symbol[:1] in NUMBERS_BEGIN:
                spelled.append(spell_local(way, page))
                continue
            text = f"{fit(symbol, WIDEST_NAME)} = {text}"
        known[symbol] = value, text
        spelled.append(text)
    return spelled


def spell_local(edge: GraphEdge, page: Page) -> str:
    """A local derivative: ``x3 = 1``, or the number alone if the symbol is that number."""
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


def spell_rule(edge: GraphEdge, longest: int = WIDEST_NAME) -> str:
    """What an edge gives its input when ``G`` arrives, as a formula: ``2*G*x``, ``sum(G)``; "" if unknown."""
    if edge.local is None or edge.expr is None:
        return fit(edge.symbol, longest)
    from autodiff.core.symbolic.simplify import simplify

    given = simplify(infix("*", name_expr(incoming.letter), edge.expr))
    return fit(expr_text(given, None, limits.digits), longest)


def is_number(symbol: str, value: str, page: Page) -> bool:
    """Whether a symbol is just the number that ``value`` shows."""
    try:
        return short(float(symbol), page.digits) == value
    except ValueError:
        return False


def key_lines(graph: Graph, names: Sequence[str], page: Page) -> Iterator[Line]:
    """What the made-up names stand for: those among ``names``, and in the derivatives of as many nodes."""
    least = len(graph.nodes) - len(names)
    symbols = (edge.symbol for edge in graph.edges if edge.input >= least)
    texts = meaning_texts(*brief_meanings(graph.key, names, others=symbols)) + repeat_text(names)
    if texts:
        yield EMPTY
    kept = page.shown_rows(len(texts))
    for text in texts[:kept]:
        words = " ".join(fit(word, page.width) for word in f"{text}.".split())
        yield from prose(words, page.width)
    if kept < len(texts):
        yield left_out(len(texts) - kept, "name", indent=0)


def tail_lines(
    graph: Graph, rows: Rows, gradients: Sequence[Variable], page: Page, options: str = ""
) -> Iterator[Line]:
    """The lines below the tree: what was left out, and what ``G``, versioned names and ``(*)`` mean."""
    left = len(graph.nodes) - len(rows.names) + graph.left_out
    if rows.is_cut or left:
        way = options if options and not rows.is_cut else "--all"
        more = f"{left:,} more node{'s' * (left > 1)}" if left else "more uses of these nodes"
        yield muted(f"... {more} ({way})")
    rules = rows.locals_ if options else (edge.symbol for edge in graph.edges if edge.local is None)
    if any(incoming.letter in words_in(rule) for rule in rules):
        yield EMPTY
        says = f"{incoming.letter} is the gradient that arrives at the parent, the last column of its row."
        yield from prose(says, page.width)
    yield from key_lines(graph, rows.names, page)
    if MARK not in rows.marks:
        return
    says = "(*) already shown above."
    several = [variable for variable in gradients if variable.paths > 1]
    marked = {at for at, mark in zip(rows.ats, rows.marks, strict=True) if mark} if several else set()
    names = {rows.names[at] for at in marked}
    reached = [fit(variable.name, WIDEST_NAME) for variable in several]
    reached = [name for name in reached if name in names]
    if len(reached) == 1:
        count = next(variable.paths for variable in several if fit(variable.name, WIDEST_NAME) == reached[0])
        says += f"  {reached[0]} is reached by {spell_count(count)} paths; its gradient is their sum."
    elif reached:
        listed = reached if len(reached) <= MOST_REACHED else [*reached[: MOST_REACHED - 1], "others"]
        says += f"  {in_words(listed)} are reached by several paths; a gradient is their sum."
    yield EMPTY
    yield from prose(says, page.width)
