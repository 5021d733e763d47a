"""Why a gradient is zero, infinite or nan: the first place, forward or backward, where it became so.

Names play no role: every edge between the output and the input is evaluated again. The cause is the edge
where a gradient arrives and nothing, or nothing finite, is passed on.
"""

from __future__ import annotations

from functools import cached_property

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import numpy_warnings_off
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.path_sum import edge_contribution, has_no_gradient, vjp_of_ones
from autodiff.core.paths.use_contributions import max_abs
from autodiff.core.report.cause import Cause
from autodiff.core.symbolic.symbol import is_custom
from autodiff.core.why.earlier_loss import earlier_loss
from autodiff.core.why.magnitude import magnitude_causes, rounding_tolerance
from autodiff.core.why.op_table import (
    BLOCKING_WORDS,
    CENTERING_OPS,
    FILLING_OPS,
    FLAT_AT_ZERO_OPS,
    JOINING_OPS,
    factors_beside,
    is_product_with_itself,
)
from autodiff.core.why.repeated_uses import repeated_use_causes
from autodiff.core.why.rounded_gradients import rounded_gradient
from autodiff.core.why.sentences import (
    arrives_constant,
    blocking_sentence,
    custom_words,
    first_entry,
    nonfinite_value_sentence,
    operand_in_words,
    singular_slope_sentence,
    spoken_name,
    value_words,
    zero_slope_sentence,
)
from autodiff.core.why.underflow import underflow_below, underflow_sentence
from autodiff.core.why.zero_entries import zero_entry_causes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.paths.path_sum import Edge
    from autodiff.core.report.records import InputUse, ReportedPass

#: At most this many causes are reported, the first ones.
MOST_CAUSES = 3
#: At most this many edges are examined. If a long loop overflows, they are all alike.
MOST_EXAMINED_EDGES = 10
ADDING_OPS = ("add", "sub")


def causes_of(
    subject: ReportedPass, spelled: str, target: Node, names: NodeNames, uses: tuple[InputUse, ...]
) -> tuple[Cause, ...]:
    """Why the gradient of ``target`` is zero in all entries or some, or not finite in some.

    A gradient counts as zero if it is only the rounding error of its ``uses``. Nothing is said about any
    other gradient, unless its size is far from the gradient at the output or the output is not finite.
    """
    search = CauseSearch(subject, spelled, target, names)
    g = subject.cotangents.get(target)
    if g is not None and not _is_finite(g):
        found = search.nonfinite_causes()
    elif g is None or not _any_nonzero(g):
        found = search.zero_causes()
        known = {cause.name for cause in found}
        found += [cause for cause in search.output() if cause.name not in known]
    elif uses and max_abs(g) <= rounding_tolerance(g) * max(max_abs(use.contribution) for use in uses):
        found = [search.rounding_error_cause(g, uses)]
    else:
        found = (
            search.find_rounding_in_single_use(g)
            or search.output()
            or search.find_rounding_above(g)
            or search.find_rounded_values()
            or [
                *zero_entry_causes(subject, names, search.leading, target, g),
                *(
                    magnitude_causes(subject, names, search.leading, target, g)
                    or repeated_use_causes(subject, names, search.leading, spelled, target, g)
                ),
            ]
        )
    return tuple(_distinct(found)[:MOST_CAUSES])


