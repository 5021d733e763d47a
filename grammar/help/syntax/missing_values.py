"""Rules for missing values, and for values without an operator between them."""

from __future__ import annotations

from autodiff.core.base.errors import CompileError, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.blocks import misspelt
from autodiff.grammar.help.syntax.lines import code_end
from autodiff.grammar.help.syntax.situation import LINE_ENDS, Situation, fix
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.tokenizer import OPENING_BRACKETS
from autodiff.grammar.syntax.vocabulary import (
    BLOCK_WORDS,
    FOREIGN_OPERATORS,
    OPERATOR_NOUNS,
    OPERATORS,
    VALUE_ENDS,
    VALUE_STARTS,
)

#: A complete example for a keyword that stands alone.
FINISHED = {
    "import": "from math import sin",
    "from": "from math import sin",
    "class": "class Exp(Function):",
    "def": "def f(x):",
    "lambda": "lambda x: x ** 2",
}

#: Words that declare a variable in other languages.
DECLARATIONS = ("let", "var", "const", "auto", "int", "float", "double", "local", "my")


def value_missing(here: Situation) -> CompileError | None:
    if not here.wants_value:
        return None
    before, kind = here.before, here.kind
    if not before or before == ";":
        if kind in ("$END", "_NEWLINE"):
            return here.error("E0101", "a value should stand here", "nothing is here", "write a value")
        if before == ";":
            end = here.gap.start
            way_out = fix("delete one `;`", (end - 1, end, "")) if kind == ";" else "write a statement here"
            return here.error("E0101", f"no statement begins with {here.name()}", "cannot begin one", way_out)
        return _operator_start_error(here)
    if kind == "|" and (found := absolute(here)):
        return found
    if here.at - 1 > here.line and (found := foreign_operator(here)):
        return found
    gone = here.name(here.at - 1)
    wanted = "a condition" if before in ("if", "elif", "while", "assert") else "a value"
    if kind in LINE_ENDS:
        stops = "the field" if here.is_field else "the line"
        message = f"{stops} ends where {wanted} should follow"
        return here.error(
            "E0101", message, f"{wanted} is missing after {gone}", *_completion_advice(here), span=here.gap
        )
    return here.error(
        "E0101",
        f"{wanted} is missing between {gone} and {here.name()}",
        f"{wanted} should stand before this",
        *_deletion_advice(here, wanted, gone),
    )


def _deletion_advice(here: Situation, wanted: str, gone: str) -> list[str | Fix]:
    """Return the ways out of `1 + * 2`: a value between the two tokens, or one of them deleted."""
    if here.before not in OPERATORS and here.before not in ("=", ","):
        return [f"write {wanted} here"]
    start, end = here.words.starts[here.at - 1], here.words.ends[here.at - 1]
    while end < len(here.text) and here.text[end] == " ":
        end += 1
    advice = f"write {wanted} here"
    if here.before == "," and here.kind in OPENING_BRACKETS:
        return [fix("delete the `,`", (start, end, "")), advice]
    if here.before == here.kind:
        return [fix(f"delete one {gone}", (start, end, ""))]
    return [f"{advice}, or delete the {gone}"]


def _operator_start_error(here: Situation) -> CompileError:
    """Return the error for a line that begins with an operator, usually the rest of the line above."""
    message = f"a line cannot begin with {here.name(here.line)}"
    text, line = here.text, here.line
    ways_out: list[str | Fix] = []
    if (
        line >= 2
        and here.kinds[line - 1] in ("_NEWLINE", "_INDENT")
        and here.kinds[line] in (*OPERATORS, "and", "or", ".")
    ):
        first = line - 2
        while first and here.kinds[first - 1] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            first -= 1
        equals = [index for index in range(first, line - 1) if here.kinds[index] == "="]
        start = here.words.starts[equals[-1] + 1] if equals else here.words.starts[first]
        end = code_end(text, here.words.starts[line])
        if here.kinds[first] not in BLOCK_WORDS:
            ways_out.append(
                fix("put brackets around it and the line above", (start, start, "("), (end, end, ")"))
            )
    ways_out = ways_out or ["join it to the line above with brackets, or delete it"]
    return here.error("E0101", message, "nothing stands to its left", *ways_out, span=here.span(line))


