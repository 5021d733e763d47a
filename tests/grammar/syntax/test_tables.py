"""The shipped table is the grammar's, the same every time, and read as Lark would read it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import lark
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.syntax import parser
from autodiff.grammar.syntax.build import BUILDERS
from autodiff.grammar.syntax.make_parse_table import (
    GRAMMAR_PATH,
    TABLE_PATH,
    compile_grammar,
    render_table,
    token_kinds,
)
from autodiff.grammar.syntax.tokenizer import read_words
from lark.lexer import Lexer, Token


def test_shipped_table_is_current():
    assert TABLE_PATH.read_text(encoding="utf-8") == render_table(), (
        "run: python -m autodiff.grammar.syntax.make_parse_table"
    )


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_table_does_not_depend_on_hash_order(seed):
    code = "from autodiff.grammar.syntax.make_parse_table import render_table; print(render_table(), end='')"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout.decode() == TABLE_PATH.read_text(encoding="utf-8")


def test_every_rule_has_its_builder_and_every_builder_its_rule():
    rules = parser.load_table().rules
    made = {rules[number].builder_name for number in range(1, len(rules._lines) + 1)}
    assert made - {parser.PASS_CHILD, parser.MAKE_LIST} == set(BUILDERS)


def test_grammar_has_no_conflicts(caplog):
    lark.logger.setLevel(logging.DEBUG)
    try:
        with caplog.at_level(logging.DEBUG, logger="lark"):
            grammar = GRAMMAR_PATH.read_text(encoding="utf-8")
            lark.Lark(grammar, parser="lalr", lexer=Empty, start=["script", "expression"], debug=True)
            assert "onflict" not in caplog.text
            lark.Lark('start: a\na: a a | "x"', parser="lalr", start="start", debug=True)
            assert "onflict" in caplog.text  # the check can fail
    finally:
        lark.logger.setLevel(logging.CRITICAL)


class Empty(Lexer):
    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state, parser_state) -> Iterator[Token]:
        return iter(())


class OurWords(Lexer):
    """Gives Lark the words of layout.py under Lark's names."""

    names: dict[str, str]

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, text: str) -> Iterator[Token]:
        source = Source(text)
        words = read_words(source, parser.load_table())
        for kind, start, end in zip(words.kinds, words.starts, words.ends, strict=True):
            if kind != "$END":
                yield Token(self.names.get(kind, kind), source.text[start:end], start)


CORPUS = [
    "",
    "x = 1\n",
    "x = a, b = *c, d\n",
    "(a + b) * -c ** d @ e\n",
    "f(a, *b, c=1)[d, e:f:g, ...].h\n",
    "f(x for x in y)\n",
    "[x for x in y if z for w in x] + [] + [a] + [a, b,]\n",
    "a if b or c and not d else lambda x, *y, z=1: x < y <= z is not a not in b\n",
    "if a:\n  b\nelif c: d; e\nelse:\n  f\n",
    "while a: pass\nelse:\n  break\n",
    "for a, *b in c: continue\n",
    "@a\n@b.c(d)\ndef f(a, b=1, *c):\n  return a\n",
    "def f(): return\n",
    "class A: pass\nclass B(A): pass\n",
    "with a as b, c: pass\nwith (a, b, c as d, e,): pass\nwith (a, b): pass\n",
    "assert a\nassert a, b\ndel a, b[0],\n",
    "import a.b as c, d\nfrom a import *\nfrom a import b as c, d\nfrom a.b import (c, d as e,)\n",
    "x += 1; y **= 2;\n",
    "'a' 'b' f'{c}'\n() + (a,) + (a, b)\n%magic here\nNone, True, False, ...\n",
]


def shape_of_lark(tree: object) -> list[object]:
    """The tree as a flat list, walked without recursion: names, how many children, texts."""
    flat: list[object] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, lark.Tree):
            flat.append((str(node.data), len(node.children)))
            pending += reversed(node.children)
        else:
            flat.append(None if node is None else str(node))
    return flat


def shape_of_ours(tree: object) -> list[object]:
    flat: list[object] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            flat.append((node[0], len(node[1])))
            pending += reversed(node[1])
        else:
            flat.append(node)
    return flat


def generic_builder(name: str):
    return lambda span, *children: (name, children)


@cache
def reader_of_lark() -> lark.Lark:
    """Lark's parser of our words."""
    reference = compile_grammar(GRAMMAR_PATH.read_text(encoding="utf-8"), OurWords)
    OurWords.names = {kind: name for name, kind in token_kinds(reference).items()}
    return reference


@pytest.mark.parametrize("text", CORPUS)
def test_driver_and_lark_agree(text):
    reference = reader_of_lark()
    source = Source(text)
    reader = parser.ScriptParser(source)
    reader.builders = {name: generic_builder(name) for name in BUILDERS}
    words = read_words(source, reader.table)
    texts = [text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
    ours = [marked(item) for item in shape_of_ours(reader.drive(words, "script"))]
    theirs = shape_of_lark(reference.parse(text, start="script"))
    strings = [text for text, kind in zip(texts, words.kinds, strict=True) if kind == "STRING"]
    assert fill(ours, strings) == theirs


def marked(item: object) -> object:
    """The driver hands a string literal on as the reader of its source; mark its place."""
    return STRING if isinstance(item, parser.ScriptParser) else item


STRING = object()


def fill(flat: list[object], strings: list[str]) -> list[object]:
    remaining = iter(strings)
    return [next(remaining) if item is STRING else item for item in flat]


def test_start_up_imports_nothing_heavy():
    code = (
        "import sys; before = set(sys.modules)\n"
        "import autodiff.core.base.source; import autodiff.core.base.errors\n"
        "core = set(sys.modules)\n"
        "from autodiff.grammar.syntax.parser import parse; from autodiff.core.base.source import Source\n"
        "parse(Source('x = 1'))\n"
        "print(*sorted(set(sys.modules) - core))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", WITH_PATH + code], capture_output=True, text=True, check=True
    )
    heavy = {"lark", "dataclasses", "typing", "contextlib", "unicodedata", "difflib", "numpy"}
    assert not heavy & set(done.stdout.split())


WITH_PATH = f"import sys; sys.path[:0] = {sys.path!r}; import site; site.main()\n"
