"""The story of a run for people: two tables, of values as they are made and of gradients as they flow back.

``Story`` says each event in words; the player (``cli/requests/player.py``) shows the same rows one by one.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import LARGEST_INLINE, inline, is_array, short, spell_count, spell_shape
from autodiff.cli.render.page import (
    EMPTY,
    GAP,
    GRADIENT,
    INDENT,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    TITLE,
    Table,
    fit,
    muted,
    prose,
    widest,
)
from autodiff.cli.render.steps import broken
from autodiff.cli.render.tree import key_lines, spell_local, spell_rule
from autodiff.core.base.incoming import incoming
from autodiff.core.paths.node_names import bracketed, ordinal
from autodiff.core.report.array_summary import ArraySummary, summary_of
from autodiff.core.report.events import Flow, Make, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line, Page
    from autodiff.core.base.source import Span
    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph, GraphNode
    from autodiff.core.report.records import Derivation, GradientReport

    Event = Make | Seed | Flow | PathProduct
    #: Header, rows, styles and alignment of a table.
    Columns = tuple[list[str], list[list[str]], list[str], list[bool]]

LONGEST_NAME, LONGEST_OPERAND, LONGEST_LOCAL = 40, 24, 40
NARROWEST = 16  # texts are not folded into less
NARROW_VALUE = 24  # the room of a value where a table does not fit otherwise
UNFINISHED = "..."
FEWER_DIGITS = 3
ATOMS = ("number", "name", "call", "postfix")  # expressions that need no brackets as factors


class Story:
    """The events of a report, in order, with the texts that tell them."""

    def __init__(self, report: GradientReport, page: Page) -> None:
        assert report.graph is not None
        assert report.events is not None
        self.report = report
        self.page = page
        self.graph: Graph = report.graph
        self.events: Events = report.events
        self.output = bracketed(fit(self.graph.output, LONGEST_NAME))
        everything = (*self.graph.nodes, *self.graph.constants)
        #: By id of a node: its operands, constants included, by number and name.
        self._operands: dict[int, list[tuple[int, str]]] = {node.id: [] for node in self.graph.nodes}
        for edge in (*self.graph.edges, *self.graph.constant_uses):
            self._operands[edge.output].append((edge.operand, everything[edge.input].name))
        #: How often the code of a node ran, by its span and op.
        self._runs: dict[tuple[Span | None, str], int] = {}
        for node in self.graph.nodes:
            key = node.span, node.op
            self._runs[key] = max(node.visit, self._runs.get(key, 1))

    def name(self, id: int, longest: int = LONGEST_NAME) -> str:
        """The name of a node."""
        return fit(self.graph.nodes[id].name, longest)

    def value(self, value: Any) -> str:
        """A number, the entries of a small tensor, or the shape and range of another."""
        if isinstance(value, ArraySummary) or (is_array(value) and not is_inline(value)):
            return range_text(value, self.page.digits)
        return inline(value, self.page.digits)

    def value_within(self, value: Any, room: int) -> str:
        """A value in at most ``room`` columns: with fewer digits, else as shape and range, else cut."""
        text = self.value(value)
        if cells(text) > room and not isinstance(value, ArraySummary) and is_array(value):
            shorter = (
                inline(value, FEWER_DIGITS) if is_inline(value) else text,
                range_text(value, FEWER_DIGITS),
            )
            text = next((one for one in shorter if cells(one) <= room), shorter[-1])
        return fit(text, room)

    def making(self, node: GraphNode) -> str:
        """The op with its operands, as in ``mul(w2, x3)``; empty for an input."""
        if node.op == "leaf":
            return ""
        names = [fit(name, LONGEST_OPERAND) for _, name in sorted(self._operands[node.id])]
        return f"{fit(node.op, LONGEST_OPERAND)}({', '.join(names)})"

    def place(self, event: Make | Seed | Flow) -> str:
        """The line, and how manyth time it was run where it ran several times."""
        if event.line is None:
            return ""
        node = self.graph.nodes[self.source(event) if isinstance(event, Flow) else event.node]
        is_again = self._runs[node.span, node.op] > 1
        return f"{event.line} ({ordinal(node.visit)})" if is_again else str(event.line)

    def source(self, flow: Flow) -> int:
        """The node from which a gradient flows."""
        return self.graph.edges[flow.edge].output

    def local(self, flow: Flow) -> str:
        """The local derivative, or the rule for the gradient ``G`` that arrives."""
        return spell_local(self.graph.edges[flow.edge], self.page)

    def symbol(self, flow: Flow) -> str:
        """The local derivative as a factor, in symbols."""
        edge = self.graph.edges[flow.edge]
        text = fit(edge.symbol, LONGEST_LOCAL)
        is_atom = edge.expr is not None and edge.expr.head in ATOMS and not text.startswith("-")
        return text if is_atom else bracketed(text)

    def slope(self, id: int) -> str:
        """The gradient of a node as a quotient: ``dL/dw1``."""
        return f"d{self.output}/d{bracketed(self.name(id))}"

    # -- sentences ---------------------------------------------------------------------------------------

    def sentence(self, event: Event) -> str:
        """The event in words."""
        if isinstance(event, Make):
            return self._make_sentence(event)
        if isinstance(event, Seed):
            return f"backward starts: {self.slope(event.node)} = {self.value(event.sum)}"
        if isinstance(event, Flow):
            return self._flow_sentence(event)
        return self._path_sentence(event)

    def _make_sentence(self, event: Make) -> str:
        node = self.graph.nodes[event.node]
        made = self.making(node)
        how = f" = {made}" if made else ", an input: nothing made it"
        return f"{fit(node.name, LONGEST_NAME)} is {self.value(node.value)}{how}"

    def _flow_sentence(self, flow: Flow) -> str:
        gives = self.value(flow.give)
        if is_number(flow.local) and is_number(flow.arriving):
            how = f"{self.slope(self.source(flow))} * {self.symbol(flow)}"
            how += f" = {self.factor(flow.arriving)} * {self.factor(flow.local)} = {gives}"
        else:
            rule = spell_rule(self.graph.edges[flow.edge])
            how = f"{rule}, where {incoming.letter} is {self.slope(self.source(flow))}: {gives}"
        if flow.before is None:
            said = f"{self.slope(flow.node)} = {how}"
        else:
            said = f"{self.slope(flow.node)} += {how}"
            if is_number(flow.sum):
                total = f"{self.value(flow.before)} + {self.factor(flow.give)} = {self.value(flow.sum)}"
                said += f", so far {total}" if not flow.last else f", in all {total}"
            else:
                said += f"; the sum {'so far ' * (not flow.last)}is {self.value(flow.sum)}"
        return said if flow.last else f"{said}, more to come"

    def _path_sentence(self, path: PathProduct) -> str:
        derivation = self.derivation(path)
        product = self.value(path.product)
        said = f"path to {self.name(path.wrt)}: {fit(path.symbol, LONGEST_NAME)} = "
        if len(path.locals) > 1 and all(map(is_number, path.locals)) and derivation.weight is None:
            said += " * ".join(map(self.factor, path.locals)) + " = "
        said += product
        if len(derivation.paths) > 1:
            said += f"; the sum so far is {self.value(path.so_far)}"
        return said

    def derivation(self, path: PathProduct) -> Derivation:
        """The derivation that a path belongs to."""
        found = (d for d in self.report.derivations if d.paths and d.paths[0].node_ids[-1] == path.wrt)
        return next(found)

    def factor(self, value: float) -> str:
        """A number as a factor: in brackets if it is negative."""
        text = self.value(value)
        return f"({text})" if text.startswith("-") else text


def is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, ArraySummary) and not is_array(value)


def is_inline(value: Any) -> bool:
    return bool(value.size) and value.ndim <= 2 and max(value.shape) <= LARGEST_INLINE


def range_text(value: Any, digits: int) -> str:
    """The shape and range of a tensor.

    >>> import numpy
    >>> range_text(numpy.arange(12.0).reshape(3, 4), 6)
    '3x4, 0..11'
    """
    told = value if isinstance(value, ArraySummary) else summary_of(value)
    if told.least is None or told.greatest is None:
        return f"{spell_shape(told.shape)}, {'not finite' if told.lost else 'empty'}"
    digits = min(digits, 3)
    least, greatest = short(told.least, digits), short(told.greatest, digits)
    lost = f", {told.lost:,} not finite" if told.lost else ""
    return f"{spell_shape(told.shape)}, {least if least == greatest else f'{least}..{greatest}'}{lost}"


# -- the tables -------------------------------------------------------------------------------------------


def trace_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """The two tables, and the paths to every input as a third."""
    story = Story(report, page)
    yield ((TITLE, "forward"),)
    yield from event_lines(story, story.events.forward, forward_table)
    names = [node.name for node in story.graph.nodes]
    yield from key_lines(story.graph, names[: page.cut(len(names))], page)
    yield EMPTY
    yield ((TITLE, "backward"),)
    if story.events.backward:
        is_table = yield from event_lines(story, story.events.backward, backward_table)
        yield from remarks(story, is_table)
    else:
        yield muted("  no gradient flows")
    if report.derivations:
        yield EMPTY
        yield ((TITLE, "paths"),)
        if story.events.paths:
            yield from event_lines(story, story.events.paths, paths_table)
        else:
            yield muted("  no path leads to an input")
        yield from left_out_paths(story)
    elif report.gradients:
        yield muted("... the paths are not followed (autodiff explain)")


def forward_table(story: Story, room: int) -> Columns:
    """The table of values, each in at most ``room`` columns."""
    rows = []
    for made in story.events.forward:
        node = story.graph.nodes[made.node]
        value = story.value_within(node.value, room)
        rows.append([story.place(made), story.name(made.node), story.making(node), value])
    return (
        ["line", "node", "made by", "value"],
        rows,
        [MUTED, NAME, PLAIN, NUMBER],
        [True, False, False, True],
    )


def backward_table(story: Story, room: int) -> Columns:
    """The table of gradients; a sum that is not complete ends in dots."""
    rows = []
    for event in story.events.backward:
        total = story.value_within(event.sum, room)
        if isinstance(event, Seed):
            rows.append([story.place(event), story.name(event.node), *[""] * 4, total])
            continue
        arriving, gives = (story.value_within(value, room) for value in (event.arriving, event.give))
        texts = (story.name(story.source(event)), arriving, story.local(event), gives)
        rows.append(
            [story.place(event), story.name(event.node), *texts, total + UNFINISHED * (not event.last)]
        )
    header = ["line", f"d{story.output}/d", "from", "arriving", "local", "gives", "sum"]
    styles = [MUTED, NAME, PLAIN, NUMBER, PLAIN, NUMBER, GRADIENT]
    return header, rows, styles, [True, False, False, True, False, True, True]


def paths_table(story: Story, room: int) -> Columns:
    """The table of paths, with the sum over those to an input where there are several."""
    header = ["to", "product along the path", "contributes", "sum so far"]
    rows = [
        [
            story.name(path.wrt),
            fit(path.symbol, LONGEST_LOCAL),
            story.value_within(path.product, room),
            story.value_within(path.so_far, room),
        ]
        for path in story.events.paths
    ]
    styles, right = [NAME, PLAIN, NUMBER, GRADIENT], [False, False, True, True]
    shown = 4 if len({path.wrt for path in story.events.paths}) < len(rows) else 3
    return header[:shown], [row[:shown] for row in rows], styles[:shown], right[:shown]


def event_lines(
    story: Story, events: Sequence[Event], table: Callable[[Story, int], Columns]
) -> Generator[Line, None, bool]:
    """Events as a table; where it is too wide, values are shortened and texts folded, else as sentences.

    Only some are shown if there are many. Return whether there is a table.
    """
    page = story.page
    for room in (page.width, page.width // 3, NARROW_VALUE):
        header, rows, styles, right = table(story, room)
        shown = rows[: page.cut(len(rows))]
        texts = [at for at, is_right in enumerate(right) if not is_right]
        widths = [
            max(cells(title), widest([row[at] for row in shown] or [""])) for at, title in enumerate(header)
        ]
        excess = INDENT + sum(widths) + len(GAP) * (len(widths) - 1) - page.width
        if excess <= 0:
            break
    is_table = excess <= sum(max(widths[at] - NARROWEST, 0) for at in texts)
    if not is_table:
        for event in events[: len(shown)]:
            place = "" if isinstance(event, PathProduct) else story.place(event)
            yield from prose(f"line {place}: " * bool(place) + story.sentence(event), page.width, role=PLAIN)
    else:
        for _ in range(excess):
            longest = max(texts, key=lambda at: widths[at])
            widths[longest] -= 1
        folded = [
            [broken(fit(cell, 2 * width), width) for cell, width in zip(row, widths, strict=True)]
            for row in shown
        ]
        titles = [fit(title, width) for title, width in zip(header, widths, strict=True)]
        yield from Table(titles, folded, styles, right).lines()
    if len(shown) < len(rows):
        yield muted(f"... {len(rows) - len(shown):,} more rows (--all)")
    return is_table


def remarks(story: Story, is_table: bool) -> Iterator[Line]:
    """What dots and ``G`` in the table of gradients mean, if they are there."""
    flows = [event for event in story.events.backward if isinstance(event, Flow)]
    said = []
    if is_table and any(not flow.last for flow in flows):
        said.append(f"{UNFINISHED} behind a sum: more gradients arrive below.")
    if is_table and any(flow.local is None for flow in flows):
        said.append(f"{incoming.letter} is the gradient that arrives.")
    if story.graph.left_out:
        said.append(f"{story.graph.left_out:,} older nodes are left out.")
    if said:
        yield EMPTY
        yield from prose(" ".join(said), story.page.width)


def left_out_paths(story: Story) -> Iterator[Line]:
    """How many paths and inputs the table leaves out."""
    derivations = story.report.derivations
    more = sum(derivation.count - len(derivation.paths) for derivation in derivations)
    if more:
        yield muted(f"... {spell_count(more)} more paths (autodiff explain)")
    inputs = len(story.report.gradients) - len(derivations)
    if inputs:
        yield muted(f"... {inputs:,} more inputs (autodiff explain)")
