"""Runs a script at random inputs, for the standard deviations of its output.

Draws are run in blocks where the script allows it (``rows.py``): every input is a vector, with an entry for
each draw. Other scripts are run once for each draw.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.session.choose_target import ConstantOutputError, find_target
from autodiff.grammar.session.rerun import Probe
from autodiff.grammar.session.rows import RowRuns, keep_rows_apart
from autodiff.grammar.session.run import EngineSetup, run_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.rerun import Rerun

BLOCK = 10_000  # draws


class Spread(Probe):
    """A probe that makes leaves without a dimension vectors: their value and each of their ``moves``."""

    __slots__ = ()

    def moved(self, x: Any, move: Any) -> Any:
        return x + move


class Draws:
    """Runs of a script whose inputs, those of ``subject``, are moved; ``again`` knows the first run.

    ``why`` is the reason why draws are run one by one, "" if they are not. ``done`` counts those.
    """

    __slots__ = ("done", "numbers", "runs", "sizes", "subject", "why")

    def __init__(self, subject: ReportedPass, again: Rerun) -> None:
        """Raises UsageError for an input that the script computes: it cannot be moved."""
        for name, node in subject.wrt:
            if not isinstance(node, Leaf) or node.number not in again.first.numbers:
                raise UsageError(
                    f"--monte-carlo: `{name}` is computed by the script, so it cannot be drawn at random",
                    code="E0603",
                    help=("give the deviations of what it is computed from",),
                )
        self.done = 0
        self.subject = subject
        self.numbers = [again.first.numbers[node.number] for _, node in subject.wrt]
        self.sizes = [int(np.size(node.out)) for _, node in subject.wrt]
        settings = again.settings.copy()
        settings.grad_output = None  # a Jacobian has set it; there is no pass here
        self.runs = RowRuns(again.source, settings)
        self.why = self.runs.reason_against_blocks(subject, {})

    def outputs(self, moves: Any) -> Any:
        """Return the output's entries, a row for each row of ``moves``, which move the inputs' entries.

        A run that fails, or whose output has another size, gives a row of nan.
        """
        found = np.full((len(moves), int(np.size(self.subject.value))), np.nan)
        for start in range(0, len(moves), BLOCK):
            part = slice(start, start + BLOCK)
            together = None if self.why else self.outputs_together(moves[part])
            if together is not None:
                found[part, 0] = together
                continue
            for row, move in zip(found[part], moves[part], strict=True):
                out = self.output_at(move)
                if out is not None and out.size == row.size:
                    row[:] = out
                self.done += 1
        return found

    def outputs_together(self, moves: Any) -> Any:
        """Return the outputs of draws from one run; None if it fails or does not keep the draws apart."""
        runtime.in_rows = True
        try:
            root = self.root(Spread(dict(zip(self.numbers, moves.T, strict=True))))
        finally:
            runtime.in_rows = False
        shape = (len(moves),)
        if root is None or root.shape != shape or not keep_rows_apart(newest_first([root]), shape):
            return None
        return root.out

    def output_at(self, move: Any) -> Any:
        """Return the output's entries of a run with moved inputs; None if the run fails."""
        parts = np.split(move, np.cumsum(self.sizes)[:-1])
        root = self.root(Probe(dict(zip(self.numbers, parts, strict=True))))
        return None if root is None else np.ravel(root.out)

    def root(self, probe: Probe) -> Node | None:
        """Return the output of a run, a leaf if it depends on no input; None if the run fails."""
        runs = self.runs
        try:
            with probe, EngineSetup(runs.settings):
                execution = run_script(runs.script, runs.source, runs.settings, discard_text, discard_warning)
                return find_target(execution, runs.settings).node
        except ConstantOutputError as error:
            return Leaf(error.tensor.value, tracked=False)
        except LimitError:
            raise
        except AutodiffError:
            return None
