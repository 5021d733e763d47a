"""The script's own run and runs with moved inputs, which all formulas of a check share."""

from __future__ import annotations

from copy import copy
from functools import cached_property, partial
from itertools import islice

from autodiff.core.base.errors import UsageError
from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.check.gradient_rounding import gradient_rounding
from autodiff.core.check.numerical_derivatives import SMALL_ENTRY, entry_scales
from autodiff.core.derivation.second_order import second_derivatives
from autodiff.core.engine.sweep import numpy_warnings_off, sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.state import mode
from autodiff.core.graph.topological_order import newest_first
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.paths.path_sum import edge_contribution
from autodiff.core.why.rounded_gradients import rounded_gradient, value_rounding
from autodiff.grammar.by_hand.computed_again import equal_node
from autodiff.grammar.by_hand.constants import (
    can_change,
    constants_behind,
    describe_labels,
    numbers_of,
    other_labels,
    other_symmetric,
    other_values,
    permuted,
)
from autodiff.grammar.by_hand.evaluate import Definition, in_reach
from autodiff.grammar.objects.values import ScriptFunction
from autodiff.grammar.session.inputs import unused_leaves
from autodiff.grammar.session.versions import VERSION
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.graph.node import GradSlot
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.rerun import Rerun
    from autodiff.grammar.session.run import Execution

#: The number of runs besides the script's own, and of those with other constants.
EXTRA_RUNS, CONSTANT_RUNS = 5, 3
#: How many runs in other branches are kept.
MOST_ELSEWHERE = 12
#: The relative distance of the inputs of other points from the script's own.
SPREAD = 0.3
#: The largest relative distance: there small entries move by about 1 too.
MOST_SPREAD = 64.0
#: What other values of tensors keep: matrices are symmetric, or rows of labels have the same entries.
SYMMETRY, LABELS = "symmetry", "labels"
#: What else is moved: leaves that the output does not depend on.
UNUSED = "unused"
#: What else: large and small leaves go to the order of 1, with their signs.
SCALE = "scale"
#: Leaves go to values so many times their own, with their signs: what a factor written in the script keeps
#: small or large, as in ``z = x*1e-6``, is of the order of 1 at one of them.
GROWN, SHRUNK = "grown", "shrunk"
FACTORS = {GROWN: 1e9, SHRUNK: 1e-9}
#: The rounding error of a sum relative to its terms, with room for the formula's own, by precision.
SUM_ROUNDING = {"float64": 2.0**-48, "float32": 2.0**-19}
#: A gradient with more entries is not differentiated again.
MAX_ENTRIES = 200


