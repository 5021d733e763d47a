"""What torch answered, in numbers small enough to be kept: tests know them where torch is not installed.

Of each sample a line in ``facts/<family>.tsv``: the checksum of its text, the names of the nodes of its
outputs, and one weighed sum each of its values, its first and its second gradients, as
``pytest tests/core/ops --update-golden`` writes them from torch.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import NamedTuple

import numpy as np
from conftest import TESTS
from ops.engines import Answers

FOLDER = TESTS / "golden" / "op_facts"


class Fact(NamedTuple):
    names: str
    values: float
    first: float
    second: float | None


def key_of(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


def tame(array: np.ndarray) -> np.ndarray:
    """The entries as finite numbers of moderate size: infinities and nan get one of their own."""
    entries = np.nan_to_num(np.asarray(array, float).ravel(), nan=7.0, posinf=11.0, neginf=-13.0)
    return np.where(np.abs(entries) > 1e100, 17.0 * np.sign(entries), entries)


def digest(arrays: list[np.ndarray]) -> float:
    """One number that changes with every entry."""
    total = 0.0
    for start, array in enumerate(arrays):
        entries = tame(array)
        total += float(entries @ np.cos(start + 3.0 + np.arange(entries.size)))
    return total


def fact_of(answers: Answers) -> Fact:
    second = None if answers.second is None else digest(answers.second)
    names = "|".join(name or "-" for name in answers.names)
    return Fact(names, digest(answers.values), digest(answers.first), second)


@cache
def facts_of(family: str) -> dict[str, Fact]:
    """A family's facts by the checksum of the sample."""
    table = {}
    path = FOLDER / f"{family}.tsv"
    for line in path.read_text().splitlines() if path.exists() else ():
        key, names, values, first, second = line.split("\t")
        table[key] = Fact(names, float(values), float(first), float(second) if second else None)
    return table


def write(family: str, facts: dict[str, Fact]) -> None:
    FOLDER.mkdir(exist_ok=True)
    lines = []
    for key, fact in facts.items():
        second = "" if fact.second is None else f"{fact.second:.12g}"
        lines.append(f"{key}\t{fact.names}\t{fact.values:.12g}\t{fact.first:.12g}\t{second}\n")
    (FOLDER / f"{family}.tsv").write_text("".join(lines))


def kept_or_new(answers: Answers, kept: Fact | None, single: bool) -> Fact:
    """The kept fact where torch's answers still agree with it: their last digits differ between machines."""
    if kept is not None:
        try:
            check_fact(answers, kept, single)
        except AssertionError:
            pass
        else:
            return kept
    return fact_of(answers)


def check_fact(answers: Answers, fact: Fact, single: bool) -> None:
    """Our answers are those that were kept of torch's."""
    mine = fact_of(answers)
    assert mine.names == fact.names, f"names: {mine.names}, wanted {fact.names}"
    relative = 1e-4 if single else 1e-8
    for what, arrays, ours, wanted in (
        ("values", answers.values, mine.values, fact.values),
        ("gradient", answers.first, mine.first, fact.first),
        ("second gradient", answers.second, mine.second, fact.second),
    ):
        if wanted is None or ours is None:
            assert wanted is None, f"no {what}: {answers.why_not}"
            continue
        size = 1 + sum(float(np.abs(tame(a)).sum()) for a in arrays)
        allowed = relative * size * (10 if single and what.startswith("second") else 1)
        assert abs(ours - wanted) <= allowed, f"{what}: weighed sum {ours}, wanted {wanted}"
