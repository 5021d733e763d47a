"""Pooling and resizing against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, compare_errors
from op_oracle import Case, compare_with_torch

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(9)


def distinct(*shape: int) -> np.ndarray:
    """Entries in random order that are all different, so that no maximum is tied."""
    return rng.permutation(np.linspace(-2.0, 2.0, int(np.prod(shape)))).reshape(shape)


LINE, PLANE = distinct(2, 3, 8), distinct(2, 2, 5, 6)


def words(op: str, name: str, *args, **kwargs) -> Case:
    function = call(f"F.{name}")
    check = kwargs.pop("check_name", True)
    return Case(op, lambda *a: function(*a, **kwargs), args, name=f"{name}{kwargs}", check_name=check)


@pytest.mark.parametrize(
    "options", [{}, {"stride": 1}, {"padding": 1, "ceil_mode": True}, {"dilation": 2}], ids=str
)
def test_places_of_the_maxima(options: dict) -> None:
    for name, x in (("max_pool1d", LINE), ("max_pool2d", PLANE)):
        compare_with_torch(
            words("pick", name, x, 3 if "padding" in options else 2, return_indices=True, **options), "plain"
        )


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("max_pool2d", (PLANE[0, 0], 2), {}),
        ("max_pool1d", (LINE, 9), {}),
        ("max_pool1d", (LINE, 2), {"padding": 2}),
        ("interpolate", (LINE,), {}),
        ("interpolate", (LINE, 3), {"scale_factor": 2}),
        ("interpolate", (LINE, 3), {"align_corners": True}),
        ("pixel_shuffle", (PLANE, 2), {}),
        ("pixel_unshuffle", (PLANE, 2), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(name: str, args: tuple, kwargs: dict) -> None:
    compare_errors(f"F.{name}", args, kwargs)
