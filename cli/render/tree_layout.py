"""Where the columns of a tree stand: side by side where the page is wide enough for them.

On a narrower page names and formulas are shortened; where that is not enough, value and gradient move to a
line of their own below each node. Nodes and numbers are never left out.
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
    Page,
    align,
    fit,
    quotient,
    widest,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodiff.cli.render.page import Line

NARROWEST_TREE = 21
NARROW = 24  # how long names and formulas may be on a narrow page
WIDEST_OP, WIDEST_SHAPE = 10, 12  # on two lines
SHORTEST_NAME = 8
NARROW_GAP = "  "
STEP = 3  # the columns of a guide's last step
LOCAL = "d parent/d node"


class Row:
    """One line of the tree: guides, name and mark, then op, shape, value, local derivative and gradient."""

    __slots__ = ("cells", "guide", "mark", "name")

    def __init__(self, guide: str, name: str, mark: str, cells: tuple[str, str, str, str, str]) -> None:
        self.guide = guide
        self.name = name
        self.mark = mark
        self.cells = cells


def layout(
    rows: Sequence[Row], output: str, has_shapes: bool, page: Page, draw_again: Callable[[], list[str]]
) -> Iterator[Line]:
    """The rows under their header; ``draw_again`` gives the guides of a tree that indents less."""
    columns = unaligned(rows, quotient(output, "node", page.width), has_shapes, NARROWEST_TREE)
    if width_of(columns, GAP) <= page.width:
        yield from side_by_side(rows, aligned(columns, has_shapes), has_shapes, GAP)
        return
    heading = quotient(output, "node", len(LOCAL))
    narrow = [narrowed(row) for row in rows]
    columns = unaligned(narrow, heading, has_shapes, 0)
    if width_of(columns, NARROW_GAP) <= page.width:
        yield from side_by_side(narrow, aligned(columns, has_shapes), has_shapes, NARROW_GAP)
    else:
        yield from on_two_lines(rows, draw_again(), heading, page)


def unaligned(rows: Sequence[Row], heading: str, has_shapes: bool, narrowest: int) -> list[Sequence[str]]:
    """The columns with their headings."""
    lefts = ["node".ljust(narrowest), *(row.guide + row.name + row.mark for row in rows)]
    op, shape, value, local, grad = zip(*(row.cells for row in rows), strict=True)
    return [
        lefts,
        ("op", *op),
        *([("shape", *shape)] if has_shapes else []),
        ("value", *value),
        (LOCAL, *local),
        (heading, *grad),
    ]


def aligned(columns: Sequence[Sequence[str]], has_shapes: bool) -> list[list[str]]:
    """The columns padded: a graph may have a million rows, and aligning a list is quick."""
    lefts = 3 if has_shapes else 2
    return [align(column, at >= lefts) for at, column in enumerate(columns)]


def width_of(columns: Sequence[Sequence[str]], gap: str) -> int:
    return sum(map(widest, columns)) + len(gap) * (len(columns) - 1)


def side_by_side(
    rows: Sequence[Row], columns: Sequence[Sequence[str]], has_shapes: bool, gap: str
) -> Iterator[Line]:
    styles = (MUTED, *([MUTED] if has_shapes else []), NUMBER, PLAIN, GRADIENT)
    lines = zip(*columns, strict=True)
    yield tuple((MUTED, text if not at else gap + text) for at, text in enumerate(next(lines)))
    for row, (left, *texts) in zip(rows, lines, strict=True):
        yield (
            *parted(row, left),
            *[(style, gap + text) for style, text in zip(styles, texts, strict=True)],
        )


def parted(row: Row, left: str) -> Line:
    """The first column of a row in its three styles."""
    start, end = len(row.guide), len(row.guide) + len(row.name)
    return ((GUIDE, left[:start]), (NAME, left[start:end]), (MUTED, left[end:]))


def narrowed(row: Row) -> Row:
    """A row with a shorter name and a shorter formula; the number behind the formula stays."""
    op, shape, value, local, grad = row.cells
    number = local.rpartition(" = ")[2]
    room = NARROW + len(" = ") + len(number) if number != local else NARROW
    return Row(row.guide, fit(row.name, NARROW), row.mark, (op, shape, value, fit_local(local, room), grad))


def fit_local(local: str, room: int) -> str:
    """A local derivative of no more than ``room`` columns; what a formula comes to is kept if possible."""
    if len(local) <= room and local.isascii():
        return local
    formula, equals, number = local.rpartition(" = ")
    left = room - len(equals) - len(number)
    return fit(formula, left) + equals + number if equals and left >= SHORTEST_NAME else fit(local, room)


def on_two_lines(rows: Sequence[Row], guides: Sequence[str], heading: str, page: Page) -> Iterator[Line]:
    """What a node is on one line, its value and gradient below it on the right."""
    has_shapes = any(row.cells[1] for row in rows)
    leads = [len(guide + row.mark) for row, guide in zip(rows, guides, strict=True)]
    names_of_ops = {op: fit(op, WIDEST_OP) for op in {row.cells[0] for row in rows}}
    ops = align(["op", *(names_of_ops[row.cells[0]] for row in rows)], False)
    shapes = align(["shape", *(fit(row.cells[1], WIDEST_SHAPE) for row in rows)], False)
    kinds = [ops, shapes] if has_shapes else [ops]
    room = page.width - sum(cells(column[0]) + len(NARROW_GAP) for column in kinds) - len(NARROW_GAP)
    # Names have the room they want up to a point, formulas what is left, names the rest of that.
    longest = max(lead + min(cells(row.name), NARROW) for row, lead in zip(rows, leads, strict=True))
    locals_ = [fit_local(row.cells[3], max(room - longest, len(LOCAL))) for row in rows]
    room -= max(len(LOCAL), *map(cells, locals_))
    narrow = [
        Row(guide, fit(row.name, max(room - lead, SHORTEST_NAME)), row.mark, row.cells)
        for row, guide, lead in zip(rows, guides, leads, strict=True)
    ]
    facts = [*kinds, align([LOCAL, *locals_], True)]
    value = align(["value", *(row.cells[2] for row in rows)], True)
    grad = align([heading, *(row.cells[4] for row in rows)], True)
    lefts = align(["node", *(row.guide + row.name + row.mark for row in narrow)], False)
    width = width_of([lefts, *facts], NARROW_GAP)
    styles = (*[MUTED] * len(kinds), PLAIN)
    header: Line = tuple((MUTED, NARROW_GAP + column[0]) for column in facts)
    yield ((MUTED, lefts[0]), *header)
    yield ((MUTED, (value[0] + NARROW_GAP + grad[0]).rjust(width)),)
    for at, row in enumerate(narrow, 1):
        yield (
            *parted(row, lefts[at]),
            *[(style, NARROW_GAP + column[at]) for style, column in zip(styles, facts, strict=True)],
        )
        below = going_on(row.guide)
        room = width - cells(below) - len(NARROW_GAP) - cells(grad[at])
        yield ((GUIDE, below), (NUMBER, value[at].rjust(room)), (GRADIENT, NARROW_GAP + grad[at]))


def going_on(guide: str) -> str:
    """The guides of the line below a row: those that lead further down."""
    if guide.endswith("] "):  # the number of a depth
        return guide[: guide.rindex("[")]
    last = guide[-STEP:]
    if last.startswith(("|-", "├─")):
        return guide[:-STEP] + last[0].replace("├", "│") + " " * (STEP - 1)
    return guide[:-STEP] + " " * min(STEP, len(guide))
