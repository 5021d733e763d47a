"""Errors as people read them, line by line."""

from __future__ import annotations

import pytest
from autodiff.cli.process.streams import cells
from autodiff.cli.render.diagnostic import Mark, diagnostic_lines, find_window
from autodiff.core.base.errors import (
    AutodiffError,
    CompileError,
    GradientError,
    Label,
    ShapeError,
    UsageError,
)
from autodiff.core.base.source import Source, Span


def spell(error, text="", name="net.ad", **options):
    source = Source(text, name) if text else None
    return "\n".join(diagnostic_lines(error, source, **options)) + "\n"


def span_of(text, part, nth=0):
    at = -1
    for _ in range(nth + 1):
        at = text.index(part, at + 1)
    return Span(at, at + len(part))


def test_a_missing_value_shows_the_line_before():
    text = "\n" * 6 + "x4 = w1 * x2\nx5 = w2 *\n"
    at = text.index("w2 *") + 4
    error = CompileError(
        "the line ends where a value should follow",
        code="E0101",
        caret="a value is missing after `*`",
        help=("finish the product, as in `x5 = w2 * x3`, or delete the `*`",),
        span=Span(at, at),
    )
    assert (
        spell(error, text, "seed1.ad")
        == """\
error[E0101]: the line ends where a value should follow
 --> seed1.ad:8:10
  |
7 | x4 = w1 * x2
8 | x5 = w2 *
  |          ^ a value is missing after `*`
  |
  = help: finish the product, as in `x5 = w2 * x3`, or delete the `*`
"""
    )


def test_shapes_are_labelled_where_they_were_made():
    text = "X = tensor([[1, 2, 3], [4, 5, 6]])\nW = tensor([[0.5, 0.5], [0.5, 0.5]])\na = X @ W\n"
    error = ShapeError(
        "cannot matrix-multiply shapes (2, 3) and (2, 2)",
        caret="X has 3 columns, W has 2 rows; they must be equal",
        help=("X.T @ W fits: (3, 2) @ (2, 2) gives (3, 2)",),
        span=span_of(text, "X @ W"),
    )
    error.labels = [Label(Span(0, 1), "X has shape (2, 3)"), Label(span_of(text, "W"), "W has shape (2, 2)")]
    assert (
        spell(error, text)
        == """\
error[E0302]: cannot matrix-multiply shapes (2, 3) and (2, 2)
 --> net.ad:3:5
  |
1 | X = tensor([[1, 2, 3], [4, 5, 6]])
  | - X has shape (2, 3)
2 | W = tensor([[0.5, 0.5], [0.5, 0.5]])
  | - W has shape (2, 2)
3 | a = X @ W
  |     ^^^^^ X has 3 columns, W has 2 rows; they must be equal
  |
  = help: X.T @ W fits: (3, 2) @ (2, 2) gives (3, 2)
"""
    )


def test_two_digits_of_line_numbers_and_two_proposals():
    text = "\n" * 10 + "L = 10 - d\nL.backward()\n"
    error = GradientError(
        "backward() needs one number to start from, but L has 9",
        help=("add them up:        L = (10 - d).sum()", "or give a weight:   L.backward(ones(3, 3))"),
        span=span_of(text, "L.backward()"),
    )
    error.labels = [Label(Span(10, 11), "L has shape (3, 3)")]
    assert (
        spell(error, text, "seed2.ad")
        == """\
error[E0401]: backward() needs one number to start from, but L has 9
 --> seed2.ad:12:1
   |
11 | L = 10 - d
   | - L has shape (3, 3)
12 | L.backward()
   | ^^^^^^^^^^^^
   |
   = help: add them up:        L = (10 - d).sum()
   = help: or give a weight:   L.backward(ones(3, 3))
"""
    )


def test_lines_left_out_are_dots():
    text = "w = 1\n" * 9 + "y = q\n"
    error = ShapeError("no", span=span_of(text, "q"))
    error.labels = [Label(Span(0, 1), "here")]
    assert "1 | w = 1\n   | - here\n...\n10 | y = q\n   |     ^\n" in spell(error, text)


def test_an_error_without_a_place():
    error = UsageError("there is no option `--x`", code="E0610", help=("did you mean `--y`?",))
    assert spell(error) == "error[E0610]: there is no option `--x`\n  = help: did you mean `--y`?\n"


