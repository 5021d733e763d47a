"""Zero entries of a gradient that is not zero elsewhere: what is said of them, and where nothing is."""

from __future__ import annotations

import pytest
from why_scripts import causes

SQUARE = "x = torch.tensor([[1., 2., 3.], [4., 5., 3.]], requires_grad=True)\n"
LINE = "x = torch.tensor([1., -2., 3.], requires_grad=True)\n"
RELU = "relu passes nothing on where its input is not positive"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (LINE + "y = torch.relu(x).sum()\ny.backward()", f"2: 1 of the 3 entries {{}} is 0 ([1]): {RELU}"),
        (  # rows of the weights of units that are never active
            "w = torch.tensor([[1., 2.], [-3., -1.], [0.5, 1.]], requires_grad=True)\n"
            "x = torch.tensor([1., 2.])\nh = torch.relu(w @ x)\ny = (h * 3).sum()\ny.backward()",
            f"3: 2 of the 6 entries {{}} are 0 ([1, 0], [1, 1]): {RELU}",
        ),
        (  # a weight that meets a 0 has no gradient whatever relu does
            "w = torch.tensor([[1., 2.], [-3., -1.]], requires_grad=True)\n"
            "x = torch.tensor([0., 2.])\ny = torch.relu(w @ x).sum()\ny.backward()",
            f"3: 1 of the 4 entries {{}} is 0 ([1, 1]): {RELU}",
        ),
        (  # a unit that is active for one row at least has a gradient
            "b = torch.tensor([1., -20., -3.], requires_grad=True)\n"
            "rows = torch.tensor([[1., 2., 3.], [3., 4., 9.]])\n"
            "y = torch.relu(rows + b).sum()\ny.backward()",
            f"3: 1 of the 3 entries {{}} is 0 ([1]): {RELU}; column [:, 1] of rows + b is not positive in any"
            " of the 2 rows: this unit is dead",
        ),
        (
            "x = torch.arange(6.)\nx.requires_grad_()\n"
            "y = (x.clamp(max=1.5) ** 3).sum() + x[0]\ny.backward()",
            "3: 4 of the 6 entries {} are 0 ([2], [3], [4], ...): clamp is flat beyond its bounds",
        ),
        (
            LINE + "m = torch.tensor([1., 0., 0.])\ny = (x * m).sum()\ny.backward()",
            "3: 2 of the 3 entries {} are 0 ([1], [2]): the product multiplies them by 0",
        ),
        (
            LINE + "y = torch.where(x > 0, x, 0).sum()\ny.backward()",
            "2: 1 of the 3 entries {} is 0 ([1]): where takes the other branch there",
        ),
        (
            LINE + "y = torch.maximum(x, torch.zeros(3)).sum()\ny.backward()",
            "2: 1 of the 3 entries {} is 0 ([1]): maximum takes the other operand there",
        ),
        (
            LINE + "y = x.masked_fill(x < 0, 7).sum()\ny.backward()",
            "2: 1 of the 3 entries {} is 0 ([1]): masked_fill writes over it",
        ),
        (
            LINE + "y = x[:2].sum()\ny.backward()",
            "2: 1 of the 3 entries {} is 0 ([2]): x[:2] takes other entries",
        ),
        (
            LINE + "y = x[0] * x[1]\ny.backward()",
            "2: 1 of the 3 entries {} is 0 ([2]): neither x[1] nor x[0] takes it",
        ),
        (
            SQUARE + "y = x[0, 0] + x[0, 1] + x[1, 0] + x[1, 1]\ny.backward()",
            "2: 2 of the 6 entries {} are 0 ([0, 2], [1, 2]):"
            " none of x[1, 1], x[1, 0], x[0, 1] and others takes them",
        ),
        (
            LINE + "y = 0\nfor i in range(2):\n    y = y + x[i] * 2\ny.backward()",
            "4: 1 of the 3 entries {} is 0 ([2]): x[i] takes other entries",
        ),
        (
            SQUARE + "y = x.max(dim=1).values.sum()\ny.backward()",
            "2: 4 of the 6 entries {} are 0 ([0, 0], [0, 1], [1, 0], ...): x.max(dim=1) takes other entries",
        ),
        (
            SQUARE + "y = torch.nn.functional.embedding(torch.tensor([1]), x).sum()\ny.backward()",
            "2: 3 of the 6 entries {} are 0 ([0, 0], [0, 1], [0, 2]):"
            " torch.nn.functional.embedding(torch.tensor([1]), x) takes other entries",
        ),
    ],
)
def test_what_keeps_entries_at_zero(script: str, words: str) -> None:
    [said] = causes(script)
    assert said == words.format("of the gradient")


def test_each_entry_is_told_of_once() -> None:
    code = "h = torch.relu(x)\ny = (h[:2] * 2).sum()\ny.backward()"
    assert causes(LINE + code) == [
        f"2: 1 of the 3 entries of the gradient is 0 ([1]): {RELU}",
        "3: 1 of the 3 entries of the gradient is 0 ([2]): h[:2] takes other entries",
    ]


@pytest.mark.parametrize(
    "script",
    [
        LINE + "y = (x * x).sum()\ny.backward()",  # no entry is 0
        "x = torch.tensor([0., 2.], requires_grad=True)\ny = (x * x).sum()\ny.backward()",  # its own value
        "x = torch.tensor([0., 2.], requires_grad=True)\ny = (x ** 2).sum()\ny.backward()",
        LINE + "y = (torch.relu(x) + torch.relu(-x)).sum()\ny.backward()",  # one of them is open
        LINE + "y = (x * torch.tensor([1., 2., 3.])).sum() - x[0]\ny.backward()",  # it cancels
        "x = torch.tensor(2., requires_grad=True)\ny = torch.relu(x)\ny.backward()",
        # what reads the other entry has a slope of 0 there
        "x = torch.tensor([1., 0.], requires_grad=True)\ny = x[0] * 2 + x[1] ** 2\ny.backward()",
        "x = torch.tensor([1., 0.], requires_grad=True)\ny = (x * x).sum() + x[:1].sum()\ny.backward()",
        "x = torch.tensor([1., 2., 3.], requires_grad=True)\ny = x.var() * x.max()\ny.backward()",
        "x = torch.tensor([0., 2.], requires_grad=True)\ny = (torch.relu(x) + x ** 2).sum()\ny.backward()",
        # relu stops nothing: nothing arrives there
        LINE + "w = torch.tensor([[1., 0., 1.]])\ny = (w @ torch.relu(x)).sum()\ny.backward()",
    ],
)
def test_where_nothing_is_clear_nothing_is_said(script: str) -> None:
    assert causes(script) == []
