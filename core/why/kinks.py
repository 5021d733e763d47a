"""The nodes of a graph that lie exactly on a kink, a jump or a singular point, and the convention used there.

A gradient is a convention at such a point, and engines differ. Only points that a gradient arrives at,
between the output and one input, are reported. ``kink_table`` has the conventions.
"""

from __future__ import annotations

import re

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.report.kink import JUMP, KINK, ROUNDING, SLOPE_KINK, Kink
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.kink_table import KINK_RULES, TIE_OPS, TIES_ELSEWHERE, repeated_values
from autodiff.core.why.rounded_values import CHOOSING_BY_SIGN, OPERANDS_AT_ZERO, is_rounding
from autodiff.core.why.sentences import operand_in_words, value_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.report.records import ReportedPass
    from autodiff.core.why.kink_table import KinkRule

#: At most this many entries of one value are listed. Of more, only the first is shown.
MOST_PLACES = 4
#: What a script calls the function, if the op has another name.
FUNCTION_NAMES = {
    "vector_norm": "norm",
    "largest_coordinate": "cdist",
    "round_to": "round",
    "clamp_min": "clamp",
    "clamp_max": "clamp",
    "mantissa": "frexp",
    "logit_within": "logit",
    "div_floor": "div",
    "div_trunc": "div",
    "scatter_amax": "scatter_reduce",
    "scatter_amin": "scatter_reduce",
}
#: Ops that implement several functions, which the name of the node tells apart.
REPEATING_OPS = ("eigenvalues", "singular_values")
WRITING_OPS = ("index_put", "index_copy", "scatter")
MULTI_FUNCTION_OPS = ("pick", "gather", "amax", "amin", "elu")


def kinks_of(
    leading: Sequence[Node], cotangents: Mapping[Node, Any], names: Callable[[], NodeNames], order: int = 1
) -> tuple[Kink, ...]:
    """The kinks among the nodes of ``leading``, which lie between an output and one input, oldest first.

    ``names`` is called where there is one: to name all nodes of a graph takes longer than to look at them.
    With ``order`` 2 the kinks that only the second derivative has are included. Nodes then count even where
    the incoming gradient is 0, since the second derivative may be nonzero there.
    """
    found: list[Kink] = []
    candidates = kinked_nodes(leading)
    if not candidates:
        return ()
    useful = set(leading)
    with numpy_warnings_off(list(leading)):
        for node in reversed(candidates):
            g = cotangents.get(node)
            if g is None:
                continue
            name = node.op.name
            # Empty for the input itself if an op made it, and for tensors without entries.
            operands = {
                at
                for at, below in enumerate(node.inputs)
                if below is not None and below in useful and 0 not in below.shape
            }
            if not operands:
                continue
            if operands.intersection(OPERANDS_AT_ZERO.get(name, ())) and is_rounding(node):
                found.append(_rounding(node, names()))
            if name in TIE_OPS:
                found += _ties(node, g, names)
            for row in KINK_RULES.get(name, ()):
                if (
                    (row.kind != SLOPE_KINK or order == 2)
                    and (row.operands is None or operands.intersection(row.operands))
                    and (row.applies is None or row.applies(node))
                ):
                    is_first = order == 1 or name in REPEATING_OPS
                    found += _kinks_of_rule(row, node, g if is_first else np.ones_like(node.out), names)
    return tuple(found)


def has_jumps(subject: ReportedPass) -> bool:
    """Whether an op of the pass has jumps, wherever they are."""
    return any(
        rule.kind == JUMP for node in subject.order if node.op for rule in KINK_RULES.get(node.op.name, ())
    )


def hidden_jumps(subject: ReportedPass, target: Node, names: Callable[[], NodeNames]) -> tuple[Kink, ...]:
    """The jumps of ops between the output and the input ``target``, also where the incoming gradient is 0.

    There the output may have a kink, as ``sign(x)*x`` has at 0, or none, as ``sign(x)*x**2``: the caller
    finds out whether the slope leaps.
    """
    if not has_jumps(subject):
        return ()
    found = kinks_of(nodes_leading_to(subject.order, [target]), subject.cotangents, names, 2)
    return tuple(kink for kink in found if kink.kind == JUMP)


