"""Zeros that are sums: entries that an input goes into each pass something on, and it adds up to 0."""

from __future__ import annotations

import pytest
from why_scripts import LEAF, causes

ODD = "c = torch.tensor([1., -1.])\n"
M = "m = torch.tensor([[1., 2.], [-1., -2.]])\n"


@pytest.mark.parametrize(
    ("start", "code", "words"),
    [
        (
            "2.",
            "y = x * c\ny.sum().backward()",
            "y, and what arrives there (1 in all entries) times c (entries",
        ),
        (
            "[2.]",
            "y = c / x\ny.sum().backward()",
            "y, and what arrives there (1 in all entries) times the slopes",
        ),
        (
            "2.",
            "y = x.expand(2)\n(y * c).sum().backward()",
            "y, and what arrives there (entries from -1 to 1)",
        ),
        ("[1., 2.]", "y = x[[0, 0]]\n(y @ c).backward()", "y, and what arrives there (entries from -1 to 1)"),
        (
            "[2., 3.]",
            M + "y = m @ x\ny.sum().backward()",
            "y, and what arrives there (1 in all entries) times m",
        ),
        (
            "[2., 3.]",
            M + "y = x * m\ny.sum().backward()",
            "y, and what arrives there (1 in all entries) times m",
        ),
        (
            "1.",
            "y = torch.maximum(x, torch.zeros(2))\n(y @ c).backward()",
            "y, and what arrives there (entries",
        ),
        ("[1.]", "y = torch.pow(x, torch.ones(2))\n(y @ c).backward()", "y, and what arrives there (entries"),
        (
            "[1.]",
            "y = torch.atan2(x, torch.ones(2))\n(y @ c).backward()",
            "y, and what arrives there (entries",
        ),
        (
            "1.",
            "y = torch.where(c > -2, x, 0)\n(y @ c).backward()",
            "y, and what arrives there (entries from",
        ),
    ],
)
def test_what_adds_up_to_0_is_no_slope_of_0(start: str, code: str, words: str) -> None:
    [said] = causes(LEAF.format(start) + ODD + code)
    assert f": x goes into several entries of {words}" in said
    assert said.endswith(" adds up to 0")


def test_a_divisor_of_all_entries() -> None:
    code = "s = x.std()\ny = (x - x.mean()) / s\ny.sum().backward()"
    assert causes(LEAF.format("[1., 2.]") + code)[0] == (
        "3: s goes into several entries of y, and what arrives there (1 in all entries) times the slopes"
        " adds up to 0"
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("y = x * torch.zeros(2)\ny.sum().backward()", "is multiplied by [0, 0] (0 in all entries) in y"),
        ("y = torch.maximum(x, torch.full((2,), 9.))\ny.sum().backward()", "y takes the other operand: "),
        ("y = torch.relu(x - torch.tensor([5., 6.]))\ny.sum().backward()", "y passes nothing on where its "),
        ("y = torch.where(c > 2, x, c)\ny.sum().backward()", "y takes the other branch: "),
    ],
)
def test_what_passes_nothing_on_adds_nothing_up(code: str, words: str) -> None:
    """The input goes into several entries here too, and no part of the gradient is other than 0."""
    [said] = causes(LEAF.format("2.") + ODD + code)
    assert words in said
