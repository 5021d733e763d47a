"""The command line has numpy without its documentation, and with everything else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from autodiff.core.base.fast_paths import is_fast

pytestmark = pytest.mark.skipif(not is_fast, reason="numpy is as it is")

NAMES = (
    "print(*sorted(dir(np)), *sorted(dir(np.ndarray)), *sorted(dir(np.linalg)), np.add([1], np.float32(0.1)))"
)
BARE = f"""\
import sys
from autodiff.cli.process import numpy_setup
{{more}}
before = list(sys.meta_path)
numpy_setup.leave_texts_out()
from autodiff.core.base.lazy_imports import np
np.add
assert sys.meta_path == before
numpy_setup.remove_finder()
import numpy as np
print(len(np.add.__doc__ or ""), len(np.array.__doc__ or ""), file=sys.stderr)
{NAMES}
"""


def ran(code: str) -> tuple[str, list[int]]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout, list(map(int, done.stderr.split()))


def test_all_but_the_texts_is_there() -> None:
    names, lengths = ran(BARE.format(more=""))
    assert lengths[1] < 100
    assert names == ran(f"import numpy as np\n{NAMES}")[0]


@pytest.mark.parametrize(
    "more", ["numpy_setup.KNOWN = {'1.9'}", "import numpy", "numpy_setup.is_fast = False"]
)
def test_other_versions_and_who_has_it_by_now_keep_them(more: str) -> None:
    _, lengths = ran(BARE.format(more=more))
    assert lengths[1] > 1000
