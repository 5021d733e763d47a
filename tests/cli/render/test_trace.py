"""``trace``: the tables of values and gradients, CSV, the document with its events, and the screens."""

from __future__ import annotations

import csv
import json
from io import StringIO
from math import cos, log, sin

import numpy as np
import pytest
from article_scripts import FIRST_TENSORS, MATRIX
from autodiff.cli.pictures.picture import typeset
from autodiff.cli.pictures.story import make_steps
from autodiff.cli.process.streams import cells
from autodiff.cli.render.numbers import block, short
from autodiff.cli.render.page import GRADIENT, NUMBER, Page
from autodiff.cli.render.trace import trace_lines
from autodiff.cli.render.trace_frame import FEWEST_ROWS, OTHER_LINES, Frames
from autodiff.cli.render.trace_story import UNFINISHED, Story, range_text
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.events import Make, PathProduct
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY, TESTS

from tests.cli.reports import texts

GOLDEN = TESTS / "golden" / "trace"
SURVEY = TESTS / "scripts" / "explain" / "survey_trace.ad"
SEED = REPOSITORY / "examples" / "seeds" / "1_autograd.ad"
NETWORK = """\
x = torch.tensor([[1.0, 2.0, -1.0], [0.5, -1.0, 2.0], [3.0, 0.1, 0.2], [-1.0, 1.0, 1.0]])
target = torch.tensor([[1.0], [0.0], [1.0], [0.0]])
W1 = torch.tensor([[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]], requires_grad=True)
b1 = torch.tensor([0.1, -0.1], requires_grad=True)
W2 = torch.tensor([[0.7], [-0.8]], requires_grad=True)
b2 = torch.tensor([0.05], requires_grad=True)
hidden = torch.relu(x @ W1 + b1)
p = torch.sigmoid(hidden @ W2 + b2)
loss = ((p - target) ** 2).mean()
"""
#: By name of a node of the network: the formula of its gradient, and the node that ``G`` belongs to.
RULES = {
    "(p - target)**2": ("0.25*G", "loss"),
    "p - target": ("2*G*(p - target)", "(p - target)**2"),
    "p": ("G", "p - target"),
    "hidden @ W2 + b2": ("G*p*(1 - p)", "p"),
    "hidden @ W2": ("G", "hidden @ W2 + b2"),
    "b2": ("sum(G)", "hidden @ W2 + b2"),
    "hidden": ("G @ W2.T", "hidden @ W2"),
    "W2": ("hidden.T @ G", "hidden @ W2"),
    "x @ W1 + b1": ("G*[x @ W1 + b1 > 0]", "hidden"),
    "x @ W1": ("G", "x @ W1 + b1"),
    "b1": ("sum(G, dim=0)", "x @ W1 + b1"),
    "W1": ("x.T @ G", "x @ W1"),
}
LOOP = (
    "w = torch.tensor([2.0, -1.0], requires_grad=True)\ny = w\nfor i in range(3):\n    y = y*w\nL = y.sum()\n"
)
HOSTILE = "# \x1b[2J\nw = torch.tensor(2.0, requires_grad=True)\nL = w*w # \x1b]0;x\x07\n"
SCRIPTS = {
    "survey": SURVEY.read_text(),
    "tensors": FIRST_TENSORS,
    "matrix": MATRIX + "L = (10 - d).sum()\n",
    "loop": LOOP,
    "hostile": HOSTILE,
    "large": "W = torch.full((20, 20), 0.1, requires_grad=True)\nL = ((W @ W) * W).mean()\n",
}


def report_of(text):
    settings = Settings(adds_up=True)
    source = Source(text, "script.ad")
    execution = execute(source, settings, lambda text: None, lambda message, span: None)
    return describe(differentiate(execution, settings), source, events=True)


@pytest.mark.parametrize("name", ["survey", "autograd"])
def test_the_tables(autodiff, name, update_golden):
    """That of the survey is checked below: Baydin and others, JMLR 18 (2018), tables 2 and 3."""
    script = {"survey": SURVEY, "autograd": SEED}[name]
    done = autodiff("trace", script, env={"COLUMNS": "104"})
    assert done.err == ""
    golden = GOLDEN / f"{name}.txt"
    if update_golden:
        golden.write_text(done.out)
    assert done.out == golden.read_text()


