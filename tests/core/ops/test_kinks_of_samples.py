"""Kinks are looked for in every sample: none is told where all numbers were drawn at random."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import Kink
from autodiff.core.why.kinks import kinks_of
from ops.engines import compiled, flat, leaf_of, script, weights
from ops.operands import Call, read
from ops.table import FAMILIES, samples_of
from seeds import MORE

#: A usual run looks into the first sample of a function and each so manyth after it.
STRIDE = 1 if MORE >= 1 else 3
#: A row's correlation with itself is 1, which is a bound of what it is clamped to.
ON_A_BOUND = "corrcoef("


def found_in(function: Any, call: Call, source: Source) -> dict[str, tuple[Kink, ...]]:
    """The kinks of a sample, output by output."""
    leaves = [leaf_of(x.array, x.is_leaf) for x in call.operands]
    with np.errstate(all="ignore"):
        outputs = flat(function(*leaves))
        mode.site = None
        found = {}
        for at, out in enumerate(outputs):
            if out.__class__ is not Tensor or not out.requires_grad:
                continue
            root = out.node
            order = newest_first([root])
            seed = 1.0 if root.out.__class__ is float else weights(out.shape, root.out.dtype, 1.0)
            cotangents = sweep(order, {root: seed})
            found[f"output {at}"] = kinks_of(order, cotangents, partial(NodeNames, order, source), 1)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_generic_numbers_sit_on_no_kink(family: str) -> None:
    seen = 0
    for texts in samples_of(family).values():
        texts = texts[::STRIDE]
        source = Source(script(texts))
        for text, function in zip(texts, compiled(texts), strict=True):
            call = read(text)
            try:
                found = found_in(function, call, source)
            except AutodiffError:
                continue
            generic = all(x.is_generic or not x.is_leaf for x in call.operands)
            if generic and ON_A_BOUND not in text:
                assert not any(found.values()), (
                    text,
                    [kink.text for kinks in found.values() for kink in kinks],
                )
                seen += 1
    assert seen
