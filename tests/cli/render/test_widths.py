"""Every section of a report keeps to the page, on every script there is."""

from __future__ import annotations

import re

import pytest
from autodiff.cli.render.derivation import derivation_lines
from autodiff.cli.render.page import GRADIENT, NUMBER, Page, fit, flat, length
from autodiff.cli.render.reports import explain_lines, run_lines
from autodiff.cli.render.shortening import brackets
from autodiff.cli.render.steps import broken
from autodiff.cli.render.tree import tree_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe, describe_second_order
from autodiff.core.report.graph_records import Graph, GraphEdge, GraphNode
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from autodiff.grammar.session.second_order import differentiate_again
from conftest import REPOSITORY

from tests.cli.reports import seed_1_graph, texts

ROOT = REPOSITORY
SCRIPTS = sorted([*ROOT.glob("examples/**/*.ad"), *ROOT.glob("tests/pasted/*.ad")])
WIDTHS = (60, 80, 120)
SECTIONS = ("gradients", "graph")


@pytest.fixture(scope="module")
def reports():
    """The reports on all scripts that have one."""
    made = {}
    for path in SCRIPTS:
        source = Source(path.read_text(), str(path.relative_to(ROOT)))
        try:
            subject = differentiate(execute(source, write=lambda text: None), Settings())
        except AutodiffError:
            continue
        entry = next((tuple(n - 1 for n in node.shape) for _, node in subject.wrt if node.shape), None)
        made[source.name] = describe(subject, source, entry=entry)
    return made


def test_most_scripts_have_a_report(reports):
    assert len(reports) > 0.75 * len(SCRIPTS)


