"""What a running script may use up and whom it talks to: one object, owned by ``run.execute``.

Steps are loop turns and calls; depth is how deep calls are nested. Printing and warning go to whoever
started the script.
"""

from __future__ import annotations

from autodiff.core.base.errors import LimitError, Turn
from autodiff.core.base.limits import check_resident, limits
from autodiff.core.base.source import Span
from autodiff.core.engine.hooks import watch
from autodiff.core.engine.printing import options
from autodiff.core.graph.node import next_number
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from weakref import ref

    from autodiff.core.engine.tensor import Tensor


UNLIMITED = 1 << 62
TRANCHE = 8192  # steps between two looks at the nodes and the memory, which take some 20 us


class Runtime:
    """``steps`` counts down to the next look at the limits, ``left`` are those after it.

    ``depth`` counts the calls that have not returned.

    ``turns`` are the loops that an error went through on its way out, innermost first.
    ``numbers_are_leaves`` says that a tensor may be what the script wrote as a number: it then counts as an
    integer where one is needed; ``without_tensors`` that the script has no others, so that Python's functions
    of numbers take it, and are differentiated. ``number_chosen`` is where ``max`` or ``min`` last preferred a
    plain number to a tensor of the graph.
    """

    __slots__ = (
        "allowed",
        "counted",
        "deepest",
        "depth",
        "left",
        "number_chosen",
        "numbered",
        "numbers_are_leaves",
        "parameters",
        "steps",
        "tranche",
        "turns",
        "warn",
        "without_tensors",
        "write",
    )

    def __init__(self) -> None:
        self.write: Callable[[str], None] = ignore
        self.warn: Callable[[str, Span], None] = ignore_warning
        self.start()

    def start(self) -> None:
        """Set the counters for a new script."""
        self.allowed = limits.steps or UNLIMITED
        self.tranche = min(TRANCHE, max(1, (limits.nodes or UNLIMITED) // 16))
        self.left = self.allowed
        self.steps = 0
        self.counted = next_number()
        self.deepest: float = limits.depth or float("inf")
        self.depth = 0
        self.numbered: dict[int, tuple[object, int]] = {}  # what the script asked the id of
        self.parameters: dict[int, ref[Tensor]] = {}  # by id, what is shown as ``nn.Parameter``
        self.turns: list[Turn] = []
        self.numbers_are_leaves = self.without_tensors = False
        self.number_chosen: Span | None = None
        watch.start()
        options.start()

    @property
    def used(self) -> int:
        """The steps the script has taken."""
        return self.allowed - self.left - self.steps

    def look(self) -> None:
        """Called when ``steps`` is below 0: raise where the script is beyond a limit, else let it go on."""
        if self.left < -self.steps:
            raise self.out_of_steps()
        while self.steps < 0:
            more = min(self.tranche, self.left)
            self.steps += more
            self.left -= more
        if limits.nodes and next_number() - self.counted > limits.nodes:
            from autodiff.grammar.objects.node_count import check_nodes

            self.counted = next_number() - check_nodes()
        if limits.memory:
            check_resident()

    def out_of_steps(self) -> LimitError:
        """The error of a script that runs for too long."""
        return LimitError(
            f"the script was stopped after {limits.steps:,} steps",
            code="E0503",
            caret="it was still running here",
            help=("check that the loop ends, or raise the limit with --max-steps",),
            span=mode.site,
        )

    def spend(self, steps: int) -> None:
        """Count work that a builtin does on the script's behalf."""
        self.steps -= steps
        if self.steps < 0:
            self.look()

    def too_deep(self) -> LimitError:
        """The error of calls nested too deeply."""
        return LimitError(
            "maximum recursion depth exceeded",
            code="E0501",
            caret=f"calls are nested more than {limits.depth:,} deep here",
            help=("check that the recursion ends, or raise the limit with --max-depth",),
            span=mode.site,
        )

    def tell(self, text: str) -> None:
        """Warn about the place that is running."""
        self.warn(text, mode.site or Span(0, 0))


def ignore(text: str) -> None:
    """Print nowhere."""


def ignore_warning(text: str, span: Span) -> None:
    """Warn nobody."""


runtime = Runtime()
