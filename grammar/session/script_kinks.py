"""Finds kinks of the script itself, which no op in the graph has: choices between equal numbers.

Python's ``max(x, 2)`` and ``if x > 2`` record only one of two branches in the graph. If the compared numbers
are equal, the script is run again at nearby inputs. A gradient that jumps there is reported as a kink. For a
second derivative the kinks of the ops are confirmed in the same way: most leave it continuous.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.check.checked_functions import GradientFunction, OutputFunction
from autodiff.core.check.neighbourhood import Neighbours
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import FORMULA_GAP, JUMP, KINK, Kink
from autodiff.core.why.kink_table import TIE_OPS
from autodiff.core.why.kinks import kinks_of
from autodiff.core.why.sentences import value_words
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.session.rerun import Rerun
from autodiff.grammar.session.run import EngineSetup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.base.source import Source, Span
    from autodiff.core.check.neighbourhood import Leap
    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import GradientReport, ReportedPass
    from autodiff.grammar.session.rerun import Probe
    from autodiff.grammar.session.run import Execution, Settings

#: A script with more steps than this is not run again.
MAX_STEPS = 1_000_000
#: How many comparisons a remark names.
MAX_NAMED = 3
#: What a remark adds on a choice by these functions.
TIE_REMARKS = {
    name: f"Python's {name} takes the first of equal arguments, torch.{name}imum shares the slope"
    for name in ("max", "min")
}


def add_script_kinks(
    report: GradientReport, subject: ReportedPass, execution: Execution, settings: Settings, probe: Probe
) -> None:
    """Add kinks for choices between equal numbers that change a gradient.

    ``probe`` has observed the run. Comparisons that do not affect the gradient are not reported.
    """
    if not probe.ties or runtime.used > MAX_STEPS:
        return
    neighbours = neighbours_of(subject, execution, settings, probe)
    with EngineSetup(settings):
        for (spelled, node), derivation in zip(subject.wrt, report.derivations, strict=True):
            own = OutputFunction(subject, spelled, node)
            if not (np.isfinite(own.g).all() and np.isfinite(own.f)):
                continue
            leap = neighbours.find_leap(own, node)
            if leap is None or not neighbours.is_repeatable(own):
                continue
            if is_of_script(derivation.kinks, neighbours, own, node):
                derivation.kinks += (make_kink(leap, own, probe.ties, execution.source),)
                if derivation.is_scalar:
                    derivation.words = ""  # it gives a rate, and there is none


def is_of_script(kinks: Sequence[Kink], neighbours: Neighbours, own: OutputFunction, node: Node) -> bool:
    """Whether a choice of the script has to do with a leap of the derivative, beside the ``kinks`` of ops."""
    if not kinks:
        return True
    chosen = any(kink.op in TIE_OPS for kink in kinks)  # a graph keeps which of equal entries these chose
    return not chosen and neighbours.has_other_choice(own, node)


def add_second_kinks(
    report: GradientReport,
    subject: ReportedPass,
    seconds: list[SecondDerivative],
    execution: Execution,
    settings: Settings,
    probe: Probe,
) -> None:
    """Add to second derivatives by one input, each twice, the kinks at which they leap.

    ``subject`` is the first pass, ``probe`` has observed the run.
    """
    if runtime.used > MAX_STEPS:
        return
    names = NodeNames(subject.order, execution.source)
    neighbours = neighbours_of(subject, execution, settings, probe)
    with EngineSetup(settings):
        for second, derivation in zip(seconds, report.derivations, strict=True):
            spelled, node = subject.wrt[second.by[0]]
            weights = weights_of_gradient(second, node)
            if second.by != (second.by[0],) * 2 or weights is None:
                continue
            leading = nodes_leading_to(subject.order, [node])
            there = kinks_of(leading, subject.cotangents, lambda: names, 2)
            there = tuple(kink for kink in there if kink.kind != FORMULA_GAP)
            if not (there or probe.ties):
                continue
            own = GradientFunction(subject, spelled, node, weights)
            leap = neighbours.find_leap(own, node) if np.isfinite(own.g).all() else None
            if leap is None or not neighbours.is_repeatable(own):
                continue
            known = {(kink.name, kink.line) for kink in derivation.kinks}
            there = tuple(kink for kink in there if (kink.name, kink.line) not in known)
            if probe.ties and is_of_script((*there, *derivation.kinks), neighbours, own, node):
                there += (make_kink(leap, own, probe.ties, execution.source),)
            derivation.kinks += there
            if derivation.is_scalar:
                derivation.words = ""


def weights_of_gradient(second: SecondDerivative, node: Node) -> Any:
    """Return the weights of the gradient's entries in a second derivative; None if they are not known."""
    seed = np.asarray(second.subject.seed, dtype=float)
    if np.shape(seed) == node.shape:
        return seed
    root = second.subject.root
    if root.op is None or root.op.name != "part":
        return None
    weights = np.zeros(node.shape)
    weights[root.params["basic"]] = seed
    return weights


def neighbours_of(
    subject: ReportedPass, execution: Execution, settings: Settings, probe: Probe
) -> Neighbours:
    """Return the runs on both sides of the inputs of a pass; ``probe`` has observed the run."""
    nodes = dict.fromkeys([*subject.order, *(node for _, node in subject.wrt)])
    leaves = [node for node in nodes if node.number in probe.numbers]
    again = partial(Rerun(execution, settings, probe).moved_subject, subject)
    return Neighbours(leaves, again, np_random.default_rng(settings.seed))


def make_kink(leap: Leap, own: OutputFunction, ties: list[Span], source: Source) -> Kink:
    """Return the kink that describes a leap and the comparisons that may cause it."""
    lines = [source.position(tie.start)[0] for tie in ties]
    compared = [" ".join(source.excerpt(tie).split()) for tie in ties]
    if len(ties) > 1:
        compared = [f"{text} (line {line})" for text, line in zip(compared, lines, strict=True)]
    by = own.spelled + (str(list(leap.place)) if leap.place else "")
    below, above, before, after = map(value_words, (leap.below, leap.above, *leap.outputs))
    output, slope = "the output", "the slope"
    if isinstance(own, GradientFunction):
        output, slope = slope, "the second derivative"
    where = f"{slope} by {by} is {below} from below and {above} from above"
    if below == above:
        where = f"{slope} by {by} is {below} on both sides"
    if leap.is_jump:
        goes = f"goes from {before} to {after}" if before != after else f"is {before} beside the point"
        where = f"{output} {goes}, {where}"
    called = [name for name in TIE_REMARKS if any(text.startswith(f"{name}(") for text in compared)]
    return Kink(
        kind=JUMP if leap.is_jump else KINK,
        op="",
        function=compared[0],
        name=" or ".join(compared[:MAX_NAMED]),
        line=lines[0] if len(ties) == 1 else None,
        span=ties[0],
        where=where,
        entry=leap.place,
        count=1,
        size=own.g.size,
        convention=f"and the way the script went gives {value_words(own.g, leap.place)}",
        elsewhere="; ".join(TIE_REMARKS[name] for name in called),
        formula="",
    )
