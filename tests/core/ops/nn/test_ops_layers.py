"""Normalizing layers, embeddings, attention, similarities and dropout against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from agreed_lines import first_line
from autodiff.core import Tensor, grad, tensor
from autodiff.core.engine.public_functions import FUNCTIONS
from op_by_name import compare_errors
from script_runner import run_script

rng = np.random.default_rng(10)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-2.0, 2.0, shape)


X, LINE = values(3, 4), values(2, 4, 5)
MEAN, VAR = values(4), rng.uniform(0.5, 2.0, 4)


@pytest.mark.oracle
def test_running_statistics_move_as_in_torch() -> None:
    import torch

    mine, theirs = [tensor(MEAN), tensor(VAR)], [torch.tensor(MEAN), torch.tensor(VAR)]
    for momentum in (0.1, 0.7):
        FUNCTIONS["F.batch_norm"](tensor(LINE), *mine, training=True, momentum=momentum)
        torch.nn.functional.batch_norm(torch.tensor(LINE), *theirs, training=True, momentum=momentum)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a.data, b.numpy())


@pytest.mark.oracle
@pytest.mark.parametrize("classes", [-1, 4, 7])
def test_one_hot(classes: int) -> None:
    import torch

    index = np.array([[0, 3], [1, 1]])
    mine = FUNCTIONS["F.one_hot"](tensor(index), classes).data
    np.testing.assert_array_equal(mine, torch.nn.functional.one_hot(torch.tensor(index), classes).numpy())


@pytest.mark.parametrize("p", [0.25, 0.5, 1.0])
def test_dropout_keeps_what_it_says_and_passes_gradients_there(p: float) -> None:
    x = tensor(np.ones((200, 50)), requires_grad=True)
    out = FUNCTIONS["F.dropout"](x, p)
    kept = out.data != 0
    assert abs(kept.mean() - (1 - p)) < 0.02
    if p < 1:
        np.testing.assert_allclose(out.data[kept], 1 / (1 - p))
    (slope,) = grad(out, x, Tensor.of(np.ones_like(x.data)))
    np.testing.assert_array_equal(slope.data, out.data)


@pytest.mark.parametrize(
    ("name", "shape", "lead"),
    [
        ("F.dropout1d", (40, 30, 3), 2),
        ("F.dropout1d", (40, 3), 1),
        ("F.dropout2d", (40, 30, 3, 3), 2),
        ("F.dropout2d", (40, 30, 3), 2),
        ("F.dropout3d", (40, 30, 2, 2, 2), 2),
        ("F.dropout3d", (40, 2, 2, 2), 1),
    ],
)
def test_channel_dropout_drops_whole_channels(name: str, shape: tuple[int, ...], lead: int) -> None:
    out = FUNCTIONS[name](tensor(np.ones(shape)), 0.5).data
    per_channel = (out != 0).mean(axis=tuple(range(lead, len(shape))))
    assert set(np.unique(per_channel)) == {0.0, 1.0}
    numbers = (per_channel != 0).mean(axis=lead - 1)
    assert lead == 1 or 0 < numbers[0] < 1  # each for itself


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("layer_norm", (X, (3,)), {}),
        ("layer_norm", (X, (4,), values(3)), {}),
        ("layer_norm", (X, 4), {}),
        ("batch_norm", (X, None, None), {}),
        ("batch_norm", (X, values(3), values(3)), {}),
        ("batch_norm", (X[:1], None, None), {"training": True}),
        ("group_norm", (X, 3), {}),
        ("dropout", (X, 1.5), {}),
        ("embedding", (np.array([5]), X), {}),
        ("embedding", (X, X), {}),
        ("one_hot", (np.array([1, 2]), 2), {}),
        ("one_hot", (np.array([-1]),), {}),
        ("one_hot", (X,), {}),
        ("glu", (X, 0), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(f"F.{name}", args, kwargs)


@pytest.mark.oracle
@pytest.mark.parametrize("layer", ["batch_norm", "instance_norm"])
@pytest.mark.parametrize("kinds", ["torch.float64, torch.float64", "torch.float32, torch.float64"])
def test_training_moves_the_running_statistics(layer: str, kinds: str) -> None:
    from torch_prelude import run_with_torch

    script = f"""
x = torch.tensor([[[1.0, 2.0, 4.0], [0.0, 1.0, 7.0]], [[3.0, 5.0, 4.0], [2.0, 0.5, 1.0]]])
a, b = {kinds}
mean, var = torch.tensor([1, 2], dtype=a), torch.tensor([3, 4], dtype=b)
for _ in range(2):
    F.{layer}(x, mean, var, None, None, True, 0.25)
print(mean, var)
"""
    ours, theirs = run_script(script), run_with_torch(script)
    assert first_line(ours.error) == first_line(theirs.error)
    assert ours.stdout == theirs.stdout


def test_attention_drops_some_of_its_weights() -> None:
    query, key = tensor(values(30, 2)), tensor(values(40, 2))
    kept = FUNCTIONS["F.scaled_dot_product_attention"](query, key, tensor(np.eye(40)), dropout_p=0.5).data
    assert 0.4 < (kept == 0).mean() < 0.6
