"""Diagnosis of syntax errors: the error to report when no grammar rule accepts the next token.

``RULES`` is a list of small functions, the most telling first: each looks at the Situation and either
knows what is wrong or passes. The table itself says what could have followed.

May import core.base, core.engine, grammar.interpret, grammar.objects, grammar.objects.builtins,
grammar.syntax and grammar.syntax.tree. Imported by grammar.
"""

from __future__ import annotations

from autodiff.core.base.errors import CompileError
from autodiff.grammar.help.syntax.blocks import (
    at_sign_name,
    block_missing,
    colon_missing,
    lone_branch,
    lone_decorator,
    parameters_missing,
    stray_colon,
    unexpected_indent,
)
from autodiff.grammar.help.syntax.brackets import invalid_token, unclosed_bracket_before
from autodiff.grammar.help.syntax.comments import foreign_comment
from autodiff.grammar.help.syntax.foreign import (
    braces,
    counting_loop,
    foreign_sign,
    foreign_word,
    match_statement,
    other_class,
    relative_import,
)
from autodiff.grammar.help.syntax.keywords import capitalised_keyword, equals_sign, keyword_as_name
from autodiff.grammar.help.syntax.missing_values import (
    alias_missing,
    else_missing,
    generator_expression,
    in_missing,
    lone_star,
    side_by_side,
    unexpected_token,
    value_missing,
)
from autodiff.grammar.help.syntax.pasted import pasted
from autodiff.grammar.help.syntax.situation import Situation
from autodiff.grammar.help.syntax.written_maths import choice_with_then, primed_name
from autodiff.grammar.syntax.tokenizer import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import ScriptParser

RULES = (
    pasted,
    foreign_comment,
    primed_name,
    choice_with_then,
    other_class,
    invalid_token,
    unclosed_bracket_before,
    foreign_word,
    counting_loop,
    braces,
    foreign_sign,
    match_statement,
    capitalised_keyword,
    stray_colon,
    unexpected_indent,
    block_missing,
    lone_branch,
    lone_decorator,
    at_sign_name,
    keyword_as_name,
    in_missing,
    equals_sign,
    alias_missing,
    value_missing,
    generator_expression,
    parameters_missing,
    colon_missing,
    lone_star,
    relative_import,
    else_missing,
    side_by_side,
)


def diagnose(reader: ScriptParser, words: Tokens, at: int, start: str) -> CompileError:
    """Return the error for a text in which the token with index ``at`` does not fit."""
    here = Situation(reader, words, at, start)
    for rule in RULES:
        error = rule(here)
        if error is not None:
            return error
    return unexpected_token(here)
