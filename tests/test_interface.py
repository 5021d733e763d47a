"""Each convention of the command line names tests that exist; what comes later says so."""

from __future__ import annotations

from conftest import REPOSITORY
from documents import missing_tests

TEXT = (REPOSITORY / "docs" / "interface.md").read_text()
ROWS = [line.strip("|").split(" | ") for line in TEXT.splitlines() if line.startswith("| ")][1:]
#: What there is not yet.
LATER = ("prompt",)


def test_every_named_test_exists() -> None:
    assert missing_tests(TEXT) == []


def test_every_row_has_a_test_or_comes_later() -> None:
    assert len(ROWS) >= 30
    without = tuple(row[0].strip() for row in ROWS if "::test_" not in row[-1])
    assert without == LATER
    assert all(row[1].startswith("later") for row in ROWS if row[0].strip() in LATER)
