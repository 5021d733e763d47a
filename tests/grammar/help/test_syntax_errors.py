"""What people read when a script does not parse: codes, places, words, and that nothing else ever escapes."""

from __future__ import annotations

import re

import pytest
from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax.parser import parse
from hypothesis import given, settings
from hypothesis import strategies as st
from one_test import in_one_test
from seeds import MORE, examples


def error_of(text: str) -> CompileError:
    with pytest.raises(CompileError) as caught:
        parse(Source(text))
    return caught.value


# text with `^` marks around the place, code, first line, caret sentence, first help
GOLDEN = [
    ("x5 = w2 *^^", "E0101", "the line ends where a value should follow", "a value is missing after `*`",
     "finish the product, as in `x5 = w2 * w2`, or delete the `*`"),
    ("x =^^ ", "E0101", "the line ends where a value should follow", "a value is missing after `=`", None),
    ("x = (1 + ^*^ 2)", "E0101", "a value is missing between `+` and `*`", "a value should stand before this",
     "write a value here, or delete the `+`"),
    ("if ^:^\n  x", "E0101", "a condition is missing between `if` and `:`", None, None),
    ("x++^^\n", "E0101", "the line ends where a value should follow", None, "write `x += 1` to count"),
    ("a ^&&^ b", "E0101", "`&&` is written `and`", None, "write `and`"),
    ("^and^ x", "E0101", "a line cannot begin with `and`", None, None),
    ("y = f'{a +^^}'", "E0101", "the field ends where a value should follow", None, None),
    ("if x ^=^ 1:\n  y", "E0102", "`=` assigns and cannot stand inside an expression",
     "gives a variable a value", "did you mean `==`?"),
    ("while f(x) ^=^ 1: y", "E0102", None, None, "did you mean `==`?"),
    ("x = a ^b^", "E0102", "two values stand side by side", "nothing joins `a` and `b`", None),
    ("x = [1 ^2^]", "E0102", "two values stand side by side", None,
     "write a comma between them"),
    ("print ^x^", "E0102", "`print` needs parentheses", None, "write `print(x)`"),
    ("^whlie^ x:\n  y", "E0102", "`whlie` begins no statement", None, "did you mean `while`?"),
    ("^esle^:\n  y", "E0102", None, None, "did you mean `else`?"),
    ("^else^:\n  x", "E0102", "this `else` belongs to nothing", None, None),
    ("x = 1 if y^^", "E0102", "the `else` of this choice is missing", None, None),
    ("for x ^range^(3): pass", "E0102", "the `in` of this `for` is missing", None, None),
    ("f(a=1, ^2^)", "E0102", "a value without a name follows named ones", None, None),
    ("f(a=1, ^a=2^)", "E0102", "`a` is given twice", None, None),
    ("def f(a=1, ^b^): pass", "E0102", "a parameter without a default follows one that has a default",
     "has no default", "move `b` before `a`, or give it a default"),
    ("def f(a, ^a^): pass", "E0102", "two parameters are called `a`", None, None),
    ("@d\n^x^ = 1", "E0102", "a decorator stands directly above `def`", None, None),
    ("x = ^*^a", "E0102", "a `*` value cannot stand alone", None, None),
    ("def f^^", "E0102", "the line ends too early", "`(` should stand here", None),
    ("x = ^(^1 +", "E0103", "this `(` is never closed", "no `)` follows that belongs to it", None),
    ("x = foo^(^bar(1)\ny = baz(2)\n", "E0103", "this `(` is never closed", None, None),
    ("for i in range^(^3:\n  pass", "E0103", "this `(` is never closed", None, None),
    ("x = 1^)^", "E0103", "this `)` closes nothing", None, None),
    ("x = (1^]^", "E0103", "`]` does not close `(`", None, None),
    ("x = 1\n^  ^y = 2", "E0104", "this line is indented, but nothing above it opens a block", None, None),
    ("if x:\n    y\n^  ^z", "E0104", "this line is indented like no block above it", None,
     "indent it by 4 spaces, like a line above"),
    ("def f(x):\n\ty = x\n^  ^return y", "E0104", "this line is indented like no block above it", None,
     "indent it by a tab, like a line above"),
    ("if x:\n\ty\n^        ^z", "E0104", "tabs and spaces are mixed in the indentation", None, None),
    ("if x^^\n  y = 1", "E0105", "the `:` of this `if` is missing", "a `:` should stand here",
     "write `:` here"),
    ("def f(x)^^\n  return x", "E0105", "the `:` of this `def` is missing", None, None),
    ("for x in y^^ print(x)", "E0105", "the `:` of this `for` is missing", None, "write `:` before `print`"),
    ("if x:\n^y^ = 1", "E0105", "the block of this `if` is missing", "this line should be indented", None),
    ("if x:^^", "E0105", "the block of this `if` is missing", None, None),
    ("if x:\n  y\nelse ^if^ z:\n  w", "E0105", "`else if` is one word", None, "write `elif`"),
    ("x = ^'abc^", "E0106", "this string is not closed before the line ends", None, None),
    ("x = ^'''^abc\ny", "E0106", "this string is never closed", None, None),
    ("x = '^\\x^ZZ'", "E0106", "`\\x` is not the code of a character", None, None),
    ("x = f'^{^a'", "E0106", "this `{` of the f-string is never closed", None, None),
    ("x = f'^}^'", "E0106", "this `}` closes nothing", None, "write `}}` for the character itself"),
    ("x = f'^{}^'", "E0106", "this field of the f-string is empty", None, None),
    ("x = ^“^abc”", "E0107", "`“` is not the `\"` of the language", None,
     'write `"`, which is the same at both ends'),
    ("x = a ^×^ b", "E0107", "`×` is not the `*` of the language", None, None),
    ("x = a^\u200b^b", "E0107", "an invisible character stands here: U+200B (zero width space)", None, None),
    ("x = 1 # ^\u202e^", "E0107", None, None, None),
    ("x = 1^\0^", "E0107", "the script contains a NUL character", None, None),
    ("^_x^ = 1", "E0107", "the name `_x` begins with an underscore", None, "call it `x`"),
    ("y = x.^__class__^", "E0107", "the name `__class__` begins with an underscore", None,
     "scripts cannot use names that begin with an underscore"),
    ("^__import__^('os')", "E0107", None, None, None),
    ("from ^__past__^ import x", "E0107", None, None, None),
    ("^class^ = 3", "E0107", "`class` is a word of the language and cannot be a name", None, None),
    ("x = ^class^", "E0107", "`class` is a word of the language and cannot be a name", None, None),
    ("f(^lambda^=1)", "E0107", None, None, None),
    ("def ^if^(): pass", "E0107", None, None, None),
    ("^f(x)^ = 1", "E0108", "the result of a call cannot be assigned to", "not a variable", None),
    ("^1^ = x", "E0108", "a number cannot be assigned to", None,
     "swap the sides: `x = 1`"),
    ("^None^ = 1", "E0108", "`None` cannot be assigned to", None, None),
    ("^a, b^ += 1", "E0108", "`+=` changes one variable, not several", None, None),
    ("x = ^2x^", "E0109", "a name stands directly after a number", None, None),
    ("x = ^1_^", "E0109", "an underscore in a number stands between two digits", None, None),
    ("x = ^0777^", "E0109", "a whole number does not begin with zeros", None, "write 777"),
    ("x = ^99999999999999999999^", "E0109", "this whole number needs more than 64 bits", None, None),
    ("x = ^1j^", "E0132", "complex numbers are not in the language", None, None),
    ("^try^:\n  x\nexcept: y", "E0122", "`try` is not in the language", None, None),
    ("^raise^ x", "E0123", "`raise` is not in the language", None,
     'write `assert condition, "message"`, which stops the script if the condition is false'),
    ("^global^ x", "E0124", "`global` is not in the language", None, None),
    ("^nonlocal^ x", "E0124", "`nonlocal` is not in the language", None, None),
    ("^async^ def f(): pass", "E0125", "`async` is not in the language", None, None),
    ("^await^ x", "E0125", "`await` is not in the language", None, None),
    ("def f():\n  ^yield^ 1", "E0126", "`yield` is not in the language", None, None),
    ("^match^ x:\n  case 1: pass", "E0130", "`match` is not in the language", None,
     "use `if` and `elif`: `if x == ...:`"),
    ("x = ^{^1: 2}", "E0120", "dictionaries are not in the language", None, None),
    ("x = ^{^1, 2}", "E0121", "sets are not in the language", None, "write a list, with `[` and `]`"),
    ("x = ^{^}", "E0120", "dictionaries are not in the language", None,
     "make a list that is long enough, and set its entries: `x = [None]*10`"),
    ("x = ^{^'a': a, 'b': 2}", "E0120", "dictionaries are not in the language", None,
     "use one variable per entry: `b = 2`"),
    ("x = ^{^'a': a, 'b': b}", "E0120", "dictionaries are not in the language", None,
     "use one variable per entry, as they are there: return and pass `a, b` in place of the dictionary"),
    ("x = ^{^a for a in b}", "E0121", "sets are not in the language", None, "write a list, with `[` and `]`"),
    ("x = (i ^for^ i in y)", "E0110", "generator expressions are not in the language", None, None),
    ("f(^**^kw)", "E0133", "`**` arguments are not in the language", None, None),
    ("if (x ^:=^ 3): pass", "E0131", "`:=` is not in the language", None, None),
    ("^x, y^: int", "E0108", "a type belongs to one variable", None, None),
    ("^x + 1^: int = 3", "E0108", "only a variable can have a type", None, None),
    ("x^:^\n", "E0102", "this line opens no block", None, "delete the `:`"),
    ("def f(x, ^**^kw): pass", "E0133", "`**` parameters are not in the language", None,
     "delete `**kw`, which is used nowhere"),
    ("x = ^__name__^", "E0107", "the name `__name__` begins with an underscore", None, "call it `name`"),
    ("y = 2\n^>>>^ x = 1", "E0135", "`>>>` is the prompt of Python, not part of the script", None, None),
    ("^!pip install torch^", "E0134", None, None, None),
    ("^```python^\nx = 1", "E0136", None, None, None),
    ("from ^.^ import x", "E0110", "a script cannot import other files", None, None),
    ("x = ^b^'abc'", "E0110", "byte strings are not in the language", None, None),
]  # fmt: skip


