"""The function of any method of a tensor, by name."""

from __future__ import annotations

from autodiff.core.engine.public_functions import IN_PLACE, METHODS
from autodiff.core.methods import conversions, in_place
from autodiff.core.methods.bookkeeping import TENSOR_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Importing these modules registers their methods.
METHOD_MODULES = (conversions, in_place)


def find_tensor_method(name: str) -> Callable[..., Any] | None:
    """Return the function of ``x.name(...)``, which takes the tensor first; None if there is none."""
    method = TENSOR_METHODS.get(name) or METHODS.get(name)
    if method is None and name in IN_PLACE:
        method = TENSOR_METHODS[name] = in_place.in_place_method(IN_PLACE[name])
    return method


__all__ = ["TENSOR_METHODS", "find_tensor_method"]
