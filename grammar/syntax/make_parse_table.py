"""Compile autodiff.lark into parse_table.txt.

Run `python -m autodiff.grammar.syntax.make_parse_table` after a change to the grammar.

Lark does the LALR analysis here, once. parser.py reads the result without importing Lark, because the
import would take longer than running a script. The numbers of states and rules depend on the grammar
alone, so the same grammar gives the same bytes. A test compares the shipped file with a fresh one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autodiff.grammar.syntax.parser import MAKE_LIST, PASS_CHILD
from lark import Lark
from lark.grammar import NonTerminal, Rule, Symbol, Terminal
from lark.lexer import Lexer, LexerState, TerminalDef, Token
from lark.parsers.lalr_analysis import IntParseTable, Shift

GRAMMAR_PATH = Path(__file__).with_name("autodiff.lark")
TABLE_PATH = Path(__file__).with_name("parse_table.txt")
START_RULES = ("script", "expression")


class _NoLexer(Lexer):
    """A placeholder for Lark's lexer, which is not used: tokenizer.py makes the tokens."""

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: LexerState, parser_state: object) -> Iterator[Token]:
        return iter(())


def compile_grammar(text: str, lexer: type[Lexer] = _NoLexer) -> Lark:
    """Return the grammar as a Lark object. Lark's cache is never used: it would unpickle a file in /tmp."""
    return Lark(text, parser="lalr", lexer=lexer, start=list(START_RULES), maybe_placeholders=True)


def token_kinds(lark: Lark) -> dict[str, str]:
    """Return the token kind that parser.py uses for each terminal: its fixed spelling, or its name."""
    return {term.name: _kind(term) for term in lark.terminals}


def _kind(term: TerminalDef) -> str:
    return term.pattern.value if term.pattern.type == "str" else term.name


def _kept_positions(rule: Rule) -> list[int]:
    """Return the positions of the children that a rule keeps; -1 marks an absent optional part."""
    absent = rule.options.empty_indices or (False,) * len(rule.expansion)
    picks: list[int] = []
    position = 0
    for is_absent in absent:
        if is_absent:
            picks.append(-1)
            continue
        symbol = rule.expansion[position]
        if rule.options.keep_all_tokens or not (isinstance(symbol, Terminal) and symbol.filter_out):
            picks.append(position)
        position += 1
    return picks


def _is_list(symbol: Symbol) -> bool:
    return isinstance(symbol, NonTerminal) and symbol.name.startswith("_")


def _rule_line(rule: Rule) -> str:
    """Return a rule's line: symbol, length of its right side, builder, kept children, spliced children."""
    picks = _kept_positions(rule)
    spliced = [pick for pick in picks if pick >= 0 and _is_list(rule.expansion[pick])]
    if rule.origin.name.startswith("_"):
        does = MAKE_LIST
    elif rule.options.expand1 and not rule.alias and len(picks) == 1 and not spliced:
        does = PASS_CHILD
    else:
        does = rule.alias or rule.origin.name
    lists = [",".join(map(str, numbers)) or "-" for numbers in (picks, spliced)]
    return " ".join([rule.origin.name, str(len(rule.expansion)), does, *lists])


def _rule_order(rule: Rule) -> tuple[str, list[str], str]:
    return (rule.origin.name, [symbol.name for symbol in rule.expansion], rule.alias or "")


def render_table() -> str:
    """Return the text of parse_table.txt: one line for each state and rule, and lines for the tokens.

    In the actions of a state, a positive number is a state to go to, a negative number is a rule to apply,
    and zero accepts the text.
    """
    lark = compile_grammar(GRAMMAR_PATH.read_text(encoding="utf-8"))
    table: IntParseTable = lark.parser.parser._parse_table
    kinds = token_kinds(lark)
    rules = sorted(lark.rules, key=_rule_order)
    rule_numbers = {rule: number for number, rule in enumerate(rules, start=1)}

    # Lark numbers states in the order of a set; numbering them again by sorted names is reproducible.
    order: list[int] = [table.start_states[start] for start in START_RULES]
    numbers = {state: number for number, state in enumerate(order, start=1)}
    ends = {table.end_states[start] for start in START_RULES}
    rows: list[str] = []
    for state in order:
        row: dict[str, int] = {}
        entries = {kinds.get(name, name): action for name, action in table.states[state].items()}
        for name in sorted(entries):
            action, argument = entries[name]
            if name == "$END" and action is Shift:
                continue
            if action is Shift:
                if argument not in numbers:
                    numbers[argument] = len(numbers) + 1
                    order.append(argument)
                row[name] = numbers[argument]
            else:
                row[name] = -rule_numbers[argument]
        if state in ends:
            row["$END"] = 0
        rows.append(format_row(row))

    literals = sorted({kind for name, kind in kinds.items() if kind != name})
    signs = sorted((text for text in literals if not text.isidentifier()), key=lambda s: (-len(s), s))
    patterns = [
        f"{term.name} {escape_unprintable(term.pattern.to_regexp())}"
        for term in sorted(lark.terminals, key=lambda term: term.name)
        if term.pattern.type != "str"
    ]
    lines = [
        "starts " + format_row({start: numbers[table.start_states[start]] for start in START_RULES}),
        "keywords " + " ".join([text for text in literals if text.isidentifier()]),
        "signs " + " ".join(signs),
        *[f"pattern {pattern}" for pattern in patterns],
        *[f"rule {_rule_line(rule)}" for rule in rules],
        *[f"state {row}" for row in rows],
    ]
    return "\n".join(lines) + "\n"


def format_row(row: dict[str, int]) -> str:
    """Return the keys and values of ``row`` in turn, separated by spaces."""
    return " ".join([f"{word} {number}" for word, number in row.items()])


def escape_unprintable(pattern: str) -> str:
    """Return the pattern with unprintable characters, such as the end of a line, as escapes."""
    return "".join([sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in pattern])


if __name__ == "__main__":
    TABLE_PATH.write_text(render_table(), encoding="utf-8")
