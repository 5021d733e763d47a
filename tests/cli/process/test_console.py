"""Streams: colour, width, encoding, and the sanitizer."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

import pytest
from autodiff.cli.process.exit_codes import OutputError
from autodiff.cli.process.streams import (
    Stream,
    cells,
    find_width,
    visible,
    visible_lines,
    wants_color,
)
from conftest import HANGS


@pytest.mark.parametrize(
    ("choice", "environ", "is_terminal", "wanted"),
    [
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1", "TERM": "xterm"}, True, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm"}, True, False),
        ("auto", {"NO_COLOR": "", "FORCE_COLOR": "1"}, False, True),
        ("auto", {"NO_COLOR": "0", "TERM": "xterm"}, True, False),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"FORCE_COLOR": "0", "TERM": "xterm"}, True, True),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"CLICOLOR_FORCE": "1"}, False, True),
        ("auto", {"CLICOLOR_FORCE": "0"}, False, False),
        ("auto", {"TERM": "xterm"}, True, True),
        ("auto", {"TERM": "xterm"}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {}, True, False),
    ],
)
def test_who_decides_on_color(choice, environ, is_terminal, wanted):
    assert wants_color(choice, environ, is_terminal) is wanted


@pytest.mark.parametrize(
    ("columns", "width"),
    [("100", 100), ("1", 20), ("0", 0), ("abc", 0), ("-5", 0), ("1000000000", 1000), ("", 0), ("٣٣", 0)],
)
def test_widths(columns, width):
    """0 where nothing gives one: then a report has 80 columns."""
    assert find_width({"COLUMNS": columns}, None, False) == width
    assert Stream(None, "stdout", environ={"COLUMNS": columns}).width == (width or 80)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("naïve Ω 日本", "naïve Ω 日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x1b]0;t\x07", "\\x1b]0;t\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("a\u200bb", "a\\u200bb"),
        ("a\r\nb\tc", "a\\x0d\\x0ab\\x09c"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("a" + "\u0301" * 6, "a" + "\u0301" * 4 + "\\u0301" * 2),
    ],
)
def test_the_sanitizer(text, shown):
    assert visible(text) == shown
    assert visible(shown)[: len(shown)] == shown or "\u0301" in shown


def test_lines_keep_their_ends_and_tabs():
    assert visible_lines("a\tb\x1b\nc\n") == "a\tb\\x1b\nc\n"


def test_cells_count_columns():
    assert cells("abc") == 3
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def open_stream(fd, encoding="utf-8"):
    file = os.fdopen(fd, "w", encoding=encoding, closefd=False)
    return Stream(file, "standard output", environ={})


def test_what_the_encoding_cannot_show_is_escaped(pipe):
    stream = open_stream(pipe[1], "ascii")
    assert not stream.box
    stream.write("Ω = 3\n")
    stream.flush()
    assert os.read(pipe[0], 100) == b"\\u03a9 = 3\n"


def test_large_texts_go_out_in_pieces(tmp_path):
    path = tmp_path / "out"
    with open(path, "w", encoding="utf-8") as file:
        stream = Stream(file, "standard output", environ={})
        for _ in range(1000):
            stream.write("x" * 999 + "\n")
        assert path.stat().st_size > 900_000
        stream.flush()
    assert path.stat().st_size == 1_000_000


def test_a_closed_stream_says_so():
    stream = Stream(None, "standard output", environ={})
    stream.flush()
    stream.write("x")
    with pytest.raises(OutputError, match="closed"):
        stream.flush()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_says_so():
    with open("/dev/full", "w", encoding="utf-8") as file:
        stream = Stream(file, "standard output", environ={})
        stream.write("x")
        with pytest.raises(OutputError, match="no space left"):
            stream.flush()
        stream.drop()


def test_a_pipe_that_does_not_block_is_waited_for(pipe):
    import threading

    os.set_blocking(pipe[1], False)
    stream = open_stream(pipe[1])
    read = []

    def drain():
        while sum(map(len, read)) < 300_000:
            read.append(os.read(pipe[0], 65536))

    reader = threading.Thread(target=drain)
    reader.start()
    stream.write("x" * 300_000)
    stream.flush()
    reader.join()
    assert sum(map(len, read)) == 300_000


SEED = "x1 = 1; x2 = 2; w1 = 1; w2 = 2; w3 = 3; x3 = w1*x1; x4 = w1*x2; x5 = w2*x3 + w3*x4; L = 1 - x5"


def test_a_pipe_gets_no_escape_byte(autodiff):
    for command in ("run", "grad", "explain", "graph"):
        done = autodiff(command, "-e", SEED)
        assert done.returncode == 0, done.err
        assert "\x1b" not in done.out + done.err
        assert done.out.isascii()


def test_a_terminal_gets_color_and_box_drawing(on_terminal):
    code, seen = on_terminal("run", "--all", "-e", SEED, env={"LC_ALL": "C.UTF-8"})
    assert code == 0
    assert "\x1b[" in seen
    assert "└─ " in seen
    assert "11 nodes, 11 edges.  Why -8?  autodiff explain ... --wrt w1" in seen


@pytest.mark.parametrize(
    ("environ", "arguments"),
    [
        ({"NO_COLOR": "1"}, []),
        ({"TERM": "dumb"}, []),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, []),
        ({"FORCE_COLOR": "1"}, ["--color", "never"]),
    ],
)
def test_color_off_means_no_escape_byte_at_all(on_terminal, environ, arguments):
    for command in ("run", "grad", "explain", "graph"):
        code, seen = on_terminal(command, "-e", SEED, *arguments, env=environ)
        assert code == 0
        assert "\x1b" not in seen
        assert "-8" in seen


@pytest.mark.parametrize(
    ("environ", "arguments"),
    [({"FORCE_COLOR": "1"}, []), ({"CLICOLOR_FORCE": "1"}, []), ({"NO_COLOR": "1"}, ["--color", "always"])],
)
def test_color_on_in_a_pipe(autodiff, environ, arguments):
    done = autodiff("run", "-e", SEED, *arguments, env=environ)
    assert "\x1b[" in done.out
    assert "\x1b[" in autodiff("run", "missing.ad", *arguments, env=environ).err


def test_the_hint_is_for_terminals_and_goes_with_q(on_terminal, autodiff):
    assert "Why -8?" not in on_terminal("run", "-q", "-e", SEED)[1]
    done = autodiff("run", "-e", SEED)
    assert "Why -8?" not in done.out + done.err


GREEK = "Ω = 2; β = 3; L = Ω * β\nprint('→')"
ASCII_ONLY = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX"},
    {"LC_ALL": "", "LANG": "C"},
]


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        *((environ, "graph") for environ in ASCII_ONLY),
        *(({"LC_ALL": "C"}, command) for command in ("run", "grad", "explain", "check")),
    ],
)
def test_an_ascii_terminal_gets_ascii(on_terminal, environ, command):
    code, seen = on_terminal(command, "--color", "never", "-e", GREEK, env=environ)
    assert code == 0
    assert seen.isascii()
    assert "\\u03a9" in seen
    assert ("`- " in seen) is (command in ("run", "graph"))


@pytest.mark.parametrize("arguments", [["ops"], ["ops", "linalg.lu_solve"], ["ops", "special.log_ndtr"]])
def test_the_reference_has_a_substitute_for_every_sign(on_terminal, arguments):
    _, seen = on_terminal(*arguments, env={"LC_ALL": "C"})
    assert seen.isascii()
    assert "\\u" not in seen
    assert not on_terminal(*arguments)[1].isascii()


def test_an_ascii_table_is_aligned(on_terminal):
    _, seen = on_terminal("grad", "--color", "never", "-e", GREEK, env={"LC_ALL": "C"})
    header, *rows = seen.split("\n")[1:4]
    assert [row.split() for row in rows] == [["\\u03a9", "2", "3", "1"], ["\\u03b2", "3", "2", "1"]]
    assert {len(row) for row in rows} == {len(header)}


@pytest.mark.parametrize("environ", ASCII_ONLY)
def test_an_error_on_an_ascii_terminal_points_at_the_place(on_terminal, environ):
    _, seen = on_terminal("grad", "--color", "never", "-e", "Ω = ones(2); L = Ω + q", env=environ)
    assert seen.isascii()
    line, caret = [text for text in seen.split("\n") if "q" in text or text.endswith("^")][1:3]
    assert line.index("q") == caret.index("^")


def test_the_locale_of_an_environment_without_one_is_python_s(on_terminal):
    _, seen = on_terminal("run", "-e", GREEK, env={"LC_ALL": ""})
    assert "└─ " in seen


def test_a_pipe_gets_what_was_printed_in_every_locale(autodiff):
    assert autodiff("run", "-e", GREEK, env={"LC_ALL": "C"}).out.startswith("→\n")


WIDE = "数 = 2; 重さ = 3; é́́ = 4; L = 数 * 重さ + é́́ * 数\n"


@pytest.mark.parametrize("command", ["run", "grad", "graph", "check"])
def test_wide_and_combining_characters_align(on_terminal, command):
    _, seen = on_terminal(command, "--color", "never", "-e", WIDE, columns=100)
    for table in re.split(r"\n\n", seen):
        rows = [line for line in table.split("\n") if re.search(r"  (value|answer|op|\S+) ", line)]
        if "formula" in table:  # the last column is aligned to the left
            rows = [row.rpartition("   ")[0] for row in rows]
        if "leaf " in table or "node " in table:
            assert len({cells(row) for row in rows}) == 1, table


LONG_WIDE = """\
重さ = 2
長い名前の変数 = 4
合計 = 重さ * 3 + sin(長い名前の変数 * 重さ) * 重さ * cos(長い名前の変数 + 重さ)
とても長い名前のとても長い変数のとても長い名前のとても長い変数 = 合計 * 重さ
L = とても長い名前のとても長い変数のとても長い名前のとても長い変数 ** 2 + 合計
"""


@pytest.mark.parametrize("columns", [60, 75, 90, 120])
@pytest.mark.parametrize("command", ["run", "explain", "graph", "trace", "check", "grad"])
def test_wide_characters_keep_to_the_width(on_terminal, write, command, columns):
    _, seen = on_terminal(command, "--color", "never", "-q", "--all", write(LONG_WIDE), columns=columns)
    assert seen.count("\n") >= 3
    for line in seen.split("\n"):
        assert cells(line) <= columns, line


@pytest.mark.parametrize("before", ["数", "é́", "😀", "한", "ᄒ\u1161\u11ab", "ａ", "\t", "e\u0301\u0301"])
def test_a_caret_stands_below_its_place(autodiff, before):
    done = autodiff("run", "-e", f"s = '{before}' + q")
    line, caret = done.err.split("\n")[3:5]
    assert cells(line.replace("\t", "    ").partition("q")[0]) == cells(caret.partition("^")[0])


def test_prose_is_at_most_100_wide(on_terminal):
    for arguments in (
        ["run", "-e", "x = ones(2) + ones(3)"],
        ["help", "colors"],
        ["run", "--help"],
        ["check", "--help"],
        ["help", "E0302"],
    ):
        seen = on_terminal(*arguments, "--color", "never", columns=200)[1]
        assert max(map(len, seen.split("\n"))) <= 100, arguments


def width_of_the_value(report: str) -> int:
    """The cells of the line with the output's value: its place in the script ends at the right edge."""
    [line] = [line for line in report.splitlines() if line.startswith("L = ")]
    return len(line)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminal_gives_the_width_and_a_pipe_does_not(on_terminal, autodiff, columns):
    seen = on_terminal("run", "--color", "never", "--all", "-e", SEED, columns=columns)[1]
    assert width_of_the_value(seen) == columns
    assert max(map(len, seen.splitlines())) == columns
    assert width_of_the_value(autodiff("run", "-e", SEED).out) == 80
    assert width_of_the_value(autodiff("run", "-e", SEED, env={"COLUMNS": str(columns)}).out) == columns


