"""``--digits`` counts in every output for people: no number has more digits, and long ones have as many."""

from __future__ import annotations

import re

import pytest

SCRIPT = """\
x = torch.tensor(0.3, requires_grad=True)
w = torch.tensor([1.1, 2.7], requires_grad=True)
h = torch.tanh(w * x)
L = (h ** 2).sum() + x * 0.7
"""
NUMBER = re.compile(r"(?<![\w.])(\d*\.\d+|\d+\.\d*)(?:e[-+]?\d+)?")
COMMANDS = [
    "run",
    "run --show tensors",
    "grad --format table",
    "grad --format markdown",
    "grad --format latex",
    "explain",
    "explain --entry 1",
    "explain --order 2 --wrt x",
    "explain --format markdown",
    "explain --format latex",
    "graph",
    "graph --format dot",
    "trace",
    "check --formula dL/dx==3*x",
    "check --formula dL/dx==w",
]


def significant(number: str) -> int:
    """The significant digits that a number is written with.

    >>> significant("0.0120")
    3
    """
    return len(number.replace(".", "").lstrip("0"))


@pytest.mark.parametrize("command", COMMANDS)
def test_digits_count_wherever_a_number_is_printed(autodiff, write, command):
    path = write(SCRIPT)
    for digits in (3, 12):
        done = autodiff(*command.split(), path, "--digits", digits)
        found = [significant(number) for number in NUMBER.findall(done.out)]
        assert found
        assert max(found) <= digits, done.out
        assert digits == 3 or "--show tensors" in command or max(found) >= 10, done.out
