"""Every lint by its own example: found, repaired, gone; and silence where nothing is wrong."""

from __future__ import annotations

import pytest
from autodiff.cli.render.diagnostic import diagnostic_lines
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.lint import LINTS, lint
from autodiff.grammar.session.run import Settings
from autodiff.grammar.syntax import walk
from conftest import REPOSITORY, TESTS
from script_generator import generate
from script_runner import run_script
from seeds import seeds

GOLDEN = TESTS / "golden" / "lints"


def codes(text: str) -> list[str]:
    return [found.code for found in lint(Source(text))]


@pytest.mark.parametrize("code", LINTS)
def test_the_example_shows_the_lint_and_nothing_else(code: str, update_golden: bool) -> None:
    source = Source(LINTS[code].example, "example.ad")
    found = lint(source)
    assert {one.code for one in found} == {code}
    said = "\n".join(line for one in found for line in diagnostic_lines(one, source, kind="warning")) + "\n"
    golden = GOLDEN / f"{code}.txt"
    if update_golden:
        golden.write_text(said)
    assert said == golden.read_text()


@pytest.mark.parametrize("code", LINTS)
def test_the_repair_runs_and_ends_the_finding(code: str) -> None:
    text = LINTS[code].example
    fixes = [fix for one in lint(Source(text)) for fix in one.fixes]
    assert fixes, "an example whose repair can be written down"
    for fix in fixes:
        repaired = fix.apply(text)
        assert code not in codes(repaired)
        assert run_script(repaired).error is None


@pytest.mark.parametrize("code", LINTS)
def test_the_repair_shows_the_lines_it_makes(code: str) -> None:
    text = LINTS[code].example
    for fix in (fix for one in lint(Source(text)) for fix in one.fixes):
        repaired = fix.apply(text).split("\n")
        new = [line for line in repaired if line not in text.split("\n")]
        assert all(line.strip() in fix.text for line in new)
        words, shows, code_lines = fix.text.partition(":\n")
        if shows:
            wanted = [line.strip() for line in code_lines.split("\n") if line.strip() != "..."]
            assert set(wanted) <= {line.strip() for line in repaired}
        assert new == [] or shows or f": `{new[0].strip()}`" in words


def test_the_reference_lists_every_lint(update_golden: bool) -> None:
    reference = REPOSITORY / "docs" / "language.md"
    text = reference.read_text()
    head = "| code | likely mistake | why |\n|---|---|---|\n"
    rows = "".join(f"| {one.code} | {one.title} | {one.reason} |\n" for one in LINTS.values())
    before, found, after = text.partition(head)
    assert found
    listed = after.partition("\n\n")[0] + "\n" if after.startswith("|") else ""
    if update_golden:
        reference.write_text(before + head + rows + after.removeprefix(listed))
    else:
        assert listed == rows


def test_titles_and_reasons_are_one_sentence_each() -> None:
    for one in LINTS.values():
        assert one.title.endswith(".")
        assert one.reason.endswith(".")
        assert ". " not in one.reason


def test_a_script_is_read_as_what_it_is_whatever_ran_before() -> None:
    execute(Source("x = 2.0\ny = x**2\n"), Settings())
    code = "x = torch.ones(2, 3, requires_grad=True)\nL = x.std(dim=0, unbiased=False).sum()\nL.backward()\n"
    assert codes(code) == []


def test_generated_scripts_are_clean() -> None:
    assert {seed: found for seed in seeds(80) if (found := codes(generate(seed)))} == {}


@pytest.mark.parametrize("asked", ["t.retain_grad()", "print(t)"])
@pytest.mark.parametrize("many", [2, 16, 17, 40])
def test_what_a_loop_does_to_many_values_is_not_denied(many: int, asked: str) -> None:
    """Beyond the turns that are followed nothing is known, and nothing is said."""
    names = [f"h{at}" for at in range(many)]
    made = "".join(f"{name} = w * {at}\n" for at, name in enumerate(names))
    loop = f"for t in [{', '.join(names)}]:\n    {asked}\n"
    rest = f"L = {' + '.join(names)}\nL.backward()\nprint(h0.grad)\n"
    found = codes("w = torch.tensor(1.0, requires_grad=True)\n" + made + loop + rest)
    assert found == (["L006"] if asked == "print(t)" and many <= 16 else [])


def test_all_lints_together_look_at_a_script_a_few_times(monkeypatch) -> None:
    """They ask for nodes by their class: one that reads the whole tree costs as much as ten that do not."""
    looked_at = 0
    children = walk.children

    def counted(node):
        nonlocal looked_at
        looked_at += 1
        return children(node)

    monkeypatch.setattr(walk, "children", counted)
    lines = ["L = -(-L)"] * 100  # three nodes with parts in each
    assert not lint(Source("\n".join(["w = 2.0", "L = 0.0", *lines])))
    assert 300 <= looked_at <= 3 * 303
