"""The man pages say what the help says, and a formatter reads them without complaint."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from autodiff.cli.command_line.options import COMMANDS
from conftest import REPOSITORY
from man_pages import man_pages

FOLDER = REPOSITORY / "docs" / "man"
needs_groff = pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
PAGES = ["autodiff.1", *(f"autodiff-{name}.1" for name in COMMANDS)]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return man_pages()


def test_there_is_a_page_for_each_command_and_no_other(made: dict[str, str]) -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PAGES) == sorted(made)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_that_of_the_help(name: str, made: dict[str, str], update_golden: bool) -> None:
    if update_golden:
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / name).write_text(made[name])
    assert (FOLDER / name).read_text() == made[name]


def formatted(name: str) -> str:
    """A page as a terminal shows it, without the overstrikes for bold text."""
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-P-cbou", "-ww", str(FOLDER / name)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@needs_groff
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_formatted(name: str) -> None:
    text = formatted(name)
    assert text.index("\nNAME\n") < text.index("\nSYNOPSIS\n") < text.index("\nEXAMPLES\n")


@needs_groff
def test_the_main_page_shows_what_a_reader_looks_for() -> None:
    text = formatted("autodiff.1")
    for shown in ("autodiff-check(1)", "124  the time limit", "NO_COLOR", "autodiff help language"):
        assert shown in text
    assert "       autodiff grad --wrt w -e 'w = 3; L = w**2'\n" in text
