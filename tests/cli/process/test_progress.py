"""Progress on a terminal: shown while the work goes on, gone without a trace, and nowhere else."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
from importlib import import_module
from operator import attrgetter

import pytest
from autodiff.cli.main import progress
from autodiff.cli.process.streams import StatusLine, Stream, cells
from autodiff.cli.render.progress_bar import ProgressBar
from autodiff.cli.requests.progress import STAGES, WATCHED, frames_of, progress_of, stage_of
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings
from autodiff.grammar.session.running_loops import LOOPS, fraction_done, turns_of_iterator

NUMBERS = "w = 1.5\ns = 0\nfor i in range(10**9):\n    s = s + w * 0.5\n    w = 1\n"
TENSORS = "w = ones(2, requires_grad=True)\nfor i in range(10**9):\n    L = (w * w).sum()\n    L.backward()\n"
WHILE = "i = 0\nwhile True:\n    i = i + 1\n"
#: Steps between two prints: a few prints come before the progress is drawn anew.
APART = 500_000
NO_LIMIT = ("--max-steps", "0", "--max-nodes", "0")


def screen(text):
    """The lines that a terminal shows after this text of characters, carriage returns and line ends."""
    lines = [""]
    at = 0
    for character in text:
        if character == "\n":
            lines.append("")
            at = 0
        elif character == "\r":
            at = 0
        else:
            assert character.isprintable(), repr(character)
            lines[-1] = lines[-1][:at] + character + lines[-1][at + 1 :]
            at += 1
    return [line.rstrip() for line in lines]


@pytest.fixture
def terminal():
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    yield ours, theirs
    os.close(ours)


def read_until(fd, pattern, seen=""):
    """What a terminal shows until this pattern is there, or all of it."""
    data = seen.encode()
    try:
        while not re.search(pattern, data.decode("utf-8", "replace")):
            more = os.read(fd, 65536)
            if not more:
                break
            data += more
    except OSError:  # the other side is closed: Linux says so with EIO
        pass
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("script", "shows", "number"),
    [
        (NUMBERS, r"line [45], step [\d,]+  \[.*\] +\d+% after \d+ s(, [\d: s]+ left)?", signal.SIGHUP),
        (TENSORS, r"line [234], step [\d,]+  \[.*\] +\d+% after \d+ s(, [\d: s]+ left)?", signal.SIGTERM),
        (WHILE, r"line [23], step [\d,]+  \d+ s", signal.SIGINT),
    ],
    ids=["numbers", "tensors", "while"],
)
def test_a_run_shows_where_it_is_and_leaves_no_trace(write, start, terminal, script, shows, number):
    ours, theirs = terminal
    environ = {"TERM": "xterm-256color", "NO_COLOR": "1"}
    process = start("run", *NO_LIMIT, write(script), stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    seen = read_until(ours, shows)
    assert re.search(shows, seen)
    process.send_signal(number)
    assert process.wait() == -number
    rest = read_until(ours, r"\Z.", seen)
    assert screen(rest) == [""]


def test_rows_show_their_speed_and_the_time_left(start, terminal):
    ours, theirs = terminal
    code = "x = 1.; L = x\nfor i in range(9000): L = L*x"
    process = start(
        *("grad", "-e", code, "--sweep", "x=0:1:0.00001"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={"TERM": "xterm", "NO_COLOR": "1"},
    )
    os.close(theirs)
    shows = r"[\d,]+ rows, [\d,]+ rows/s  \[.*\] +\d+% after \d+ s, [\d: s]+ left"
    assert re.search(shows, read_until(ours, shows))
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT


def test_what_a_script_prints_stands_above(write, start, terminal):
    ours, theirs = terminal
    script = f"for i in range(10**9):\n    if i % {APART} == 0: print('here', i)\n"
    process = start("run", *NO_LIMIT, write(script), stdout=theirs, stderr=theirs, env={"TERM": "xterm"})
    os.close(theirs)
    seen = read_until(ours, r"(?s)step.*?here [1-9].*?step")
    process.send_signal(signal.SIGINT)
    process.wait()
    *lines, last = screen(read_until(ours, r"\Z.", seen))
    assert last == ""
    assert lines == [f"here {i * APART}" for i in range(len(lines))]
    assert len(lines) >= 2, "none was printed while the progress was shown"


def test_an_error_stands_where_the_progress_was(on_terminal, write):
    code, seen = on_terminal("run", *NO_LIMIT, "--timeout", "2", "--color", "never", write(WHILE))
    assert code == 124
    assert screen(seen)[0] == "error[E0505]: stopped after 2 seconds"


def test_no_run_shows_progress_that_is_quiet_or_writes_to_a_pipe(write, start):
    """At once: each of them takes longer than it takes until progress is shown."""
    script = write(WHILE)
    cases = [("terminal", "terminal", "-q"), ("pipe", "terminal"), ("pipe", "pipe")]
    runs = []
    for out, err, *options in cases:
        ours, theirs = pty.openpty()
        streams = {"stdout": out, "stderr": err}
        process = start(
            *("run", *NO_LIMIT, "--timeout", "2", *options, script),
            **{name: theirs if kind == "terminal" else subprocess.PIPE for name, kind in streams.items()},
            env={"TERM": "xterm", "FORCE_COLOR": "1"},
        )
        os.close(theirs)
        runs.append((process, ours))
    for process, ours in runs:
        texts = [pipe.read().decode() for pipe in (process.stdout, process.stderr) if pipe]
        seen = "".join([read_until(ours, r"\Z."), *texts])
        os.close(ours)
        assert process.wait() == 124
        assert "E0505" in seen
        assert "step" not in seen
        assert "\r" not in seen


@pytest.mark.parametrize(
    ("options", "term", "is_pipe", "count"),
    [
        ([], "xterm", False, 1),
        (["-q"], "xterm", False, 0),
        (["--diagnostics", "json"], "xterm", False, 0),
        ([], "dumb", False, 0),
        ([], "", False, 0),
        ([], "xterm", True, 0),
    ],
)
def test_where_there_is_no_progress(monkeypatch, options, term, is_pipe, count):
    monkeypatch.setenv("TERM", term)
    session = session_for("run", *options, "-e", "w = 3")
    monkeypatch.setattr(Stream, "is_pipe", is_pipe)
    assert len(progress(session, 0.0)) == count


def own_frames():
    frame, frames = sys._getframe(1), []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


@pytest.mark.parametrize(
    ("script", "fractions"),
    [
        ("for i in range(4): print(i)", [0, 1 / 4, 2 / 4, 3 / 4]),
        ("for i in [5, 6]:\n    for j in range(2): print(i, j)", [0, 1 / 4, 2 / 4, 3 / 4]),
        (
            "def f():\n    for j in range(2): print(j)\nfor i in range(5, 1, -2): f()",
            [0, 1 / 4, 2 / 4, 3 / 4],
        ),
        ("for i, x in enumerate([7, 8]): print(i, x)", [0, 1 / 2]),
        ("for x, y in zip([7, 8, 9], (1, 2, 3)): print(x, y)", [None] * 3),
        ("for x, y in zip([7, 8, 9], [1, 2]): print(x, y)", [0, 1 / 2]),
        ("i = 0\nwhile i < 2:\n    print(i)\n    i += 1", [None, None]),
        ("print(1)", [None]),
    ],
)
def test_the_fraction_of_the_loops_that_is_done(script, fractions):
    seen = []
    source = Source(script, "a.ad")
    execute(source, Settings(), lambda text: seen.append(fraction_done(own_frames())))
    assert seen == pytest.approx(fractions)


def test_what_is_unknown():
    assert turns_of_iterator({}, iter({})) is None
    huge = range(10**30)
    assert turns_of_iterator(huge, iter(huge)) is None
    used_up = [1]
    left = iter(used_up)
    assert [*left] == [1]
    assert turns_of_iterator(used_up, left) == (1, 1)
    assert turns_of_iterator(None, enumerate(left)) is None


LOOKED_AT = {**dict.fromkeys(LOOPS, ("rows", "left")), **WATCHED}


@pytest.mark.parametrize(("module", "name"), [*STAGES, *sorted(LOOKED_AT)])
def test_every_function_that_is_looked_for_exists(module, name):
    outer, *inner = name.split(".<locals>.")
    whole = import_module(module)
    owners = [whole, *(getattr(whole, owner, None) for owner in ("Session", "AllRows", "AllBatches"))]
    function = attrgetter(outer)(next(owner for owner in owners if hasattr(owner, outer.partition(".")[0])))
    code = function.__code__
    for part in inner:
        code = next(one for one in code.co_consts if getattr(one, "co_name", "") == part)
    if (module, name) in LOOKED_AT:
        assert code.co_qualname == name
        assert {*LOOKED_AT[module, name]} <= {*code.co_varnames, *code.co_cellvars}


def stages_of(monkeypatch, module, name, work):
    """What is told whenever this function is called."""
    told = []
    before = getattr(module, name)

    def watched(*args, **kwargs):
        told.append(stage_of(own_frames(), None))
        return before(*args, **kwargs)

    monkeypatch.setattr(module, name, watched)
    work()
    return told


def session_for(*arguments):
    from autodiff.cli.command_line.fast_parser import read_arguments
    from autodiff.cli.requests.session import Session

    return Session(read_arguments(arguments))


def test_work_that_ended_in_the_moment_of_the_first_line_has_none(monkeypatch):
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread()])
    session = session_for("grad", "-e", "w = 3; L = w * 2")
    shown = progress_of(session, 0.0)
    assert stage_of(frames_of(shown.thread), session) is None


def test_a_search_says_how_low_it_is(monkeypatch):
    from autodiff.cli.requests.minimize import make_minimum
    from autodiff.grammar.session.objective import Objective

    session = session_for("minimize", "-e", "x = 3; y = 1; L = (x - 1)**2 + 10*(y - x)**2")
    told = stages_of(monkeypatch, Objective, "run", lambda: make_minimum(session, lambda found: None))
    assert told[1] == ("searching: run 0, 44", None)
    says = [one[0].partition(", ") for one in told if one is not None]
    lows = [float(low) for _, _, low in says]
    assert lows == sorted(lows, reverse=True)
    assert lows[-1] < 1e-9


def test_check_says_which_gradient(monkeypatch):
    from autodiff.cli.command_line.script_source import read_script
    from autodiff.cli.requests import verify

    session = session_for("check", "-e", "w = 3; x = 2; L = w * x")
    session.script = read_script(session.request)
    told = stages_of(
        monkeypatch, verify, "verify", lambda: verify.make_answers(session, lambda answers: None)
    )
    assert told == [("checking the gradient of w, 1 of 2", None), ("checking the gradient of x, 2 of 2", 0.5)]


def test_check_says_which_entry(monkeypatch):
    from autodiff.cli.command_line.script_source import read_script
    from autodiff.cli.requests import verify
    from autodiff.core.check import verify as steps

    session = session_for(
        "check",
        "-e",
        "x = ones(3, requires_grad=True); w = tensor(2., requires_grad=True); L = (x * w).sum()",
    )
    session.script = read_script(session.request)
    told = stages_of(
        monkeypatch, steps, "slope_of", lambda: verify.make_answers(session, lambda answers: None)
    )
    entries = [
        (f"checking the gradient of x, 1 of 2, entry {at + 1} of 3", pytest.approx(at / 6)) for at in range(3)
    ]
    assert told == [*entries, ("checking the gradient of w, 2 of 2", 0.5)]


def test_check_says_which_formula(monkeypatch):
    from autodiff.cli.command_line.script_source import read_script
    from autodiff.cli.requests import verify
    from autodiff.grammar.by_hand import check

    session = session_for("check", "-e", "w = 3; x = 2; L = w * x", "--formula", "dL/dw == x")
    session.script = read_script(session.request)
    told = stages_of(
        monkeypatch,
        check,
        "compare_with_gradient",
        lambda: verify.make_answers(session, lambda answers: None),
    )
    assert told == [("checking the formula x", None)]


def test_explain_says_which_gradient(monkeypatch):
    from autodiff.core.derivation import derive

    session = session_for("explain", "-e", "w = 3; x = 2; L = w * x")
    told = stages_of(
        monkeypatch, derive, "_deviation_of_sum", lambda: session.report(graph=False, derivations=True)
    )
    assert told == [("deriving the gradient of w, 1 of 2", None), ("deriving the gradient of x, 2 of 2", 0.5)]


@pytest.mark.parametrize("is_ascii", [False, True])
@pytest.mark.parametrize("fraction", [None, 0, 0.3, 1])
def test_a_line_is_shorter_than_the_terminal(is_ascii, fraction):
    bar = ProgressBar(is_ascii, lambda: 7.0)
    for width in range(20, 120):
        line = bar.line("line 12, step 1,234,567", fraction, 75, width)
        assert cells(line) < width
        assert "\n" not in line
        assert line.isascii() or not is_ascii
        assert not line or re.search(r"(  1:15|% after 1:15(, [\d: s]+ left)?)$", line)
    assert ("%" in line) is (fraction is not None)


def test_the_time_left_is_an_estimate_from_what_is_done():
    now = [0.0]
    bar = ProgressBar(True, lambda: now[0])
    for second in range(10):
        now[0] = float(second)
        line = bar.line("step", second / 20, second, 80)
    assert re.search(r"\[-{13,14} +\]  45% after 9 s, 11 s left$", line)


def test_no_line_is_drawn_below_one_that_has_not_ended():
    ours, theirs = os.pipe()
    line = StatusLine()
    line.at_line_start = False
    line.draw(theirs, "step 1", "ascii")
    line.at_line_start = True
    line.draw(theirs, "step 2 →", "ascii")
    line.draw(theirs, "", "ascii")
    os.close(theirs)
    assert os.read(ours, 100) == b"step 2 \\u2192\r" + b" " * 13 + b"\r"
    os.close(ours)
