"""``solve_ex`` and ``cholesky_ex`` where they fail: what LAPACK leaves, and where it stopped, as in torch."""

from __future__ import annotations

import pytest
from script_runner import printed

SINGULAR = "torch.tensor([[1., 2.], [2., 4.]], requires_grad=True)"
INDEFINITE = "torch.tensor([[4., 2.], [2., -3.]], requires_grad=True)"


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (
            f"torch.linalg.solve_ex({SINGULAR}, torch.tensor([[1., 0.], [3., 1.]]))",
            "torch.return_types.linalg_solve_ex(\nresult=tensor([[inf, inf],\n        [-inf, -inf]],"
            " grad_fn=<LinalgSolveExBackward0>),\ninfo=tensor(2, dtype=torch.int32))\n",
        ),
        (
            "torch.linalg.solve_ex(torch.tensor([[2., 1.], [4., 2.]]), torch.tensor([1., 5.])).result",
            "tensor([inf, -inf])\n",
        ),
        (
            f"torch.linalg.cholesky_ex({INDEFINITE})",
            "torch.return_types.linalg_cholesky_ex(\nL=tensor([[ 2.,  0.],\n        [ 1., -4.]],"
            " grad_fn=<LinalgCholeskyExBackward0>),\ninfo=tensor(2, dtype=torch.int32))\n",
        ),
        (
            "torch.linalg.cholesky_ex(torch.stack([torch.eye(2), -torch.eye(2)])).info",
            "tensor([0, 1], dtype=torch.int32)\n",
        ),
        ("torch.linalg.lu_factor_ex(torch.zeros(2, 2)).info", "tensor(1, dtype=torch.int32)\n"),
    ],
)
def test_a_failure_is_reported_beside_the_result(call: str, shown: str) -> None:
    assert printed(f"print({call})\n") == shown


def test_a_gradient_passes_through_what_cholesky_left() -> None:
    """The rule is that of the whole factor: finite where the last pivot is not 0."""
    script = f"C = {INDEFINITE}\ntorch.linalg.cholesky_ex(C).L[0, 0].backward()\nprint(C.grad)\n"
    assert printed(script).startswith("tensor([[")


def test_a_gradient_of_a_singular_system_is_not_finite() -> None:
    script = (
        f"Z = {SINGULAR}\nb = torch.tensor([1., 3.], requires_grad=True)\n"
        "torch.linalg.solve_ex(Z, b).result.sum().backward()\nprint(torch.isfinite(b.grad).any().item())\n"
    )
    assert printed(script) == "False\n"