@in_one_test("marked, code, message, caret, way_out", GOLDEN)
def test_error(marked, code, message, caret, way_out):
    before, inside, after = marked.split("^")
    error = error_of(before + inside + after)
    assert (error.code, error.span.start, error.span.end) == (code, len(before), len(before) + len(inside))
    if message is not None:
        assert error.message == message
    if caret is not None:
        assert error.caret == caret
    if way_out is not None:
        assert error.advice[0] == way_out


JARGON = re.compile(r"\b(tokens?|terminals?|operands?|unexpected|invalid|syntax)\b", re.IGNORECASE)


def assert_readable(error: CompileError, text: str) -> None:
    assert re.fullmatch(r"E01(0[1-9]|10|2[0-9]|3[0-6])", error.code)
    assert error.span is not None
    assert 0 <= error.span.start <= error.span.end <= len(text)
    for label in error.labels:
        assert 0 <= label.span.start <= label.span.end <= len(text)
    assert error.message
    assert error.caret
    assert error.advice
    assert all(error.advice)
    for sentence in (error.message, error.caret, *error.advice):
        own_words = re.sub(r"`[^`]*`", "", sentence)
        assert not JARGON.search(own_words), sentence
        assert "\n" not in sentence.replace(text, "")
        assert len(sentence) < 250


