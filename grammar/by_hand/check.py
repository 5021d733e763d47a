"""Checks a derivative that was worked out by hand: ``dL/dw1 == -w2*x1 - w3*x2``.

The interpreter evaluates the formula at the script's own values and at random points around them, where
the script is run again. If the formula is wrong, its terms are compared with the paths of the graph, and
the factors of a term that matches none with the derivatives of the remaining path.
"""

from __future__ import annotations

from functools import partial
from math import isclose

from autodiff.core.base.errors import UsageError
from autodiff.core.base.extra_work import try_extra
from autodiff.core.base.lazy_imports import np, np_random
from autodiff.core.check.checked_functions import GradientFunction, OutputFunction
from autodiff.core.check.neighbourhood import Neighbours
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.report.kink import FORMULA_GAP
from autodiff.core.report.verdict import NOT_JUDGED, RIGHT, RIGHT_HERE, UNDECIDED, UNREADABLE, WRONG
from autodiff.core.why.kinks import hidden_jumps, kinks_of
from autodiff.grammar.by_hand.approximations import far_remarks, remarks_at_other_scales
from autodiff.grammar.by_hand.boundaries import is_beyond_boundaries
from autodiff.grammar.by_hand.branches import is_right_elsewhere, other_side_remarks
from autodiff.grammar.by_hand.corrections import CorrectionSearch
from autodiff.grammar.by_hand.expected_lines import expected_line, expected_step, missing_lines
from autodiff.grammar.by_hand.formula import Formula, NotJudgedError, ShapeMismatchError
from autodiff.grammar.by_hand.gaps import gap_remarks
from autodiff.grammar.by_hand.left_side import LeftSide
from autodiff.grammar.by_hand.loop_lines import tell_turn
from autodiff.grammar.by_hand.other_constants import (
    label_remarks,
    other_constants,
    try_other_constants,
    unused_remarks,
)
from autodiff.grammar.by_hand.other_incoming import other_incoming_remarks
from autodiff.grammar.by_hand.own_entries import own_entries_remarks
from autodiff.grammar.by_hand.path_comparison import find_mistakes
from autodiff.grammar.by_hand.plain_numbers import right_here_remark
from autodiff.grammar.by_hand.points import (
    NEAR_SPREAD,
    SamplePoints,
    all_known,
    broadcasts_to,
    formula_values,
    is_plain_number,
)
from autodiff.grammar.by_hand.runs import SPREAD, SYMMETRY
from autodiff.grammar.by_hand.sentences import (
    far_away_remarks,
    format_number,
    other_points_remarks,
    other_row_remarks,
    rounded_remarks,
    transposed_remarks,
    undefined_remarks,
    wrong_entries_remarks,
)
from autodiff.grammar.by_hand.versions import (
    first_versions,
    meant_versions,
    other_inputs,
    other_versions,
    updated_names,
)
from autodiff.grammar.by_hand.written_digits import agreeing_digits, digits_remarks
from autodiff.grammar.by_hand.wrong_backward import blame_backward
from autodiff.grammar.session.script_kinks import is_of_script, make_kink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source
    from autodiff.core.check.neighbourhood import Leap
    from autodiff.core.graph.node import Node
    from autodiff.core.report.kink import Kink
    from autodiff.grammar.by_hand.own_scale import OwnScale
    from autodiff.grammar.by_hand.runs import ScriptRuns

#: How many kinks a remark names.
MAX_KINKS = 3
#: How far slopes on both sides may be apart that are the same but for rounding.
SAME_SLOPE = 1e-9
NO_FORMULA = "the script's values are at a kink, where no formula is right"
REASON = "the search for the reason"
NOT_FINITE = "the gradient is not finite at the script's values, which proves nothing about a number"


