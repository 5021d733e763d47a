"""Functions and methods of numpy in scripts without tensors: numpy's values, and slopes by differences."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.lint import is_error, lint
from autodiff.grammar.session.run import Settings, differentiate
from script_runner import run_script

POINTS = "[1.0, 4.0, 2.0, 8.0]"
HEAD = "import numpy as np\n"
TAIL = "y = np.array([0.5, -1.0, 3.0, 2.0])\nA = x.reshape(2, 2)\n"
#: Expressions of an array ``x`` of four entries, ``A`` with these in two rows, and ``y``.
EXPRESSIONS = """\
np.tensordot(A, A*A, axes=(0, 0)) | np.tensordot(A, y[:2], (1, 0)) | np.tensordot(A, A, ([0, 1], [1, 0]))
np.add.reduce(A) | np.add.reduce(A, axis=1) | np.add.reduce(A, axis=None) | np.multiply.reduce(x)
np.multiply.reduce(A, axis=1) | np.maximum.reduce(A, axis=1) | np.minimum.reduce(A, 0)*x[1]
np.add.reduce(A, axis=1, keepdims=True) | np.add.accumulate(x) | np.multiply.accumulate(A, axis=1)
np.maximum.accumulate(x) | np.minimum.accumulate(A*-1, axis=0) | np.add.outer(x, y) | np.multiply.outer(A, x)
np.subtract.outer(y, A) | np.power.outer(x, [1, 2]) | np.maximum.outer(x, y + 1) | np.divide.outer(y, x)
x.std() | x.var() | x.std(ddof=1) | A.std(axis=0) | A.var(axis=1) | A.var(1, ddof=1) | np.std(x)
np.var(A, axis=0) | np.median(x) | np.median(x[:3]) | np.median(A, axis=0) | np.median(A, axis=1)
np.quantile(x, 0.3) | np.percentile(x, 25) | np.percentile(A, 60, axis=0) | np.average(x)
np.average(x, weights=y) | np.average(A, axis=0) | A.max(axis=0) | A.min(axis=1) | A.max() | A.max(1)
np.max(A, axis=0) | x.max() - x.min() | np.ptp(x) | x.cumsum() | np.cumsum(A) | np.cumsum(A, axis=0)
np.cumprod(x) | A.cumprod(axis=1) | np.cumsum(x)[-1] | np.sort(x) | np.sort(A, axis=0) | np.sort(A)
x.repeat(2) | np.repeat(x, 3) | np.repeat(A, 2, axis=0) | np.tile(x, 2) | np.tile(A, (2, 1))
x.T @ x | (x.T*y).T | A[None].T[0]
A.transpose() | np.transpose(A) | A.T | np.flip(x) | np.flip(A, axis=0) | np.roll(x, 1)
np.roll(A, 1, axis=0) | np.append(x, 3.0) | np.append(x, y) | x.clip(1.5, 4.5) | np.clip(x, 2.5, 5)
np.clip(x, a_min=1.5, a_max=5) | np.interp(2.5, x[:3:2], y[:2])
np.interp(x, [0, 3, 9], [1.0, 2.0, -4.0]) | np.polyval([1.0, -2.0, 0.5], x) | np.polyval(x, 1.5)
np.cross(x[:3], y[:3]) | np.expand_dims(x, 0) | x[np.newaxis, :] | np.identity(4) @ x
np.polyder(x) | np.polyder(y, 2) | np.polyval(np.polyder([1.0, x[0], 0.5]), y) | np.polyder(x, m=0)
np.full(4, 2.0)*x | np.full((2, 2), 3.0)*A | x*x.size | x.astype(float) | x.copy() | np.dot(x, y)
np.column_stack([x, y]) | np.nansum(x) | np.multiply(x, y) | np.negative(x) | x[np.argsort(x)]
np.mean(A, axis=1) | np.average(A, axis=0, weights=y[:2]) | np.average(A, axis=-1, weights=y[:2])
np.average(A, axis=1, weights=A) | np.linspace(0, x[1], 3) | np.linspace(x[0], stop=3*x[1])
np.add([1.0, 2.0], x[0]) | np.linspace(x[0], 1, num=1) | np.arange(x[0], x[0] + 2.5)
np.arange(0, 4.5, x[0]) | np.arange(x[2] + 0.5) | np.percentile(y, x[1])
np.quantile(A, x[:2]/7, axis=0) | np.quantile(y[:1], x[0]/7) | np.trapezoid(x, dx=x[1])
np.trapezoid(A, None, x[0], 0) | np.trapezoid(x, np.cumsum(x)) | np.full((2, 3), x[0])
np.full_like(A, x[0]) | np.clip(y, 0.5, x[0]) | np.clip(y, x[0], None) | y.clip(0, x[1])
np.clip(y, a_min=0, a_max=x[0]*2.5) | np.nan_to_num(x, False, 2.0) | np.cbrt(x*y) | np.cbrt(x[0] - 3)
x[::-1] | x[2:0:-1]*x[::-2] | A[::-1, ::-1] | A[..., ::-1, 0] | A[1, None, 5::-1] | A[x[:2] > 9, ::-1]
np.float64(x[1])*x[0] | np.mod(y, x + 0.3) | (x - 0.5) % -3 | np.mean(A, axis=(0, 1)) | A.mean(0)
A[[1, 0], np.array([1, 0])] | np.linspace(0, x[1], 3)[::-1] | np.average(x, weights=y > 0)
np.linalg.norm(A, axis=1) | np.linalg.norm(A - 1, axis=0, keepdims=True) | np.linalg.norm(x) | np.cov(A)
np.cov(A, rowvar=False) | np.cov(x, ddof=0) | np.gradient(x) | np.gradient(x, 0.5) | np.unique(x)
np.gradient(x, np.array([0.0, 1.0, 3.0, 4.5])) | np.pad(x, 1) | np.pad(A, ((1, 0), (0, 2)))
np.pad(x, (2, 1)) | np.meshgrid(x, y)[0] | np.meshgrid(y[:2], x, indexing="ij")[1] | np.polyfit(y, x, 2)
np.pad(A, 1)[1:] * 2 | np.corrcoef(x, y) | np.corrcoef(A + A[0, 0]*A.T)
np.polyfit(x, y, 1) | min(x, key=lambda v: -v) * x | np.cov(x, y) | np.cov(A, y[:2])
np.cov(x, y, bias=True)
np.cov(A, A*A, False) | np.corrcoef(A, y[:2], rowvar=False) | np.gradient(A)[0] * np.gradient(A)[1]
np.gradient(A, 0.5)[1] | np.gradient(A, [0.0, 2.0], 3.0)[0] | np.gradient(A, 2.0, axis=1)
np.gradient(A, axis=(1, 0))[0] | np.gradient(x, edge_order=2) | sum(np.gradient(A))
x[(x > 1.5).nonzero()[0]] | A[(A > 1.5).nonzero()]
np.convolve(x, y[:3]) | np.convolve(y[:2], x, "same") | np.convolve(x, [0.25, 0.5, 0.25], mode="valid")
np.correlate(x, y[:2]) | np.correlate(y[:3], x, "full") | np.convolve(x, y[:2], "same")
np.take(x, [2, 0, 2])
np.take(A, 1, axis=1) | np.split(x, 2)[1] | np.array_split(x, 3)[0] | np.split(x, [1, 3])[1]
np.atleast_2d(x) * 2
np.tensordot(A, A, axes=1) | np.tensordot(A, A) | np.select([x > 3, x > 1.5], [x*x, -x], 0.5)
np.vander(x, 3)
np.vectorize(lambda v: v*v if v > 3 else -v)(A) | np.logspace(0, x[1]/4, 3) | np.geomspace(x[1], 9.0, 4)
A[np.tril_indices(2)] | A[np.diag_indices(2)] | np.fliplr(A) | np.rot90(A) | np.swapaxes(A, 0, 1)
np.moveaxis(A, 0, 1)
np.broadcast_to(x, (2, 4))*1 | np.diagonal(A) | np.fmax(x, y) | np.tri(2) @ A | x*(1 - (x > 3))
(x > 3) - x
np.vdot(x, y) | x[np.nonzero(x > 1.5)] | np.dstack((x, y)) | np.float_power(x, 1.5)
(1.0 - np.array([True, False]))*A
x + [1, 2, 3, 4] | [1, 2, 3, 4] - x | x * (2, 2, 2, 1) | [8, 8, 8, 8] / x | x @ [1, 0, 2, 1] | [1, 2]*A
[[1, 0], [2, 1]] @ A | x**[1, 2, 1, 0] | [1, 2, 1, 2]**x | A - [[1], [2]] | x[x > [0, 9, 1, 2]]
np.dot(x, [1, 2, 3, 4])
x[(x > 1.5) & [True, False, True, True]] | np.arange(4) @ x | np.eye(4, dtype=int) @ x
np.where(x > 1.5, x, np.arange(4))
np.ones_like(x)*x | np.full_like(x, 3)*x | np.full(4, x[1]) | np.outer(np.arange(2), x)
np.eye(3, 4, 1) @ x | np.delete(x, 1) | np.delete(x, [0, -1]) | np.delete(A, 1, axis=0) | np.delete(x, x > 3)
np.insert(x, 1, x[0]*2) | np.insert(x, [0, 4], y[:2])
np.insert(A, 1, y[:2], axis=0) | np.insert(A, 0, x[1], 1)
np.insert(A, [1], [[1.0], [2.0]], axis=1) | np.insert(x, 1, [x[3], 2.0]) | np.nanmax(x) | np.nanmin(A, axis=0)
np.nanmax(np.where(x > 5, np.nan, x)) | np.nanmin(np.where(A < 1.5, np.nan, A), axis=1)
np.block([x, y]) | np.block([[A, A*A], [np.ones((1, 4))]]) | np.block([[x], [y]]) | np.repeat(x, [1, 0, 2, 1])
np.repeat(A, [2, 1], axis=1) | np.ediff1d(A*A) | x*np.digitize(x, [1.5, 4.5])
np.fabs(y*x) | np.array(range(4))*x
np.c_[x, y] | np.c_[np.ones(4), A.ravel(), x*x] | np.c_[A, y[:2]] | np.r_[x, 0, [x[0], 2]] | np.r_[A, A*A]
np.r_[x[0]:x[3]:5j, -1:1] | np.r_[x[1]] | np.mgrid[0:2, -1:x[1]:3j] | np.ogrid[0:2, 0:x[1]:3j][1]
np.linspace(x[0], x[1], 4, endpoint=False) | np.linspace(x[0], 3, 3, retstep=True)[1]
x[np.s_[1:3]] | x*np.array([1, 0, 2, 1], dtype=np.uint8) | A[np.array([1, 0], dtype="uint8")]"""
#: Those of whole numbers and truth values, whose slope is 0.
WITHOUT_SLOPE = """\
np.round(x/3, 2) | np.around(x/3, 1) | (x/3).round(2) | (x/3).astype(int) | np.argsort(x) | x.argsort()
x.size | x.shape | np.count_nonzero(y > 0) | np.any(x > 7) | np.all(x > 0) | np.isclose(x, x)
np.allclose(x, x) | np.floor_divide(y, 2) | np.mean(x > 2) | (A > 2).mean(axis=0) | np.std(x > 2)
np.mean([x > 2, y > 2]) | (x > 2).astype(int) | (x > 2).astype(float) | x.astype(int)[::-1] | 0*y % 3
np.eye(4)[np.array([2, 0])] | np.array([2, 1], dtype=int)/2 | np.int64(x[1]) | np.mod(-x*0, 2)
y.astype("int64") % 2 | np.array(x.astype(int)) + 1 | np.mod(x*0, -2) | np.array([0.5, 2], dtype=int)
np.arange(4) | np.arange(1, 9, 2) | np.arange(3)/2 | np.arange(3.0) | np.arange(2, dtype=float)
np.logical_and(x > 1, x < 5) | np.logical_not(x > 3) | np.logical_or(x > 5, y > 0) | np.greater(x, y)
np.argwhere(x > 2)
np.searchsorted([1.0, 3.0], x) | np.searchsorted([1.0, 3.0], 2.0) | np.bincount([0, 1, 1, 3]) | np.size(A)
np.ndim(A)
np.shape(A) | np.array_equal(x, x) | np.rint(x/3)  | np.equal(x, [1, 2, 2, 2])
np.triu_indices(2, 1)
1 - (x > 2) | (x > 2) - 0.5 | np.zeros_like([1, 2]) | np.ones_like(np.arange(2))
np.full_like(np.arange(2), 2.7)
np.zeros((2, 1), dtype=int)
np.array([]) | np.append([], 2.5) | np.ones(1) + [] | np.zeros_like([1.0]) | np.empty_like(A).shape
np.ones(2, int) | np.zeros_like(np.arange(2), dtype=float)
np.full(2, 3) | np.full((2, 2), 0.5) | np.full(2, True) | ~np.zeros(2, dtype=bool) | np.zeros_like(x > 2)
np.arange(3)*2 | np.arange(3)**2 % 3 | np.sort([3, 1]) | np.diff(np.arange(4)**2) | np.arange(3) + 0.5
np.tile([1, 2], 2)
np.concatenate([np.arange(2), np.ones(2, int)]) | np.outer([1, 2], [3, 4])
np.array([[1, 2], [3, 4]]) @ [1, 1]
np.where(np.arange(3) > 1, np.arange(3), 0) | np.maximum([1, 5], 2) | np.clip(np.arange(4), 1, 2)
np.cumsum([1, 2])
np.einsum("ij->i", [[1, 2], [3, 4]]) | np.round(np.linalg.det([[1, 2], [3, 5]]), 6) | np.mean([1, 2])
np.std(np.arange(3))
np.linalg.norm([3, 4]) | np.hypot(3, 4) | np.sum([1, 2]) | np.dot([1, 2], [0.5, 1]) | np.eye(2, dtype=int)
np.triu([[1, 2], [3, 4]])
np.arange(3).astype(float) | -np.arange(3) | np.arange(4)[::-1] | np.arange(6).reshape(2, 3).T
np.arange(3) == [0, 5, 2]
np.c_[[1, 2], [3, 4]] | np.r_[1:4, 0, [5, 6]] | np.r_[0:1:5j] | np.r_[-1:1:0.5] | np.c_[[[1, 2]], 0]
np.mgrid[0:2, 0:3] | np.mgrid[0:1:3j] | np.ogrid[0:2, 0:1:3j] | np.linspace(0, 9, 3, dtype=int)
np.array([1.7, 300, -3]).astype(np.int32) | np.array([1, 2, 300]).astype("uint8") | np.ones(2, "f8").dtype
np.array([0.1, 0.7], np.float32)*3 | np.array([0.1, 0.7], "f4").sum() | np.float32(0.1) + 1 | np.uint8(7)
np.array([1, 2]).dtype | x.dtype | (x > 2).dtype | x.astype("float32").dtype | [np.arange(2).dtype]
np.arange(3, dtype=np.uint8)*100 | np.zeros_like(x, dtype=np.uint8) | np.full(2, 7, dtype="u1") - np.uint8(8)
np.array([200, 100], "uint8") @ [1, 2] | np.median(np.array([200, 100], "uint8"))
sum(np.array([200, 100], np.uint8)) | np.sum(np.array([200, 100], np.uint8)) | np.finfo(float).eps
np.array([3, 1], np.uint8)**2/7 - (x[:2] > 2) | np.array([200, 2], "uint8") > 300 | np.iinfo(np.int64).max
np.arange(2, dtype=np.float32) @ np.array([1.0, 0.1]) | np.percentile(np.arange(5), 30)
np.array([1, 2], "uint8").dtype | np.array([1, 2], "int32").dtype | np.zeros((2, 3, 1)).T.shape
np.array([1, 2]).tolist() | x.tolist() | np.unique(np.array([3, 1, 3])) | np.pad(np.array([1, 2]), 1)"""


#: Expressions of the array ``n = np.array([3, 1, 2])``, and whether numpy has whole numbers there.
OF_WHOLE = """\
np.append(n, 4) | np.append(n, [5, 6]) | np.append(n, 2.5) | np.append([1], n) | np.ceil(n)
np.concatenate([n, [1, 2]]) | np.concatenate([n, [1.5]]) | np.floor(n) | np.trunc(n) | np.fix(n)
np.round(n) | np.around(n, 1)
n.round() | np.rint(n) | np.fabs(n) | np.nan_to_num(n) | n.repeat(2) | np.repeat(n, [1, 2, 0]) | np.tile(n, 2)
np.array([n.sum(), n[0]]) | np.array([n.sum(), 0]) | np.array([[n[0], 1], [2, 3]]) | np.array([n[0], 0.5])
np.hstack([n, [1]]) | np.vstack((n, [1, 2, 3])) | np.stack([n, [1, 2, 3]]) | np.column_stack([n, [1, 2, 3]])
np.tensordot(n, [1, 2, 3], 1) | np.convolve(n, [1, 1]) | np.polyval([1, 2], n)
np.polyder(n) | np.polyder([4, 2, 1]) | np.polyder(n, 2)
np.delete(n, 1) | np.insert(n, 1, 9)
np.insert(n, 1, 2.7) | np.nanmax(n) | np.block([n, n]) | np.ediff1d(n) | np.ceil(n/2) | np.append(n, n)[-1:]
np.kron(n, [1, 2]) | np.array([len(n), n.max()]) | np.floor(2.7) | np.ceil(n[0])
np.fix(-2.7) | np.fabs(-3)"""


def test_arrays_of_whole_numbers_stay_whole() -> None:
    head = HEAD + "n = np.array([3, 1, 2])\n"
    for expression in split(OF_WHOLE):
        names: dict[str, Any] = {}
        exec(head, names)
        right = eval(expression, names)
        outcome = run_script(f"{head}print({expression})\nprint({expression} // 2)\nL = n.sum()\n")
        assert outcome.stdout == f"{right}\n{right // 2}\n", expression


@pytest.mark.parametrize(
    "expression",
    ["np.delete(n, 3)", "np.insert(n, 4, 1)", "np.repeat(n, [1, 2])", "np.digitize(n, [1, 3, 2])"],
)
def test_what_numpy_refuses_is_refused(expression: str) -> None:
    error = run_script(f"{HEAD}n = np.array([3, 1, 2])\ny = {expression}\n").error
    assert error is not None
    assert error.code != "E0900"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("a*300", "E0207"),
        ("300 - a", "E0207"),
        ("np.maximum(a, 300)", "E0207"),
        ("a*k", "E0207"),
        ("a.fill(300)", "E0207"),
        ("np.array([1, 300], dtype='uint8')", "E0207"),
        ("np.full(2, -1, np.uint8)", "E0207"),
        ("np.uint8(256)", "E0207"),
        ("np.sqrt(a)", "E0146"),
        ("np.array([1, 2], dtype=np.int16)", "E0146"),
        ("k*np.array([1.0, 2.0]).astype('float16')", "E0146"),
        ("np.r_['0,2', a]", "E0203"),
        ("np.finfo(int).eps", "E0203"),
        ("np.iinfo(float).max", "E0203"),
        ("np.finfo(3).eps", "E0203"),
        ("[lambda: 2j, 1]", "E0132"),
    ],
)
def test_numbers_that_would_differ_from_numpys_are_refused(line: str, code: str) -> None:
    error = run_script(f"{HEAD}a = np.array([200, 100], dtype=np.uint8)\nk = 3\nb = {line}\n").error
    assert error is not None
    assert error.code == code
    assert error.help or error.fixes


def test_errors_of_numpy_may_be_switched_off() -> None:
    text = (
        "with np.errstate(divide='ignore', invalid='ignore'):\n    y = 1 / np.array([0.0, 2.0])\nprint(y)\n"
    )
    assert run_script(HEAD + text).stdout == "[inf 0.5]\n"


def split(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split(" | ")]


def in_numpy(expression: str, x: Any) -> Any:
    names: dict[str, Any] = {"x": np.array(x)}
    exec(HEAD + TAIL, names)
    with np.errstate(over="ignore"):
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


#: Statements that change an array in place.
CHANGES = """\
w = np.zeros(3); w[np.array([1, 1, -2, 0])] = x | w = np.zeros(4); w[[0, 0, 2]] = x[1:]; w[[2, 2]] *= x[0]
w = x*1; w[[0, 0, 1]] += 1 | w = A*1; w[[1, 1]] = A*A | w = A*1; w[[0, 0]] = x[2:]
w = np.arange(4); w[1] = 2.7; w = w*x | w = np.arange(3); w[1:] = x[:2]*1.3; w[0] += 1.5; w = w*x[:3]
w = np.array([1, 2]); w[0] = x[1] + 0.3; w[1] = 7; w = w/2*x[:2] | w = np.zeros(2); w[0] = 2.7; w = w*x[:2]
w = A*1; B = w.flatten(); B[0] = 0 | w = A*1; B = w.ravel(); B[0] = 0*x[1]
w = A*1; w.reshape(4)[1] = 5*x[2]
w = [1, 2, 4]; w[0] = 3; w[1] = 2.7; w = np.array(w)*x[:3]
w = np.array([1, 2])*1.0; w[0] = 2.7; w = w*x[:2]
w = np.zeros_like([1, 2]); w[0] = x[1]*0.3; w = w + x[:2]
w = A*1; v = [row for row in w]; v[0] += x[:2]; v[1][0] = x[2]**2 | w = A*1; np.fill_diagonal(w, x[:2]*3)
w = np.zeros(3); np.add.at(w, [0, 2, 2], x[:3]) | w = A*1; np.subtract.at(w, ([1, 1], 0), 2*x[:2])
w = x*1; np.multiply.at(w, [0, 2, 2], y[1:]) | w = A*1; np.maximum.at(w, ([1, 1], 0), y[2:]*x[:2])
w = x*1; np.divide.at(w, np.array([1, 3, 1]), x[:3])
w = np.zeros(4); np.exp(x, out=w) | w = A*1; np.multiply(w, A, out=w) | w = x*1; np.clip(w, 2.5, 5, out=w)
w = np.zeros(2); np.sum(A, axis=0, out=w); w = w*x[:2] | w = A*1; B = np.add(w, x[:2], out=w); B[0] = 7
w = np.zeros((2, 2)); np.dot(A, A, out=w) | w = np.zeros(4); np.cumsum(x, out=w); w = w*x
w = np.zeros(2); np.add.reduce(A, out=w); w = w*x[:2] | w = x*1; w.clip(2.5, 5, out=w); w = w*x
w = np.zeros(4); np.divide(y, x - 1, out=w, where=x > 1.5) | w = np.ones(4); np.log(x - 2, out=w, where=x > 3)
w = y*1; np.sqrt(y*x, out=w, where=y > 0); w = w*x | w = A*0; np.divide(1.0, A - 4, out=w, where=A > 5)
w = A*1; np.multiply(A, y[:2], out=w, where=[True, False]) | w = x*1; np.maximum(w, 3, out=w, where=y > 0)
w = np.zeros(2); A.sum(axis=0, out=w); w = w*x[:2] | w = np.squeeze(A[None]*1, axis=0); w.dot(A, out=w)
w = np.zeros(3, dtype=int); np.add.at(w, np.array([1, 1]), 1); w = w/2*x[:3]
w = x*1; w.fill(x[1]); w[0] = 2 | w = y*x; w.sort()
w = A*y[1]; w.sort(axis=0)
w = x*1; w += [1, 2, 3, 4]; w /= (1, 2, 1, 2) | w = np.arange(4)*2; w[1] = 0.7; w[2:] += 1; w *= 3; w = w*x
w = np.array([1, 2]).astype(float); w[0] = 0.7; w += 0.5; w = w*x[:2]
w = np.zeros((2, 2), dtype=int); w[0] = [1.9, 2]; w = A*w
w = np.full(2, 1); w[0] = 2.9; w //= 2; w = w + x[:2]
w = np.zeros(4, dtype=bool); w[1] = True; w |= x > 5; w = x[w]
w = np.array([3, 1]); w -= np.array([1, 1]); w **= 2; w %= 3; w = w*x[:2]
n = np.array([5, 2]); w = n.astype(float); w[0] = 0.7; w = w*x[:2]
n = np.array([5, 2]); w = np.array(n, dtype=float); w += 0.5; w = w*x[:2]
n = np.array([5, 2]); w = np.asarray(n, "float64"); w += 0.5; w = w*x[:2]
n = np.array([5, 2]); w = np.float64(n); w[1] = 0.5; w = w*x[:2]
c = x*1; w = np.asarray(c, dtype=float); w[0] = 9; w = c*w
c = x*1; w = np.array(c, float); w[0] = 9; w = c*w
c = x*1; w = +c; w += 1; w = c*w | c = x*1; w = np.positive(c); w[0] = 3; w = c*w
c = x*1; w, v = np.meshgrid(c, c); w[0, 0] = 9; w = c*w[0] + v[1]"""


@pytest.mark.parametrize("block", range(2))
def test_arrays_that_change_in_place_have_numpys_values_and_slopes(block: int) -> None:
    def right(statements: str, at: Any) -> Any:
        names: dict[str, Any] = {"x": at}
        exec(HEAD + TAIL + statements, names)
        return names["w"]

    start = np.array(eval(POINTS))
    for statements in split(CHANGES)[block::2]:
        lines = statements.replace("; ", "\n")
        settings = Settings(wrt=["x"])
        script = f"{HEAD}x = np.array({POINTS})\n{TAIL}{lines}\nL = np.sum(w*w)\n"
        execution = execute(Source(script), settings, lambda text: None, lambda message, span: None)
        assert execution.names["w"].data == pytest.approx(right(lines, start)), statements
        subject = differentiate(execution, settings)
        slopes = np.broadcast_to(subject.received.get(subject.wrt[0][1], 0.0), 4)
        for at in range(4):
            step = np.eye(4)[at] * 1e-6
            ends = [np.sum(np.square(right(lines, start + side * step))) for side in (1, -1)]
            assert slopes[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-4), statements


def test_the_lints_take_every_call_that_runs() -> None:
    head = f"{HEAD}x = np.array({POINTS})\n{TAIL}"
    lines = [f"w = {one}" for one in split(EXPRESSIONS) + split(WITHOUT_SLOPE)]
    lines += [one.replace("; ", "\n") for one in split(CHANGES)]
    found = {line: lint(Source(f"{head}{line}\nL = np.sum(x*x)\n")) for line in lines}
    assert {line: errors for line, errors in found.items() if any(map(is_error, errors))} == {}


def test_whole_numbers_of_an_input_stay_whole() -> None:
    text = f"{HEAD}x = np.array([1, 2, 4])\nx[0] = 2.7\nL = np.sum(x**2)\n"
    settings = Settings(wrt=["x"])
    execution = execute(Source(text), settings, lambda text: None, lambda message, span: None)
    assert execution.names["L"].item() == 24
    subject = differentiate(execution, settings)
    assert subject.received[subject.wrt[0][1]].tolist() == [0, 4, 8]
    error = run_script(text.replace("2.7", "np.nan")).error
    assert error is not None
    assert error.message == "cannot convert float NaN to integer"


@pytest.mark.parametrize(
    "lines",
    [
        *("A += 0.5", "A /= 2", "A *= [0.5, 1, 1]", "A[1:] -= 0.5", "A = np.zeros_like(A)\nA += x"),
        *("A = np.zeros(3, dtype=int)\nA -= x*x", "A = np.arange(3)\nA *= 1.5", "M = A > 1\nM += 0.5"),
    ],
)
def test_an_array_of_whole_numbers_takes_no_fractions(lines: str) -> None:
    text = f"{HEAD}x = 1.5\nA = np.array([1, 2, 3])\n{lines}\n"
    with pytest.raises(TypeError) as raised:
        exec(text, {})
    error = run_script(text + "L = x*A.sum()").error
    assert error is not None
    assert error.message == str(raised.value)
    assert "astype(float)" in " ".join(error.advice)


def test_a_slope_that_a_whole_array_cuts_is_told() -> None:
    told: list[str] = []
    text = f"{HEAD}x = 1.5\ny = np.zeros_like([1, 2]%s)\ny[0] = x\nL = x*y.sum()\n"
    for dtype, count in (("", 1), (", dtype=float", 0)):
        execute(Source(text % dtype), Settings(), lambda text: None, lambda text, span: told.append(text))
        assert [("dtype=float" in text) for text in told] == [True] * count
        told.clear()


def test_a_list_beside_a_list_of_the_text_is_joined_and_compared_as_in_python() -> None:
    text = "v = [1, 2]\nprint(v + [3], [0] + v, v == [1, 2], v != [1, 2], v < [1, 3])\nL = sum(v + [3])\n"
    assert run_script(HEAD + text).stdout == "[1, 2, 3] [0, 1, 2] True False True\n"
    for wrong in ("np.ones(2) + ['a']", "np.ones(2) == [None, 2]", "[[1], None]*np.ones(2)"):
        error = run_script(f"{HEAD}L = {wrong}\n").error
        assert error is not None
        assert error.code in ("E0203", "E0302")
    for wrong in ("v - [1, 2]", "v*[1, 2]", "tensor([1.0, 2.0]) + [1, 2]"):
        error = run_script(f"v = [1, 2]\nL = {wrong}\n").error
        assert error is not None
        assert error.code == "E0203"


@pytest.mark.parametrize("change", ["w[0] = 5.0", "B[0] = 5.0", "w += 1", "B *= 2", "w[1:][0] = 5.0"])
def test_an_array_and_its_part_taken_backwards_are_not_changed_together(change: str) -> None:
    text = f"{HEAD}x = np.array({POINTS})\nw = x*1\nB = w[::-1]%s\n{change}\nL = np.sum(w*B**2)\n"
    assert run_script(text % ".copy()").error is None
    assert run_script(text.replace("w[::-1]%s", "np.flip(w)")).error is not None
    error = run_script(text % "").error
    assert error is not None
    assert "x[::-1].copy()" in " ".join(error.advice)


@pytest.mark.parametrize(
    "lines",
    [
        "def f(a):\n    a[0] = 5.0\n    return a\ny = f(x)*x",
        *(
            "y = x\ny *= 2",
            "y = x*1\nB = x[1:]\nB += y[0]",
            "y = x*1\nx.T[0] = y[2]*3\nB = x.reshape(4, 1)\nB[1] = 7*B[0]",
        ),
    ],
)
def test_an_input_that_changes_under_another_name_is_meant_by_its_first_value(lines: str) -> None:
    def right(at: Any) -> Any:
        names: dict[str, Any] = {"x": at}
        exec(HEAD + lines, names)
        return np.sum(names["x"] ** 2 * names["y"])

    start = np.array(eval(POINTS))
    ends = [[right(start + side * step) for side in (1e-6, -1e-6)] for step in np.eye(4)]
    for wrt in ([], ["x"]):
        settings = Settings(wrt=wrt)
        text = f"{HEAD}x = np.array({POINTS})\n{lines}\nL = np.sum(x**2*y)\n"
        execution = execute(Source(text), settings, lambda text: None, lambda message, span: None)
        subject = differentiate(execution, settings)
        ((_, node),) = subject.wrt
        slopes = subject.received[node]
        assert slopes == pytest.approx([(up - down) / 2e-6 for up, down in ends], rel=1e-5, abs=1e-4)


def test_an_index_of_rows_and_columns_names_each_entry_once() -> None:
    text = f"{HEAD}x = np.array([1.0, 2.0])\ny = np.zeros((2, 2))\ny[[0, %d], [1, 1]] = x\nL = np.sum(y**2)\n"
    assert run_script(text % 1).error is None
    error = run_script(text % 0).error
    assert error is not None
    assert "twice" in error.message


def test_what_has_no_slope_has_numpys_values() -> None:
    for expression in split(WITHOUT_SLOPE):
        script = f"{HEAD}x = np.array({POINTS})\n{TAIL}w = {expression}\nprint(w)\nL = x.sum()\n"
        outcome = run_script(script)
        assert outcome.error is None, expression
        right = in_numpy(expression, np.array(eval(POINTS)))
        assert outcome.stdout == f"{right!s}\n", expression


@pytest.mark.parametrize(
    "expression",
    [
        *(
            "np.linalg.norm([2.0, 3.0], x)",
            "np.nan_to_num([1.0, np.nan], nan=x)",
            "np.std([1.0, 2.0], ddof=x)",
        ),
        *("np.random.gamma(2.0, scale=x)", "np.random.default_rng(1).wald(1.0, x)"),
    ],
)
def test_a_number_that_gets_no_slope_is_told(expression: str) -> None:
    told = []
    script = f"{HEAD}x = 0.5\nL = np.sum(x*{expression})\n"
    execute(Source(script), Settings(), lambda text: None, lambda message, span: told.append(message))
    assert [text for text in told if "no gradient flows to it" in text]
    told.clear()
    execute(
        Source(script.replace("=x)", "=0)").replace(", x)", ", 2)")),
        Settings(),
        lambda text: None,
        lambda message, span: told.append(message),
    )
    assert not told


RANDOM = """\
import numpy.random as npr
from numpy.random import randn, seed, default_rng
seed(3)
mu, x = 0.5, np.array([1.0, 2.0, 3.0, 4.0])
drawn = [np.random.randn(2, 3), npr.normal(mu, 2, size=4), npr.permutation(3), randn(2), npr.rand()]
drawn += [npr.uniform(2, mu, (5, 1)), npr.randint(3, 5, size=6), npr.random(3), npr.random_sample()]
drawn += [npr.randint(9)]
drawn += [npr.choice([7.0, 8.0]), npr.choice(x, (2, 2)), npr.choice(4, 3, replace=False)]
drawn += [npr.choice(3, p=[0.1, 0.2, 0.7])]
drawn += [npr.lognormal(mu, 0.1, 2), npr.laplace(1, mu, 2), npr.exponential(2.0, 3)]
drawn += [npr.poisson(3.0, 4), npr.beta(1, 2)]
drawn += [npr.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], 2), npr.binomial(5, 0.3, size=3)]
rng = default_rng(4)
drawn += [rng.normal(size=(2,)), rng.uniform(), rng.integers(2, 9, 4), rng.integers(5)]
drawn += [rng.random((2, 2)), rng.gamma(2.0, 1.5)]
drawn += [rng.choice(x, 2), rng.permutation(x.reshape(2, 2)), rng.standard_normal(3)]
drawn += [rng.normal(x, 0.5), rng.gumbel(mu)]
s = np.random.RandomState(7)
y, places, names = x*1, np.arange(5), ["a", "b", "c"]
s.shuffle(y); rng.shuffle(places); s.shuffle(names)
drawn += [y, places, names, s.randn(2), s.normal(loc=x), s.choice(["u", "v"])]
drawn += [s.randint(low=2, high=9, size=2, dtype=int)]
print(drawn, np.random.default_rng(1).normal(0, 1, 2), np.random.RandomState(3).rand())
"""


def test_random_numbers_of_numpy_are_numpys() -> None:
    """Those of each generator, also under the names that imports give them."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(HEAD + RANDOM, {})
    outcome = run_script(HEAD + RANDOM + "L = np.sum(x)\n")
    assert outcome.error is None
    assert numbers_of(outcome.stdout) == numbers_of(printed.getvalue())
    text = "from numpy import *\nw = 2.0\nrandom.seed(1)\nprint(random.rand(2))\nL = w*random.randn()\n"
    assert run_script(text).stdout == "[0.417022   0.72032449]\n"


