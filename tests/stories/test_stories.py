"""Jobs that people do in a shell, as scripts for bash, with the numbers of keys that they take.

A script opens with a remark on the job. ``# today:`` has the line that does the same without the program, if
one is known. The last paragraph is what is typed; the lines before it make its files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import HANGS
from documents import with_autodiff

FOLDER = Path(__file__).parent
TABLE = FOLDER / "README.md"
STORIES = sorted(FOLDER.glob("*.sh"))
#: Programs that a machine may lack.
TOOLS = ("jq", "awk", "paste", "xargs", "make", "seq", "cmp", "bash")


def needed(script: str) -> set[str]:
    """The tools that a script calls."""
    return {
        "bash",
        *(tool for tool in TOOLS if re.search(rf"(?:^|[|({{;]|xargs .*)\s*{tool}\b", script, re.M)),
    }


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_stories_end_well(story: Path, tmp_path: Path, update_golden: bool) -> None:
    missing = [tool for tool in sorted(needed(story.read_text())) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        ["bash", "-eu", str(story)],
        cwd=work,
        env=with_autodiff(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    right = story.with_suffix(".out")
    if update_golden:
        right.write_text(done.stdout)
    assert (done.stdout, done.stderr, done.returncode) == (right.read_text(), "", 0)


def keystrokes(script: str) -> int:
    """The number of keys for the last paragraph of a script, Enter included."""
    return len(script.rstrip().rpartition("\n\n")[2]) + 1


def table() -> str:
    """The jobs with their keystrokes, and those of today's tool where that is known."""
    rows = ["| job | keys | today |", "| --- | ---: | ---: |"]
    for story in STORIES:
        text = story.read_text()
        job = text.partition("\n")[0].removeprefix("# ")
        known = re.search(r"^# today: (.*)$", text, re.MULTILINE)
        today = "" if known is None else str(len(known[1]) + 1)
        rows.append(f"| [{job}]({story.name}) | {keystrokes(text)} | {today} |")
    return "\n".join(rows) + "\n"


def test_the_table_has_every_job(update_golden: bool) -> None:
    text = TABLE.read_text()
    head = text.partition("| job |")[0]
    if update_golden:
        TABLE.write_text(head + table())
    assert TABLE.read_text() == head + table()
    assert len(STORIES) >= 50


def test_every_job_is_told_in_one_line_and_has_an_end() -> None:
    for story in STORIES:
        text = story.read_text()
        assert re.match(r"# [A-Z].*[.?]\n", text), story.name
        assert "\n\n" in text, story.name
        assert len({one.suffix for one in FOLDER.glob(f"{story.stem}.*")}) == 2, story.name
