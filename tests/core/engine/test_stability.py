"""Extreme inputs: where PyTorch's value, gradient or second gradient is finite, ours is the same number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core import grad, tensor
from op_by_name import call
from op_oracle import Case, ask_autodiff, ask_torch

pytestmark = pytest.mark.oracle

INPUTS = {
    "large": [1e4, -1e4, 1.0, 0.0],
    "all large": [1e4, 1e4, 1e4],
    "all small": [-1e4, -1e4, -1e4],
    "opposite": [1e4, -1e4],
    "nearly equal": [1e4, 1e4 - 1, 1e4 - 2],
    "ties": [2.0, 2.0, -1.0, 2.0],
    "zeros": [0.0, 0.0, 0.0],
    "zeros of both signs": [0.0, -0.0, 1.0],
    "one zero": [0.0, 3.0, -4.0],
    "one": [3.0],
    "huge": [1e200, -1e200, 1.0],
    "tiny": [1e-200, -1e-200, 1e-300],
    "around 20": [19.9, 20.1, -20.0, -20.1],
    "around 37": [36.0, -37.0, 745.0, -745.0],
    "infinity": [np.inf, 0.0, 1.0],
    "minus infinity": [-np.inf, 0.0, 1.0],
    "only minus infinity": [-np.inf, -np.inf],
    "infinities": [np.inf, -np.inf, 0.0],
    "two infinities": [np.inf, np.inf, 0.0],
    "nan": [np.nan, 0.0, 1.0],
}


def along(name: str, **kwargs: Any) -> Any:
    return lambda x: call(name)(x, 0, **kwargs)


def of_entries(name: str, **kwargs: Any) -> Any:
    return lambda x: call(name)(x, **kwargs)


def against_ones(name: str, reduction: str, target: float) -> Any:
    """A loss against the same target everywhere."""
    return lambda x: call(name)(x, x.detach() * 0 + target, reduction=reduction)


FUNCTIONS = {
    "softmax": along("softmax"),
    "log_softmax": along("log_softmax"),
    "softmin": lambda x: call("F.softmin")(x, dim=0),
    "logsumexp": along("logsumexp"),
    "logcumsumexp": along("logcumsumexp"),
    "softplus": of_entries("F.softplus"),
    "softplus, beta 3": of_entries("F.softplus", beta=3.0),
    "logsigmoid": of_entries("F.logsigmoid"),
    "sigmoid": of_entries("sigmoid"),
    "tanh": of_entries("tanh"),
    "silu": of_entries("F.silu"),
    "gelu": of_entries("F.gelu"),
    "mish": of_entries("F.mish"),
    "elu": of_entries("F.elu"),
    "logaddexp": lambda x: call("logaddexp")(x, call("flip")(x, (0,))),
    **{
        f"binary_cross_entropy_with_logits, target {target}, {reduction}": against_ones(
            "F.binary_cross_entropy_with_logits", reduction, target
        )
        for target in (0.0, 0.25, 1.0)
        for reduction in ("none", "mean")
    },
    "norm": of_entries("norm"),
    "norm along": lambda x: call("norm")(x, 2, 0),
    **{f"norm, p = {p}": of_entries("norm", p=p) for p in (1, 3, 1.5, np.inf, -np.inf)},
    "std": of_entries("std"),
    "var": of_entries("var"),
    "std, all of them": of_entries("std", correction=0),
    "normalize": lambda x: call("F.normalize")(x, dim=0),
    "amax": of_entries("amax"),
    "softsign": of_entries("F.softsign"),
}


def check(name: str, function: Any, *args: np.ndarray) -> None:
    sample = Case(name, function, args, name=name)
    theirs, ours = ask_torch(sample, "plain"), ask_autodiff(sample, "plain")
    for order in ("values", "first", "second"):
        for right, mine in zip(getattr(theirs, order), getattr(ours, order), strict=True):
            finite = np.isfinite(right)
            np.testing.assert_allclose(mine[finite], right[finite], rtol=1e-11, atol=1e-14, err_msg=order)
            if not finite.all() and (order == "first" or np.isnan(right).any()):
                return  # what torch has for the slope of nan means nothing


@pytest.mark.parametrize("which", INPUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_extremes(name: str, which: str) -> None:
    check(name, FUNCTIONS[name], np.array(INPUTS[which]))


@pytest.mark.parametrize("which", INPUTS)
@pytest.mark.parametrize("target", [0, -1])
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_cross_entropy_at_extremes(which: str, target: int, reduction: str) -> None:
    x = np.array(INPUTS[which])
    index = np.asarray(target % len(x))
    check("cross_entropy", lambda x, i: call("F.cross_entropy")(x, i, reduction=reduction), x, index)


def test_the_slope_of_log_ndtr_far_out() -> None:
    """It is 1e4 + 1e-4 at -1e4, where torch loses half the digits; and 0 at 1e4, and so is its slope."""
    x = tensor([-1e4, 1e4], requires_grad=True)
    (slope,) = grad([call("special.log_ndtr")(x)], [x], [tensor([1.0, 1.0])], create_graph=True)
    (curvature,) = grad([slope], [x], [tensor([1.0, 1.0])])
    np.testing.assert_allclose(slope.data, [1e4 + 1e-4, 0.0], rtol=1e-14)
    np.testing.assert_allclose(curvature.data, [-1.0, 0.0], rtol=1e-7)
