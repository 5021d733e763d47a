"""What Functions keep from ``forward`` without its graph, which second derivatives take for a constant.

Nothing is recorded in ``forward``, so ``ctx.mid = x.exp()`` has no graph, nor has ``ctx.k = x.item()``. A
value counts if it moves with the operands of the call, and what ``backward`` returns moves with the value. An
operand that was saved with its graph counts if nothing that ``backward`` returns has a graph.
"""

from __future__ import annotations

import re
from copy import copy

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.custom_call import CustomCallOp
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import enable_grad, no_grad
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.graph.values import as_stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.engine.custom_call import CustomCall
    from autodiff.core.engine.custom_function import Context
    from autodiff.core.graph.node import Node

#: The call around expressions without a place of their own.
SAVING_CALL = re.compile(r"^\w+\.save_for_backward\((.*)\)$", re.DOTALL)
#: How far the operands are moved, relative to their entries and to 1.
STEP = 1e-4


class SavedConstant:
    """A value that ``forward`` of the Function ``name`` computed and kept, where nothing is recorded.

    It is a constant for second derivatives. ``text`` is its expression or its name in the context, ``line``
    its line if that is known. ``had_graph`` says that it is an operand, whose graph ``backward`` leaves.
    """

    __slots__ = ("had_graph", "line", "name", "text")

    def __init__(self, name: str, text: str, line: int | None, had_graph: bool) -> None:
        self.name = name
        self.text = text
        self.line = line
        self.had_graph = had_graph

    @property
    def place(self) -> str:
        """The expression with its line."""
        return self.text if self.line is None else f"{self.text} (line {self.line})"

    @property
    def sentence(self) -> str:
        """What that means for second derivatives, and what to write instead."""
        if self.had_graph:
            return (
                f"The backward of {self.name} computes outside of the graph with what it saved: second"
                " derivatives take it for a constant. Leave out what does that, such as detach() or no_grad()"
            )
        return (
            f"{self.place}, which {self.name} saves, is computed in forward, where nothing is recorded:"
            " second derivatives take it for a constant. Save what it is made of, and compute it again in"
            " backward"
        )


def saved_constants(order: list[Node], source: Source, *targets: Node) -> tuple[SavedConstant, ...]:
    """What calls between the output and every one of ``targets`` keep without the graph it came from.

    ``order`` is that of the first backward pass.
    """
    reached = [set(nodes_leading_to(order, [target])) for target in dict.fromkeys(targets)]
    found: dict[tuple[str, str], SavedConstant] = {}
    for node in order:
        if isinstance(node.op, CustomCallOp) and all(node in nodes for nodes in reached):
            for text, value, had_graph in lost_values(node.op.call, node.out):
                site = node.op.call.saved_sites.get(id(value))
                line = None if site is None else source.position(site.start)[0]
                if not text and site is not None:
                    text = SAVING_CALL.sub(r"\1", source.excerpt(site))
                text = text or "a saved tensor"
                made = SavedConstant(node.op.call.name, text, line, had_graph)
                found.setdefault((made.name, made.text), made)
    return tuple(found.values())


def lost_values(call: CustomCall, out: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield what ``backward`` of a call takes for a constant: its name, itself, and whether it has a graph.

    The name is that in the context, empty for a saved tensor.
    """
    context = call.context
    kept: list[tuple[str, int | str, Any]] = [
        ("", at, value) for at, value in enumerate(context.saved_tensors)
    ]
    kept += [(f"ctx.{name}", name, value) for name, value in context.names.items()]
    g = as_stored(np.ones_like(out))
    kept = [one for one in kept if numbers_in(one[2])]
    if not all(has_no_graph(value, call) for _, _, value in kept) and answers_have_graph(call, g):
        kept = [one for one in kept if has_no_graph(one[2], call)]
    if not kept:
        return
    with no_grad():
        try:
            moved = [moved_context(call, step) for step in (STEP, -STEP)]
            answers = numbers_in(call.call_backward(g))
        except AutodiffError:  # they cannot run a second time
            return
        for text, key, value in kept:
            others = [value_of(one, key) for one in moved]
            if any(same_numbers(numbers_in(value), numbers_in(other)) for other in others):
                continue
            try:
                given = numbers_in(answers_with(call, key, others[0], g))
            except AutodiffError:
                given = []
            if not same_numbers(answers, given):
                yield text, value, not has_no_graph(value, call)


def has_no_graph(value: Any, call: CustomCall) -> bool:
    """Whether no tensor in a kept value is recorded or an operand of the call."""
    tensors = [x for x in tensors_in(value) if x.node is not None]
    return not any(x.requires_grad_flag or x.node in call.operand_nodes for x in tensors)


def answers_have_graph(call: CustomCall, g: Any) -> bool:
    """Whether something that ``backward`` returns can be differentiated again; True if it cannot run."""
    with enable_grad():
        try:
            return any(x.requires_grad_flag for x in tensors_in(call.call_backward(g)))
        except AutodiffError:
            return True


def moved_context(call: CustomCall, step: float) -> Context:
    """The context that ``forward`` fills where every operand is moved by ``step``."""
    moved = []
    for value in call.values:
        array = np.asarray(value)
        if array.dtype.kind == "f":
            value = (array + step * np.maximum(np.abs(array), 1.0)).astype(array.dtype)
        moved.append(value)
    return call.run_forward(moved)[0]


def answers_with(call: CustomCall, key: int | str, value: Any, g: Any) -> tuple[Any, ...]:
    """What ``backward`` returns if it finds another value in the context."""
    before = call.context
    changed = copy(before)
    if isinstance(key, int):
        kept = list(before.saved_tensors)
        kept[key] = value
        changed.saved_tensors = tuple(kept)
    else:
        changed.names = {**before.names, key: value}
    call.context = changed
    try:
        return call.call_backward(g)
    finally:
        call.context = before


def value_of(context: Context, key: int | str) -> Any:
    if isinstance(key, int):
        return context.saved_tensors[key] if key < len(context.saved_tensors) else None
    return context.names.get(key)


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in a value, which may be a list or a tuple of them."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)


def numbers_in(value: Any) -> list[Any]:
    """The floating-point numbers and arrays in a value."""
    if isinstance(value, Tensor):
        return [value.data] if value.dtype.is_floating_point else []
    if isinstance(value, (list, tuple)):
        return [number for part in value for number in numbers_in(part)]
    return [value] if isinstance(value, float) else []


def same_numbers(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(x, y, equal_nan=True) for x, y in zip(one, other, strict=True)
    )
