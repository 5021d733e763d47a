"""The story of a run as tables: of values as they are made, of gradients as they flow back, of paths.

Where a table does not fit, there are sentences.
"""

from __future__ import annotations

from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import block
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
    left_out,
    muted,
    prose,
    widest,
)
from autodiff.cli.render.prose import WIDEST_PROSE, fold
from autodiff.cli.render.steps import broken
from autodiff.cli.render.trace_story import (
    LONGEST_PRODUCT,
    UNFINISHED,
    Story,
    Value,
    is_number,
    is_small_tensor,
)
from autodiff.cli.render.tree import key_lines
from autodiff.core.base.incoming import incoming
from autodiff.core.report.events import Flow, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import Any

    from autodiff.cli.render.page import Line, Page
    from autodiff.cli.render.trace_story import Event
    from autodiff.core.report.events import Make
    from autodiff.core.report.records import GradientReport

    #: A cell is a text, which may be folded, or the lines of a value.
    Row = list[str | list[str]]
    #: Header, rows, styles and alignment of a table.
    Columns = tuple[list[str], list[Row], list[str], list[bool]]

NARROWEST = 16  # texts are not folded into less
MOST_LINES = 3
NARROW_VALUE = 24  # the room of a value where a table does not fit otherwise


def trace_lines(report: GradientReport, page: Page) -> Iterator[Line]:
    """The two tables, and the paths to every input as a third."""
    story = Story(report, page)
    yield ((TITLE, "forward"),)
    yield from event_lines(story, story.events.forward, forward_table)
    names = [node.name for node in story.graph.nodes]
    yield from key_lines(story.graph, names[: page.shown_rows(len(names))], page)
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
        follows = "autodiff explain" + " --all" * (story.graph.left_out > 0)
        yield muted(f"... the paths are not followed ({follows})")


def forward_table(story: Story, events: Sequence[Make], room: int) -> Columns:
    """The table of values, each in at most ``room`` columns."""
    rows: list[Row] = []
    for made in events:
        node = story.graph.nodes[made.node]
        value = story.value_lines(node.value, room)
        rows.append([story.place(made), story.name(made.node), story.making(node), value])
    return (
        ["line", "node", "made by", "value"],
        rows,
        [MUTED, NAME, PLAIN, NUMBER],
        [True, False, False, True],
    )


def backward_table(story: Story, events: Sequence[Seed | Flow], room: int) -> Columns:
    """The table of gradients; a sum that is not complete ends in ``+ ...``.

    Of tensors what arrives is in the row of the node that it comes from, and what one node gives is the sum.
    """
    rows: list[Row] = []
    for event in events:
        total = story.value_lines(event.sum, room)
        if isinstance(event, Seed):
            rows.append([story.place(event), story.name(event.node), *[""] * 4, total])
            continue
        arriving, gives = (story.value_lines(value, room) for value in (event.arriving, event.give))
        if not event.last:
            total = [*total[:-1], total[-1] + UNFINISHED]
        texts = (story.name(story.source(event)), arriving, story.local(event), gives)
        rows.append([story.place(event), story.name(event.node), *texts, total])
    header = ["line", f"d{story.output}/d", "from", "arriving", "local", "gives", "sum"]
    styles = [MUTED, NAME, PLAIN, NUMBER, PLAIN, NUMBER, GRADIENT]
    right = [True, False, False, True, False, True, True]
    shown = list(range(len(header)))
    flows = [event for event in events if isinstance(event, Flow)]
    if not all(is_number(flow.sum) for flow in flows):
        shown.remove(3)
        if all(flow.before is None and flow.last for flow in flows):
            shown.remove(5)
    return (
        [header[at] for at in shown],
        [[row[at] for at in shown] for row in rows],
        [styles[at] for at in shown],
        [right[at] for at in shown],
    )


def paths_table(story: Story, events: Sequence[PathProduct], room: int) -> Columns:
    """The table of paths, with the sum over those to an input where there are several."""
    header = ["to", "product along the path", "contributes", "sum so far"]
    rows: list[Row] = [
        [
            story.name(path.wrt),
            fit(path.symbol, LONGEST_PRODUCT),
            story.value_lines(path.product, room),
            story.value_lines(path.so_far, room),
        ]
        for path in events
    ]
    styles, right = [NAME, PLAIN, NUMBER, GRADIENT], [False, False, True, True]
    shown = 4 if len({path.wrt for path in events}) < len(rows) else 3
    return header[:shown], [row[:shown] for row in rows], styles[:shown], right[:shown]


def event_lines(
    story: Story, events: Sequence[Any], table: Callable[[Story, Sequence[Any], int], Columns]
) -> Generator[Line, None, bool]:
    """Events as a table, or as sentences where it is too wide; only some are shown if there are many.

    Return whether there is a table.
    """
    shown = events[: story.page.shown_rows(len(events))]
    fitted = fitted_table(story, shown, table)
    if fitted is not None:
        yield from fitted.lines()
    else:
        for event in shown:
            yield from sentence_lines(story, event)
    if len(shown) < len(events):
        yield left_out(len(events) - len(shown), "row", indent=0)
    return fitted is not None


