"""Runs scripts. Errors are raised with repairs that were tried and work."""

from __future__ import annotations

import sys

from autodiff.core.base.errors import AutodiffError, CompileError, ScriptError
from autodiff.core.base.source import Source
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Execution, Settings, run_once
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.grammar.syntax import tree


def execute(
    source: Source,
    settings: Settings | None = None,
    write: Callable[[str], None] | None = None,
    warn: Callable[[str, Span], None] | None = None,
    until_constant: bool = False,
    script: tree.Script | None = None,
) -> Execution:
    """Run a script, or the part ``script`` of its tree.

    Errors have their position, their labels and only repairs that were tried and work.

    With ``until_constant``, a script that differentiates a constant derivative counts as ended before that
    statement, which ``stopped_before`` of the result has: for a report on second derivatives, which are 0.
    """
    settings = settings or Settings()
    write, warn = write or write_out, warn or discard_warning
    mix = None
    if "loat" in source.text and settings.dtype == "float64" and not settings.one_float:
        from autodiff.grammar.repair.mixed_floats import MixedFloats, may_mix_floats

        if may_mix_floats(source.text):
            mix = MixedFloats(write, warn)
            write, warn = mix.write, mix.warn
    if "^" in source.text and not source.caret_is_power:
        from autodiff.grammar.repair.carets import read_carets

        read_carets(source, settings, warn)
    try:
        return run_once(source, settings, write, warn, script)
    except AutodiffError as error:
        if mix is not None and mix.is_in(error):
            settings.one_float = True
            return mix.noted(execute(source, settings, write, warn, until_constant, script))
        if isinstance(error, CompileError) and error.code < "E0200":
            from autodiff.grammar.help.syntax.recovery import find_further_errors

            find_further_errors(error, source, settings.sets)
        if error.code < "E0202":
            from autodiff.grammar.translate.error_rewrites import add_rewrites

            add_rewrites(error, source)
        if error.reshaped and isinstance(error, ScriptError):
            from autodiff.grammar.repair.set_shape_errors import report_option

            report_option(error, source, settings)
        if until_constant and error.is_constant_slope:
            shortened = run_before(error, source, settings)
            if shortened is not None:
                return shortened
        if error.fixes:
            from autodiff.grammar.repair.try_repairs import keep_working_fixes

            keep_working_fixes(error, source, settings)
        raise


def run_before(error: AutodiffError, source: Source, settings: Settings) -> Execution | None:
    """Run a script, without output, up to the statement at top level that failed; None if that fails too."""
    script = parse_to_first_error(source)
    place = error.span
    failed = next((one for one in script.body if place is not None and place.end <= one.span.end), None)
    if failed is None or error.frames:
        return None
    try:
        begun = Source(source.text[: failed.span.start], source.name)
        execution = run_once(begun, settings, discard_text, discard_warning)
    except AutodiffError:
        return None
    execution.stopped_before = failed.span
    return execution


def run(source_text: str, inputs: dict[str, Any] | None = None, filename: str = "<script>") -> dict[str, Any]:
    """Run a script and return its top-level names; ``inputs`` are defined before it starts.

    >>> names = run("w = tensor(3., requires_grad=True)\\nL = w**2\\nL.backward()")
    >>> names["w"].grad.item()
    6.0
    """
    return execute(Source(source_text, filename), Settings(sets=inputs, track=False)).names


def write_out(text: str) -> None:
    """Print to standard output."""
    sys.stdout.write(text)
