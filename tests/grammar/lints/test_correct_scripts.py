"""No false alarm: what the lints say of every script in the repository that runs, each finding reviewed."""

from __future__ import annotations

import ast
from functools import cache

import pytest
from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.lint import lint
from conftest import REPOSITORY, TESTS
from documents import blocks
from script_runner import run_script
from teaching_scripts import MISTAKES, RIGHT

#: The findings that were read and are true, by script and code, with the reason why the script keeps them.
REVIEWED = {
    # Seeds that show what PyTorch does, mistakes included.
    ("examples/seeds/2_after_backward.ad", "L006"): "shows that .grad of a result is None",
    ("examples/seeds/2_before_backward.ad", "L006"): "shows that .grad of a result is None",
    ("examples/seeds/2_leaves_notebook.ad", "L006"): "shows that .grad of a result is None",
    ("examples/seeds/2_descent_step.ad", "L001"): "shows a step that makes a new tensor",
    ("examples/seeds/2_new_tensor.ad", "L014"): "shows the old ways to make tensors",
    ("examples/seeds/2_requires_grad.ad", "L014"): "shows the old ways to make tensors",
    ("examples/batch_norm.ad", "L053"): "every step has a name, for its derivative by hand",
    # Tutorials as they stand in books: right where no probability rounds to 0.
    ("tests/pasted/softmax_regression.ad", "L053"): "the book takes the logarithm of softmax",
    ("tests/pasted/log_softmax_model.ad", "L057"): "the tutorial writes log_softmax with exp",
    ("tests/pasted/two_layers_autograd.ad", "L053"): "the book takes the logarithm of sigmoid",
    # What the reference and the articles say about mistakes.
    ("docs/language.md", "L006"): "shows that .grad of a result is None",
    ("docs/language.md", "L040"): "shows that nan equals nothing",
    ("docs/language.md", "L056"): "shows that 0.1 + 0.2 is not 0.3",
    ("tests/articles/test_recording.py", "L014"): "an article that uses the old ways to make tensors",
}
DOCUMENTS = ("docs/python.md", "docs/language.md", "tests/articles.md")
MODULES_WITH_SCRIPTS = (
    *(f"articles/{path.name}" for path in sorted((TESTS / "articles").glob("*.py"))),
    *("tools/article_scripts.py", "test_seeds.py", "test_differences.py"),
)
#: Scripts that are there for what goes wrong in them, with what is said of that.
SHOW_MISTAKES = ("mistakes", "why")


@cache
def scripts() -> list[tuple[str, str]]:
    """Every script there is, with its place: files, blocks of documents, texts in tests."""
    found = [
        (str(path.relative_to(REPOSITORY)), path.read_text())
        for folder in ("examples", "tests")
        for path in sorted((REPOSITORY / folder).rglob("*.ad"))
        if not {*SHOW_MISTAKES} & {*path.parts}
    ]
    for name in DOCUMENTS:
        text = (REPOSITORY / name).read_text()
        found += [(name, block) for language in ("python", "ad") for block in blocks(text, language)]
    for name in MODULES_WITH_SCRIPTS:
        tree = ast.parse((TESTS / name).read_text())
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        texts = [text for text in texts if isinstance(text, str) and text.count("\n") > 1 and "=" in text]
        found += [(f"tests/{name}", text) for text in texts]
    return found


def runs(text: str) -> bool:
    return run_script(text).error is None


def codes(text: str) -> list[str]:
    return [one.code for one in lint(Source(text))]


@cache
def findings() -> dict[tuple[str, str], str]:
    """What is found in scripts that run, by place and code, with one of the scripts."""
    return {(name, code): text for name, text in scripts() if runs(text) for code in codes(text)}


def test_there_are_many_scripts_that_run() -> None:
    assert sum(runs(text) for _, text in scripts()) > 150


def test_every_finding_in_a_script_that_runs_was_reviewed() -> None:
    assert {key: text for key, text in findings().items() if key not in REVIEWED} == {}
    assert set(REVIEWED) <= set(findings())


def test_nothing_a_script_that_runs_uses_is_called_missing() -> None:
    assert [key for key in findings() if key[1].startswith("E")] == []


@pytest.mark.parametrize("name", RIGHT)
def test_teaching_scripts_are_clean(name: str) -> None:
    assert runs(RIGHT[name])
    assert codes(RIGHT[name]) == []


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_of_teaching_scripts_are_found_and_mended(name: str) -> None:
    before, after, wanted = MISTAKES[name]
    script, _, change = name.partition(": ")
    assert change
    assert RIGHT[script].count(before) == 1
    text = RIGHT[script].replace(before, after)
    assert codes(text) == wanted
    for one in lint(Source(text)):
        for fix in one.fixes:
            try:
                left = codes(fix.apply(text))
            except CompileError as refused:
                pytest.fail(f"{fix.text}: {refused.message}")
            assert left.count(one.code) < wanted.count(one.code), fix.text
            if len(wanted) == 1:
                assert runs(fix.apply(text)), fix.text
