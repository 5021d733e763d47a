"""The engine's only mutable global state: whether recording is on, the open tape, the source span that runs,
and the callbacks for warnings and reports.

Only the context managers below change it, and the interpreter, which sets ``site`` while a script runs.
Everything else in the engine is a function of its arguments.
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
    from autodiff.core.graph.node import GradSlot, Leaf, Node
    from autodiff.core.graph.op import Op

    F = TypeVar("F", bound=Callable[..., object])
    #: A list: a TapeHeader, then one TapeEntry per operation (see ``core/fast/tape.py``).
    Tape = list[Any]
    TapeEntry = tuple[Any, Any, int, Any, Any, Any, Span | None]

    class Recorder(Protocol):
        """Receives the graph of each backward pass and keeps it after the engine has finished with it."""

        def pass_ran(self, kind: str, roots: list[Node], seeds: list[object], order: list[Node]) -> None: ...

        def written_pass_ran(
            self, kind: str, tape: Tape, at: int, value: Any, seed: Any, retain: bool
        ) -> None:
            """Receives a pass along a tape, which makes no nodes: the entry that it starts from is given.

            ``tape`` and ``at`` locate that entry, ``value`` is its value.
            """

        def grads_gathered(self, before: list[tuple[GradSlot, Any]], is_partial: bool) -> None: ...

        def slopes_made(self, slopes: dict[Node, tuple[Node, str]]) -> None: ...

        def derivatives_made(self, result: Any, inputs: list[Tensor], order: int) -> None:
            """Receives what ``jacobian()`` (order 1) or ``hessian()`` (2) returns, and its inputs."""

    class Probe(Protocol):
        """Observes a run of a script, and may change its inputs."""

        def leaf_made(self, leaf: Leaf, value: Any) -> Any:
            """Return the value to use for a new tracked leaf instead of ``value``."""

        def after_unrecorded(self, op: Op, values: tuple[Any, ...]) -> None: ...


def ignore_warning(text: str) -> None:
    """Discard a warning."""


def ignore_count(value: Tensor) -> None:
    """Do nothing about a tensor that is read as a whole number."""


#: The number of tapes that may be linked before the engine checks whether the newest still needs the others.
LINKS_BEFORE_CHECK = 16


class TapeHeader:
    """The first item of a tape: the facts about the tape as a whole.

    ``first`` is one less than the number of the first entry's node. ``inserted_at`` lists the tape positions
    at which a node was made outside the tape; each such node took one number. ``leaves`` are the leaf tensors
    that refer to their position on this tape while it is open. ``places`` maps each operand from outside to
    its position here; the key is the leaf, or the older tape's id and the position on it. ``link_counts``
    counts, for each entry, the newer tapes that refer to it. ``names`` are the names of the entries' nodes,
    None where there is none. ``nodes`` is the list of nodes once they have been made. ``passes`` lists the
    backward passes that freed entries: their start positions and the mark for the freed nodes.

    ``depth`` is the number of linked tapes, including this one. When it reaches ``next_check``, the engine
    checks whether the older tapes are still needed; if they are, ``next_check`` becomes ``depth + trust``.
    """

    __slots__ = (
        *(
            "depth",
            "first",
            "inserted_at",
            "leaves",
            "link_counts",
            "names",
            "nodes",
            "passes",
            "places",
            "check_interval",
        ),
        "next_check",
    )

    def __init__(self, first: int, trust: int) -> None:
        self.first = first
        self.inserted_at: list[int] = []
        self.leaves: list[ref[Tensor]] = []
        self.places: dict[Any, int] = {}
        self.link_counts: dict[int, int] = {}
        self.names: list[str | None] = []
        self.nodes: list[Any] | None = None
        self.passes: list[tuple[list[int], Any]] = []
        self.depth = 1
        self.check_interval = self.next_check = trust

    def newest_node_number(self, length: int) -> int:
        """Return the number of the tape's newest node; ``length`` is the length of the tape."""
        return self.first + length - 1 + len(self.inserted_at) - len(self.places)


#: The value of ``EngineState.tape`` when no tape is open. Nothing is recorded on it.
NO_TAPE: Tape = [TapeHeader(0, LINKS_BEFORE_CHECK)]


#: A tape with more entries than this is assumed to be one of many.
LONG_TAPE = 2048
#: Python returns memory to the system in blocks of a megabyte once a block is empty, and the system clears a
#: block before handing it out again. That costs a tenth of the time of a long program that is repeated. So
#: one small object per long tape stays alive; it has the size of an entry so that it lies among the entries.
HEAP_PINS: deque[tuple[int, ...]] = deque(maxlen=256)


class EngineState:
    """The engine's mutable state; ``mode`` is the only instance.

    ``enabled`` says whether operations are recorded. ``site`` is the source span that is running.
    ``recorder``, if set, keeps the graphs of backward passes. ``probe``, if set, observes the run. ``number``
    is the number of the newest node made outside the open tape. ``tape`` is the open tape; a tape is open
    only while recording is on. ``warn`` is called with each warning that torch gives, in torch's wording.
    ``follows_numpy``: the script is one of numpy. A value that changes in place is still known to what was
    computed from it, as nobody asks for the gradients of the old value but the command line; arrays of whole
    numbers are known as such beside floats; and ``1 - mask`` is a number. ``count`` is called with each
    tensor that is read as a size, a position, a number of turns or a seed.
    """

    __slots__ = ("count", "enabled", "follows_numpy", "number", "probe", "recorder", "site", "tape", "warn")

    def __init__(self) -> None:
        self.enabled = True
        self.number = 0
        self.site: Span | None = None
        self.recorder: Recorder | None = None
        self.probe: Probe | None = None
        self.warn: Callable[[str], None] = ignore_warning
        self.count: Callable[[Tensor], None] = ignore_count
        self.tape: Tape = NO_TAPE
        self.follows_numpy = False

    def record(self, flag: bool) -> None:
        """Turn recording on or off."""
        self.enabled = flag
        if not flag:
            self.close_tape()

    def next_number(self) -> int:
        """Return the number for a new node that is not an entry of the tape."""
        tape = self.tape
        if tape is NO_TAPE:
            self.number += 1
        else:
            header = tape[0]
            self.number = header.newest_node_number(len(tape)) + 1
            header.inserted_at.append(len(tape))
        return self.number

    def close_tape(self) -> None:
        """Close the open tape: the next operation starts a new one."""
        tape = self.tape
        if tape is not NO_TAPE:
            header = tape[0]
            self.number = header.newest_node_number(len(tape))
            self.tape = NO_TAPE
            if len(tape) > LONG_TAPE:
                HEAP_PINS.append(tuple(bytes(7)))
            for leaf in header.leaves:  # each would keep this tape and all linked older tapes alive
                x = leaf()
                if x is not None and x.stored_node is not None:  # else an in-place change made it an entry
                    x.tape = None
            header.leaves.clear()


mode = EngineState()


class set_grad_enabled:
    """Turn recording on or off: immediately, as in torch, and until the end of a ``with`` block.

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


class _GradMode:
    """Base of the grad modes, usable as ``with no_grad():`` and as the decorator ``@no_grad()``."""

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

        return in_mode  # type: ignore[return-value] # same parameters and result as `function`


class no_grad(_GradMode):
    """Turn recording off inside."""

    __slots__ = ()
    flag = False


class enable_grad(_GradMode):
    """Turn recording on inside, even within ``no_grad``."""

    __slots__ = ()
    flag = True
