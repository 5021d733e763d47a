"""The parser's bounds and its smaller entrances: depth, size, single expressions, names, literals."""

from __future__ import annotations

import math

import pytest
from autodiff.core.base.errors import CompileError, LimitError
from autodiff.core.base.source import Source
from autodiff.grammar.syntax import tokenizer, tree
from autodiff.grammar.syntax.parser import parse, parse_expression, parse_literal
from script_runner import run_script
from seeds import MORE

#: Python's own parser and any recursion end long before.
DEPTH = 100_000 if MORE >= 1 else 20_000


@pytest.mark.parametrize(
    ("before", "middle", "after"),
    [
        ("(", "1", ")"),
        ("[", "", "]"),
        ("f(", "", ")"),
        ("a[", "0", "]"),
        ("-", "1", ""),
        ("not ", "1", ""),
        ("2**", "1", ""),
        ("1 + ", "1", ""),
        ("1 if 1 else ", "1", ""),
        ("lambda: ", "1", ""),
        ("a < ", "1", ""),
        ("a = ", "1", ""),
        ("[x for x in ", "a", "]"),
    ],
)
def test_depth_is_bounded_by_memory_only(before, middle, after):
    script = parse(Source(before * DEPTH + middle + after * DEPTH))
    assert len(script.body) == 1


def test_deeply_nested_blocks():
    depth = 2_000
    text = "".join(" " * level + "if a:\n" for level in range(depth)) + " " * depth + "b\n"
    node = parse(Source(text)).body[0]
    levels = 0
    while isinstance(node, tree.If):
        levels += 1
        node = node.branches[0][1][0]
    assert levels == depth


def test_long_elif_chain_is_flat():
    script = parse(Source("if a: b\n" + "elif a: b\n" * 20_000))
    assert len(script.body[0].branches) == 20_001


def test_max_tokens(monkeypatch):
    monkeypatch.setattr(tokenizer, "MAX_TOKENS", 3)
    parse(Source("a + b"))
    monkeypatch.setattr(tokenizer, "MAX_TOKENS", 2)
    with pytest.raises(LimitError, match="more than 2 words"):
        parse(Source("a + b"))


def test_parse_expression_may_break_lines_and_has_offsets_of_the_whole():
    value = parse_expression(Source("  a\n + b\n"))
    assert (value.span.start, value.span.end) == (2, 8)
    with pytest.raises(CompileError):
        parse_expression(Source("a = 1"))
    with pytest.raises(CompileError):
        parse_expression(Source(""))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("f'{a+b}'", "Binary", "a+b"),
        ("x = f'é{ {}'.format()", None, None),
        ("x = 'é' f'{{{a.b}}}'", "Attribute", "a.b"),
        ("x = f'{c:{a[0]}}'", "Subscript", "a[0]"),
        ("x = fr'\\frac{{x}} = {a.grad.item()}'", "Call", "a.grad.item()"),
        ("x = f'''{\n (a) + b}'''", "Binary", "(a) + b"),
    ],
)
def test_offsets_inside_f_strings(text, name, expected):
    if name is None:
        with pytest.raises(CompileError):
            parse(Source(text))
        return
    source = Source(text)
    pending, found = [*parse(source).body], []
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            pending += node
        elif isinstance(node, tree.SyntaxNode):
            if type(node).__name__ == name:
                found.append(source.excerpt(node.span))
            pending += [getattr(node, field, None) for field in type(node).__slots__]
    assert expected in found


def test_name_spans():
    text = "@d\ndef f(a): pass\nclass C(B): pass\nx . y\n"
    function, cls, attribute = parse(Source(text)).body
    assert text[function.name_span.start : function.name_span.end] == "f"
    assert text[cls.name_span.start : cls.name_span.end] == "C"
    assert attribute.value.name_span.end == attribute.span.end


def test_magic_lines():
    text = "%pylab inline\nx = 5 %2\nif x:\n    %matplotlib\n"
    first, _, last = parse(Source(text)).body
    assert (type(first), first.text) == (tree.Magic, "pylab inline")
    assert last.branches[0][1][0].text == "matplotlib"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-1.5", -1.5),
        ("--2", 2),
        ("+3", 3),
        ("True", True),
        ("None", None),
        ("[1, [2, -3], (4,)]", [1, [2, -3], (4,)]),
        ("1, 2", (1, 2)),
        ("[]", []),
        ("()", ()),
        (" 1e400 ", math.inf),
        ("inf", math.inf),
        ("[1, -inf]", [1, -math.inf]),
    ],
)
def test_parse_literal(text, value):
    assert parse_literal(text) == value
    assert type(parse_literal(text)) is type(value)


def test_parse_literal_of_what_is_no_number():
    value = parse_literal("[nan, -nan]")
    assert all(math.isnan(entry) for entry in value)


@pytest.mark.parametrize(
    "text", ["a", "1 + 1", "f()", "[a]", "-[1]", "...", "'s'", "", "1 1", "[*a]", "-True", "__import__"]
)
def test_parse_literal_evaluates_nothing(text):
    with pytest.raises(CompileError):
        parse_literal(text)


def test_parse_literal_of_a_deep_list():
    value = parse_literal("[" * 50_000 + "]" * 50_000)
    depth = 0
    while value:
        value = value[0]
        depth += 1
    assert depth == 49_999


def test_parameters_after_a_bare_star_are_given_by_name():
    definition = parse(Source("def f(x, *, scale=1): return x")).body[0]
    assert [(p.name, p.star) for p in definition.parameters] == [("x", ""), ("*", "*"), ("scale", "")]
    with pytest.raises(CompileError, match="named arguments must follow bare"):
        parse(Source("def f(x, *): return x"))


def test_names_in_types_need_not_exist():
    function = (
        "def f(x: Tensor, n: Unheard = 3) -> Of:\n    y: Anywhere = x * n\n    z: Neither\n    return y\n"
    )
    outcome = run_script(function + "L = f(2)\n")
    assert outcome.error is None
    assert outcome.names["L"] == 6
