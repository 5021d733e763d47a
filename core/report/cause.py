"""The record of a reason why a gradient is zero or not finite.

``core/why`` finds the reasons; ``grammar/repair/gradient_remedies.py`` finds the repairs.
"""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.errors import Fix
    from autodiff.core.base.source import Span
    from autodiff.core.report.graph_records import Graph


class Cause(Record):
    """One reason why a gradient is zero or not finite, with its position in the script.

    ``kind`` is one of: ``"unconnected"``; ``"flat"``: a derivative is 0; ``"closed"``: some entries are 0;
    ``"cancelled"``; ``"vanished"``: a product of many small factors; ``"forward"``: a value is not finite
    before backward starts; ``"data"``: an input is not finite; ``"singular"``: a derivative is not finite;
    ``"masked"``: a derivative is not finite where no gradient arrives, behind the selection at
    ``selection_span``; ``"overflow"``; ``"diverged"``: the script's update steps made an input larger and
    larger; ``"changed"``: the script wrote a value that is not finite into an input; ``"shrunk"`` or
    ``"grown"``: the gradient is far from the one the pass started with, or it changes much from the last use
    of the input to the first; ``"rounding"``: the rounding of a value can change the gradient by its own
    size; ``"saved"``: a second derivative misses a part, because a Function keeps a value without its graph.

    ``name``, ``op`` and ``operand`` identify the edge; ``text`` says what happened; ``repairs`` are changes
    of the script that were tried. ``place`` is the first entry that is not finite, or whose slope is not, of
    an array with the ``shape``; both are empty where there is no such array.
    """

    kind: str
    text: str
    name: str
    op: str
    operand: int | None
    line: int | None
    span: Span | None
    selection_span: Span | None = None
    repairs: tuple[Fix, ...] = ()
    place: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()

    def lost_edges(self, graph: Graph) -> list[int]:
        """The ids of the edges that lost the gradient; none where many factors made it small or large."""
        if self.kind in ("shrunk", "grown"):
            return []
        names = [node.name for node in graph.nodes]
        return [
            id
            for id, edge in enumerate(graph.edges)
            if names[edge.output] == self.name and self.operand in (None, edge.operand)
        ]
