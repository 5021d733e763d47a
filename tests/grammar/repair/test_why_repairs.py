"""Repairs of gradients that are zero or not finite: what is tried, how often, and what is proposed."""

from __future__ import annotations

import re

import pytest
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.grammar.repair import gradient_remedies
from autodiff.grammar.session.run import Settings
from why_scripts import LEAF, derivation_of, repairs


def test_trials_end_after_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "for i in range(100): pass\n" + LEAF.format("[0., 0.]") + "y = (x * x).sum().sqrt()\ny.backward()"
    norm = "a norm has the slope 0 at 0: x.norm()"
    assert norm in repairs(code)
    monkeypatch.setattr(gradient_remedies, "MOST_STEPS", 4_000)
    assert norm in repairs(code)
    monkeypatch.setattr(gradient_remedies, "ENTRIES_PER_STEP", 0.01)  # every entry counts as many steps
    assert repairs(code) == []


def test_trials_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_remedies, "MOST_REPORT_TRIALS", 1)
    assert len(repairs(LEAF.format("[0., 0.]") + "y = (x * x).sum().sqrt()\ny.backward()")) == 1


def test_a_trial_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        LEAF.format("0.")
        + "y = torch.sqrt(x)\nfor i in range(3 if y == 0 else 10**9):\n    pass\nz = 2 * y\nz.backward()"
    )
    monkeypatch.setattr(gradient_remedies, "MOST_STEPS", 1000)
    monkeypatch.setattr(limits, "steps", 50_000)
    assert repairs(script) == []
    assert limits.steps == 50_000


def test_a_trial_takes_no_more_steps_than_all_together_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradient_remedies, "MOST_STEPS", 1000)
    for allowed, taken in ((50_000, 1000), (500, 500), (0, 1000)):
        monkeypatch.setattr(limits, "steps", allowed)
        trials = gradient_remedies.Trials(Settings(), "x")
        assert trials.run("for i in range(10**9):\n    pass", Source("", "script.ad"), "x") is None
        assert taken <= trials.steps <= taken + 1


def test_what_goes_on_from_a_change_that_changed_nothing_is_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    run = gradient_remedies.Trials.run
    monkeypatch.setattr(gradient_remedies.Trials, "run", lambda *args: tried.append(args[1]) or run(*args))
    code = "y = torch.sqrt(x * 0 - 4) + torch.sqrt(x * 0 - 9)\ny.backward()"
    assert repairs(LEAF.format("1.") + code) == []
    assert any("+ 1e-12)" in text for text in tried)
    assert not any(text.count("+ 1e-") == 2 for text in tried)


def test_no_more_than_three_repairs_go_together() -> None:
    lines = [f"r{at} = torch.log(torch.cosh(x[{at}]))\n" for at in range(4)]
    start = LEAF.format("[1000., 1000., 1000., 1000.]")
    three = start + "".join(lines[:3]) + "y = r0 + r1 + r2\ny.backward()"
    [together] = repairs(three)
    assert together.count("softplus(-2 * x[") == 3
    four = start + "".join(lines) + "y = r0 + r1 + r2 + r3\ny.backward()"
    assert repairs(four) == []


