"""The reference of the language is run: snippets, sessions, and PyTorch's answers to the same snippets.

An ``ad`` block is followed by a ``text`` block with what it prints, the first line of each warning and the
first line of its error; without one it prints nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from autodiff.cli.commands.help_topics import find_topic
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import nn_modules
from autodiff.grammar.objects.runtime import runtime
from conftest import REPOSITORY
from documents import check_session, missing_tests, sessions
from exception_names import PYTHON_NAMES
from script_runner import Outcome, run_script
from transcript import normalise

LANGUAGE = REPOSITORY / "docs" / "language.md"
#: The sections about what is not as in Python with torch.
OURS_ALONE = ("Limits", "What is not in the language", "Every difference from Python and PyTorch")
SNIPPET = re.compile(r"^```ad\n(.*?)^```\n(?:\n```text\n(.+?)^```\n)?", re.MULTILINE | re.DOTALL)
SESSIONS = sessions(LANGUAGE.read_text())
#: The documents about the code. They name files from the top of the repository.
GUIDES = ("CONTRIBUTING.md", "docs/architecture.md")
PATH = re.compile(r"(?<![\w/.])(?:core|grammar|cli|tests|docs|benchmarks)/[\w./]*\w/?")
NAME_IN_FILE = re.compile(r"`(?:\w+\.)?(\w+)`\s\(`([\w/]+\.py)`")


def snippets() -> list[tuple[str, str, str]]:
    """Section, script and what it prints, of every snippet."""
    found = []
    for part in re.split(r"^## ", LANGUAGE.read_text(), flags=re.MULTILINE)[1:]:
        section = part.partition("\n")[0]
        found += [(section, script, shown) for script, shown in SNIPPET.findall(part)]
    return found


SNIPPETS = snippets()
NAMES = [f"{number}-{section}" for number, (section, _, _) in enumerate(SNIPPETS, 1)]


def shown_of(outcome: Outcome) -> str:
    """What the reference shows of a run."""
    lines = [f"warning: {first_line(text)}\n" for text in outcome.warnings]
    if outcome.error is not None:
        lines.append(f"error[{outcome.error.code}]: {first_line(outcome.error.message)}\n")
    return outcome.stdout + "".join(lines)


def first_line(text: str) -> str:
    return normalise(text).split("\n")[0]


@pytest.mark.parametrize(("script", "shown"), [(script, shown) for _, script, shown in SNIPPETS], ids=NAMES)
def test_a_snippet_shows_what_it_does(script: str, shown: str, update_golden: bool) -> None:
    shows = normalise(shown_of(run_script(script)))
    if not update_golden:
        assert normalise(shown) == shows
        return
    text = LANGUAGE.read_text()
    before = f"```ad\n{script}```\n" + (f"\n```text\n{shown}```\n" if shown else "")
    after = f"```ad\n{script}```\n" + (f"\n```text\n{shows}```\n" if shows else "")
    assert before in text
    LANGUAGE.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(("command", "output"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_a_session_shows_what_happens(command: str, output: str, tmp_path: Path, update_golden: bool) -> None:
    check_session(LANGUAGE, command, output, tmp_path, update_golden)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "script",
    [script for section, script, _ in SNIPPETS if section not in OURS_ALONE],
    ids=[name for name in NAMES if name.partition("-")[2] not in OURS_ALONE],
)
def test_torch_shows_the_same(script: str) -> None:
    from torch_prelude import run_with_torch

    outcome = run_script(script)
    leaves: set[str] = set()
    if outcome.execution is not None and outcome.execution.without_tensors:
        tensors = {name: value for name, value in outcome.names.items() if isinstance(value, Tensor)}
        if not runtime.prints_numbers:
            leaves = {name for name, value in tensors.items() if value.is_leaf}
    theirs = run_with_torch(script, leaves=leaves)
    assert normalise(outcome.stdout) == normalise(theirs.stdout)
    assert [first_line(text) for text in outcome.warnings] == [first_line(text) for text in theirs.warnings]
    assert (outcome.error is None) == (theirs.error is None), theirs.error
    if outcome.error is not None:
        names = [kind.__name__ for kind in type(theirs.error).__mro__]
        assert PYTHON_NAMES.get(outcome.error.code, "RuntimeError") in names
        if isinstance(theirs.error, RuntimeError):
            assert first_line(outcome.error.message) == first_line(str(theirs.error))


def test_the_sections_that_are_ours_alone_exist() -> None:
    sections = re.findall(r"^## (.*)$", LANGUAGE.read_text(), re.MULTILINE)
    assert set(OURS_ALONE) < set(sections)


def test_every_snippet_is_read() -> None:
    assert LANGUAGE.read_text().count("```ad\n") == len(SNIPPETS) > 30


def test_the_limits_are_those_of_the_help() -> None:
    rows = re.findall(r"`(--[\w-]+)` \| .*?(E\d+) \|$", LANGUAGE.read_text(), re.MULTILINE)
    told = re.findall(r"(--[\w-]+) .*?(E\d+)", find_topic("limits", 80))
    assert rows == told != []


def test_every_difference_names_a_test_that_exists() -> None:
    assert not missing_tests(LANGUAGE.read_text())
    section = LANGUAGE.read_text().partition(f"## {OURS_ALONE[-1]}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    assert all("::test_" in row.rpartition("| `")[2] for row in rows)


def test_every_function_is_listed(update_golden: bool) -> None:
    """The lists of names under "Functions" are those of the table of functions."""
    text = LANGUAGE.read_text()
    for prefix in ("torch", "F", "linalg", "special", "nn"):
        functions = (key.partition(".")[2] for key in FUNCTIONS if key.startswith(f"{prefix}."))
        names = sorted(nn_modules.MEMBERS if prefix == "nn" else functions)
        listed = re.search(rf"^`{prefix}\.`: (.*)$", text, re.MULTILINE)
        assert listed is not None, prefix
        line = " ".join(f"`{name}`" for name in names)
        if update_golden:
            text = text.replace(listed[0], f"`{prefix}.`: {line}", 1)
            LANGUAGE.write_text(text)
        else:
            assert listed[1] == line


@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_names_files_that_exist_and_what_is_in_them(guide: str) -> None:
    text = (REPOSITORY / guide).read_text()
    paths = set(PATH.findall(text))
    assert len(paths) > 30
    assert [path for path in sorted(paths) if not (REPOSITORY / path).exists()] == []
    named = {(name, path) for name, path in NAME_IN_FILE.findall(" ".join(text.split()))}
    assert named
    missing = [
        (name, path)
        for name, path in sorted(named)
        if not re.search(rf"\b{name}\b", (REPOSITORY / path).read_text())
    ]
    assert missing == []
