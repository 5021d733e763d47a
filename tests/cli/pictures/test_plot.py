"""``plot``: a curve over an input, or over the steps of a loop, as a chart, a picture and numbers."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from math import isnan
from xml.etree import ElementTree

import pytest
from autodiff.cli.pictures.axes import MOST_PARTS, Axis, pieces, tangent_points, thinned
from autodiff.cli.pictures.curve_picture import curve_svg
from autodiff.core.report.curve import Curve, Tangent
from conftest import REPOSITORY
from documents import blocks
from svg_geometry import SVG

TRAINED = """\
w = tensor([2.], requires_grad=True)
for i in range(2):
    L = (w**2).sum()
    L.backward()
    with no_grad():
        w -= 0.1*w.grad
        w.grad.zero_()
"""
WELL = ("plot", "-e", "w = 1; L = (w**2 - 1)**2", "--over")


IN_FUNCTION = """\
w = tensor([2.], requires_grad=True)
def train(w, steps):
    best = 9.0
    for i in range(steps):
        loss = (w**2).sum()
        loss.backward()
        best = min(best, loss.item())
        with no_grad():
            w -= 0.1*w.grad
            w.grad.zero_()
    return best
train(w, 3)
"""


def rows(text):
    return [tuple(map(float, line.split("\t"))) for line in text.splitlines()]


def paths(svg, kind):
    """The points of the paths of a class."""
    found = [
        path.get("d") for path in ElementTree.fromstring(svg).iter(f"{SVG}path") if path.get("class") == kind
    ]
    return [[tuple(map(float, point)) for point in re.findall(r"(-?[\d.]+) (-?[\d.]+)", d)] for d in found]


def texts(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


# -- the points ---------------------------------------------------------------------------------------


def test_points_are_those_of_a_sweep_with_value_and_slope(autodiff):
    done = autodiff(*WELL, "w=-2:2:0.5")
    swept = autodiff("grad", *WELL[1:3], "--sweep", "w=-2:2:0.5", "--value")
    assert done.out == swept.out != ""
    exact = [(w, (w * w - 1) ** 2, 4 * w * (w * w - 1)) for w in (at / 2 for at in range(-4, 5))]
    assert rows(done.out) == exact


@pytest.mark.parametrize(
    ("values", "first", "last", "count"),
    [("w=-2:2", -2, 2, 201), ("w=2:-pi", 2, -3.141592653589793, 201), ("w=log:1:100:3", 1, 100, 3)],
)
def test_ranges_are_those_of_sweep_and_two_ends(autodiff, values, first, last, count):
    points = rows(autodiff(*WELL, values).out)
    assert (points[0][0], points[-1][0], len(points)) == (first, last, count)


def test_numbers_come_in_every_format_with_gaps_as_nan(autodiff):
    asked = ("plot", "-e", "x = 1; y = sqrt(x)", "--over", "x=[-1, 4]")
    assert autodiff(*asked).out == "-1\tnan\tnan\n4\t2\t0.25\n"
    assert autodiff(*asked, "--format", "csv").out == "x,y,dy/dx\n-1,nan,nan\n4,2,0.25\n"
    lines = autodiff(*asked, "--format", "jsonl").out.splitlines()
    assert json.loads(lines[1]) == {"x": 4, "y": 2, "dy/dx": 0.25}
    document = json.loads(autodiff(*asked, "--format", "json", "--tangent", "1").out)
    assert document["points"] == [
        {"input": -1, "output": "NaN", "slope": "NaN"},
        {"input": 4, "output": 2, "slope": 0.25},
    ]
    assert (document["input"], document["output"]) == ("x", "y")
    assert document["tangent"] == {"at": 1, "value": 1, "slope": 0.5}


def test_gaps_and_points_without_a_value_are_told(autodiff):
    done = autodiff("plot", "-e", "x = 1; y = sqrt(x) + 0/(x - 2)", "--over", "x=-1:3:1")
    assert done.err == (
        "note: y is not finite for x = -1: the curve has a gap there\n"
        "note: y is not finite for x = 2: the curve has a gap there\n"
    )
    failed = autodiff("plot", "-e", "x = 1; assert x > 0, 'x is too small'; y = x", "--over", "x=-1:1:1")
    assert (failed.returncode, failed.out) == (4, "-1\tnan\tnan\n0\tnan\tnan\n1\t1\t1\n")
    assert "note: x = -1: x is too small\n" in failed.err
    never = autodiff("plot", "-e", "x = 1; y = [x, 2*x]", "--over", "x=0:1")
    assert (never.returncode, never.out, never.err.count("error[")) == (4, "", 1)


@pytest.mark.parametrize(
    ("sigmas", "first"), [("a=0.1,b=0.2", 0.05), ("a=10%,b=0.2,x=20 %", 0.09 + 0.04 + 1.96)]
)
def test_the_band_has_the_deviation_that_propagate_computes(autodiff, sigmas, first):
    script = ("-e", "x = 2; a = 3; b = 1; y = a*x**2 + b*x")
    at = rows(autodiff("plot", *script, "--over", "x=[1, 2]", "--sigma", sigmas).out)
    y, sigma = rows(autodiff("propagate", *script, "--sigma", sigmas).out)[0]
    assert at[1] == (2, y, 13, pytest.approx(sigma, rel=1e-14))
    assert at[0][3] == pytest.approx(first**0.5)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("--over", "z=0:1"), "there is no variable `z`"),
        (("--over", "w"), "--over takes NAME=VALUE"),
        (("--over", "w=1:2:3:4"), "--over w takes first:last, log:first:last, first:last:step"),
        (("--over", "w=[1]"), "a curve needs two points"),
        (("--over", "w=nan:2"), "--over w: the ends and the step of a range are finite, not `nan`"),
        (("--over", "w=0:1", "--tangent", "x"), "--tangent: `x` has no value"),
        (("--over", "w=0:1", "--sigma", "w=-1"), "a standard deviation is 0 or more"),
        (("--tangent", "1"), "--tangent is for a curve over an input"),
        ((), "`L` has one value only, so there is no curve of its values"),
        (("--of", "w"), "`w` has one value only"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(autodiff, words, shown):
    done = autodiff(*WELL[:3], *words)
    assert (done.returncode, done.out) == (2, "")
    assert shown in done.err


def test_there_is_no_tangent_where_the_slope_is_infinite_and_no_picture_of_nothing(autodiff):
    asked = ("plot", "-e", "x = 1; y = sqrt(x)", "--over")
    assert (
        "there is no tangent, because dy/dx is not finite" in autodiff(*asked, "x=0:1", "--tangent", "0").err
    )
    nothing = autodiff(*asked, "x=-2:-1", "--format", "svg")
    assert (nothing.returncode, nothing.out) == (2, "")
    assert "y is not finite at any of the 201 points" in nothing.err


# -- the steps of a loop ------------------------------------------------------------------------------


def test_a_loss_is_plotted_over_the_steps_of_its_loop(autodiff):
    done = autodiff("plot", REPOSITORY / "examples" / "regression.ad")
    printed = re.findall(r"step (\d)  loss ([\d.]+)", done.err)
    points = dict(rows(done.out))
    assert len(points) == 8
    assert [(float(loss), points[int(step) + 1]) for step, loss in printed] == [
        (loss, pytest.approx(loss, abs=1e-6)) for loss in (float(loss) for _, loss in printed)
    ]


@pytest.mark.parametrize(
    ("script", "of", "first", "values"),
    [
        ("x = 8\nfor i in range(2):\n    x = (x + 2/x)/2", None, 0, [8, 4.125, 2.304924242424242]),
        ("x = 8\nt = 0\nwhile x > 1:\n    x /= 2\n    t += x", "t", 0, [0, 4, 6, 7]),
        (TRAINED, None, 1, [4, 2.5600000000000005]),
        ("a, b = 0, 1\nfor i in range(4):\n    a, b = b, a + b", "b", 0, [1, 1, 2, 3, 5]),
        ("def f(y):\n    y = y*2\n    return y\ny = 1\nfor i in range(2):\n    y = f(y)", None, 0, [1, 2, 4]),
        (IN_FUNCTION, None, 1, [4, 2.5600000000000005, 1.6384]),
        (IN_FUNCTION, "best", 0, [9, 4, 2.5600000000000005, 1.6384]),
        (
            "def f():\n    t = 1\n    for i in range(3):\n        t *= 2\n    return t\ny = f()",
            "t",
            0,
            [1, 2, 4, 8],
        ),
        ("y = 1\nfor i in range(3):\n    y = y*[1, 1e200, 1e200][i]\n", None, 0, [1, 1, 1e200, float("inf")]),
    ],
)
def test_the_values_of_a_name_are_in_the_order_of_the_run(autodiff, script, of, first, values):
    done = autodiff("plot", "-", *([] if of is None else ["--of", of]), input=script)
    points = rows(done.out)
    assert [step for step, _ in points] == [*range(first, first + len(points))]
    assert [str(y) for _, y in points] == [str(float(y)) if y < 1e300 else "nan" for y in values]


def test_a_step_has_the_number_that_reports_give_to_its_value(autodiff):
    script = "h = 1.\nw = 2.\nfor i in range(3):\n    z = h*w\n    h = z + 1\nL = h*z\n"
    done = autodiff("grad", "-", "--wrt", "h_*,z_*", "--format", "json", input=script)
    reported = {entry["name"]: entry["value"] for entry in json.loads(done.out)["gradients"]}
    for name, first in (("h", 0), ("z", 1)):
        points = rows(autodiff("plot", "-", "--of", name, input=script).out)
        assert [step for step, _ in points] == [*range(first, 4)]
        assert {f"{name}_{step:g}": y for step, y in points}.items() <= reported.items()


def test_a_variable_of_several_functions_is_refused(autodiff):
    script = (
        "def f(x):\n    y = 2*x\n    return y\ndef g(x):\n    y = 3*x\n    return y\nz = f(1)\nz = z*g(z)\n"
    )
    done = autodiff("plot", "-", "--of", "y", input=script)
    assert (done.returncode, done.out) == (2, "")
    assert "`y` is a variable of several functions: f, g" in done.err
    assert "plot one that has several: --of z\n" in done.err


def test_what_else_could_be_plotted_is_named(autodiff):
    script = "w = 2\nv = [1, 2]\nfor i in range(3):\n    loss = w*i\n    v = [i, i]\nmean = loss/3"
    done = autodiff("plot", "-", input=script)
    assert "`mean` has one value only" in done.err
    assert "plot one that has several: --of loss\n" in done.err
    assert "--over w=-2:2" in done.err
    assert "`v` has not one number each time" in autodiff("plot", "-", "--of", "v", input=script).err


# -- what is drawn ------------------------------------------------------------------------------------


def curve_of(ys, slopes=None, **more):
    xs = [float(x) for x in range(len(ys))]
    return Curve("x", "y", xs, list(ys), list(slopes or [1.0] * len(ys)), more.pop("sigmas", []), **more)


def test_the_picture_has_the_points_at_their_places():
    svg = curve_svg(curve_of([0.0, 1.0, 4.0, 9.0], [0.0, 2.0, 4.0, 6.0]), 6, "monospace")
    [curve], [slope] = paths(svg, "curve"), paths(svg, "slope")
    for line, values in ((curve, [0, 1, 4, 9]), (slope, [0, 2, 4, 6])):
        assert [x - line[0][0] for x, _ in line] == pytest.approx(
            [at * (line[1][0] - line[0][0]) for at in range(4)], abs=0.02
        )
        up = [(line[0][1] - y) / (line[0][1] - line[-1][1]) * values[-1] for _, y in line]
        assert up == pytest.approx(values, abs=0.01)
    zeros = [text for text in ElementTree.fromstring(svg).iter(f"{SVG}text") if text.text == "0"]
    assert float(zeros[0].get("y")) - 4 == pytest.approx(curve[0][1], abs=0.02)
    assert float(zeros[-1].get("x")) == pytest.approx(curve[0][0], abs=0.02)
    assert {"y", "x", "dy/dx", "y over x"} <= set(texts(svg))


def test_a_gap_divides_the_curve_and_a_point_between_two_is_a_dot():
    nan = float("nan")
    curve = curve_of([1.0, 2.0, nan, 3.0, nan, 1.0, 2.0])
    assert [len(part) for part in pieces(curve.xs, curve.ys)] == [2, 1, 2]
    svg = curve_svg(curve, 6, "monospace")
    assert [len(path) for path in paths(svg, "curve")] == [2, 2]


def test_the_tangent_touches_the_curve_and_ends_at_the_frame():
    curve = curve_of([0.0, 1.0, 4.0], [0.0, 2.0, 4.0], tangent=Tangent(1.0, 1.0, 2.0))
    across, up = Axis(curve.xs, 5), Axis(curve.ys, 5)
    for x, y in tangent_points(curve, across, up):
        assert y == pytest.approx(1 + 2 * (x - 1))
        assert across.low - 1e-9 <= x <= across.high + 1e-9
        assert up.low - 1e-9 <= y <= up.high + 1e-9
        assert min(abs(x - across.low), abs(x - across.high), abs(y - up.low), abs(y - up.high)) < 1e-9
    svg = curve_svg(curve, 6, "monospace")
    assert "tangent at x = 1: slope 2" in texts(svg)


def test_the_band_is_the_area_between_both_deviations():
    svg = curve_svg(curve_of([1.0, 2.0, 3.0], sigmas=[0.0, 0.5, 1.0]), 6, "monospace")
    [area], [line] = paths(svg, "band"), paths(svg, "curve")
    above, below = area[:3], area[:2:-1]
    assert [(a[1] + b[1]) / 2 for a, b in zip(above, below, strict=True)] == pytest.approx(
        [y for _, y in line], abs=0.02
    )
    assert above[0] == below[0]
    assert below[2][1] - above[2][1] == pytest.approx(line[0][1] - line[2][1], abs=0.02)


def test_very_many_points_keep_their_extremes_and_gaps():
    ys = [float(at % 7) for at in range(100_000)]
    ys[70_000], ys[50_000] = 99.0, float("nan")
    kept = list(thinned(list(map(float, range(len(ys)))), ys))
    assert len(kept) <= 2 * MOST_PARTS + 1
    assert (70_000.0, 99.0) in kept
    assert [x for x, y in kept if isnan(y)] == [50_000.0]
    assert kept == sorted(kept)


@pytest.mark.parametrize(
    "values",
    [
        (-2, 2),
        (0, 1e-9),
        (5, 5),
        (0, 0),
        (-1e300, 1e300),
        (-1.75e308, 1.79e308),
        (0, 1e-320),
        (1e6, 1e6 + 1),
        (3, 3.7),
    ],
)
def test_ticks_are_round_and_in_range(values):
    for most in (2, 4, 7):
        axis = Axis(values, most)
        assert len(axis.ticks) <= most + 1
        assert all(axis.low <= tick <= axis.high for tick in axis.ticks)
        assert axis.ticks == sorted(set(axis.ticks))
        assert axis.ticks or most < 4


def test_hostile_names_stay_text():
    name = "<b>&\x1b\u202e" + "y" * 500
    svg = curve_svg(Curve("x", name, [0.0, 1.0], [1.0, 2.0], [], []), 6, "monospace")
    assert svg.isascii()
    assert "\x1b" not in svg
    assert max(map(len, texts(svg))) <= 100


def test_a_picture_is_a_file_of_its_suffix(autodiff, tmp_path):
    pytest.importorskip("resvg_py")
    done = autodiff(*WELL, "w=-2:2", "-o", "curve.png", "--tangent", "0.5")
    assert (done.returncode, done.err) == (0, "")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "not for a terminal" not in autodiff(*WELL, "w=-2:2", "--format", "svg").err


# -- jumps, poles and kinks ---------------------------------------------------------------------------


def drawn(autodiff, tmp_path, code, *words):
    """The picture of a curve, and what is said about it."""
    done = autodiff("plot", "-e", f"x = 1; y = {code}", *words, "-o", "curve.svg")
    assert done.returncode == 0
    return (tmp_path / "curve.svg").read_text(), done.err


#: Formula: parts of the curve and of its slope from -4 to 4, kinks that are named, whether it has poles.
SHAPES = {
    "x**3": (1, 1, "", False),
    "sin(x)": (1, 1, "", False),
    "sin(60*x)": (1, 1, "", False),
    "sigmoid(1000*(x - 0.02))": (1, 1, "", False),
    "atan(1e5*(x - 0.01))": (1, 1, "", False),  # its slope changes at once, but it changes smoothly
    "tanh(1e7*x)": (1, 1, "", False),
    "sqrt(abs(x - 0.013))": (1, 2, "\u25cb kink at x = 0.013", False),
    "abs(x)": (1, 2, "\u25cb kink at x = 0", False),
    "relu(x - 0.013) + relu(x - 2.5)": (1, 3, "\u25cb kinks at x = 0.013, 2.5", False),
    "floor(x)": (8, 8, "", False),
    "floor(x) + x": (8, 8, "", False),
    "1/x": (2, 2, "", True),
    "1/(x - 0.013)": (2, 2, "", True),
    "1/(x - 0.013)**2": (2, 2, "", True),
    "tan(x)": (3, 3, "", True),
}


@pytest.mark.parametrize("code", SHAPES)
def test_jumps_and_poles_are_not_joined_and_kinks_are_marked(autodiff, tmp_path, code):
    curves, slopes, kinks, has_poles = SHAPES[code]
    svg, said = drawn(autodiff, tmp_path, code, "--over", "x=-4:4")
    assert len(paths(svg, "curve")) == curves
    assert len(paths(svg, "slope")) == slopes
    assert [text for text in texts(svg) if "kink" in text] == [kinks] * bool(kinks)
    assert svg.count('class="kink"') == kinks.count(",") + bool(kinks)
    assert ("y is drawn from" in said) == has_poles
    frame = [y for path in paths(svg, "axis") for _, y in path]
    assert all(min(frame) - 0.1 <= y <= 352.1 for path in paths(svg, "curve") for _, y in path)


def test_the_axis_of_a_pole_is_that_of_the_other_values(autodiff, tmp_path):
    svg, said = drawn(autodiff, tmp_path, "1/x", "--over", "x=-4:4:0.05")
    assert said == (
        "note: y is not finite for x = 0: the curve has a gap there\n"
        "note: y is drawn from -4 to 4; its values reach from -20 to 20\n"
    )
    left, right = paths(svg, "curve")
    assert left[-1][1] == 352
    assert right[0][1] == 52


def test_numbers_have_no_more_points_than_asked_for(autodiff):
    assert len(rows(autodiff("plot", "-e", "x = 1; y = floor(x)", "--over", "x=-4:4").out)) == 201


def test_a_curve_over_factors_has_a_logarithmic_axis(autodiff, tmp_path):
    svg, _ = drawn(autodiff, tmp_path, "x/(1 + x)", "--over", "x=log:0.01:100:5", "--tangent", "1")
    [curve] = paths(svg, "curve")
    steps = [b[0] - a[0] for a, b in pairwise(curve)]
    assert steps == pytest.approx([steps[0]] * 4, abs=0.02)
    assert {"0.01", "0.1", "1", "10", "100"} <= set(texts(svg))
    [tangent] = paths(svg, "tangent")
    middle = min(tangent, key=lambda point: abs(point[0] - curve[2][0]))
    assert middle == pytest.approx(curve[2], abs=3), "the tangent is a curve there"
    points = rows(autodiff("plot", "-e", "x = 1; y = x", "--over", "x=log:1:100").out)
    assert (points[0][0], points[100][0], points[200][0]) == (1, pytest.approx(10), 100)


# -- the chart ----------------------------------------------------------------------------------------


def test_the_chart_of_the_guide_is_what_happens(autodiff):
    pytest.importorskip("plotille")
    text = (REPOSITORY / "docs" / "values.md").read_text()
    [shown] = [block for block in blocks(text, "text") if "autodiff plot" in block]
    done = autodiff(*WELL, "w=-2:2", "--tangent", "0.5", "--format", "chart", env={"COLUMNS": "80"})
    assert done.out == shown.partition("\n")[2]


def test_the_chart_sets_a_star_where_the_curve_is_and_fits_the_page():
    pytest.importorskip("plotille")
    from autodiff.cli.pictures.chart import chart_lines
    from autodiff.cli.render.page import Page

    for width in (40, 80, 200):
        lines = [
            "".join(text for _, text in line)
            for line in chart_lines(curve_of([0.0, 1.0, 2.0, 3.0]), Page(width), 24)
        ]
        assert max(map(len, lines)) <= min(width, 100)
        assert len(lines) < 24
        board = [line for line in lines[2:] if "|" in line or "+" in line][:9]
        columns = [line.find("*") for line in board if "*" in line]
        assert columns == sorted(columns, reverse=True)  # it rises
        assert len(set(columns)) > 5


def test_a_jump_of_the_chart_is_empty_and_its_kink_is_named(autodiff):
    pytest.importorskip("plotille")
    asked = ("--over", "x=-4:4", "--format", "chart")
    done = autodiff("plot", "-e", "x = 1; y = floor(x/8)", *asked)
    lines = done.out.partition("dy/dx")[0].splitlines()
    assert [line.count("*") > 20 for line in lines if "*" in line] == [True, True], "nothing stands between"
    assert "kink" not in done.out
    assert "kink at x = 0" in autodiff("plot", "-e", "x = 1; y = abs(x)", *asked).out


def test_a_gap_of_the_chart_is_empty():
    pytest.importorskip("plotille")
    from autodiff.cli.pictures.chart import chart_lines
    from autodiff.cli.render.page import Page

    nan = float("nan")
    curve = Curve("step", "y", [float(x) for x in range(9)], [1.0] * 3 + [nan] * 3 + [1.0] * 3, [], [])
    lines = ["".join(text for _, text in line) for line in chart_lines(curve, Page(60), 24)]
    [drawn] = [line for line in lines if "*" in line]
    assert re.search(r"\*{10,} {20,}\*{10,}$", drawn)


def test_without_the_library_everything_but_the_chart_works(autodiff, tmp_path):
    (tmp_path / "plotille.py").write_text("raise ImportError\n")
    lacking = {"PYTHONPATH": str(tmp_path)}
    done = autodiff(*WELL, "w=-2:2", "--format", "chart", env=lacking, cwd=tmp_path)
    assert (done.returncode, done.out) == (2, "")
    assert "a picture needs the library plotille" in done.err
    assert "-o FILE.svg and the formats plain, csv, tsv, json and jsonl need no library" in done.err
    for form in ("plain", "svg", "json"):
        assert autodiff(*WELL, "w=-2:2", "--format", form, env=lacking, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("w = 2.; L = w**2", ["--over w=-2:2"]),
        (
            "v = torch.ones(3, requires_grad=True); w = torch.tensor(2., requires_grad=True); L = w**2",
            ["--over w=-2:2"],
        ),
        ("w = torch.ones(3, requires_grad=True); L = (w**2).sum()", []),
    ],
)
def test_only_an_input_that_is_one_number_is_advised(autodiff, code, advice):
    done = autodiff("plot", "-e", code, "--of", "L")
    assert done.returncode == 2
    assert [line.rpartition("input: ")[2] for line in done.err.splitlines() if "--over" in line] == advice
    assert "assign in a loop what is to be drawn, as in `g = w.grad`, and plot it: --of g" in done.err


def test_a_vector_is_plotted_over_itself_as_the_error_says(autodiff):
    script = "x = torch.arange(-8.0, 8.0, 0.1, requires_grad=True)\ny = torch.sigmoid(x)"
    done = autodiff("plot", "-", input=script)
    assert "= help: plot over the input: --over x=-8:8\n" in done.err
    done = autodiff("plot", "-", "--over", "x=-8:8", input=script)
    assert (done.returncode, done.out.splitlines()[-1].split("\t")[0]) == (0, "8")
    for other in (
        "y = torch.sigmoid(x).sum()*torch.ones(3)",
        "w = torch.ones(160, requires_grad=True); y = x*w",
    ):
        done = autodiff("plot", "-", input=f"{script}\n{other}")
        assert "--over x=-8:8" not in done.err


def test_the_slope_of_a_derivative_has_it_in_brackets(autodiff):
    asked = ("-e", "x = 1.; d2f = x**2", "--over", "x=[1, 2]", "--format", "csv")
    assert autodiff("plot", *asked).out == "x,d2f,d(d2f)/dx\n1,1,2\n2,4,4\n"
    assert autodiff("explain", "-e", "x = 1.; df = x**2").out.startswith("d(df)/dx = 2 ")
