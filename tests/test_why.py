"""Gradients that are zero or not finite: the line and the cause that are told, and repairs that repair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import cause_lines
from autodiff.core.describe import describe
from autodiff.core.limits import limits
from autodiff.core.report import Derivation
from autodiff.core.span import Source
from autodiff.grammar import remedies
from autodiff.grammar.remedies import add_remedies
from autodiff.grammar.run import Settings, differentiate, execute
from autodiff.grammar.runtime import ignore, ignore_warning
from conftest import TESTS

FOLDER = TESTS / "scripts" / "why"
SCRIPTS = sorted(FOLDER.glob("*.ad"))
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
#: What has no repair: the formula asks for it, or the values do.
ALL_RIGHT = {
    "attention_to_nothing",
    "branch_not_taken",
    "branch_that_did_not_run",
    "cancelled_paths",
    "cancelled_up_to_rounding",
    "clamped",
    "compared",
    "custom_answers_none",
    "custom_answers_zero",
    "gradient_that_is_constant",
    "infinite_divisor",
    "input_is_nan",
    "largest_of_stacked",
    "largest_position",
    "layer_norm_summed",
    "mask_added",
    "mean_of_nothing",
    "nan_times_norm_of_zero",
    "nan_written_into",
    "never_used",
    "overflowed_loop",
    "overlap_of_boxes",
    "overwritten",
    "parameter_not_used",
    "position_written",
    "power_of_negative",
    "product_with_itself",
    "result_never_used",
    "shares_summed",
    "softmax_of_one",
    "softmax_summed",
    "square_at_zero",
    "times_zero",
    "tiny_divisor",
    "vanishing",
    "zero_over_zero",
    "zero_weights",
}


def derivation_of(text: str, name: str, of: str | None = None) -> Derivation:
    """The derivation for the first leaf of a script, with the repairs of its causes."""
    settings = Settings()
    source = Source(text, name)
    execution = execute(source, settings, ignore, ignore_warning)
    leaf = next(n for n, value in execution.names.items() if getattr(value, "is_leaf", False))
    settings = Settings(wrt=[leaf], of=of)
    execution = execute(source, settings, ignore, ignore_warning)
    report = describe(differentiate(execution, settings), source, graph=False)
    add_remedies(report, execution, settings)
    [derivation] = report.derivations
    return derivation


def is_sound(derivation: Derivation) -> bool:
    g = np.asarray(derivation.value)
    return bool(np.isfinite(g).all())


@each_script
def test_the_cause_is_told_exactly(path: Path, update_golden: bool) -> None:
    derivation = derivation_of(path.read_text(), path.name)
    assert derivation.causes, "the gradient is neither zero nor not finite"
    lines = ["".join(text for _, text in line) for line in cause_lines(derivation, Page())]
    said = "\n".join(lines).strip("\n") + "\n"
    golden = path.with_suffix(".txt")
    if update_golden:
        golden.write_text(said)
    assert said == golden.read_text()


@each_script
def test_repairs_repair(path: Path) -> None:
    text = path.read_text()
    derivation = derivation_of(text, path.name)
    repairs = [fix for cause in derivation.causes for fix in cause.repairs]
    assert bool(repairs) == (path.stem not in ALL_RIGHT)
    was_finite = is_sound(derivation)
    for fix in repairs:
        repaired = derivation_of(fix.apply(text), path.name)
        assert is_sound(repaired), fix.text
        if was_finite:  # it was zero, or as good as
            assert np.any(repaired.value), fix.text


@pytest.mark.oracle
@each_script
def test_torch_has_the_same_gradient(path: Path) -> None:
    from torch_prelude import run_with_torch

    derivation = derivation_of(path.read_text(), path.name)
    done = run_with_torch(path.read_text())
    assert done.error is None
    theirs = done.names[derivation.wrt].grad
    expected = np.zeros_like(np.asarray(derivation.value)) if theirs is None else theirs.numpy()
    tolerance = 1e-9 if expected.dtype == np.float64 else 1e-6
    np.testing.assert_allclose(np.asarray(derivation.value), expected, rtol=tolerance, atol=tolerance)


def test_every_golden_file_belongs_to_a_script() -> None:
    assert {path.with_suffix(".ad") for path in FOLDER.glob("*.txt")} == set(SCRIPTS)
    assert {path.stem for path in SCRIPTS} >= ALL_RIGHT


# -- single words -----------------------------------------------------------------------------------------


def told(text: str) -> list[str]:
    """Line and words of every cause of a script."""
    return [f"{cause.line}: {cause.text}" for cause in derivation_of(text, "script.ad").causes]


@pytest.mark.parametrize(
    ("dtype", "left", "turn"), [("float32", "1.4013e-45", "951st"), ("float64", "5e-324", "26th")]
)
def test_what_is_too_small_for_a_number_depends_on_the_type(dtype: str, left: str, turn: str) -> None:
    said = told(
        f"w = torch.tensor(0.5, dtype=torch.{dtype}, requires_grad=True)\ny = w\n"
        "for i in range(1100):\n    y = y * 0.5\ny.backward()"
    )
    assert said == [
        f"4: the gradient has shrunk to {left} on its way to y ({turn} time), and times the next factor"
        " (0.5) it is too small for a number"
    ]


def test_values_of_one_name_are_told_apart_by_their_lines() -> None:
    code = "h = x * 500\nh = torch.exp(h)\nh = h * 2\nh.backward()"
    assert told(LEAF.format("2.") + code) == [
        "3: h (line 3) is inf already on the way forward: exp grows beyond the largest number:"
        " h (line 2) = 1000"
    ]


def test_calls_of_a_function_are_told_apart_by_their_number() -> None:
    code = "def f(v):\n    r = torch.exp(v)\n    return r\ny = f(x) + f(x * 1000)\ny.backward()"
    assert told(LEAF.format("1.") + code) == [
        "3: r (2nd time) is inf already on the way forward: exp grows beyond the largest number:"
        " x*1000 = 1000"
    ]


def test_what_an_op_is_made_of_is_not_counted_as_visits() -> None:
    code = "for i in range(3):\n    x = torch.cosine_similarity(x, x, 0) * x * 0\nx.sum().backward()"
    assert all("time)" in line for line in told("a = torch.tensor([1.], requires_grad=True)\nx = a\n" + code))


LEAF = "x = torch.tensor({}, requires_grad=True)\n"


def test_a_sum_that_nearly_cancels_is_no_rounding() -> None:
    assert told(LEAF.format("3.") + "y = x * 1 - x * 0.9999\ny.backward()") == []


def test_a_small_gradient_beside_a_softmax_is_no_rounding() -> None:
    code = "t = (x * 1e-3).sum()\ns = torch.softmax(x, 0).sum() * 1e14\ny = t + s\ny.backward()"
    assert told(LEAF.format("[0., 0.]") + code) == []


def test_the_choice_is_found_behind_what_is_done_entry_by_entry() -> None:
    code = "y = torch.tensor(3.)\nz = (torch.stack([x, y]) * 2 + 1).max()\nz.backward()"
    assert told(LEAF.format("1.") + code) == ["3: z takes other entries, and those get the gradient"]


def test_an_overflow_is_told_where_it_begins() -> None:
    code = "e = torch.exp(x)\np = e / e.sum()\nloss = -torch.log(p)[1]\nloss.backward()"
    assert told(LEAF.format("[1000., 1.]") + code) == [
        "2: e is inf already on the way forward: exp grows beyond the largest number: entry [0] of x = 1000;"
        " the gradient becomes nan at torch.log(p) in line 4"
    ]


def test_a_deviation_of_equal_entries_has_the_slope_0() -> None:
    assert told(LEAF.format("[2., 2., 2.]") + "s = 3 * x.std()\ns.backward()") == [
        "2: the slope of x.std() is 0 where all entries are equal: x (2 in all entries)"
    ]


FUNCTION = """class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        return v * 2
    @staticmethod
    def backward(ctx, g):
        return g * float("inf")
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            LEAF.format("[[1., 0.], [1., 1.]]")
            + "y = torch.log(x).T\nz = torch.where(y < 0, 0, y)\nz.sum().backward()",
            "2: torch.log(x) is -inf already on the way forward: the logarithm of 0 is -infinity:"
            " entry [0, 1] of x = 0; what arrives there is 0, and 0 times infinity is nan: where in line 3"
            " leaves this branch out, but not its derivative",
        ),
        (  # the branch is taken: the product stops it
            LEAF.format("0.") + "y = torch.where(x >= 0, torch.sqrt(x) * x, 0)\ny.backward()",
            "2: the slope of sqrt is 1/(2*sqrt(x)), which has no bound at 0: x = 0; what arrives there is 0,"
            " and 0 times infinity is nan: the product in line 2 has a 0 for this entry, but not for its"
            " derivative",
        ),
        (
            LEAF.format("0.") + "y = 0 * (x * torch.log(x))\ny.backward()",
            "2: torch.log(x) is -inf already on the way forward: the logarithm of 0 is -infinity: x = 0; the"
            " gradient becomes nan at x*torch.log(x)",
        ),
        (  # an entry that is chosen is not finite as well
            LEAF.format("[0., -1.]")
            + "y = torch.where(x < 0, x * torch.log(x * x - 1), 0)\ny.sum().backward()",
            "2: torch.log(x*x - 1) is nan already on the way forward: the logarithm of a negative number is"
            " nan: entry [0] of x*x - 1 = -1; the gradient becomes nan at x*torch.log(x*x - 1)",
        ),
        (
            LEAF.format("3.") + FUNCTION + "y = torch.where(x > 5, Gate.apply(x), 0)\ny.backward()",
            "9: Gate.backward answers what is not finite: x = 3",
        ),
        (
            LEAF.format("3.") + "y = x * 2\ny.backward(torch.tensor(0.))",
            "2: the gradient that was started from is 0",
        ),
        (
            LEAF.format("[1000., 0.]") + "p = torch.softmax(x, 0)\np[0].backward()",
            "2: p has levelled out, its slope is too small for a number: x (entries from 0 to 1000)",
        ),
        (
            LEAF.format("3.") + "y = torch.where(x > 5, x * 2, torch.tensor(1.))\ny.backward()",
            "2: y takes the other branch: the condition is False",
        ),
        (
            LEAF.format("3.") + "y = torch.where(x > 1, torch.tensor(1.), x * 2)\ny.backward()",
            "2: y takes the other branch: the condition is True",
        ),
        (
            LEAF.format("[1., 3.]") + "y = torch.where(x > 2, x, 1)\ny[0].backward()",
            "2: y takes the other branch: the condition is True in some entries",
        ),
        (
            LEAF.format("3.") + "c = torch.tensor(0.)\ny = c / x\ny.backward()",
            "3: c = 0 is divided by x = 3 in y",
        ),
        (
            LEAF.format("3.") + "c = torch.tensor(float('inf'))\ny = x / c\ny.backward()",
            "3: x = 3 is divided by c = inf in y",
        ),
        (
            LEAF.format("[0., 0.]") + "y = x.square().sum()\ny.backward()",
            "2: the slope of x.square() is 2*x, which is 0 here: x (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]") + "n = 3\nv = x + 0\ny = (v * 2)**n\ny.sum().backward()",
            "4: the slope of y is 3*(v*2)**2, which is 0 here: v*2 (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]")
            + "p = torch.tensor([2., 3.], requires_grad=True)\nh = x * 1\ny = h**p\ny.sum().backward()",
            "4: the slope of y is p*h**(p - 1), which is 0 here: h (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]") + "h = x * 3\ny = h.square().sum()\ny.backward()",
            "3: the slope of h.square() is 2*h, which is 0 here: h (0 in all entries)",
        ),
        (
            LEAF.format("[-3., -2.]") + "h = x.clamp(min=0)\ny = (2 * h).norm()\ny.backward()",
            "2: h is flat beyond its bounds: x (entries from -3 to -2)",
        ),
        (
            LEAF.format("-3.") + "h = torch.relu(x)\ny = h * h\ny.backward()",
            "2: h passes nothing on where its input is not positive: x = -3",
        ),
        (
            LEAF.format("0.") + "p = torch.tensor(2., requires_grad=True)\ny = x**-p\ny.backward()",
            "3: y is inf already on the way forward: a negative power has no value at 0: x = 0, -p = -2",
        ),
        (
            LEAF.format("1.") + "e = torch.tensor(float('inf'))\ny = (x - e + e) * x\ny.backward()",
            "3: x - e + e is nan already on the way forward: -inf + inf is nan: x - e = -inf, e = inf;"
            " the gradient becomes nan at y",
        ),
    ],
)
def test_words(script: str, words: str) -> None:
    assert told(script) == [words]


