"""Computes the second derivatives of a report, as ``--entry`` and ``--grad-output`` choose them."""

from __future__ import annotations

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy import np
from autodiff.core.derivation.second_order import second_derivatives
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.session.leaves import number_tensor
from autodiff.grammar.session.run import Stage
from autodiff.grammar.session.target import spell_weight, subject_of, target_of, weight_tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.derivation.second_order import Second
    from autodiff.core.report.records import Subject
    from autodiff.grammar.session.run import Execution, Settings


def differentiate_twice(
    execution: Execution, settings: Settings, entry: tuple[int, ...] | None
) -> tuple[Subject, list[Second]]:
    """Return the subject of the first pass, and the second derivatives from passes over its graph.

    If the output is one number, ``grad_output`` has the weights of the gradient's entries. Otherwise it has
    those of the output's entries, as for a first derivative.
    """
    with Stage(settings):
        root, _, _ = target_of(execution, settings)
        weight = None
        if np.size(root.out) == 1 and settings.grad_output is not None:
            weight, settings.grad_output = settings.grad_output, None
        subject = subject_of(execution, settings)

        def weigh(name: str, gradient: Tensor) -> tuple[Any, str | None]:
            if gradient.size == 1:
                return weight_tensor(gradient, 1.0).value, None
            if weight is None:
                place = ",".join("0" for _ in gradient.shape)
                raise UsageError(
                    f"{name} has {gradient.size} entries, of shape {gradient.shape}: which is to be derived?",
                    code="E0605",
                    help=(f"choose one: --entry {place}", "weigh them equally: --grad-output ones"),
                )
            given = (
                weight_tensor(gradient, 1.0) if weight == "ones" else number_tensor(weight, gradient.dtype)
            )
            if given.size == 1 and given.shape != gradient.shape:
                given = weight_tensor(gradient, given.item())
            if given.shape != gradient.shape:
                raise UsageError(
                    f"--grad-output has shape {given.shape}, and {name} has {gradient.shape}", code="E0605"
                )
            return given.value, spell_weight(given.value)

        return subject, second_derivatives(subject, execution.source, entry, weigh)
