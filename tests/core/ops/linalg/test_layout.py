"""Matrices that LAPACK returns lie column by column, which ``reshape`` and ``view`` show."""

from __future__ import annotations

import pytest
from script_runner import run_script

pytestmark = pytest.mark.oracle

START = """\
A = torch.tensor([[4., 1., 0.], [1., 5., 2.], [0., 2., 6.]], dtype=torch.float64, requires_grad=True)
B = torch.tensor([[1., 2.], [3., 4.], [5., 6.]], dtype=torch.float64, requires_grad=True)
AA = torch.stack([A, 2 * A])
"""
RESULTS = (
    "linalg.solve(A, B)",
    "linalg.solve(A, B.T, left=False)",
    "linalg.solve(AA, B)",
    "linalg.solve(A, B[:, 0])",
    "linalg.solve_ex(A, B)[0]",
    "linalg.inv(A)",
    "linalg.inv(AA)",
    "inverse(A)",
    "linalg.inv_ex(A)[0]",
    "linalg.cholesky(A)",
    "linalg.cholesky_ex(AA)[0]",
    "linalg.solve_triangular(A, B, upper=True)",
    "cholesky_solve(B, linalg.cholesky(A))",
)


@pytest.mark.parametrize("result", RESULTS)
def test_the_layout_is_torchs(result: str) -> None:
    pytest.importorskip("torch")
    from torch_prelude import run_with_torch

    text = f"{START}x = {result}\nprint(x.is_contiguous())\ny = x.reshape(-1)\nz = (x * 2 + 1).reshape(-1)\n"
    text += "print(y.grad_fn.name(), z.grad_fn.name())\n(y.sum() + z.sum()).backward()\nprint(A.grad)\n"
    assert run_script(text).stdout == run_with_torch(text).stdout
    flat = f"{START}x = {result}\ny = x.view(-1)\nprint(y.shape)\n"
    ours, theirs = run_script(flat), run_with_torch(flat)
    assert (ours.stdout, ours.error is None) == (theirs.stdout, theirs.error is None)
