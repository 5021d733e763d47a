"""What ``check --formula`` judges: formulas and steps, and the outputs that these are about."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial

from autodiff.cli.command_line.script_source import (
    STDIN,
    STDIN_NAME,
    Script,
    decode,
    read_file,
    read_stdin,
)
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.make_report import run_request
from autodiff.core.base.errors import AutodiffError, CompileError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.called_functions import calls_of_functions
from autodiff.grammar.by_hand.check import HandCheck, unreadable
from autodiff.grammar.by_hand.differences import names_by_differences
from autodiff.grammar.by_hand.formula import Formula, read_formula
from autodiff.grammar.by_hand.judged_script import judged_script
from autodiff.grammar.by_hand.latex_text import single_formulas
from autodiff.grammar.by_hand.left_side import of_other_way
from autodiff.grammar.by_hand.loss_of_steps import (
    arriving_gradients,
    check_has_output,
    forward_names,
    given_gradient,
    loss_before_steps,
)
from autodiff.grammar.by_hand.read_derivation import NoStepsError, divided_into_steps, read_derivation
from autodiff.grammar.by_hand.steps import Derivation
from autodiff.grammar.by_hand.training_turns import NoLossError
from autodiff.grammar.by_hand.unclear_names import how_to_judge, unclear_names
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.hand_gradients import is_gradient, is_loss
from autodiff.grammar.session.last_turn import with_loss_of_steps
from autodiff.grammar.session.rerun import Probe
from autodiff.grammar.session.run import differentiate
from autodiff.grammar.session.versions import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.command_line.fast_parser import Request
    from autodiff.cli.requests.session import Session
    from autodiff.grammar.by_hand.left_side import LeftSide
    from autodiff.grammar.by_hand.training_turns import Turn
    from autodiff.grammar.session.run import Execution, Settings

    #: The results of the lines of a function, and the wrong lines behind each of its gradients, by its name.
    ResultsOfLines = tuple[list[tuple[int, HandCheck]], dict[str, list[int]]]


#: The option for the steps that the script itself has.
OWN = "@"
#: The suffix of files in a folder of formulas.
SUFFIX_OF_FORMULAS = ".txt"


class HandFormulas:
    """The formulas of a request; ``is_single`` says that there is one, whose error ends the command.

    In a format of verdicts none does: each formula has its word there, and so has a file without any.

    ``derivations`` are the files of steps. ``places`` has the place of each text among the request's, and
    ``found`` the results, each with that place and the number of its line. ``outputs`` are the outputs that
    the formulas are about; None stands for the script's.
    """

    def __init__(self, session: Session, given: Script, settings: Settings) -> None:
        self.session = session
        self.script = given
        self.formulas: list[Formula] = []
        self.derivations: list[Derivation] = []
        self.places: dict[Source, int] = {}
        self.found: list[tuple[int, int, HandCheck]] = []
        #: The steps that no output has, by their files and lines and the names that these give values.
        self.failed: set[tuple[Source, int, str] | None] = set()
        self.outputs: list[str | None] = []
        #: The output of the formulas that name none, among those of several outputs.
        self.loss: str | None = None
        self.told: set[str] = set()
        #: Names in the script that look like gradients, and do not say by what.
        self.unsettled: list[str] = []
        #: Whether the output is that of --of.
        self.is_asked_output = settings.of is not None
        request = session.request
        asked = [OWN if text == f"@{given.path}" else text for text in request.texts("formula")]
        lefts = self.take_judged_script(settings.of) if OWN in asked else {}
        script = self.script.source
        texts = [one for text in asked for one in single_formulas(text)]
        for place, text in enumerate(texts):
            if text.startswith("@"):
                self.take_steps(place, text, lefts, settings)
            else:
                try:
                    formula = read_formula(text, script, partial(inputs_of_script, script, settings))
                    self.formulas.append(formula)
                    self.places[formula.given] = place
                except UsageError as error:
                    self.found.append((place, 0, unreadable(text, error, None)))
        results = self.results()
        has_word = session.format == "verdict"
        self.is_single = len(self.formulas) + len(results) == 1 and not has_word
        if not self.formulas and results and not has_word:
            first, *others = [one.error for one in results if one.error is not None]
            first.other_errors += others
            raise first

    def take_steps(self, place: int, text: str, lefts: dict[str, LeftSide], settings: Settings) -> None:
        """Take the steps of the script or of a file; enter the error if there are none."""
        script = self.script.source
        is_own = text == OWN
        name, data = (script.name, b"") if is_own else file_of_steps(self.session.request, text[1:])
        try:
            steps = script.text if is_own else decode(data, name)
            inputs = None if is_own else partial(inputs_of_script, script, settings)
            derivation = read_derivation(steps, name, script, lefts if is_own else None, inputs)
            if is_own and derivation.turn is not None and settings.of is not None:
                derivation = in_call(settings, script) or derivation
        except CompileError:
            execute(script, settings, discard_text, discard_warning)  # its error has the repairs
            raise
        except UsageError as error:
            if is_own and isinstance(error, NoStepsError):
                propose_names(error, script)
                if self.session.has_several:
                    self.tell_of_nothing(error, script)
                    return  # of a folder, scripts without gradients by hand are no mistake
            self.found.append((place, 0, unreadable(name, error, None)))
            return
        if derivation.remark_on_headings:
            self.session.note(derivation.remark_on_headings)
        if is_own:
            self.warn_of_unsettled(derivation)
        self.derivations.append(derivation)
        self.formulas += derivation.formulas()
        self.places[derivation.given] = place

    def take_judged_script(self, output: str | None) -> dict[str, LeftSide]:
        """Complete the script where gradients do not say what they are by; return what they are.

        They are left out if they are about another output than the one that is asked for.
        """
        judged = judged_script(self.script.source)
        if output is not None and any(left.output != output for left in judged.lefts.values()):
            return {}
        if judged.source is not self.script.source:
            self.script = Script(judged.source, self.script.data, self.script.path)
        self.unsettled = judged.unsettled
        for text in judged.notes:
            self.note(text)
        return judged.lefts

    def warn_of_unsettled(self, derivation: Derivation) -> None:
        """Warn of names that look like gradients and are not judged beside the steps of the script."""
        for line, name in unclear_names(derivation.lines):
            if name in self.unsettled:
                self.session.warn(
                    AutodiffError(
                        f"{self.script.source.name}: `{name}` is not judged",
                        code="W0100",
                        span=derivation.given.line_span(line.number),
                        help=(how_to_judge(line, name, derivation.words),),
                    )
                )

    def tell_of_nothing(self, error: NoStepsError, script: Source) -> None:
        """Say why nothing of a script is judged: a warning if a name in it looks like a gradient's."""
        text = f"{script.name}: nothing to check"
        if error.line is None:
            self.note(f"{text}: no name in it is a gradient's, such as dw, dL_dw or grad_w")
            return
        span = script.line_span(error.line)
        self.session.warn(AutodiffError(text, code="W0100", span=span, help=error.advice))

    def expression(self, settings: Settings) -> str:
        """Return the expression that formulas are about, as in ``d(f(x))/dx``, if no ``--of`` gives it."""
        named = dict.fromkeys(one.named_output for one in self.formulas)
        found = [one for one in named if one and not one.isidentifier()]
        if settings.of is not None or not found:
            return ""
        if len(named) > 1:
            raise UsageError(
                f"--formula: `{found[0]}` is an expression, and other formulas are about other outputs",
                code="E0610",
                help=("check it alone, or assign it in the script",),
            )
        return found[0]

    def choose_outputs(self, settings: Settings) -> None:
        """Set the outputs; raise a UsageError if ``--of`` asks for another than a formula is about."""
        for formula in self.formulas:
            formula.mean_output(settings.of or "")
        named = {formula.named_output for formula in self.formulas} - {""}
        if settings.of is not None and named - {settings.of, " ".join(settings.of.split())}:
            raise UsageError(
                f"--formula is about {min(named - {settings.of})}, and --of says {settings.of}",
                code="E0610",
                help=("leave --of out",),
            )
        self.outputs = [settings.of] if settings.of is not None or not named else [*named]
        if len(named) > 1:
            self.outputs = list(dict.fromkeys(map(self.output_of, self.formulas)))

    def note(self, text: str) -> None:
        """Write a remark once, also where a function is judged that says the same."""
        if text not in self.told:
            self.told.add(text)
            self.session.note(text)

    def prepare(self, settings: Settings, asked: list[str]) -> None:
        """Choose the outputs, and set what the run needs for them and the inputs that are ``asked`` for."""
        self.choose_outputs(settings)
        settings.of = next((output for output in self.outputs if output is not None), None)
        settings.wrt = list(dict.fromkeys([*asked, *inputs_of(self.formulas)]))
        settings.keep = self.names_to_keep()
        settings.adds_up = True  # a formula may be about the Jacobian of an output of several entries

    def run(self, session: Session, settings: Settings, probe: Probe) -> Execution:
        """Run the script, or the turn of it that the steps are; if this is a function, show all prints."""
        turn = self.turn
        is_twice = session.request.text("order") == "2"
        if turn is None or turn.loop is not None or not self.derivations[0].statements:
            part = None if turn is None else turn.script
            return run_request(session, settings, is_twice, True, probe, part)
        assert session.script is not None
        whole = settings.copy(wrt=[])
        whole.of, whole.keep = None, {}
        try:
            execute(session.script.source, whole, session.print_from_script, discard_warning)
        except AutodiffError as error:
            if error.span is not None:
                line = session.script.source.position(error.span.start)[0]
                self.note(f"line {line}: the script stops here, behind the steps: {error.message}")
        return run_request(session, settings, is_twice, True, probe, turn.script, discard_text)

    @property
    def turn(self) -> Turn | None:
        """The turn of the script's training loop that a derivation is about, if there is one."""
        return next((one.turn for one in self.derivations if one.turn is not None), None)

    @property
    def are_typed(self) -> bool:
        """Whether none of the formulas is a step of a derivation."""
        return bool(self.formulas) and all(one.workings is None for one in self.formulas)

    def mean_last_turn(
        self, execution: Execution, settings: Settings, probe: Probe
    ) -> tuple[Execution, Probe]:
        """Let formulas be about the loss of the last turn of training by hand, by its parameters.

        Those are what ``grad`` differentiates. Return the run of the script where these are tracked, with the
        probe that has watched it.
        """
        own, again = settings.copy(), Probe()
        own.of, own.wrt = None, []
        if not execution.may_end_in_steps():
            return execution, probe
        with again:
            made = with_loss_of_steps(execution, own)
        loss = own.of
        names = {version_of(one, made.names) or one: one for one in own.wrt}
        if (
            loss is None
            or settings.of not in (None, loss)
            or names.keys().isdisjoint(inputs_of(self.formulas))
        ):
            execution.chosen = ""
            return execution, probe
        self.enter_loss(loss)
        for formula in self.formulas:
            formula.rename_inputs(names, loss)
        return (execution, probe) if made is execution else (made, again)

    def names_to_keep(self) -> dict[int, set[str]]:
        """Return the names whose values before statements of the script its own steps read."""
        found: dict[int, set[str]] = {}
        for derivation in self.derivations:
            for start, names in derivation.computed.names_to_keep().items():
                found.setdefault(start, set()).update(names)
        return found

    def choose_loss(self, turn: Turn | None, execution: Execution, settings: Settings) -> None:
        """Let steps that name no output be about the loss that the script, or its turn, computes before them.

        Notes say which loss and which turn that is.
        """
        is_open = None in self.outputs
        if turn is not None and is_open:
            try:
                self.enter_loss(turn.loss(execution))
            except NoLossError as error:
                self.judge_nothing(error, turn, execution)
                return
        elif is_open and self.keys:
            self.choose_output_of_steps(execution, settings)
        elif is_open:
            self.choose_output_of_formulas(execution, settings)
        elif turn is None and settings.grad_output is None and self.are_steps_of_one_output:
            self.take_given_gradient(execution, settings, self.outputs[0] or "")
        if turn is not None and turn.line:
            self.note(f"the steps are those of the first turn of the loop of line {turn.line}")
        self.leave_out_values(execution, settings)

    def judge_nothing(self, error: NoLossError, turn: Turn, execution: Execution) -> None:
        """Judge no step of a function without a loss: names in it such as ``dx`` may be values.

        Say so as of a script without steps; raise the error if the script is the only one.
        """
        names = " and ".join(f"`{key}`" for key in sorted(self.keys))
        named = f"if {names} {'is no gradient' if len(self.keys) == 1 else 'are no gradients'}"
        if turn.loop is None:
            judged = "name the derivative, as in --formula 'dz/dx == H'"
            error.help = (*error.advice, f"{named}, there is nothing to check here: {judged}")
        if turn.loop is not None or not self.session.has_several:
            raise error
        warning = AutodiffError(
            f"{execution.source.name}: nothing to check", code="W0100", span=error.span, help=error.help
        )
        self.session.warn(warning)
        self.formulas, self.derivations, self.outputs = [], [], []

    def own_derivations(self, script: Source) -> list[Derivation]:
        """Return the derivations whose steps are lines of the script itself."""
        return [one for one in self.derivations if one.given.text == script.text]

    def enter_loss(self, loss: str | None) -> None:
        """Let the formulas that name no output be about the loss."""
        self.loss = loss
        self.outputs = list(dict.fromkeys(loss if one is None else one for one in self.outputs))

    def choose_output_of_steps(self, execution: Execution, settings: Settings) -> None:
        """Let the steps be about the loss before them, or about an output at which the gradient is given."""
        are_own = bool(self.own_derivations(execution.source))
        loss = loss_before_steps(self.keys, execution, settings, are_own)
        is_given = settings.grad_output is None and not is_loss(loss or "")
        if is_given and self.take_given_gradient(execution, settings):
            return
        if loss is not None:
            self.enter_loss(loss)
            self.note(f"the steps are about {loss}, which is computed before them")
        else:
            check_has_output(self.keys, execution, settings, are_own)

    def choose_output_of_formulas(self, execution: Execution, settings: Settings) -> None:
        """Let formulas about a script that ends in its own gradients be about the loss before these."""
        with suppress(AutodiffError):
            last = find_target(execution, settings).name
            by_hand = {name for name in execution.names if is_gradient(name, execution)}
            if last in by_hand and (loss := loss_before_steps(by_hand, execution, settings, True)):
                self.enter_loss(loss)
                self.session.note(f"the output is {loss}: `{last}` behind it is a gradient by hand")

    def take_given_gradient(self, execution: Execution, settings: Settings, output: str = "") -> bool:
        """Let the gradient that the script gives at its output, or at this one, arrive there; say whether."""
        given = given_gradient(self.keys, execution, output)
        if given is not None:
            self.enter_loss(given[0])
            settings.grad_output = given[1]
            self.note(
                f"the steps are about {given[0]}, and `{given[1]}` is the gradient that arrives there:"
                f" --of {given[0]} --grad-output {given[1]}"
            )
        return given is not None

    def sum_of_outputs(self, execution: Execution, settings: Settings) -> str:
        """Return a line for the sum of the values at which the script gives gradients, each times its own.

        "" where it gives fewer than two, or has a loss.
        """
        if self.outputs != [None] or self.turn is not None or settings.grad_output is not None:
            return ""
        arriving = arriving_gradients(self.keys, execution)
        if len(arriving) < 2 or any(map(is_loss, execution.names)):
            return ""
        read = [
            one.names_behind(step) & {*arriving.values()} for one in self.derivations for step in one.segments
        ]
        is_joint = any(len(one) > 1 for one in read) or len(set().union(*read)) < len(arriving)
        if not is_joint:  # tests of several functions, each with a gradient of its own
            return ""
        words = set().union(*(one.words for one in self.formulas))
        name = next(one for one in ("L", "J", "output_", "output__") if one not in words)
        terms = [f"({value}*{gradient}).sum()" for value, gradient in arriving.items()]
        return f"{name} = {' + '.join(terms)}"

    @property
    def are_steps_of_one_output(self) -> bool:
        return len(self.outputs) == 1 and all(one.workings is not None for one in self.formulas)

    @property
    def keys(self) -> set[str]:
        """The names to which the steps of the derivations give values."""
        return {key for one in self.derivations for key in one.keys}

    def leave_out_values(self, execution: Execution, settings: Settings) -> None:
        """Leave out steps of names that the output is made of, and of the gradient that arrives there."""
        names = {settings.grad_output} if isinstance(settings.grad_output, str) else set()
        partial_names = self.partial_names(execution)
        names |= partial_names.keys() | self.names_apart(execution)
        own = settings.copy()
        own.of = self.outputs[0]
        with suppress(AutodiffError):
            target = find_target(execution, own)
            names |= (
                set() if target.name in self.keys or len(self.outputs) > 1 else forward_names(target.node)
            )
        for at, derivation in enumerate(self.derivations):
            made = derivation.without_values(names)
            if made is not derivation:
                self.derivations[at] = made
                others = [one for one in self.formulas if one.given is not derivation.given]
                self.formulas = [*others, *made.formulas()]
        for name in partial_names.keys() - self.keys:
            self.note(partial_names[name])

    def partial_names(self, execution: Execution) -> dict[str, str]:
        """Return names such as ``da_dz`` that may be a part of a Jacobian: ``a`` has several entries.

        With each comes the note for the case that it is compared with nothing. Those that have the shape of
        the Jacobian are none.
        """
        found: dict[str, str] = {}
        for formula in self.formulas:
            key = "" if formula.workings is None else formula.workings.segment.key
            output = execution.names.get(formula.output)
            if not key.isidentifier() or not isinstance(output, Tensor) or output.entry_count == 1:
                continue
            by = "".join(formula.inputs)
            value, source = (execution.names.get(name) for name in (key, by))
            of_value, of_source = (one.shape if isinstance(one, Tensor) else None for one in (value, source))
            shape = None if of_source is None else (*output.shape, *of_source)
            if of_value is not None and of_value == shape:
                continue
            text = f"`{formula.output}` has {output.entry_count:,} entries, and its derivative is a Jacobian"
            if shape is not None:
                text += f" of shape {shape}"
                if of_source == output.shape == of_value and len(shape) == 2:
                    text += f": --formula 'd{formula.output}/d{by} == diag({key})' compares its diagonal"
            place = ":".join(map(str, formula.step or ()))
            found[key] = f"{place}: `{key}` is not compared: {text}"
        return found

    def names_apart(self, execution: Execution) -> set[str]:
        """Return names of steps that are compared with nothing; a note tells of each.

        They are made of differences, or are such as ``dx2`` with another shape than ``x``.
        """
        reasons: dict[str, tuple[Derivation, str]] = {}
        for derivation in self.derivations:
            for target, function in names_by_differences(derivation.statements):
                if target.id in derivation.keys:
                    reason = f"`{function}` makes it of differences, which give a few of its digits only"
                    reasons[target.id] = derivation, reason
            for key in derivation.keys:
                by = of_other_way(key, derivation.words)
                pair = [execution.names.get(name) for name in (key, by)]
                shapes = [value.shape for value in pair if isinstance(value, Tensor)]
                if by and len(set(shapes)) == 2:
                    reasons[key] = derivation, f"its shape is {shapes[0]}, and that of `{by}` {shapes[1]}"
        for key, (derivation, reason) in reasons.items():
            line = next(one.number for one in derivation.lines if one.key == key)
            self.note(f"{derivation.name}:{line}: `{key}` is not compared: {reason}")
        return set(reasons)

    def output_of(self, formula: Formula) -> str | None:
        """Return the output that a formula is about; one that names none is about the only one."""
        if len(self.outputs) == 1:
            return self.outputs[0]
        return formula.named_output or self.loss

    def about(self, output: str | None) -> list[Formula]:
        return [formula for formula in self.formulas if self.output_of(formula) == output]

    def results(self) -> list[HandCheck]:
        """Return all results in the order of the request, with the lines that cannot be read."""
        known = {(place, line) for place, line, _ in self.found}
        found = list(self.found)
        for file in self.derivations:
            place = self.places[file.given]
            for number, error in file.unreadable.items():
                if (place, number) not in known:
                    text = " ".join(file.given.line(number).split())
                    found.append((place, number, unreadable(text, error, (file.name, number))))
        return [result for _, _, result in sorted(found, key=lambda one: one[:2])]


