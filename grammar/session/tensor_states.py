"""Collects the state of a script's tensors: ``is_leaf``, ``requires_grad``, ``grad_fn``, ``grad``.

``.grad`` is shown before and after the last ``backward()`` of the script, or, if it calls none, before and
after the pass that the report makes.
"""

from __future__ import annotations

from autodiff.core.graph.topological_order import newest_first
from autodiff.core.report.tensor_states import NoGradReason, TensorState, TensorStates
from autodiff.grammar.session.leaf_names import display_name, named_tensors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution


def collect_tensor_states(execution: Execution, subject: ReportedPass | None) -> TensorStates:
    """Return the states of the tensors at top level and in lists there, in order of the script's names."""
    last = execution.last_passes.backward
    roots = last.roots
    reached = set(newest_first(roots) if roots else () if subject is None else subject.order)
    entries = []
    for place, x in named_tensors(execution.names):
        before, after = grad_before_after(x, execution, None if roots else subject)
        node, grad_fn = x.source(), x.grad_fn
        entries.append(
            TensorState(
                name=place,
                line=None if node.site is None else execution.source.position(node.site.start)[0],
                shape=x.shape,
                dtype=x.dtype.name,
                is_leaf=x.is_leaf,
                requires_grad=x.requires_grad,
                grad_fn=None if grad_fn is None else grad_fn.grad_fn_name,
                before=before,
                after=after,
                no_grad_reason=why_grad_is_none(x, reached) if after is None else "",
            )
        )
    output = display_name(roots[0], execution) if roots else None if subject is None else subject.name
    return TensorStates(tuple(entries), output, bool(roots))


def why_grad_is_none(x: Tensor, reached: set[Node]) -> str:
    """Return why a tensor has no gradient after a pass over the nodes ``reached``."""
    if not x.requires_grad:
        return NoGradReason.NOT_REQUIRED if x.dtype.is_floating_point else NoGradReason.NO_FLOATS
    if not reached:
        return NoGradReason.NO_PASS
    if not x.is_leaf and not x.retains_grad:
        return NoGradReason.NO_LEAF
    if x.source() not in reached:
        was_changed = x.version_counter is not None and x.version_counter.changed_at is not None
        return NoGradReason.CHANGED if x.retains_grad and was_changed else NoGradReason.NOT_USED
    return NoGradReason.NOT_ASKED if x.is_leaf else NoGradReason.TOO_LATE


def grad_before_after(x: Tensor, execution: Execution, subject: ReportedPass | None) -> tuple[Any, Any]:
    """Return ``x.grad`` before and after the last backward of the script, or the pass of ``subject``."""
    held = None if x.grad is None else x.grad.value
    if x.grad_slot is not None and x.grad_slot in execution.last_passes.grads_before_after:
        return execution.last_passes.grads_before_after[x.grad_slot]
    gathers = x.requires_grad and (x.is_leaf or x.retains_grad)
    g = subject.cotangents.get(x.source()) if subject is not None and gathers else None
    if g is None:
        return held, held
    return held, g if held is None else held + g
