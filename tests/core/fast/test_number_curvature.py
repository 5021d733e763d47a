"""Second derivatives of long programs of numbers, compared with passes that are recorded."""

from __future__ import annotations

import random

import numpy as np
import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.core.fast import number_curvature
from autodiff.grammar.execution import execute
from autodiff.grammar.session import derivative_matrices as matrices
from autodiff.grammar.session.run import Settings, differentiate

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine records every pass")

LEAVES = "".join(
    f"{name} = torch.tensor({value}, dtype=torch.float64, requires_grad=True)\n"
    for name, value in (("a", 0.7), ("b", -1.3), ("c", 0.4))
)
CONSTANT = "k = torch.tensor(0.3, dtype=torch.float64)\n"


def program(seed: int) -> str:
    """A script of 40 steps; each has plain numbers, leaves, a constant tensor and results as operands."""
    rng = random.Random(seed)
    names = ["a", "b", "c", "k"]
    lines = []
    for at in range(40):
        x, y = rng.choice(names[-6:]), rng.choice([*names[:4], names[-1], "0.5", "2"])
        x, y = rng.sample([x, y], 2)
        lines.append(f"v{at} = " + rng.choice([f"{x} + {y}", f"{x} - {y}", f"{x} * {y}", f"{x} * 0.5 * {y}"]))
        if rng.random() < 0.2:
            lines.append(f"v{at} = exp(-(v{at} * v{at})) - v{at}")
        names.append(f"v{at}")
    return LEAVES + CONSTANT + "\n".join(lines) + "\nL = a * b - c + " + " + ".join(names[-12:]) + "\n"


def results(text: str, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    subject = differentiate(execute(Source(text), settings), settings)
    with np.errstate(all="ignore"):
        return matrices.hessian(subject), matrices.hvp(
            subject, np.array([0.5, -2.0, 1.5])[: len(subject.wrt)]
        )


@pytest.fixture
def answered(monkeypatch):
    """The answers for programs of every length, recorded passes forbidden."""
    monkeypatch.setattr(number_curvature, "SHORTEST", 1)
    monkeypatch.setattr(matrices, "is_fast", True)

    def run(text: str, settings: Settings | None = None):
        with monkeypatch.context() as patched:
            patched.setattr(matrices, "recorded_gradients", None)
            return results(text, settings or Settings())

    return run


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_have_the_derivatives_of_recorded_passes(monkeypatch, answered, seed) -> None:
    text = program(seed)
    found = answered(text)
    monkeypatch.setattr(matrices, "is_fast", False)
    for ours, recorded in zip(found, results(text, Settings()), strict=True):
        assert np.isfinite(recorded).all()
        np.testing.assert_allclose(ours, recorded, rtol=1e-9, atol=1e-9 * np.abs(recorded).max())


def test_an_output_that_is_linear_has_none(answered) -> None:
    whole, product = answered(LEAVES + "L = 3 * a - b + 2\nL.backward()\n")
    assert not whole.any()
    assert not product.any()


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("L = sin(a) * b", Settings()),
        ("L = (a * torch.ones(2)).sum() * b", Settings()),
        ("y = a * b\nL = y * y * a", Settings(wrt=["y", "a"])),
        ("L = a * b * 1e200 * 1e200", Settings()),
    ],
)
def test_other_programs_are_recorded(monkeypatch, answered, line, settings) -> None:
    asked: list[None] = []
    recorded = matrices.recorded_gradients

    def watched(*arguments, **options):
        asked.append(None)
        return recorded(*arguments, **options)

    monkeypatch.setattr(matrices, "recorded_gradients", watched)
    results(LEAVES + line + "\n", settings)
    assert len(asked) == 2