# -- leaves that the script itself has spoiled -------------------------------------------------------------


LOOP = """for i in range(8):
    w.grad = None
    loss = {}
    loss.backward()
    with torch.no_grad():
        {}
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (  # the gradient is spoiled by what was nan all along, not by the leaf
            "w = torch.tensor(2., requires_grad=True)\nx = torch.tensor([1., float('nan')])\n"
            + LOOP.format("(w * x).sum()", "w -= 0.1 * w.grad"),
            "2: x holds nan itself; the gradient becomes nan at w*x in line 5;"
            " then w became nan in line 8, at its 1st change there",
        ),
        (  # in the fourth pass; the two before it were thrown away
            "w = torch.tensor([3., 1.], requires_grad=True)\n"
            + LOOP.format("torch.sqrt(w[0]) + w[1]", "w[0] -= 1.0 if i < 3 else w.grad[0]"),
            "4: the slope of sqrt is 1/(2*sqrt(x)), which has no bound at 0: w[0] = 0;"
            " then w became -inf in line 7, at its 4th change there",
        ),
        (  # a gradient that was not finite, but was not used
            "w = torch.tensor(1., requires_grad=True)\n"
            + LOOP.format("w * 2 if i else torch.sqrt(w - 1)", "w -= 1e308 if i > 2 else 0.0"),
            "7: w becomes -inf at its 5th change here; it was -1e+308 before",
        ),
        (
            "w = torch.tensor(float('nan'), requires_grad=True)\n"
            + LOOP.format("w ** 2", "w -= 0.1 * w.grad"),
            "1: w holds nan itself; the gradient becomes nan at loss in line 4",
        ),
    ],
)
def test_where_a_leaf_was_spoiled(script: str, words: str) -> None:
    assert told(script) == [words]


def test_all_gradients_of_a_graph_have_the_leaf_that_was_spoiled_first_as_their_cause() -> None:
    script = (
        "a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(0.5, requires_grad=True)\n"
        "for i in range(20):\n    a.grad = b.grad = None\n    loss = (a * b - 7) ** 2\n    loss.backward()\n"
        "    with torch.no_grad():\n        b -= 1.5 * b.grad\n        a -= 1.5 * a.grad"
    )
    settings, source = Settings(wrt=["a", "b"]), Source(script, "script.ad")
    execution = execute(source, settings, ignore, ignore_warning)
    report = describe(differentiate(execution, settings), source, graph=False)
    add_remedies(report, execution, settings)
    [[of_a], [of_b]] = [derivation.causes for derivation in report.derivations]
    assert of_a.text == of_b.text
    assert of_a.line in (8, 9)


def test_a_run_too_long_to_be_repeated_is_not_said_to_have_begun_with_nan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remedies, "MOST_STEPS", 3)
    script = "w = torch.tensor(0., requires_grad=True)\n" + LOOP.format("torch.sqrt(w)", "w -= w.grad * 0")
    assert told(script) == [
        "1: w holds nan, having been changed in place since this line;"
        " the gradient becomes nan at loss in line 4"
    ]


# -- trials -----------------------------------------------------------------------------------------------


def repairs(text: str) -> list[str]:
    return [fix.text for cause in derivation_of(text, "script.ad").causes for fix in cause.repairs]


def test_trials_end_after_so_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "for i in range(100): pass\n" + LEAF.format("[0., 0.]") + "y = x / x.norm()\ny[0].backward()"
    second = ["keep the divisor away from 0: x / (x.norm() + 1e-6)"]
    assert repairs(script) == second
    monkeypatch.setattr(remedies, "MOST_STEPS", 102)
    assert repairs(script) == second
    monkeypatch.setattr(remedies, "ENTRIES", 1)  # every entry counts as a step
    assert repairs(script) == []


def test_trials_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "MOST_IN_ALL", 1)
    assert repairs(LEAF.format("[0., 0.]") + "y = x / x.norm()\ny[0].backward()") == []


def test_a_trial_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        LEAF.format("0.")
        + "y = torch.sqrt(x)\nfor i in range(3 if y == 0 else 10**9):\n    pass\nz = 2 * y\nz.backward()"
    )
    monkeypatch.setattr(remedies, "MOST_STEPS", 1000)
    monkeypatch.setattr(limits, "steps", 50_000)
    assert repairs(script) == []
    assert limits.steps == 50_000


def test_a_trial_takes_no_more_steps_than_all_together_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "MOST_STEPS", 1000)
    for allowed, taken in ((50_000, 1000), (500, 500), (0, 1000)):
        monkeypatch.setattr(limits, "steps", allowed)
        trials = remedies.Trials(Settings())
        assert trials.run("for i in range(10**9):\n    pass", Source("", "script.ad"), "x") is None
        assert taken <= trials.steps <= taken + 1


def test_what_goes_on_from_a_change_that_changed_nothing_is_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    run = remedies.Trials.run
    monkeypatch.setattr(remedies.Trials, "run", lambda *args: tried.append(args[1]) or run(*args))
    code = "y = torch.sqrt(x * 0 - 4) + torch.sqrt(x * 0 - 9)\ny.backward()"
    assert repairs(LEAF.format("1.") + code) == []
    assert any("+ 1e-12)" in text for text in tried)
    assert not any(text.count("+ 1e-") == 2 for text in tried)


def test_no_more_than_three_repairs_go_together() -> None:
    lines = [f"r{at} = torch.sqrt(x[{at}])\n" for at in range(4)]
    three = LEAF.format("[0., 0., 0., 0.]") + "".join(lines[:3]) + "y = r0 + r1 + r2\ny.backward()"
    [together] = repairs(three)
    assert together.count("torch.sqrt(x[") == 3
    four = LEAF.format("[0., 0., 0., 0.]") + "".join(lines) + "y = r0 + r1 + r2 + r3\ny.backward()"
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
            [
                "together: keep it below the overflow: torch.exp(x.clamp(max=700)), and keep it below the"
                " overflow: torch.exp((2 * x).clamp(max=700))"
            ],
        ),
        (  # the name means something else by then
            LEAF.format("[1000., 1.]")
            + "v = x * 1\ne = torch.exp(v)\nv = x * 0\ny = torch.log(e.sum()) + v[0]\ny.backward()",
            ["keep it below the overflow: torch.exp(v.clamp(max=700))"],
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
                "choose before the op as well, so that it never meets what is left out:"
                " torch.log1p(torch.where(x > 0.5, 1, -x))"
            ],
        ),
        (LEAF.format("0.") + "y = x / x\ny.backward()", []),
        (  # it would be held where nothing moves it
            LEAF.format("1000.") + "y = torch.exp(x)\ny.backward()",
            [],
        ),
        (
            "x = torch.tensor([100., 1.], dtype=torch.float32, requires_grad=True)\n"
            "y = torch.exp(x).sum()\ny.backward()",
            ["keep it below the overflow: torch.exp(x.clamp(max=80))"],
        ),
        (  # below the overflow the logarithm would have another value
            LEAF.format("[1000., 1.]")
            + "p = torch.exp(x) / torch.exp(x).sum()\ny = torch.log(p * 1)[1]\ny.backward()",
            [],
        ),
    ],
)
def test_what_is_proposed(script: str, proposed: list[str]) -> None:
    assert repairs(script) == proposed


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("def f(a):\n    return w * w\ny = f(x) + x.detach()", "5: detach() leaves the graph: x.detach()"),
        ("def f(a):\n    return w * a\ny = w * w\nprint(f(x))", "1: nothing uses x"),
        ("def f(a):\n    return w * w\ny = f(x)", "3: f does not use its parameter a"),
        ("def f(a, b):\n    return b * w\ny = f(b=w, a=x)", "3: f does not use its parameter a"),
        ("k = w.detach()\ny = w * w * k\nprint(x)", "1: nothing uses x"),
        (
            "def f(a):\n    return w * w\nk = x * 2\ny = f(x) * 1",
            "5: nothing uses k, which is made from it",
        ),
        (
            "def f(a):\n    return w * w\ny = f(x) * 1\nk = x * 2",
            "6: nothing uses k, which is made from it",
        ),
        (  # f reads it when it is called
            "def f():\n    return h + 1\nh = x * 2\nf()\nh = w\ny = h * w",
            "5: nothing that was made from it here was used for y",
        ),
        ("y = x * w\ny.backward()\ny = w * x.detach()", "5: detach() leaves the graph: x.detach()"),
        ("h = x * 2\nk = h + w\nh = w\ny = h * w", "4: nothing uses k, which is made from it"),
        (
            "h = x * 2\nh = w\ny = h * w",
            "4: h, made from it in line 3, is given another value before it is used",
        ),
        (
            "h = x * 2\ndef f():\n    return h + 1\nf()\nh = w\ny = h * w",
            "3: nothing that was made from it here was used for y",
        ),
        (  # the outer one of two
            "y = w * w\nif w < 5:\n    y = y * w\nelse:\n    for i in range(3):\n        y = y * x",
            "4: the else branch of `if w < 5` did not run",
        ),
        (
            "y = w * w\nif w < 2:\n    y = y * w\nelif w < 2.5:\n    y = y * x",
            "6: the branch under `elif w < 2.5` did not run",
        ),
        ("y = w * w\nif w > 5: y = y * x", "4: the branch under `if w > 5` did not run"),
        ("y = w * w\nfor i in range(0): y = y * x", "4: the loop `for i in range(0)` did not run"),
        ("y = w * w\nwhile y < 2:\n    y = y * x", "4: the loop `while y < 2` did not run"),
        ("y = w * x if w > 5 else w * w", "3: `w * x` was not computed"),
        ("y = w * w if w > 2 else w * x", "3: `else w * x` was not computed"),
        (
            "def f(v):\n    if v > 5:\n        return v * w\n    return w * 2\ny = f(x) * 1",
            "4: the branch under `if v > 5` did not run",
        ),
        ("y = w * w\nif w > 5:\n    y = y * x.detach()", "4: the branch under `if w > 5` did not run"),
        ("y = w * w\nif w > 2:\n    y = y * x.detach()", "5: detach() leaves the graph: x.detach()"),
        (  # what stands behind the second switch is recorded
            "torch.set_grad_enabled(False)\nh = w * 3\ntorch.set_grad_enabled(True)\nk = x * 2\ny = w + h",
            "6: nothing uses k, which is made from it",
        ),
        (
            "torch.set_grad_enabled(False)\nwith torch.enable_grad():\n    h = x * 3\n"
            "torch.set_grad_enabled(True)\ny = w + h.detach()",
            "7: detach() leaves the graph: h.detach()",
        ),
        (  # f was given w there
            "def f(a):\n    with torch.set_grad_enabled(False):\n        return a * 3\nk = x * 2\n"
            "y = f(w) + w",
            "6: nothing uses k, which is made from it",
        ),
        (
            "def f(a):\n    with torch.set_grad_enabled(False):\n        return a * 3\ny = f(x) + w",
            "4: nothing is recorded under this: torch.set_grad_enabled(False)",
        ),
        (  # it ran once, and that once counts for nothing
            "y = w * w\nfor i in range(2):\n    if i == 1:\n        h = y * x\n        y = w * 2",
            "6: nothing uses h, which is made from it",
        ),
    ],
)
def test_why_there_is_no_path(script: str, reason: str) -> None:
    text = LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\n" + script + "\ny.backward()"
    line, _, words = reason.partition(": ")
    assert told(text) == [f"{line}: no path leads from y to x: {words}"]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (  # the pass that is explained is the last one
            "(x * w).backward()\n(w * x.detach()).backward()",
            "4: no path leads from w * x.detach() to x: detach() leaves the graph: x.detach()",
        ),
        (  # nothing reads the output itself
            "h = [x, w]\ny = w * h[1]",
            "3: no path leads from y to x: nothing that was made from it here was used for y",
        ),
    ],
)
def test_why_there_is_no_path_to_another_output(script: str, said: str) -> None:
    assert told(LEAF.format("2.") + "w = torch.tensor(3., requires_grad=True)\n" + script) == [said]


def test_a_cut_on_the_way_to_another_output_is_no_reason() -> None:
    code = "w = torch.tensor(3., requires_grad=True)\ny = w * x.detach()\nk = w * 2\ny.backward()"
    [cause] = derivation_of(LEAF.format("2.") + code, "script.ad", of="k").causes
    assert cause.text == "no path leads from k to x: nothing that was made from it here was used for k"
