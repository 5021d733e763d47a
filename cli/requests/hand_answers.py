"""Answers to ``check --formula``: each formula is judged against its own output.

One that cannot be read or computed is told with its error, and the others are judged all the same.
"""

from __future__ import annotations

import re
from copy import copy
from functools import partial

from autodiff.cli.command_line.script_source import (
    Script,
    with_output,
)
from autodiff.cli.requests.answers import Answers, is_too_large
from autodiff.cli.requests.fail_on import judge, sentences_on_answers
from autodiff.cli.requests.hand_formulas import HandFormulas, inputs_of
from autodiff.cli.requests.make_report import note_constant_slope, note_reshaped
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.extra_work import try_extra
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.graph.state import mode
from autodiff.core.report.verdict import RIGHT, RIGHT_HERE, WRONG
from autodiff.grammar.by_hand.called_functions import calls_of_functions
from autodiff.grammar.by_hand.check import HandCheck, check_formula, unreadable
from autodiff.grammar.by_hand.divided_steps import divide_running_names
from autodiff.grammar.by_hand.formula import Formula
from autodiff.grammar.by_hand.later_turns import judge_later_turns
from autodiff.grammar.by_hand.loss_of_steps import (
    computed_loss,
    have_same_names,
    names_without_steps,
)
from autodiff.grammar.by_hand.own_scale import is_right_for_a_multiple, judge_by_own_values
from autodiff.grammar.by_hand.read_derivation import divided_into_steps
from autodiff.grammar.by_hand.runs import ScriptRuns
from autodiff.grammar.by_hand.shared_arrays import judge_shared_arrays
from autodiff.grammar.by_hand.step_errors import in_step, not_judged
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.hand_gradients import is_only_output
from autodiff.grammar.session.leaf_names import join_words
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, differentiate
from autodiff.grammar.session.target import note_on_sum
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.by_hand.called_functions import FunctionCall
    from autodiff.grammar.by_hand.segments import Segment
    from autodiff.grammar.session.run import Execution, Settings

    #: The results of the lines of a function, and the wrong lines behind each of its gradients, by its name.
    ResultsOfLines = tuple[list[tuple[int, HandCheck]], dict[str, list[int]]]


def answer_formulas(session: Session, settings: Settings, begin: Callable[[Answers], None]) -> Answers:
    """Run the script, and backward from each output that the formulas are about; judge the formulas.

    ``begin`` is called with the answers before the first is there.
    """
    request, script = session.request, session.script
    assert script is not None
    work = HandWork(session, script, settings)
    if expression := work.expression(settings):
        work = HandWork(session, with_output(work.script, expression), settings)
    script = session.script = work.script
    if not work.formulas:
        answers = Answers(script.source.name, "", int(request.text("order") or "1"))
        answers.formulas = work.results()
        if request.texts("fail_on"):
            judge(session, [])
        return told(session, answers)
    asked = list(settings.wrt)
    work.prepare(settings, asked)
    probe = Probe()
    turn = work.turn
    execution = work.run(session, settings, probe)
    line = work.sum_of_outputs(execution, settings)
    if line:
        source = with_line(script.source, line, execution)
        longer = Script(source, script.data, script.path)
        work, settings.of = HandWork(session, longer, settings), line.partition(" ")[0]
        work.prepare(settings, asked)
        with probe:
            execution = execute(source, settings, discard_text, discard_warning)
        session.note(f"gradients arrive at several values: the steps are about {line}")
    if work.are_typed:
        execution, probe = work.mean_last_turn(execution, settings, probe)
    work.choose_loss(turn, execution, settings)
    note_reshaped(session, execution)
    note_constant_slope(session, execution)
    for formula in work.formulas:
        formula.resolve_lists(execution.names)
    answers = Answers(script.source.name, "", int(request.text("order") or "1"))
    begin(answers)
    reports = []
    for output in work.outputs:
        subject = work.answer_about(output, execution, settings, asked, probe, answers)
        if subject is None:
            continue
        answers.output = answers.output or subject.name
        if subject.root.site is not None and not line:
            answers.output_lines[subject.name] = script.source.position(subject.root.site.start)[0]
        answers.enter_notes(session, execution, subject)
        if request.texts("fail_on"):
            reports.append(describe(subject, script.source, graph=False, derivations=False))
    work.judge_called_functions(execution.source, settings, asked)
    answers.formulas = work.results()
    told(session, answers)
    if request.texts("fail_on"):
        judge(session, reports, sentences_on_answers(answers))
    return answers


