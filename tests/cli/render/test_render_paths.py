"""How paths are listed: by what they give, what cancels named, what is alike left out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from autodiff.cli.render.derivation import derivation_lines
from autodiff.cli.render.page import Page
from autodiff.cli.render.paths import path_lines
from autodiff.core.report.records import InputUse, Path

from tests.cli.reports import texts, w1_derivation


def path_of(contribution, *nodes):
    return Path(nodes, ("dL/da",), ("1",), "1", contribution)


def test_paths_are_listed_by_what_they_give_and_what_cancels_is_named():
    derivation = w1_derivation(
        count=5,
        paths=(path_of(2.0, "L", "a", "w"), path_of(-5.2, "L", "b", "w"), path_of(5.2, "L", "c", "w")),
        value=2.5,
        backward=2.5,
        magnitude=13.0,
    )
    assert texts(path_lines(derivation, Page())) == (
        "\n"
        "paths         -5.2    40 %  L <- b <- w\n"
        "               5.2    40 %  L <- c <- w\n"
        "                 2  15.4 %  L <- a <- w\n"
        "              -5.2 (by b) and 5.2 (by c) cancel\n"
        "              without their signs all paths add up to 13\n"
    )
    assert "... 2 more paths, together 0.5\n" in texts(derivation_lines(derivation, Page()))


def test_long_paths_whose_ends_are_alike_show_what_tells_them_apart():
    shared = ("L", "p", "q", "r"), ("s", "t", "u", "w")
    ways = [(*shared[0], *inner, *shared[1]) for inner in (("b", "c"), ("b",), ("c",))]
    other = ("L", "v", *"abcdefg", "w")
    derivation = w1_derivation(
        count=5,
        paths=(
            *(path_of(4.0 - at, *way) for at, way in enumerate(ways)),
            path_of(1.0, *other),
            path_of(0.5, *other),
        ),
        value=10.5,
        backward=10.5,
        magnitude=10.5,
    )
    shown = texts(path_lines(derivation, Page())).splitlines()[1:6]
    assert [line[line.index("L") :] for line in shown] == [
        "L <- ... <- b <- c <- ... <- w",
        "L <- ... <- b <- ... <- w",
        "L <- ... <- c <- ... <- w",
        "L <- v <- a <- b <- ... <- f <- g <- w",
        "L <- v <- a <- b <- ... <- f <- g <- w",
    ]


def test_where_paths_are_left_out_the_formula_over_all_is_marked(autodiff):
    script = "x = 2; y = x*3 + sin(x) + x**2 + x; L = y*y"
    shown = autodiff("explain", "--top", "3", "-e", script).out.splitlines()
    [at] = [at for at, line in enumerate(shown) if line.startswith("3 simplified")]
    assert shown[at - 1].endswith("steps 3 to 5 sum all 8")
    assert "sum all" not in autodiff("explain", "--top", "8", "-e", script).out


def test_the_number_of_paths_does_not_stand_between_the_rows_of_a_matrix(autodiff):
    name = "the_weight_of_this_long_name"
    shown = autodiff("explain", "-e", f"{name} = [1., 2.]; the_output = ({name}**2).sum()").out.splitlines()
    assert [line.strip() for line in shown[:3]] == [
        f"{name} gets | 2 |",
        "| 4 |",
        f"1 path from the_output (line 1) to {name} (line 1)",
    ]


def test_without_a_path_the_first_two_steps_say_so(autodiff):
    shown = autodiff("explain", "-e", "v = 2; x = 3; L = x*x", "--wrt", "v").out
    assert "\n1 chain       no path\n2 local       no path\n3 simplified  0\n" in shown


def test_paths_of_tensors_that_cancel_are_named():
    value = np.array([3.0, -1.0])
    paths = (
        path_of(value, "L", "a", "x"),
        path_of(-value, "L", "b", "x"),
        path_of(value / 2, "L", "c", "x"),
        path_of(np.zeros(2), "L", "d", "x"),
        path_of(np.zeros(2), "L", "e", "x"),
    )
    derivation = w1_derivation(count=5, paths=paths, value=value / 2, backward=value / 2, is_scalar=False)
    text = texts(path_lines(derivation, Page()))
    assert text.endswith("              up to 3 (by a) and up to 3 (by b) cancel\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("x = 3.; u = x*2; L = 5*u - u*5 + u**3", "10 (by 5*u) and -10 (by u*5) cancel"),
        ("x = 3.; v = x*2; L = (v + 1)*7 - (v + 1)*7", "14 (by v + 1) and -14 (by v + 1 (2nd)) cancel"),
        ("x = 3.; s = x*2; n = -s; L = s + n + x**2", "2 (not by n) and -2 (by n) cancel"),
    ],
)
def test_paths_that_cancel_are_named_by_what_tells_them_apart(autodiff, code, said):
    """Both reach the input through one value, which says nothing about either."""
    assert f" {said}\n" in autodiff("explain", "-e", code, "--wrt", "x").out


def test_two_paths_cancel_one_pair_at_a_time():
    paths = (path_of(2.0, "L", "a", "w"), path_of(-2.0, "L", "b", "w"), path_of(-2.0, "L", "c", "w"))
    text = texts(path_lines(w1_derivation(count=3, paths=paths, magnitude=6.0, value=-2.0), Page()))
    assert text.count(" cancel\n") == 1
    assert "cancel" not in texts(
        path_lines(
            w1_derivation(count=2, paths=(path_of(2.0, "L", "a", "w"), path_of(-2.001, "L", "b", "w"))),
            Page(),
        )
    )


def test_uses_are_listed_where_they_say_more_than_the_paths():
    uses = (InputUse("w*x", 3, 1, 1, 1.0), InputUse("w*y", None, 0, 2**40, -3.0))
    few = w1_derivation(count=2, uses=uses, use_count=2)
    assert "uses" not in texts(path_lines(few, Page()))
    many = w1_derivation(count=2**40 + 1, uses=uses, use_count=7, magnitude=4.0)
    assert (
        "uses          -3  75 %  in w*y, 1.10e12 paths\n"
        "               1  25 %  in w*x, line 3, 1 path\n"
        "              ... 5 more uses\n"
    ) in texts(path_lines(many, Page()))


def test_a_reason_is_not_broken_inside_of_code(autodiff):
    script = (
        "x = torch.tensor([0., 1.], requires_grad=True)\nL = torch.where(x > 0, torch.log(x), 0.).sum()\n"
    )
    for columns in range(56, 121, 8):
        out = autodiff("explain", "-e", script, env={"COLUMNS": str(columns)}).out
        assert "torch.log(torch.where(x > 0, x, 1))" in out
        assert "entry [0] of x = 0" in " ".join(out.split())
        assert not any(line.rstrip().endswith("=") for line in out.splitlines())
        assert max(map(len, out[out.index("\nwhy") :].splitlines())) <= min(columns, 100)


def test_formulas_are_broken_between_terms_then_between_factors(autodiff):
    turns = "for x in [1.0, 0.3, -0.6, 0.9]:\n    h = tanh(w*h + u*x)\n"
    script = f"w, u, h = 0.5, 0.8, 0.\n{turns}L = (h - 1)**2\n"
    out = autodiff("explain", "-e", script, "--wrt", "w", env={"COLUMNS": "80"}).out
    formula = out[out.index("3 simplified") : out.index("  factored")]
    assert [line[14:] for line in formula.splitlines()] == [
        "2*(h_4 - 1)*(1 - h_4**2)*h_3",
        "+ 2*(h_4 - 1)*(1 - h_4**2)*w*(1 - h_3**2)*h_2",
        "+ 2*(h_4 - 1)*(1 - h_4**2)*w**2*(1 - h_3**2)*(1 - h_2**2)*h_1",
    ]  # the last step of the loop first
    narrow = autodiff("explain", "-e", script, "--wrt", "w", env={"COLUMNS": "60"}).out
    assert "+ 2*(h_4 - 1)*(1 - h_4**2)*w**2*(1 - h_3**2)\n                *(1 - h_2**2)*h_1\n" in narrow


def test_the_same_command_is_not_named_twice(on_terminal):
    shown = on_terminal("run", "-e", "x = 0.; y = x*x", "--color", "never")[1]
    assert " ".join(shown.split()).count("autodiff explain") == 1


def test_entries_of_arrays_are_numbers_in_the_fourth_step(autodiff):
    code = "w = [0.5, -0.8]; y = [3., 4.]; a = 0.7\nfor k in range(2): a = a*w[k] - y[k]\nL = a**2"
    for wrt, formula in [("a", "2*(-1.88)*(-0.8)*0.5"), ("w", "one_hot(0, 2)")]:
        out = autodiff("explain", "-e", code, "--wrt", wrt).out
        numbers = out[out.index("\n4 numbers") : out.index("\n5 value")]
        assert formula in numbers
        assert not re.search(r"[wya]\b", numbers.replace("values", ""))


def test_paths_of_arrays_have_shares_of_all_entries(autodiff):
    out = autodiff("explain", "-e", "x = [1., 2.]; y = (x*x + x).sum()").out
    assert "\npaths         up to 2  37.5 %  y <- x*x + x <- x*x <- x\n" in out
    assert "              up to 1    25 %  y <- x*x + x <- x\n" in out
    assert "`up to` is the largest entry that a path gives" in out


def test_rows_of_a_matrix_are_drawn_alone_in_the_fourth_step(autodiff):
    code = "xs = torch.tensor([[1., 2.], [3., 4.]]); w = torch.ones(2, requires_grad=True); L = 0.\n"
    out = autodiff("explain", "-e", code + "for t in range(2): L = L + w @ xs[t]").out
    assert "\n4 numbers     | 3 |   | 1 |\n              | 4 | + | 2 |\n5 value " in out
