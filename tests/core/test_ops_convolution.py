"""Windows, padding, convolutions and their transposes against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from op_by_name import call, compare_errors, with_curved
from op_oracle import Case, cases_of, compare_with_torch, label

pytestmark = pytest.mark.oracle

rng = np.random.default_rng(8)


def values(*shape: int) -> np.ndarray:
    return rng.uniform(-1.0, 1.0, shape)


LINE, PLANE, SPACE = values(2, 4, 7), values(2, 4, 5, 6), values(1, 2, 3, 4, 3)
BIAS = values(6)


def words(op: str, name: str, *args, **kwargs) -> Case:
    function = call(f"F.{name}")
    check = kwargs.pop("check_name", True)
    return Case(op, lambda *a: function(*a, **kwargs), args, name=f"{name}{kwargs}", check_name=check)


def convolutions() -> list[Case]:
    return [
        words("windows", "conv1d", LINE, values(6, 4, 3)),
        words("windows", "conv1d", LINE, values(6, 4, 3), BIAS),
        words("windows", "conv1d", LINE, values(6, 4, 3), BIAS, stride=2, padding=1),
        words("windows", "conv1d", LINE, values(6, 4, 2), padding="same"),
        words("windows", "conv1d", LINE, values(6, 4, 2), padding="valid", dilation=3),
        words("windows", "conv1d", LINE, values(6, 2, 3), BIAS, groups=2),
        words("windows", "conv1d", LINE, values(4, 1, 3), groups=4, stride=(2,)),
        words("windows", "conv1d", LINE[0], values(6, 4, 3), check_name=False),
        words("windows", "conv2d", PLANE, values(6, 4, 3, 2)),
        words("windows", "conv2d", PLANE, values(6, 4, 3, 3), BIAS, stride=(2, 1), padding=(1, 2)),
        words("windows", "conv2d", PLANE, values(6, 4, 2, 2), dilation=(2, 3), padding="same"),
        words("windows", "conv2d", PLANE, values(6, 2, 1, 1), BIAS, groups=2),
        words("windows", "conv2d", PLANE[1], values(6, 4, 2, 2), check_name=False),
        words("windows", "conv3d", SPACE, values(3, 2, 2, 2, 2), padding=1, stride=2),
    ]


def transposed() -> list[Case]:
    return [
        words("add_windows", "conv_transpose1d", LINE, values(4, 3, 3)),
        words("add_windows", "conv_transpose1d", LINE, values(4, 6, 3), BIAS, stride=2, padding=1),
        words("add_windows", "conv_transpose1d", LINE, values(4, 3, 2), stride=3, output_padding=2),
        words("add_windows", "conv_transpose1d", LINE, values(4, 3, 2), groups=2, dilation=2),
        words("add_windows", "conv_transpose2d", PLANE, values(4, 6, 3, 2), BIAS),
        words(
            "add_windows",
            "conv_transpose2d",
            PLANE,
            values(4, 2, 3, 3),
            stride=2,
            padding=1,
            output_padding=1,
        ),
        words("add_windows", "conv_transpose2d", PLANE[0], values(4, 2, 2, 2), check_name=False),
        words("add_windows", "conv_transpose3d", SPACE, values(2, 3, 2, 1, 2), stride=2),
    ]


def pads() -> list[Case]:
    table = []
    for x, sizes in ((LINE, (1, 2)), (LINE, (0, 3)), (PLANE, (1, 2, 0, 1)), (PLANE, (2, 2, 1, 1))):
        table += [words("constant_pad", "pad", x, sizes), words("constant_pad", "pad", x, sizes, value=1.5)]
        for mode in ("reflect", "replicate", "circular"):
            table.append(words("index_select", "pad", x, sizes, mode=mode, check_name=mode != "circular"))
    table += [words("constant_pad", "pad", x, (-1, 2)) for x in (LINE, PLANE)]
    table.append(words("constant_pad", "pad", PLANE, (-1, -1, 0, 1), value=-2.0))
    return table


def columns() -> list[Case]:
    flat = values(2, 12, 20)
    return [
        words("windows", "unfold", PLANE, 2),
        words("windows", "unfold", PLANE, (3, 2), padding=1, stride=2),
        words("windows", "unfold", PLANE, 2, dilation=2),
        words("windows", "unfold", PLANE[0], 2),
        words("add_windows", "fold", flat, (5, 6), 2),
        words("add_windows", "fold", flat[0], (5, 6), (2, 2)),
        words("add_windows", "fold", values(2, 9, 9), (5, 5), 3, padding=1, stride=2),
    ]


@pytest.mark.parametrize(
    ("sample", "variant"),
    cases_of(with_curved(convolutions() + transposed() + pads() + columns())),
    ids=label,
)
def test_values_and_gradients(sample: Case, variant: str) -> None:
    compare_with_torch(sample, variant)


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
