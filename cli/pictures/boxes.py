"""Boxes of a page that open and close: calls of functions, passes of loops, and what else is folded.

Each state of the boxes is a drawing of its own, made beforehand: as the picture is at first, with all boxes
closed, and with one of them open.
"""

from __future__ import annotations

from autodiff.cli.pictures.fold import View, construct_of, name_of, regroup, runs
from autodiff.cli.pictures.picture import Picture, make_picture
from autodiff.cli.pictures.story import Step, make_steps
from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from autodiff.cli.pictures.fold import Construct
    from autodiff.cli.render.page import Page
    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph

#: Cards in all drawings but the first: each takes about 3 kB of the page.
MOST_MORE = 200
#: Where more cards are closed boxes and nodes beside them, placing one drawing may take seconds.
MOST_CLOSED = 60
AS_DRAWN, ALL_CLOSED = "as drawn", "all boxes closed"


class Drawing(Record):
    """One state of the boxes: what is drawn, and how its run is told. ``name`` says which state it is.

    ``inside`` are the cards of the open box. ``opens`` has for each card of a box that can be opened the
    number of the drawing in which it is open.
    """

    view: View
    picture: Picture
    steps: Sequence[Step]
    name: str
    inside: tuple[int, ...]
    opens: Mapping[int, int]


def draw_boxes(
    graph: Graph,
    events: Events,
    constructs: Sequence[Construct],
    kept: Sequence[int],
    first: Drawing,
    page: Page,
    nodes: str,
) -> list[Drawing]:
    """The drawings of a page: ``first``, then those with boxes closed and open, as many as there is room for.

    ``nodes`` is what the nodes are: ``ops``, ``tensors`` or empty.
    """
    groups, names = closed_boxes(graph, constructs, kept, first.view)
    folds = [group for group in groups if len(group) > 1]
    if not folds or len(groups) > MOST_CLOSED:
        return [first]
    drawn = [first]
    is_whole = all(not is_fold(group, first.view) for group in folds)

    def add(open_box: Sequence[int], name: str) -> int:
        """Draw the closed boxes, one of them opened; the number of the drawing, 0 if there is no room."""
        made = [group for group in groups if group is not open_box] + [[id] for id in open_box]
        called = [name_of(group, graph, names) if len(group) > 1 else "" for group in made]
        used = sum(len(one.view.graph.nodes) for one in drawn[1:])
        if used + len(made) > MOST_MORE:
            return 0
        view = regroup(graph, events, made, called, "")
        inside = tuple(one for id in open_box if (one := view.shown[id]) is not None)
        drawn.append(drawing_of(view, page, nodes, name, inside))
        return len(drawn) - 1

    if is_whole and not add((), ALL_CLOSED):
        return [first]
    opened: dict[int, int] = {}
    for group in folds:
        is_all = is_whole and len(folds) == 1
        number = 0 if is_all else add(group, f"open: {name_of(group, graph, names)}")
        if is_all or number:
            opened[group[-1]] = number
    for one in drawn:
        one.opens = dict(opens_of(one.view, opened, folds))
    return drawn


def drawing_of(
    view: View, page: Page, nodes: str, name: str = AS_DRAWN, inside: tuple[int, ...] = ()
) -> Drawing:
    """The picture of a view and its steps."""
    picture = make_picture(view.graph, page, nodes)
    return Drawing(view, picture, make_steps(view.graph, view.events, page), name, inside, {})


def closed_boxes(
    graph: Graph, constructs: Sequence[Construct], kept: Sequence[int], view: View
) -> tuple[list[list[int]], list[str]]:
    """The groups of nodes when all boxes are closed, and the construct of each node of the graph.

    They are those of the view if it is folded, else calls of functions and passes of loops.
    """
    names = [construct_of(node, constructs) for node in graph.nodes]
    by_card: dict[int, list[int]] = {}
    for id in kept:
        card = view.shown[id]
        assert card is not None
        by_card.setdefault(card, []).append(id)
    if any(len(group) > 1 for group in by_card.values()):
        return list(by_card.values()), names
    return list(runs(graph, kept, names)), names


def is_fold(group: Sequence[int], view: View) -> bool:
    """Whether a group is one card of a view."""
    return len({view.shown[id] for id in group}) == 1


def opens_of(
    view: View, opened: Mapping[int, int], folds: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """The cards of closed boxes that can be opened, with the number of the drawing in which they are open."""
    for group in folds:
        card = view.shown[group[-1]]
        if card is not None and group[-1] in opened and is_fold(group, view):
            yield card, opened[group[-1]]
