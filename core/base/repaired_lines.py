"""The text of a repair with the lines that it makes."""

from __future__ import annotations

from textwrap import dedent, indent

from autodiff.core.base.errors import Edit, Fix
from autodiff.core.base.source import Source

INDENT = "    "
MOST_SHOWN = 8  # lines of a repair


def with_code(fix: Fix, source: Source) -> Fix:
    """The repair with the resulting lines of the script added to its text.

    New lines are shown between their neighbours; ``...`` separates lines that are far apart. A repair that
    only deletes lines shows none.
    """
    repaired = fix.apply(source.text)
    every = repaired.removesuffix("\n").split("\n")
    numbers: set[int] = set()
    moved = 0
    for edit in sorted(fix.edits, key=lambda edit: edit.span.start):
        start = edit.span.start + moved
        moved += len(edit.text) - (edit.span.end - edit.span.start)
        if not edit.text and takes_lines(edit, source):
            continue
        first = repaired.count("\n", 0, start + edit.text.startswith("\n"))
        last = first + edit.text.strip("\n").count("\n")
        if edit.text.endswith("\n"):  # the edit inserts whole lines
            first, last = max(first - 1, 0), min(last + 1, len(every) - 1)
        numbers.update(range(first, last + 1))
    shown: list[str] = []
    before = -1
    for number in sorted(number for number in numbers if every[number].strip()):
        if shown and number > before + 1:
            shown.append("...")
        shown.append(every[number].rstrip())
        before = number
    if not shown:
        return fix
    if len(shown) == 1:
        return Fix(f"{fix.text}: `{shown[0].strip()}`", *fix.edits)
    if len(shown) > MOST_SHOWN:
        shown = [*shown[: MOST_SHOWN - 1], "..."]
    code = indent(dedent("\n".join(shown).replace("\t", INDENT)), INDENT)
    return Fix(f"{fix.text}:\n{code}", *fix.edits)


def takes_lines(edit: Edit, source: Source) -> bool:
    """Whether an edit deletes whole lines."""
    taken = source.text[edit.span.start : edit.span.end]
    return taken.endswith("\n") or edit.span.end == len(source.text)