def absolute(here: Situation) -> CompileError | None:
    """`|x|` for an absolute value."""
    bars = [index for index in range(here.at, here.last_of_line() + 1) if here.kinds[index] == "|"]
    if len(bars) != 2:
        return None
    first, last = here.span(bars[0]), here.span(bars[1])
    inner = here.text[first.end : last.start].strip()
    way_out = fix(f"write `abs({shorten(inner)})`", (first.start, last.end, f"abs({inner})"))
    return here.error("E0101", "`|` does not make an absolute value", "this is bitwise or", way_out)


def foreign_operator(here: Situation) -> CompileError | None:
    """`&&`, `=>` and other two-character operators of other languages."""
    first, second = here.span(here.at - 1), here.span()
    pair = here.word(here.at - 1) + here.word(here.at)
    if first.end != second.start or pair not in FOREIGN_OPERATORS:
        return None
    plain = FOREIGN_OPERATORS[pair]
    return here.error(
        "E0101",
        f"`{pair}` is written `{plain}`",
        "this is the operator of other languages",
        fix(f"write `{plain}`", (first.start, second.end, _spaced(here, plain, first.start, second.end))),
        span=Span(first.start, second.end),
    )


def _spaced(here: Situation, word: str, start: int, end: int) -> str:
    """Return a word that replaces signs, with spaces where it would touch the text beside it."""
    if not word.isalpha():
        return word
    before = "" if start and here.text[start - 1].isspace() else " "
    return before + word + ("" if here.text[end : end + 1].isspace() else " ")


def _completion_advice(here: Situation) -> tuple[str | Fix, ...]:
    """Return advice on how to complete the line, with its last name or a number as an example."""
    if here.before == here.kinds[here.at - 2] in ("+", "-") and here.at - 2 > here.line:
        sign, name = here.before, here.text[here.words.starts[here.line] : here.words.ends[here.at - 3]]
        edit = (here.words.starts[here.at - 2], here.gap.start, f" {sign}= 1")
        return (fix(f"write `{shorten(name)} {sign}= 1` to count", edit),)
    names = [here.word(i) for i in range(here.line, here.at) if here.kinds[i] == "NAME"]
    begun = here.text[here.words.starts[here.line] : here.words.ends[here.at - 1]]
    example = names[-1] if names and here.before != "=" else "1.0"
    noun = OPERATOR_NOUNS.get(here.before)
    tail = f"or delete the `{here.before}`"
    if noun is None and here.before.isidentifier():
        return (f"write {'a name' if here.before in ('del', 'for') else 'it'} after the `{here.before}`",)
    if here.is_field or len(begun) + len(example) > 60 or "\n" in begun or "\r" in begun:
        return (f"finish the {noun}, {tail}",) if noun else (f"write a value, {tail}",)
    if here.first in BLOCK_WORDS:
        example += ":"
    if noun:
        return (f"finish the {noun}, as in `{begun} {example}`, {tail}",)
    return (f"write a value, as in `{begun} {example}`, {tail}",)


def else_missing(here: Situation) -> CompileError | None:
    if "else" not in here.expected or here.kind not in (*LINE_ENDS, *OPENING_BRACKETS, ",", ":"):
        return None
    ways_out: list[str | Fix] = ["say what the value is otherwise: `value if condition else other`"]
    middle = [index for index in range(here.line, here.at) if here.kinds[index] == "if"]
    if here.kind in LINE_ENDS and not here.brackets and len(middle) == 1 and here.kinds[here.line] == "NAME":
        at, begin = middle[0], here.words.starts[here.line]
        condition = here.text[here.words.starts[at] : here.gap.start]
        cut = here.words.ends[at - 1]
        ways_out.append(
            fix(f"put the condition first: `{shorten(condition)}: ...`", (begin, begin, f"{condition}: "),
                (cut, here.gap.start, ""))
        )  # fmt: skip
    return here.error("E0102", "the `else` of this choice is missing", "here", *ways_out, span=here.gap)


def alias_missing(here: Situation) -> CompileError | None:
    """`import torch as` and `with no_grad() as:`"""
    if here.before != "as" or here.kind not in (":", *LINE_ENDS):
        return None
    before = here.words.ends[here.at - 2]
    way_out = fix("leave the `as` out", (before, here.gap.start, ""))
    return here.error("E0102", "a name is missing after `as`", "it should stand here", way_out, span=here.gap)