def told(session: Session, answers: Answers) -> Answers:
    """Show the errors about formulas that cannot be read, and return the answers.

    They stand before the table, which has these formulas too and is looked at: with ``-q`` it is alone.
    """
    session.failures += answers.errors
    is_text = session.diagnostics == "text"
    shown = [] if session.is_silent or (session.is_quiet and is_text) else answers.errors
    for error in shown:
        session.say(error)
        if is_text:
            session.err.write("\n")
    if shown:
        session.flush()
    return answers


#: How far entries may be apart that are the same but for rounding.
BOUNDED = 1e-9
#: The functions with wrong results whose lines are judged.
MOST_FUNCTIONS = 3
#: What is known of a function whose lines cannot be judged.
NO_LINES: ResultsOfLines = ([], {})  # never changed


class HandWork(HandFormulas):
    """Judges the formulas of a request, each against its own output."""

    def differentiate(
        self, execution: Execution, settings: Settings, output: str | None
    ) -> ReportedPass | None:
        """Return the pass from an output, None if no formula is left that is about it.

        Formulas about inputs that there are not fail.
        """
        asked = list(settings.wrt)
        settings.wrt = list(dict.fromkeys([*asked, *inputs_of(self.about(output))]))
        if self.is_single:
            return differentiate(execution, settings)
        try:
            return differentiate(execution, settings)
        except UsageError:
            for formula in self.about(output):
                settings.wrt = formula.inputs
                try:
                    differentiate(execution, settings)
                except UsageError as error:
                    if formula.workings is not None and error.code == "E0601":
                        keys = [one.keys for one in self.derivations]
                        near = names_without_steps(formula.workings.segment.key, keys, execution, settings)
                        names = " or ".join(f"`d{name}`" for name in near)
                        error.help = (f"did you mean {names}?",) if near else error.help
                    self.fail(formula, error)
        settings.wrt = list(dict.fromkeys([*asked, *inputs_of(self.about(output))]))
        return differentiate(execution, settings) if self.about(output) else None

    def fail(self, formula: Formula, error: UsageError) -> None:
        """Enter the error about a formula; raise it if there is no other formula."""
        error = error if formula.step is None else in_step(error, *formula.step, formula.given)
        if self.is_single:
            raise next((one for file in self.derivations for one in file.unreadable.values()), error)
        self.formulas = [one for one in self.formulas if one is not formula]
        if formula.workings is not None:
            self.failed.add(step_of(formula))
        result = unreadable(formula.written, error, formula.step)
        if formula.left is not None:
            result.left = formula.left.spelled(formula.output) if formula.output else f"d{formula.inputs[-1]}"
        self.enter(formula, result)

    def enter(self, formula: Formula, result: HandCheck) -> None:
        line = 0 if formula.step is None else formula.step[1]
        self.found.append((self.places[formula.given], line, result))

    def answer_about(
        self,
        output: str | None,
        execution: Execution,
        settings: Settings,
        asked: list[str],
        probe: Probe,
        answers: Answers,
    ) -> ReportedPass | None:
        """Judge the formulas about an output; return the pass from there, None if no formula is about it."""
        own = settings.copy()
        own.of, own.wrt = output, asked
        subject = self.differentiate(execution, own, output)
        if subject is None:
            return None
        if subject.adds_up:
            on_sum = note_on_sum(subject.name, subject.root.out)
            subject.notes = tuple(note for note in subject.notes if note != on_sum)
        read = set().union(*(one.names_read for formula in self.formulas for one in formula.members))
        again, request = Rerun(execution, own, probe), self.session.request
        may_rerun = not is_too_large(request, subject)
        with EngineSetup(own):
            runtime.prints_numbers = mode.follows_numpy = execution.prints_numbers
            runs = ScriptRuns(subject, execution, again, request.number("seed"), read, may_rerun)
            self.answer(runs, output, answers)
        return subject

    def judge_called_functions(self, script: Source, settings: Settings, asked: list[str]) -> None:
        """Judge the lines of the functions whose results are wrong steps of the script too.

        The same for those that compute a loss of their own, if no step is about their results.
        """
        own = [one for one in self.derivations if one.statements]
        if not own or len(self.outputs) > 1:
            return
        place = self.places[own[0].given]
        lefts, turn = own[0].lefts, own[0].turn
        calls = calls_of_functions(script, lefts)
        of_turn = calls if turn is None else calls_of_functions(script, lefts, turn.script)
        for call in of_turn:
            self.leave_out_clip(place, call, script, settings, asked)
        wrong = {line for at, line, result in self.found if at == place and result.verdict == WRONG}
        for call in [one for one in of_turn if one.line in wrong][:MOST_FUNCTIONS]:
            self.enter_lines(place, call, script, settings, asked)
        if self.is_asked_output:
            return
        judged = {line.number for one in own for line in one.lines if line.key in one.keys}
        others = [one for one in calls if turn is not None or one.line not in judged]
        for call in others[turn is not None :]:  # the turn of a function is that of the first call
            self.enter_lines(place, call, script, settings, asked, is_apart=True)

    def leave_out_clip(
        self, place: int, call: FunctionCall, script: Source, settings: Settings, asked: list[str]
    ) -> None:
        """Let results of a function be right if its lines are, and one behind them bounds what they make."""
        found = [result for at, line, result in self.found if at == place and line == call.line]
        clip = call.clip() if any(one.verdict in (WRONG, RIGHT_HERE) for one in found) else None
        if clip is None:
            return
        search = partial(self.inside, call, script, settings, asked, False)
        inside, _ = try_extra("the search for the wrong line", search, NO_LINES)
        right = {tuple(one.by) for _, one in inside if one.verdict == RIGHT}
        line = script.position(clip.span.start)[0]
        for one in found:
            if one.verdict in (WRONG, RIGHT_HERE) and tuple(one.by) in right and is_bounded(one):
                one.is_right, one.is_right_here, one.is_right_here_only = True, True, False
                one.remarks = [f"it is compared before line {line} bounds it"]

    def enter_lines(
        self,
        place: int,
        call: FunctionCall,
        script: Source,
        settings: Settings,
        asked: list[str],
        is_apart: bool = False,
    ) -> None:
        """Enter the results of the lines of a function; a note says so if they cannot be judged ``apart``.

        Wrong results of the call get the lines that they follow from as their reason.
        """
        search = partial(self.inside, call, script, settings, asked, is_apart)
        inside, causes = try_extra("the search for the wrong line", search, NO_LINES)
        for at, line, result in [] if is_apart else self.found:
            lines = causes.get(call.results.get(result.key, ""))
            if at == place and line == call.line and result.verdict == WRONG and lines:
                numbers = join_words([str(number) for number in lines])
                result.remarks = [f"it follows from line{'s' * (len(lines) > 1)} {numbers}"]
        known = {(line, one.left): one for at, line, one in self.found if at == place}
        for number, result in inside:
            before = known.get((number, result.left))
            if before is not None and before.verdict != WRONG and result.verdict == WRONG:
                self.found = [one for one in self.found if one[2] is not before]
                before = None
            if before is None:
                self.found.append((place, number, result))
        if is_apart and not inside and call.targets:
            names = ", ".join(f"`{one}`" for one in call.targets)
            reason = f"no loss is known whose gradients the lines of `{call.function.name}` are"
            self.note(f"{script.name}:{call.line}: {names}: not judged, {reason}")

    def inside(
        self, call: FunctionCall, script: Source, settings: Settings, asked: list[str], is_apart: bool
    ) -> ResultsOfLines:
        """Return the results of the lines of a function; none if its names are those of other values.

        With them come the wrong lines behind each of its gradients. If it stands ``apart``, they are about a
        loss that the function computes.
        """
        made, turn = copy(self), call.turn
        output = self.outputs[0]
        output = None if output is None else call.results.get(output, output)
        lefts = {} if is_apart else self.derivations[0].lefts_in(call.results, output)
        derivation = divided_into_steps(script, script, turn, turn, lefts)
        made.derivations, made.places, made.outputs = [derivation], {derivation.given: 0}, [output]
        made.formulas = derivation.formulas()
        if not made.formulas:
            return NO_LINES
        made.found, made.failed, made.is_single = [], set(), False
        settings = settings.copy()
        settings.keep = made.names_to_keep()
        own, probe = settings.copy(), Probe()
        asked = asked if is_apart else [*asked, *inputs_of(self.formulas)]  # what these are tracked for
        own.of, own.wrt = output, list(dict.fromkeys([*asked, *inputs_of(made.formulas)]))
        try:
            with probe:
                execution = execute(script, own, discard_text, discard_warning, script=turn.script)
            if is_apart:
                own.of = computed_loss(call.losses, execution)
                made.outputs, made.loss = [own.of], own.of
                if own.of is None:
                    return NO_LINES
            elif not have_same_names(find_target(execution, own).node, call.parameters, execution):
                return NO_LINES
            made.leave_out_values(execution, own)
            answers = Answers(script.name, "", 1)
            made.answer_about(own.of, execution, settings, asked, probe, answers)
        except AutodiffError:
            return NO_LINES  # what fails is told of the line that calls the function
        first, last = script.position(turn.body[0].span.start)[0], script.position(turn.body[-1].span.end)[0]
        inside = [
            (line, result) for _, line, result in made.found if first <= line <= last and result.error is None
        ]
        return inside, wrong_lines_behind(derivation, inside)

    def answer(self, runs: ScriptRuns, output: str | None, answers: Answers) -> None:
        """Judge the formulas about an output; what is remarked on their derivations is a note."""
        chosen = self.about(output)
        divided = [one for one in divide_running_names(chosen, runs) if self.output_of(one) == output]
        divided = [one for one in divided if step_of(one) not in self.failed]
        derivations = dict.fromkeys(one.workings.derivation for one in divided if one.workings is not None)
        for derivation in derivations:
            for remark in derivation.remarks(runs.first):
                self.note(remark)
        judged: list[Formula] = []
        notes: dict[str, None] = {}
        subject = runs.first.subject
        is_only = is_only_output(subject.root, runs.first.execution)
        for formula in divided:
            try:
                note = formula.accept_output(subject.name, is_only, subject.weight is not None)
                found = answer(formula, runs, answers.order)
                if found.verdict == WRONG:
                    self.refuse_without_source(formula, runs)
            except UsageError as error:
                self.fail(formula, error)
                continue
            judged.append(formula)
            notes |= dict.fromkeys([note] * bool(note))
            self.enter(formula, found)
            answers.formulas.append(found)
        for note in notes:
            self.note(note)
        for derivation in self.derivations:
            derivation.computed.run_rest(runs.first)
        results = [check for _, _, check in self.found[len(self.found) - len(judged) :]]
        sharing = judge_shared_arrays(judged, results, runs)
        judge_by_own_values(judged, results, runs, sharing)
        try_extra("the comparison of later turns", lambda: judge_later_turns(judged, results, runs), None)

    def refuse_without_source(self, formula: Formula, runs: ScriptRuns) -> None:
        """Raise a UsageError if a wrong step may be right with the value of one that cannot be read.

        It has the right gradient in place of that value, which may be a multiple of it.
        """
        if formula.workings is None:
            return
        derivation = formula.workings.derivation
        sources = derivation.sources(formula.workings.segment)
        behind = [
            one for one in sources if self.lines_without_value([one, *derivation.sources(one)], derivation)
        ]
        if behind and is_right_for_a_multiple(formula, runs, {one.key for one in behind}):
            raise not_judged(*self.lines_without_value(sources, derivation)[0])

    def lines_without_value(self, steps: list[Segment], derivation: Derivation) -> list[tuple[int, str]]:
        """Return the lines, and the names, of those of the steps that cannot be read or computed."""
        given = derivation.given
        lines = [(derivation.number_of(one), one.key) for one in steps]
        return [one for one in lines if one[0] in derivation.unreadable or (given, *one) in self.failed]