class ScriptRun:
    """One run of the script and its backward pass; ``known`` maps the nodes of the first run to its nodes.

    ``draw`` counts the runs with random moves: two with the same draw lie in the same direction.
    """

    draw = -1

    def __init__(self, subject: ReportedPass, execution: Execution, first: ReportedPass) -> None:
        self.subject = subject
        self.execution = execution
        self.first = first
        self.known: dict[Node, Node] = dict(zip(first.order, subject.order, strict=True))
        self._noise: dict[tuple[str, ...], Any] = {}

    @cached_property
    def names(self) -> dict[str, Any]:
        """The values of the script's names."""
        return script_values(self.subject, self.execution)

    def names_with(self, read: Collection[str]) -> dict[str, Any]:
        """The values of the script's names; where one such as ``h_6`` is ``read``, of single values too."""
        if all(name in self.names or not VERSION.fullmatch(name) for name in read):
            return self.names
        return {**self.names, **self.versions}

    @cached_property
    def versions(self) -> dict[str, Any]:
        """The values of variables that have several, by the names that reports give them."""
        subject = self.subject
        source = self.execution.source
        names = NodeNames(subject.order, source, numbers_first=subject.numbers_first)
        found = names.versioned.items()
        return {spelled: Tensor.of(node.out) for spelled, node in found if spelled not in self.names}

    def gradient(self, by: list[str]) -> Any:
        """Return the gradient by the input of this name, for two names the second derivative."""
        nodes = [self.input(name) for name in by]
        if len(nodes) == 2:
            subject = self.subject
            return second_gradient(subject.order, {subject.root: subject.seed}, *nodes)
        if is_constant(nodes[0]):
            return self.cotangent(nodes[0])
        g = self.subject.cotangents.get(nodes[0])
        return np.zeros(nodes[0].shape) if g is None else np.asarray(g)

    def input(self, name: str) -> Node:
        """Return the input of this name, or the value that a step of a derivation is about."""
        node = dict(self.first.wrt)[name]
        return self.known[node] if node in self.known else dict(self.subject.wrt).get(name, node)

    def cotangent(self, node: Node) -> Any:
        """Return the gradient at a node of the first run's graph, in this run.

        That by a constant of the script is the sum of what its uses pass on.
        """
        if node in self.known:
            return np.asarray(self.subject.cotangents[self.known[node]])
        uses = [(one, at) for one in self.first.order for at, x in enumerate(one.inputs) if x is node]
        found = [(self.known[one], at) for one, at in uses]
        return sum(np.asarray(edge_contribution(use, self.subject.cotangents[use[0]])) for use in found)

    def gradient_pass(self, by: list[str]) -> SecondDerivative:
        """Return the pass over the graph of the gradient by the first input; both inputs are numbers."""
        wrt = tuple({name: dict(self.subject.wrt)[name] for name in by}.items())
        first = copy(self.subject)
        first.wrt = wrt
        found = second_derivatives(
            first, self.execution.source, None, lambda name, g: (as_stored(np.ones_like(g.data)), None)
        )
        return found[len(wrt) - 1]

    def noise(self, by: list[str]) -> Any:
        """Return the rounding error that may be left of each entry of ``gradient(by)`` where parts cancel.

        So is the gradient by a bias before batch norm, and by x of ``(1 - cos(x))/x**2``.
        """
        if tuple(by) not in self._noise:  # derivations of several steps ask for it again and again
            self._noise[tuple(by)] = self._rounding([self.input(name) for name in by])
        return self._noise[tuple(by)]

    def _rounding(self, nodes: list[Node]) -> Any:
        subject = self.subject
        if is_constant(nodes[0]):
            return 0.0
        if len(nodes) == 1:
            return rounding_left(subject.order, {subject.root: subject.seed}, subject.cotangents, nodes[0])
        first, second = nodes
        passes = passes_over_gradient(subject.order, {subject.root: subject.seed}, first)
        rows = [rounding_left(*made, second) for made in passes]
        return np.reshape(rows, (*first.shape, *second.shape)) if rows else 0.0

    def is_rounding(self, by: list[str]) -> bool:
        """Whether a first derivative is nothing but rounding of the values that it is made from."""
        subject = self.subject
        node = self.input(by[0])
        return len(by) == 1 and rounded_gradient(subject.order, subject.root, subject.seed, node) is not None


def is_constant(node: Node) -> bool:
    """Whether a node is an array of the script that no gradient is recorded for."""
    return isinstance(node, Leaf) and not node.tracked and np.asarray(node.out).dtype.kind == "f"


