"""A derivation by hand in steps, a text with a formula on each line: ``dh == dscores @ W2.T``.

Later steps may use the derivatives of earlier ones. These then have their right values, so that each mistake
shows at its own step.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.formula import Formula
from autodiff.grammar.by_hand.left_side import split_equation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.core.base.source import Source

STRING_OR_COMMENT = re.compile(r"""('[^'\n]*'|"[^"\n]*")|#.*""")
#: ``dh += dz @ W.T``: one more way to ``h``.
ADDITION = re.compile(r"\s*(\w+)\s*\+=(.*)", re.DOTALL)
#: ``dz[z <= 0] = 0`` after ``dz = dh``: other values at some entries.
CHANGE = re.compile(r"\s*(\w+)\s*(\[.*\]\s*[-+*/]?=(?!=).*)", re.DOTALL)


def read_steps(text: str, name: str, script: Source) -> list[Formula]:
    """Return the formulas of a text; ``name`` is that of its file. Raise a UsageError if there are none."""
    lines: dict[str, int] = {}
    changes: dict[str, list[str]] = {}
    for line, step in logical_lines(text):
        added, changed = ADDITION.fullmatch(step), CHANGE.fullmatch(step)
        left = (added or changed or [step, ""])[1].strip()
        earlier = next((one for one in lines if split_equation(one)[0].strip() == left), None)
        if changed and earlier is not None:
            changes.setdefault(earlier, []).append(changed[2].strip())
            step = earlier
        elif added:
            before = "" if earlier is None else f"{split_equation(earlier)[2].strip()} + "
            step = f"{left} == {before}({added[2].strip()})"
            if earlier is not None:
                del lines[earlier]
        lines[step] = line
    if not lines:
        raise UsageError(
            f"{name} has no steps",
            code="E0610",
            help=("write one on each line, as in dh == dz @ W.T",),
        )
    left_sides = [split_equation(step)[0].strip() for step in lines]
    found = []
    for step, line in lines.items():
        try:
            formula = Formula(step, script, left_sides, changes.get(step, ()))
            if formula.left is None:
                raise UsageError(
                    f"--formula: `{step}` has no left side",
                    code="E0610",
                    help=("write which derivative it is, as in dh == dz @ W.T",),
                )
        except UsageError as error:
            raise in_step(error, name, line) from None
        formula.step = (name, line)
        found.append(formula)
    return found


def in_step(error: UsageError, name: str, line: int) -> UsageError:
    """Return an error about a formula as one about a line of the file ``name``."""
    message = error.message.removeprefix("--formula: ")
    return UsageError(f"{name}:{line}: {message}", code=error.code, help=error.advice)


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines without comments, each with its number; lines inside brackets are joined.

    >>> list(logical_lines("dz == (dh  # of tanh\\n  *(1 - h**2))\\n\\ndb == dz"))
    [(1, 'dz == (dh *(1 - h**2))'), (4, 'db == dz')]
    """
    pieces: list[str] = []
    start = depth = 0
    for number, line in enumerate(text.split("\n"), start=1):
        read = STRING_OR_COMMENT.sub(lambda found: found[1] or "", line).strip()
        if not read:
            continue
        if not pieces:
            start = number
        pieces.append(read)
        depth += sum(read.count(sign) for sign in "([{") - sum(read.count(sign) for sign in ")]}")
        if depth <= 0:
            yield start, " ".join(pieces)
            pieces, depth = [], 0
    if pieces:
        yield start, " ".join(pieces)
