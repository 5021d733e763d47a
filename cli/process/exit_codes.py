"""The exit codes, and the one place that maps an exception to its code.

Deaths by signal (130, 143, 129, 141) are not here: the process really dies of the signal, and the shell makes
the number.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, CompileError, LimitError, UsageError

OK = 0
NO = 1
USAGE = 2
COMPILE = 3
SCRIPT = 4
LIMIT = 5
OUTPUT = 6
BUG = 70
TIMEOUT = 124


class OutputError(AutodiffError):
    """The output could not be written: disk full, closed, read-only (exit 6)."""

    code = "E0700"


class TimeOutError(LimitError):
    """The time given with ``--timeout`` is over (exit 124)."""

    code = "E0505"


# The first matching class decides, so a subclass comes before its base.
STATUS = (
    (OutputError, OUTPUT),
    (UsageError, USAGE),
    (CompileError, COMPILE),
    (TimeOutError, TIMEOUT),
    (LimitError, LIMIT),
    (AutodiffError, SCRIPT),
)


def as_autodiff_error(error: BaseException) -> AutodiffError | None:
    """The error to show for an exception; None for a bug in autodiff itself."""
    if isinstance(error, AutodiffError):
        return error
    if isinstance(error, MemoryError):
        from autodiff.core.base.limits import call_and_clear, out_of_memory_callbacks

        call_and_clear(out_of_memory_callbacks)
        return LimitError(
            "there is not enough memory for this script",
            code="E0502",
            help=("use smaller shapes, or fewer steps between two backward passes",),
        )
    if isinstance(error, RecursionError):
        return LimitError(
            "this is nested too deeply",
            code="E0501",
            help=("give parts of the expression names of their own, or write the recursion as a loop",),
        )
    return None


def exit_code(error: BaseException) -> int:
    """The exit code for an exception that no command handled."""
    shown = as_autodiff_error(error)
    for kind, status in STATUS:
        if isinstance(shown, kind):
            return status
    return BUG
