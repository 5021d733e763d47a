"""How long parsing takes at 1,000, 10,000 and 100,000 lines, beside CPython's own ``ast.parse``.

    python -m benchmarks.parsing                 # writes the table into benchmarks/README.md
    python -m benchmarks.parsing --sizes 100 1000 --print

Both parsers read the same text in this process, in turns; the table holds medians and the spread from the
fastest to the slowest run, in time of the processor, which other work on the machine does not lengthen. The
garbage collector is off, as it is in the command line. ``ast.parse`` is written in C and ours is not, so what
matters is the last column: the exponent of growth from one size to the next, where 1 is linear.
"""

from __future__ import annotations

import argparse
import ast
import gc
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from math import log
from pathlib import Path
from statistics import median
from time import process_time

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.parser import load_table, parse
from autodiff.grammar.syntax.tokenizer import read_words

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- parsing: begin -->", "<!-- parsing: end -->"
SIZES = (1_000, 10_000, 100_000)
BLOCK = """\
x1 = tensor([[0.5, -1.0], [2.0, 3.5]], requires_grad=True)
h = (x1 @ x1.T + 0.1 * i) / (1 + exp(-x1)) ** 2
for k in range(3):
    if k % 2 == 0 and not k > 4:
        h = h - 0.01 * x1.sum(dim=0, keepdim=True)  # a comment
    else:
        total += h[k, :-1].mean()
def f(a, b=2, *rest):
    return [a * v for v in rest if v is not None], f"{a:.3f}"
print('step', total, h.shape[0])
"""


def plain(lines: int) -> str:
    """Statements of every usual kind."""
    whole, rest = divmod(lines, BLOCK.count("\n"))
    return BLOCK * whole + "total = 0\n" * rest


def broken_at_the_end(lines: int) -> str:
    """The same with a mistake in the last line."""
    return plain(lines - 1) + "y = (x1 +\n"


def nested(lines: int) -> str:
    """One expression with a bracket opened on every line and closed at the end."""
    return "y = " + "(1 + \n" * (lines - 1) + "0" + ")" * (lines - 1) + "\n"


def long_sum(lines: int) -> str:
    """One expression with a term on every line."""
    return "y = (\n" + "x1 * 2 +\n" * (lines - 2) + "0)\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "statements": plain,
    "mistake in the last line": broken_at_the_end,
    "nested brackets": nested,
    "one long sum": long_sum,
}


def ours(text: str) -> None:
    with suppress(CompileError):
        parse(Source(text))


def pythons(text: str) -> None:
    ast.parse(text)


def seconds_of(parser: Callable[[str], None], text: str) -> float | None:
    """None where the parser gives up: Python's takes no more than 200 nested brackets."""
    gc.collect()
    started = process_time()
    try:
        parser(text)
    except (SyntaxError, MemoryError, RecursionError):
        # A mistake is found in time; too much nesting is not read at all.
        return process_time() - started if "x1 +\n" in text else None
    return process_time() - started


def measure(text: str, rounds: int) -> tuple[list[float], list[float]]:
    """The times of both, in turns."""
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(seconds_of(ours, text) or 0.0)
        other = seconds_of(pythons, text)
        theirs += [] if other is None else [other]
    return mine, theirs


def spread(times: list[float]) -> str:
    if not times:
        return "-"
    return f"{median(times) * 1000:,.1f} ({min(times) * 1000:,.1f}-{max(times) * 1000:,.1f})"


def rows(sizes: tuple[int, ...], rounds: int) -> list[str]:
    lines = [
        "| script | lines | tokens | ours, ms | ast.parse, ms | ratio | us per token | growth |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for name, shape in SHAPES.items():
        before: tuple[int, float] | None = None
        for size in sizes:
            text = shape(size)
            tokens = count_tokens(text)
            mine, theirs = measure(text, rounds)
            middle = median(mine)
            ratio = f"{middle / median(theirs):.1f}" if theirs else "-"
            growth = "" if before is None else f"{log(middle / before[1]) / log(tokens / before[0]):.2f}"
            before = tokens, middle
            lines.append(
                f"| {name} | {size:,} | {tokens:,} | {spread(mine)} | {spread(theirs)} | {ratio}"
                f" | {middle / tokens * 1e6:.2f} | {growth} |"
            )
            print(lines[-1], file=sys.stderr)
    return lines


def count_tokens(text: str) -> int:
    try:
        return len(read_words(Source(text), load_table()).kinds)
    except CompileError:
        return len(read_words(Source(text.rpartition("y = ")[0]), load_table()).kinds) + 5


def main() -> None:
    asked = argparse.ArgumentParser(description="Parsing beside ast.parse.")
    asked.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="LINES")
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--print", action="store_true", dest="only_print", help="leave README.md alone")
    options = asked.parse_args()
    gc.disable()
    sys.setrecursionlimit(10_000)
    load_table()
    made = "\n".join(
        [
            f"{date.today()}, Python {platform.python_version()}, {platform.machine()}; medians of"
            f" {options.rounds} runs in turns (fastest-slowest), garbage collector off.",
            "",
            *rows(tuple(options.sizes), options.rounds),
        ]
    )
    if options.only_print:
        print(made)
        return
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    README.write_text(f"{head}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
