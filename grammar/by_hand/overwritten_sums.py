"""Parts of a derivative that overwrite those before them: ``dx = ...`` where ``dx += ...`` was meant."""

from __future__ import annotations

from copy import copy
from itertools import pairwise

from autodiff.grammar.by_hand.placed_text import PlacedText
from autodiff.grammar.by_hand.segments import Segment
from autodiff.grammar.by_hand.step_lines import ADDITION, START, Line
from autodiff.grammar.by_hand.steps import Derivation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def as_sum(derivation: Derivation, own: Sequence[Segment]) -> tuple[Derivation, Segment] | None:
    """Return the derivation where the segments ``own``, all of one name, are one sum, and its step.

    Each line that starts the name anew adds to it there, and is a step that is wrong because it overwrites.
    None if such a line cannot add.
    """
    lines = list(derivation.lines)
    wrong = []
    for before, segment in pairwise(own):
        at = segment.places[0]
        if lines[at].kind != START or lines[at].right is None:
            return None
        lines[at] = adding(lines[at])
        wrong.append(Segment(segment.key, [at], overwrites=derivation.lines[before.places[-1]].number))
    whole = Segment(own[0].key, [place for one in own for place in one.places])
    kept = [one for one in derivation.segments if one not in own]
    return derivation.with_segments([*kept, whole, *wrong], lines), whole


def adding(line: Line) -> Line:
    """Return the line ``dx = ...`` as ``dx += ...``."""
    made = copy(line)
    assert made.right is not None
    made.kind, made.op = ADDITION, "+"
    made.binds, made.changes = set(), {made.key}
    made.statement = PlacedText(f"{made.key} += (", []) + made.right + PlacedText(")", [])
    return made
