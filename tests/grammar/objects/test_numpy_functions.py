"""Functions and methods of numpy in scripts without tensors: numpy's values, and slopes by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from script_runner import run_script

POINTS = "[1.0, 4.0, 2.0, 8.0]"
HEAD = "import numpy as np\n"
TAIL = "y = np.array([0.5, -1.0, 3.0, 2.0])\nA = x.reshape(2, 2)\n"
#: Expressions of an array ``x`` of four entries, ``A`` with these in two rows, and ``y``.
EXPRESSIONS = """\
x.std() | x.var() | x.std(ddof=1) | A.std(axis=0) | A.var(axis=1) | A.var(1, ddof=1) | np.std(x)
np.var(A, axis=0) | np.median(x) | np.median(x[:3]) | np.median(A, axis=0) | np.median(A, axis=1)
np.quantile(x, 0.3) | np.percentile(x, 25) | np.percentile(A, 60, axis=0) | np.average(x)
np.average(x, weights=y) | np.average(A, axis=0) | A.max(axis=0) | A.min(axis=1) | A.max() | A.max(1)
np.max(A, axis=0) | x.max() - x.min() | np.ptp(x) | x.cumsum() | np.cumsum(A) | np.cumsum(A, axis=0)
np.cumprod(x) | A.cumprod(axis=1) | np.cumsum(x)[-1] | np.sort(x) | np.sort(A, axis=0) | np.sort(A)
x.repeat(2) | np.repeat(x, 3) | np.repeat(A, 2, axis=0) | np.tile(x, 2) | np.tile(A, (2, 1))
A.transpose() | np.transpose(A) | A.T | np.flip(x) | np.flip(A, axis=0) | np.roll(x, 1)
np.roll(A, 1, axis=0) | np.append(x, 3.0) | np.append(x, y) | x.clip(1.5, 4.5) | np.clip(x, 2.5, 5)
np.clip(x, a_min=1.5, a_max=5) | np.interp(2.5, x[:3:2], y[:2])
np.interp(x, [0, 3, 9], [1.0, 2.0, -4.0]) | np.polyval([1.0, -2.0, 0.5], x) | np.polyval(x, 1.5)
np.cross(x[:3], y[:3]) | np.expand_dims(x, 0) | x[np.newaxis, :] | np.identity(4) @ x
np.full(4, 2.0)*x | np.full((2, 2), 3.0)*A | x*x.size | x.astype(float) | x.copy() | np.dot(x, y)
np.column_stack([x, y]) | np.nansum(x) | np.multiply(x, y) | np.negative(x) | x[np.argsort(x)]
np.mean(A, axis=1)"""
#: Those of whole numbers and truth values, whose slope is 0.
WITHOUT_SLOPE = """\
np.round(x/3, 2) | np.around(x/3, 1) | (x/3).round(2) | (x/3).astype(int) | np.argsort(x) | x.argsort()
x.size | x.shape | np.count_nonzero(y > 0) | np.any(x > 7) | np.all(x > 0) | np.isclose(x, x)
np.allclose(x, x) | np.floor_divide(y, 2)"""


def split(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split(" | ")]


def in_numpy(expression: str, x: Any) -> Any:
    names: dict[str, Any] = {"x": np.array(x)}
    exec(HEAD + TAIL, names)
    return eval(expression, names)


@pytest.mark.parametrize("block", range(6))
def test_values_and_slopes_are_numpys(block: int) -> None:
    for expression in split(EXPRESSIONS)[block::6]:
        script = f"{HEAD}x = np.array({POINTS})\n{TAIL}w = {expression}\nL = np.sum(w*w)\n"
        settings = Settings(wrt=["x"])
        execution = execute(Source(script), settings, lambda text: None, lambda message, span: None)
        value = execution.names["w"].data
        start = np.array(eval(POINTS))
        right = in_numpy(expression, start)
        assert np.shape(value) == np.shape(right), expression
        assert value == pytest.approx(right), expression
        subject = differentiate(execution, settings)
        slopes = np.broadcast_to(subject.received.get(subject.wrt[0][1], 0.0), 4)
        for at in range(4):
            step = np.eye(4)[at] * 1e-6
            ends = [np.sum(np.square(in_numpy(expression, start + side * step))) for side in (1, -1)]
            assert slopes[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-4), expression


def test_what_has_no_slope_has_numpys_values() -> None:
    for expression in split(WITHOUT_SLOPE):
        script = f"{HEAD}x = np.array({POINTS})\n{TAIL}w = {expression}\nprint(w)\nL = x.sum()\n"
        outcome = run_script(script)
        assert outcome.error is None, expression
        right = in_numpy(expression, np.array(eval(POINTS)))
        assert outcome.stdout.replace(".", "") == f"{right}\n".replace(".", ""), expression


def test_an_array_is_not_sorted_in_place() -> None:
    error = run_script(f"{HEAD}x = np.array({POINTS})\nx.sort()\nL = x[0]\n").error
    assert error is not None
    assert "np.sort(x)" in " ".join(error.advice)


@pytest.mark.parametrize("last", ["L.backward()", "print(x.grad)"])
def test_a_script_that_reads_gradients_keeps_torchs_methods(last: str) -> None:
    outcome = run_script(f"x = [1.0, 2.0, 4.0]\nL = x.std()\n{last}\n")
    assert outcome.names["L"].item() == pytest.approx(np.std([1.0, 2.0, 4.0], ddof=1))
