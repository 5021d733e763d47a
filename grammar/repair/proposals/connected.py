"""Explains where the graph was left, and proposes one fix that avoids the cuts.

The cuts are found by ``cuts``; here those in branches that did not run are dropped again.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.proposals.cuts import Cut

#: The most cuts that are listed, and the most for which it is tried whether they ran.
MOST_TOLD, MOST_TRIED = 4, 20
#: An expression, also usable as a statement, that fails when it runs.
FAILS = "(1 // 0)"


class StayConnected(Fix):
    """A fix that avoids some cuts, each of which has an edit."""

    __slots__ = ("cuts",)

    def __init__(self, cuts: Sequence[Cut]) -> None:
        shown = ", and ".join(first_of([cut.shown for cut in cuts]))
        super().__init__(
            f"stay in the graph: write {shown}", *[cut.edit for cut in cuts if cut.edit is not None]
        )
        self.cuts = tuple(cuts)

    def where_it_ran(self, holds: Callable[[Fix], bool]) -> StayConnected:
        """Return the fix, which ``holds``, without the cuts in branches that did not run.

        Such a branch is recognised because the script still holds when the cut is made to fail.
        """
        if len(self.cuts) > MOST_TRIED:
            return self
        ran = [cut for cut in self.cuts if len(self.cuts) == 1 or not holds(self.failing_at(cut))]
        return StayConnected(ran) if 0 < len(ran) < len(self.cuts) else self

    def failing_at(self, cut: Cut) -> Fix:
        others = [other.edit for other in self.cuts if other is not cut and other.edit is not None]
        return Fix("", *others, Edit(cut.node.span, FAILS))


def first_of(texts: list[str]) -> list[str]:
    """Return the texts, or the first few of them and how many more there are."""
    return (
        texts if len(texts) <= MOST_TOLD else [*texts[: MOST_TOLD - 1], f"{len(texts) - MOST_TOLD + 1} more"]
    )


def mended(found: Sequence[Cut]) -> Iterator[StayConnected]:
    """Yield the fix that avoids all cuts, if each of them has an edit."""
    if found and all(cut.edit is not None for cut in found):
        yield StayConnected(found)


def explain_cuts(scene: Scene, found: list[Cut]) -> Iterator[Fix]:
    """Label the cuts on the way to a value, and propose to avoid them."""
    error = scene.error
    error.caret = "the graph was left on the way to this"
    error.help = tuple(dict.fromkeys([cut.advice for cut in found if cut.advice]))
    for cut in found:
        if cut.node.span != error.span:
            error.labels.append(Label(cut.node.span, cut.why))
    yield from mended(found)


def narrowed(fix: Fix, error: AutodiffError, holds: Callable[[Fix], bool]) -> Fix:
    """Return a fix that ``holds`` without its cuts in branches that did not run, and drop their labels."""
    if not isinstance(fix, StayConnected):
        return fix
    narrow = fix.where_it_ran(holds)
    left_out = [cut.node.span for cut in fix.cuts if cut not in narrow.cuts]
    error.labels = [label for label in error.labels if label.span not in left_out]
    return narrow
