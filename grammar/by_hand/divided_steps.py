"""The steps of derivations whose names stand for several gradients, or do not say whose gradient they are."""

from __future__ import annotations

from autodiff.grammar.by_hand.loop_lines import LoopLines
from autodiff.grammar.by_hand.meant_gradients import MeantGradients

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns
    from autodiff.grammar.by_hand.steps import Derivation


def divide_running_names(formulas: list[Formula], runs: ScriptRuns) -> list[Formula]:
    """Return the formulas with those of such names divided into steps."""
    made: list[Formula] = []
    done: set[Derivation] = set()
    for formula in formulas:
        derivation = None if formula.workings is None else formula.workings.derivation
        if derivation is None:
            made.append(formula)
        elif derivation not in done:
            done.add(derivation)
            derivation.give_signs(runs.first)
            divided = MeantGradients(derivation, runs).entered()
            made += LoopLines(divided, runs).entered().formulas()
    for formula in made:
        formula.resolve_lists(runs.first.execution.names)
    return made
