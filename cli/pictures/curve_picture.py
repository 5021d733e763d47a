"""A curve as SVG or PNG: the output in a panel, its slope in another below it."""

from __future__ import annotations

from autodiff.cli.pictures.axes import (
    Axis,
    axes_up,
    band,
    check_drawn,
    heading,
    kinks_of,
    pieces,
    tangent_points,
)
from autodiff.cli.pictures.picture import text_width, typeset
from autodiff.cli.pictures.svg import (
    BACKGROUND,
    FLOW,
    FONTS,
    GO,
    GRADIENT,
    INK,
    SOFT,
    WIRE,
    escaped,
    text,
)
from autodiff.cli.render.curve import slope_name
from autodiff.cli.render.numbers import short
from autodiff.cli.render.page import fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.core.report.curve import Curve

#: Sizes in px.
WIDTH, TOP, BOTTOM, RIGHT = 720.0, 52.0, 46.0, 24.0
HEIGHT, SLOPE_HEIGHT, BETWEEN = 300.0, 130.0, 40.0
TEXT_SIZE, TITLE_SIZE = 12.0, 15.0
TITLE_AT = 24.0
#: Between the marks of an axis and the axis.
GAP = 8.0
#: Points are marked if there are at most so many.
MOST_MARKED = 60
GRID = "#e4e6ea"
WIDEST_NAME = 48


class Panel:
    """A rectangle with two axes, in px: its left and right sides, its top, its height."""

    __slots__ = ("across", "height", "left", "right", "top", "up")

    def __init__(self, left: float, right: float, top: float, height: float, across: Axis, up: Axis) -> None:
        self.left = left
        self.right = right
        self.top = top
        self.height = height
        self.across = across
        self.up = up

    def x(self, value: float) -> float:
        return round(self.left + self.across.part(value) * (self.right - self.left), 2)

    def y(self, value: float) -> float:
        return round(self.top + (1 - self.up.part(value)) * self.height, 2)

    def path(self, points: Sequence[tuple[float, float]]) -> str:
        """The line through points as path data."""
        return "M" + "L".join(f"{self.x(x):g} {self.y(y):g}" for x, y in points)


def draw_curve(curve: Curve, form: str, digits: int) -> str | bytes:
    """The picture in one of the formats ``svg`` and ``png``.

    Raises UsageError if no point is finite, and if the library of PNG is missing.
    """
    if form == "svg":
        return curve_svg(curve, digits, FONTS)
    from autodiff.cli.pictures.png import FONT, png_bytes

    return png_bytes(curve_svg(curve, digits, FONT))


def height_of(curve: Curve) -> float:
    """The height of the picture."""
    return TOP + HEIGHT + BOTTOM + (BETWEEN + SLOPE_HEIGHT if has_slope(curve) else 0.0)


def has_slope(curve: Curve) -> bool:
    """Whether some slope is finite."""
    return any(slope - slope == 0 for slope in curve.slopes)


def curve_svg(curve: Curve, digits: int, fonts: str) -> str:
    """The whole file, in ASCII."""
    check_drawn(curve)
    ups = axes_up(curve, 6)
    left = 14 + GAP + max(text_width(short(tick), TEXT_SIZE) for up in ups for tick in up.ticks)
    across = Axis(curve.xs, 7, 0.02, curve.is_log)
    main = Panel(left, WIDTH - RIGHT, TOP, HEIGHT, across, ups[0])
    title, height = typeset(fit(heading(curve), 28 if curve.kinks else 80)), height_of(curve)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{height:g}"'
        f' viewBox="0 0 {WIDTH:g} {height:g}" font-family="{fonts}" role="img">',
        f"<title>{escaped(title)}</title>",
        f'<rect class="paper" width="100%" height="100%" fill="{BACKGROUND}"/>',
        text("title", 14, TITLE_AT, title, TITLE_SIZE, INK, ' font-weight="bold"'),
        *panel_lines(main, fit(curve.output, WIDEST_NAME)),
        *band_lines(main, curve),
        *tangent_lines(main, curve, digits),
        *curve_lines(main, curve.xs, curve.ys, curve.jumps, "curve", GO),
        *kink_lines(main, curve),
    ]
    last = main
    if len(ups) > 1:
        last = Panel(left, WIDTH - RIGHT, TOP + HEIGHT + BETWEEN, SLOPE_HEIGHT, across, ups[1])
        lines += panel_lines(last, fit(slope_name(curve), WIDEST_NAME))
        lines += curve_lines(last, curve.xs, curve.slopes, curve.slope_jumps, "slope", GRADIENT)
    lines += marks_below(last, fit(curve.input, WIDEST_NAME))
    return "\n".join([*lines, "</svg>"]) + "\n"


