"""Tries random command lines: whatever is asked, the answer is one that the documentation allows.

``flaw`` says what is wrong with the answer to one. Run as a program it tries many and prints what is wrong:

    python tests/tools/command_fuzzer.py --first 0 --count 10000
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from autodiff.cli.command_line.options import COMMANDS
from command_lines import command_line
from command_runner import CommandLine, Outcome, Runner
from fuzz_words import INTERNAL

#: The exit codes of `autodiff help exit-codes` that a run in this process can have.
CODES = {0, 2, 3, 4, 5, 6}
#: The commands that exit with 1, where the answer is no.
ANSWERS_NO = ("check", "diff", "lint", "minimize")
SEVERAL_SCRIPTS = [name for name, command in COMMANDS.items() if command.takes_several]
ONE_SCRIPT = [(command,) for command in ("run", "grad", "explain", "graph", "check")]
#: The share of answers that a comparison is made of.
COMPARED = 0.05
BUG = "this is a mistake in autodiff"
#: Exceptions of Python that no script can raise and no message has.
PYTHON_ERRORS = re.compile(
    r"\b(?:Unbound|Attribute|Assertion|Overflow|Recursion|Memory|NotImplemented)Error\b"
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
COLOR = re.compile(r"\x1b\[[0-9;]*m")


def flaw(line: CommandLine, runner: Runner, random: Random) -> str:
    """What is wrong with the answer to a command line; empty where nothing is."""
    outcome = runner.run(line)
    wrong = flaw_of_outcome(line, outcome)
    if wrong or outcome.code != 0 or asks_for_help(line):
        return wrong
    for compare in COMPARISONS:
        if random.random() < COMPARED and (wrong := compare(line, outcome, runner)):
            return f"{compare.__name__}: {wrong}"
    return ""


# -- one answer ---------------------------------------------------------------------------------------------


def flaw_of_outcome(line: CommandLine, outcome: Outcome) -> str:
    """What is wrong with an answer by itself."""
    if outcome.code is None:
        return "it does not end"
    if BUG in outcome.out + outcome.err:
        return "internal: " + outcome.err[outcome.err.find(BUG) :][:300]
    command = command_of(line)
    may_say_no = command in ANSWERS_NO or "--fail-on" in " ".join(line.arguments)
    if outcome.code not in CODES and not (outcome.code == 1 and may_say_no):
        return f"exit code {outcome.code}"
    return (
        flaw_of_silence(line, outcome, command)
        or flaw_of_words(line, outcome)
        or flaw_of_format(line, outcome)
        or flaw_of_diagnostics(line, outcome)
    )


def flaw_of_silence(line: CommandLine, outcome: Outcome, command: str) -> str:
    """A failure is explained, unless silence was asked for; then there is silence."""
    if is_silent(line):
        has_words = outcome.out + outcome.err and outcome.code != 2 and not asks_for_help(line)
        return "words in spite of -qq" if has_words else ""
    told = outcome.out + (last_value(line, "-o", "--output") or "")
    if outcome.code and not outcome.err.strip() and not (command in ANSWERS_NO and told):
        return f"exit code {outcome.code} without a word"
    if command == "run":
        told += outcome.err or "-q" * ("-q" in " ".join(line.arguments))  # a note that -q leaves out
    if not outcome.code and given_format(line) and not told:
        return "success without a word"
    return ""


def flaw_of_words(line: CommandLine, outcome: Outcome) -> str:
    """Nothing that people cannot read: words of Python's insides, characters that control a terminal."""
    given = "".join(line.arguments) + "".join(text.decode("utf-8", "replace") for text in inputs(line))
    said = COLOR.sub("", outcome.err) if line.on_terminal or "--color" in given else outcome.err
    if command_of(line) not in ("ops", "help"):
        for words in (INTERNAL, PYTHON_ERRORS):
            if (found := words.search(said)) and found[0] not in given:
                return f"stderr speaks of {found[0]!r}: {around(said, found.start())}"
    if "print" not in given and (found := CONTROL.search(said)):
        return f"stderr has {found[0]!r}: {around(said, found.start())}"
    return "a traceback" if "Traceback" in said and "Traceback" not in given else ""


def flaw_of_format(line: CommandLine, outcome: Outcome) -> str:
    """Stdout has the format that was asked for; in JSON a failure is a document too."""
    form = given_format(line)
    if is_silent(line) or asks_for_help(line) or last_value(line, "-o", "--output") is not None:
        return ""
    if outcome.code and form != "json":
        return ""
    try:
        if form == "json":
            schemas = [document["schema"] for document in json_documents(outcome.out)]
            if set(schemas) != {2} or (len(schemas) > 1 and command_of(line) not in SEVERAL_SCRIPTS):
                return f"documents of schema {schemas}: {outcome.out[:80]!r}"
        elif form == "jsonl":
            for row in outcome.out.splitlines():
                json.loads(row, parse_constant=no_constant)
        elif form in ("csv", "tsv"):
            table = list(csv.reader(outcome.out.splitlines(), delimiter="," if form == "csv" else "\t"))
            if not table or {len(row) for row in table} != {len(table[0])}:
                return f"no table: {outcome.out[:80]!r}"
        elif form in ("npy", "npz"):
            np.load(io.BytesIO(outcome.out.encode("utf-8", "surrogateescape")))
    except (ValueError, KeyError, EOFError) as error:
        return f"stdout is no {form}: {error}: {outcome.out[:80]!r}"
    return ""


