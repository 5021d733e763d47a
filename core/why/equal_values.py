"""Equal eigenvalues and equal singular values in a pass: why derivatives are not finite there.

The slope of the vectors divides by the differences of the values. So do second derivatives of the values,
even if the output is a smooth function of the matrix, as their sum is.
"""

from __future__ import annotations

from autodiff.core.graph.node import OpNode
from autodiff.core.why.sentences import DECOMPOSITIONS, equal_values_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodiff.core.graph.node import Node
    from autodiff.core.paths.node_names import NodeNames


def equal_values(order: Sequence[Node], names: NodeNames) -> Iterator[tuple[OpNode, str]]:
    """Yield each decomposition of a matrix among the nodes that has equal values, with a sentence on them.

    Of several decompositions of the same matrix only one is named.
    """
    seen: set[str] = set()
    for node in reversed(order):
        if isinstance(node, OpNode) and node.op.name in DECOMPOSITIONS:
            sentence = equal_values_sentence(node, names)
            if sentence and sentence not in seen:
                seen.add(sentence)
                yield node, f"{sentence}, and this derivative divides by their difference"


def equal_values_remark(order: Sequence[Node], names: NodeNames) -> str:
    """Return what is said of the first such decomposition, with its line; "" if there is none."""
    for node, sentence in equal_values(order, names):
        line = names.line(node)
        return sentence if line is None else f"in line {line}, {sentence}"
    return ""
