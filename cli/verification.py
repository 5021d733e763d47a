"""From a request to answers: the script is run once, and its gradients or formulas are put to the test."""

from __future__ import annotations

from autodiff.cli.session import Session
from autodiff.cli.work import note_reshaped, read_settings, set_limits, warn
from autodiff.core.custom_checks import function_faults, is_reached
from autodiff.core.describe import describe
from autodiff.core.errors import UsageError
from autodiff.core.kink_row import GAP
from autodiff.core.kinks import kinks_of
from autodiff.core.lazy import np
from autodiff.core.limits import limits
from autodiff.core.naming import Names
from autodiff.core.neighbours import Neighbours
from autodiff.core.sweep import leading_to
from autodiff.core.verify import HIDDEN, KINK, NOT_FINITE, OK, UNDECIDED, WRONG, Check, verify
from autodiff.grammar.hand_formula import HandCheck, check_formula
from autodiff.grammar.hand_points import Formula
from autodiff.grammar.moved_runs import Probe, Rerun
from autodiff.grammar.run import Settings, Stage, differentiate, execute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.core.report import Derivation, Subject
    from autodiff.grammar.run import Execution


class Answers:
    """What was asked and found: ``checks``, with their ``derivations``, or ``formulas``."""

    __slots__ = ("checks", "derivations", "formulas", "order", "output", "script")

    def __init__(self, script: str, output: str, order: int) -> None:
        self.script = script
        self.output = output
        self.order = order
        self.checks: list[Check] = []
        self.derivations: dict[str, Derivation] = {}
        self.formulas: list[HandCheck] = []

    @property
    def is_right(self) -> bool | None:
        """False where something is wrong, None where nothing is but not all could be decided."""
        if self.count(WRONG, NOT_FINITE) or any(formula.is_right is False for formula in self.formulas):
            return False
        return None if self.open_questions else True

    def count(self, *verdicts: str) -> int:
        return sum(check.verdict in verdicts for check in self.checks)

    @property
    def open_questions(self) -> int:
        """How many gradients and formulas are neither right nor wrong."""
        return self.count(KINK, UNDECIDED) + sum(formula.is_right is None for formula in self.formulas)


def make_answers(session: Session) -> Answers:
    """Run the script and backward, then check what the command line asks about."""
    request, script = session.request, session.script
    assert script is not None
    set_limits(request)
    settings = read_settings(request)
    formulas = [Formula(text) for text in request.texts("formula")]
    if formulas:
        ask_for(formulas, settings)
    with Probe() as probe:
        execution = execute(
            script.source, settings, session.print_from_script, lambda *what: warn(session, *what)
        )
    note_reshaped(session, execution)
    subject = differentiate(execution, settings)
    answers = Answers(script.source.name, subject.name, int(request.text("order") or "1"))
    seed = request.number("seed")
    again = Rerun(script.source, settings, probe)
    with Stage(settings):
        if formulas:
            answers.formulas = [answer(formula, subject, execution, again, seed) for formula in formulas]
            return answers
        names = Names(subject.order, script.source)
        leaves = [node for node in subject.order if node.number in probe.numbers]
        neighbours = Neighbours(leaves, again, np.random.default_rng(seed))
        ties = tuple(script.source.position(site.start)[0] for site in probe.ties)
        faults = function_faults(subject, names, script.source, seed)
        for spelled, node in subject.wrt:
            check = verify(subject, spelled, node, answers.order, seed, neighbours)
            if check.verdict in (OK, WRONG, KINK):
                leading = leading_to(subject.order, [node])
                there = kinks_of(leading, subject.cotangents, names, answers.order)
                check.kinks = tuple(kink for kink in there if kink.kind != GAP)
            check.fault = next((fault for fault in faults if is_reached(fault, subject, node)), None)
            if check.fault is not None and check.verdict in (OK, UNDECIDED):
                check.verdict, check.reason = WRONG, HIDDEN
            check.ties = tuple(dict.fromkeys(ties)) if check.leaps else ()
            answers.checks.append(check)
        if answers.order == 1:
            report = describe(subject, script.source, graph=False, max_paths=limits.paths)
            answers.derivations = {derivation.wrt: derivation for derivation in report.derivations}
    return answers


def ask_for(formulas: list[Formula], settings: Settings) -> None:
    """Let formulas say what is derived by what, where the other options do not."""
    outputs = {formula.output for formula in formulas if formula.output}
    if len(outputs) > 1:
        raise UsageError(
            "--formula: the formulas are about several outputs: " + ", ".join(sorted(outputs)),
            code="E0610",
            help=("check one output at a time",),
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
        settings.wrt = list(dict.fromkeys(formula.wrt for formula in formulas if formula.wrt))


def answer(formula: Formula, subject: Subject, execution: Execution, again: Rerun, seed: int) -> HandCheck:
    """Check one formula against the input it names, or the only one there is."""
    if formula.is_left_side_only(execution.names):
        text = formula.source.text
        raise UsageError(
            f"--formula: `{text}` says which derivative is meant and not what it comes to",
            code="E0610",
            help=(f"write your derivative behind it, as in --formula '{text} == 2*x'",),
        )
    names = [spelled for spelled, _ in subject.wrt]
    wrt = formula.wrt or (names[0] if len(names) == 1 else "")
    if wrt not in names:
        raise UsageError(
            f"--formula: which derivative is `{formula.source.text}`?",
            code="E0610",
            help=(f"write it as in --formula 'd{subject.name}/d{names[0]} == {formula.source.text}'",),
        )
    return check_formula(formula, wrt, subject, execution, again, seed)
