"""The points where a hand formula is evaluated, with the values of the names and the gradients there."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.why.rounded_gradients import LARGE_PART
from autodiff.grammar.by_hand.formula import ShapeMismatchError
from autodiff.grammar.by_hand.formula_rounding import formula_rounding
from autodiff.grammar.by_hand.local_paths import LocalPaths
from autodiff.grammar.by_hand.names_behind import names_behind
from autodiff.grammar.by_hand.runs import ScriptRun, is_same_graph, named_nodes
from autodiff.grammar.by_hand.upstream import jacobian_of, part_of_jacobian

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns

#: Distances so small that there is hardly a kink in between, by the precision of the gradient.
NEAR_SPREAD = {"float64": 1e-4, "float32": 1e-2}
#: The tolerance for equal values, relative to the entry,
VALUE_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
#: and the room for the rounding of sums, relative to the largest entry.
SUM_TOLERANCE = {"float64": 1e-13, "float32": 1e-5}
#: The tolerance for terms of a formula.
TERM_TOLERANCE = 1e-5


class SamplePoints:
    """The script's own point and some around it, with the values of names and the gradient at each.

    ``runs`` are the runs that give the points, ``subject`` is the pass of the first. ``whole`` has the whole
    gradients; ``gradients`` has these or, for a formula of one entry, that of each. ``upstream`` are the
    nodes whose derivatives stand in the formula.
    """

    def __init__(self, runs: ScriptRuns, formula: Formula, chosen: list[ScriptRun]) -> None:
        self.script_runs = runs
        self.subject = runs.first.subject
        self.source = runs.first.execution.source
        self.leaves = runs.leaves
        self.formula = formula
        #: How far rounding moves the formula, by the values of its names at a point.
        self._rounding: list[tuple[dict[str, Any], Any]] = []
        upstream = formula.upstream.nodes(self.subject, runs.first.execution)
        row = None if formula.left is None else formula.left.row
        #: Whether the derivative is a Jacobian or a part of it: nothing weighs the entries of the output.
        is_weighed = formula.left is not None and formula.left.is_weighed
        has_rows = self.subject.adds_up and np.size(self.subject.root.out) > 1 and not is_weighed
        self.is_jacobian = row is not None or has_rows
        #: The input, if the formula is about the gradient by it.
        self.node = None
        if not formula.is_second and not self.is_jacobian:
            self.node = dict(self.subject.wrt)[formula.inputs[0]]
        #: Names for nodes of the gradient's graph.
        self.called: dict[Node, str] = {}
        self.upstream = [by[0] for root, *by in upstream if root is self.subject.root and len(by) == 1]
        if formula.workings is not None and formula.workings.segment.before is not None:
            self.upstream.append(formula.workings.segment.before)
        if formula.workings is None:
            worked_out: dict[ScriptRun, dict[str, Any]] = {run: {} for run in chosen}
        else:
            found = {run: formula.workings.values(run, runs.first) for run in chosen}
            worked_out = {run: values for run, values in found.items() if values is not None}
            chosen = list(worked_out)
        self.runs = chosen
        self.by = formula.inputs
        self.place = formula.place
        if self.is_jacobian:
            self.whole = [whole_jacobian(run, formula) for run in chosen]
            self.gradients = [
                part_of_jacobian(whole, run.subject.root, row, formula.place)
                for whole, run in zip(self.whole, chosen, strict=True)
            ]
        else:
            self.whole = self.gradients = [run.gradient(formula.inputs) for run in chosen]
            if formula.place is not None:
                self.gradients = [gradient_entry(g, formula.place, formula.inputs) for g in self.whole]
        self.names = []
        read = formula.names_read
        for run in chosen:
            nodes = formula.upstream.nodes_in(run, upstream)
            derivatives = formula.upstream.values(nodes, run.subject)
            self.names.append({**run.names_with(read), **worked_out[run], **derivatives})

    @cached_property
    def node_names(self) -> NodeNames:
        subject = self.subject
        first, constants = subject.numbers_first, lambda: subject.constants
        return NodeNames(subject.order, self.source, self.called, numbers_first=first, constants=constants)

    @property
    def has_paths(self) -> bool:
        """Whether the derivative is the sum over the paths of the graph of ``subject``."""
        return self.node is not None

    def at_runs(self, chosen: list[ScriptRun]) -> SamplePoints:
        """Return the points of other runs, with the same graph."""
        made = SamplePoints(self.script_runs, self.formula, chosen)
        is_output = self.subject is self.script_runs.first.subject
        return made if is_output or not chosen else made.in_gradient_graph(self.by, self.subject)[0]

    def in_gradient_graph(
        self, inputs: list[str], subject: ReportedPass | None = None
    ) -> tuple[SamplePoints, list[int]]:
        """Return these points with the graph of the gradient by the first input, if both inputs are numbers.

        Second derivatives are sums over the paths of that graph. The indices of the points that have the
        same graph there are returned too. ``subject`` is the pass that is the first of that graph, if there
        is one.
        """
        first, second = (dict(self.subject.wrt)[name] for name in inputs)
        if first.shape or second.shape:
            return self, list(range(len(self.runs)))
        found = [run.gradient_pass(inputs) for run in self.runs]
        made = copy(self)
        made.subject, made.called, made.node = subject or found[0].subject, found[0].called, second
        made.upstream = []
        vars(made).pop("node_names", None)  # those are names of nodes of the first graph
        kept = [at for at, one in enumerate(found) if is_same_graph(one.subject, made.subject)]
        made.keep(kept)
        made.runs = [ScriptRun(found[at].subject, self.runs[at].execution, made.subject) for at in kept]
        return made, kept

    def paths_to(self, node: Node) -> LocalPaths:
        """Return the paths that the formula is about."""
        return LocalPaths(self.subject, node, self.upstream)

    @cached_property
    def variables(self) -> list[str]:
        """The script's names of tensors and numbers, those nearest to the output first.

        Each is one that the output is computed from, or that the formula reads.
        """
        output = self.script_runs.first.subject
        names = {str(node.name) for node in named_nodes(output)} | set(re.findall(r"\w+", output.name))
        behind = names_behind(names, self.source) | self.formula.names_read
        values = self.names[0]
        known = [name for name in values if name in behind and values[name].__class__ in (Tensor, float, int)]
        nodes = [node.name for node in self.subject.order if node.name in known]
        return list(dict.fromkeys([*map(str, nodes), *known]))

    def number(self, name: str, at: int) -> Any:
        """Return the value of a name at a point, a number or an array."""
        value = self.names[at][name]
        return value.data if isinstance(value, Tensor) else value

    def leaf_value(self, leaf: Leaf, at: int) -> Any:
        """Return the value of a leaf at a point; the graph of a gradient need not contain it."""
        known = self.runs[at].known
        return known[leaf].out if leaf in known else self.number(str(leaf.name), at)

    def compare(self, computed: list[Any]) -> list[bool | None]:
        """Return whether a formula with these values is right, at each point."""
        right = list(map(compare_values, computed, self.gradients))
        for at, is_right in enumerate(right):
            if is_right is False and not self.is_jacobian:  # of its entries the rounding is not known
                right[at] = compare_values(computed[at], self.gradients[at], self.noise(at))
                if right[at] and self.runs[at].is_rounding(self.by):
                    right[at] = None  # any formula would be right there
                elif not right[at]:
                    right[at] = self.compare_rounded(computed[at], at)
        return right

    def compare_rounded(self, value: Any, at: int) -> bool | None:
        """Return whether a formula is right but for the digits that it has lost; None if it has none left."""
        gradient, own = self.gradients[at], self.own_rounding(at)
        if not np.any(own) or not compare_values(value, gradient, self.noise(at) + own):
            return False
        is_lost = (own > LARGE_PART * np.abs(gradient)) & (np.asarray(value) != gradient)
        return None if np.any(is_lost) else True

    def own_rounding(self, at: int) -> Any:
        """Return how far rounding may move each entry of the formula's value; 0 if it has another shape."""
        own = self.formula_rounding(at)
        return own if np.shape(own) == np.shape(self.gradients[at]) else 0.0

    def formula_rounding(self, at: int) -> Any:
        """Return how far rounding may move each entry of the formula's value at a point."""
        names = self.names[at]
        for known, rounding in self._rounding:
            if known is names:
                return rounding
        values, formula = self.runs[at].execution.names, self.formula
        exact = {
            name for name, one in values.items() if not isinstance(one, Tensor) or isinstance(one.node, Leaf)
        }
        rounding = formula_rounding(formula.source.text, names, formula.is_expression, exact)
        self._rounding.append((names, rounding))
        return rounding

    def noise(self, at: int) -> Any:
        """Return the rounding error that may be left of each entry of the gradient at a point."""
        noise = self.runs[at].noise(self.by)
        return noise if self.place is None else gradient_entry(noise, self.place, self.by)

    def error(self, computed: list[Any], at: int) -> float:
        """Return how far a formula with these values is off at a point, relative to what rounding allows."""
        noise = 0.0 if self.is_jacobian else self.noise(at)
        found = deviation(computed[at], self.gradients[at], noise)
        if found <= 1:
            return found
        return deviation(computed[at], self.gradients[at], noise + self.own_rounding(at))

    def keep(self, places: list[int]) -> None:
        """Keep only the points at these indices."""
        self.runs = [self.runs[at] for at in places]
        self.names = [self.names[at] for at in places]
        self.whole = [self.whole[at] for at in places]
        self.gradients = [self.gradients[at] for at in places]


