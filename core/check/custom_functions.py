"""Checks of the ``backward`` of custom Functions, each call on its own.

In the gradient of a whole script an error may shrink a thousandfold, below what differences of the output
can show. So each call is checked alone: its operand is moved and its ``forward`` run again, and the outputs
are weighted with the cotangent that the call received. A backward that ignores or squares its cotangent may
be right for that one, often 1, so a Function that passes is checked with another cotangent too.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.base.record import Record
from autodiff.core.check.small_entries import wrong_small_entry
from autodiff.core.check.verify import verify
from autodiff.core.engine.custom_call import CustomCallOp, OutputPartOp
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.graph.values import as_stored
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
    line that ``backward`` ran, None if it computed nothing. ``is_right_here`` if it is right for the
    cotangent that the call received and wrong for others, ``ignores_cotangent`` if it returns the same for
    both.
    """

    name: str
    operand: Node
    spelled: str
    check: GradientCheck
    line: int | None = None
    called: int | None = None
    is_right_here: bool = False
    ignores_cotangent: bool = False


def function_faults(
    subject: ReportedPass, names: NodeNames, source: Source, seed: int
) -> list[FunctionFault]:
    """The faulty Functions in a backward pass: one fault per operand, at the call nearest to the output.

    Those that are wrong for the cotangent they received come first.
    """
    calls = [
        node for node in subject.order if isinstance(node.op, CustomCallOp) and node in subject.cotangents
    ]
    found: dict[tuple[str, int], FunctionFault] = {}
    tried: set[tuple[str, int]] = set()
    for node in calls[:MOST_CALLS]:
        assert isinstance(node, OpNode)
        assert isinstance(node.op, CustomCallOp)
        call = node.op.call
        for index, below in enumerate(node.inputs):
            if below is None or not below.tracked or below in node.inputs[:index]:
                continue
            is_found = (call.name, index) in found
            if is_found and not found[call.name, index].is_right_here:
                continue
            spelled = names[below]
            try:
                alone = single_call_subject(subject, node, call, below, subject.cotangents[node])
                check = check_alone(alone, call.name, below, seed)
                fault = FunctionFault(call.name, below, spelled, check)
                if check.verdict == OK and (call.name, index) not in tried:
                    tried.add((call.name, index))
                    fault = fault_with_another_cotangent(subject, alone, fault, seed) or fault
            except AutodiffError:  # it cannot run a second time
                break
            if fault.check.verdict == WRONG:
                found[call.name, index] = fault
                fault.line, fault.called = (
                    None if span is None else source.position(span.start)[0]
                    for span in (call.backward_site, call.site)
                )
    return sorted(found.values(), key=lambda fault: fault.is_right_here)


def check_alone(alone: ReportedPass, spelled: str, below: Node, seed: int) -> GradientCheck:
    """The check of one call by one operand."""
    check = verify(alone, spelled, below, 1, seed)
    if check.verdict == OK:
        check = wrong_small_entry(alone, spelled, below) or check
    return check


def fault_with_another_cotangent(
    subject: ReportedPass, alone: ReportedPass, here: FunctionFault, seed: int
) -> FunctionFault | None:
    """The check of a call that is right for its cotangent with another one; None if there is none."""
    node, below = alone.root, here.operand
    assert isinstance(node.op, CustomCallOp)
    call = node.op.call
    other = another_cotangent(alone.seed, call, reached_outputs(subject, node), seed)
    if other is None:
        return None
    answered = call.answered
    try:
        again = single_call_subject(subject, node, call, below, other)
        check = check_alone(again, call.name, below, seed)
    finally:
        call.answered = answered  # reports read the results for the cotangent of the pass
    is_same = np.array_equal(again.cotangents[below], alone.cotangents[below])
    fault = FunctionFault(call.name, below, here.spelled, check)
    fault.is_right_here, fault.ignores_cotangent = True, is_same
    return fault


def another_cotangent(g: Any, call: CustomCall, reached: set[int], seed: int) -> Any:
    """A cotangent of about the size of ``g`` with other signs; None if ``g`` has no size.

    Its norm and its largest entry are not larger than those of ``g``, so that a limit on gradients that ``g``
    keeps is kept. Outputs that no gradient has reached get none.
    """
    given = np.asarray(g)
    size = float(np.sqrt(np.mean(np.square(given, dtype=float)))) if given.size else 0.0
    if not 0.0 < size < np.inf:
        return None
    other = np.where(given > 0, -size, size) * np_random.default_rng(seed).uniform(0.5, 1.0, given.shape)
    if sum(slot is not None for slot in call.slots) > 1:
        for position, slot in enumerate(call.slots):
            if slot is not None and position not in reached:
                other[slot[0] : slot[1]] = 0.0
    return as_stored(other.astype(given.dtype))


def reached_outputs(subject: ReportedPass, node: Node) -> set[int]:
    """The numbers of the outputs of a call that a gradient has reached."""
    return {
        part.op.position
        for part in subject.order
        if isinstance(part.op, OutputPartOp) and part.inputs[0] is node and part in subject.cotangents
    }


def single_call_subject(
    subject: ReportedPass, node: Node, call: CustomCall, below: Node, g: Any
) -> ReportedPass:
    """A backward pass through one call only, from the cotangent ``g`` to one operand."""
    call.reached_outputs.update(reached_outputs(subject, node))
    received: dict[Node, Any] = {node: g}
    for index, other in enumerate(node.inputs):
        if other is below:
            c = edge_contribution((node, index), g)
            received[below] = received[below] + c if below in received else c
    return ReportedPass(call.name, node, g, "G", ((call.name, below),), [node, below], received)


def fault_reaches(fault: FunctionFault, subject: ReportedPass, target: Node) -> bool:
    """Whether the gradient from the faulty call reaches an input."""
    return fault.operand in nodes_leading_to(subject.order, [target])
