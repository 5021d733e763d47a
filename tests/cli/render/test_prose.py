"""Prose is folded for a terminal, code is not, and a pipe gets every message on one line."""

from __future__ import annotations

from itertools import product

import pytest
from autodiff.cli.process.streams import cells
from autodiff.cli.render.diagnostic import diagnostic_lines
from autodiff.cli.render.prose import fold
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from conftest import TESTS
from one_test import in_one_test

SCRIPTS = sorted((TESTS / "mistakes").rglob("*.ad"))
IN_PLACE = """\
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x.exp()
z = y * 2
y += 1
(y * z).sum().backward()
"""


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("all of it fits", 14, ["all of it fits"]),
        ("not all of it fits", 14, ["not all of it", "  fits"]),
        ("write `a = b + c` instead", 16, ["write", "  `a = b + c`", "  instead"]),
        ("`a_very_long_line(of, code)`, yes", 16, ["`a_very_long_line(of, code)`,", "  yes"]),
        ("a backtick ` alone is a sign", 15, ["a backtick `", "  alone is a", "  sign"]),
        ("add them up:   L = x.sum()", 24, ["add them up:", "  L = x.sum()"]),
        ("two words  and more text", 18, ["two words", "  and more text"]),
        ("日本語 日本語 日本語", 14, ["日本語 日本語", "  日本語"]),
        ("a_word_that_is_longer_than_all", 16, ["a_word_that_is_longer_than_all"]),
        ("", 16, [""]),
    ],
)
def test_lines_break_at_spaces_and_never_in_code(text, width, lines):
    assert fold(text, width, 2) == lines


def test_what_the_first_line_holds_already_counts():
    assert fold("one two three", 20, 2, used=10) == ["one two", "  three"]


def failure(code: str) -> tuple[AutodiffError, Source]:
    source = Source(code, "script.ad")
    with pytest.raises(AutodiffError) as raised:
        execute(source, write=lambda text: None)
    return raised.value, source


def test_torchs_long_messages_hang_below_their_first_line():
    error, source = failure(IN_PLACE)
    head = list(diagnostic_lines(error, source, 60, folded=True))[:4]
    assert head[0] == "error[E0403]: one of the variables needed for gradient"
    assert head[1] == "    computation has been modified by an inplace operation:"
    assert all(line.startswith("    ") for line in head[1:])


def test_a_pipe_gets_a_message_on_one_line():
    error, source = failure(IN_PLACE)
    assert next(diagnostic_lines(error, source, 60)) == f"error[E0403]: {error.message}"


def test_folding_adds_and_drops_nothing():
    error, source = failure(IN_PLACE)
    flat = " ".join(" ".join(diagnostic_lines(error, source, 60)).split())
    folded = " ".join(" ".join(diagnostic_lines(error, source, 60, folded=True)).split())
    letters = str.maketrans("", "", " |")
    assert folded.translate(letters) == flat.translate(letters)


@in_one_test("path", SCRIPTS)
def test_diagnostics_keep_to_the_width(path):
    """All lines but those that are one piece: code to copy, an address, the place of the mistake."""
    source = Source(path.read_text(), path.name)
    with pytest.raises(AutodiffError) as raised:
        execute(source, write=lambda text: None)
    error = raised.value
    for one, width in product((error, *error.other_errors), (60, 80, 120)):
        code = {line.strip() for text in one.advice for line in text.split("\n")[1:]}
        for line in diagnostic_lines(one, source, width, folded=True):
            said = line.strip()
            is_code = said in code or (said[0] == "`" and said.count("`") == 2) or said.startswith("http")
            assert cells(line) <= width or is_code, line


def test_a_terminal_folds_and_a_pipe_does_not(autodiff, on_terminal, write):
    path = write(IN_PLACE)
    status, seen = on_terminal("grad", path.name, columns=60)
    assert status == 4
    assert "\x1b[1m    computation has been modified by an inplace operation:\x1b[0m\n" in seen
    piped = autodiff("grad", path.name, env={"COLUMNS": "60"}).err.split("\n")[0]
    assert piped.startswith("error[E0403]: one of the variables")
    assert "set_detect_anomaly" in piped


def test_a_tree_says_what_the_version_of_a_name_is(autodiff):
    code = ("-e", "x = torch.tensor(2., requires_grad=True)", "-e", "h = x * 2")
    again = autodiff("graph", *code, "-e", "h = h * x", "-e", "L = h + x").out
    assert "\nh_0 and h_1 are values 0 and 1 of h, h_0 its first.\n" in again
    assert "values" not in autodiff("graph", *code, "-e", "L = h * x").out
