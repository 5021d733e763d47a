"""``watch`` runs a command again when one of its files changes, whatever an editor does to save it."""

from __future__ import annotations

import os
import signal

import pytest

WHY = "the library that waits for changes is not installed (pip install '.[watch]')"


def test_every_change_is_answered(start, write, tmp_path):
    pytest.importorskip("watchfiles", reason=WHY)
    path = write("w = 3; L = w**2", "a.ad")
    write('{"w": 3}', "w.json")
    process = start("watch", "grad", "a.ad", "--wrt", "w", "--data", "w.json")
    assert process.stdout.readline() == b"6\n"
    write("w = 3; L = w**3", "new.ad").replace(path)
    assert process.stdout.readline() == b"27\n"
    path.write_text("while True: pass")
    path.write_text("w = 3; L = w**4")  # perhaps while the endless loop runs
    assert process.stdout.readline() == b"108\n"
    write('{"w": 1}', "w.json")
    assert process.stdout.readline() == b"4\n"
    write("nothing to see here", "other.ad")
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT
    assert process.communicate() == (b"", b"")


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