def test_the_table_has_the_numbers_of_the_survey(autodiff):
    rows = list(csv.DictReader(StringIO(autodiff("trace", SURVEY, "--format", "csv").out)))
    primals = [(row["name"], float(row["value"])) for row in rows if row["event"] == "make"]
    assert [name for name, _ in primals] == [
        *("x1", "x2", "log(x1)", "x1*x2", "log(x1) + x1*x2", "sin(x2)", "y"),
    ]
    v1, v2, v3 = log(2), 10, sin(5)
    assert [value for _, value in primals] == pytest.approx([2, 5, v1, v2, v1 + v2, v3, v1 + v2 - v3])
    adjoints = [
        (row["name"], float(row["sum"]), row["last"]) for row in rows if row["event"] in ("seed", "flow")
    ]
    assert adjoints == [
        ("y", 1, ""),
        ("log(x1) + x1*x2", 1, "true"),
        ("sin(x2)", -1, "true"),
        ("x2", pytest.approx(-cos(5)), "false"),  # -0.284
        ("log(x1)", 1, "true"),
        ("x1*x2", 1, "true"),
        ("x1", 5, "false"),
        ("x2", pytest.approx(2 - cos(5)), "true"),  # 1.716
        ("x1", 5.5, "true"),
    ]


@pytest.mark.parametrize(
    "script", [SEED, REPOSITORY / "examples" / "regression.ad"], ids=["numbers", "tensors"]
)
def test_the_last_sums_are_the_gradients(autodiff, script):
    document = json.loads(autodiff("trace", script, "--format", "json").out)
    names = {node["id"]: node["name"] for node in document["graph"]["nodes"]}
    flows = [event for event in document["events"] if event["event"] == "flow"]
    assert {"make", "seed", "flow", "path"} == {event["event"] for event in document["events"]}
    assert document["derivations"]
    in_json = {names[flow["node"]]: flow["sum"] for flow in flows if flow["last"]}
    rows = csv.DictReader(StringIO(autodiff("trace", script, "--format", "csv").out))
    in_csv = {row["name"]: json.loads(row["sum"]) for row in rows if row["last"] == "true"}
    for gradient in document["gradients"]:
        assert np.array_equal(in_json[gradient["name"]], gradient["grad"])
        assert np.array_equal(in_csv[gradient["name"]], gradient["grad"])


