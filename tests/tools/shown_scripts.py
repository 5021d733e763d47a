"""The scripts that stand in the tests and documents, with the options of the commands that read them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import cases
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.parser import parse_to_first_error
from conftest import REPOSITORY, TESTS
from documents import FENCE

#: A word of the language that a script has, for a text of one line.
A_SCRIPT = re.compile(r"(?<![=<>!])=(?!=)")
#: Signs of a script that is there to take long, or to be large.
LONG = re.compile(r"while (True|1)\b|\*\*\s*\d\d|\d{5}|\d_\d{3}|\d[eE]\d\d|range\(\d{4}")
#: A command of the shell that gets its script as a word, and the options that choose output and inputs.
IN_COMMAND = re.compile(r"autodiff \w+ .*?-e ('[^']*'|\"[^\"]*\")")
#: A script that a command names.
NAMED = re.compile(r"autodiff .*?([\w./]+\.(?:ad|py))\b")
OPTION = re.compile(r"--(of|wrt)[ =]('[^']*'|[\w.,\[\]*]+)")
#: Expressions of Python that give a text without calling anything but `format`.
TEXTS = (ast.BinOp, ast.Constant, ast.JoinedStr, ast.Call)


class Shown:
    """A script with the ``of`` and ``wrt`` of a command that reads it, and ``place``: the file it is in."""

    def __init__(self, text: str, place: Path, command: str = "") -> None:
        options = {name: value.strip("'") for name, value in OPTION.findall(command)}
        self.text = text
        self.place = place.relative_to(REPOSITORY).as_posix()
        self.of = options.get("of")
        self.wrt = options["wrt"].split(",") if "wrt" in options else []

    @property
    def key(self) -> tuple[Any, ...]:
        return self.text, self.of, tuple(self.wrt)


def shown_scripts(*paths: Path) -> list[Shown]:
    """The scripts in files or folders, each with its options once, in the order of the files."""
    found: dict[tuple[Any, ...], Shown] = {}
    for path in (one for folder in paths for one in files_in(folder)):
        for shown in READERS[path.suffix](path):
            found.setdefault(shown.key, shown)
    return list(found.values())


def files_in(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return sorted(one for one in path.rglob("*") if one.suffix in READERS)


def from_script(path: Path) -> Iterator[Shown]:
    yield Shown(path.read_text(encoding="utf-8", errors="replace"), path)


def from_document(path: Path) -> Iterator[Shown]:
    """Code blocks, and the scripts in commands."""
    text = path.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        if block[1] in ("python", "py", "autodiff"):
            yield Shown(block[2], path)
    yield from from_shell(path)


def from_shell(path: Path) -> Iterator[Shown]:
    """The scripts in commands, those that commands name, and those in texts that ``cat`` writes."""
    text = path.read_text(encoding="utf-8")
    for command in text.splitlines():
        for word in IN_COMMAND.findall(command):
            yield Shown(word[1:-1], path, command)
        for name in NAMED.findall(command):
            if (REPOSITORY / name).is_file():
                yield Shown((REPOSITORY / name).read_text(encoding="utf-8"), path, command)
    for body in re.findall(r"<<\s*'?(\w+)'?[^\n]*\n(.*?)\n\1$", text, re.DOTALL | re.MULTILINE):
        yield Shown(body[1] + "\n", path)


def from_tests(path: Path) -> Iterator[Shown]:
    """The texts among a module's values, parameters and expressions that look like scripts."""
    source = path.read_text(encoding="utf-8")
    if "pytest" not in source:
        return
    module = imported(path)
    for value in values_of(module):
        if isinstance(value, cases.Case):
            yield Shown(value.script, path, value.command)
        elif isinstance(value, str) and is_script(value):
            yield Shown(value, path)
    for node in text_nodes(ast.parse(source)):
        value = constant_text(node, module)
        if value is not None and is_script(value):
            yield Shown(value, path)


def imported(path: Path) -> ModuleType:
    """A module of tests, under a name that pytest does not give it."""
    name = "scripts_of_" + "_".join(path.relative_to(TESTS).with_suffix("").parts)
    if name not in sys.modules:
        spec = spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def values_of(module: ModuleType) -> Iterator[Any]:
    """What a module's names hold and its tests are given, one by one."""
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        yield from flat(value)
        for mark in getattr(value, "pytestmark", ()):
            if mark.name == "parametrize":
                yield from flat(mark.args[1])


def flat(value: Any) -> Iterator[Any]:
    """The texts and cases in lists, tuples, dictionaries and parameters."""
    if isinstance(value, (str, cases.Case)):
        yield value
    elif isinstance(value, dict):
        yield from flat([*value, *value.values()])
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from flat(one)


def text_nodes(tree: ast.AST) -> Iterator[ast.expr]:
    """The largest expressions that may be texts."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, TEXTS):
            yield node
        yield from text_nodes(node)


def constant_text(node: ast.expr, module: ModuleType) -> str | None:
    """The text that an expression of constants and the module's names is; else None."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    if any(not (isinstance(call.func, ast.Attribute) and call.func.attr == "format") for call in calls):
        return None
    try:
        value = eval(compile(ast.Expression(node), "text", "eval"), dict(vars(module)))
    except Exception:
        return None  # it has a local name
    return value if isinstance(value, str) else None


def is_script(text: str) -> bool:
    """Whether a text parses and assigns something, and asks for no loop or tensor that takes long."""
    if len(text) > 2000 or not A_SCRIPT.search(text) or LONG.search(text):
        return False
    try:
        parse_to_first_error(Source(text, "script.ad"))
    except AutodiffError:
        return False
    return True


READERS = {
    ".ad": from_script,
    ".md": from_document,
    ".sh": from_shell,
    ".py": from_tests,
}
