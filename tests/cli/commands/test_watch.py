"""``watch`` runs a command again when one of its files changes, whatever an editor does to save it."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.commands import watch
from autodiff.cli.requests.session import Session

WHY = "the library that waits for changes is not installed (pip install '.[watch]')"


def test_every_change_is_answered(start, write, tmp_path):
    pytest.importorskip("watchfiles", reason=WHY)

    def save(text, name):
        write(text, "new").replace(tmp_path / name)  # no run finds half of it

    def read_until(line):
        """A change may be told in two parts, and so have two runs."""
        while (read := process.stdout.readline()) != line:
            assert read in known
        known.add(line)

    known = set()
    save("w = 3; L = w**2", "a.ad")
    save('{"w": 3}', "w.json")
    process = start("watch", "grad", "a.ad", "--wrt", "w", "--data", "w.json")
    read_until(b"6\n")
    save("raise SystemExit('a file of the user is no module of the program')", "json.py")
    save("w = 3; L = w**3", "a.ad")
    read_until(b"27\n")
    save("while True: pass", "a.ad")
    save("w = 3; L = w**4", "a.ad")  # perhaps while the endless loop runs
    read_until(b"108\n")
    save('{"w": 1}', "w.json")
    read_until(b"4\n")
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT
    rest, told = process.communicate()
    assert (set(rest.splitlines()) <= {b"4"}, told) == (True, b"")


def test_the_watcher_has_started_when_the_command_starts(monkeypatch, write):
    path = os.fspath(write("w = 3; L = w**2", "a.ad"))
    events = []

    def changes(*folders, watch_filter, **options):
        events.append([watch_filter(1, path), watch_filter(1, path + "2")])
        yield set()
        events.append("change")
        yield {(1, path)}
        raise KeyboardInterrupt

    class Process:
        def __init__(self, words):
            events.append("run")

        def terminate(self):
            events.append("stop")

        def wait(self):
            return 0

    monkeypatch.setattr(watch, "import_watch", lambda: changes)
    monkeypatch.setattr(subprocess, "Popen", Process)
    with pytest.raises(KeyboardInterrupt):
        watch.command(Session(read_arguments(["watch", "grad", path])))
    assert events == [[True, False], "run", "change", "stop", "run"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "takes a command with its script"),
        (("grad", "-"), "there is no file to watch"),
        (("grad", "missing.ad"), "there is no file to watch"),
        (("watch", "grad", "a.ad"), "takes a command with its script, not `watch grad a.ad`"),
        (("grad", "--help"), "takes a command with its script, not `grad --help`"),
        (("grad", "a.ad", "--nosuch"), "there is no option `--nosuch`"),
        (("a.ad",), "did you mean `autodiff run a.ad`?"),
    ],
)
def test_what_cannot_be_watched(autodiff, write, words, says):
    write("w = 3; L = w**2", "a.ad")
    done = autodiff("watch", *words)
    assert (done.returncode, done.out) == (2, "")
    assert says in done.err


def test_without_the_library_the_way_to_it_is_told(autodiff, write, tmp_path):
    write("w = 3; L = w**2", "a.ad")
    write("raise ImportError('not installed')\n", "watchfiles.py")
    done = autodiff("watch", "grad", "a.ad", env={"PYTHONPATH": os.fspath(tmp_path)})
    assert done.returncode == 2
    assert "error[E0620]: `autodiff watch` needs the library watchfiles" in done.err
    assert "python -m pip install '.[watch]'" in done.err
