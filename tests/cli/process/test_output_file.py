"""The file of ``-o``: whole or as it was, through links and to devices, with the suffix as its format."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

CODE = ("-e", "w = 3; L = w**2")


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "tsv", "md", "tex", "txt", "JSON"])
def test_the_suffix_chooses_the_format(autodiff, tmp_path, suffix):
    form = {"md": "markdown", "tex": "latex", "txt": "plain"}.get(suffix, suffix.lower())
    assert autodiff("grad", *CODE, "-o", f"g.{suffix}").out == ""
    assert (tmp_path / f"g.{suffix}").read_text() == autodiff("grad", *CODE, "--format", form).out


def test_an_option_goes_before_the_suffix(autodiff, tmp_path):
    assert autodiff("grad", *CODE, "-o", "g.txt", "--format", "json").returncode == 0
    assert json.loads((tmp_path / "g.txt").read_text())["gradients"][0]["grad"] == 6


def test_what_one_command_writes_another_reads(autodiff, tmp_path):
    assert autodiff("grad", *CODE, "--output=g.npz").returncode == 0
    assert np.load(tmp_path / "g.npz")["w"] == 6
    assert autodiff("grad", "-e", "M = w**2", "--set", "w=@g.npz").out == "12\n"


def test_a_suffix_of_another_command(autodiff, tmp_path):
    done = autodiff("grad", *CODE, "-o", "g.dot")
    assert done.returncode == 2
    assert "`autodiff grad` cannot write dot" in done.err
    assert "`autodiff graph ... -o g.dot` writes such a file" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", ["xlsx", "jsn", "log"])
def test_an_unknown_suffix(autodiff, tmp_path, suffix):
    done = autodiff("grad", *CODE, "-o", f"g.{suffix}")
    assert done.returncode == 2
    assert f"`autodiff grad` cannot write .{suffix} files" in done.err
    assert "its suffixes are .txt, .json, .jsonl, .csv, .tsv, .npy, .npz, .md, .tex" in done.err
    assert not list(tmp_path.iterdir())
    assert autodiff("grad", *CODE, "-o", f"g.{suffix}", "--format", "plain").returncode == 0
    assert (tmp_path / f"g.{suffix}").read_text() == "6\n"


@pytest.mark.parametrize("name", ["g", "g.", ".gradients"])
def test_without_a_suffix_the_file_gets_what_a_pipe_gets(autodiff, tmp_path, name):
    assert autodiff("grad", *CODE, "-o", name).returncode == 0
    assert (tmp_path / name).read_text() == "6\n"


@pytest.mark.parametrize("name", ["g.csv", "g.txt", "g"])
def test_a_failure_leaves_the_file_as_it_was(autodiff, tmp_path, name):
    (tmp_path / name).write_text("before")
    assert autodiff("grad", "-e", "L = q", "-o", name).returncode == 3
    assert (tmp_path / name).read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("grad", "-e", "L = q"), 3),
        (("grad", "-e", "w = [1.]; L = w[2]"), 4),
        (("check", "absent.ad"), 2),
        (("check", "scripts"), 3),
        (("check", "scripts/b_broken.ad"), 3),
    ],
)
def test_a_json_file_holds_what_stdout_would_failures_too(autodiff, tmp_path, arguments, status):
    (tmp_path / "scripts").mkdir()
    for name, text in {"a.ad": "w = 3.; L = w**2", "b_broken.ad": "L = (", "c.ad": "w = 1.; L = w"}.items():
        (tmp_path / "scripts" / name).write_text(text)
    (tmp_path / "r.json").write_text("before")
    on_stdout = autodiff(*arguments, "--format", "json")
    into_file = autodiff(*arguments, "-o", "r.json")
    assert (into_file.returncode, into_file.out, into_file.err) == (status, "", on_stdout.err)
    assert (tmp_path / "r.json").read_text() == on_stdout.out
    assert json.loads(on_stdout.out.splitlines()[-1])
    assert not list(tmp_path.glob(".autodiff-*"))


def test_a_silent_failure_leaves_a_json_file_as_it_was(autodiff, tmp_path):
    (tmp_path / "g.json").write_text("before")
    assert autodiff("grad", "-e", "L = q", "-o", "g.json", "-qq").returncode == 3
    assert (tmp_path / "g.json").read_text() == "before"


def test_links_stay_and_permissions_are_kept(autodiff, tmp_path):
    (tmp_path / "there").mkdir()
    target = tmp_path / "there" / "g.txt"
    target.write_text("before, and longer than what comes")
    target.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(target)
    assert autodiff("grad", *CODE, "-o", "link.txt").returncode == 0
    assert (tmp_path / "link.txt").is_symlink()
    assert target.read_text() == "6\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_permissions_of_the_mask(autodiff, tmp_path):
    assert autodiff("grad", *CODE, "-o", "g.txt", umask=0o027).returncode == 0
    assert (tmp_path / "g.txt").stat().st_mode & 0o777 == 0o640


def test_the_input_may_be_the_output(autodiff, tmp_path):
    (tmp_path / "w.txt").write_text("3\n")
    assert autodiff("grad", "-e", "L = w**2", "--set", "w=@w.txt", "-o", "w.txt").returncode == 0
    assert (tmp_path / "w.txt").read_text() == "6\n"


def test_devices_are_written_to(autodiff):
    assert autodiff("grad", *CODE, "-o", "/dev/stdout").out == "6\n"
    assert autodiff("grad", *CODE, "-o", "-").out == "6\n"
    done = autodiff("grad", *CODE, "-o", "/dev/full")
    assert done.returncode == 6
    assert "cannot write to /dev/full: no space left on device" in done.err


def test_what_cannot_be_written(autodiff, tmp_path):
    for path in ("none/g.txt", ".", "x" * 300):
        done = autodiff("grad", *CODE, "-o", path)
        assert done.returncode == 6, path
        assert "error[E0700]: cannot write to" in done.err
    assert not list(tmp_path.iterdir())


def test_leftovers_of_dead_processes_are_removed(autodiff, tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / f".autodiff-{ended.pid}-abc").write_text("half")
    (tmp_path / f".autodiff-{os.getpid()}-abc").write_text("in use")
    (tmp_path / ".autodiff-notes").write_text("not ours")
    assert autodiff("grad", *CODE, "-o", "g.txt").returncode == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"g.txt", f".autodiff-{os.getpid()}-abc", ".autodiff-notes"}


def test_arrays_are_not_for_a_terminal(on_terminal):
    code, seen = on_terminal("grad", *CODE, "--format", "npy")
    assert code == 2
    assert "--format npy is not for a terminal" in seen
