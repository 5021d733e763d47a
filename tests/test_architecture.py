"""The shape of the house: imports run core <- grammar <- cli, and nothing heavy loads before it is needed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

LAYERS = ("core", "grammar", "cli")
MAY_IMPORT = {"core": {"core"}, "grammar": {"core", "grammar"}, "cli": {"core", "grammar", "cli"}}
SOURCES = [path for layer in LAYERS for path in sorted((REPOSITORY / layer).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Every module a file imports, at any depth of its code."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return modules


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_imports_run_one_way(path: Path) -> None:
    layer = path.relative_to(REPOSITORY).parts[0]
    inner = {module.split(".")[1] for module in imported(path) if module.startswith("autodiff.")}
    assert inner <= MAY_IMPORT[layer], f"{layer} must not import {inner - MAY_IMPORT[layer]}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_libraries_stay_in_their_layer(path: Path) -> None:
    layer = path.relative_to(REPOSITORY).parts[0]
    roots = {module.split(".")[0] for module in imported(path)}
    allowed = {"core": set(), "grammar": {"lark"}, "cli": {"click", "rich"}}[layer]
    assert not (roots & {"click", "rich", "lark"}) - allowed


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_module_says_what_lives_there(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text()))
    assert docstring, "a module begins with a docstring"


def test_every_folder_of_modules_is_a_package() -> None:
    """setup.py finds packages by their ``__init__``: a folder without one would be left out."""
    assert {path.parent for path in SOURCES} == {path.parent for path in SOURCES if path.stem == "__init__"}


def loaded_by(code: str) -> set[str]:
    """The modules in memory after running ``code`` in a fresh interpreter."""
    program = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    fast = {**os.environ, "AUTODIFF_FAST": "1"}  # the plain engine computes numbers with numpy
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=fast
    )
    return set(done.stdout.split())


def test_the_engine_loads_without_numpy() -> None:
    assert "numpy" not in loaded_by("import autodiff.core")


def test_a_scalar_script_needs_no_numpy() -> None:
    script = "w = 3\\nx = 2\\nL = (w*x - 1)**2 + exp(-x) / w\\n"
    modules = loaded_by(f"from autodiff.grammar import run\nrun('{script}')")
    assert not modules & {"numpy", "lark", "rich", "click", "dataclasses", "typing"}


def test_a_tensor_script_loads_numpy_only_then() -> None:
    modules = loaded_by("from autodiff.grammar import run\nrun('x = tensor([1.0, 2.0])')")
    assert "numpy" in modules
    assert not modules & {"scipy", "lark", "rich"}
