"""What a running script may use up and whom it talks to: one object, owned by ``run.execute``.

Steps are loop turns and calls; depth is how deep calls are nested. Printing and warning go to whoever
started the script.
"""

from __future__ import annotations

from autodiff.core.errors import LimitError, Turn
from autodiff.core.limits import limits
from autodiff.core.mode import mode
from autodiff.core.printing import options
from autodiff.core.span import Span
from autodiff.core.watch import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


UNLIMITED = 1 << 62


class Runtime:
    """``steps`` counts down to the limit; ``depth`` counts the calls that have not returned.

    ``turns`` are the loops that an error went through on its way out, innermost first.
    ``numbers_are_leaves`` says that a tensor may be what the script wrote as a number: it then counts as an
    integer where one is needed.
    """

    __slots__ = ("allowed", "deepest", "depth", "numbers_are_leaves", "steps", "turns", "warn", "write")

    def __init__(self) -> None:
        self.write: Callable[[str], None] = ignore
        self.warn: Callable[[str, Span], None] = ignore_warning
        self.start()

    def start(self) -> None:
        """Set the counters for a new script."""
        self.allowed = limits.steps or UNLIMITED
        self.steps = self.allowed
        self.deepest: float = limits.depth or float("inf")
        self.depth = 0
        self.turns: list[Turn] = []
        self.numbers_are_leaves = False
        watch.start()
        options.start()

    @property
    def used(self) -> int:
        """The steps the script has taken."""
        return self.allowed - self.steps

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
            raise self.out_of_steps()

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
