"""The column layout of a tree: side by side if the page is wide enough.

On a narrower page names and formulas are shortened, then rows are indented less. If that is not enough,
value and gradient move to a line below each node; if names would still be too short, they get their own
line as well. Nodes and numbers are never left out. A tree may have a million rows, so all work is done
column by column.
"""

from __future__ import annotations

from operator import add

from autodiff.cli.process.streams import SUBSTITUTES, cells
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

#: The position of a row among the inputs of its parent: more follow, it is the last, or the only one.
MORE, LAST, ONLY = range(3)
DEEPEST_INDENT = 12
NARROW_INDENT = 20  # one indentation step of three columns per this many columns of a narrow page
BOX_GUIDES = ("├─ ", "└─ ", "│  ", "   ")
ASCII_GUIDES = tuple(guide.translate(SUBSTITUTES) for guide in BOX_GUIDES)
STEP = len(ASCII_GUIDES[0])
NARROWEST_TREE = 21
NARROW = 24  # the length to which names and formulas may be cut if each node has one line
MOST_ON_TWO_LINES = {"op": 10, "shape": 12}
SHORTEST_NAME = 8
SHORT_NAME = 16  # names beside other columns are not cut below this
NARROW_GAP = "  "
LOCAL = "d parent/d node"
MARK = " (*)"
MOST_IN_BLOCK = 1_000  # rows


class Rows:
    """The texts of the rows: marks, ops and local derivatives per row, the others per node.

    ``nodes`` holds the ids of the nodes, and ``ats`` for each row the index of its node in it. ``depths`` are
    steps from the root, ``levels`` are indentation levels, ``turns`` are MORE, LAST or ONLY. ``shapes`` is
    empty if no node has one. ``is_cut`` says that rows are left out.
    """

    __slots__ = (
        *("ats", "depths", "grads", "is_cut", "levels", "locals_", "marks", "names", "ops", "shapes"),
        *("nodes", "turns", "values"),
    )

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.ats: list[int] = []
        self.depths: list[int] = []
        self.levels: list[int] = []
        self.turns: list[int] = []
        self.marks: list[str] = []
        self.ops: list[str] = []
        self.locals_: list[str] = []
        self.names: list[str] = []
        self.shapes: list[str] = []
        self.values: list[str] = []
        self.grads: list[str] = []
        self.is_cut = False


def layout(rows: Rows, output: str, page: Page) -> Iterator[Line | Block]:
    """The header and the rows in the widest layout that fits the page."""
    ats = rows.ats
    local = Column(LOCAL, rows.locals_, PLAIN)
    value = Column("value", rows.values, NUMBER, ats)
    grad = Column(quotient(output, "node", page.width), rows.grads, GRADIENT, ats)
    kinds = [Column("op", rows.ops, MUTED, is_right=False)]
    if rows.shapes:
        kinds.append(Column("shape", rows.shapes, MUTED, ats, is_right=False))
    wide = side_by_side(rows, [*kinds, value, local, grad], page)
    if wide is not None:
        return wide
    grad.title = quotient(output, "node", len(LOCAL))
    narrow = closely(rows, kinds, local, value, grad, page)
    return on_two_lines(rows, kinds, local, value, grad, page) if narrow is None else narrow


