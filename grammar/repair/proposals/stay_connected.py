"""Explains where the graph was left, and proposes one fix that avoids the cuts.

The cuts are found by ``cuts``; here those in branches that did not run are dropped again.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, Edit, Fix, Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodiff.grammar.help.failure_scene import Scene
    from autodiff.grammar.repair.proposals.graph_cuts import Cut

#: The most cuts that are listed, and the most for which it is tried whether they ran.
MOST_LISTED_CUTS, MOST_TRIED_CUTS = 4, 20
#: An expression, also usable as a statement, that fails when it runs.
FAILING_CODE = "(1 // 0)"


class StayConnected(Fix):
    """A fix that avoids some cuts, each of which has an edit."""

    __slots__ = ("cuts",)

    def __init__(self, cuts: Sequence[Cut]) -> None:
        shown = ", and ".join(abbreviated([cut.shown for cut in cuts]))
        super().__init__(
            f"stay in the graph: write {shown}", *[cut.edit for cut in cuts if cut.edit is not None]
        )
        self.cuts = tuple(cuts)

    def without_unrun_cuts(self, holds: Callable[[Fix], bool]) -> StayConnected:
        """Return the fix, which ``holds``, without the cuts in branches that did not run.

        Such a branch is recognised because the script still holds when the cut is made to fail.
        """
        if len(self.cuts) > MOST_TRIED_CUTS:
            return self
        ran = [cut for cut in self.cuts if len(self.cuts) == 1 or not holds(self.fail_at_cut(cut))]
        return StayConnected(ran) if 0 < len(ran) < len(self.cuts) else self

    def fail_at_cut(self, cut: Cut) -> Fix:
        others = [other.edit for other in self.cuts if other is not cut and other.edit is not None]
        return Fix("", *others, Edit(cut.node.span, FAILING_CODE))


def abbreviated(texts: list[str]) -> list[str]:
    """Return the texts, or the first few of them and how many more there are."""
    return (
        texts
        if len(texts) <= MOST_LISTED_CUTS
        else [*texts[: MOST_LISTED_CUTS - 1], f"{len(texts) - MOST_LISTED_CUTS + 1} more"]
    )


def connecting_fix(found: Sequence[Cut]) -> Iterator[StayConnected]:
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
            error.labels.append(Label(cut.node.span, cut.reason))
    yield from connecting_fix(found)


def drop_unrun_cuts(fix: Fix, error: AutodiffError, holds: Callable[[Fix], bool]) -> Fix:
    """Return a fix that ``holds`` without its cuts in branches that did not run, and drop their labels."""
    if not isinstance(fix, StayConnected):
        return fix
    narrow = fix.without_unrun_cuts(holds)
    left_out = [cut.node.span for cut in fix.cuts if cut not in narrow.cuts]
    error.labels = [label for label in error.labels if label.span not in left_out]
    return narrow
