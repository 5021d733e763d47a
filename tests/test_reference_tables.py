"""The lists in docs/language.md are those of the code: what is missing on either side fails here."""

from __future__ import annotations

import re

from autodiff.cli.command_line.options import TIMEOUT
from autodiff.core.base.limits import limits
from autodiff.core.engine.public_functions import METHODS as FUNCTION_METHODS
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.attributes import ATTRIBUTE_READERS, METHODS
from autodiff.grammar.objects.builtins.functions import BUILTINS
from autodiff.grammar.objects.builtins.namespaces import AUTOGRAD_FUNCTIONS, PYTHON_ONLY
from autodiff.grammar.objects.math_functions import MATH, NUMPY
from conftest import REPOSITORY
from test_differences import REWRITES

TEXT = (REPOSITORY / "docs" / "language.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def listed(text: str, before: str) -> list[str]:
    """The names in the first code span after some words."""
    found = re.search(rf"{re.escape(before)}\s*`([^`]+)`", text)
    assert found is not None, before
    return found[1].split()


def table(text: str, heading: str) -> list[list[str]]:
    """The rows of the table with this heading in its first column, cell by cell."""
    rows = text.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows, heading
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def members(cell: str) -> list[str]:
    """The names in ``.name`` and ``.name(...)``."""
    return re.findall(r"`\.(\w+)", cell)


def test_builtins() -> None:
    text = section("Builtins")
    shared = listed(text, "and\n")
    assert shared == ["sum", "max", "min", "abs", "round", "pow", "all", "any"]
    assert sorted(listed(text, "Python's")) == sorted(PYTHON_ONLY - {"display", "Math"})
    beside = TEXT.partition("\nAnd `grad`")[2].partition("\n")[0]
    others = {"grad", *re.findall(r"[A-Za-z_]+", " ".join(re.findall(r"`([^`]+)`", beside)))}
    assert others == {*BUILTINS, *AUTOGRAD_FUNCTIONS} - PYTHON_ONLY - {*shared} | {"display", "Math"}


def test_functions_of_plain_numbers() -> None:
    text = section("Builtins")
    assert listed(text, "`math` has") == sorted(MATH)
    assert listed(text, "`np` has") == sorted(NUMPY)


def test_methods_of_lists_and_strings() -> None:
    text = section("Builtins")
    assert sorted(listed(text, "Lists have")) == sorted(name for kind, name in METHODS if kind is list)
    assert sorted(listed(text, "strings")) == sorted(name for kind, name in METHODS if kind is str)


def test_attributes_of_tensors() -> None:
    rows = table(section("Attributes and methods"), "attribute")
    names = [name for row in rows for name in members(row[0])]
    assert sorted(names) == sorted(name for kind, name in ATTRIBUTE_READERS if kind is Tensor)


def test_methods_of_tensors() -> None:
    """Those that are no functions as well: functions are listed under "Functions"."""
    rows = table(section("Attributes and methods"), "method")
    names = [name for row in rows for name in members(row[0])]
    own = {name for kind, name in METHODS if kind is Tensor}
    in_place = {f"{name}_" for name, function in FUNCTION_METHODS.items() if function.in_place}
    assert len(names) == len(set(names))
    assert set(names) | {*FUNCTION_METHODS} >= own - in_place
    assert set(names) <= own


def test_the_limits_begin_as_they_are_listed() -> None:
    defaults = {row[2].strip("`"): row[1] for row in table(section("Limits"), "limit")}
    assert (defaults["--max-steps"], limits.steps) == ("none", 0)
    assert int(defaults["--timeout"]) == TIMEOUT.default
    assert int(defaults["--max-nodes"].replace(",", "")) == limits.nodes
    assert int(defaults["--max-depth"].replace(",", "")) == limits.depth
    assert int(defaults["--max-memory"].removesuffix(" GiB")) * 2**30 == limits.memory


def test_every_rewrite_is_run_and_every_one_that_is_run_is_listed() -> None:
    assert [row[0] for row in table(section("What is not in the language"), "instead of")] == list(REWRITES)
