"""The record of a matrix of derivatives: a Jacobian or a Hessian."""

from __future__ import annotations

from autodiff.core.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.report.records import GradientReport, Variable


class DerivativeMatrix(Record):
    """The derivatives of order ``order`` in ``matrix``, which has two dimensions.

    A row belongs to an entry of one of the tensors ``above``, a column to one of the tensors ``below``; the
    entries of a tensor stand row by row. For a Jacobian (1) ``above`` is the output, for a Hessian (2) both
    are the inputs. ``report`` is that of the gradients. If ``is_sparse``, rows of zeros are left out of
    tables, and zeros of lists.
    """

    order: int
    report: GradientReport
    above: tuple[Variable, ...]
    below: tuple[Variable, ...]
    matrix: Any
    is_sparse: bool = False