class CauseSearch:
    """A search through the graph between the output and one input."""

    def __init__(self, subject: ReportedPass, spelled: str, target: Node, names: NodeNames) -> None:
        self.subject = subject
        self.spelled = spelled
        self.target = target
        self.names = names
        self.leading = nodes_leading_to(subject.order, [target])
        self.useful = set(self.leading)

    @cached_property
    def users(self) -> dict[Node, Node]:
        """The first user of each node."""
        return {below: node for node in self.subject.order for below in node.inputs if below is not None}

    def edges(self, node: Node) -> list[Edge]:
        return [(node, index) for index, below in enumerate(node.inputs) if below in self.useful]

    def cause(self, kind: str, text: str, node: Node, operand: int | None = None) -> Cause:
        origin = None if self.names.origins is None else self.names.origins.of(node)
        if origin is not None and kind != "slope":
            spelled = self.names.source_line(origin) or self.names.without_suffix(origin)
            text = f"in the slope of {spelled}, {text}"
        return Cause(
            kind="forward" if kind == "slope" else kind,
            text=text,
            name=self.names[node],
            op=node.op.name if isinstance(node, OpNode) else "",
            operand=operand,
            line=self.names.line(node if origin is None else origin),
            span=node.site,
        )

    # -- zero -------------------------------------------------------------------------------------------

    def zero_causes(self) -> list[Cause]:
        if not self.leading:
            return [self.unconnected_cause()]
        found: list[Cause] = []
        arrived: dict[Node, list[tuple[Edge, Any]]] = {}
        with numpy_warnings_off(self.subject.order):
            for node in self.leading:
                g = self.subject.cotangents.get(node)
                if node is not self.subject.root and node in arrived and (g is None or not _any_nonzero(g)):
                    given = [(edge, c) for edge, c in arrived[node] if _any_nonzero(c)]
                    if given:
                        found.append(self.cancellation_cause(node, given))
                    continue
                if node is self.target or g is None:
                    continue
                for edge in self.edges(node):
                    if is_constant_along(edge):
                        continue
                    c = edge_contribution(edge, g)
                    below = node.inputs[edge[1]]
                    assert below is not None
                    arrived.setdefault(below, []).append((edge, c))
                    if not _any_nonzero(c) and _any_nonzero(g):
                        found.append(self._zero_edge_cause(edge, g))
                if len(found) >= MOST_EXAMINED_EDGES:
                    break
        if not found and not _any_nonzero(self.subject.seed):
            found.append(self.cause("flat", "the gradient that was started from is 0", self.subject.root))
        if not found and any(is_constant_along(edge) for node in self.leading for edge in self.edges(node)):
            found.append(self.unconnected_cause())
        return found

    def unconnected_cause(self) -> Cause:
        text = f"no path leads from {self.subject.name} to {self.spelled}"
        if self.names.origins is not None:
            text = f"{self.subject.name} does not depend on {self.spelled}, so its derivative is 0"
        line = self.names.line(self.target)
        return Cause("unconnected", text, self.spelled, "", None, line, self.target.site)

    def _zero_edge_cause(self, edge: Edge, g: Any) -> Cause:
        node, index = edge
        copies = self.find_cancelling_copies(edge, g, edge_contribution(edge, g))
        if copies:
            return copies[0]
        size = max_abs(g)
        factor = edge_contribution(edge, g / size) if 0 < size < float("inf") else 0.0
        if _any_nonzero(factor):
            text = (
                f"the gradient has shrunk to {value_words(g)} on its way to {spoken_name(node, self.names)},"
                f" and times the next factor ({value_words(factor)}) it is too small for a number"
            )
            return self.cause("vanished", text, node, index)
        assert isinstance(node, OpNode)
        if is_custom(node.op):
            words = custom_words(node, index, has_no_gradient(edge, g), self.names)
            return self.cause("flat", words, node, index)
        origin = self._nonfinite_origin(*(below for below in node.inputs if below is not None))
        if origin is not None:
            at = first_entry(origin.out, lambda entries: ~np.isfinite(entries))
            words = nonfinite_value_sentence(origin, at, self.names) if isinstance(origin, OpNode) else ""
            if words:
                words += f"; behind that {spoken_name(node, self.names)} has the slope 0"
                return self.cause("forward", words, origin)
        if not arrives_constant(node, g) and (sums := self.find_cancelling_entries(edge, g)):
            return sums[0]
        if node.op.name in JOINING_OPS and (above := self._blocking_edge_above(node, index)):
            user, at_operand = above
            return self.cause("flat", zero_slope_sentence(user, at_operand, g, self.names), user, at_operand)
        selecting = None if self.names.origins is None else self.names.origins.selection(node)
        if selecting is not None and self.names.origins is not None:
            cause = self.cause("flat", "", node, index)
            cause.text = zero_slope_sentence(selecting, 0, g, self.names.origins.names)
            return cause
        tiny = underflow_below(node) if factors_beside(node, index) else None
        if tiny is not None:
            return self.cause("vanished", underflow_sentence(tiny, self.names, self.names.line(tiny)), tiny)
        lower = zero_edge_below(node.inputs[index], self.useful) if is_flat_at_zero(node) else None
        if lower is not None:
            node, index = lower
            assert isinstance(node, OpNode)
        return self.cause("flat", zero_slope_sentence(node, index, g, self.names), node, index)

    def _blocking_edge_above(self, node: OpNode, index: int) -> Edge | None:
        """The edge above a joining op that passes on nothing to the part of operand ``index``, else None."""
        numbers = np.arange(1.0, np.size(node.out) + 1).reshape(node.shape)
        places = np.asarray(edge_contribution((node, index), numbers), dtype=int).ravel() - 1
        while True:
            user = self.users.get(node)
            if user is None:
                return None
            edge = (user, user.inputs.index(node))
            through = np.asarray(edge_contribution(edge, self.subject.cotangents[user]))
            if through.size < places.size or through.ravel()[places].any():
                return None
            assert isinstance(user, OpNode)
            if not user.op.is_elementwise or user.shape != node.shape:
                return edge
            node = user

    # -- not finite -------------------------------------------------------------------------------------

    def nonfinite_causes(self) -> list[Cause]:
        found = []
        with numpy_warnings_off(self.subject.order):
            for node in self.leading:
                g = self.subject.cotangents.get(node)
                if g is None or node is self.target or not _is_finite(g):
                    continue
                for edge in self.edges(node):
                    c = edge_contribution(edge, g)
                    if not _is_finite(c):
                        found.append(self._nonfinite_edge_cause(edge, g, c))
                if len(found) >= MOST_EXAMINED_EDGES:
                    break
        if not found:
            text = f"what reaches {self.spelled} is finite, and its sum is larger than any number"
            found.append(self.cause("overflow", text, self.target))
        return _distinct(found)

    def output(self) -> list[Cause]:
        """Why the output is not finite although the gradient is."""
        root = self.subject.root
        origin = None if _is_finite(root.out) else self._nonfinite_origin(root)
        if origin is None:
            return []
        cause = self._forward(origin)
        cause.text += "; the gradient has a value all the same"
        return [cause]

    def _nonfinite_edge_cause(self, edge: Edge, g: Any, c: Any) -> Cause:
        """A cause for an edge that turned a finite gradient into one that is not."""
        node, index = edge
        assert isinstance(node, OpNode)
        at = first_entry(c, lambda entries: ~np.isfinite(entries))
        origin = self._nonfinite_origin(node)
        is_masked = self._is_masked(node, g, at, index)
        is_here = origin is None or origin is node
        closing = self._blocking_op_above(node, at) if is_masked else None
        if closing and not is_here:  # a product passes on the nonfinite value
            is_choice = closing.op.name != "mul" and _is_computed(origin) and _is_only_masked(g, c)
            closing = closing if is_choice else None
        if origin is not None and closing is None:
            cause = self._forward(origin)
            if node is not origin:
                what = "nan" if np.isnan(c).any() else "infinite"
                line = self.names.line(node)
                place = f" in line {line}" if line not in (None, cause.line) else ""
                if self._slope_sentence(origin, None) and what == "nan" and node.op.name == "mul":
                    cause.text += "; 0 times infinity is nan"
                else:
                    cause.text += f"; the gradient becomes {what} at {spoken_name(node, self.names)}{place}"
            return cause
        if not is_masked or is_custom(node.op):
            cause = self.cause("singular", singular_slope_sentence(node, index, at, self.names), node, index)
            return placed(cause, at, c)
        if origin is None or not isinstance(origin, OpNode):
            words = singular_slope_sentence(node, index, at, self.names)
        else:
            words = nonfinite_value_sentence(
                origin, first_entry(origin.out, lambda x: ~np.isfinite(x)), self.names
            )
        what = "nan" if np.isnan(np.asarray(vjp_of_ones(edge))[at or ...]).any() else "infinity"
        there = "there" if is_here else f"at {spoken_name(node, self.names)}"
        words += f"; what arrives {there} is 0, and 0 times {what} is nan"
        if closing is not None:
            words += f": {blocking_sentence(closing, self.names)}"
        cause = self.cause("masked", words, *((node, index) if is_here or origin is None else (origin, 0)))
        cause.selection_span = None if closing is None else closing.site
        return placed(cause, at, c)

    def _is_masked(self, node: Node, g: Any, at: tuple[int, ...] | None, index: int) -> bool:
        """Whether nothing arrives where the derivative is not finite."""
        below = node.inputs[index]
        if g.__class__ is float:
            return g == 0
        if at is None or below is None or below.shape != np.shape(g):
            return not np.any(g)
        return bool(np.asarray(g)[at] == 0)

    def _blocking_op_above(self, node: Node, at: tuple[int, ...] | None) -> OpNode | None:
        """The op above a node that lets nothing through to its entry ``at``, if that op chooses entries.

        A product stops a gradient by the value of its other operand. It counts if no op further up chooses.
        """
        product = None
        while True:
            user = self.users.get(node)
            if not isinstance(user, OpNode):
                return product
            through = np.asarray(vjp_of_ones((user, user.inputs.index(node))))
            entry = through[at] if at is not None and len(at) == through.ndim else through
            if not entry.all():
                if user.op.name != "mul":
                    return user if user.op.name in BLOCKING_WORDS else product
                product = product or user
            is_alike = user.op.is_elementwise and user.shape == node.shape
            node, at = user, at if is_alike else None

    def _nonfinite_origin(self, *nodes: Node) -> Node | None:
        """The oldest node, in or below ``nodes``, whose value is not finite while those of its operands are.

        An infinity that the script wrote on purpose, as into a mask, is a cause only if no nan came from it.
        The logarithm of a 0 that came from an overflow, as in ``1/inf``, leads to the overflow.
        """
        oldest = _oldest_unsound(nodes, _is_finite)
        if oldest is not None and (not isinstance(oldest, OpNode) or oldest.op.name in FILLING_OPS):
            oldest = _oldest_unsound(nodes, _has_no_nan) or oldest
        return (earlier_loss(oldest) if isinstance(oldest, OpNode) else None) or oldest

    def _forward(self, node: Node) -> Cause:
        test = np.isnan if not _has_no_nan(node.out) else np.isinf
        at = first_entry(node.out, test)
        if not isinstance(node, OpNode):
            slope = self._slope_sentence(node, at)
            if slope:
                return self.cause("slope", slope, node)
            text = f"{spoken_name(node, self.names)} holds {value_words(node.out, at)} itself"
            return self.cause("data", text, node)
        words = nonfinite_value_sentence(node, at, self.names)
        tiny = underflow_below(node)
        if tiny is not None:
            words += f"; {underflow_sentence(tiny, self.names, self.names.line(node))}"
        return placed(self.cause("forward", words, node), at, node.out)

    def _slope_sentence(self, node: Node, at: tuple[int, ...] | None) -> str:
        """How the slope of an op of the script contains a constant that is not finite; empty if unknown."""
        origin = None if self.names.origins is None else self.names.origins.of(node)
        if not isinstance(origin, OpNode) or self.names.origins is None:
            return ""
        by = [index for index, below in enumerate(origin.inputs) if below is not None and below.tracked]
        if len(by) != 1:
            return ""
        place = at if at is not None and len(at) == len(origin.shape) else None
        return singular_slope_sentence(origin, by[0], place, self.names.origins.names)

    # -- sums that cancel, to exactly 0 or to a rounding error ------------------------------------------

    def rounding_error_cause(self, g: Any, uses: tuple[InputUse, ...]) -> Cause:
        users = {self.names[node]: node for node in self.leading}
        parts = [
            f"{value_words(use.contribution)} through {spoken_name(users[use.name], self.names)}"
            for use in uses[:4]
        ]
        more = f" and {len(uses) - 4} more" if len(uses) > 4 else ""
        words = (
            f"what reaches {self.spelled} cancels: {', '.join(parts)}{more}; {value_words(g)} is what"
            " rounding left"
        )
        return self.cause("cancelled", words, self.target)

    def find_cancelling_copies(self, edge: Edge, arrived: Any, g: Any) -> list[Cause]:
        """A cause if an op adds an operand to several entries whose gradients add up to 0, or nearly so.

        ``g`` is the sum of these gradients.
        """
        node, index = edge
        if arrived.__class__ is float:  # one entry; numpy need not be imported to know that
            return []
        size = np.size(node.operands[index]) if isinstance(node, OpNode) else 0
        if (
            not size
            or not isinstance(node, OpNode)
            or not (node.op.name in ADDING_OPS or is_bias(node, index))
        ):
            return []
        count = np.size(arrived) / size
        if count == 1 or max_abs(g) > count * rounding_tolerance(g) * max_abs(arrived):
            return []
        below = node.inputs[index]
        assert below is not None
        left = f", up to rounding ({value_words(g)})" if np.any(g) else ""
        words = (
            f"{spoken_name(below, self.names)} goes into {count:,.0f} entries of"
            f" {spoken_name(node, self.names)}"
            f"{' each' * (size > 1)}, and what arrives at them ({value_words(arrived)}) adds up to 0{left}"
        )
        return [self.cause("cancelled", words, node, index)]

    def find_cancelling_entries(self, edge: Edge, arrived: Any) -> list[Cause]:
        """A cause if several entries of an op pass a gradient on to the operand and these add up to 0.

        This is tested with uneven weights: then the sum is not 0, unless each entry passes on nothing.
        """
        node, index = edge
        if np.size(arrived) < 2 or not isinstance(node, OpNode):
            return []
        uneven = np.linspace(1.0, 2.0, np.size(arrived)) ** 3
        passed_on = edge_contribution(edge, arrived * uneven.reshape(np.shape(arrived)).astype(arrived.dtype))
        if not np.isfinite(passed_on).all() or max_abs(passed_on) <= rounding_tolerance(passed_on) * max_abs(
            arrived
        ):
            return []
        below = node.inputs[index]
        assert below is not None
        others = factors_beside(node, index)
        factors = [operand_in_words(node, at, self.names) for at in others] or ["the slopes"]
        words = (
            f"{spoken_name(below, self.names)} goes into several entries of {spoken_name(node, self.names)},"
            f" and what arrives there ({value_words(arrived)}) times {' times '.join(factors)} adds up to 0"
        )
        return [self.cause("cancelled", words, node, index)]

    def find_rounding_in_single_use(self, g: Any) -> list[Cause]:
        """A cause if the input has a single use, whose op passed on only a rounding error."""
        edges = [
            (user, index)
            for user in self.leading
            for index, below in enumerate(user.inputs)
            if below is self.target
        ]
        arrived = self.subject.cotangents.get(edges[0][0]) if len(edges) == 1 else None
        if arrived is None:
            return []
        [(user, index)] = edges
        if not isinstance(user, OpNode) or user.op.name not in CENTERING_OPS:
            return self.find_cancelling_copies((user, index), arrived, g)
        rounding = rounding_tolerance(g) * max_abs(arrived)
        if max_abs(g) > rounding or not arrives_constant(user, arrived, rounding):
            return []
        words = (
            f"{spoken_name(user, self.names)} passes on how much what arrives differs from entry to entry,"
            f" and all of it is the same: what is left ({value_words(g)}) is rounding"
        )
        return [self.cause("cancelled", words, user)]

    def find_rounding_above(self, g: Any) -> list[Cause]:
        """A cause if the gradients of a node above the input cancel down to a rounding error."""
        cotangents = self.subject.cotangents
        sizes = {node: max_abs(cotangents[node]) for node in self.leading if node in cotangents}
        if max_abs(g) > rounding_tolerance(g) * max(sizes.values(), default=0.0):
            return []
        arrived: dict[Node, list[tuple[Edge, Any]]] = {}
        with numpy_warnings_off(self.subject.order):
            for node in self.leading:
                given = arrived.get(node, [])
                if len(given) > 1 and sizes[node] <= rounding_tolerance(g) * max(
                    max_abs(c) for _, c in given
                ):
                    left = f"; {value_words(cotangents[node])} is what rounding left"
                    return [self.cancellation_cause(node, given, left)]
                for edge in self.edges(node) if node in sizes else ():
                    below = node.inputs[edge[1]]
                    assert below is not None
                    arrived.setdefault(below, []).append((edge, edge_contribution(edge, cotangents[node])))
        return []

    def find_rounded_values(self) -> list[Cause]:
        """A cause if the rounding of a value can move the gradient by much of its size."""
        subject = self.subject
        found = rounded_gradient(self.leading, subject.root, subject.seed, self.target)
        if found is None:
            return []
        at = f"entry {list(found.place)} of this gradient" if found.place else "this gradient"
        words = (
            f"rounding changes {spoken_name(found.node, self.names)} by up to {found.rounding:.0e}, and that"
            f" changes {at} by up to {found.share:.0e}: no digit of {value_words(found.given)} is certain"
        )
        return [self.cause("rounding", words, found.node)]

    def cancellation_cause(
        self, node: Node, given: list[tuple[Edge, Any]], left: str = " add up to 0"
    ) -> Cause:
        name = spoken_name(node, self.names)
        parts = [f"{value_words(c)} through {spoken_name(user, self.names)}" for (user, _), c in given[:4]]
        more = f" and {len(given) - 4} more" if len(given) > 4 else ""
        return self.cause("cancelled", f"what reaches {name} cancels: {', '.join(parts)}{more}{left}", node)


