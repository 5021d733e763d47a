"""What a start loads, module by module, in an installation as it is built: little, and nothing in vain."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS
from autodiff.core.graph.op import OPS
from autodiff.core.graph.registry import OPERATORS, read_index
from conftest import REPOSITORY

GOLDEN = REPOSITORY / "tests" / "golden" / "imports"
#: The command line of each, and what else than this program it may load (with all that loads along).
STARTS = {
    "help": (["--help"], "click, click._textwrap, locale, bisect"),
    "version": (["--version"], "importlib.metadata, email.parser"),
    "scalars": (["grad", "--wrt", "w1", "examples/seeds/1_autograd.ad"], "math, bisect"),
    "tensors": (["grad", "--wrt", "W", "--grad-output", "ones", "examples/bias.ad"], "numpy, bisect"),
}
#: Of Python, for every start: the streams, signals, the thread the work runs on, the limit on memory.
ALWAYS = "runpy, re, errno, gc, signal, threading, resource, weakref"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages as building them leaves them: with the index of the ops, which a checkout has not."""
    site = tmp_path_factory.mktemp("site")
    for layer in ("core", "grammar", "cli"):
        ignored = shutil.ignore_patterns("__pycache__", "index.txt")
        shutil.copytree(REPOSITORY / layer, site / "autodiff" / layer, ignore=ignored)
    python(site, "-m", "autodiff.core.ops")
    return site


def python(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1", "AUTODIFF_FAST": "1"},
    )


def loaded(site: Path, *arguments: str) -> list[str]:
    """The modules that a process imports, in their order."""
    told = python(site, "-X", "importtime", *arguments).stderr.splitlines()
    return [line.rpartition("|")[2].strip() for line in told if line.startswith("import time:")][1:]


@pytest.mark.parametrize("start", STARTS)
def test_what_a_start_loads(start: str, installed: Path, update_golden: bool) -> None:
    arguments, others = STARTS[start]
    modules = loaded(installed, "-m", "autodiff.cli", *arguments)
    ours = [name for name in modules if name.startswith("autodiff.") or name == "autodiff"]
    golden = GOLDEN / f"{start}.txt"
    if update_golden:
        golden.write_text("\n".join(sorted(ours)) + "\n")
    assert sorted(ours) == golden.read_text().split()
    assert not any(name.startswith("autodiff.core.interface") for name in ours), (
        "scripts need no Python names"
    )
    may_load = {*loaded(installed, "-c", f"import {ALWAYS}, {others}"), "__future__"}
    assert sorted({*modules} - {*ours} - may_load) == []


@pytest.mark.parametrize("command", ["run", "explain", "graph"])
def test_numbers_are_explained_without_numpy(command: str, installed: Path) -> None:
    assert "numpy" not in loaded(installed, "-m", "autodiff.cli", command, "examples/seeds/1_autograd.ad")


def test_the_index_has_every_name(installed: Path) -> None:
    index = read_index(str(installed / "autodiff" / "core" / "ops" / "index.txt"))
    for title, table in (
        ("ops", OPS),
        ("functions", FUNCTIONS),
        ("methods", METHODS),
        ("in_place", IN_PLACE),
        ("operators", OPERATORS),
    ):
        assert set(index[title]) == {name for name in table if not name.endswith("for_doctest")}


EACH_ALONE = """\
import os
from autodiff.core.engine.public_functions import FUNCTIONS, IN_PLACE, METHODS
from autodiff.core.graph.op import OPS
from autodiff.core.graph.registry import OPERATORS, family_loader, read_index
tables = {table.title: table for table in (OPS, FUNCTIONS, METHODS, IN_PLACE, OPERATORS)}
names = [(title, name, family) for title, found in read_index().items() for name, family in found.items()]
for one in sorted({family for *_, family in names}):
    if os.fork() == 0:
        asked = [(title, name) for title, name, family in names if family == one]
        missing = [name for title, name in asked if name not in tables[title] or family_loader.all_loaded]
        if missing:
            print(one, *missing, flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="one process for each family would take long")
def test_every_family_declares_what_the_index_says(installed: Path) -> None:
    assert python(installed, "-c", EACH_ALONE).stdout == ""


def test_without_an_index_every_name_is_found_too(installed: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    shutil.copytree(installed, checkout)
    (checkout / "autodiff" / "core" / "ops" / "index.txt").unlink()
    code = "from autodiff.grammar import run; print(run('y = sinh(zeros(1)); tensor([1.]).cosh_()')['y'])"
    for site in (installed, checkout):
        assert python(site, "-c", code).stdout == python(installed, "-c", code).stdout != ""
    assert "autodiff.core.ops.losses.ctc" in loaded(checkout, "-c", code)
    assert "autodiff.core.ops.losses.ctc" not in loaded(installed, "-c", code)
