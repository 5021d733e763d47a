"""One entry of a gradient where its formula comes to 0/0 and backward takes the limit."""

from __future__ import annotations

import pytest

PRODUCT = ("-e", "x = torch.tensor([{}, 2., 3.], requires_grad=True); L = x.prod()", "--entry", "0")


def arguments(first, *more):
    return ("explain", *(text.format(first) for text in PRODUCT), *more)


def test_a_formula_without_a_value_is_no_number(autodiff):
    out = autodiff(*arguments("0.")).out
    assert "one entry:    dL/dx[0] = L/x[0] = 0/0, which is no number\n" in out
    assert "check: backward() gives 6 at [0], where this formula has a gap\n" in out


def test_where_it_has_one_both_are_told(autodiff):
    out = autodiff(*arguments("4.")).out
    assert "one entry:    dL/dx[0] = L/x[0] = 24/4 = 6\n" in out
    assert "check: backward() gives 6 at [0], difference 0\n" in out


@pytest.mark.parametrize(("first", "code"), [("0.", 2), ("4.", 0)])
def test_programs_get_no_formula_without_a_value(autodiff, first, code):
    done = autodiff(*arguments(first, "--format", "formula"))
    assert done.returncode == code
    assert ("E0617" in done.err) is bool(code)
    assert done.out == ("" if code else "L/x[0]\n")