def numbers_of(text: str) -> list[str]:
    """Return the numbers and words that are printed, without the names of numpy's types."""
    return re.findall(r"-?\d[\d.e-]*|'\w'", re.sub(r"np\.\w+64|array|dtype", "", text))


def test_random_numbers_without_a_seed_are_those_of_the_option() -> None:
    drawn = ", ".join(["np.random.rand()", *["np.random.default_rng().random()"] * 2])
    text = f"{HEAD}print({drawn})\nL = 2*1.0"
    first, again, other = (run_script(text, seed=seed).stdout for seed in (5, 5, 2**40))
    assert first == again != other
    assert float(first.split()[0]) == np.random.RandomState(5).rand()
    assert len(set(first.split())) == 3


def test_slopes_flow_to_the_location_and_scale_of_a_distribution() -> None:
    text = f"{HEAD}np.random.seed(1)\nm, s = 0.5, 2.0\nx = np.random.normal(m, s, 3)\nL = np.sum(x**2)\n"
    execution = execute(Source(text), Settings(), lambda text: None, lambda message, span: None)
    subject = differentiate(execution, Settings())
    slopes = {name: float(subject.received[node]) for name, node in subject.wrt}
    z = np.random.RandomState(1).randn(3)
    x = 0.5 + 2 * z
    assert slopes == pytest.approx({"m": np.sum(2 * x), "s": np.sum(2 * x * z)})
    for wrong, words in (("choice(3, 5, replace=False)", "larger sample"), ("randint(3, 2)", "low >= high")):
        error = run_script(f"{HEAD}np.random.{wrong}\nL = 2*1.0").error
        assert error is not None
        assert words in error.message


