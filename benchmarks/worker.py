"""One side of one workload, measured by itself in its own process.

A workload module calls ``answer`` with its sides: functions from the workload's arguments to a function
that does the work once and gives the gradients. What it prints is one line of JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.cases import ADDED, BYTES, SECONDS

Run = Callable[[], list[Any]]

MOST_RUNS = 50


def answer(
    sides: Mapping[str, Callable[..., Run]], gradients: Mapping[str, Callable[..., Run]] | None = None
) -> None:
    """Prepare the side asked for, then time it, or save its gradients for a comparison.

    ``gradients`` are for sides whose work has another result: they do what gives gradients to compare.
    """
    asked = argparse.ArgumentParser()
    asked.add_argument("side", choices=sides)
    asked.add_argument("arguments", nargs="*")
    asked.add_argument("--seconds", type=float, default=1.0, help="how long to repeat")
    asked.add_argument("--save", metavar="FILE", help="write the gradients here, and measure nothing")
    options = asked.parse_args()
    # As in the command line: the collector costs those who have cycles and those who have none alike.
    # A side whose users suffer from it is measured with it as well, and named so.
    gc.disable()
    # Some peers walk their graphs by recursion.
    sys.setrecursionlimit(10**8)
    prepared = gradients if gradients and options.save else sides
    run = prepared[options.side](*map(argument, options.arguments))
    if options.side.endswith(", gc"):
        gc.enable()
    if options.save:
        save(options.save, run())
    else:
        before = start_of_peak()
        seconds, runs = time(run, options.seconds)
        peak = peak_memory()
        print(json.dumps({SECONDS: seconds, "runs": runs, BYTES: peak, ADDED: peak - before}))


def argument(text: str) -> str | int:
    return int(text) if text.isdigit() else text


def time(run: Run, most: float) -> tuple[float, int]:
    """The median of the runs that fit into ``most`` seconds, and their number.

    The first warms up and does not count, unless it takes so long that warming up is no matter.
    """
    times = [once(run)]
    if times[0] < most:
        times.clear()
    started = perf_counter()
    while not times or (perf_counter() - started < most and times[0] < most and len(times) < MOST_RUNS):
        times.append(once(run))
    return median(times), len(times)


def once(run: Run) -> float:
    started = perf_counter()
    run()
    return perf_counter() - started


def start_of_peak() -> int:
    """Forget the peak of the preparation, where the system can, and say the peak from which it goes on."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak_memory()


def peak_memory() -> int:
    """The most memory this process has had, in bytes.

    Not ``ru_maxrss`` where it can be helped: a process inherits that from whoever started it.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def memory_now() -> int:
    """The memory this process has in use, in bytes; Linux tells."""
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def save(path: str, gradients: list[Any]) -> None:
    import numpy as np

    np.savez(path, *[np.asarray(gradient) for gradient in gradients])
