"""Calls that are let through unread are calls that fit."""

from __future__ import annotations

from typing import Any

import pytest
from autodiff.core.graph import dtypes
from autodiff.grammar.objects.argument_check import USUAL_CALLS, class_key
from autodiff.grammar.objects.torch_argument_errors import find_mistake

DATA = [1.5, 2, [1.5, 2.5], [1, 2], [[1.0], [2]]]
NAMED = {"requires_grad": True, "dtype": dtypes.float64}


@pytest.mark.parametrize("call", USUAL_CALLS, ids=str)
def test_the_first_calls_fit(call: tuple[Any, ...]) -> None:
    key, data, *named = call
    [value] = [value for value in DATA if class_key(value) == data]
    named_values = {name: NAMED[name] for name in named[: len(named) // 2]}
    assert [class_key(x) for x in named_values.values()] == named[len(named) // 2 :]
    assert find_mistake(key, [value], named_values, False) is None
