"""Pooling and resizing against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(9)


def distinct(*shape: int) -> np.ndarray:
    """Entries in random order that are all different, so that no maximum is tied."""
    return rng.permutation(np.linspace(-2.0, 2.0, int(np.prod(shape)))).reshape(shape)


LINE, PLANE, SPACE = distinct(2, 3, 8), distinct(2, 2, 5, 6), distinct(1, 2, 4, 3, 4)


def words(op: str, name: str, *args, **kwargs) -> Case:
    function = call(f"F.{name}")
    check = kwargs.pop("check_name", True)
    return Case(op, lambda *a: function(*a, **kwargs), args, name=f"{name}{kwargs}", check_name=check)


def samples() -> list[Case]:
    table = []
    for pool, op in (("max", "pick"), ("avg", "windows")):
        table += [
            words(op, f"{pool}_pool1d", LINE, 2),
            words(op, f"{pool}_pool1d", LINE, 3, 2, 1),
            words(op, f"{pool}_pool1d", LINE, 3, stride=2, ceil_mode=True),
            words(op, f"{pool}_pool1d", LINE[0], 2, check_name=False),
            words(op, f"{pool}_pool2d", PLANE, 2),
            words(op, f"{pool}_pool2d", PLANE, (3, 2), stride=(2, 1), padding=(1, 0)),
            words(op, f"{pool}_pool2d", PLANE, 3, stride=2, padding=1, ceil_mode=True),
            words(op, f"{pool}_pool2d", PLANE, 2, stride=3, ceil_mode=True),
            words(op, f"{pool}_pool2d", PLANE[0], 2),
            words(op, f"{pool}_pool3d", SPACE, 2, check_name=False),
            words(op, f"adaptive_{pool}_pool1d", LINE, 3, check_name=False),
            words(op, f"adaptive_{pool}_pool2d", PLANE, 1, check_name=False),
            words(op, f"adaptive_{pool}_pool2d", PLANE, (2, 3), check_name=False),
            words(op, f"adaptive_{pool}_pool2d", PLANE, (None, 4), check_name=False),
            words(op, f"adaptive_{pool}_pool3d", SPACE, 2, check_name=False),
        ]
    table += [
        words("pick", "max_pool2d", PLANE, 2, dilation=2),
        words("pick", "max_pool2d", np.zeros((1, 1, 4, 4)), 2),
        words("windows", "avg_pool2d", PLANE, 3, padding=1, count_include_pad=False),
        words("windows", "avg_pool2d", PLANE, 2, divisor_override=3),
        words("mm", "interpolate", LINE, 5),
        words("mm", "interpolate", LINE, scale_factor=2),
        words("mm", "interpolate", PLANE, (3, 9)),
        words("mm", "interpolate", PLANE, scale_factor=1.5),
        words("mm", "interpolate", SPACE, 3),
        words("mm", "interpolate", LINE, 5, mode="linear"),
        words("mm", "interpolate", LINE, 5, mode="linear", align_corners=True),
        words("mm", "interpolate", PLANE, (4, 9), mode="bilinear"),
        words("mm", "interpolate", PLANE, scale_factor=2, mode="bilinear", align_corners=True),
        words("mm", "interpolate", SPACE, (2, 5, 4), mode="trilinear"),
        words("reshape", "pixel_shuffle", distinct(2, 8, 2, 3), 2),
        words("reshape", "pixel_unshuffle", distinct(2, 2, 4, 6), 2),
        words("reshape", "pixel_shuffle", distinct(9, 2, 2), 3),
    ]
    return table


@pytest.mark.parametrize(("sample", "variant"), cases_of(with_curved(samples())), ids=label)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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
