"""Ops of one array on the tape are computed by numpy alone where that is all they are."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.fast.array_operators import is_float_elementwise
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
