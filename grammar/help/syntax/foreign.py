"""Rules for Python syntax that the script language lacks, with advice on what to write instead."""

from __future__ import annotations

import re
from itertools import pairwise

from autodiff.core.base.errors import CompileError, Fix
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.lines import indent_width, line_end
from autodiff.grammar.help.syntax.situation import Situation, fix, line_around
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.tokenizer import OPENING_BRACKETS
from autodiff.grammar.syntax.vocabulary import BLOCK_WORDS, FOREIGN_WORDS

_RAISED = re.compile(r"raise[ \t]+\w+\([ \t]*(\"[^\"\\\r\n]*\"|'[^'\\\r\n]*')[ \t]*\)[ \t]*(?=[#\r\n]|\Z)")
_COUNTING = re.compile(
    r"for[ \t]*\([ \t]*(?:int |let |var )?[ \t]*(\w+)[ \t]*=[ \t]*(\w+)[ \t]*;"
    r"[ \t]*\w+[ \t]*(<=?)[ \t]*(\w+)[ \t]*;"
    r"[^;)\r\n]*\)[ \t]*"
)
_CLASS = re.compile(r"([ \t]*+)class[ \t]+(\w+)[ \t]*(?:\(([^()\r\n]*)\))?[ \t]*:")


def foreign_word(here: Situation) -> CompileError | None:
    """`try`, `raise`, `yield` and other keywords of Python that the grammar lacks."""
    if here.kind not in FOREIGN_WORDS:
        return None
    code, caret, way_out = FOREIGN_WORDS[here.kind]
    ways_out: tuple[str | Fix, ...] = (way_out,)
    if here.kind == "raise" and (found := _RAISED.match(here.text, here.span().start)):
        ways_out = (
            fix(f"write `assert False, {found[1]}`", (*_match_range(found), f"assert False, {found[1]}")),
        )
    elif here.kind in ("async", "await"):
        ways_out = (_async_repair(here),)
    return here.error(code, f"`{here.kind}` is not in the language", caret, *ways_out)


def _match_range(found: re.Match[str]) -> tuple[int, int]:
    return found.start(), found.end()


def _async_repair(here: Situation) -> Fix:
    """Return one repair for all `async` and `await`: deleting one of them would leave the others."""
    words = [index for index, kind in enumerate(here.kinds) if kind in ("async", "await")]
    edits = [(here.words.starts[index], here.words.starts[index + 1], "") for index in words]
    return fix("delete every `async` and `await`", *edits)


def braces(here: Situation) -> CompileError | None:
    """`{`: a dictionary, a set, or a block of another language."""
    if here.kind != "{":
        return None
    if ":" in here.expected and not here.brackets and here.kinds[here.line] in (*BLOCK_WORDS, "else"):
        return here.error(
            "E0105",
            f"the `:` of this `{here.first}` is missing",
            "blocks have no braces here",
            "end the line with `:`, indent the lines of the block, and delete the `{` and the `}`",
        )
    depth, inside, last = 0, [], here.at
    for last in range(here.at, len(here.kinds)):
        kind = here.kinds[last]
        if kind in ("(", "[", "{"):
            depth += 1
        elif kind in OPENING_BRACKETS:
            depth -= 1
        if depth == 0:
            break
        if depth == 1:
            inside.append((kind, last))
    kinds = [kind for kind, _ in inside]
    if ":" not in kinds and len(kinds) > 1 and "**" not in kinds:
        edits = ((*_token_range(here, here.at), "["), (*_token_range(here, last), "]"))
        a_list = fix("write a list, with `[` and `]`", *edits)
        ways_out: tuple[str | Fix, ...] = (a_list,) if here.kinds[last] == "}" else ("write a list: `[...]`",)
        return here.error("E0121", "sets are not in the language", "a set begins here", *ways_out)
    if "for" in kinds:
        way_out = "make two lists, one of the keys and one of the values: `[... for ... in ...]`"
        return here.error(
            "E0120", "dictionaries are not in the language", "a dictionary begins here", way_out
        )
    if not kinds[1:]:
        name = here.first if here.at == here.line + 2 and here.before == "=" else "values"
        way_out = f"make a list that is long enough, and set its entries: `{name} = [None]*10`"
        return here.error("E0120", "dictionaries are not in the language", "an empty dictionary", way_out)
    way_out = "use one variable per entry"
    entries = _entry_assignments(here, inside, last)
    needed = [f"`{name} = {value}`" for name, value in entries if name != value]
    if needed:
        way_out += ": " + ", ".join(needed[:4])
    elif entries:
        names = ", ".join(name for name, _ in entries[:4])
        way_out += f", as they are there: return and pass `{names}` in place of the dictionary"
    return here.error("E0120", "dictionaries are not in the language", "a dictionary begins here", way_out)


