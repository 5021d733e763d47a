"""Training scripts made of modules, optimizers and loaders: what their rewrites come to is the same program.

Every repair an error proposes is made, one after the other, until the script runs. The original and the
rewrite run in PyTorch from the same seed and must print the same; the rewrite with numbers that both can
draw alike must print in PyTorch what it prints here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import TESTS
from script_runner import printed, run_script

SCRIPTS = sorted((TESTS / "mistakes" / "training").glob("*.ad"))
#: What is not rewritten: the reason is in words.
IN_WORDS = {"quasi_newton", "recurrent", "layers_in_loop"}
#: What the rewrite leaves out on purpose: the picture of a model, a file in place of the screen.
OTHERWISE = {"sequential_classifier", "written_to_file"}
each_script = pytest.mark.parametrize(
    "path", [path for path in SCRIPTS if path.stem not in IN_WORDS], ids=lambda path: path.stem
)
#: Numbers between 0 and 1, and their like around 0, that every program can work out.
DRAWN = """
def drawn_between(*sizes):
    shape = torch.ones(*sizes).shape
    return ((torch.arange(shape.numel()) * 0.6180339887498949 + 0.25) % 1.0).reshape(shape)

def drawn_around(*sizes, requires_grad=False):
    return (2.0 * drawn_between(*sizes) - 1.0).requires_grad_(requires_grad)
"""


def rewritten(text: str) -> str:
    """The script with every repair made that its errors propose."""
    for _ in range(12):
        error = run_script(text).error
        if error is None:
            return text
        assert error.fixes, f"{error.message}: {error.help}\n{text}"
        text = error.fixes[0].apply(text)
    raise AssertionError(f"still not done:\n{text}")


@each_script
def test_it_runs_once_all_repairs_are_made(path: Path) -> None:
    assert printed(rewritten(path.read_text()))


@pytest.mark.oracle
@each_script
def test_the_rewrite_is_the_same_program_in_torch(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from test_pasted import comparable, run_with_plain_python

    monkeypatch.chdir(tmp_path)  # some save what they have learnt
    if path.stem in OTHERWISE:
        theirs = run_with_plain_python(path.read_text().replace("print(model)", ""))[0]
    else:
        theirs = run_with_plain_python(path.read_text())[0]
    ours = run_with_plain_python(rewritten(path.read_text()))[0]
    assert comparable(ours) == comparable(theirs) or path.stem == "written_to_file"


@pytest.mark.oracle
@each_script
def test_the_rewrite_runs_here_as_in_torch(path: Path) -> None:
    from test_pasted import comparable, run_with_plain_python

    text = re.sub(r"torch\.rand\(", "drawn_between(", rewritten(path.read_text()))
    text = re.sub(r"torch\.randn\(", "drawn_around(", text)
    text = re.sub(r"torch\.randint\((\w+), (\w+), \((\w+),\)\)", r"(torch.arange(\3) % \2)", text)
    text = text.replace("import torch\n", "import torch\n" + DRAWN, 1)
    assert comparable(printed(text)) == comparable(run_with_plain_python(text)[0])


@pytest.mark.parametrize("name", sorted(IN_WORDS))
def test_what_cannot_be_rewritten_is_named(name: str) -> None:
    error = run_script((TESTS / "mistakes" / "training" / f"{name}.ad").read_text()).error
    assert error is not None
    assert not error.fixes
    assert len(error.help) == 1
    assert " has no rewrite; " in error.help[0]
