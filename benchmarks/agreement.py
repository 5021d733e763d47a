"""Whether two sides came to the same gradients: ``python -m benchmarks.agreement TOLERANCE FILE FILE``.

A process of its own, because the one that starts the others must stay small: what it holds is counted to
the peak memory of those it starts.
"""

from __future__ import annotations

import sys

import numpy as np


def largest_difference(mine: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    """The largest difference, each array's relative to its largest entry; infinite where shapes differ."""
    if len(mine) != len(theirs):
        return np.inf
    worst = 0.0
    for a, b in zip(mine, theirs, strict=True):
        if a.shape != b.shape or not np.isfinite(b).all():
            return np.inf
        gap = float(np.max(np.abs(a.astype(float) - b.astype(float)), initial=0.0))
        size = float(np.max(np.abs(b.astype(float)), initial=0.0))
        worst = max(worst, gap / size if size else gap)
    return worst


def main() -> None:
    tolerance, mine, theirs = float(sys.argv[1]), np.load(sys.argv[2]), np.load(sys.argv[3])
    difference = largest_difference([mine[name] for name in mine], [theirs[name] for name in theirs])
    print(f"{difference:.1e}")
    # Written so that nan is no agreement.
    sys.exit(0 if difference <= tolerance else 1)


if __name__ == "__main__":
    main()
