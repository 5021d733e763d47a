"""Later turns of a training loop whose first turn is right: what carries over to them may be wrong.

A gradient that adds to its value of the turn before is right in the first turn alone.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.sentences import wrong_entries_remarks
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.run import differentiate, run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRuns
    from autodiff.grammar.by_hand.training_turns import Turn
    from autodiff.grammar.session.run import Execution

#: The later turns that are tried.
TURNS = (2, 3, 10)
#: How far a value may be from the gradient, relative to the largest entry: the mistakes looked for are large.
TOLERANCE = 1e-6


def judge_later_turns(formulas: list[Formula], checks: list[HandCheck], runs: ScriptRuns) -> None:
    """Change the results of steps that are right in the first turn and wrong in a later one.

    The steps are those of the script's own loop: in later turns they have the values that it computes.
    """
    steps = {one.workings.segment.key: at for at, one in enumerate(formulas) if one.workings is not None}
    last = {key: at for key, at in steps.items() if is_of_loop(formulas[at])}
    if not last or not all(checks[at].is_right for at in last.values()):
        return
    workings = formulas[next(iter(last.values()))].workings
    assert workings is not None
    assert workings.derivation.turn is not None
    for count in TURNS:
        found = run_turns(workings.derivation.turn, count, runs)
        if found is None:
            return
        is_right = True
        for key, at in last.items():
            is_right &= judge(checks[at], key, formulas[at], *found, count, runs)
        if not is_right:
            return


def is_of_loop(formula: Formula) -> bool:
    """Whether a formula is a step of the script's own loop, of a variable that has a name."""
    workings = formula.workings
    if workings is None or formula.place is not None or not workings.segment.key.isidentifier():
        return False
    turn = workings.derivation.turn
    return turn is not None and workings.derivation.given is turn.lines and workings.segment.node is None


def run_turns(turn: Turn, count: int, runs: ScriptRuns) -> tuple[Execution, ReportedPass] | None:
    """Return the run of the first turns and the pass from the loss of the last of them, None without one."""
    script, settings = turn.turns(count), runs.rerun.settings
    if script is None or not runs.may_rerun:
        return None
    try:
        execution = run_once(runs.rerun.source, settings, discard_text, discard_warning, script)
        return execution, differentiate(execution, settings)
    except AutodiffError:
        return None


def judge(
    check: HandCheck,
    key: str,
    formula: Formula,
    execution: Execution,
    subject: ReportedPass,
    count: int,
    runs: ScriptRuns,
) -> bool:
    """Return whether a step is right in the turn ``count``, and change its result if it is not.

    The variable has the last of its values that the loss is made of.
    """
    name = formula.inputs[0]
    node = next((one for one in subject.order if one.name == name), None)
    value = execution.names.get(key)
    if node is None or not isinstance(value, Tensor) or value.shape != node.shape:
        return True
    right, made = np.asarray(subject.cotangents[node]), np.asarray(value.data)
    if is_near(made, right):
        return True
    check.is_right = check.is_right_here = False
    check.value, check.gradient = made, right
    check.remarks = [f"it is right in the first turn of the loop, and wrong in turn {count}"]
    before = np.asarray(runs.first.gradient([name]))
    if count == 2 and before.shape == right.shape and is_near(made - right, before):
        check.remarks.append(f"the value of the turn before is in it: {key} has to be 0 when a turn begins")
    else:
        check.remarks += wrong_entries_remarks([made], [right])
    return False


def is_near(value: Any, right: Any) -> bool:
    finite = np.abs(right[np.isfinite(right)])
    return bool(np.allclose(value, right, 0.0, TOLERANCE * finite.max(initial=1e-300), equal_nan=True))
