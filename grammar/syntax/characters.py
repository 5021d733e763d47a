"""Checks the characters of names and numbers, and makes the errors for characters that are not allowed.

tokenizer.py calls these functions only for unusual cases. Each check returns, or raises a CompileError that
explains the mistake.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Span

LARGEST_INTEGER = 2**63 - 1

# NUL and the controls that make a text look different from what runs: rejected even in comments. Compiled
# only when needed, because sets beyond ASCII take long to compile.
_FORBIDDEN = "[\0\u202a-\u202e\u2066-\u2069]"
INVISIBLE = "[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff]"
# The characters of a name after the first, as in autodiff.lark: letters, digits, `_`, all beyond ASCII.
_NAME_AFTER = r"[^\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]++"
_REST_OF_LINE = r"[^\r\n]++"
LOOKALIKES = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "″": '"', "＂": '"',
    "‘": "'", "’": "'", "‚": "'", "′": "'", "´": "'", "＇": "'",
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "×": "*", "·": "*", "∗": "*", "⋅": "*", "÷": "/",
    "∕": "/", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...", "（": "(", "）": ")", "，": ",", "：": ":",
    "；": ";", "＝": "=", "＋": "+", "［": "[", "］": "]", "²": "**2", "³": "**3", "¬": "not", "∞": "inf",
}  # fmt: skip
_CHARACTER_HELP = {
    "!": "write `not x` for a negation, `!=` for a comparison",
    "$": "names are made of letters, digits and `_`",
    "?": "write `a if condition else b` to choose between two values",
    "°": "write `x*pi/180` for an angle in degrees",
    "√": "write `sqrt(x)`",
    "∑": "write `x.sum()`",
    "∂": "`backward()` computes gradients",
    "∇": "`backward()` computes gradients",
    "`": "quote a string with ' or \"",
    "\\": "a `\\` continues a line only when nothing follows it, not even a space",
}


def shorten(text: str, limit: int = 40) -> str:
    """Return a piece of the script for a message, in one line and cut to ``limit`` characters."""
    text = text.replace("\r", "\\r").replace("\n", "\\n")
    return text if len(text) <= limit else text[: limit - 3] + "..."


def describe_character(character: str) -> str:
    """Return a character's code point and name, for characters that are invisible or look like another."""
    import unicodedata

    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" ({name.lower()})" if name else "")


def check_characters(text: str) -> None:
    """Raise a CompileError for a character that is not allowed anywhere."""
    if text.isascii() and "\0" not in text:
        return
    found = re.search(_FORBIDDEN, text)
    if found is None:
        return
    character = found[0]
    if character == "\0":
        message = "the script contains a NUL character"
        ways_out = ("save the script as plain UTF-8 text",)
    else:
        message = f"the script contains the invisible text-direction control {describe_character(character)}"
        ways_out = ("delete it: it makes the text look different from what would run",)
    raise CompileError(
        message, code="E0107", caret="here", help=ways_out, span=Span(found.start(), found.end())
    )