def _token_range(here: Situation, index: int) -> tuple[int, int]:
    return here.words.starts[index], here.words.ends[index]


def _entry_assignments(here: Situation, inside: list[tuple[str, int]], last: int) -> list[tuple[str, str]]:
    """Return the entries of a dictionary, names with what they stand for, if its keys are valid names."""
    entries = []
    for (key, at), (colon, _) in pairwise(inside):
        name = here.word(at).strip("'\"")
        if key != "STRING" or colon != ":" or not name.isidentifier() or name[0] == "_":
            continue
        stop = next((where for kind, where in inside if kind == "," and where > at), last)
        value = here.text[here.words.ends[at + 1] : here.words.starts[stop]].strip()
        if len(value) > 45 or "\n" in value or "`" in value:
            return []
        entries.append((name, value))
    return entries


def foreign_sign(here: Situation) -> CompileError | None:
    kind, before = here.kind, here.before
    if kind == ":=" and here.at == here.line + 1:
        plain = fix("write `=`", (here.span().start, here.span().end, "="))
        return here.error("E0131", "`:=` is not in the language", "assigns like `=`", plain)
    if kind == ":=":
        ways_out = _walrus_repair(here)
        return here.error("E0131", "`:=` is not in the language", "assigns inside an expression", *ways_out)
    if not here.brackets or before not in ("(", ","):
        return None
    if kind == "**" and in_parameters(here):
        name = here.word(here.at + 1)
        uses = len(re.findall(rf"\b{re.escape(name)}\b", here.text))
        start = here.words.starts[here.at - 1] if before == "," else here.span().start
        ways_out = (
            [
                fix(
                    f"delete `**{shorten(name)}`, which is used nowhere",
                    (start, here.words.ends[here.at + 1], ""),
                )
            ]
            if here.kinds[here.at + 1] == "NAME" and uses == 1
            else ["write the parameters one by one, as in `def f(x, scale=1.0)`"]
        )
        return here.error(
            "E0133", "`**` parameters are not in the language", "collects named arguments", *ways_out
        )
    if kind == "**":
        way_out = "write the arguments one by one, as in `f(a=1, b=2)`"
        return here.error("E0133", "`**` arguments are not in the language", "unpacks a dictionary", way_out)
    if kind == "/" and in_parameters(here):
        stop = here.words.ends[here.at + 1] if here.kinds[here.at + 1] == "," else here.span().end
        start = here.span().start if here.kinds[here.at + 1] == "," else here.words.starts[here.at - 1]
        return here.error(
            "E0110", "a bare `/` is not in the language", "here", fix("leave it out", (start, stop, ""))
        )
    return None


def in_parameters(here: Situation) -> bool:
    opening = here.brackets[-1]
    return opening >= 2 and here.kinds[opening - 2] == "def" and len(here.brackets) == 1


def _walrus_repair(here: Situation) -> list[str | Fix]:
    """Return the ways out of `if (n := f(x)) > 3:`: if possible a repair that writes two lines."""
    advice = "assign on a line of its own before this one"
    if not here.brackets or here.kinds[here.line] in ("elif", "while") or here.before != "NAME":
        return [advice]
    opening, depth, last = here.brackets[-1], 0, here.at
    for last in range(opening, len(here.kinds)):
        if here.kinds[last] in ("(", "[", "{"):
            depth += 1
        elif here.kinds[last] in OPENING_BRACKETS:
            depth -= 1
        if depth == 0 or here.kinds[last] == "_NEWLINE":
            break
    if here.kinds[last] != ")" or here.at - opening != 2 or here.kinds[opening] != "(":
        return [advice]
    name = here.word(here.at - 1)
    value = here.text[here.words.starts[here.at + 1] : here.words.starts[last]]
    line = line_around(here.text, here.words.starts[here.line])
    begin = here.words.starts[here.line]
    lead = here.text[line.start : begin]
    if lead.strip() or "\n" in value:
        return [advice]
    called = opening > here.line and here.kinds[opening - 1] in ("NAME", ")", "]")
    kept = f"({name})" if called else name
    moved = f"{name} = {value}"
    return [
        fix(
            f"assign first, on a line of its own: `{shorten(moved)}`",
            (begin, begin, f"{moved}\n{lead}"),
            (here.words.starts[opening], here.words.ends[last], kept),
        )
    ]


