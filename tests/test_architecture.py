"""The rooms: imports run one way, libraries stay in their layer, nothing heavy loads before it is needed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import rooms
from conftest import REPOSITORY

SOURCES = [path for layer in rooms.LAYERS for path in sorted((REPOSITORY / layer).rglob("*.py"))]

#: Imports that run against the order, each with its reason. A new one belongs here only if nothing can be
#: moved, and no table in the lower room (``core.base.lazy.services``) can be filled by the upper one.
AGAINST_THE_ORDER = {
    ("core.graph", "core.ops"): "the registry imports the family that declares a name when it is asked for",
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported(path: Path) -> set[str]:
    """Every module a file imports, at any depth of its code."""
    modules: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules.update({node.module, *(f"{node.module}.{alias.name}" for alias in node.names)})
    return modules


def undeclared_imports(sources: Mapping[str, str]) -> list[str]:
    """Imports of rooms that the docstring of the importing room does not name."""
    said = rooms.said_imports(sources)
    return [
        f"{room} imports {target} ({', '.join(places)})"
        for (room, target), places in rooms.imports_between_rooms(sources).items()
        if target not in said[room] and (room, target) not in AGAINST_THE_ORDER
    ]


def test_rooms_import_what_their_docstrings_say() -> None:
    sources = rooms.read_sources()
    assert undeclared_imports(sources) == []
    made = rooms.imports_between_rooms(sources)
    unused = [
        f"{room} no longer imports {target}"
        for room, targets in rooms.said_imports(sources).items()
        for target in targets
        if (room, target) not in made
    ]
    assert unused == []


def test_rooms_are_imported_by_those_their_docstrings_say() -> None:
    sources = rooms.read_sources()
    pairs = set(rooms.imports_between_rooms(sources)) - set(AGAINST_THE_ORDER)
    for room, said in rooms.said_importers(sources).items():
        if said:  # else any room above may
            assert said == {importer for importer, target in pairs if target == room}, room


def test_rooms_have_an_order() -> None:
    """What the docstrings allow has no cycle: the rooms can be put in a line in which imports run one way."""
    order = list(TopologicalSorter(rooms.said_imports(rooms.read_sources())).static_order())
    assert order.index("core.base") < order.index("core") < order.index("grammar") < order.index("cli")
    for layer, below in (("core", ()), ("grammar", ("core",)), ("cli", ("core", "grammar"))):
        for room, targets in rooms.said_imports(rooms.read_sources()).items():
            if room.split(".")[0] == layer:
                assert {target.split(".")[0] for target in targets} <= {layer, *below}


def test_few_imports_run_against_the_order() -> None:
    made = rooms.imports_between_rooms(rooms.read_sources())
    assert len(AGAINST_THE_ORDER) <= 10
    assert set(AGAINST_THE_ORDER) <= set(made), "an exception that nobody needs"


@pytest.mark.parametrize(
    "planted",
    [
        "from autodiff.core.engine.tensor import Tensor",
        "from autodiff.core.engine import tensor",
        "import autodiff.core.engine.tensor",
        "def late():\n    from autodiff.core.engine.tensor import Tensor",
        "if True:\n    from autodiff.core.engine.tensor import Tensor",
        "tensors = Later('autodiff.core.engine.tensor')",
        "from autodiff.core import tensor",
        "from autodiff.grammar import run",
        "runs = __import__('autodiff.grammar.execution')",
    ],
)
def test_an_import_against_the_order_is_found(planted: str) -> None:
    sources = dict(rooms.read_sources())
    sources["core.base.planted"] = planted
    assert undeclared_imports(sources), planted
    sources["core.base.planted"] = "if TYPE_CHECKING:\n    from autodiff.core.engine.tensor import Tensor"
    assert undeclared_imports(sources) == []


def test_entry_points_alone_lie_flat() -> None:
    flat = {layer: {path.stem for path in (REPOSITORY / layer).glob("*.py")} for layer in ("core", "grammar")}
    assert flat == {"core": {"__init__", "linalg", "special"}, "grammar": {"__init__", "execution", "lint"}}


def test_libraries_stay_in_their_layer() -> None:
    allowed = {"core": set(), "grammar": {"lark"}, "cli": {"click", "rich"}}
    for path in SOURCES:
        roots = {module.split(".")[0] for module in imported(path)}
        layer = path.relative_to(REPOSITORY).parts[0]
        assert not (roots & {"click", "rich", "lark"}) - allowed[layer], path


def test_one_module_calls_each_library_of_pictures() -> None:
    """They are optional and young: what replaces one is written in one place."""
    callers: dict[str, list[str]] = {"graphlay": [], "resvg_py": [], "PIL": [], "plotille": []}
    for path in SOURCES:
        for library in callers.keys() & imported(path):
            callers[library].append(str(path.relative_to(REPOSITORY)))
    assert callers == {
        "graphlay": ["cli/pictures/layout.py"],
        "resvg_py": ["cli/pictures/png.py"],
        "plotille": ["cli/pictures/chart.py"],
        "PIL": ["cli/pictures/gif.py"],
    }


def test_every_module_says_what_lives_there() -> None:
    assert not [path for path in SOURCES if not ast.get_docstring(parsed(path))]


def test_functions_fit_a_screen() -> None:
    long = {
        node.name
        for path in SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 60
    }
    # It is one loop over the tape of a program of numbers: a call per entry would take longer than its work.
    assert long == {"backward_one_tape"}


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
