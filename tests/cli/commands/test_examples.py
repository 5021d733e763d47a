"""``autodiff examples``: the scripts that come with the package, listed and printed."""

from __future__ import annotations

import pytest
from autodiff.cli.commands.examples import example_paths
from conftest import REPOSITORY

FILES = [path for path in sorted((REPOSITORY / "examples").rglob("*.*")) if path.suffix in (".ad", ".txt")]


def test_each_file_has_one_name():
    assert len(example_paths()) == len(FILES) > 30


def test_the_list_says_what_each_shows(autodiff):
    lines = autodiff("examples").out.splitlines()
    assert len(lines) == len(FILES)
    assert "regression               A line fitted to five points by gradient descent;" in "\n".join(lines)
    assert all(len(line.split(maxsplit=1)[1]) > 20 for line in lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_is_printed_as_it_stands(autodiff, path):
    done = autodiff("examples", path.name.removesuffix(".ad"))
    assert (done.returncode, done.out, done.err) == (0, path.read_text(), "")


def test_names_with_folder_or_suffix_are_known_too(autodiff):
    text = (REPOSITORY / "examples/seeds/1_autograd.ad").read_text()
    for name in ("1_autograd.ad", "seeds/1_autograd", "examples/seeds/1_autograd.ad"):
        assert autodiff("examples", name).out == text


def test_an_unknown_name_is_told_the_nearest(autodiff):
    for name, helps in (
        ("autograd", "did you mean `1_autograd`?"),
        ("regresion", "did you mean `regression`?"),
        ("zebra", "`autodiff examples` lists all of them"),
    ):
        done = autodiff("examples", name)
        assert (done.returncode, done.out) == (2, "")
        assert done.err == f"error[E0615]: there is no example `{name}`\n  = help: {helps}\n"


def test_on_a_terminal_the_list_keeps_to_the_width_and_says_how_to_go_on(on_terminal):
    status, seen = on_terminal("examples", columns=60, env={"NO_COLOR": "1"})
    assert status == 0
    assert max(map(len, seen.splitlines())) <= 60
    assert "autodiff examples 1_autograd | autodiff run -" in seen


def test_on_a_terminal_what_each_shows_begins_in_one_column(on_terminal):
    _, seen = on_terminal("examples", columns=80, env={"NO_COLOR": "1"})
    listed = [line for line in seen.partition("`autodiff examples NAME`")[0].splitlines() if line]
    start = max(map(len, example_paths())) + 2
    assert len(listed) > len(FILES)
    assert all(line[start - 1] == " " and line[start] != " " for line in listed)
