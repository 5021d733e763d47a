"""What counts as unread has no part in a result: other numbers there leave every wanted entry as it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.entries_read import AT_EQUAL_NUMBERS, AT_RANDOM_NUMBERS, CHOOSING, entries_read
from autodiff.core.graph.node import ArrayNode
from autodiff.core.graph.topological_order import newest_first
from ops.engines import Run, compiled
from ops.operands import read
from ops.table import FAMILIES, samples_of

#: These two have a value of their own in place of what they do not read.
REPLACING = {"nan_to_num", "without_nan"}
LISTED = {*AT_RANDOM_NUMBERS, *AT_EQUAL_NUMBERS, *CHOOSING} - REPLACING


def nodes_of(family: str) -> Iterator[ArrayNode]:
    """The nodes of listed ops in every fourth sample of a family."""
    for texts in samples_of(family).values():
        for text, function in zip(texts[::4], compiled(texts[::4]), strict=True):
            try:
                run = Run(function, read(text))
            except AutodiffError:
                continue
            for node in newest_first([out.source() for out in run.differentiable]):
                if isinstance(node, ArrayNode) and node.op.name in LISTED:
                    yield node


def check_unread(node: ArrayNode, wanted: np.ndarray, draw: np.random.Generator) -> None:
    """Fail if a wanted entry depends on one that counts as unread."""
    moved = []
    for value, mask in zip(node.operands, entries_read(node, wanted), strict=True):
        x = np.asarray(value)
        if x.dtype.kind == "f" and not np.all(mask):
            x = np.where(mask, x, draw.uniform(0.1, 0.9, x.shape).astype(x.dtype))
        moved.append(x)
    before = np.asarray(node.op.forward(*map(np.asarray, node.operands), **node.params))
    after = np.asarray(node.op.forward(*moved, **node.params))
    assert after[wanted] == pytest.approx(before[wanted], rel=1e-5, abs=1e-7, nan_ok=True), node.op.name


@pytest.mark.parametrize("family", FAMILIES)
def test_unread_entries_have_no_part_in_the_result(family: str) -> None:
    draw = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for node in nodes_of(family):
            one = np.zeros(node.shape, bool)
            if one.size:
                one.flat[draw.integers(one.size)] = True
            for wanted in (one, draw.random(node.shape) < 0.5):
                check_unread(node, np.asarray(wanted), draw)
