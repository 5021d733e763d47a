"""``check --formula @FILE``: each line is judged by itself, against the output that it names."""

from __future__ import annotations

import json

import pytest

SCRIPT = "x = 2.; f = x**2; g = f**3"


def verdicts(autodiff, steps, script=SCRIPT, *more):
    """The verdicts of the lines by their numbers, the exit code and stderr."""
    done = autodiff("check", "-e", script, "--formula", f"@{steps}", "--format", "json", *more)
    document = json.loads(done.out)
    return {one["line"]: one["verdict"] for one in document["formulas"]}, done.returncode, done.err


BAD_LINES = [
    ("exp bar", "`exp bar` has no left side", "exp bar"),
    ("q == 3", "`q` is no derivative", "q == 3"),
    ("df/dx ==", "`df/dx` says which derivative is meant", "df/dx =="),
    ("df/dx == 2*x +", "the line ends where a value should follow", ""),
    ("df/dx == (2*x", "this `(` is never closed", "("),
    ("df/dx == 2*q", "name 'q' is not defined", "q"),
    ("df/dw == 2*x", "there is no variable `w`", "df/dw == 2*x"),
    ("dF/dx == 2*x", "there is no variable `F`", "dF/dx == 2*x"),
    ("df/dx == df/dx", "`df/dx` on the right is the derivative", "df/dx == df/dx"),
    ("m = 2 + q", "name 'q' is not defined", "q"),
]


@pytest.mark.parametrize(("line", "says", "marked"), BAD_LINES, ids=[line for line, _, _ in BAD_LINES])
def test_a_line_that_cannot_be_read_hides_no_other(autodiff, write, line, says, marked):
    steps = write(f"df/dx == 2*x\n\n{line}\ndf/dx == 3*x\n", "steps.txt").name
    found, code, err = verdicts(autodiff, steps, "x = 2.; f = x**2")
    assert (found, code) == ({1: "right", 3: "cannot be read", 4: "wrong"}, 2)
    assert err.count("error[") == 1
    assert f"]: steps.txt:3: {says}" in err
    place, caret = err.splitlines()[3:5]
    assert place.startswith("3 | ")
    assert caret.count("^") == max(len(marked), 1)
    assert place[caret.index("^") :].startswith(marked)


def test_all_bad_lines_are_told_in_the_order_of_the_file(autodiff, write):
    lines = [line for line, _, _ in BAD_LINES]
    steps = write("\n".join(["df/dx == 2*x", *lines, "df/dx == x"]), "steps.txt").name
    done = autodiff("check", "-e", "x = 2.; f = x**2", "--formula", f"@{steps}")
    assert done.returncode == 2
    assert "     2   exp bar          cannot be read\n" in done.out
    count = len(lines) - 3  # three need the name q, which a line before them does not give a value
    said = f"\n{count} of {len(lines) + 2} steps cannot be read, 3 are not judged, 1 is wrong\n"
    assert done.out.endswith(said)
    places = [line for line in done.err.splitlines() if line.startswith(" --> ")]
    numbers = [int(place.split(":")[1]) for place in places]
    assert numbers == [*range(2, len(lines) + 2)]


def test_what_needs_a_line_that_fails_is_told_of_it(autodiff, write):
    text = "n = 2\nm = n + q\ndf/dx == n*x\ndf/dx == m*x\nn = m\ndf/dx == n*x\nn = 2\ndf/dx == n*x\n"
    found, code, err = verdicts(autodiff, write(text, "steps.txt").name, "x = 2.; f = x**2")
    assert {line: one for line, one in found.items() if one == "right"} == {3: "right", 8: "right"}
    assert (found[2], found[4], found[6], code) == ("cannot be read", "not judged", "not judged", 2)
    assert err.count("steps.txt:2: name 'q' is not defined") == 1


def test_a_file_without_a_line_that_can_be_read_tells_all(autodiff, write):
    steps = write("exp bar\nq == 3\n", "steps.txt").name
    done = autodiff("check", "-e", SCRIPT, "--formula", f"@{steps}")
    assert (done.returncode, done.out) == (2, "")
    assert "steps.txt:1: `exp bar` has" in done.err
    assert "steps.txt:2: `q` is no" in done.err
    assert done.err.endswith("found 2 mistakes\n")


def test_formulas_on_the_line_are_judged_one_by_one_too(autodiff):
    done = autodiff("check", "-e", SCRIPT, "--formula", "df/dx == 2*x", "--formula", "df/dx == 2*")
    assert done.returncode == 2
    assert done.out.startswith("right: df/dx == 2*x\n")
    assert "cannot be read: df/dx == 2*\n" in done.out
    assert done.err.startswith("error[E0610]: --formula: ")
    alone = autodiff("check", "-e", SCRIPT, "--formula", "df/dx == 2*")
    assert (alone.returncode, alone.out) == (2, "")


def test_each_line_is_about_its_own_output(autodiff, write):
    text = "df/dx == 2*x\ndg/dx == 3*f**2*df/dx\ndg/df == 3*f**2\ndf/dx == 3*f**2\ndg/dx == 2*x\n"
    found, code, err = verdicts(autodiff, write(text, "steps.txt").name)
    assert (found, code, err) == ({1: "right", 2: "right", 3: "right", 4: "wrong", 5: "wrong"}, 1, "")
    done = autodiff("check", "-e", SCRIPT, "--formula", "@steps.txt", "--format", "json")
    assert [one["output"] for one in json.loads(done.out)["formulas"]] == ["f", "g", "g", "f", "g"]


