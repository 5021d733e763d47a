"""The record of a reason why a gradient is zero or not finite.

``core/why`` finds the reasons; ``grammar/repair/gradient_remedies.py`` finds the repairs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.errors import Fix
    from autodiff.core.base.source import Span


class Cause:
    """One reason why a gradient is zero or not finite, with its position in the script.

    ``kind`` is one of: ``"unconnected"``; ``"flat"``: a derivative is 0; ``"closed"``: some entries are 0;
    ``"cancelled"``; ``"vanished"``: a product of many small factors; ``"forward"``: a value is not finite
    before backward starts; ``"data"``: an input is not finite; ``"singular"``: a derivative is not finite;
    ``"masked"``: a derivative is not finite where no gradient arrives, behind the selection at
    ``selection_span``; ``"overflow"``; ``"diverged"``: the script's update steps made an input larger and
    larger; ``"changed"``: the script wrote a value that is not finite into an input; ``"shrunk"`` or
    ``"grown"``: the gradient is far from the one the pass started with.

    ``name``, ``op`` and ``operand`` identify the edge; ``text`` says what happened; ``repairs`` are changes
    of the script that were tried.
    """

    __slots__ = ("kind", "line", "name", "op", "operand", "repairs", "selection_span", "span", "text")

    def __init__(
        self,
        kind: str,
        text: str,
        name: str,
        op: str,
        operand: int | None,
        line: int | None,
        span: Span | None,
    ) -> None:
        self.kind = kind
        self.text = text
        self.name = name
        self.op = op
        self.operand = operand
        self.line = line
        self.span = span
        self.selection_span: Span | None = None
        self.repairs: tuple[Fix, ...] = ()
