"""Scripts that run in a process whose tensors have the methods of Python programs."""

from __future__ import annotations

from autodiff import core
from script_runner import run_script


def test_a_tensor_for_a_switch_is_refused_as_without_the_methods() -> None:
    assert core.exp(core.tensor(0.0)).item() == 1.0  # from here on tensors have a truth, which may be refused
    call = "F.feature_alpha_dropout(a, 0.0, True, inplace=torch.tensor([True, False]))"
    error = run_script(f"a = torch.ones(2, 3, 2)\n{call}\n").error
    assert error is not None
    assert "argument 'inplace' must be bool, not Tensor" in error.message
    assert error.span is not None
