"""One spelling for a call on either side: a method where there is one, else the function of that name."""

from __future__ import annotations

import warnings
from functools import reduce
from typing import Any

import numpy as np
import pytest
from autodiff.core import Tensor
from autodiff.core.base.errors import AutodiffError
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.graph.values import as_stored
from op_oracle import Case


def mine(value: Any) -> Any:
    """Arrays as our tensors, in lists and tuples too."""
    if isinstance(value, np.ndarray):
        return Tensor.of(as_stored(value))
    return type(value)(mine(v) for v in value) if type(value) in (list, tuple) else value


def theirs(value: Any) -> Any:
    """Arrays as torch's tensors."""
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.asarray(value))
    return type(value)(theirs(v) for v in value) if type(value) in (list, tuple) else value


def call_mine(name: str, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], Tensor) and name in METHODS:
        return METHODS[name](*args, **kwargs)
    return FUNCTIONS[name if "." in name else f"torch.{name}"](*args, **kwargs)


def call_theirs(name: str, *args: Any, **kwargs: Any) -> Any:
    import torch

    if args and isinstance(args[0], torch.Tensor) and hasattr(args[0], name):
        return getattr(args[0], name)(*args[1:], **kwargs)
    start = torch.nn.functional if name.startswith("F.") else torch
    path = name.removeprefix("F.").removeprefix("torch.").split(".")
    return reduce(getattr, path, start)(*args, **kwargs)


def call(name: str) -> Any:
    """The function or method called ``name``, for tensors of either side."""

    def either(*args: Any, **kwargs: Any) -> Any:
        flat = [b for a in args for b in (a if isinstance(a, (list, tuple)) else [a])]
        is_mine = any(isinstance(a, Tensor) for a in flat)
        return (call_mine if is_mine else call_theirs)(name, *args, **kwargs)

    return either


def case(op: str, name: str, *args: Any, **details: Any) -> Case:
    """A sample of ``op`` through the public name."""
    return Case(op, call(name), args, name=name, **details)


def curved(sample: Case) -> Case:
    """The sample squared, so that the second gradient goes through the rule's own rule."""

    def square(*args: Any, **kwargs: Any) -> Any:
        out = sample.function(*args, **kwargs)
        return tuple(o * o for o in out) if isinstance(out, (tuple, list, NamedResult)) else out * out

    return sample._replace(function=square, name=f"{sample.name}**2", check_name=False)


def with_curved(table: list[Case]) -> list[Case]:
    return table + [curved(sample) for sample in table if sample.orders > 1]


def compare_errors(name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
    """Both sides refuse, with the same words."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(Exception) as wanted:  # noqa: PT011 - which type is torch's business
            call_theirs(name, *theirs(args), **{k: theirs(v) for k, v in (kwargs or {}).items()})
    finally:
        torch.set_default_dtype(before)
    with pytest.raises(AutodiffError) as got:
        call_mine(name, *mine(args), **{k: mine(v) for k, v in (kwargs or {}).items()})
    assert got.value.message == str(wanted.value).split("\nException raised")[0]


def compare_warnings(name: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
    """Both sides warn, with the same words."""
    import torch
    from autodiff.core.graph.state import mode

    warned = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # else what warns depends on the tests that ran before
    try:
        with warnings.catch_warnings(record=True) as wanted:
            warnings.simplefilter("always")
            call_theirs(name, *theirs(args), **{k: theirs(v) for k, v in (kwargs or {}).items()})
    finally:
        torch.set_warn_always(warned)
    said: list[str] = []
    before, mode.warn = mode.warn, said.append
    try:
        with np.errstate(all="ignore"):
            call_mine(name, *mine(args), **{k: mine(v) for k, v in (kwargs or {}).items()})
    finally:
        mode.warn = before
    assert said == [str(w.message).partition(" (Triggered internally")[0] for w in wanted]