def is_constant_along(edge: Edge) -> bool:
    """Whether an edge of a recorded pass only says which value a slope was computed from, as in torch."""
    node, index = edge
    return node.op is not None and node.op.name == "contribution" and index == 1


def placed(cause: Cause, at: tuple[int, ...] | None, value: Any) -> Cause:
    """The cause with the entry ``at`` of a value as its place."""
    if at is not None:
        cause.place, cause.shape = at, np.shape(value)
    return cause


def is_bias(node: OpNode, index: int) -> bool:
    """Whether an operand is the bias that a linear layer adds to its product."""
    return node.op.name == "addmm" and index == 0 and node.params.get("beta", 1) == 1


def is_flat_at_zero(node: OpNode) -> bool:
    """Whether an op has the slope 0 where its operand is 0."""
    return node.op.name in FLAT_AT_ZERO_OPS or is_product_with_itself(node)


def zero_edge_below(node: Node | None, useful: set[Node]) -> Edge | None:
    """The lowest edge below a node of zeros that made the zeros and passes on 0 for any gradient; else None.

    The search goes through ``useful`` nodes only and stops where the graph branches.
    """
    found = None
    while isinstance(node, OpNode) and not np.any(node.out) and not is_custom(node.op):
        ways = [index for index, below in enumerate(node.inputs) if below in useful]
        if len({node.inputs[index] for index in ways}) != 1:
            break
        if not any(np.any(vjp_of_ones((node, index))) for index in ways):
            found = (node, ways[0])
        node = node.inputs[ways[0]]
    return found


