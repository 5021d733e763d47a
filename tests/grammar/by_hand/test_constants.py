"""Formulas that name constants of the script: labels, data, scale factors, whole numbers, sizes."""

import pytest

from tests.tools.hand_checks import check, check_steps

LOGISTIC = """\
x = torch.tensor([0.7, 2.0])
w = torch.tensor(0.3, requires_grad=True)
y = 1.0
p = torch.sigmoid(w*x)
L = -(y*torch.log(p) + (1 - y)*torch.log(1 - p)).sum()
"""
SOFTMAX = """\
z = torch.tensor([[0.2, 0.5, -0.3], [1.0, 0.1, 0.4]], requires_grad=True)
y = torch.tensor({})
p = torch.softmax(z, 1)
L = -(y*torch.log(p)).sum()
"""
POWER = "x = torch.tensor([0.2, 0.5], requires_grad=True)\nk = 3\nc = 1.0\nL = (c*x**k).sum()\n"


@pytest.mark.parametrize(
    ("script", "formula", "because", "mended"),
    [
        (LOGISTIC, "dL/dw == ((p - y**2)*x).sum()", "y = 1", "with y in place of y**2 it is right"),
        (LOGISTIC, "dL/dw == ((p*y - 1)*x).sum()", "y = 1", ""),
        (POWER, "dL/dx == k*c**2*x**2", "k = 3 and c = 1", ""),
        (POWER, "dL/dx == k*c**2*x**(k - 1)", "c = 1", "with c in place of c**2 it is right"),
        (
            "X = torch.eye(2)\nW = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
            "L = ((X @ W)**2).sum()",
            "dL/dW == 2*X @ (X @ W)",
            "these numbers of X",
            "X must be transposed",
        ),
        (
            "n = 5\nscale = 1/n\nx = torch.tensor([0.2, 0.5], requires_grad=True)\nL = (scale*x**2).sum()",
            "dL/dx == 10*scale**2*x",
            "n = 5",
            "",
        ),
    ],
)
def test_a_formula_that_is_right_for_the_scripts_constants_alone_is_wrong(script, formula, because, mended):
    found = check(script, formula)
    assert (found.is_right, found.is_right_here) == (False, True)
    assert found.remarks[0] == f"it is right only because of {because} in this script"
    assert mended in found.remarks[-1]


def test_the_counterexample_has_the_constant_and_both_values():
    [_, at, _] = check(LOGISTIC, "dL/dw == ((p - y**2)*x).sum()").remarks
    assert at == "at y = 1.08218 the formula gives -1.48406, and the gradient is -1.24395"


@pytest.mark.parametrize(
    ("script", "formula", "varied"),
    [
        (LOGISTIC, "dL/dw == ((p - y)*x).sum()", ["x", "y"]),
        (LOGISTIC, "dL/dw == ((p - 1)*x).sum()", ["x"]),
        (POWER, "dL/dx == c*k*x**(k - 1)", ["c", "k"]),
        # One-hot rows from whole numbers, which are permuted.
        (
            SOFTMAX.format("[1, 0]").replace("y*torch.log(p)", "torch.log(p)[range(2), y]"),
            "dL/dz == p - F.one_hot(y, 3)",
            ["y"],
        ),
        # Not a number of the script, but computed from one.
        (
            "n = 5\nscale = 1/n\nx = torch.tensor([0.2, 0.5], requires_grad=True)\nL = (scale*x**2).sum()",
            "dL/dx == 2*scale*x",
            ["scale"],
        ),
        # A size of a tensor says how many entries there are; with another one the script would be another.
        ("n = 2\nx = torch.tensor([0.2, 0.5], requires_grad=True)\nL = (x**2).mean()", "dL/dx == 2*x/n", []),
        # The constant has a kink nearby, beyond which the formula is another.
        (
            "m = 1.0\nx = torch.tensor(0.95, requires_grad=True)\nL = x*torch.relu(torch.tensor(m - 0.9))",
            "dL/dx == m - 0.9",
            ["m"],
        ),
    ],
)
def test_a_formula_is_tried_with_other_values_of_its_constants(script, formula, varied):
    found = check(script, formula)
    assert found.is_right
    assert (sorted(found.varied), found.remarks) == (varied, [])


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ("[[0., 1., 0.], [1., 0., 0.]]", "y is one-hot"),
        ("[[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]]", "the rows of y add up to 1"),
    ],
)
def test_a_formula_for_labels_is_right_for_labels(labels, says):
    told = [f"it is right where {says}, as in this script, and not in general"]
    for marked in (labels, labels + ", requires_grad=True"):  # as an input that is not asked for, too
        found = check(SOFTMAX.format(marked), "dL/dz == p - y")
        assert (found.is_right, found.remarks) == (True, told)
    assert check(SOFTMAX.format("[[0., 1., 0.], [1., 0., 1.]]"), "dL/dz == p - y").is_right is False
    assert check(SOFTMAX.format(labels), "dL/dz == p*y.sum(1, keepdim=True) - y").remarks == []


def test_the_formula_of_an_entry_may_have_its_numbers_in_it():
    script = (
        "x = torch.tensor([2.0, 3.0])\nw = torch.tensor([0.2, 0.5], requires_grad=True)\nL = (w*x).sum()**2\n"
    )
    found = check(script, "dL/dw[1] == 6*(w*x).sum()")
    assert (found.is_right, found.varied) == (True, [])
    assert found.remarks == ["it is right only for these numbers of x"]
    assert check(script, "dL/dw[1] == 2*x[1]*(w*x).sum()").remarks == []


def test_labels_of_two_values():
    script = "s = torch.tensor([0.2, 0.5, -0.3], requires_grad=True)\ny = torch.tensor([1., -1., 1.])\n"
    found = check(script + "L = ((1 - y*s)**2).sum()", "dL/ds == -2*(y - s)")
    told = "it is right where the entries of y are -1 and 1, as in this script, and not in general"
    assert (found.is_right, found.remarks) == (True, [told])


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("n = 4\nx = torch.tensor(2.0, requires_grad=True)\nL = x**4", "n = 4 takes no part in L"),
        (
            "n = 4\nx = torch.tensor(2.0, requires_grad=True)\nL = 1\nfor i in range(n):\n    L = L*x",
            "tried with n = 4 only",
        ),
    ],
)
def test_what_was_not_varied_is_said(script, says):
    found = check(script, "dL/dx == n*x**3")
    assert (found.is_right, found.varied, found.remarks) == (True, [], [says])


def test_the_steps_of_a_derivation_are_tried_with_other_constants():
    steps = "dp == (p - y)/(p*(1 - p))\ndw == (dp*p*(1 - p)*x).sum()\n"
    assert [step.is_right for step in check_steps(LOGISTIC, steps)] == [True, True]
    [first, second] = check_steps(LOGISTIC, steps.replace("p - y)", "p - y**3)"))
    assert (first.is_right, second.is_right) == (False, True)
