"""Linear algebra has one thread until an array is large: in the command line alone, if nobody said else."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """\
import ctypes, os, sys
from autodiff.cli import main
from autodiff.cli.process import numpy_setup
from autodiff.core.base.lazy_imports import np

def count(what):
    linked = ctypes.CDLL(sys.modules["numpy._core._multiarray_umath"].__file__)
    found = [getattr(linked, name.format(what), None) for name in numpy_setup.NAMES]
    return next((function() for function in found if function is not None), 0)

def supervise(work, *others):
    assert work() == 0
    assert numpy_setup.VARIABLE not in os.environ or numpy_setup.VARIABLE in said
    print(count("get_num_threads"), count("get_num_procs"), file=sys.stderr)

said = set(os.environ)
if sys.argv[1:]:
    main.supervise = supervise
    main.main()
else:
    np.zeros((200, 200))
    print(count("get_num_threads"), count("get_num_procs"), file=sys.stderr)
"""
SMALL = "x = ones(9, 9, requires_grad=True)\nL = (x @ x).sum()"
LARGE = "x = ones(200, 200, requires_grad=True)\nL = (x @ x).sum()"
LATER = f"y = ones(2)\n{LARGE}"
LISTED = "x = tensor([[0.5] * 200] * 200, requires_grad=True)\nL = (x @ x).sum()"


def threads(*arguments: str, **said: str) -> tuple[int, int]:
    """How many threads numpy's library has at the end, and how many processors it sees."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=kept | said,
    )
    has, sees = map(int, done.stderr.split()[-2:])
    if not sees:
        pytest.skip("numpy's linear algebra is not OpenBLAS here")
    if sees == 1:
        pytest.skip("with one processor there is one thread anyway")
    return has, sees


def test_a_small_script_has_one_thread() -> None:
    assert threads("grad", "-e", SMALL)[0] == 1


@pytest.mark.parametrize("script", [LARGE, LATER, LISTED])
def test_a_large_array_brings_the_others(script: str) -> None:
    has, sees = threads("grad", "-e", script)
    assert has == sees


def test_whoever_imports_the_engine_has_all() -> None:
    has, sees = threads()
    assert has == sees


def test_what_the_user_says_holds() -> None:
    assert threads("grad", "-e", LARGE, OMP_NUM_THREADS="1")[0] == 1
    has, sees = threads("grad", "-e", SMALL, OPENBLAS_NUM_THREADS="2")
    assert has == min(2, sees)
