"""Turns a ``check`` request into answers: runs the script once and checks its gradients or formulas."""

from __future__ import annotations

from functools import partial

from autodiff.cli.command_line.script_source import STDIN, STDIN_NAME, decode, read_file, read_stdin
from autodiff.cli.requests.fail_on import judge, sentences_on_answers
from autodiff.cli.requests.make_report import (
    note_constant_slope,
    note_reshaped,
    read_settings,
    run_request,
    set_limits,
)
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np, np_random
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
    ROUNDED,
    TOO_LARGE,
    UNDECIDED,
    WRONG,
    GradientCheck,
)
from autodiff.core.why.equal_values import equal_values_remark
from autodiff.core.why.kinks import kinks_of
from autodiff.core.why.rounded_gradients import rounded_gradient
from autodiff.core.why.saved_constants import saved_constants
from autodiff.grammar.by_hand.check import HandCheck, check_formula
from autodiff.grammar.by_hand.formula import Formula, read_formula
from autodiff.grammar.by_hand.own_scale import judge_by_own_values
from autodiff.grammar.by_hand.running_names import divide_running_names
from autodiff.grammar.by_hand.runs import ScriptRuns
from autodiff.grammar.by_hand.steps import in_step, read_steps
from autodiff.grammar.repair.noted_cuts import noted_cuts, notes_on_counting
from autodiff.grammar.session.leaf_names import base_name
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate
from autodiff.grammar.session.target import note_on_sum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.cli.command_line.fast_parser import Request
    from autodiff.core.base.source import Source
    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import Derivation, ReportedPass
    from autodiff.grammar.repair.noted_cuts import NotedCut


#: Larger graphs are not replayed a few hundred times, unless --all asks for it.
MOST_REPLAYED = 50_000


class Answers:
    """The results of ``check``: ``checks`` with ``derivations``, or ``formulas``; ``notes`` apply to all."""

    __slots__ = ("checks", "derivations", "formulas", "notes", "order", "output", "script")

    def __init__(self, script: str, output: str, order: int) -> None:
        self.script = script
        self.output = output
        self.order = order
        self.checks: list[GradientCheck] = []
        self.derivations: dict[str, Derivation] = {}
        self.formulas: list[HandCheck] = []
        self.notes: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """False if something is wrong, None if nothing is wrong but not everything was decided."""
        if self.count(WRONG, NOT_FINITE) or any(formula.is_right is False for formula in self.formulas):
            return False
        return None if self.open_questions else True

    def count(self, *verdicts: str) -> int:
        return sum(check.verdict in verdicts for check in self.checks)

    @property
    def open_questions(self) -> int:
        """The number of gradients and formulas that are neither right nor wrong."""
        return self.count(KINK, UNDECIDED) + sum(formula.is_right is None for formula in self.formulas)


def make_answers(session: Session, begin: Callable[[Answers], None]) -> Answers:
    """Run the script and backward, then check the gradients or formulas of the request.

    ``begin`` is called with the answers before the first is there; each is entered when it is found.
    """
    request, script = session.request, session.script
    assert script is not None
    set_limits(request)
    settings = read_settings(session)
    formulas = read_formulas(request, script.source)
    asked = tuple(settings.wrt)
    if formulas:
        ask_for(formulas, settings)
        settings.adds_up = True  # a formula may be about the Jacobian of an output of several entries
    probe = Probe()
    execution = run_request(session, settings, request.text("order") == "2", needed=True, probe=probe)
    note_reshaped(session, execution)
    note_constant_slope(session, execution)
    if formulas:
        for formula in formulas:
            formula.resolve_lists(execution.names)
        settings.wrt = list(asked) or inputs_of(formulas)
    subject = differentiate(execution, settings)
    if formulas and subject.adds_up:
        on_sum = note_on_sum(subject.name, subject.root.out)
        subject.notes = tuple(note for note in subject.notes if note != on_sum)
    answers = Answers(script.source.name, subject.name, int(request.text("order") or "1"))
    answers.notes = subject.notes
    cuts = list(noted_cuts(execution, subject))
    answers.notes += (*notes_on_counting(execution, subject), *(cut.note for cut in cuts))
    begin(answers)
    for note in answers.notes:
        session.note(note)
    seed = request.number("seed")
    again = Rerun(execution, settings, probe)
    is_large = subject.size > MOST_REPLAYED and len(subject.order) > MOST_REPLAYED
    is_too_large = is_large and not request.values.get("all")
    with EngineSetup(settings):
        if formulas:
            read = set().union(*(formula.names_read for formula in formulas))
            runs = ScriptRuns(subject, execution, again, seed, read, may_rerun=not is_too_large)
            answer_all(session, divide_running_names(formulas, runs), runs, answers)
        elif is_too_large:
            answers.checks = [unchecked(spelled, node, answers.order) for spelled, node in subject.wrt]
        else:
            check_gradients(answers, subject, script.source, probe, again, seed)
            for check, (_, node) in zip(answers.checks, subject.wrt, strict=True):
                enter_cuts(check, cuts, node, subject, again)
    if request.texts("fail_on"):
        report = describe(subject, script.source, graph=False, derivations=False)
        judge(session, report, sentences_on_answers(answers))
    return answers


def answer_all(session: Session, formulas: list[Formula], runs: ScriptRuns, answers: Answers) -> None:
    """Enter the answers to all formulas; what is remarked on the derivations they come from is a note."""
    derivations = dict.fromkeys(one.workings.derivation for one in formulas if one.workings is not None)
    for remark in (remark for derivation in derivations for remark in derivation.remarks):
        session.note(remark)
    for formula in formulas:
        answers.formulas.append(answer_in_step(formula, runs, answers.order))
    judge_by_own_values(formulas, answers.formulas, runs)


