"""Formulas that are right only for the script's own constants: labels, data, scale factors, whole numbers."""

from __future__ import annotations

from functools import partial

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.approximations import far_remarks
from autodiff.grammar.by_hand.boundaries import is_beyond_boundaries
from autodiff.grammar.by_hand.constants import is_symmetric, numbers_of
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.points import NEAR_SPREAD, SamplePoints, all_known, formula_values, values_equal
from autodiff.grammar.by_hand.runs import LABELS, SPREAD, SYMMETRY, UNUSED
from autodiff.grammar.by_hand.sentences import format_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.grammar.by_hand.check import HandCheck
    from autodiff.grammar.by_hand.formula import Formula
    from autodiff.grammar.by_hand.runs import ScriptRun, ScriptRuns


def label_remarks(made: HandCheck, formula: Formula, runs: ScriptRuns) -> list[str]:
    """Return the remark on a formula that is right for labels, as the script's inputs are; set that it is."""
    labels = [text for leaf, text in runs.labels.items() if leaf.name in formula.names_read]
    if not labels or not made.is_right_here or not agrees(formula, runs, runs.moved(SPREAD, LABELS)):
        return []
    made.is_right = True
    return [labels_remark(labels)]


def labels_remark(labels: list[str]) -> str:
    return f"it is right where {' and '.join(labels)}, as in this script, and not in general"


def try_other_constants(made: HandCheck, formula: Formula, runs: ScriptRuns) -> None:
    """Try a right formula with other values of the constants in it; set what that shows."""
    read = {name: origins for name, origins in runs.behind.items() if name in formula.names_read}
    names = [name for name in runs.changeable if any(name in origins for origins in read.values())]
    if fixed := [
        name
        for name, origins in read.items()
        if not any(one in runs.changeable or runs.is_size(one) for one in origins)
    ]:
        made.remarks.append(f"tried with {in_words(fixed, runs)} only")
    near = NEAR_SPREAD[made.gradient.dtype.name]
    results = [agrees(formula, runs, runs.with_constants(names, spread)) for spread in (SPREAD, near)]
    run_at = partial(run_with_constants, runs, names)
    if results[0] is not None:
        made.varied = [name for name, origins in read.items() if not set(names).isdisjoint(origins)]
    if results[0]:
        is_approximation, remarks = far_remarks(formula, runs, partial(runs.with_constants, names), run_at)
        if is_approximation:
            made.is_right, made.remarks = False, remarks
            return
    if results[0] is not False or (results[1] and is_right_up_to_boundaries(formula, runs, names)):
        return
    idle = [name for name in names if not takes_part(name, made, runs)]
    guilty = [name for name in names if name not in idle]
    if agrees(formula, runs, runs.with_constants(guilty, SPREAD)) is not False:
        takes = "takes" if len(idle) == 1 else "take"
        made.remarks.append(f"{in_words(idle, runs)} {takes} no part in {runs.first.subject.name}")
        made.varied = [name for name in made.varied if not set(read[name]).issubset(idle)]
        return
    labels = [text for name in guilty if (text := runs.labels_in_words(name))]
    if labels and agrees(formula, runs, runs.with_constants(guilty, SPREAD, LABELS)):
        made.remarks.append(labels_remark(labels))
        return
    alone = [name for name in guilty if agrees(formula, runs, runs.with_constants([name], SPREAD)) is False]
    if formula.place is not None and any(numbers_of(runs.value(name)).size > 1 for name in alone or guilty):
        # The formula of an entry often has the numbers of that entry in it, beside the name of all of them.
        made.remarks.append(f"it is right only for {in_words(alone or guilty, runs)}")
        made.varied = [name for name in made.varied if set(read[name]).isdisjoint(alone or guilty)]
        return
    symmetric = " and ".join(name for name in guilty if is_symmetric(runs.value(name)))
    if symmetric and agrees(formula, runs, runs.with_constants(guilty, SPREAD, SYMMETRY)):
        made.is_right = None
        made.remarks = [
            f"it is right for symmetric {symmetric}, as in this script, and not in general",
            *corrections(formula, runs, guilty),
        ]
        return
    made.is_right = False
    made.remarks = wrong_for_others(formula, runs, alone or guilty)


