"""``python -m benchmarks``: measure every row beside its peers and write the tables of README.md.

    python -m benchmarks                     # everything, three rounds, on an idle machine: some 40 minutes
    python -m benchmarks --only P4 P13       # some rows; the others keep their lines
    python -m benchmarks --quick             # a tenth of the sizes, one round, printed and not written
    python -m benchmarks --also PYTHON       # another interpreter, for peers that are not installed here

``pip install '.[bench]'`` installs the peers; peers that are not there are left out.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from benchmarks import (
    cross_entropy,
    elementwise,
    logistic,
    loops,
    memory,
    perceptron,
    pictures,
    products,
    rows,
    scalars,
    scripts,
    startup,
    strongest_paths,
    tiny_tensors,
    training,
    trees,
)
from benchmarks.cases import Case
from benchmarks.machine import Interpreters
from benchmarks.measuring import REPOSITORY, DisagreementError, FailedError, Plan, measure
from benchmarks.table import HEAD, README, line, put

WORKLOADS = (
    startup,
    scripts,
    scalars,
    loops,
    tiny_tensors,
    memory,
    elementwise,
    perceptron,
    logistic,
    products,
    cross_entropy,
    strongest_paths,
    trees,
    pictures,
    rows,
)
GROWING = (scalars, elementwise, scripts, strongest_paths, training)
QUICK = 0.1


def collected(scale: float) -> dict[str, list[Case]]:
    """The cases of each section of README.md, in the order of their rows."""
    rows = [case for workload in WORKLOADS for case in workload.cases(scale)]
    rows.sort(key=lambda case: int(case.row.strip("Pb")))  # stable: P2 before P2b, as they are declared
    return {"rows": rows, "growth": [case for workload in GROWING for case in workload.growth(scale)]}


def main() -> None:
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description="Measurements beside peers.")
    asked.add_argument(
        "--only", nargs="+", metavar="ROW", help="P4 P13 ops elements lines paths training parsing"
    )
    asked.add_argument("--quick", action="store_true", help="a tenth of the sizes, one round, --print")
    asked.add_argument("--scale", type=float, default=None, help="multiply the sizes; implies --print")
    asked.add_argument("--rounds", type=int, default=None, help="3, or 1 with --quick")
    asked.add_argument("--seconds", type=float, default=None, help="how long a process repeats its work")
    asked.add_argument("--idle", type=float, default=0.9, help="the share of the machine to wait for")
    asked.add_argument("--wait", type=float, default=300, metavar="SECONDS", help="how long to wait for it")
    asked.add_argument("--also", nargs="+", default=[], metavar="PYTHON", help="interpreters with more peers")
    asked.add_argument("--ours", action="store_true", help="measure our side alone; implies --print")
    asked.add_argument("--print", action="store_true", dest="only_print", help="leave README.md alone")
    options = asked.parse_args()
    quick = options.quick
    scale = options.scale or (QUICK if quick else 1.0)
    writes = not (quick or options.scale or options.ours or options.only_print)
    plan = Plan(
        rounds=options.rounds or (1 if quick else 3),
        seconds=options.seconds or (0.3 if quick else 1.5),
        least_idle=0.0 if quick else options.idle,
        longest_wait=0.0 if quick else options.wait,
        only_ours=options.ours,
    )
    interpreters = Interpreters(options.also)
    failures = 0
    print("\n".join(HEAD), flush=True)
    for section, cases in collected(scale).items():
        order = [f"| {one.row} | {one.work}" for case in cases for one in case.lines]
        for case in cases:
            if options.only and case.row not in options.only:
                continue
            try:
                made = [line(result, interpreters) for result in measure(case, plan, interpreters)]
            except (DisagreementError, FailedError) as error:
                failures += 1  # the other rows can be measured all the same
                print(f"{case.row} {case.work}: {error}", file=sys.stderr, flush=True)
                continue
            print("\n".join(made), flush=True)
            if writes:  # at once: a long run may be cut short
                text = README.read_text(encoding="utf-8")
                README.write_text(put(text, section, made, order), encoding="utf-8")
    if writes and (not options.only or "parsing" in options.only):
        subprocess.run([sys.executable, "-m", "benchmarks.parsing"], cwd=REPOSITORY, check=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
