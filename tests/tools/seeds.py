"""Which random examples the tests try: the same in every run, unless the environment asks for others.

``AUTODIFF_TEST_SEED`` (0) moves every seed, and ``AUTODIFF_TEST_MORE`` multiplies the number of examples that
a test names. A usual run tries a fifth of them, ``.ci/run`` three times as many. ``make nightly`` chooses a
seed, asks for ten times as many and prints the command.
"""

from __future__ import annotations

import os

SEED = int(os.environ.get("AUTODIFF_TEST_SEED", "0"))
MORE = float(os.environ.get("AUTODIFF_TEST_MORE", "0.2"))


def examples(count: int) -> int:
    """How many examples a test tries that names ``count`` of them."""
    return max(1, round(count * MORE))


def seeds(count: int) -> range:
    """The seeds of these examples."""
    return range(SEED, SEED + examples(count))


def blocks(count: int, size: int) -> list[range]:
    """The same seeds in blocks, each for one test."""
    all_of_them = seeds(count)
    return [all_of_them[start : start + size] for start in range(0, len(all_of_them), size)]