@in_one_test("marked", [row[0] for row in GOLDEN])
def test_golden_errors_are_readable(marked):
    text = marked.replace("^", "")
    assert_readable(error_of(text), text)


@in_one_test("marked", [row[0] for row in GOLDEN])
def test_the_first_mistake_wins(marked):
    """What stands in front of a mistake, does not change what is said."""
    text = marked.replace("^", "")
    alone = error_of(text)
    lead = "a = 1\nif a:\n    b = 2\nc = 3\n"
    moved = error_of(lead + text)
    assert (moved.code, moved.message) == (alone.code, alone.message)
    assert moved.span.start == alone.span.start + len(lead)


ODD_WORDS = (
    "a _b print match 1 2.5 0x 1_ 's' 's f'{a}' f'{' f'{a' f'}' ''' + - * "
    "/ ** @ == < = := -> += ( ) [ ] { } , : . "
    "... ! $ ` ~ \\ not and or in is if elif else for lambda "
    "while def return del assert import from as with class "
    "pass try raise global yield async await except None ; % # é ² “ \u200b \u202e \0 \t \f \r \n"
)


@pytest.mark.parametrize(
    "text",
    [
        "('''\n'''\ta's",
        "(a '''\n'''_b",
        "x['''\n''' 2]",
        "x = '''\r\n''' y",
        "print '''\n'''",
        "f '''a\nb''' 2",
        "del '''\n'''",
        "'''\n''' = 3",
        "x = (1\n'''\n''' 2)",
        "def f('''\n'''): pass",
    ],
)
def test_what_spans_lines_is_quoted_in_one(text: str) -> None:
    error = error_of(text)
    assert_readable(error, text)
    for one in (error, *error.other_errors):
        assert not any("\n" in said or "\r" in said for said in (one.message, one.caret, *one.advice))


