"""Reports scripts that fail because ``--set`` or ``--data`` gave a tensor another shape.

The error then names the option, not the line of the script.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, ScriptError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair.try_repairs import trial_limits
from autodiff.grammar.session.run import Settings, run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.source import Source

#: The error of a branch on a tensor of several entries.
BRANCH = "E0306"
#: A value of at most so many entries is written out as an example.
MOST_WRITTEN = 6


def report_option(error: ScriptError, source: Source, settings: Settings) -> None:
    """Raise a UsageError for the option if the script runs once the tensors keep their shapes."""
    kept = {name: value for name, value in settings.sets.items() if name not in error.reshaped}
    others = settings.copy(sets=kept)
    try:
        with trial_limits():
            run_once(source, others, discard_text, discard_warning)
    except AutodiffError:
        return
    name, (before, now) = next(iter(error.reshaped.items()))
    option = "--data" if name in settings.data else "--set"
    blamed = UsageError(
        f"{option} {name}: `{name}` {spell(before)} in the script and {spell(now)} now, and so the script"
        f" fails: {error.message}",
        code="E0618",
        caret=error.caret,
        help=advice_on_columns(error) if option == "--data" else (advice(name, before),),
        span=error.span,
    )
    blamed.labels = error.labels
    blamed.reshaped = {name: (before, now)}
    raise blamed from None


def spell(shape: tuple[int, ...]) -> str:
    return f"has shape {shape}" if shape else "is one number"


def advice_on_columns(error: ScriptError) -> tuple[str, ...]:
    """Return advice on a script that takes one row at a time; the caller knows how it runs every row."""
    is_branch = error.code == BRANCH
    return ("choose in every row: where(condition, a, b) in place of the branch",) * is_branch


def advice(name: str, shape: tuple[int, ...]) -> str:
    """Return advice on the value to give instead, with an example if that is short."""
    if not shape:
        return f"give it one number, as in --set {name}=0.5"
    values = np.zeros(shape)
    example = f", as in --set '{name}={values.tolist()}'" if 0 < values.size <= MOST_WRITTEN else ""
    return f"give it a value of shape {shape}{example}"
