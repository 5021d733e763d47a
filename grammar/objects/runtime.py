"""The state of the running script: its limits and its output functions, in one object ``runtime``.

``run.execute`` owns the object. A step is a loop iteration or a call; depth is the number of nested calls.
Printed text and warnings go to the functions that the starter of the script set as ``write`` and ``warn``.
"""

from __future__ import annotations

from autodiff.core.base.errors import LimitError, LoopIteration
from autodiff.core.base.limits import call_and_clear, check_process_memory, limits
from autodiff.core.base.source import Span
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.graph.node import next_number
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any
    from weakref import ref

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import Node


UNLIMITED = 1 << 62
STEPS_PER_CHECK = 8192  # steps between two checks of the node count and the memory, which take about 20 us


class Runtime:
    """Counters and flags of one running script.

    ``steps`` counts down to the next check of the limits; ``left`` is the number of steps allowed after it.
    ``depth`` is the number of calls that have not returned. ``turns`` lists the loops that an error left,
    innermost first. ``numbers_are_leaves``: a tensor may stand for a number literal of the script, so it is
    accepted where an integer is needed. ``without_tensors``: the script has no other tensors, so Python's
    numeric functions accept it and are differentiated. ``plain_functions``: it is not written as torch
    either, so functions of tensors accept numbers. ``prints_numbers``: it reads nothing of torch, so values
    are printed as Python's. ``literals`` are the numbers and lists of the text, by the leaf of each;
    ``positions`` are the inputs that were read as sizes, positions, numbers of turns or seeds, each with the
    first place where it was; ``counted`` are the results made of inputs that were;
    ``whole`` are results that were found to be whole numbers; ``array_kinds`` says of changed arrays, by id,
    whether they hold whole numbers only; ``backward_parts`` are copies of parts taken backwards, with the
    array of each. ``in_rows``: its numbers are vectors with an entry for each row. ``fixed_arrays`` names the
    library whose arrays do not change in place: ``"jax"``, ``"jax beside numpy"``, ``"autograd"`` or none;
    ``followed`` counts the calls of functions that have not returned and whose derivative is taken.
    ``skipped`` has for each kind of calls that are skipped, as ``plt.plot``, a note on the first and its
    place.
    ``made_choice`` says that a test of a tensor decided how the script goes on.
    ``resets`` are called before the next script starts: they undo settings outside this object.
    """

    __slots__ = (
        "array_kinds",
        "backward_parts",
        "counted",
        "depth",
        "depth_limit",
        "first_counted_node",
        "fixed_arrays",
        "floats",
        "followed",
        "id_numbers",
        "in_rows",
        "left",
        "literals",
        "made_choice",
        "numbers_are_leaves",
        "parameters",
        "plain_functions",
        "positions",
        "prints_numbers",
        "resets",
        "skipped",
        "step_limit",
        "steps",
        "steps_per_check",
        "turns",
        "warn",
        "whole",
        "without_tensors",
        "write",
    )

    def __init__(self) -> None:
        self.resets: list[Callable[[], None]] = []
        self.in_rows = False
        self.write: Callable[[str], None] = discard_text
        self.warn: Callable[[str, Span], None] = discard_warning
        self.start()

    def start(self) -> None:
        """Reset the counters and flags for a new script."""
        self.step_limit = limits.steps or UNLIMITED
        self.steps_per_check = min(STEPS_PER_CHECK, max(1, (limits.nodes or UNLIMITED) // 16))
        self.left = self.step_limit
        self.steps = 0
        self.first_counted_node = next_number()
        self.depth_limit: float = limits.depth or float("inf")
        self.depth = 0
        self.id_numbers: dict[int, tuple[object, int]] = {}  # objects whose id() the script requested
        self.parameters: dict[int, ref[Tensor]] = {}  # by id: tensors displayed as ``nn.Parameter``
        self.floats: dict[int, ref[Tensor]] = {}  # by id: results of float(), displayed as numbers
        self.literals: dict[Node | None, Any] = {}
        self.positions: dict[Node, Span | None] = {}
        self.counted: dict[Any, Any] = {}
        self.whole: dict[Any, Any] = {}
        self.backward_parts: list[tuple[ref[Tensor], ref[Tensor]]] = []
        self.array_kinds: dict[int, tuple[ref[Tensor], bool]] = {}
        self.prints_numbers = False
        self.fixed_arrays, self.followed = "", 0
        self.made_choice = False
        self.turns: list[LoopIteration] = []
        self.skipped: dict[str, tuple[str, Span]] = {}
        self.numbers_are_leaves = self.without_tensors = self.plain_functions = False
        pass_watch.start()
        call_and_clear(self.resets)

    @property
    def used(self) -> int:
        """The number of steps the script has taken."""
        return self.step_limit - self.left - self.steps

    def look(self) -> None:
        """Check all limits once ``steps`` is below 0: raise LimitError, or grant the next steps."""
        if self.left < -self.steps:
            raise self.step_limit_error()
        while self.steps < 0:
            more = min(self.steps_per_check, self.left)
            self.steps += more
            self.left -= more
        if limits.nodes and next_number() - self.first_counted_node > limits.nodes:
            from autodiff.grammar.objects.node_count import check_node_count

            self.first_counted_node = next_number() - check_node_count()
        if limits.memory:
            check_process_memory()

    def step_limit_error(self) -> LimitError:
        """Return the error for a script that exceeds the step limit."""
        return LimitError(
            f"the script was stopped after {limits.steps:,} steps",
            code="E0503",
            caret="it was still running here",
            help=("check that the loop ends, or raise the limit with --max-steps",),
            span=mode.site,
        )

    def spend(self, steps: int) -> None:
        """Count the steps of work that a builtin does for the script."""
        self.steps -= steps
        if self.steps < 0:
            self.look()

    def depth_error(self) -> LimitError:
        """Return the error for calls nested more deeply than the limit."""
        return LimitError(
            "maximum recursion depth exceeded",
            code="E0501",
            caret=f"calls are nested more than {limits.depth:,} deep here",
            help=("check that the recursion ends, or raise the limit with --max-depth",),
            span=mode.site,
        )

    def tell(self, text: str) -> None:
        """Issue a warning at the statement that is running."""
        self.warn(text, mode.site or Span(0, 0))


def discard_text(text: str) -> None:
    """Discard printed text (the default of ``write``)."""


def discard_warning(text: str, span: Span) -> None:
    """Discard a warning (the default of ``warn``)."""


runtime = Runtime()
