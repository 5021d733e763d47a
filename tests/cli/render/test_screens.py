"""``run`` fits the screen: what is shown, what is left out, and which commands show it."""

from __future__ import annotations

import re
import shlex
from collections import Counter

import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.page import Page
from autodiff.cli.render.screen import screen_lines
from autodiff.cli.requests.session import Session
from autodiff.core.derivation import graph_report
from autodiff.core.derivation.derive import Derivations

from tests.cli.reports import SEED_1, seed_1_report, texts

SMALL = "w = 3; L = w**2"
NETWORK = """torch.manual_seed(0)
x = torch.randn(5, 3)
t = torch.randn(5, 1)
W1 = torch.randn(3, 4, requires_grad=True)
b1 = torch.zeros(4, requires_grad=True)
W2 = torch.randn(4, 1, requires_grad=True)
b2 = torch.zeros(1, requires_grad=True)
h = torch.tanh(x @ W1 + b1)
y = h @ W2 + b2
loss = ((y - t)**2).mean()
loss.backward()
"""
RECURRENT = """W = torch.full((4, 4), 0.1, requires_grad=True)
h = torch.ones(4)
for t in range(12):
    h = torch.tanh(W @ h + 0.5)
loss = (h**2).sum()
"""
UNDEFINED = (
    "x = torch.tensor([0.0, 4.0], requires_grad=True)\nL = (torch.sqrt(x) * x).sum() + (x / x).sum()\n"
)
MANY = "ws = [torch.tensor(float(i), requires_grad=True) for i in range({count})]\nL = sum(ws) * 2\n"
LOOP = "w = torch.tensor(1.0, requires_grad=True)\nL = w\nfor i in range(200_000):\n    L = L * w\n"
SCRIPTS = {
    "seed": SEED_1,
    "small": SMALL,
    "network": NETWORK,
    "recurrent": RECURRENT,
    "undefined": UNDEFINED,
    "1": "w = 3; L = (w*2 + 1)**2",
    "5": "a = 1; b = 2; c = 3; d = 4; e = 5; L = a*b*c + tanh(d*e)*a + exp(b)",
    "20": MANY.format(count=20),
    "200": MANY.format(count=200),
    "chain": "w = 1.001\nL = w\nfor i in range(300):\n    L = sin(L) * w\n",
    "loop": LOOP,
}


def shown(height: int, width: int = 80) -> list[str]:
    page = Page(width, rows=200, step=20, height=height)
    report = seed_1_report()
    return texts(screen_lines(report, page, "autodiff graph s.ad", "autodiff explain s.ad")).splitlines()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 40)])
@pytest.mark.parametrize("name", SCRIPTS)
def test_one_screen_each(on_terminal, write, name, columns, lines) -> None:
    code, seen = on_terminal("run", write(SCRIPTS[name]).name, columns=columns, env={"LINES": str(lines)})
    assert code == 0, seen
    assert seen.count("\n") < lines
    assert "/d leaf" in seen or "gradient" in seen


def test_a_hundred_thousand_inputs_have_one_screen(on_terminal, write) -> None:
    script = write(MANY.format(count=100_000))
    seen = on_terminal("run", "--color", "never", script, env={"LINES": "24"})[1]
    assert seen.count("\n") < 24
    assert "not shown: the tree" in seen
    assert "100,000 derivations" in seen
    assert re.search(r"\.\.\. 99,9\d\d more inputs \(--all\)", seen)