def test_bare_names_of_numpy_in_a_script_of_numpy_are_numpys() -> None:
    """Such scripts were written under ``from numpy import *``; in others ``linspace`` makes a tensor."""
    text = "x = 2.0\nt = linspace(0, x, 3)\nprint(t, zeros(2))\nL = %ssum(t**2)\n"
    outcome = run_script(HEAD + text % "np.")
    assert outcome.stdout == "[0. 1. 2.] [0. 0.]\n"
    assert outcome.names["L"].requires_grad
    assert run_script(text % "").stdout.startswith("tensor([0., 1., 2.]")


def test_an_entry_of_an_array_is_a_number_that_stays() -> None:
    """numpy's ``x[0]`` is no view: later changes of ``x`` leave it."""
    text = f"""{HEAD}x = np.array([2.0, 3.0])
t, (a, b) = x[0], x
for v in x:
    x[1] = 7.0
    print(v)
x[0] += 1e-3
x[0] = 5.0
y = x[:1]
x[0] *= 2
print(t, a, b, x, y)
"""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(text, {})
    assert run_script(text + "L = t*b").stdout == printed.getvalue()


def test_arrays_print_as_the_script_asks_until_it_ends() -> None:
    text = f"{HEAD}np.set_printoptions(precision=2, suppress=True)\nprint(np.array([1/3, 1e-7]))\nL = 2*1.0"
    assert run_script(text).stdout == "[0.33 0.  ]\n"
    assert run_script(f"{HEAD}print(np.array([1/3]))\nL = 2*1.0").stdout == "[0.33333333]\n"


