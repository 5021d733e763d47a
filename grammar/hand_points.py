"""A formula worked out by hand and the points where it is tried: names, values and gradients there."""

from __future__ import annotations

import re

from autodiff.core.errors import AutodiffError, CompileError, UsageError
from autodiff.core.lazy import np
from autodiff.core.node import Leaf, Node, OpNode
from autodiff.core.span import Source
from autodiff.core.tensors import Tensor
from autodiff.grammar import syntax
from autodiff.grammar.parser import parse_expression
from autodiff.grammar.run import Execution, Settings, attempt
from autodiff.grammar.runtime import ignore, ignore_warning
from autodiff.grammar.values import type_name
from autodiff.grammar.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from autodiff.core.report import Subject
    from autodiff.grammar.moved_runs import Rerun

QUOTIENT = re.compile(
    r"\s*d\s*(?:\(\s*(?P<of>[^()]+?)\s*\)|(?P<of2>\w+))\s*/"
    r"\s*d\s*(?:\(\s*(?P<by>[^()]+?)\s*\)|(?P<by2>\w+))\s*(?:\[(?P<entry>[-\d,\s]+)\])?\s*"
)
SECOND = re.compile(r"\s*d\s*(?:\^|\*\*)?\s*2")
#: Points beside the script's own, and how far from it their inputs are.
POINTS, SPREAD = 5, 0.3
#: So near that the script hardly crosses a kink on the way, by the precision of the gradient.
NEAR = {"float64": 1e-4, "float32": 1e-2}
#: Two values are the same up to this, relative to the largest entry.
CLOSE = {"float64": 1e-9, "float32": 1e-4}
#: The same for the terms of a formula.
NEARLY = 1e-5


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

    def is_left_side_only(self, names: Collection[str]) -> bool:
        """Whether ``dy/dx`` was given alone, and is no quotient of two of these names."""
        read = {node.id for node in walk(self.node) if isinstance(node, syntax.Name)}
        return not self.wrt and QUOTIENT.fullmatch(self.source.text) is not None and not read <= set(names)

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
    return numbers_in(value, text)


def numbers_in(value: Any, text: str) -> Any:
    """A number, an array, or the array that lists of numbers make; anything else is refused."""
    if isinstance(value, Tensor):
        return value.data
    if isinstance(value, (list, tuple)):
        try:
            return np.array([numbers_in(part, text) for part in value], dtype=float)
        except ValueError:  # rows of different lengths
            pass
    elif isinstance(value, (int, float)):
        return value
    raise UsageError(
        f"--formula: `{text}` gives no number but {type_name(value)}",
        code="E0610",
        help=("write the derivative as an expression of the script's names, as in 'dL/dw == 2*x'",),
    )


class Points:
    """The script's own point and some around it: the values of its names there, and the gradient.

    The script is run again with its ``leaves`` moved by about ``spread`` of their size; where it stops, or
    builds another graph, there is no point. ``known`` has the nodes of a run by those of the script's own.
    ``gradients`` may be those of one entry, ``whole`` have all.
    """

    def __init__(
        self, subject: Subject, wrt: str, execution: Execution, again: Rerun, seed: int, spread: float
    ) -> None:
        self.subject = subject
        self.source = execution.source
        self.leaves = tuple(x for x in subject.order if isinstance(x, Leaf))
        self.known: list[dict[Node, Node]] = []
        self.names: list[dict[str, Any]] = []
        self.whole: list[Any] = []
        random = np.random.default_rng(seed)
        self._add(subject, wrt, execution)
        for _ in range(POINTS):
            run = again.run({leaf: drawn(leaf, random, spread) for leaf in self.leaves})
            if run is not None and is_alike(run[1], subject):
                self._add(run[1], wrt, run[0])
        self.gradients = self.whole

    def keep(self, places: list[int]) -> None:
        """Leave out all other points."""
        self.known = [self.known[at] for at in places]
        self.names = [self.names[at] for at in places]
        self.whole = [self.whole[at] for at in places]
        self.gradients = [self.gradients[at] for at in places]

    def _add(self, subject: Subject, wrt: str, execution: Execution) -> None:
        node = dict(subject.wrt)[wrt]
        g = subject.cotangents.get(node)
        self.known.append(dict(zip(self.subject.order, subject.order, strict=True)))
        self.whole.append(np.zeros(node.shape) if g is None else np.asarray(g))
        self.names.append(names_in(subject, execution))


def drawn(leaf: Leaf, random: Any, spread: float) -> Any:
    """How far to move a leaf."""
    x = np.asarray(leaf.out)
    return spread * (x * random.uniform(-1, 1, x.shape) + random.uniform(-1, 1, x.shape) / 3)


def is_alike(subject: Subject, other: Subject) -> bool:
    """Whether two runs have made the same graph."""
    return [node.op and node.op.name for node in subject.order] == [
        node.op and node.op.name for node in other.order
    ]


def names_in(subject: Subject, execution: Execution) -> dict[str, Any]:
    """The values of names: those the graph was made with, where the script gave them others afterwards."""
    values = {
        name: value
        for name, value in execution.names.items()
        if isinstance(value, (Tensor, float, int)) and not isinstance(value, bool)
    }
    if subject.weight is not None:
        values.setdefault("G", Tensor(subject.seed))
    nodes = set(subject.order)
    own = {
        name
        for name, value in values.items()
        if isinstance(value, Tensor) and (value.node in nodes or isinstance(value.node, OpNode))
    }
    for node in reversed(subject.order):
        if node.name is not None and node.name.isidentifier() and node.name not in own:
            values[node.name] = Tensor(node.out)
    if subject.name.isidentifier():
        values.setdefault(subject.name, Tensor(subject.root.out))
    return {name: value.detach() if isinstance(value, Tensor) else value for name, value in values.items()}


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal up to rounding: inf to inf of its sign, nan to nan."""
    a, b = np.asarray(a), np.asarray(b)
    is_single = any(x.dtype == np.float32 for x in (a, b))
    a, b = np.broadcast_arrays(a.astype(float), b.astype(float))
    is_finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~is_finite], b[~is_finite], equal_nan=True):
        return False
    a, b = a[is_finite], b[is_finite]
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool(np.all(np.abs(a - b) <= CLOSE["float32" if is_single else "float64"] * size))


def agreement(value: Any, gradient: Any) -> bool | None:
    """Whether they are the same; None where they are and nothing in them is finite, which shows nothing."""
    if not same(value, gradient):
        return False
    return True if np.isfinite(gradient).any() or not np.size(gradient) else None


def close(a: list[float], b: list[float]) -> bool:
    """Whether the values of two terms are equal at every point."""
    return all(abs(x - y) <= NEARLY * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
