"""Repairs to try, by error code: each looks at the source where a script failed and writes it anew.

What is proposed here is a guess that knows shapes, names and syntax; ``repair`` runs the script with it
and drops what does not hold, so a proposal may be bold.
"""

from __future__ import annotations

from autodiff.core.errors import AutodiffError, Edit, Fix
from autodiff.core.span import Source, Span
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.walk import path_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LONGEST_QUOTE = 60


class Scene:
    """Where a script failed: the nodes around the place, outermost first, and the tensors involved."""

    __slots__ = ("error", "path", "script", "source", "span", "tensors")

    def __init__(
        self, error: AutodiffError, span: Span, script: syntax.Script, source: Source, tensors: list[Tensor]
    ) -> None:
        self.error = error
        self.span = span
        self.script = script
        self.source = source
        self.tensors = tensors
        self.path = path_to(script, span)

    @property
    def node(self) -> Any:
        """The smallest node that covers the place."""
        return self.path[-1]

    @property
    def statement(self) -> Any:
        """The innermost statement around the place."""
        return next(
            node for node in reversed(self.path) if isinstance(node, (syntax.Statement, syntax.Script))
        )

    def text(self, node: syntax.Syntax) -> str:
        """The source of a node."""
        return self.source.excerpt(node.span)

    def operands(self) -> list[Any]:
        """The expressions the failed operation was given: the object of a method comes first."""
        node = self.node
        if isinstance(node, syntax.Binary):
            return [node.left, node.right]
        if isinstance(node, syntax.AugmentedAssign):
            return [node.target, node.value]
        if isinstance(node, syntax.Call):
            given = [argument.value for argument in node.arguments]
            if isinstance(node.function, syntax.Attribute) and len(given) < len(self.tensors):
                return [node.function.object, *given]
            return given
        return []

    def pairs(self) -> list[tuple[Tensor, Any]]:
        """The two tensors of an operation with the expressions that gave them; empty if that is unclear."""
        operands = self.operands()[:2]
        if len(self.tensors) != 2 or len(operands) != 2:
            return []
        return list(zip(self.tensors, operands, strict=True))


def propose(
    error: AutodiffError, script: syntax.Script, source: Source, tensors: list[Tensor]
) -> tuple[Fix, ...]:
    """Repairs for an error of a script that ran, the most likely first; empty if none comes to mind."""
    find = PROPOSALS.get(error.code)
    if find is None or error.span is None:
        return ()
    return tuple(find(Scene(error, error.span, script, source, tensors)))


def atom(text: str) -> str:
    """An expression as it can stand before a dot."""
    return text if text.replace(".", "").replace("_", "").isalnum() and not text[0].isdigit() else f"({text})"


def fit_product(scene: Scene) -> Iterator[Fix]:
    """Transposes that make a matrix product fit."""
    pairs = scene.pairs()
    if not pairs:
        return
    (x, left), (y, right) = pairs
    for flip_x, flip_y in ((True, False), (False, True), (True, True)):
        a = x.shape[::-1] if flip_x else x.shape
        b = y.shape[::-1] if flip_y else y.shape
        if len(a) == 2 and len(b) == 2 and a[1] == b[0]:
            texts = [
                atom(scene.text(node)) + ".T" if flip else scene.text(node)
                for node, flip in ((left, flip_x), (right, flip_y))
            ]
            edits = [
                Edit(node.span, text)
                for node, text, flip in zip((left, right), texts, (flip_x, flip_y), strict=True)
                if flip
            ]
            yield Fix(f"{texts[0]} @ {texts[1]} fits: {a} @ {b} gives {(a[0], b[1])}", *edits)


def fit_sum(scene: Scene) -> Iterator[Fix]:
    """Reshapes that make two shapes broadcast."""
    pairs = scene.pairs()
    for (a, node), (b, other) in (pairs, pairs[::-1]) if pairs else ():
        text, beside = atom(scene.text(node)), scene.text(other)
        if a.ndim == 2 and a.shape[::-1] == b.shape:
            yield Fix(f"{text}.T has the shape of {beside}: {b.shape}", Edit(node.span, f"{text}.T"))
        elif a.ndim == 1 and b.ndim == 2 and a.shape[0] == b.shape[0]:
            column = f"{text}.unsqueeze(1)"
            yield Fix(f"{column} fits: {(a.shape[0], 1)} goes with {b.shape}", Edit(node.span, column))


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


PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {
    "E0301": fit_sum,
    "E0302": fit_product,
    "E0401": start_backward,
}
