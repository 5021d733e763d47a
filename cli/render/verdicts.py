"""The verdicts of ``check`` for programs: a word for each gradient or formula."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.core.report.verdict import KINK, NOT_FINITE, OK, RIGHT, UNDECIDED, WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.requests.answers import Answers

#: The word for a script that has nothing to check.
NOTHING = "nothing to check"
#: The words of formulas for the verdicts on gradients; others are the same.
WORDS = {OK: RIGHT, NOT_FINITE: WRONG, KINK: UNDECIDED}


def verdict_text(answers: Answers, script: str | None, has_files: bool) -> str:
    """A line for each gradient or formula, with tabs between its fields, the verdict last.

    Before it stand the ``script``, if it is one of several, the line of a step, if formulas may be in files,
    and the derivative. The only one of a single script has the verdict alone, unless files may hold more.
    """
    rows = [("", check.name, WORDS.get(check.verdict, check.verdict)) for check in answers.checks]
    rows += [
        ("" if one.step is None else str(one.step[1]), one.left or one.formula, one.verdict)
        for one in answers.formulas
    ]
    return lines_of(rows or [("", "", NOTHING)], script, has_files)


def lines_of(rows: list[tuple[str, str, str]], script: str | None, has_files: bool) -> str:
    """The lines of verdicts: each row is the line of a step, the derivative and the verdict."""
    if script is None and not has_files and len(rows) == 1:
        return rows[0][-1] + "\n"
    return "".join(line_of(row, script, has_files) for row in rows)


def line_of(row: tuple[str, str, str], script: str | None, has_files: bool) -> str:
    fields = [*([] if script is None else [script]), *row[not has_files :]]
    return "\t".join(visible(" ".join(field.split())) for field in fields) + "\n"
