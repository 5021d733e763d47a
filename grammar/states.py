"""What a script can inspect of its tensors: ``is_leaf``, ``requires_grad``, ``grad_fn``, ``grad``.

``.grad`` is shown before and after the last ``backward()`` of the script; where it calls none, before and
after the one a report makes.
"""

from __future__ import annotations

from autodiff.core.report import TensorState, TensorStates
from autodiff.grammar.places import tensors_at
from autodiff.grammar.target import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report import Subject
    from autodiff.core.tensors import Tensor
    from autodiff.grammar.run import Execution


def tensor_states(execution: Execution, subject: Subject | None) -> TensorStates:
    """The tensors a script has at top level and in lists there, in the order of its names."""
    roots = execution.last_passes.backward.roots
    entries = []
    for place, x in tensors_at(execution.names):
        before, after = grads_around(x, execution, None if roots else subject)
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
            )
        )
    output = name_of(roots[0], execution) if roots else None if subject is None else subject.name
    return TensorStates(tuple(entries), output, bool(roots))


def grads_around(x: Tensor, execution: Execution, subject: Subject | None) -> tuple[Any, Any]:
    """``x.grad`` before and after the last backward of the script, or the pass of ``subject``."""
    held = None if x.grad is None else x.grad.value
    if x.cell is not None and x.cell in execution.last_passes.gathered:
        return execution.last_passes.gathered[x.cell]
    gathers = x.requires_grad and (x.is_leaf or x.retains_grad)
    g = subject.cotangents.get(x.source()) if subject is not None and gathers else None
    if g is None:
        return held, held
    return held, g if held is None else held + g
