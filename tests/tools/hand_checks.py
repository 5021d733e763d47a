"""A hand formula put to the test as ``autodiff check --formula`` does it."""

from __future__ import annotations

from autodiff.core.base.source import Source
from autodiff.grammar.by_hand.check import HandCheck, check_formula
from autodiff.grammar.by_hand.points import Formula
from autodiff.grammar.by_hand.runs import ScriptRuns
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.rerun import Probe, Rerun
from autodiff.grammar.session.run import EngineSetup, Settings, differentiate

SEED = "x1 = 1.\nx2 = 2.\nw1 = 1.\nw2 = 2.\nw3 = 3.\nx3 = w1*x1\nx4 = w1*x2\nx5 = w2*x3 + w3*x4\nL = 1 - x5"


def check(script: str, text: str) -> HandCheck:
    source = Source(script)
    formula = Formula(text, source)
    settings = Settings(wrt=list(dict.fromkeys(formula.inputs)), of=formula.output or None)
    with Probe() as probe:
        execution = execute(source, settings, discard_text, discard_warning)
    subject = differentiate(execution, settings)
    again = Rerun(execution, settings, probe)
    with EngineSetup(settings):
        by = formula.inputs or [subject.wrt[0][0]]
        return check_formula(formula, by, ScriptRuns(subject, execution, again, 0))
