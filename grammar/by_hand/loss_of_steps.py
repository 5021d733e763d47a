"""The output that the steps of a derivation are derivatives of, where none of them names it."""

from __future__ import annotations

import math
from contextlib import suppress

from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.backward import seed_for
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, OpNode
from autodiff.core.graph.topological_order import newest_first
from autodiff.grammar.by_hand.sentences import values_equal_in_shape
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.hand_gradients import differentiated_by, is_gradient, is_loss, names_in_one
from autodiff.grammar.session.outputs import entries_of, is_output

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


def loss_before_steps(
    keys: Collection[str], execution: Execution, settings: Settings, are_own: bool
) -> str | None:
    """Return the loss of a script that goes on with its backward pass by hand, the steps ``keys``.

    Such a script ends in one of its gradients, or in a value behind them: in a weight after a step,
    ``W -= lr*dW``, or in an error bar. If the steps ``are_own`` lines of the script, a value that is computed
    with them is not what they are gradients of. None for other scripts.
    Raises a UsageError where it is not certain which value the steps are about.
    """
    own = own_gradients(keys, execution)
    if not own:
        return None
    inputs = {differentiated_by(key, execution.names) for key in own}
    by_hand = nodes_by_hand(own, execution)
    target = None
    with suppress(AutodiffError):
        target = find_target(execution, settings)
        within = newest_first([target.node])
        by_hand |= {node for node in within if node.name in own and isinstance(node, OpNode)}
    before = {
        name: below
        for name, below in values_before(by_hand, execution).items()
        if any(one.name in inputs for one in below)
    }
    found = computed_loss(before, execution)
    if is_loss(found or ""):
        return found
    if target is not None and target.name not in own and target.name not in inputs:
        loss = loss_before_first(keys, target.name, execution)
        is_before = execution.first_offset(target.name) < min(map(execution.first_offset, own))
        if loss or is_before or not are_own:
            return loss
    if found is None or given_gradient(keys, execution) is not None:
        return found
    return value_with_gradients(before, own, execution)


def value_with_gradients(
    before: dict[str, set[Node]], own: dict[str, list[Node | None]], execution: Execution
) -> str:
    """Return the number among the values ``before`` steps that these are the gradients of.

    No other value is computed from it. Of several such numbers it is the one that has the most of these
    gradients. Raises a UsageError if none has more than the others, or if another value has more.
    """
    others = {execution.names[name].node: name for name in reversed(before)}  # the first name of each
    numbers = [name for name in reversed(others.values()) if computed_loss([name], execution)]
    last = [name for name in last_values(before, execution) if name in numbers]
    if numbers == last and len(last) == 1:
        return last[0]
    counts = {name: count_right(name, own, execution) for name in numbers}
    most = max(counts.values())
    best = [name for name in last if counts[name] == most]
    if len(best) != 1:
        raise unclear_output(
            [name for name in numbers if name in last or counts[name] == most], own, execution
        )
    return best[0]


def last_values(before: dict[str, set[Node]], execution: Execution) -> list[str]:
    """Return the names of the values of which no other of them is made."""
    nodes = {name: execution.names[name].node for name in before}
    return [
        name
        for name in before
        if not any(nodes[name] in below - {nodes[one]} for one, below in before.items())
    ]


def count_right(output: str, own: Collection[str], execution: Execution) -> int:
    """Return how many of the gradients ``own`` have the values of those of a number."""
    value = execution.names[output]
    order = newest_first([value.node])
    received = sweep(order, {value.node: seed_for(value, None).value})
    gradients = {node.name: received[node] for node in reversed(order) if node in received}
    names = execution.names
    found = [
        (gradients.get(differentiated_by(key, names)), names[key])
        for key in own
        if (names_in_one(key, names) or ("",))[0] in ("", output)
    ]
    return sum(
        one is not None and isinstance(made, Tensor) and values_equal_in_shape(one, made.data)
        for one, made in found
    )


def unclear_output(outputs: Iterable[str], keys: Iterable[str], execution: Execution) -> UsageError:
    """Return the error about steps that may be derivatives of each of these outputs."""
    return UsageError(
        "--formula: which output are these steps about?",
        code="E0610",
        span=execution.scopes.module.first_binding.get(min(keys, key=execution.first_offset)),
        help=tuple(f"choose it: --of {name}" for name in outputs) or ("choose it: --of NAME",),
    )


def check_has_output(keys: Collection[str], execution: Execution, settings: Settings, are_own: bool) -> None:
    """Raise a UsageError if the output would be a gradient by hand: no step is a derivative of that.

    If the steps ``are_own`` lines of the script, nor are they of a value that is computed with one.
    """
    own = own_gradients(keys, execution)
    if not own:
        return
    target, by_hand = find_target(execution, settings), nodes_by_hand(own, execution)
    if target.name in own or (are_own and not by_hand.isdisjoint(newest_first([target.node]))):
        raise unclear_output(last_values(values_before(by_hand, execution), execution), own, execution)


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


def own_gradients(keys: Collection[str], execution: Execution) -> dict[str, list[Node | None]]:
    """Return the gradients among the names ``keys`` that the script has itself, with their nodes."""
    return {
        key: [entry.node for _, entry in entries_of(value, key) if isinstance(entry, Tensor)]
        for key in keys
        if is_output(value := execution.names.get(key)) and is_gradient(key, execution)
    }


def nodes_by_hand(own: dict[str, list[Node | None]], execution: Execution) -> set[Node]:
    """Return the results that the gradients ``own`` are, without those that are another value before them.

    After ``dw = v`` the gradient is the value ``v``, which is no step.
    """
    others: dict[Node | None, float] = {}
    for name, value in execution.names.items():
        if isinstance(value, Tensor) and not is_gradient(name, execution):
            others[value.node] = min(execution.first_offset(name), others.get(value.node, math.inf))
    return {
        node
        for key, nodes in own.items()
        for node in nodes
        if isinstance(node, OpNode) and others.get(node, math.inf) > execution.first_offset(key)
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
    last = [name for name in before if values[name].node not in within and not is_gradient(name, execution)]
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
    called = [(name, key) for name, key in pairs if differentiated_by(key, values) == name]
    found = called if len(called) == 1 else pairs
    return found[0] if len(found) == 1 else None


def arriving_gradients(keys: Collection[str], execution: Execution) -> dict[str, str]:
    """Return the values at which a script gives gradients, with the names of these.

    Such a gradient is an array that the script draws or writes, of the shape of the value that it is called
    after: ``dnext_h`` and ``dnext_c`` arrive at ``next_h`` and ``next_c``.
    """
    values = execution.names
    own = {key: value for key in keys if isinstance(value := values.get(key), Tensor)}
    before = values_before(
        {value.node for value in own.values() if isinstance(value.node, OpNode)}, execution
    )
    return {
        name: key
        for key in sorted(own, key=execution.first_offset)
        if isinstance(own[key].node, Leaf) and own[key].shape
        if (name := differentiated_by(key, values)) in before and values[name].shape == own[key].shape
    }


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
