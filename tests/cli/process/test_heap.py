"""Arrays that were freed leave their memory to the arrays that follow."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from autodiff.cli.process import numpy_setup

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library decides for itself")

#: Prints how many pages the system had to bring in a third pass through arrays of 320 KB, and how many pages
#: these arrays take.
PASSES = """\
import gc, resource
from autodiff.cli.process.numpy_setup import keep_freed_memory
from autodiff.core import tensor
from autodiff.core.engine.public_functions import FUNCTIONS

gc.disable()
keep_freed_memory()
entries, steps = 40_000, 40
x = tensor([0.5] * entries, requires_grad=True)
tanh, total = FUNCTIONS["torch.tanh"], FUNCTIONS["torch.sum"]

def train():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    x.grad = None  # it may lie behind all that is freed, and the C library gives back what lies at the end
    h = x
    for _ in range(steps):
        h = tanh(h * x)
    total(h).backward()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

train(), train()
print(train(), steps * 2 * entries * 8 // resource.getpagesize())
"""


def pages(**said: str) -> tuple[int, int]:
    kept = {name: value for name, value in os.environ.items() if name not in numpy_setup.HEAP_VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", PASSES],
        capture_output=True,
        text=True,
        check=True,
        env=kept | said,
    )
    brought, taken = map(int, done.stdout.split())
    return brought, taken


@glibc
def test_a_pass_brings_no_pages_for_what_the_last_one_freed() -> None:
    brought, taken = pages(AUTODIFF_FAST="1")
    assert brought < taken / 20


@glibc
@pytest.mark.parametrize(
    "said",
    [
        {"AUTODIFF_FAST": "0"},
        {"AUTODIFF_FAST": "1", "MALLOC_TRIM_THRESHOLD_": "131072"},
        {"AUTODIFF_FAST": "1", "MALLOC_MMAP_MAX_": "65536"},
        {"AUTODIFF_FAST": "1", "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=131072"},
    ],
)
def test_without_it_or_where_the_user_has_said_how_the_c_library_decides(said: dict[str, str]) -> None:
    brought, taken = pages(**said)
    assert brought > taken / 5


#: So many passes through arrays of 320 KB in a script.
SCRIPT = """\
x = torch.full((40_000,), 0.5, requires_grad=True)
for _ in range({passes}):
    h = x
    for _ in range(10):
        h = torch.tanh(h * x)
    h.sum().backward()
"""


def pages_of_command(passes: int, folder: Path) -> int:
    """How many pages the system brings when the command runs so many passes."""
    script = folder / f"{passes}.ad"
    script.write_text(SCRIPT.format(passes=passes), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name not in numpy_setup.HEAP_VARIABLES}
    command = [sys.executable, "-m", "autodiff.cli", "run", str(script)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=kept | {"AUTODIFF_FAST": "1"})
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_minflt


@glibc
def test_the_command_keeps_what_scripts_free(tmp_path: Path) -> None:
    few, many = (pages_of_command(passes, tmp_path) for passes in (5, 45))
    of_a_pass = 20 * 40_000 * 8 // resource.getpagesize()
    assert many - few < of_a_pass
