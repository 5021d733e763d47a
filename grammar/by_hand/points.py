"""A hand formula, and the points where it is evaluated, with the names' values and the gradients there."""

from __future__ import annotations

import re

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import AutodiffError, CompileError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.base.source import Source
from autodiff.core.check.difference_quotients import SMALL_ENTRY, entry_scales
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.grammar.by_hand.left_side import no_derivative, parse_left_side, split_equation
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.run import Execution, Settings, run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_expression
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from autodiff.core.graph.node import GradSlot
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.rerun import Rerun

#: The number of points besides the script's own, and the relative distance of their inputs from it.
EXTRA_POINTS, SPREAD = 5, 0.3
#: Distances so small that there is hardly a kink in between, by the precision of the gradient.
NEAR_SPREAD = {"float64": 1e-4, "float32": 1e-2}
#: The tolerance for equal values, relative to the largest entry.
VALUE_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
#: The tolerance for terms of a formula.
TERM_TOLERANCE = 1e-5
#: How many names of the script an error lists.
MAX_NAMES = 12
#: Signs that are not on a keyboard, with the language's signs for them.
SIGN_TRANSLATION = str.maketrans({"·": "*", "⋅": "*", "×": "*", "−": "-"})
#: A gradient with more entries is not differentiated again.
MAX_ENTRIES = 200


class ShapeMismatchError(UsageError):
    """Raised when the parts of a formula have incompatible shapes."""