def unused_remarks(formula: Formula, runs: ScriptRuns) -> list[str]:
    """Return the remark on inputs in a right formula that the output does not depend on here."""
    names = [str(leaf.name) for leaf in runs.unused if leaf.name in formula.names_read]
    if not names or agrees(formula, runs, runs.moved(SPREAD, UNUSED)) is not False:
        return []
    takes = "takes" if len(names) == 1 else "take"
    return [f"{in_words(names, runs)} {takes} no part in {runs.first.subject.name} here"]


def is_right_up_to_boundaries(formula: Formula, runs: ScriptRuns, names: list[str]) -> bool:
    """Whether a formula, right for constants near the script's, is wrong for others beyond a kink only."""
    run_at = partial(run_with_constants, runs, names)
    draws = [run.draw for run in runs.with_constants(names, SPREAD) if agrees(formula, runs, [run]) is False]
    return is_beyond_boundaries(formula, runs, draws, run_at)


def run_with_constants(runs: ScriptRuns, names: list[str], draw: int, spread: float) -> ScriptRun | None:
    """Return the run of a draw with other values of these constants; None if there is none."""
    return next((run for run in runs.with_constants(names, spread) if run.draw == draw), None)


def other_constants(formula: Formula, runs: ScriptRuns) -> list[ScriptRun]:
    """Return runs with other values of the constants that a formula reads, where labels stay labels.

    A change of the formula is proposed only if it is right there too.
    """
    own = () if formula.workings is None else formula.workings.own_names
    read = [origins for name, origins in runs.behind.items() if name in formula.names_read - set(own)]
    names = [name for name in runs.changeable if any(name in origins for origins in read)]
    return runs.with_constants(names, SPREAD, LABELS)


def agrees(formula: Formula, runs: ScriptRuns, chosen: Sequence[ScriptRun]) -> bool | None:
    """Whether a formula is right in these runs; None if that cannot be compared."""
    if not chosen:
        return None
    points = SamplePoints(runs, formula, list(chosen))
    try:
        return all_known(points.compare(formula_values(points, formula)))
    except UsageError:
        return None


def takes_part(name: str, made: HandCheck, runs: ScriptRuns) -> bool:
    """Whether the output or the gradient changes with a constant."""
    return any(
        not np.array_equal(run.subject.root.out, runs.first.subject.root.out)
        or not np.array_equal(run.gradient(made.by), runs.first.gradient(made.by))
        for run in runs.with_constants([name], SPREAD, moves_leaves=False)
    )


def wrong_for_others(formula: Formula, runs: ScriptRuns, names: list[str]) -> list[str]:
    """Return remarks on a formula that is right for the script's values of these constants only."""
    remarks = [f"it is right only because of {in_words(names, runs)} in this script"]
    points = SamplePoints(
        runs, formula, [runs.first, *runs.with_constants(names, SPREAD, moves_leaves=False)]
    )
    values = formula_values(points, formula)
    at = next((at for at, g in enumerate(points.gradients) if not values_equal(values[at], g)), 0)
    if at and not np.ndim(points.gradients[at]) and all(not np.ndim(points.number(x, at)) for x in names):
        where = ", ".join(f"{x} = {format_number(points.number(x, at))}" for x in names)
        value, right = format_number(values[at]), format_number(points.gradients[at])
        remarks.append(f"at {where} the formula gives {value}, and the gradient is {right}")
    return remarks + corrections(formula, runs, names)


def corrections(formula: Formula, runs: ScriptRuns, names: list[str]) -> list[str]:
    """Return the remark on the change that makes a formula right for other values of these constants too."""
    points = SamplePoints(runs, formula, [runs.first, *runs.with_constants(names, SPREAD)])
    node = dict(points.subject.wrt)[formula.inputs[-1]]
    changed = CorrectionSearch(formula, points, node).find_remark()
    return [changed] if changed else []


def in_words(names: list[str], runs: ScriptRuns) -> str:
    """Return constants with their values, if these are single numbers: ``y = 1 and the numbers of X``."""
    texts = []
    for name in names:
        x = numbers_of(runs.value(name))
        texts.append(f"{name} = {format_number(x.item())}" if x.size == 1 else f"these numbers of {name}")
    return " and ".join(texts)
