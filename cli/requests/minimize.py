"""Turns the request of ``minimize`` into the inputs at which the output is least."""

from __future__ import annotations

from autodiff.cli.requests.derivatives import Question
from autodiff.core.base.errors import UsageError
from autodiff.core.derivation.describe import describe
from autodiff.core.derivation.least_squares import common_weight
from autodiff.core.report.minimum import Minimum
from autodiff.grammar.session.minimum import covariance_at, default_method, search_minimum
from autodiff.grammar.session.objective import Objective
from autodiff.grammar.session.rerun import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.cli.requests.session import Session


def make_minimum(session: Session) -> Minimum:
    """Run the script, and search from its inputs. Notes why the search ended early, or what is not known."""
    probe = Probe()
    asked = Question(session, weighed=False, probe=probe)
    if not asked.report.gradients:
        raise UsageError("there is no input to move", code="E0603", help=("name some with --wrt",))
    objective = Objective(asked.execution, asked.settings, probe, asked.subject)
    method = session.request.text("method")
    if method in (None, "auto"):
        method = default_method(objective)
    found = search_minimum(objective, method)
    assert session.script is not None
    subject = objective.run(found.place)
    covariance, why = None, "the search has not converged"
    if found.has_converged:
        covariance, why = covariance_at(objective, found.place)
    squares = 0.0
    if objective.parts is not None:
        residuals = objective.residuals(found.place)
        squares = float(residuals @ residuals) / common_weight(objective.parts)
    if not found.has_converged:
        session.note(f"the search has not converged: {found.reason}", "warning")
    elif why:
        session.note(f"there are no standard errors: {why}")
    return Minimum(
        report=describe(subject, session.script.source, graph=False, derivations=False),
        start=objective.start,
        value=objective.value(found.place),
        method=found.method,
        steps=found.steps,
        has_converged=found.has_converged,
        reason=found.reason,
        covariance=covariance,
        why=why,
        residual_count=objective.size,
        sum_of_squares=squares,
    )
