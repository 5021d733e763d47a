"""Every command at scale: what a loop of 10^6 steps and a sum of 10^6 terms take in each command and format.

    python -m benchmarks.large_scripts               # writes the table into benchmarks/README.md
    python -m benchmarks.large_scripts --only graph  # rows of commands that begin so; the others keep theirs

A cell is one process from start to exit with its output in a pipe: the seconds of processor it took, which
other work on the machine hardly lengthens, and its peak memory. There is no peer: nothing else derives, draws
or checks a gradient of this size. What counts is ``MOST_SECONDS`` and ``MOST_BYTES``.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from benchmarks.cases import sized
from benchmarks.measuring import ENVIRONMENT
from benchmarks.scripts import FOLDER
from benchmarks.startup import program

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- large scripts: begin -->", "<!-- large scripts: end -->"
SIZE = 1_000_000
MOST_SECONDS, MOST_BYTES = 15.0, 10**9
#: Seconds of processor after which a process is ended, so that one bad cell does not keep the others waiting.
GIVEN_UP = 60
COMMANDS = (
    *(f"run --format {form}" for form in ("plain", "json")),
    *(f"grad --format {form}" for form in ("plain", "table", "json", "csv", "latex")),
    *(f"explain --format {form}" for form in ("plain", "formula", "equation", "json", "markdown", "latex")),
    *(f"graph --format {form}" for form in ("tree", "json", "dot", "mermaid", "html", "svg", "png", "gif")),
    *(f"check --format {form}" for form in ("plain", "verdict", "json")),
    *(f"trace --format {form}" for form in ("plain", "json", "csv", "tsv")),
    "lint --diagnostics text",
    "lint --diagnostics json",
    "propagate --sigma w=0.1",
)
SCRIPTS: dict[str, Callable[[int], str]] = {
    "loop": lambda n: f"w = 1.0\nx = w\nfor i in range({n}):\n    x = x*0.9999999 + w*1e-6\nL = x\n",
    "loop of a sum": lambda n: f"w = 1.0\nL = 0.0\nfor i in range({n}):\n    L = L + w*1.5\n",
    "loop, two products": lambda n: (
        f"w = 1.0\nx = w\ny = w\nfor i in range({n}):\n    x = x*1.0000001\n    y = y*w\nL = x*y\n"
    ),
    "sum(...)": lambda n: f"w = 2.0\nL = sum(w*k for k in range({n}))\n",
    "one line": lambda n: "w = 2.0\nL = " + " + ".join(f"w*{k}.0" for k in range(1, n + 1)) + "\n",
    "10^5 lines": lambda n: "w = 2.0\nL = 0.0\n" + "".join(f"L = L + w*{k}\n" for k in range(n // 10)),
}
HEAD = [f"| command | {' | '.join(SCRIPTS)} | date |", "| --- |" + " --: |" * len(SCRIPTS) + " --- |"]


def measured(command: str, path: Path) -> tuple[float, int, int]:
    """Seconds of processor, peak bytes and exit code of one process."""
    name, *options = command.split(" ")
    with subprocess.Popen(
        [*program(), name, str(path), *options, "--timeout", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (GIVEN_UP, GIVEN_UP)),
    ) as process:
        assert process.stdout is not None
        while process.stdout.read(1 << 20):
            pass
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return usage.ru_utime + usage.ru_stime, peak, process.returncode


def cell(seconds: float, peak: int, code: int) -> str:
    """The figures; those over the bounds are bold, an exit code of a failure stands beside them."""
    shown = f"{seconds:.1f} s, {peak / 1e9:.2f} GB"
    if seconds > MOST_SECONDS or peak > MOST_BYTES:
        shown = f"**{shown}**"
    return shown if code in (0, 1) else f"{shown}, exit {code}" if code > 0 else f"{shown}, not finished"


def written(n: int) -> list[Path]:
    """The files of all scripts of this size."""
    FOLDER.mkdir(exist_ok=True)
    paths = []
    for name, script in SCRIPTS.items():
        path = FOLDER / f"{re.sub(r'[^a-z0-9]+', '_', name)}_{n}.ad"
        path.write_text(script(n), encoding="utf-8")
        paths.append(path)
    return paths


def row(command: str, paths: list[Path]) -> str:
    """One line of the table, with its date."""
    cells = [cell(*measured(command, path)) for path in paths]
    return " | ".join([f"| `{command}`", *cells, f"{date.today()} |"])


def put(text: str, line: str) -> str:
    """``text`` with a line in the table of README.md, in place of the one of the same command."""
    head, _, rest = text.partition(BEGIN)
    old, _, tail = rest.partition(END)
    known = {one.split("`")[1]: one for one in (*old.splitlines(), line) if one.startswith("| `")}
    lines = [*HEAD, *(known[command] for command in COMMANDS if command in known)]
    return f"{head}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{tail}"


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.large_scripts", description="Large scripts.")
    asked.add_argument(
        "--only", nargs="+", default=[""], metavar="COMMAND", help="as in 'graph --format svg'"
    )
    asked.add_argument("--scale", type=float, default=1.0, help="multiply the size; implies --print")
    asked.add_argument("--print", action="store_true", dest="only_print", help="leave README.md alone")
    options = asked.parse_args()
    paths = written(sized(SIZE, options.scale, least=10))
    print("\n".join(HEAD), flush=True)
    for command in COMMANDS:
        if any(command.startswith(one) for one in options.only):
            line = row(command, paths)
            print(line, flush=True)
            if not options.only_print and options.scale == 1:  # at once: a long run may be cut short
                README.write_text(put(README.read_text(encoding="utf-8"), line), encoding="utf-8")


if __name__ == "__main__":
    main()
