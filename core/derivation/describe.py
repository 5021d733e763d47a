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
    from typing import Any

    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.paths.node_names import SlopeOrigins
    from autodiff.core.report.cause import Cause
    from autodiff.core.report.events import Events
    from autodiff.core.report.graph_records import Graph
    from autodiff.core.report.kink import Kink
    from autodiff.core.why.saved_constants import SavedConstant

path_sum = LazyModule("autodiff.core.paths.path_sum")

MOST_PATHS = 100
MOST_SHOWN_PATHS = 10
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
) -> GradientReport:
    """A report on one backward pass. The graph and the derivations are made only on request, and with a graph
    the events.

    Of the first ``formulas`` inputs the simplified derivatives are told, also without derivations. Of many
    inputs, only the first ``most_derived`` are derived (None: all). The graph has only the ``most_drawn``
    newest nodes (None: all) and what they are computed from; nothing is derived then.

    With ``entry``, the gradients of inputs that have this entry are derived for it as well. ``called`` are
    names for nodes without a name in the script, ``origins`` the ops that nodes of a recorded pass belong to.
    """
    counts = cache(
        lambda: path_sum.PathCounts(subject.root, [node for _, node in subject.wrt], subject.order)
    )
    gradients = tuple(
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
    derived: tuple[Derivation, ...] = ()
    told: tuple[str, ...] = ()
    kinks: Mapping[str, tuple[Kink, ...]] = {}
    drawn: Graph | None = None
    story: Events | None = None
    # Naming every node takes longer than the pass did, and bare gradients show no names. They also do without
    # the dozen modules that names and derivations need.
    if graph or derivations or formulas:
        from autodiff.core.paths.node_names import NodeNames

        if subject.alias and isinstance(subject.root, OpNode) and not is_asked_about(subject.root, subject):
            called = {**(called or {}), subject.root: subject.alias}
        kept, versions = subject.order, None
        if most_drawn is not None and len(kept) > most_drawn:
            from autodiff.core.derivation.graph_report import newest_part

            kept, versions = newest_part(kept, most_drawn)
        names = NodeNames(kept or [subject.root], source, called, origins, versions)
        if (derivations or formulas) and subject.wrt:
            from autodiff.core.derivation.derive import Derivations

            writer = Derivations(subject, names, counts(), max_paths, top, entry)
            told = tuple(map(writer.formula, range(len(subject.wrt))[:formulas]))
            derived = tuple(map(writer.derive, range(len(subject.wrt))[:most_derived])) if derivations else ()
            kinks = writer.kinks
        if graph:
            from autodiff.core.derivation.graph_report import graph_of

            drawn = graph_of(subject, names, kept, most_drawn or 0, in_full=events)
            if events:
                from autodiff.core.trace.make_events import make_events

                story = make_events(drawn, derived)
    return GradientReport(
        script=source.name,
        output=_variable(subject.name, subject.value, subject.site, source, subject.seed, 1),
        weight=subject.weight,
        gradients=gradients,
        graph=drawn,
        derivations=derived,
        formulas=told,
        kinks=kinks,
        notes=subject.notes,
        since=subject.since,
        adds_up=subject.adds_up,
        size=subject.size,
        events=story,
    )


def is_asked_about(node: Node, subject: ReportedPass) -> bool:
    return any(node is asked for _, asked in subject.wrt)


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
    ``graphs`` the derivations have the graphs of their passes, unless they are very large.
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
            kept = lost_in_functions(subject, source, *(subject.wrt[at][1] for at in second.by))
            if kept:
                derivation.causes = (*map(saved_cause, kept), *causes_of_value(derivation))
            derived.append(derivation)
    report.derivations = tuple(derived)
    return report


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
