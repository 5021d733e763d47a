"""What is compared: a Case is one piece of work, done by us, by an anchor, and by other peers.

Every workload module has a function ``cases(scale)``. Sizes are multiplied by ``scale``, so that the same
code runs small in tests; targets are meant for a scale of 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

#: What a figure may be: time, the peak memory of the process, and what its work added to that before.
SECONDS, BYTES, ADDED = "seconds", "bytes", "added bytes"


@dataclass(frozen=True)
class Side:
    """One way of doing the work, in a process of its own.

    ``command`` is what follows the interpreter (``-m``, a workload, its arguments), or a whole program where
    ``is_program``. ``needs`` is the distribution that has to be installed. A ``whole`` process is measured
    from outside, from start to exit; the others measure themselves (see worker.py). ``units`` is what the
    figure is divided by, such as the number of ops.
    """

    command: tuple[str, ...]
    needs: str = ""
    whole: bool = False
    is_program: bool = False
    units: float = 1
    #: Whether it answers with gradients that can be compared with the others'.
    answers: bool = True


@dataclass(frozen=True)
class Case:
    """One line of the table. ``row`` is its number there; ``target`` what ours / anchor should not exceed.

    ``peak`` is the case of a second line from the same processes: their peak memory.
    """

    row: str
    work: str
    target: float | None
    ours: Side
    anchor: Side
    anchor_name: str = "torch"
    peers: dict[str, Side] = field(default_factory=dict)
    quantity: str = SECONDS
    #: How many processes of each side make one figure, where one start is short.
    starts: int = 1
    #: How far gradients may differ, relative to the largest of each array.
    tolerance: float = 1e-9
    #: What has to be there before the first process, such as a file; called before every measurement.
    prepare: Callable[[], object] | None = None
    peak: Case | None = None

    @property
    def lines(self) -> list[Case]:
        """The cases of its lines."""
        return [self] if self.peak is None else [self, self.peak]

    def with_peak(self, work: str, target: float | None, quantity: str = BYTES) -> Case:
        """This case with a second line, which says what memory the same processes took."""
        return replace(self, peak=replace(self, work=work, target=target, quantity=quantity))

    @property
    def sides(self) -> dict[str, Side]:
        return {"ours": self.ours, self.anchor_name: self.anchor, **self.peers}


def worker(module: str, side: str, *arguments: object, units: float = 1, answers: bool = True) -> Side:
    """A side that a workload module of ours measures: ``python -m benchmarks.MODULE SIDE ARGUMENTS``."""
    needs = "" if side.startswith("ours") else side.partition(",")[0]
    command = ("-m", f"benchmarks.{module}", side, *map(str, arguments))
    return Side(command, needs, units=units, answers=answers)


def sized(size: int, scale: float, least: int = 3) -> int:
    """A size at this scale."""
    return max(least, round(size * scale))