def lone_star(here: Situation) -> CompileError | None:
    """`x = *a` and `*a = x`: a starred value is only valid in a tuple, which has a comma."""
    if "," not in here.expected or here.kind not in ("=", ")", *LINE_ENDS):
        return None
    opening = here.brackets[-1] + 1 if here.brackets else here.line
    stars = [index for index in range(opening, here.at) if here.kinds[index] == "*"]
    if not stars or here.kinds[here.line] in BLOCK_WORDS:
        return None
    if (
        stars == [here.line]
        and here.line >= 2
        and here.kind in LINE_ENDS
        and here.kinds[here.line - 1] == "_NEWLINE"
    ):
        return _operator_start_error(here)
    span, end = here.span(stars[-1]), here.words.ends[here.at - 1]
    way_out = fix("put square brackets around it", (span.start, span.start, "["), (end, end, "]"))
    advice = "leave out the `*`"
    return here.error(
        "E0102",
        "a `*` value cannot stand alone",
        "there is nothing to unpack it into",
        way_out,
        advice,
        span=span,
    )


def generator_expression(here: Situation) -> CompileError | None:
    kinds, brackets = here.kinds, here.brackets
    if here.kind == "for" and here.at > here.line and not here.wants_value:
        if not brackets or kinds[brackets[-1]] == "(":
            message, caret = "generator expressions are not in the language", "only lists are built this way"
            return here.error("E0110", message, caret, *_as_list(here))
        way_out = "write one value before `for`"
        return here.error("E0102", "only one value can be collected", "the loop begins here", way_out)
    if here.kind == "," and brackets and "for" in kinds[brackets[-1] : here.at] and "for" in here.expected:
        opening = here.words.ends[brackets[-1]]
        end = here.words.ends[here.at - 1]
        way_out_ = fix("put square brackets around it", (opening, opening, "["), (end, end, "]"))
        return here.error("E0102", "`... for ...` has to be the only argument", "another follows", way_out_)
    return None


def _as_list(here: Situation) -> list[str | Fix]:
    """Return the repair that writes `(x for x in y)` with square brackets."""
    advice = "write a list comprehension: `[... for ... in ...]`"
    if not here.brackets:
        return [advice]
    opening, depth = here.brackets[-1], 0
    for last in range(opening, len(here.kinds)):
        depth += (here.kinds[last] in ("(", "[", "{")) - (here.kinds[last] in OPENING_BRACKETS)
        if depth == 0:
            start, stop = here.span(opening), here.span(last)
            return [fix(advice, (start.start, start.end, "["), (stop.start, stop.end, "]"))]
    return [advice]


def in_missing(here: Situation) -> CompileError | None:
    """`for x range(3)`, `for x = range(3)` and `for x of xs`."""
    begun = here.kinds[here.line : here.at]
    if here.kinds[here.line] != "for" or "in" in begun or "in" not in here.expected or here.brackets:
        return None
    if here.kind in (*LINE_ENDS, ":", ",", ")"):
        return None
    message, span = "the `in` of this `for` is missing", here.span()
    if here.kind == "=" or here.word(here.at) in ("of", "from", "to"):
        way_out = fix(f"write `in` instead of {here.name()}", (span.start, span.end, "in"))
    else:
        way_out = fix("write `in`", (span.start, span.start, "in "))
    return here.error("E0102", message, "`in` should stand before this", way_out)


def side_by_side(here: Situation) -> CompileError | None:
    """Two values with nothing between them, by the most likely reason."""
    if here.before not in VALUE_ENDS or here.kind not in VALUE_STARTS:
        return None
    return (
        print_statement(here)
        or string_prefix(here)
        or declaration(here)
        or (misspelt(here) if here.at - 1 == here.line else None)
        or missing_punctuation(here)
        or operator_missing(here)
    )


def print_statement(here: Situation) -> CompileError | None:
    """`print x`, as in Python 2."""
    last, start = here.at - 1, here.span().start
    if here.word(last) != "print" or here.before != "NAME" or here.brackets:
        return None
    end = code_end(here.text, start) if here.last_of_line() > here.at else here.span().end
    gap, printed = here.words.ends[last], here.text[start:end]
    written = "put them around it" if "\n" in printed else f"write `print({shorten(printed)})`"
    way_out = fix(written, (gap, start, "("), (end, end, ")"))
    return here.error("E0102", "`print` needs parentheses", "what to print", way_out)


