"""Rules for lines and blocks: indentation, the `:` before a block, and how a line may begin."""

from __future__ import annotations

from autodiff.core.base.did_you_mean import similar_names
from autodiff.core.base.errors import CompileError, Fix, Label
from autodiff.core.base.source import Span
from autodiff.grammar.help.syntax.lines import code_end, indent_width, is_blank, next_line
from autodiff.grammar.help.syntax.situation import LINE_ENDS, LINE_STARTS, Situation, fix, line_around
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.vocabulary import BLOCK_WORDS, OPERATORS


def stray_colon(here: Situation) -> CompileError | None:
    """`x > 0:` and `esle:`, which look like an annotation up to the end of the line."""
    colon = here.at - 1 if here.before == ":" else here.at
    if here.brackets or here.kinds[here.line] != "NAME" or here.kinds[colon] != ":" or colon == here.line:
        return None
    if here.kinds[colon + 1] not in LINE_ENDS:
        return None
    return misspelt(here) or here.error(
        "E0102",
        "this line opens no block",
        "a `:` ends lines such as `if x > 0:`",
        fix("delete the `:`", (here.words.starts[colon], here.words.ends[colon], "")),
        span=here.span(colon),
    )


def misspelt(here: Situation) -> CompileError | None:
    """A line that begins with a misspelt keyword."""
    if here.kinds[here.line] != "NAME":
        return None
    span = here.span(here.line)
    known = (*BLOCK_WORDS, "else", "return", "import", "from", "assert", "del", "pass")
    slips = {
        "elseif": "elif",
        "elsif": "elif",
        "function": "def",
        "func": "def",
        "fn": "def",
        "define": "def",
    }
    meant = slips.get(here.first) or next((w for w in known if sorted(w) == sorted(here.first)), "")
    meant = meant or next(iter(similar_names(here.first, known)), "")
    if not meant:
        return None
    return here.error(
        "E0102",
        f"`{shorten(here.first)}` begins no statement",
        "not a word of the language",
        fix(f"did you mean `{meant}`?", (span.start, span.end, meant)),
        span=span,
    )


def unexpected_indent(here: Situation) -> CompileError | None:
    if here.kind != "_INDENT":
        return None
    text, at = here.text, here.span().start
    line = line_around(text, at).start
    if here.kinds[here.at + 1] in OPERATORS and here.at >= 2 and here.kinds[here.at - 1] == "_NEWLINE":
        first = here.at - 2
        while first and here.kinds[first - 1] not in LINE_STARTS:
            first -= 1
        equals = [index for index in range(first, here.at - 1) if here.kinds[index] in ("=", "return")]
        begin, end = here.words.starts[equals[-1] + 1 if equals else first], code_end(text, line)
        joined = fix(
            "to continue the line above, put brackets around both", (begin, begin, "("), (end, end, ")")
        )
        message = "this line is indented, but nothing above it opens a block"
        return here.error("E0104", message, "the indentation", joined, span=Span(line, at))
    above = line_around(text, max(line - 1, 0)).start
    while above and is_blank(text, above):
        above = line_around(text, above - 1).start
    lead = text[above : above + indent_width(text, above)]
    edits, width = [], at - line
    while line < len(text):  # all lines that are indented at least as far move too
        own = indent_width(text, line)
        if not is_blank(text, line):
            if own < width:
                break
            edits.append((line, line + width, lead))
        line = next_line(text, line)
    return here.error(
        "E0104",
        "this line is indented, but nothing above it opens a block",
        "the indentation",
        fix("begin it in the same column as the line above", *edits),
        span=Span(at - width, at),
    )


def block_missing(here: Situation) -> CompileError | None:
    if here.expected != {"_INDENT"}:
        return None
    opener = here.at - 1
    while opener and here.kinds[opener - 1] not in LINE_STARTS:
        opener -= 1
    word = here.word(opener)
    text, begin = here.text, here.words.starts[here.at]
    lead = text[line_around(text, here.words.starts[opener]).start : here.words.starts[opener]]
    if here.kind in LINE_ENDS:
        end = here.words.ends[here.at - 2]
        ways_out = [fix("write `pass` in a block that does nothing", (end, end, " pass"))]
    else:
        # All following lines of this indentation may belong to the block; one is enough to make one.
        ways_out = [fix("indent it by four spaces", (begin, begin, "    "))]
        if word == "def":
            ways_out = [_indent_through_return(text, begin)]
    error = here.error(
        "E0105",
        f"the block of this `{shorten(word)}` is missing",
        "this line should be indented",
        *ways_out,
        span=here.span() if here.kind not in LINE_ENDS else here.gap,
    )
    if lead.strip():
        error.fixes = ()
        error.help = ("indent it by four spaces, or write `pass` in a block that does nothing",)
    error.labels.append(Label(here.span(opener), f"this `{shorten(word)}` opens a block"))
    return error


