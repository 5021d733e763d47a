"""What can be said about a gradient, as plain data. ``describe`` builds it, the cli spells it.

Values are Python floats or ndarrays. A renderer is a function of these classes and of nothing else.
Plain classes rather than dataclasses, whose making would take a quarter of a short run's time.
"""

from __future__ import annotations

from autodiff.core.base.lazy import np
from autodiff.core.graph.node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.derivation.graph_report import Graph
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.entry_records import Entry
    from autodiff.core.symbolic.expr import Expr
    from autodiff.core.why.kinks import Kink


#: How the factor of a path is spelled that is 0 whatever the inputs are.
ZERO = "0"


class Subject:
    """What a report is about: one backward pass, as the engine ran it.

    ``order`` holds the tracked nodes below ``root``, newest first; ``cotangents`` what each received. Where
    ``received`` holds what leaves received only, ``sweep_all`` gives the rest when it is first asked for:
    bare gradients of a million nodes do without.
    ``weight`` is the gradient the pass started with, None for the 1 of a scalar. ``wrt`` are the inputs
    asked about, in source order. ``notes`` are remarks for the reader's stderr. ``since`` says which inputs
    the script has changed since the output was made from them. ``variables`` are the names that the script
    has outside of functions and the nodes they stand for, None where all names are such.

    ``make_nodes`` gives ``root`` and ``order`` where they are not given: of a pass along a tape, whose output
    is ``value``, made at ``site``, until somebody asks for more than these.
    """

    __slots__ = (
        *(
            "_make_nodes",
            "_order",
            "_root",
            "_sweep_all",
            "_variables",
            "name",
            "notes",
            "received",
            "seed",
            "since",
        ),
        *("site", "value", "weight", "wrt"),
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
        sweep_all: Callable[[], dict[Node, Any]] | None = None,
        variables: Callable[[], Mapping[str, Node | None]] | None = None,
        since: str = "",
        value: Any = None,
        site: Span | None = None,
        make_nodes: Callable[[], tuple[Node, list[Node]]] | None = None,
    ) -> None:
        self.name = name
        self._root = root
        self.value = value if root is None else root.out
        self.site = site if root is None else root.site
        self.seed = seed
        self.weight = weight
        self.wrt = wrt
        self._order = order
        self._make_nodes = make_nodes
        self.received = received
        self.notes = notes
        self._sweep_all = sweep_all
        self._variables = variables
        self.since = since

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
    def variables(self) -> Mapping[str, Node | None] | None:
        return None if self._variables is None else self._variables()

    @property
    def alias(self) -> str:
        """The name of the output, where the root was given another one first, as in ``y = 3*x; L = y``."""
        if self.root.name in (None, self.name) or not self.name.isidentifier():
            return ""
        return "" if any(node.name == self.name for node in self.order) else self.name

    @property
    def cotangents(self) -> dict[Node, Any]:
        if self._sweep_all is not None:
            self.received, self._sweep_all = self._sweep_all(), None
        return self.received


class Named:
    """What is said of every tensor: its name in the script, the line that made it, its shape and its type."""

    __slots__ = ("dtype", "line", "name", "shape")

    def __init__(self, name: str, line: int | None, shape: tuple[int, ...], dtype: str) -> None:
        self.name = name
        self.line = line
        self.shape = shape
        self.dtype = dtype


class Variable(Named):
    """A named tensor with its gradient. ``paths`` counts the paths that reach it from the output.

    They are counted when first asked for: in a graph of a million nodes the count has a hundred thousand
    digits, and bare gradients do not show it.
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


class Path:
    """One way from the output down to an input.

    ``nodes`` are the names passed, output first. ``chain`` spells each factor as a quotient
    (``"dL/dx5"``), ``factors`` as a local derivative (``"-1"``, ``"w2"``; for tensors the map applied),
    ``symbol`` the whole product simplified; ``contribution`` is its value. ``edges`` are the names above and
    below each quotient and ``derivatives`` the factors, as expressions: of ``G`` for tensors.
    """

    __slots__ = ("chain", "contribution", "derivatives", "edges", "factors", "nodes", "symbol")

    def __init__(
        self,
        nodes: tuple[str, ...],
        chain: tuple[str, ...],
        factors: tuple[str, ...],
        symbol: str,
        contribution: Any,
        edges: tuple[tuple[Expr, Expr], ...] = (),
        derivatives: tuple[Expr, ...] = (),
    ) -> None:
        self.edges = edges
        self.derivatives = derivatives
        self.nodes = nodes
        self.chain = chain
        self.factors = factors
        self.symbol = symbol
        self.contribution = contribution

    @property
    def is_nothing(self) -> bool:
        """Whether a slope on it is 0 whatever the inputs are, and no other is infinite or nan beside it."""
        return ZERO in self.factors and not np.any(self.contribution)


class Use:
    """One use of an input: the node ``name``, made at ``line``, reads it as operand number ``operand``.

    ``contribution`` is what the gradient receives through it, over ``paths`` paths.
    """

    __slots__ = ("contribution", "line", "name", "operand", "paths")

    def __init__(self, name: str, line: int | None, operand: int, paths: int, contribution: Any) -> None:
        self.name = name
        self.line = line
        self.operand = operand
        self.paths = paths
        self.contribution = contribution


class Expressions:
    """The formulas of a derivation as expressions, for whoever spells them in another way.

    ``simplified`` and ``factored`` are None where there is no such text. ``where`` has the meanings of
    invented names, which may be no more than a text; ``values`` the values of all names.
    """

    __slots__ = ("factored", "simplified", "values", "where")

    def __init__(
        self,
        simplified: Expr | None,
        factored: Expr | None,
        where: tuple[tuple[str, Expr | str], ...],
        values: dict[str, Any],
    ) -> None:
        self.simplified = simplified
        self.factored = factored
        self.where = where
        self.values = values


class Complete:
    """A formula that stands alone, ``text``, or where there is none the ``missing`` part of it.

    Both are empty where the formula is too long to write out. ``make`` answers with both.
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


