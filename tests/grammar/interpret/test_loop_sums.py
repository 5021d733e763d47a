"""Loops that add something up in place, from a list of instructions: tensors are changed as turn by turn."""

from __future__ import annotations

from textwrap import indent

import pytest
from autodiff.core.base.fast_paths import is_fast
from loop_runs import compared, ran, short_loops_as_well, taken, turn_by_turn
from loop_scripts import loop_script
from seeds import seeds

pytestmark = pytest.mark.skipif(not is_fast, reason="there are no such programs without the tape")

SEEDS = seeds(100)
__all__ = ["short_loops_as_well", "taken"]  # fixtures


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_loops_do_the_same(seed: int, rows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(loop_script(seed, rows, sums=True), monkeypatch)


@pytest.mark.parametrize(("rows", "part"), [(False, 0.12), (True, 0.06)])
def test_many_random_loops_are_programs(rows: bool, part: float, taken: list[int]) -> None:
    took = 0
    for seed in SEEDS:
        del taken[:]
        ran(loop_script(seed, rows, sums=True))
        took += any(taken)
    assert took > part * len(SEEDS)


START = """\
a = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(-0.4, requires_grad=True)
p, q = a * 1.0, a * b
u, v = torch.tensor(0.5), torch.tensor(0.25)
"""


def looped(body: str, before: str = "", after: str = "") -> str:
    """Fifty turns of this body; ``;`` stands between statements."""
    lines = indent(body.replace("; ", "\n"), "    ")
    return f"{START}{before}\nfor i in range(50):\n{lines}\nL = p * u + q * v\n{after}"


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "u += p * i"),
        ("", "u -= sin(p)"),
        ("", "u += p; v -= q"),
        ("", "u += p; u += 0.5"),
        ("", "p = sin(p) * q; u += p * p"),
        ("u = 0", "u += p"),
        ("w = u", "u += p"),
        ("w = [u]", "u += p"),
        ("u = a + 1", "u += p"),
    ],
)
def test_sums_in_place_are_programs(
    before: str, body: str, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(looped(body, before), monkeypatch)
    assert any(taken)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "u += p; t = u * 2"),
        ("", "t = u * p; u += p"),
        ("", "u += p; t = u"),
        ("", "u += u"),
        ("", "u = p; u += q"),
        ("", "u = p + 0.5; u += q"),
        ("", "u += p; u = q + 1"),
        ("", "u += p; u = q * 2"),
        ("", "u, u = p, q; u += q"),
        ("", "u *= p"),
        ("", "u /= 2"),
        ("", "i += p"),
        ("t = u", "u += p; p = sin(t)"),
        ("u = 0", "u += 0.5"),
        ("u = torch.tensor([0.5])", "u += p"),
    ],
)
def test_others_go_turn_by_turn(
    before: str, body: str, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = ran(looped(body, before))
    assert not any(taken)
    assert repr(mine["u"]) == repr(turn_by_turn(looped(body, before), monkeypatch)["u"])


@pytest.mark.parametrize(
    "lines",
    [
        ["u += p", "if i % 2:", "    p = sin(p)", "else:", "    p = sin(p) * 0.5"],
        ["if i % 2:", "    u += p", "q = sin(q)"],
        ["if i % 2:", "    q = sin(q)", "else:", "    u -= p"],
    ],
)
def test_branches_beside_sums_go_turn_by_turn(
    lines: list[str], taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(looped("; ".join(lines)), monkeypatch)
    assert not any(taken)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("old = u * a", "L = L + old\n"),
        ("u = a + 1\nold = u * u", "L = L + old\n"),
        ("u = exp(a)", ""),
        ("w = u.detach()", "L = L + w * a\n"),
        ("u = a + 1\nw = u.detach()", "L = L + w * a\n"),
        ("u = a + 1\nold = u * 2", "L = L + old\n"),
    ],
)
def test_what_was_read_before_is_refused_or_kept(
    before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(looped("u += p * i", before, after), monkeypatch)


def test_a_change_in_place_gives_the_last_value(taken: list[int]) -> None:
    script = START + "t = a * 3\nfor i in range(50):\n    u += p\n"
    assert ran(script)["the last"] == "u"
    assert any(taken)


def test_what_begins_as_a_number_is_assigned_once(taken: list[int]) -> None:
    script = START + "u = 0\nt = a * 3\nfor i in range(50):\n    u += p\n"
    assert ran(script)["the last"] == "u"
    assert any(taken)


def test_long_sums_go_on_from_tape_to_tape(taken: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    compared(looped("u += p * i").replace("range(50)", "range(6000)"), monkeypatch)
    assert sum(taken) > 5900
