"""Diagnostics for machines stand in the order of the script, and those for people have a way out."""

from __future__ import annotations

import json

import pytest

X = "x = torch.tensor([1., 2.], requires_grad=True)\n"
WARNED = (
    X
    + "for i in range(2):\n    if i:\n        a = torch.tensor(x)\n    b = torch.tensor(x * 2)\ny = x.sum()\n"
)
BROKEN = "a = torch.epx(1)\nclass A:\n    pass\nx = torch.tensor([1.0)\ny = 3 4\n"


def lines(document) -> list[int]:
    return [entry["location"]["line"] for entry in document["diagnostics"]]


@pytest.mark.parametrize(("script", "expected"), [(WARNED, [4, 5]), (WARNED + "x.foo\n", [4, 5, 7])])
def test_a_document_has_its_diagnostics_in_the_order_of_lines(autodiff, write, script, expected) -> None:
    assert lines(json.loads(autodiff("grad", write(script), "--format", "json").out)) == expected


def test_lint_has_what_does_not_parse_in_the_order_of_lines(autodiff, write) -> None:
    done = autodiff("lint", "--diagnostics", "json", write(BROKEN))
    found = [json.loads(line)["location"]["line"] for line in done.out.splitlines()]
    assert found == sorted(found)
    assert len(found) > 2


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("print(x.qqzz)", "  = help: `autodiff help E0204` says what to look at"),
        ("print([1].qqzz())", "  = help: `autodiff help E0204` says what to look at"),
        (
            "torch.autograd.functional.vjp(lambda t: t*t, x, torch.ones(3))",
            "  = help: give it one that is shaped like the output",
        ),
        (
            "torch.autograd.functional.jvp(lambda t: t*t, x, (x, x))",
            "  = help: give it one that is shaped like the input",
        ),
        (
            "y = x*x; torch.autograd.grad(y, x, [0])",
            "  = help: one for each entry: torch.autograd.grad(y, x, torch.ones_like(y))",
        ),
        (
            "y = x*x; torch.autograd.grad([y], [x], [torch.ones(3)])",
            "  = help: one for each entry: torch.autograd.grad([y], [x], [torch.ones_like(y)])",
        ),
    ],
)
def test_every_error_has_a_way_out(autodiff, write, code, line) -> None:
    done = autodiff("run", write(X + code + "\n"))
    assert line in done.err.splitlines()


def test_an_error_of_a_function_of_functions_stands_at_its_call(autodiff, write) -> None:
    done = autodiff(
        "run", write(X + "f = lambda t: t*t\ntorch.autograd.functional.vjp(f, x, torch.ones(3))\n")
    )
    assert ":3:1\n" in done.err


def test_the_shapes_are_those_of_what_they_stand_at(autodiff, write) -> None:
    done = autodiff("run", write(X + "torch.autograd.backward([x*x], [torch.ones(2, 2)])\n"))
    assert "x*x has shape (2,)" in done.err
    assert "torch.ones(2, 2) has shape (2, 2)" in done.err


def test_a_weight_of_the_wrong_shape_is_refused(autodiff, write) -> None:
    done = autodiff("grad", write(X + "y = x * x\n"), "--grad-output", "[1, 2, 3]")
    assert done.returncode == 4
    assert "E0411" in done.err
    assert "  = help: give one number for each of the 2 entries: --grad-output '[1, 1]'" in done.err


def test_help_texts_name_what_lists_the_rest(autodiff) -> None:
    assert "`autodiff ops` lists the functions and methods" in autodiff("help", "E0204").out.replace(
        "\n", " "
    )
    assert "shaped like the output" in autodiff("help", "E0411").out.replace("\n", " ")
    assert "`autodiff help` lists the topics and codes" in autodiff("help", "E9999").err
