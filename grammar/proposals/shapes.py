"""Repairs of shapes that do not fit."""

from __future__ import annotations

from autodiff.core.errors import Edit, Fix
from autodiff.grammar.proposals.scene import Scene, atom

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


PROPOSALS: dict[str, Callable[[Scene], Iterator[Fix]]] = {"E0301": fit_sum, "E0302": fit_product}
