"""From engine facts to a report: gradients, the graph, and each gradient derived as a sum over paths.

Everything said is worked out here; a renderer only lays it out. How things are called is in ``naming``,
how a derivation is put together in ``derive``.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.dtypes import dtype_of
from autodiff.core.expr import text
from autodiff.core.lazy import np
from autodiff.core.mode import no_grad
from autodiff.core.naming import Formulas, Names
from autodiff.core.node import Leaf, Node, OpNode, ScalarNode
from autodiff.core.paths import PathCounts
from autodiff.core.report import Derivation, GradientReport, Graph, GraphEdge, GraphNode, Subject, Variable
from autodiff.core.span import Source
from autodiff.core.sweep import np_errors_ignored
from autodiff.core.symbol import Symbol, is_custom, local_symbol
from autodiff.core.tensors import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from autodiff.core.second import Second

MOST_PATHS = 100
STRONGEST = 10
LONGEST_SYMBOL = 400


def describe(
    subject: Subject,
    source: Source,
    *,
    graph: bool = True,
    derivations: bool = True,
    max_paths: int = MOST_PATHS,
    top: int = STRONGEST,
    entry: tuple[int, ...] | None = None,
    called: Mapping[Node, str] | None = None,
) -> GradientReport:
    """Everything about one backward pass; the graph and the derivations only where they are asked for.

    With ``entry`` the gradients of inputs that have such an entry are derived for it as well. ``called`` are
    names for nodes that the script has none for.
    """
    counts = PathCounts(subject.root, [node for _, node in subject.wrt], subject.order)
    gradients = tuple(
        _variable(spelled, node, source, _gradient(subject, node), partial(counts.__getitem__, node))
        for spelled, node in subject.wrt
    )
    derived: tuple[Derivation, ...] = ()
    # To name every node takes longer than the pass did, and bare gradients show none of them.
    names = Names(subject.order or (subject.root,), source, called) if graph or derivations else None
    if names is not None and derivations and subject.wrt:
        from autodiff.core.derive import Derivations  # a dozen modules that bare gradients do without

        writer = Derivations(subject, names, counts, max_paths, top, entry)
        derived = tuple(writer.of(index) for index in range(len(subject.wrt)))
    return GradientReport(
        script=source.name,
        output=_variable(subject.name, subject.root, source, subject.seed, 1),
        weight=subject.weight,
        gradients=gradients,
        graph=_graph(subject, names) if names is not None and graph else None,
        derivations=derived,
        notes=subject.notes,
    )


def _variable(
    spelled: str, node: Node, source: Source, grad: Any, paths: int | Callable[[], int]
) -> Variable:
    return Variable(
        name=spelled,
        line=None if node.site is None else source.position(node.site.start)[0],
        shape=node.shape,
        dtype=dtype_of(node.out).name,
        value=node.out,
        grad=grad,
        paths=paths,
    )


def _gradient(subject: Subject, node: Node) -> Any:
    """What backward gave one of the inputs asked about; zeros where nothing arrived."""
    g = subject.received.get(node)
    if g is None:
        return 0.0 if node.out.__class__ is float else np.zeros_like(node.out)
    return g


def describe_twice(
    subject: Subject,
    source: Source,
    seconds: Sequence[Second],
    *,
    max_paths: int,
    top: int,
    entry: tuple[int, ...] | None = None,
) -> GradientReport:
    """The report on a backward pass with the derivations of second derivatives instead of its own.

    With ``entry``, which the gradient was taken at, that entry of the second derivative is derived as well.
    """
    report = describe(subject, source, graph=False, derivations=False)
    derived = []
    for second in seconds:
        made = describe(
            second.subject,
            source,
            graph=False,
            max_paths=max_paths,
            top=top,
            entry=entry,
            called=second.called,
        )
        for derivation in made.derivations:
            derivation.order, derivation.given = 2, second.given
            derived.append(derivation)
    report.derivations = tuple(derived)
    return report


# -- the graph ------------------------------------------------------------------------------------------


def _graph(subject: Subject, names: Names) -> Graph:
    oldest_first = subject.order[::-1]
    ids = {node: rank for rank, node in enumerate(oldest_first)}
    formulas = Formulas(names)
    nodes = []
    edges = []
    with no_grad(), np_errors_ignored(list(subject.order)):
        for node in oldest_first:
            below = [(index, x) for index, x in enumerate(node.inputs) if x is not None and x.tracked]
            nodes.append(_graph_node(subject, node, names, ids, tuple(ids[x] for _, x in below)))
            for index, x in below:
                assert isinstance(node, OpNode)
                symbol = edge_symbol(node, index, formulas)
                edges.append(GraphEdge(ids[node], ids[x], index, edge_value(node, index), symbol))
    return Graph(ids[subject.root], tuple(nodes), tuple(edges))


def _graph_node(
    subject: Subject, node: Node, names: Names, ids: dict[Node, int], inputs: tuple[int, ...]
) -> GraphNode:
    return GraphNode(
        id=ids[node],
        name=names[node],
        op="leaf" if isinstance(node, Leaf) or node.op is None else node.op.name,
        grad_fn=None if isinstance(node, Leaf) else node.grad_fn_name,
        line=names.line(node),
        shape=node.shape,
        dtype=dtype_of(node.out).name,
        value=node.out,
        grad=subject.cotangents.get(node),
        inputs=inputs,
    )


def edge_symbol(node: OpNode, index: int, formulas: Formulas) -> str:
    """The derivative of an edge as text, in the script's names."""
    from autodiff.core.simplify import simplify

    op = node.op
    if op.partials and isinstance(rule := op.partials[index], int):
        return str(rule)
    out, operands = formulas.symbol(node), formulas.operands(node)
    symbol: Symbol = local_symbol(node, index, out, operands)
    return text(simplify(symbol.expr), LONGEST_SYMBOL, 6)


def edge_value(node: OpNode, index: int) -> Any:
    """d output/d input where the op works entry by entry: a float, or an array of the output's shape."""
    op = node.op
    if not op.is_elementwise or is_custom(op):
        return None
    out, operands = node.out, node.operands
    if isinstance(node, ScalarNode):
        from autodiff.core.sweep import pull_scalar_edge

        return pull_scalar_edge(node, index, 1.0)
    arrays = tuple(np.asarray(x) for x in operands)
    ones = np.ones_like(out)
    local = np.asarray(op.contribution(index, ones, np.asarray(out), arrays, node.params))
    return settle(np.broadcast_to(local, np.shape(out)).astype(ones.dtype, copy=False))