def narrow_indent(page: Page) -> int:
    """The deepest level of indentation where the room is scarce."""
    return min(page.width // NARROW_INDENT, DEEPEST_INDENT)


def closely(
    rows: Rows, kinds: list[Column], local: Column, value: Column, grad: Column, page: Page
) -> Iterator[Line | Block] | None:
    """All rows on one line each, with small gaps, names and formulas shortened; None if they do not fit.

    They are indented as far as there is room. A deep tree that does not fit is measured once.
    """
    closer = locals_within(local, NARROW)
    facts = [*kinds, value, closer, grad]
    room = page.width - sum(fact.width(NARROW_GAP) for fact in facts)
    names = names_within(rows, NARROW)
    levels, deepest, widths, left = max(rows.levels), 0, [0], 0
    for more in (narrow_indent(page) // 2, narrow_indent(page), DEEPEST_INDENT):
        if room <= STEP * min(levels, more):  # no room even for the guides
            break
        if rows.levels[widths.index(left)] > more and left + STEP * (more - deepest) > room:
            break  # nor for the row that was the widest
        tried = sizes(rows, indents(rows, more), names)
        most = max(tried)
        if most > room:
            break
        deepest, widths, left = more, tried, most
    if not deepest:
        return None
    spare = room - left
    if spare and closer is not local:  # half of the remaining room for formulas, the rest for names
        wider = locals_within(local, NARROW + spare // 2)
        taken = wider.width("") - closer.width("")
        if taken <= spare:
            facts[-2] = wider
            spare -= taken
    longer = names_within(rows, NARROW + spare)
    if longer is not names:
        wider_rows = sizes(rows, indents(rows, deepest), longer)
        most = max(wider_rows)
        if most <= left + spare:  # a name that was shortened by a term may grow by more
            names, widths, left = longer, wider_rows, most
    left = max(len("node"), left)
    guides, _ = draw(rows, deepest, page)
    return sheet(rows, left, widths, guides, [names[at] for at in rows.ats], facts, NARROW_GAP)


def names_within(rows: Rows, room: int) -> list[str]:
    return rows.names if widest(rows.names) <= room else [fit(name, room) for name in rows.names]


def locals_within(local: Column, room: int) -> Column:
    if local.widest <= room:
        return local
    return Column(LOCAL, [narrowed(text, room) for text in local.texts], PLAIN)


class Column:
    """A column of texts, per row, or per node if ``ats`` gives each row's node.

    ``widest`` is the width of the widest text. Left-aligned texts repeat often, right-aligned numbers do not.
    """

    __slots__ = ("ats", "is_ascii", "is_right", "style", "texts", "title", "widest")

    def __init__(
        self,
        title: str,
        texts: list[str],
        style: str,
        ats: Sequence[int] | None = None,
        is_right: bool = True,
    ) -> None:
        self.title = title
        self.texts = texts
        self.style = style
        self.ats = ats
        self.is_right = is_right
        different = texts if is_right else [*set(texts)]
        self.is_ascii = "".join(different).isascii()
        self.widest = max(map(len if self.is_ascii else cells, different))

    def width(self, gap: str) -> int:
        return len(gap) + max(cells(self.title), self.widest)

    def head(self, gap: str) -> str:
        return pad(self.title if self.is_right else gap + self.title, self.width(gap), self.is_right)

    def by_row(self, gap: str) -> list[str]:
        """The padded text of each row, after the gap."""
        texts, width = self.texts, self.width(gap)
        if not self.is_right:
            of = {text: pad(gap + text, width) for text in set(texts)}
            padded = [of[text] for text in texts]
        elif self.is_ascii:
            padded = [text.rjust(width) for text in texts]
        else:
            padded = [pad(text, width, True) for text in texts]
        return padded if self.ats is None else [padded[at] for at in self.ats]


def draw(rows: Rows, deepest: int, page: Page) -> tuple[list[str], list[str]]:
    """The guide characters of each row, and those for lines below it.

    Indentation stops at the level ``deepest``, and in a long chain; the depth is shown as a number there.
    """
    branch, corner, bar, blank = BOX_GUIDES if page.box else ASCII_GUIDES
    drawn, under = [""], [""]
    #: For each level, the guide characters that begin the rows below its latest row.
    begins = [""] * (deepest + 1)
    before = 0
    for depth, level, turn in zip(rows.depths[1:], rows.levels[1:], rows.turns[1:], strict=True):
        is_flat = turn == ONLY and level == before  # the row before is its parent
        before = level
        if level > deepest:
            begin = begins[deepest - 1]
            drawn.append(f"{begin}[{depth}] ")
        elif is_flat:
            drawn.append(f"{begins[level - 1]}[{depth}] ")
            begin = begins[level]
        else:
            begin = begins[level - 1]
            drawn.append(begin + (corner if turn else branch))
            begins[level] = begin = begin + (blank if turn else bar)
        under.append(begin)
    return drawn, under


def side_by_side(rows: Rows, facts: list[Column], page: Page) -> Iterator[Line | Block] | None:
    """All rows on one line each, with whole names; None if the widest does not fit."""
    room = page.width - sum(fact.width(GAP) for fact in facts)
    if max(NARROWEST_TREE, STEP * min(max(rows.levels), DEEPEST_INDENT)) > room:
        return None
    lefts = sizes(rows, indents(rows, DEEPEST_INDENT), rows.names)
    left = max(NARROWEST_TREE, max(lefts))
    if left > room:
        return None
    guides, _ = draw(rows, DEEPEST_INDENT, page)
    return sheet(rows, left, lefts, guides, [rows.names[at] for at in rows.ats], facts, GAP)


def indents(rows: Rows, deepest: int) -> list[int]:
    """The widths of the guides that ``draw`` makes; computing them is cheaper than drawing."""
    most = max(rows.depths)
    digits = [1]  # number of digits of each depth
    while len(digits) <= most:
        digits += [len(str(len(digits)))] * min(9 * len(digits), most + 1 - len(digits))
    return [
        STEP * level
        if level <= deepest and not (turn == ONLY and level == before)
        else STEP * (min(level, deepest) - 1) + len("[] ") + digits[depth]
        for level, before, turn, depth in zip(
            rows.levels, [-1, *rows.levels], rows.turns, rows.depths, strict=False
        )
    ]


def sizes(rows: Rows, indents: list[int], names: list[str]) -> list[int]:
    """The width of the first column in each row."""
    taken = [*map(len if "".join(names).isascii() else cells, names)]
    of_names = map(taken.__getitem__, rows.ats)
    return [*map(add, map(add, indents, of_names), map(len, rows.marks))]


def sheet(
    rows: Rows,
    left: int,
    lefts: list[int],
    guides: list[str],
    names: list[str],
    facts: list[Column],
    gap: str,
    below: tuple[list[str], Column, Column] | None = None,
) -> Iterator[Line | Block]:
    """The header and the rows; ``below`` holds guides, value and gradient for a second line, if any.

    ``lefts`` are the widths of the first column in each row, and ``left`` is the largest.
    """
    ats = rows.ats
    yield ((MUTED, "node".ljust(left)), *((MUTED, fact.head(gap)) for fact in facts))
    blanks = [" " * room for room in range(left + 1)]
    ends = [mark + blanks[left - size] for mark, size in zip(rows.marks, lefts, strict=True)]
    columns = [guides, names, ends, *(fact.by_row(gap) for fact in facts)]
    styles: list[str | None] = [GUIDE, NAME, MUTED, *(fact.style for fact in facts)]
    if below is not None:
        under, value, grad = below
        right = left + sum(fact.width(gap) for fact in facts) - grad.width(gap)
        yield ((MUTED, value.head("").rjust(right) + grad.head(gap)),)
        room = {guide: max(value.width(""), right - len(guide)) for guide in set(under)}
        values = [rows.values[at].rjust(room[guide]) for at, guide in zip(ats, under, strict=True)]
        columns += [["\n"] * len(ats), under, values, grad.by_row(gap)]
        styles += [None, GUIDE, value.style, grad.style]
    start, end = 0, 1  # the root, which has no guides, is a block of its own
    while start < len(ats):
        yield Block(styles, [texts[start:end] for texts in columns])
        start, end = end, end + MOST_IN_BLOCK


def narrowed(local: str, room: int) -> str:
    """A shortened local derivative; the number after the formula is kept."""
    number = local.rpartition(" = ")[2]
    return fit_local(local, room + len(" = ") + len(number) if number != local else room)


def fit_local(local: str, room: int) -> str:
    """A local derivative of at most ``room`` columns; the value of a formula is kept if possible."""
    if len(local) <= room and local.isascii():
        return local
    formula, equals, number = local.rpartition(" = ")
    left = room - len(equals) - len(number)
    return fit(formula, left) + equals + number if equals and left >= SHORTEST_NAME else fit(local, room)


def on_two_lines(
    rows: Rows, kinds: list[Column], local: Column, value: Column, grad: Column, page: Page
) -> Iterator[Line | Block]:
    """The rows on two lines: name, op and local derivative, then value and gradient on the right."""
    ats = rows.ats
    facts = [shortened(kind) for kind in kinds if kind.widest]
    room = page.width - sum(fact.width(NARROW_GAP) for fact in facts) - len(NARROW_GAP)
    # Names get the room they need up to a limit, formulas the rest, then names what formulas leave.
    deepest = narrow_indent(page)
    lefts = sizes(rows, indents(rows, deepest), rows.names)
    spare = room - max(lefts) - local.width("")
    if spare >= STEP and max(rows.levels) > deepest:  # what is left is for deeper levels
        deepest = min(deepest + spare // STEP, DEEPEST_INDENT)
        lefts = sizes(rows, indents(rows, deepest), rows.names)
    guides, under = draw(rows, deepest, page)
    longest = max(lefts)
    if widest(rows.names) > NARROW:
        beyond = [max(cells(name) - NARROW, 0) for name in rows.names]
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
                if room - lead < SHORT_NAME:
                    return on_three_lines(rows, facts, local, value, grad, page)
                names[row] = fit(names[row], max(room - lead, SHORTEST_NAME))
                lefts[row] = lead + cells(names[row])
    left = max(len("node"), max(lefts))
    return sheet(rows, left, lefts, guides, names, [*facts, local], NARROW_GAP, (under, value, grad))


def on_three_lines(
    rows: Rows, facts: list[Column], local: Column, value: Column, grad: Column, page: Page
) -> Iterator[Line | Block]:
    """The rows on three or four lines: name; op and local derivative; value and gradient."""
    ats = rows.ats
    guides, under = draw(rows, narrow_indent(page), page)
    names = [
        fit(rows.names[at], max(page.width - len(guide) - len(mark), SHORTEST_NAME))
        for at, guide, mark in zip(ats, guides, rows.marks, strict=True)
    ]
    indent = max(map(len, under)) + len(NARROW_GAP)
    taken = indent + sum(fact.width("") for fact in facts) + len(NARROW_GAP) * len(facts)
    most = max(page.width - taken, len(LOCAL))
    if local.widest > most:
        local = Column(LOCAL, [fit_local(text, most) for text in local.texts], PLAIN)
    gaps = [""] + [NARROW_GAP] * len(facts)
    facts = [*facts, local]
    right = taken + local.width("")
    yield ((MUTED, "node"),)
    heads = [fact.head(gap) for fact, gap in zip(facts, gaps, strict=True)]
    yield ((MUTED, " " * indent + "".join(heads)),)
    ends = ["\n"] * len(ats)
    leads = [guide.ljust(indent) for guide in under]
    columns = [guides, names, rows.marks, ends, leads]
    columns += [fact.by_row(gap) for fact, gap in zip(facts, gaps, strict=True)]
    styles: list[str | None] = [GUIDE, NAME, MUTED, None, GUIDE, *(fact.style for fact in facts)]
    is_split = indent + value.width("") + grad.width(NARROW_GAP) > max(page.width, right)
    for some in ([value], [grad]) if is_split else ([value, grad],):
        first, others = some[0], some[1:]
        start = max(right - sum(fact.width(NARROW_GAP) for fact in others), indent + first.width(""))
        yield ((MUTED, first.head("").rjust(start) + "".join(fact.head(NARROW_GAP) for fact in others)),)
        room = {guide: start - len(guide) for guide in set(under)}
        texts = [first.texts[at].rjust(room[guide]) for at, guide in zip(ats, under, strict=True)]
        columns += [ends, under, texts, *(fact.by_row(NARROW_GAP) for fact in others)]
        styles += [None, GUIDE, *(fact.style for fact in some)]
    for start in range(0, len(ats), MOST_IN_BLOCK):
        yield Block(styles, [texts[start : start + MOST_IN_BLOCK] for texts in columns])


def shortened(kind: Column) -> Column:
    """The column of ops or shapes, shortened for the layout on two lines."""
    most = MOST_ON_TWO_LINES[kind.title]
    if kind.widest <= most:
        return kind
    fitting = {text: fit(text, most) for text in set(kind.texts)}
    return Column(kind.title, [fitting[text] for text in kind.texts], kind.style, kind.ats, False)
