"""A report's graph in each format of pictures."""

from __future__ import annotations

from autodiff.cli.pictures.picture import make_picture
from autodiff.cli.pictures.svg import Scene, svg_text
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.cli.pictures.story import Step
    from autodiff.cli.render.page import Page
    from autodiff.core.base.source import Source
    from autodiff.core.report.records import GradientReport


#: More nodes take minutes to place, and nobody could read them.
MOST_NODES = 600
#: Each frame takes a tenth of a second to draw.
MOST_FRAMES = 400


def draw(report: GradientReport, form: str, page: Page, source: Source) -> str | bytes:
    """The picture as ``svg``, ``png`` or ``gif``, or the page ``html`` of the script ``source``.

    Raises UsageError if a library is missing, for more than ``MOST_NODES`` nodes or ``MOST_FRAMES`` frames.
    """
    graph = report.graph
    assert graph is not None
    if len(graph.nodes) > MOST_NODES:
        raise UsageError(
            f"a picture of {len(graph.nodes):,} nodes would be too large; {MOST_NODES} are allowed",
            code="E0610",
            help=("name an earlier result with --of, or a file of another format: -o graph.dot",),
        )
    if form == "svg":
        return svg_text(make_picture(graph, page))
    if form == "html":
        from autodiff.cli.pictures.page import html_text

        return html_text(report, make_picture(graph, page), source, page)
    if form == "png":
        from autodiff.cli.pictures.png import FONT, png_bytes

        picture = make_picture(graph, page)
        return png_bytes(svg_text(picture, fonts=FONT), picture.width, picture.height)
    from autodiff.cli.pictures.gif import gif_bytes
    from autodiff.cli.pictures.story import make_steps

    assert report.events is not None
    scenes = scenes_of(make_steps(graph, report.events, page), len(graph.nodes))
    if len(scenes) > MOST_FRAMES:
        raise UsageError(
            f"an animation of {len(scenes):,} frames is too long; {MOST_FRAMES} are allowed",
            code="E0610",
            help=("name an earlier result with --of, or write a picture: --format svg",),
        )
    return gif_bytes(make_picture(graph, page), scenes)


def scenes_of(steps: Sequence[Step], nodes: int) -> list[Scene]:
    """The scenes of an animation: a node more in each of the first, a gradient more in each of the others.

    ``nodes`` is the number of nodes.
    """
    from autodiff.cli.pictures.story import BACKWARD, FORWARD

    scenes: list[Scene] = []
    grads: dict[int, str] = {}
    for at, step in enumerate(steps):
        if step.phase == FORWARD:
            scenes.append(Scene(at + 1, {}, step.node, step.edges, False, step.says))
        elif step.phase == BACKWARD:
            grads = {**grads, step.node: f"∂ {step.grad}"}
            scenes.append(Scene(nodes, grads, step.node, step.edges, True, step.says))
    return scenes
