"""Generated scripts of the whole language agree with Python and torch, and would not if it were broken.

`python tests/tools/language_generator.py --count 2000` runs more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source
from autodiff.grammar.objects.builtins.functions import BUILTINS
from autodiff.grammar.objects.operators import BINARY, COMPARISON, UNARY
from autodiff.grammar.syntax import tree as syntax
from autodiff.grammar.syntax.parser import parse
from autodiff.grammar.syntax.walk import walk
from language_comparison import Compared, compare, to_the_letter
from language_generator import Script, generate, with_mistake
from language_mistakes import MISTAKES
from language_mutants import MUTANTS
from seeds import seeds

pytestmark = pytest.mark.oracle
SCRIPTS = seeds(1_520)


@pytest.fixture(scope="module")
def corpus() -> list[tuple[Script, Compared]]:
    """The scripts, and every mistake once in a script of its own, with what torch and we make of them."""
    pytest.importorskip("torch")
    scripts = [generate(seed) for seed in SCRIPTS]
    scripts += [with_mistake(seed, mistake) for seed, mistake in enumerate(MISTAKES)]
    return [(script, compare(script)) for script in scripts]


def test_generated_scripts_agree_with_python_and_torch(corpus) -> None:
    differ = {
        (script.seed, script.mistake): found.differences for script, found in corpus if found.differences
    }
    assert not differ, f"{len(differ)} of {len(corpus)} differ: {dict(list(differ.items())[:5])}"


def test_numbers_are_printed_to_the_letter(corpus) -> None:
    assert sum(to_the_letter(found) for _, found in corpus) >= 0.99 * len(corpus)


def test_scripts_end_where_they_are_meant_to(corpus) -> None:
    ended_early = [
        (script.seed, repr(found.oracle.error))
        for script, found in corpus
        if (found.oracle.error is None) != (script.mistake is None)
    ]
    assert not ended_early, "a script without a mistake runs to its end, one with a mistake does not"


def trees() -> Iterator[syntax.SyntaxNode]:
    for seed in range(300):
        yield parse(Source(generate(seed).text))


def kinds_of_syntax() -> set[type]:
    """Every class of the tree that stands for something in a script."""
    found, todo = set(), [syntax.SyntaxNode]
    while todo:
        below = todo.pop().__subclasses__()
        found.update(below)
        todo += below
    return found - {syntax.Expression, syntax.Statement, syntax.Script, syntax.Magic}


#: Tensor methods that scripts of every kind use; the ops have a generator and tests of their own.
TENSOR_METHODS = set(
    """
    backward bool clone contiguous copy_ cpu detach detach_ dim double element_size fill_
    float int item long is_floating_point ndimension nelement numel requires_grad_ retain_grad
    size to tolist type type_as zero_ add_ sub_ mul_ div_ clamp_ neg_ abs_ exp_ sum mean max
    min prod view reshape unsqueeze squeeze expand t transpose flip cumsum clamp abs sqrt tanh
    any all sort argsort argmax masked_fill name
    """.split()
)
SEQUENCE_METHODS = set(
    """
    append extend insert pop remove reverse sort index count clear copy upper lower title
    capitalize strip lstrip rstrip replace split join find startswith endswith isdigit isalpha
    ljust rjust center format
    """.split()
)


def test_every_construct_occurs() -> None:
    seen: set[object] = set()
    for tree in trees():
        for node in walk(tree):
            seen.add(type(node))
            match node:
                case syntax.Binary(op=op) | syntax.Unary(op=op) | syntax.Boolean(op=op):
                    seen.add((type(node), op))
                case syntax.AugmentedAssign(op=op):
                    seen.add((syntax.AugmentedAssign, op))
                case syntax.Comparison(rest=rest):
                    seen.update((syntax.Comparison, op) for op, _ in rest)
                    seen.add(("chain", len(rest)))
                case syntax.Attribute(object=syntax.Name(id="torch"), name=name):
                    seen.update((name, f".{name}"))
                case syntax.Attribute(name=name):
                    seen.add(f".{name}")
                case syntax.Name(id=name):
                    seen.add(name)
                case syntax.For(orelse=orelse) if orelse:
                    seen.add("for else")
                case syntax.While(orelse=orelse) if orelse:
                    seen.add("while else")
                case syntax.Parameter(star=star, default=default):
                    seen.add(("parameter", bool(star), default is not None))
    wanted: set[object] = kinds_of_syntax() | {"for else", "while else", ("chain", 2), ("chain", 3)}
    wanted |= {(syntax.Binary, op) for op in BINARY} | {(syntax.Unary, op) for op in UNARY}
    wanted |= {(syntax.Comparison, op) for op in COMPARISON} | {
        (syntax.Boolean, "and"),
        (syntax.Boolean, "or"),
    }
    wanted |= {(syntax.AugmentedAssign, op) for op in BINARY if op != "@"}
    wanted |= {f".{name}" for name in TENSOR_METHODS | SEQUENCE_METHODS}
    wanted |= {("parameter", star, default) for star, default in ((0, 0), (0, 1), (1, 0))}
    wanted |= set(BUILTINS)
    assert not wanted - seen, "the generator no longer writes these"


def test_every_error_code_occurs(corpus) -> None:
    seen = {found.outcome.error.code for _, found in corpus if found.outcome.error is not None}
    wanted = {f"E02{n:02d}" for n in range(1, 13)} | {f"E03{n:02d}" for n in (*range(1, 9), 10, 11, 12)}
    wanted |= {f"E04{n:02d}" for n in range(1, 16)}
    assert not wanted - seen


@pytest.fixture
def few_steps() -> Iterator[None]:
    """A mutant may loop for ever."""
    before, limits.steps = limits.steps, 20_000
    yield
    limits.steps = before


@pytest.mark.parametrize("name", MUTANTS)
def test_a_planted_mistake_is_found(corpus, monkeypatch, few_steps, name) -> None:
    MUTANTS[name](monkeypatch)
    assert any(compare(script, found.oracle).differences for script, found in corpus)
