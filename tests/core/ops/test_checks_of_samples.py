"""``check`` on one sample of every function: no gradient of a function of the language is called wrong."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.check.verify import verify
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.report.records import ReportedPass
from autodiff.core.report.verdict import OK, WRONG, GradientCheck
from ops.engines import compiled, flat, leaf_of, weights
from ops.operands import read
from ops.table import FAMILIES, samples_of


def checks_of(text: str) -> list[GradientCheck]:
    """The checks of the first output of a sample that has a gradient, for every leaf."""
    [function] = compiled([text])
    leaves = [leaf_of(x.array, x.is_leaf) for x in read(text).operands]
    outputs = flat(function(*leaves))
    mode.site = None
    for out in outputs:
        if out.__class__ is not Tensor or not out.requires_grad:
            continue
        order = newest_first([out.node])
        seed = 1.0 if out.value.__class__ is float else weights(out.shape, out.data.dtype, 1.0)
        below = [node for node in order if isinstance(node, Leaf)]
        wrt = tuple((f"x{at}", node) for at, node in enumerate(below))
        subject = ReportedPass("L", out.node, seed, None, wrt, order, sweep(order, {out.node: seed}))
        return [verify(subject, spelled, node, 1, 0) for spelled, node in wrt]
    return []


@pytest.mark.parametrize("family", FAMILIES)
def test_no_gradient_is_called_wrong(family: str) -> None:
    found: list[GradientCheck] = []
    for texts in samples_of(family).values():
        for text in texts[:1]:
            with np.errstate(all="ignore"):
                try:
                    checks = checks_of(text)
                except AutodiffError:  # a sample of what is refused
                    continue
            assert not [(c.name, c.worst, c.given, c.expected) for c in checks if c.verdict == WRONG], text
            found += checks
    right = sum(check.verdict == OK for check in found)
    assert right >= 0.8 * len(found)  # the others sit on kinks
