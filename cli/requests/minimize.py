"""Turns the request of ``minimize`` into the inputs at which the output is least."""

from __future__ import annotations

from functools import cache, partial

from autodiff.cli.process.streams import visible
from autodiff.cli.render.minimum import spell_flat
from autodiff.cli.requests.broken_slopes import (
    enter_gradients,
    find_broken_slope,
    note_slopes_left_out,
)
from autodiff.cli.requests.derivatives import Question
from autodiff.cli.requests.fail_on import judge
from autodiff.cli.requests.hints import PLACES, in_line, is_finite, similar_command
from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.least_squares import common_weight
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import JUMP, KINK, SINGULAR
from autodiff.core.report.minimum import Minimum
from autodiff.core.why.kink_table import KINK_RULES
from autodiff.core.why.kinks import kinks_of
from autodiff.grammar.session.minimum import (
    FALLS_AND_BENDS_DOWN,
    NO_STEP_DOWN,
    covariance_at,
    default_method,
    search_minimum,
)
from autodiff.grammar.session.objective import Objective
from autodiff.grammar.session.rerun import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.cli.requests.session import Session
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.minimum import Search

#: The digits to which inputs are rounded to find a kink close by.
ROUNDINGS = range(8, -1, -1)
#: An input that has become so many times as large, without an effect, has run away.
FAR = 1e6


def make_minimum(session: Session, show: Callable[[Minimum], None]) -> Minimum:
    """Run the script, and search from its inputs. Notes why the search ended early, or what is not known.

    If the time is over before the search has ended, ``show`` gets the lowest place until then.
    """
    probe = Probe()
    asked = Question(session, weighed=False, probe=probe)
    if not asked.report.gradients:
        raise UsageError("there is no input to move", code="E0603", help=("name some with --wrt",))
    note_numbers_as_data(session, asked)
    objective = Objective(asked.execution, asked.settings, probe, asked.subject)
    absolute_sigma = bool(session.request.values.get("absolute_sigma"))
    if absolute_sigma:
        refuse_weights(objective)
    method = session.request.text("method")
    if method in (None, "auto"):
        method = default_method(objective)
    session.show_so_far = lambda: show(lowest_so_far(asked, objective, method))
    session.time_help = lambda: advice_on_time(asked, objective)
    found = search_minimum(objective, method)
    if found.broken is not None:
        tell_broken_slope(session, asked, found)
    subject = objective.run(found.place)
    covariance, why, flat = errors_there(objective, found, subject, absolute_sigma)
    squares = 0.0
    if objective.parts is not None:
        residuals = objective.residuals(found.place)
        squares = float(residuals @ residuals) / common_weight(objective.parts)
    if not found.has_converged:
        session.note(f"the search has not converged: {found.reason}", "warning")
    made = Minimum(
        report=describe(subject, objective.source, graph=False, derivations=False),
        start=objective.start,
        value=objective.value(found.place),
        method=found.method,
        steps=found.steps,
        has_converged=found.has_converged,
        reason=found.reason,
        covariance=covariance,
        why=why,
        flat=flat,
        residual_count=objective.size,
        residuals=tuple(objective.residual_names),
        sum_of_squares=squares,
        absolute_sigma=absolute_sigma,
    )
    if found.has_converged and why:
        session.note(f"there are no standard errors: {why}{spell_flat(made)}")
    session.show_so_far = session.time_help = None
    if objective.left_out is not None:
        enter_gradients(made.report, objective.gradient(found.place))
        note_slopes_left_out(session, asked.settings, objective.left_out)
    if session.request.texts("fail_on"):
        judge(session, [made.report], {"nan": (f"there are no standard errors: {why}", None)} if why else {})
    return made


def tell_broken_slope(session: Session, asked: Question, found: Search) -> None:
    """Say where a value or a slope comes from that is not finite; raises UsageError if it is at the start."""
    subject = found.broken
    assert subject is not None
    broken = find_broken_slope(session, asked.settings, subject)
    if found.steps:
        found.reason += "" if broken is None else f": {broken.sentence}"
        return
    what, caret, span, help = "the output", "", None, ["give other starting values with --set"]
    if broken is not None:
        if is_finite(subject.value):
            what = f"the slope by {visible(broken.name)}"
        caret, span = broken.text, broken.cause.span
        weights = ("--grad-output", "ones") if np.size(subject.value) > 1 else ()
        explain = similar_command("explain", session.request, asked.report, *weights, "--wrt", broken.name)
        if not session.request.texts("wrt") and len(subject.wrt) > 1:
            help.append("if some inputs are data, name those to move with --wrt")
        help = [*(["leave this row out"] if broken.row else help), f"{explain} says more"]
    raise UsageError(
        f"{what} is not finite at the start, so there is no way down",
        code="E0605",
        caret=caret,
        span=span,
        help=tuple(help),
    )


