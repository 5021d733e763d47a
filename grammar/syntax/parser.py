"""Parses a script into a syntax tree with a small LALR driver over parse_table.txt.

The driver keeps its own stack, so nesting is limited by memory and not by Python's recursion limit. It
does not know the language: the table says when a rule applies, ``build`` makes the nodes, and
``grammar.help.syntax`` makes the error when no rule applies.
"""

from __future__ import annotations

import os
import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.lazy import services
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.words import Words, read_words, word_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


#: Only a script with one of these can be a pasted session; few scripts contain any.
SIGNS_OF_A_SESSION = ("%time", ">>>", "]:")


def parse(source: Source) -> tree.Script:
    """Return the syntax tree of a script.

    Raise a CompileError for the first mistake; its ``further`` has the others.

    >>> script = parse(Source("w = 3\\nL = w**2"))
    >>> [type(statement).__name__ for statement in script.body]
    ['Assign', 'Assign']
    """
    try:
        return read(source)
    except CompileError as error:
        services["syntax recovery"].find_further(error, source)
        raise


def read(source: Source) -> tree.Script:
    """Return the syntax tree of a script, or raise a CompileError for the first mistake."""
    if any(sign in source.text for sign in SIGNS_OF_A_SESSION):
        from autodiff.grammar.syntax.prompts import as_script

        source = as_script(source)
    try:
        script = Reader(source).script()
    except CompileError as error:
        if not error.fixes and error.span is not None:
            error.fixes = services["token repairs"].rebuilt(source.text, error)
            error.help = () if error.fixes else error.help
        raise
    assert isinstance(script, tree.Script)
    return script


def parse_expression(source: Source) -> tree.Expression:
    """Return the syntax tree of a text that is one expression; it may contain line breaks anywhere.

    >>> parse_expression(Source("a + b")).op
    '+'
    """
    return Reader(source).expression(0, len(source.text))


def parse_literal(text: str) -> object:
    """Return the value of a number, ``nan``, ``inf``, True, False, None, or of lists and tuples of them.

    No code is evaluated.

    >>> parse_literal("[1, -2.5, (True, None)]")
    [1, -2.5, (True, None)]
    """
    value = parse_expression(Source(text, "<value>"))
    # Values are collected in one list; the end of a display folds its part into one value: no recursion.
    pending: list[tree.Expression | tuple[tree.Expression, int]] = [value]
    done: list[object] = []
    while pending:
        node = pending.pop()
        if isinstance(node, tuple):
            display, first = node
            elements = done[first:]
            del done[first:]
            done.append(tuple(elements) if isinstance(display, tree.TupleDisplay) else elements)
        elif isinstance(node, (tree.ListDisplay, tree.TupleDisplay)):
            pending.append((node, len(done)))
            pending += reversed(node.elements)
        elif isinstance(node, tree.Constant) and node.value is not ...:
            done.append(node.value)
        else:
            done.append(_signed_number(node))
    return done[0]


def _signed_number(node: tree.Expression) -> int | float:
    sign, whole = 1, node
    while isinstance(node, tree.Unary) and node.op in ("-", "+"):
        sign = -sign if node.op == "-" else sign
        node = node.operand
    if isinstance(node, tree.Number):
        return sign * node.value
    if isinstance(node, tree.Name) and node.id in ("nan", "inf"):
        return sign * float(node.id)
    raise CompileError(
        "this is not a plain value",
        code="E0102",
        caret="only numbers, True, False, None and lists of them can stand here",
        help=("work the value out and write the number, as in 0.5 or [1, 2, 3]",),
        span=whole.span,
    )


class Rule:
    """One rule of the grammar as the driver applies it, read from its line in the table."""

    __slots__ = ("does", "is_step", "makes", "picks", "spliced", "takes", "takes_all")

    def __init__(self, line: str) -> None:
        self.makes, takes, self.does, picks, spliced = line.split(" ")
        self.takes = int(takes)
        self.picks = numbers_in(picks)
        self.spliced = frozenset(numbers_in(spliced))
        self.takes_all = not self.spliced and self.picks == list(range(self.takes))
        self.is_step = self.does == PASS and self.takes == 1


PASS, LIST = "(pass)", "(list)"


def numbers_in(text: str) -> list[int]:
    return [] if text == "-" else [int(number) for number in text.split(",")]


def actions_in(line: str) -> dict[str, int]:
    """Return the actions of a state by the kind of the next token, or by the symbol that a rule has made."""
    words = line.split(" ")
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


class Lines(dict[int, "Any"]):
    """Lines of the table by number from 1 on, parsed when first used: a short script uses few of them."""

    __slots__ = ("_lines", "_make")

    def __init__(self, make: Callable[[str], Any], lines: list[str]) -> None:
        self._make = make
        self._lines = lines

    def __missing__(self, number: int) -> Any:
        made = self[number] = self._make(self._lines[number - 1])
        return made

    def all(self) -> list[Any]:
        return [self[number] for number in range(1, len(self._lines) + 1)]


