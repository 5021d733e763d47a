"""What arrays of scripts without tensors do as numpy's do, and torch's tensors do not.

Slices may go backwards, arrays of whole numbers are positions though they hold floats here, and the zeros of
remainders have the sign of the divisor.
"""

from __future__ import annotations

import math

from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import bool_, int64
from autodiff.grammar.objects import plain_text
from autodiff.grammar.objects.plain_functions import call_plain, converted, find
from autodiff.grammar.objects.subscripts import is_backward

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_backwards(x: Tensor, index: Any) -> Any:
    """Return ``x[index]`` for an index with slices of steps below 0: their dimensions are flipped first."""
    parts = list(index) if index.__class__ is tuple else [index]
    taken = sum(map(dimensions_taken, parts))
    dim, flipped = 0, []
    for at, part in enumerate(parts):
        if part is Ellipsis:
            dim += x.ndim - taken
            continue
        if is_backward(part) and dim < x.ndim:
            positions, last = range(*part.indices(x.shape[dim])), x.shape[dim] - 1
            flipped.append(dim)
            parts[at] = slice(0, 0)
            if positions:
                parts[at] = slice(last - positions[0], last - positions[-1] + 1, -part.step)
        dim += dimensions_taken(part)
    return call_plain(find("flip"), (x, tuple(flipped)), {})[tuple(parts)]


def dimensions_taken(part: Any) -> int:
    """Return how many dimensions a part of an index is for; of ``...`` 0."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if part.__class__ is Tensor and part.dtype is bool_ else 1


def as_positions(x: Tensor) -> Tensor:
    """Return an array of whole numbers as positions; any other array unchanged.

    A value of a script that a formula names has no literal to ask: its numbers decide.
    """
    if not x.dtype.is_floating_point:
        return x
    made_here = plain_text.origin(x) is not None
    if not (plain_text.is_whole(x) if made_here else np.all(x.data == np.trunc(x.data))):
        return x
    return converted(x.detach(), int64)


def with_zeros_of_divisor(rest: Tensor, y: Any) -> Tensor:
    """Return a remainder whose zeros have the divisor's sign, as in Python; torch's have the dividend's."""
    if rest.shape:
        signs = np.signbit(y.data if y.__class__ is Tensor else y)
        wrong = bool(np.any((rest.data == 0) & (np.signbit(rest.data) != signs)))
        is_negative = bool(np.all(signs))
    else:
        number, divisor = rest.item(), y.item() if y.__class__ is Tensor else y
        is_negative = math.copysign(1, divisor) < 0
        wrong = number == 0 and (math.copysign(1, number) < 0) is not is_negative
    if not wrong:
        return rest
    # Zeros of both signs add up to 0., so only those of the wrong sign change.
    return -(-rest + 0) if is_negative else rest + 0
