"""Derivations in steps: each mistake is named at its own step, and the steps that use it are right."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from conftest import REPOSITORY
from hand_checks import check_steps

SCRIPT = (REPOSITORY / "examples" / "batch_norm.ad").read_text()
STEPS = (REPOSITORY / "examples" / "batch_norm_steps.txt").read_text()
#: For each step of the example a mistake, and what is said about it.
MISTAKES = {
    "dpicked == -ones(6)/6": ("dpicked == -ones(6)", "as if the 1/6 of the mean over 6 entries"),
    "dlogp == dpicked[:, None]*F.one_hot(y, 3)": (
        "dlogp == -dpicked[:, None]*F.one_hot(y, 3)",
        "the sign is wrong: the minus of -dpicked[:, None] is superfluous",
    ),
    "dp == dlogp/p": ("dp == dlogp*p", "the factor p should be dlogp/dp = 1/p"),
    "dtotal == -(dp*e/total**2).sum(1, keepdim=True)": (
        "dtotal == -(dp*e/total).sum(1, keepdim=True)",
        "with total**2 in place of total it is right",
    ),
    "de == dp/total + dtotal": ("de == dp/total", "the path p <- total <- e is missing"),
    "dscores == de*e": ("dscores == de*p", "the factor p should be de/dscores = e"),
    "db2 == dscores.sum(0)": ("db2 == dscores.mean(0)", "with dscores.sum in place of dscores.mean"),
    "dW2 == h.T @ dscores": ("dW2 == h @ dscores", "h must be transposed: h.T"),
    "dh == dscores @ W2.T": ("dh == dscores @ W2", "W2 must be transposed: W2.T"),
    "dnormal == dh*(1 - h**2)": (
        "dnormal == dh*(1 - normal**2)",
        "the factor 1 - normal**2 should be dh/dnormal = 1 - h**2",
    ),
    "dgain == (dnormal*scaled).sum(0)": (
        "dgain == (dnormal*centered).sum(0)",
        "the factor centered should be d(gain*scaled)/dgain = scaled",
    ),
    "dshift == dnormal.sum(0)": (
        "dshift == dnormal.sum(1)",
        "with dnormal.sum(0) in place of dnormal.sum(1)",
    ),
    "dscaled == dnormal*gain": (
        "dscaled == dnormal*shift",
        "the factor shift should be d(gain*scaled)/dscaled = gain",
    ),
    "dstd == -(dscaled*centered).sum(0)/std**2": (
        "dstd == (dscaled*centered).sum(0)/std**2",
        "the sign is wrong",
    ),
    "dvariance == dstd/(2*std)": ("dvariance == dstd/std", "as if the 1/2 of torch.sqrt(variance + 1e-5)"),
    "dcentered == dscaled/std + dvariance*2*centered/6": (
        "dcentered == dscaled/std + dvariance*centered/6",
        "a factor 2 is missing, as if the 2 of centered**2 (line 20) had been left out",
    ),
    "dmean == -dcentered.sum(0)": (
        "dmean == -dcentered.mean(0)",
        "with dcentered.sum in place of dcentered.mean",
    ),
    "dz == dcentered + dmean/6": ("dz == dcentered", "the path centered <- mean <- z is missing"),
    "dW1 == X.T @ dz": ("dW1 == dz.T @ X", "dz.T @ X must be transposed"),
    "dX == dz @ W1.T": ("dX == dz*W1.T", "dz and W1.T must be multiplied as matrices: dz @ W1.T"),
}


def test_the_example_is_right_and_has_twenty_steps() -> None:
    found = check_steps(SCRIPT, STEPS)
    assert len(found) == len(MISTAKES) == 20
    assert all(step.is_right and step.points == 6 and not step.remarks for step in found)
    assert [step.step for step in found][:2] == [("steps.txt", 5), ("steps.txt", 6)]


@pytest.mark.parametrize("right", MISTAKES)
def test_a_mistake_is_named_at_its_own_step(right: str) -> None:
    assert STEPS.count(f"\n{right}\n") == 1
    wrong, remark = MISTAKES[right]
    found = check_steps(SCRIPT, STEPS.replace(f"\n{right}\n", f"\n{wrong}\n"))
    line = STEPS.split("\n").index(right) + 1
    assert [step.step for step in found if not step.is_right] == [("steps.txt", line)]
    [told] = [step for step in found if not step.is_right]
    assert remark in " ".join(told.remarks)
    assert told.is_right is False


def test_twenty_mistakes_at_once_are_named_one_by_one() -> None:
    text = STEPS
    for right, (wrong, _) in MISTAKES.items():
        text = text.replace(f"\n{right}\n", f"\n{wrong}\n")
    found = check_steps(SCRIPT, text)
    assert [step.is_right for step in found] == [False] * 20
    for step, (_, remark) in zip(found, MISTAKES.values(), strict=True):
        assert remark in " ".join(step.remarks)


def test_a_script_s_own_name_is_what_the_step_says() -> None:
    script = "x = 3.\nh = x*x\ndh = 7.\nL = sin(h)"
    assert [step.is_right for step in check_steps(script, "dh == cos(h)\ndx == dh*2*x")] == [True, True]
    assert [step.is_right for step in check_steps(script, "dx == dh*2*x")] == [False]


def test_lines_in_brackets_are_one_step_and_additions_belong_to_theirs() -> None:
    script = "x = 3.\nh = x*x\nL = sin(h)*x"
    text = "# first\ndh == (cos(h)  # of sin\n  *x)\ndx == dh*2*x\n\ndx += sin(h)\n"
    found = check_steps(script, text)
    assert [(step.step, step.formula, step.is_right) for step in found] == [
        (("steps.txt", 2), "(cos(h) *x)", True),
        (("steps.txt", 6), "dh*2*x + (sin(h))", True),
    ]


def test_entries_are_changed_after_a_step() -> None:
    script = (
        "z = tensor([[1., -2.], [0.5, 3.]])\nh = relu(z)\np = softmax(h, 1)\nl = log(p)\n"
        "L = -l[[0, 1], [1, 0]].mean()"
    )
    text = (
        "dl = zeros_like(l)\ndl[[0, 1], [1, 0]] = -1/2\ndp = dl/p\n"
        "dh = p*(dp - (p*dp).sum(1, keepdim=True))\ndz = dh\ndz[z <= 0] = 0\n"
    )
    found = check_steps(script, text)
    assert [(step.left, step.is_right) for step in found] == [
        ("dL/dl", True),
        ("dL/dp", True),
        ("dL/dh", True),
        ("dL/dz", True),
    ]
    assert found[0].formula == "zeros_like(l); then [[0, 1], [1, 0]] = -1/2"
    found = check_steps(script, text.replace("dz[z <= 0] = 0", "dz[z <= 0] *= 0.5"))
    assert [step.is_right for step in found] == [True, True, True, False]
    found = check_steps(script, text.replace("= -1/2", "= -1"))
    assert [step.is_right for step in found] == [False, True, True, True]
    assert "as if the 1/2 of the mean over 2 entries (line 5) had been left out" in found[0].remarks[0]


def test_an_entry_alone_is_a_derivative() -> None:
    script = "W = tensor([[1., 2.], [3., 4.]])\nL = (W**2).sum()"
    [step] = check_steps(script, "dW[0, 1] = 2*W[0, 1]")
    assert (step.left, step.is_right) == ("dL/dW[0, 1]", True)


BIAS = """\
x = tensor([[0.3, -1.], [1.2, 0.4], [-0.7, 2.]])
w = tensor([[0.5, 1.5], [-0.3, 0.2]], requires_grad=True)
b = tensor([0.1, 0.2], requires_grad=True)
z = x @ w + b
u = (z - z.mean(0))/z.std(0)
L = (u**3).sum()
"""


def test_a_gradient_that_cancels_is_what_rounding_leaves_of_it() -> None:
    """A bias before batch norm has no effect; its gradient is a sum that rounding keeps from being 0."""
    found = check_steps(BIAS, "db == dz.sum(0)")
    assert found[0].is_right
    assert 0 < abs(found[0].gradient).max() < 1e-12
    assert check_steps(BIAS, "db == zeros(2)")[0].is_right
    assert check_steps(BIAS, "db == 1e-9*dz[0]")[0].is_right is False


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "steps.txt has no steps"),
        ("# nothing\n", "steps.txt has no steps"),
        ("dh == cos(h)\n\nq == 3", "steps.txt:3: `q` is no derivative"),
        ("cos(h)", r"steps.txt:1: `cos\(h\)` has no left side"),
        ("dh ==", "steps.txt:1: `dh` says which derivative is meant"),
        ("dh == cos(", "steps.txt:1: "),
    ],
)
def test_what_is_no_step(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        check_steps("x = 3.\nh = x*x\nL = sin(h)", text)
