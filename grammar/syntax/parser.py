"""Parses a script into a syntax tree with a small LALR driver over parse_table.txt.

The driver keeps its own stack, so nesting is limited by memory and not by Python's recursion limit. It
does not know the language: the table says when a rule applies, ``build`` makes the nodes, and
``grammar.help.syntax`` makes the error when no rule applies.
"""

from __future__ import annotations

import os
import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.lazy_imports import services
from autodiff.core.base.source import Source, Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.tokenizer import Tokens, read_words, token_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Only a script with one of these can be a pasted session; few scripts contain any.
SESSION_SIGNS = ("%time", ">>>", "]:")


def parse(source: Source) -> tree.Script:
    """Return the syntax tree of a script.

    Raise a CompileError for the first mistake; its ``other_errors`` are the rest.

    >>> script = parse(Source("w = 3\\nL = w**2"))
    >>> [type(statement).__name__ for statement in script.body]
    ['Assign', 'Assign']
    """
    try:
        return parse_to_first_error(source)
    except CompileError as error:
        services["syntax recovery"].find_further_errors(error, source)
        raise


def parse_to_first_error(source: Source) -> tree.Script:
    """Return the syntax tree of a script, or raise a CompileError for the first mistake."""
    if any(sign in source.text for sign in SESSION_SIGNS):
        from autodiff.grammar.syntax.prompts import strip_prompts

        is_power = source.caret_is_power
        source = strip_prompts(source)
        source.caret_is_power = is_power
    try:
        script = ScriptParser(source).script()
    except CompileError as error:
        if not error.fixes and error.span is not None:
            error.fixes = services["token repairs"].tree_repairs(source.text, error)
            error.help = () if error.fixes else error.help
        raise
    assert isinstance(script, tree.Script)
    if source.caret_is_power:
        from autodiff.grammar.syntax.walk import walk

        for node in walk(script):
            if isinstance(node, tree.Binary) and node.op == "^":
                node.op = "**"
    return script


def parse_expression(source: Source) -> tree.Expression:
    """Return the syntax tree of a text that is one expression; it may contain line breaks anywhere.

    >>> parse_expression(Source("a + b")).op
    '+'
    """
    return ScriptParser(source).expression(0, len(source.text))


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
        help=("compute the value and write the number, as in 0.5 or [1, 2, 3]",),
        span=whole.span,
    )


class Rule:
    """One rule of the grammar as the driver applies it, read from its line in the table."""

    __slots__ = ("builder_name", "is_unit", "keeps_all", "kept_positions", "spliced", "symbol", "takes")

    def __init__(self, line: str) -> None:
        self.symbol, takes, self.builder_name, picks, spliced = line.split(" ")
        self.takes = int(takes)
        self.kept_positions = parse_numbers(picks)
        self.spliced = frozenset(parse_numbers(spliced))
        self.keeps_all = not self.spliced and self.kept_positions == list(range(self.takes))
        self.is_unit = self.builder_name == PASS_CHILD and self.takes == 1


PASS_CHILD, MAKE_LIST = "(pass)", "(list)"


def parse_numbers(text: str) -> list[int]:
    return [] if text == "-" else [int(number) for number in text.split(",")]


def parse_actions(line: str) -> dict[str, int]:
    """Return the actions of a state by the kind of the next token, or by the symbol that a rule has made."""
    words = line.split(" ")
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


class LazyRows(dict[int, "Any"]):
    """Lines of the table by number from 1 on, parsed when first used: a short script uses few of them."""

    __slots__ = ("_lines", "_make")

    def __init__(self, make: Callable[[str], Any], lines: list[str]) -> None:
        self._make = make
        self._lines = lines

    def __missing__(self, number: int) -> Any:
        made = self[number] = self._make(self._lines[number - 1])
        return made


