"""One reason why a gradient is zero or not finite, as plain data. ``why`` finds it, ``remedies`` mends it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.errors import Fix
    from autodiff.core.base.source import Span


class Cause:
    """One reason why a gradient is zero or not finite, and the place in the script.

    ``kind``: ``"unconnected"``, ``"flat"`` (a derivative is 0), ``"cancelled"``, ``"vanished"`` (a product of
    many small factors), ``"forward"`` (a value is not finite before backward starts), ``"data"`` (an input is
    not), ``"singular"`` (a derivative is not), ``"masked"`` (one is not where nothing arrives, behind the
    choice at ``selecting``), ``"overflow"``, ``"closed"`` (some entries are 0), ``"diverged"`` (the steps of
    the script have made an input larger and larger), ``"changed"`` (the script has written what is not finite
    into one), ``"shrunk"`` or ``"grown"`` (of a gradient that is far from what it started from).
    ``name``, ``op`` and ``operand`` say which edge, ``text`` what happened; ``repairs`` are changes of the
    script that were tried.
    """

    __slots__ = ("kind", "line", "name", "op", "operand", "repairs", "selecting", "span", "text")

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
        self.selecting: Span | None = None
        self.repairs: tuple[Fix, ...] = ()
