"""The output that the steps of a derivation are derivatives of, where none of them names it."""

from __future__ import annotations

from contextlib import suppress

from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.hand_gradients import differentiated_by, is_gradient, is_loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.run import Execution, Settings


def computed_loss(names: Iterable[str], execution: Execution) -> str | None:
    """Return which of the names is the loss: the last that is a single number and no gradient by hand.

    One that is called a loss comes before others. None of them may be one.
    """
    found = [
        name
        for name in names
        if isinstance(value := execution.names.get(name), Tensor)
        and value.entry_count == 1
        and isinstance(value.node, OpNode)
        and not is_gradient(name, execution)
    ]
    named = [name for name in found if is_loss(name)]
    return ([None, *found, *named])[-1]


def loss_before_steps(keys: Collection[str], execution: Execution, settings: Settings) -> str | None:
    """Return the loss of a script that goes on with its backward pass by hand, the steps ``keys``.

    Such a script ends in one of its gradients, or in a value that is computed with them: in a weight after
    a step, ``W -= lr*dW``. Behind other values, only what is called a loss is one. None for other scripts.
    """
    target = None
    with suppress(AutodiffError):
        target = find_target(execution, settings)
    if target is None:
        return None
    keys = {key for key in keys if is_gradient(key, execution)}
    by_hand = {node for node in newest_first([target.node]) if node.name in keys}
    inputs = {differentiated_by(str(node.name)) for node in by_hand}

    def is_before(node: Node | None) -> bool:
        below = set() if node is None else set(newest_first([node]))
        return by_hand.isdisjoint(below) and any(one.name in inputs for one in below)

    in_order = sorted(execution.names, key=execution.first_offset)
    before = [
        name
        for name in in_order
        if isinstance(value := execution.names[name], Tensor)
        and value.entry_count == 1
        and is_before(value.node)
    ]
    found = computed_loss(before, execution)
    is_clear = target.name in keys | inputs or is_loss(found or "")
    return found if is_clear else None
