"""Scripts of the kind people paste: each must do what plain Python with PyTorch does, imports and all.

The oracle here gets no names put in its reach: what a script does not import it does not have.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from autodiff.core.engine.tensor import Tensor
from conftest import TESTS
from plain_python import comparable, run_with_plain_python
from script_runner import run_script

SCRIPTS = sorted((TESTS / "pasted").glob("*.ad"))
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)


@each_script
def test_it_runs(path: Path) -> None:
    outcome = run_script(path.read_text())
    if outcome.error is not None:
        raise outcome.error
    assert outcome.stdout


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@each_script
def test_it_prints_what_torch_prints(path: Path, dtype: str) -> None:
    theirs, _ = run_with_plain_python(path.read_text(), dtype)
    outcome = run_script(path.read_text(), dtype=dtype)
    assert comparable(outcome.stdout, dtype) == comparable(theirs, dtype)


@pytest.mark.oracle
@each_script
def test_its_gradients_are_torchs(path: Path) -> None:
    import torch

    _, theirs = run_with_plain_python(path.read_text())
    ours = run_script(path.read_text()).names
    for name, value in ours.items():
        if value.__class__ is Tensor and value.is_leaf and value.grad is not None:
            expected = theirs[name].grad
            assert expected is not None, name
            torch.testing.assert_close(torch.tensor(value.grad.tolist()), expected, check_dtype=False)