def kinked_nodes(nodes: Sequence[Node]) -> list[OpNode]:
    """The nodes whose ops have points without a slope; ``kinks_of`` needs the gradients of no others."""
    return [
        node
        for node in nodes
        if isinstance(node, OpNode)
        and (node.op.name in KINK_RULES or node.op.name in TIE_OPS or node.op.name in OPERANDS_AT_ZERO)
        and not is_custom(node.op)
    ]


def _rounding(node: OpNode, names: NodeNames) -> Kink:
    """An op whose operands are rounding errors around a point without a slope."""
    by_sign = node.op.name in CHOOSING_BY_SIGN
    shown = OPERANDS_AT_ZERO[node.op.name]
    has = "a kink at 0" if by_sign else "a slope without a bound at 0"
    said = " and ".join(operand_in_words(node, at, names, ()) for at in shown)
    are = "are rounding errors of what they are made of" if len(shown) > 1 else "is a rounding error"
    return _kink(
        ROUNDING,
        node,
        names,
        np.ones(np.shape(node.out), bool),
        f"has {has}, and {said} {are}",
        "its sign and the slope have no meaning" if by_sign else "the slope has no meaning",
        "",
        "",
    )


def _kinks_of_rule(row: KinkRule, node: OpNode, g: Any, names: Callable[[], NodeNames]) -> Iterator[Kink]:
    """The kink of one row of the table, if the node lies on it and a gradient arrives there."""
    marked = row.find_points(node.out, *node.operands, **node.params)
    if marked is False:  # for plain numbers, which need no numpy
        return
    marked = np.asarray(marked)
    if node.op.is_elementwise:
        marked = np.broadcast_to(marked, np.shape(node.out))
    of_equals = row.find_points is repeated_values
    marked = marked & (_unequal_mask(g) if of_equals else _arriving_mask(node, g, marked))
    if marked.any():
        where = _where(node, row.shown_operands, marked, names())
        convention = row.convention.format(**node.params)
        yield _kink(row.kind, node, names(), marked, where, convention, row.others, row.formula)


def _unequal_mask(g: Any) -> Any:
    """Where the incoming gradient differs from a neighbour: all alike, equal values give a smooth sum."""
    unequal = np.diff(np.asarray(g)) != 0
    beside = [(0, 0)] * (unequal.ndim - 1)
    return np.pad(unequal, [*beside, (0, 1)]) | np.pad(unequal, [*beside, (1, 0)])


def _arriving_mask(node: OpNode, g: Any, marked: Any) -> Any:
    """Where the incoming gradient is not 0, in a shape that broadcasts with the marks."""
    if node.op.name in WRITING_OPS:
        return np.asarray(edge_contribution((node, 1), g)) != 0
    arriving = np.asarray(g) != 0
    params = node.params
    if node.op.name == "cumprod" and arriving.ndim:  # an entry is a factor of itself and of all later ones
        axis = params["dim"]
        return np.flip(np.logical_or.accumulate(np.flip(arriving, axis), axis=axis), axis)
    if arriving.shape == marked.shape:
        return arriving
    if node.op.name == "largest_coordinate":
        return arriving[..., None]
    if "keepdim" in params and not params["keepdim"] and params["dim"] is not None:
        return np.expand_dims(arriving, params["dim"])
    return arriving