@pytest.mark.parametrize(
    ("name", "height", "work"),
    [
        ("small", 24, {"graph_of": 1, "derive": 1, "formula": 1}),
        ("seed", 24, {"formula": 5}),
        ("seed", 36, {"graph_of": 1, "formula": 5}),
        ("seed", 90, {"graph_of": 1, "derive": 5, "formula": 5}),
        ("seed", 0, {"graph_of": 1, "derive": 5, "formula": 5}),
        ("recurrent", 24, {"derive": 1, "formula": 1}),
        ("20", 24, {"formula": 20}),
        ("200", 40, {}),
        ("200", 0, {}),
        ("chain", 24, {"formula": 1}),
        ("chain", 0, {"formula": 1}),
        ("loop", 40, {}),
        ("loop", 0, {}),
    ],
)
def test_only_what_can_fit_is_made(monkeypatch, write, name, height, work) -> None:
    """The work of a run is counted: what is drawn, derived, and written as a formula."""
    done: Counter[str] = Counter()
    for owner, function in ((graph_report, "graph_of"), (Derivations, "derive"), (Derivations, "formula")):
        before = getattr(owner, function)

        def counted(*arguments, function=function, before=before, **options):
            done[function] += 1
            return before(*arguments, **options)

        monkeypatch.setattr(owner, function, counted)
    session = Session(read_arguments(["run", str(write(SCRIPTS[name]))]))
    monkeypatch.setattr(Session, "page", lambda self: Page(rows=200 if height else 1_000, height=height))
    session.report_if_any(graph=True, derivations=True, needed=False)
    assert done == work


@pytest.mark.parametrize("name", ["seed", "network", "200", "loop"])
def test_what_is_left_out_has_a_command_that_runs(on_terminal, autodiff, write, name) -> None:
    script = write(SCRIPTS[name])
    seen = on_terminal("run", "--color", "never", script, env={"LINES": "24"})[1]
    told = seen[seen.index("not shown: ") :].split("\n\n")[0]
    commands = ["autodiff " + part.split("\n")[0] for part in told.split("autodiff ")[1:]]
    assert [shlex.split(command)[1] for command in commands] == ["graph", "explain"]
    for command in commands[: None if name != "loop" else 0]:
        assert autodiff(*shlex.split(command)[1:]).returncode == 0


def test_code_of_the_command_line_is_given_back_as_it_was(on_terminal, autodiff) -> None:
    code = "w = 2\nL = w\nfor i in range(9):\n    L = sin(L)*w\n"
    seen = on_terminal("run", "--color", "never", "-e", code, env={"LINES": "24"})[1]
    command = next(line for line in seen.splitlines() if "autodiff graph" in line)
    again = autodiff(*shlex.split(command[command.index("autodiff") :])[1:])
    assert again.out == autodiff("graph", "-e", code).out
    seen = on_terminal("run", "--color", "never", "-e", SEED_1, env={"LINES": "24"})[1]
    assert "the same line with `graph` in place of `run`" in seen
    assert "..." not in seen.split("\n\n")[0]


def test_a_kink_is_told_also_where_nothing_is_derived(on_terminal, write) -> None:
    script = write("w = 3; a = 1; b = 2; c = 3; L = relu(w - 3) + a*b*c\n")
    seen = on_terminal("run", "--color", "never", script, env={"LINES": "24"})[1]
    assert "4 derivations" in seen
    assert "note: relu in line 1 is at a kink" in seen


def test_everything_is_shown_while_it_fits(on_terminal) -> None:
    seen = on_terminal("run", "--color", "never", "-e", SMALL, env={"LINES": "40"})[1]
    places = [seen.index(part) for part in ("d parent/d node", "1 chain", "5 value", "dL/d leaf")]
    assert places == sorted(places)
    assert "not shown" not in seen


def test_the_answer_comes_last_where_it_does_not_fit() -> None:
    lines = shown(24)
    assert lines[0].split("   ")[0] == "not shown: the tree of 11 nodes"
    assert [line.split()[0] for line in lines[-5:]] == ["x1", "x2", "w1", "w2", "w3"]


def test_the_tree_is_shown_where_it_alone_fits() -> None:
    lines = shown(36)
    assert lines[0].startswith("node ")
    assert lines[-5].split()[0] == "x1"
    assert not any("the tree of" in line for line in lines)
    assert any(line.startswith("not shown: 5 derivations") for line in lines)


def test_a_command_is_never_folded() -> None:
    lines = shown(24, width=30)
    assert "  autodiff graph s.ad" in lines
    assert "  autodiff explain s.ad" in lines


def test_asked_for_parts_are_whole(on_terminal, write) -> None:
    for flags in (("--all",), ("--show", "gradients,graph,paths")):
        seen = on_terminal("run", "--color", "never", *flags, write(SEED_1))[1]
        assert "not shown" not in seen
        assert seen.count("5 value") == 5


