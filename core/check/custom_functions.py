"""Checks of the ``backward`` of custom Functions, each call on its own.

In the gradient of a whole script an error may shrink a thousandfold, below what differences of the output can
show. So each call is checked alone: its operand is moved and its ``forward`` run again, and the outputs are
weighted with the cotangent that the call received.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.check.verify import verify
from autodiff.core.engine.custom_call import Part, Whole
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import leading_to
from autodiff.core.paths.path_sum import contribution_of
from autodiff.core.report.records import Subject
from autodiff.core.report.verdict import WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.engine.custom_call import CustomCall
    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import Names
    from autodiff.core.report.verdict import Check

#: The most calls that are checked, those nearest to the output.
MOST_CALLS = 20


class FunctionFault:
    """A Function ``name`` with a wrong ``backward``, shown by its call in line ``called``.

    ``check`` is the result for the node ``operand``, which has the name ``spelled``. ``line`` is the last
    line that ``backward`` ran, None if it computed nothing.
    """

    __slots__ = ("called", "check", "line", "name", "operand", "spelled")

    def __init__(self, name: str, operand: Node, spelled: str, check: Check) -> None:
        self.name = name
        self.operand = operand
        self.spelled = spelled
        self.check = check
        self.line: int | None = None
        self.called: int | None = None


def function_faults(subject: Subject, names: Names, source: Source, seed: int) -> list[FunctionFault]:
    """The faulty Functions in a backward pass: one fault per operand, at the call nearest to the output."""
    calls = [node for node in subject.order if isinstance(node.op, Whole) and node in subject.cotangents]
    found: dict[tuple[str, int], FunctionFault] = {}
    for node in calls[:MOST_CALLS]:
        assert isinstance(node, OpNode)
        assert isinstance(node.op, Whole)
        call = node.op.call
        for index, below in enumerate(node.inputs):
            if below is None or not below.tracked or below in node.inputs[:index]:
                continue
            if (call.name, index) in found:
                continue
            try:
                check = verify(alone(subject, node, call, below), call.name, below, 1, seed)
            except AutodiffError:  # it cannot run a second time
                break
            if check.verdict == WRONG:
                fault = found[call.name, index] = FunctionFault(call.name, below, names[below], check)
                fault.line, fault.called = (
                    None if span is None else source.position(span.start)[0] for span in (call.ran, call.site)
                )
    return list(found.values())


def alone(subject: Subject, node: OpNode, call: CustomCall, below: Node) -> Subject:
    """A backward pass through one call only, from the cotangent that it received to one operand."""
    g = subject.cotangents[node]
    call.reached.update(
        part.op.position
        for part in subject.order
        if isinstance(part.op, Part) and part.inputs[0] is node and part in subject.cotangents
    )
    received: dict[Node, Any] = {node: g}
    for index, other in enumerate(node.inputs):
        if other is below:
            c = contribution_of((node, index), g)
            received[below] = received[below] + c if below in received else c
    return Subject(call.name, node, g, "G", ((call.name, below),), [node, below], received)


def is_reached(fault: FunctionFault, subject: Subject, target: Node) -> bool:
    """Whether the gradient from the faulty call reaches an input."""
    return fault.operand in leading_to(subject.order, [target])
