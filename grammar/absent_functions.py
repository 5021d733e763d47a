"""Functions of PyTorch that the language has not, each with the same computed from what there is."""

from __future__ import annotations

from autodiff.grammar.rewrite import Rewrite

BATCH_NORM = Rewrite(
    "subtract the mean, divide by the spread",
    "y = (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + 1e-5)",
    "x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])\n",
    "print(y)",
)
DROPOUT = Rewrite(
    "multiply with a mask",
    "y = x * (torch.rand_like(x) > 0.5) / 0.5",
    "x = torch.ones(3)\n",
    "print(y.shape)",
)
FOURIER = Rewrite(
    "write the sums, real and imaginary part apart",
    "angles = -2 * torch.pi * torch.outer(torch.arange(4.0), torch.arange(4.0)) / 4\n"
    "real, imag = torch.cos(angles) @ x, torch.sin(angles) @ x",
    "x = torch.tensor([1.0, 2.0, 0.0, -1.0])\n",
    "print(torch.round(real), torch.round(imag))",
)
CHOICE = Rewrite(
    "count how often a uniform number is passed",
    "i = (p.cumsum(0) < torch.rand(())).sum()",
    "p = torch.tensor([0.2, 0.5, 0.3])\n",
    "print(i.shape)",
)

FUNCTIONS = {
    "torch.nn.functional.batch_norm": BATCH_NORM,
    "torch.nn.functional.dropout": DROPOUT,
    "torch.fft.*": FOURIER,
    "torch.multinomial": CHOICE,
}
