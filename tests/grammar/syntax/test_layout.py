"""Lines, blocks and words: what layout.py makes of whitespace, against Python's tokenizer where it can be."""

from __future__ import annotations

import io
import tokenize

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.parser import load_table
from autodiff.grammar.syntax.tokenizer import read_words, widths


def kinds(text: str) -> list[str]:
    return read_words(Source(text), load_table()).kinds


def pairs(text: str) -> list[tuple[str, str]]:
    words = read_words(Source(text), load_table())
    return [(kind, text[a:b]) for kind, a, b in zip(words.kinds, words.starts, words.ends, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "$END"),
        ("\ufeff", "$END"),
        ("\ufeffx", "NAME _NEWLINE $END"),
        ("\n\n  \n# c\n   # d", "$END"),
        ("x", "NAME _NEWLINE $END"),
        ("x # c", "NAME _NEWLINE $END"),
        ("x\n", "NAME _NEWLINE $END"),
        ("x\r\ny\rz\n", "NAME _NEWLINE NAME _NEWLINE NAME _NEWLINE $END"),
        ("(x\n\n  y # c\n)\n", "( NAME NAME ) _NEWLINE $END"),
        ("x \\\n  y\n", "NAME NAME _NEWLINE $END"),
        ("x \\\r\n  y\n", "NAME NAME _NEWLINE $END"),
        ("if x:\n  y\n", "if NAME : _NEWLINE _INDENT NAME _NEWLINE _DEDENT $END"),
        ("if x:\n  y", "if NAME : _NEWLINE _INDENT NAME _NEWLINE _DEDENT $END"),
        (
            "if x:\n  y\n\n # c\n  y\nz",
            "if NAME : _NEWLINE _INDENT NAME _NEWLINE NAME _NEWLINE _DEDENT NAME _NEWLINE $END",
        ),
        (
            "a:\n b:\n  c\nd",
            "NAME : _NEWLINE _INDENT NAME : _NEWLINE _INDENT NAME _NEWLINE _DEDENT _DEDENT "
            "NAME _NEWLINE $END",
        ),
        ("a:\n\tb\n\tc\n", "NAME : _NEWLINE _INDENT NAME _NEWLINE NAME _NEWLINE _DEDENT $END"),
        ("%magic a b\nx % y\n", "MAGIC _NEWLINE NAME % NAME _NEWLINE $END"),
        ("x=1.5+.5-1.e3", "NAME = NUMBER + NUMBER - NUMBER _NEWLINE $END"),
        ("a**=b//c", "NAME **= NAME // NAME _NEWLINE $END"),
        ("is_ not_x in1", "NAME NAME NAME _NEWLINE $END"),
        ("f'x' r\"y\" '''a\nb'''", "STRING STRING STRING _NEWLINE $END"),
        ("''''a'''", "STRING _NEWLINE $END"),
        ("'' \"\" ''''''", "STRING STRING STRING _NEWLINE $END"),
        ("a[...]", "NAME [ ... ] _NEWLINE $END"),
    ],
)
def test_kinds(text, expected):
    assert kinds(text) == expected.split()


def test_offsets():
    assert pairs("if x:\n  yy\n")[:6] == [
        ("if", "if"), ("NAME", "x"), (":", ":"), ("_NEWLINE", "\n"), ("_INDENT", ""), ("NAME", "yy"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "start", "end"),
    [
        ("if x:\n    y\n  z\n", "E0104", 12, 14),
        ("if x:\n\ty\n        z\n", "E0104", 9, 17),
        ("if x:\n        y\n\tz\n", "E0104", 16, 17),
        ("if x:\n \ty\n\t z\n", "E0104", 10, 12),
        ("(x\n", "E0103", 0, 1),
        ("x = [a, (b\n", "E0103", 8, 9),
        ("x)", "E0103", 1, 2),
        ("(x]", "E0103", 2, 3),
        ("x \\ y", "E0107", 2, 3),
        ("x = 'a\n", "E0106", 4, 6),
        ("x = '''a\n", "E0106", 4, 7),
        ("x = 1_000_\n", "E0109", 4, 10),
        ("x = 9223372036854775808", "E0109", 4, 23),
        ("x = _y", "E0107", 4, 6),
        ("x = ＿y", "E0107", 4, 5),
        ("x = y\u200dz", "E0107", 5, 6),
        ("x = 1 # \u202e", "E0107", 8, 9),
        ("x = '\0'", "E0107", 5, 6),
        ("x = 𝐢𝐟", "E0107", 4, 6),
        ("x = \x1b[2J", "E0107", 4, 5),
    ],
)
def test_mistakes_are_placed(text, code, start, end):
    words = read_words(Source(text), load_table())
    assert words.kinds[-1] == "ERROR"
    assert words.error is not None
    span = words.error.span
    assert (words.error.code, span.start, span.end) == (code, start, end)


@pytest.mark.parametrize("digits", [5_000, 200_000])
def test_endless_numbers_and_names(digits):
    words = read_words(Source("x = " + "9" * digits), load_table())
    assert words.error.code == "E0109"
    assert read_words(Source("x = 0." + "9" * digits), load_table()).error is None
    assert read_words(Source("x" * digits), load_table()).error is None
    assert read_words(Source("'" + "\\n" * digits + "'"), load_table()).error is None


@pytest.mark.parametrize("text", ["    ", "\t", "  \t ", "\t  ", " \f  ", "\t\f\t"])
def test_widths(text):
    bare = text.rsplit("\f")[-1]
    assert widths(text) == (len(bare.expandtabs(8)), len(bare))


@pytest.mark.parametrize(
    "text",
    [
        "if a:\n  b\n  if c:\n     d\n  e\nf\n",
        "x = (1,\n  2)\nif x:\n\tif y:\n\t\tz\n\n\n# c\nw\n",
        "class A:\n    def f(self):\n        return 1\n\n    def g(self): pass\n",
        "a = 'x' 'y'; b = 1.5e-3 * .5 ** 0x1F\n",
        "a<=b>=c!=d==e<f>g<<h>>i//j**k@l|m^n&o~p\n",
    ],
)
def test_same_words_as_pythons_tokenizer(text):
    ignored = (tokenize.NL, tokenize.COMMENT)
    marks = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    theirs = [
        token.string if token.type not in marks
        else tokenize.tok_name[token.type]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in ignored
    ]  # fmt: skip
    names = {"_NEWLINE": "NEWLINE", "_INDENT": "INDENT", "_DEDENT": "DEDENT", "$END": "ENDMARKER"}
    assert [names.get(kind, word) for kind, word in pairs(text)] == theirs
