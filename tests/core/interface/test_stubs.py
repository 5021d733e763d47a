"""The typed stubs are what the registry gives; a type checker accepts what runs and refuses what does not."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from autodiff.core.interface.stubs import PATHS
from conftest import REPOSITORY

#: In a process of its own: other tests add functions to the registry.
WRITE = """\
import sys
from autodiff.core.interface.stubs import stub
sys.stdout.buffer.write(stub(sys.argv[1]).encode())
"""

PROGRAM = """\
from autodiff import core
from autodiff.core import linalg, tensor
from autodiff.core.nn import functional as F

w = tensor([1.0, 2.0], requires_grad=True)
loss = F.mse_loss(core.exp(w), core.zeros(2), reduction="sum") + linalg.norm(w) + w.sum(dim=0).abs()
loss.backward()
assert w.grad is not None
with core.no_grad():
    w -= 0.1 * w.grad
step: core.Tensor = w.clamp_(0.0)
shape: tuple[int, ...] = w.reshape(2, 1).shape
w.uniform_(0.0, to=2.0)
largest: core.Tensor = w.max(dim=0).values
"""

MISTAKES = """\
from autodiff import core

w = core.tensor([1.0])
w.summ()
core.expp(w)
w.sum(axes=0)
core.softmax(w, dim="0")
"""


@pytest.mark.parametrize("module", PATHS)
def test_a_stub_is_what_the_registry_gives(module: str, update_golden: bool) -> None:
    path = REPOSITORY / PATHS[module]
    written = subprocess.run([sys.executable, "-c", WRITE, module], capture_output=True, check=True).stdout
    if update_golden:
        path.write_bytes(written)
    assert path.read_bytes() == written, "python -m autodiff.core.interface"
    ast.parse(written)


def test_a_type_checker_accepts_a_program_and_refuses_mistakes(tmp_path: Path) -> None:
    (tmp_path / "autodiff").mkdir()
    (tmp_path / "autodiff" / "core").symlink_to(REPOSITORY / "core")
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(MISTAKES)
    options = ["--strict", "--follow-imports=silent", "--namespace-packages", "--explicit-package-bases"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *options, "right.py", "wrong.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(tmp_path)},
    )
    told = [line.split(": ", 2) for line in done.stdout.splitlines() if ": error: " in line]
    assert [place for place, *_ in told] == [f"wrong.py:{line}" for line in (4, 5, 6, 7)], done.stdout
