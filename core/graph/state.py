"""The one mutable state of the engine: is recording on, which source is running, who listens and is warned.

Changed only by the context managers below (and by the interpreter, which owns ``site`` while a script
runs). Everything else in the engine is a function of its arguments.
"""

from __future__ import annotations

from collections import deque
from weakref import ref

from autodiff.core.base.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import GradCell, Leaf, Node
    from autodiff.core.graph.op import Op

    F = TypeVar("F", bound=Callable[..., object])
    #: A Header, and behind it an entry for each operation; see ``tape``.
    Tape = list[Any]
    Entry = tuple[Any, Any, int, Any, Any, Any, Span | None]

    class Recorder(Protocol):
        """Somebody who wants the graph of the last backward kept after the engine is done with it."""

        def pass_ran(self, kind: str, roots: list[Node], seeds: list[object], order: list[Node]) -> None: ...

        def written_pass_ran(
            self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool
        ) -> None:
            """The same of a pass from an entry of a tape, with its value, of which no nodes were made."""

        def grads_gathered(self, before: list[tuple[GradCell, Any]]) -> None: ...

        def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None: ...

    class Probe(Protocol):
        """Somebody who repeats a run with its inputs moved."""

        def leaf_made(self, leaf: Leaf, value: Any) -> Any:
            """The value that a tracked leaf is to have."""

        def compared(self, op: Op, values: tuple[Any, ...]) -> None: ...


def ignore_warning(text: str) -> None:
    """Warn nobody."""


#: How many tapes may be linked before it is looked whether the newest of them needs the others.
TRUSTED = 16


class Header:
    """What stands at the head of a tape.

    ``first`` is the number before that of the first entry's node. ``inserted`` are the places at which nodes
    were made elsewhere, which took a number each. ``leaves`` are the tensors from elsewhere that know their
    place here while the tape is open. ``places`` says where tensors from elsewhere are entered:
    by the leaf, or by the older tape and the place there. ``names`` are those of the entries' nodes, as far
    as they have any, ``nodes`` the nodes themselves once they are made. ``passes`` are the places from which
    passes have used entries up, with the mark that their nodes bear. ``links`` counts the newer tapes that an
    entry is entered on. ``depth`` is how many tapes are linked here, this one with them, and ``trusted`` how
    many there may be until it is looked what is needed of them; from then on it is as many more as its
    ``trust``.
    """

    __slots__ = (
        *("depth", "first", "inserted", "leaves", "links", "names", "nodes", "passes", "places", "trust"),
        "trusted",
    )

    def __init__(self, first: int, trust: int) -> None:
        self.first = first
        self.inserted: list[int] = []
        self.leaves: list[ref[Tensor]] = []
        self.places: dict[Any, int] = {}
        self.links: dict[int, int] = {}
        self.names: list[str | None] = []
        self.nodes: list[Any] | None = None
        self.passes: list[tuple[list[int], Any]] = []
        self.depth = 1
        self.trust = self.trusted = trust

    def last_number(self, length: int) -> int:
        """The number of the newest node of the tape, which has this ``length``."""
        return self.first + length - 1 + len(self.inserted) - len(self.places)


#: The tape that stands open where none does: nothing is entered in it.
CLOSED: Tape = [Header(0, TRUSTED)]


#: From so many entries on, a tape is one of many.
LONG = 2048
#: Python gives memory back to the system by the megabyte as soon as nothing is left in it, and the system
#: clears it before it gives it again: a tenth of the time of a long program that is repeated. So something
#: small is left in the memory of the last long tapes, of an entry's size, that it lies among the entries.
KEPT: deque[tuple[int, ...]] = deque(maxlen=256)


class Mode:
    """``enabled``: operations are recorded. ``site``: the span now running. ``recorder``: keeps graphs.

    ``number`` is that of the node made last. ``tape`` is the one that is written on; one stands open only
    while recording is on.

    ``warn`` is told what torch warns of, in torch's words. ``probe`` is there while a run is checked.
    """

    __slots__ = ("enabled", "number", "probe", "recorder", "site", "tape", "warn")

    def __init__(self) -> None:
        self.enabled = True
        self.number = 0
        self.site: Span | None = None
        self.recorder: Recorder | None = None
        self.probe: Probe | None = None
        self.warn: Callable[[str], None] = ignore_warning
        self.tape: Tape = CLOSED

    def record(self, flag: bool) -> None:
        """Turn recording on or off."""
        self.enabled = flag
        if not flag:
            self.close_tape()

    def next_number(self) -> int:
        """The number of a new node."""
        tape = self.tape
        if tape is CLOSED:
            self.number += 1
        else:
            header = tape[0]
            self.number = header.last_number(len(tape)) + 1
            header.inserted.append(len(tape))
        return self.number

    def close_tape(self) -> None:
        """Have the next operation begin a tape of its own."""
        tape = self.tape
        if tape is not CLOSED:
            header = tape[0]
            self.number = header.last_number(len(tape))
            self.tape = CLOSED
            if len(tape) > LONG:
                KEPT.append(tuple(bytes(7)))
            for leaf in header.leaves:  # they would keep the tape, and all before it
                x = leaf()
                if x is not None and x.own_node is not None:  # it may have taken on an entry's history since
                    x.tape = None
            header.leaves.clear()


mode = Mode()


class set_grad_enabled:
    """Turn recording on or off, at once (as torch does) and until the ``with`` block ends.

    >>> with set_grad_enabled(False):
    ...     mode.enabled
    False
    >>> mode.enabled
    True
    """

    __slots__ = ("flag", "previous")

    def __init__(self, flag: bool) -> None:
        self.flag = flag
        self.previous = mode.enabled
        mode.record(flag)

    def __enter__(self) -> None:
        mode.record(self.flag)

    def __exit__(self, *exc: object) -> None:
        mode.record(self.previous)


class _Switch:
    """A grad mode usable as ``with no_grad():`` and as ``@no_grad()``."""

    __slots__ = ("previous",)
    flag = True

    def __enter__(self) -> None:
        self.previous = mode.enabled
        mode.record(self.flag)

    def __exit__(self, *exc: object) -> None:
        mode.record(self.previous)

    def __call__(self, function: F) -> F:
        def in_mode(*args: object, **kwargs: object) -> object:
            with type(self)():
                return function(*args, **kwargs)

        return in_mode  # type: ignore[return-value] # it takes and answers what `function` does


class no_grad(_Switch):
    """Nothing is recorded inside."""

    __slots__ = ()
    flag = False


class enable_grad(_Switch):
    """Recording is on inside, even within ``no_grad``."""

    __slots__ = ()
    flag = True