class Formula:
    """The parsed text of ``--formula``: ``left`` is its derivative, None if there is a right side only.

    ``words`` are the words of ``script``, which separate the names in ``d2L/dxdw``.
    """

    __slots__ = ("left", "node", "source", "words")

    def __init__(self, text: str, script: Source) -> None:
        self.words = set(re.findall(r"\w+", script.text))
        left, equals, right = split_equation(text.translate(SIGN_TRANSLATION))
        self.left = parse_left_side(left, self.words) if equals else None
        if not equals:
            right = left
        elif self.left is None:
            raise no_derivative(left)
        self.source = Source(right.strip(), "--formula")
        if equals and not right.strip():
            self.source = Source(left.strip(), "--formula")
            raise self.no_right_side()
        try:
            self.node = parse_expression(self.source)
        except CompileError as error:
            if not equals and parse_left_side(right, self.words) is not None:
                raise self.no_right_side() from None
            raise UsageError(
                f"--formula: {error.message} in `{right.strip()}`",
                code="E0610",
                help=error.advice or ("write the right side as the script would",),
            ) from None

    @property
    def output(self) -> str:
        return "" if self.left is None else self.left.output

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs that the left side gives, if any."""
        return [] if self.left is None else [name for name, _ in self.left.by]

    @property
    def is_second(self) -> bool:
        return len(self.inputs) == 2

    @property
    def place(self) -> tuple[int, ...] | None:
        return None if self.left is None else self.left.place

    def resolve_lists(self, names: Mapping[str, Any]) -> None:
        """If ``params`` is a list, let ``params[0]`` on the left mean the place in it, not an entry."""
        if self.left is not None:
            self.left = self.left.resolve_lists(names)

    def is_left_side_only(self, names: Collection[str]) -> bool:
        """Whether the text is only a left side such as ``dy/dx``, not a quotient of two of these names."""
        read = {node.id for node in walk(self.node) if isinstance(node, tree.Name)}
        is_left = self.left is None and parse_left_side(self.source.text, self.words) is not None
        return is_left and not read <= set(names)

    def no_right_side(self) -> UsageError:
        text = self.source.text
        return UsageError(
            f"--formula: `{text}` says which derivative is meant and not what it comes to",
            code="E0610",
            help=(f"write your derivative behind it, as in --formula '{text} == 2*x'",),
        )

    def reads(self, names: Collection[str]) -> bool:
        """Whether the formula reads one of these names, and is not only a number."""
        return any(isinstance(node, tree.Name) and node.id in names for node in walk(self.node))

    def text(self, node: tree.SyntaxNode) -> str:
        return self.source.excerpt(node.span)


def evaluate_formula(text: str, names: dict[str, Any]) -> Any:
    """Return the value of a formula with these values for names; raise a UsageError if that fails."""
    source = Source(text, "--formula")
    read = {node.id for node in walk(parse_expression(source)) if isinstance(node, tree.Name)}
    settings = Settings(sets={name: value for name, value in names.items() if name in read}, track=False)
    try:
        value = run_once(source, settings, discard_text, discard_warning).last_value
    except AutodiffError as error:
        advice = tuple(line for line in error.advice if "--set" not in line)
        unknown = next((name for name in read if error.message == f"name '{name}' is not defined"), None)
        if unknown is not None:
            advice = (unknown_name_help(unknown, names, advice),)
        kind = ShapeMismatchError if isinstance(error, ShapeError) else UsageError
        raise kind(f"--formula: {error.message} in `{text}`", code="E0610", help=advice) from None
    return to_numbers(value, text)


def unknown_name_help(unknown: str, names: Collection[str], advice: tuple[str, ...]) -> str:
    """Return the help for a name that neither the script nor the language has."""
    if unknown[:1] == "d" and unknown[1:] in names:
        return f"write what a derivative like {unknown}/d... comes to, in the script's own names"
    near = closest_name(unknown, names)
    if near is not None:
        return f"did you mean `{near}`?"
    known = ", ".join(list(names)[:MAX_NAMES])
    suggestions = (line for line in advice if line.startswith("did you mean"))
    return next(suggestions, f"the script has {known}; `autodiff ops` lists the functions")


def to_numbers(value: Any, text: str) -> Any:
    """Return a number, a tensor or lists of them as a number or array; reject anything else."""
    if isinstance(value, Tensor):
        return value.data
    if isinstance(value, (list, tuple)):
        try:
            return np.array([to_numbers(part, text) for part in value], dtype=float)
        except ValueError:  # rows of different lengths
            pass
    elif isinstance(value, (int, float)):
        return value
    raise UsageError(
        f"--formula: `{text}` gives no number but {type_name(value)}",
        code="E0610",
        help=("write the derivative as an expression of the script's names, as in 'dL/dw == 2*x'",),
    )


class SamplePoints:
    """The script's own point and some around it, with the values of names and the gradient at each.

    The script is run again with its ``leaves`` moved by about ``spread`` of their size. A run that fails or
    builds another graph gives no point. ``by`` are the names of the inputs, two for a second derivative.
    ``known`` maps, for each point, the nodes of the script's own graph to those of the run. ``whole`` has
    the whole gradients; ``gradients`` has these or one entry of each.
    """

    def __init__(
        self,
        subject: ReportedPass,
        inputs: list[str],
        execution: Execution,
        rerun: Rerun,
        seed: int,
        spread: float,
    ) -> None:
        self.subject = subject
        self.source = execution.source
        self.leaves = tuple(x for x in subject.order if isinstance(x, Leaf))
        self.known: list[dict[Node, Node]] = []
        self.names: list[dict[str, Any]] = []
        self.whole: list[Any] = []
        random = np_random.default_rng(seed)
        self._add(subject, inputs, execution)
        for _ in range(EXTRA_POINTS):
            run = rerun.run({leaf: random_moves(leaf, random, spread) for leaf in self.leaves})
            if run is not None and is_same_graph(run[1], subject):
                self._add(run[1], inputs, run[0])
        self.gradients = self.whole

    def keep(self, places: list[int]) -> None:
        """Keep only the points at these indices."""
        self.known = [self.known[at] for at in places]
        self.names = [self.names[at] for at in places]
        self.whole = [self.whole[at] for at in places]
        self.gradients = [self.gradients[at] for at in places]

    def _add(self, subject: ReportedPass, by: list[str], execution: Execution) -> None:
        nodes = [dict(subject.wrt)[name] for name in by]
        self.known.append(dict(zip(self.subject.order, subject.order, strict=True)))
        self.whole.append(second_gradient(subject, *nodes) if len(nodes) == 2 else gradient(subject, *nodes))
        self.names.append(script_values(subject, execution))


def gradient(subject: ReportedPass, node: Node) -> Any:
    g = subject.cotangents.get(node)
    return np.zeros(node.shape) if g is None else np.asarray(g)


def second_gradient(subject: ReportedPass, first: Node, second: Node) -> Any:
    """Return the derivatives by ``second`` of the gradient by ``first``, in the joined shape of both."""
    size = int(np.prod(first.shape))
    if size > MAX_ENTRIES:
        raise UsageError(
            f"--formula: a gradient of {size:,} entries is too large for its second derivatives",
            code="E0610",
            help=(f"make it one of {MAX_ENTRIES} entries or fewer",),
        )
    rows = np.zeros((size, *second.shape))
    site, mode.site = mode.site, None  # the vjp rules have no place in the script
    try:
        with numpy_warnings_off(subject.order):
            seed = Tensor.of(as_stored(subject.seed))
            g = sweep(subject.order, {subject.root: seed}, create_graph=True).get(first)
            if g is not None and g.requires_grad and g.node is not None:
                order = newest_first([g.node])
                for at in range(size):
                    one = np.zeros(first.shape)
                    one.reshape(-1)[at] = 1.0
                    found = sweep(order, {g.node: as_stored(one.astype(g.dtype.name))})
                    rows[at] = np.asarray(found.get(second, 0.0))
    finally:
        mode.site = site
    return rows.reshape((*first.shape, *second.shape))


def random_moves(leaf: Leaf, random: Any, spread: float) -> Any:
    """Return a random move for each entry of a leaf: up to ``spread`` times the entry plus a third of a unit.

    The unit is 1, so that entries near 0 can change sign; for entries below SMALL, their own size.
    """
    x = np.asarray(leaf.out)
    size = entry_scales(x)
    unit = np.where(size < SMALL_ENTRY, size, 1.0)
    return spread * (x * random.uniform(-1, 1, x.shape) + unit * random.uniform(-1, 1, x.shape) / 3)


def is_same_graph(subject: ReportedPass, other: ReportedPass) -> bool:
    """Whether two runs have recorded the same ops in the same order."""
    return [node.op and node.op.name for node in subject.order] == [
        node.op and node.op.name for node in other.order
    ]


def script_values(subject: ReportedPass, execution: Execution) -> dict[str, Any]:
    """Return the values of the script's names; for names changed later, those used to make the graph."""
    values = {
        name: value
        for name, value in execution.names.items()
        if isinstance(value, (Tensor, float, int)) and not isinstance(value, bool)
    }
    if subject.weight is not None:
        values.setdefault("G", Tensor.of(subject.seed))
    nodes = set(subject.order)
    own = {
        name
        for name, value in values.items()
        if isinstance(value, Tensor) and (value.node in nodes or isinstance(value.node, OpNode))
    }
    for node in reversed(subject.order):
        if node.name is not None and node.name.isidentifier() and node.name not in own:
            values[node.name] = Tensor.of(node.out)
    if subject.name.isidentifier():
        values.setdefault(subject.name, Tensor.of(subject.root.out))
    leaves = {
        node.grad_slot: node
        for node in subject.order
        if isinstance(node, Leaf) and node.grad_slot is not None
    }
    lists = {name: value for name, value in execution.names.items() if value.__class__ in (list, tuple)}
    return {
        **{name: value.detach() if isinstance(value, Tensor) else value for name, value in values.items()},
        **{name: value_in_graph(value, leaves) for name, value in lists.items() if name not in values},
    }


