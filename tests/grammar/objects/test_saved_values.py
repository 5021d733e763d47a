"""What nodes saved for backward, as `y.grad_fn._saved_self`, and `@once_differentiable`: as torch."""

from __future__ import annotations

import pytest
from language_comparison import compare
from language_generator import Script
from script_runner import run_script

START = (
    "x = torch.tensor([0.3, 0.6], requires_grad=True)\ns = torch.tensor(0.4, requires_grad=True)\n"
    "m = torch.tensor([[0.5, 0.2], [0.1, 0.9]], requires_grad=True)\nc = torch.tensor([1., 2.])\n"
)
READ = {
    "x*m": ("self", "other"),
    "x*2.5": ("self", "other"),
    "x*c": ("self", "other"),
    "x/m": ("self", "other"),
    "s*s": ("self", "other"),
    "x**2": ("self", "exponent"),
    "s**3": ("self", "exponent"),
    "2**x": ("self", "exponent", "result"),
    "x**m": ("self", "exponent", "result"),
    "x.exp()": ("result",),
    "s.exp()": ("result",),
    "x.sigmoid()": ("result",),
    "x.tanh()": ("result",),
    "x.sqrt()": ("result",),
    "x.log()": ("self",),
    "s.log()": ("self",),
    "x.abs()": ("self",),
    "torch.softmax(x, 0)": ("result",),
    "m @ m": ("self", "mat2"),
    "m @ x": ("self", "vec"),
    "x @ x": ("self", "tensor"),
    "torch.maximum(x, m)": ("self", "other"),
    "torch.atan2(x, m)": ("self", "other"),
    "torch.xlogy(x, m)": ("self", "other"),
    "F.mse_loss(x, c)": ("self", "target"),
    "F.smooth_l1_loss(x, c)": ("self", "target"),
    "torch.bmm(m[None], m[None])": ("self", "mat2"),
    "torch.hypot(x, m)": ("self", "other", "result"),
    "x.prod()": ("self", "result"),
}


@pytest.mark.oracle
@pytest.mark.parametrize("value", READ)
def test_saved_values_are_those_of_torch(value: str) -> None:
    pytest.importorskip("torch")
    reads = "".join(f"print(n._saved_{name})\n" for name in READ[value])
    assert compare(Script(0, f"{START}y = {value}\nn = y.grad_fn\n{reads}")).differences == []


@pytest.mark.parametrize(
    ("value", "name", "code", "caret"),
    [
        ("x.exp()", "_saved_self", "E0204", "it has `_saved_result`"),
        ("x*m", "_saved_result", "E0204", "it has `_saved_self`, `_saved_other`"),
        ("x + m", "_saved_self", "E0204", "this operation saves no value"),
    ],
)
def test_a_value_that_is_not_saved(value: str, name: str, code: str, caret: str) -> None:
    error = run_script(f"{START}y = {value}\nprint(y.grad_fn.{name})").error
    assert error is not None
    assert (error.code, error.caret) == (code, caret)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "between",
    ["y.sum().backward()", "y.sum().backward(retain_graph=True)", "with torch.no_grad(): x.mul_(2)"],
)
def test_saved_values_that_are_gone(between: str) -> None:
    pytest.importorskip("torch")
    script = f"{START}y = x*m\n{between}\nprint(y.grad_fn._saved_self)\n"
    assert compare(Script(0, script)).differences == []


SQUARE = (
    "from torch.autograd.function import once_differentiable\nclass Sq(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * x\n"
    "    @staticmethod\n    @once_differentiable\n    def backward(ctx, g):\n        x, = ctx.saved_tensors\n"
    "        print(torch.is_grad_enabled())\n        return 2 * x * g\n"
)
ONCE = {
    "one pass": "Sq.apply(x).sum().backward()\nprint(x.grad)",
    "one recorded pass": "g, = torch.autograd.grad(Sq.apply(x).sum(), x, create_graph=True)\nprint(g)",
    "a second pass": "g, = torch.autograd.grad(Sq.apply(x).sum(), x, create_graph=True)\ng.sum().backward()",
    "a product": "g, = torch.autograd.grad((Sq.apply(x)*x).sum(), x, create_graph=True)\nprint(g.detach())",
    "a second pass through a product": (
        "g, = torch.autograd.grad((Sq.apply(x)*x).sum(), x, create_graph=True)\ng.sum().backward()"
    ),
    "under another name": "h = torch.autograd.function.once_differentiable\nprint(Sq.apply(c))",
}


@pytest.mark.oracle
@pytest.mark.parametrize("use", ONCE.values(), ids=ONCE)
def test_once_differentiable_is_what_it_is_in_torch(use: str) -> None:
    pytest.importorskip("torch")
    assert compare(Script(0, START + SQUARE + use + "\n")).differences == []
