"""The gallery and README show pictures that the commands in the gallery make."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import REPOSITORY
from documents import blocks, with_autodiff

for library in ("graphlay", "resvg_py", "PIL"):
    pytest.importorskip(library, reason="a library for pictures is not installed (pip install '.[pictures]')")

GALLERY = REPOSITORY / "docs" / "gallery.md"
FOLDER = REPOSITORY / "docs" / "pictures"
COMMANDS = [block.strip() for block in blocks(GALLERY.read_text(), "sh")]
MADE = {command.rpartition(" ")[2].rpartition("/")[2]: command for command in COMMANDS}


@pytest.mark.parametrize("name", MADE)
def test_a_picture_is_what_its_command_makes(name: str, tmp_path: Path, update_golden: bool) -> None:
    """Pixels depend on the versions of libraries, so of an animation only its frames are counted."""
    made = tmp_path / name
    command = MADE[name].replace(f"docs/pictures/{name}", str(made))
    done = subprocess.run(
        ["sh", "-c", command], cwd=REPOSITORY, env=with_autodiff(tmp_path), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    kept = FOLDER / name
    if update_golden:
        kept.write_bytes(made.read_bytes())
    if name.endswith(".svg"):
        assert made.read_text() == kept.read_text()
    else:
        from PIL import Image

        with Image.open(made) as one, Image.open(kept) as other:
            assert (one.n_frames, one.size) == (other.n_frames, other.size)


def test_every_picture_is_shown_and_made_there() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", GALLERY.read_text())
    assert shown == list(MADE) == sorted(shown, key=shown.index)
    assert {path.name for path in FOLDER.iterdir()} == set(shown)


def test_readme_opens_with_a_picture_of_the_first_seed() -> None:
    before = (REPOSITORY / "README.md").read_text().partition("```")[0]
    [picture] = re.findall(r"!\[[^\]]+\]\(docs/pictures/([^)]+)\)", before)
    assert "examples/seeds/1_autograd.ad" in MADE[picture]
