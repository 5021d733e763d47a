"""The function reference as text: a list with one line per function, and one function in full."""

from __future__ import annotations

import re
from textwrap import wrap

from autodiff.cli.process.streams import cells, own
from autodiff.cli.render.page import EMPTY, MUTED, NAME, NUMBER, PLAIN, TITLE, muted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from autodiff.cli.render.page import Line
    from autodiff.grammar.reference.catalog import FunctionEntry, OpRecord

#: For functions made of more ops than this, the ops are named without their rules.
MOST_RULES = 3
LABEL = 12
LEGEND = "g is the gradient of the result, out the result itself."


def short_name(key: str) -> str:
    """The name as a script calls it: ``relu``, ``F.relu``, ``linalg.det``, ``x.unfold``."""
    return key.removeprefix("torch.").replace("Tensor.", "x.")


# -- the list ---------------------------------------------------------------------------------------------


def list_lines(
    families: Sequence[tuple[str, str, Sequence[FunctionEntry]]], width: int | None
) -> Iterator[Line]:
    """The families with their functions; lines are cut at ``width`` unless it is None."""
    names = [short_name(entry.names[0]) for _, _, entries in families for entry in entries]
    column = min(max(map(len, names), default=0), 24 if width is None or width >= 72 else 18)
    for at, (family, title, entries) in enumerate(families):
        if at:
            yield EMPTY
        yield (
            (TITLE, family),
            (MUTED, cut(own(f"  {title}"), None if width is None else width - len(family))),
        )
        for entry in entries:
            name = short_name(entry.names[0])
            room = None if width is None else width - 4 - max(column, len(name))
            yield (
                (PLAIN, "  "),
                (NAME, name.ljust(column)),
                (PLAIN, "  " + cut(own(entry.description), room)),
            )


def cut(text: str, room: int | None) -> str:
    """The text, shortened to ``room`` columns."""
    if room is None or cells(text) <= room:
        return text
    while text and cells(text) > room - 3:
        text = text[:-1]
    return text.rstrip() + "..."


# -- one function -----------------------------------------------------------------------------------------


def entry_lines(entry: FunctionEntry, width: int, is_folded: bool) -> Iterator[Line]:
    """Everything about one function; ``is_folded`` says that the lines of the example are folded."""
    for at, text in enumerate(wrap(entry.usage, width, subsequent_indent="    ", break_long_words=False)):
        yield ((TITLE if not at else PLAIN, text),)
    if entry.summary:
        yield from (((PLAIN, "  " + text),) for text in wrap(own(entry.summary), width - 2))
    yield EMPTY
    others = also(entry)
    if others:
        yield from block("also", [(PLAIN, others)], width)
    yield from block("family", [(MUTED, entry.family)], width)
    yield from rule_lines(entry.records, width)
    if entry.example is not None:
        yield EMPTY
        for label, text in (("example", entry.example.script), ("prints", entry.example.printed)):
            yield from verbatim(label, text, width if is_folded else None)


def also(entry: FunctionEntry) -> str:
    """The other names and the methods."""
    names = [name.replace("special.", "torch.special.") for name in entry.names[1:]]
    return ", ".join([*names, *(f"x.{name}()" for name in entry.methods)])


def rule_lines(records: Sequence[OpRecord], width: int) -> Iterator[Line]:
    """The rules and kinks of the ops that a function is made of; only their names if there are many."""
    if len(records) > 1:
        yield from block("made of", [(NAME, ", ".join(record.name for record in records))], width)
    shown = records if len(records) <= MOST_RULES else ()
    for record in shown:
        label = "rule" if len(records) == 1 else record.name
        rules = [(NUMBER, str(rule)) for rule in record.rules] or [(MUTED, "no gradient passes")]
        yield from block(label, rules, width)
    if not records:
        yield from block("rule", [(MUTED, "no gradient passes")], width)
    for record in records:
        if record.kink:
            text = record.kink if len(records) == 1 else f"{record.name}: {record.kink}"
            yield from block("kink", [(PLAIN, text)], width)
    if any(" g" in str(rule) for record in shown for rule in record.rules):
        yield from block("", [(MUTED, LEGEND)], width)


def block(label: str, pieces: Iterable[tuple[str, str]], width: int) -> Iterator[Line]:
    """Texts beside a label, folded to the width."""
    left = f"  {label}"
    if len(left) >= LABEL:
        yield ((MUTED, left),)
        left = ""
    for style, text in pieces:
        folded = wrap(own(text), max(width - LABEL, 20), subsequent_indent="  ", break_on_hyphens=False)
        for line in folded:
            yield ((MUTED, left.ljust(LABEL)), (style, line))
            left = ""


def verbatim(label: str, text: str, width: int | None) -> Iterator[Line]:
    """Unchanged lines beside a label; folded at ``width`` after a comma or a plus."""
    for line in text.splitlines():
        for piece in fold(line, width - LABEL) if width else [line]:
            yield ((MUTED, f"  {label}".ljust(LABEL)), (PLAIN, piece))
            label = ""


def fold(line: str, room: int) -> list[str]:
    """The line folded into pieces; those after the first are indented."""
    indent = len(line) - len(line.lstrip()) + 4
    pieces: list[str] = []
    while cells(line) > room:
        places = [found.end() for found in re.finditer(", | [+] ", line) if indent < found.end() <= room + 1]
        if not places:
            break
        pieces.append(line[: places[-1]].rstrip())
        line = " " * indent + line[places[-1] :].lstrip()
    return [*pieces, line]


def record_lines(record: OpRecord, width: int) -> Iterator[Line]:
    """An op without a public name, which only other functions use."""
    yield ((TITLE, record.name),)
    yield from muted_lines("An op that functions are made of; scripts cannot call it.", width)
    yield EMPTY
    yield from rule_lines([record], width)


def muted_lines(text: str, width: int) -> Iterator[Line]:
    return (muted("  " + line) for line in wrap(text, width - 2))