@pytest.mark.parametrize("box", [False, True], ids=["ascii", "box"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("section", SECTIONS)
def test_lines_keep_to_the_width(reports, section, width, box):
    for name, report in reports.items():
        for line in flat(run_lines(report, Page(width, box=box), (section,))):
            assert length(line) <= width, (name, line)


@pytest.mark.parametrize("width", WIDTHS)
def test_explanations_keep_to_the_width(reports, width):
    for name, report in reports.items():
        for line in explain_lines(report, Page(width)):
            assert length(line) <= width, (name, line)


#: Scripts whose names, matrices and sums are wider than a page.
WIDE = {
    "matrices": (
        "A = torch.randn(4, 6, requires_grad=True)\nB = torch.randn(6, 4)\nL = (A @ B @ A @ B).exp().sum()",
        {},
    ),
    "rows": ("w = torch.randn(3, 8, requires_grad=True)\nL = (torch.exp(w) * 1234.56789).sum()", {}),
    "names in lists": (
        "layers = [[torch.randn(3, 4, requires_grad=True)] for _ in range(2)]\n"
        "out = torch.tanh(layers[0][0] @ layers[1][0].T)",
        {"grad_output": "ones"},
    ),
    "a compound output": (
        "weights_of_the_first_layer = torch.randn(3, requires_grad=True)\n"
        "bias_of_the_first_layer = torch.randn(3, requires_grad=True)\n"
        "(weights_of_the_first_layer * bias_of_the_first_layer).exp()",
        {"grad_output": [0.123456789, 1.123456789, 2.123456789]},
    ),
    "a long sum": (
        "X = torch.randn(30, 9)\nw = torch.randn(9, requires_grad=True)\nL = ((X @ w) ** 2).sum()",
        {},
    ),
    "a deep chain": ("x = 0.5\ny = x\nfor _ in range(30):\n    y = sin(y) * x\nL = y * y", {}),
    "one long name": (f"{'n' * 90} = 3.25\nL = {'n' * 90} ** 2 * exp({'n' * 90})", {}),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", WIDE)
def test_wide_explanations_are_folded(case, width):
    script, settings = WIDE[case]
    asked = Settings(**settings)
    source = Source(script, "wide.ad")
    subject = differentiate(execute(source, asked, write=lambda text: None), asked)
    entry = next((tuple(n - 1 for n in node.shape) for _, node in subject.wrt if node.shape), None)
    for line in explain_lines(describe(subject, source, entry=entry), Page(width)):
        assert length(line) <= width, line


@pytest.mark.parametrize("width", WIDTHS)
def test_wide_second_derivatives_are_folded(width):
    source = Source("w = 3\nx = 2\nz = exp(w*x)*sin(x)\nL = z**3/w + tanh(z*w)", "wide.ad")
    asked = Settings()
    subject, seconds = differentiate_again(execute(source, asked, write=lambda text: None), asked, None)
    for line in explain_lines(
        describe_second_order(subject, source, seconds, max_paths=99, top=10), Page(width)
    ):
        assert length(line) <= width, line


def test_compound_names_stand_in_brackets_where_they_must():
    def told(script, **settings):
        asked = Settings(**settings)
        source = Source(script, "script.ad")
        subject = differentiate(execute(source, asked, write=lambda text: None), asked)
        return texts(explain_lines(describe(subject, source), Page(100)))

    assert told("ws = [torch.tensor(3., requires_grad=True)]\nL = ws[0]**2").startswith("dL/d(ws[0]) = 6 ")
    assert told("w = torch.tensor(3., requires_grad=True)\nw**2 + w").startswith("d(w**2 + w)/dw = 7 ")
    assert told("w = torch.tensor(3., requires_grad=True)\nL = w**2").startswith("dL/dw = 6 ")
    w = "w = torch.ones(2, requires_grad=True)\n"
    assert "dS/d(w + 1), S = sum(G*(w + 1))\n" in told(w + "w + 1", grad_output="ones")
    assert "dS/dY, S = sum(G*Y)\n" in told(w + "Y = w + 1", grad_output="ones")
    assert "dS/d(torch.exp(w)), S = sum(G*torch.exp(w))\n" in told(w + "torch.exp(w)", grad_output="ones")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_step_loses_a_sign_on_a_narrow_page(reports, width):
    """Broken lines put together again are the formula."""
    for name, report in reports.items():
        for derivation in report.derivations:
            if any("..." in text for text in (derivation.simplified, *derivation.chain)):
                continue
            lines = texts(derivation_lines(derivation, Page(width)))
            step = lines.partition("3 simplified")[2]
            end = re.search(r"^(  factored|4 numbers| +where )", step, re.M)
            assert end, name
            assert squeezed(step[: end.start()]) == squeezed(derivation.simplified), name


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("width", WIDTHS)
def test_no_number_is_lost_on_a_narrow_page(reports, width):
    """Whatever happens to names and formulas, every row of a tree has its value and its gradient."""
    for name, report in reports.items():
        assert numbers(report.graph, width) == numbers(report.graph, 1000), name


def numbers(graph: Graph, width: int) -> list[str]:
    pieces = [piece for line in flat(tree_lines(graph, Page(width))) for piece in line]
    return [text.strip() for style, text in pieces if style in (NUMBER, GRADIENT)]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_tree_written_at_once_reads_as_it_does_line_by_line(reports, width):
    """A pipe joins the columns of many rows, a terminal paints row by row."""
    for name, report in reports.items():
        for box in (False, True):
            lines = list(tree_lines(report.graph, Page(width, box=box)))
            assert texts(lines) == texts(flat(lines)), name


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_rows_are_cut_on_pages_of_every_width(width):
    text = texts(tree_lines(seed_1_graph(), Page(width, rows=3)))
    assert "w2*x3" in text
    assert "w3*x4" not in text
    assert "... 8 more nodes (--all)" in text


SIDE_BY_SIDE = """\
node                    op     value   d parent/d node   dL/d node
L                       sub       -7                             1
`- x5                   add        8                -1          -1
"""

CLOSER = """\
node                op    value  d parent/d node  dL/d node
L                   sub      -7                           1
`- x5               add       8               -1         -1
   |- w2*x3         mul       2                1         -1
   |  |- w2         leaf      2           x3 = 1         -1
   |  `- x3         mul       1           w2 = 2         -2
   |     |- w1      leaf      1           x1 = 1         -8
"""

ON_TWO_LINES = """\
node              op    d parent/d node
                       value  dL/d node
L                 sub
                          -7          1
`- x5             add                -1
                           8         -1
   |- w2*x3       mul                 1
   |                       2         -1
   |  |- w2       leaf           x3 = 1
   |  |                    2         -1
   |  `- x3       mul            w2 = 2
   |                       1         -2
   |  [4] w1      leaf           x1 = 1
   |                       1         -8
   |  [4] x1      leaf           w1 = 1
   |                       1         -2
"""


@pytest.mark.parametrize(("width", "start"), [(80, SIDE_BY_SIDE), (60, CLOSER), (40, ON_TWO_LINES)])
def test_what_a_tree_gives_up_on_a_narrow_page(width, start):
    assert texts(tree_lines(seed_1_graph(), Page(width))).startswith(start)


def test_guides_go_on_below_a_row_in_both_alphabets():
    plain = texts(tree_lines(seed_1_graph(), Page(40)))
    drawn = texts(tree_lines(seed_1_graph(), Page(40, box=True)))
    assert drawn.replace("├─", "|-").replace("└─", "`-").replace("│", "|") == plain


def test_a_formula_keeps_what_it_comes_to():
    formula = "exp(a_long_name + another_long_name) * cos(z)"
    nodes = (
        GraphNode(0, "x", "leaf", None, 1, (), "float64", 0.5, 2.0, ()),
        GraphNode(1, "y", "made", "MadeBackward0", 2, (), "float64", 0.5, 1.0, (0,)),
    )
    text = texts(tree_lines(Graph(1, nodes, (GraphEdge(1, 0, 0, 1.25, formula),)), Page(70)))
    assert "exp(a_long_name + ...) * cos(z) = 1.25 " in text


LONG_FORMULAS = (
    "zeros(4, 5).index_put((tensor([0, 4, 2]),), G)",
    "X.T @ (((h_3 @ V - T)*(1 - h_3**2)) @ Ws[2].T*(1 - h_2**2)) @ Ws[1].T/160",
    "sum([w_1*w_1, w_2*w_2, w_3*w_3, w_4*w_4, w_5*w_5])**2/4",
    "x.T @ expand(reshape(sum(-3*out**2*gamma/sqrt(var + 1e-05), dim=0), (1, 3))/6, (6, 3))",
)


@pytest.mark.parametrize("formula", LONG_FORMULAS)
def test_a_formula_that_is_cut_can_be_read(formula):
    """Every word is one of the whole formula, and every bracket has its partner."""
    words = {*re.findall(r"\w+", formula)}
    for width in range(24, len(formula)):
        said = fit(formula, width)
        assert len(said) <= width
        assert "..." in said
        assert brackets(said) is not None, said
        assert {*re.findall(r"\w+", said)} <= words, said


def test_the_name_of_a_compound_output_stands_in_brackets():
    nodes = (
        GraphNode(0, "x", "leaf", None, 1, (), "float64", 0.5, 2.0, ()),
        GraphNode(1, "(x*2).sum()", "sum", "SumBackward0", 2, (), "float64", 0.5, 1.0, (0,)),
    )
    graph = Graph(1, nodes, (GraphEdge(1, 0, 0, 2.0, "2"),))
    assert "d((x*2).sum())/d node" in texts(tree_lines(graph, Page(80)))
    assert "d(...)/d node" in texts(tree_lines(graph, Page(60)))


ALL = "gradients,graph,tensors"


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", ["cube.ad", "regression.ad", "seeds/2_descent_step.ad"])
def test_terminals_and_pipes_get_what_fits(autodiff, on_terminal, name, columns):
    path = ROOT / "examples" / name
    status, seen = on_terminal("run", path, "--show", ALL, columns=columns)
    assert status == 0
    piped = autodiff("run", path, "--show", ALL, env={"COLUMNS": str(columns)})
    for line in [*re.sub(r"\x1b\[[0-9;]*m", "", seen).split("\n"), *piped.out.split("\n")]:
        assert len(line) <= columns or str(path) in line  # the hint is a command to copy


@pytest.mark.parametrize(
    ("env", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"FORCE_COLOR": "1"}, True)],
)
def test_colour_changes_nothing_but_colour(on_terminal, env, colored):
    path = ROOT / "examples" / "regression.ad"
    _, plain = on_terminal("run", path, "--show", ALL, "--color", "never", columns=60)
    _, seen = on_terminal("run", path, "--show", ALL, columns=60, env=env)
    assert ("\x1b" in seen) == colored
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert [line.rstrip() for line in stripped.split("\n")] == [*plain.rstrip("\n").split("\n"), ""]


@pytest.mark.parametrize("env", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}])
def test_an_encoding_without_boxes_gets_none(on_terminal, env):
    path = ROOT / "examples" / "regression.ad"
    status, seen = on_terminal("run", path, "--show", ALL, columns=60, env=env)
    assert status == 0
    assert seen.isascii()
    assert "`- (w*x + c - y)**2" in re.sub(r"\x1b\[[0-9;]*m", "", seen)


def test_only_terms_of_the_sum_begin_at_the_margin():
    formula = "a*(bb + cc*(dd - ee))*ff*gg - outer(hh*(ii + jj), kk) + ll*mm"
    for room in range(12, 60):
        first, *others = broken(formula, room, 2)
        assert max(map(len, others), default=0) <= room
        assert "".join("".join((first, *others)).split()) == "".join(formula.split())
        assert all(line.startswith(("- outer(", "+ ll", "  ")) for line in others), (first, others)
        assert not any(line.startswith("   ") for line in others)


def test_no_line_of_a_formula_has_signs_and_brackets_alone():
    nested = "W.T @ ((W.T @ ((W.T @ (h_6*(1 - h_6**2)))*(1 - h_5**2)))*(1 - h_4**2))"
    formula = f"outer(2*(({nested})*(1 - h_3**2)), h_2) + (({nested}) @ h.T)*(1 - h**2)"
    for room in range(24, 80):
        lines = broken(formula, room)
        assert "".join("".join(lines).split()) == "".join(formula.split())
        assert all(re.search(r"\w", line) for line in lines), room
