"""Results as Markdown, and their place in README.md: a line measured anew replaces the one of before."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path
from statistics import median

from benchmarks.cases import SECONDS
from benchmarks.machine import Interpreters
from benchmarks.measuring import Result

README = Path(__file__).with_name("README.md")
HEAD = [
    "| row | work | target | ratio | spread | met | ours | anchor | peers / anchor | idle | date"
    " | Python, numpy, torch |",
    "| --- | --- | --: | --: | --: | --- | --: | --: | --- | --: | --- | --- |",
]
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def line(result: Result, interpreters: Interpreters) -> str:
    """One line of the table."""
    case, spread = result.case, result.spread
    anchor = result.figures.get(case.anchor_name)
    peers = []
    for name in case.peers:
        if anchor and name in result.figures:
            peers.append(f"{name} {spell(median(result.figures[name]) / median(anchor))}")
    cells = [
        case.row,
        case.work,
        "" if case.target is None else f"{case.target:g}",
        "-" if result.ratio is None else f"**{spell(result.ratio)}**",
        "-" if spread is None else f"{spell(spread[0])}-{spell(spread[1])}",
        "" if case.target is None or result.ratio is None else "yes" if result.ratio <= case.target else "no",
        quantity(median(result.figures["ours"]), case.quantity),
        f"{case.anchor_name}: " + (quantity(median(anchor), case.quantity) if anchor else "not measured"),
        ", ".join(peers),
        "-" if result.idle is None else f"{result.idle:.0%}",
        str(date.today()),
        f"{platform.python_version()}, {interpreters.version('numpy')}, {interpreters.version('torch')}",
    ]
    return "| " + " | ".join(cells) + " |"


def spell(ratio: float) -> str:
    """Three digits, which is more than repeats.

    >>> spell(0.0352), spell(12.71), spell(1140.4)
    ('0.0352', '12.7', '1,140')
    """
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def quantity(value: float, kind: str) -> str:
    """Seconds or bytes in a unit that fits.

    >>> quantity(0.0421, "seconds"), quantity(270.0, "bytes"), quantity(3 << 20, "bytes")
    ('42.1 ms', '270 B', '3 MiB')
    """
    scales = UNITS if kind == SECONDS else SIZES
    size, unit = next((one for one in scales if value >= one[0]), scales[-1])
    return f"{spell(value / size)} {unit}"


def put(text: str, section: str, lines: list[str], order: list[str]) -> str:
    """``text`` with these lines in the table of a section, each in place of the one of the same work.

    ``order`` are the keys of all lines there may be: others are of work that is no longer measured.
    """
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    head, _, rest = text.partition(begin)
    old, found, tail = rest.partition(end)
    if not found:
        raise ValueError(f"there is no section {section!r} between markers")
    kept = {key(row): row for row in old.splitlines() if row.startswith("| ") and row not in HEAD}
    kept |= {key(row): row for row in lines}
    rows = [kept[one] for one in order if one in kept]
    return head + begin + "\n" + "\n".join([*HEAD, *rows]) + "\n" + end + tail


def key(row: str) -> str:
    """What a line is about: its number and its work."""
    return " | ".join(row.split(" | ")[:2])
