"""Errors that Python raises while it works for a script, as errors of the language."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, LimitError, ScriptError
from autodiff.core.base.limits import call_and_clear, out_of_memory_callbacks

PYTHON_ERRORS = (
    ArithmeticError,
    TypeError,
    ValueError,
    RecursionError,
    MemoryError,
)


def convert_python_error(error: BaseException) -> AutodiffError:
    """Return our error for one that Python raised while it ran the script."""
    message = str(error)
    if isinstance(error, ZeroDivisionError):
        return ScriptError(
            message,
            code="E0212",
            caret="the divisor is 0",
            help=("tensors divide by zero without an error, giving inf or nan",),
        )
    if isinstance(error, RecursionError):
        return LimitError(
            "maximum recursion depth exceeded",
            code="E0501",
            caret="calls or lists are nested too deeply here",
        )
    if isinstance(error, MemoryError):
        call_and_clear(out_of_memory_callbacks)
        return LimitError(
            "not enough memory", code="E0502", caret="there is no room for this", help=("use smaller shapes",)
        )
    if isinstance(error, OverflowError):
        return ScriptError(message, code="E0207", caret="the result is too large")
    for kind, code in ((TypeError, "E0310"), (ValueError, "E0206")):
        if isinstance(error, kind):
            return ScriptError(strip_qualifier(message), code=code)
    return ScriptError(message, code="E0206")


def strip_qualifier(message: str) -> str:
    """Return Python's message about one of our functions without the prefix of its qualified name."""
    head, call, tail = message.partition("() ")
    return head.rpartition(".")[2] + call + tail if call else message
