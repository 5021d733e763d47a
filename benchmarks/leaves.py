"""Leaves of ours on arrays that are there already, as ``torch.from_numpy`` makes them of torch's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy as np
    from autodiff.core.engine.tensor import Tensor


def leaf(array: np.ndarray) -> Tensor:
    """A tensor that requires gradients, and no copy."""
    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.values import as_stored

    return Tensor.of(as_stored(array)).set_requires_grad()


def gradients(leaves: Iterable[Any]) -> list[Any]:
    """What a backward pass left in each leaf."""
    return [x.grad.value for x in leaves]
