"""Loops through rows of numbers that are run from a list of instructions: which are, and how they fail."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.limits import limits
from autodiff.core.fused.loop_program import LoopProgram
from autodiff.grammar.interpret import fast_loop_compiler
from autodiff.grammar.objects.runtime import runtime
from loop_runs import compared, failed, ran, short_loops_as_well, taken, turn_by_turn
from loop_traps import AFTER, BEFORE, ROWS

pytestmark = pytest.mark.skipif(not is_fast, reason="there are no such programs without the tape")
__all__ = ["short_loops_as_well", "taken"]  # fixtures

FIFTY = """\
us, vs = [j * 0.5 for j in range(50)], tuple([j * 0.25 for j in range(50)])
"""


def through(rows: str, body: str = "p = sin(p) * x") -> str:
    return f"{BEFORE}{ROWS}{FIFTY}for {rows}:\n    {body}\n"


@pytest.mark.parametrize(
    ("rows", "turns"),
    [
        *(("x in us", 49), ("x in vs", 49), ("x in reversed(us)", 45), ("x in range(50)", 49)),
        *(("x, i in zip(us, vs)", 45), ("i, x in enumerate(us)", 45), ("i, x in zip(range(10**9), us)", 45)),
        *(("[i, x] in list(zip(us, vs))", 49), ("x, in zip(us)", 45), ("i, x in [[1, u] for u in us]", 49)),
        *(
            ("x, i in zip(us, vs, strict=True)", 45),
            ("x, i in zip(range(1 - 2**53, 2**62 - 1 + 2**62), us)", 45),
        ),
    ],
)
def test_loops_through_numbers_are_programs(rows: str, turns: int, taken: list[int]) -> None:
    ran(through(rows))
    assert sum(taken) == turns


@pytest.mark.parametrize(
    "rows",
    [
        *("i, (x, y) in enumerate(zip(us, vs))", "x, *y in zip(us, vs)", "p, x in zip(us, vs)"),
        *("x in [u * c for u in us]", "x in torch.tensor(us)", "x, y in zip(torch.tensor(us), vs)"),
        *("y in zip(us)", "y[0], x in zip(us, vs)", "y, x in zip(zip(us, vs), us)"),
        *("y in 'abcdefghijklm'", "() in [()] * 50", "x in [True] * 50", "x in [2**53] * 50"),
    ],
)
def test_loops_through_anything_else_go_turn_by_turn(rows: str, taken: list[int]) -> None:
    ran(
        "x, y, i = 2, [0], 1\n"
        + through(rows.replace("x, y in zip(rev", "y, z in zip(rev"), "p = sin(p) * a")
    )
    assert not any(taken) or "strict" in rows


@pytest.mark.parametrize("body", ["p = sin(p) * (x * 0.5)", "x = p * a", "q = x; p = x", "p = x * x"])
def test_bodies_that_compute_with_plain_numbers_are_no_programs(body: str, taken: list[int]) -> None:
    for rows in ("x in us", "i, x in zip(us, vs)"):
        ran(through(rows, body.replace("; ", "\n    ")))
    assert taken == []


def test_a_loop_through_tensors_is_not_tried(taken: list[int]) -> None:
    ran(through("x in [u * c for u in us]"))
    assert taken == []


def test_a_loop_that_computes_with_arrays_is_tried_once_when_it_begins_again(taken: list[int]) -> None:
    ran(BEFORE + FIFTY + "p = torch.ones(2)\nfor j in range(10):\n    for x in us:\n        p = sin(p) * x\n")
    assert taken == [0] * (8 + 9)


@pytest.mark.parametrize(
    ("rows", "turns"),
    [
        *(
            ("x in us[:7]", []),
            ("x in us[:13]", []),
            ("x in us[:14]", [13]),
            ("i, x in enumerate(us[:9])", []),
        ),
        *(("x, y in zip(us[:38], vs)", []), ("x, y in zip(us[:40], vs)", [13])),
    ],
)
def test_short_loops_are_left_to_the_closures(
    rows: str, turns: list[int], taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fast_loop_compiler, "MIN_STEPS", 40)
    ran(through(rows))
    assert taken == turns


@pytest.mark.parametrize(
    ("rows", "turns"),
    [
        *(("x in [*us, a, 1.0, 2.0]", [49]), ("x in [*us, a, 1.0, 2.0, 3.0]", [49, 2])),
        *(("x in [*us, True, *us]", [49, 49]), ("x in [*us, 2**53, *us]", [49, 49])),
        ("x, y in [*zip(us, vs), torch.tensor([0.5, 0.25]), *zip(vs, us)]", [49, 49]),
    ],
)
def test_after_a_row_that_is_handed_back_it_goes_on(rows: str, turns: list[int], taken: list[int]) -> None:
    ran(through(rows))
    assert taken == turns


def test_tests_may_ask_for_any_number_of_a_row(taken: list[int]) -> None:
    ran(through("x, y in zip(us, vs)", "if y > 3:\n        p = sin(p)\n    p = p * a"))
    assert sum(taken) == 45


def test_loop_variables_are_the_objects_of_the_last_row(taken: list[int]) -> None:
    names = ran(through("x, y in zip(us, vs)"))
    assert sum(taken) == 45
    assert names["x"] is names["us"][-1]
    assert names["y"] is names["vs"][-1]


#: Loops that fail in the midst: with what, in which turn.
FAILURES = {
    "x in [*us, 's', *us]": ("only integer tensors", (51, "")),
    "x, y in [*zip(us, vs), (1, 2, 3), *zip(us, vs)]": ("too many values to unpack", (51, "")),
    "x, y in [*zip(us, vs), 2.5]": ("cannot unpack non-iterable float", (51, "")),
    "x, y in zip(us, vs[:30], strict=True)": ("zip() argument 2 is shorter", (None, "")),
    "i, x in enumerate([*us, 's'], 7)": ("only integer tensors", (None, "i = 57")),
    "x in [*us, None]": ("'NoneType'", (51, "")),
}


@pytest.mark.parametrize("rows", FAILURES)
def test_a_row_that_fails_is_told_with_its_turn(
    rows: str, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    message, turns = failed(through(rows), monkeypatch)
    expected, turn = FAILURES[rows]
    assert expected in message
    assert turns == [turn]
    assert any(taken)


TESTED = """\
    p = sin(p) * x
    if {test}:
        p = p * a
    else:
        p = p + a