def value_in_graph(value: Any, leaves: dict[GradSlot, Leaf], enclosing_ids: tuple[int, ...] = ()) -> Any:
    """Return a list with the values that its tensors had when the graph was made.

    ``leaves`` are the graph's leaves, whose tensors may have changed since. A list inside itself, found in
    the ids ``enclosing_ids``, is returned unchanged.
    """
    if value.__class__ is Tensor:
        node = value.node
        used = leaves.get(node.grad_slot) if isinstance(node, Leaf) and node.grad_slot is not None else None
        return value.detach() if used is None else Tensor.of(used.out)
    if value.__class__ not in (list, tuple) or id(value) in enclosing_ids:
        return value
    return value.__class__(value_in_graph(entry, leaves, (*enclosing_ids, id(value))) for entry in value)


def values_equal(a: Any, b: Any) -> bool:
    """Whether two values are equal up to rounding; inf equals inf of the same sign, and nan equals nan."""
    a, b = np.asarray(a), np.asarray(b)
    is_single = any(x.dtype == np.float32 for x in (a, b))
    a, b = np.broadcast_arrays(a.astype(float), b.astype(float))
    is_finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~is_finite], b[~is_finite], equal_nan=True):
        return False
    a, b = a[is_finite], b[is_finite]
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    return bool(np.all(np.abs(a - b) <= VALUE_TOLERANCE["float32" if is_single else "float64"] * size))


def compare_values(value: Any, gradient: Any) -> bool | None:
    """Whether two values are the same; None if they are but no entry is finite, which proves nothing."""
    if not values_equal(value, gradient):
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
