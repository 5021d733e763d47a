"""Rules for keywords used as names, for `=` instead of `==`, and for capitalised keywords."""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError, Fix
from autodiff.grammar.help.syntax.situation import Situation, fix
from autodiff.grammar.syntax.vocabulary import OPERATORS, VALUE_ENDS


def keyword_as_name(here: Situation) -> CompileError | None:
    """A keyword where only a name makes sense."""
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
        *_renaming_advice(here, word),
        span=here.span(index),
    )


def _renaming_advice(here: Situation, word: str) -> list[str | Fix]:
    """Return the ways out: another name such as `lambda_`, as a repair if all its uses are found."""
    new = f"{word}_"
    uses = [index for index, kind in enumerate(here.kinds) if kind == word]
    edits = [(here.words.starts[index], here.words.ends[index], new) for index in uses]
    advice = f"choose another name, such as `{new}`"
    if word in ("if", "for", "in", "and", "or", "not", "def", "return", "import", "else") or not uses:
        return [advice]
    return [fix(advice, *edits)]


def equals_sign(here: Situation) -> CompileError | None:
    if here.kind != "=" or here.wants_value or (not here.brackets and "*" in here.kinds[here.line : here.at]):
        return None
    if here.at > here.line and here.before in ("True", "False", "None"):
        way_out = "choose another name"
        span = here.span(here.at - 1)
        return here.error("E0107", f"`{here.before}` cannot be a name", "here", way_out, span=span)
    span = here.span()
    doubled = (span.start, span.end, "==")
    if here.first in ("if", "elif", "while", "assert", "return") or not here.brackets:
        message = "`=` assigns and cannot stand inside an expression"
        return here.error("E0102", message, "gives a variable a value", fix("did you mean `==`?", doubled))
    return here.error(
        "E0102",
        "only a name can stand before this `=`",
        "an argument is given as `name=value`",
        fix("write `==` to compare", doubled),
        "write a plain name before the `=` to name an argument",
    )


def capitalised_keyword(here: Situation) -> CompileError | None:
    """`If x:`, `Return y`, `FOR i in ...`: a keyword in capitals."""
    index = here.line
    word = here.word(index) if here.kinds[index] == "NAME" else ""
    small = word.lower()
    if word == small or small not in here.keywords or not re.fullmatch(r"[A-Za-z]+", word):
        return None
    span = here.span(index)
    return here.error(
        "E0102",
        f"`{word}` begins no statement",
        "words of the language are written in small letters",
        fix(f"write `{small}`", (span.start, span.end, small)),
        span=span,
    )
