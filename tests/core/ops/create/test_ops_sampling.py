"""Drawing by weight and filling in place: what is drawn, its bounds, and that no gradient flows."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.public_functions import FUNCTIONS
from script_runner import CHOOSES_DOUBLE, printed, run_script

multinomial = FUNCTIONS["torch.multinomial"]


@pytest.fixture(autouse=True)
def seeded() -> None:
    random_source.reset(0)


def test_places_are_drawn_as_often_as_their_weights_say() -> None:
    drawn = multinomial(tensor([1.0, 0.0, 3.0]), 4000, replacement=True).data
    counts = np.bincount(drawn, minlength=3)
    assert counts[1] == 0
    assert abs(counts[2] / 4000 - 0.75) < 0.03


def test_the_first_of_several_places_is_drawn_by_weight_too() -> None:
    first = [multinomial(tensor([1.0, 3.0]), 2).data[0] for _ in range(2000)]
    assert abs(sum(first) / 2000 - 0.75) < 0.04


def test_without_replacement_every_place_comes_once_and_those_without_weight_last() -> None:
    drawn = multinomial(tensor([[1.0, 2.0, 0.0], [5.0, 0.0, 5.0]]), 3).data
    assert [sorted(row) for row in drawn] == [[0, 1, 2]] * 2
    assert [row[2] for row in drawn] == [2, 1]


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call",
    [
        "torch.multinomial(torch.ones(3), 4)",
        "torch.multinomial(torch.tensor([1., -1.]), 1)",
        "torch.multinomial(torch.tensor([1., float('nan')]), 1)",
        "torch.multinomial(torch.zeros(2), 1)",
        "torch.multinomial(torch.ones(2, 2, 2), 1)",
        "torch.multinomial(torch.tensor(1.), 1)",
        "torch.multinomial(torch.tensor([1, 2]), 1)",
        "torch.multinomial(torch.ones(2), 0)",
        "torch.ones(3).uniform_(2, 1)",
        "torch.ones(3).normal_(0, -1)",
        "torch.ones(3).exponential_(-1)",
        "torch.ones(3, dtype=torch.int64).uniform_()",
        "torch.ones(3, requires_grad=True).uniform_()",
        "torch.histogram(torch.ones(3), bins=0)",
        "torch.histogram(torch.ones(3), 3, range=(3., 1.))",
        "torch.histogram(torch.ones(3), 3, range=(0.,))",
        "torch.histogram(torch.tensor([1, 2]), 3)",
        "torch.histogram(torch.ones(3), 3, weight=torch.ones(2))",
        "torch.histogram(torch.ones(3), 3, weight=torch.ones(3).float())",
        "torch.histogram(torch.ones(3), torch.ones(2, 2))",
        "torch.histogram(torch.ones(3), torch.ones(2).float())",
        "torch.histogram(torch.ones(3), torch.ones(1))",
        "torch.histogram(torch.tensor([1., float('nan')]), 3)",
        "torch.frexp(torch.tensor([1, 2]))",
    ],
)
def test_what_is_refused_is_refused_in_torchs_words(call: str) -> None:
    from torch_prelude import run_with_torch

    script = CHOOSES_DOUBLE + call
    ours, theirs = run_script(script), run_with_torch(script)
    assert ours.error is not None
    assert ours.error.message.splitlines()[0] == str(theirs.error).splitlines()[0]


@pytest.mark.parametrize(
    ("call", "low", "high", "name"),
    [
        ("uniform_(2, 3)", 2, 3, "Uniform"),
        ("normal_(50, 0.5)", 40, 60, "Normal"),
        ("exponential_(2)", 0, 20, "Exponential"),
    ],
)
def test_what_random_numbers_are_written_over_gets_zeros(call: str, low: int, high: int, name: str) -> None:
    out = run_script(f"x = torch.ones(4, requires_grad=True)\ny = x * 2\ny.{call}\ny.sum().backward()")
    assert out.error is None
    drawn = out.names["y"].data
    assert len(set(drawn)) == 4
    assert low <= drawn.min() < drawn.max() <= high
    assert out.names["x"].grad.data.tolist() == [0.0] * 4
    assert f"{name}Backward0" in repr(out.names["y"])


TRACKED = (
    "x = torch.tensor([-1., 2.], requires_grad=True)\ny = x * 1\n{}\ny.sum().backward()\nprint(y, x.grad)"
)
SAME = [
    "print(torch.histogram(torch.tensor([1., 2., 3.]), 3))",
    "print(torch.histogram(torch.tensor([1., 2., 3., 2.]), 3, range=(0., 3.)))",
    "x = torch.tensor([1., 2., 3., 2.])\n"
    "print(torch.histogram(x, 3, range=(0., 3.), weight=torch.tensor([1., 2., 3., 4.]), density=True))",
    "print(torch.histogram(torch.tensor([1., 2., 3., 5.]), torch.tensor([0., 1., 2., 5.])))",
    "print(torch.histogram(torch.tensor([2., 2.]), 3))",
    "print(torch.histogram(torch.ones(0), 3))",
    "x = torch.ones(3, requires_grad=True)\nprint(torch.histogram(x, 2))",
    "x = torch.tensor([1., -2., 3., 0., 0.3], requires_grad=True)\ny = torch.frexp(x)\nprint(y)\n"
    "y.mantissa.sum().backward()\nprint(x.grad)",
    "print(torch.tensor([0., float('inf'), float('nan'), -0.3]).frexp())",
    "x = torch.tensor([-1., 2.])\ny = torch.relu_(x)\nprint(x, y is x)",
    TRACKED.format("F.relu_(y)"),
    TRACKED.format("F.elu_(y, 0.5)"),
    TRACKED.format("torch.sin_(y)"),
    "x = torch.tensor([-1., 2.])\nprint(F.leaky_relu_(x, 0.1), torch.exp_(x), torch.clamp_(x, 0., 1.), x)",
    "x = torch.tensor([-1., 2.])\nprint(torch.threshold_(x, 0., 7.), torch.selu_(x), F.hardtanh_(x))",
]


@pytest.mark.oracle
@pytest.mark.parametrize("script", SAME)
def test_prints_what_torch_prints(script: str) -> None:
    from torch_prelude import run_with_torch

    theirs = run_with_torch(script)
    assert theirs.error is None
    assert printed(script) == theirs.stdout


def test_counts_say_that_they_have_no_gradient() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    counts = FUNCTIONS["torch.histogram"](x, 2)[0]
    with pytest.raises(AutodiffError, match="derivative for aten::histogram is not implemented"):
        counts.backward(tensor([1.0, 1.0]))
