"""The derivatives that stand in a hand formula, as ``dL/dh`` does in ``dL/dz == dL/dh*(1 - h**2)``.

They are written as on a left side: ``dL/dh``, ``d(L)/d(h)``, ``h.grad``, ``dh`` for the derivative of the
output, or ``d2L/dh2``. Each is replaced by a name before the formula is parsed; the name gets the right value
of the derivative.

Only derivatives that earlier steps make are replaced. A name that the lines of the step themselves bind, or
a function or a comprehension in them, has the value that they give it: a step is judged by the value that its
lines compute from right derivatives.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.computed_again import equal_node
from autodiff.grammar.by_hand.inner_names import inner_offsets
from autodiff.grammar.by_hand.left_side import (
    BARE,
    BRACKETS,
    ENTRY,
    JOINED_DERIVATIVE,
    SECOND_DERIVATIVES,
    LeftSide,
    compile_pattern,
    name_and_entry,
    parse_left_side,
)
from autodiff.grammar.by_hand.runs import second_gradient
from autodiff.grammar.session.derivative_matrices import unit_seeds
from autodiff.grammar.session.hand_gradients import names_in_one
from autodiff.grammar.session.inputs import requested_inputs
from autodiff.grammar.session.versions import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.by_hand.placed_text import PlacedText
    from autodiff.grammar.by_hand.runs import ScriptRun
    from autodiff.grammar.session.run import Execution

QUOTIENT = compile_pattern(r"(?<![\w.])d @y@ / d @x@(?!\w)")
SECOND_QUOTIENTS = tuple(
    compile_pattern(rf"(?<![\w.]){text}(?!\w)") for text in (JOINED_DERIVATIVE, *SECOND_DERIVATIVES)
)
RETAINED = re.compile(rf"(?<![\w.])(?P<x_>[^\W\d]\w*{BRACKETS})\.grad(?!\w)")


def name_pattern(name: str) -> re.Pattern[str]:
    """Compile the pattern of a name, perhaps with an entry: no call ``diag(h)`` and no keyword ``dim=0``.

    ``over`` is the divisor ``dz`` of a quotient.
    """
    return re.compile(
        rf"(?<![\w.]){name}{ENTRY.format('x')}(?!\w)(?!\s*(?:\(|=(?!=)))(?=(?:\s*/\s*(?P<over>d\w+))?)"
    )


BARE_NAME = name_pattern(BARE)
NAMES = re.compile(r"[^\W\d]\w*")
#: A Jacobian with more rows is not computed.
MAX_ROWS = 200
#: The name that stands for a derivative. What follows binds closer than the slash in ``dL/dh``.
PLACEHOLDER = re.compile(r"\bgradient_(\d+)_(?=(\s*\*\*|\.|\[)?)")


class Upstream:
    """A derivative in a formula: ``side`` says which, ``written`` is how the formula spells it.

    ``node`` is the value that it is the gradient at, if the name of a derivation stands for another one.
    """

    __slots__ = ("node", "side", "written")

    def __init__(self, written: str, side: LeftSide, node: Node | None) -> None:
        self.written = written
        self.side = side
        self.node = node


class UpstreamDerivatives:
    """The derivatives in a formula. ``placed`` is the formula with a name in place of each.

    ``words`` are the names that the script may have. A quotient of two of these is no derivative, and ``dh``
    is none if the script has that name, unless another step of the derivation, one of ``steps``, says what it
    is. Neither is ``dh`` if it is one of the ``own`` names of the derivation, which have the values that it
    gives them, or one that a function or a comprehension in the text binds for itself. ``meant`` has the
    values whose gradients names stand for that do not say it.
    """

    __slots__ = ("found", "placed", "words")

    def __init__(
        self,
        text: PlacedText,
        words: Collection[str],
        steps: Collection[str],
        own: Collection[str],
        meant: Mapping[str, Node],
    ) -> None:
        self.found: list[Upstream] = []
        self.words = words

        def replace(match: re.Match[str]) -> str:
            if not inner_offsets(match.string).isdisjoint(range(*match.span())):
                return match[0]
            groups = match.groupdict()
            output, row = name_and_entry(groups, "y") if "y_" in groups else ("", None)
            name, entry = name_and_entry(groups, "x")
            is_quotient = "d" + output in words and "d" + name in words
            bare = name if match.re is others else groups.get("prefix", "") + name
            pair = names_in_one(bare, words) if match.re is BARE_NAME and name not in words else None
            is_bare = match.re in (BARE_NAME, others)
            node = meant.get(bare) if is_bare else None
            is_name = is_bare and (bare in own or (bare in words and bare not in steps))
            is_name |= groups.get("over") is not None and groups["over"] not in words
            if pair is not None and node is None:
                output, name = pair
            is_known = name in words or (match.re is QUOTIENT and version_of(name, words) is not None)
            if match.re is QUOTIENT and not name.isidentifier() and "d" not in words:
                is_known = set(NAMES.findall(name)) <= set(words)
            if (not is_known and node is None) or (output and is_quotient) or is_name:
                return match[0]
            return self.name_for(match[0], LeftSide(output, ((name, entry),), row), node)

        def replace_second(match: re.Match[str]) -> str:
            side = parse_left_side(match[0], words)
            if side is None or len(side.by) < 2 or f"d2{side.output}" in words:
                return match[0]
            is_known = {name for name, _ in side.by} <= set(words)
            return self.name_for(match[0], side, None) if is_known else match[0]

        for pattern in SECOND_QUOTIENTS:
            text = text.sub(pattern, replace_second)
        others = name_pattern(f"(?P<x_>{'|'.join(name for name in meant if name[0] != 'd') or '(?!)'})")
        for pattern in (QUOTIENT, RETAINED, BARE_NAME, others):
            text = text.sub(pattern, replace)
        self.placed = text

    def name_for(self, written: str, side: LeftSide, node: Node | None) -> str:
        """Return the name that stands for a derivative, which is entered if it is new."""
        for at, one in enumerate(self.found):
            if one.written == written:
                return f"gradient_{at}_"
        self.found.append(Upstream(written, side, node))
        return f"gradient_{len(self.found) - 1}_"

    def spell(self, text: str) -> str:
        """Return a text about the formula with the derivatives as they were written."""

        return PLACEHOLDER.sub(self.spelling, text) if self.found else text

    def spelled(self, text: PlacedText) -> PlacedText:
        """Return the formula, or one made of it, with the derivatives as they were written."""
        return text.sub(PLACEHOLDER, self.spelling)

    def spelling(self, match: re.Match[str]) -> str:
        text = self.found[int(match[1])].written
        return f"({text})" if match[2] is not None and "/" in text else text

    def resolve_lists(self, names: Mapping[str, Any]) -> None:
        for one in self.found:
            one.side = one.side.resolve_lists(names)

    def rename_inputs(self, names: Mapping[str, str], outputs: Collection[str]) -> None:
        """Let the derivatives of these outputs be by the values that have these names."""
        for one in self.found:
            if one.side.output in outputs:
                one.side = one.side.with_inputs(names)

    def nodes(self, subject: ReportedPass, execution: Execution) -> list[tuple[Node, ...]]:
        """Return the output and the inputs of each derivative, nodes of the graph of ``subject``."""
        return [
            (
                subject.root
                if one.side.output in ("", subject.name)
                else node_of(one.side.output, one, subject, execution),
                *(one.node or node_of(name, one, subject, execution) for name, _ in one.side.by),
            )
            for one in self.found
        ]

    def nodes_in(self, run: ScriptRun, found: list[tuple[Node, ...]]) -> list[tuple[Node, ...]]:
        """Return the nodes of a run that are those ``found`` in the first one.

        An output that is none of the graph's, as g is none of f's, has the same name in every run.
        """
        named = found
        if not all(nodes[0] in run.known for nodes in found):
            named = self.nodes(run.subject, run.execution)
        return [
            tuple(run.known.get(node, other) for node, other in zip(nodes, own, strict=True))
            for nodes, own in zip(found, named, strict=True)
        ]

    def known_values(self, first: ScriptRun) -> dict[str, Any]:
        """Return the values in the script's own run; none if one of the derivatives is not known there.

        An output that the script does not have is its own, as it is for a formula.
        """
        for one in self.found:
            one.side.output = one.side.output if one.side.output in self.words else ""
        try:
            nodes = self.nodes(first.subject, first.execution)
            return self.values(nodes, first.subject)
        except UsageError:
            return {}

    def jacobians(self, subject: ReportedPass, execution: Execution) -> list[str]:
        """Return remarks on the derivatives that are whole Jacobians."""
        return [
            f"`{one.written}` is a Jacobian, of shape {(*root.shape, *by[0].shape)}"
            for one, (root, *by) in zip(self.found, self.nodes(subject, execution), strict=True)
            if root.shape and root is not subject.root and one.side.row is None
        ]

    def values(self, nodes: list[tuple[Node, ...]], subject: ReportedPass) -> dict[str, Any]:
        """Return the value of each derivative by the name that stands for it, for the ``nodes`` of a run."""
        return {
            f"gradient_{at}_": Tensor.of(as_stored(entry_of(derivative_between(root, by, one, subject), one)))
            for at, (one, (root, *by)) in enumerate(zip(self.found, nodes, strict=True))
        }


def node_of(name: str, one: Upstream, subject: ReportedPass, execution: Execution) -> Node:
    try:
        [(_, node)] = requested_inputs(name, execution, subject.order, dict(subject.wrt))
    except UsageError as error:
        message = error.message.removeprefix(f"--wrt {name}: ")
        raise UsageError(
            f"--formula: {message} in `{one.written}`", code="E0610", help=error.advice
        ) from None
    return equal_node(node, subject.order)


def derivative_between(root: Node, by: list[Node], one: Upstream, subject: ReportedPass) -> Any:
    """Return the gradient of ``root``, the output or another value of the graph, or that of its gradient.

    ``by`` has the value that it is by, or the two values. It is the Jacobian, or a row of it, if ``root`` has
    several entries that nothing weighs.
    """
    if len(by) == 2:
        return second_between(root, by, one, subject)
    [node] = by
    if root is not subject.root or subject.adds_up or one.side.row is not None:
        return part_of_jacobian(jacobian_of(root, node), root, one.side.row, None)
    g = subject.cotangents.get(node)
    return np.zeros(node.shape) if g is None else np.asarray(g)


def second_between(root: Node, by: list[Node], one: Upstream, subject: ReportedPass) -> Any:
    """Return the derivative by the second value of the gradient of ``root`` by the first."""
    if root is subject.root and not subject.adds_up:
        return second_gradient(subject.order, {root: subject.seed}, *by)
    if np.size(root.out) > 1:
        raise UsageError(
            f"--formula: each of the {np.size(root.out)} entries of the output of `{one.written}` has second"
            " derivatives",
            code="E0610",
            help=("write it for a value that is one number",),
        )
    return second_gradient(newest_first([root]), {root: np.ones(root.shape)}, *by)


def jacobian_of(root: Node, node: Node) -> Any:
    """Return the derivatives of all entries of ``root`` by those of ``node``, in the joined shape of both."""
    if np.size(root.out) > MAX_ROWS:
        raise UsageError(
            f"--formula: a Jacobian of {np.size(root.out):,} rows is too large",
            code="E0610",
            help=(f"make it one of {MAX_ROWS} rows or fewer",),
        )
    order = newest_first([root])
    rows = [sweep(order, {root: seed}, keep_inner=True).get(node) for seed in unit_seeds(root)]
    zeros = np.zeros(node.shape)
    return np.reshape([zeros if row is None else row for row in rows], (*root.shape, *node.shape))


def part_of_jacobian(
    whole: Any, root: Node, row: tuple[int, ...] | None, place: tuple[int, ...] | None
) -> Any:
    """Return a row of a Jacobian, a column, or an entry, that of ``row`` and the input's entry ``place``.

    UsageError if it has none.
    """
    dims = len(root.shape)
    index = (*((slice(None),) * dims if row is None else row), *(place or ()))
    try:
        if len(row or root.shape) != dims or (place and len(place) != np.ndim(whole) - dims):
            raise IndexError
        return np.asarray(whole[index])
    except IndexError:
        shapes = f"the output has the shape {root.shape}, the input {np.shape(whole)[dims:]}"
        raise UsageError(
            f"--formula: there is no such part of the Jacobian: {shapes}", code="E0610"
        ) from None


def entry_of(g: Any, one: Upstream) -> Any:
    entry = one.side.place
    if entry is None:
        return g
    try:
        return np.asarray(g[entry])
    except IndexError:
        raise UsageError(
            f"--formula: there is no `{one.written}`: its shape is {np.shape(g)}", code="E0610"
        ) from None
