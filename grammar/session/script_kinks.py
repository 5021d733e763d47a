"""Finds kinks of the script itself, which no op in the graph has: choices between equal numbers.

Python's ``max(x, 2)`` and ``if x > 2`` record only one of two branches in the graph. If the compared numbers
are equal, the script is run again at nearby inputs. A gradient that jumps there is reported as a kink. Jumps
of ops where no gradient arrives, as in ``sign(x)*x``, are confirmed in the same way, and for a second
derivative the kinks of the ops: most leave it continuous.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.base.source import Source
from autodiff.core.check.checked_functions import GradientFunction, OutputFunction
from autodiff.core.check.neighbourhood import Neighbours
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import FORMULA_GAP, JUMP, KINK, Kink
from autodiff.core.why.kink_table import TIE_OPS
from autodiff.core.why.kinks import has_jumps, hidden_jumps, kinks_of
from autodiff.core.why.sentences import value_words
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, differentiate, run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.check.neighbourhood import Leap
    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import Derivation, GradientReport, ReportedPass
    from autodiff.grammar.session.run import Execution, Settings

#: A script with more steps than this is not run again.
MAX_STEPS = 1_000_000
#: A script is not run again to look for kinks beside a gradient alone if it has more steps or entries, and no
#: more inputs are looked at.
MAX_STEPS_AGAIN, MAX_ENTRIES_AGAIN, MAX_INPUTS_AGAIN = 10_000, 10_000, 20
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
    if not (probe.ties or has_jumps(subject)) or runtime.used > MAX_STEPS:
        return
    neighbours = neighbours_of(subject, execution, settings, probe)
    names = NodeNames(subject.order, execution.source)
    with EngineSetup(settings):
        for (spelled, node), derivation in zip(subject.wrt, report.derivations, strict=True):
            own = OutputFunction(subject, spelled, node)
            kinks = kinks_of_choices(own, node, derivation.kinks, names, neighbours, probe.ties)
            add_kinks(derivation, kinks)


def add_kinks(derivation: Derivation, kinks: tuple[Kink, ...]) -> None:
    """Add kinks to a derivation. Its sentence goes then: it gives a rate, and there is none."""
    derivation.kinks += kinks
    if kinks and derivation.is_scalar:
        derivation.words = ""


def kinks_of_choices(
    own: OutputFunction,
    node: Node,
    known: Sequence[Kink],
    names: NodeNames,
    neighbours: Neighbours,
    ties: list[Span],
) -> tuple[Kink, ...]:
    """Return the kink where a choice of the script makes the gradient leap, beside the ``known`` ones.

    Where none is known, jumps of ops at which no gradient arrives may make it leap too.
    """
    if not (np.isfinite(own.g).all() and np.isfinite(own.f)):
        return ()
    jumps = () if known else hidden_jumps(own.subject, node, lambda: names)
    if not (ties or jumps):
        return ()
    leap = neighbours.find_leap(own, node)
    if leap is None or not neighbours.is_repeatable(own):
        return ()
    if ties and is_of_script((*known, *jumps), neighbours, own, node):
        jumps += (make_kink(leap, own, ties, names.source),)
    return jumps


def kinks_without_derivation(
    subject: ReportedPass,
    execution: Execution,
    settings: Settings,
    order: int,
    compares: bool,
) -> dict[str, tuple[Kink, ...]]:
    """Return the kinks by input of a small run that nothing has observed, whose ops have none.

    For order 2 they are those of the gradient, of ops as well. The script is run again, watched by a probe,
    if it ``compares`` values, has an op with jumps or is at a kink of an op's slope.
    """
    if execution.steps > MAX_STEPS_AGAIN:
        return {}
    if not (compares or (has_bends(subject) if order > 1 else has_jumps(subject))):
        return {}
    if sum(np.size(node.out) for node in subject.order) > MAX_ENTRIES_AGAIN:
        return {}
    probe = Probe()
    with probe:
        try:
            execution = run_once(execution.source, settings, discard_text, discard_warning, execution.script)
            again = differentiate(execution, settings)
        except AutodiffError:
            return {}
    neighbours = neighbours_of(again, execution, settings, probe)
    names = NodeNames(again.order, execution.source)
    found = {}
    with EngineSetup(settings):
        for spelled, node in again.wrt[:MAX_INPUTS_AGAIN]:
            if order == 1:
                own = OutputFunction(again, spelled, node)
                kinks = kinks_of_choices(own, node, (), names, neighbours, probe.ties)
            else:
                slope = GradientFunction(again, spelled, node, np.ones(node.shape))
                kinks, _ = kinks_of_gradient(slope, node, (), names, neighbours, probe.ties)
            if kinks:
                found[spelled] = kinks
    return found


def has_bends(subject: ReportedPass) -> bool:
    """Whether an op between the output and an input is at a kink of its value or slope."""
    names = NodeNames(subject.order, Source(""))
    return any(
        kinks_of(nodes_leading_to(subject.order, [node]), subject.cotangents, lambda: names, 2)
        for _, node in subject.wrt[:MAX_INPUTS_AGAIN]
    )


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
            own = GradientFunction(subject, spelled, node, weights)
            kinks, leap = kinks_of_gradient(own, node, derivation.kinks, names, neighbours, probe.ties)
            add_kinks(derivation, kinks)
            if leap is not None and leap.has_two_sides:
                tell_sides(derivation, leap, own)


def tell_sides(derivation: Derivation, leap: Leap, own: GradientFunction) -> None:
    """Say at the first kink of an op what the second derivative is on both sides, and which one is taken.

    That it is 0 needs no other reason then.
    """
    first = next((kink for kink in derivation.kinks if kink.op), None)
    if first is not None:
        first.where += f", where {sides_of(leap, own)}, and {value_words(own.g, leap.place)} is taken"
    if derivation.is_scalar:
        derivation.causes = tuple(cause for cause in derivation.causes if cause.kind != "flat")


def kinks_of_gradient(
    own: GradientFunction,
    node: Node,
    known: Sequence[Kink],
    names: NodeNames,
    neighbours: Neighbours,
    ties: list[Span],
) -> tuple[tuple[Kink, ...], Leap | None]:
    """Return the kinks, beside the ``known`` ones, at which the second derivative leaps, and how it does."""
    subject = own.subject
    there = kinks_of(nodes_leading_to(subject.order, [node]), subject.cotangents, lambda: names, 2)
    there = tuple(kink for kink in there if kink.kind != FORMULA_GAP)
    if not (there or ties) or not np.isfinite(own.g).all():
        return (), None
    leap = neighbours.find_leap(own, node)
    if leap is None or not neighbours.is_repeatable(own):
        return (), None
    told = {(kink.name, kink.line) for kink in known}
    there = tuple(kink for kink in there if (kink.name, kink.line) not in told)
    if ties and is_of_script((*there, *known), neighbours, own, node):
        there += (make_kink(leap, own, ties, names.source),)
    return there, leap


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


def sides_of(leap: Leap, own: OutputFunction) -> str:
    """The derivatives on both sides of a leap, and where the output leaps, its values."""
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
    return where


def make_kink(leap: Leap, own: OutputFunction, ties: list[Span], source: Source) -> Kink:
    """Return the kink that describes a leap and the comparisons that may cause it."""
    lines = [source.position(tie.start)[0] for tie in ties]
    compared = [" ".join(source.excerpt(tie).split()) for tie in ties]
    if len(ties) > 1:
        compared = [f"{text} (line {line})" for text, line in zip(compared, lines, strict=True)]
    called = [name for name in TIE_REMARKS if any(text.startswith(f"{name}(") for text in compared)]
    return Kink(
        kind=JUMP if leap.is_jump else KINK,
        op="",
        function=compared[0],
        name=" or ".join(compared[:MAX_NAMED]),
        line=lines[0] if len(ties) == 1 else None,
        span=ties[0],
        where=sides_of(leap, own),
        entry=leap.place,
        count=1,
        size=own.g.size,
        convention=f"and the way the script went gives {value_words(own.g, leap.place)}",
        elsewhere="; ".join(TIE_REMARKS[name] for name in called),
        formula="",
    )