@pytest.mark.parametrize("environ", [{"FORCE_COLOR": "0"}, {"FORCE_COLOR": ""}, {"NO_COLOR": ""}])
def test_what_is_0_or_empty_decides_nothing(on_terminal, autodiff, environ):
    assert "\x1b[" in on_terminal("run", "-e", SEED, env=environ)[1]
    assert "\x1b" not in autodiff("run", "-e", SEED, env=environ).out


@pytest.mark.parametrize("columns", ["1", "0", "abc", "1000000000"])
@pytest.mark.parametrize("command", ["run", "explain", "graph", "--help"])
def test_odd_widths_do_no_harm(on_terminal, columns, command):
    arguments = [command] if command == "--help" else [command, "-e", SEED]
    assert on_terminal(*arguments, env={"COLUMNS": columns})[0] == 0


def test_what_a_script_prints_cannot_steer_a_terminal(on_terminal, autodiff):
    code = "print('\\x1b[2Jboo'); w = 3; L = w**2"
    assert on_terminal("run", "--color", "never", "-e", code)[1].startswith("\\x1b[2Jboo\n")
    assert autodiff("run", "-e", code).out.startswith("\x1b[2Jboo\n")


def test_help_does_not_need_a_home(autodiff):
    assert autodiff("--help", env={"HOME": "/nonexistent"}).returncode == 0