class ScriptRuns:
    """The ``first`` run of a script, and others with its ``leaves`` moved.

    A run that fails or builds another graph is left out. ``seed`` determines the moves. ``behind`` has the
    constants among the names ``read`` by formulas, each with the constants that it is computed from.
    ``may_rerun`` is False for a graph that is too large to be made several times, and if ``is_time_over``.
    """

    def __init__(
        self,
        subject: ReportedPass,
        execution: Execution,
        rerun: Rerun,
        seed: int,
        read: Collection[str] = (),
        may_rerun: bool = True,
    ) -> None:
        self.first = ScriptRun(subject, execution, subject)
        meant = [(name, node, equal_node(node, subject.order)) for name, node in subject.wrt]
        subject.wrt = tuple((name, equal) for name, _, equal in meant)
        #: The inputs that are computed again after the output, by the equal values that are meant.
        self.computed_again = {equal: node for _, node, equal in meant if node is not equal}
        known = dict.fromkeys([*subject.order, *[node for _, node in subject.wrt]])
        self.leaves = tuple(x for x in known if isinstance(x, Leaf) and x.tracked)
        self.rerun = rerun
        self.seed = seed
        self.may_rerun = may_rerun
        self.is_time_over = False
        moved = {leaf.name for leaf in self.leaves}  # whose names a function may give values again
        self.behind = constants_behind([name for name in read if name not in moved], execution)
        #: Runs with moved leaves that have other graphs, each as the first of its own.
        self.elsewhere: list[ScriptRuns] = []
        self._moved: dict[tuple[float, str], RunsOnDemand] = {}
        self._changed: dict[tuple[Any, ...], RunsOnDemand] = {}

    def around(self, spread: float) -> list[ScriptRun]:
        """Return the first run and those with leaves moved by about ``spread`` of their size."""
        return [self.first, *self.moved(spread)] if self.may_rerun else [self.first]

    def moved(self, spread: float, kept: str = "", count: int = EXTRA_RUNS) -> list[ScriptRun]:
        """Return runs with moved leaves, the first ``count`` of them.

        What is ``kept``, if anything, is the symmetry of square matrices or the entries of labels. With
        ``UNUSED`` the leaves move too that the output does not depend on.
        """
        known = self._moved.setdefault((spread, kept), RunsOnDemand(self.draws(spread, kept)))
        return known.first(count)

    def draws(self, spread: float, kept: str) -> Iterator[ScriptRun | None]:
        for moves in islice(self.directions(spread, kept), EXTRA_RUNS):
            yield self.run_again(moves, {})

    def moved_once(self, draw: int, spread: float, kept: str = "") -> ScriptRun | None:
        """Return the run in the direction of this draw, moved by about ``spread``; None if there is none."""
        return self.run_again(next(islice(self.directions(spread, kept), draw, None)), {})

    def directions(self, spread: float, kept: str = "") -> Iterator[dict[Node, Any]]:
        """Yield random moves; far away each is followed by its opposite, for kinks are on one side."""
        random = np_random.default_rng(self.seed)
        while True:
            moves = self.random_moves(random, spread, kept)
            yield moves
            if spread > SPREAD and kept not in (SCALE, *FACTORS):
                yield {leaf: -move for leaf, move in moves.items()}

    def random_moves(self, random: Any, spread: float, kept: str = "") -> dict[Node, Any]:
        leaves = [leaf for leaf in self.leaves if leaf not in self.sizes_of_arrays]
        moves: dict[Node, Any] = {leaf: random_moves(leaf, random, spread) for leaf in leaves}
        if kept == SYMMETRY:
            moves |= {leaf: symmetric_move(leaf, moves[leaf]) for leaf in self.square_leaves}
        elif kept == LABELS:
            moves |= {leaf: permuted(leaf.out, random) - leaf.out for leaf in self.labels}
        elif kept == SCALE:
            moves = {leaf: move_to_order_one(leaf, random, spread) for leaf in leaves}
        elif kept in FACTORS:
            moves = {leaf: move_by_factor(leaf, random, spread, FACTORS[kept]) for leaf in self.leaves}
        elif kept == UNUSED:
            moves |= {leaf: random_moves(leaf, random, spread) for leaf in self.unused}
        return moves

    def run_again(self, moves: dict[Node, Any], changes: dict[str, Any]) -> ScriptRun | None:
        """Return a run with moved leaves and changed constants; None if it fails or builds another graph."""
        run = self.rerun.run(moves, changes)
        if run is None:
            return None
        if not is_same_graph(run[1], self.first.subject):
            if not changes and len(self.elsewhere) < MOST_ELSEWHERE:
                self.elsewhere.append(ScriptRuns(run[1], run[0], self.rerun, self.seed))
            return None
        return ScriptRun(run[1], run[0], self.first.subject)

    def with_constants(
        self,
        names: Collection[str],
        spread: float,
        kept: str = "",
        moves_leaves: bool = True,
        count: int = CONSTANT_RUNS,
    ) -> list[ScriptRun]:
        """Return runs with other values of these constants, the first ``count`` of them.

        Labels stay labels, or symmetric matrices symmetric, if that is ``kept``. Runs in which tensors have
        other shapes are left out.
        """
        if not names:
            return []
        key = (spread, kept, moves_leaves, *names)
        draws = self.draws_of_constants(names, spread, kept, moves_leaves)
        return self._changed.setdefault(key, RunsOnDemand(draws)).first(count)

    def draws_of_constants(
        self, names: Collection[str], spread: float, kept: str, moves_leaves: bool
    ) -> Iterator[ScriptRun | None]:
        random = np_random.default_rng(self.seed)
        changes: dict[str, Any] = {}
        for name in names:
            if kept == LABELS and self.labels_in_words(name):
                changes[name] = partial(other_labels, random=random)
            else:
                change = other_symmetric if kept == SYMMETRY else other_values
                changes[name] = partial(change, random=random, spread=spread)
        for _ in range(CONSTANT_RUNS):
            run = self.run_again(self.random_moves(random, spread) if moves_leaves else {}, changes)
            yield run if run is not None and self.has_same_shapes(run) else None

    def has_same_shapes(self, run: ScriptRun) -> bool:
        return all(node.shape == other.shape for node, other in run.known.items())

    @cached_property
    def changeable(self) -> list[str]:
        """The constants behind those that the formulas read with other values of which the script runs."""
        return self.changeable_behind(self.behind)

    def changeable_behind(self, behind: dict[str, list[str]]) -> list[str]:
        every = {origin for origins in behind.values() for origin in origins}
        names = [name for name in every if not self.is_size(name) and can_change(self.value(name))]
        names.sort(key=self.first.execution.first_offset)
        if len(self.with_constants(names, SPREAD)) < CONSTANT_RUNS:
            names = [name for name in names if self.with_constants([name], SPREAD)]
        return names

    def with_others(self, read: Collection[str]) -> list[ScriptRun]:
        """Return runs with other values of the constants behind these names too, and of unused leaves."""
        names = self.changeable_behind(constants_behind(read, self.first.execution))
        unused = self.moved(SPREAD, UNUSED) if self.unused else []
        return [*self.with_constants(names, SPREAD, LABELS), *unused]

    def is_size(self, name: str) -> bool:
        """Whether a constant is a whole number that is also a size, as ``n = 4`` is beside four entries."""
        return self.value(name).__class__ is int and self.value(name) in self.sizes

    @cached_property
    def sizes(self) -> set[int]:
        """The sizes of the tensors of the graph, and of their dimensions, above 1."""
        shapes = [node.shape for node in self.first.known]
        return {size for shape in shapes for size in (*shape, int(np.prod(shape)))} - {1}

    @cached_property
    def sizes_of_arrays(self) -> set[Leaf]:
        """The inputs that cannot be moved with the others: ``m`` divides, and is a size of arrays too."""
        found = {leaf for leaf in self.leaves if not leaf.shape and float(leaf.out) in self.sizes}
        random = np_random.default_rng(self.seed)
        moves: dict[Node, Any] = {leaf: random_moves(leaf, random, SPREAD) for leaf in self.leaves}
        if not found or self.rerun.run(moves) is not None:
            return set()
        others = {leaf: move for leaf, move in moves.items() if leaf not in found}
        return set() if self.rerun.run(others) is None else found

    def value(self, name: str) -> Any:
        return self.first.execution.names[name]

    def labels_in_words(self, name: str) -> str:
        """What holds for the entries of a constant or a leaf that may be labels; "" if it is none."""
        return describe_labels(name, numbers_of(self.value(name)))

    def enter_input(self, node: Node) -> str:
        """Return the name of a node of the first run, which becomes an input under it."""
        subject = self.first.subject
        spelled: str = self.node_names[node]
        if spelled not in dict(subject.wrt):
            subject.wrt = (*subject.wrt, (spelled, node))
        return spelled

    @cached_property
    def node_names(self) -> NodeNames:
        subject = self.first.subject
        source = self.first.execution.source
        return NodeNames(subject.order, source, numbers_first=subject.numbers_first)

    @cached_property
    def unused(self) -> list[Leaf]:
        """The leaves in the script's variables that the output does not depend on."""
        numbers = self.rerun.first.numbers
        return [x for x in unused_leaves(self.first.execution, [*self.leaves]) if x.number in numbers]

    @property
    def are_of_order_one(self) -> bool:
        """Whether no entry of a leaf is far larger or smaller than 1."""
        sizes = [np.abs(np.asarray(leaf.out)) for leaf in self.leaves]
        return all(np.all((x == 0) | ((x > SMALL_ENTRY) & (x < 1 / SMALL_ENTRY))) for x in sizes)

    @property
    def square_leaves(self) -> list[Leaf]:
        """The leaves that are square matrices, or stacks of these."""
        return [x for x in self.leaves if len(x.shape) > 1 and x.shape[-1] == x.shape[-2] > 1]

    @cached_property
    def labels(self) -> dict[Leaf, str]:
        """The leaves that may be labels, such as one-hot rows, and what holds for their entries."""
        inputs = {node for _, node in self.first.subject.wrt}
        others = [leaf for leaf in self.leaves if leaf.name is not None and leaf not in inputs]
        described = {leaf: describe_labels(str(leaf.name), np.asarray(leaf.out)) for leaf in others}
        return {leaf: text for leaf, text in described.items() if text}


