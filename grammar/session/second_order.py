"""Computes the second and higher derivatives of a report, as the options choose them."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.derivation.second_order import higher_derivatives
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.session.assignment_plan import given_tensor
from autodiff.grammar.session.choose_target import find_target
from autodiff.grammar.session.run import EngineSetup
from autodiff.grammar.session.target import format_weight, make_subject, uniform_weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.derivation.second_order import SecondDerivative
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.session.run import Execution, Settings


def differentiate_again(
    execution: Execution, settings: Settings, entry: tuple[int, ...] | None, order: int = 2
) -> tuple[ReportedPass, list[SecondDerivative]]:
    """Return the subject of the first pass, and the derivatives of ``order`` from passes over its graph.

    If the output is one number, ``grad_output`` has the weights of the gradient's entries. Otherwise it has
    those of the output's entries, as for a first derivative.
    """
    with EngineSetup(settings):
        target = find_target(execution, settings)
        weight = None
        if np.size(target.node.out) == 1 and settings.grad_output is not None:
            weight, settings.grad_output = settings.grad_output, None
        subject = make_subject(execution, settings)

        def weigh(name: str, gradient: Tensor) -> tuple[Any, str | None]:
            if gradient.entry_count == 1:
                return uniform_weight(gradient, 1.0).value, None
            if weight is None:
                place = ",".join("0" for _ in gradient.shape)
                raise UsageError(
                    f"{name} has {gradient.entry_count} entries, of shape {gradient.shape}: which is to be"
                    " derived?",
                    code="E0605",
                    help=(
                        f"choose one: autodiff explain --order 2 --entry {place}",
                        "weigh them equally: --grad-output ones",
                        "or get all second derivatives: autodiff hessian, with --format latex for a document",
                    ),
                )
            is_equal = weight.__class__ is str and weight == "ones"
            if order > 2 and not is_equal:
                raise UsageError(
                    f"{name} has {gradient.entry_count} entries; from the third order on --grad-output can"
                    " only weigh them equally, since each derivative on the way is a tensor too",
                    code="E0605",
                    help=("weigh them equally: --grad-output ones", "or choose an entry with --entry"),
                )
            given = (
                uniform_weight(gradient, 1.0)
                if is_equal
                else given_tensor(weight, gradient.dtype, "--grad-output", "E0605")
            )
            if given.entry_count == 1 and given.shape != gradient.shape:
                given = uniform_weight(gradient, given.item())
            if given.shape != gradient.shape:
                raise UsageError(
                    f"--grad-output has shape {given.shape}, and {name} has {gradient.shape}", code="E0605"
                )
            return given.value, format_weight(given.value)

        return subject, higher_derivatives(subject, execution.source, order, entry, weigh)
