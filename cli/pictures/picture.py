"""What a picture of a graph shows and where: a card for each node, an edge with a label for each use.

Nothing is drawn here. All texts are cleaned and cut, as on a terminal.
"""

from __future__ import annotations

from autodiff.cli.pictures.columns import in_columns
from autodiff.cli.pictures.layout import Layout, place
from autodiff.cli.process.streams import cells
from autodiff.cli.render.name_keys import meaning_of
from autodiff.cli.render.numbers import value_in_sentence
from autodiff.cli.render.page import fit
from autodiff.cli.render.tree import entry, spell_local
from autodiff.core.base.incoming import incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.cli.pictures.layout import Point
    from autodiff.cli.render.page import Page
    from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode

#: Font sizes in px, and the width of a character of a monospaced font as part of its size.
NAME_SIZE, TEXT_SIZE, OP_SIZE, LABEL_SIZE = 14.0, 12.0, 11.0, 11.5
CELL = 0.602
WIDEST_NAME, WIDEST_OP, WIDEST_LABEL, WIDEST_TITLE = 24, 24, 30, 120
CARD_HEIGHT, NARROWEST_CARD = 50.0, 112.0
PADDING = 11.0
#: Between two texts of the same line of a card.
GAP = 16.0
#: Between the end of a label and its frame.
LABEL_PADDING = 6.0
TYPESET = str.maketrans({"-": "−", "*": "·"})


class Card:
    """One node: its texts, and the rectangle they are in. ``said`` is the whole of it as one sentence."""

    __slots__ = ("grad", "is_fold", "is_leaf", "is_output", "name", "op", "said", "value", "width", "x", "y")

    def __init__(
        self,
        name: str,
        op: str,
        value: str,
        grad: str,
        said: str,
        is_leaf: bool,
        is_output: bool,
        is_fold: bool,
    ) -> None:
        self.name = name
        self.op = op
        self.value = value
        self.grad = grad
        self.said = said
        self.is_leaf = is_leaf
        self.is_output = is_output
        self.is_fold = is_fold
        above = text_width(name, NAME_SIZE) + text_width(op, OP_SIZE)
        below = text_width(value, TEXT_SIZE) + text_width(grad, TEXT_SIZE)
        self.width = round(max(NARROWEST_CARD, 2 * PADDING + GAP + max(above, below)))
        self.x = self.y = 0.0


class Wire:
    """One edge: the points of its line from ``source`` to ``target``, which are numbers of cards.

    ``label`` is its text, ``width`` that of the label's frame, whose centre is (``x``, ``y``).
    """

    __slots__ = ("label", "points", "said", "source", "target", "width", "x", "y")

    def __init__(self, source: int, target: int, label: str, said: str) -> None:
        self.source = source
        self.target = target
        self.label = label
        self.said = said
        self.width = round(text_width(label, LABEL_SIZE) + 2 * LABEL_PADDING) if label else 0
        self.points: list[Point] = []
        self.x = self.y = 0.0


class Picture:
    """All cards and wires, the size of the canvas and the sentence about the whole."""

    __slots__ = ("cards", "fingerprint", "height", "said", "width", "wires")

    def __init__(self, cards: Sequence[Card], wires: Sequence[Wire], layout: Layout, said: str) -> None:
        for card, (x, y) in zip(cards, layout.corners, strict=True):
            card.x, card.y = x, y
        for wire, points, (x, y) in zip(wires, layout.routes, layout.anchors, strict=True):
            wire.points, wire.x, wire.y = points, x, y
        self.cards = cards
        self.wires = wires
        self.width = layout.width
        self.height = layout.height
        self.fingerprint = layout.fingerprint
        self.said = said


def make_picture(graph: Graph, page: Page, view: str = "") -> Picture:
    """The picture of a graph, as functions (``ops``), as ``tensors``, or with both on each card.

    Raises UsageError if the layout library is missing.
    """
    output = fit(graph.output, WIDEST_NAME)
    cards = [make_card(node, graph, output, page, view) for node in graph.nodes]
    wires = [make_wire(edge, graph, page, view) for edge in graph.edges]
    boxes, labels = [(card.width, CARD_HEIGHT) for card in cards], [wire.width for wire in wires]
    layout = place(boxes, [(wire.source, wire.target) for wire in wires], labels)
    layout = in_columns(layout, boxes, labels)
    said = f"Computation graph of {output}: {len(cards):,} nodes, {len(wires):,} edges"
    if graph.left_out:
        said += f", {graph.left_out:,} node{'s' * (graph.left_out != 1)} left out"
    return Picture(cards, wires, layout, said)


def make_card(node: GraphNode, graph: Graph, output: str, page: Page, view: str) -> Card:
    is_leaf = node.op == "leaf"
    shape = "×".join(map(str, node.shape))
    value, grad = (entry(node.value, page), "" if node.grad is None else entry(node.grad, page))
    made_by = "a leaf" if is_leaf else f"made by {fit(node.grad_fn or node.op, WIDEST_TITLE)}"
    where = f" in line {node.line}" if node.line is not None else ""
    meaning = meaning_of(graph.key, node.name)
    named = f"{fit(node.name, WIDEST_TITLE)} {fit(meaning, WIDEST_TITLE)}".rstrip()
    said = f"{named}: {made_by}{where}, value {value_in_sentence(node.value, page.digits)}"
    if shape:
        said += f", shape {shape}"
    if node.grad is not None:
        said += f", gradient of {output} {value_in_sentence(node.grad, page.digits)}"
    name, op = fit(node.name, WIDEST_NAME), fit(meaning if meaning[:1] == "=" else node.op, WIDEST_OP)
    if view == "ops" and node.grad_fn is not None:
        name, op = fit(node.grad_fn, WIDEST_NAME), name
    elif view == "tensors" and node.grad_fn is not None:
        op = ""
    return Card(
        name=name,
        op=f"{op} {shape}".strip(),
        value=typeset(value),
        grad=f"∂ {typeset(grad)}" if grad else "",
        said=said,
        is_leaf=is_leaf,
        is_output=node.id == graph.root,
        is_fold=not is_leaf and node.grad_fn is None,
    )


def make_wire(edge: GraphEdge, graph: Graph, page: Page, view: str) -> Wire:
    local = spell_local(edge, page)
    above, below = (fit(graph.nodes[end].name, WIDEST_TITLE) for end in (edge.output, edge.input))
    said = f"derivative of {above} by {below}: {local}"
    if not local:
        said = f"{above} is made from {below}"
    elif edge.local is None:
        where = f"where {incoming.letter} is the gradient of {above}"
        said = f"gradient that {below} receives from {above}: {local}, {where}"
    label = typeset(fit(local, WIDEST_LABEL))
    function = graph.nodes[edge.output]
    if view == "tensors" and function.grad_fn is not None:
        label = f"{fit(function.op, WIDEST_OP)}: {label}"
    return Wire(edge.input, edge.output, label, said)


def typeset(text: str) -> str:
    """A formula with the signs of print: minus for hyphen, a dot for the star of a product.

    >>> typeset("-w2*x1"), typeset("x**2"), typeset("1e-05")
    ('−w2·x1', 'x^2', '1e−05')
    """
    return text.replace("**", "^").translate(TYPESET)


def text_width(text: str, size: float) -> float:
    """The width in px of a text in a monospaced font."""
    return cells(text) * size * CELL