def json_documents(text: str) -> Iterator[Any]:
    """The documents in a text, one after another. Raises ValueError if it holds anything else."""
    decoder = json.JSONDecoder(parse_constant=no_constant)
    rest = text.strip()
    while rest:
        document, end = decoder.raw_decode(rest)
        yield document
        rest = rest[end:].strip()


def flaw_of_diagnostics(line: CommandLine, outcome: Outcome) -> str:
    """With ``--diagnostics json`` or ``github`` each line is one."""
    form = last_value(line, "--diagnostics")
    if form not in ("json", "github") or outcome.code == 2:
        return ""
    if any(b"print" in text for text in inputs(line)) or "print" in "".join(line.arguments):
        return ""
    for row in (outcome.out if command_of(line) == "lint" else outcome.err).splitlines():
        if form == "github" and not row.startswith("::"):
            return f"no annotation: {row[:100]!r}"
        if form == "json":
            try:
                json.loads(row, parse_constant=no_constant)
            except ValueError:
                return f"no JSON: {row[:100]!r}"
    return ""


def around(text: str, at: int) -> str:
    return text[max(0, at - 100) : at + 100].strip()


def no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


# -- comparisons of two answers -----------------------------------------------------------------------------


def repeated(line: CommandLine, outcome: Outcome, runner: Runner) -> str:
    """The same line has the same answer, to the byte, but for times."""
    if "-v" in " ".join(line.arguments):
        return ""
    got = runner.run(line)
    return "" if got == outcome else difference(outcome.out + outcome.err, got.out + got.err)


def given_otherwise(line: CommandLine, outcome: Outcome, runner: Runner) -> str:
    """A script on stdin has the gradients that it has as a file; so has one with other line ends."""
    if (
        line.arguments[1:2] != ("a.ad",)
        or "-e" in line.arguments
        or given_format(line) not in (None, "plain")
    ):
        return ""
    data = line.files["a.ad"]
    others = [replace(line, arguments=(line.arguments[0], "-", *line.arguments[2:]), stdin=data)]
    if b"\r" not in data:
        others.append(replace(line, files={**line.files, "a.ad": data.replace(b"\n", b"\r\n")}))
    for other in others:
        got = runner.run(other)
        if command_of(line) == "grad" and (got.code, got.out) != (outcome.code, outcome.out):
            return difference(outcome.out, got.out)
        if got.code != outcome.code:
            return f"exit code {outcome.code} becomes {got.code}"
    return ""


def quieter(line: CommandLine, outcome: Outcome, runner: Runner) -> str:
    """``-q`` leaves stdout alone."""
    given = " ".join(line.arguments)
    if line.arguments[:1] not in ONE_SCRIPT or re.search("-q|-vq|--quiet", given):
        return ""
    got = runner.run(replace(line, arguments=(*line.arguments, "-q")))
    return "" if (got.out, got.code) == (outcome.out, outcome.code) else difference(outcome.out, got.out)


def by_other_commands(line: CommandLine, outcome: Outcome, runner: Runner) -> str:
    """What ``grad`` prints is in its JSON, and in that of the commands that show more."""
    arguments = common_arguments(line)
    if arguments is None or is_silent(line) or last_value(line, "-o", "--output"):
        return ""
    documents: dict[str, Any] = {}
    for command in ("grad", "run", "explain", "graph"):
        asked = replace(line, arguments=(command, *arguments, "--format", "json"))
        got = runner.run(asked)
        if wrong := flaw_of_outcome(asked, got):
            return f"{command}: {wrong}"
        if got.code == 0:
            documents[command] = values_in(json.loads(got.out))
    if "jacobian" not in repr(line) and "hessian" not in repr(line):  # grad shows what these return
        for command, document in documents.items():
            if document != next(iter(documents.values())):
                return (
                    f"{command} says {cut(document)}, another command {cut(next(iter(documents.values())))}"
                )
    if "grad" not in documents or line.on_terminal:
        return ""
    plain = runner.run(replace(line, arguments=("grad", *arguments)))
    expected = [number for _, value in documents["grad"][1] for number in flat(value)]
    table = runner.run(replace(line, arguments=("grad", *arguments, "--format", "csv")))
    if table.code == 0:
        column = [float(row[-1]) for row in list(csv.reader(table.out.splitlines()))[1:]]
        if not same_numbers(column, expected, last_value(line, "--dtype")):
            return f"CSV {table.out[:100]!r}, but JSON {expected[:9]}"
    if plain.code == 0 and not same_numbers(bare_numbers(plain.out), expected, last_value(line, "--dtype")):
        return f"plain {plain.out[:100]!r}, but JSON {expected[:9]}"
    return ""