def is_plain_number(formula: Formula, points: SamplePoints) -> bool:
    """Whether a formula reads no tensors and numbers, and no lists of them."""
    known = points.names[0]
    return all(
        known.get(name).__class__ not in (Tensor, float, int, list, tuple) for name in formula.names_read
    )


def whole_jacobian(run: ScriptRun, formula: Formula) -> Any:
    """Return the Jacobian of the output of a run; raise a UsageError for a second derivative."""
    subject = run.subject
    if formula.is_second:
        count = np.size(subject.root.out)
        raise UsageError(
            f"--formula: each of the {count} entries of {subject.name} has second derivatives",
            code="E0610",
            help=(f"choose an entry, as in --of '{subject.name}[0]'",),
        )
    return jacobian_of(subject.root, dict(subject.wrt)[formula.inputs[0]])


def gradient_entry(g: Any, entry: tuple[int, ...], by: list[str]) -> Any:
    """Return one entry of a gradient; raise a UsageError if it has no such entry."""
    if len(entry) != np.ndim(g) or not all(-n <= i < n for i, n in zip(entry, np.shape(g), strict=True)):
        raise UsageError(
            f"--formula: {' by '.join(by)} has no entry {list(entry)}: its shape is {np.shape(g)}",
            code="E0610",
        )
    return np.asarray(g[entry])