def _indent_through_return(text: str, begin: int) -> Fix:
    """Return the repair that indents the lines of a function up to its `return`."""
    edits, at, depth = [], line_around(text, begin).start, indent_width(text, line_around(text, begin).start)
    while at < len(text):
        if not is_blank(text, at):
            if indent_width(text, at) < depth:
                break
            edits.append((at, at, "    "))
            if text.startswith("return", at + depth):
                break
        at = next_line(text, at)
    else:
        edits = edits[:1]
    what = "it" if len(edits) == 1 else f"these {len(edits)} lines"
    return fix(f"indent {what} by four spaces", *edits)


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


def lone_decorator(here: Situation) -> CompileError | None:
    if here.expected != {"@", "def", "class"}:
        return None
    message = "a decorator stands directly above `def`"
    at = here.line
    while at and here.kinds[at] != "@":
        at -= 1
    line = line_around(here.text, here.words.starts[at])
    return here.error(
        "E0102", message, "no `def` here", fix("delete the `@` line", (line.start, line.end, ""))
    )


def at_sign_name(here: Situation) -> CompileError | None:
    """`@x = 3`: a name with the sign of another language."""
    if here.kinds[here.line] != "@" or here.kind != "=":
        return None
    sign = here.span(here.line)
    way_out = fix("delete the `@`", (sign.start, sign.end, ""))
    return here.error("E0102", "a decorator stands directly above `def`", "no `def` here", way_out, span=sign)


def colon_missing(here: Situation) -> CompileError | None:
    if ":" not in here.expected or here.brackets or here.kinds[here.line] not in (*BLOCK_WORDS, "else"):
        return None
    line, at, gap = here.line, here.at, here.gap.start
    if here.kinds[line] == "else" and at == line + 1 and here.kind not in LINE_ENDS:
        if here.kind == "if":
            edit = (here.words.starts[line], here.words.ends[at], "elif")
            way_out = fix("write `elif`", edit)
            return here.error("E0105", "`else if` is one word", "a `:` should stand here", way_out)
        ways_out: list[str | Fix] = ["write `else:`, or `elif` and a condition"]
        if here.kinds[here.last_of_line()] == ":":
            ways_out = [fix("write `elif`", (here.words.starts[line], here.words.ends[line], "elif"))]
        message = "nothing can stand between `else` and its `:`"
        return here.error("E0105", message, "a `:` should stand here", *ways_out)
    if here.kind in LINE_ENDS or ":" not in here.kinds[at : here.last_of_line() + 1]:
        if here.kind in LINE_ENDS:
            way_out = fix("write `:` here", (gap, gap, ":"))
        elif here.word(at) in ("then", "do"):
            way_out = fix(f"write `:` instead of {here.name()}", (gap, here.span().end, ":"))
        else:
            way_out = fix(f"write `:` before {here.name()}", (gap, gap, ":"))
        return here.error(
            "E0105",
            f"the `:` of this `{here.first}` is missing",
            "a `:` should stand here",
            way_out,
            span=here.gap,
        )
    return None


def parameters_missing(here: Situation) -> CompileError | None:
    """`def f:` and `def f x:`"""
    if here.kinds[here.line] != "def" or here.at != here.line + 2:
        return None
    gap = here.gap.start
    if here.kind == "NAME":
        last = here.last_of_line()
        end = here.words.ends[last - 1] if here.kinds[last] == ":" else here.words.ends[last]
        given = here.text[here.span().start : end]
        return here.error(
            "E0102",
            "the parameters of a function stand in parentheses",
            "`(` should stand before this",
            fix(f"write `{shorten(f'{here.word(here.at - 1)}({given})')}`", (gap, here.span().start, "("),
                (end, end, ")")),
        )  # fmt: skip
    if here.kind not in (":", *LINE_ENDS):
        return None
    added = "()" if here.kind == ":" else "():"
    return here.error(
        "E0102",
        "the parameters of this function are missing" if here.kind == ":" else "the line ends too early",
        "`(` should stand here",
        fix(f"write `{added}` after the name", (gap, gap, added)),
        span=here.gap if here.kind != ":" else None,
    )