class RunsOnDemand:
    """Runs that are made when they are asked for; each has the number of its draw."""

    def __init__(self, draws: Iterator[ScriptRun | None]) -> None:
        self.found: list[ScriptRun] = []
        self.left = enumerate(draws)

    def first(self, count: int) -> list[ScriptRun]:
        """Return so many runs, or all that there are."""
        while len(self.found) < count and (drawn := next(self.left, None)) is not None:
            draw, run = drawn
            if run is not None:
                run.draw = draw
                self.found.append(run)
        return self.found[:count]


def symmetric_move(leaf: Leaf, move: Any) -> Any:
    """Return a move to the symmetric part of the matrix that ``move`` leads to."""
    x = np.asarray(leaf.out)
    moved = x + move
    return (moved + np.swapaxes(moved, -1, -2)) / 2 - x


def second_gradient(order: list[Node], seeds: dict[Node, Any], first: Node, second: Node) -> Any:
    """Return the derivatives by ``second`` of the gradient by ``first``, in the joined shape of both.

    The pass over ``order`` starts with the ``seeds``.
    """
    size = int(np.prod(first.shape))
    if size > MAX_ENTRIES:
        raise UsageError(
            f"--formula: a gradient of {size:,} entries is too large for its second derivatives",
            code="E0610",
            help=(f"make it one of {MAX_ENTRIES} entries or fewer",),
        )
    rows = np.zeros((size, *second.shape))
    for at, (_, _, received) in enumerate(passes_over_gradient(order, seeds, first)):
        rows[at] = np.asarray(received.get(second, 0.0))
    return rows.reshape((*first.shape, *second.shape))


