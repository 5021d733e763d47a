"""Why a gradient is zero, infinite or nan: the first place where it became so, forwards or backwards.

Nothing is guessed from names: every edge between the output and the input is pulled back once more, and the
edge where something arrives and nothing, or nothing sensible, leaves is the one to blame.
"""

from __future__ import annotations

from autodiff.core.lazy import np
from autodiff.core.node import Node, OpNode
from autodiff.core.paths import contribution_of
from autodiff.core.report import Cause
from autodiff.core.sweep import leading_to, np_errors_ignored
from autodiff.core.uses import size_of
from autodiff.core.why_words import flat_words, forward_words, shown, singular_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.naming import Names
    from autodiff.core.paths import Edge
    from autodiff.core.report import Subject, Use

#: Of more causes than this the first are told.
MOST_CAUSES = 3
#: So many edges are looked into; where a long loop overflows, one is like the other.
MOST_BROKEN = 10
#: A sum this much smaller than its parts is what rounding left of them.
ROUNDING = 1e-14
#: What arrives and is smaller than this has been multiplied away.
VANISHING = 1e-280
#: Ops that pass on how much what arrives differs from its mean, and nothing where it does not.
DIFFERENCES = ("softmax", "log_softmax", "standardize", "std", "var")
#: Ops that let a gradient through in some entries only.
SELECTING = ("where", "masked_fill", "except_where", "maximum", "minimum")


def causes_of(
    subject: Subject, spelled: str, target: Node, names: Names, uses: tuple[Use, ...]
) -> tuple[Cause, ...]:
    """Why the gradient of ``target`` is zero in all entries, or not finite in some; nothing for any other.

    A gradient that is only what rounding left of its ``uses`` counts as zero.
    """
    g = subject.cotangents.get(target)
    if g is not None and not _is_finite(g):
        found = _Search(subject, spelled, target, names).not_finite()
    elif g is None or not _any(g):
        found = _Search(subject, spelled, target, names).zero()
    elif uses and size_of(g) <= ROUNDING * max(size_of(use.contribution) for use in uses):
        found = [_Search(subject, spelled, target, names).rounded_off(g, uses)]
    elif found_rounding := _Search(subject, spelled, target, names).rounding_of_differences(g):
        found = found_rounding
    else:
        return ()
    return tuple(found[:MOST_CAUSES])


