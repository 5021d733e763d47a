"""In what a run of ours differs from PyTorch's run of the same script."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from autodiff.core import Tensor
from script_runner import Outcome
from transcript import normalise

NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.\d*|\d+)(?:e[+-]?\d+)?(?![\w.])")


def same_text(ours: str, theirs: str) -> bool:
    """Equal to the letter between numbers, and numbers equal up to one step of the last digit printed.

    The blanks that align columns do not count: an entry of 1e-17 where the other is 0 changes all columns.
    """
    if ours == theirs:
        return True
    between, expected = (re.sub(r"(?<=\[) +| +(?= )", "", NUMBER.sub("#", text)) for text in (ours, theirs))
    if between != expected:
        return False
    return all(
        abs(float(a) - float(b)) <= 1.0001 * last_digit(b)
        for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    )


def last_digit(number: str) -> float:
    """The size of one step of the last digit: 0.001 for ``1.234``; never less than from float to float."""
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    if "." not in number:
        return 0.0
    return max(10.0 ** (int(exponent or 0) - decimals), math.ulp(float(number)))


def tensors(names: dict[str, Any], kind: type) -> dict[str, Any]:
    return {name: value for name, value in names.items() if isinstance(value, kind)}


def close(ours: Any, theirs: Any) -> bool:
    """Agreement to 1e-9 of the largest entry."""
    if ours.shape != theirs.shape:
        return False
    if theirs.dtype.kind != "f":
        return bool(np.array_equal(ours, theirs))
    finite = np.isfinite(theirs)
    if not np.array_equal(ours[~finite], theirs[~finite], equal_nan=True):
        return False
    scale = max(1.0, float(np.max(np.abs(theirs[finite]), initial=0.0)))
    return bool(np.all(np.abs(ours[finite] - theirs[finite]) <= 1e-9 * scale))


def tensor_differences(name: str, a: Tensor, b: Any) -> list[str]:
    """In what one named tensor differs: value, flags, grad_fn, gradient."""
    found = []
    theirs_fn = type(b.grad_fn).__name__ if b.grad_fn is not None else None
    ours_fn = a.grad_fn.grad_fn_name if a.grad_fn is not None else None
    if ours_fn != theirs_fn:
        found.append(f"grad_fn of {name}: {ours_fn} and {theirs_fn}")
    if not close(a.data, b.detach().numpy()):
        found.append(f"value of {name}: {a.data} and {b.detach().numpy()}")
    if (a.requires_grad, a.is_leaf) != (b.requires_grad, b.is_leaf):
        found.append(f"requires_grad or is_leaf of {name}")
    gradient = b.grad if b.is_leaf or b.retains_grad else None
    if (a.grad is None) != (gradient is None):
        found.append(f"grad of {name}: {a.grad} and {gradient}")
    elif gradient is not None and not close(a.grad.data, gradient.detach().numpy()):
        found.append(f"grad of {name}: {a.grad.data} and {gradient.numpy()}")
    return found


def differences(outcome: Outcome, oracle: Any) -> list[str]:
    """Everything in which a run of ours differs from torch's run of the same script."""
    import torch

    if outcome.error is not None:
        return [f"autodiff stopped: {outcome.error.code} {outcome.error.message}"]
    found = []
    if not same_text(normalise(outcome.stdout), normalise(oracle.stdout)):
        ours, theirs = normalise(outcome.stdout).splitlines(), normalise(oracle.stdout).splitlines()
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=False) if not same_text(a, b)]
        found.append(f"printed text: {pairs[:3]} ({len(ours)} and {len(theirs)} lines)")
    mine = tensors(outcome.names, Tensor)
    reference = tensors(oracle.names, torch.Tensor)
    if mine.keys() != reference.keys():
        found.append(f"names: {sorted(mine.keys() ^ reference.keys())}")
    for name in sorted(mine.keys() & reference.keys()):
        try:
            found += tensor_differences(name, mine[name], reference[name])
        except RuntimeError:  # torch will not look at one of several views whose base was changed in place
            continue
    return found
