"""The gradient that arrives is called ``G``; where the script has that name, it gets another letter."""

from __future__ import annotations

import json

import pytest

WEIGHED = "{0} = tensor([[1., 2.], [3., 4.]], requires_grad=True)\nx = tensor([[0.5, -1.]])\ny = x @ {0}\n"
ASK = ("--grad-output", "[[1, 2]]", "--wrt")


def outputs(autodiff, name):
    code = ("-e", WEIGHED.format(name), *ASK)
    yield autodiff("explain", *code, "x").out
    yield autodiff("explain", *code, "x", "--entry", "0,1").out
    yield autodiff("explain", *code, "x", "--format", "latex").out
    yield autodiff("explain", *code, "x", "--format", "markdown").out
    yield autodiff("explain", *code, "x", "--format", "formula").out
    yield autodiff("graph", *code, "x").out
    yield autodiff("trace", *code, "x").out
    yield autodiff("grad", *code, "x", "--format", "markdown").out


def test_no_report_calls_two_things_by_one_name(autodiff):
    """With W for G the reports are the same, but for the letter that each time is free."""
    for with_w, with_g in zip(outputs(autodiff, "W"), outputs(autodiff, "G"), strict=True):
        assert with_w
        assert with_g == with_w.replace("G", "H").replace("W", "G")


def test_the_letter_stands_in_formulas_by_hand_and_in_json(autodiff):
    code = ("-e", WEIGHED.format("G"), *ASK)
    assert autodiff("check", *code, "x", "--formula", "dy/dx == H @ G.T").out.startswith("right: ")
    assert autodiff("check", *code, "x", "--formula", "dy/dx == G @ G.T").returncode == 1
    document = json.loads(autodiff("explain", *code, "x", "--format", "json").out)
    assert document["derivations"][0]["steps"]["simplified"] == "H @ G.T"


@pytest.mark.parametrize(("names", "letter"), [("GHK", "Q"), ("GHKQRU", "G_2")])
def test_the_first_letter_that_the_script_has_not_is_taken(autodiff, names, letter):
    lines = "".join(f"{name} = tensor([1., 2.], requires_grad=True)\n" for name in names)
    done = autodiff("explain", "-e", f"{lines}y = G*{'*'.join(names)}", "--grad-output", "ones", "--wrt", "G")
    assert f"{letter} = ones(2) = dS/dy, S = sum({letter}*y)" in done.out
