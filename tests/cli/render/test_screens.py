"""``run`` fits the screen: what is shown, what is left out, and which commands show it."""

from __future__ import annotations

import shlex

import pytest
from autodiff.cli.render.gradients import gradient_lines
from autodiff.cli.render.page import Page
from autodiff.cli.render.screen import screen_lines

from tests.cli.reports import SEED_1, seed_1_report, texts, w1_derivation

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
    "20": MANY.format(count=20),
    "200": MANY.format(count=200),
    "loop": LOOP,
}


def shown(height: int, width: int = 80, **changes) -> list[str]:
    page = Page(width, rows=200, step=20, height=height)
    report = seed_1_report(**changes)
    return texts(screen_lines(report, page, "autodiff graph s.ad", "autodiff explain s.ad")).splitlines()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 40)])
@pytest.mark.parametrize("name", SCRIPTS)
def test_one_screen_each(on_terminal, write, name, columns, lines) -> None:
    code, seen = on_terminal("run", write(SCRIPTS[name]), columns=columns, env={"LINES": str(lines)})
    assert code == 0
    assert seen.count("\n") < lines
    assert "/d leaf" in seen or "gradient" in seen


@pytest.mark.parametrize("name", ["seed", "network", "200", "loop"])
def test_what_is_left_out_has_a_command_that_runs(on_terminal, autodiff, write, name) -> None:
    script = write(SCRIPTS[name])
    seen = on_terminal("run", "--color", "never", script, env={"LINES": "24"})[1]
    told = seen[seen.index("not shown: ") :].split("\n\n")[0]
    commands = ["autodiff " + part.split("\n")[0] for part in told.split("autodiff ")[1:]]
    assert [shlex.split(command)[1] for command in commands] == ["graph", "explain"]
    for command in commands[: None if name != "loop" else 0]:
        assert autodiff(*shlex.split(command)[1:]).returncode == 0


def test_everything_is_shown_while_it_fits(on_terminal) -> None:
    seen = on_terminal("run", "--color", "never", "-e", SMALL, env={"LINES": "40"})[1]
    places = [seen.index(part) for part in ("dL/d leaf", "d parent/d node", "1 chain", "5 value")]
    assert places == sorted(places)
    assert "not shown" not in seen


def test_the_answer_comes_last_where_it_does_not_fit() -> None:
    lines = shown(24)
    assert lines[0].split("   ")[0] == "not shown: the tree of 11 nodes"
    assert [line.split()[0] for line in lines[-5:]] == ["x1", "x2", "w1", "w2", "w3"]


def test_the_tree_is_shown_where_it_alone_fits() -> None:
    lines = shown(34)
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
    table = texts(gradient_lines(seed_1_report(gradients=seed_1_report().gradients[2:3]), Page()))
    header, row = table.splitlines()[2:4]
    assert header.split()[-1] == "formula"
    assert row.endswith("-8         2   -w2*x1 - w3*x2")


@pytest.mark.parametrize(
    "changes", [{"simplified": "w" * 50}, {"where": (("t1", "a*b"),)}, {"simplified": "w", "causes": (1,)}]
)
def test_a_formula_that_does_not_fit_or_needs_more_is_left_out(changes) -> None:
    report = seed_1_report(gradients=seed_1_report().gradients[2:3], derivations=(w1_derivation(**changes),))
    assert "formula" not in texts(gradient_lines(report, Page()))


def test_matrices_become_ranges_before_inputs_are_left_out(on_terminal, write) -> None:
    seen = on_terminal("run", "--color", "never", write(NETWORK), env={"LINES": "24"})[1]
    assert "all 0" in seen
    for name in ("W1", "b1", "W2", "b2"):
        assert f"\n  {name} " in seen


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
