"""Repeated steps of a run, such as the passes of a loop: of many the first and the last are drawn, the others
are one group between them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.core.report.graph_records import Graph

#: So many nodes are read at a glance: of these, repeated steps are drawn whole.
MOST_WHOLE = 40
FEWEST_PASSES = 4
#: How many loops in loops are looked for.
MOST_LEVELS = 4


def fold_repeats(graph: Graph, kept: Sequence[int], names: Sequence[str]) -> list[list[int]]:
    """The kept nodes in groups, in the order of creation. ``names`` are those of the construct of each node.

    Steps are the same if they have the same code. Leaves are not folded.
    """
    run = [id for id in kept if graph.nodes[id].op != "leaf"]
    groups = [[id] for id in kept if graph.nodes[id].op == "leaf"]
    numbers: dict[object, int] = {}
    keys, ends = [], []
    for id in run:
        node = graph.nodes[id]
        code = id if node.span is None else (node.span.start, node.span.end, node.op)
        keys.append(numbers.setdefault(code, len(numbers)))
        is_in_loop = names[id] and not names[id].endswith("()")
        ends.append(node.span.end if node.span is not None and is_in_loop else None)
    finder = Finder(keys, ends)
    groups += [run[first:end] for first, end in finder.parts(0, len(run))]
    return sorted(groups)


class Finder:
    """Finds repetitions in ``keys``, the numbers of the code that ran.

    ``code_ends`` are where the code in loops ends, None for other code. A pass begins with what ends first:
    an operand ends before what is computed from it.
    """

    def __init__(self, keys: Sequence[int], code_ends: Sequence[int | None]) -> None:
        self.keys = keys
        self.code_ends = code_ends
        #: By position: where the same key is next.
        self.following = [len(keys)] * len(keys)
        last: dict[int, int] = {}
        for at in reversed(range(len(keys))):
            self.following[at] = last.get(keys[at], len(keys))
            last[keys[at]] = at
        #: By period: where the repetition ends that was looked at last.
        self.ends: dict[int, int] = {}

    def parts(self, at: int, stop: int) -> Iterator[tuple[int, int]]:
        """Cut the positions from ``at`` to ``stop`` in parts (first, end): single ones, and middle passes."""
        while at < stop:
            first, period, passes = self.repetition(at, stop)
            if passes < FEWEST_PASSES:
                yield at, at + 1
                at += 1
                continue
            last = first + period * (passes - 1)
            yield from self.parts(at, first)
            yield from self.parts(first, first + period)
            yield first + period, last
            yield from self.parts(last, last + period)
            at = last + period

    def repetition(self, at: int, stop: int) -> tuple[int, int, int]:
        """The longest repetition from about ``at`` on: where a pass begins, its length, how many passes."""
        found, reach = (at, 1, 1), at + 1
        again = self.following[at]
        for _ in range(MOST_LEVELS):
            if again >= stop:
                break
            period = again - at
            end = self.end_of(period, again, stop)
            first = at
            in_loop = []
            # A function that is called first has its code elsewhere. Else the first pass may be incomplete.
            if self.code_ends[at] is not None or (at and self.code_ends[at - 1] is not None):
                ends = self.code_ends[at:again]
                in_loop = [(code_end, at + on) for on, code_end in enumerate(ends) if code_end is not None]
            if in_loop and (end - min(in_loop)[1]) // period >= FEWEST_PASSES:
                first = min(in_loop)[1]
            passes = (end - first) // period
            if passes >= FEWEST_PASSES and end > reach:
                found, reach = (first, period, passes), end
            while again < end:
                again = self.following[again]
        return found

    def end_of(self, period: int, again: int, stop: int) -> int:
        """Where the keys from ``again`` on stop to be those one ``period`` before."""
        end = self.ends.get(period, again)
        if end <= again or end > stop:
            end = again
            while end < stop and self.keys[end] == self.keys[end - period]:
                end += 1
            self.ends[period] = end
        return end