def normalize_name(name: str) -> str:
    """Return a name in the normal form NFKC, as Python does: ``ﬁ`` and ``fi`` are one name."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


#: The names that may begin with an underscore, each with the kinds of the word that may come before it. The
#: attributes of nodes that begin with ``_saved_`` may too.
ALLOWED_UNDERSCORE_NAMES = {
    "__future__": (["from"],),
    "__name__": (["if"], ["("], ["=="]),
    "__version__": (["."],),
}


def check_name(name: str, start: int, previous_kinds: list[str], keywords: frozenset[str]) -> None:
    """Raise a CompileError for an invalid name that has letters beyond ASCII or begins with an underscore."""
    normal = normalize_name(name)
    if not name.isascii() and not (name.isidentifier() and normal.isidentifier()):
        raise _bad_letter(name, start)
    if not name.isascii() and normal in keywords:
        raise CompileError(
            f"`{normal}` is a word of the language and is written in plain letters",
            code="E0107",
            caret=f"looks like `{normal}` but has other characters",
            help=(f"type `{normal}` again",),
            span=Span(start, start + len(name)),
        )
    if (
        normal[0] == "_"
        and len(normal) > 1
        and previous_kinds[-1:] not in ALLOWED_UNDERSCORE_NAMES.get(name, ())
        and not (normal.startswith("_saved_") and previous_kinds[-1:] == ["."])
    ):
        bare = normal.strip("_")
        if previous_kinds[-1:] == ["."]:
            way_out = "scripts cannot use names that begin with an underscore"
        elif bare.isidentifier() and bare not in keywords:
            way_out = f"call it `{shorten(bare)}`"
        else:
            way_out = "choose a name that begins with a letter"
        raise CompileError(
            f"the name `{shorten(normal)}` begins with an underscore",
            code="E0107",
            caret="names in a script begin with a letter",
            help=(way_out,),
            span=Span(start, start + len(name)),
        )


def _bad_letter(name: str, start: int) -> CompileError:
    for position, character in enumerate(name):
        if not ("a" + character).isidentifier() or (position == 0 and not character.isidentifier()):
            return _bad_character(character, start + position)
    return _bad_character(name[0], start)  # only the normal form of the name is invalid


def _bad_character(character: str, offset: int) -> CompileError:
    if character in LOOKALIKES:
        plain = LOOKALIKES[character]
        message = f"`{character}` is not the `{plain}` of the language"
        caret = describe_character(character)
        way_out = f"type `{plain}` instead"
    elif character in _CHARACTER_HELP:
        message = f"`{character}` has no meaning here"
        caret = "this character"
        way_out = _CHARACTER_HELP[character]
    elif re.match(INVISIBLE, character):
        message = f"an invisible character stands here: {describe_character(character)}"
        caret = "it cannot be seen, but it is in the file"
        way_out = "delete it"
    elif character.isspace():
        message = f"this is not an ordinary space: {describe_character(character)}"
        caret = "it looks like a space but is another character"
        way_out = "replace it with an ordinary space or a line break"
    else:
        message = f"the character {describe_character(character)} cannot stand here"
        caret = "this character"
        way_out = "delete it, or put it between quotes if it is text"
    return CompileError(message, code="E0107", caret=caret, help=(way_out,), span=Span(offset, offset + 1))


def stray_character(text: str, offset: int, end: int) -> CompileError:
    """Return the error for a character that no word begins with, or for an unclosed string."""
    character = text[offset]
    if character not in "\"'":
        return _bad_character(character, offset)
    triple = character * 3
    if text.startswith(triple, offset, end):
        return CompileError(
            "this string is never closed",
            code="E0106",
            caret=f"no {triple} follows",
            help=(f"end the string with {triple}",),
            span=Span(offset, offset + 3),
        )
    line = re.compile(_REST_OF_LINE).match(text, offset, end)
    assert line is not None
    return CompileError(
        "this string is not closed before the line ends",
        code="E0106",
        caret=f"no {character} follows on this line",
        help=(f"end the string with {character}, or use {triple} for a text of several lines",),
        span=Span(offset, line.end()),
    )


# -- numbers ---------------------------------------------------------


def check_number(text: str, start: int, end: int, limit: int) -> None:
    """Check a number; raise a CompileError if it is malformed or directly followed by a letter or digit."""
    if end < limit:
        after = text[end]
        if after.isalnum() or after == "_" or after > "\x7f":
            raise _number_suffix_error(text, start, end, limit)
    digits = end - start
    if digits > 1 and text[start] == "0" and text[start:end].replace("_", "").isdigit():
        if text[start:end].strip("0_"):
            way_out = "write " + shorten(text[start:end].lstrip("0_"))
            message = "a whole number does not begin with zeros"
            raise _number_error(message, "these digits", way_out, start, end)
    elif digits >= 18:
        parse_integer(text[start:end], start)


def parse_integer(digits: str, start: int) -> int | None:
    """Return the value of a whole number that fits 64 bits; None if the number has a point or an exponent."""
    if "." in digits:
        return None
    bare = digits.replace("_", "").lower()
    base = {"0x": 16, "0o": 8, "0b": 2}.get(bare[:2], 10)
    if base == 10 and not bare.isdigit():
        return None
    if base != 10:
        bare = bare[2:]
    bare = bare.lstrip("0") or "0"
    # The length is checked first: Python refuses to convert very long numbers, or converts them slowly.
    if len(bare) <= 64 and (value := int(bare, base)) <= LARGEST_INTEGER:
        return value
    raise _number_error(
        "this whole number needs more than 64 bits",
        "the largest is 9223372036854775807",
        "write it with a point, as in 1e30 or 12345678901234567890.0, to make it a float",
        start,
        start + len(digits),
    )


def _number_suffix_error(text: str, start: int, end: int, limit: int) -> CompileError:
    glued = re.compile(_NAME_AFTER).match(text, end, limit)
    assert glued is not None
    rest, number = glued[0], text[start:end]
    whole_end = glued.end()
    if not rest.isascii() and not ("a" + normalize_name(rest)).isidentifier():
        for position, character in enumerate(rest):
            if not ("a" + character).isidentifier():
                return _bad_character(character, end + position)
    if rest in ("j", "J"):
        return imaginary_number_error(Span(start, whole_end))
    if rest[0].isdigit() or (number == "0" and rest[0] in "xXoObB"):
        message, caret = f"`{shorten(number + rest)}` is not a number", "these digits do not fit the prefix"
        way_out = "digits are 0-9 a-f after 0x, 0-7 after 0o, 0 and 1 after 0b"
    elif rest[0] == "_":
        message, caret = "an underscore in a number stands between two digits", "this one does not"
        way_out = f"write {shorten(number)}"
    elif rest in ("e", "E"):
        message, caret = "the exponent of this number is missing", "digits should follow the `e`"
        way_out = f"write {shorten(number)}e3, for instance"
    elif rest in ("if", "else", "for", "in", "is", "and", "or", "not"):
        message, caret = f"a space is missing between `{shorten(number)}` and `{rest}`", "written together"
        way_out = f"write `{shorten(number)} {rest}`"
    else:
        message, caret = "a name stands directly after a number", "nothing joins the two"
        way_out = f"write `{shorten(number)}*{shorten(rest)}` for a product; names do not begin with a digit"
    return _number_error(message, caret, way_out, start, whole_end)


def imaginary_number_error(span: Span) -> CompileError:
    """Return the error for a number such as ``2j``."""
    return CompileError(
        "complex numbers are not in the language",
        code="E0132",
        caret="an imaginary number",
        help=("keep the real and the imaginary part in two variables",),
        span=span,
    )


def _number_error(message: str, caret: str, way_out: str, start: int, end: int) -> CompileError:
    return CompileError(message, code="E0109", caret=caret, help=(way_out,), span=Span(start, end))