class _Search:
    """Looks through the graph between the output and one input."""

    def __init__(self, subject: Subject, spelled: str, target: Node, names: Names) -> None:
        self.subject = subject
        self.spelled = spelled
        self.target = target
        self.names = names
        self.leading = leading_to(list(subject.order), [target])
        self.useful = set(self.leading)

    def edges(self, node: Node) -> list[Edge]:
        return [(node, index) for index, below in enumerate(node.inputs) if below in self.useful]

    def cause(self, kind: str, text: str, node: Node, operand: int | None = None) -> Cause:
        return Cause(
            kind=kind,
            text=text,
            name=self.names[node],
            op=node.op.name if isinstance(node, OpNode) else "",
            operand=operand,
            line=self.names.line(node),
            span=node.site,
        )

    # -- zero -------------------------------------------------------------------------------------------

    def zero(self) -> list[Cause]:
        if not self.leading:
            text = f"no path leads from {self.subject.name} to {self.spelled}"
            line = self.names.line(self.target)
            return [Cause("unconnected", text, self.spelled, "", None, line, self.target.site)]
        found = []
        arrived: dict[Node, list[tuple[Edge, Any]]] = {}
        with np_errors_ignored(list(self.subject.order)):
            for node in self.leading:
                g = self.subject.cotangents.get(node)
                if node is not self.subject.root and node in arrived and (g is None or not _any(g)):
                    given = [(edge, c) for edge, c in arrived[node] if _any(c)]
                    if given:
                        found.append(self._cancelled(node, given))
                    continue
                if node is self.target or g is None:
                    continue
                for edge in self.edges(node):
                    c = contribution_of(edge, g)
                    below = node.inputs[edge[1]]
                    assert below is not None
                    arrived.setdefault(below, []).append((edge, c))
                    if not _any(c) and _any(g):
                        found.append(self._flat(edge, g))
        if not found and not _any(self.subject.seed):
            found.append(self.cause("flat", "the gradient that was started from is 0", self.subject.root))
        return found

    def _flat(self, edge: Edge, g: Any) -> Cause:
        node, index = edge
        if size_of(g) < VANISHING:
            text = (
                f"the gradient has shrunk to {shown(g)} on its way to {self.names[node]}: a product of many"
                " factors below 1, and with the next one it is too small for a number"
            )
            return self.cause("vanished", text, node, index)
        return self.cause("flat", flat_words(node, index, g, self.names), node, index)

    def rounded_off(self, g: Any, uses: tuple[Use, ...]) -> Cause:
        parts = [f"{shown(use.contribution)} through {use.name}" for use in uses[:4]]
        more = f" and {len(uses) - 4} more" if len(uses) > 4 else ""
        words = (
            f"what reaches {self.spelled} cancels: {', '.join(parts)}{more}; {shown(g)} is what rounding left"
        )
        return self.cause("cancelled", words, self.target)

    def rounding_of_differences(self, g: Any) -> list[Cause]:
        """The op that passed on nothing but rounding, where the input has one such use."""
        users = [user for user in self.leading if self.target in user.inputs]
        if len(users) != 1 or not isinstance(users[0], OpNode) or users[0].op.name not in DIFFERENCES:
            return []
        [user] = users
        arrived = self.subject.cotangents.get(user)
        if arrived is None or size_of(g) > ROUNDING * size_of(arrived):
            return []
        words = (
            f"{self.names[user]} passes on how much what arrives differs from entry to entry, and all of it"
            f" is the same: what is left ({shown(g)}) is rounding"
        )
        return [self.cause("cancelled", words, user)]

    def _cancelled(self, node: Node, given: list[tuple[Edge, Any]]) -> Cause:
        name = self.names[node]
        parts = [f"{shown(c)} through {self.names[user]}" for (user, _), c in given[:4]]
        more = f" and {len(given) - 4} more" if len(given) > 4 else ""
        words = f"what reaches {name} cancels: {', '.join(parts)}{more} add up to 0"
        return self.cause("cancelled", words, node)

    # -- not finite -------------------------------------------------------------------------------------

    def not_finite(self) -> list[Cause]:
        found = []
        with np_errors_ignored(list(self.subject.order)):
            for node in self.leading:
                g = self.subject.cotangents.get(node)
                if g is None or node is self.target or not _is_finite(g):
                    continue
                for edge in self.edges(node):
                    c = contribution_of(edge, g)
                    if not _is_finite(c):
                        found.append(self._broken(edge, g, c))
                if len(found) >= MOST_BROKEN:
                    break
        if not found:
            text = f"what reaches {self.spelled} is finite, and its sum is larger than any number"
            found.append(self.cause("overflow", text, self.target))
        return _distinct(found)

    def _broken(self, edge: Edge, g: Any, c: Any) -> Cause:
        """The edge turned a finite gradient into one that is not."""
        node, index = edge
        assert isinstance(node, OpNode)
        at = first_entry(c, lambda entries: ~np.isfinite(entries))
        origin = self._origin(node)
        is_masked = self._is_masked(node, g, at, index)
        selecting = self._selecting(node) if is_masked else None
        if origin is not None and selecting is None:
            return self._forward(origin)
        if not is_masked:
            return self.cause("singular", singular_words(node, index, at, self.names), node, index)
        if origin is None or not _has_nan(origin.out):
            words, what = singular_words(node, index, at, self.names), "infinity"
        else:
            words, what = forward_words(origin, at, self.names), "nan"
        words += f"; what arrives there is 0, and 0 times {what} is nan"
        if selecting is not None:
            line = self.names.line(selecting)
            place = "" if line is None else f" in line {line}"
            words += f": {selecting.op.name}{place} leaves this branch out, but not its derivative"
        cause = self.cause("masked", words, node, index)
        cause.selecting = None if selecting is None else selecting.site
        return cause

    def _is_masked(self, node: Node, g: Any, at: tuple[int, ...] | None, index: int) -> bool:
        """Whether nothing arrives where the derivative is not finite."""
        below = node.inputs[index]
        if g.__class__ is float:
            return g == 0
        if at is None or below is None or below.shape != np.shape(g):
            return not np.any(g)
        return bool(np.asarray(g)[at] == 0)

    def _selecting(self, node: Node) -> OpNode | None:
        """The choice above a node that lets nothing through in some entries."""
        above = {node}
        for user in reversed(self.subject.order):
            if user in above or not any(below in above for below in user.inputs):
                continue
            above.add(user)
            if isinstance(user, OpNode) and user.op.name in (
                "where",
                "masked_fill",
                "except_where",
                "maximum",
            ):
                return user
        return None

    def _origin(self, node: OpNode) -> Node | None:
        """The oldest node below whose value is not finite while those it was made from are."""
        oldest = None
        stack: list[Node] = [node]
        seen: set[Node] = set()
        while stack:
            at = stack.pop()
            if at in seen or _is_finite(at.out):
                continue
            seen.add(at)
            if all(below is None or _is_finite(below.out) for below in at.inputs) and (
                oldest is None or at.number < oldest.number
            ):
                oldest = at
            stack += [below for below in at.inputs if below is not None]
        return oldest

    def _forward(self, node: Node) -> Cause:
        at = first_entry(node.out, lambda entries: ~np.isfinite(entries))
        if not isinstance(node, OpNode):
            text = f"{self.names[node]} holds {shown(node.out, at)} itself"
            return self.cause("data", text, node)
        return self.cause("forward", forward_words(node, at, self.names), node)


def first_entry(value: Any, test: Any) -> tuple[int, ...] | None:
    """Where the first entry is that passes a test; None for plain numbers."""
    if value.__class__ is float or not np.ndim(value):
        return None
    places = np.argwhere(test(np.asarray(value)))
    return tuple(int(i) for i in places[0]) if len(places) else None


def _has_nan(value: Any) -> bool:
    return bool(np.isnan(value).any())


def _any(value: Any) -> bool:
    return bool(value) if value.__class__ is float else bool(np.any(value))


def _is_finite(value: Any) -> bool:
    if value.__class__ is float:
        return value - value == 0.0
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())


def _distinct(causes: list[Cause]) -> list[Cause]:
    """Each place and text once."""
    return list({(cause.text, cause.line): cause for cause in causes}.values())
