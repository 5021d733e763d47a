"""Finds kinks of the script itself, which no op in the graph has: choices between equal numbers.

Python's ``max(x, 2)`` and ``if x > 2`` record only one of two branches in the graph. If the compared numbers
are equal, the script is run again at nearby inputs. A gradient that jumps there is reported as a kink.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.check.checked_functions import OutputFunction
from autodiff.core.check.neighbourhood import Neighbours
from autodiff.core.report.kink import JUMP, KINK, Kink
from autodiff.core.why.sentences import value_words
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.session.rerun import Rerun
from autodiff.grammar.session.run import EngineSetup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.base.source import Source, Span
    from autodiff.core.check.neighbourhood import Leap
    from autodiff.core.report.records import GradientReport, ReportedPass
    from autodiff.grammar.session.rerun import Probe
    from autodiff.grammar.session.run import Execution, Settings

#: A script with more steps than this is not run again.
MAX_STEPS = 1_000_000
#: How many comparisons a remark names.
MAX_NAMED = 3


def add_script_kinks(
    report: GradientReport, subject: ReportedPass, execution: Execution, settings: Settings, probe: Probe
) -> None:
    """Add kinks for choices between equal numbers that change a gradient, if no op of its graph has a kink.

    ``probe`` has observed the run. Comparisons that do not affect the gradient are not reported.
    """
    if not probe.ties or runtime.used > MAX_STEPS or all(one.kinks for one in report.derivations):
        return
    nodes = dict.fromkeys([*subject.order, *(node for _, node in subject.wrt)])
    leaves = [node for node in nodes if node.number in probe.numbers]
    again = partial(Rerun(execution, settings, probe).moved_subject, subject)
    neighbours = Neighbours(leaves, again, np_random.default_rng(settings.seed))
    with EngineSetup(settings):
        for (spelled, node), derivation in zip(subject.wrt, report.derivations, strict=True):
            own = OutputFunction(subject, spelled, node)
            if derivation.kinks or not (np.isfinite(own.g).all() and np.isfinite(own.f)):
                continue
            leap = neighbours.find_leap(own, node)
            if leap is not None and neighbours.is_repeatable(own):
                derivation.kinks = (make_kink(leap, own, probe.ties, execution.source),)


def make_kink(leap: Leap, own: OutputFunction, ties: list[Span], source: Source) -> Kink:
    """Return the kink that describes a leap and the comparisons that may cause it."""
    lines = [source.position(tie.start)[0] for tie in ties]
    compared = [" ".join(source.excerpt(tie).split()) for tie in ties]
    if len(ties) > 1:
        compared = [f"{text} (line {line})" for text, line in zip(compared, lines, strict=True)]
    by = own.spelled + (str(list(leap.place)) if leap.place else "")
    below, above, before, after = map(value_words, (leap.below, leap.above, *leap.outputs))
    where = f"the slope by {by} is {below} from below and {above} from above"
    if below == above:
        where = f"the slope by {by} is {below} on both sides"
    if leap.is_jump:
        goes = f"goes from {before} to {after}" if before != after else f"is {before} beside the point"
        where = f"the output {goes}, {where}"
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
        elsewhere="",
        formula="",
    )
