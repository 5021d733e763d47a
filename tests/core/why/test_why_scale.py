"""Gradients that shrink or grow over many lines, each its own: the cause is told for the ops put together."""

from __future__ import annotations

import re
from math import tanh
from random import Random

import pytest
from seeds import seeds
from why_scripts import LEAF, causes

STEPS = [
    *("{y}*0.1", "{y}*0.01", "{y}*0.3", "{y}*0.9", "{y}*0.5", "{y}*2", "{y}*10", "{y}/0.05", "{y}/7"),
    *("{y} + 1", "{y}*y0", "{y}*0.5 + {y}*0.01", "{y} - {y}*0.999", "{y} + {y}", "({y} + 3)/7"),
    *("torch.sin({y})", "torch.tanh({y})", "torch.sigmoid({y})", "torch.sqrt({y}**2 + 1)"),
]


def straight(steps: list[str], between: str = "\n") -> str:
    """A script that gives every step a line of its own, or all of them one."""
    lines = ["y0 = x * 1", *(f"y{i} = {step.format(y=f'y{i - 1}')}" for i, step in enumerate(steps, 1))]
    return LEAF.format("1., dtype=torch.float64") + between.join([*lines, f"y{len(steps)}.backward()"])


@pytest.mark.parametrize("between", ["\n", "; "])
@pytest.mark.parametrize(
    ("step", "count", "words"),
    [
        ("{y}*0.1", 25, "shrinks from 1 to 1e-25 on its way: 25 times by 0.1, together by 1e-25,"),
        ("{y}*10", 20, "grows from 1 to 1e+20 on its way: 20 times by 10, together by 1e+20,"),
        ("{y}*0.5", 27, "shrinks from 1 to 7.45058e-09 on its way: 27 times by 0.5, together by 7.45e-09,"),
        ("{y}*0.9", 200, "shrinks from 1 to 7.05508e-10 on its way: 200 times by 0.9, together by 7.06e-10,"),
    ],
)
def test_a_loop_written_out_has_one_cause(between: str, step: str, count: int, words: str) -> None:
    line = 3 if between == "\n" else 2
    place = f"{step.format(y='y0')} in line {line} and mul in {count - 1} more places"
    assert causes(straight([step] * count, between)) == [f"{line}: the gradient {words} through {place}"]


def test_ops_that_alternate_are_told_each() -> None:
    assert causes(straight(["{y}*0.1", "({y} + 3)/7"] * 15)) == [
        "3: the gradient shrinks from 1 to 2.10634e-28 on its way: 15 times by 0.1, together by 1e-15,"
        " through y0*0.1 in line 3 and mul in 14 more places; 15 times by 0.143, together by 2.11e-13,"
        " through (y1 + 3)/7 in line 4 and div in 14 more places"
    ]


SIGMOIDS = (
    LEAF.format("0.2, dtype=torch.float64")
    + "h = x\nfor k in range({}):\n    h = torch.sigmoid(0.9*h + {})\n"
)


def test_equal_steps_that_shrink_a_gradient_by_a_hundred_are_told() -> None:
    [said] = causes(SIGMOIDS.format(5, 0.1) + "h.backward()")
    assert re.fullmatch(
        r"4: the gradient shrinks from 1 to 0\.000\d+ on its way: 5 times by 0\.2\d* to 0\.2\d*, together by"
        r" 0\.000\d+, through torch\.sigmoid\(0\.9\*h \+ 0\.1\) in line 4; 5 times by 0\.9, together by"
        r" 0\.59, through 0\.9\*h in line 4",
        said,
    )
    [said] = causes(SIGMOIDS.format(4, 0.1) + "h.backward()")  # five values have four steps between them
    assert "on its way: 4 times by 0.2" in said
    assert causes(SIGMOIDS.format(3, 0.1) + "h.backward()") == []  # 0.01, in too few steps
    assert causes(SIGMOIDS.format(5, 0.1) + "(1e4*h).backward()") == []
    # One small factor is meant, and factors on both sides of 1 are no steady loss.
    assert causes(LEAF.format("2.") + "y = torch.tanh(x*1e-4 + 1)\ny.backward()") == []
    assert causes(straight(["{y}*0.1", "{y}*2"] * 5)) == []


