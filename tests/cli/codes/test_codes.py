"""Every code that ``autodiff help`` explains: its example makes exactly that mistake, the mended one runs."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from autodiff.cli.codes import CODES
from autodiff.cli.command_line.options import COMMANDS
from autodiff.cli.commands.help_code import NEEDS_A_PROCESS, explain_code, explain_lint
from autodiff.cli.commands.help_topics import find_topic
from autodiff.core.base import errors
from autodiff.core.base.source import Source
from autodiff.grammar.lint import LINTS, lint
from conftest import REPOSITORY
from documents import shell
from one_test import in_one_test
from script_runner import Outcome, run_script

#: A mistake of autodiff itself has no example: one that is known is mended. Nor has a missing library.
WITHOUT_EXAMPLE = {"E0620", "E0900"}
#: The time limit, and what needs a pipe or a device: shown without a diagnostic.
NOT_LIVE = {"E0505", "E0612", "E0613", "E0619", "E0700"}
EXAMPLES = [code for code in CODES if code not in WITHOUT_EXAMPLE]
#: The code of an error that is raised by its class alone.
DEFAULTS = {name: kind.code for name, kind in vars(errors).items() if hasattr(kind, "code")}
PACKAGE = [path for part in ("core", "grammar", "cli") for path in (REPOSITORY / part).rglob("*.py")]


def codes_of(outcome: Outcome) -> set[str]:
    """The code a run failed with, or that of its warnings."""
    if outcome.error is not None:
        return {outcome.error.code}
    return {"W0100"} if outcome.warnings else set()


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_makes_exactly_that_mistake(code: str, tmp_path: Path) -> None:
    entry = CODES[code]
    if entry.is_command:
        assert f"error[{code}]" in shell(entry.example, tmp_path)
    else:
        assert codes_of(run_script(entry.example)) == {code}


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_mended_example_runs(code: str, tmp_path: Path) -> None:
    entry = CODES[code]
    assert entry.mended != entry.example
    if entry.is_command:
        said = shell(entry.mended + "; echo status $?", tmp_path)
        assert said.endswith("status 0\n"), said
        assert shlex.split(entry.mended)[:1] == shlex.split(entry.example)[:1]
    else:
        assert codes_of(run_script(entry.mended)) == set()


def test_every_code_the_package_raises_is_explained_and_no_other() -> None:
    assert set(CODES) == {code for path in PACKAGE for code in codes_in(path)}


def codes_in(path: Path) -> set[str]:
    """The codes a module gives to errors: its constants, and the defaults of classes raised without one."""
    if path.parent.name == "codes" or path.name in ("script_errors.py", "errors.py"):
        return set()
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_code(node.value):
            found.add(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DEFAULTS:
            coded = any(keyword.arg == "code" for keyword in node.keywords)
            found |= set() if coded else {DEFAULTS[node.func.id]}
    return found


def is_code(text: str) -> bool:
    return len(text) == 5 and text[0] in "EW" and text[1:].isdigit()


@in_one_test("code", CODES)
def test_every_text_is_a_sentence(code: str) -> None:
    entry = CODES[code]
    for text in (entry.title, entry.cause, entry.remedy):
        assert text.endswith(".")
        assert "\n" not in text
    assert len(entry.title) < 90


@pytest.mark.parametrize("code", EXAMPLES)
def test_help_shows_the_real_diagnostic(code: str, tmp_path: Path) -> None:
    entry = CODES[code]
    shown = shell(f"autodiff help {code}", tmp_path) if entry.is_command else explain_code(code)
    told = " ".join(shown.partition("\n\nthis ")[0].split())
    assert told == f"{code}: {entry.title} {entry.cause} {entry.remedy}"
    assert ("\ngives\n" in shown) == (code not in NOT_LIVE)
    assert code in NOT_LIVE or f"    {'warning' if code[0] == 'W' else 'error'}[{code}]: " in shown
    for line in (*entry.example.split("\n"), *entry.mended.split("\n")):
        assert not line or f"    {line}\n" in shown


def test_only_what_needs_a_shell_or_a_clock_is_not_made_live() -> None:
    silent = {c for c in EXAMPLES if any(sign in CODES[c].example for sign in NEEDS_A_PROCESS)}
    assert {c for c in silent if CODES[c].is_command} == NOT_LIVE


@pytest.mark.parametrize("code", LINTS)
def test_help_on_a_lint_shows_the_finding_and_its_repair(code: str) -> None:
    entry = LINTS[code]
    shown = explain_lint(entry)
    told = " ".join(shown.partition("\n\nthis ")[0].split())
    assert told == f"{code}: {entry.title} {entry.reason}"
    assert f"\ngives\n\n    warning[{code}]: " in shown
    before, _, mended = shown.partition("\nwrite\n\n")
    if mended:
        script = "".join(line[4:] + "\n" for line in mended.splitlines())
        assert code not in [found.code for found in lint(Source(script))]
    assert before


def test_every_code_is_listed_with_its_title() -> None:
    listed = dict(line.split(None, 1) for line in find_topic("codes", 80).splitlines())
    titles = {code: entry.title for code, entry in CODES.items()}
    assert listed == titles | {code: entry.title for code, entry in LINTS.items()}


def test_the_topic_of_limits_names_their_options_and_codes() -> None:
    rows = re.findall(
        r"^    (--[\w-]+) .*? {2,}(\S+)(?: GiB| MiB)?   (\S+)", find_topic("limits", 80), re.MULTILINE
    )
    options = {flag for option in COMMANDS["run"].options for flag in option.flags}
    limits = {flag for flag in options if flag.startswith("--max-")} | {"--timeout"}
    assert {flag for flag, _, _ in rows} == limits
    assert {code.rstrip(",") for _, _, code in rows if code.startswith("E")} <= set(CODES)


def test_the_topic_of_formats_names_every_format() -> None:
    choices = {
        c for command in COMMANDS.values() for o in command.options if o.name == "format" for c in o.choices
    }
    assert set(re.findall(r"--format (\w+)", find_topic("formats", 80))) == choices


@pytest.mark.parametrize("option", ["--max-steps", "--max-nodes", "--max-memory", "--max-depth"])
def test_the_code_of_a_limit_is_the_one_the_topic_names(option: str, tmp_path: Path) -> None:
    code = re.search(rf"{option} .*(E\d+)", find_topic("limits", 80))
    assert code is not None
    loop = "w = ones(9, requires_grad=True)\nx = w\ndef f(n): return x if n == 0 else f(n - 1)\n"
    script = tmp_path / "script.ad"
    script.write_text(loop + "for i in range(900): x = x * w\nf(90)\n")
    assert f"error[{code[1]}]" in shell(f"autodiff run {option} 50 {script}", tmp_path)
