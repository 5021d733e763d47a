"""PyTorch functions that the script language lacks, each with an equivalent in functions it has."""

from __future__ import annotations

from autodiff.grammar.objects.rewrite import Rewrite

FOURIER = Rewrite(
    "write out the sums of the real and the imaginary part",
    "angles = -2 * torch.pi * torch.outer(torch.arange(4.0), torch.arange(4.0)) / 4\n"
    "real, imag = torch.cos(angles) @ x, torch.sin(angles) @ x",
    "x = torch.tensor([1.0, 2.0, 0.0, -1.0])\n",
    "print(torch.round(real), torch.round(imag))",
)
DENSITY = Rewrite(
    "write the density, here of the normal distribution",
    "log_p = -0.5 * ((x - mu) / sigma) ** 2 - torch.log(sigma) - 0.5 * math.log(2 * math.pi)",
    "import math\nx = torch.tensor([0.5, 2.0])\nmu, sigma = torch.tensor(1.0), torch.tensor(2.0)\n",
    "print(log_p)",
)

ABSENT_FUNCTIONS = {
    "torch.distributions.*": DENSITY,
    "torch.fft.*": FOURIER,
}
