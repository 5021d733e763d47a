"""How the process ends: exactly these codes, these signals, and never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time

import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.commands import check
from autodiff.cli.main import time_over
from autodiff.cli.process.exit_codes import exit_code
from autodiff.cli.process.supervisor import Clock, clock
from autodiff.cli.requests import verify
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import (
    AutodiffError,
    CompileError,
    GradientError,
    LimitError,
    ScriptError,
    ShapeError,
    UsageError,
)
from autodiff.core.base.limits import repair_callbacks
from conftest import HANGS
from script_runner import run_script

PROGRAM = f'"{sys.executable}" -m autodiff.cli'
SEED = "x1=1; x2=2; w1=1; w2=2; w3=3; x3=w1*x1; x4=w1*x2; x5=w2*x3+w3*x4; L=1-x5"
FOREVER = "i = 0\nwhile True:\n    i = i + 1\n"
ENDLESS = "w = tensor(1., requires_grad=True)\nfor i in range(9999999): print('x' * 99)\n"


def shell(line, tmp_path, **options):
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
        **options,
    )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 2),
        (CompileError("x"), 3),
        (ScriptError("x"), 4),
        (ShapeError("x"), 4),
        (GradientError("x"), 4),
        (AutodiffError("x"), 4),
        (LimitError("x"), 5),
        (MemoryError(), 5),
        (RecursionError(), 5),
        (ValueError("x"), 70),
        (KeyError("x"), 70),
    ],
)
def test_every_kind_of_error_has_a_code(error, code):
    assert exit_code(error) == code


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("w = 3\nL = w *\n", 3, "error[E0101]"),
        ("w = 3\nL = w * v\n", 3, "error[E0201]"),
        ("w = (3\n", 3, "error[E01"),
        ("if False:\n    v = 1\nw = 3\nL = w * v\n", 4, "error[E0202]"),
        ("a = ones(2, 3)\nb = ones(2, 2)\nc = a @ b\n", 4, "error[E0302]"),
        ("w = ones(3, requires_grad=True)\nL = w * 2\nL.backward()\n", 4, "error[E0401]"),
        (
            "w = ones(3, requires_grad=True)\nL = (w * w).sum()\nL.backward()\nL.backward()\n",
            4,
            "error[E0402]",
        ),
        ("x = zeros(1000000, 1000000)\n", 5, "7.28 TiB"),
        ("def f(n):\n    return f(n + 1)\nL = f(1)\n", 5, "error[E0501]"),
        ("w = 3\nL = w.nonsense\n", 4, "error[E0204]"),
    ],
)
def test_scripts_that_fail(autodiff, write, script, code, says):
    for command in ("run", "grad"):
        done = autodiff(command, write(script))
        assert done.returncode == code, done.err
        assert done.out == ""
        assert done.err.startswith("error[E")
        assert says in done.err


def test_limits_are_options(autodiff, write):
    done = autodiff("run", "--max-steps", "1000", write(FOREVER))
    assert done.returncode == 5
    assert "1,000 steps" in done.err
    done = autodiff("run", "--max-memory", "1K", "-e", "x = ones(1000)")
    assert done.returncode == 5
    assert "1.00 KiB" in done.err


def test_an_unknown_input(autodiff):
    done = autodiff("grad", "--wrt", "w9", "-e", SEED)
    assert done.returncode == 2
    assert done.out == ""
    assert "w9" in done.err


def test_a_failing_script_keeps_what_it_printed(autodiff):
    done = autodiff("run", "-e", "print('before')", "-e", "x = ones(2) + ones(3)")
    assert done.returncode == 4
    assert done.out == "before\n"


def test_twice_quiet_leaves_the_code(autodiff):
    for arguments in (["-e", "w = "], ["-e", SEED]):
        done = autodiff("run", "-qq", *arguments)
        assert done.out == done.err == ""
        assert done.returncode == (0 if SEED in arguments else 3)


@pytest.mark.parametrize("arguments", ["--help", "--version", "help exit-codes", "run -e 'w=3; L=w*1'"])
def test_closed_output(arguments, tmp_path):
    done = shell(f"{PROGRAM} {arguments} >&-", tmp_path)
    assert done.returncode == 6
    assert done.stderr == "error[E0700]: cannot write to standard output: it is closed\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", ["--help", "grad -e 'w=3; L=w*1'", "run --format json -e 'w=3; L=w*1'"])
def test_full_output(arguments, tmp_path):
    done = shell(f"{PROGRAM} {arguments} >/dev/full", tmp_path)
    assert done.returncode == 6
    assert "cannot write to standard output: no space left on device" in done.stderr


def test_closed_errors_change_nothing(tmp_path):
    assert shell(f"{PROGRAM} grad -e 'w=' 2>&-", tmp_path).returncode == 3
    assert shell(f"{PROGRAM} grad -e 'w=' >&- 2>&-", tmp_path).returncode == 3
    assert shell(f"{PROGRAM} grad -e 'w=3; L=w*1' >&- 2>&-", tmp_path).returncode == 6


def test_a_file_size_limit(tmp_path, write):
    write("w = 1\nL = w\nfor i in range(9): L = L * 2\n" + "print('x' * 4000)\n" * 100)
    done = shell(f"ulimit -f 8; {PROGRAM} run script.ad > out", tmp_path)
    assert done.returncode == 6


#: Starts what follows with SIGPIPE blocked, as --jobs starts its workers.
BLOCKING = (
    f'"{sys.executable}" -c "import os, signal, sys;'
    ' signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE]); os.execv(sys.argv[1], sys.argv[1:])"'
)


@pytest.mark.parametrize(("before", "reader"), [("", "head -c 1"), ("", "true"), (BLOCKING, "true")])
def test_a_reader_that_leaves(before, reader, tmp_path, write):
    write(ENDLESS)
    command = f"{before} {PROGRAM} run script.ad"
    done = shell(f"{command} | {reader} >/dev/null; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 141
    assert done.stderr == ""


def test_head_gets_its_line(tmp_path, write):
    write(SEED)
    done = shell(f"{PROGRAM} run script.ad | head -1", tmp_path)
    assert done.stdout.startswith("node ")
    assert done.stderr == ""


#: As much as the program writes at once, and as a pipe holds.
PIECE = 1 << 16


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("before", "endless"),
    [("", FOREVER), ("a = ones(3000, 3000)\n", "for i in range(1000): b = a @ a\n")],
    ids=["loop", "matmul"],
)
def test_signals_kill(write, start, before, endless, number):
    process = start("run", "--max-steps", "0", write(f"{before}print('x' * {PIECE - 1})\n{endless}"))
    assert process.stdout.read(PIECE).count(b"x") == PIECE - 1  # all that stands before the loop has run
    process.send_signal(number)
    out, err = process.communicate()
    assert process.returncode == -number
    assert (out, err) == (b"", b"")


def opened_by(process, pipe):
    """Wait until the process has opened the named pipe to read. Return our end, which is not written to."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:  # ENXIO: nobody reads it yet
                raise
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)


