"""Values that are 0 because a product, a power or an exponential was too small for a number."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.node import OpNode
from autodiff.core.why.sentences import operand_in_words, spoken_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames

#: The ops whose result can be too small for a number though no operand is 0.
UNDERFLOWING_OPS = ("mul", "div", "pow", "square", "exp", "exp2", "prod", "reciprocal", "sigmoid", "softmax")


def underflow_below(node: OpNode) -> OpNode | None:
    """The op of which the result was too small for a number and made an operand of ``node`` 0, or None.

    Of a tensor, all entries are 0.
    """
    above: Node = node
    while True:
        zeros = [
            below
            for below, value in zip(above.inputs, above.operands, strict=False)
            if isinstance(below, OpNode) and np.size(value) and not np.any(value)
        ]
        if not zeros:
            return None
        above = zeros[0]
        is_regular = all(np.all(value) and np.isfinite(value).all() for value in above.operands)
        if above.op.name in UNDERFLOWING_OPS and is_regular:
            return above


def underflow_sentence(node: OpNode, names: NodeNames, known_line: int | None = None) -> str:
    """How the result of an op came to be 0; the line is left out if it is ``known_line`` already."""
    given = ", ".join(dict.fromkeys(operand_in_words(node, at, names) for at in range(len(node.operands))))
    line = names.line(node)
    place = "" if line in (None, known_line) else f" in line {line}"
    return f"{spoken_name(node, names)}{place} is too small for a number, and becomes 0: {given}"
