"""Names: Python's scopes, and the error for a name that nothing binds before anything runs."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.interpret.scope import check_names, resolve
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax.parser import parse
from script_runner import run_script


def unknown(text: str) -> CompileError:
    """The error of a script with a name bound nowhere."""
    error = run_script(text).error
    assert isinstance(error, CompileError)
    assert error.code == "E0201"
    return error


def test_a_name_bound_nowhere_stops_the_script_before_it_prints() -> None:
    outcome = run_script("print('before')\nx3 = 1\ny = x_3 * 2\n")
    assert outcome.stdout == ""
    assert outcome.error is not None
    assert outcome.error.message == "name 'x_3' is not defined"
    assert outcome.error.caret == "there is no variable `x_3`"
    assert outcome.error.advice == ("did you mean `x3` (line 2)?",)
    assert outcome.error.span is not None
    assert (outcome.error.span.start, outcome.error.span.end) == (27, 30)


def test_the_first_in_the_text_is_reported() -> None:
    assert unknown("def f():\n    return first\ny = second\n").message == "name 'first' is not defined"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("x = tensor(1.)\ny = sigmoyd(x)", "did you mean `sigmoid`?"),
        ("learning_rate = 1\ny = learnig_rate", "did you mean `learning_rate` (line 1)?"),
        ("def f(alpha):\n    return alhpa\n", "did you mean `alpha` (line 1)?"),
    ],
)
def test_names_that_may_be_meant(text: str, meant: str) -> None:
    assert unknown(text).advice == (meant,)


@pytest.mark.parametrize("name", ["eval", "exec", "open", "getattr", "globals", "compile", "input", "vars"])
def test_pythons_dangerous_names_are_not_there(name: str) -> None:
    error = run_script(f"x = {name}").error
    assert isinstance(error, CompileError)
    assert error.code == ("E0143" if name in ("open", "input") else "E0201")


@pytest.mark.parametrize(
    "text",
    [
        "[i for i in range(3)]\ny = i",  # comprehensions keep their names
        "class A(Function):\n    @staticmethod\n    def forward(ctx, x): return backward\n",
        "f = lambda q: q\ny = q",
        "def f(a): return a\ny = a",
    ],
)
def test_scopes_end(text: str) -> None:
    unknown(text)


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(3): pass\ny = i",
        "if 1:\n    a = 1\ny = a",
        "def f(): return later\nlater = 1",
        "with no_grad():\n    a = 1\ny = a",
        "def f():\n    n = 1\n    def g(): return [n for i in range(2)]\n    return g()",
        "def f(*rest): return rest",
    ],
)
def test_scopes_reach(text: str) -> None:
    assert run_script(text).error is None


def test_slots_are_dense_and_parameters_come_first() -> None:
    source = Source("def f(a, b):\n    c = a\n    return c + b\n")
    script = parse(source)
    names = resolve(script)
    check_names(names, script, source, lambda name: builtin_value(name) is not UNBOUND)
    assert names.scope_of[script.body[0]].slots == {"a": 2, "b": 3, "c": 4}


def test_builtins_may_be_shadowed_and_come_back() -> None:
    outcome = run_script(
        "torch.ones(1)\nprint(sum([1, 2]))\nsum = 5\nprint(sum)\ndel sum\nprint(sum([3, 4]))\ne = 2"
    )
    assert outcome.error is None
    assert outcome.stdout == "3\n5\n7\n"


def test_each_of_two_unknown_names_has_its_repair() -> None:
    first = unknown("x = tensor(1.)\ny = siin(x) + coss(x)")
    assert first.advice == ("did you mean `sin`?",)
    second = unknown(first.fixes[0].apply("x = tensor(1.)\ny = siin(x) + coss(x)"))
    assert second.advice == ("did you mean `cos`?",)


def test_a_repair_renames_every_read_of_the_name() -> None:
    text = "x2 = tensor(1.)\ny = x_2 * 2\nz = x_2 + y"
    assert unknown(text).fixes[0].apply(text) == "x2 = tensor(1.)\ny = x2 * 2\nz = x2 + y"


@pytest.mark.parametrize("text", ["y = loss", "d = dict(a=1)", "w1 = 1\ny = w3", "y = x_2", "print(less_)"])
def test_nothing_unlikely_is_proposed(text: str) -> None:
    assert not any("did you mean" in advice for advice in unknown(text).advice)