def errors_there(
    objective: Objective, found: Search, subject: ReportedPass, absolute_sigma: bool
) -> tuple[Any, str, Any]:
    """What ``covariance_at`` returns for the place where a search ended.

    A search that ran off has not converged. Its reason, and that of one that stops, is entered.
    """
    kink = kink_near(objective, found)
    nothing = None, "the search has not converged", np.zeros((0, len(found.place)))
    if found.has_converged and kink:
        return None, kink, nothing[2]
    if found.has_converged:
        covariance, why, flat = covariance_at(objective, found.place, absolute_sigma=absolute_sigma)
        if not is_far_off(objective, found.place, flat, covariance):
            return covariance, why, flat
        found.has_converged = False
        found.reason = "it went far off, to where inputs change next to nothing: start elsewhere with --set"
        return None, why or nothing[1], flat
    is_near = not has_moved_far(objective, found.place).any()
    if kink:
        found.reason += f"; {kink}"
    elif is_near and found.reason in (FALLS_AND_BENDS_DOWN, NO_STEP_DOWN):
        found.reason = reason_of_kinks(objective, subject) or found.reason
    return nothing


def note_numbers_as_data(session: Session, asked: Question) -> None:
    """Note the numbers of the script that columns replace: these are no parameters of the fit."""
    if session.request.texts("wrt"):
        return
    for name, (before, now) in asked.execution.reshaped.items():
        if name in asked.execution.data and now and not before:
            session.note(
                f"`{name}` is one number in the script, and a column of the data replaces it: it is data"
                " here, no parameter; give a parameter a name that no column has"
            )


def lowest_so_far(asked: Question, objective: Objective, method: str) -> Minimum:
    """The lowest place of a search that goes on; nothing is run for it."""
    report, first = asked.report, 0
    for variable in report.gradients:
        end = first + int(np.size(variable.value))
        variable.value = objective.lowest[first:end].reshape(variable.shape)
        first = end
    return Minimum(
        report=report,
        start=objective.start,
        value=objective.least,
        method=method,
        steps=objective.runs,
        has_converged=False,
        reason="the time was over",
        covariance=None,
        why="the search has not converged",
        flat=np.zeros((0, len(objective.start))),
        residual_count=objective.size,
        residuals=tuple(objective.residual_names),
        sum_of_squares=0.0,
        absolute_sigma=False,
    )


def advice_on_time(asked: Question, objective: Objective) -> str:
    """How far a search has come whose time is over, and what makes it shorter."""
    first = objective.objective_of(objective.first)
    runs = f"{objective.runs:,} run{'s' * (objective.runs != 1)} of the script"
    come = f"the objective came down from {first:.6g} to {objective.least:.6g} in {runs}"
    if asked.execution.ends_in_steps():
        return (
            f"{come}, each of which repeats the loop that the script ends in, though only the values in"
            " its last turn are moved: write the loss once in place of the loop"
        )
    return f"{come}: go on from there with --set, ask about fewer inputs with --wrt"


def is_far_off(objective: Objective, place: Any, flat: Any, covariance: Any) -> bool:
    """Whether an input has gone far from its start in a flat direction, or in one that is nearly flat.

    A flat direction is a row of ``flat``. In one that is nearly flat the standard error exceeds the way.
    """
    loose = flat.any(axis=0)
    if covariance is not None:
        loose |= np.sqrt(np.diag(covariance)) > np.abs(place - objective.start)
    return bool((loose & has_moved_far(objective, place)).any())


def has_moved_far(objective: Objective, place: Any) -> Any:
    """Which inputs have gone far from their start."""
    units = np.where(objective.start == 0, 1.0, np.abs(objective.start))
    return np.abs(place - objective.start) > FAR * units


def reason_of_kinks(objective: Objective, subject: ReportedPass) -> str:
    """Say which op has kinks, so that the slopes of a search do not show the way down; "" if none has."""
    for node in subject.order:
        rules = () if node.op is None else KINK_RULES.get(node.op.name, ())
        if node.op is not None and any(rule.kind == KINK for rule in rules):
            line = None if node.site is None else objective.source.position(node.site.start)[0]
            return (
                f"{node.op.name}{in_line(line)} has kinks, where the slopes do not show the way down:"
                " write a smooth function for it"
            )
    return ""


def refuse_weights(objective: Objective) -> None:
    """Raise UsageError unless the objective is the plain sum of the squares of residuals.

    With another factor than 1, as in a mean or in half of the sum, it is not known what the deviations are.
    """
    if objective.parts is None:
        what = "the output is no sum of squares"
    elif any((part.roots() != 1).any() for part in objective.parts):
        what = "the squares are multiplied by numbers or divided by them"
    else:
        return
    raise UsageError(
        f"--absolute-sigma: {what}",
        code="E0605",
        help=("end the script in residuals divided by their standard deviations, as in r = (f - v)/s",),
    )


def kink_near(objective: Objective, found: Search) -> str:
    """Say which op has a kink where a search ended, or close by if the output is no higher there; else "".

    A search that does not converge may end beside a kink, and most kinks are at short numbers.
    """
    places = [found.place]
    if not found.has_converged:
        units = np.maximum(np.abs(objective.start), np.abs(found.place))
        units = 10.0 ** np.floor(np.log10(np.where(units > 0, units, 1.0)))
        places += [np.round(found.place / units, digits) * units for digits in ROUNDINGS]
    least = objective.value(found.place)
    for place in places:
        if not objective.value(place) <= least:
            continue
        subject = objective.run(place)
        names = cache(partial(NodeNames, subject.order, objective.source))
        for kink in kinks_of(subject.order, subject.cotangents, names):
            if kink.kind in (KINK, JUMP, SINGULAR):
                where = "there" if np.array_equal(place, found.place) else "close by"
                return f"{kink.function}{in_line(kink.line)} is {PLACES[kink.kind]} {where}"
    return ""