@pytest.mark.parametrize("flags", [["-O"], ["-W", "error"], ["-P"]])
def test_interpreter_flags(flags, tmp_path):
    import subprocess

    done = subprocess.run(
        [sys.executable, *flags, "-m", "autodiff.cli", "grad", "-e", "w = 3; L = exp(w * 1000)"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
    )
    assert (done.returncode, done.stdout) == (0, "w\tinf\n") or done.stdout == "inf\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("grad", "\u03b1.ad", "--format", "csv"),
        ("grad", "\u03b1.ad", "--format", "tsv"),
        ("grad", "\u03b1.ad"),
        ("grad", "\u03b1.ad", "--each", "rows.csv", "--keep", "--format", "csv"),
        ("diff", "\u03b1.ad", "two.ad"),
        ("check", "\u03b1.ad", "--formula", "dL/d\u03b1 == 1", "--diagnostics", "github"),
    ],
)
def test_data_and_the_names_of_files_are_the_same_in_every_locale(autodiff, tmp_path, arguments):
    (tmp_path / "\u03b1.ad").write_text("\u03b1 = 2.; b = 3.; L = \u03b1**2*b", encoding="utf-8")
    (tmp_path / "two.ad").write_text("\u03b1 = 2.; b = 4.; L = \u03b1**2*b", encoding="utf-8")
    (tmp_path / "rows.csv").write_text("b,name\n1,\u03b2\n2,\u03b3\n", encoding="utf-8")
    plain, ascii_only = (autodiff(*arguments, env={"LC_ALL": locale}) for locale in ("C.UTF-8", "C"))
    assert ascii_only.returncode == plain.returncode
    both = [plain.out + plain.err, ascii_only.out + ascii_only.err]
    if arguments[0] == "check":
        both = [next(line for line in text.splitlines() if line.startswith("::")) for text in both]
    assert both[0] == both[1]
    assert "\\u03b" not in both[0]
    assert any(letter in both[0] for letter in "\u03b1\u03b2")
