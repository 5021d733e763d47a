"""The values that names have before statements of a script, for those who ask what a line reads."""

from __future__ import annotations

from autodiff.core.engine.tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from autodiff.grammar.interpret.compiler import Compiler, Execute, Frame
    from autodiff.grammar.session.run import Execution
    from autodiff.grammar.syntax import tree

#: The classes of values that are kept.
KEPT = frozenset([Tensor, float, int, bool, str, list, tuple])


def keeping(
    statements: tree.Body,
    body: tree.Body,
    keep: Mapping[int, Collection[str]],
    compiler: Compiler,
    execution: Execution,
) -> Execute:
    """Return the closure that runs a body and keeps the values of names before statements.

    ``keep`` has the names by the offsets of the statements; of these the last may stand behind the body.
    """
    slots = compiler.names.module.slots
    parts: list[tuple[int, Execute | None]] = []
    start = 0
    for at, statement in enumerate(statements):
        if statement.span.start in keep:
            parts.append((-1, compiler.body(body[start:at]) if at > start else None))
            parts.append((statement.span.start, None))
            start = at
    parts.append((-1, compiler.body(body[start:]) if len(body) > start else None))

    def run(frame: Frame) -> None:
        for offset, part in parts:
            if part is not None:
                part(frame)
            elif offset >= 0:
                found = {name: frame[slots[name]] for name in keep[offset] if name in slots}
                execution.kept[offset] = {
                    name: kept(one) for name, one in found.items() if one.__class__ in KEPT
                }

    return run


def kept(value: Any, enclosing: tuple[int, ...] = ()) -> Any:
    """Return a value as it is now; lists inside themselves stay as they are.

    The array of a tensor never changes: a tensor that changes gets another one.
    """
    if value.__class__ is Tensor:
        return Tensor.of(value.value)
    if value.__class__ in (list, tuple) and id(value) not in enclosing:
        return value.__class__(kept(entry, (*enclosing, id(value))) for entry in value)
    return value
