"""Nothing that a script printed is lost: it leaves the process soon, and before the process ends."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from autodiff.cli.process.chores import run_chores
from autodiff.cli.process.streams import DIRECT_WRITES, Stream
from autodiff.cli.process.supervisor import requested

LINES = 5000  # a pipe holds them all, so nothing waits for its reader
EXPECTED = "".join(f"{i}\n" for i in range(LINES))
PRINTS = f"for i in range({LINES}): print(i)\n"
FOREVER = "while True: i = 0\n"
#: A warning, which is written at once: whoever reads it knows that all before it has run.
WARNS = "x = tensor([1.], requires_grad=True)\ny = x * 2\ny.grad\n"


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    os.close(ends[0])


@pytest.fixture
def stream(pipe):
    with os.fdopen(pipe[1], "w", encoding="utf-8") as file:
        yield Stream(file, "standard output", environ={})
    requested.clear()


@pytest.mark.parametrize("count", [1, DIRECT_WRITES - 1, DIRECT_WRITES, LINES])
def test_what_is_printed_arrives_while_the_script_goes_on(write, start, count):
    process = start("run", "--max-steps", "0", write(f"for i in range({count}): print(i)\n{FOREVER}"))
    assert [process.stdout.readline() for _ in range(count)] == [b"%d\n" % i for i in range(count)]
    assert process.poll() is None


def test_a_slow_script_s_lines_arrive_one_by_one(write, start):
    work = "a = ones(300, 300)\n"
    script = f"{work}i = 0\nwhile True:\n    print(i)\n    i = i + 1\n    b = a @ a\n"
    process = start("run", "--max-steps", "0", write(script))
    for i in range(4 * DIRECT_WRITES):
        assert process.stdout.readline() == b"%d\n" % i


def test_what_grad_prints_to_stderr_arrives_too(write, start):
    process = start("grad", "--max-steps", "0", write(PRINTS + FOREVER))
    assert [process.stderr.readline() for _ in range(LINES)] == [b"%d\n" % i for i in range(LINES)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_loses_nothing(write, start, number):
    process = start("run", "--max-steps", "0", write(PRINTS + WARNS + FOREVER))
    assert process.stderr.readline().startswith(b"warning[W0100]")
    process.send_signal(number)
    out, _ = process.communicate()
    assert process.returncode == -number
    assert out.decode() == EXPECTED


def test_a_signal_between_prints_leaves_whole_lines(write, start):
    process = start("run", "--max-steps", "0", write("for i in range(10**9): print(i % 10)\n"))
    assert process.stdout.read(2 * DIRECT_WRITES)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate()
    assert process.returncode == -signal.SIGTERM
    assert len(out) % 2 == 0


def test_an_ignored_hang_up_stays_ignored(write, start):
    process = start("run", "--max-steps", "0", write(PRINTS + WARNS + FOREVER), signals="SIG_IGN")
    assert process.stderr.readline().startswith(b"warning[W0100]")
    process.send_signal(signal.SIGHUP)
    assert process.stdout.read(len(EXPECTED)).decode() == EXPECTED
    assert process.poll() is None


@pytest.mark.parametrize(
    ("last", "options", "code"),
    [
        ("ones(2) + ones(3)\n", (), 4),
        ("while True: pass\n", (), 5),
        ("zeros(10**7, 10**7)\n", (), 5),
        (FOREVER, ("--timeout", "3", "--max-steps", "0"), 124),
    ],
    ids=["error", "steps", "memory", "timeout"],
)
def test_an_error_loses_nothing(autodiff, write, last, options, code):
    done = autodiff("run", *(options or ("--max-steps", "20000")), write(PRINTS + last))
    assert done.returncode == code
    assert done.out == EXPECTED


def test_a_file_gets_what_is_printed(write, start, tmp_path):
    with open(tmp_path / "out", "wb") as file:
        process = start("run", "--max-steps", "0", write(PRINTS + WARNS + FOREVER), stdout=file)
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.wait()
    assert (tmp_path / "out").read_text() == EXPECTED


def test_a_full_disk_is_an_error_of_the_script_s_thread(autodiff, write):
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        done = autodiff("run", "--max-steps", "0", write(PRINTS + FOREVER), stdout=full)
    assert done.returncode == 6
    assert "no space left on device" in done.err


def test_many_texts_are_left_to_the_main_thread(stream, pipe):
    for _ in range(DIRECT_WRITES):
        stream.write_printed("x")
        assert os.read(pipe[0], 100) == b"x"
    assert requested == [stream]
    stream.begin()
    stream.write_printed("y")
    assert stream.run_once()
    assert os.read(pipe[0], 100) == b"y"
    assert not stream.run_once()
    stream.write_printed("z")
    assert os.read(pipe[0], 100) == b"z"


def test_a_pipe_that_is_full_keeps_nobody_waiting(stream, pipe):
    stream.begin()
    text = "".join(f"{i:8}\n" for i in range(6000))
    for part in (text, text, text):
        if len(part) < 1 << 16:
            stream.write_printed(part)
            stream.write_some(0)
    read = b""
    while len(read) < 3 * len(text):
        read += os.read(pipe[0], 65536)
        stream.write_some(0)
    assert read.decode() == 3 * text


def test_chores_end_with_the_work(stream):
    ended = []
    woken = threading.Event()
    stream.write_printed("x\n")
    worker = threading.Timer(0.05, lambda: (ended.append(0), woken.set()))
    worker.start()

    class Endless:
        begun = runs = over = 0

        def begin(self):
            self.begun += 1

        def run_once(self):
            self.runs += 1
            return True

        def end(self):
            self.over += 1

    chore = Endless()
    run_chores([chore, chore], woken, lambda: 1.0, ended)
    assert (chore.begun, chore.over) == (1, 1)
    assert chore.runs >= 1
