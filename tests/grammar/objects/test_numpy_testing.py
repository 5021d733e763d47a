"""How scripts of numpy check themselves: the same assertions hold as in Python, with numpy's messages."""

from __future__ import annotations

import numpy as np
import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.lint import is_error, lint
from script_runner import run_script

HEAD = """\
import numpy as np
import numpy.testing as npt
from numpy.testing import assert_allclose
from scipy.optimize import check_grad, approx_fprime
x = np.array([1.0, 2.0])
A = np.array([[1.0, 2.0], [3.0, 4.5]])
def f(w):
    return w[0]**2*np.sin(w[1]) + 3*w[1]
def df(w):
    return np.array([2*w[0]*np.sin(w[1]), w[0]**2*np.cos(w[1]) + 3])
def scaled(w, c):
    return c*np.sum(w**3)
"""
HOLD = [
    "np.testing.assert_allclose(x, [1.0, 2.0])",
    "assert_allclose(x*(1 + 1e-8), x)",
    "npt.assert_allclose(x, x + 0.01, rtol=0, atol=0.02)",
    "npt.assert_allclose(df(x), approx_fprime(x, f), rtol=1e-5)",
    "npt.assert_allclose([np.nan, 1.0], [np.nan, 1.0])",
    "npt.assert_array_equal(A, [[1.0, 2.0], [3.0, 4.5]])",
    "npt.assert_array_almost_equal(x, x + 1e-7)",
    "npt.assert_array_almost_equal(x, x + 1e-3, decimal=2)",
    "npt.assert_almost_equal(f(x), f(x) + 1e-9)",
    "npt.assert_equal(3, 3)",
    "npt.assert_allclose(x*0, 0.0, atol=1e-12)",
    "assert check_grad(f, df, x) < 1e-5",
    "assert np.allclose(df(x), approx_fprime(x, f, 1e-7), atol=1e-5)",
]
FAIL = [
    "np.testing.assert_allclose(x, [1.0, 2.1])",
    "assert_allclose(x, x + 0.01, rtol=1e-5, atol=1e-3)",
    "npt.assert_allclose(x, [1.0, 2.0, 3.0])",
    "npt.assert_allclose(A, A.T, err_msg='not symmetric')",
    "npt.assert_array_equal(x, x + 1e-12)",
    "npt.assert_array_almost_equal(x, x + 1e-3)",
    "npt.assert_almost_equal(f(x), 1.0)",
    "npt.assert_equal(3, 4)",
    "npt.assert_allclose(x, [np.nan, 2.0])",
    "assert check_grad(f, lambda w: 2*df(w), x) < 1e-5",
]
#: Lines of numpy's messages that are the same here.
COMPARED = ("Not equal", "Arrays are not almost", "(shapes", "not symmetric")
NUMBERS = [
    "approx_fprime(x, f)",
    "approx_fprime(x, f, 1e-6)",
    "approx_fprime(x, f, [1e-6, 1e-7])",
    "approx_fprime(x, scaled, 1e-6, 2.0)",
    "approx_fprime(x, lambda w: w**2, 1e-6)",
    "approx_fprime(x, lambda w: np.array([w[0]*w[1]]), 1e-6)",
    "approx_fprime(2.0, lambda w: w**2, 1e-6)",
    "check_grad(f, df, x)",
    "check_grad(f, lambda w: df(w) + 0.5, x)",
    "check_grad(scaled, lambda w, c: 2*c*w**2, x, 3.0, epsilon=1e-6)",
]


def raised(line: str) -> str:
    with pytest.raises(AssertionError) as found:
        exec(HEAD + line, {})
    return str(found.value)


@pytest.mark.parametrize("line", HOLD)
def test_what_holds_in_numpy_holds(line: str) -> None:
    exec(HEAD + line, {})
    assert run_script(f"{HEAD}{line}\nL = f(x)\n").error is None
    assert not any(map(is_error, lint(Source(f"{HEAD}{line}\nL = f(x)\n"))))


@pytest.mark.parametrize("line", FAIL)
def test_what_fails_in_numpy_fails_as_an_assertion(line: str) -> None:
    error = run_script(f"{HEAD}{line}\nL = f(x)\n").error
    assert error is not None
    assert error.code == "E0210"
    theirs = [one for one in raised(line).splitlines() if one.startswith(COMPARED)]
    assert set(theirs) <= set(error.message.splitlines())
    assert not any(map(is_error, lint(Source(f"{HEAD}{line}\nL = f(x)\n"))))


@pytest.mark.parametrize("expression", NUMBERS)
def test_what_is_measured_with_steps_is_scipys(expression: str) -> None:
    names: dict[str, object] = {}
    exec(f"{HEAD}r = {expression}\n", names)
    outcome = run_script(f"{HEAD}r = {expression}\nprint(np.array(r).tolist())\nL = f(x)\n")
    assert outcome.error is None
    assert np.array(eval(outcome.stdout)) == pytest.approx(np.asarray(names["r"]), rel=1e-6, abs=1e-7)


def test_scripts_of_torch_compare_with_numpy_too() -> None:
    text = "import torch\nimport numpy as np\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n"
    text += "(x**2).sum().backward()\n"
    assert run_script(text + "np.testing.assert_allclose(x.grad.numpy(), [2.0, 4.0])\n").error is None
    error = run_script(text + "np.testing.assert_allclose(x.grad.numpy(), [2.0, 5.0])\n").error
    assert error is not None
    assert error.code == "E0210"


def test_what_is_measured_is_no_part_of_the_graph() -> None:
    outcome = run_script(f"{HEAD}L = f(x)\nL2 = L*check_grad(f, df, x)\nprint(check_grad(f, df, x) < 1e-5)\n")
    assert (outcome.error, outcome.stdout) == (None, "True\n")


@pytest.mark.parametrize(
    "line", ["import scipy.optimize as so", "from scipy.optimize import minimize, check_grad"]
)
def test_what_searches_is_a_command(line: str) -> None:
    error = run_script(f"{line}\nw = 2.0\nL = w**2\n").error
    assert error is not None
    assert "`autodiff minimize" in " ".join(error.help)


def test_directions_at_random_are_refused() -> None:
    error = run_script(f"{HEAD}check_grad(f, df, x, direction='random')\nL = f(x)\n").error
    assert error is not None
    assert error.code == "E0310"
