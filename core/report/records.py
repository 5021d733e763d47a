"""The records of a gradient report. ``core/derivation/describe.py`` builds them, the cli formats them.

Values are Python floats or ndarrays. Renderers depend on these classes only. They are plain classes because
creating dataclasses would take a quarter of the time of a short run.
"""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.record import Record
from autodiff.core.graph.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.graph.state import Tape
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.entry_records import EntryDerivation
    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph
    from autodiff.core.report.kink import Kink
    from autodiff.core.report.name_key import NameKey
    from autodiff.core.symbolic.expr import Expr


#: The spelling of a path factor that is 0 for all inputs.
ZERO = "0"


class ReportedPass:
    """The subject of a report: one backward pass as the engine ran it.

    ``name`` is the output's name. ``order`` holds the tracked nodes below ``root``, newest first;
    ``cotangents`` maps them to their gradients. If ``received`` has the gradients of leaves only,
    ``sweep_nodes`` computes others; a report of gradients alone, on a million nodes, never does. It takes the
    first nodes of ``order``, which it runs through, and those whose gradients are kept (None: all).
    ``without_pass`` says that no pass ran: the output is a constant, as a note explains, or the gradients are
    derivatives that the script itself computed.
    ``seed`` is the gradient the pass started with; ``weight`` is its text, None for the 1 of a scalar.
    If it ``adds_up``, that is ones because nothing said how to weigh the output's entries.
    ``wrt`` are the requested inputs in source order. ``notes`` are remarks for stderr. ``since`` says which
    inputs the script changed after computing the output from them. ``variables`` maps the script's names
    outside functions to their nodes, None if all names are of this kind. ``constants`` has the values of the
    names of constants. ``numbers_first`` are variables whose first value was a plain number.

    For a pass along a tape, ``root`` and ``order`` are not given; ``make_nodes`` computes them on first use.
    ``value`` and ``site`` are the output's value and span. ``most_nodes`` is the length of the tape: the pass
    has at most so many nodes. ``tapes`` are those that it ran along.
    """

    __slots__ = (
        *(
            "_make_nodes",
            "_constants",
            "_drawn",
            "_ends",
            "_most_nodes",
            "_order",
            "_root",
            "_sweep_nodes",
            "_variables",
            "_visits_more_than",
            "without_pass",
            "name",
            "notes",
            "numbers_first",
            "received",
            "seed",
            "since",
            "tapes",
        ),
        *("adds_up", "site", "value", "weight", "wrt"),
    )

    def __init__(
        self,
        name: str,
        root: Node | None,
        seed: Any,
        weight: str | None,
        wrt: tuple[tuple[str, Node], ...],
        order: list[Node],
        received: dict[Node, Any],
        notes: tuple[str, ...] = (),
        sweep_nodes: Callable[[list[Node], Collection[Node] | None], dict[Node, Any]] | None = None,
        variables: Callable[[], Mapping[str, Node | None]] | None = None,
        constants: Callable[[], Mapping[str, Any]] = dict,
        since: str = "",
        value: Any = None,
        site: Span | None = None,
        make_nodes: Callable[[], tuple[Node, list[Node]]] | None = None,
        without_pass: bool = False,
        adds_up: bool = False,
        most_nodes: int = 0,
        tapes: Sequence[Tape] = (),
        visits_more_than: Callable[[int], bool] | None = None,
    ) -> None:
        self.name = name
        self.adds_up = adds_up
        self.without_pass = without_pass
        self._root = root
        self.value = value if root is None else root.out
        self.site = site if root is None else root.site
        self.seed = seed
        self.weight = weight
        self.wrt = wrt
        self._order = order
        self._make_nodes = make_nodes
        self._most_nodes = most_nodes
        self.received = received
        self.notes = notes
        self._sweep_nodes = sweep_nodes
        self._variables = variables
        self._constants = constants
        self.since = since
        self.tapes = tapes
        self._visits_more_than = visits_more_than
        self.numbers_first: frozenset[str] = frozenset()
        self._drawn: list[Node] | None = None
        self._ends: Collection[Node] = ()

    @property
    def root(self) -> Node:
        if self._root is None:
            assert self._make_nodes is not None
            self._root, self._order = self._make_nodes()
        return self._root

    @property
    def order(self) -> list[Node]:
        if self._root is None:
            assert self._make_nodes is not None
            self._root, self._order = self._make_nodes()
        return self._order

    @property
    def drawn(self) -> list[Node]:
        """The nodes that a graph shows: ``order`` without what only inputs are made of."""
        nodes = [node for _, node in self.wrt if node.op is not None]
        if self._drawn is None and nodes and self.root not in nodes:
            from autodiff.core.graph.topological_order import down_to_inputs

            self._drawn, self._ends = down_to_inputs(self.order, [node for _, node in self.wrt])
        return self.order if self._drawn is None else self._drawn

    @property
    def ends(self) -> Collection[Node]:
        """The inputs at which the graph ends, though the script computes them."""
        return self._ends if len(self.drawn) < len(self.order) else ()

    @property
    def size(self) -> int:
        """The number of nodes, or a larger number while they are entries of a tape."""
        return self._most_nodes if self._root is None else len(self._order)

    def exceeds(self, count: int) -> bool:
        """Whether there are more nodes than ``count``. To see that of a large tape, no nodes are made."""
        if self.size <= count:
            return False
        is_seen = self._root is None and self._visits_more_than is not None and self._visits_more_than(count)
        return is_seen or len(self.order) > count

    @property
    def has_nodes(self) -> bool:
        """Whether the nodes are there already, or would be made from the entries of a tape."""
        return self._root is not None

    @property
    def variables(self) -> Mapping[str, Node | None] | None:
        return None if self._variables is None else self._variables()

    @property
    def constants(self) -> Mapping[str, Any]:
        return self._constants()

    @property
    def alias(self) -> str:
        """The output's name if its node has another name, as in ``y = 3*x; L = y``; else empty."""
        if self.root.name in (None, self.name) or not self.name.isidentifier():
            return ""
        return "" if any(node.name == self.name for node in self.order) else self.name

    @property
    def cotangents(self) -> dict[Node, Any]:
        if self._sweep_nodes is not None:
            self.received, self._sweep_nodes = self._sweep_nodes(self.order, None), None
        return self.received

    def cotangents_of(self, kept: Collection[Node]) -> Mapping[Node, Any]:
        """The gradients of the ``kept`` nodes; of a million others nothing is computed or kept.

        Those of leaves are known. The pass ends at the oldest of the others.
        """
        if self._sweep_nodes is None:
            return self.received
        kept = set(kept)
        places = (at for at, node in enumerate(self.order) if node in kept and node.op is not None)
        found = self._sweep_nodes(self.order[: max(places, default=-1) + 1], kept)
        return {node: self.received.get(node) if node.op is None else found.get(node) for node in kept}