def test_outputs_need_not_be_computed_from_each_other(autodiff, write):
    script = (
        "x = torch.tensor([1., 2.], requires_grad=True)\nf = (x**2).sum()\ng = x.sin().sum()\nf.backward()"
    )
    text = "df/dx == 2*x\ndg/dx == cos(x)\ndx == 2*x\ndg/dx[1] == cos(x[1])\ndx = cos(x)\n"
    found, code, _ = verdicts(autodiff, write(text, "steps.txt").name, script)
    assert (found, code) == ({1: "right", 2: "right", 3: "right", 4: "right", 5: "wrong"}, 1)


def test_of_chooses_one_output(autodiff, write):
    steps = write("df/dx == 2*x\ndg/dx == 3*x\n", "steps.txt").name
    done = autodiff("check", "-e", SCRIPT, "--formula", f"@{steps}", "--of", "g")
    assert done.returncode == 2
    assert "--formula is about f, and --of says g" in done.err


def test_fail_on_looks_at_every_output(autodiff):
    arguments = ("check", "-e", "x = 0.; f = x**2; g = 3*x + 1", "--formula", "dg/dx == 3")
    assert autodiff(*arguments, "--formula", "df/dx == 2*x", "--fail-on", "nan").returncode == 0
    done = autodiff(*arguments, "--formula", "df/dx == 2*x", "--fail-on", "zero")
    assert (done.returncode, done.err.splitlines()[0]) == (
        1,
        "error: --fail-on zero: the gradient for x is zero",
    )


def test_a_derivative_of_another_output_may_stand_in_a_formula(autodiff, write):
    script = "x = 2.; h = x**2; f = sin(h); g = exp(h)"
    text = "dg/dx == exp(h)*df/dx/cos(h)\ns = df/dx\ndg/dx == exp(h)*s/cos(h)\ndg/dx == df/dx\n"
    found, code, err = verdicts(autodiff, write(text, "steps.txt").name, script)
    assert (found, code, err) == ({1: "right", 3: "right", 4: "wrong"}, 1, "")


@pytest.mark.parametrize(
    "formula",
    ["df/dx = 2/3x", "df/dx", "", "df/dx = q", "df/dq = 2", "dq/dx = 2", "x*", "df/dx = df/dx", "2*y"],
)
def test_a_formula_that_cannot_be_read_has_its_word(autodiff, formula):
    script = "x = 2.; y = 3.; f = x**2*y"
    done = autodiff("check", "-e", script, "--formula", formula, "--format", "verdict")
    assert (done.returncode, done.out) == (2, "cannot be read\n")
    assert done.err.startswith("error[")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("exp bar\n\nq == 3\n", "1\texp bar\tcannot be read\n3\tq == 3\tcannot be read\n"),
        ("df/dx = 2*q", "1\tdf/dx\tcannot be read\n"),
        ("", "\tsteps.txt\tcannot be read\n"),
        ("# nothing yet\n\n", "\tsteps.txt\tcannot be read\n"),
        ("\0", "\tsteps.txt\tcannot be read\n"),
    ],
)
def test_a_file_without_a_line_that_can_be_read_has_its_words(autodiff, write, text, lines):
    write(text, "steps.txt")
    done = autodiff("check", "-e", "x = 2.; f = x**2", "--formula", "@steps.txt", "--format", "verdict")
    assert (done.returncode, done.out) == (2, lines)
    assert done.err.startswith("error[")


def test_a_file_without_formulas_hides_no_other(autodiff, write):
    write("", "steps.txt")
    files = ("--formula", "@steps.txt", "--formula", "df/dx = 2*x")
    done = autodiff("check", "-e", "x = 2.; f = x**2", *files, "--format", "verdict")
    assert (done.returncode, done.out) == (2, "\tsteps.txt\tcannot be read\n\tdf/dx\tright\n")
    done = autodiff("check", "-e", "x = 2.; f = x**2", *files)
    assert (done.returncode, "right: df/dx == 2*x" in done.out) == (2, True)
    assert "cannot be read: steps.txt\n" in done.out


@pytest.mark.parametrize(
    ("script", "word", "code"),
    [("x = = 2", "with errors", 3), ("x = 2.; print(x[3])", "failed", 4), ("", "unreadable", 2)],
)
def test_a_script_that_ends_with_an_error_has_its_word(autodiff, script, word, code):
    done = autodiff("check", "-e", script, "--format", "verdict")
    assert (done.returncode, done.out) == (code, f"{word}\n")
    if script:
        done = autodiff("check", "-e", script, "--formula", "df/dx = 2*x", "--format", "verdict")
        assert (done.returncode, done.out) == (code, f"{word}\n")


def test_a_name_of_the_derivation_in_steps_about_several_outputs(autodiff, write):
    script = "x = 2.; w = 3.; z = w*x; a = sin(z); L = a**2"
    text = "g = 2*a\nda/dz = cos(z)\ndL/dz = g*cos(z)\ndL/dw = g*cos(z)*x\ndL/dw = g*x\n"
    found, code, _ = verdicts(autodiff, write(text, "steps.txt").name, script)
    assert (found, code) == ({2: "right", 3: "right", 4: "right", 5: "wrong"}, 1)