class HandCheck:
    """The result of checking one formula.

    ``is_right`` says that the formula is right at every point, or at every nearby one; ``is_right_here``, at
    the script's own values. Both are None if the values agree but none is finite, which proves nothing.
    ``is_right`` is also None if the script's values are at a kink and the formula is right around it. A
    formula that is only a number need not be right at other points, nor one beyond a kink or in another
    branch of the script; ``is_right_here_only`` says that it is not.

    ``value`` is the formula's value, ``gradient`` the right one, which may be a whole Jacobian. ``remarks``
    say what is wrong, the most important first. ``points`` counts the points where something finite was
    compared. ``varied`` are the constants of the script with other values of which the formula was tried too.

    ``error`` is set if the formula cannot be read or computed; nothing else is known then.
    ``is_number`` says that the formula reads no names of the script, ``is_member`` that the result is that of
    one member of a chain ``dL/dw = ... = ...``. ``digits`` says to which digits a rounded number is right.

    ``left`` is the derivative that is meant, of ``output``, and ``place`` the entry of it, None for all
    entries. ``step`` is the file and the line of a step of a derivation, ``step_source`` its text, and
    ``key`` the name that it gives the gradient.
    ``own_scale`` is set where it is computed from multiples of gradients, or gives one itself, which later
    steps divide out: it is right all the same.
    """

    __slots__ = (
        *("by", "digits", "error", "formula", "gradient", "is_jacobian", "is_member", "is_number"),
        *("is_right", "is_right_here", "is_right_here_only", "key", "left", "output", "own_scale", "place"),
        *("points", "remarks", "step", "step_source", "value", "varied"),
    )

    def __init__(self, left: str, by: list[str], place: tuple[int, ...] | None, formula: str) -> None:
        self.left = left
        self.by = by
        self.place = place
        self.formula = formula
        self.is_right: bool | None = True
        self.is_right_here: bool | None = True
        self.is_right_here_only = False
        self.error: UsageError | None = None
        self.output = ""
        self.value: Any = None
        self.gradient: Any = None
        self.points = 1
        self.remarks: list[str] = []
        self.step: tuple[str, int] | None = None
        self.step_source: Source | None = None
        self.key = ""
        self.varied: list[str] = []
        self.digits = ""
        self.is_jacobian = self.is_number = self.is_member = False
        self.own_scale: OwnScale | None = None

    @property
    def spelled(self) -> str:
        """The whole equation, with its place in a file: ``dL/dw == 2*w (steps.txt:3)``."""
        place = "" if self.step is None else f" ({self.step[0]}:{self.step[1]})"
        return (f"{self.left} == {self.formula}" if self.left else self.formula) + place

    @property
    def verdict(self) -> str:
        if self.error is not None:
            return NOT_JUDGED if isinstance(self.error, NotJudgedError) else UNREADABLE
        if self.is_right is None:
            return UNDECIDED
        if self.is_right:
            return RIGHT_HERE if self.is_right_here_only else RIGHT
        return WRONG


def unreadable(text: str, error: UsageError, step: tuple[str, int] | None) -> HandCheck:
    """Return the result for a formula, or a line of a derivation, that cannot be read or computed."""
    made = HandCheck("", [], None, text)
    made.is_right = made.is_right_here = None
    made.error, made.step, made.step_source = error, step, error.source
    made.points = 0
    return made


def check_formula(formula: Formula, inputs: list[str], runs: ScriptRuns) -> HandCheck:
    """Compare a formula with the gradient of one input, at the script's values and at those of its reruns.

    ``inputs`` has the name of the input, or two names for a second derivative. Of a chain, each member is
    compared.
    """
    formula.give_signs(runs.first)
    found = [check_member(one, inputs, runs) for one in formula.members]
    return found[0] if len(found) == 1 else chain_result(found)


def chain_result(found: list[HandCheck]) -> HandCheck:
    """Return the result for a chain: that of the first member that is not right, if there is one.

    A number beside a formula need be right at the script's values only.
    """
    formulas = [one for one in found if not one.is_number]
    for verdict in (WRONG, UNDECIDED):
        for one in found:
            if one.verdict == verdict:
                one.is_member = True
                return one
    made = next((one for one in formulas if one.is_right_here_only), (formulas or found)[0])
    made.remarks = [
        f"`{one.formula}`: {remark}"
        for one in found
        for remark in (one.remarks if one is made or one in formulas else told_digits(one))
    ]
    made.formula = " == ".join(one.formula for one in found)
    return made