def string_prefix(here: Situation) -> CompileError | None:
    """`b"..."` and other letters right before a string."""
    prefix = here.span(here.at - 1)
    if here.before != "NAME" or here.kind != "STRING" or prefix.end != here.span().start:
        return None
    if here.word(here.at - 1).lower() in ("b", "br", "rb"):
        way_out = fix("leave the `b` out", (prefix.start, prefix.end, ""))
        return here.error("E0110", "byte strings are not in the language", "here", way_out, span=prefix)
    message = f"a string cannot have the prefix {here.name(here.at - 1)}"
    return here.error("E0106", message, "here", "the letters before a string can be `f`, `r` and `fr`")


def declaration(here: Situation) -> CompileError | None:
    """`let x = 1` and `float x = 1`, as in other languages."""
    word = here.word(here.line)
    if here.at - 1 != here.line or word not in DECLARATIONS or here.kind != "NAME":
        return None
    declared = here.span(here.line)
    return here.error(
        "E0102",
        f"`{word}` begins no statement",
        "a variable is made by assigning to it",
        fix(f"delete the `{word}`", (declared.start, here.span().start, "")),
        span=declared,
    )


def missing_punctuation(here: Situation) -> CompileError | None:
    """`if x then`, which has a word in place of the colon, and `assert x "text"` without its comma."""
    gap, end = here.words.ends[here.at - 1], here.span().end
    if here.word(here.at) in ("then", "do") and here.kinds[here.line] in BLOCK_WORDS:
        colon = "" if here.kinds[here.at + 1] == ":" else ":"
        way_out = fix(f"write `:` instead of {here.name()}", (gap, end, colon))
        return here.error("E0102", f"{here.name()} is no word of the language", "not needed", way_out)
    if here.first == "assert" and here.kind == "STRING" and not here.brackets:
        way_out = fix("write a comma before the message", (gap, gap, ","))
        return here.error("E0102", "two values stand side by side", "the message", way_out)
    return None


def operator_missing(here: Situation) -> CompileError:
    """Return the error for two values that nothing joins, with the operators that are likely."""
    before, last, start = here.before, here.at - 1, here.span().start
    gap = here.words.ends[last]
    ways_out: list[str | Fix]
    if before == "STRING" and gap == start:
        ways_out = [*_other_quotes(here), "a quote inside a string is written \\' or \\\""]
    elif before == "NAME" and (applied := _call_repair(here)):
        ways_out = [applied]
    elif here.brackets:
        ways_out = _separator_repairs(here)
    elif before == "NUMBER" or here.kind in ("NAME", "NUMBER"):
        product = f"{here.word(last)} * {here.word(here.at)}"
        if here.kind != "STRING" and (before in ("NUMBER", ")") or "=" in here.kinds[here.line : here.at]):
            ways_out = [fix(f"for a product: `{shorten(product)}`", (gap, start, " * "))]
        else:
            ways_out = ["values are joined by operators, and calls have parentheses"]
    else:
        ways_out = ["values are joined by operators, and a statement has a line of its own"]
    what = f"nothing joins {here.name(last)} and {here.name()}"
    return here.error("E0102", "two values stand side by side", what, *ways_out)


def _call_repair(here: Situation) -> Fix | None:
    """Return the repair of `sin x` to a call if the name is a function; None otherwise."""
    from autodiff.core.engine.public_functions import PublicFunction
    from autodiff.grammar.objects.builtins.namespaces import builtin_value, plain_value
    from autodiff.grammar.objects.values import Builtin

    last, start = here.at - 1, here.span().start
    first = last
    while first - 2 >= here.line and here.kinds[first - 1] == ".":
        first -= 2
    name, function = here.text[here.words.starts[first] : here.words.ends[last]], here.word(last)
    is_own = any(
        here.kinds[index] == "def" and here.word(index + 1) == name for index in range(len(here.kinds) - 1)
    )
    values = (builtin_value(function), plain_value(function))  # the second has `ln`
    if not is_own and not any(isinstance(value, (PublicFunction, Builtin)) for value in values):
        return None
    end, gap = here.words.ends[_last_of_power(here)], here.words.ends[last]
    given = here.text[start:end]
    return fix(f"call it: `{shorten(name)}({shorten(given)})`", (gap, start, "("), (end, end, ")"))


