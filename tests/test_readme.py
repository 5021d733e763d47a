"""README and the guides are run: console sessions, Python, and the two commands the checks start with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from documents import blocks, check_session, sessions

README = REPOSITORY / "README.md"
GUIDES = [
    REPOSITORY / "docs" / f"{name}.md"
    for name in ("shell", "values", "json", "gradients", "check", "scripts", "python")
]
SESSIONS = [(path, *session) for path in (README, *GUIDES) for session in sessions(path.read_text())]


@pytest.mark.parametrize(
    ("document", "command", "output"),
    SESSIONS,
    ids=[f"{path.name}-{command}" for path, command, _ in SESSIONS],
)
def test_console_sessions_show_what_happens(
    document: Path, command: str, output: str, tmp_path: Path, update_golden: bool
) -> None:
    check_session(document, command, output, tmp_path, update_golden)


def test_python_examples_run() -> None:
    found = [block for path in GUIDES for block in blocks(path.read_text(), "python")]
    assert found
    for block in found:
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split("\n") == [*re.findall(r"print\(.*# (.*)", block), ""]


def test_the_guides_are_linked_and_links_lead_somewhere() -> None:
    for path in (README, *GUIDES):
        for link in re.findall(r"\]\(([^)#:]+)[^)]*\)", path.read_text()):
            assert (path.parent / link).exists(), (path, link)
    linked = re.findall(r"\]\(docs/(\w+)\.md\)", README.read_text())
    assert {path.stem for path in (REPOSITORY / "docs").glob("*.md")} <= set(linked)


def test_it_opens_with_two_commands() -> None:
    first = blocks(README.read_text(), "sh")[0].splitlines()
    assert len(first) == 2
    assert "autodiff run examples/" in first[0]
    assert (REPOSITORY / first[0].rpartition(" ")[2]).exists()
    assert first[1].endswith("-m pytest -q -n auto")
