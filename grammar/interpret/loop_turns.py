"""In which turn of a loop a script failed, found out after the failure: loops that run well pay nothing."""

from __future__ import annotations

from contextlib import suppress
from operator import length_hint

from autodiff.core.base.errors import Turn
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBERS, SIZED
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_TURNS = 5


def note_turn(node: tree.For, rows: Any, left: Any, value: Any) -> None:
    """Remember where a loop was when an error went through it; ``left`` is its iterator over ``rows``."""
    if len(runtime.turns) >= MOST_TURNS:
        return
    number = None
    if rows.__class__ in SIZED:
        with suppress(OverflowError):  # a range may have more turns than Python counts elsewhere
            number = len(rows) - length_hint(left)
    target: Any = node.target
    if rows.__class__ is enumerate and isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        target, value = target.elements[0], value[0]  # the script's own number, which may start anywhere
    runtime.turns.append(Turn(node.span, number, named(target, value)))


def named(target: Any, value: Any) -> str:
    """``i = 2``, if the loop has one variable and its value is a number."""
    if value.__class__ is Tensor and value.size == 1:
        value = value.item()
    if not isinstance(target, tree.Name) or value.__class__ not in NUMBERS:
        return ""
    return f"{target.id} = {value:.6g}" if value.__class__ is float else f"{target.id} = {value}"