def test_one_place_that_made_most_of_it_is_told_alone() -> None:
    [said] = causes(straight(["{y}*1e-30"] + ["{y}*0.9"] * 10))
    assert ": by 1e-30 through y0*1e-30 in line 3; other factors shrink it, together by 0.349" in said


@pytest.mark.parametrize("seed", seeds(30))
def test_straight_programs_of_any_ops_have_a_cause_or_none(seed: int) -> None:
    chance = Random(seed)
    kinds = chance.sample(STEPS, chance.randint(1, 5))
    script = straight(chance.choices(kinds, k=chance.randint(1, 120)), chance.choice(["\n", "; "]))
    lines = script.count("\n") + 1
    for said in causes(script):
        if found := re.search(r"the gradient (shrinks|grows) from (\S+) to (\S+) on its way: (.+)", said):
            how, start, end, places = found.groups()
            assert (float(end) < float(start)) == (how == "shrinks")
            reported, _, others = places.partition("; other factors ")
            product = float(others.rpartition(" ")[2] or 1)
            for place in reported.split("; "):
                together = re.search(r"together by ([^,]+),|^by (\S+) through", place)
                assert together, place
                factor = float(together[1] or together[2])
                assert (factor < 1) == (how == "shrinks")
                product *= factor
                assert all(1 <= int(line) <= lines for line in re.findall(r"in line (\d+)", place))
            assert product == pytest.approx(float(end) / float(start), rel=0.04)


def recurrent(w: float, values: list[float], state: str) -> str:
    """A script with a recurrent loop: ``state`` is the next state made of ``w*h + values[t]``."""
    return (
        f"w = torch.tensor({w}, dtype=torch.float64, requires_grad=True)\nh = 0.1\nvalues = {values}\n"
        f"for t in range({len(values)}):\n    h = {state.format('w*h + values[t]')}\nh.backward()"
    )


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("state", ["torch.tanh({})", "({})"])
def test_a_weight_used_at_many_steps_is_told_which_uses_hardly_count(state: str, seed: int) -> None:
    chance = Random(seed)
    w, count = chance.choice([-1.8, -0.4, 0.6, 1.5]), chance.randint(20, 60)
    values = [chance.uniform(-1, 1) for _ in range(count)]
    states = [0.1]
    for value in values:
        raw = w * states[-1] + value
        states.append(tanh(raw) if "tanh" in state else raw)
    slopes = [1 - h**2 if "tanh" in state else 1.0 for h in states]
    arrives = [slopes[count]]  # at the last use, then at those before
    for step in reversed(range(1, count)):
        arrives.append(arrives[-1] * w * slopes[step])
    adds = [g * h for g, h in zip(arrives, reversed(states[:-1]), strict=True)]
    ratio = abs(arrives[-1] / arrives[0])
    said = causes(recurrent(w, values, state))
    if 1e-2 <= ratio <= 1e4:
        assert not said
        return
    how, which = ("grows", "last") if ratio > 1 else ("shrinks", "first")
    found = re.search(
        rf"5: w is used {count} times in w\*h(?:, and the {which} (\d+) of them change its gradient by less"
        r" than 1 %)?:"
        rf" the gradient {how} from (\S+) to (\S+) on its way from the last use to the first, by (\S+) a use",
        said[0],
    )
    if how == "grows" and not found:  # so large that it grows on its way to the input as well
        assert "the gradient grows from 1 to" in said[0]
        return
    assert found, said
    assert float(found[2]) == pytest.approx(abs(arrives[0]), rel=1e-5)
    assert float(found[3]) == pytest.approx(abs(arrives[-1]), rel=1e-5)
    assert float(found[4]) == pytest.approx(ratio ** (1 / (count - 1)), rel=1e-2)
    small = int(found[1] or 0)
    fading = adds if how == "grows" else adds[::-1]
    assert abs(sum(fading[:small])) < 0.01 * abs(sum(adds))
    assert not found[1] or abs(sum(fading[: small + 1])) > 0.01 * abs(sum(adds))


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (["{y}*10"] * 20 + ["{y}/1e5"] * 2, "grows from 1 to 10000000000 on its way: 20 times by 10,"),
        (["{y}*0.1"] * 20 + ["{y}/1e-5"] * 2, "shrinks from 1 to 1e-10 on its way: 20 times by 0.1,"),
    ],
)
def test_factors_that_work_against_it_are_told(steps: list[str], words: str) -> None:
    [said] = causes(straight(steps))
    assert words in said
    end = "shrink it, together by 1e-10" if "grows" in words else "enlarge it, together by 1e+10"
    assert said.endswith(f"; other factors {end}")


