"""Checks of the ``backward`` of custom Functions, each call on its own.

In the gradient of a whole script an error may shrink a thousandfold, below what differences of the output can
show. So each call is checked alone: its operand is moved and its ``forward`` run again, and the outputs are
weighted with the cotangent that the call received.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.record import Record
from autodiff.core.check.small_entries import wrong_small_entry
from autodiff.core.check.verify import verify
from autodiff.core.engine.custom_call import CustomCallOp, OutputPartOp
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.report.records import ReportedPass
from autodiff.core.report.verdict import OK, WRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.engine.custom_call import CustomCall
    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.report.verdict import GradientCheck

#: The most calls that are checked, those nearest to the output.
MOST_CALLS = 20


class FunctionFault(Record):
    """A Function ``name`` with a wrong ``backward``, shown by its call in line ``called``.

    ``check`` is the result for the node ``operand``, which has the name ``spelled``. ``line`` is the last
    line that ``backward`` ran, None if it computed nothing.
    """

    name: str
    operand: Node
    spelled: str
    check: GradientCheck
    line: int | None = None
    called: int | None = None


def function_faults(
    subject: ReportedPass, names: NodeNames, source: Source, seed: int
) -> list[FunctionFault]:
    """The faulty Functions in a backward pass: one fault per operand, at the call nearest to the output."""
    calls = [
        node for node in subject.order if isinstance(node.op, CustomCallOp) and node in subject.cotangents
    ]
    found: dict[tuple[str, int], FunctionFault] = {}
    for node in calls[:MOST_CALLS]:
        assert isinstance(node, OpNode)
        assert isinstance(node.op, CustomCallOp)
        call = node.op.call
        for index, below in enumerate(node.inputs):
            if below is None or not below.tracked or below in node.inputs[:index]:
                continue
            if (call.name, index) in found:
                continue
            try:
                alone = single_call_subject(subject, node, call, below)
                check = verify(alone, call.name, below, 1, seed)
                if check.verdict == OK:
                    check = wrong_small_entry(alone, call.name, below) or check
            except AutodiffError:  # it cannot run a second time
                break
            if check.verdict == WRONG:
                fault = found[call.name, index] = FunctionFault(call.name, below, names[below], check)
                fault.line, fault.called = (
                    None if span is None else source.position(span.start)[0]
                    for span in (call.backward_site, call.site)
                )
    return list(found.values())


def single_call_subject(subject: ReportedPass, node: OpNode, call: CustomCall, below: Node) -> ReportedPass:
    """A backward pass through one call only, from the cotangent that it received to one operand."""
    g = subject.cotangents[node]
    call.reached_outputs.update(
        part.op.position
        for part in subject.order
        if isinstance(part.op, OutputPartOp) and part.inputs[0] is node and part in subject.cotangents
    )
    received: dict[Node, Any] = {node: g}
    for index, other in enumerate(node.inputs):
        if other is below:
            c = edge_contribution((node, index), g)
            received[below] = received[below] + c if below in received else c
    return ReportedPass(call.name, node, g, "G", ((call.name, below),), [node, below], received)


def fault_reaches(fault: FunctionFault, subject: ReportedPass, target: Node) -> bool:
    """Whether the gradient from the faulty call reaches an input."""
    return fault.operand in nodes_leading_to(subject.order, [target])
