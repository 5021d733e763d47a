"""Draws a picture as SVG. Colours are attributes: any viewer shows them, and a style sheet may change them.

The file is ASCII: other characters are written as references, so its bytes are the same in every locale.
"""

from __future__ import annotations

from textwrap import wrap

from autodiff.cli.pictures.layout import LABEL_HEIGHT, MARGIN
from autodiff.cli.pictures.picture import (
    CARD_HEIGHT,
    CELL,
    LABEL_SIZE,
    NAME_SIZE,
    OP_SIZE,
    PADDING,
    TEXT_SIZE,
    text_width,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from autodiff.cli.pictures.layout import Point
    from autodiff.cli.pictures.picture import Card, Picture, Wire

FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,monospace"
BACKGROUND, INK, SOFT = "#ffffff", "#1d2127", "#565e68"
WIRE, VALUE, GRADIENT = "#7d848d", "#22303f", "#a3174f"
#: Fill and border: what the user made is grey, what a function made is orange.
LEAF, FUNCTION = ("#e9ebee", "#8b949f"), ("#ffe2bd", "#d9822b")
#: What is looked at: in the forward pass, and on the way back.
GO, FLOW = "#1f6fd1", "#d6336c"
#: Where a gradient is lost.
LOST = "#c92a2a"
GHOST = 0.08
CAPTION_HEIGHT, CAPTION_SIZE = 40.0, 13.0
#: Below a picture stands why gradients are lost, in lines of this height; it is at least so wide then.
NOTE_HEIGHT, NOTE_WIDTH = 20.0, 420.0
#: How far a corner of a line is rounded, in px.
ROUNDED = 24.0
#: How far apart a label and the middle of its line may be, in px, for the line to be a curve.
SAME_PLACE = 2.0


NOTHING: Mapping[int, str] = {}


class Scene:
    """What an animation shows of a picture at one moment: its first ``made`` cards, others as ghosts.

    ``grads`` are the texts of the gradients that are known, ``card`` and ``wires`` what the sentence ``says``
    is about. On the way back (``is_back``) arrows are turned round.
    """

    __slots__ = ("card", "grads", "is_back", "made", "says", "wires")

    def __init__(
        self, made: int, grads: Mapping[int, str], card: int, wires: Collection[int], is_back: bool, says: str
    ) -> None:
        self.made = made
        self.grads = grads
        self.card = card
        self.wires = wires
        self.is_back = is_back
        self.says = says


def svg_text(
    picture: Picture,
    scene: Scene | None = None,
    fonts: str = FONTS,
    width: float = 0.0,
    is_page: bool = False,
    lost: Mapping[int, str] = NOTHING,
    inside: Collection[int] = (),
) -> str:
    """The whole file: the finished picture, or a scene of it with its sentence below.

    It has at least the given ``width``. As part of a page its cards can be reached with the keyboard.
    ``lost`` has the edges that lost a gradient, by id, and why: the finished picture, except that of a page,
    says it below. ``inside`` are the cards of open boxes.
    """
    has_notes = bool(lost) and not is_page and scene is None
    width, height = max(width, picture.width, NOTE_WIDTH * has_notes), picture.height
    notes = lost_notes(lost, width) if has_notes else []
    height += NOTE_HEIGHT * len(notes)
    if scene is not None:
        height += CAPTION_HEIGHT
    role = f'id="picture" role="group" aria-label="{escaped(picture.said)}"' if is_page else 'role="img"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}" font-family="{fonts}" {role}>',
        f"<title>{escaped(picture.said)}</title>" if not is_page else "",
        "<defs>",
        *(marker(name, color) for name, color in (("tip", WIRE), ("go", GO), ("flow", FLOW))),
        "</defs>",
        f'<rect class="paper" width="100%" height="100%" fill="{BACKGROUND}"/>',
        f'<g fill="none" stroke="{WIRE}" stroke-width="1.6">',
        *(wire_line(at, wire, scene, lost) for at, wire in enumerate(picture.wires)),
        "</g>",
        *(line for at, wire in enumerate(picture.wires) for line in label_lines(at, wire, scene, lost)),
        *(
            line
            for at, card in enumerate(picture.cards)
            for line in card_lines(at, card, scene, is_page, at in inside)
        ),
    ]
    for at, note in enumerate(notes):
        y = picture.height + NOTE_HEIGHT * (at + 0.3)
        lines.append(text("why", MARGIN, y, note, CAPTION_SIZE, LOST))
    if scene is not None:
        lines.append(text("says", MARGIN, height - MARGIN, scene.says, CAPTION_SIZE, INK))
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def caption_width(scene: Scene) -> float:
    """The width of a file in which the sentence of a scene fits."""
    return MARGIN * 2 + text_width(scene.says, CAPTION_SIZE)


def lost_notes(lost: Mapping[int, str], width: float) -> list[str]:
    """The lines that tell why gradients are lost, in a picture of this width."""
    most = int((width - 2 * MARGIN) / (CAPTION_SIZE * CELL))
    return [line for why in dict.fromkeys(lost.values()) for line in wrap(f"lost here (dotted): {why}", most)]


def marker(name: str, color: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7.4" refY="4" markerWidth="10" markerHeight="10"'
        ' markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
        f'<path d="M0 .6 7.4 4 0 7.4z" fill="{color}"/></marker>'
    )


