"""Ops of one array on the tape are computed by numpy alone where that is all they are."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.fast.array_operators import is_float_elementwise, unwrap_ufunc
from autodiff.core.graph.op import OPS

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine follows the records")


def test_ops_of_one_array_keep_its_type() -> None:
    """What is computed on the tape is not looked at again."""
    tested = 0
    for op in list(OPS.values()):
        if op.of_one is not None and is_float_elementwise(op):
            for dtype in (np.dtype("float32"), np.dtype("float64")):
                with np.errstate(all="ignore"):
                    out = op.forward(np.array([0.3, 0.5], dtype))
                assert (out.dtype, out.shape) == (dtype, (2,)), op.name
            tested += 1
    assert tested > 30


def test_what_numpy_computes_alone_is_asked_of_numpy() -> None:
    assert unwrap_ufunc(OPS["tanh"].forward) is np.tanh
    for forward in (
        lambda x: 2 * np.tanh(x),
        lambda x: np.sqrt(np.tanh(x)),
        lambda x: np.add(x, 1.0),
        lambda x: np.add.reduce(x),
        lambda x: np.tanh(x, dtype="float32"),
        lambda x: np.tanh(x) if x.ndim else x,
        lambda x: np.zeros_like(x),
        lambda x: x,
        abs,
    ):
        assert unwrap_ufunc(forward) is forward


def test_an_op_of_numpy_alone_computes_what_its_record_says() -> None:
    tested = 0
    for op in list(OPS.values()):
        if op.of_one is not None and is_float_elementwise(op) and unwrap_ufunc(op.forward) is not op.forward:
            x = np.array([[0.3, -0.5, 1.5]])
            with np.errstate(all="ignore"):
                assert unwrap_ufunc(op.forward)(x).tobytes() == op.forward(x).tobytes(), op.name
            tested += 1
    assert tested > 15
