"""Repairs of invalid tokens, by error code: characters, numbers, strings and indentation."""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.lines import code_end, indent_width, is_blank, next_line
from autodiff.grammar.help.syntax.situation import fix, line_around
from autodiff.grammar.syntax.characters import INVISIBLE, LOOKALIKES, normalize_name, shorten

_NUMBER = re.compile(r"(?:\d[\d_]*)?\.?\d*(?:[eE][+-]?\d+)?")
_ROOT = re.compile(r"[ \t]*(?:\(([^()\r\n]*)\)|([A-Za-z_]\w*|\d[\d.]*))")
#: A name, a number or brackets that a `!` stands directly after, as for a factorial.
_OPERAND_BEFORE = re.compile(r"(?:\b\w[\w.]*|\([^()\r\n]*\))\Z")
#: What stands around the value of the first assignment in `r = f(x), t = g(x)`.
_ASSIGNED_NAME = re.compile(r"[ \t]*[^\W\d]\w*[ \t]*=[ \t]*")
_NEXT_ASSIGNMENT = re.compile(r"[ \t]*(?P<comma>,)[ \t]*[^\W\d]\w*[ \t]*=(?!=)")
_TERNARY = re.compile(
    r"([^?=\r\n:]+?)[ \t]*\?[ \t]*([^?:\r\n]+?)[ \t]*:[ \t]*([^?:#\r\n]+?)[ \t]*(?=[#\r\n]|\Z)"
)


def token_repairs(text: str, error: CompileError) -> tuple[Fix, ...]:
    """Return the repairs for an error of the tokenizer."""
    if error.span is None:
        return ()
    tries = {
        "E0104": indentation_repairs,
        "E0106": string_repairs,
        "E0107": character_repairs,
        "E0109": number_repairs,
    }
    found = tries[error.code](text, error.span, error) if error.code in tries else []
    return tuple(one for one in found if one is not None)


def tree_repairs(text: str, error: CompileError) -> tuple[Fix, ...]:
    """Return the repairs for an error that was found only when the syntax tree was built."""
    assert error.span is not None
    if error.code == "E0135":
        from autodiff.grammar.help.syntax.pasted import cell_error

        return cell_error(text, line_around(text, error.span.start).start).fixes
    if error.code == "E0108" and "assigned" in error.message:
        return assignment_repairs(text, error.span)
    if error.code == "E0106" and "never closed" in error.message:
        return field_repairs(text, error.span)
    return ()


def assignment_repairs(text: str, span: Span) -> tuple[Fix, ...]:
    """Return the repairs for assignments: `f(x) = ...` as a definition, and `3 = x` reversed."""
    line = line_around(text, span.start)
    end = code_end(text, line.start)
    next_one = _NEXT_ASSIGNMENT.match(text, span.end, end)
    if next_one is not None and _ASSIGNED_NAME.fullmatch(text, line.start, span.start):
        comma = next_one.start("comma")
        return (fix("write `;` between two assignments, or two lines", (comma, comma + 1, ";")),)
    sign = text.find("=", span.end, end)
    target, value = text[span.start : span.end], text[sign + 1 : end].strip()
    if sign < 0 or text[line.start : span.start].strip() or text[span.end : sign].strip() or not value:
        return ()
    if re.fullmatch(r"[^\W\d]\w*\((?:[^\W\d]\w*(?:, *[^\W\d]\w*)*)?\)", target):
        written = f"def {target}: return {value}"
        return (fix(f"to define a function: `{shorten(written, 60)}`", (span.start, end, written)),)
    if re.fullmatch(r"[^\W\d]\w*", value) and "(" not in target:
        written = f"{value} = {target}"
        return (fix(f"swap the sides: `{shorten(written, 60)}`", (span.start, end, written)),)
    return ()


def field_repairs(text: str, span: Span) -> tuple[Fix, ...]:
    """Return the repair that writes `}` before the quote that ends the f-string."""
    opened = re.compile(r"""[fF][rR]?("|')|[rR][fF]("|')""")
    line = line_around(text, span.start)
    begun = list(opened.finditer(text, line.start, span.start))
    if not begun:
        return ()
    place = text.find(begun[-1][0][-1], span.start, line.end)
    return (fix("write `}` where the value ends", (place, place, "}")),) if place > 0 else ()


# -- characters ---------------------------------------------------------


