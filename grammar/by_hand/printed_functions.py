"""Functions in the formulas of reports that the language lacks, or that it has with other arguments."""

from __future__ import annotations

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.op import OPS
from autodiff.core.graph.values import as_stored
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def cofactor(input: Tensor) -> Any:
    """Return the matrix of cofactors, the derivative of the determinant."""
    return OPS["cofactor"](input)


def diag_embed(input: Tensor, *places: Any, **named: Any) -> Any:
    """Return a matrix with these entries on a diagonal, of the ``shape`` if that is given."""
    if "shape" in named:
        return OPS["diag_embed"](input, **named)
    return builtin_value("diag_embed")(input, *places, **named)


def one_hot(input: Any, *classes: Any, **named: Any) -> Any:
    """Return rows with a one at the index; the indices may be a list of whole numbers."""
    values = np.asarray(input.data if isinstance(input, Tensor) else input)
    if not isinstance(input, Tensor) or np.array_equal(values, np.round(values)):
        input = Tensor.of(as_stored(values.astype(np.int64)))
    return builtin_value("one_hot")(input, *classes, **named)


PRINTED = {one.__name__: Builtin(one.__name__, one) for one in (cofactor, diag_embed, one_hot)}
