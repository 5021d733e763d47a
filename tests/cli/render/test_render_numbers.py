"""Numbers, tensors and counts as people read them, and as programs do."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.cli.render.numbers import block, exact_entries, inline, short, spell_count


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (-8.0, "-8"),
        (0.1 + 0.2, "0.3"),
        (1e300, "1e+300"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (-0.0, "0"),
        (123456789.0, "123456789"),
        (1234.5678, "1234.57"),
    ],
)
def test_numbers_for_people(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (-8.0, ["-8"]),
        (0.1 + 0.2, ["0.30000000000000004"]),
        (float("inf"), ["inf"]),
        (float("nan"), ["nan"]),
        (None, ["None"]),
        (np.array([0.1, 2], dtype="float32"), ["0.1", "2"]),
        (np.array(0.1, dtype="float32"), ["0.1"]),
    ],
)
def test_numbers_for_programs(value, texts):
    assert exact_entries(value) == texts


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (np.array([[1.0, 2.5], [30.0, 4.0]]), ["| 1   2.5 |", "| 30  4   |"]),
        (np.array([1.0, 2.0]), ["| 1 |", "| 2 |"]),
        (np.zeros((0, 3)), ["0x3   empty"]),
        (np.array(3.0), ["3"]),
    ],
)
def test_blocks(value, lines):
    assert block(value) == lines


def test_inline_values():
    assert inline(np.array([[1.0, 2.0], [3.0, 4.0]])) == "[1 2; 3 4]"
    assert inline(None) == "None"


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1"), (9811, "9,811"), (2**100, "1.27e30"), (10**15, "1.00e15"), (999_999_999_999_999, "1.00e15")],
)
def test_counts(count, text):
    assert spell_count(count) == text


def test_the_norm_of_huge_numbers_is_finite() -> None:
    from autodiff.cli.render.numbers import figures

    huge = np.full((9, 9), 1e200)
    assert figures(huge).endswith("max 1e+200  |g| 9e+200")
    assert figures(huge, is_gradient=False).endswith("max 1e+200")


def test_one_entry_stands_in_brackets_and_not_between_bars() -> None:
    for value in (np.array([-1.5]), np.array([[-1.5]])):
        assert block(value) == ["[-1.5]"] == [inline(value)]
    assert block(np.array([[1.0, 2.0]])) == ["| 1  2 |"]
