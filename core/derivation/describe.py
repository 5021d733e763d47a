"""From a backward pass to a report: gradients, the graph, and each gradient derived as a sum over paths.

Everything a report says is computed here; a renderer only lays it out. Names come from
``core/paths/node_names``, the graph from ``graph_report``, derivations from ``derive``.
"""

from __future__ import annotations

from functools import cache, partial

from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Source, Span
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Node, OpNode
from autodiff.core.graph.op import CUSTOM_OP_DOC
from autodiff.core.report.records import (
    Derivation,
    GradientReport,
    ReportedPass,
    Variable,
    gradient_or_zeros,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from autodiff.core.derivation.derive import Derivations
    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.paths.node_names import NodeNames, SlopeOrigins
    from autodiff.core.paths.path_sum import PathCounts
    from autodiff.core.report.cause import Cause
    from autodiff.core.why.saved_constants import SavedConstant

    Made = TypeVar("Made")

path_sum = LazyModule("autodiff.core.paths.path_sum")

MOST_PATHS = 100
MOST_SHOWN_PATHS = 10
#: Without one of these ops a script writes out no function that has a name.
EXPONENTIALS = ("exp", "softmax")
#: Larger graphs of second derivatives are not made.
MOST_DRAWN = 10_000


def describe(
    subject: ReportedPass,
    source: Source,
    *,
    graph: bool = True,
    derivations: bool = True,
    events: bool = False,
    formulas: int = 0,
    most_derived: int | None = None,
    most_drawn: int | None = None,
    max_paths: int = MOST_PATHS,
    top: int = MOST_SHOWN_PATHS,
    entry: tuple[int, ...] | None = None,
    called: Mapping[Node, str] | None = None,
    origins: SlopeOrigins | None = None,
    by_name: bool = False,
    is_whole: bool = True,
) -> GradientReport:
    """A report on one backward pass. The graph and the derivations are made only on request, and with a graph
    the events.

    Of the first ``formulas`` inputs the report has the simplified derivatives, also without derivations. Of
    many inputs, only the first ``most_derived`` are derived (None: all). The graph has only the
    ``most_drawn`` newest nodes (None: all) and what they are computed from; nothing is derived then.

    With ``entry``, the gradients of inputs that have this entry are derived for it as well. ``called`` are
    names for nodes without a name in the script, ``origins`` the ops that nodes of a recorded pass belong to.
    With ``by_name``, functions that the script writes out and that have a name are derived as one step. If
    the time is over, there is no report, or unless ``is_whole`` one with the derivations that there are.
    """
    counts = cache(lambda: counts_of(subject))
    report = GradientReport(
        script=source.name,
        output=_variable(subject.name, subject.value, subject.site, source, subject.seed, 1),
        weight=subject.weight,
        gradients=input_variables(subject, source, counts),
        graph=None,
        derivations=(),
        notes=subject.notes,
        since=subject.since,
        adds_up=subject.adds_up,
        size=subject.size,
    )
    # Naming every node takes longer than the pass did, and bare gradients show no names. They also do without
    # the dozen modules that names and derivations need.
    if not (graph or derivations or formulas):
        return report
    kept, names = named_nodes(subject, source, most_drawn, called, origins)
    if (derivations or formulas) and subject.wrt:
        writer = derivation_writer(
            report, subject, source, names, counts(), by_name, max_paths=max_paths, top=top, entry=entry
        )
        report.formulas = in_time(writer.formula, range(len(subject.wrt))[:formulas], is_whole)
        if derivations:
            report.derivations = in_time(writer.derive, range(len(subject.wrt))[:most_derived], is_whole)
        report.kinks = writer.kinks
    if graph:
        add_graph(report, subject, names, kept, most_drawn or 0, events)
        report.size = len(subject.drawn)
    return report


def in_time(make: Callable[[int], Made], inputs: range, is_whole: bool) -> tuple[Made, ...]:
    """Return what is made for each of the inputs; unless that is wanted whole, until the time is over."""
    if is_whole:
        return tuple(map(make, inputs))
    from autodiff.core.base.extra_work import try_extra

    made: list[Made] = []

    def make_all() -> None:
        for at in inputs:
            made.append(make(at))

    try_extra("the derivations", make_all, None)
    return tuple(made)


def counts_of(subject: ReportedPass) -> PathCounts:
    counts: PathCounts = path_sum.PathCounts(subject.root, [node for _, node in subject.wrt], subject.order)
    return counts


def derivation_writer(
    report: GradientReport,
    subject: ReportedPass,
    source: Source,
    names: NodeNames,
    counts: PathCounts,
    by_name: bool,
    **options: Any,
) -> Derivations:
    """What writes the derivations; ``by_name`` with one node for each function that the script writes out."""
    from autodiff.core.derivation.derive import Derivations

    if by_name and any(node.op is not None and node.op.name in EXPONENTIALS for node in subject.order):
        from autodiff.core.derivation.known_functions import with_known_functions

        derived = with_known_functions(subject, source)
        if derived is not subject:
            report.notes = derived.notes
            _, names = named_nodes(derived, source, None, None, None)
            subject, counts = derived, counts_of(derived)
    return Derivations(subject, names, counts, **options)


def add_graph(
    report: GradientReport,
    subject: ReportedPass,
    names: NodeNames,
    kept: list[Node],
    most_drawn: int,
    events: bool,
) -> None:
    """Add the graph of the nodes that are ``kept``, at request with the events."""
    from autodiff.core.derivation.graph_report import graph_of

    report.graph = graph_of(subject, names, kept, most_drawn, in_full=events)
    if events:
        from autodiff.core.events.make_events import make_events

        report.events = make_events(report.graph, report.derivations)


def named_nodes(
    subject: ReportedPass,
    source: Source,
    most_drawn: int | None,
    called: Mapping[Node, str] | None,
    origins: SlopeOrigins | None,
) -> tuple[list[Node], NodeNames]:
    """The nodes of a report with their names: all of the pass, or only the ``most_drawn`` newest of them.

    The newest ones are reported with the nodes that they are computed from.
    """
    from autodiff.core.paths.node_names import NodeNames

    root = subject.root
    if subject.alias and isinstance(root, OpNode) and not any(root is asked for _, asked in subject.wrt):
        called = {**(called or {}), root: subject.alias}
    kept, whole = subject.drawn, None
    if most_drawn is not None and len(kept) > most_drawn:
        from autodiff.core.derivation.graph_report import newest_part

        whole = subject.order
        kept = newest_part(kept, most_drawn)
    numbers_first, constants = subject.numbers_first, lambda: subject.constants
    named = (kept if whole else subject.order) or [root]
    return kept, NodeNames(named, source, called, origins, numbers_first, whole, constants)


def input_variables(
    subject: ReportedPass, source: Source, counts: Callable[[], PathCounts]
) -> tuple[Variable, ...]:
    """The inputs with their gradients. ``counts`` gives the number of paths to each; it is called on use."""
    return tuple(
        _variable(
            spelled,
            node.out,
            node.site,
            source,
            gradient_or_zeros(subject.received, node),
            partial(lambda node: counts()[node], node),
        )
        for spelled, node in subject.wrt
    )


def _variable(
    spelled: str, value: Any, site: Span | None, source: Source, grad: Any, paths: int | Callable[[], int]
) -> Variable:
    return Variable(
        name=spelled,
        line=None if site is None else source.position(site.start)[0],
        shape=() if value.__class__ is float else value.shape,
        dtype=dtype_of(value).name,
        value=value,
        grad=grad,
        paths=paths,
    )


def describe_second_order(
    subject: ReportedPass,
    source: Source,
    seconds: Sequence[SecondDerivative],
    *,
    derivations: bool = True,
    graphs: bool = False,
    max_paths: int,
    top: int,
    entry: tuple[int, ...] | None = None,
) -> GradientReport:
    """The report on a backward pass, with the derivations of second or higher derivatives instead of its own.

    ``entry`` is the entry that the gradient was taken at. It is derived for the second derivative as well.
    Without ``derivations`` the gradients of the report are the derivatives, and nothing is derived. With
    ``graphs`` the derivations have the graphs of their passes, unless they are very large; if there is one
    pass, its graph is that of the report, too.
    """
    report = describe(subject, source, graph=False, derivations=False)
    if not derivations:
        report.notes += notes_on_saved(subject, source)
        report.gradients = tuple(map(partial(derivative_row, source), seconds))
        return report
    derived = []
    for second in seconds:
        made = describe(
            second.subject,
            source,
            graph=graphs and second.subject.size <= MOST_DRAWN,
            events=graphs,
            max_paths=max_paths,
            top=top,
            entry=entry,
            called=second.called,
            origins=second.origins,
        )
        for derivation in made.derivations:
            derivation.order, derivation.given = len(second.by), second.given
            derivation.graph = made.graph
            derivation.omit_zero_paths()
            tell_equal_values(derivation, subject, source, second)
            kept = lost_in_functions(subject, source, *(subject.wrt[at][1] for at in second.by))
            if kept:
                derivation.causes = (*map(saved_cause, kept), *causes_of_value(derivation))
            derived.append(derivation)
        if len(seconds) == 1:
            report.graph, report.events = made.graph, made.events
            for variable, further in zip(report.gradients, made.gradients, strict=True):
                variable.paths = further.paths
    report.derivations = tuple(derived)
    return report


def tell_equal_values(
    derivation: Derivation, first: ReportedPass, source: Source, second: SecondDerivative
) -> None:
    """Tell equal eigenvalues of the first pass as the cause of a second derivative that is not finite.

    What the rules compute from them in that line says less.
    """
    kinds = ("forward", "singular", "masked")
    if not any(cause.kind in kinds for cause in derivation.causes):
        return
    from autodiff.core.graph.topological_order import nodes_leading_to
    from autodiff.core.paths.node_names import NodeNames
    from autodiff.core.report.cause import Cause
    from autodiff.core.why.equal_values import equal_values

    leading = nodes_leading_to(first.order, [first.wrt[at][1] for at in second.by])
    names = NodeNames(first.order, source)
    found = tuple(
        Cause("singular", sentence, names[node], node.op.name, 0, names.line(node), node.site)
        for node, sentence in equal_values(leading, names)
    )
    lines = [cause.line for cause in found]
    others = tuple(one for one in derivation.causes if one.kind not in kinds or one.line not in lines)
    if len(others) < len(derivation.causes):
        derivation.causes = (*found, *others)


def lost_in_functions(subject: ReportedPass, source: Source, *targets: Node) -> tuple[SavedConstant, ...]:
    """What Functions keep without its graph, so that the second derivative by ``targets`` misses a part."""
    if not any(node.op is not None and node.op.doc == CUSTOM_OP_DOC for node in subject.order):
        return ()
    from autodiff.core.why.saved_constants import saved_constants  # here: most scripts have no Functions

    return saved_constants(subject.order, source, *targets)


def notes_on_saved(subject: ReportedPass, source: Source) -> tuple[str, ...]:
    """Remarks on what second derivatives miss because a Function keeps it without its graph."""
    lost = {one.sentence: one for _, node in subject.wrt for one in lost_in_functions(subject, source, node)}
    return tuple(lost)


def saved_cause(kept: SavedConstant) -> Cause:
    from autodiff.core.report.cause import Cause  # here: first derivatives alone do without it

    return Cause("saved", kept.sentence, kept.text, kept.name, None, None, None)


def causes_of_value(derivation: Derivation) -> tuple[Cause, ...]:
    """The causes but for a missing path: what a Function keeps without its graph explains that."""
    return tuple(cause for cause in derivation.causes if cause.kind != "unconnected")


def derivative_row(source: Source, second: SecondDerivative) -> Variable:
    """A second or higher derivative under its own name, with the value of the input it was last taken by."""
    [(_, node)] = second.subject.wrt
    counts = partial(path_sum.PathCounts, second.subject.root, [node], second.subject.order)
    grad = gradient_or_zeros(second.subject.received, node)
    return _variable(second.given, node.out, node.site, source, grad, lambda: counts()[node])
