"""The geometry of a picture, from its SVG: rectangles of cards and labels, lines as short pieces."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
PARTS = re.compile(r"([MLQC])([^MLQC]*)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
#: In so many pieces a curve is cut; each is then a few px long.
PIECES = 24

Box = tuple[float, float, float, float]
Point = tuple[float, float]


class Drawing:
    """By id: ``cards`` and ``labels`` as left, top, right, bottom; ``lines`` as points."""

    def __init__(self, svg: str) -> None:
        root = ElementTree.fromstring(svg)
        self.size = float(root.attrib["width"]), float(root.attrib["height"])
        self.cards = {group.attrib["id"]: box_of(group, "card") for group in groups(root, "node")}
        self.labels = {group.attrib["id"]: box_of(group, "frame") for group in groups(root, "edge")}
        self.lines = {
            path.attrib["id"]: points_of(path.attrib["d"])
            for path in root.iter(f"{SVG}path")
            if path.get("class") in ("wire", "wire lost")
        }

    def overlaps(self) -> list[str]:
        """Cards and labels that overlap; lines on a card between their ends, or on the label of another."""
        boxes = {**self.cards, **self.labels}
        found = [f"{a} on {b}" for a, b in combinations(boxes, 2) if overlap(boxes[a], boxes[b])]
        for line, points in self.lines.items():
            around = hull(points)
            inner = [point for point in points if far(point, points[0]) and far(point, points[-1])]
            found += [
                f"{line} behind {card}"
                for card, box in self.cards.items()
                if overlap(box, around) and any(contains(box, point) for point in inner)
            ]
            found += [
                f"{line} on {label}"
                for label, box in self.labels.items()
                if label[1:] != line[1:]
                and overlap(box, around)
                and any(contains(box, point) for point in points)
            ]
        return found

    def lost_labels(self) -> list[str]:
        """Labels through which their own line does not run."""
        return [
            label
            for label, box in self.labels.items()
            if not any(contains(box, point) for point in self.lines["w" + label[1:]])
        ]

    def outside(self) -> list[str]:
        """What leaves the canvas."""
        width, height = self.size
        boxes = {**self.cards, **self.labels, **{name: hull(points) for name, points in self.lines.items()}}
        return [
            name
            for name, (left, top, right, bottom) in boxes.items()
            if left < 0 or top < 0 or right > width or bottom > height
        ]

    def crossings(self) -> list[str]:
        """Every pair of lines that cross, except at a common end."""
        return [
            f"{a} over {b}"
            for (a, one), (b, other) in combinations(self.lines.items(), 2)
            if overlap(hull(one), hull(other))
            and any(cross(*p, *q) for p in pieces(one) for q in pieces(other))
        ]


def groups(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class", "").split()[:1] == [kind]]


def box_of(group: ElementTree.Element, kind: str) -> Box:
    rect = next(rect for rect in group.iter(f"{SVG}rect") if rect.get("class") == kind)
    x, y, width, height = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def points_of(data: str) -> list[Point]:
    """Points along a path of straight parts and Bezier curves, by de Casteljau's scheme."""
    points: list[Point] = []
    for letter, text in PARTS.findall(data):
        numbers = list(map(float, NUMBER.findall(text)))
        ends = list(zip(numbers[::2], numbers[1::2], strict=True))
        if letter == "M":
            points.append(ends[0])
            continue
        controls = [points[-1], *ends]
        for at in range(1, PIECES + 1):
            level = controls
            while len(level) > 1:
                level = [between(a, b, at / PIECES) for a, b in pairwise(level)]
            points.append(level[0])
    return points


def between(a: Point, b: Point, part: float) -> Point:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def hull(points: list[Point]) -> Box:
    across, down = zip(*points, strict=True)
    return min(across), min(down), max(across), max(down)


def contains(box: Box, point: Point) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def far(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1


def pieces(points: list[Point]) -> list[tuple[Point, Point]]:
    return list(pairwise(points))


def side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the piece from a to b crosses that from c to d at an inner point of both."""
    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
