"""Reports the derivatives that a script ends in: what ``jacobian()`` or ``hessian()`` returned."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.report.records import ReportedPass
from autodiff.grammar.session.assignment_plan import matches_pattern
from autodiff.grammar.session.choose_target import is_computed
from autodiff.grammar.session.leaf_names import named_tensors, source_text_at
from autodiff.grammar.session.outputs import is_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.backward_log import Derivatives
    from autodiff.grammar.session.run import Execution, Settings


def given_derivatives(execution: Execution, settings: Settings) -> ReportedPass | None:
    """Return the derivatives that the script ends in, by the inputs of the function, or None.

    A Jacobian has the dimensions of the function's output, then those of the input. Raises UsageError for
    derivatives of several outputs, which have no place in a report of one.
    """
    made = execution.last_passes.derivatives
    is_asked = settings.of is not None or settings.grad_output is not None
    if made is None or is_asked or execution.last_passes.backwards:
        return None
    is_last = is_output(execution.last_value)
    name = source_text_at(execution.last_span, execution) if is_last else execution.last_assigned or ""
    value = execution.last_value if is_last else execution.names.get(name)
    if value is not made.result or is_computed(value):
        return None
    places = {id(tensor): place for place, tensor in reversed(list(named_tensors(execution.names)))}
    names = [places.get(id(x), f"input {at}") for at, x in enumerate(made.inputs)]
    wrt: list[tuple[str, Node]] = []
    received: dict[Node, Any] = {}
    for spelled, x, g in blocks(name, made, names):
        if settings.wrt and not any(matches_pattern(spelled, pattern) for pattern in settings.wrt):
            continue
        node = Leaf(x.value, tracked=False, site=None if x.stored_node is None else x.stored_node.site)
        wrt.append((spelled, node))
        received[node] = g.value
    if not wrt:
        return None
    root = Leaf(received[wrt[0][1]], tracked=False, site=execution.scopes.module.first_binding.get(name))
    seed = np.ones_like(root.out)
    return ReportedPass(name, root, seed, None, tuple(wrt), [root], received, without_pass=True)


def blocks(name: str, made: Derivatives, names: list[str]) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Yield the name of an input, the input and the derivatives by it; of second derivatives ``a,b``."""
    rows: list[Any] = [made.result] if made.result.__class__ is Tensor else list(made.result)
    is_nested = any(row.__class__ is not Tensor for row in rows)
    if len(rows) != len(names) or (is_nested and made.order == 1):
        raise UsageError(
            f"`{name}` holds the derivatives of several outputs",
            code="E0614",
            help=(f"print them in the script: print({name})",),
        )
    for spelled, x, row in zip(names, made.inputs, rows, strict=True):
        if row.__class__ is Tensor:
            yield spelled, x, row
        else:
            for other, g in zip(names, list(row), strict=True):
                yield f"{spelled},{other}", x, g
