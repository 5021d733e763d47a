"""Gradients where there is none: at kinks, ties and singular points, each a number that is written here.

The rule: the true derivative; else the sub-gradient of least norm; else the super-gradient of least norm;
else by continuity, infinities allowed; what is undefined is nan. Where engines differ it is as in torch 2.13.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from autodiff.core import grad
from autodiff.core.graph.state import mode
from one_test import in_one_test
from ops.engines import flat, leaf_of
from script_runner import run_script

#: What is computed, at which operands, the gradient of the sum of the (first) result for each.
ROWS = [
    ("torch.abs(a)", [0.0], [0.0]),
    ("torch.relu(a)", [0.0], [0.0]),
    ("F.leaky_relu(a)", [0.0], [0.01]),
    ("F.relu6(a)", [0.0], [0.0]),
    ("F.relu6(a)", [6.0], [0.0]),
    ("F.hardtanh(a)", [1.0], [0.0]),
    ("F.hardsigmoid(a)", [3.0], [0.0]),
    ("F.threshold(a, 0.5, 2.0)", [0.5], [0.0]),
    ("F.hardshrink(a, 0.5)", [0.5], [0.0]),
    ("F.hardshrink(a, 0.5)", [-0.5], [0.0]),
    ("F.softshrink(a, 0.5)", [0.5], [0.0]),
    ("F.smooth_l1_loss(a, b)", [nan, 0.0], [nan, nan]),
    ("F.huber_loss(a, b)", [nan, 0.0], [nan, nan]),
    ("F.hardswish(a)", [3.0], [1.0]),
    ("F.hardswish(a)", [-3.0], [0.0]),
    ("F.elu(a)", [0.0], [1.0]),
    ("torch.clamp(a, 0, 1)", [0.0], [1.0]),
    ("torch.clamp(a, 0, 1)", [1.0], [1.0]),
    ("torch.clamp(a, 0, 1)", [2.0], [0.0]),
    ("torch.clamp(a, 0, 1)", [-1.0], [0.0]),
    ("torch.maximum(a, b)", [2.0, 2.0], [0.5, 0.5]),
    ("torch.minimum(a, b)", [2.0, 2.0], [0.5, 0.5]),
    ("torch.fmax(a, b)", [2.0, 2.0], [1.0, 0.0]),
    ("torch.max(a)", [[1.0, 3.0, 3.0]], [[0.0, 0.5, 0.5]]),
    ("torch.min(a)", [[3.0, 1.0, 1.0]], [[0.0, 0.5, 0.5]]),
    ("torch.amax(a, 0)", [[1.0, 3.0, 3.0]], [[0.0, 0.5, 0.5]]),
    ("torch.max(a, dim=0)[0]", [[[3.0, 1.0], [3.0, 2.0]]], [[[1.0, 0.0], [0.0, 1.0]]]),
    ("torch.median(a)", [[3.0, 1.0, 1.0, 2.0]], [[0.0, 0.5, 0.5, 0.0]]),
    ("torch.nanmedian(a)", [[3.0, 1.0, 1.0, 2.0]], [[0.0, 0.5, 0.5, 0.0]]),
    ("torch.nanmedian(a)", [[3.0, nan, 1.0]], [[0.0, 0.0, 1.0]]),
    ("torch.cummax(a, 0)[0]", [[1.0, 1.0, 2.0]], [[1.0, 1.0, 1.0]]),
    ("-torch.amax(a, 0)", [[1.0, 3.0]], [[-0.0, -1.0]]),
    ("-torch.nansum(a)", [[1.0, nan]], [[-1.0, -0.0]]),
    ("-torch.nan_to_num(a)", [[1.0, nan, inf]], [[-1.0, -0.0, -0.0]]),
    ("torch.renorm(a, 2, 0, 1.0)", [[[nan, 1.0], [0.0, 0.0]]], [[[1.0, 1.0], [1.0, 1.0]]]),
    ("torch.sqrt(a)", [0.0], [inf]),
    ("a ** 0.5", [0.0], [inf]),
    ("torch.norm(a)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("torch.norm(a, 3)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("torch.std(a)", [[1.0, 1.0]], [[0.0, 0.0]]),
    ("torch.std(a)", [[2.0]], [[nan]]),
    ("torch.prod(a)", [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]]),
    ("torch.prod(a)", [[0.0, 0.0, 3.0]], [[0.0, 0.0, 0.0]]),
    ("torch.prod(a)", [[0.0, inf, 2.0]], [[inf, 0.0, nan]]),
    ("torch.prod(a)", [[0.0, nan, 2.0]], [[nan, 0.0, nan]]),
    ("torch.cumprod(a, 0)", [[0.0, 2.0, 3.0]], [[9.0, 0.0, 0.0]]),
    ("torch.cumprod(a, 0)", [[0.0, inf, 2.0]], [[inf, 0.0, 0.0]]),
    ("torch.cumprod(a, 0)", [[inf, 0.0, 2.0]], [[nan, inf, 0.0]]),
    ("a / a", [0.0], [nan]),
    ("a / b", [0.0, 0.0], [inf, nan]),
    ("a ** -1", [0.0], [-inf]),
    ("1 / a", [0.0], [-inf]),
    ("torch.reciprocal(a)", [0.0], [-inf]),
    ("torch.pow(a, b)", [0.0, 0.0], [0.0, 0.0]),
    ("torch.pow(a, b)", [-2.0, 2.0], [-4.0, nan]),
    ("torch.pow(a, b)", [0.0, 0.5], [inf, 0.0]),
    ("torch.pow(a, b)", [0.0, -1.0], [-inf, -inf]),
    ("torch.atan2(a, b)", [0.0, 0.0], [0.0, -0.0]),
    ("torch.hypot(a, b)", [0.0, 0.0], [nan, nan]),
    ("torch.xlogy(a, b)", [0.0, 0.0], [0.0, nan]),
    ("torch.where(a > 0, torch.sqrt(a), 0.0)", [0.0], [nan]),
    ("torch.where(a > 0, torch.log(a), 0.0)", [-1.0], [-0.0]),
    ("torch.logsumexp(a, 0)", [[-inf, -inf]], [[nan, nan]]),
    ("torch.sinc(a)", [0.0], [0.0]),
    ("torch.sigmoid(a)", [-800.0], [0.0]),
    ("torch.acos(a)", [1.0], [-inf]),
    ("torch.asin(a)", [1.0], [inf]),
    ("torch.log(a)", [0.0], [inf]),
    ("torch.copysign(a, b)", [0.0, 1.0], [0.0, 0.0]),
    ("torch.remainder(a, b)", [-5.0, 3.0], [1.0, 2.0]),
    ("torch.floor(a)", [1.0], [0.0]),
    ("torch.sign(a)", [0.0], [0.0]),
    ("torch.round(a)", [0.5], [0.0]),
    ("-torch.floor(a)", [1.5], [0.0]),
    ("-torch.relu(a)", [-1.5], [0.0]),
    ("torch.det(a)", [[[1.0, 2.0], [2.0, 4.0]]], [[[4.0, -2.0], [-2.0, 1.0]]]),
    (
        "torch.det(a)",
        [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]],
        [[[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]]],
    ),
]

#: Where torch has something else: of a singular matrix it says the determinant does not depend on it.
NOT_IN_TORCH = {"torch.det(a)"}


def label(value: object) -> str:
    return str(value).replace(" ", "")


@pytest.mark.parametrize("as_array", [False, True], ids=["number", "array"])
@pytest.mark.parametrize("lifted", [False, True], ids=["plain", "create_graph"])
@in_one_test("text, operands, wanted", ROWS)
def test_gradient(text: str, operands: list, wanted: list, lifted: bool, as_array: bool) -> None:
    arrays = [np.array([x]) if as_array and isinstance(x, float) else np.array(x) for x in operands]
    function = in_our_words(text, len(operands))
    with np.errstate(all="ignore"):
        leaves = [leaf_of(array, True) for array in arrays]
        out = flat(function(*leaves))[0]
        mode.site = None
        got = grad(out, leaves, leaf_of(np.ones(out.shape), False), create_graph=lifted)
    for slope, right in zip(got, wanted, strict=True):
        expected = np.broadcast_to(np.array(right, float), slope.shape)
        if "det" in text:
            np.testing.assert_allclose(slope.data, expected, atol=1e-12)
            continue
        np.testing.assert_array_equal(slope.data, expected)
        zeros = expected == 0
        np.testing.assert_array_equal(np.signbit(slope.data)[zeros], np.signbit(expected)[zeros])


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:std\\(\\)")
@pytest.mark.parametrize(("text", "operands", "wanted"), ROWS, ids=label)
def test_torch_has_the_same(text: str, operands: list, wanted: list) -> None:
    import torch

    if text in NOT_IN_TORCH:
        pytest.skip("the one exception")
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in operands]
    out = flat(in_torchs_words(text, len(operands))(*leaves))[0]
    got = torch.autograd.grad(out, leaves, torch.ones_like(out), allow_unused=True)
    for slope, leaf, right in zip(got, leaves, wanted, strict=True):
        slope = torch.zeros_like(leaf) if slope is None else slope
        np.testing.assert_array_equal(slope.numpy(), np.array(right, float))


def in_our_words(text: str, count: int) -> Any:
    outcome = run_script(f"def kink({', '.join('ab'[:count])}):\n    return {text}\n")
    assert outcome.error is None
    return outcome.names["kink"]


def in_torchs_words(text: str, count: int) -> Any:
    import torch

    names = {"torch": torch, "F": torch.nn.functional}
    exec(f"def kink({', '.join('ab'[:count])}):\n    return {text}\n", names)
    return names["kink"]
