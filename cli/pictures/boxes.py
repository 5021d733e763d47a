"""Boxes of a page that open and close: calls of functions, passes of loops, and what else is folded.

Each state of the boxes is a drawing of its own, made beforehand: as the picture is at first, with all boxes
closed, with one of them open, with two, and so on while there is room.
"""

from __future__ import annotations

from itertools import combinations

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
#: Cards of a drawing with closed boxes: to place more of them may take seconds.
MOST_CLOSED = 60
EMPTY: Mapping[int, int] = {}
AS_DRAWN, ALL_CLOSED = "as drawn", "all boxes closed"


class Drawing(Record):
    """One state of the boxes: what is drawn, and how its run is described. ``name`` says which state it is.

    ``opens`` has for each card of a box that can be opened the number of the drawing in which it is open,
    ``closes`` for each card in an open box that of the drawing in which it is closed.
    """

    view: View
    picture: Picture
    steps: Sequence[Step]
    name: str
    opens: Mapping[int, int] = EMPTY
    closes: Mapping[int, int] = EMPTY


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
    whole = frozenset(range(len(folds)))
    is_whole = all(not is_fold(group, first.view) for group in folds)
    drawn = {whole if is_whole else frozenset(): first}
    room = MOST_MORE
    for open_ones in states(len(folds)):
        if open_ones in drawn:
            continue
        made = [group for group in groups if group not in folds]
        made += [[id] for at in open_ones for id in folds[at]]
        made += [group for at, group in enumerate(folds) if at not in open_ones]
        room -= len(made)
        if room < 0:
            break
        called = [name_of(group, graph, names) if len(group) > 1 else "" for group in made]
        view = regroup(graph, events, made, called, "")
        opened = " and ".join(name_of(folds[at], graph, names) for at in sorted(open_ones))
        drawn[open_ones] = drawing_of(view, page, nodes, f"open: {opened}" if opened else ALL_CLOSED)
    if len(drawn) == 1 or frozenset() not in drawn:
        return [first]
    numbers = {open_ones: at for at, open_ones in enumerate(drawn)}
    for open_ones, one in drawn.items():
        one.opens = dict(cards_that_open(one.view, folds, open_ones, numbers))
        if one is not first:
            one.closes = dict(cards_that_close(one.view, folds, open_ones, numbers))
    return list(drawn.values())


def states(count: int) -> Iterator[frozenset[int]]:
    """Which of so many boxes are open: none, each alone, each two, and so on."""
    for size in range(count + 1):
        yield from map(frozenset, combinations(range(count), size))


def cards_that_open(
    view: View,
    folds: Sequence[Sequence[int]],
    open_ones: frozenset[int],
    numbers: Mapping[frozenset[int], int],
) -> Iterator[tuple[int, int]]:
    """The cards of closed boxes, with the number of the drawing in which the box is open, too.

    Where there is none, that in which it alone is open.
    """
    for at, group in enumerate(folds):
        card = view.shown[group[-1]]
        number = numbers.get(open_ones | {at}, numbers.get(frozenset({at})))
        if at not in open_ones and card is not None and number is not None:
            yield card, number


def cards_that_close(
    view: View,
    folds: Sequence[Sequence[int]],
    open_ones: frozenset[int],
    numbers: Mapping[frozenset[int], int],
) -> Iterator[tuple[int, int]]:
    """The cards in open boxes, with the number of the drawing in which the box is closed, or all are."""
    for at in open_ones:
        number = numbers.get(open_ones - {at}, numbers[frozenset()])
        yield from ((card, number) for id in folds[at] if (card := view.shown[id]) is not None)


def drawing_of(view: View, page: Page, nodes: str, name: str) -> Drawing:
    """The picture of a view and its steps."""
    picture = make_picture(view.graph, page, nodes)
    return Drawing(view, picture, make_steps(view.graph, view.events, page), name)


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