class ParseTable:
    """The content of parse_table.txt. The first word of each line says what the line describes."""

    __slots__ = ("_patterns", "_words", "actions", "goto_cache", "keywords", "rules", "signs", "starts")

    def __init__(self, text: str) -> None:
        lines: dict[str, list[str]] = {}
        for line in text.split("\n"):
            about, _, rest = line.partition(" ")
            lines.setdefault(about, []).append(rest)
        self._patterns = dict([line.split(" ", 1) for line in lines["pattern"]])
        [starts], [keywords], [signs] = lines["starts"], lines["keywords"], lines["signs"]
        self.actions = LazyRows(parse_actions, lines["state"])
        self.rules = LazyRows(Rule, lines["rule"])
        self.starts = parse_actions(starts)
        self.keywords = frozenset(keywords.split(" ")) | FOREIGN_KEYWORDS
        self.signs = signs.split(" ")
        self._words: dict[bool, re.Pattern[str]] = {}
        # The state after a reduction and after the rules that only pass on one child. A lone name passes
        # fifteen levels of precedence; this cache makes them one look-up.
        self.goto_cache: dict[tuple[int, str, str], int] = {}

    @property
    def magic(self) -> re.Pattern[str]:
        """The pattern of a notebook command, compiled on use because few scripts have one."""
        return re.compile(self._patterns["MAGIC"])

    def word_pattern(self, text: str) -> re.Pattern[str]:
        """The pattern of one word of the text. That with strings takes longer to compile."""
        has_strings = True in self._words or '"' in text or "'" in text
        if has_strings not in self._words:
            used = {name: one for name, one in self._patterns.items() if has_strings or name != "STRING"}
            self._words[has_strings] = token_pattern(used, self.signs)
        return self._words[has_strings]

    def goto(self, below: int, makes: str, kind: str) -> int:
        """Return the state after reducing to ``makes`` on top of state ``below`` when ``kind`` comes next."""
        state = self.actions[below][makes]
        while (action := self.actions[state].get(kind, 0)) < 0 and self.rules[-action].is_unit:
            state = self.actions[below][self.rules[-action].symbol]
        self.goto_cache[below, makes, kind] = state
        return state  # type: ignore[no-any-return] # a number


# Python's keywords that the language does not have; no grammar rule contains them, so each is an error.
FOREIGN_KEYWORDS = frozenset(
    ["try", "except", "finally", "raise", "global", "nonlocal", "async", "await", "yield"]
)

_cached_table: list[ParseTable] = []


def load_table() -> ParseTable:
    """Return the shipped table, which is read on first use."""
    if not _cached_table:
        path = os.path.join(os.path.dirname(__file__), "parse_table.txt")
        with open(path, encoding="utf-8") as file:
            _cached_table.append(ParseTable(file.read()))
    return _cached_table[0]


class ScriptParser:
    """The parser of one source. The builders of strings use it to parse the fields of f-strings in place."""

    __slots__ = ("builders", "source", "table", "text")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.table = load_table()
        self.builders = services["syntax builders"].BUILDERS

    def script(self) -> object:
        return self.drive(read_words(self.source, self.table), "script")

    def expression(self, start: int, end: int) -> tree.Expression:
        words = read_words(self.source, self.table, start, end, has_lines=False)
        value = self.drive(words, "expression")
        assert isinstance(value, tree.Expression)
        return value

    def drive(self, words: Tokens, start: str) -> object:
        """Shift tokens and apply rules until the text is one node, and return that node."""
        grammar, text, builders = self.table, self.text, self.builders
        actions, rules, landings = grammar.actions, grammar.rules, grammar.goto_cache
        kinds, word_starts, word_ends = words.kinds, words.starts, words.ends
        state = grammar.starts[start]
        states = [state]
        values: list[object] = []  # on the stack; `starts` are their offsets
        starts: list[int] = []
        at = 0
        kind = kinds[0]
        while True:
            action = actions[state].get(kind)
            if action is None:
                raise services["syntax diagnosis"].diagnose(self, words, at, start)
            if action > 0:
                begin = word_starts[at]
                state = action
                states.append(state)
                values.append(self if kind == "STRING" else text[begin : word_ends[at]])
                starts.append(begin)
                at += 1
                kind = kinds[at]
                continue
            if action == 0:
                return values[-1]
            rule = rules[-action]
            takes = rule.takes
            if takes == 1:  # the first child leaves its start to what is made
                children = [values.pop()]
                states.pop()
            elif takes:
                children = values[-takes:]
                del values[-takes:], states[-takes:], starts[1 - takes :]
            else:
                children = []
                starts.append(word_starts[at])
            if not rule.keeps_all:
                children = kept_children(rule, children)
            does = rule.builder_name
            if does == PASS_CHILD:
                values.append(children[0])
            elif does == MAKE_LIST:
                values.append(children)
            else:  # what has children ends with the last token
                begin = starts[-1]
                values.append(builders[does](Span(begin, word_ends[at - 1] if takes else begin), *children))
            below = states[-1]
            state = landings.get((below, rule.symbol, kind)) or grammar.goto(below, rule.symbol, kind)
            states.append(state)


def kept_children(rule: Rule, children: list[object]) -> list[object]:
    """Return the children that a rule keeps, with lists spliced in and None for absent parts."""
    spliced = rule.spliced
    if not spliced:
        return [None if pick < 0 else children[pick] for pick in rule.kept_positions]
    kept: list[object] = []
    for position, pick in enumerate(rule.kept_positions):
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
