"""A hand formula put to the test as ``autodiff check --formula`` does it."""

from __future__ import annotations

from functools import lru_cache, partial

from autodiff.cli.requests.hand_formulas import inputs_of_script
from autodiff.core.base.source import Source
from autodiff.core.graph.state import mode
from autodiff.grammar.by_hand.check import HandCheck, check_formula
from autodiff.grammar.by_hand.divided_steps import divide_running_names
from autodiff.grammar.by_hand.formula import Formula, read_formula
from autodiff.grammar.by_hand.later_turns import judge_later_turns
from autodiff.grammar.by_hand.loss_of_steps import loss_before_steps
from autodiff.grammar.by_hand.own_scale import judge_by_own_values
from autodiff.grammar.by_hand.read_derivation import read_derivation
from autodiff.grammar.by_hand.runs import ScriptRuns
from autodiff.grammar.by_hand.shared_arrays import judge_shared_arrays
from autodiff.grammar.by_hand.training_turns import Turn
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning, runtime
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate

SEED = "x1 = 1.\nx2 = 2.\nw1 = 1.\nw2 = 2.\nw3 = 3.\nx3 = w1*x1\nx4 = w1*x2\nx5 = w2*x3 + w3*x4\nL = 1 - x5"


def check(script: str, text: str) -> HandCheck:
    source = Source(script)
    [found] = answers(source, [read_formula(text, source, partial(inputs_of_script, source, Settings()))])
    return found


def check_steps(script: str, text: str, of: str | None = None) -> list[HandCheck]:
    """The steps of a derivation, as in the file that ``--formula @FILE`` names; the first error is raised.

    ``of`` is the output, by default that of the first step, or the script's.
    """
    source = Source(script)
    derivation = read_derivation(
        text, "steps.txt", source, inputs=partial(inputs_of_script, source, Settings())
    )
    formulas = derivation.formulas()
    found = [] if derivation.unreadable else answers(source, formulas, of, derivation.turn)
    for error in derivation.unreadable.values():
        raise error
    return found


def answers(
    source: Source, formulas: list[Formula], of: str | None = None, turn: Turn | None = None
) -> list[HandCheck]:
    inputs = [name for formula in formulas for name in formula.inputs]
    output = of or (formulas[0].output if formulas[0].output in formulas[0].words else None)
    read = frozenset().union(*(one.names_read for formula in formulas for one in formula.members))
    steps = [one.workings for one in formulas if one.workings is not None]
    keys = frozenset().union(*(one.steps for one in steps))
    names = {} if not steps else steps[0].derivation.computed.names_to_keep()
    keep = frozenset((start, frozenset(read_there)) for start, read_there in names.items())
    are_own = any(one.derivation.given.text == source.text for one in steps)
    known = (read, turn, keys, keep, are_own)
    runs, settings = runs_of(source.text, tuple(dict.fromkeys(inputs)), output, *known)
    subject = runs.first.subject
    inputs_asked = subject.wrt
    with EngineSetup(settings):
        runtime.prints_numbers = mode.follows_numpy = runs.first.execution.prints_numbers
        for one in formulas:
            one.accept_output(subject.name, is_weighed=subject.weight is not None)
        divided = divide_running_names(formulas, runs)
        found = [check_formula(one, one.inputs or [inputs_asked[0][0]], runs) for one in divided]
        sharing = judge_shared_arrays(divided, found, runs)
        judge_by_own_values(divided, found, runs, sharing)
        judge_later_turns(divided, found, runs)
    subject.wrt = inputs_asked
    return found


@lru_cache(maxsize=8)
def runs_of(
    script: str,
    inputs: tuple[str, ...],
    output: str | None,
    read: frozenset[str],
    turn: Turn | None,
    keys: frozenset[str],
    keep: frozenset[tuple[int, frozenset[str]]],
    are_own: bool,
) -> tuple[ScriptRuns, Settings]:
    """The runs of a script, which the tests with one derivation and other mistakes in it share."""
    settings = Settings(wrt=list(inputs), of=output, adds_up=True)
    settings.keep = {start: set(names) for start, names in keep}
    with Probe() as probe:
        part = None if turn is None else turn.script
        execution = execute(Source(script), settings, discard_text, discard_warning, script=part)
    if turn is not None:
        settings.of = output or turn.loss(execution)
    elif output is None:
        settings.of = loss_before_steps(keys, execution, settings, are_own)
    subject = differentiate(execution, settings)
    with EngineSetup(settings):
        return ScriptRuns(subject, execution, Rerun(execution, settings, probe), 0, read), settings
