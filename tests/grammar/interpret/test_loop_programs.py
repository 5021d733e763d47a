"""Loops that are run from a list of instructions: the same numbers, graphs and tensors as turn by turn."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.limits import limits
from loop_runs import compared, failed, ran, same_tensors, short_loops_as_well, taken, turn_by_turn
from loop_scripts import loop_script
from loop_traps import AFTER, BEFORE, ROWS, TRAPS, TRAPS_OF_ROWS
from seeds import seeds

pytestmark = pytest.mark.skipif(not is_fast, reason="there are no such programs without the tape")

SEEDS = seeds(100)
__all__ = ["short_loops_as_well", "taken"]  # fixtures


@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_do_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(loop_script(seed), monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_through_rows_do_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(loop_script(seed, rows=True), monkeypatch)


@pytest.mark.parametrize(("rows", "part"), [(False, 0.3), (True, 0.15)])
def test_many_random_loops_are_programs(rows: bool, part: float, taken: list[int]) -> None:
    took = 0
    for seed in SEEDS:
        del taken[:]
        ran(loop_script(seed, rows))
        took += any(taken)
    assert took > part * len(SEEDS)


START = """\
a = torch.tensor(0.5, requires_grad=True)
p = a * 1.0
q = a * 2.0
for i in range(50):
"""


def looped(body: str) -> str:
    """Fifty turns of this body; ``;`` stands between statements."""
    return START + indent(body.replace("; ", "\n"), "    ")


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("p = sin(p); q = p", ["pq"]),
        ("q = p; p = sin(p)", []),
        ("p, q = q, p", []),
        ("s = q; q = p * a; p = sin(s)", []),
        ("p = sin(p); q = p; s = q", ["pqs"]),
        ("s = a; p = p * s", ["as"]),
    ],
)
def test_names_of_one_tensor_stay_names_of_one_tensor(body: str, shared: list[str], taken: list[int]) -> None:
    names = ran(looped(body))
    assert any(taken) or body == "p, q = q, p"
    assert {"".join(sorted(n)) for n in same_tensors(names) if len(n) > 1} == set(shared)


def test_a_loop_that_is_stopped_has_taken_as_many_steps(
    monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    monkeypatch.setattr(limits, "steps", 1000)
    message, turns = failed(looped("p = sin(p) * a").replace("50", "1002"), monkeypatch)
    assert sum(taken) == 999
    assert message == "the script was stopped after 1,000 steps"
    assert turns == [(1001, "i = 1000")]


TOO_LARGE = """\
a = torch.tensor(0.5, requires_grad=True)
p = a * 1.0
for i in range(50):
    p = sin(p)
    if i * 1000000000000000000 > 5:
        q = p * a
    else:
        q = p + a
    r = q * 2
"""


def test_a_test_that_fails_is_told_with_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    message, turns = failed(TOO_LARGE, monkeypatch)
    assert "integer overflow" in message
    assert turns == [(11, "i = 10")]


def test_a_loop_over_arrays_is_given_up_soon(taken: list[int]) -> None:
    ran(looped("p = sin(p) * a").replace("0.5", "[0.5, 1.0]"))
    assert taken == [0] * 8


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_nothing_goes_wrong_that_may(trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(BEFORE + trap + AFTER, monkeypatch)
    assert ran(BEFORE + trap)["the last"] == turn_by_turn(BEFORE + trap, monkeypatch)["the last"]


@pytest.mark.parametrize("trap", TRAPS_OF_ROWS.values(), ids=TRAPS_OF_ROWS)
def test_nothing_goes_wrong_with_rows(trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(BEFORE + ROWS + trap + AFTER, monkeypatch)
    mine = ran(BEFORE + ROWS + trap)
    assert mine["the last"] == turn_by_turn(BEFORE + ROWS + trap, monkeypatch)["the last"]


@pytest.mark.parametrize("settings", [{"wrt": ["a"]}, {"sets": {"q": 2.0}}, {"sets": {"r": 2.0}}])
def test_what_the_command_line_asks_for_is_done(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = "for i in range(9):\n    p = sin(p) * a\n    r = p * q\n"
    for script in (BEFORE + loop + AFTER, (BEFORE + loop + AFTER).replace(", requires_grad=True", "")):
        compared(script, monkeypatch, **settings)


@pytest.mark.parametrize(
    "body",
    [
        "p = a.detach() * 2",
        "p = torch.sum(p) * a",
        "p = p * a if i else p + a",
        "p = sin(p); p.retain_grad()",
        "p += a",
        "p = sin(p) * (i * 0.5)",
        "p = 2.0",
        "p = p" + " * a" * 3000,
        "p = " + "sin(" * 150 + "p" + ")" * 150,
        "if p > 0: p = p * a",
        "if i: p = p * a",
        "if i % 2: s = p * a\n    else: t = p * a",
        "i = p * a",
    ],
)
def test_other_bodies_go_turn_by_turn(body: str, taken: list[int]) -> None:
    ran(looped(body))
    assert not any(taken)


@pytest.mark.parametrize(
    "body",
    [
        "t = sin(p); p = t * a + q; q = t",
        "p, q = q, p * a + q.tanh()",
        "p = -p ** 2 / i * 0.5 - 1",
        "s = sin(q); if i % 2:;     p = s * a; else:;     p = s + a; q = s; p = p * a",
        "if i > 3:;     p = sin(p); elif i == 2:;     q = p * a; else:;     p = cos(p); p = p * a",
    ],
)
def test_loops_of_numbers_are_programs(body: str, taken: list[int]) -> None:
    ran(looped(body))
    assert sum(taken) == 49
