"""Windows, padding, convolutions and their transposes against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import compare_errors

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(8)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, shape)


LINE, PLANE = values(2, 4, 7), values(2, 4, 5, 6)


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("conv1d", (LINE, values(6, 2, 3)), {}),
        ("conv1d", (LINE[0, 0], values(6, 4, 3)), {}),
        ("conv1d", (LINE, values(6, 4, 3), values(3)), {}),
        ("conv1d", (LINE, values(6, 4, 9)), {}),
        ("conv1d", (LINE, values(6, 4, 3)), {"stride": 0}),
        ("conv1d", (LINE, values(6, 4, 3)), {"padding": -1}),
        ("conv1d", (LINE, values(6, 4, 3)), {"groups": 0}),
        ("conv1d", (LINE, values(6, 4, 3)), {"padding": "same", "stride": 2}),
        ("conv1d", (LINE, values(6, 4, 3)), {"padding": "both"}),
        ("conv2d", (PLANE, values(6, 3, 2, 2)), {}),
        ("conv_transpose1d", (LINE, values(3, 4, 3)), {}),
        ("pad", (LINE, (9, 9)), {"mode": "reflect"}),
        ("pad", (LINE, (9, 9)), {"mode": "circular"}),
        ("pad", (LINE, (1,)), {}),
        ("pad", (LINE, (1,) * 8), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(f"F.{name}", args, kwargs)


@pytest.mark.parametrize("shape", [(2,), (1, 3), (1, 1, 1)])
def test_a_transposed_convolution_leaves_something(shape):
    dims = len(shape)
    one = np.ones((1, 1) + (1,) * dims)
    compare_errors(f"conv_transpose{dims}d", (np.ones((1, 1, *shape)), one), {"padding": 1})