@pytest.mark.parametrize(
    ("script", "proposed"),
    [
        (
            LEAF.format("[[1000., 1.], [2., 1000.]]") + "y = torch.log(torch.exp(x).sum())\ny.backward()",
            ["logsumexp subtracts the largest entry first: torch.logsumexp(x.flatten(), 0)"],
        ),
        (
            LEAF.format("[[1000., 1.], [2., 1000.]]")
            + "p = torch.exp(x) / torch.exp(x).sum(1, keepdim=True)\np[0, 0].backward()",
            ["softmax subtracts the largest entry first: torch.softmax(x, 1)"],
        ),
        (  # the exponents differ
            LEAF.format("[1000., 1.]") + "p = torch.exp(x) / torch.exp(2 * x).sum()\np[1].backward()",
            [],
        ),
        (  # the name means something else by then
            LEAF.format("[1000., 1.]")
            + "v = x * 1\ne = torch.exp(v)\nv = x * 0\ny = torch.log(e.sum()) + v[0]\ny.backward()",
            [],
        ),
        (  # what is summed was changed in between
            LEAF.format("[1000., 1.]")
            + "v = x * 1\ne = torch.exp(v)\nv[0] = 3\ny = torch.log(e.sum())\ny.backward()",
            [],
        ),
        (
            "from torch import exp, log, tensor\nx = tensor([1000., 1.], requires_grad=True)\n"
            "y = log(1 + exp(x)).sum()\ny.backward()",
            ["softplus is log(1 + exp(x)) without the overflow: softplus(x)"],
        ),
        (
            "import torch\nimport torch.nn.functional as F\n"
            + LEAF.format("1000.")
            + "y = F.relu(torch.log(1 + torch.exp(x)))\ny.backward()",
            ["softplus is log(1 + exp(x)) without the overflow: F.softplus(x)"],
        ),
        (
            LEAF.format("[1., 0.]") + "y = torch.where(x > 0.5, 0, torch.log1p(-x))\ny.sum().backward()",
            [
                "choose before the op as well, so that it never gets the values that are left out:"
                " torch.log1p(torch.where(x > 0.5, 1, -x))"
            ],
        ),
        (  # a condition that has its name by then is called by it
            LEAF.format("[1., 0.]")
            + "m = x > 0.5\ny = torch.where(m, 0, torch.log1p(-x))\ny.sum().backward()",
            [
                "choose before the op as well, so that it never gets the values that are left out:"
                " torch.log1p(torch.where(m, 1, -x))"
            ],
        ),
        (LEAF.format("0.") + "y = x / x\ny.backward()", []),
        (  # nan in the data, of which the results are left out
            LEAF.format("[0., 1.]") + "t = torch.tensor([1., math.nan])\nm = ~torch.isnan(t)\n"
            "y = ((x - t)**2)[m].sum()\ny.backward()",
            [
                "put a number for nan before it is used, its results are left out later:"
                " x - torch.nan_to_num(t)"
            ],
        ),
        (
            LEAF.format("2.") + "a = torch.tensor([1., math.nan])\ny = torch.nansum(a * x)\ny.backward()",
            [
                "put a number for nan before it is used, its results are left out later:"
                " torch.nan_to_num(a) * x"
            ],
        ),
        (  # here they count
            LEAF.format("[0., 1.]")
            + "t = torch.tensor([1., math.nan])\ny = ((x - t)**2).sum()\ny.backward()",
            [],
        ),
        (  # what is read after the op chooses, too
            LEAF.format("[1., 1.]") + "d = torch.tensor([0., 1.])\ny = (x / d)[d != 0].sum()\ny.backward()",
            [
                "choose before the op as well, so that it never gets the values that are left out:"
                " x / torch.where(d != 0, d, 1)"
            ],
        ),
        (
            LEAF.format("[3., 3.]") + "y = torch.sqrt(x.var(unbiased=False))\ny.backward()",
            ["a standard deviation has the slope 0 where all entries are equal: x.std(unbiased=False)"],
        ),
        (
            "import numpy as np\nx = np.array([3., 3.])\ny = np.sqrt(np.var(x)) + x[0]",
            ["a standard deviation has the slope 0 where all entries are equal: np.std(x)"],
        ),
        (  # it would be held where nothing moves it
            LEAF.format("1000.") + "y = torch.exp(x)\ny.backward()",
            [],
        ),
        (
            "x = torch.tensor([100., 1.], dtype=torch.float32, requires_grad=True)\n"
            "y = torch.exp(x).sum()\ny.backward()",
            [],
        ),
        (  # below the overflow the logarithm would have another value
            LEAF.format("[1000., 1.]")
            + "p = torch.exp(x) / torch.exp(x).sum()\ny = torch.log(p + 0)[1]\ny.backward()",
            [],
        ),
        (
            LEAF.format("[1000., 1.]") + "p = torch.softmax(x, 0)\ny = torch.log(p * 1)[1]\ny.backward()",
            ["log_softmax has no logarithm of 0: torch.log_softmax(x, 0)"],
        ),
        (
            LEAF.format("[1000., 1.]") + "p = x.softmax(0)\ny = -torch.log(0.5 * p).sum()\ny.backward()",
            ["log_softmax has no logarithm of 0: (x.log_softmax(0) + -0.6931471805599453)"],
        ),
        (
            LEAF.format("[1000., 1.]") + "p = x.softmax(0)\ny = -torch.log(p / 3).sum()\ny.backward()",
            ["log_softmax has no logarithm of 0: (x.log_softmax(0) + -1.0986122886681098)"],
        ),
        (
            LEAF.format("[1000., 1.]") + "p = x.softmax(0)\ny = torch.log(3 / p).sum()\ny.backward()",
            [],
        ),
        (
            LEAF.format("[1000., 900.]") + "p = torch.sigmoid(x)\nt = torch.zeros(2)\n"
            "y = F.binary_cross_entropy(p, t, reduction='sum')\ny.backward()",
            [],
        ),
        (  # the gradient is 0, whatever computes it
            LEAF.format("[1000.]") + "y = F.binary_cross_entropy(x.sigmoid(), torch.ones(1))\ny.backward()",
            [],
        ),
    ],
)
def test_what_is_proposed(script: str, proposed: list[str]) -> None:
    assert repairs(script) == proposed


def test_a_cut_in_a_branch_that_did_not_run_is_left_alone() -> None:
    script = (
        LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\nif w > 5:\n    h = x.detach()\nelse:\n"
        "    h = x.detach() * 2\ny = h.detach() * w\ny.backward()"
    )
    assert repairs(script) == ["stay in the graph: write x for x.detach(), and h for h.detach()"]
    [fix] = [fix for cause in derivation_of(script, "script.ad").causes for fix in cause.repairs]
    assert "    h = x.detach()\nelse:\n    h = x * 2\ny = h * w\n" in fix.apply(script)