"""


@pytest.mark.parametrize(
    ("rows", "test", "turn"),
    [
        ("x in [*us[1:], 0.0, *us]", "3 % x < 1", (50, "x = 0")),
        ("x in [*us[1:], 0, *us]", "3 % x < 1", (50, "x = 0")),
        ("i, x in enumerate([*us[1:], 0.0, *us])", "3 % x < 1", (None, "i = 49")),
        ("x, i in zip(us[1:] + [0.0], us)", "3 % x < 1", (None, "")),
        ("x, i in points + [(0.0, 1)]", "3 % x < 1", (10, "")),
        ("x in [*us, 2**52, *us]", "x * 10000 > 3", (51, "x = 4503599627370496")),
    ],
)
def test_a_test_of_a_row_that_fails_is_told_with_its_turn(
    rows: str, test: str, turn: Any, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    script = f"{BEFORE}{ROWS}{FIFTY}for {rows}:\n{TESTED.format(test=test)}"
    _, turns = failed(script, monkeypatch)
    assert turns == [turn]


def test_an_iterator_that_is_there_twice_may_end_between_two_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "rows = reversed([0.5] * 41 + [1.5] * 10)\nfor x, y in zip(rows, rows, strict=True):\n"
    message, _ = failed(BEFORE + rows + TESTED.format(test="x > 1"), monkeypatch)
    assert message == "zip() argument 2 is shorter than argument 1"


def test_a_row_for_no_names_at_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    message, turns = failed("for [] in enumerate([1, 2]):\n    y = 1\n", monkeypatch)
    assert message == "too many values to unpack (expected 0)"
    assert turns == [(None, "")]


@pytest.mark.parametrize("rows", ["x in us * 30", "x, y in zip(us * 30, vs * 30)", "x in [*us, a] * 30"])
@pytest.mark.parametrize("steps", [999, 1000, 1001])
def test_rows_count_as_steps(
    rows: str, steps: int, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    monkeypatch.setattr(limits, "steps", steps)
    message, turns = failed(through(rows), monkeypatch)
    assert message == f"the script was stopped after {steps:,} steps"
    assert len(turns) == 1
    assert sum(taken) > 400


def test_rows_that_are_handed_back_count_as_steps(monkeypatch: pytest.MonkeyPatch, taken: list[int]) -> None:
    script = through("x in [*us, a, *us, c, *us]")
    used = []
    for runs in (ran, lambda script: turn_by_turn(script, monkeypatch)):
        runs(script)
        used.append(runtime.used)
    assert used[0] == used[1]
    assert sum(taken) > 100


def test_no_more_of_the_rows_is_made_than_is_run(monkeypatch: pytest.MonkeyPatch, taken: list[int]) -> None:
    monkeypatch.setattr(limits, "steps", 5000)
    _, turns = failed(through("x, y in zip(range(10**9), range(10**18))"), monkeypatch)
    assert turns == [(None, "")]
    assert sum(taken) > 4000


class Interrupted(BaseException):
    """As when somebody presses Ctrl-C."""


def test_a_loop_that_is_interrupted_leaves_the_names_of_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = []
    enter = LoopProgram.enter

    def entering(self: LoopProgram, row: Any, frame: Any, registers: Any) -> bool:
        has_begun = enter(self, row, frame, registers)
        if row == (12.5, 6.25):
            frames.append((self, frame))
            raise Interrupted
        return has_begun

    monkeypatch.setattr(LoopProgram, "enter", entering)
    with pytest.raises(Interrupted):
        ran(through("x, y in zip(us, vs)", "p = a * x"))
    ((program, frame),) = frames
    assert [frame[slot] for slot, _ in program.loop_variables] == [12.5, 6.25]
    assert [frame[slot].value for slot, _ in program.outputs] == [6.0]


@pytest.mark.parametrize(
    "settings",
    [{"wrt": ["a"]}, {"wrt": ["x"]}, {"wrt": ["q", "x"]}, {"sets": {"q": 2.0}}, {"sets": {"x": 2.0}}],
)
@pytest.mark.parametrize("rows", ["x in us", "x, y in zip(us, vs)", "i, x in enumerate(us)"])
def test_what_the_command_line_asks_for_is_done(
    rows: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = "x = torch.tensor(0.5)\n" + through(rows, "p = sin(p) * a + x\n    r = p * q + x") + AFTER
    for text in (script, script.replace(", requires_grad=True", "")):
        compared(text, monkeypatch, **settings)


@pytest.mark.parametrize("body", ["p = sin(p) * a", "p += a"])
def test_a_range_may_be_longer_than_what_python_counts(
    body: str, monkeypatch: pytest.MonkeyPatch, taken: list[int]
) -> None:
    monkeypatch.setattr(limits, "steps", 500)
    message, turns = failed(through("i in range(-(2**62), 2**62)", body), monkeypatch)
    assert message == "the script was stopped after 500 steps"
    (turn,) = turns
    assert (turn[0], turn[1][:7]) == (None, "i = -46")