def character_repairs(text: str, span: Span, error: CompileError) -> list[Fix | None]:
    here = text[span.start : span.end]
    if len(here) != 1:
        return [_name_repair(text, span, here)]
    line = line_around(text, span.start)
    if here in LOOKALIKES:
        return [_lookalike_repair(text, line, here)]
    if here in "⁰¹⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉":
        digit = normalize_name(here)
        if here in "⁰¹⁴⁵⁶⁷⁸⁹":
            return [fix(f"write `**{digit}`", (span.start, span.end, f"**{digit}"))]
        edits = [(at, at + 1, digit) for at in range(len(text)) if text[at] == here]
        return [fix(f"write `{digit}`", *edits)]
    if here.isspace() or re.match(INVISIBLE, here):
        new, verb = (" ", "replace") if here.isspace() else ("", "delete")
        if here in "\u2028\u2029\x85\x0b":
            new = "\n"
        edits = [(at, at + 1, new) for at in range(len(text)) if text[at] == here]
        what = {1: "it", 2: "both of them"}.get(len(edits), f"all {len(edits)} of them")
        kind = "" if not new else "space" if new == " " else "line break"
        tail = kind and f" by an ordinary {kind}" if len(edits) == 1 else kind and f" by ordinary {kind}s"
        return [fix(f"{verb} {what}{tail}", *edits)]
    return _sign_repairs(text, span, here, line)


def _sign_repairs(text: str, span: Span, here: str, line: Span) -> list[Fix | None]:
    if here == "!" and (found := _OPERAND_BEFORE.search(text[line.start : span.start])) is not None:
        written = f"factorial({found[0].removeprefix('(').removesuffix(')')})"
        return [fix(f"write `{written}`", (line.start + found.start(), span.end, written))]
    if here == "°":
        return [fix("write `*pi/180` for an angle in degrees", (span.start, span.end, "*pi/180"))]
    if here == "!":
        return [fix("write `not`", (span.start, span.end, "not "))]
    if here == "√":
        found = _ROOT.match(text, span.end, line.end)
        return [] if found is None else [
            fix(f"write `sqrt({shorten(found[1] or found[2])})`",
                (span.start, found.end(), f"sqrt({found[1] or found[2]})"))
        ]  # fmt: skip
    if here == "`":
        edits = [(at, at + 1, '"') for at in range(line.start, line.end) if text[at] == "`"]
        return [fix('write `"` around a string', *edits)]
    if here == "\\" and not text[span.end : line.end].strip():
        return [fix("delete the space behind the `\\`", (span.end, line.end, ""))]
    if here == "?":
        begin = text.rfind("=", line.start, span.start) + 1 or line.start
        while begin < span.start and text[begin] in " \t":
            begin += 1
        found = _TERNARY.match(text, begin, line.end)
        if found is not None:
            written = f"{found[2]} if {found[1]} else {found[3]}"
            return [fix(f"write `{shorten(written, 60)}`", (found.start(), found.end(), written))]
    if here in "?$;":
        return [fix(f"delete the `{here}`", (span.start, span.end, ""))]
    return []


def _lookalike_repair(text: str, line: Span, here: str) -> Fix:
    """Return the repair of all lookalike quotes on the line, or of all other lookalikes."""
    quotes = LOOKALIKES[here] in "\"'"
    edits = []
    for at in range(line.start, line.end):
        plain = LOOKALIKES.get(text[at])
        if plain is None or (plain in "\"'") != quotes:
            continue
        if plain.isalpha():
            plain += " " if plain == "not" else ""
        edits.append((at, at + 1, plain))
    if quotes:
        return fix(f"write `{LOOKALIKES[here]}`, which is the same at both ends", *edits)
    if len({text[start] for start, _, _ in edits}) > 1:
        pairs = dict.fromkeys(f"`{new.strip()}` for `{text[start]}`" for start, _, new in edits)
        return fix("write " + ", ".join(pairs), *edits)
    return fix(f"write `{LOOKALIKES[here]}`", *edits)


def _name_repair(text: str, span: Span, name: str) -> Fix | None:
    """Return the repair of a name with a leading underscore, or of a keyword with foreign letters."""
    normal = normalize_name(name)
    if normal[:1] != "_":
        return fix(f"write `{normal}`", (span.start, span.end, normal)) if normal != name else None
    bare = normal.strip("_")
    if not bare.isidentifier() or text[span.start - 1 : span.start] == ".":
        return None
    if re.search(rf"(?<![\w.]){re.escape(bare)}\b", text):
        bare += "_"
    uses = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    edits = [(found.start(), found.end(), bare) for found in uses]
    where = " everywhere" if len(edits) > 1 else ""
    return fix(f"call it `{shorten(bare)}`{where}", *edits)


# -- numbers ---------------------------------------------------------