def _ties(node: OpNode, g: Any, names: Callable[[], NodeNames]) -> Iterator[Kink]:
    """A choice among tied entries that do not receive the same: another choice was possible."""
    x, axis = node.operands[0], node.params["dim"]
    if not node.op.kink or not np.ndim(x):
        return
    order = np.argsort(x, axis=axis, kind="stable")
    values = np.take_along_axis(x, order, axis)
    received = np.take_along_axis(np.asarray(edge_contribution((node, 0), g)), order, axis)
    first = [slice(None)] * values.ndim
    second = list(first)
    first[axis], second[axis] = slice(None, -1), slice(1, None)
    before, after = tuple(first), tuple(second)
    unequal = (values[before] == values[after]) & (received[before] != received[after])
    sorted_marks = np.zeros(values.shape, bool)
    sorted_marks[before] |= unequal
    sorted_marks[after] |= unequal
    marked = np.zeros_like(sorted_marks)
    np.put_along_axis(marked, order, sorted_marks, axis)
    if marked.any():
        where = _where(node, (0,), marked, names())
        elsewhere = TIES_ELSEWHERE.get(node.grad_fn_name, "")
        yield _kink(KINK, node, names(), marked, where, node.op.kink, elsewhere, "")


def _kink(
    kind: str,
    node: OpNode,
    names: NodeNames,
    marked: Any,
    where: str,
    convention: str,
    elsewhere: str,
    formula: str,
) -> Kink:
    return Kink(
        kind=kind,
        op=node.op.name,
        function=_function_name(node),
        name=names[node],
        line=names.line(node),
        span=node.site,
        where=where,
        entry=_places(marked, 1)[0],
        count=int(marked.sum()),
        size=marked.size,
        convention=convention,
        elsewhere=elsewhere,
        formula=formula,
    )


def _function_name(node: OpNode) -> str:
    """What the script calls the function: ``max`` if the node is a MaxBackward0."""
    name = node.op.name
    if name not in MULTI_FUNCTION_OPS:
        return FUNCTION_NAMES.get(name, name)
    if node.grad_fn_name == "GatherBackward0":
        return "quantile"
    if node.grad_fn_name == "SqueezeBackward1":
        return "max_pool1d"
    words = re.findall(r"[A-Z][a-z]*(?:\dD)?", node.grad_fn_name.partition("Backward")[0])
    return "_".join(words).lower().removesuffix("_with_indices")


# -- which entries --------------------------------------------------------------------------------------


def _where(node: OpNode, shows: tuple[int, ...], marked: Any, names: NodeNames) -> str:
    """``entries [1], [2] of x = 0``, ``a = 2 and b = 2``, ``L = 0``. Of many entries only the first."""
    count = int(marked.sum())
    places = _places(marked, MOST_PLACES)
    first = places[0]
    if len(shows) == 1 and 1 < count <= MOST_PLACES and np.shape(node.operands[shows[0]]) == marked.shape:
        [at] = shows
        below, value = node.inputs[at], np.asarray(node.operands[at])
        if below is not None and len({float(value[place]) for place in places}) == 1:
            listed = ", ".join(str(list(place)) for place in places)
            return f"entries {listed} of {names[below]} = {value_words(value, first)}"
    if shows:
        parts = [
            operand_in_words(node, at, names, _place_in_operand(first, node.operands[at])) for at in shows
        ]
        said = " and ".join(dict.fromkeys(parts))
    elif np.size(node.out) == 1:
        said = f"{names[node]} = {value_words(node.out)}"
    else:
        said = f"entry {list(first)} of {names[node]} = {value_words(node.out, first)}"
    left = count - 1
    return said if not left else f"{said}, and {left:,} more entr{'y' if left == 1 else 'ies'}"


def _places(marked: Any, most: int) -> list[tuple[int, ...]]:
    """The positions of the first marked entries."""
    flat = np.flatnonzero(marked)[:most]
    return [tuple(map(int, np.unravel_index(at, marked.shape))) for at in flat]


def _place_in_operand(place: tuple[int, ...], value: Any) -> tuple[int, ...]:
    """The position in an operand that was broadcast to the shape that ``place`` belongs to."""
    shape = np.shape(value)
    last = place[len(place) - len(shape) :]
    return tuple(0 if size == 1 else at for at, size in zip(last, shape, strict=True))