NOTHING_WRITTEN = Complete(lambda: ("", ""))


class Derivation:
    """The gradient of the output with respect to one input, as a sum over paths.

    The five steps are lists of summands, one per path written out: ``chain``, ``local``, ``numbers`` (each a
    printable term without its sign's separator), while ``simplified`` is one line for the whole gradient.
    ``factored`` is the same gradient with what paths share written once, empty where that is no other text;
    ``complete`` is the gradient in full and unrounded, for programs that evaluate it.
    ``value`` is the gradient, ``difference`` the largest deviation of the sum of all contributions from
    what backward gave; None when not all paths were followed. ``is_scalar`` tells whether every node on
    the way is a single number. ``count`` is exact, ``followed`` is how many paths were, ``paths`` those
    written out; if ``are_strongest``, no path left out contributes more. ``magnitude`` is the sum of
    the sizes of all contributions, None where it is not known. ``uses`` are the direct uses of the input (of
    ``use_count`` the largest), ``words`` reads the strongest path as a sentence.
    ``kinks`` are the points on the way where the gradient is a convention.
    ``causes`` say why the gradient is zero or not finite, where it is; ``entry`` derives one of its entries.
    ``weight`` is what the entries of the output are weighed with, None for the 1 of a number. ``order`` is 2
    where the output is a gradient itself; ``given`` then spells the derivative, ``d2L/dw2``. ``expressions``
    are the formulas as trees. ``is_only`` says that the output depends on no other input. ``zero_paths`` is
    how many paths are not written out because a slope on them is 0 whatever the inputs are.
    """

    __slots__ = (
        *("are_strongest", "backward", "causes", "chain", "complete", "count", "difference", "entry"),
        *("expressions", "factored", "followed", "given", "is_only", "is_scalar", "kinks", "local"),
        *("magnitude", "numbers", "order", "output", "output_line", "paths", "simplified", "use_count"),
        *("uses", "value", "weight", "where", "words", "wrt", "wrt_line", "zero_paths"),
    )

    def __init__(
        self,
        output: str,
        output_line: int | None,
        wrt: str,
        wrt_line: int | None,
        count: int,
        paths: tuple[Path, ...],
        chain: tuple[str, ...],
        local: tuple[str, ...],
        simplified: str,
        numbers: tuple[str, ...],
        value: Any,
        backward: Any,
        difference: float | None,
        is_scalar: bool,
        where: tuple[tuple[str, str], ...] = (),
        entry: Entry | None = None,
        followed: int = 0,
        factored: str = "",
        complete: Complete = NOTHING_WRITTEN,
        magnitude: float | None = None,
        are_strongest: bool = False,
        uses: tuple[Use, ...] = (),
        use_count: int = 0,
        words: str = "",
        causes: tuple[Cause, ...] = (),
        kinks: tuple[Kink, ...] = (),
        weight: str | None = None,
        order: int = 1,
        given: str = "",
        expressions: Expressions | None = None,
        is_only: bool = False,
    ) -> None:
        self.is_only = is_only
        self.zero_paths = 0
        self.output = output
        self.output_line = output_line
        self.wrt = wrt
        self.wrt_line = wrt_line
        self.count = count
        self.paths = paths
        self.chain = chain
        self.local = local
        self.simplified = simplified
        self.numbers = numbers
        self.value = value
        self.backward = backward
        self.difference = difference
        self.is_scalar = is_scalar
        self.where = where
        self.entry = entry
        self.followed = followed
        self.factored = factored
        self.complete = complete
        self.magnitude = magnitude
        self.are_strongest = are_strongest
        self.uses = uses
        self.use_count = use_count
        self.words = words
        self.causes = causes
        self.kinks = kinks
        self.weight = weight
        self.order = order
        self.given = given
        self.expressions = expressions

    def leave_out_zeros(self) -> None:
        """Write out no path with a slope that is 0 whatever the inputs are, unless all are such."""
        kept = [at for at, path in enumerate(self.paths) if not path.is_nothing]
        if kept:
            self.zero_paths = len(self.paths) - len(kept)
            self.paths = tuple(self.paths[at] for at in kept)
            self.chain = tuple(self.chain[at] for at in kept)
            self.local = tuple(self.local[at] for at in kept)


class GradientReport:
    """Everything ``run`` shows; ``graph`` and ``derivations`` are there when they were asked for.

    ``since`` says which inputs have other values in the end; it is empty where none has.
    """

    __slots__ = ("derivations", "gradients", "graph", "notes", "output", "script", "since", "weight")

    def __init__(
        self,
        script: str,
        output: Variable,
        weight: str | None,
        gradients: tuple[Variable, ...],
        graph: Graph | None,
        derivations: tuple[Derivation, ...],
        notes: tuple[str, ...],
        since: str = "",
    ) -> None:
        self.script = script
        self.output = output
        self.weight = weight
        self.gradients = gradients
        self.graph = graph
        self.derivations = derivations
        self.notes = notes
        self.since = since