def told_digits(check: HandCheck) -> list[str]:
    return [f"it is right {check.digits}"] * bool(check.digits)


def check_member(formula: Formula, inputs: list[str], runs: ScriptRuns) -> HandCheck:
    """Compare one right side with the gradient."""
    if formula.left is None:
        formula.left = LeftSide("", tuple([(name, None) for name in inputs]))
    formula.refuse_itself()
    spelled = formula.left.spelled(runs.first.subject.name)
    made = HandCheck(spelled, inputs, formula.place, formula.written)
    made.output = runs.first.subject.name
    made.step = formula.step
    made.step_source = None if formula.step is None else formula.given
    made.key = "" if formula.workings is None else formula.workings.segment.key
    if not try_extra(REASON, lambda: compare(made, formula, runs), False):
        runs.may_rerun, runs.is_time_over = False, True
        compare(made, formula, runs)
    if made.is_right is False:
        expected: list[str] = try_extra(REASON, lambda: expected_remarks(formula, runs), [])
        made.remarks += [one for one in expected if one not in made.remarks]
    made.remarks = [formula.upstream.spell(remark) for remark in made.remarks]
    return made


def compare(made: HandCheck, formula: Formula, runs: ScriptRuns) -> bool:
    """Set the result of comparing a right side with the gradient, and return True."""
    made.remarks = []
    segment = None if formula.workings is None else formula.workings.segment
    if segment is not None and segment.turn is not None:
        tell_turn(made, formula, runs)
    elif segment is not None and segment.overwrites is not None:
        tell_overwriting(made, formula, runs, segment.overwrites)
    else:
        compare_with_gradient(made, formula, runs)
    return True


def tell_overwriting(made: HandCheck, formula: Formula, runs: ScriptRuns, line: int) -> None:
    """Set the result for a step that replaces the part of a derivative from an earlier line."""
    assert formula.workings is not None
    assert formula.step is not None
    key = formula.workings.segment.key
    points = SamplePoints(runs, formula, [runs.first])
    made.gradient, made.value = points.gradients[0], np.asarray(formula.value(points.names[0]))
    made.is_right = made.is_right_here = False
    made.remarks = [f"line {formula.step[1]} overwrites the {key} of line {line}: write `{key} += ...`"]


def expected_remarks(formula: Formula, runs: ScriptRuns) -> list[str]:
    """Return remarks with the right line for a name that goes on from one value's gradient to another's."""
    if formula.workings is None:
        return []
    points = SamplePoints(runs, formula, runs.around(SPREAD))
    segment, remarks = formula.workings.segment, []
    if segment.before is not None and points.node is not None:
        line = expected_line(segment.key, segment.before, points.node, points)
        remarks += [f"expected: {line}"] if line else []
    nodes = formula.upstream.nodes(points.subject, runs.first.execution)
    known = {one.written: node for one, (_, node, *_) in zip(formula.upstream.found, nodes, strict=True)}
    for key, after in formula.workings.left_out.items():
        line = expected_line(key, known[key], after, points) if key in known else ""
        remarks += [f"a line is missing before it: {line}"] if line else []
    return remarks