def match_statement(here: Situation) -> CompileError | None:
    """`match x:`, which parses as a name and fails at the second token or at the colon."""
    if here.kinds[here.line] != "NAME" or here.first not in ("match", "case") or here.at == here.line:
        return None
    if here.kinds[here.last_of_line()] != ":":
        return None
    subject = here.text[here.words.ends[here.line] : here.words.starts[here.last_of_line()]].strip()
    example = f": `if {subject} == ...:`" if here.first == "match" and len(subject) <= 30 else ""
    return here.error(
        "E0130",
        f"`{here.first}` is not in the language",
        "chooses by patterns",
        f"use `if` and `elif`{example}",
        span=here.span(here.line),
    )


def counting_loop(here: Situation) -> CompileError | None:
    """`for (int i = 0; i < n; i++)`, the counting loop of other languages."""
    if here.kinds[here.line] != "for":
        return None
    found = _COUNTING.match(here.text, here.words.starts[here.line])
    if found is None:
        return None
    name, begin, sign, stop = found.groups()
    counted = stop if begin == "0" else f"{begin}, {stop}"
    counted += " + 1" if sign == "<=" else ""
    written = f"for {name} in range({counted}):"
    opened = here.text[found.end() : line_end(here.text, found.end())].strip()
    ways_out: list[str | Fix] = [f"write `{shorten(written)}`, and indent what it repeats"]
    if not opened or opened == ":":
        ways_out = [fix(f"write `{shorten(written)}`", (found.start(), found.end() + len(opened), written))]
    message = "a loop runs over values, such as those of `range`"
    return here.error(
        "E0102", message, "this is the loop of other languages", *ways_out, span=Span(*_match_range(found))
    )


def relative_import(here: Situation) -> CompileError | None:
    if here.before != "from" or here.kind not in (".", "..."):
        return None
    way_out = "write `from torch import ...`"
    return here.error("E0110", "a script cannot import other files", "a relative import", way_out)


def other_class(here: Situation) -> CompileError | None:
    """A class that is no Function, found at the first token inside it that does not fit."""
    header = _enclosing_class(here.text, here.line_span().start)
    if header is None:
        return None
    name, bases = header[2], header[3] or ""
    if bases.rpartition(".")[2].strip() == "Function":
        return None
    return foreign_class_error(name, bases, Span(header.start(2), header.end(2)))


def _enclosing_class(text: str, at: int) -> re.Match[str] | None:
    """Return the header of the class around the line at ``at``: the nearest one with less indentation."""
    depth = indent_width(text, at) + 1
    while depth:
        width = indent_width(text, at)
        if width < depth and text[at + width : at + width + 1] not in ("", "#", "\n", "\r"):
            found = _CLASS.match(text, at)
            if found is not None:
                return found
            depth = width
        if not at:
            break
        at = line_around(text, at - 1).start
    return None


def foreign_class_error(name: str, bases: str, span: Span) -> CompileError:
    """Return the error for a class other than ``Function``.

    The rewrite of a model is added later, because it needs the whole script.
    """
    if bases.rpartition(".")[2].strip() in ("Module", "Sequential"):
        caret = "a model is a function of its parameters here"
        ways_out = ("make its weights leaves, and its `forward` a function that uses them",)
    elif name in ("Value", "Var", "Variable", "Scalar", "Tensor", "Node", "Dual"):
        caret = "a tensor is that already: it knows its value and its gradient"
        ways_out = (
            "make one with `a = torch.tensor(2.0, requires_grad=True)`; `a + a` and `b.backward()` work",
        )
    else:
        caret = "only `class Name(Function):` with static `forward` and `backward` is"
        ways_out = ("use variables for what an object would hold, and functions for what it would do",)
    return CompileError(
        f"the class `{shorten(name)}` is not in the language",
        code="E0128",
        caret=caret,
        help=ways_out,
        span=span,
    )
