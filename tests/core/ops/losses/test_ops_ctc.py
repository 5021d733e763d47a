"""ctc_loss against a sum over all alignments, against PyTorch, and what it refuses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from autodiff.core import tensor
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.public_functions import FUNCTIONS
from script_runner import printed, run_script

ctc_loss = FUNCTIONS["F.ctc_loss"]
log_softmax = FUNCTIONS["torch.log_softmax"]

HEAD = (
    "torch.manual_seed(0)\nx = (torch.arange(40.).reshape(5, 2, 4) * 0.7).sin().requires_grad_()\n"
    "lp = x.log_softmax(2)\nt = torch.tensor([[1, 2], [3, 3]])\n"
)


def spelled(path: tuple[int, ...]) -> tuple[int, ...]:
    """Repetitions as one, then without blanks."""
    return tuple(label for label, _ in itertools.groupby(path) if label)


@pytest.mark.parametrize("labels", [(), (1,), (1, 2), (1, 1), (2, 1, 2)])
def test_it_is_the_sum_over_all_alignments(labels: tuple[int, ...]) -> None:
    logits = np.random.default_rng(1).normal(size=(5, 3))
    x = log_softmax(tensor(logits), 1)
    paths = [path for path in itertools.product(range(3), repeat=5) if spelled(path) == labels]
    total = sum(math.exp(sum(x.data[t, label] for t, label in enumerate(path))) for path in paths)
    targets = tensor(np.asarray(labels, np.int64))
    loss = ctc_loss(x, targets, (5,), (len(labels),), reduction="sum")
    assert loss.item() == pytest.approx(-math.log(total), rel=1e-12)


def test_the_gradient_behind_log_softmax_is_that_of_finite_differences() -> None:
    logits = np.random.default_rng(2).normal(size=(4, 2, 3))
    targets = tensor(np.array([[1, 2], [2, 0]]))

    def loss(values: np.ndarray, tracked: bool = False):
        x = tensor(values, requires_grad=tracked)
        return x, ctc_loss(log_softmax(x, 2), targets, (4, 3), (2, 1))

    x, out = loss(logits, tracked=True)
    out.backward()
    step = 1e-6
    for place in np.ndindex(logits.shape):
        moved = np.zeros(logits.shape)
        moved[place] = step
        slope = (loss(logits + moved)[1].item() - loss(logits - moved)[1].item()) / (2 * step)
        assert x.grad.data[place] == pytest.approx(slope, abs=1e-8)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call",
    [
        "F.ctc_loss(lp, t, (5, 4), (2, 1))",
        "F.ctc_loss(lp, t, (5, 4), (2, 1), reduction='sum')",
        "F.ctc_loss(lp, t, (5, 4), (2, 1), reduction='none')",
        "F.ctc_loss(lp, t, (5, 4), (0, 1), blank=1)",
        "F.ctc_loss(lp, torch.tensor([1, 2, 3]), torch.tensor([5, 4]), torch.tensor([2, 1]))",
        "F.ctc_loss(lp, t, (5, 2), (2, 2), zero_infinity=True)",
        "F.ctc_loss(lp, t, (5, 2), (2, 2), reduction='none', zero_infinity=True)",
        "F.ctc_loss(lp[:, 0], t[0], (5,), (2,))",
        "F.ctc_loss(lp[:, 0], t[0], (5,), (2,), reduction='none')",
        "F.ctc_loss(lp[:, 0], t[0], torch.tensor(5), torch.tensor(2), reduction='sum')",
        "F.ctc_loss(x, t, (5, 4), (2, 1))",  # not normalised: torch's gradient is no derivative there
    ],
)
def test_values_names_and_gradients_are_torchs(call: str) -> None:
    from torch_prelude import run_with_torch

    script = f"{HEAD}out = {call}\nprint(out)\nout.sum().backward()\nprint(x.grad)\n"
    theirs = run_with_torch(script)
    assert theirs.error is None
    assert printed(script).replace("-0.0000", " 0.0000") == theirs.stdout.replace("-0.0000", " 0.0000")


@pytest.mark.oracle
@pytest.mark.parametrize(
    "call",
    [
        "F.ctc_loss(lp, t, (6, 2), (2, 2))",
        "F.ctc_loss(lp, t, (5, -1), (2, 2))",
        "F.ctc_loss(lp, t, (5,), (2, 2))",
        "F.ctc_loss(lp, t, (5, 4), (2,))",
        "F.ctc_loss(lp, t, (5, 4), (3, 1))",
        "F.ctc_loss(lp, t, (5, 4), (2, -1))",
        "F.ctc_loss(lp, t, (5, 4), (2, 1), blank=4)",
        "F.ctc_loss(lp, t, (5, 4), (2, 1), reduction='x')",
        "F.ctc_loss(lp.long(), t, (5, 4), (2, 1))",
        "F.ctc_loss(lp, torch.tensor([1, 2]), (5, 4), (2, 1))",
        "F.ctc_loss(lp, torch.tensor(1), (5, 4), (2, 1))",
        "F.ctc_loss(torch.ones(3), t, (5, 4), (2, 1))",
        "F.ctc_loss(lp, t, torch.tensor([5., 4.]), torch.tensor([2, 1]))",
    ],
)
def test_what_is_refused_is_refused_in_torchs_words(call: str) -> None:
    from torch_prelude import run_with_torch

    ours, theirs = run_script(HEAD + call), run_with_torch(HEAD + call)
    assert ours.error is not None
    assert ours.error.message == str(theirs.error)


def test_a_label_that_is_no_class_is_refused() -> None:
    with pytest.raises(AutodiffError, match="Target 7 is out of bounds"):
        ctc_loss(tensor(np.zeros((2, 3))), tensor(np.array([7])), (2,), (1,))


def test_a_second_derivative_is_refused_as_in_torch() -> None:
    out = run_script(
        f"{HEAD}g = torch.autograd.grad(F.ctc_loss(lp, t, (5, 4), (2, 1)), lp, create_graph=True)[0]\n"
        "g.sum().backward()"
    )
    assert out.error is not None
    assert "_ctc_loss_backward is not implemented" in out.error.message
