"""Notes on values that the output is made of and that left the graph: ``x.detach()``, ``math.sin(x)``.

What ``no_grad()`` and its kind did not record is one of them.

The derivative takes them for constants, and so does a check that replays the graph: both agree, and neither
is the slope of the whole script.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.session.run import Execution

#: Scripts without these words are not read again. The signs of them are found much faster in a long text.
CUTTING_SIGNS = ("(", ".data", "no_grad", "inference_mode")
CUTTING = re.compile(
    r"\.(?:detach|item|tolist|numpy)\(|\.data\b|\bmath\.\w+\(|\b(?:float|int)\("
    r"|\b(?:no_grad|inference_mode|set_grad_enabled)\b"
)
MOST_NOTED = 3
#: Functions of ``math`` of whole numbers, each with what has a slope instead, if there is something.
COUNTING_FUNCTIONS = {
    "factorial": "gamma({0} + 1)",
    "comb": "special.comb({0}, {1})",
    "perm": "",
    "gcd": "",
    "lcm": "",
}
COUNTING = re.compile(rf"\b({'|'.join(COUNTING_FUNCTIONS)})\(")


def notes_on_counting(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield a note on each function of whole numbers of an input, as ``factorial(k)``: it has no slope by it.

    A constant output has its own note.
    """
    source = execution.source
    if not COUNTING.search(source.text) or not isinstance(subject.root, OpNode):
        return
    from autodiff.grammar.help.failure_scene import Scene, called_name
    from autodiff.grammar.repair.missing_path import shortened_text
    from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
    from autodiff.grammar.session.leaf_names import base_name

    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, parse_to_first_error(source), source, [], execution.names)
    origins = ValueOrigins(scene)
    noted = 0
    for node in walk(scene.script):
        name = called_name(node)
        if name not in COUNTING_FUNCTIONS or noted == MOST_NOTED or scene.function(name) is not None:
            continue
        if isinstance(node.function, tree.Attribute) and scene.text(node.function.object) != "math":
            continue
        given = [scene.text(one.value) for one in node.arguments]
        by = [base_name(input) for input, _ in subject.wrt if origins.depends_on(node, base_name(input))]
        if by:
            noted += 1
            other = COUNTING_FUNCTIONS[name].format(*given, *[""] * 2)
            instead = f"; {other} has a slope" if other else ""
            yield (
                f"`{shortened_text(scene, node)}` in line {scene.line(node.span)} takes whole numbers only:"
                f" the derivative by {by[0]} takes it for a constant{instead}"
            )


class NotedCut:
    """An expression whose value left the graph: its text and line, and the inputs it is made from."""

    __slots__ = ("line", "made_from", "text")

    def __init__(self, text: str, line: int, made_from: list[str]) -> None:
        self.text = text
        self.line = line
        self.made_from = made_from

    @property
    def note(self) -> str:
        return (
            f"`{self.text}` in line {self.line} is made from {self.made_from[0]} outside of the graph:"
            " the derivative takes it for a constant"
        )


def notes_on_cuts(execution: Execution, subject: ReportedPass) -> Iterator[str]:
    """Yield a note on each value made from an input that the output takes for a constant."""
    return (cut.note for cut in noted_cuts(execution, subject))


def noted_cuts(execution: Execution, subject: ReportedPass) -> Iterator[NotedCut]:
    """Yield the first values made from inputs that the output takes for constants.

    Inputs that no path leads to are left out: what ``explain`` says of them names the cut.
    """
    source = execution.source
    if not any(sign in source.text for sign in CUTTING_SIGNS) or not CUTTING.search(source.text):
        return
    # The repairs take longer to import than a short script to explain.
    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.missing_path import output_expression, shortened_text
    from autodiff.grammar.repair.proposals.graph_cuts import (
        ARRAY_REASON,
        NUMBER_REASON,
        UNRECORDED,
        UNRECORDED_FROM_HERE,
        find_cuts,
    )
    from autodiff.grammar.repair.proposals.value_origins import ValueOrigins
    from autodiff.grammar.session.leaf_names import base_name

    # What cuts depends on the kind of script; a pass for second derivatives has started anew since its run.
    runtime.without_tensors, runtime.prints_numbers = execution.without_tensors, execution.prints_numbers
    # The cuts that keep the value: comparisons, positions and updates without recording have no slope.
    reasons = (".data is outside of the graph", "detach() leaves the graph", ARRAY_REASON, NUMBER_REASON)
    end = Span(len(source.text), len(source.text))
    scene = Scene(AutodiffError(""), end, parse_to_first_error(source), source, [], execution.names)
    origins = ValueOrigins(scene)
    value = output_expression(scene, subject.name)
    nodes = {name: node for name, node in subject.wrt if node in subject.cotangents}
    names = [base_name(name) for name in nodes]
    # What an input held before its last value, as in a loop of steps, is not on the way.
    ends = [name for name, node in nodes.items() if is_node_of(execution.names.get(name), node)]
    cuts = [] if value is None else find_cuts(scene, value, ends)
    noted = 0
    for cut in cuts:
        if cut.reason in (UNRECORDED, UNRECORDED_FROM_HERE):
            made = sorted(cut.unrecorded, key=lambda one: one.span.start)
            places = [place for one in made for place in unrecorded_values(scene, one)]
        else:
            places = [(shortened_text(scene, cut.node), cut.node, [cut.node])] * (cut.reason in reasons)
        for text, at, given in places:
            made_from = [name for name in names if any(origins.depends_on(one, name) for one in given)]
            if made_from and noted < MOST_NOTED:
                noted += 1
                yield NotedCut(text, scene.line(at.span), made_from)


def is_node_of(value: Any, node: Node) -> bool:
    """Whether a value is the tensor of a node."""
    return value.__class__ is Tensor and value.source() is node


def unrecorded_values(scene: Scene, made: Any) -> Iterator[tuple[str, Any, list[Any]]]:
    """Yield what an assignment or a function without recording gives: its text, node and expressions."""
    from autodiff.grammar.repair.missing_path import shortened_text

    if isinstance(made, tree.FunctionDef):
        returned = [one.value for one in walk(*made.body) if isinstance(one, tree.Return) and one.value]
        yield f"{made.name}(...)", made, returned
    elif isinstance(made, tree.Return):
        yield shortened_text(scene, made.value), made, [made.value]
    else:
        targets = made.targets if isinstance(made, tree.Assign) else [made.target]
        yield shortened_text(scene, targets[0]), made, [made.value]
