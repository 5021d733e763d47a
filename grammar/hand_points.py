"""A formula worked out by hand and the points where it is tried: names, values and gradients there."""

from __future__ import annotations

import re

from autodiff.core.errors import AutodiffError, CompileError, UsageError
from autodiff.core.lazy import np
from autodiff.core.node import Leaf, Node, OpNode
from autodiff.core.replay import Recording
from autodiff.core.span import Source
from autodiff.core.sweep import newest_first, np_errors_ignored, sweep
from autodiff.core.tensors import Tensor, tensor
from autodiff.grammar import syntax
from autodiff.grammar.parser import parse_expression
from autodiff.grammar.run import Execution, Settings, attempt
from autodiff.grammar.runtime import ignore, ignore_warning
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report import Subject

QUOTIENT = re.compile(
    r"\s*d\s*(?:\(\s*(?P<of>[^()]+?)\s*\)|(?P<of2>\w+))\s*/"
    r"\s*d\s*(?:\(\s*(?P<by>[^()]+?)\s*\)|(?P<by2>\w+))\s*(?:\[(?P<entry>[-\d,\s]+)\])?\s*"
)
SECOND = re.compile(r"\s*d\s*(?:\^|\*\*)?\s*2")
#: Points beside the script's own, and how far from it their inputs are.
POINTS, SPREAD = 6, 0.3
#: Two values are the same up to this, relative to the largest entry.
CLOSE = 1e-9


class Formula:
    """``--formula`` as written: what is derived by what (empty where only the right side was given).

    ``entry`` is the one entry of the input that is meant, None for all of it.
    """

    __slots__ = ("entry", "node", "output", "source", "wrt")

    def __init__(self, text: str) -> None:
        left, equals, right = text.replace("∂", "d").partition("==")
        if not equals:
            left, equals, right = left.partition("=")
        self.output = self.wrt = ""
        self.entry: tuple[int, ...] | None = None
        if equals:
            self._read_left(left)
        else:
            right = left
        self.source = Source(right.strip(), "--formula")
        try:
            self.node = parse_expression(self.source)
        except CompileError as error:
            raise UsageError(
                f"--formula: {error.message} in `{right.strip()}`",
                code="E0610",
                help=error.advice or ("write the right side as the script would",),
            ) from None

    def _read_left(self, left: str) -> None:
        if SECOND.match(left):
            raise UsageError(
                "--formula is about first derivatives",
                code="E0610",
                help=("give the first derivative a name in the script, and derive that",),
            )
        found = QUOTIENT.fullmatch(left)
        if found is None:
            raise UsageError(
                f"--formula: `{left.strip()}` is no derivative",
                code="E0610",
                help=("write it as in --formula 'dL/dw == 2*w', or d(loss)/d(w)",),
            )
        self.output = found["of"] or found["of2"]
        self.wrt = found["by"] or found["by2"]
        if found["entry"]:
            self.entry = tuple(int(part) for part in found["entry"].split(",") if part.strip())

    def text(self, node: syntax.Syntax) -> str:
        return self.source.excerpt(node.span)


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """The value of the formula with these values for names."""
    source = Source(text, "--formula")
    read = {node.id for node in walk(parse_expression(source)) if isinstance(node, syntax.Name)}
    settings = Settings(sets={name: value for name, value in names.items() if name in read}, track=False)
    try:
        value = attempt(source, settings, ignore, ignore_warning).last_value
    except AutodiffError as error:
        advice = tuple(line for line in error.advice if "--set" not in line)
        raise UsageError(f"--formula: {error.message} in `{text}`", code="E0610", help=advice) from None
    return value.data if isinstance(value, Tensor) else value


class Points:
    """The script's own point and some around it: the values of its names there, and the gradient.

    ``leaves`` are the inputs that are moved, ``fixed`` the names of results that cannot move along: the
    script computed them outside of the graph.
    """

    def __init__(self, subject: Subject, node: Node, execution: Execution, seed: int) -> None:
        self.subject = subject
        self.node = node
        self.source = execution.source
        self.leaves = tuple(x for x in subject.order if isinstance(x, Leaf) or x is node)
        tensors = {name: value for name, value in execution.names.items() if isinstance(value, Tensor)}
        others = tuple(
            value.node
            for value in tensors.values()
            if isinstance(value.node, OpNode) and value.node.tracked and value.node is not subject.root
        )
        recording = Recording(subject.root, self.leaves, others)
        self.fixed = {
            name
            for name, value in tensors.items()
            if not value.requires_grad and value.dtype.is_floating_point
        }
        random = np.random.default_rng(seed)
        constants = {
            name: value
            for name, value in execution.names.items()
            if isinstance(value, (Tensor, float, int)) and not isinstance(value, bool)
        }
        if subject.weight is not None:
            constants.setdefault("G", Tensor(subject.seed))
        self.known: list[dict[Node, Tensor]] = []
        self.names: list[dict[str, Any]] = []
        self.gradients: list[Any] = []
        for at in range(POINTS):
            moved = {}
            for leaf in self.leaves:
                x = np.asarray(leaf.out, dtype=float)
                if at:
                    x = x * (1 + SPREAD * random.uniform(-1, 1, x.shape))
                    x = x + 0.1 * random.uniform(-1, 1, x.shape)
                moved[leaf] = tensor(x, requires_grad=True)
            known = recording.recorded(moved)
            self.known.append(known)
            self.gradients.append(self._gradient(known))
            self.names.append({**constants, **self._named(known, tensors)})

    def _gradient(self, known: dict[Node, Tensor]) -> Any:
        root, x = known[self.subject.root], known[self.node]
        zero = np.zeros(self.node.shape)
        if not root.requires_grad or root.node is None:
            return zero
        order = newest_first([root.node])
        with np_errors_ignored(order):
            g = sweep(order, {root.node: self.subject.seed}).get(x.source())
        return zero if g is None else np.asarray(g)

    def _named(self, known: dict[Node, Tensor], tensors: dict[str, Tensor]) -> dict[str, Any]:
        """The values of names: what the script bound last under a name counts."""
        named = {}
        for node, value in sorted(known.items(), key=lambda pair: pair[0].number):
            if node.name is not None and node.name.isidentifier():
                named[node.name] = value.detach()
        for name, value in tensors.items():
            if value.node in known:
                named[name] = known[value.node].detach()
        if self.subject.name.isidentifier():
            named.setdefault(self.subject.name, known[self.subject.root].detach())
        return named


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal up to rounding; nan is equal to nothing."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool(np.all(np.abs(a - b) <= CLOSE * size))


def close(a: list[float], b: list[float]) -> bool:
    return all(abs(x - y) <= CLOSE * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
