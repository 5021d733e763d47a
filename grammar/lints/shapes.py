"""The shapes of tensors that a script shows without being run: those of literals, makers and what follows."""

from __future__ import annotations

from itertools import zip_longest
from math import prod

from autodiff.grammar.lints.calls import last_word
from autodiff.grammar.lints.evaluate import in_namespace
from autodiff.grammar.lints.values import NUMBER, UNKNOWN, Value
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Shape = tuple[int, ...]

#: Longer chains of operations are not followed.
DEEPEST = 30
SIZED_MAKERS = ("zeros", "ones", "rand", "randn", "empty")
#: Functions and methods whose result has the shape of their first tensor.
KEEPING_SHAPE = frozenset(
    "exp log log1p expm1 sqrt abs square pow sigmoid tanh relu sin cos neg clone detach double float clamp"
    " softmax log_softmax zeros_like ones_like rand_like randn_like requires_grad_".split()
)


def shape_of(value: Value, depth: int = 0, known: dict[int, Shape | None] | None = None) -> Shape | None:
    """The shape of a tensor or an array, () for a number; None where the script does not show it.

    ``known`` has the shapes of the values that were looked at before, at the same depth or above.
    """
    known = {} if known is None else known
    if id(value) not in known:
        known[id(value)] = shape_of_new(value, depth, known)
    return known[id(value)]


def shape_of_new(value: Value, depth: int, known: dict[int, Shape | None]) -> Shape | None:
    node = value.node
    if value.kind == NUMBER:
        return ()
    if depth > DEEPEST or not (value.is_tensor or value.kind == UNKNOWN):
        return None
    if isinstance(node, tree.Call):  # of arrays of numpy only their shapes are known
        is_certain = value.is_tensor or isinstance(node.function, tree.Attribute)
        return shape_of_call(value, node, depth, known) if is_certain else None
    if isinstance(node, tree.Unary) and value.inputs:
        return shape_of(value.inputs[0], depth + 1, known)
    if isinstance(node, tree.Binary) and len(value.inputs) == 2:
        left, right = (shape_of(one, depth + 1, known) for one in value.inputs)
        if left is None or right is None:
            return None
        return product_shape(left, right) if node.op == "@" else broadcast(left, right)
    return None


def shape_of_call(value: Value, node: tree.Call, depth: int, known: dict[int, Shape | None]) -> Shape | None:
    name = last_word(node.function)
    given = [one.value for one in node.arguments if one.keyword is None and not one.star]
    if name in ("tensor", "Tensor", "FloatTensor", "DoubleTensor") or (
        name == "array" and not value.is_tensor
    ):
        is_list = len(given) == 1 and isinstance(given[0], tree.ListDisplay)
        return list_shape(given[0]) if is_list else None
    if name in SIZED_MAKERS:
        return sizes(given)
    first = shape_of(value.inputs[0], depth + 1, known) if value.inputs else None
    if first is None:
        return None
    if name in KEEPING_SHAPE:
        return first
    is_method = isinstance(node.function, tree.Attribute) and not in_namespace(node.function)
    wanted = sizes(given if is_method else given[1:])
    if name in ("view", "reshape") and wanted is not None:
        return fitted(wanted, prod(first))
    if name == "unsqueeze" and wanted is not None and len(wanted) == 1:
        at = wanted[0] if wanted[0] >= 0 else wanted[0] + len(first) + 1
        return (*first[:at], 1, *first[at:])
    if name in ("mm", "mv", "matmul", "dot") and len(value.inputs) == 2:
        other = shape_of(value.inputs[1], depth + 1, known)
        return None if other is None else product_shape(first, other)
    return None


def sizes(nodes: list[Any]) -> Shape | None:
    """Whole numbers that are written out, each as an argument or all in a tuple or list."""
    if len(nodes) == 1 and isinstance(nodes[0], (tree.TupleDisplay, tree.ListDisplay)):
        nodes = list(nodes[0].elements)
    found = []
    for node in nodes:
        is_negative = isinstance(node, tree.Unary) and node.op == "-"
        number = node.operand if is_negative else node
        if not isinstance(number, tree.Number) or not isinstance(number.value, int):
            return None
        found.append(-number.value if is_negative else number.value)
    return tuple(found) or None


def list_shape(node: Any) -> Shape | None:
    """The shape of a nested list of numbers."""
    if not isinstance(node, tree.ListDisplay):
        return () if isinstance(node, (tree.Number, tree.Unary)) else None
    inside = {list_shape(one) for one in node.elements}
    shape = inside.pop() if len(inside) == 1 else None
    return None if shape is None else (len(node.elements), *shape)


def fitted(wanted: Shape, count: int) -> Shape | None:
    """A shape of which one size may be -1."""
    known = prod(size for size in wanted if size >= 0)
    if -1 not in wanted or not known:
        return wanted
    return tuple(count // known if size < 0 else size for size in wanted)


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """The shape of an operation entry by entry; None where the shapes do not fit."""
    pairs = list(zip_longest(reversed(left), reversed(right), fillvalue=1))
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return None
    return tuple(max(pair) if 0 not in pair else 0 for pair in reversed(pairs))


def product_shape(left: Shape, right: Shape) -> Shape | None:
    """The shape of a product of vectors and matrices; None for other tensors and where they do not fit."""
    if not 0 < len(left) < 3 or not 0 < len(right) < 3 or left[-1] != right[0]:
        return None
    return (*left[:-1], *right[1:])
