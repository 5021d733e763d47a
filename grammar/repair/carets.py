"""Reads ``^`` as a power in scripts without tensors where it meets floats, for which Python has no ``^``."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source, Span
from autodiff.core.graph.state import mode
from autodiff.grammar.interpret.scope import resolve
from autodiff.grammar.interpret.script_kind import is_plain
from autodiff.grammar.objects.operators import CaretError
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import Settings, run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def read_carets(source: Source, settings: Settings, warn: Callable[[str, Span], None]) -> None:
    """Run a plain script that has ``^`` without output, and set ``source.caret_is_power`` if it meets floats.

    The whole script is read anew, because ``2*x^2`` is ``(2*x)^2`` to Python. Whole numbers keep Python's
    exclusive or where all of them are whole.
    """
    try:
        script = parse_to_first_error(source)
        has_caret = any(isinstance(node, tree.Binary) and node.op == "^" for node in walk(script))
        if not has_caret or not is_plain(resolve(script, settings.sets)):
            return
        probe, mode.probe = mode.probe, None  # it numbers the leaves of the run that follows
        try:
            run_once(source, settings, discard_text, discard_warning)
        finally:
            mode.probe = probe
    except CaretError as error:
        source.caret_is_power = True
        if error.span is not None:
            warn("`^` is read as a power, which Python writes `**`", error.span)
    except AutodiffError:
        return  # the run that follows has it too