def gradient_or_zeros(gradients: Mapping[Node, Any], node: Node) -> Any:
    """The gradient of a node; zeros if nothing arrived."""
    g = gradients.get(node)
    if g is None:
        return 0.0 if node.out.__class__ is float else np.zeros_like(node.out)
    return g


class TensorFacts:
    """Facts about any tensor: its name in the script, the line that made it, its shape and its dtype."""

    __slots__ = ("dtype", "line", "name", "shape")

    def __init__(self, name: str, line: int | None, shape: tuple[int, ...], dtype: str) -> None:
        self.name = name
        self.line = line
        self.shape = shape
        self.dtype = dtype


class Variable(TensorFacts):
    """A named tensor with its gradient. ``paths`` is the number of paths to it in the report's graph.

    The paths are counted on first use: in a graph of a million nodes the count has a hundred thousand
    digits, and a report of gradients alone does not show it.
    """

    __slots__ = ("_paths", "grad", "value")

    def __init__(
        self,
        name: str,
        line: int | None,
        shape: tuple[int, ...],
        dtype: str,
        value: Any,
        grad: Any,
        paths: int | Callable[[], int],
    ) -> None:
        super().__init__(name, line, shape, dtype)
        self.value = value
        self.grad = grad
        self._paths = paths

    @property
    def paths(self) -> int:
        if not isinstance(self._paths, int):
            self._paths = self._paths()
        return self._paths

    @paths.setter
    def paths(self, count: int) -> None:
        self._paths = count


