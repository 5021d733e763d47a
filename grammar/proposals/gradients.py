"""Repairs of backward passes that cannot start or go on."""

from __future__ import annotations

from autodiff.core.errors import Edit, Fix
from autodiff.core.span import Span
from autodiff.grammar import syntax
from autodiff.grammar.proposals.scene import Scene, atom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_QUOTE = 60


def start_backward(scene: Scene) -> Iterator[Fix]:
    """The two ways to start a backward pass from many numbers."""
    call = scene.node
    if not isinstance(call, syntax.Call) or not isinstance(call.function, syntax.Attribute):
        return
    (output,) = scene.tensors
    root = call.function.object
    name = scene.text(root)
    made = None if output.node is None else output.node.site
    text = "" if made is None else scene.source.excerpt(made)
    if made is not None and text != name and len(text) <= LONGEST_QUOTE and "\n" not in text:
        yield Fix(f"add them up:        {name} = {atom(text)}.sum()", Edit(made, f"{atom(text)}.sum()"))
    else:
        summed = f"{atom(name)}.sum()"
        yield Fix(f"add them up:        {summed}.backward()", Edit(root.span, summed))
    weight = f"torch.ones_like({name})"
    given = ", ".join([weight, *(scene.text(argument) for argument in call.arguments)])
    inside = Span(call.function.span.end, call.span.end)
    yield Fix(f"or give a weight:   {name}.backward({given})", Edit(inside, f"({given})"))


PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {"E0401": start_backward}