#: Wrong statements whose error has numpy's words.
NUMPY_ERRORS = """\
np.ones(4) + x[:3] | x[5] | x.reshape(3, 2) | np.sum(x, axis=1) | bool(x > 1) | float(x)
A + x[:3] | np.array([])[1]
y[:2] = x | np.linalg.inv(np.ones((2, 2))) | x.nosuch | f"{x:.2f}" | np.add([1, 2], [1, 2, 3])"""


def test_errors_of_numpy_scripts_have_numpys_words() -> None:
    for wrong in split(NUMPY_ERRORS):
        text = (
            f"{HEAD}x = np.array({POINTS})\n{TAIL}{'' if ' = ' in wrong else 'w = '}{wrong}\nL = np.sum(x)\n"
        )
        with pytest.raises((ArithmeticError, AttributeError, LookupError, TypeError, ValueError)) as raised:
            exec(text, {})
        error = run_script(text).error
        assert error is not None, wrong
        assert error.message == str(raised.value).strip(), wrong
    for wrong in ("np.linalg.cholesky(x)", "x.T @ x[:2]", "x[1.5]", "~x", "np.exp('a')", "x[0] + 'a'"):
        error = run_script(f"{HEAD}x = np.array({POINTS})\nL = {wrong}\n").error
        assert error is not None, wrong
        told = " ".join([error.message, error.caret, *error.advice, *(label.text for label in error.labels)])
        assert not re.search("[tT]ensor|torch|requires_grad|clone|detach", told), told