def compare_with_gradient(made: HandCheck, formula: Formula, runs: ScriptRuns) -> None:
    """Set the result of comparing a formula with the gradient."""

    def sample(spread: float) -> SamplePoints:
        return SamplePoints(runs, formula, runs.around(spread))

    points = sample(SPREAD)
    made.gradient = points.gradients[0]
    made.is_jacobian = points.is_jacobian and formula.left is not None and formula.left.row is None
    shape = np.shape(made.gradient)
    number_of_points = len(points.names)
    try:
        computed = formula_values(points, formula)
        if len(computed) == 1 < number_of_points:
            points = sample(NEAR_SPREAD[made.gradient.dtype.name])
            computed = formula_values(points, formula)
            made.remarks = ["further away it cannot be compared: the script has values of other shapes there"]
        made.value = computed[0]
        what = "Jacobian" if made.is_jacobian else "gradient"
        unfit = f"the formula has the shape {computed[0].shape}, the {what} {shape}"
        unfit += kept_dimension(formula, computed[0].shape, shape)
    except ShapeMismatchError as error:
        message = error.message.removeprefix("--formula: ")
        computed, unfit = [], f"it cannot be computed: {message} in `{excerpt(error)}`"
    if not computed or not broadcasts_to(computed[0].shape, shape):
        made.is_right = made.is_right_here = False
        node = dict(points.subject.wrt)[made.by[-1]]
        made.remarks = [unfit, *formula.upstream.jacobians(points.subject, runs.first.execution)]
        made.remarks += try_extra(REASON, lambda: unfit_remarks(formula, points, computed, node), [])
        return
    computed, right = compare_at(points, made, formula, computed)
    if not runs.may_rerun:
        answer_here(made, points, runs)
        return
    remarks = []
    if formula.names_read.isdisjoint(points.names[0]):
        remarks = number_at_kink_remarks(made, points, runs)
    elif all_known(right[1:]) is not False:
        remarks = script_kink_remarks(made, points, runs)
        if not remarks and made.is_right:
            remarks = number_at_kink_remarks(made, points, runs)
    if remarks:
        made.is_right, made.remarks = None, remarks
    elif made.is_right is False and (first := first_versions(formula, points, runs)):
        made.is_right = made.is_right_here = True
        made.value, made.remarks = made.gradient, first
    elif made.is_right is False:
        meant: list[str] = try_extra(REASON, lambda: meant_versions(formula, points, runs), [])
        explain_difference(made, formula, points, computed, right, runs)
        at = len(made.remarks) if formula.workings is None else -1  # the last one tells of a later step
        made.remarks[at:at] = meant
    elif made.is_right and made.is_right_here is None and np.isnan(made.gradient).any():
        made.is_right, made.remarks = None, undefined_remarks(computed[0], made.gradient)
    elif made.is_right_here or np.isfinite(made.gradient).all():
        look_further(made, formula, points, runs)
        if formula.digits and not made.is_right_here_only:
            made.remarks[:0] = told_digits(made)


