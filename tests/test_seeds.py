"""The articles' own code, verbatim: every cell prints what PyTorch prints and fails where PyTorch fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import REPOSITORY, TESTS
from program import run_program
from script_runner import run_script
from transcript import normalise

SCRIPTS = sorted((REPOSITORY / "examples" / "seeds").glob("*.ad"))
GOLDEN = TESTS / "golden" / "seeds"
FAILING = {"2_matrix_backward"}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_prints_what_torch_prints(path: Path, dtype: str) -> None:
    suffix = ".out" if dtype == "float64" else ".float32.out"
    outcome = run_script(path.read_text(), dtype=dtype)
    if path.stem in FAILING:
        assert outcome.error is not None
        expected = (GOLDEN / f"{path.stem}.err").read_text().strip()
        assert f"RuntimeError: {outcome.error.message}" == expected
    else:
        assert outcome.error is None, outcome.error
    assert normalise(outcome.stdout) == (GOLDEN / f"{path.stem}{suffix}").read_text()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.warnings")), ids=lambda path: path.stem)
def test_warns_as_torch_warns(path: Path) -> None:
    script = REPOSITORY / "examples" / "seeds" / f"{path.stem}.ad"
    warnings = run_script(script.read_text()).warnings
    assert [normalise(warning) for warning in warnings] == path.read_text().splitlines()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_runs_from_the_command_line(path: Path) -> None:
    done = run_program("run", path)
    assert b"Traceback" not in done.stderr
    if path.stem in FAILING:
        assert done.returncode == 4
        assert b"grad can be implicitly created only for scalar outputs" in done.stderr
    else:
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted((REPOSITORY / "examples").glob("*.ad")), ids=lambda path: path.stem)
def test_the_other_examples_run_too(path: Path) -> None:
    done = run_program("run", path)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