def fitted_table(
    story: Story, events: Sequence[Event], table: Callable[[Story, Sequence[Any], int], Columns]
) -> Table | None:
    """The table with values shortened and texts folded as far as necessary; None if it is still too wide."""
    page = story.page
    least = max(NARROW_VALUE, *(width_with_two_digits(value) for value in values_of(story, events)), 0)
    for room, may_fold in (
        (page.width, False),
        (page.width // 2, False),
        (page.width // 2, True),
        (least, True),
    ):
        if room < least:
            continue
        header, rows, styles, right = table(story, events, room)
        widths = [widest_of(title, [row[at] for row in rows]) for at, title in enumerate(header)]
        texts = [at for at, is_right in enumerate(right) if not is_right]
        excess = INDENT + sum(widths) + len(GAP) * (len(widths) - 1) - page.width
        if excess > may_fold * sum(max(widths[at] - NARROWEST, 0) for at in texts):
            continue
        for _ in range(excess):
            widths[max(texts, key=widths.__getitem__)] -= 1
        made = [[folded(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]
        titles = [fit(title, width) for title, width in zip(header, widths, strict=True)]
        return Table(titles, made, styles, right)
    return None


def values_of(story: Story, events: Sequence[Event]) -> Iterator[Any]:
    """The values that the events show."""
    for event in events:
        yield from (piece.value for piece in story.pieces(event) if isinstance(piece, Value))


def width_with_two_digits(value: Any) -> int:
    """The width of a small matrix with two digits; 0 for other values."""
    return len(block(value, 2)[0]) if is_small_tensor(value) and value.ndim == 2 else 0


def widest_of(title: str, cells_of: Sequence[str | list[str]]) -> int:
    """The width of a column."""
    return widest(
        [title, *(line for cell in cells_of for line in ([cell] if isinstance(cell, str) else cell))]
    )


def folded(cell: str | list[str], width: int) -> list[str]:
    """The lines of a cell: a value as it is, a text on as few as possible, which are at most three."""
    return broken(fit(cell, MOST_LINES * width), width) if isinstance(cell, str) else cell


def sentence_lines(story: Story, event: Event) -> Iterator[Line]:
    """An event in words, folded beside its line; small tensors are below the words before them."""
    place = "" if isinstance(event, PathProduct) else story.place(event)
    start = f"line {place}: " if place else ""
    width = min(story.page.width, WIDEST_PROSE)
    for indent in (len(start), INDENT, 0):  # less where a word is too long to stand beside the line
        lines = piece_lines(story, event, width - indent)
        if max(map(cells, lines)) <= width - indent:
            break
    else:
        lines = [part for line in lines for part in broken(line, width)]
    if indent < len(start):
        yield ((PLAIN, start.rstrip()),)
        start = ""
    for at, line in enumerate(lines):
        yield ((PLAIN, (start if start and not at else " " * indent) + line),)


def piece_lines(story: Story, event: Event, room: int) -> list[str]:
    """The words of an event and the small tensors between them, as lines."""
    said = ""
    lines: list[str] = []
    for piece in story.pieces(event):
        if isinstance(piece, str):
            said += piece if said or not lines else piece.lstrip(",; ")
            continue
        below = story.value_lines(piece.value, room)
        before = fold(said.rstrip(" "), room)
        is_vector = is_small_tensor(piece.value)  # its line is not broken
        if len(below) > 1 or (is_vector and cells(before[-1]) + 1 + cells(below[0]) > room):
            lines += [*before, *below]
            said = ""
        else:
            said += below[0]
    return lines + (fold(said, room) if said else [])


def remarks(story: Story, is_table: bool) -> Iterator[Line]:
    """What dots and ``G`` in the table of gradients mean, if they are there."""
    flows = [event for event in story.events.backward if isinstance(event, Flow)]
    said = []
    if is_table and any(not flow.last for flow in flows):
        said.append(f"{UNFINISHED.strip()} behind a sum: more gradients arrive below.")
    if is_table and any(flow.local is None for flow in flows):
        said.append(f"{incoming.letter} is the gradient that arrives.")
    if story.graph.left_out:
        said.append(f"{story.graph.left_out:,} older nodes are left out (--all shows them).")
    if said:
        yield EMPTY
        yield from prose(" ".join(said), story.page.width)


def left_out_paths(story: Story) -> Iterator[Line]:
    """How many paths and inputs the table leaves out."""
    derivations = story.report.derivations
    paths = sum(derivation.count - len(derivation.paths) for derivation in derivations)
    if paths:
        yield left_out(paths, "path", "autodiff explain", 0)
    inputs = len(story.report.gradients) - len(derivations)
    if inputs:
        yield left_out(inputs, "input", "autodiff explain", 0)
