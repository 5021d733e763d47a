"""Scripts of several lines that print, warn and fail as in Python with PyTorch, by topic.

They stand in ``tests/golden/agreements``: a line that begins with ``## `` names a script, ``=>`` ends it, and
what it shows follows: printed text, the first line of each warning, the first line of its error.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import TESTS
from exception_names import PYTHON_NAMES
from one_test import in_one_test
from script_runner import run_script
from transcript import normalise

AGREEMENTS = TESTS / "golden" / "agreements"


def read(path: Path) -> list[tuple[str, str, str]]:
    """Name, script and what it shows, of every script in a file."""
    found = []
    for block in path.read_text(encoding="utf-8").split("## ")[1:]:
        name, _, rest = block.partition("\n")
        script, arrow, shown = rest.partition("=>\n")
        assert arrow, f"{path.name}: `{name}` does not end in `=>`"
        found.append((f"{path.stem}: {name}", script, shown.rstrip("\n")))
    return found


SCRIPTS = [entry for path in sorted(AGREEMENTS.glob("*.txt")) for entry in read(path)]
NAMES = [name for name, _, _ in SCRIPTS]


def shows(stdout: str, warnings: list[str], message: str | None) -> str:
    lines = [f"warning: {first_line(text)}" for text in warnings]
    if message is not None:
        lines.append(f"error: {first_line(message)}")
    return (normalise(stdout) + "\n".join(lines)).rstrip("\n")


def first_line(text: str) -> str:
    return normalise(text).partition("\n")[0]


@in_one_test("script, shown", [entry[1:] for entry in SCRIPTS])
def test_a_script_shows_this(script: str, shown: str) -> None:
    ours = run_script(script)
    assert shows(ours.stdout, ours.warnings, None if ours.error is None else ours.error.message) == shown


@pytest.mark.oracle
@pytest.mark.parametrize(("script", "shown"), [entry[1:] for entry in SCRIPTS], ids=NAMES)
def test_torch_shows_the_same(script: str, shown: str) -> None:
    from torch_prelude import run_with_torch

    theirs = run_with_torch(script)
    assert shows(theirs.stdout, theirs.warnings, None if theirs.error is None else str(theirs.error)) == shown
    if theirs.error is not None:
        ours = run_script(script).error
        assert ours is not None
        kinds = [kind.__name__ for kind in type(theirs.error).__mro__]
        assert any(kind in kinds for kind in PYTHON_NAMES.get(ours.code, "RuntimeError").split(" or "))


def test_names_are_told_once() -> None:
    assert len(set(NAMES)) == len(NAMES) > 0
