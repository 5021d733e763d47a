"""Rounds of measurements: every side in a process of its own, in turns, after their answers were compared.

This process starts the others and must stay small: what it holds is counted to the peak memory of the
programs it starts. So numpy is not imported here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import perf_counter

from autodiff.cli.process import numpy_setup

from benchmarks.cases import BYTES, SECONDS, Case, Side
from benchmarks.machine import Interpreters, wait_until_idle

REPOSITORY = Path(__file__).parents[1]
#: Without what slows every start of Python: bytecode is written once and read from then on, as usual.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
}
#: As the command line does it, freed arrays leave their memory to the next ones: on all sides.
KEEPING_MEMORY = {
    **ENVIRONMENT,
    "MALLOC_TRIM_THRESHOLD_": str(numpy_setup.FREE_AT_TOP),
    "MALLOC_MMAP_THRESHOLD_": str(numpy_setup.MAPPED),
}
#: Seconds of a round from which on a peer is measured in one round only.
LONG = 3.0
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w.])")


class DisagreementError(Exception):
    """Two sides came to different gradients, so their times cannot be compared."""


class FailedError(Exception):
    """A side's process ended badly."""


@dataclass(frozen=True)
class Plan:
    """How to measure: so many rounds, how long a process repeats its work, how idle to be before."""

    rounds: int
    seconds: float
    least_idle: float
    longest_wait: float
    only_ours: bool = False


@dataclass(frozen=True)
class Result:
    """The figures of a case: each side's, one per round, and the smallest idle share before a round."""

    case: Case
    figures: dict[str, list[float]]
    idle: float | None

    @property
    def ratio(self) -> float | None:
        """Ours over the anchor's, by medians."""
        return self.against(self.case.anchor_name)

    def against(self, name: str) -> float | None:
        if name not in self.figures:
            return None
        return median(self.figures["ours"]) / median(self.figures[name])

    @property
    def spread(self) -> tuple[float, float] | None:
        """The smallest and the largest ratio of one round."""
        if self.case.anchor_name not in self.figures:
            return None
        pairs = zip(self.figures["ours"], self.figures[self.case.anchor_name], strict=True)
        ratios = [mine / theirs for mine, theirs in pairs]
        return min(ratios), max(ratios)


def measure(case: Case, plan: Plan, interpreters: Interpreters) -> list[Result]:
    """Compare the answers, then measure all sides that are installed, in turns; a result for each line.

    Peers whose process takes long are measured in the first round only.
    """
    if case.prepare is not None:
        case.prepare()
    commands = {}
    for name, side in case.sides.items():
        python = interpreters.of(side.needs)
        if python is not None and not (plan.only_ours and name != "ours"):
            commands[name] = (side, list(side.command) if side.is_program else [python, *side.command])
    for side, command in commands.values():
        if side.whole:
            finished(command)  # a first start may have bytecode to write
    compare(case, commands)
    results = [Result(line, {name: [] for name in commands}, None) for line in case.lines]
    idlest = 1.0
    for _ in range(plan.rounds):
        share = wait_until_idle(plan.least_idle, plan.longest_wait)
        idlest = min(idlest, 1.0 if share is None else share)
        starts: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        took = dict.fromkeys(commands, 0.0)
        for _ in range(case.starts):
            for name, (side, command) in commands.items():
                start = perf_counter()
                starts[name].append(figures_of(side, command, plan))
                took[name] += perf_counter() - start
        for result in results:
            for name, measured in starts.items():
                result.figures[name].append(
                    median(one[result.case.quantity] for one in measured) / commands[name][0].units
                )
        commands = {
            name: one for name, one in commands.items() if name not in case.peers or took[name] < LONG
        }
    return [replace(result, idle=idlest if share is not None else None) for result in results]


def figures_of(side: Side, command: list[str], plan: Plan) -> dict[str, float]:
    """One process: its own word for what it measured, or our clock and the system's count of its memory."""
    if side.whole:
        seconds, peak = started_to_exit(command)
        return {SECONDS: seconds, BYTES: peak}
    repeat = ["--seconds", str(plan.seconds)] if side.command[1] != "benchmarks.memory" else []
    figures: dict[str, float] = json.loads(finished(command + repeat))
    return figures


def started_to_exit(command: list[str]) -> tuple[float, int]:
    """Wall seconds and peak memory in bytes of a program whose output goes into a pipe."""
    started = perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=REPOSITORY,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise FailedError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def finished(command: list[str]) -> str:
    """What a process wrote to its standard output."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=REPOSITORY,
        env=KEEPING_MEMORY,
        check=False,
    )
    if done.returncode:
        raise FailedError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def compare(case: Case, commands: dict[str, tuple[Side, list[str]]]) -> None:
    """Every side that answers must answer what ours does."""
    answering = {name: command for name, (side, command) in commands.items() if side.answers}
    if "ours" not in answering or len(answering) < 2:
        return
    if case.ours.whole:
        mine = list(numbers_in(finished(answering.pop("ours"))))
        for name, command in answering.items():
            theirs = list(numbers_in(finished(command)))
            if len(mine) != len(theirs) or any(
                abs(a - b) > case.tolerance * max(abs(b), 1.0) for a, b in zip(mine, theirs, strict=True)
            ):
                raise DisagreementError(f"gradients differ: ours {mine}, {name} {theirs}")
        return
    with tempfile.TemporaryDirectory() as folder:
        files = {name: str(Path(folder) / f"{at}.npz") for at, name in enumerate(answering)}
        for name, command in answering.items():
            finished([*command, "--save", files[name]])
        for name in answering.keys() - {"ours"}:
            check = [sys.executable, "-m", "benchmarks.agreement", str(case.tolerance)]
            done = subprocess.run(
                [*check, files["ours"], files[name]],
                capture_output=True,
                text=True,
                cwd=REPOSITORY,
                check=False,
            )
            if done.returncode:
                said = done.stdout.strip() or done.stderr.strip()
                raise DisagreementError(f"gradients differ from {name}'s by {said}")


def numbers_in(text: str) -> Iterator[float]:
    """The numbers that stand alone in an output, in its order; those in names such as ``x1`` do not."""
    return map(float, NUMBER.findall(text))
