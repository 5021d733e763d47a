"""A script's output as a function of its inputs: value, slopes and residuals at any place.

The inputs of all runs are the leaves of the first. All entries of all inputs are one vector, in the order of
the report. An output of several entries is a vector of residuals, and its objective the sum of their squares.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, GradientError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.derivation.least_squares import NOTHING, Residuals, chosen_entries, squares_in
from autodiff.core.engine.sweep import sweep
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import Leaf, Node
from autodiff.core.graph.topological_order import newest_first, nodes_leading_to
from autodiff.core.graph.values import as_stored
from autodiff.core.report.records import gradient_or_zeros
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session import derivative_matrices
from autodiff.grammar.session.leaf_names import display_name
from autodiff.grammar.session.outputs import is_sequence
from autodiff.grammar.session.rerun import Probe
from autodiff.grammar.session.run import EngineSetup, run_script
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution, Settings


#: With so many residuals to an entry of the inputs, a pass for each entry takes less time.
FEWEST_BY_COLUMNS = 4


class Placement(Probe):
    """A probe that gives leaves the values ``moves``, instead of adding them."""

    __slots__ = ()

    def moved(self, x: Any, move: Any) -> Any:
        return move.reshape(x.shape)


class Objective:
    """The objective of a script; ``first`` is the pass of its first run, which ``probe`` observed.

    It ``is_list`` if its output is a list of residuals. ``start`` are the entries of its inputs. ``parts``
    are its residuals, None if it is no sum of squares, ``size`` is their number, and ``residual_names`` are
    their names or expressions in the script. ``place`` and ``subject`` are those of the last run.
    ``runs`` counts the runs; ``least`` is the least finite objective of all, at the place ``lowest``.
    ``left_out`` is the last run whose slopes are finite because ``fixed_entries`` are left out.
    """

    __slots__ = (
        *(
            "first",
            "is_list",
            "least",
            "left_out",
            "lowest",
            "numbers",
            "parts",
            "place",
            "residual_names",
            "runs",
            "script",
            "settings",
            "size",
            "source",
        ),
        *("start", "subject"),
    )

    def __init__(self, execution: Execution, settings: Settings, probe: Probe, first: ReportedPass) -> None:
        """Raises UsageError for an input that the script computes, and one of another type than floats."""
        self.source = execution.source
        self.script = parse_to_first_error(execution.source)
        self.settings = settings
        self.first = self.subject = first
        self.left_out: ReportedPass | None = None
        self.is_list = bool(np.ndim(first.root.out)) or is_list_of_one(execution, settings, first)
        self.numbers = [leaf_number(name, node, probe) for name, node in first.wrt]
        values = [np.ravel(np.asarray(node.out, "float64")) for _, node in first.wrt]
        self.start = self.place = np.concatenate(values) if values else np.zeros(0)
        self.parts = self.parts_of(first)
        self.residual_names = names_of_residuals([] if self.is_list else self.parts or [], execution)
        self.runs, self.least, self.lowest = 0, self.objective_of(first), self.start
        self.size = sum(len(part.counted) for part in self.parts or ())

    def parts_of(self, subject: ReportedPass) -> list[Residuals] | None:
        """The residuals in the graph of a run."""
        root = subject.root
        moved = set(nodes_leading_to(newest_first([root]), [node for _, node in subject.wrt]))
        return (
            [Residuals(root, 1.0 * chosen_entries(root, moved))] if self.is_list else squares_in(root, moved)
        )

    def run(self, place: Any) -> ReportedPass:
        """The pass of a run with these entries of the inputs. The last one is kept."""
        if np.array_equal(place, self.place):
            return self.subject
        ends = np.cumsum([np.size(node.out) for _, node in self.first.wrt])
        moves = dict(zip(self.numbers, np.split(np.asarray(place), ends[:-1]), strict=True))
        with Placement(moves) as probe:
            with EngineSetup(self.settings):
                execution = run_script(self.script, self.source, self.settings, discard_text, discard_warning)
            subject = derivative_matrices.whole_subject(execution, self.settings)
        names = [name for name, _ in self.first.wrt]
        subject.wrt = tuple(zip(names, [probe.leaves[number] for number in self.numbers], strict=True))
        self.place, self.subject = np.array(place), subject
        self.runs += 1
        found = self.objective_of(subject)
        if found < self.least:
            self.least, self.lowest = found, self.place
        self.parts = self.parts_of(subject) if self.parts is not None else None
        return subject

    def value(self, place: Any) -> float:
        """The objective: the output, or the sum of the squares of its entries; inf where the script fails."""
        try:
            return self.objective_of(self.run(place))
        except LimitError:
            raise
        except AutodiffError:
            return float("inf")

    def gradient(self, place: Any) -> Any:
        """The slopes of the objective by all entries."""
        subject = self.run(place)
        seeds = {subject.root: self.seed(subject.root)}
        return self.exactly(
            lambda fixed: derivative_matrices.flat_gradients(
                subject,
                sweep(
                    subject.order,
                    seeds,
                    fixed=derivative_matrices.unread_or_none(subject.order, seeds, fixed),
                ),
            )
        )

    def exactly(self, slopes: Callable[[Mapping[Node, Any] | None], Any]) -> Any:
        """Slopes in the last run, by ``derivative_matrices.exactly``."""
        with EngineSetup(self.settings):
            found, leaves_out = derivative_matrices.exactly(self.subject, slopes)
        if leaves_out:
            self.left_out = self.subject
        return found.astype("float64")

    def hessian(self, place: Any) -> Any:
        """The second derivatives of the objective by all pairs of entries."""
        subject = self.run(place)
        subject.seed = self.seed(subject.root)
        found = self.exactly(lambda fixed: derivative_matrices.hessian(subject, fixed))
        if not self.is_list:
            return found
        jacobian = self.jacobian(place)
        return found + 2 * jacobian.T @ jacobian

    def seed(self, root: Node) -> Any:
        """What the pass of the objective starts from."""
        return as_stored(2 * np.asarray(root.out) if self.is_list else np.ones_like(root.out))

    def objective_of(self, subject: ReportedPass) -> float:
        """The output of a run, or the sum of the squares of its entries; inf where it is not finite."""
        out = np.asarray(subject.root.out, "float64")
        found = float((out**2).sum() if self.is_list else out)
        return found if np.isfinite(found) else float("inf")

    def residuals(self, place: Any) -> Any:
        """The residuals with their weights, as one vector; nan where the script fails or has others."""
        try:
            self.run(place)
        except LimitError:
            raise
        except AutodiffError:
            return np.full(self.size, np.nan)
        found = [] if self.parts is None else [part.value() for part in self.parts]
        if sum(map(len, found)) != self.size:
            return np.full(self.size, np.nan)
        return np.concatenate(found)

    def jacobian(self, place: Any) -> Any:
        """The slopes of all residuals (rows) by all entries of the inputs (columns)."""
        self.run(place)
        assert self.parts is not None
        check_allocation((self.size, len(self.start)))
        if self.size > FEWEST_BY_COLUMNS * len(self.start):
            try:
                return self.weighed(self.exactly(self.columns))
            except GradientError:
                pass  # a function that cannot be differentiated twice
        return self.weighed(self.exactly(self.rows))

    def rows(self, fixed: Mapping[Node, Any] | None = None) -> Any:
        """The Jacobian without weights, by a pass from each residual; ``fixed`` is that of ``sweep``."""
        assert self.parts is not None
        ends = {node: None for part in self.parts for node in part.nodes()}
        order = nodes_leading_to(newest_first(list(ends)), [node for _, node in self.subject.wrt])
        rows = []
        for part in self.parts:
            for seed in derivative_matrices.unit_seeds(part.plus, part.counted):
                seeds = {node: as_stored(sign * seed) for node, sign in part.nodes().items()}
                received = sweep(order, seeds, fixed=derivative_matrices.unread_or_none(order, seeds, fixed))
                rows.append(derivative_matrices.flat_gradients(self.subject, received))
        return np.array(rows, "float64")

    def columns(self, fixed: Mapping[Node, Any] | None = None) -> Any:
        """As ``rows``, by a recorded pass, and one per entry of the inputs: see ``jvp``."""
        assert self.parts is not None
        weights = [Tensor.of(as_stored(np.ones_like(part.plus.out))) for part in self.parts]
        seeds: dict[Node, Tensor] = {}
        for part, weight in zip(self.parts, weights, strict=True):
            weight.set_requires_grad()
            for node, sign in part.nodes().items():
                given = weight if sign > 0 else -weight
                seeds[node] = seeds[node] + given if node in seeds else given
        gradients = derivative_matrices.recorded_gradients(self.subject, seeds, fixed)
        columns = []
        for vector in np.eye(len(self.start)):
            pulled = derivative_matrices.weigh(self.subject, vector, gradients)
            received = sweep(newest_first(list(pulled)), pulled, fixed=fixed)
            columns.append(
                [
                    np.ravel(gradient_or_zeros(received, weight.source()))[part.counted]
                    for part, weight in zip(self.parts, weights, strict=True)
                ]
            )
        return np.stack([np.concatenate(column) for column in columns], axis=1)

    def weighed(self, jacobian: Any) -> Any:
        """The Jacobian with the roots of the weights."""
        assert self.parts is not None
        return np.concatenate([part.roots() for part in self.parts])[:, None] * jacobian


def names_of_residuals(parts: list[Residuals], execution: Execution) -> list[str]:
    """Return the script's names for residuals, or the expressions that they are, each once."""
    names = []
    for part in parts:
        name = display_name(part.plus, execution)
        if isinstance(part.minus, Node):
            name += f" - {display_name(part.minus, execution)}"
        elif part.minus is not NOTHING:
            found = (key for key, one in execution.names.items() if getattr(one, "value", None) is part.minus)
            name += f" - {next(found, 'target')}"
        names.append(name)
    return list(dict.fromkeys(names))


def is_list_of_one(execution: Execution, settings: Settings, subject: ReportedPass) -> bool:
    """Whether the output is a list with one entry, which is the target itself."""
    name = settings.of or subject.name.removesuffix("[0]")
    value = execution.last_value if settings.of is None else None
    return is_sequence(execution.names.get(name) if value is None else value)


def leaf_number(name: str, node: Node, probe: Probe) -> int:
    """The number of an input among the leaves of a run."""
    if not isinstance(node, Leaf) or node.number not in probe.numbers:
        raise UsageError(
            f"`{name}` is computed by the script, so no other value can be tried",
            code="E0603",
            help=("name what it is computed from with --wrt",),
        )
    return probe.numbers[node.number]