def test_calls_are_listed():
    text = "def f(x): return x.q\nf(1)\n"
    error = ShapeError("no", span=span_of(text, "x.q"))
    error.frames = [("f", span_of(text, "f(1)"))] * 8
    error.calls = 8
    shown = spell(error, text)
    assert shown.count("= note: in `f`, called at net.ad:2:1") == 5
    assert "= note: and 3 more calls\n" in shown
    error.calls = 6
    assert "= note: and 1 more call\n" in spell(error, text)
    error.calls = 5
    assert "more call" not in spell(error, text)


def test_user_text_is_made_visible_everywhere():
    text = "x = '\x1b[2J\u202e' + q\x9b\n"
    error = ShapeError(
        "bad \x1b]0;title\x07", caret="\x1b[31m", help=("[bold]\x00",), span=span_of(text, "q")
    )
    shown = spell(error, text, "a\nb\x1b.ad")
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert " --> a\\x0ab\\x1b.ad:1:" in shown
    lines = shown.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("1 |"))
    assert lines[at + 1].index("^") == lines[at].index("q")


def test_wide_characters_and_tabs_keep_the_caret_in_place():
    text = "\t日本 = q\n"
    shown = spell(ShapeError("no", span=span_of(text, "q")), text).splitlines()
    at = next(number for number, line in enumerate(shown) if line.startswith("1 |"))
    assert cells(shown[at][: shown[at].index("q")]) == shown[at + 1].index("^")
    assert ":1:7" in shown[1]  # columns count characters, a tab as one


@pytest.mark.parametrize("width", [20, 40, 80, 1000])
@pytest.mark.parametrize("where", [0, 5000, 9990])
def test_the_source_window_fits(width, where):
    text = "".join(chr(97 + k % 26) for k in range(10_000))
    shown = spell(ShapeError("no", caret="x", span=Span(where, where + 3)), text, width=width).splitlines()
    source, under = shown[3], shown[4]
    assert cells(source) <= max(width, 30)
    assert source[under.index("^")] == text[where]


LETTERS = "".join(chr(97 + k % 26) for k in range(60))


@pytest.mark.parametrize(
    ("line", "mark", "room", "shown"),
    [
        (LETTERS, 0, 60, LETTERS),
        (LETTERS, 0, 59, LETTERS[:56] + "..."),
        (LETTERS, None, 30, LETTERS[:27] + "..."),
        (LETTERS, 9, 30, LETTERS[:27] + "..."),
        (LETTERS, 20, 30, "..." + LETTERS[10:34] + "..."),
        (LETTERS, 30, 30, "..." + LETTERS[20:44] + "..."),
        (LETTERS, 58, 30, "..." + LETTERS[33:]),
        ("\t" + LETTERS, 1, 30, "    " + LETTERS[:23] + "..."),
        ("é中" * 30, 20, 30, "..." + "é中" * 8 + "..."),
        ("\x1b" * 40, 20, 30, "..." + "\\x1b" * 8 + "..."),
        ("a\tb" * 20, 30, 24, "...ba    ba    ba    ..."),
    ],
)
def test_the_part_of_a_line_on_show(line, mark, room, shown):
    marks = [] if mark is None else [Mark(mark, mark + 1, "^", "", "")]
    window = find_window(line, marks, room)
    assert window.text == shown
    if mark is not None and line is LETTERS:
        assert window.text[window.column(mark)] == line[mark]


def test_a_span_of_several_lines_underlines_the_first():
    text = "y = f(1,\n  2)\n"
    assert "1 | y = f(1,\n  |     ^^^^\n" in spell(ShapeError("no", span=span_of(text, "f(1,\n  2)")), text)


def test_a_span_beyond_the_end():
    assert "^" in spell(CompileError("no", span=Span(400, 500)), "x = 1")


def test_color_is_only_paint():
    text = "y = q\n"
    error = ShapeError("no", caret="here", help=("try",), span=span_of(text, "q"))
    colored = spell(error, text, styles={"error": "1;31", "fault": "33"})
    assert colored.startswith("\x1b[1;31merror[E0302]\x1b[0m")
    assert "\x1b[33m^ here\x1b[0m" in colored
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == spell(error, text)


def test_a_warning_says_so():
    assert spell(AutodiffError("careful", code="W0100"), kind="warning").startswith(
        "warning[W0100]: careful\n"
    )