def _last_of_power(here: Situation) -> int:
    """Return the last token of this value, or of its power: on paper `cos x**2` is `cos(x**2)`."""
    kinds, at = here.kinds, here.at
    if at + 2 >= len(kinds) or kinds[at + 1] not in ("**", "^"):
        return at
    last = at + 2 + (kinds[at + 2] in ("+", "-"))
    if kinds[last] in ("NAME", "NUMBER"):
        return last
    depth = 0
    for index in range(last, len(kinds)):
        depth += (kinds[index] in ("(", "[", "{")) - (kinds[index] in OPENING_BRACKETS)
        if depth <= 0:
            return index if index > last else at
    return at


def _separator_repairs(here: Situation) -> list[str | Fix]:
    """Return the repairs for two values in a bracket: a comma in lists and calls, or a product."""
    opening, last, start = here.brackets[-1], here.at - 1, here.span().start
    gap = here.words.ends[last]
    product = f"{here.word(last)} * {here.word(here.at)}"
    times = fix(f"for a product: `{shorten(product)}`", (gap, start, " * "))
    is_call = opening > here.line and here.kinds[opening - 1] in ("NAME", ")", "]")
    if here.kinds[opening] == "(" and not is_call:
        return [times]
    comma = fix("write a comma between them", (gap, gap, ","))
    if here.kind != "NUMBER" or here.before != "NUMBER":
        return [comma, times]
    end = here.at  # `[1. 2. 3.]`: commas between all numbers
    while here.kinds[end + 1] == "NUMBER":
        end += 1
    gaps = [here.words.ends[index] for index in range(last, end)]
    all_commas = [(place, place, ",") for place in gaps]
    return [comma if len(gaps) < 2 else fix("write commas between the numbers", *all_commas)]


def _other_quotes(here: Situation) -> list[str | Fix]:
    """Return the repair that writes `'It's'` with double quotes; empty if that does not apply."""
    line, start = here.line_span(), here.words.starts[here.at - 1]
    quote = here.text[here.words.ends[here.at - 1] - 1]
    other = '"' if quote == "'" else "'"
    last = here.text.rfind(quote, start, line.end)
    if here.text[start] != quote or last < here.words.ends[here.at - 1] or other in here.text[start:last]:
        return []
    return [fix(f"use {other} around the string", (start, start + 1, other), (last, last + 1, other))]


def unexpected_token(here: Situation) -> CompileError:
    spelled = {"NAME": "a name", "STRING": "a string", "_NEWLINE": "the end of the line"}
    wanted = [spelled.get(kind, f"`{kind}`") for kind in sorted(here.expected - {"$END", ";"})]
    if wanted and len(wanted) <= 4:
        caret = " or ".join(wanted) + " should stand here"
    elif here.before:
        caret = f"it cannot follow {here.name(here.at - 1)}"
    else:
        caret = "no line begins like this"
    if here.kind in LINE_ENDS:
        stops = "the field" if here.is_field else "the line"
        ways_out: list[str | Fix] = []
        if here.before == ".":
            dot = here.span(here.at - 1)
            ways_out = [fix("delete the `.`", (dot.start, dot.end, ""))]
        begins = FINISHED.get(here.word(here.at - 1))
        ways_out.append(f"a complete one: `{begins}`" if begins else "something has to follow")
        return here.error("E0102", f"{stops} ends too early", caret, *ways_out, span=here.gap)
    name = here.name()
    message, advice = f"{name} does not fit here", f"delete {name}, or what leads to it"
    return here.error("E0102", message, caret, *_rest_repair(here), advice)


def _rest_repair(here: Situation) -> list[str | Fix]:
    """Return the repair that deletes the rest of the line, if the line could end before it."""
    if "_NEWLINE" not in here.expected:
        return []
    end = here.words.ends[here.last_of_line()]
    rest = here.text[here.span().start : end]
    if len(rest) > 20 or "\n" in rest:
        return []
    return [fix(f"delete `{rest}`", (here.gap.start, end, ""))]