class Path(Record):
    """One path from the output down to an input.

    ``nodes`` are the names of the nodes on it, output first. ``chain`` spells each factor as a quotient
    (``"dL/dx5"``), ``factors`` as a local derivative (``"-1"``, ``"w2"``; for tensors the map applied).
    ``symbol`` is the simplified product, ``contribution`` its value. ``edges`` holds the numerator and
    denominator of each quotient as expressions, ``derivatives`` the factors as expressions; for tensors these
    are expressions of ``G``. ``product`` is ``symbol`` as an expression. ``node_ids`` and ``edge_ids`` are
    the ids of all nodes and edges on the path in the record of the graph.
    """

    nodes: tuple[str, ...]
    chain: tuple[str, ...]
    factors: tuple[str, ...]
    symbol: str
    contribution: Any
    edges: tuple[tuple[Expr, Expr], ...] = ()
    derivatives: tuple[Expr, ...] = ()
    product: Expr | None = None
    node_ids: tuple[int, ...] = ()
    edge_ids: tuple[int, ...] = ()

    @property
    def is_zero(self) -> bool:
        """Whether a local derivative is 0 for all inputs and the contribution is 0, not infinite or nan."""
        return ZERO in self.factors and not np.any(self.contribution)


class InputUse(Record):
    """One use of an input: the node ``name``, made at ``line``, has it as operand number ``operand``.

    ``contribution`` is the part of the gradient that comes through this use, over ``paths`` paths.
    """

    name: str
    line: int | None
    operand: int
    paths: int
    contribution: Any


class NumberedPart(Record):
    """A part of a formula in numbers: ``expr``, in which ``values`` are inserted for names but ``hidden``.

    ``name`` is the name of the part in other parts, empty for a term of the sum; ``value`` is its value, None
    if it is unknown. A part that only shows the entries of a variable has the variable for ``expr``.
    """

    name: str
    expr: Expr
    values: dict[str, Any]
    hidden: frozenset[str]
    value: Any

    @property
    def inserted(self) -> dict[str, Any]:
        """The values that stand in the formula instead of their names."""
        return {spelled: value for spelled, value in self.values.items() if spelled not in self.hidden}


class DerivationExprs(Record):
    """The formulas of a derivation as expressions, for renderers with another spelling, such as LaTeX.

    ``simplified`` and ``factored`` are None if there is no such formula. ``where`` holds the meanings of
    invented names, as expressions or text; ``values`` the values of all names. ``named`` and ``terms`` are
    the sum in numbers, for tensors: the parts that have names in it, and its terms.
    """

    simplified: Expr | None
    factored: Expr | None
    where: tuple[tuple[str, Expr | str], ...]
    values: dict[str, Any]
    named: tuple[NumberedPart, ...] = ()
    terms: tuple[NumberedPart, ...] = ()


class StandaloneFormula:
    """A self-contained formula as ``text``, or the part of it that has no formula as ``missing``.

    Both are empty if the formula is too long to write out. ``make()`` returns both; it is called on first
    use.
    """

    __slots__ = ("_known", "_make")

    def __init__(self, make: Callable[[], tuple[str, str]]) -> None:
        self._make = make
        self._known: tuple[str, str] | None = None

    @property
    def text(self) -> str:
        return self._both()[0]

    @property
    def missing(self) -> str:
        return self._both()[1]

    def _both(self) -> tuple[str, str]:
        if self._known is None:
            self._known = self._make()
        return self._known


NO_FORMULA = StandaloneFormula(lambda: ("", ""))


