"""A hand formula put to the test as ``autodiff check --formula`` does it."""

from __future__ import annotations

from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.check import HandCheck, check_formula
from autodiff.grammar.by_hand.divided_steps import divide_running_names
from autodiff.grammar.by_hand.formula import Formula, read_formula
from autodiff.grammar.by_hand.own_scale import judge_by_own_values
from autodiff.grammar.by_hand.runs import ScriptRuns
from autodiff.grammar.by_hand.steps import read_derivation
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate

SEED = "x1 = 1.\nx2 = 2.\nw1 = 1.\nw2 = 2.\nw3 = 3.\nx3 = w1*x1\nx4 = w1*x2\nx5 = w2*x3 + w3*x4\nL = 1 - x5"


def check(script: str, text: str) -> HandCheck:
    source = Source(script)
    [found] = answers(source, [read_formula(text, source)])
    return found


def check_steps(script: str, text: str) -> list[HandCheck]:
    """The steps of a derivation, as in the file that ``--formula @FILE`` names; the first error is raised."""
    source = Source(script)
    derivation = read_derivation(text, "steps.txt", source)
    formulas = derivation.formulas()
    found = [] if derivation.unreadable else answers(source, formulas)
    for error in derivation.unreadable.values():
        raise error
    return found


def answers(source: Source, formulas: list[Formula]) -> list[HandCheck]:
    inputs = [name for formula in formulas for name in formula.inputs]
    output = formulas[0].output if formulas[0].output in formulas[0].words else None
    settings = Settings(wrt=list(dict.fromkeys(inputs)), of=output, adds_up=True)
    with Probe() as probe:
        execution = execute(source, settings, discard_text, discard_warning)
    subject = differentiate(execution, settings)
    with EngineSetup(settings):
        for one in formulas:
            one.accept_output(subject.name)
        read = set().union(*(one.names_read for one in formulas))
        runs = ScriptRuns(subject, execution, Rerun(execution, settings, probe), 0, read)
        asked = subject.wrt[0][0]
        divided = divide_running_names(formulas, runs)
        found = [check_formula(one, one.inputs or [asked], runs) for one in divided]
        judge_by_own_values(divided, found, runs)
        return found
