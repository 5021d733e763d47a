"""Tall pictures as columns side by side: a chain of fifty steps then fits a screen and can be read.

A layout is cut between two rows where few lines cross. The part with the output is at the left. A line that
is cut goes on from the top of a column, down beside it and to the bottom of the one before.
"""

from __future__ import annotations

from itertools import pairwise

from autodiff.cli.pictures.layout import LABEL_HEIGHT, MARGIN, Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.cli.pictures.layout import Point

#: From this height in px on, and so many times as high as wide, a picture is cut.
TALL, SLENDER = 1500.0, 3.0
#: The columns together are about so many times as wide as high.
ASPECT = 1.4
#: No column is more than so many times as high as if all were equal.
UNEVEN = 1.5
#: More lines are not cut at one place. They are so far apart in px beside and above the columns.
MOST_CUT, APART = 3, 12.0
#: Between a column and the lines around it, in px.
CLEAR = 14.0
AROUND = CLEAR + MOST_CUT * APART


def in_columns(layout: Layout, boxes: Sequence[tuple[float, float]], labels: Sequence[float]) -> Layout:
    """The layout in columns if it is tall and slender and can be cut; else as it is.

    ``boxes`` are the sizes of the boxes, ``labels`` the widths of the labels on the edges, 0 for none.
    """
    if layout.height < max(TALL, SLENDER * layout.width):
        return layout
    cuts = find_cuts(layout, boxes, labels)
    return Columns(layout, boxes, labels, cuts).layout() if cuts else layout


def find_cuts(layout: Layout, boxes: Sequence[tuple[float, float]], labels: Sequence[float]) -> list[float]:
    """The heights at which the layout is cut; empty if columns would be very uneven."""
    half = LABEL_HEIGHT / 2
    rows = [(y, y + height) for (_, y), (_, height) in zip(layout.corners, boxes, strict=True)]
    rows += [(y - half, y + half) for (_, y), width in zip(layout.anchors, labels, strict=True) if width]
    gaps = []
    reach = layout.height
    for top, bottom in sorted(rows):
        if reach < top:
            gaps.append((reach + top) / 2)
        reach = bottom if reach == layout.height else max(reach, bottom)
    free = [gap for gap in gaps if lines_at(layout, gap) <= MOST_CUT]
    count = round((ASPECT * layout.height / layout.width) ** 0.5)
    height = layout.height / count
    if not free:
        return []
    cuts = sorted({min(free, key=lambda gap: abs(gap - at * height)) for at in range(1, count)})
    ends = [0.0, *cuts, layout.height]
    return cuts if max(b - a for a, b in pairwise(ends)) <= UNEVEN * height else []


def lines_at(layout: Layout, y: float) -> int:
    """How many lines cross a height."""
    return sum(min(a, b) <= y < max(a, b) for route in layout.routes for (_, a), (_, b) in pairwise(route))


class Columns:
    """Moves what is between two cuts to a column of its own."""

    def __init__(
        self,
        whole: Layout,
        boxes: Sequence[tuple[float, float]],
        labels: Sequence[float],
        cuts: Sequence[float],
    ) -> None:
        self.whole = whole
        self.cuts = cuts
        sides: list[list[float]] = [[] for _ in range(len(cuts) + 1)]
        for (x, y), (width, _) in zip(whole.corners, boxes, strict=True):
            sides[self.column(y)] += (x, x + width)
        for (x, y), width in zip(whole.anchors, labels, strict=True):
            if width:
                sides[self.column(y)] += (x - width / 2, x + width / 2)
        #: By cut: the lines that are cut there, from the left.
        self.lines: list[list[tuple[float, int]]] = [[] for _ in cuts]
        for at, route in enumerate(whole.routes):
            before = -1
            for column, part in self.parts(route):
                sides[column] += (x for x, _ in part)
                if before >= 0:
                    self.lines[min(before, column)].append((part[0][0], at))
                before = column
        for lines in self.lines:
            lines.sort()
        self.tops = [0.0, *cuts]
        self.lefts: list[float] = []
        self.moves: list[float] = []
        left = MARGIN
        for xs in sides:
            self.lefts.append(left)
            self.moves.append(left - min(xs))
            left += max(xs) - min(xs) + 2 * AROUND
        self.width = left - 2 * AROUND + MARGIN

    def column(self, y: float) -> int:
        return sum(cut <= y for cut in self.cuts)

    def layout(self) -> Layout:
        """The whole in columns."""
        whole = self.whole
        ends = [*self.cuts, whole.height]
        height = max(b - a for a, b in zip(self.tops, ends, strict=True)) + 2 * AROUND
        return Layout(
            round(self.width, 1),
            round(height, 1),
            [self.place(point, self.column(point[1])) for point in whole.corners],
            [self.route(at, route) for at, route in enumerate(whole.routes)],
            [self.place(point, self.column(point[1])) for point in whole.anchors],
            whole.fingerprint,
        )

    def place(self, point: Point, column: int) -> Point:
        """Where a point of a column is."""
        x, y = point
        return round(x + self.moves[column], 1), round(y - self.tops[column] + AROUND, 1)

    def parts(self, route: Sequence[Point]) -> Iterator[tuple[int, list[Point]]]:
        """A route in parts, each with its column."""
        part, column = [route[0]], self.column(route[0][1])
        for (a, b), (c, d) in pairwise(route):
            wanted = self.column(d)
            step = 1 if wanted > column else -1
            while column != wanted:
                cut = self.cuts[min(column, column + step)]
                middle = (a + (c - a) * (cut - b) / (d - b), cut)
                yield column, [*part, middle]
                part, column = [middle], column + step
            part.append((c, d))
        yield column, part

    def route(self, at: int, route: Sequence[Point]) -> list[Point]:
        """A route with the lines that join its parts."""
        points: list[Point] = []
        before = -1
        for column, part in self.parts(route):
            placed = [self.place(point, column) for point in part]
            if points:
                first, last = (placed[0], points[-1]) if column > before else (points[-1], placed[0])
                joint = self.joint(at, max(column, before), first, last)
                points += joint if column < before else reversed(joint)
            points += placed
            before = column
        return points

    def joint(self, at: int, right: int, top: Point, bottom: Point) -> list[Point]:
        """The corners of a line from the ``top`` of a column to the ``bottom`` of that at its left.

        Above a column a line is over those at its left, and below it under those at its right: none cross.
        """
        order = [line for _, line in self.lines[right - 1]]
        above = CLEAR + APART * order.index(at)
        below = CLEAR + APART * order[::-1].index(at)
        x = round(self.lefts[right] - above, 1)
        return [
            (top[0], round(top[1] - above, 1)),
            (x, round(top[1] - above, 1)),
            (x, round(bottom[1] + below, 1)),
            (bottom[0], round(bottom[1] + below, 1)),
        ]
