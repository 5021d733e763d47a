"""Turns a ``check`` request into answers: runs the script once and checks its gradients."""

from __future__ import annotations

from functools import partial

from autodiff.cli.requests.answers import Answers, is_too_large
from autodiff.cli.requests.fail_on import judge, sentences_on_answers
from autodiff.cli.requests.make_report import (
    note_constant_slope,
    note_reshaped,
    read_settings,
    run_request,
    set_limits,
)
from autodiff.cli.requests.session import Session
from autodiff.core.base.extra_work import try_extra
from autodiff.core.base.lazy_imports import LazyModule, np, np_random
from autodiff.core.base.limits import limits
from autodiff.core.check.custom_functions import fault_reaches, function_faults
from autodiff.core.check.neighbourhood import Neighbours
from autodiff.core.check.verify import verify
from autodiff.core.check.whole_slopes import whole_slope
from autodiff.core.derivation.describe import describe
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import FORMULA_GAP
from autodiff.core.report.verdict import (
    EQUAL_VALUES,
    HIDDEN,
    KINK,
    NOT_FINITE,
    OK,
    RIGHT_HERE_ONLY,
    ROUNDED,
    TOO_LARGE,
    UNDECIDED,
    WRONG,
    GradientCheck,
)
from autodiff.core.why.equal_values import equal_values_remark
from autodiff.core.why.kinks import hidden_jumps, kinks_of
from autodiff.core.why.rounded_gradients import rounded_gradient
from autodiff.core.why.saved_constants import saved_constants
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, differentiate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.core.base.source import Source
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.repair.noted_cuts import NotedCut

written_gradients = LazyModule("autodiff.grammar.by_hand.written_gradients")


def make_answers(session: Session, begin: Callable[[Answers], None]) -> Answers:
    """Run the script and backward, then check the gradients or formulas of the request.

    ``begin`` is called with the answers before the first is there; each is entered when it is found.
    """
    request, script = session.request, session.script
    assert script is not None
    set_limits(request)
    settings = read_settings(session)
    if request.texts("formula"):
        from autodiff.cli.requests.hand_answers import answer_formulas

        return answer_formulas(session, settings, begin)
    probe = Probe()
    execution = run_request(session, settings, request.text("order") == "2", needed=True, probe=probe)
    note_reshaped(session, execution)
    note_constant_slope(session, execution)
    subject = differentiate(execution, settings)
    answers = Answers(script.source.name, subject.name, int(request.text("order") or "1"))
    begin(answers)
    written = written_gradients.note_on_written_gradients(execution, subject)
    subject.notes = (*subject.notes, *[written] * bool(written))
    cuts = answers.enter_notes(session, execution, subject)
    again = Rerun(execution, settings, probe)
    with EngineSetup(settings):
        if is_too_large(request, subject):
            answers.checks = [unchecked(spelled, node, answers.order) for spelled, node in subject.wrt]
        else:
            seed = request.number("seed")
            check_all(answers.checks, subject, script.source, probe, again, answers.order, seed)
            for check, (_, node) in zip(answers.checks, subject.wrt, strict=True):
                search = partial(enter_cuts, check, cuts, node, subject, again)
                try_extra("the search for what left the graph", search, None)
            if answers.order == 1:
                limit = limits.paths
                report = describe(subject, script.source, graph=False, max_paths=limit, is_whole=False)
                answers.derivations = {derivation.wrt: derivation for derivation in report.derivations}
    if request.texts("fail_on"):
        report = describe(subject, script.source, graph=False, derivations=False)
        judge(session, [report], sentences_on_answers(answers))
    return answers


def unchecked(spelled: str, node: Node, order: int) -> GradientCheck:
    """The check of a gradient whose graph is too large to be replayed."""
    size = 1 if node.out.__class__ is float else node.out.size
    return GradientCheck(spelled, size, order, 0, verdict=UNDECIDED, reason=TOO_LARGE)


def check_all(
    checks: list[GradientCheck],
    subject: ReportedPass,
    source: Source,
    probe: Probe,
    again: Rerun,
    order: int,
    seed: int,
) -> None:
    """Enter the checks of every requested gradient, and of every Function that contributes to one.

    ``probe`` has recorded the run, ``again`` repeats it.
    """
    first = subject.numbers_first
    names = NodeNames(subject.order, source, numbers_first=first, constants=lambda: subject.constants)
    nodes = dict.fromkeys([*subject.order, *(node for _, node in subject.wrt)])
    leaves = [node for node in nodes if node.number in probe.numbers]
    neighbours = Neighbours(leaves, partial(again.moved_subject, subject), np_random.default_rng(seed))
    ties = tuple(dict.fromkeys(source.position(site.start)[0] for site in probe.ties))
    faults = function_faults(subject, names, source, seed)
    for spelled, node in subject.wrt:
        check = verify(subject, spelled, node, order, seed, neighbours)
        if check.verdict in (OK, WRONG, KINK):
            leading = nodes_leading_to(subject.order, [node])
            there = kinks_of(leading, subject.cotangents, lambda: names, order)
            check.kinks = tuple(kink for kink in there if kink.kind != FORMULA_GAP)
            if check.verdict == KINK and not check.kinks:
                check.kinks = hidden_jumps(subject, node, lambda: names)
        if check.verdict == NOT_FINITE:
            check.equal_values = equal_values_remark(nodes_leading_to(subject.order, [node]), names)
            g = subject.cotangents.get(node)
            if check.equal_values and check.order == 2 and (g is None or np.isfinite(g).all()):
                check.verdict, check.reason = UNDECIDED, EQUAL_VALUES
        check.fault = next((fault for fault in faults if fault_reaches(fault, subject, node)), None)
        if check.fault is not None and check.verdict in (OK, UNDECIDED):
            check.verdict = WRONG
            check.reason = RIGHT_HERE_ONLY if check.fault.is_right_here else HIDDEN
        if order == 1 and check.verdict in (OK, UNDECIDED):
            rounded = rounded_gradient(subject.order, subject.root, subject.seed, node)
            if rounded is not None:  # the complex step and the differences have the same rounding
                check.verdict, check.reason, check.worst = UNDECIDED, ROUNDED, rounded.place
        if order == 2 and check.order == 2 and check.verdict == WRONG:
            check.constants = saved_constants(subject.order, source, node)
        check.ties = ties if check.is_shown_by_reruns else ()
        checks.append(check)


def enter_cuts(
    check: GradientCheck, cuts: list[NotedCut], node: Node, subject: ReportedPass, again: Rerun
) -> None:
    """Enter what left the graph on the way from an input whose gradient is right, if that has a slope."""
    own = tuple(f"`{cut.text}` (line {cut.line})" for cut in cuts if base_name(check.name) in cut.made_from)
    if not own or check.verdict != OK:
        return
    whole = None
    if check.order == 1 and node.number in again.first.numbers:
        whole = whole_slope(subject, check.name, node, partial(again.moved_subject, subject))
    if whole is None or whole.is_other:
        check.cuts = own
        check.whole_slope = None if whole is None or check.size > 1 else whole.slope
