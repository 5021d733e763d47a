"""Scripts with one mistake each: the exact diagnostic, and every repair it proposes is made and run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from autodiff.cli.render.diagnostic import diagnostic_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from conftest import TESTS
from exception_names import PYTHON_NAMES
from one_test import in_one_test
from script_runner import run_script

FOLDER = TESTS / "mistakes"
SCRIPTS = sorted(FOLDER.glob("*/*.ad"))
#: What runs in PyTorch and not here, by the table of exceptions in docs/language.md.
OURS_ALONE = ("absent", "pasted", "training")


@cache
def mistake_in(path: Path) -> AutodiffError:
    error = run_script(path.read_text()).error
    assert error is not None, f"{path.name} runs without an error"
    return error


def spelled(error: AutodiffError, path: Path) -> str:
    """The diagnostic as a pipe or a log gets it; mistakes found beside the first follow it."""
    source = Source(path.read_text(), path.name)
    lines = [line for shown in (error, *error.other_errors) for line in diagnostic_lines(shown, source)]
    return "\n".join(lines) + "\n"


@in_one_test("path", SCRIPTS)
def test_the_diagnostic_is_exact(path: Path, update_golden: bool) -> None:
    golden = path.with_suffix(".txt")
    said = spelled(mistake_in(path), path)
    if update_golden:
        golden.write_text(said)
    assert said == golden.read_text()


@in_one_test("path", SCRIPTS)
def test_every_repair_makes_the_script_run(path: Path) -> None:
    text = path.read_text()
    error = mistake_in(path)
    for fix in error.fixes:
        repaired = fix.apply(text)
        assert (repaired != text) == bool(fix.edits)
        left = run_script(repaired, dtype="float64" if fix.edits else "float32").error
        if error.other_errors:  # the others stay, and nothing new comes
            assert left is not None
            messages = {further.message for further in error.other_errors}
            assert {left.message, *(further.message for further in left.other_errors)} == messages
        else:
            assert left is None, f"with: {fix.text}\n{repaired}"


@pytest.mark.oracle
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_torch_refuses_it_too(path: Path) -> None:
    from torch_prelude import run_with_torch

    if path.parent.name in OURS_ALONE:
        pytest.skip("runs in PyTorch")
    error = mistake_in(path)
    try:
        theirs = run_with_torch(path.read_text()).error
    except SyntaxError as refused:
        theirs = refused
    assert theirs is not None, "torch runs this"
    names = [kind.__name__ for kind in type(theirs).__mro__]
    assert {*PYTHON_NAMES.get(error.code, "RuntimeError").split(" or ")} & {*names}
    if isinstance(theirs, RuntimeError):
        assert error.message.split("\n")[0] == str(theirs).split("\n")[0]


def test_every_diagnostic_belongs_to_a_script() -> None:
    assert {path.with_suffix(".ad") for path in FOLDER.glob("*/*.txt")} == set(SCRIPTS)
