"""Positions for boxes and routes for edges, by the library graphlay. No other module calls it.

The library is imported on first use: only pictures need it. A label is a box between its two ends, so that it
stands on its line and nothing runs behind it. The library places layers from the top down with sources
first; here y is mirrored, so that the output of a computation is on top and y grows downwards, as in SVG.
"""

from __future__ import annotations

from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Point = tuple[float, float]

#: How long the library searches for a good order, by the number of boxes: thousands take seconds, too.
EFFORTS = (("thorough", 200), ("balanced", 600), ("fast", 1 << 62))
MARGIN = 18.0
LABEL_HEIGHT = 18.0
#: Options of the library. ``facing_only`` keeps edges from leaving a box at its side: they ran behind others.
OPTIONS = {
    "direction": "topbottom",
    "coords": {"placement": "network_simplex"},
    "routing": {"style": "diagonal", "port_sides": "facing_only"},
    "spacing": {"layer_gap": 24.0, "node_gap": 26.0},
}


class Layout:
    """Where everything is, in px.

    ``corners`` are the left and top of the boxes, ``routes`` the lines of the edges from source to target,
    ``anchors`` the centres of the labels. ``width`` and ``height`` are those of the canvas.

    ``fingerprint`` identifies the layout; it is the same on every platform.
    """

    __slots__ = ("anchors", "corners", "fingerprint", "height", "routes", "width")

    def __init__(
        self,
        width: float,
        height: float,
        corners: list[Point],
        routes: list[list[Point]],
        anchors: list[Point],
        fingerprint: str,
    ) -> None:
        self.width = width
        self.height = height
        self.corners = corners
        self.routes = routes
        self.anchors = anchors
        self.fingerprint = fingerprint


def place(
    boxes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]], labels: Sequence[float]
) -> Layout:
    """The layout of ``boxes`` (width, height) and ``edges`` (from box, to box), which have no cycle.

    ``labels`` are the widths of the labels on the edges, 0 for none.
    Raises UsageError if the library is missing.
    """
    graphlay = import_library()
    graph = graphlay.Graph()
    for width, height in boxes:
        graph.node(width=width, height=height)
    middles = []
    for (source, target), width in zip(edges, labels, strict=True):
        if width:
            middles.append(graph.node(width=width, height=LABEL_HEIGHT))
            graph.edge(source, middles[-1])
            graph.edge(middles[-1], target)
        else:
            middles.append(-1)
            graph.edge(source, target)
    effort = next(effort for effort, most in EFFORTS if len(graph.nodes) <= most)
    made = graphlay.layout(graph, options={**OPTIONS, "effort": effort})
    left, top = made.bounds["min"]["x"] - MARGIN, made.bounds["max"]["y"] + MARGIN

    def point(at: dict[str, float]) -> Point:
        return round(at["x"] - left, 1), round(top - at["y"], 1)

    corners = []
    for (width, height), node in zip(boxes, made.nodes, strict=False):
        x, y = point(node["center"])
        corners.append((round(x - width / 2, 1), round(y - height / 2, 1)))
    lines = ([point(at) for at in edge["points"]] for edge in made.edges)
    return Layout(
        round(made.bounds["max"]["x"] - left + MARGIN, 1),
        round(top - made.bounds["min"]["y"] + MARGIN, 1),
        corners,
        [next(lines) + (next(lines) if middle >= 0 else []) for middle in middles],
        [point(made.nodes[middle]["center"]) if middle >= 0 else (0.0, 0.0) for middle in middles],
        made.fingerprint(),
    )


def import_library() -> Any:
    try:
        import graphlay
    except ImportError:
        raise missing_library("graphlay") from None
    return graphlay


#: What works without the libraries of pictures.
WITHOUT_LIBRARY = "the formats tree, json, dot and mermaid need no library"


def missing_library(library: str, others: str = WITHOUT_LIBRARY) -> UsageError:
    """The error for a library that is missing; ``others`` says what works without."""
    return UsageError(
        f"a picture needs the library {library}, which is not installed",
        code="E0620",
        help=(
            "in autodiff's own folder, this installs all that pictures need:"
            " python -m pip install '.[pictures]'",
            others,
        ),
    )