def test_five_steps_from_a_state_of_zeros_have_their_cause() -> None:
    """The factors that are told make the change that is told."""
    script = (
        "W = torch.tensor([[0.15, -0.2, 0.05], [0.1, 0.12, -0.08], [-0.05, 0.2, 0.1]], requires_grad=True)\n"
        "U = torch.tensor([1.1, -0.8, 0.5], requires_grad=True)\nx = [0.9, -0.4, 1.3, 0.6, -1.1]\n"
        "h = torch.zeros(3)\nfor t in range(5):\n    h = torch.tanh(W @ h + U*x[t])\n"
        "L = torch.sum((h - torch.tensor([0.2, 0.1, -0.3]))**2)\nL.backward()"
    )
    [said] = causes(script)
    assert "W is used 5 times in W @ h, and the first 3 of them change its gradient by less than 1 %" in said
    assert "4 times by 0.187 to 0.272, together by 0.00229, through W @ h to h in line 6" in said
    loop = "h = x\nfor t in range(5):\n    h = torch.sigmoid(0.8*h + 0.5)\nL = -torch.log(h)\nL.backward()"
    [said] = causes(LEAF.format("0.2") + loop)
    assert re.search(r"; other factors enlarge it, together by 1\.\d+$", said)


def test_uses_in_several_places_are_not_told_as_those_of_the_first() -> None:
    """Each line of a chain without a loop uses the scale in an expression of its own."""
    lines = [f"h{at + 1} = torch.tanh(h{at}*scale + {at + 1}.0/10)\n" for at in range(12)]
    said = causes(f"h0 = 0.7\n{LEAF.format('1.3').replace('x =', 'scale =')}{''.join(lines)}h12.backward()")
    assert any("scale is used 12 times, first in h0*scale, and the first " in one for one in said), said


def test_entries_layers_and_a_state_that_vanishes() -> None:
    stacked = LEAF.format("[[[0.5, -0.3], [0.2, 0.4]]]*8, dtype=torch.float64")
    [said] = causes(
        stacked
        + "h = torch.ones(3, 2)\nfor i in range(8):\n    h = torch.sigmoid(h @ x[i])\nh.sum().backward()"
    )
    assert said.startswith("4: x is used 8 times in x[i], and the first ")
    assert re.search(r"a use on average: 7 times by 0\.[^;]* through torch\.sigmoid\(h @ x\[i\]\)", said)
    [said] = causes(recurrent(0.5, [0.0] * 60, "torch.tanh({})"))
    assert "w is used 60 times in w*h: the gradient shrinks from 1 to" in said
    assert re.search(r"; the last use passes on to w only \S+e-19 of the 1 that arrives$", said)
    # A sum over rows is no chain: rows that count little are not steps that shrink.
    rows = LEAF.format("2., dtype=torch.float64") + "y = 0\nfor i in range(20):\n    y = y + (x*0.1**i)**2\n"
    assert causes(rows + "y.backward()") == []
    # In two parts of the script, of which the older one is cut off from the output.
    cut = (
        LEAF.format("0.5, dtype=torch.float64")
        + "h = 0.3\nfor i in range(30):\n    h = torch.tanh(x*h + 0.1)\n"
    )
    assert (
        causes(cut + "h = h.detach()\nfor i in range(3):\n    h = torch.tanh(x*h + 0.1)\nh.backward()") == []
    )