def test_the_formula_stands_beside_the_gradient() -> None:
    header, *rows = texts(gradient_lines(seed_1_report(), Page())).splitlines()[2:]
    assert header.split()[-1] == "formula"
    assert rows[2].endswith("-8         2   -w2*x1 - w3*x2")


def table_with(*formulas: str, width: int = 80, below: bool = True) -> list[str]:
    """The table of as many inputs as there are formulas."""
    gradients = (seed_1_report().gradients * 3)[: len(formulas)]
    report = seed_1_report(gradients=gradients, formulas=formulas)
    return texts(gradient_lines(report, Page(width), below)).splitlines()


def test_formulas_stand_below_where_they_do_not_fit_beside() -> None:
    lines = table_with("w*x + " * 8 + "b", "x1")
    assert lines[-2:] == ["  dL/dx1 = " + "w*x + " * 8 + "b", "  dL/dx2 = x1"]
    assert "formula" not in lines[2]
    assert table_with("w*x + " * 8 + "b", "x1", below=False) == lines[:-3]
    long, longer = "w*x + " * 16 + "b", "w*x + " * 40 + "b"
    lines = table_with(long, longer, "")
    assert "".join(lines[-3:-1]).replace(" ", "") == f"dL/dx1={long}".replace(" ", "")
    assert lines[-1] == "  no short formula for x2, w1 (autodiff explain)"


def test_of_many_formulas_most_stand_beside() -> None:
    lines = table_with(*["x"] * 6, *["w*x + " * 9 + "b"] * 4)
    assert [line.split()[-1] for line in lines[3:]] == ["x"] * 6 + ["..."] * 4
    lines = table_with(*["x"] * 4, *["w*x + " * 9 + "b"] * 6)
    assert lines[2].split()[-1] == "paths"


def test_inputs_with_lines_of_their_own_have_their_formula_there(autodiff, write) -> None:
    assert "\n    formula   sum(0.4*(y - t))\n" in autodiff("run", write(NETWORK)).out


@pytest.mark.parametrize(
    ("script", "formula"),
    [
        (SEED_1, "-w2*x1 - w3*x2"),
        ("w1 = 2\nL = w1\nfor i in range(60):\n    L = L * w1", "61*w1**60"),
        ("w1 = 2\nL = w1\nfor i in range(3):\n    L = sin(L) * w1", ""),
        ("w1 = 2; L = w1 * 0", "0"),
        ("w1 = 2; x = 0; L = w1 * x", "x"),
        ("w1 = 0; L = sqrt(w1)", ""),
        ("w1 = 1; L = relu(w1 - 1)", ""),
    ],
)
def test_a_formula_is_told_where_it_needs_no_more_words(write, script, formula) -> None:
    session = Session(read_arguments(["run", str(write(script + "\n")), "--wrt", "w1"]))
    report = session.report_if_any(graph=False, derivations=True, needed=False)
    assert report.formulas == (formula,)


def test_matrices_become_ranges_before_inputs_are_left_out(on_terminal, write) -> None:
    seen = on_terminal("run", "--color", "never", write(NETWORK), env={"LINES": "24"})[1]
    assert "all 0" in seen
    for name in ("W1", "b1", "W2", "b2"):
        assert f"\n  {name} " in seen


def test_a_text_in_a_pipe_ends_with_the_table(autodiff, write) -> None:
    for flags in ((), ("--all",), ("--show", "gradients"), ("--show", "graph,gradients")):
        short = autodiff("run", *flags, write(SEED_1)).out.splitlines()
        assert short[-8].startswith("L = -7 ")
        assert [line.split()[0] for line in short[-6:]] == ["leaf", "x1", "x2", "w1", "w2", "w3"]
    long = autodiff("run", write(NETWORK.replace("randn(5,", "randn(2,"))).out
    assert long.startswith("node ")
    places = [long.index(part) for part in ("1 chain", "loss = ", "    formula   sum(")]
    assert places == sorted(places)
    longer = autodiff("run", write(SCRIPTS["20"])).out.splitlines()
    assert len(longer) < 200
    assert any(line.startswith("not shown: 20 derivations") for line in longer)
    assert longer[-1].split()[0] == "ws[19]"


