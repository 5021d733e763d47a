"""A ``torch.Generator`` is a source of random numbers of its own."""

from __future__ import annotations

import pytest
from script_runner import printed, run_script

SCRIPT = """\
import torch
g = torch.Generator().manual_seed(5)
a = torch.randn(3, generator=g)
torch.manual_seed(5)
b = torch.randn(3)
c = torch.rand(2, generator=g)
d = torch.rand(2, generator=None)
print(torch.equal(a, b), torch.equal(c, d), g.initial_seed(), type(g))
g.manual_seed(7)
w = torch.randn((2, 3), generator=g, requires_grad=True)
ix = torch.randint(0, 4, (2,), generator=g)
print(w.requires_grad, ix.shape, torch.randperm(4, generator=g).shape, torch.Generator().initial_seed())
print(torch.multinomial(torch.ones(3), 2, generator=g).shape, torch.normal(0., 1., (2,), generator=g).shape)
print(torch.bernoulli(torch.ones(2), generator=g))
"""


@pytest.mark.oracle
def test_generators_draw_as_torchs_do() -> None:
    from plain_python import run_with_plain_python

    assert printed(SCRIPT) == run_with_plain_python(SCRIPT)[0]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("torch.rand(2, generator=3)", "E0310"),
        ("torch.ones(2, generator=torch.Generator())", "E0310"),
        ("torch.Generator('cuda')", "E0142"),
        ("torch.Generator().manual_seed(0.5)", "E0203"),
    ],
)
def test_what_torch_refuses_is_refused(line: str, code: str) -> None:
    error = run_script(f"import torch\nx = {line}\n").error
    assert error is not None
    assert error.code == code
