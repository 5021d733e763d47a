"""What to say when no rule of the grammar fits the next word.

``RULES`` is a list of small functions, the most telling first: each looks at the Situation and either
knows what is wrong or passes. The table itself says what could have followed.
"""

from __future__ import annotations

from autodiff.core.errors import CompileError, Label
from autodiff.core.span import Span
from autodiff.grammar.characters import shorten
from autodiff.grammar.layout import CLOSES, Words, unclosed_bracket
from autodiff.grammar.vocabulary import (
    BLOCK_WORDS,
    FOREIGN,
    NOUNS,
    OPERATORS,
    PAIRS,
    VALUE_ENDS,
    VALUE_STARTS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.parser import Reader

LINE_ENDS = ("_NEWLINE", "_DEDENT", "$END")


def diagnose(reader: Reader, words: Words, at: int, start: str) -> CompileError:
    """The error for a text whose word number ``at`` does not fit."""
    here = Situation(reader, words, at, start)
    for rule in RULES:
        error = rule(here)
        if error is not None:
            return error
    return does_not_fit(here)


class Situation:
    """The word that does not fit, what stands around it and what could have stood in its place."""

    __slots__ = (
        "at", "before", "brackets", "expected", "is_field", "kind", "kinds", "line", "text", "words",
    )  # fmt: skip

    def __init__(self, reader: Reader, words: Words, at: int, start: str) -> None:
        self.text = reader.text
        self.words = words
        self.kinds = words.kinds
        self.at = at
        self.kind = words.kinds[at]
        self.line = at  # the first word of the statement's line
        while self.line and words.kinds[self.line - 1] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
            self.line -= 1
        self.before = words.kinds[at - 1] if at > self.line else ""
        self.brackets: list[int] = []
        for index in range(self.line, at):
            if words.kinds[index] in ("(", "[", "{"):
                self.brackets.append(index)
            elif words.kinds[index] in CLOSES and self.brackets:
                self.brackets.pop()
        self.is_field = start == "expression" and words.ends[-1] < len(reader.text)
        self.expected = could_follow(reader, words, at, start)

    @property
    def wants_value(self) -> bool:
        """Whether an expression could begin here."""
        return "NUMBER" in self.expected

    def word(self, index: int) -> str:
        return self.text[self.words.starts[index] : self.words.ends[index]]

    def span(self, index: int | None = None) -> Span:
        index = self.at if index is None else index
        return Span(self.words.starts[index], self.words.ends[index])

    @property
    def gap(self) -> Span:
        """Right behind the word before, where something is missing."""
        end = self.words.ends[self.at - 1] if self.at else self.words.starts[0]
        return Span(end, end)

    @property
    def first(self) -> str:
        """The word the line begins with."""
        return self.word(self.line)

    def name(self, index: int | None = None) -> str:
        """How a message calls a word."""
        index = self.at if index is None else index
        kind = self.kinds[index]
        if kind in LINE_ENDS or kind == "_INDENT":
            return "the end of the field" if self.is_field else "the end of the line"
        if kind == "STRING":
            return "a string"
        return f"`{shorten(self.word(index))}`"

    def error(
        self, code: str, message: str, caret: str, *ways_out: str, span: Span | None = None
    ) -> CompileError:
        return CompileError(message, code=code, caret=caret, help=ways_out, span=span or self.span())


def could_follow(reader: Reader, words: Words, at: int, start: str) -> set[str]:
    """Every kind that could stand in place of word ``at``.

    The words before are read again, without building anything: on the way to the mistake the driver
    has applied rules that only fit if the mistake had not come.
    """
    table = reader.table
    states = [table.starts[start]]
    for kind in words.kinds[:at]:
        _advance(reader, states, kind)
    kinds = [kind for kind in table.actions[states[-1]] if not kind.islower() or kind in table.keywords]
    return {kind for kind in kinds if _advance(reader, states[:], kind)}


def _advance(reader: Reader, states: list[int], kind: str) -> bool:
    table = reader.table
    while True:
        action = table.actions[states[-1]].get(kind)
        if action is None:
            return False
        if action >= 0:
            states.append(action)
            return True
        rule = table.rules[-action]
        if rule.takes:
            del states[-rule.takes :]
        states.append(table.actions[states[-1]][rule.makes])


# -- the rules ---------------------------------------------------------


def bad_word(here: Situation) -> CompileError | None:
    return here.words.error if here.kind == "ERROR" else None


def open_bracket(here: Situation) -> CompileError | None:
    """Inside a bracket that is never closed everything after it is beside the point."""
    error = here.words.error
    if not here.brackets or error is None or error.code != "E0103":
        return None
    opening = here.brackets[-1]
    depth = 0
    for kind in here.kinds[opening:]:
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in CLOSES:
            depth -= 1
            if depth == 0:
                return None
    return unclosed_bracket(here.text, here.kinds[opening], here.words.starts[opening])


def foreign_word(here: Situation) -> CompileError | None:
    if here.kind not in FOREIGN:
        return None
    way_out = FOREIGN[here.kind]
    return here.error("E0110", f"`{here.kind}` is not in the language", "not available in a script", way_out)


def braces(here: Situation) -> CompileError | None:
    if here.kind != "{":
        return None
    depth, inside = 0, []
    for kind in here.kinds[here.at :]:
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in CLOSES:
            depth -= 1
        if depth == 0:
            break
        if depth == 1:
            inside.append(kind)
    if ":" in inside or len(inside) == 1:
        what, way_out = "dictionaries", "use one variable per entry, or two lists side by side"
    else:
        what, way_out = "sets", "write a list: `[...]`"
    if "for" in inside:
        way_out = "write a list comprehension: `[... for ... in ...]`"
    return here.error("E0110", f"{what} are not in the language", "begins here", way_out)


def foreign_sign(here: Situation) -> CompileError | None:
    kind, before = here.kind, here.before
    if kind == ":=":
        way_out = "assign on a line of its own before this one"
        return here.error("E0110", "`:=` is not in the language", "assigns inside an expression", way_out)
    if kind == "->":
        way_out = "delete it and the type after it"
        return here.error("E0110", "types are not in the language", "a type should not stand here", way_out)
    if not here.brackets or before not in ("(", ","):
        return None
    if kind == "**":
        way_out = "write the arguments one by one, as in `f(a=1, b=2)`"
        return here.error("E0110", "`**` arguments are not in the language", "here", way_out)
    if kind == "/" and _in_parameters(here):
        return here.error("E0110", "a bare `/` is not in the language", "here", "leave it out")
    return None


def _in_parameters(here: Situation) -> bool:
    opening = here.brackets[-1]
    return opening >= 2 and here.kinds[opening - 2] == "def" and len(here.brackets) == 1


def match_statement(here: Situation) -> CompileError | None:
    """`match x:` begins like a name and goes wrong at the second word, or at the colon."""
    if here.at == here.line or here.first not in ("match", "case") or here.kinds[here.line] != "NAME":
        return None
    if _last_of_line(here) != ":":
        return None
    span = here.span(here.line)
    return here.error(
        "E0110", f"`{here.first}` is not in the language", "here", "use `if` and `elif`", span=span
    )


def _last_of_line(here: Situation) -> str:
    index = here.at
    while here.kinds[index] not in (*LINE_ENDS, "ERROR"):
        index += 1
    return here.kinds[index - 1]


def annotation(here: Situation) -> CompileError | None:
    if here.kind != ":":
        return None
    if here.brackets and _in_parameters(here):
        way_out = f"write the parameter alone: {here.name(here.at - 1)}"
        return here.error("E0110", "types are not in the language", "a type begins here", way_out)
    if here.brackets or here.kinds[here.line] != "NAME" or here.at == here.line:
        return None
    if here.kinds[here.at + 1] in LINE_ENDS:
        return _misspelt(here) or here.error(
            "E0102", "this line opens no block", "a `:` ends lines such as `if x > 0:`", "delete the `:`"
        )
    way_out = "write `name = value`; a number is a float or an int by how it is written"
    return here.error("E0110", "types are not in the language", "a type begins here", way_out)


def _misspelt(here: Situation) -> CompileError | None:
    """A line that begins with a name that is nearly a word of the language."""
    if here.kinds[here.line] != "NAME":
        return None
    from difflib import get_close_matches

    close = get_close_matches(here.first[:20], (*BLOCK_WORDS, "else"), 1, 0.7)
    if not close:
        return None
    message = f"`{shorten(here.first)}` begins no statement"
    span = here.span(here.line)
    way_out = f"did you mean `{close[0]}`?"
    return here.error("E0102", message, "not a word of the language", way_out, span=span)


def indented(here: Situation) -> CompileError | None:
    if here.kind != "_INDENT":
        return None
    line_start = max(here.text.rfind("\n", 0, here.span().start), here.text.rfind("\r", 0, here.span().start))
    return here.error(
        "E0104",
        "this line is indented, but nothing above it opens a block",
        "the indentation",
        "begin it under the line above",
        span=Span(line_start + 1, here.span().start),
    )


def block_missing(here: Situation) -> CompileError | None:
    if here.expected != {"_INDENT"}:
        return None
    opener = here.at - 1
    while opener and here.kinds[opener - 1] not in ("_NEWLINE", "_INDENT", "_DEDENT"):
        opener -= 1
    word = here.word(opener)
    error = here.error(
        "E0105",
        f"the block of this `{shorten(word)}` is missing",
        "this line should be indented",
        "indent it by four spaces, or write `pass` in a block that does nothing",
        span=here.span() if here.kind not in LINE_ENDS else here.gap,
    )
    error.labels.append(Label(here.span(opener), f"this `{shorten(word)}` opens a block"))
    return error


def lone_branch(here: Situation) -> CompileError | None:
    if here.kind not in ("else", "elif") or here.before not in ("", ";"):
        return None
    owner = "`if`, `for` or `while`" if here.kind == "else" else "`if`"
    return here.error(
        "E0102",
        f"this `{here.kind}` belongs to nothing",
        f"no {owner} above it is open at this indentation",
        f"line it up with its {owner}",
    )


def decorated(here: Situation) -> CompileError | None:
    if here.expected != {"@", "def", "class"}:
        return None
    message = "a decorator stands directly above `def`"
    return here.error("E0102", message, "no `def` here", "delete the `@` line")


def keyword_as_name(here: Situation) -> CompileError | None:
    """A word of the language where only a name, or a name used as one, would make sense."""
    kind = here.kind
    if kind == "=" and here.before.isidentifier() and here.before not in (*VALUE_ENDS, "not"):
        return _reserved(here, here.at - 1)
    if "NAME" not in here.expected or not (kind.isidentifier() and kind in here.word(here.at)):
        return None
    after = here.kinds[here.at + 1] if here.at + 1 < len(here.kinds) else "$END"
    if here.wants_value and after not in ("=", ",", ".", "(", ")", "]", "_NEWLINE", "$END", *OPERATORS):
        return None
    if here.at == here.line and after != "=":
        return None
    return _reserved(here, here.at)


def _reserved(here: Situation, index: int) -> CompileError:
    word = here.word(index)
    return here.error(
        "E0107",
        f"`{word}` is a word of the language and cannot be a name",
        "has a meaning of its own",
        f"choose another name, such as `{word}_1`",
        span=here.span(index),
    )


def equals_sign(here: Situation) -> CompileError | None:
    if here.kind != "=" or here.wants_value or (not here.brackets and "*" in here.kinds[here.line : here.at]):
        return None
    if here.at > here.line and here.before in ("True", "False", "None"):
        way_out = "choose another name"
        span = here.span(here.at - 1)
        return here.error("E0107", f"`{here.before}` cannot be a name", "here", way_out, span=span)
    if here.first in ("if", "elif", "while", "assert", "return") or not here.brackets:
        return here.error(
            "E0102", "`=` assigns and cannot stand inside an expression", "here", "did you mean `==`?"
        )
    return here.error(
        "E0102",
        "only a name can stand before this `=`",
        "an argument is given as `name=value`",
        "write `==` to compare, or a plain name before the `=`",
    )


def value_missing(here: Situation) -> CompileError | None:
    if not here.wants_value:
        return None
    before, kind = here.before, here.kind
    if not before or before == ";":
        if kind in ("$END", "_NEWLINE"):
            return here.error("E0101", "a value should stand here", "nothing is here", "write a value")
        message = f"a line cannot begin with {here.name()}"
        way_out = "join it to the line above with brackets, or delete it"
        return here.error("E0101", message, "nothing is left of it", way_out)
    gone = here.name(here.at - 1)
    if here.at - 1 > here.line and (pair := PAIRS.get(here.word(here.at - 1) + here.word(here.at))):
        return here.error("E0101", *pair, span=Span(here.span(here.at - 1).start, here.span().end))
    wanted = "a condition" if before in ("if", "elif", "while", "assert") else "a value"
    if kind in LINE_ENDS:
        stops = "the field" if here.is_field else "the line"
        message = f"{stops} stops where {wanted} should follow"
        return here.error(
            "E0101", message, f"{wanted} is missing after {gone}", *_completed(here), span=here.gap
        )
    return here.error(
        "E0101",
        f"{wanted} is missing between {gone} and {here.name()}",
        f"{wanted} should stand before this",
        f"write {wanted} here" + (f", or delete the {gone}" if before in OPERATORS else ""),
    )


def _completed(here: Situation) -> tuple[str, ...]:
    """How the line could go on: with the last name on it, or a number."""
    if here.before == here.kinds[here.at - 2] in ("+", "-") and here.at - 2 > here.line:
        sign = here.before
        return (f"write `{shorten(here.first)} {sign}= 1` to count",)
    names = [here.word(i) for i in range(here.line, here.at) if here.kinds[i] == "NAME"]
    begun = here.text[here.words.starts[here.line] : here.words.ends[here.at - 1]]
    example = names[-1] if names and here.before != "=" else "1.0"
    noun = NOUNS.get(here.before)
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


def colon_missing(here: Situation) -> CompileError | None:
    if ":" not in here.expected or here.brackets or here.kinds[here.line] not in (*BLOCK_WORDS, "else"):
        return None
    if here.kinds[here.line] == "else" and here.at == here.line + 1 and here.kind not in LINE_ENDS:
        if here.kind == "if":
            message, way_out = "`else if` is one word", "write `elif`"
        else:
            message = "nothing stands between `else` and its `:`"
            way_out = "write `else:`, or `elif` and a condition"
        return here.error("E0105", message, "a `:` should stand here", way_out)
    if here.kind in LINE_ENDS or ":" not in _rest_of_line(here):
        return here.error(
            "E0105",
            f"the `:` of this `{here.first}` is missing",
            "a `:` should stand here",
            "write `:` here" if here.kind in LINE_ENDS else f"write `:` before {here.name()}",
            span=here.gap,
        )
    return None


def _rest_of_line(here: Situation) -> list[str]:
    end = here.at
    while here.kinds[end] not in (*LINE_ENDS, "ERROR"):
        end += 1
    return here.kinds[here.at : end]


def lone_star(here: Situation) -> CompileError | None:
    """`x = *a` and `*a = x`: only among others, which a comma would tell."""
    if "," not in here.expected or here.kind not in ("=", ")", *LINE_ENDS):
        return None
    opening = here.brackets[-1] + 1 if here.brackets else here.line
    stars = [index for index in range(opening, here.at) if here.kinds[index] == "*"]
    if not stars or here.kinds[here.line] in BLOCK_WORDS:
        return None
    way_out = "put square brackets around it, or leave out the `*`"
    span = here.span(stars[-1])
    return here.error("E0102", "a `*` value cannot stand alone", "unpacks into nothing", way_out, span=span)


def relative_import(here: Situation) -> CompileError | None:
    if here.before != "from" or here.kind not in (".", "..."):
        return None
    way_out = "write `from torch import ...`"
    return here.error("E0110", "a script cannot import other files", "a relative import", way_out)


def else_missing(here: Situation) -> CompileError | None:
    if "else" not in here.expected or here.kind not in (*LINE_ENDS, *CLOSES, ",", ":"):
        return None
    way_out = "say what holds otherwise: `value if condition else other`"
    return here.error("E0102", "the `else` of this choice is missing", "here", way_out, span=here.gap)


def generator(here: Situation) -> CompileError | None:
    kinds, brackets = here.kinds, here.brackets
    if here.kind == "for" and here.at > here.line and not here.wants_value:
        if not brackets or kinds[brackets[-1]] == "(":
            way_out = "write a list comprehension: `[... for ... in ...]`"
            return here.error("E0110", "a loop inside an expression makes a list", "no list here", way_out)
        way_out = "write one value before `for`"
        return here.error("E0102", "only one value can be collected", "the loop begins here", way_out)
    if here.kind == "," and brackets and "for" in kinds[brackets[-1] : here.at] and "for" in here.expected:
        way_out = "put square brackets around it"
        return here.error("E0102", "`... for ...` has to be the only argument", "another follows", way_out)
    return None


def side_by_side(here: Situation) -> CompileError | None:
    before, last = here.before, here.at - 1
    if before not in VALUE_ENDS or here.kind not in VALUE_STARTS:
        return None
    begun = here.kinds[here.line : here.at]
    if begun[0] == "for" and "in" in here.expected and "in" not in begun:
        message = "the `in` of this `for` is missing"
        return here.error("E0102", message, "`in` should stand before this", "write `in`")
    glued = here.span(last).end == here.span().start
    if before == "NAME" and here.word(last) == "print":
        return here.error("E0102", "`print` needs parentheses", "what to print", "write `print(...)`")
    if before == "NAME" and here.kind == "STRING" and glued:
        if here.word(last).lower() in ("b", "br", "rb"):
            message, way_out = "byte strings are not in the language", "leave the `b` out"
            return here.error("E0110", message, "here", way_out, span=here.span(last))
        way_out = "the letters before a string can be `f`, `r` and `fr`"
        return here.error("E0106", f"a string cannot have the prefix {here.name(last)}", "here", way_out)
    if last == here.line and (misspelt := _misspelt(here)):
        return misspelt
    what = f"nothing joins {here.name(last)} and {here.name()}"
    if before == "STRING" and glued:
        ways_out = ("a quote inside a string is written \\' or \\\", or use the other quotes around it",)
    elif here.brackets:
        ways_out = ("put a comma or an operator between them",)
    elif before == "NUMBER" or here.kind in ("NAME", "NUMBER"):
        ways_out = ("put an operator between them, as in `2 * x`",)
    else:
        ways_out = ("put an operator between them, or begin a new line",)
    return here.error("E0102", "two values stand side by side", what, *ways_out)


def does_not_fit(here: Situation) -> CompileError:
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
        return here.error("E0102", f"{stops} stops too early", caret, "finish it", span=here.gap)
    name = here.name()
    return here.error("E0102", f"{name} does not fit here", caret, f"delete {name}, or what leads to it")


RULES = (
    bad_word,
    open_bracket,
    foreign_word,
    braces,
    foreign_sign,
    match_statement,
    annotation,
    indented,
    block_missing,
    lone_branch,
    decorated,
    keyword_as_name,
    equals_sign,
    value_missing,
    generator,
    colon_missing,
    lone_star,
    relative_import,
    else_missing,
    side_by_side,
)
