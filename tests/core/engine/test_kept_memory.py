"""The memory of long tapes is left for the next ones."""

from __future__ import annotations

import subprocess
import sys

import pytest
from autodiff.core import tensor
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.fast.tape import MAX_TAPE_ENTRIES
from autodiff.core.graph.state import HEAP_PINS

pytestmark = pytest.mark.skipif(not is_fast, reason="the plain engine has no tapes")

REPEATED = """
import gc
from resource import RUSAGE_SELF, getrusage
from autodiff.core import tensor

gc.disable()  # as in the command line
for _ in range(3):
    before = getrusage(RUSAGE_SELF).ru_minflt
    w = tensor(0.5, requires_grad=True)
    x = w
    for _ in range(300_000):
        x = x * 0.999
    x.backward()
    del w, x
    print(getrusage(RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="page faults are not counted there")
def test_a_long_program_finds_the_memory_that_the_one_before_has_left() -> None:
    first, _, third = map(int, subprocess.check_output([sys.executable, "-c", REPEATED], text=True).split())
    assert first > 1_000  # some 40 MB in pages
    assert third < first / 3


def test_memory_is_kept_of_so_many_tapes_and_no_more() -> None:
    w = tensor(0.5, requires_grad=True)
    for _ in range(MAX_TAPE_ENTRIES * 260):
        w * 0.5
    assert len(HEAP_PINS) == HEAP_PINS.maxlen == 256
    assert all(entry == (0,) * 7 for entry in HEAP_PINS)
