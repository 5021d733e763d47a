"""What a value was made from is found in one look at the script, however often its names are read."""

from __future__ import annotations

import pytest
from autodiff.grammar.repair import missing_path, try_repairs
from autodiff.grammar.repair.proposals import value_origins
from autodiff.grammar.syntax import walk
from script_runner import run_script
from why_scripts import causes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INPUT = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def pointed_at(text: str) -> list[str]:
    error = run_script(text).error
    assert error is not None
    return [text[label.span.start : label.span.end] for label in error.labels]


def looked_at(tell: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many nodes of the syntax tree were asked for what stands below them until something was told."""
    count = 0
    children = walk.children

    def counted(node):
        nonlocal count
        count += 1
        return children(node)

    with monkeypatch.context() as patch:
        for module in (walk, value_origins, missing_path):
            patch.setattr(module, "children", counted)
        assert tell()
    return count


def test_a_name_read_twice_in_each_line_is_followed_once(monkeypatch) -> None:
    asked: list[str] = []
    given_to = value_origins.assignments_to
    monkeypatch.setattr(
        value_origins, "assignments_to", lambda scene, name: asked.append(name) or given_to(scene, name)
    )
    lines = ["a0 = torch.tensor(1.)", *(f"a{n + 1} = a{n} + a{n}" for n in range(7))]
    run_script("\n".join([*lines, "y = (a7 > 1).float()", "y.backward()"]))
    assert 8 <= len(asked) <= 10 * asked.count("a7")  # a0 to a7 and torch


@pytest.mark.parametrize(
    ("first", "line", "last"),
    [
        ("a0 = torch.tensor(1.)", "a{} = a{}*1.5", "a{}.backward()"),
        ("w = torch.tensor(1., requires_grad=True)\na0 = w.detach()", "a{} = a{}*1.5", "a{}.backward()"),
        ("a0 = torch.tensor(1.)", "a{} = a{}*1.5", "(a{} > 1).float().backward()"),
        (
            "w = torch.tensor(1., requires_grad=True)\nwith torch.no_grad():\n    a0 = w*1.",
            "    a{} = a{}*1.5",
            "a{}.backward()",
        ),
    ],
)
def test_twice_as_long_a_script_is_twice_the_work(first: str, line: str, last: str, monkeypatch) -> None:
    def script(length: int) -> str:
        return "\n".join([first, *(line.format(n + 1, n) for n in range(length)), last.format(length)])

    short, long = (looked_at(lambda n=n: run_script(script(n)).error, monkeypatch) for n in (40, 80))
    assert long < 3 * short


@pytest.mark.parametrize("last", ["", "b{} = w*1."])
def test_why_nothing_was_used_of_an_input_takes_one_look(last: str, monkeypatch) -> None:
    def script(length: int) -> str:
        lines = ["x = torch.tensor(1., requires_grad=True)", "w = torch.tensor(1., requires_grad=True)"]
        lines += ["b0 = x*1.", *(f"b{n + 1} = b{n}*1.5" for n in range(length)), last.format(length)]
        lines += ["a0 = w*1.", *(f"a{n + 1} = a{n}*1.5" for n in range(length)), f"L = a{length}*3"]
        return "\n".join(lines)

    assert len(causes(script(3))) == 1
    short, long = (looked_at(lambda n=n: causes(script(n)), monkeypatch) for n in (40, 80))
    assert long < 3 * short


def test_what_is_made_of_a_name_is_followed_once_however_often_it_is_read() -> None:
    """In a sum of many lines, `L = L + w*2`, each line reads both names again."""
    asked = []

    class Users(dict[str, list[str]]):
        def get(self, name, default=None):
            asked.append(name)
            return super().get(name, default)

    users = Users({"w": ["L"] * 40, "L": ["L"] * 40})
    assert value_origins.transitive_users(users["w"], users) == {"L"}
    assert asked == ["L"]


def test_what_is_added_to_an_entry_goes_into_the_tensor() -> None:
    assert "x[0].detach()" in pointed_at(
        INPUT + "y = torch.zeros(3)\ny[0] += x[0].detach()\ny.sum().backward()"
    )


def test_of_many_cuts_a_few_are_told_and_all_are_mended(monkeypatch) -> None:
    tried: list[object] = []
    run = try_repairs.run_once
    monkeypatch.setattr(try_repairs, "run_once", lambda *given: tried.append(given) or run(*given))
    lines = ["a0 = x*2", *(f"a{n + 1} = a{n}.detach()*1.5" for n in range(30)), "a30.sum().backward()"]
    error = run_script(INPUT + "\n".join(lines)).error
    assert error is not None
    [fix] = error.fixes
    told = "stay in the graph: write a0 for a0.detach(), and a1 for a1.detach(), and a2 for a2.detach()"
    assert fix.text == f"{told}, and 27 more"
    assert "detach" not in fix.apply(INPUT + "\n".join(lines))
    assert len(tried) < 5


def test_of_many_lines_under_no_grad_a_few_are_told() -> None:
    lines = ["with torch.no_grad():", "    a0 = x*2", *(f"    a{n + 1} = a{n}*1.5" for n in range(9))]
    error = run_script(INPUT + "\n".join([*lines, "a9.sum().backward()"])).error
    assert error is not None
    [fix] = error.fixes
    told = "stay in the graph: write a0 = x*2 and a1 = a0*1.5 and a2 = a1*1.5 and 7 more"
    assert fix.text == f"{told} outside of torch.no_grad()"


@pytest.mark.parametrize(
    ("draw", "advice"),
    [
        ("torch.bernoulli(x / 3)", "p + (s - p).detach() passes a gradient on"),
        ("torch.normal(x, torch.ones(2))", "write (x + torch.ones(2) * torch.randn_like(x))"),
    ],
)
def test_a_random_draw_is_where_the_graph_was_left(draw: str, advice: str) -> None:
    text = f"{INPUT}s = {draw}\ns.sum().backward()"
    error = run_script(text).error
    assert error is not None
    assert draw in pointed_at(text)
    assert advice in " ".join([*error.help, *(fix.text for fix in error.fixes)])