def panel_lines(panel: Panel, name: str) -> Iterator[str]:
    """The grid and the marks of a panel, and its name above."""
    yield text("name", panel.left, panel.top - 8, typeset(name), TEXT_SIZE, SOFT)
    for tick in panel.up.ticks:
        y = panel.y(tick)
        yield f'<path class="grid" d="M{panel.left:g} {y:g}H{panel.right:g}" stroke="{GRID}"/>'
        end = ' text-anchor="end"'
        yield text("mark", panel.left - GAP, y + 4, typeset(short(tick)), TEXT_SIZE, SOFT, end)
    for tick in panel.across.ticks:
        line = f"M{panel.x(tick):g} {panel.top:g}v{panel.height:g}"
        yield f'<path class="grid" d="{line}" stroke="{GRID}"/>'
    if panel.up.low < 0 < panel.up.high:
        yield f'<path class="zero" d="M{panel.left:g} {panel.y(0):g}H{panel.right:g}" stroke="{WIRE}"/>'
    yield (
        f'<path class="axis" d="M{panel.left:g} {panel.top:g}v{panel.height:g}H{panel.right:g}" fill="none"'
        f' stroke="{WIRE}"/>'
    )


def marks_below(panel: Panel, name: str) -> Iterator[str]:
    """The marks of the axis across, below the last panel, and the name of the input."""
    below = panel.top + panel.height
    for tick in panel.across.ticks:
        middle = ' text-anchor="middle"'
        yield text("mark", panel.x(tick), below + 18, typeset(short(tick)), TEXT_SIZE, SOFT, middle)
    yield text("name", panel.right, below + 36, typeset(name), TEXT_SIZE, SOFT, ' text-anchor="end"')


def curve_lines(
    panel: Panel, xs: Sequence[float], ys: Sequence[float], jumps: Sequence[int], kind: str, color: str
) -> Iterator[str]:
    """A path for each part between gaps; few points are marked, and so is one between two gaps."""
    for part in pieces(xs, ys, jumps, panel.up):
        if len(part) > 1:
            line = f'<path class="{kind}" d="{panel.path(part)}" fill="none" stroke="{color}"'
            yield f'{line} stroke-width="2" stroke-linejoin="round"/>'
        if len(xs) <= MOST_MARKED or len(part) == 1:
            for x, y in part:
                place = f'cx="{panel.x(x):g}" cy="{panel.y(y):g}"'
                yield f'<circle class="{kind}" {place} r="2.6" fill="{color}"/>'


def kink_lines(panel: Panel, curve: Curve) -> Iterator[str]:
    """A ring around each kink, and where they are, at the right of the title."""
    for x, y in curve.kinks:
        if panel.up.low <= y <= panel.up.high:
            place = f'cx="{panel.x(x):g}" cy="{panel.y(y):g}"'
            yield f'<circle class="kink" {place} r="5" fill="none" stroke="{INK}" stroke-width="1.4"/>'
    if curve.kinks:
        end = ' text-anchor="end"'
        yield text("kinks", panel.right, TITLE_AT, typeset(f"\u25cb {kinks_of(curve)}"), TEXT_SIZE, INK, end)


def band_lines(panel: Panel, curve: Curve) -> Iterator[str]:
    """The area of one standard deviation about the curve."""
    if not curve.sigmas:
        return
    low, high = ([min(max(y, panel.up.low), panel.up.high) for y in side] for side in band(curve))
    for below, above in zip(
        pieces(curve.xs, low, curve.jumps), pieces(curve.xs, high, curve.jumps), strict=True
    ):
        area = panel.path([*above, *reversed(below)])
        yield f'<path class="band" d="{area}Z" fill="{GO}" fill-opacity=".16"/>'


def tangent_lines(panel: Panel, curve: Curve, digits: int) -> Iterator[str]:
    """The tangent, its point, and what it says in the line of the panel's name."""
    at = curve.tangent
    if at is None:
        return
    line = panel.path(tangent_points(curve, panel.across, panel.up))
    style = f'fill="none" stroke="{FLOW}" stroke-width="1.6" stroke-dasharray="7 5"'
    yield f'<path class="tangent" d="{line}" {style}/>'
    yield f'<circle class="tangent" cx="{panel.x(at.x):g}" cy="{panel.y(at.y):g}" r="4" fill="{FLOW}"/>'
    name = fit(curve.input, WIDEST_NAME)
    said = f"tangent at {name} = {short(at.x, digits)}: slope {short(at.slope, digits)}"
    yield text("says", panel.right, panel.top - 8, typeset(said), TEXT_SIZE, FLOW, ' text-anchor="end"')
