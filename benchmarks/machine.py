"""What the measurements run on: how idle it is, which interpreters know the peers, which versions."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

#: Distributions that sides ask for or whose versions belong to a result.
DISTRIBUTIONS = ("numpy", "torch", "autograd", "mygrad", "micrograd", "jax", "networkx", "rich", "sympy")
ASK = """\
import importlib.metadata as metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


def busy_and_idle() -> tuple[int, int] | None:
    """Clock ticks of all processors since the start of the system; None where nobody counts them."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    except OSError:
        return None
    user, nice, system, idle, waiting, *rest = map(int, first.split()[1:])
    return user + nice + system + sum(rest[:3]), idle + waiting


def idle_share(seconds: float = 0.5) -> float | None:
    """The share of all processors that nobody used for ``seconds``; None where it cannot be known."""
    before = busy_and_idle()
    time.sleep(seconds)
    after = busy_and_idle()
    if before is None or after is None:
        return None
    busy, idle = after[0] - before[0], after[1] - before[1]
    return idle / (busy + idle) if busy + idle else 1.0


def wait_until_idle(least: float, most_seconds: float) -> float | None:
    """Wait until the machine is idle enough, but not forever; the share that was idle at the end."""
    until = time.monotonic() + most_seconds
    while True:
        share = idle_share()
        if share is None or share >= least or time.monotonic() >= until:
            return share
        time.sleep(2)


class Interpreters:
    """Which Python runs which peer: this one where it can, else the first of the others that can."""

    def __init__(self, others: list[str]) -> None:
        self.versions = {python: versions_in(python) for python in (sys.executable, *others)}

    def of(self, needs: str) -> str | None:
        """The interpreter for a side; None where what it needs is not installed anywhere."""
        if not needs:
            return sys.executable
        return next((python for python, found in self.versions.items() if needs in found), None)

    def version(self, name: str) -> str:
        """As in ``2.4.6``; ``-`` where it is not installed."""
        return next((found[name] for found in self.versions.values() if name in found), "-")


def versions_in(python: str) -> dict[str, str]:
    done = subprocess.run(
        [python, "-c", ASK, *DISTRIBUTIONS], capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found