def _is_computed(node: Node | None) -> bool:
    """Whether the value of a node was computed, not given or filled in."""
    return isinstance(node, OpNode) and node.op.name not in FILLING_OPS


def _is_only_masked(g: Any, c: Any) -> bool:
    """Whether nothing arrives at any entry where what is passed on is not finite."""
    if np.shape(g) != np.shape(c):
        return not np.any(g)
    return not np.any(np.asarray(g)[~np.isfinite(np.asarray(c))])


def _any_nonzero(value: Any) -> bool:
    return bool(value) if value.__class__ is float else bool(np.any(value))


def _oldest_unsound(nodes: Sequence[Node], is_sound: Callable[[Any], bool]) -> Node | None:
    """The oldest node, in or below ``nodes``, whose value is not sound while those of its operands are."""
    oldest = None
    stack = list(nodes)
    seen: set[Node] = set()
    while stack:
        at = stack.pop()
        if at in seen or is_sound(at.out):
            continue
        seen.add(at)
        if all(below is None or is_sound(below.out) for below in at.inputs) and (
            oldest is None or at.number < oldest.number
        ):
            oldest = at
        stack += [below for below in at.inputs if below is not None]
    return oldest


def _has_no_nan(value: Any) -> bool:
    return not np.isnan(np.asarray(value)).any()


def _is_finite(value: Any) -> bool:
    if value.__class__ in (float, int, bool):
        return bool(value - value == 0.0)
    return value.dtype.kind != "f" or bool(np.isfinite(value).all())


def _distinct(causes: list[Cause]) -> list[Cause]:
    """Each place and text once. Of edges that share one nonfinite value, only the first."""
    first: dict[tuple[str, int | None], Cause] = {}
    for cause in causes:
        what = cause.name if cause.kind in ("masked", "forward") else cause.text
        first.setdefault((what, cause.line), cause)
    return list(first.values())