def test_a_script_without_numpy_is_told_nothing_of_it() -> None:
    error = run_script("x = [1.0, 2.0]\ny = 2*x + 'a'\nL = 2*x[0]\n").error
    assert error is not None
    assert error.message == "unsupported operand type(s) for +: 'array' and 'str'"


def test_parts_of_an_array_are_equal() -> None:
    error = run_script(f"{HEAD}x = np.array({POINTS})\nL = np.split(x, 3)[0].sum()\n").error
    assert error is not None
    assert "equal division" in error.message
    assert "np.array_split" in " ".join(error.advice)


@pytest.mark.parametrize("last", ["L.backward()", "print(x.grad)"])
def test_a_script_that_reads_gradients_keeps_torchs_methods(last: str) -> None:
    outcome = run_script(f"x = [1.0, 2.0, 4.0]\nL = x.std()\n{last}\n")
    assert outcome.names["L"].item() == pytest.approx(np.std([1.0, 2.0, 4.0], ddof=1))


NUMBERS = """\
x = np.array([1.0, 2.0])
y = np.sum(x**2)
print(y.item(), x.tolist(), f"{y.item():.3f}", "%d" % y.item(), round(y.item(), 2))
print(int(y.item()), str(y.item()))
z = [0]*int(y.item()) + [v for v in x.tolist()]
if y.item() > 3 and x.tolist()[0] == 1.0:
    print(z, max(x.tolist()), sorted(x.tolist()), sum(x.tolist()), len(x.tolist()), x.tolist().index(2.0))
print(np.array(x.tolist()), x.tolist() == [1.0, 2.0], 1.0 in x.tolist())
n = np.array([[1, 2], [3, 4]])
print(n.tolist(), n.sum().item(), range(n[0].sum().item()), [0]*n[0, 1].item())
print(np.zeros(n[0, 0].item()), n.item(2))
"""


def test_numbers_that_stay_in_the_graph_are_pythons() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(HEAD + NUMBERS, {})
    assert run_script(HEAD + NUMBERS).stdout == printed.getvalue()