def values_in(document: Any) -> tuple[Any, list[Any]]:
    """The output and the gradients of a report."""
    return document["output"], [(entry["name"], entry["grad"]) for entry in document["gradients"]]


def common_arguments(line: CommandLine) -> tuple[str, ...] | None:
    """The arguments that all the commands know; None where there are others, or no script."""
    if line.arguments[:1] not in ONE_SCRIPT or command_of(line) == "check":
        return None
    options = {flag: option for option in COMMANDS[line.arguments[0]].options for flag in option.flags}
    common = {flag for option in COMMANDS["graph"].options for flag in option.flags} - {"--format", "--order"}
    kept: list[str] = []
    words = iter(line.arguments[1:])
    for word in words:
        flag = word.partition("=")[0]
        option = options.get(flag)
        following = [next(words, "")] if option and option.takes_value and "=" not in word else []
        if option is None or flag in common:
            kept += [word, *following]
    return tuple(kept)


def bare_numbers(text: str) -> list[float]:
    """The numbers in what ``grad`` writes to a pipe, without the names."""
    found = []
    for row in text.splitlines():
        for word in row.split("\t"):
            try:
                found.append(float(word))
            except ValueError:
                continue
    return found


def flat(value: Any) -> list[float]:
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [] if value is None else [float(value)]


def same_numbers(left: list[float], right: list[float], dtype: str | None) -> bool:
    """Whether numbers are the same in a dtype: a text has no more digits than it needs.

    A tensor in single precision beside others, as ``x.float()`` makes one, has its own digits.
    """
    dtype = dtype or "float64"
    if len(left) != len(right):
        return False
    single = np.float32(left)
    is_short = np.array([float(str(one)) for one in single]) == left
    there, here = np.array(left, dtype), np.array(right, dtype)
    is_same = (there == here) | (np.isnan(there) & np.isnan(here))
    return bool(np.all(is_same | (is_short & (single == np.float32(right)))))


COMPARISONS: tuple[Callable[[CommandLine, Outcome, Runner], str], ...] = (
    repeated,
    given_otherwise,
    quieter,
    by_other_commands,
)


# -- what a line says ---------------------------------------------------------------------------------------


def command_of(line: CommandLine) -> str:
    return next((word for word in line.arguments if word in COMMANDS), "")


def inputs(line: CommandLine) -> list[bytes]:
    """Every text that the line gives."""
    return [*line.files.values(), line.stdin or b""]


def last_value(line: CommandLine, *flags: str) -> str | None:
    """The value of an option, the last one given."""
    found = None
    taking = flags_with_value(line)
    words = iter(line.arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            given: str | None = value
        else:
            given = next(words, None) if name in taking else None
        if name in flags:
            found = given
    return found


def given_format(line: CommandLine) -> str | None:
    return last_value(line, "--format")


def is_silent(line: CommandLine) -> bool:
    """Whether ``-qq`` may be given, in one way or another."""
    return len(re.findall(r"--quiet|(?<=-)q|(?<=q)q", " ".join(flags_of(line)))) > 1


def flags_with_value(line: CommandLine) -> set[str]:
    """The options of the command that take a value."""
    command = COMMANDS.get(command_of(line))
    options = () if command is None else command.options
    return {flag for option in options if option.takes_value for flag in option.flags}


def flags_of(line: CommandLine) -> list[str]:
    """The words of a line but for the values of options."""
    taking = flags_with_value(line)
    kept = []
    words = iter(line.arguments)
    for word in words:
        kept.append(word)
        if word in taking:
            next(words, "")
    return kept


def difference(before: str, after: str) -> str:
    """The first lines that differ."""
    for left, right in zip_longest(before.splitlines(), after.splitlines()):
        if left != right:
            return f"{left!r} becomes {right!r}"
    return "the exit code differs"


def asks_for_help(line: CommandLine) -> bool:
    return bool({"-h", "--help", "--version"} & set(line.arguments))


def cut(value: Any) -> str:
    return repr(value)[:300]


# -- many ---------------------------------------------------------------------------------------------------


def try_seed(seed: int, runner: Runner) -> str:
    """What is wrong with the answers to the command line of a seed and to its variations."""
    return flaw(command_line(seed), runner, Random(f"comparison {seed}"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Try random command lines.")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    asked = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder))
        for seed in range(asked.first, asked.first + asked.count):
            wrong = try_seed(seed, runner)
            if wrong:
                found += 1
                told = f"{seed}: {wrong}\n    {command_line(seed)!r}"
                print(told[:3000].encode("ascii", "backslashreplace").decode(), flush=True)
            if seed % 1000 == 999:
                print(f"{seed + 1 - asked.first:,} tried", flush=True)
    print(f"{asked.count:,} command lines, {found:,} flaws")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
