"""Every repair that the documents and the tests show, judged by values; and bad repairs, which are found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Source, Span
from autodiff.grammar.execution import execute
from autodiff.grammar.lint import LINTS
from conftest import REPOSITORY, TESTS
from golden_repairs import OPEN, RIGHT, WRONG, Repair, judge, shown_repairs
from seeds import MORE
from shown_scripts import Shown, shown_scripts

DOCUMENTS = ("README.md", "docs")
#: Scripts with golden texts beside them, and those of tests; a usual run judges a part of them.
GOLDEN = ("examples", "tests/mistakes", "tests/stories", "tests/scripts")
OF_TESTS = ("tests/cases", "tests/grammar/repair", "tests/pasted")
#: What `make nightly` reads beside: every text of every test that is a script.
OF_ALL_TESTS = ("tests",)
#: Why a repair is not decided: each reason is one that no trial of values can settle.
UNDECIDED = {
    "another mistake is further on",
    "the script does not run",
    "the script takes values out of the graph",
    "the input has no name that can be set",
    "the input has another value at the end than at first",
    "the original has no value nearby",
}


@cache
def repairs_of(*places: str, part: float = 1) -> list[Repair]:
    """The repairs of the scripts in some places, or of a ``part`` of these scripts."""
    scripts = shown_scripts(*(REPOSITORY / place for place in places))
    return [repair for shown in scripts[:: round(1 / min(part, 1))] for repair in shown_repairs(shown)]


def check(repairs: list[Repair]) -> int:
    """Fail if a repair is wrong; return how many are right."""
    verdicts = [(repair, judge(repair)) for repair in repairs]
    wrong = [
        f"{repair.shown.place}: {verdict.reason}\n{repair.shown.text}\nwith: {repair.fix.text}"
        for repair, verdict in verdicts
        if verdict.word == WRONG
    ]
    assert not wrong, "\n\n".join(wrong)
    assert {verdict.reason for _, verdict in verdicts if verdict.word == OPEN} <= UNDECIDED
    return sum(verdict.word == RIGHT for _, verdict in verdicts)


@pytest.mark.parametrize("places", [GOLDEN, OF_TESTS])
def test_repairs_beside_golden_texts_and_in_tests(places: tuple[str, ...]) -> None:
    assert check(repairs_of(*places, part=MORE)) > 20


@pytest.mark.skipif(MORE < 10, reason="takes minutes: a part of make nightly")
def test_repairs_in_all_tests() -> None:
    check(repairs_of(*OF_ALL_TESTS))


def test_repairs_of_lints() -> None:
    for lint in LINTS.values():
        check(shown_repairs(Shown(lint.example, TESTS)))


def told(path: Path) -> Iterator[str]:
    """The repairs of gradients in a text for people, unfolded."""
    for words in re.findall(r"^  try +(.*(?:\n {14}\S.*)*)", path.read_text(encoding="utf-8"), re.MULTILINE):
        text = " ".join(words.split())
        yield re.sub(r"^lines? [\d, and]+: ", "", text)


def test_no_document_shows_a_repair_that_is_not_judged() -> None:
    check(repairs_of(*DOCUMENTS))
    known = {" ".join(repair.fix.text.split()) for repair in repairs_of(*DOCUMENTS)}
    paths = [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]
    shown = {text for path in paths for text in told(path)}
    assert shown
    assert shown <= known


X = "x = torch.tensor(0.0, requires_grad=True)\n"
#: A script, what a bad repair writes in place of what, and the kind of the repair.
BAD = {
    "a clamp makes it constant": ("k = 1000.0\nL = log(sinh(k))\n", "sinh(k)", "sinh(k.clamp(max=700))"),
    "a bound that is too large": ("x = 0.0\nL = sqrt(x)\n", "sqrt(x)", "sqrt(x + 0.1)"),
    "another limit": ("x = 0.0\nL = sin(x)/x\n", "sin(x)/x", "(sin(x) + 1e-9)/(x + 1e-6)"),
    "no slope": (X + "y = (x * 3).detach() + 2\n", "(x * 3).detach()", "0 * x"),
    "half of the slope": (
        X + "y = torch.where(x > 1, x / 0, x)\ny.backward()\n",
        "torch.where(x > 1, x / 0, x)",
        "(x + x.detach()) / 2",
    ),
    "another value far off": (
        "x = 900.0\nL = log(1 + exp(x))\n",
        "log(1 + exp(x))",
        "softplus(x) + 0.001*x",
    ),
}


def replaced(script: str, old: str, new: str) -> Fix:
    at = script.index(old)
    return Fix("bad", Edit(Span(at, at + len(old)), new))


@pytest.mark.parametrize("name", BAD)
def test_a_bad_repair_of_a_gradient_is_found(name: str) -> None:
    script, old, new = BAD[name]
    wrt = script.partition(" ")[0]
    assert judge(Repair("gradient", Shown(script, TESTS), replaced(script, old, new), wrt)).word == WRONG


@pytest.mark.parametrize(
    ("script", "old", "new", "word"),
    [
        (
            "w = torch.tensor(2.0, requires_grad=True)\nt = torch.zeros((), requires_grad=True)\n"
            "t += w * w\nt.backward()\n",
            "t += w * w",
            "with torch.no_grad():\n    t += w * w",
            WRONG,
        ),
        (
            "w = torch.tensor(2.0, requires_grad=True)\nt = torch.zeros((), requires_grad=True)\n"
            "t += w * w\nt.backward()\n",
            ", requires_grad=True)\nt +=",
            ")\nt +=",
            RIGHT,
        ),
        (
            "w = torch.tensor([1.0, 2.0], requires_grad=True)\ny = w * w\ny.backward()\n",
            "y = w * w",
            "y = w",
            WRONG,
        ),
    ],
)
def test_a_bad_repair_of_an_error_is_found(script: str, old: str, new: str, word: str) -> None:
    with pytest.raises(AutodiffError) as raised:
        execute(Source(script, "script.ad"))
    repair = Repair("error", Shown(script, TESTS), replaced(script, old, new), error=raised.value)
    assert judge(repair).word == word
