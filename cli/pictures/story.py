"""The story of a run in steps: each makes a node, sends a gradient along an edge, or follows a path.

The steps are the events of the run with the text about each.
"""

from __future__ import annotations

from autodiff.cli.pictures.picture import WIDEST_NAME, WIDEST_TITLE, typeset
from autodiff.cli.render.numbers import short, whole_lines
from autodiff.cli.render.page import fit
from autodiff.cli.render.trace_story import is_number, is_small_tensor
from autodiff.cli.render.tree import entry, spell_rule
from autodiff.core.base.incoming import incoming
from autodiff.core.base.record import Record
from autodiff.core.report.array_summary import ArraySummary
from autodiff.core.report.events import Events, Flow, Make, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.render.page import Page
    from autodiff.core.report.graph_records import Graph

FORWARD, BACKWARD, PATHS = "forward", "backward", "paths"
WIDEST_ROW = 80


class Step(Record):
    """One step of a ``phase``.

    ``node`` is the card it is about, ``edges`` the wires, ``says`` the sentence. ``grad`` is the text of the
    node's gradient from now on, empty if it does not change. ``rows`` are those of a small matrix that the
    sentence is about. Of a path, ``nodes`` are the cards on it, ``wrt`` its input and ``index`` its place in
    the derivation.
    """

    phase: str
    node: int
    edges: tuple[int, ...]
    line: int | None
    says: str
    grad: str = ""
    nodes: tuple[int, ...] = ()
    wrt: int = -1
    index: int = -1
    rows: tuple[str, ...] = ()


def make_steps(graph: Graph, events: Events, page: Page) -> list[Step]:
    """All steps in order: forward, backward, paths."""
    teller = Teller(graph, page)
    return [
        *map(teller.make, events.forward),
        *(teller.seed(event) if isinstance(event, Seed) else teller.flow(event) for event in events.backward),
        *map(teller.path, events.paths),
    ]


class Teller:
    """Writes the sentences of a graph's events."""

    def __init__(self, graph: Graph, page: Page) -> None:
        self.graph = graph
        self.page = page
        self.output = fit(graph.output, WIDEST_NAME)
        self.uses: dict[int, list[int]] = {}
        for at, edge in enumerate(graph.edges):
            self.uses.setdefault(edge.output, []).append(at)

    def name(self, node: int) -> str:
        return fit(self.graph.nodes[node].name, WIDEST_NAME)

    def value(self, value: Any) -> str:
        return typeset(spell(value, self.page))

    def rows(self, value: Any) -> tuple[str, ...]:
        """The rows of a small matrix, or the entries of a small vector; nothing for other values."""
        if not is_small_tensor(value):
            return ()
        return tuple(map(typeset, whole_lines(value, WIDEST_ROW, self.page.digits)))

    def slope(self, node: int) -> str:
        """``∂L/∂w1``; a name that is an expression is in brackets."""
        name = self.name(node)
        return f"∂{self.output}/∂{name if name.isidentifier() else f'({name})'}"

    def make(self, event: Make) -> Step:
        node = self.graph.nodes[event.node]
        edges = tuple(self.uses.get(event.node, ()))
        where = "" if event.line is None else f"line {event.line}: "
        visit = f", time {event.visit}" if event.visit > 1 and node.grad_fn is not None else ""
        how = "a leaf, made by no function" if node.op == "leaf" else f"made by {fit(node.op, WIDEST_NAME)}"
        names = list(dict.fromkeys(self.name(self.graph.edges[at].input) for at in edges))
        of = " from " + " and ".join(names) if names and len(names) < 4 else ""
        says = f"{where}{self.name(event.node)} = {self.value(node.value)}, {how}{of}{visit}"
        return Step(FORWARD, event.node, edges, event.line, says, rows=self.rows(node.value))

    def seed(self, event: Seed) -> Step:
        grad = self.value(event.sum)
        says = f"backward starts: {self.slope(event.node)} = {grad}"
        return Step(BACKWARD, event.node, (), event.line, says, grad, rows=self.rows(event.sum))

    def flow(self, event: Flow) -> Step:
        edge = self.graph.edges[event.edge]
        total, give = self.value(event.sum), self.value(event.give)
        says = self.slope(event.node) + (" = " if event.before is None else " += ")
        if is_number(event.local) and is_number(event.arriving):
            says += (
                f"{in_brackets(self.value(event.arriving))} · {in_brackets(self.value(event.local))} = {give}"
            )
        elif rule := spell_rule(edge, WIDEST_TITLE):
            says += f"{typeset(rule)} = {give}, where {incoming.letter} = {self.slope(edge.output)}"
        else:
            says += give
        if event.before is not None:
            says += f", so far {self.value(event.before)} + {in_brackets(give)} = {total}"
        says += "" if event.last else ", more to come"
        rows = self.rows(event.sum)
        return Step(BACKWARD, event.node, (event.edge,), event.line, says, total, rows=rows)

    def path(self, event: PathProduct) -> Step:
        symbol = typeset(fit(event.symbol, WIDEST_TITLE))
        says = f"a path to {self.name(event.wrt)} gives {symbol}"
        product = self.value(event.product)
        if all(map(is_number, event.locals)):
            factors = [in_brackets(self.value(local)) for local in event.locals]
            says += ": " + " · ".join(factors)
        says += f" = {product}; sum so far {self.value(event.so_far)}"
        line = self.graph.nodes[event.wrt].line
        path = event.nodes, event.wrt, event.index, self.rows(event.product)
        return Step(PATHS, event.wrt, event.edges, line, says, "", *path)


def spell(value: Any, page: Page) -> str:
    """A value of an event on one line."""
    if isinstance(value, ArraySummary):
        if value.least is None or value.greatest is None:
            return "not finite"
        least, greatest = short(value.least, 3), short(value.greatest, 3)
        return f"all {least}" if least == greatest and not value.lost else f"{least} .. {greatest}"
    return entry(value, page)


def in_brackets(text: str) -> str:
    """A factor; a negative one in brackets."""
    return f"({text})" if text[:1] in "−-" else text
