"""How far the loops of a running script are, as another thread sees it: nothing is counted for that.

The closures of ``for`` loops have their rows and the iterator over them in local variables, and an iterator
says how many rows are left.
"""

from __future__ import annotations

from operator import length_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType
    from typing import Any

#: The closures that run loops.
LOOPS = {
    ("autodiff.grammar.interpret.statements", "compile_for.<locals>.run"),
    ("autodiff.grammar.interpret.fast_loops", "compile_program_loop.<locals>.run"),
}


def fraction_done(frames: Iterable[FrameType]) -> float | None:
    """The fraction of the outermost loop of known length that is done, by the loops in it; None without one.

    ``frames`` are those of the running thread, the outermost first.
    """
    done, part = None, 1.0
    for frame in frames:
        if (frame.f_globals.get("__name__"), frame.f_code.co_qualname) not in LOOPS:
            continue
        found = turns_of(frame)
        if found is not None:
            ended, total = found
            part /= total
            done = (done or 0.0) + ended * part
    return done


def turns_of(frame: FrameType) -> tuple[int, int] | None:
    """How many turns a loop has ended, and how many it has in all; None if that is unknown."""
    variables = frame.f_locals
    rows, left = variables.get("rows"), variables.get("left")
    if isinstance(variables, dict):  # before Python 3.13 it is a copy, which keeps the values alive
        variables.clear()
    found = None if left is None else turns_of_iterator(rows, left)
    return None if found is None or found[1] < 1 else (max(found[0] - 1, 0), found[1])


def turns_of_iterator(rows: Any, left: Any) -> tuple[int, int] | None:
    """How many rows an iterator over ``rows`` has given, and how many there are.

    >>> given = enumerate([5, 6, 7])
    >>> _ = next(given)
    >>> turns_of_iterator(given, given)
    (1, 3)
    """
    kind: type = left.__class__
    if kind is zip or kind is enumerate:
        parts = left.__reduce__()[1]
        found = [turns_of_list(part) for part in (parts if kind is zip else parts[:1])]
        known = [one for one in found if one is not None]
        return min(known, key=lambda one: one[1], default=None) if len(known) == len(found) else None
    if not isinstance(rows, (range, list, tuple)):
        return None
    try:
        return len(rows) - length_hint(left), len(rows)
    except OverflowError:  # a range may be longer than sys.maxsize
        return None


def turns_of_list(left: Any) -> tuple[int, int] | None:
    """How many entries an iterator over a list has given, and how many there are; None for another one."""
    if left.__class__ is not iter([]).__class__:
        return None
    state: Any = left.__reduce__()
    return (state[2], len(state[1][0])) if len(state) > 2 else None
