"""Wrong backwards among large cotangents are wrong, and what only rounding leaves of a gradient is not."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.core.check.verify import verify
from autodiff.core.report.verdict import OK, UNDECIDED, WRONG
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate

SMALL = """\
class Small(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x*1e-15
    @staticmethod
    def backward(ctx, g):
        return g*FACTOR
x = torch.tensor([2., 3.], dtype=torch.float64, requires_grad=True)
u = Small.apply(x)
z = (1e15*u*1e-3).sum()
"""
#: Scripts whose gradients cancel, in the paths or in a rule.
CANCELLED = {
    "paths": "x = tensor([1., 2.], requires_grad=True)\nu = 1e8*x\ny = (u - 1e8*x).sum()",
    "softmax": "x = tensor([40., 1., 2.], requires_grad=True)\ny = x.log_softmax(0)[0]",
    "softmax_in_single_precision": (
        "x = torch.tensor([20., 0., 1.], requires_grad=True)\ny = -F.log_softmax(x, 0)[0]"
    ),
    "cross_entropy": (
        "x = torch.tensor([[20., 0., 1.]], requires_grad=True)\ny = F.cross_entropy(x, torch.tensor([0]))"
    ),
    "sigmoid": "x = tensor([36., 40.], requires_grad=True)\ny = sigmoid(x).sum()",
    "binary_cross_entropy": (
        "x = torch.tensor([20., 30.], requires_grad=True)\n"
        "y = F.binary_cross_entropy_with_logits(x, torch.ones(2))"
    ),
    "layer_norm": (
        "x = torch.tensor([1., 2., 4.], requires_grad=True)\ny = (F.layer_norm(x, (3,))*torch.ones(3)).sum()"
    ),
    "by_hand": "x = tensor([30., 1.], requires_grad=True)\ne = exp(x)\np = e/e.sum()\ny = -log(p[0])",
    "cosine": "x = tensor([1e-9, 3.14159265], requires_grad=True)\ny = (1 - cos(x)).sum()",
}


def verdict(code: str) -> tuple[str, float]:
    settings = Settings()
    subject = differentiate(execute(Source(code, "script.ad"), settings, lambda text: None), settings)
    [(spelled, node)] = subject.wrt
    found = verify(subject, spelled, node, 1, 0)
    return found.verdict, found.difference


@pytest.mark.parametrize(("factor", "difference"), [("2e-15", 0.5), ("0.0", 1.0), ("1.1e-15", 0.0909)])
def test_a_wrong_backward_below_a_large_cotangent_is_wrong(factor: str, difference: float) -> None:
    told, apart = verdict(SMALL.replace("FACTOR", factor))
    assert told == WRONG
    assert apart == pytest.approx(difference, rel=1e-2)


def test_a_right_backward_below_a_large_cotangent_is_right() -> None:
    assert verdict(SMALL.replace("FACTOR", "1e-15"))[0] == OK


@pytest.mark.parametrize("name", CANCELLED)
def test_what_rounding_leaves_of_a_gradient_is_no_mistake(name: str) -> None:
    assert verdict(CANCELLED[name])[0] in (OK, UNDECIDED)
