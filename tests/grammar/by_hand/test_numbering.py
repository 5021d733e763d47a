"""Labels in front of formulas, headings between them, and functions without brackets, as sheets have them."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.read_derivation import read_derivation
from hand_checks import check, check_steps
from program import run_program

SCRIPT = "a = 0.5\nn = 4\ny = a**2*log(a)"
RIGHT = "dy/da = 2a ln a + a"
LABELS = [
    *("1)", "1.", "a)", "(a)", "ii)", "(iv)", "2a)", "2.a)", "2.1)", "2.1", "1.2.3", "2a.", "2a:", "(1a)"),
    *("1(a)", "1) a)", "(a)(i)", "Q2b.", "Q1:", "[2]", "Aufgabe 1a)", "Exercise 3 (b):", "Ex. 3b"),
    *("Exercise 2.", "Problem 2: derivative of y:", "Ex 1:"),
]
IN_LISTS = ["-", "*", "•", "–", "- 2a)", r"\item", r"\item[2a)]"]


@pytest.mark.parametrize("label", LABELS)
def test_a_label_is_read(label: str) -> None:
    for equation in (RIGHT, "da = 2a ln a + a"):
        found = check(SCRIPT, f"{label} {equation}")
        assert (found.left, found.verdict) == ("dy/da", "right")
        [found] = check_steps(SCRIPT, f"{label} {equation}")
        assert (found.left, found.verdict) == ("dy/da", "right")


@pytest.mark.parametrize("label", IN_LISTS)
def test_an_entry_of_a_list_is_read(label: str) -> None:
    [found] = check_steps(SCRIPT, f"{label} {RIGHT}")
    assert (found.left, found.verdict) == ("dy/da", "right")


def test_a_list_of_latex_is_read() -> None:
    text = "\\begin{enumerate}\n\\item $dy/da = 2a\\ln a + a$\n\\item $dy/da = 1$\n\\end{enumerate}"
    assert [one.verdict for one in check_steps(SCRIPT, text)] == ["right", "wrong"]


@pytest.mark.parametrize("left", ["2 dy/da", "2*dy/da", "-dy/da", "2.0*dy/da", "a dy/da"])
def test_a_factor_is_no_label(left: str) -> None:
    for read in (check, check_steps):
        with pytest.raises(UsageError, match="is no derivative"):
            read(SCRIPT, f"{left} = 2*a*log(a) + a")


def test_a_label_changes_no_name() -> None:
    text = f"2a) h = 3 @@ 4\n{RIGHT}\n"
    derivation = read_derivation(text, "steps.txt", Source(SCRIPT))
    assert list(derivation.unread.values()) == [{"h"}]


def test_headings_are_passed_over_and_named() -> None:
    text = (
        "Exercise 1\n=====\n2)\nExercise 2: the logistic loss (5 points)\nLösung:\n"
        f"{RIGHT}\nHence the result follows.\n\\section{{Exercise 3}}\nfor the rest see above\n"
    )
    derivation = read_derivation(text, "steps.txt", Source(SCRIPT))
    assert sorted(derivation.unreadable) == [9]  # a loop that is none
    assert derivation.remark_on_headings == "steps.txt: no formula in lines 1, 3, 4, 5, 7, 8: passed over"


@pytest.mark.parametrize("line", ["2*a", "a", "3", "log a", "dy/da", "dy/da: 2*a", "exp", "d(y)/d(a): 2"])
def test_a_formula_without_an_equals_sign_is_no_heading(line: str) -> None:
    derivation = read_derivation(f"{line}\n{RIGHT}", "steps.txt", Source(SCRIPT))
    assert list(derivation.unreadable) == [1]
    assert "has no left side" in derivation.unreadable[1].message


def test_the_note_on_headings_is_given_once() -> None:
    script = "a = 0.5; y = a**2; z = a**3"
    text = b"Exercise 1\ndy/da = 2a\nExercise 2\ndz/da = 3a^2\n"
    done = run_program("check", "-e", script, "--formula", "@-", input=text)
    assert done.returncode == 0
    assert done.stderr == b"note: <stdin>: no formula in lines 1, 3: passed over\n"


@pytest.mark.parametrize(
    ("right", "written"),
    [
        ("2a ln a + a", "2*a*ln(a) + a"),
        ("2a\\ln a + a", "2*a*ln(a) + a"),
        ("2a ln a * 1 + a", "2*a*ln(a) * 1 + a"),
        ("a (2 ln a + 1) cos 0", "a*(2*ln(a) + 1)*cos(0)"),
        ("a/cos a + a ln a + ln a*a + (a - a/cos a)", "a/cos(a) + a*ln(a) + ln(a)*a + (a - a/cos(a))"),
        ("2a ln a + a + sin^2 a + \\cos^{2}(a) - 1", "2*a*ln(a) + a + sin(a)^2 + cos(a)^2 - 1"),
        ("2a ln a + a*(sin^2(2a) + cos**2 2a)", "2*a*ln(a) + a*(sin(2*a)^2 + cos(2*a)**2)"),
        ("2a ln a + a + sin 2a - 2 sin a cos a", "2*a*ln(a) + a + sin(2*a) - 2*sin(a)*cos(a)"),
        ("a ln a^2 + a", "a*ln(a^2) + a"),
        ("a \\ln a^{2} + a", "a*ln(a^(2)) + a"),
        ("a ln a² + a", "a*ln(a**2) + a"),
        ("0.5a ln a^{n} + a - 0*sin^2 a^2", "0.5*a*ln(a^(n)) + a - 0*sin(a^2)^2"),
        ("-2a ln a^-1 + a*(sin² a² + cos² a²)", "-2*a*ln(a^-1) + a*(sin(a**2)**2 + cos(a**2)**2)"),
        ("2a ln a + a*exp a^2 exp -1a^2", "2*a*ln(a) + a*exp(a^2)*exp(-1*a^2)"),
        ("2a ln a + a*(cos -a)/cos(a)", "2*a*ln(a) + a*(cos(-a))/cos(a)"),
    ],
)
def test_a_function_of_one_name_or_number_needs_no_brackets(right: str, written: str) -> None:
    found = check(SCRIPT, f"dy/da = {right}")
    assert (found.verdict, found.formula) == ("right", written)
    [found] = check_steps(SCRIPT, f"dy/da = {right}")
    assert found.verdict == "right"


@pytest.mark.parametrize(
    ("right", "way"),
    [
        ("cos a (1 + a)", "cos(a)"),
        ("sin 2 a", "sin(2)"),
        ("exp sin a", "exp(sin)"),
        ("ln a / a", "ln(a)"),
        ("cos a^2 a", "cos(a^2)"),
        ("cos a² / a", "cos(a**2)"),
        ("cos a^(n+1) a", "cos(a^(n+1))"),
        ("cos a^-1 (1 + a)", "cos(a^-1)"),
    ],
)
def test_where_more_may_belong_to_the_argument_the_error_says_what_to_write(right: str, way: str) -> None:
    with pytest.raises(UsageError, match="two values stand side by side") as told:
        check(SCRIPT, f"dy/da = {right}")
    assert told.value.advice == (f"call it: `{way}`",)


def test_the_sign_behind_a_function_is_that_of_its_argument() -> None:
    with pytest.raises(UsageError, match="unsupported operand type") as told:
        check(SCRIPT, "dy/da = exp - a")
    assert told.value.advice == ("apply it: exp(-a)",)
    assert check(SCRIPT, "dy/da = inf -a").formula == "inf -a"


def test_other_lines_keep_their_verdicts_where_a_product_cannot_be_read() -> None:
    script = "a = 0.5\ny = a**2\n"
    text = "dy/da = 2a cos a (1 + a)\ndy/da = 2a\ndy/da = 3a"
    derivation = read_derivation(text, "steps.txt", Source(script))
    assert list(derivation.unreadable) == []
    done = run_program("check", "-e", script, "--formula", "@-", "--format", "verdict", input=text.encode())
    lines = done.stdout.decode().splitlines()
    assert [line.split("\t")[-1] for line in lines] == ["cannot be read", "right", "wrong"]
