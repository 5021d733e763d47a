"""Random programs, random words and damaged programs: Python's tree, or Python's verdict."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import examples
from syntax_dumps import assert_agrees, python_accepts, we_accept

NAMES = st.sampled_from(["a", "b", "xs", "loss", "torch", "é", "_"])
ATOMS = st.one_of(
    NAMES,
    st.integers(0, 2**63 - 1).map(str),
    st.floats(0, 1e300).map(repr),
    st.sampled_from(
        ["True", "False", "None", "...", "'s'", "\"t\" 'u'", "f'{a}'", "f'{b!r:>{a}}'", "()", "[]", "0x1F"]
    ),
)


def joined(parts, opening, closing):
    return st.lists(parts, max_size=3).map(lambda items: opening + ", ".join(items) + closing)


def build_expressions(inner):
    binary = [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "@",
        "&",
        "|",
        "^",
        "<<",
        ">>",
        "and",
        "or",
        "<",
        ">",
        "==",
        "!=",
    ]
    binary += ["<=", ">=", "is", "is not", "in", "not in"]
    return st.one_of(
        st.tuples(inner, st.sampled_from(binary), inner).map(" ".join),
        st.tuples(st.sampled_from(["-", "+", "~", "not "]), inner).map("".join),
        st.tuples(inner, inner, inner).map(lambda t: f"{t[0]} if {t[1]} else {t[2]}"),
        inner.map(lambda e: f"({e})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}, *{t[1]})"),
        joined(inner, "[", "]"),
        st.tuples(inner, joined(inner, "(", ")")).map(lambda t: f"({t[0]}){t[1]}"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"{t[0]}({t[1]}, *{t[0]}, k={t[2]})"),
        st.tuples(NAMES, NAMES).map(lambda t: f"{t[0]}.{t[1]}"),
        st.tuples(NAMES, inner, inner).map(lambda t: f"{t[0]}[{t[1]}:, {t[2]}]"),
        st.tuples(inner, NAMES, inner, inner).map(lambda t: f"[{t[0]} for {t[1]} in ({t[2]}) if ({t[3]})]"),
        st.tuples(NAMES, inner).map(lambda t: f"(lambda {t[0]}, k=1: {t[1]})"),
    )


EXPRESSION = st.recursive(ATOMS, build_expressions, max_leaves=12)
TARGET = st.sampled_from(["a", "a, b", "a.b", "a[0]", "(a, *b)", "[a, b.c]"])
SIMPLE = st.one_of(
    EXPRESSION,
    st.tuples(TARGET, EXPRESSION).map(" = ".join),
    st.tuples(st.sampled_from(["a +=", "a[0] **=", "assert", "return", "del a,"]), EXPRESSION).map(" ".join),
    st.sampled_from(
        ["pass", "break", "del a, b[0]", "import a.b as c", "from a import (b, c as d)", "return"]
    ),
).filter(lambda line: not line.startswith("del a, ") or line == "del a, b[0]")


def indent(lines):
    return ["    " + line for line in lines]


def build_blocks(inner):
    header = st.one_of(
        EXPRESSION.map(lambda e: f"while {e}:"),
        st.tuples(TARGET, EXPRESSION).map(lambda t: f"for {t[0]} in {t[1]}:"),
        EXPRESSION.map(lambda e: f"with {e} as a:"),
        EXPRESSION.map(lambda e: f"def f(a, b={e}, *c):"),
        st.just("@a.b(c)\nclass A(B):"),
    )
    block = st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: [line for part in parts for line in part]
    )
    return st.one_of(
        st.tuples(header, block).map(lambda t: [*t[0].split("\n"), *indent(t[1])]),
        st.tuples(EXPRESSION, block, EXPRESSION, block, block).map(
            lambda t: [f"if {t[0]}:", *indent(t[1]), f"elif {t[2]}:", *indent(t[3]), "else:", *indent(t[4])]
        ),
    )


STATEMENT = st.recursive(SIMPLE.map(lambda line: [line]), build_blocks, max_leaves=6)
PROGRAM = st.lists(STATEMENT, max_size=4).map(
    lambda all: "\n".join(line for part in all for line in part) + "\n"
)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(100))
@given(PROGRAM)
def test_generated_programs_agree_with_python(text):
    if python_accepts(text):
        assert_agrees(text)
    else:
        assert not we_accept(text)


VOCABULARY = (
    "a b 1 2.5 's' f'{a}' + - * / ** @ == < = += ( ) [ ] , : . ... not and or in is if else for lambda "
    "while def return del assert import from as with class pass True None ; \n"
)
WORDS = st.sampled_from([*VOCABULARY.split(" "), "\n    ", "\n"])


def same_verdict(text: str) -> None:
    assert we_accept(text) == python_accepts(text)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(500))
@given(st.lists(WORDS, max_size=9).map(" ".join).map(lambda text: text.replace("\n ", "\n")))
def test_random_words_get_the_verdict_of_python(text):
    if not excused(text):
        same_verdict(text)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=examples(200))
@given(PROGRAM, st.data())
def test_damaged_programs_get_the_verdict_of_python(text, data):
    at = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(at, min(len(text), at + 3)))
    damaged = (
        text[:at]
        + data.draw(st.sampled_from(["", " ", "(", ")", ",", "=", ":", "+", "for", "*", "."]))
        + text[end:]
    )
    if not excused(damaged):
        same_verdict(damaged)


def excused(text: str) -> bool:
    """Where the language is smaller than Python on purpose: Python's tree says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            tree = ast.parse(text)
        except SyntaxError as error:
            return "invalid decimal literal" in str(error) or "invalid hexadecimal" in str(error)
        except (Warning, ValueError):
            return True  # `1if`, invalid escapes
    for node in ast.walk(tree):
        names = [getattr(node, field, None) for field in ("id", "arg", "attr", "name", "asname")]
        if any(isinstance(name, str) and name.startswith("_") and name != "_" for name in names):
            return True  # `_.a` without its point
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Starred):
            return True  # turned away by Python's compiler, unless it finds something else first
        if isinstance(node, (ast.GeneratorExp, ast.NamedExpr, ast.Set, ast.Dict)):
            return True
        if isinstance(node, ast.arguments) and (
            node.posonlyargs or node.kwarg or (node.kwonlyargs and not node.vararg)
        ):
            return True
        if (isinstance(node, ast.keyword) and node.arg is None) or (
            isinstance(node, ast.ClassDef) and node.keywords
        ):
            return True
        if isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Starred) for base in node.bases):
            return True
        if isinstance(node, ast.ImportFrom) and node.level:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, (bytes, complex)):
            return True
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 2**63:
            return True
    return False


@pytest.mark.parametrize("text", ["return * a", "break\na = *a\n", "for a in b:\n    return *a\n"])
def test_what_hides_behind_a_mistake_of_later_passes_is_none_of_python(text):
    assert not python_accepts(text)
    same_verdict(text)


def test_return_and_break_anywhere_are_of_later_passes():
    assert python_accepts("return a\nbreak\n")
