"""Random examples are the same in every run: each generator has a seed, and hypothesis asks for no more."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from conftest import TESTS
from hypothesis import given, settings
from hypothesis import strategies as st


def unseeded(text: str) -> Iterator[str]:
    """The calls that draw from a generator without a seed, or from the one that all modules share."""
    nodes = list(ast.walk(ast.parse(text)))
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    shared = {"random", "np.random"} & {*imported, "np.random"}
    for node in nodes:
        if isinstance(node, ast.Call):
            owner, _, name = ast.unparse(node.func).rpartition(".")
            makes_generator = name == "default_rng" or name[:1].isupper()
            has_no_seed = name in ("Random", "default_rng") and not node.args
            if has_no_seed or (owner in shared and not makes_generator):
                yield f"{ast.unparse(node)} in line {node.lineno}"


def test_every_generator_has_a_seed() -> None:
    found = {str(path): [*unseeded(path.read_text(encoding="utf-8"))] for path in TESTS.rglob("*.py")}
    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "text",
    ["Random()", "import random\nrandom.random()", "np.random.rand(3)", "rng = np.random.default_rng()"],
)
def test_a_generator_without_a_seed_is_found(text: str) -> None:
    assert len([*unseeded(text)]) == 1


def test_hypothesis_takes_nothing_from_modules_that_happen_to_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = 7_654_321_012_345
    module = ModuleType("planted")
    module.__file__ = str(tmp_path / "planted.py")
    Path(module.__file__).write_text(f"x = {planted}\n")
    monkeypatch.setitem(sys.modules, "planted", module)
    drawn = []

    @settings(max_examples=500)
    @given(st.integers(planted - 10**9, planted + 10**9))
    def draw(number: int) -> None:
        drawn.append(number)

    draw()
    assert planted not in drawn


@pytest.mark.parametrize("ci", ["", "true"])
def test_the_variable_ci_does_not_change_the_examples(ci: str) -> None:
    script = "import conftest; print(conftest.settings.default.derandomize)"
    environment = {**os.environ, "CI": ci}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, capture_output=True, text=True, cwd=TESTS, env=environment, check=True)
    assert run.stdout == "False\n"