def values_equal(a: Any, b: Any, noise: Any = 0.0) -> bool:
    """Whether two values are equal up to rounding; inf equals inf of the same sign, and nan equals nan.

    ``noise`` is the rounding error that may be left of each entry of ``b`` where larger terms cancel.
    """
    return deviation(a, b, noise) <= 1


def deviation(a: Any, b: Any, noise: Any = 0.0) -> float:
    """Return the largest distance of two entries relative to what rounding allows; inf for inf or nan in one.

    ``noise`` is the rounding error that may be left of each entry of ``b`` where larger terms cancel.
    """
    a, b = np.asarray(a), np.asarray(b)
    is_single = any(x.dtype == np.float32 for x in (a, b))
    a, b, noise = np.broadcast_arrays(a.astype(float), b.astype(float), noise)
    is_finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~is_finite], b[~is_finite], equal_nan=True):
        return np.inf
    differs = is_finite & (a != b)
    sizes = np.maximum(np.abs(a), np.abs(b))
    largest = sizes[is_finite].max(initial=0.0)
    precision = "float32" if is_single else "float64"
    room = VALUE_TOLERANCE[precision] * sizes + SUM_TOLERANCE[precision] * largest + noise
    with np.errstate(over="ignore", divide="ignore"):
        return float(np.max(np.abs(a - b)[differs] / room[differs], initial=0.0))


def compare_values(value: Any, gradient: Any, noise: Any = 0.0) -> bool | None:
    """Whether two values are the same; None if they are but no entry is finite, which proves nothing."""
    if not values_equal(value, gradient, noise):
        return False
    return True if np.isfinite(gradient).any() or not np.size(gradient) else None


def terms_equal(a: list[Any], b: list[Any]) -> bool:
    """Whether the values of two terms are equal at every point."""
    return all(map(is_close, a, b))


def is_close(a: Any, b: Any) -> bool:
    if not np.ndim(a) and not np.ndim(b):
        return bool(abs(a - b) <= TERM_TOLERANCE * max(abs(a), abs(b)))
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        return False
    return bool(np.all(np.abs(a - b) <= TERM_TOLERANCE * max(np.abs(a).max(), np.abs(b).max())))


def all_known(answers: list[bool | None]) -> bool | None:
    """Whether all answers that are not None are True; None if there is no such answer."""
    known = [answer for answer in answers if answer is not None]
    return all(known) if known else None


def formula_values(points: SamplePoints, formula: Formula) -> list[Any]:
    """Return the values of a formula; drop points, except the script's own, where the shapes do not fit."""
    kept: dict[int, Any] = {}
    for at, names in enumerate(points.names):
        try:
            value = np.asarray(formula.value(names))
        except ShapeMismatchError:
            if not at:
                raise
            continue
        if (
            not at
            or value.shape == kept[0].shape
            or broadcasts_to(value.shape, np.shape(points.gradients[at]))
        ):
            kept[at] = value
    points.keep(list(kept))
    return list(kept.values())


def broadcasts_to(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a formula of one shape broadcasts to a gradient of another."""
    try:
        return np.broadcast_shapes(shape, other) == other
    except ValueError:
        return False
