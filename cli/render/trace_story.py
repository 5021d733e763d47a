"""The story of a run for people: each event in words.

The tables (``cli/render/trace.py``) and the player (``cli/requests/player.py``) show it.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import (
    LARGEST_INLINE,
    inline,
    is_array,
    is_small,
    short,
    spell_count,
    spell_shape,
    whole_lines,
)
from autodiff.cli.render.page import fit
from autodiff.cli.render.tree import spell_local, spell_rule
from autodiff.core.base.incoming import incoming
from autodiff.core.base.record import Record
from autodiff.core.paths.node_names import bracketed, ordinal
from autodiff.core.report.array_summary import ArraySummary, summary_of
from autodiff.core.report.events import Flow, Make, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.cli.render.page import Page
    from autodiff.core.base.source import Span
    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph, GraphNode
    from autodiff.core.report.records import Derivation, GradientReport

    Event = Make | Seed | Flow | PathProduct

LONGEST_NAME, LONGEST_OPERAND, LONGEST_LOCAL, LONGEST_PRODUCT = 40, 24, 40, 100
UNFINISHED = " + ..."
FEWER_DIGITS = 3
ATOMS = ("number", "name", "call", "postfix")  # expressions that need no brackets as factors


class Value(Record):
    """A piece of a sentence that is a value."""

    value: Any


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
        """A number, the entries of a tensor of a few, or the shape and range of another."""
        if not is_number(value) and value is not None and not is_inline(value):
            return range_text(value, self.page.digits)
        return inline(value, self.page.digits)

    def value_within(self, value: Any, room: int) -> str:
        """A value in at most ``room`` columns: with fewer digits, or as shape and range."""
        text = self.value(value)
        if cells(text) <= room:
            return text
        if is_number(value):
            shorter = [inline(value, digits) for digits in range(self.page.digits, 0, -1)]
        else:
            shorter = [inline(value, FEWER_DIGITS)] if is_inline(value) else []
            shorter += [range_text(value, digits) for digits in (FEWER_DIGITS, 2, 1)]
        return fit(next((one for one in shorter if cells(one) <= room), shorter[-1]), room)

    def value_lines(self, value: Any, room: int) -> list[str]:
        """A value as lines of at most ``room`` columns, a small tensor with all its entries if they fit."""
        lines = whole_lines(value, room, self.page.digits) if is_small_tensor(value) else []
        return lines or [self.value_within(value, room)]

    def making(self, node: GraphNode) -> str:
        """The op with its operands, as in ``mul(w2, x3)``; empty for an input."""
        if node.op == "leaf":
            return ""
        names = [fit(name, LONGEST_OPERAND) for _, name in sorted(self._operands[node.id])]
        return f"{fit(node.op, LONGEST_OPERAND)}({', '.join(names)})"

    def place(self, event: Make | Seed | Flow) -> str:
        """The line, and which run of it this is where it ran several times."""
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
        return "".join(
            self.value(piece.value) if isinstance(piece, Value) else piece for piece in self.pieces(event)
        )

    def pieces(self, event: Event) -> list[str | Value]:
        """The event in words, with the values that are said."""
        if isinstance(event, Make):
            return self._making_pieces(event)
        if isinstance(event, Seed):
            return [f"backward starts: {self.slope(event.node)} = ", Value(event.sum)]
        if isinstance(event, Flow):
            return self._flow_pieces(event)
        return self._path_pieces(event)

    def _making_pieces(self, event: Make) -> list[str | Value]:
        node = self.graph.nodes[event.node]
        made, name = self.making(node), fit(node.name, LONGEST_NAME)
        if is_number(node.value):
            return [
                f"{name} is ",
                Value(node.value),
                f" = {made}" if made else ", an input: nothing made it",
            ]
        if made:
            return [f"{name} = {made} is ", Value(node.value)]
        return [f"{name} is ", Value(node.value), ", an input: nothing made it"]

    def _flow_pieces(self, flow: Flow) -> list[str | Value]:
        if is_number(flow.local) and is_number(flow.arriving):
            how = f"{self.slope(self.source(flow))} * {self.symbol(flow)}"
            how += f" = {self.factor(flow.arriving)} * {self.factor(flow.local)} = "
        else:
            rule = spell_rule(self.graph.edges[flow.edge])
            how = f"{rule}, where {incoming.letter} is {self.slope(self.source(flow))}: "
        pieces: list[str | Value] = [
            f"{self.slope(flow.node)} {'=' if flow.before is None else '+='} {how}",
            Value(flow.give),
        ]
        if flow.before is not None:
            if is_number(flow.sum):
                total = f"{self.value(flow.before)} + {self.factor(flow.give)} = "
                pieces += [
                    f", so far {total}" if not flow.last else f", in all {total}",
                    Value(flow.sum),
                ]
            else:
                pieces += [f"; the sum {'so far ' * (not flow.last)}is ", Value(flow.sum)]
        return pieces if flow.last else [*pieces, ", more to come"]

    def _path_pieces(self, path: PathProduct) -> list[str | Value]:
        derivation = self.derivation(path)
        how = f"the path to {self.name(path.wrt)} gives {fit(path.symbol, LONGEST_PRODUCT)}: "
        if len(path.locals) > 1 and all(map(is_number, path.locals)) and derivation.weight is None:
            how += " * ".join(map(self.factor, path.locals)) + " = "
        pieces: list[str | Value] = [how, Value(path.product)]
        others = derivation.count - len(derivation.paths)
        is_last = path is [one for one in self.events.paths if one.wrt == path.wrt][-1]
        if is_last and others:
            many = "the other path" if others == 1 else f"the other {spell_count(others)} paths"
            pieces += ["; the sum so far is ", Value(path.so_far), f", and with {many} "]
            pieces.append(Value(derivation.value))
        elif len(derivation.paths) > 1:
            pieces += ["; the sum is " if is_last else "; the sum so far is ", Value(path.so_far)]
        return pieces

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


def is_small_tensor(value: Any) -> bool:
    return not isinstance(value, ArraySummary) and is_small(value)


def is_inline(value: Any) -> bool:
    return is_small_tensor(value) and (value.ndim == 1 or max(value.shape) <= LARGEST_INLINE)


def range_text(value: Any, digits: int) -> str:
    """The shape and range of a tensor.

    >>> import numpy
    >>> range_text(numpy.arange(12.0).reshape(3, 4), 6)
    '3x4, 0..11'
    """
    summary = value if isinstance(value, ArraySummary) else summary_of(value)
    if summary.least is None or summary.greatest is None:
        return f"{spell_shape(summary.shape)}, {'not finite' if summary.lost else 'empty'}"
    digits = min(digits, 3)
    least, greatest = short(summary.least, digits), short(summary.greatest, digits)
    lost = f", {summary.lost:,} not finite" if summary.lost else ""
    return f"{spell_shape(summary.shape)}, {least if least == greatest else f'{least}..{greatest}'}{lost}"