def passes_over_gradient(
    order: list[Node], seeds: dict[Node, Any], first: Node
) -> Iterator[tuple[list[Node], dict[Node, Any], dict[Node, Any]]]:
    """Yield the passes from each entry of the gradient by ``first``: nodes, the seed, what was received."""
    site, mode.site = mode.site, None  # the vjp rules have no place in the script
    try:
        with numpy_warnings_off(order):
            given = {root: Tensor.of(as_stored(seed)) for root, seed in seeds.items()}
            g = sweep(order, given, create_graph=True).get(first)
            if g is None or not g.requires_grad or g.node is None:
                return
            above = newest_first([g.node])
            for at in range(int(np.prod(first.shape))):
                one = np.zeros(first.shape)
                one.reshape(-1)[at] = 1.0
                entry = {g.node: as_stored(one.astype(g.dtype.name))}
                yield above, entry, sweep(above, entry)
    finally:
        mode.site = site


def rounding_left(order: list[Node], seeds: dict[Node, Any], received: dict[Node, Any], target: Node) -> Any:
    """Return how far rounding may move each entry of a gradient, on the paths and of the values."""
    found = gradient_rounding(order, received, target)
    noise = SUM_ROUNDING[np.asarray(target.out).dtype.name] * np.where(np.isfinite(found), found, 0.0)
    [(root, seed)] = seeds.items()
    return noise + value_rounding(order, root, seed, target)


def random_moves(leaf: Leaf, random: Any, spread: float) -> Any:
    """Return a random move for each entry of a leaf: up to ``spread`` times the entry plus a third of a unit.

    The unit is 1, so that entries near 0 can change sign; for entries below SMALL_ENTRY, their own size. That
    grows to 1 with a ``spread`` above 1: the error of a Taylor polynomial shows however small they are.
    """
    x = np.asarray(leaf.out)
    size = entry_scales(x)
    unit = np.where(size < SMALL_ENTRY, size ** (1.0 - growth(spread)), 1.0)
    return spread * (x * random.uniform(-1, 1, x.shape) + unit * random.uniform(-1, 1, x.shape) / 3)


def move_to_order_one(leaf: Leaf, random: Any, spread: float) -> Any:
    """Return the move by which each entry goes to about 1 or -1 as ``spread`` goes to MOST_SPREAD."""
    x = np.asarray(leaf.out)
    with np.errstate(divide="ignore"):
        moved = np.sign(x) * np.abs(x) ** (1.0 - growth(spread))
    return np.where(x == 0, 0.0, moved * (1.0 + growth(spread) * random.uniform(-1, 1, x.shape) / 3) - x)