class Derivation(Record):
    """The gradient of the output with respect to one input, as a sum over paths.

    The steps of the derivation:
    ``chain``, ``local`` and ``numbers`` are lists of printable summands without the separating sign, one per
    path written out. ``named`` defines the names of matrices in ``numbers``, each as printable lines.
    ``simplified`` is one line for the whole gradient. ``factored`` is the same gradient
    with common factors written once, empty if the text is no different. ``complete`` is the gradient in full
    and unrounded, for programs. ``expressions`` are the formulas as expressions.

    The values:
    ``value`` is the gradient, ``backward`` the one backward computed, ``difference`` the largest deviation
    between the sum of all contributions and ``backward``, None if not all paths were followed. ``magnitude``
    is the sum of the absolute contributions, None if unknown. ``weight`` is the text of the output's
    cotangent, None for the 1 of a number. ``is_scalar`` says whether every node on the paths is a number.

    The paths:
    ``count`` is the exact number of paths, ``followed`` the number that were followed, ``paths`` those
    written out. If ``are_strongest``, no omitted path contributes more. ``zero_paths`` is the number of paths
    omitted because a local derivative on them is 0 for all inputs. ``uses`` are the largest of the
    ``use_count`` direct uses of the input. ``words`` describes the strongest
    path in a sentence, unless the output has no slope there, or says how many paths between tensors carry an
    entry.

    ``kinks`` are the points on the paths where the gradient is a convention. ``causes`` say why the gradient
    is zero or not finite. ``entry`` derives one of its entries. ``order`` is 2 if the output is itself a
    gradient; ``given`` then spells the derivative, ``d2L/dw2``. ``is_only_input`` says that the output
    depends on no other input. ``graph`` is that of its own pass if this is not the report's, on request.
    ``key`` has the meanings of made-up names.
    """

    output: str
    output_line: int | None
    wrt: str
    wrt_line: int | None
    count: int
    paths: tuple[Path, ...]
    chain: tuple[str, ...]
    local: tuple[str, ...]
    simplified: str
    numbers: tuple[str, ...]
    value: Any
    backward: Any
    difference: float | None
    is_scalar: bool
    named: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    entry: EntryDerivation | None = None
    followed: int = 0
    factored: str = ""
    complete: StandaloneFormula = NO_FORMULA
    magnitude: float | None = None
    are_strongest: bool = False
    uses: tuple[InputUse, ...] = ()
    use_count: int = 0
    words: str = ""
    causes: tuple[Cause, ...] = ()
    kinks: tuple[Kink, ...] = ()
    weight: str | None = None
    order: int = 1
    given: str = ""
    expressions: DerivationExprs | None = None
    is_only_input: bool = False
    zero_paths: int = 0
    graph: Graph | None = None
    key: NameKey | None = None

    @property
    def texts(self) -> Iterator[str]:
        """The texts of steps 1 to 3, of the paths and of the causes."""
        yield from self.texts_without_paths
        yield from (name for path in self.paths for name in path.nodes)

    @property
    def texts_without_paths(self) -> Iterator[str]:
        """The texts of steps 1 to 3 and of the causes."""
        yield from (*self.chain, *self.local, self.simplified, self.factored)
        yield from (meaning for _, meaning in self.where)
        yield from (use.name for use in self.uses)
        yield from (cause.text for cause in self.causes)

    def omit_zero_paths(self) -> None:
        """Omit the paths with a local derivative that is 0 for all inputs, unless all paths have one."""
        kept = [at for at, path in enumerate(self.paths) if not path.is_zero]
        if kept:
            self.zero_paths = len(self.paths) - len(kept)
            self.paths = tuple(self.paths[at] for at in kept)
            self.chain = tuple(self.chain[at] for at in kept)
            self.local = tuple(self.local[at] for at in kept)


class GradientReport(Record):
    """Everything ``run`` shows.

    ``graph``, ``derivations``, ``events`` and ``formulas`` are filled only on request.

    ``since`` says which inputs have changed values at the end of the script; empty if none has. If the report
    ``adds_up``, its ``weight`` is ones because nothing said how to weigh the output's entries. ``size`` is at
    least the number of nodes. ``formulas`` are the simplified derivatives for the first inputs, empty where
    one is long or needs an explanation; ``kinks`` are those found on the way to them, by input.
    """

    script: str
    output: Variable
    weight: str | None
    gradients: tuple[Variable, ...]
    graph: Graph | None
    derivations: tuple[Derivation, ...]
    notes: tuple[str, ...]
    since: str = ""
    formulas: tuple[str, ...] = ()
    kinks: Mapping[str, tuple[Kink, ...]] = {}
    adds_up: bool = False
    size: int = 0
    events: Events | None = None