class Table:
    """The content of parse_table.txt. The first word of each line says what the line describes."""

    __slots__ = ("_magic", "actions", "keywords", "landings", "rules", "starts", "word")

    def __init__(self, text: str) -> None:
        lines: dict[str, list[str]] = {}
        for line in text.split("\n"):
            about, _, rest = line.partition(" ")
            lines.setdefault(about, []).append(rest)
        patterns = dict([line.split(" ", 1) for line in lines["pattern"]])
        [starts], [keywords], [signs] = lines["starts"], lines["keywords"], lines["signs"]
        self.actions = Lines(actions_in, lines["state"])
        self.rules = Lines(Rule, lines["rule"])
        self.starts = actions_in(starts)
        self.keywords = frozenset(keywords.split(" ")) | FOREIGN_KEYWORDS
        self.word = word_pattern(patterns, signs.split(" "))
        self._magic = patterns["MAGIC"]
        # The state after a reduction and after the rules that only pass on one child. A lone name passes
        # fifteen levels of precedence; this cache makes them one look-up.
        self.landings: dict[tuple[int, str, str], int] = {}

    @property
    def magic(self) -> re.Pattern[str]:
        """The pattern of a notebook command, compiled on use because few scripts have one."""
        return re.compile(self._magic)

    def land(self, below: int, makes: str, kind: str) -> int:
        """Return the state after reducing to ``makes`` on top of state ``below`` when ``kind`` comes next."""
        state = self.actions[below][makes]
        while (action := self.actions[state].get(kind, 0)) < 0 and self.rules[-action].is_step:
            state = self.actions[below][self.rules[-action].makes]
        self.landings[below, makes, kind] = state
        return state  # type: ignore[no-any-return] # a number


# Python's keywords that the language does not have; no grammar rule contains them, so each is an error.
FOREIGN_KEYWORDS = frozenset(
    ["try", "except", "finally", "raise", "global", "nonlocal", "async", "await", "yield"]
)

_loaded: list[Table] = []


def table() -> Table:
    """Return the shipped table, which is read on first use."""
    if not _loaded:
        path = os.path.join(os.path.dirname(__file__), "parse_table.txt")
        with open(path, encoding="utf-8") as file:
            _loaded.append(Table(file.read()))
    return _loaded[0]


class Reader:
    """The parser of one source. The builders of strings use it to parse the fields of f-strings in place."""

    __slots__ = ("builders", "source", "table", "text")

    def __init__(
        self,
        source: Source,
        builders: Mapping[str, Callable[..., object]] | None = None,
    ) -> None:
        self.source = source
        self.text = source.text
        self.table = table()
        self.builders = builders if builders is not None else services["syntax builders"].BUILDERS

    def script(self) -> object:
        return self.drive(read_words(self.source, self.table), "script")

    def expression(self, start: int, end: int) -> tree.Expression:
        words = read_words(self.source, self.table, start, end, lines=False)
        value = self.drive(words, "expression")
        assert isinstance(value, tree.Expression)
        return value

    def drive(self, words: Words, start: str) -> object:
        """Shift tokens and apply rules until the text is one node, and return that node."""
        grammar, text, builders = self.table, self.text, self.builders
        actions, rules, landings = grammar.actions, grammar.rules, grammar.landings
        kinds, word_starts, word_ends = words.kinds, words.starts, words.ends
        state = grammar.starts[start]
        states = [state]
        values: list[object] = []  # on the stack; `starts` and `ends` are their offsets
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        kind = kinds[0]
        while True:
            action = actions[state].get(kind)
            if action is None:
                raise services["syntax diagnosis"].diagnose(self, words, at, start)
            if action > 0:
                begin, end = word_starts[at], word_ends[at]
                state = action
                states.append(state)
                values.append(self if kind == "STRING" else text[begin:end])
                starts.append(begin)
                ends.append(end)
                at += 1
                kind = kinds[at]
                continue
            if action == 0:
                return values[-1]
            rule = rules[-action]
            takes = rule.takes
            if takes:
                children = values[-takes:]
                span = Span(starts[-takes], ends[-1])
                del values[-takes:], starts[-takes:], ends[-takes:], states[-takes:]
            else:
                children = []
                span = Span(word_starts[at], word_starts[at])
            if not rule.takes_all:
                children = gather(rule, children)
            does = rule.does
            if does == PASS:
                values.append(children[0])
            elif does == LIST:
                values.append(children)
            else:
                values.append(builders[does](span, *children))
            starts.append(span.start)
            ends.append(span.end)
            below = states[-1]
            state = landings.get((below, rule.makes, kind)) or grammar.land(below, rule.makes, kind)
            states.append(state)


def gather(rule: Rule, children: list[object]) -> list[object]:
    """Return the children that a rule keeps, with lists spliced in and None for absent parts."""
    spliced = rule.spliced
    kept: list[object] = []
    for position, pick in enumerate(rule.picks):
        if pick < 0:
            kept.append(None)
        elif pick not in spliced:
            kept.append(children[pick])
        else:
            part = children[pick]
            assert isinstance(part, list)
            if position == 0:
                kept = part  # nothing else refers to it, and copying would make long lists quadratic
            else:
                kept.extend(part)
    return kept