def propose_names(error: NoStepsError, script: Source) -> None:
    """Add the repair for a script that trains by hand, and names no gradients or no loss."""
    from autodiff.core.base.repaired_lines import with_code
    from autodiff.grammar.by_hand.unnamed_gradients import fixes_without_names

    error.fixes = tuple([with_code(fix, script) for fix in fixes_without_names(script)])
    if error.fixes and error.line is not None:
        error.span, error.source, error.help = script.line_span(error.line), script, ()


def in_call(settings: Settings, script: Source) -> Derivation | None:
    """Return the steps of the function whose result ``--of`` names; that is then the function's variable."""
    for call in calls_of_functions(script):
        if settings.of in call.results:
            settings.of = call.results[settings.of]
            return divided_into_steps(script, script, call.turn, call.turn)
    return None


def file_of_steps(request: Request, path: str) -> tuple[str, bytes]:
    """The file that ``--formula @PATH`` names: what it is called, and what is in it."""
    name, limit = file_of_formulas(request, path), request.number("max_script")
    data = read_stdin(limit) if name == STDIN else read_file(name, limit)
    return STDIN_NAME if name == STDIN else name, data


def file_of_formulas(request: Request, path: str) -> str:
    """The file that ``--formula @PATH`` means: of a folder the text file with the name of the script."""
    if not os.path.isdir(path):
        return path
    name, _ = os.path.splitext(os.path.basename(request.argument))
    if name in ("", STDIN):
        raise UsageError(
            f"--formula: {visible(path)} is a folder, and the script has no name to look for there",
            code="E0610",
            help=("name the file with the formulas, or one with the script",),
        )
    return os.path.join(path, name + SUFFIX_OF_FORMULAS)


def inputs_of_script(script: Source, settings: Settings, output: str) -> list[tuple[str, float | None]]:
    """Return the inputs that a variable depends on, all for a constant; with the values of single numbers."""
    own = settings.copy()
    own.of = output
    subject = differentiate(execute(script, own, discard_text, discard_warning), own)
    used = set(subject.order)
    found = [(name, node) for name, node in subject.wrt if node in used] or subject.wrt
    return [(name, float(node.out) if np.ndim(node.out) == 0 else None) for name, node in found]


def inputs_of(formulas: list[Formula]) -> list[str]:
    """The inputs of all formulas, without duplicates."""
    return list(dict.fromkeys(name for formula in formulas for name in formula.inputs))
