"""Where the columns of a tree stand: side by side where the page is wide enough for them.

On a narrower page names and formulas are shortened; where that is not enough, value and gradient move to a
line of their own below each node. Nodes and numbers are never left out. A tree may have a million rows, so
all of this is done column by column.
"""

from __future__ import annotations

from autodiff.cli.console import cells
from autodiff.cli.render.page import (
    GAP,
    GRADIENT,
    GUIDE,
    MUTED,
    NAME,
    NUMBER,
    PLAIN,
    Block,
    Page,
    fit,
    pad,
    quotient,
    widest,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.render.page import Line

NARROWEST_TREE = 21
NARROW = 24  # how long names and formulas may be on a narrow page
MOST_ON_TWO_LINES = {"op": 10, "shape": 12}
SHORTEST_NAME = 8
NARROW_GAP = "  "
LOCAL = "d parent/d node"
MARK = " (*)"
MOST_IN_BLOCK = 1_000  # rows


class Rows:
    """The texts of the rows: guides, marks, ops and local derivatives by row, the rest by node.

    ``narrow`` are the guides on a narrow page, ``under`` those that go on below a row there. ``shapes`` is
    empty where no node has one. ``is_cut`` says that there would be more rows.
    """

    __slots__ = (
        *("ats", "grads", "guides", "is_cut", "locals_", "marks", "names", "narrow", "ops", "shapes"),
        *("under", "values"),
    )

    def __init__(self) -> None:
        self.ats: list[int] = []
        self.guides: list[str] = []
        self.narrow: list[str] = []
        self.under: list[str] = []
        self.marks: list[str] = []
        self.ops: list[str] = []
        self.locals_: list[str] = []
        self.names: dict[int, str] = {}
        self.shapes: dict[int, str] = {}
        self.values: dict[int, str] = {}
        self.grads: dict[int, str] = {}
        self.is_cut = False


def layout(rows: Rows, output: str, page: Page) -> Iterator[Line | Block]:
    """The rows under their header."""
    local = Column(LOCAL, rows.locals_, PLAIN)
    value = Column("value", rows.values, NUMBER)
    grad = Column(quotient(output, "node", page.width), rows.grads, GRADIENT)
    kinds = [Column("op", rows.ops, MUTED, is_right=False)]
    if rows.shapes:
        kinds.append(Column("shape", rows.shapes, MUTED, is_right=False))
    wide = side_by_side(rows, rows.names, [*kinds, value, local, grad], GAP, page.width)
    if wide is not None:
        return wide
    grad.title = quotient(output, "node", len(LOCAL))
    names, closer = rows.names, local
    if widest([*names.values()]) > NARROW:
        names = {at: fit(name, NARROW) for at, name in names.items()}
    if local.widest > NARROW:
        closer = Column(LOCAL, [narrowed(text) for text in rows.locals_], PLAIN)
    narrow = side_by_side(rows, names, [*kinds, value, closer, grad], NARROW_GAP, page.width)
    return on_two_lines(rows, kinds, local, value, grad, page) if narrow is None else narrow


class Column:
    """A column of texts by row or by node, and how wide the widest is.

    Texts on the left repeat themselves, numbers on the right do not.
    """

    __slots__ = ("is_right", "style", "texts", "title", "widest")

    def __init__(
        self, title: str, texts: list[str] | dict[int, str], style: str, is_right: bool = True
    ) -> None:
        self.title = title
        self.texts = texts
        self.style = style
        self.is_right = is_right
        self.widest = widest(
            [*(texts.values() if isinstance(texts, dict) else texts if is_right else set(texts))]
        )

    def width(self, gap: str) -> int:
        return len(gap) + max(cells(self.title), self.widest)

    def head(self, gap: str) -> str:
        return self._padded([self.title], gap)[0]

    def by_row(self, ats: Sequence[int], gap: str) -> list[str]:
        """The text of each row, which shows the node in ``ats``, behind the gap."""
        texts = self.texts
        if isinstance(texts, dict):
            of = dict(zip(texts, self._padded([*texts.values()], gap), strict=True))
            return [of[at] for at in ats]
        if self.is_right:
            return self._padded(texts, gap)
        different = [*set(texts)]
        padded = dict(zip(different, self._padded(different, gap), strict=True))
        return [padded[text] for text in texts]

    def _padded(self, texts: list[str], gap: str) -> list[str]:
        width = self.width(gap)
        if not self.is_right:
            return [pad(gap + text, width) for text in texts]
        if "".join(texts).isascii():
            return [text.rjust(width) for text in texts]
        return [pad(text, width, True) for text in texts]


def side_by_side(
    rows: Rows, names: dict[int, str], facts: list[Column], gap: str, width: int
) -> Iterator[Line | Block] | None:
    """Every row on one line; None where the widest has no room."""
    narrowest = NARROWEST_TREE if gap == GAP else len("node")
    room = width - sum(fact.width(gap) for fact in facts)
    if max(narrowest, widest(rows.guides)) > room:
        return None
    lefts = sizes(rows, rows.guides, names)
    left = max(narrowest, *lefts)
    if left > room:
        return None
    return sheet(rows, left, lefts, rows.guides, [names[at] for at in rows.ats], facts, gap)


def sizes(rows: Rows, guides: list[str], names: dict[int, str]) -> list[int]:
    """How wide the first column of each row is."""
    texts = [*names.values()]
    of = dict(zip(names, map(len if "".join(texts).isascii() else cells, texts), strict=True))
    return [
        len(guide) + of[at] + len(mark) for guide, at, mark in zip(guides, rows.ats, rows.marks, strict=True)
    ]


def sheet(
    rows: Rows,
    left: int,
    lefts: list[int],
    guides: list[str],
    names: list[str],
    facts: list[Column],
    gap: str,
    below: tuple[Column, Column] | None = None,
) -> Iterator[Line | Block]:
    """The rows under their header; ``below`` are value and gradient if those have a line of their own.

    ``lefts`` are the sizes of what stands on the left of each row, and ``left`` is the largest.
    """
    ats = rows.ats
    yield ((MUTED, "node".ljust(left)), *((MUTED, fact.head(gap)) for fact in facts))
    ends = [mark + " " * (left - size) for mark, size in zip(rows.marks, lefts, strict=True)]
    columns = [guides, names, ends, *(fact.by_row(ats, gap) for fact in facts)]
    styles: list[str | None] = [GUIDE, NAME, MUTED, *(fact.style for fact in facts)]
    if below is not None:
        value, grad = below
        right = left + sum(fact.width(gap) for fact in facts) - grad.width(gap)
        yield ((MUTED, value.head("").rjust(right) + grad.head(gap)),)
        room = {under: max(value.width(""), right - len(under)) for under in set(rows.under)}
        values = [rows.values[at].rjust(room[under]) for at, under in zip(ats, rows.under, strict=True)]
        columns += [["\n"] * len(ats), rows.under, values, grad.by_row(ats, gap)]
        styles += [None, GUIDE, value.style, grad.style]
    start, end = 0, 1  # the root, before which nothing stands, is a block of its own
    while start < len(ats):
        yield Block(styles, [texts[start:end] for texts in columns])
        start, end = end, end + MOST_IN_BLOCK


def narrowed(local: str) -> str:
    """A shorter local derivative; the number behind the formula stays."""
    number = local.rpartition(" = ")[2]
    return fit_local(local, NARROW + len(" = ") + len(number) if number != local else NARROW)


def fit_local(local: str, room: int) -> str:
    """A local derivative of no more than ``room`` columns; what a formula comes to is kept if possible."""
    if len(local) <= room and local.isascii():
        return local
    formula, equals, number = local.rpartition(" = ")
    left = room - len(equals) - len(number)
    return fit(formula, left) + equals + number if equals and left >= SHORTEST_NAME else fit(local, room)


def on_two_lines(
    rows: Rows, kinds: list[Column], local: Column, value: Column, grad: Column, page: Page
) -> Iterator[Line | Block]:
    """What a node is on one line, its value and gradient below it on the right."""
    ats = rows.ats
    facts = [shortened(kind) for kind in kinds if kind.widest]
    room = page.width - sum(fact.width(NARROW_GAP) for fact in facts) - len(NARROW_GAP)
    # Names have the room they want up to a point, formulas what is left, names the rest of that.
    lefts = sizes(rows, rows.narrow, rows.names)
    longest = max(lefts)
    if widest([*rows.names.values()]) > NARROW:
        beyond = {at: max(cells(name) - NARROW, 0) for at, name in rows.names.items()}
        longest = max([size - beyond[at] for size, at in zip(lefts, ats, strict=True)])
    most = max(room - longest, len(LOCAL))
    if local.widest > most:
        local = Column(LOCAL, [fit_local(text, most) for text in rows.locals_], PLAIN)
    room -= local.width("")
    names = [rows.names[at] for at in ats]
    if max(lefts) > room:
        for row, size in enumerate(lefts):
            if size > room:
                lead = size - cells(names[row])
                names[row] = fit(names[row], max(room - lead, SHORTEST_NAME))
                lefts[row] = lead + cells(names[row])
    left = max(len("node"), *lefts)
    return sheet(rows, left, lefts, rows.narrow, names, [*facts, local], NARROW_GAP, (value, grad))


def shortened(kind: Column) -> Column:
    """The column of ops or shapes as there is room for it on two lines."""
    most = MOST_ON_TWO_LINES[kind.title]
    if kind.widest <= most:
        return kind
    texts = kind.texts
    if isinstance(texts, dict):
        return Column(kind.title, {at: fit(text, most) for at, text in texts.items()}, kind.style, False)
    fitting = {text: fit(text, most) for text in set(texts)}
    return Column(kind.title, [fitting[text] for text in texts], kind.style, False)
