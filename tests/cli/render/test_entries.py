"""The numbers that add up to one entry of a gradient, below a sum in numbers that is longer than a line."""

from __future__ import annotations

import re

import pytest

LOSS = """\
X = torch.tensor([[0.5, -1.2], [1.0, 0.4], [-0.6, 0.8]])
W = torch.tensor([[0.1, -0.2], [0.4, 0.2]], requires_grad=True)
L = F.cross_entropy(X{rows} @ W, torch.tensor({labels}), reduction="sum")
"""
SHORT = """\
A = torch.tensor([[1., 2.], [3., 4.]])
v = torch.tensor([5., 6.], requires_grad=True)
L = (A @ v).sum()
"""


def sides(out):
    """What is equated in ``one entry:``, each side on one line."""
    text = re.split(r"^ +(?:where|chain) ", out.split("one entry:")[1], flags=re.MULTILINE)[0]
    return [" ".join(side.split()) for side in text.split(" = ")]


def test_a_cross_entropy_shows_what_each_row_adds(autodiff):
    def of(rows, labels):
        script = LOSS.format(rows=rows, labels=labels)
        return sides(autodiff("explain", "-", "--wrt", "W", "--entry", "0,1", input=script).out)

    given, formula, numbers, contributions, value = of("", [0, 1, 1])
    assert given == "dL/dW[0,1]"
    assert "exp(" in formula
    assert "exp(" in numbers
    alone = [of("[0:1]", [0]), of("[1:2]", [1]), of("[2:3]", [1])]
    assert contributions == " + ".join(one[-1] for one in alone).replace("+ -", "- ")
    assert sum(float(one[-1]) for one in alone) == pytest.approx(float(value), rel=1e-4)


def test_a_sum_that_fits_its_line_is_not_told_again(autodiff):
    out = autodiff("explain", "-", "--entry", "1", input=SHORT).out
    assert sides(out) == ["dL/dv[1]", "A[0,1] + A[1,1]", "2 + 4", "6"]
