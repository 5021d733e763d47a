"""How a script without tensors prints its inputs and results: as Python and numpy print them.

Inputs and what is computed from them are tensors of floats. The text of the script says which of them are
whole numbers or lists in Python: the literals of the inputs, and the operations on the way.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.fast.tape import is_tape_entry
from autodiff.core.graph.dtypes import float32
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Operations whose result is whole in Python and numpy if all operands are.
WHOLE_OPS = frozenset(
    """
    add sub mul neg abs pow square floor_divide div_floor remainder fmod maximum minimum amax amin clamp
    clamp_min clamp_max where sign compared sum prod cumsum cumprod dot mm mv vm matmul outer trace
    floor ceil trunc round round_to
    index select slice gather take index_put reshape permute transpose t stack cat flip roll expand
    repeat squeeze unsqueeze diagonal clone alias pick einsum cross tril triu constant_pad index_select
    diag_embed sort take rot90 scatter_add
    """.split()
)
#: Operations that take entries of a list, or a part of it.
PARTS = frozenset(["select", "slice", "index", "flip", "alias"])


def python_value(x: Tensor) -> Any:
    """Return what Python has where a script without tensors has a tensor: a number, a list or an array."""
    displayed = runtime.floats.get(id(x))
    if displayed is not None and displayed() is x:
        return x.item()
    node = own_leaf(x)
    if node in runtime.literals:
        return runtime.literals[node]
    if x.shape:
        found = x.data.astype("int64") if is_whole(x) else x.data
        return found.tolist() if is_part_of_list(x) else found
    value = x.item()
    return int(value) if value.__class__ is float and value.is_integer() and is_whole(x) else value


def shown_value(x: Tensor) -> Any:
    """Return what ``print`` shows: ``python_value``, of ``float32`` with the digits that tell these apart."""
    value = python_value(x)
    return float(str(np.float32(value))) if value.__class__ is float and x.dtype is float32 else value


def is_part_of_list(x: Tensor) -> bool:
    """Whether an array is a part of nested lists of the text, as in ``M[0]``."""
    name, operands = operands_of(origin(x))
    while name in PARTS or name == "index_put":
        name, operands = operands_of(operands[0][0])
    return name == "leaf" and runtime.literals.get(operands[0]).__class__ is list


def is_array_of_whole(x: Tensor) -> bool:
    """Whether numpy has an array of whole numbers here, which takes no fractions; a list takes them.

    The answer is kept: an array has one type, and the walk to its first value is as long as its changes.
    """
    known = runtime.array_kinds.get(id(x))
    if known is None or known[0]() is not x:
        found = is_whole(x) and not is_part_of_list(x)
        known = runtime.array_kinds[id(x)] = (ref(x), found)
    return known[1]


def origin(x: Tensor) -> Any:
    """Return where a tensor was made: a place on a tape, or a node; None for one that has none."""
    return (x.tape, abs(x.tape_position)) if is_tape_entry(x) else x.node


def own_leaf(x: Tensor) -> Any:
    """Return the leaf of an input; None for all else."""
    if x.stored_node is not None or x.tape is None or x.tape[0].nodes is not None:
        return x.node
    op, leaf = x.tape[abs(x.tape_position)][:2]
    return leaf if op is None else None


def is_whole(x: Tensor) -> bool:
    """Whether Python has whole numbers here: whole literals, and operations that keep them whole."""
    if not x.dtype.is_floating_point:
        return x.dtype.kind != "b"
    root = origin(x)
    stack: list[Any] = [root]
    known: set[Any] = set()
    while stack:
        one = stack.pop()
        place = key_of(one)
        if place in known or place in runtime.whole:
            continue
        known.add(place)
        name, operands = operands_of(one)
        if name == "leaf":
            leaf = operands[0]
            is_of_floats = leaf.out.__class__ is float or leaf.out.dtype.kind == "f"
            if is_of_floats and not leaf.was_whole and not all_whole(runtime.literals.get(leaf)):
                return False
            continue
        if name == "round" and not np.ndim(operands[0][1]):  # round() of a number; an array keeps its type
            continue
        if name not in WHOLE_OPS:
            return False
        for below, value in operands:
            if below is not None:
                stack.append(below)
            elif not all_whole(value):
                return False
        if name == "pow" and np.min(operands[1][1]) < 0:
            return False
    runtime.whole[key_of(root)] = root  # a loop that prints a sum asks again in each turn
    return True


def as_whole(x: Tensor) -> Tensor:
    """Return an array of floats as one of whole numbers, which it holds: as floats still if it is tracked."""
    if not x.requires_grad:
        return Tensor.of(x.data.astype("int64")) if runtime.prints_numbers else x
    root = x.source()
    runtime.whole[key_of(root)] = root
    return x


def enter_count(value: Tensor) -> None:
    """Enter that the script reads a value as a size or a position: for each input that it is made of."""
    stack = [origin(value)]
    while stack:
        one = stack.pop()
        name, operands = operands_of(one)
        if name == "leaf":
            if not operands[0].shape or all_whole(runtime.literals.get(operands[0])):
                runtime.positions.setdefault(operands[0], mode.site)
        elif name in WHOLE_OPS and key_of(one) not in runtime.counted:
            runtime.counted[key_of(one)] = one  # a loop may count down from an input
            stack += [below for below, _ in operands if below is not None]


def key_of(one: Any) -> Any:
    if one.__class__ is tuple and one[0][0].nodes is not None:
        one = one[0][0].nodes[one[1]]
    return (id(one[0]), one[1]) if one.__class__ is tuple else id(one)


def operands_of(one: Any) -> tuple[str, list[Any]]:
    """Return the operation of a node or of a place on a tape, and its operands: where each is made (None for
    a plain number), with its value. For an input "leaf", and its node; "" for None.
    """
    if one is None:
        return "", []
    if one.__class__ is tuple and one[0][0].nodes is not None:
        one = one[0][0].nodes[one[1]]
    if one.__class__ is not tuple:
        if isinstance(one, Leaf):
            return "leaf", [one]
        return one.op.name, list(zip(one.inputs, one.operands, strict=True))
    tape, at = one
    op, a, b, x, y, _, _ = tape[at]
    if op is None:
        return operands_of(a if isinstance(a, Leaf) else (a, b))
    places = [(a, x)] if not b and y is None else [(a, x), (b, y)]
    return op.name, [((tape, abs(below)) if below else None, value) for below, value in places]


def all_whole(value: Any) -> bool:
    """Whether a number, or each number of a list or array, is whole in Python."""
    if value.__class__ is list or value.__class__ is tuple:
        return all(map(all_whole, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iub"
    return value.__class__ is int