def move_by_factor(leaf: Leaf, random: Any, spread: float, factor: float) -> Any:
    """Return the move by which entries go to ``factor`` times their own as ``spread`` goes to MOST_SPREAD.

    A leaf of zeros grows from 0 to that factor.
    """
    x, grown = np.asarray(leaf.out), growth(spread)
    around = random.uniform(-1, 1, x.shape)
    if not np.any(x):
        return around * max(factor**grown - 1.0, 0.0)
    return x * (factor**grown * (1.0 + grown * around / 3) - 1.0)


def growth(spread: float) -> float:
    """Return 0 for a spread up to 1, and up to 1 for the largest one."""
    return float(np.log(np.clip(spread, 1.0, MOST_SPREAD)) / np.log(MOST_SPREAD))


def is_same_graph(subject: ReportedPass, other: ReportedPass) -> bool:
    """Whether two runs have recorded the same ops of the same values in the same order.

    They have constants at the same places, and the same leaves: ``max(x, z)`` is ``x`` in one graph and ``z``
    in another one.
    """
    return described_graph(subject) == described_graph(other)


def described_graph(subject: ReportedPass) -> list[tuple[Any, ...]]:
    places = {node: at for at, node in enumerate(subject.order)}
    return [
        (node.tracked, node.name, node.site)
        if node.op is None
        else (node.op.name, *[None if below is None else places.get(below) for below in node.inputs])
        for node in subject.order
    ]


def script_values(subject: ReportedPass, execution: Execution) -> dict[str, Any]:
    """Return the values of the script's names; for names changed later, those used to make the graph.

    Formulas may call the functions of the script and use its modules, texts and other values as well.
    """
    values = {
        name: value
        for name, value in execution.names.items()
        if isinstance(value, (Tensor, float, int)) and not isinstance(value, bool)
    }
    if subject.weight is not None:
        values.setdefault(incoming.letter, Tensor.of(subject.seed))
    nodes = set(subject.order)
    own = {
        name
        for name, value in values.items()
        if isinstance(value, Tensor) and (value.node in nodes or isinstance(value.node, OpNode))
    }
    later = changed_later(subject, execution).keys()
    for node in reversed(named_nodes(subject)):
        if node.name in later or (node.name not in own and node in nodes):
            values[str(node.name)] = Tensor.of(node.out)
    if subject.name.isidentifier():
        values.setdefault(subject.name, Tensor.of(subject.root.out))
    leaves = {
        node.grad_slot: node
        for node in subject.order
        if isinstance(node, Leaf) and node.grad_slot is not None
    }
    lists = {name: value for name, value in execution.names.items() if value.__class__ in (list, tuple)}
    return {
        **{name: in_reach(value) for name, value in execution.names.items()},
        **{name: value.detach() if isinstance(value, Tensor) else value for name, value in values.items()},
        **{name: value_in_graph(value, leaves) for name, value in lists.items() if name not in values},
        **definitions(later, execution),
    }


def definitions(names: Collection[str], execution: Execution) -> dict[str, Definition]:
    """Return the functions of the script that read one of the names, themselves or in what they call."""
    if not names:
        return {}
    body = parse_to_first_error(execution.source).body
    every = {
        node.name: Definition(node)
        for node in body
        if isinstance(node, tree.FunctionDef) and execution.names.get(node.name).__class__ is ScriptFunction
    }
    found: dict[str, Definition] = {}
    while more := {
        name: one
        for name, one in every.items()
        if name not in found and not one.reads.isdisjoint([*names, *found])
    }:
        found |= more
    return found


def changed_later(subject: ReportedPass, execution: Execution) -> dict[str, Node]:
    """Return the names of the graph that the script gives other values after the output, which are nodes.

    So are those of ``W`` after ``W += -lr*dW``, and of ``probs`` after ``ds = probs; ds /= N``.
    """
    return {
        name: value.node
        for name in {str(node.name) for node in named_nodes(subject)}
        if isinstance(value := execution.names.get(name), Tensor)
        and value.node is not None
        and value.node.number > subject.root.number
    }


def named_nodes(subject: ReportedPass) -> list[Node]:
    """Return the nodes of a graph that have names of variables, constants too, the newest first."""
    known = dict.fromkeys([*subject.order, *(one for node in subject.order for one in node.inputs)])
    named = [
        node for node in known if node is not None and node.name is not None and node.name.isidentifier()
    ]
    return sorted(named, key=lambda node: -node.number)


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