def number_repairs(text: str, span: Span, error: CompileError) -> list[Fix | None]:
    written = text[span.start : span.end]
    digits = _NUMBER.match(written)
    end = span.start + (digits.end() if digits else 0)
    rest = text[end : span.end]
    bare = written.replace("_", "")
    if bare.isdigit() and bare[0] == "0" and len(bare) > 1:
        return [
            fix(f"write {shorten(bare.lstrip('0') or '0')}", (span.start, span.end, bare.lstrip("0") or "0"))
        ]
    if bare.isdigit() and not written.endswith("_"):
        return [fix("write it with a point, to make it a float", (span.end, span.end, ".0"))]
    if not rest.strip("_"):
        plain = re.sub(r"_+", "_", written).strip("_")
        return [fix(f"write {shorten(plain)}", (span.start, span.end, plain))]
    if rest in ("if", "else", "for", "in", "is", "and", "or", "not"):
        return [fix(f"write `{shorten(text[span.start : end])} {rest}`", (end, end, " "))]
    head = text[span.start : end]
    if rest in ("e", "E") or not rest.isidentifier() or head == "0":
        return []
    if head.endswith("."):  # `((y - t)**2.mean()`: a closing bracket is missing before the method
        return [
            fix(f"write `)` before the `.{shorten(rest)}`", (end - 1, end - 1, ")")),
            fix(f"write `{shorten(head)}*{shorten(rest)}` for a product", (end, end, "*")),
        ]
    begins_line = not text[line_around(text, span.start).start : span.start].strip()
    if begins_line and re.match(r"[ \t]*(?:[-+*/]?=)(?!=)", text[span.end : span.end + 10]):
        new = f"{rest.strip('_')}_{head}".replace(".", "_")
        uses = re.finditer(rf"(?<![\w.]){re.escape(written)}(?!\w)", text)
        edits = [(found.start(), found.end(), new) for found in uses]
        return [fix(f"names begin with a letter: call it `{shorten(new)}`", *edits)]
    return [fix(f"write `{shorten(head)}*{shorten(rest)}` for a product", (end, end, "*"))]


# -- strings ---------------------------------------------------------


def string_repairs(text: str, span: Span, error: CompileError) -> list[Fix | None]:
    """Return the repairs for a missing quote: before the brackets that end the line, or at its end."""
    quote = text[span.start : span.start + 1]
    if "closed" not in error.message or quote not in ("'", '"'):
        return []
    if text.startswith(quote * 3, span.start):
        end = len(text.rstrip())
        return [fix(f"end it with {quote * 3}", (end, end, quote * 3))]
    line = line_around(text, span.start)
    end = len(text[: line.end].rstrip())
    before = end
    opened = _open_count(text, line.start, span.start)
    while before > span.start + 1 and opened and text[before - 1] in ")]:":
        opened -= text[before - 1] != ":"
        before -= 1
    places = [before] if before == end else [before, end]
    slanted = next((at for at in range(span.start, end) if LOOKALIKES.get(text[at]) == quote), -1)
    if slanted >= 0:
        return [fix(f"write `{quote}` instead of `{text[slanted]}`", (slanted, slanted + 1, quote))]
    comma = text.find(",", span.start, end)
    if 0 < comma < before:  # `print('loss, loss)`
        places.insert(0, comma)
    found: list[Fix | None] = []
    for place in places:
        after = text[place:end]
        where = f"before the `{shorten(after, 12)}`" if after else "at the end of the line"
        found.append(fix(f"write `{quote}` {where}", (place, place, quote)))
    return found


def _open_count(text: str, start: int, end: int) -> int:
    return sum((text[at] in "([") - (text[at] in ")]") for at in range(start, end))


# -- indentation ---------------------------------------------------------


def indentation_repairs(text: str, span: Span, error: CompileError) -> list[Fix | None]:
    line = line_around(text, span.start).start
    if "mixed" in error.message:
        return [_tab_repair(text, 4), _tab_repair(text, 8)]
    above = line
    leads: dict[str, int] = {}
    while above:  # the indentations of the lines above, the nearest first
        above = line_around(text, above - 1).start
        lead = text[above : above + indent_width(text, above)]
        if not is_blank(text, above) and lead not in leads:
            leads[lead] = above
        if (not is_blank(text, above) and not lead) or len(leads) > 4:
            break
    own = span.end - line
    error.labels = [
        Label(Span(at, at + len(lead)), f"this is indented by {indent_in_words(lead)}")
        for lead, at in leads.items()
        if "\t" in lead
    ]
    nearest = sorted(leads, key=lambda lead: abs(len(lead) - own))
    edits_of = []
    for lead in nearest[:2]:
        edits, at = [], line
        while at < len(text) and (is_blank(text, at) or indent_width(text, at) == own):
            if not is_blank(text, at):
                edits.append((at, at + own, lead))
            at = next_line(text, at)
        where = "begin it at the left margin"
        if lead:
            where = f"indent it by {indent_in_words(lead)}, like a line above"
        edits_of.append(fix(where, *edits))
    return list(edits_of)


def indent_in_words(lead: str) -> str:
    """Return an indentation in words: ``4 spaces``, ``a tab``, ``a tab and 2 spaces``."""
    tabs, spaces = lead.count("\t"), lead.count(" ")
    parts = ["a tab" if tabs == 1 else f"{tabs} tabs"] if tabs else []
    if spaces:
        parts.append("1 space" if spaces == 1 else f"{spaces} spaces")
    return " and ".join(parts)


def _tab_repair(text: str, width: int) -> Fix:
    """Return the repair that replaces every tab in indentations by ``width`` spaces."""
    edits, at = [], 0
    while at < len(text):
        lead = text[at : at + indent_width(text, at)]
        if "\t" in lead:
            edits.append((at, at + len(lead), lead.expandtabs(width)))
        at = next_line(text, at)
    return fix(f"write {width} spaces for every tab", *edits)
