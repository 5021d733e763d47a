"""The output that the steps of a derivation are derivatives of, where none of them names it."""

from __future__ import annotations

from contextlib import suppress

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, OpNode
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
    own = own_gradients(keys, execution)
    if not own:
        return None
    inputs = {differentiated_by(key, execution.names) for key in own}
    by_hand = {node for node in own.values() if isinstance(node, OpNode) and node.name in (None, *own)}
    target = None
    with suppress(AutodiffError):
        target = find_target(execution, settings)
        within = newest_first([target.node])
        by_hand |= {node for node in within if node.name in own and isinstance(node, OpNode)}
    before = [
        name
        for name, below in values_before(by_hand, execution).items()
        if np.size(execution.names[name].data) == 1 and any(one.name in inputs for one in below)
    ]
    found = computed_loss(before, execution)
    is_clear = target is None or target.name in own or target.name in inputs or is_loss(found or "")
    return found if is_clear or target is None else loss_before_first(keys, target.name, execution)


def loss_before_first(keys: Collection[str], target: str, execution: Execution) -> str | None:
    """Return what is called a loss before the first of the steps ``keys``, if the script ends behind that.

    It may end in a value that is made beside the steps, such as ``dhnext`` in a loop back through time.
    """
    start = min(map(execution.first_offset, keys), default=None)
    if start is None or execution.first_offset(target) < start:
        return None
    names = sorted(execution.names, key=execution.first_offset)
    found = computed_loss([one for one in names if execution.first_offset(one) < start], execution)
    return found if is_loss(found or "") else None


def own_gradients(keys: Collection[str], execution: Execution) -> dict[str, Node | None]:
    """Return the gradients among the names ``keys`` that the script has itself, with their nodes."""
    return {
        key: value.node
        for key in keys
        if isinstance(value := execution.names.get(key), Tensor) and is_gradient(key, execution)
    }


def values_before(by_hand: Collection[Node], execution: Execution) -> dict[str, set[Node]]:
    """Return the names of values that are computed without these nodes, with the nodes that make them."""
    found: dict[str, set[Node]] = {}
    for name in sorted(execution.names, key=execution.first_offset):
        value = execution.names[name]
        if isinstance(value, Tensor) and isinstance(value.node, OpNode):
            below = set(newest_first([value.node]))
            if below.isdisjoint(by_hand):
                found[name] = below
    return found


def given_gradient(keys: Collection[str], execution: Execution, output: str = "") -> tuple[str, str] | None:
    """Return the output of a script without a loss, and the name of the gradient at it: ``out`` and ``dout``.

    That is an array which the script draws or writes, of the shape of the output, and from which the steps
    ``keys`` are computed. None if there are several such pairs, or none.
    At a chosen ``output`` it has its name.
    """
    values = execution.names
    own = {key: values[key] for key in keys if isinstance(values.get(key), Tensor)}
    by_hand = {value.node for value in own.values() if isinstance(value.node, OpNode)}
    used = set(newest_first(list(by_hand)))
    before = values_before(by_hand, execution)
    within = {node for name, below in before.items() for node in below if node is not values[name].node}
    last = [name for name in before if values[name].node not in within and name not in own]
    if output:
        last = [output] if isinstance(values.get(output), Tensor) else []
        own = {key: value for key, value in own.items() if differentiated_by(key, values) == output}
    pairs = [
        (name, key)
        for key, value in own.items()
        if isinstance(value.node, Leaf) and value.node in used and value.shape
        for name in last
        if values[name].shape == value.shape
    ]
    return pairs[0] if len(pairs) == 1 else None


def names_without_steps(
    key: str, keys: Iterable[Collection[str]], execution: Execution, settings: Settings
) -> list[str]:
    """Return the inputs of the output whose gradient a step with another name may be: no step has theirs."""
    value = execution.names.get(key)
    known = set().union(*keys)
    return [
        name
        for name in sorted(forward_names(find_target(execution, settings).node) & execution.names.keys())
        if isinstance(value, Tensor)
        and isinstance(one := execution.names[name], Tensor)
        and isinstance(one.node, Leaf)
        and one.shape == value.shape
        and known.isdisjoint([f"d{name}", f"grad_{name}"])
    ]


def forward_names(output: Node) -> set[str]:
    """Return the names of the values that an output is made of: no line with one of them is a step."""
    return {node.name for node in forward_nodes(output) if node.name is not None}


def forward_nodes(output: Node) -> set[Node]:
    known = set(newest_first([output]))
    return known.union(below for node in known for below in node.inputs if below is not None)


def have_same_names(output: Node, parameters: Collection[str], execution: Execution) -> bool:
    """Whether no variable is another value than that of its name of which the output is made.

    Variables are the ``parameters`` of a function, and those that hold one of these values.
    """
    nodes = forward_nodes(output)
    values = {
        name: value
        for name, value in execution.names.items()
        if isinstance(value, Tensor) and (name in parameters or value.node in nodes)
    }
    for name, value in values.items():
        alike = [node for node in nodes if node.name == name]
        if alike and not any(np.array_equal(node.out, value.data) for node in alike):
            return False
    return True