def kept_dimension(formula: Formula, shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Return what to write where a sum drops a dimension of size 1 that the gradient has; else "".

    A shape is wrong that is not broadcast to the gradient's: (3,) is to (1, 3), and (4,) not to (4, 1).
    """
    text = formula.source.text
    is_dropped = len(shape) < len(wanted) and shape == tuple(size for size in wanted if size != 1)
    if not is_dropped or "keepdim" in text or not any(name in text for name in ("sum(", "mean(")):
        return ""
    option = "keepdim" if "dim=" in text else "keepdims"
    return f": write {option}=True"


def unfit_remarks(formula: Formula, points: SamplePoints, computed: list[Any], node: Node) -> list[str]:
    """Return remarks on a formula of another shape than the gradient, which say what would fit."""
    known = transposed_remarks(points, computed) or other_inputs(formula, points, computed)
    repaired = "" if known else CorrectionSearch(formula, points, node).find_remark()
    return known or [repaired] * bool(repaired)


def compare_at(
    points: SamplePoints, made: HandCheck, formula: Formula, computed: list[Any]
) -> tuple[list[Any], list[bool | None]]:
    """Set at which points a formula with these values is right; return its values and whether it is, at each.

    A number that is rounded has the value that it is rounded from.
    """
    right = points.compare(computed)
    made.is_number = is_plain_number(formula, points)
    if right[0] is False and (digits := agreeing_digits(formula, computed[0], made.gradient)):
        formula.stands_for, formula.digits, made.digits = made.gradient, digits, digits
        computed = [made.gradient] * len(computed)
        right = points.compare(computed)
    made.is_right_here, made.is_right = right[0], all_known(right)
    made.points = sum(is_right is not None for is_right in right)
    return computed, right


def look_further(made: HandCheck, formula: Formula, points: SamplePoints, runs: ScriptRuns) -> None:
    """Set whether a formula that is right at the points is right further away, and for other constants."""
    meant = meant_versions(formula, points, runs) if made.is_right_here else []
    is_approximation, remarks = far_remarks(formula, runs, runs.moved, runs.moved_once)
    if not is_approximation and (scaled := remarks_at_other_scales(formula, runs)):
        is_approximation, remarks = True, scaled
    if is_approximation:
        made.is_right = made.is_right_here_only = is_plain_number(formula, points)
        made.remarks = [*remarks, *meant]
        return
    if not made.is_right_here:
        return
    try_other_constants(made, formula, runs)
    remarks = remarks or other_side_remarks(formula, runs) or other_incoming_remarks(formula, points, runs)
    if made.is_right and remarks:
        made.is_right_here_only = True
        made.remarks += remarks
    made.remarks += [*unused_remarks(formula, runs), *meant]


def excerpt(error: UsageError) -> str:
    """Return the text that an error points at, on one line."""
    assert error.source is not None
    assert error.span is not None
    return " ".join(error.source.excerpt(error.span).split())


def answer_here(made: HandCheck, points: SamplePoints, runs: ScriptRuns) -> None:
    """Set what can be said of a formula that was compared at the script's own values only."""
    if runs.is_time_over:
        reason, after = "the time was over before", ""
    else:
        large = f"the graph of {len(points.subject.order):,} nodes is so large that"
        reason, after = large, " only with --all, which takes long"
    if made.is_right_here is False:
        made.is_right = False
        made.remarks = [f"{reason} the mistake, or a kink, {'was' if not after else 'is'} looked for{after}"]
        return
    made.is_right = None
    found = "it is right at the script's values" if made.is_right_here else "neither value is finite"
    made.remarks = [f"{found}; {reason} other values {'were' if not after else 'are'} tried{after}"]


def explain_difference(
    made: HandCheck,
    formula: Formula,
    points: SamplePoints,
    computed: list[Any],
    right: list[bool | None],
    runs: ScriptRuns,
) -> None:
    """Set the remarks on a formula that is wrong at some points, and whether it is right all the same.

    ``computed`` has the formula's value at each of the ``points``, and ``right`` whether it is the gradient.
    """
    near = SamplePoints(runs, formula, runs.around(NEAR_SPREAD[made.gradient.dtype.name]))
    if made.is_right_here is False:
        made.remarks = right_around_remarks(made, points, computed, runs) if all_known(right[1:]) else []
        made.remarks = made.remarks or gap_remarks(formula, points, computed, near)
        if not made.remarks and len(right) == 1 and is_right_elsewhere(formula, runs):
            made.remarks = ["it is right around the script's values; at them the script takes another branch"]
        if made.remarks:
            made.is_right = None
            return
        if blame_backward(made, formula, points, computed[0]):
            return
    compared = [at for at, is_right in enumerate(right) if is_right is not None]
    points.keep(compared)
    computed = [computed[at] for at in compared]
    if made.is_right_here is not False:
        wrong = [points.runs[new].draw for new, old in enumerate(compared) if right[old] is False]
        is_right_near = all_known(near.compare(formula_values(near, formula)))
        if is_right_near and is_beyond_boundaries(formula, runs, wrong, runs.moved_once):
            made.is_right = made.is_right_here_only = True
            made.points -= len(wrong)
            made.remarks = far_away_remarks(points, computed)
            return
        if is_plain_number(formula, points) and made.is_right_here is None:
            made.is_right, made.points, made.remarks = None, 0, [NOT_FINITE]
            return
        if is_plain_number(formula, points):
            made.is_right = made.is_right_here_only = True
            made.points = 1
            made.remarks = [right_here_remark(formula, points, computed)]
            return
    if made.is_right_here is None:
        made.remarks = other_points_remarks(made.gradient, points, computed)
        return
    entries = wrong_entries_remarks(computed, points.gradients)
    made.remarks = (
        transposed_remarks(points, computed)
        or other_row_remarks(formula, points, computed)
        or label_remarks(made, formula, runs)
        or symmetry_remarks(made, formula, points, runs)
        or try_extra(REASON, lambda: reason_remarks(made, formula, points, computed, runs), entries)
    )


def reason_remarks(
    made: HandCheck, formula: Formula, points: SamplePoints, computed: list[Any], runs: ScriptRuns
) -> list[str]:
    """Return remarks on what is wrong in a formula that is wrong."""
    return (
        other_versions(formula, points, computed, runs)
        or updated_names(formula, points)
        or digits_remarks(formula, computed[0], points.gradients[0])
        or rounded_remarks(formula, points, computed)
        or [*changed_remarks(made, formula, points, computed, runs), *other_inputs(formula, points, computed)]
    )


def changed_remarks(
    made: HandCheck, formula: Formula, points: SamplePoints, computed: list[Any], runs: ScriptRuns
) -> list[str]:
    """Return remarks on the terms and factors that are wrong, or on a change that makes a formula right."""
    tried = SamplePoints(runs, formula, [*points.runs, *other_constants(formula, runs)])
    if formula.is_second:
        points, kept = points.in_gradient_graph(made.by)
        computed = [computed[at] for at in kept]
        tried = points
    node = dict(points.subject.wrt)[made.by[-1]]
    entries = wrong_entries_remarks(computed, points.gradients)  # the next line may keep one point
    remarks = find_mistakes(formula, node, points, computed, tried)
    unfolded = None if formula.workings is None else formula.workings.unfolded
    if unfolded is not None and remarks == entries:
        tried = SamplePoints(runs, unfolded, points.runs)
        found = CorrectionSearch(unfolded, tried, node).find_remark()
        if found:
            return [found]
    if remarks == entries:
        remarks = own_entries_remarks(formula, points, computed, runs) or entries
    if formula.workings is not None and remarks == entries:
        remarks = [*missing_lines(formula, points, runs), *remarks, *expected_step(formula, points, runs)]
    return remarks


def right_around_remarks(
    made: HandCheck, points: SamplePoints, computed: list[Any], runs: ScriptRuns
) -> list[str]:
    """Return remarks on a formula that is wrong at the script's values only; none at a smooth point."""
    return kink_remarks(made, points, runs) or undefined_remarks(computed[0], points.gradients[0])


def symmetry_remarks(made: HandCheck, formula: Formula, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return remarks on a formula that is right for symmetric matrices; undecided if the script's are."""
    moved = runs.moved(SPREAD, SYMMETRY) if runs.square_leaves and formula.place is None else []
    symmetric = SamplePoints(runs, formula, moved) if moved else None
    if symmetric is None or not all_known(symmetric.compare(formula_values(symmetric, formula))):
        return []
    square = [str(leaf.name) for leaf in runs.square_leaves]
    names = " and ".join([name for name in square if name in formula.names_read] or square)
    search = CorrectionSearch(formula, points, dict(points.subject.wrt)[made.by[-1]])
    in_general = try_extra(REASON, search.find_remark, "")
    remarks = [in_general] if in_general else []
    if made.is_right_here:
        made.is_right = None
        return [f"it is right for symmetric {names}, as in this script, and not in general", *remarks]
    return [*remarks, f"it is right for symmetric {names} only"]


def script_kink_remarks(made: HandCheck, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return remarks on a choice of the script between equal numbers, where the derivative leaps; else none.

    The runs on the other side of the choice have another graph, so the formula was not compared there.
    """
    if not runs.rerun.first.ties:
        return []
    kinks = op_kinks(made, points, runs)
    found = find_leap(made, kinks, runs)
    if found is None or not found[1]:
        return []
    return [NO_FORMULA, *map(in_line, [*kinks, *found[1]][:MAX_KINKS])]


def number_at_kink_remarks(made: HandCheck, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return remarks on a formula that is a number between the slopes of the two sides of a kink; else none.

    The number that an op with a kink answers there is a convention: it is not right either.
    """
    kinks = op_kinks(made, points, runs)
    if not (runs.rerun.first.ties or kinks):
        return []
    found = find_leap(made, kinks, runs)
    if found is None or np.size(made.value) != 1 or np.size(made.gradient) != 1:
        return []
    leap, of_script = found
    low, high = sorted([leap.below, leap.above])
    given, value = float(made.gradient.item()), float(made.value.item())
    if kinks and isclose(low, high, rel_tol=SAME_SLOPE) and value in (low, given) and low != given:
        # The kinks of several ops cancel, as in relu(x) - relu(-x): the conventions add up to no slope.
        sides = (
            f"backward gives {format_number(given)} here, but the slope on both sides is {format_number(low)}"
        )
        return [sides, *map(in_line, kinks[:MAX_KINKS])]
    if not low <= value <= high:
        return []
    kinks = [*kinks, *of_script][:MAX_KINKS]
    return [NO_FORMULA, *map(in_line, kinks)] if kinks else []


def find_leap(made: HandCheck, kinks: list[Kink], runs: ScriptRuns) -> tuple[Leap, list[Kink]] | None:
    """Return the leap of the derivative at the script's values; None without a leap.

    With it comes the choice of the script that has to do with it, if any, beside the ``kinks`` of ops.
    """
    target = made.by[-1]
    if made.is_jacobian or any(name != target for name in made.by):
        return None
    subject = runs.first.subject
    node = dict(subject.wrt)[target]
    if len(made.by) == 1:
        own = OutputFunction(subject, target, node)
    else:
        own = GradientFunction(subject, target, node, np.ones(np.shape(node.out)))
    again = partial(runs.rerun.moved_subject, subject)
    moved = [leaf for leaf in runs.leaves if leaf.number in runs.rerun.first.numbers]
    neighbours = Neighbours(moved, again, np_random.default_rng(runs.seed))
    leap = neighbours.find_leap(own, node)
    if leap is None or not neighbours.is_repeatable(own):
        return None
    ties = runs.rerun.first.ties
    if not ties or not is_of_script(kinks, neighbours, own, node):
        return leap, []
    return leap, [make_kink(leap, own, ties, runs.first.execution.source)]


def kink_remarks(made: HandCheck, points: SamplePoints, runs: ScriptRuns) -> list[str]:
    """Return remarks on a formula that is wrong only at the script's values; none if no kink is there.

    Most kinks leave second derivatives as they are: these have to leap.
    """
    kinks = op_kinks(made, points, runs)
    if kinks and len(made.by) > 1 and find_leap(made, kinks, runs) is None:
        return []
    first = "it is right around the script's values; at them the gradient is a convention, that for a kink"
    return [first, *map(in_line, kinks[:MAX_KINKS])] if kinks else []


def in_line(kink: Kink) -> str:
    """Return what is said of a kink."""
    return f"in line {kink.line}, {kink.text}" if kink.line else kink.text


def op_kinks(made: HandCheck, points: SamplePoints, runs: ScriptRuns) -> list[Kink]:
    """Return the kinks of ops at the script's values; jumps where no gradient arrives if the slope leaps."""
    subject = points.subject
    node = dict(subject.wrt)[made.by[-1]]
    leading = nodes_leading_to(subject.order, [node])
    found = kinks_of(leading, subject.cotangents, lambda: points.node_names, len(made.by))
    kinks = [kink for kink in found if kink.kind != FORMULA_GAP]
    if not kinks and runs.may_rerun:
        kinks = list(hidden_jumps(subject, node, lambda: points.node_names))
        kinks = [] if kinks and find_leap(made, kinks, runs) is None else kinks
    return kinks
