"""Calls that are let through unread are calls that fit."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core.graph import dtypes
from autodiff.grammar.objects.argument_types import FIRST_CALLS, kind_of
from autodiff.grammar.objects.torch_argument_errors import blame

DATA = [1.5, 2, [1.5, 2.5], [1, 2], [[1.0], [2]]]
NAMED = {"requires_grad": True, "dtype": dtypes.float64}


@pytest.mark.parametrize("call", FIRST_CALLS, ids=str)
def test_the_first_calls_fit(call: tuple[Any, ...]) -> None:
    key, data, *named = call
    [value] = [value for value in DATA if kind_of(value) == data]
    named_values = {name: NAMED[name] for name in named[: len(named) // 2]}
    assert [kind_of(x) for x in named_values.values()] == named[len(named) // 2 :]
    assert blame(key, [value], named_values, False) is None