def unchecked(spelled: str, node: Node, order: int) -> GradientCheck:
    """The check of a gradient whose graph is too large to be replayed."""
    size = 1 if node.out.__class__ is float else node.out.size
    return GradientCheck(spelled, size, order, 0, verdict=UNDECIDED, reason=TOO_LARGE)


def check_gradients(
    answers: Answers, subject: ReportedPass, source: Source, probe: Probe, again: Rerun, seed: int
) -> None:
    """Enter the checks of every requested gradient, and of every Function that contributes to one.

    First derivatives are also derived, as sums over paths. ``probe`` has recorded the run, ``again`` repeats
    it.
    """
    order = answers.order
    names = NodeNames(subject.order, source, numbers_first=subject.numbers_first)
    nodes = dict.fromkeys([*subject.order, *(node for _, node in subject.wrt)])
    leaves = [node for node in nodes if node.number in probe.numbers]
    neighbours = Neighbours(leaves, partial(again.moved_subject, subject), np_random.default_rng(seed))
    ties = tuple(dict.fromkeys(source.position(site.start)[0] for site in probe.ties))
    faults = function_faults(subject, names, source, seed)
    for spelled, node in subject.wrt:
        check = verify(subject, spelled, node, order, seed, neighbours)
        if check.verdict in (OK, WRONG, KINK):
            leading = nodes_leading_to(subject.order, [node])
            there = kinks_of(leading, subject.cotangents, names, order)
            check.kinks = tuple(kink for kink in there if kink.kind != FORMULA_GAP)
        if check.verdict == NOT_FINITE:
            check.equal_values = equal_values_remark(nodes_leading_to(subject.order, [node]), names)
            g = subject.cotangents.get(node)
            if check.equal_values and check.order == 2 and (g is None or np.isfinite(g).all()):
                check.verdict, check.reason = UNDECIDED, EQUAL_VALUES
        check.fault = next((fault for fault in faults if fault_reaches(fault, subject, node)), None)
        if check.fault is not None and check.verdict in (OK, UNDECIDED):
            check.verdict, check.reason = WRONG, HIDDEN
        if order == 1 and check.verdict in (OK, UNDECIDED):
            rounded = rounded_gradient(subject.order, subject.root, subject.seed, node)
            if rounded is not None:  # the complex step and the differences have the same rounding
                check.verdict, check.reason, check.worst = UNDECIDED, ROUNDED, rounded.place
        if order == 2 and check.order == 2 and check.verdict == WRONG:
            check.constants = saved_constants(subject.order, source, node)
        check.ties = ties if check.is_shown_by_reruns else ()
        answers.checks.append(check)
    if order == 1:
        report = describe(subject, source, graph=False, max_paths=limits.paths)
        answers.derivations = {derivation.wrt: derivation for derivation in report.derivations}


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


def read_formulas(request: Request, script: Source) -> list[Formula]:
    """Return the formulas of a request; ``@FILE`` stands for the lines of a file, ``@-`` for stdin's."""
    found = []
    for text in request.texts("formula"):
        if text.startswith("@"):
            name, limit = text[1:], request.number("max_script")
            data = read_stdin(limit) if name == STDIN else read_file(name, limit)
            found += read_steps(decode(data, name), STDIN_NAME if name == STDIN else name, script)
        else:
            found.append(read_formula(text, script))
    return found


def answer_in_step(formula: Formula, runs: ScriptRuns, order: int) -> HandCheck:
    """Return the answer to a formula; an error about a step of a file names its line."""
    try:
        return answer(formula, runs, order)
    except UsageError as error:
        raise error if formula.step is None else in_step(error, *formula.step) from None


def ask_for(formulas: list[Formula], settings: Settings) -> None:
    """Set the output and the inputs from the formulas where other options do not give them."""
    outputs = {formula.output for formula in formulas if formula.output in formula.words}
    if len(outputs) > 1:
        names = sorted(outputs)
        listed = ", ".join(names[:2] + ["..."] * (len(names) > 2))
        raise UsageError(
            "--formula: the formulas are about several outputs: " + ", ".join(names),
            code="E0610",
            help=(f"end the script in a list, `F = [{listed}]`, and write dF[0]/dx for d{names[0]}/dx",),
        )
    if outputs:
        [output] = outputs
        if settings.of is not None and settings.of != output:
            raise UsageError(
                f"--formula is about {output}, and --of says {settings.of}",
                code="E0610",
                help=("leave --of out",),
            )
        settings.of = output
    if not settings.wrt:
        settings.wrt = inputs_of(formulas)


def inputs_of(formulas: list[Formula]) -> list[str]:
    """The inputs of all formulas, without duplicates."""
    return list(dict.fromkeys(name for formula in formulas for name in formula.inputs))


def answer(formula: Formula, runs: ScriptRuns, order: int) -> HandCheck:
    """Check one formula against the derivative it names, or that by the only input."""
    subject = runs.first.subject
    formula.accept_output(subject.name)
    if formula.is_left_side_only(runs.first.execution.names):
        raise formula.no_right_side()
    names = [spelled for spelled, _ in subject.wrt]
    text = formula.written
    by = formula.inputs or (names * order if len(names) == 1 else [])
    if not by or not set(by) <= set(names):
        twice = f"d2{subject.name}/d{names[0]}2" if order == 2 else f"d{subject.name}/d{names[0]}"
        raise UsageError(
            f"--formula: which derivative is `{text}`?",
            code="E0610",
            help=(f"write it as in --formula '{twice} == {text}'",),
        )
    if order == 2 and len(by) == 1:
        raise UsageError(
            "--formula is about a first derivative, and --order says 2",
            code="E0610",
            help=("leave --order out, or write d2L/dx2 for a second derivative",),
        )
    return check_formula(formula, by, runs)