PIECES = st.sampled_from(ODD_WORDS.split(" "))


@settings(max_examples=examples(1000))
@given(st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "\n", "\n    ", "\n\t"])), max_size=14))
def test_random_words_raise_only_our_errors(parts):
    text = "".join(word + space for word, space in parts)
    try:
        parse(Source(text))
    except CompileError as error:
        assert_readable(error, text)


@settings(max_examples=examples(1000))
@given(st.text(max_size=30))
def test_random_text_raises_only_our_errors(text):
    try:
        parse(Source(text))
    except CompileError as error:
        assert_readable(error, text)


LONG = 100_000 if MORE >= 1 else 20_000


@pytest.mark.parametrize(
    "text",
    [
        "(" * LONG,
        ")" * LONG,
        "(" * LONG + "]",
        "-" * LONG,
        "f(" * LONG + "=",
        "1 + " * LONG,
        "x = " + "a" * LONG + " b",
        "{" * LONG,
        "if a:" * LONG,
        "a if " * LONG,
        "lambda " * LONG,
        "'" + "\\x" * LONG + "'",
        "f'" + "{" * (LONG - 1) + "'",
        "f'" + "{a:" * (LONG // 10) + "'",
    ],
)
def test_huge_mistakes_are_named_too(text):
    assert_readable(error_of(text), text)


def test_helps_that_spell_the_line_out_parse():
    """A line proposed in full has to be one that parses."""
    tried = 0
    for row in GOLDEN:
        text = row[0].replace("^", "")
        for way_out in error_of(text).advice:
            proposed = re.search(r"as in `([^`]*)`", way_out)
            if proposed and text.split("\n")[0].rstrip() in proposed[1]:
                parse(Source(proposed[1]))
                tried += 1
    assert tried >= 2


def test_a_tab_that_a_line_should_begin_with_is_pointed_at() -> None:
    text = "def f(x):\n\ty = x\n  return y\n"
    with pytest.raises(CompileError) as caught:
        parse(Source(text))
    assert [(label.span, label.text) for label in caught.value.labels] == [
        (Span(10, 11), "this is indented by a tab")
    ]
