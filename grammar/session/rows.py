"""Runs a script for many rows of values: one row at a time, or a block of rows in one run.

In a block every input is a vector with an entry for each row. A script that treats entries alike then
computes every row at once, and one backward pass from ones gives the gradients of all of them: the derivative
of the sum of the outputs by an entry is that of the output of its row. ``reason_against_blocks`` says whether
a script treats entries alike, from its syntax; ``run_block`` looks at the graph once more.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.graph.node import Leaf
from autodiff.core.report.records import ReportedPass, gradient_or_zeros
from autodiff.grammar.interpret.compiler import Compiler
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.session.row_syntax import RowSyntax
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate, resolve_names, run_script
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node

WORDS = {
    tree.If: "a branch",
    tree.Conditional: "a branch",
    tree.For: "a loop",
    tree.While: "a loop",
    tree.FunctionDef: "a function",
    tree.Subscript: "an index",
    tree.ListDisplay: "a list",
    tree.Comparison: "a comparison",
}


class RowRuns:
    """Runs of one script that differ in the values of some names; ``settings`` are those of every run."""

    __slots__ = ("script", "settings", "source")

    def __init__(self, source: Source, settings: Settings) -> None:
        self.source = source
        self.settings = settings
        self.script = parse_to_first_error(source)

    def run(self, values: Mapping[str, Any], grad_output: object = None) -> ReportedPass:
        """Run the script with these values of its names, then backward. What it prints is left out."""
        settings = self.settings.copy(sets={**self.settings.sets, **values})
        settings.grad_output = grad_output or settings.grad_output
        with EngineSetup(settings):
            execution = run_script(self.script, self.source, settings, discard_text, discard_warning)
        return differentiate(execution, settings)

    def run_block(
        self, columns: Mapping[str, Any], constants: Mapping[str, float], inputs: Sequence[str]
    ) -> tuple[Any, list[Any]] | None:
        """Return the outputs of all rows and their gradients by each of the inputs; None if that fails.

        ``columns`` are the rows' values, arrays of one dimension; ``constants`` those of the other inputs.
        """
        shape = np.shape(next(iter(columns.values())))
        vectors = {name: np.full(shape, value) for name, value in constants.items()}
        runtime.in_rows = True
        try:
            subject = self.run({**vectors, **columns}, "ones")
        except AutodiffError:
            return None
        finally:
            runtime.in_rows = False
        nodes = dict(subject.wrt)
        if np.shape(subject.value) != shape or nodes.keys() != set(inputs):
            return None
        if not keep_rows_apart(subject.order, shape):
            return None
        return subject.value, [gradient_or_zeros(subject.received, nodes[name]) for name in inputs]

    def reason_against_blocks(self, first: ReportedPass, values: Mapping[str, Any]) -> str:
        """Return why rows cannot be run in blocks, as a clause; "" if they can.

        ``first`` is the pass of a row with these ``values``.
        """
        if self.settings.grad_output is not None:
            return "--grad-output weighs the output of one row"
        for name, node in first.wrt:
            if not isinstance(node, Leaf) or node.shape != () or not name.isidentifier():
                return f"`{name}` is not a number that the script is given"
        if np.shape(first.value) != ():
            return "the output has several entries"
        names = resolve_names(self.script, self.source, {**self.settings.sets, **values})
        scopes, _, without_tensors, is_plain = names
        compiler = Compiler(scopes, self.source, {}, is_plain)
        varying = {*values, *(name for name, _ in first.wrt)}
        syntax = RowSyntax(
            *(self.script, scopes, compiler, without_tensors, is_plain), varying, self.settings.sets
        )
        obstacle = syntax.first_obstacle()
        if obstacle is None:
            return ""
        line, _ = self.source.position(obstacle.span.start)
        what = WORDS.get(type(obstacle), f"`{self.source.excerpt(obstacle.span)}`")
        return f"line {line} has {what}"


def keep_rows_apart(nodes: Iterable[Node], shape: tuple[int, ...]) -> bool:
    """Whether the nodes of a run in a block, whose rows are vectors of this shape, kept the rows apart."""
    for node in nodes:
        op = node.op
        # What has no dimension depends on no row.
        if node.shape not in (shape, ()) or not (isinstance(node, Leaf) or (op and op.is_elementwise)):
            return False
    return True
