"""Several mistakes in one script: all that are independent are reported, and none that only follows."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import CompileError, Edit, Fix
from autodiff.core.base.source import Source, Span
from autodiff.grammar.help.syntax.recovery import MAX_ERRORS, keep_working_repair
from autodiff.grammar.syntax.parser import parse
from conftest import REPOSITORY
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from script_runner import run_script
from seeds import examples


def mistakes(text: str) -> list[tuple[str, int]]:
    """The code and the line of every mistake, the first of them first."""
    source = Source(text)
    with pytest.raises(CompileError) as caught:
        parse(source)
    found = [caught.value, *caught.value.other_errors]
    return [(error.code, source.position(error.span.start)[0]) for error in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = = 1\ny = 2\nz = 3 +\n", [("E0101", 1), ("E0101", 3)]),
        ("if x = 1:\n    y = 2 $ 3\nelse:\n    y = 2\nz = 1 +\n", [("E0102", 1), ("E0107", 2), ("E0101", 5)]),
        ("def f(x)\n    y = x * = 2\n    return y\nz = 2x\n", [("E0105", 1), ("E0101", 2), ("E0109", 4)]),
        ("for i in range(3\n    x = i\ny = = 2\n", [("E0103", 1), ("E0101", 3)]),
        ("x = (1 + 2\ny = 3\nz = [1, 2\nw = 4\n", [("E0103", 1), ("E0103", 3)]),
        ("x = f(\n    1,\n    2\ny = = 2\n", [("E0103", 1), ("E0101", 4)]),
        ("s = 'abc\nt = 'def'\nu = = 2\n", [("E0106", 1), ("E0101", 3)]),
        ("f('a, [1,\n  2])\ny = = 2\n", [("E0106", 1), ("E0101", 3)]),
        ("1 = 2\nf(a=1, a=2)\ndef g(a, a): pass\n", [("E0108", 1), ("E0102", 2), ("E0102", 3)]),
        ("try:\n    x = 1\nexcept ValueError:\n    x = 2\nfinally:\n    x = 3\nd = {}\n",
         [("E0122", 1), ("E0120", 7)]),
        ("k = 1\nmatch k:\n    case 1:\n        x = 2\n    case 2:\n        x = 3\ny = {1}\n",
         [("E0130", 2), ("E0121", 7)]),
        ("class Net(nn.Module):\n    def __init__(self):\n        self._x = {}\n    y = 3\nz = 2x\n",
         [("E0128", 1), ("E0109", 5)]),
        ("x = 1\n  y = 2\n  z = = 3\nw = = 4\n", [("E0104", 2), ("E0101", 4)]),
        ("if 1:\n    a = 1\n  b = 2\nw = = 4\n", [("E0104", 3), ("E0101", 4)]),
        ("def f(x):\nreturn x\n\nw = = 4\n", [("E0105", 2), ("E0101", 4)]),
        ("x = 1 if 2\nif 1: y = = 2\nelse: y = 3\nz = 2x\n", [("E0102", 1), ("E0101", 2), ("E0109", 4)]),
    ],
)  # fmt: skip
def test_independent_mistakes_are_all_reported(text, expected):
    assert mistakes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x = (1 + 2\n",
        "x = [1, 2\n\n# end\n",
        "s = '''never\nx = = 2\n",
        ">>> x = 1\n>>> y = = 2\nerror\n",
        "x = foo(1]\n",
        "if x:\n    y = 1\n  else:\n    y = 2\n",
        "else:\n    x = 1\n",
        "def f:\n    return 1\n",
        "for in range(3):\n    x = 1\n    y = 2\n",
        "x = 1 +\n    2\n",
        "print('a\n      b')\n",
    ],
)
def test_one_mistake_is_one(text):
    assert len(mistakes(text)) == 1


def test_names_bound_nowhere_are_reported_together() -> None:
    text = "a = first\nb = second\nc = first + third\n"
    error = run_script(text).error
    assert error is not None
    names = [text[e.span.start : e.span.end] for e in (error, *error.other_errors)]
    assert names == ["first", "second", "third"]


def test_names_are_reported_beside_syntax() -> None:
    assert mistakes("x = = 3\ny = unheard_of\n") == [("E0101", 1), ("E0201", 2)]


@pytest.mark.parametrize(
    "text",
    [
        "weight = = 3\ny = weight * 2\n",  # the line with the mistake binds it
        "weigth = = 3\ny = weight * 2\n",  # or was meant to
        "from math imprt *\ny = hypot(3, 4)\n",
        "for row of rows:\n    print(row)\n",
        "def loss(first, second)\n    return first + second\n",
        "lo 1 2 ss = 3\nprint(loss)\n",  # a number has strayed into the name
    ],
)
def test_a_line_with_a_mistake_may_bind_names(text):
    assert len(mistakes(text)) == 1


def test_names_given_from_outside_are_known() -> None:
    from autodiff.grammar.execution import execute
    from autodiff.grammar.session.run import Settings

    with pytest.raises(CompileError) as caught:
        execute(Source("y = learning_rate * 2\nx = = 3\n"), Settings(sets={"learning_rate": 0.1}))
    assert caught.value.other_errors == []


def test_ten_are_enough() -> None:
    assert len(mistakes("x = = 3\n" * 1000)) == MAX_ERRORS == 10


def test_further_mistakes_stand_in_the_order_of_the_text() -> None:
    text = "a = unheard\nx = = 3\nb = unknown\ny = 2x\n"
    assert mistakes(text) == [("E0101", 2), ("E0201", 1), ("E0201", 3), ("E0109", 4)]


def test_further_mistakes_keep_only_what_mends_them() -> None:
    with pytest.raises(CompileError) as caught:
        parse(Source("x = = 3\nif x > 1 && x = 2:\n    pass\nprint x\n"))
    signs, statement = caught.value.other_errors
    assert [fix.text for fix in signs.fixes] == ["write `and`"]  # it reads on to the `=`
    assert [fix.text for fix in statement.fixes] == ["write `print(x)`"]


def test_what_does_not_mend_a_further_mistake_is_not_shown() -> None:
    text = "x = 1\ny = 2x x\n"
    at = text.index("2x")
    guesses = (Fix("leave it", Edit(Span(at, at + 2), "2x")), Fix("cut it", Edit(Span(at + 2, at + 2), "y")))
    error = CompileError("a mistake", code="E0109", span=Span(at, at + 2), fixes=guesses)
    keep_working_repair(error, text, (6, len(text)))
    assert (error.fixes, error.help) == ((), ())


def test_a_repair_below_a_mistake_is_judged_by_its_line() -> None:
    with pytest.raises(CompileError) as caught:
        parse(Source("x = = 3\nfor i in y:\n    try:\n        pass\n    except E:\n        raise E('a')\n"))
    assert caught.value.other_errors[-1].fixes[0].text == "write `assert False, 'a'`"


def further_of(text: str) -> list[str]:
    try:
        parse(Source(text))
    except CompileError as error:
        return [one.code for one in error.other_errors]
    return []


SCRIPTS = [path.read_text() for path in sorted((REPOSITORY / "examples").rglob("*.ad"))]
DAMAGE = st.sampled_from(["$", "(", "]", "= =", " 1 2 ", "'", "!", "{", "if", ","])


@settings(max_examples=examples(200))
@given(st.sampled_from(SCRIPTS), st.data())
def test_one_damaged_line_is_one_mistake(text, data):
    """A sign too many within a line breaks that line and no other."""
    lines = text.split("\n")
    number = data.draw(st.sampled_from([n for n, line in enumerate(lines) if line.strip()]))
    at = data.draw(st.integers(len(lines[number]) - len(lines[number].lstrip()) + 1, len(lines[number])))
    damaged = lines[number][:at] + data.draw(DAMAGE) + lines[number][at:]
    assume("\\" not in damaged and '"""' not in damaged)
    broken = "\n".join([*lines[:number], damaged, *lines[number + 1 :]])
    assert further_of(broken) == []