def test_a_pipe_gets_a_bounded_text(autodiff, write) -> None:
    done = autodiff("run", write(LOOP))
    assert len(done.out.splitlines()) < 20
    assert "not shown: the tree" in done.out
    done = autodiff("run", write(MANY.format(count=3_000)))
    assert len(done.out.splitlines()) < 1_020
    assert "... 2,000 more inputs (--all)" in done.out


def test_large_graphs_are_not_drawn_for_a_run(autodiff, write, monkeypatch) -> None:
    """No node is made of a long tape: the gradients need none."""
    from autodiff.core.base.source import Source
    from autodiff.core.derivation.describe import describe
    from autodiff.grammar.execution import execute
    from autodiff.grammar.session.run import Settings, differentiate

    settings = Settings()
    execution = execute(Source(LOOP), settings)
    subject = differentiate(execution, settings)
    monkeypatch.setattr(subject, "_make_nodes", None)
    report = describe(subject, execution.source, graph=False, derivations=False)
    table = texts(gradient_lines(report, Page()))
    assert report.size > 200_000
    assert "paths" not in table


@pytest.mark.parametrize("note", ["", "/z"])
def test_a_report_takes_all_lines_that_the_screen_has(on_terminal, write, note):
    """Below it are the hint and the prompt, and the notes of this run alone."""
    script = write(f"x1 = 2.0\nx2 = 5.0\nz = 1.0\nf = ln(x1) + x1*x2 + z{note}\n")
    for height in range(24, 40):
        seen = on_terminal("run", "--color", "never", script, env={"LINES": str(height)})[1]
        assert ("note: the gradient for z is zero" in seen) is bool(note)
        assert seen.count("\n") < height
        if "d parent/d node" in seen:
            break
    assert seen.count("\n") == height - 1, "the first screen with the tree is full"


PRINTS = "for i in range({count}):\n    print('{text}')\n"


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (100, 30)])
@pytest.mark.parametrize("count", [1, 5, 9])
@pytest.mark.parametrize("name", ["small", "seed", "network", "5"])
def test_what_the_script_prints_is_on_the_screen_too(on_terminal, write, name, count, columns, lines) -> None:
    script = write(SCRIPTS[name] + "\n" + PRINTS.format(count=count, text="here"), "s.ad").name
    code, seen = on_terminal("run", script, columns=columns, env={"LINES": str(lines)})
    assert code == 0
    assert seen.count("here") == count
    assert seen.count("\n") < lines or "not shown: the tree" in seen


def test_printed_lines_that_are_wider_than_the_screen_take_several(on_terminal, write) -> None:
    for text, is_drawn in (("x" * 70, True), ("x" * 300, False)):
        script = write(SMALL + "\n" + PRINTS.format(count=3, text=text), "s.ad").name
        _, seen = on_terminal("run", script, columns=80, env={"LINES": "24"})
        assert ("d parent/d node" in seen) == is_drawn, seen


def test_a_script_that_prints_more_than_a_screen_has_the_report_of_one_that_prints_nothing(
    on_terminal, write
) -> None:
    script = write(SMALL + "\n" + PRINTS.format(count=100, text="here"), "s.ad").name
    _, seen = on_terminal("run", script, columns=80, env={"LINES": "24"})
    _, silent = on_terminal("run", write(SMALL, "t.ad").name, columns=80, env={"LINES": "24"})
    assert seen.replace("here\n", "").replace("s.ad", "t.ad") == silent


def test_a_zero_gradient_has_its_formula_and_nan_is_not_called_long(autodiff):
    script = "x1 = 2.; x2 = 0.; w1 = -3.; w2 = 1.; b = 6.88\no = tanh(x1*w1 + x2*w2 + b)"
    row = next(line for line in autodiff("run", "-e", script).out.splitlines() if line.startswith("  w2"))
    assert row.split(maxsplit=4) == ["w2", "1", "0", "1", "(1 - o**2)*x2"]
    out = autodiff("run", "-e", "x = -1.; y = 2.; z = x*0/(y - 2)").out
    assert "no short formula" not in out
