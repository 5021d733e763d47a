"""A report's graph in each format of pictures."""

from __future__ import annotations

from autodiff.cli.pictures.fold import lost_edges, part_of, view_of
from autodiff.cli.pictures.picture import make_picture
from autodiff.cli.pictures.story import BACKWARD, FORWARD, PATHS, make_steps
from autodiff.cli.pictures.svg import Scene, svg_text
from autodiff.core.base.errors import UsageError
from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.cli.pictures.fold import Construct
    from autodiff.cli.pictures.story import Step
    from autodiff.cli.render.page import Page
    from autodiff.core.base.source import Source
    from autodiff.core.report.records import GradientReport


#: More nodes take minutes to place, and nobody could read them.
MOST_NODES = 600
#: Cards in all frames of an animation: painting one takes about 3 ms.
MOST_PAINTED = 6_000


class Request(Record):
    """What is asked for: the format, the view (``ops``, ``tensors`` or empty) and which nodes.

    ``around`` is a name or empty, ``depth`` a number of edges or 0; ``fold`` nodes are the most unfolded.
    ``of_inputs`` leaves out what leads to no input.
    """

    form: str
    view: str
    around: str
    depth: int
    fold: int
    of_inputs: bool = False


def draw(
    report: GradientReport, asked: Request, page: Page, source: Source, constructs: Sequence[Construct]
) -> tuple[str | bytes, str]:
    """The picture or page of a report with a graph and its events, and a note on what is folded.

    Raises UsageError if a library is missing, for more than ``MOST_NODES`` nodes, and for an animation of
    more than ``MOST_PAINTED`` nodes times frames.
    """
    whole = report.graph
    assert whole is not None
    assert report.events is not None
    kept = part_of(whole, asked.around, asked.depth, asked.of_inputs)
    view = view_of(whole, report.events, constructs, kept, asked.fold)
    graph = view.graph
    if len(graph.nodes) > MOST_NODES:
        raise UsageError(
            f"a picture of {len(graph.nodes):,} nodes would be too large; {MOST_NODES} are allowed",
            code="E0610",
            help=("leave --fold 0 out", "name an earlier result with --of, or one with --around"),
        )
    steps = make_steps(graph, view.events, page)
    frames = sum(step.phase != PATHS for step in steps)
    painted = len(graph.nodes) * frames
    if asked.form == "gif" and painted > MOST_PAINTED:
        raise UsageError(
            f"an animation of {len(graph.nodes):,} nodes in {frames:,} frames is too large; nodes times"
            f" frames may be {MOST_PAINTED:,}, not {painted:,}",
            code="E0610",
            help=(
                "fold it: --fold 40, or draw a part: --around NAME",
                "a page plays a graph of any length: -o graph.html",
            ),
        )
    picture = make_picture(graph, page, asked.view)
    lost = lost_edges(report.derivations, whole, view)
    if asked.form == "svg":
        return svg_text(picture, lost=lost), view.note
    if asked.form == "html":
        from autodiff.cli.pictures.boxes import AS_DRAWN, Drawing, draw_boxes
        from autodiff.cli.pictures.page import html_text

        first = Drawing(view, picture, steps, AS_DRAWN)
        drawn = draw_boxes(whole, report.events, constructs, kept, first, page, asked.view)
        return html_text(report, drawn, source, page), view.note
    from autodiff.cli.pictures.png import FONT, png_bytes

    if asked.form == "png":
        return png_bytes(svg_text(picture, fonts=FONT, lost=lost)), view.note
    from autodiff.cli.pictures.gif import gif_bytes

    return gif_bytes(picture, scenes_of(steps, len(graph.nodes)), lost), view.note


def scenes_of(steps: Sequence[Step], nodes: int) -> list[Scene]:
    """The scenes of an animation: a node more in each of the first, a gradient more in each of the others.

    ``nodes`` is the number of nodes.
    """
    scenes: list[Scene] = []
    grads: dict[int, str] = {}
    for at, step in enumerate(steps):
        if step.phase == FORWARD:
            scenes.append(Scene(at + 1, {}, step.node, step.edges, False, step.says))
        elif step.phase == BACKWARD:
            grads = {**grads, step.node: f"∂ {step.grad}"}
            scenes.append(Scene(nodes, grads, step.node, step.edges, True, step.says))
    return scenes
