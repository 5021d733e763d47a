"""Records in which turn of a loop a script failed, after the failure, so that loops pay nothing otherwise."""

from __future__ import annotations

from contextlib import suppress
from operator import length_hint

from autodiff.core.base.errors import LoopIteration
from autodiff.core.base.limits import limits
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES, SIZED
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_RECORDED_LOOPS = 5


def record_iteration(node: tree.For, rows: Any, row_iterator: Any, value: Any) -> None:
    """Record the turn of a loop that an error left; ``row_iterator`` is the loop's iterator over ``rows``."""
    if len(runtime.turns) >= MAX_RECORDED_LOOPS:
        return
    number = None
    if rows.__class__ in SIZED:
        with suppress(OverflowError):  # a range may be longer than sys.maxsize
            number = len(rows) - length_hint(row_iterator)
    target: Any = node.target
    is_taken_apart = isinstance(target, (tree.TupleDisplay, tree.ListDisplay)) and target.elements
    if rows.__class__ is enumerate and is_taken_apart:
        target, value = target.elements[0], value[0]  # enumerate's number, which may start anywhere
    runtime.turns.append(LoopIteration(node.span, number, format_loop_variable(target, value)))


def format_loop_variable(target: Any, value: Any) -> str:
    """Return ``i = 2`` if the loop has one variable and its value is a number, else ``""``."""
    if value.__class__ is Tensor and value.entry_count == 1:
        value = value.item()
    if not isinstance(target, tree.Name) or value.__class__ not in NUMBER_CLASSES:
        return ""
    return (
        f"{target.id} = {value:.{limits.digits}g}" if value.__class__ is float else f"{target.id} = {value}"
    )