def test_tabs_stand_for_commas(autodiff, tmp_path):
    assert autodiff("trace", SEED, "-o", "a.tsv").returncode == 0
    with (tmp_path / "a.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert rows == list(csv.DictReader(StringIO(autodiff("trace", SEED, "--format", "csv").out)))


def test_only_trace_has_events_in_its_document(autodiff):
    assert "events" not in json.loads(autodiff("run", SEED, "--format", "json").out)


def test_rows_are_cut_and_counted(autodiff):
    out = autodiff("trace", SURVEY, "--rows", 3).out
    assert out.count("\n... 4 more rows (--all)\n") == 1
    assert out.count("\n... 6 more rows (--all)\n") == 1
    assert "more rows" not in autodiff("trace", SURVEY, "--rows", 3, "--all").out


def test_an_input_without_a_path_is_told(autodiff):
    assert "no path leads to an input" in autodiff("trace", "-e", "x = 2; y = 3; L = x*x", "--wrt", "y").out


def test_paths_that_are_not_shown_are_counted(autodiff):
    out = autodiff("trace", "-e", "x = 2; y = x*x*x; L = y*y", "--top", 2).out
    assert "... 4 more paths (autodiff explain)" in out


def test_turns_of_a_loop_are_told():
    text = texts(trace_lines(report_of(LOOP), Page(100)))
    assert "4 (1st)" in text
    assert "4 (3rd)" in text
    assert "   5   L " in text, "the last line runs once"


def test_tensors_are_told_by_shape_and_range():
    assert range_text(np.array([[1.0, np.nan], [-2.0, 3.0]]), 6) == "2x2, -2..3, 1 not finite"
    assert range_text(np.full((5, 4), 2.0), 6) == "5x4, 2"
    assert range_text(np.full(4, np.inf), 6) == "4, not finite"
    assert range_text(np.zeros((0, 4)), 6) == "0x4, empty"
    text = texts(trace_lines(report_of(SCRIPTS["large"]), Page(100)))
    assert "20x20, 0.1" in text
    assert "W.T @ G" in text
    assert "G is the gradient that arrives." in text


def test_an_input_that_is_the_output_gets_the_seed(autodiff):
    out = autodiff("trace", "-e", "x = 3.", "--of", "x").out
    assert "forward" in out
    assert "backward" in out


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("size", [(24, 12), (80, 24), (140, 60)])
def test_screens_fit_the_terminal(name, size):
    width, height = size
    report = report_of(SCRIPTS[name])
    frames = Frames(Story(report, Page(width)), Source(SCRIPTS[name], "script.ad"))
    for at in range(frames.last + 1):
        lines = frames.lines(at, width, height, True)
        assert len(lines) <= height - 1
        for line in lines:
            text = "".join(piece for _, piece in line)
            assert cells(text) <= width
            assert text.isprintable()


def test_the_graph_grows_and_gradients_arrive_one_by_one():
    report = report_of(FIRST_TENSORS)
    frames = Frames(Story(report, Page(80)), Source(FIRST_TENSORS, "script.ad"))
    height = OTHER_LINES + 1 + FEWEST_ROWS + 20
    screens = [texts(frames.lines(at, 80, height, False)) for at in range(frames.last + 1)]
    names = [node.name for node in report.graph.nodes]
    for at, screen in enumerate(screens[: len(names) + 1]):
        shown = [line[2:].split("  ")[0] for line in screen.splitlines() if line[2:].split("  ")[0] in names]
        assert shown == names[:at]
        assert "-8" not in screen
    first, second = [screen for screen in screens if "dL/dw1 " in screen.split("dL/d node")[1]]
    assert "dL/dw1 = dL/dx4 * x2 = (-3) * 2 = -6, more to come" in first
    assert "-6 + ..." in first
    assert "dL/dw1 += dL/dx3 * x1 = (-2) * 1 = -2, in all -6 + (-2) = -8" in second
    assert "> w1                              1          -8" in second
    assert "the path to w1 gives -w2*x1: (-1) * 1 * 2 * 1 = -2; the sum is -8" in "".join(screens[-5:])


@pytest.mark.parametrize("width", [80, 100, 140])
def test_the_row_of_a_step_has_every_entry_of_a_small_tensor(width):
    """The value in the forward steps, the sum so far in the others; other rows may be shorter."""
    story = Story(report_of(NETWORK), Page(width))
    frames = Frames(story, Source(NETWORK, "script.ad"))
    for at, event in enumerate(frames.events, 1):
        if isinstance(event, PathProduct):
            continue
        value = story.graph.nodes[event.node].value if isinstance(event, Make) else event.sum
        lines = texts(frames.lines(at, width, 24, False)).splitlines()
        start = next(number for number, line in enumerate(lines) if line.endswith("dloss/d node")) + 1
        here = next(number for number, line in enumerate(lines) if number >= start and line[:1] == ">")
        in_reach = "\n".join(lines[here : here + np.atleast_1d(value).shape[0]])
        for entry in np.ravel(value):
            assert any(spelled in in_reach for spelled in spelled_shorter(entry)), (at, entry, in_reach)


@pytest.mark.parametrize("width", [80, 140])
def test_values_and_gradients_of_tensors_have_room(width):
    story = Story(report_of(NETWORK), Page(width))
    frames = Frames(story, Source(NETWORK, "script.ad"))
    at = len(story.events.forward) + len(story.events.backward)
    lines = texts(frames.lines(at, width, 200, False)).splitlines()
    shown = lines[lines.index(next(line for line in lines if line.endswith("dloss/d node"))) + 1 :]
    for node in story.graph.nodes:
        for text in (node.value, node.grad):
            if text is None:
                continue
            rows = [[spelled_shorter(entry) for entry in row] for row in np.atleast_2d(text)]
            if np.ndim(text) == 2:
                for row in rows:
                    assert any(all(any(one in line for one in entry) for entry in row) for line in shown)


def spelled_shorter(value):
    return {short(float(value), digits) for digits in (6, 3, 2)}


def test_a_number_is_never_cut(autodiff):
    """A sum so far may be longer than the gradient; the dots behind it are no part of it."""
    script = "x1 = 2.\nx2 = 5.\ny = log(x1) + x1*x2 - sin(x2)\n"
    frames = Frames(Story(report_of(script), Page(80)), Source(script, "script.ad"))
    screens = [texts(frames.lines(at, 80, 24, False)) for at in range(frames.last + 1)]
    assert any("-0.283662 + ..." in screen for screen in screens)
    for width in (40, 60):
        narrow = Frames(Story(report_of(script), Page(width)), Source(script, "script.ad"))
        rows = [row for at in range(narrow.last + 1) for row in narrow.lines(at, width, 24, False)]
        values = [text for row in rows for role, text in row if role in (NUMBER, GRADIENT)]
        assert not [text for text in values if "..." in text.replace(UNFINISHED, "")]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_small_matrices_are_whole_and_lines_hang_under_their_text(autodiff, width):
    """Every entry of a layer and of its gradient, aligned; only first lines begin at the left."""
    report = report_of(NETWORK)
    lines = texts(trace_lines(report, Page(width))).splitlines()
    out = "\n".join(lines)
    for name in ("hidden", "x @ W1", "W1"):
        [node] = [node for node in report.graph.nodes if node.name == name]
        for matrix in (node.value, node.grad):
            blocks = [block(matrix, digits) for digits in (6, 3, 2)]
            assert any(
                start >= 0 and [line[start:][: len(rows[0])] for line in lines[at:][: len(rows)]] == rows
                for rows in blocks
                for at, line in enumerate(lines)
                for start in [line.find(rows[0])]
            ), (name, blocks)
    assert "3x2, " not in out
    assert "4x2, " not in out
    starts = ("forward", "backward", "paths", "line ", "the path to", "G is", " ")
    assert [line for line in lines if line and not line.startswith(starts)] == []
    assert max(map(cells, lines)) <= width


def test_the_code_of_a_step_is_marked():
    report = report_of("a = 2.\nb = 3.\nL = sin(a)*b + a\n")
    frames = Frames(Story(report, Page(80)), Source("a = 2.\nb = 3.\nL = sin(a)*b + a\n", "script.ad"))
    spelled = ["a", "b", "sin(a)", "sin(a)*b", "sin(a)*b + a"]
    for at, code in enumerate(spelled, 1):
        lines = texts(frames.lines(at, 80, 24, False)).splitlines()
        [marks] = [line for line in lines if set(line.strip()) == {"^"}]
        above = lines[lines.index(marks) - 1]
        assert above.startswith(">")
        assert above[marks.index("^") : marks.rindex("^") + 1] == code


def test_sentences_take_the_place_of_a_table_that_does_not_fit(autodiff):
    out = autodiff("trace", "-e", "x = 2; y = x*(1 - x)", env={"COLUMNS": "36"}).out
    flat = " ".join(out.split())
    assert "line 1: dy/dx = dy/dy * (1 - x) = 1 * (-1) = -1, more to come" in flat
    assert "line 1: dy/d(1 - x) = dy/dy * x = 1 * 2 = 2" in flat
    assert "line 1: dy/dx += dy/d(1 - x) * (-1) = 2 * (-1) = -2, in all -1 + (-2) = -3" in flat
    assert "arrive below" not in flat


def test_a_sentence_on_tensors_has_the_formula_of_what_the_edge_gives():
    report = report_of(NETWORK)
    story = Story(report, Page())
    ids = {node.name: node.id for node in report.graph.nodes}
    flows = report.events.backward[1:]
    assert [story.name(flow.node) for flow in flows] == list(RULES)
    captions = [
        step.says for step in make_steps(report.graph, report.events, Page()) if step.phase == "backward"
    ]
    for flow, caption, (rule, source) in zip(flows, captions[1:], RULES.values(), strict=True):
        arriving = story.slope(ids[source])
        assert story.sentence(flow).startswith(f"{story.slope(flow.node)} = {rule}, where G is {arriving}: ")
        assert f" = {typeset(rule)} = " in caption
        assert caption.endswith(f", where G = {arriving.replace('d', '∂', 1).replace('/d', '/∂', 1)}")


def test_every_form_shows_the_sum_over_broadcast_rows(autodiff, tmp_path):
    script = tmp_path / "network.py"
    script.write_text("import torch\n" + NETWORK)
    edges = json.loads(autodiff("trace", script, "--format", "json").out)["graph"]["edges"]
    rules = {edge["symbol"]: edge["local"] for edge in edges}
    assert rules["sum(G)"] is rules["sum(G, dim=0)"] is None
    [row] = [
        row
        for row in csv.DictReader(StringIO(autodiff("trace", script, "--format", "csv").out))
        if row["event"] == "flow" and row["name"] == "b2"
    ]
    assert (row["local"], row["symbol"]) == ("", "sum(G)")
    for arguments in (("trace",), ("graph",), ("graph", "--format", "svg"), ("graph", "--format", "dot")):
        out = autodiff(arguments[0], script, *arguments[1:], env={"COLUMNS": "240"}).out
        assert "sum(G)" in out, arguments
        assert "sum(G, dim=0)" in out, arguments