@pytest.mark.parametrize(
    ("code", "proposed"),
    [
        (  # what was made from constants left no graph
            "c = torch.tensor(5.)\ny = w * c.detach() + x.detach()",
            ["stay in the graph: write x for x.detach()"],
        ),
        ("y = (x > 1) * x.detach() * w", []),  # with one of two cuts mended half of the gradient is missing
    ],
)
def test_all_that_left_the_graph_is_mended_and_nothing_else(code: str, proposed: list[str]) -> None:
    leaves = LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\n"
    assert repairs(f"{leaves}{code}\ny.backward()") == proposed


TWO = LEAF.format("0.") + "y = torch.tensor({}, requires_grad=True)\n"
PAIR = LEAF.format("[0., 0.]")


@pytest.mark.parametrize(
    ("script", "low", "high"),
    [
        # along the input alone the value is 0 on both sides
        (TWO.format("0.") + "L = x*y/(x**2 + y**2)\nL.backward()", -0.5, 0.5),
        (TWO.format("0.") + "L = (x**2 - y**2)/(x**2 + y**2)\nL.backward()", -1, 1),
        (PAIR + "L = x[0]*x[1]/(x**2).sum()\nL.backward()", -0.5, 0.5),
        # the value is finite: the arc tangent of infinity
        (TWO.format("1.") + "L = torch.atan(y/x)\nL.backward()", -1.571, 1.571),
        (TWO.format("-1.") + "L = torch.tanh(y/x)\nL.backward()", -1, 1),
        (PAIR + "L = (x/x.norm()).sum()\nL.backward()", -1.415, 1.415),
    ],
)
def test_where_the_values_nearby_have_no_limit_no_change_is_proposed(
    script: str, low: float, high: float
) -> None:
    [cause] = derivation_of(script, "script.ad").causes
    assert cause.repairs == ()
    apart = re.search(r"L takes values as different as (\S+) and (\S+): it has no limit here$", cause.text)
    assert apart
    least, most = map(float, apart.groups())
    assert low <= least < most - 0.1 * high < most <= high


def test_values_that_go_to_infinity_are_not_said_to_have_no_limit() -> None:
    [cause] = derivation_of(
        LEAF.format("[0., 1.]") + "L = (x/x.sum()).log().sum()\nL.backward()", "s.ad"
    ).causes
    assert "the logarithm of 0" in cause.text
    assert "no limit" not in cause.text


@pytest.mark.parametrize(
    ("script", "first"),
    [
        (TWO.format("0.") + "L = torch.sqrt(x**2 + y**2)\nL.backward()", "torch.sqrt(x**2 + y**2 + 1e-12)"),
        (TWO.format("0.") + "L = x**2*y/(x**2 + y**2)\nL.backward()", "x**2*y/(x**2 + y**2 + 1e-12)"),
        (LEAF.format("0.") + "L = torch.sqrt(x**2)\nL.backward()", "abs(x)"),
        (LEAF.format("[0., 2.]") + "L = ((x*x)**0.5).sum()\nL.backward()", "abs(x)"),
        (LEAF.format("[0., 2.]") + "d = x.pow(2)\nL = d.sqrt().sum()\nL.backward()", "abs(x)"),
        (LEAF.format("0.") + "L = 3*torch.sqrt((2*x)**2)\nL.backward()", "abs(2*x)"),
    ],
)
def test_where_the_values_nearby_have_a_limit_it_is_the_value_proposed(script: str, first: str) -> None:
    assert repairs(script)[0].partition(": ")[2] == first


@pytest.mark.parametrize(
    "unused",
    [
        "junk = math.sqrt(x)",
        "junk = math.acos(1 + x*x); more = junk + 1\nprint(more)",
        "assert x == 0, 'the start'",
        "print(math.log(1 - 1e16*x*x))",
    ],
)
def test_lines_that_the_output_does_not_need_do_not_spoil_the_check(unused: str) -> None:
    assert repairs(f"x = 0.\n{unused}\nL = sqrt(x*x)")[0].endswith(": abs(x)")


@pytest.mark.parametrize(
    "needed",
    ["junk = math.acos(1 + x*x)\nL = sqrt(x*x) + junk", "L = math.acos(1 + x*x)\nL = sqrt(x*x) + L"],
)
def test_lines_that_the_output_needs_are_kept_in_the_check(needed: str) -> None:
    assert repairs(f"x = 0.\n{needed}") == []


def test_a_change_of_two_places_is_told_once() -> None:
    [fix] = repairs("x = 0.\nL = sqrt(x)*sqrt(x)")
    assert fix.startswith("keep it away from the edge: sqrt(x + ")
    assert fix.count("keep it away") == 1
