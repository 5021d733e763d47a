"""Strings: resolves escapes, and finds and parses the replacement fields of f-strings in place.

A field ends where Python 3.11 ends it: quotes and brackets inside it are skipped, a backslash is not
allowed, and the quote that closes the string closes it even inside a field. The parser's driver parses the
expression in a field.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.syntax.parser import ScriptParser

_ESCAPE = re.compile(
    r"\\(?:(\r\n|\r|\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})"
    r"|N\{([^}]*)\}|([\s\S]))|(\r\n?)"
)
_SIMPLE_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"',
    "a": "\a", "b": "\b", "f": "\f", "v": "\v",
}  # fmt: skip
_LITERAL = re.compile(r"[^{}\\]++")
_FIELD_SKIP = re.compile(r"[^\[\](){}!:='\"\\#<>]++")
_SPACE = re.compile(r"[ \t\f\r\n]*+")
_MAX_SPEC_DEPTH = 2  # as in Python: `{x:{width}}` but not `{x:{y:{z}}}`

StringPiece = tuple[Span, list["str | tree.Replacement"], bool]


def read_literal(span: Span, reader: ScriptParser) -> StringPiece:
    """Return one string literal: its span, its parts, and whether it is an f-string."""
    text = reader.text
    start, end = span.start, span.end
    quote_at = start
    while text[quote_at] not in "\"'":
        quote_at += 1
    prefix = text[start:quote_at].lower()
    quote = text[quote_at]
    width = 3 if text.startswith(quote * 3, quote_at) and end - quote_at >= 6 else 1
    begin, finish = quote_at + width, end - width
    raw = "r" in prefix
    if "f" in prefix:
        parts, stop = _read_parts(reader, begin, finish, raw, 0, span)
        if stop < finish:
            way_out = "write `}}` for the character itself"
            raise _field_error("this `}` closes nothing", way_out, stop, stop + 1)
        return span, parts, True
    return span, [resolve_escapes(text[begin:finish], begin, raw)], False


def join_literals(span: Span, pieces: tuple[StringPiece, ...]) -> tree.Expression:
    """Return adjacent string literals as one string, which is an f-string if one of them is."""
    if not any(is_field for _, _, is_field in pieces):
        return tree.String(span, "".join([str(part) for _, parts, _ in pieces for part in parts]))
    return tree.FString(span, _merge_texts([part for _, parts, _ in pieces for part in parts]))


def _merge_texts(parts: list[str | tree.Replacement]) -> tuple[str | tree.Replacement, ...]:
    merged: list[str | tree.Replacement] = []
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        if any(texts):
            merged.append("".join(texts))
        texts.clear()
        merged.append(part)
    if any(texts):
        merged.append("".join(texts))
    return tuple(merged)


def resolve_escapes(text: str, start: int, raw: bool) -> str:
    """Return the text with its escapes resolved; ``start`` is its offset in the source, for errors."""
    if "\\" not in text and "\r" not in text:
        return text
    if raw:
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPE.sub(lambda found: _escape_value(found, start), text)


def _escape_value(found: re.Match[str], start: int) -> str:
    newline, octal, two, four, eight, name, other, carriage = found.groups()
    if carriage is not None:
        return "\n"
    if newline is not None:
        return ""
    if octal is not None:
        return chr(int(octal, 8))
    digits = two or four or eight
    if digits is not None:
        number = int(digits, 16)
        if number > 0x10FFFF:
            raise _escape_error(found[0], "there are no characters beyond U+10FFFF", found.start() + start)
        return chr(number)
    if name is not None:
        import unicodedata

        try:
            return unicodedata.lookup(name)
        except KeyError:
            raise _escape_error(found[0], "no character has this name", found.start() + start) from None
    if other in "xuUN":
        wanted = {"x": "two hexadecimal digits", "u": "four", "U": "eight", "N": "a name in braces"}[other]
        raise _escape_error(found[0], f"`\\{other}` is followed by {wanted}", found.start() + start)
    return _SIMPLE_ESCAPES.get(other, "\\" + other)


def _escape_error(escape: str, caret: str, at: int) -> CompileError:
    return CompileError(
        f"`{escape[:12]}` is not the code of a character",
        code="E0106",
        caret=caret,
        help=("write `\\\\` for a backslash, or put `r` before the string",),
        span=Span(at, at + len(escape)),
    )


# -- f-strings ---------------------------------------------------------


def _read_parts(
    reader: ScriptParser, at: int, end: int, raw: bool, depth: int, whole: Span
) -> tuple[list[str | tree.Replacement], int]:
    """Return the parts from ``at`` on, and the offset where they stop.

    They stop at ``end``, or at the `}` that ends a format spec. The recursion is for format specs only, which
    nest twice at most.
    """
    text = reader.text
    parts: list[str | tree.Replacement] = []
    literal = at
    while at < end:
        character = text[at]
        if character == "\\" and not raw:
            if text.startswith("N{", at + 1):
                closing = text.find("}", at, end)
                at = end if closing < 0 else closing + 1
            else:
                at += 1 if text[at + 1 : at + 2] in "{}" else 2
        elif character not in "{}":
            plain = _LITERAL.match(text, at, end)
            at = at + 1 if plain is None else plain.end()
        elif depth == 0 and text.startswith(character, at + 1, end):
            parts.append(resolve_escapes(text[literal : at + 1], literal, raw))
            at += 2
            literal = at
        elif character == "}":
            break
        else:
            parts.append(resolve_escapes(text[literal:at], literal, raw))
            at = _read_field(reader, at, end, raw, depth, parts, whole)
            literal = at
    at = min(at, end)
    parts.append(resolve_escapes(text[literal:at], literal, raw))
    return parts, at


def _read_field(
    reader: ScriptParser,
    opening: int,
    end: int,
    raw: bool,
    depth: int,
    parts: list[str | tree.Replacement],
    whole: Span,
) -> int:
    """Add the field whose `{` is at ``opening`` to ``parts``, and return the offset after its `}`."""
    text = reader.text
    if depth >= _MAX_SPEC_DEPTH:
        raise _field_error("fields are nested too deeply", "compute the format before", opening, opening + 1)
    stop = _expression_end(text, opening + 1, end)
    if not text[opening + 1 : stop].strip():
        raise _field_error(
            "this field of the f-string is empty",
            "write a value between the braces, or `{{` for the character itself",
            opening,
            min(stop + 1, whole.end),
        )
    expression = reader.expression(opening + 1, stop)
    at, conversion, shown = stop, "", ""
    spec: tree.FString | None = None
    if text.startswith("=", at, end):
        at = _skip_space(text, at + 1, end)
        shown = text[opening + 1 : at]
    if text.startswith("!", at, end):
        conversion = text[at + 1 : min(at + 2, end)]
        if conversion not in ("r", "s", "a"):
            message = "a conversion is `!r`, `!s` or `!a`"
            raise _field_error(message, "write one of them", at, min(at + 2, end))
        at += 2
    if text.startswith(":", at, end):
        begin = at + 1
        inner, at = _read_parts(reader, begin, end, raw, depth + 1, whole)
        spec = tree.FString(Span(begin, at), _merge_texts(inner))
    if not text.startswith("}", at, end):
        if at >= end:
            way_out = "add the `}`; inside it use other quotes than those around the f-string"
            raise _field_error("this `{` of the f-string is never closed", way_out, opening, opening + 1)
        raise _field_error("the `}` of this field is missing", "end the field here with `}`", at, at + 1)
    parts.append(tree.Replacement(Span(opening, at + 1), expression, shown, conversion, spec))
    return at + 1


def _skip_space(text: str, at: int, end: int) -> int:
    space = _SPACE.match(text, at, end)
    assert space is not None
    return space.end()


def _expression_end(text: str, at: int, end: int) -> int:
    """Return where the expression of a field ends: at a `!`, `:`, `}` or `=` outside quotes and brackets."""
    depth = 0
    while at < end:
        plain = _FIELD_SKIP.match(text, at, end)
        if plain is not None:
            at = plain.end()
            continue
        character = text[at]
        if character == "\\" or character == "#":
            name = "backslash" if character == "\\" else "`#`"
            raise _field_error(
                f"a {name} cannot stand in a field of an f-string", "give the value a name first", at, at + 1
            )
        if character in "\"'":
            quote = character * 3 if text.startswith(character * 3, at, end) else character
            closing = text.find(quote, at + len(quote), end)
            if closing < 0:
                raise _field_error(
                    "the string in this field is not closed",
                    "inside the braces use other quotes than those around the f-string",
                    at,
                    at + 1,
                )
            at = closing + len(quote)
            continue
        if character in "([{":
            depth += 1
        elif depth and character in ")]}":
            depth -= 1
        elif not depth:
            if character in "!=<>" and text.startswith("=", at + 1, end):
                at += 2
                continue
            if character in "!:=}":
                return at
        at += 1
    return end


def _field_error(message: str, way_out: str, start: int, end: int) -> CompileError:
    return CompileError(
        message, code="E0106", caret="in this f-string", help=(way_out,), span=Span(start, max(start, end))
    )