def test_an_ignored_interrupt_stays_ignored(tmp_path, start):
    os.mkfifo(tmp_path / "pipe")
    process = start("grad", "--wrt", "w", "pipe", signals="SIG_IGN")
    with os.fdopen(opened_by(process, tmp_path / "pipe"), "w") as pipe:
        process.send_signal(signal.SIGINT)
        pipe.write("w = 3; L = w**2")
    out, err = process.communicate()
    assert (process.returncode, out, err) == (0, b"6\n", b"")


def test_a_pipe_that_nobody_writes_to_can_be_interrupted(tmp_path, start):
    os.mkfifo(tmp_path / "pipe")
    process = start("run", "pipe")
    with os.fdopen(opened_by(process, tmp_path / "pipe"), "w"):
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT
    assert process.stderr.read() == b""


def test_time_over(autodiff, write):
    done = autodiff("run", "--timeout", "1", write(FOREVER))
    assert done.returncode == 124
    assert done.err.startswith("error[E0505]: stopped after 1 second\n --> ")
    assert "it was still running here" in done.err
    assert "--timeout 10, 0 for no limit" in done.err
    assert autodiff("grad", "--timeout", str(HANGS), "-e", "w=3; L=w*1").returncode == 0


def test_time_over_shows_the_answers_so_far(monkeypatch, capfd):
    session = Session(read_arguments(["check", "-e", "w = 3; x = 2; L = w * x"]))
    checked, codes = verify.verify, []

    def verify_first(subject, spelled, *others):
        if spelled == "x":  # as if the time were over here
            codes.append(time_over(session))
        return checked(subject, spelled, *others)

    monkeypatch.setattr(verify, "verify", verify_first)
    check.command(session)
    session.flush()
    out, err = capfd.readouterr()
    assert codes == [124]
    assert out.startswith("L: 1 gradient checked")
    assert "\n  w " in out.partition("L: 2 gradients")[0]
    assert "the script had ended, its answer had not" in err
    assert "--wrt" in err


def test_the_time_begins_when_the_script_has_been_read(write):
    request = read_arguments(["grad", "--timeout", "500", str(write("w = 3"))])
    assert request is not None
    clock.start(0)
    assert clock.left() > 500
    read_script(request)
    assert 0 < clock.left() <= 500
    clock.start(0)


def test_a_started_clock_starts_anew():
    made = Clock()
    assert made.left() > 1e5
    made.start(100)
    first = made.until
    made.start(200)
    assert made.until > first
    assert 0 < made.left() <= 200
    made.start(0)
    assert made.left() > 1e5


def test_an_error_late_in_the_time_is_not_lost():
    """Repairs are tried in a time of their own."""
    calls = []
    repair_callbacks.append(lambda: calls.append(1))
    try:
        run_script("x = ones(2, 3)\ny = x @ x\n")
    finally:
        repair_callbacks.clear()
    assert calls == [1]


def test_little_address_space(tmp_path):
    done = shell(f"ulimit -v 400000; {PROGRAM} grad --wrt w -e 'w=3; L=w**2'", tmp_path)
    assert (done.returncode, done.stdout) == (0, "6\n")


def test_a_mistake_of_ours_fits_a_screen(tmp_path):
    code = (
        "import autodiff.cli.main as m\n"
        "def broken(name): raise KeyError('oops')\n"
        "m.command = broken\n"
        "import sys; sys.argv = ['autodiff', 'grad', '-e', 'w=3']\n"
        "m.main()\n"
    )
    for debug in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "AUTODIFF_DEBUG": debug},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS,
        )
        assert done.returncode == 70
        assert done.stderr.startswith(
            "error[E0900]: this is a mistake in autodiff, not in your script: KeyError"
        )
        assert "AUTODIFF_DEBUG=1" in done.stderr
        assert ("Traceback" in done.stderr) is bool(debug)
