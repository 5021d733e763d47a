"""The segments of a derivation: the lines that make one derivative, and the value it is the gradient of."""

from __future__ import annotations

import re

from autodiff.grammar.by_hand.step_lines import ADDITION, BLOCK, CHANGE, CLIP, HELPER, IDLE, START, Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.loop_lines import WrongTurn

#: The right side of a line that begins a sum.
ZEROS = re.compile(r"(?:\w+\.)?zeros(?:_like)?\(|0(?:\.0*)?$")


class Segment:
    """The lines that make one derivative, by their places: a start, then what changes it.

    ``node`` is the value whose gradient they make, None if the key says it, as ``dh`` does; ``spelled`` is
    its name. ``before`` is the value whose gradient the key stands for before lines that change it.
    ``left_out`` is a line that uses the key, and the value whose gradient the lines behind it take it for.
    ``overwrites`` is the number of the line whose value is lost by this one. ``turn`` is set for a line of a
    loop that is wrong: the first turn where it is.
    """

    __slots__ = ("before", "key", "left_out", "node", "overwrites", "places", "spelled", "turn")

    def __init__(
        self,
        key: str,
        places: list[int],
        node: Node | None = None,
        spelled: str = "",
        before: Node | None = None,
        left_out: tuple[int, Node] | None = None,
        overwrites: int | None = None,
        turn: WrongTurn | None = None,
    ) -> None:
        self.key, self.places, self.overwrites, self.turn = key, places, overwrites, turn
        self.node, self.spelled, self.before, self.left_out = node, spelled, before, left_out

    def is_open_at(self, at: int) -> bool:
        """Whether the derivative has a part of its value before the line ``at``, which is not the last."""
        return self.places[0] < at < self.places[-1]


class Guess:
    """The ``node`` that a name is taken for the gradient of, how that is ``spelled``, and the ``reason``."""

    __slots__ = ("node", "reason", "spelled")

    def __init__(self, node: Node, spelled: str, reason: str) -> None:
        self.node, self.spelled, self.reason = node, spelled, reason


def find_segments(lines: list[Line]) -> list[Segment]:
    """Return the segments of a derivation, in the order of their last lines."""
    found: list[Segment] = []
    open_ones: dict[str, Segment] = {}
    for at, line in enumerate(lines):
        is_open = line.key in open_ones and line.kind != CLIP
        if is_open and (line.kind in (ADDITION, CHANGE) or line.key in line.reads):
            open_ones[line.key].places.append(at)
        elif line.kind in (START, ADDITION, CHANGE):
            if line.entry:  # a step about one entry, where no line before begins the whole
                line.kind, line.key = START, line.entry
            if is_open and begins_sum(open_ones[line.key], lines):
                [place] = open_ones[line.key].places
                if not any(line.key in one.reads for one in lines[place:at]):  # zeros that are never used
                    found.remove(open_ones[line.key])
                    lines[place].kind, lines[place].binds = IDLE, set()
            open_ones[line.key] = Segment(line.key, [at])
            found.append(open_ones[line.key])
        elif line.kind == BLOCK:
            rebound = (line.binds - line.carried) & open_ones.keys()
            rebound = {key for key in rebound if begins_sum(open_ones[key], lines)}
            for key in (line.changes & open_ones.keys()) | rebound:
                open_ones[key].places.append(at)
            for key in line.binds & line.carried & open_ones.keys():  # its first value begins a loop
                removed = open_ones.pop(key)
                found.remove(removed)
                for place in removed.places:
                    lines[place].kind, lines[place].binds = HELPER, {key}
    return sorted(found, key=lambda segment: segment.places[-1])


def begins_sum(segment: Segment, lines: list[Line]) -> bool:
    """Whether a derivative begins with zeros, to which a loop is to add."""
    right = lines[segment.places[0]].right
    return len(segment.places) == 1 and right is not None and ZEROS.match(right.text) is not None
