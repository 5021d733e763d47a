"""Units of relu that are negative for every sample are named: which columns, of what, in how many rows."""

from __future__ import annotations

import pytest
from why_scripts import causes

LAYER = """W = torch.tensor({}, requires_grad=True)
X = torch.tensor([[1., 2.], [2., 1.], [3., 0.5]])
z = X @ W
h = {}
L = (h @ torch.tensor([[1.], [2.], [0.5]])).mean()
L.backward()
"""
TWO_DEAD, ALL_DEAD = "[[0.5, -1., 0.3], [0.2, -0.5, -2.]]", "[[-0.5, -1., -0.3], [-0.2, -0.5, -2.]]"
TWO_WORDS = "; columns [:, 1] and [:, 2] of z are not positive in any of the 3 rows: these units are dead"
ALL_WORDS = "; all 3 columns of z are not positive in any of the 3 rows: these units are dead"


@pytest.mark.parametrize("relu", ["F.relu(z)", "z.clamp(min=0)", "torch.maximum(z, torch.tensor(0.))"])
def test_dead_units_are_named(relu: str) -> None:
    for weights, words in ((TWO_DEAD, TWO_WORDS), (ALL_DEAD, ALL_WORDS)):
        [cause] = causes(LAYER.format(weights, relu))
        assert cause.startswith("4: ")
        assert cause.endswith(words)


def test_one_unit() -> None:
    [cause] = causes(LAYER.format("[[0.5, -1., 0.3], [0.2, -0.5, 2.]]", "F.relu(z)"))
    assert cause.endswith("; column [:, 1] of z is not positive in any of the 3 rows: this unit is dead")


def test_units_are_rows_where_the_weights_stand_on_the_left() -> None:
    [cause] = causes(
        "W = torch.tensor([[0.5, 1.], [-1., -1.]], requires_grad=True)\n"
        "b = torch.zeros(2, 1)\nX = torch.tensor([[1., 2., 3.], [2., 1., 0.5]])\n"
        "h = F.relu(W @ X + b)\nL = h.mean()\nL.backward()\n"
    )
    assert cause.endswith("; row [1] of W @ X + b is not positive in any of the 3 columns: this unit is dead")


@pytest.mark.parametrize(
    ("factor", "product", "words"),
    [
        ("[0.7, -0.2, 0.5]", "h @ v", "1 of the 3 entries of the gradient is 0 ([1]): it is multiplied by h"),
        (
            "[[0.7, 1.], [0.2, 1.], [0.5, 1.]]",
            "h @ v",
            "2 of the 6 entries of the gradient are 0 ([1, 0], [1, 1]): they",
        ),
        (
            "[[0.7, 0.2, 0.5]]",
            "v @ g",
            "1 of the 3 entries of the gradient is 0 ([0, 1]): it is multiplied by g",
        ),
    ],
)
def test_weights_behind_a_dead_unit_are_told_of_it(factor: str, product: str, words: str) -> None:
    [cause] = causes(
        f"v = torch.tensor({factor}).requires_grad_()\n"
        "W = torch.tensor([[0.5, -1., 0.3], [0.2, -0.5, 2.]]).requires_grad_()\n"
        "U = torch.tensor([[0.5, 0.2], [-1., -0.5], [0.3, 2.]]).requires_grad_()\n"
        "X = torch.tensor([[1., 2.], [2., 1.], [3., 0.5]])\nh, g = F.relu(X @ W), F.relu(U @ X.T)\n"
        f"L = ({product}).mean()\nL.backward()\n"
    )
    assert words in cause
    assert cause.endswith("this unit is dead")
    assert "which relu makes 0 there; " in cause


def test_many_units_are_counted() -> None:
    [cause] = causes(
        "W = torch.tensor([[-1.] * 9 + [1.]], requires_grad=True)\nX = torch.ones(2, 1)\n"
        "h = F.relu(X @ W)\nL = h.mean()\nL.backward()\n"
    )
    assert (
        "; columns [:, 0], [:, 1], [:, 2], [:, 3], [:, 4], [:, 5] and 3 more of X @ W are not positive in any"
        " of the 2 rows" in cause
    )


@pytest.mark.parametrize(
    ("weights", "relu"),
    [
        ("[[0.5, 1., 0.3], [-1., -0.5, 2.]]", "F.relu(z)"),  # each unit passes some sample on
        (ALL_DEAD, "F.relu(z[:1])"),  # one sample
        (ALL_DEAD, "z.clamp(-9, 0.1) * 0"),
        (TWO_DEAD, "torch.maximum(z, torch.tensor(-3.))"),
    ],
)
def test_others_are_not_called_dead(weights: str, relu: str) -> None:
    assert not any("dead" in cause for cause in causes(LAYER.format(weights, relu)))
