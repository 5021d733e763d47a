"""Scripts of the kind people paste: each must do what plain Python with PyTorch does, imports and all.

The oracle here gets no names put in its reach: what a script does not import it does not have.
"""

from __future__ import annotations

import builtins
import io
import re
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from autodiff.core.engine.tensor import Tensor
from conftest import TESTS
from script_runner import run_script

SCRIPTS = sorted((TESTS / "pasted").glob("*.ad"))
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)


DIGITS = {"float64": 13, "float32": 5}


def comparable(text: str, dtype: str = "float64") -> str:
    """Printed text without the addresses of objects, and numbers to the digits both can be sure of.

    ``.item()`` prints all digits, and the last ones depend on the order of summation, which processors do not
    share: -20.0 on one is -20.000000000000004 on another.
    """
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    most = DIGITS[dtype]

    def shortened(match: re.Match[str]) -> str:
        digits = match[0].partition("e")[0].replace(".", "").replace("-", "").lstrip("0")
        return match[0] if len(digits) <= most else repr(float(f"{float(match[0]):.{most - 1}e}"))

    return re.sub(r"-?\d+\.\d+(?:e[+-]?\d+)?", shortened, text)


def run_with_plain_python(text: str, dtype: str = "float64") -> tuple[str, dict[str, Any]]:
    """What a script prints and binds where there is Python, PyTorch and nothing else."""
    from torch_prelude import pristine_torch

    code = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    out = io.StringIO()
    with pristine_torch(dtype, 0), warnings.catch_warnings(), redirect_stdout(out):
        warnings.simplefilter("ignore")
        exec(compile(code, "<pasted>", "exec", dont_inherit=True), names)
    return out.getvalue(), names


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
