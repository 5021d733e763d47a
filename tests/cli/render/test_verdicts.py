"""``check --format verdict``: a word for each gradient or formula, for the shell."""

from __future__ import annotations

import pytest

SQUARE = "x = 2.\ny = x**2"


@pytest.mark.parametrize(
    ("script", "formula", "word", "status"),
    [
        (SQUARE, "2*x", "right", 0),
        (SQUARE, "4", "right here", 0),
        (SQUARE, "3*x", "wrong", 1),
        ("x = 0.\ny = abs(x)", "1", "undecided", 0),
        (SQUARE, None, "right", 0),
        ("x = 0.\ny = abs(x)", None, "undecided", 0),
        ("x = 0.\ny = sqrt(x**2)", None, "wrong", 1),
    ],
)
def test_the_only_one_has_the_word_alone(autodiff, script, formula, word, status):
    asked = () if formula is None else ("--formula", formula)
    done = autodiff("check", "-e", script, *asked, "--format", "verdict")
    assert (done.returncode, done.out) == (status, word + "\n")


def test_of_several_each_has_a_line(autodiff):
    done = autodiff("check", "-e", "x = 2.; b = 1.; y = x**2 + b", "--format", "verdict")
    assert done.out == "x\tright\nb\tright\n"
    asked = [word for one in ("dy/dx == 2*x", "dy/dx == 2*z", "x**2") for word in ("--formula", one)]
    done = autodiff("check", "-e", SQUARE, *asked, "--format", "verdict")
    assert (done.returncode, done.out) == (
        2,
        "dy/dx\tright\ndy/dx\tcannot be read\ndy/dx\twrong\n",
    )


def test_steps_of_a_file_have_their_lines(autodiff, write):
    write("dy/dx == 2*x\n", "steps.txt")
    done = autodiff("check", "-e", SQUARE, "--formula", "@steps.txt", "--formula", "4", "--format", "verdict")
    assert done.out == "1\tdy/dx\tright\n\tdy/dx\tright here\n"


def test_fail_on_changes_the_exit_code_and_no_word(autodiff):
    done = autodiff(
        *("check", "-e", SQUARE, "--formula", "4", "--format", "verdict", "--fail-on", "here", "-q"),
    )
    assert (done.returncode, done.out) == (1, "right here\n")


def test_what_a_script_prints_is_no_verdict(autodiff):
    done = autodiff("check", "-e", f"{SQUARE}\nprint('wrong')", "--format", "verdict")
    assert (done.out, done.err) == ("right\n", "wrong\n")