def wire_line(at: int, wire: Wire, scene: Scene | None, lost: Mapping[int, str]) -> str:
    style = 'marker-end="url(#tip)"'
    if at in lost:
        style += f' stroke="{LOST}" stroke-width="3" stroke-dasharray="2 5"'
    if scene is not None:
        color, name = (FLOW, "flow") if scene.is_back else (GO, "go")
        end = "start" if scene.is_back else "end"
        if at in scene.wires:
            style = f'marker-{end}="url(#{name})" stroke="{color}" stroke-width="3"'
        elif scene.is_back:
            style = 'marker-start="url(#tip)"'
    kind = "wire lost" if at in lost else "wire"
    return f'<path class="{kind}" id="w{at}" d="{line_of(wire)}" {style}{ghost(wire.target, scene)}/>'


def ghost(card: int, scene: Scene | None) -> str:
    return f' opacity="{GHOST}"' if scene is not None and card >= scene.made else ""


def card_lines(
    at: int, card: Card, scene: Scene | None, is_page: bool, is_inside: bool = False
) -> Iterator[str]:
    fill, border = LEAF if card.is_leaf else FUNCTION
    grad, thick = card.grad, 1.5
    if scene is not None:
        grad = scene.grads.get(at, "")
        if at == scene.card:
            border, thick = FLOW if scene.is_back else GO, 3.0
    left, right = card.x + PADDING, card.x + card.width - PADDING
    reach = ' tabindex="0" role="img"' if is_page else ""
    kind = (
        f"node {'leaf' if card.is_leaf else 'function'}{' output' * card.is_output}{' fold' * card.is_fold}"
    )
    kind += " inside" * is_inside
    yield f'<g class="{kind}" id="n{at}"{reach}{ghost(at, scene)}><title>{escaped(card.said)}</title>'
    yield rectangle("card", card.x, card.y, card.width, CARD_HEIGHT, 9, fill, border, thick, card.is_fold)
    if card.is_output:  # a second frame
        yield rectangle("ring", card.x + 3, card.y + 3, card.width - 6, CARD_HEIGHT - 6, 6.5, "none", border)
    yield text("name", left, card.y + 19, card.name, NAME_SIZE, INK, ' font-weight="bold"')
    yield text("op", right, card.y + 19, card.op, OP_SIZE, SOFT, ' text-anchor="end"')
    yield (
        f'<path class="rule" d="M{card.x + 8:g} {card.y + 27:g}H{card.x + card.width - 8:g}" stroke="{INK}"'
        ' stroke-opacity=".15"/>'
    )
    yield text("value", left, card.y + 42.5, card.value, TEXT_SIZE, VALUE)
    if grad:
        style = ' font-weight="bold" text-anchor="end"'
        yield text("grad", right, card.y + 42.5, grad, TEXT_SIZE, GRADIENT, style)
    yield "</g>"


def label_lines(at: int, wire: Wire, scene: Scene | None, lost: Mapping[int, str] = NOTHING) -> Iterator[str]:
    if not wire.label:
        return
    left, top = wire.x - wire.width / 2, wire.y - LABEL_HEIGHT / 2
    said, kind, border = wire.said, "edge", "none"
    if at in lost:
        said, kind, border = f"{said}; here a gradient is lost: {lost[at]}", "edge lost", LOST
    yield f'<g class="{kind}" id="e{at}"{ghost(wire.target, scene)}><title>{escaped(said)}</title>'
    yield rectangle("frame", left, top, wire.width, LABEL_HEIGHT, 9, BACKGROUND, border)
    color = LOST if at in lost else INK
    yield text("label", wire.x, wire.y + 4, wire.label, LABEL_SIZE, color, ' text-anchor="middle"')
    yield "</g>"


def rectangle(
    kind: str,
    x: float,
    y: float,
    width: float,
    height: float,
    radius: float,
    fill: str,
    border: str,
    thick: float = 1.5,
    is_dashed: bool = False,
) -> str:
    dashes = ' stroke-dasharray="6 3"' if is_dashed else ""
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
        f' fill="{fill}" stroke="{border}" stroke-width="{thick:g}"{dashes}/>'
    )


def text(kind: str, x: float, y: float, content: str, size: float, color: str, style: str = "") -> str:
    return (
        f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{color}"{style}>'
        f"{escaped(content)}</text>"
    )


def line_of(wire: Wire) -> str:
    """The line of an edge as path data: an S between two points, else straight parts with round corners."""
    points = wire.points
    (x, y), (u, v) = points[0], points[-1]
    off = max(abs((x + u) / 2 - wire.x), abs((y + v) / 2 - wire.y))
    if len(points) == 2 and (
        not wire.label or off <= SAME_PLACE
    ):  # the S passes the middle, where the label is
        bend = (v - y) * 0.42
        return f"M{x:g} {y:g}C{x:g} {y + bend:.1f} {u:g} {v - bend:.1f} {u:g} {v:g}"
    parts = [f"M{x:g} {y:g}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        (a, b), (c, d) = towards(corner, before), towards(corner, after)
        parts.append(f"L{a:.1f} {b:.1f}Q{corner[0]:g} {corner[1]:g} {c:.1f} {d:.1f}")
    return "".join(parts) + f"L{u:g} {v:g}"


def towards(corner: Point, end: Point) -> Point:
    """The point at which the rounding of a corner begins or ends; at most half-way to the next corner."""
    across, down = end[0] - corner[0], end[1] - corner[1]
    length = (across * across + down * down) ** 0.5
    part = min(0.5, ROUNDED / length) if length else 0.0
    return corner[0] + across * part, corner[1] + down * part


def escaped(content: str) -> str:
    """A cleaned text as XML in ASCII."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        content = content.replace(sign, entity)
    return content.encode("ascii", "xmlcharrefreplace").decode("ascii")