def is_bounded(check: HandCheck) -> bool:
    """Whether a value is the gradient, but for entries at the largest size that there is."""
    value, gradient = np.asarray(check.value), np.asarray(check.gradient)
    if value.shape != gradient.shape:
        return False
    apart = np.abs(value - gradient) > BOUNDED * np.abs(gradient)
    return bool(np.all(np.abs(value)[apart] == np.abs(value).max(initial=0.0)))


def with_line(script: Source, line: str, execution: Execution) -> Source:
    """Return a script with one more line, behind the statement that gives the last of its names a value."""
    names = [one for one in execution.names if re.search(rf"\b{one}\b", line)]
    place = max(map(execution.first_offset, names))
    body = parse_to_first_error(script).body
    end = next(one.span.end for one in body if one.span.start <= place < one.span.end)
    return Source(f"{script.text[:end]}; {line}{script.text[end:]}", script.name)


def step_of(formula: Formula) -> tuple[Source, int, str] | None:
    """Return what a step is known by: one line may have several. None for a formula that is none."""
    if formula.step is None or formula.workings is None:
        return None
    return formula.given, formula.step[1], formula.workings.segment.key


def wrong_lines_behind(derivation: Derivation, inside: list[tuple[int, HandCheck]]) -> dict[str, list[int]]:
    """Return the lines of the wrong steps that make each gradient, by its name.

    A gradient has none if its own step is not judged, or is right times a factor only.
    """
    judged = {(line, one.key): one for line, one in inside}
    wrong = {place for place, one in judged.items() if one.verdict == WRONG}
    found = {}
    for segment in derivation.segments:
        own = judged.get((derivation.number_of(segment), segment.key))
        is_times = own is not None and own.own_scale is not None and own.own_scale.factor != 1.0
        known = own is not None and own.verdict in (RIGHT, WRONG) and not is_times
        steps = [segment, *derivation.sources(segment)] if known else []
        places = {(derivation.number_of(one), one.key) for one in steps}
        found[segment.key] = sorted({line for line, _ in places & wrong})
    return found


def answer(formula: Formula, runs: ScriptRuns, order: int) -> HandCheck:
    """Check one formula against the derivative it names, or that by the only input."""
    subject = runs.first.subject
    if formula.is_left_side_only(runs.first.execution.names):
        raise formula.no_right_side()
    names = list(dict.fromkeys(spelled for spelled, _ in subject.wrt))
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
