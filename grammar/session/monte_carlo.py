"""Runs a script at random inputs, for the standard deviations of its output."""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.choose_target import ConstantOutputError, find_target
from autodiff.grammar.session.run import EngineSetup, run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.rerun import Rerun


def sample_outputs(subject: ReportedPass, again: Rerun, moves: Any) -> Any:
    """Return the output's entries, a row for each row of ``moves``, which are added to the inputs' entries.

    A run that fails, or whose output has another size, gives a row of nan. Raises UsageError for an input
    that the script computes: it cannot be moved.
    """
    for name, node in subject.wrt:
        if not isinstance(node, Leaf) or node.number not in again.first.numbers:
            raise UsageError(
                f"--monte-carlo: `{name}` is computed by the script, so it cannot be drawn at random",
                code="E0603",
                help=("give the deviations of what it is computed from",),
            )
    sizes = [int(np.size(node.out)) for _, node in subject.wrt]
    ends = np.cumsum(sizes)
    found = np.full((len(moves), int(np.size(subject.value))), np.nan)
    for row, move in zip(found, moves, strict=True):
        parts = np.split(move, ends[:-1])
        out = output_at(again, {node: part for (_, node), part in zip(subject.wrt, parts, strict=True)})
        if out is not None and out.size == row.size:
            row[:] = out
    return found


def output_at(again: Rerun, moves: dict[Any, Any]) -> Any:
    """Return the output's entries of a run with moved leaves; None if the run fails."""
    with again.moved(moves):
        try:
            execution = run_once(again.source, again.settings, discard_text, discard_warning)
            with EngineSetup(again.settings):
                value = find_target(execution, again.settings).node.out
        except ConstantOutputError as error:
            value = error.tensor.value if error.tensor.__class__ is Tensor else error.tensor
        except AutodiffError:
            return None
    return np.ravel(value)
