"""`check --formula @` of scripts as courses have them: backward functions, several gradients that arrive."""

from __future__ import annotations

import re

import pytest

NORM = """\
import numpy as np
def forward(x, gamma, beta):
    std = np.sqrt(x.var(axis=0) + 1e-5)
    xhat = (x - x.mean(axis=0)) / std
    return gamma * xhat + beta, (xhat, gamma, std)
def backward(dout, cache):
    xhat, gamma, std = cache
    dxhat = dout * gamma
    dx1 = dxhat - dxhat.mean(axis=0)
    dx2 = -xhat * (dxhat * xhat).mean(axis=0)
    return (dx1 + dx2) / std, np.sum(dout * xhat, axis=0)
def short(dout, cache):
    xhat, gamma, std = cache
    N = dout.shape[0]
    inner = N * dout - dout.sum(axis=0) - xhat * (dout * xhat).sum(axis=0)
    return gamma / (N * std) * inner, np.sum(dout * xhat, axis=0)
np.random.seed(0)
x = np.random.randn(4, 3)
gamma = np.random.randn(3)
beta = np.random.randn(3)
dout = np.random.randn(4, 3)
out, cache = forward(x, gamma, beta)
dx, dgamma = backward(dout, cache)
dx2, dgamma2 = short(dout, cache)
difference = np.abs(dx - dx2).max()
print('difference', difference)
"""


def rows(out: str) -> list[tuple[int, str, str]]:
    found = re.findall(r"^ +(\d+)   (\S+) +(right(?: here)?|wrong|undecided)$", out, re.M)
    return [(int(line), step, answer) for line, step, answer in found]


def check(autodiff, tmp_path, script: str) -> tuple[list[tuple[int, str, str]], str]:
    path = tmp_path / "net.py"
    path.write_text(script)
    result = autodiff("check", str(path), "--formula", "@")
    return rows(result.out), result.out + result.err


@pytest.mark.parametrize(
    "names", ["dx2, dgamma2", "dx_alt, dgamma_alt", "dx_fast, dgamma_fast", "dx_vectorized, dgamma2"]
)
def test_another_way_to_work_out_a_gradient_is_judged_too(autodiff, tmp_path, names: str) -> None:
    script = NORM.replace("dx2, dgamma2", names).replace("dx - dx2", f"dx - {names.split(',')[0]}")
    found, out = check(autodiff, tmp_path, script)
    by = ["dout/dx", "dout/dgamma"]
    assert found == [(23, by[0], "right"), (23, by[1], "right"), (24, by[0], "right"), (24, by[1], "right")]
    assert "the steps are about out" in out


def test_a_mistake_in_the_other_way_is_found_there(autodiff, tmp_path) -> None:
    found, _ = check(autodiff, tmp_path, NORM.replace("xhat * (dout * xhat).sum", "xhat * dout.sum"))
    assert [one for one in found if one[2] == "wrong"] == [(24, "dout/dx", "wrong")]


def test_parts_of_a_gradient_are_no_other_ways(autodiff, tmp_path) -> None:
    script = """\
import numpy as np
x = np.array([0.5, 1.5])
y = x**2
L = np.sum(y*x)
dy = x
dx1 = dy*2*x
dx2 = y
dx = dx1 + dx2
"""
    found, _ = check(autodiff, tmp_path, script)
    assert found == [(5, "dL/dy", "right"), (8, "dL/dx", "right")]


def test_a_value_made_of_a_gradient_is_no_other_way(autodiff, tmp_path) -> None:
    script = "import numpy as np\nx = np.array([0.5, 1.5])\nL = np.sum(x**3)\ndx = 3*x**2\ndx2 = dx**2\n"
    assert check(autodiff, tmp_path, script)[0] == [(4, "dL/dx", "right")]


def test_another_way_of_another_shape_is_no_gradient(autodiff, tmp_path) -> None:
    script = "import numpy as np\nx = np.array([0.5, 1.5])\nL = np.sum(x**3)\ndx = 3*x**2\ndx2 = x[0]**2*3\n"
    found, out = check(autodiff, tmp_path, script)
    assert found == [(4, "dL/dx", "right")]
    assert "`dx2` is not compared: its shape is (), and that of `x` (2,)" in out


DIFFERENCES = """\
import numpy as np
def differences(f, x, h=1e-5):
    g = np.zeros_like(x)
    for i in range(len(x)):
        old = x[i]
        x[i] = old + h
        above = f(x)
        x[i] = old - h
        below = f(x)
        x[i] = old
        g[i] = (above - below) / (2*h)
    return g
x = np.array([0.5, 1.5, -0.3])
L = np.sum(np.exp(x))
dx = np.exp(x)
NAME = differences(lambda x: np.sum(np.exp(x)), x)
print(np.abs(dx - NAME).max())
"""


@pytest.mark.parametrize("name", ["dx2", "dx_num", "grad_x_numerical", "grad_x"])
def test_differences_are_no_step(autodiff, tmp_path, name: str) -> None:
    """They are right to a few digits: no other tolerance would show a small mistake."""
    found, out = check(autodiff, tmp_path, DIFFERENCES.replace("NAME", name))
    assert found == [(15, "dL/dx", "right")]
    assert f"net.py:16: `{name}` is not compared: " in out
    assert " a few of its digits only" in out


LSTM = """\
import numpy as np
def sigmoid(x):
    return 1 / (1 + np.exp(-x))
def step_forward(x, prev_c, W):
    i, g = sigmoid(x.dot(W)), np.tanh(x.dot(W))
    next_c = 0.5 * prev_c + i * g
    next_h = i * np.tanh(next_c)
    return next_h, next_c, (x, prev_c, W, i, g, next_c)
def step_backward(dnext_h, dnext_c, cache):
    x, prev_c, W, i, g, next_c = cache
    dc = dnext_c + dnext_h * i * (1 - np.tanh(next_c) ** 2)
    di = dc * g + dnext_h * np.tanh(next_c)
    dg = dc * i
    da = di * i * (1 - i) + dg * (1 - g ** 2)
    return da.dot(W.T), dc * 0.5, x.T.dot(da)
np.random.seed(1)
x = np.random.randn(4, 3)
prev_c = np.random.randn(4, 2)
W = np.random.randn(3, 2)
next_h, next_c, cache = step_forward(x, prev_c, W)
dnext_h = np.random.randn(*next_h.shape)
dnext_c = np.random.randn(*next_c.shape)
dx, dprev_c, dW = step_backward(dnext_h, dnext_c, cache)
"""


def test_gradients_that_arrive_at_several_values_arrive_together(autodiff, tmp_path) -> None:
    found, out = check(autodiff, tmp_path, LSTM)
    assert found == [(23, f"dL/d{one}", "right") for one in ("x", "prev_c", "W")]
    assert "the steps are about L = (next_h*dnext_h).sum() + (next_c*dnext_c).sum()" in out


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [("dc * g +", "dc * i +", 12), ("dnext_c + dnext_h", "dnext_h", 11), ("dg = dc * i", "dg = dc", 13)],
)
def test_a_mistake_there_is_named_at_its_line(autodiff, tmp_path, right: str, wrong: str, line: int) -> None:
    found, _ = check(autodiff, tmp_path, LSTM.replace(right, wrong))
    assert [one[0] for one in found if one[2] == "wrong" and one[0] < 20] == [line]


def test_gradients_for_two_functions_do_not_arrive_together(autodiff, tmp_path) -> None:
    script = """\
import numpy as np
x = np.array([0.5, 1.5])
out_a = x**2
dout_a = np.array([1., 2.])
out_b = x**3
dout_b = np.array([3., 4.])
dx_a = dout_a*2*x
"""
    path = tmp_path / "net.py"
    path.write_text(script.replace("dx_a", "dx") + "dx2 = dout_b*3*x**2\n")
    result = autodiff("check", str(path), "--formula", "@")
    assert result.returncode == 2
    assert "--of out_a" in result.err
    assert "--of out_b" in result.err


TWO_LOSSES = """\
import numpy as np
def naive(W, X, y, reg):
    loss = 0.0
    dW = np.zeros_like(W)
    for i in range(len(X)):
        e = X[i].dot(W) - y[i]
        loss += e**2
        dW += 2 * e * X[i]
    loss = loss / len(X) + reg * np.sum(W * W)
    dW = dW / len(X) + 2 * reg * W
    return loss, dW
def fast(W, X, y, reg):
    e = X.dot(W) - y
    loss = np.mean(e**2) + reg * np.sum(W * W)
    dW = 2 * X.T.dot(e) / len(X) + 2 * reg * W
    return loss, dW
np.random.seed(0)
W = np.random.randn(3)
X = np.random.randn(6, 3)
y = np.random.randn(6)
print('before')
loss_naive, grad_naive = naive(W, X, y, 0.1)
loss_fast, grad_fast = fast(W, X, y, 0.1)
print('difference: %.0e' % np.abs(grad_naive - grad_fast).max())
"""
MISTAKE = ("/ len(X) + 2 * reg * W\n    return loss, dW\nnp", "/ len(X) + reg * W\n    return loss, dW\nnp")


def test_each_function_with_a_loss_is_judged(autodiff, tmp_path) -> None:
    found, out = check(autodiff, tmp_path, TWO_LOSSES)
    assert found == [(10, "dloss/dW", "right"), (15, "dloss/dW", "right")]
    assert out.count("before\n") == out.count("difference: ") == 1
    wrong = TWO_LOSSES.replace(*MISTAKE)
    assert wrong != TWO_LOSSES
    assert check(autodiff, tmp_path, wrong)[0] == [(10, "dloss/dW", "right"), (15, "dloss/dW", "wrong")]


def test_the_order_of_the_calls_does_not_matter(autodiff, tmp_path) -> None:
    first = "loss_naive, grad_naive = naive(W, X, y, 0.1)\n"
    second = "loss_fast, grad_fast = fast(W, X, y, 0.1)\n"
    script = TWO_LOSSES.replace(*MISTAKE).replace(first + second, second + first)
    assert check(autodiff, tmp_path, script)[0] == [(10, "dloss/dW", "right"), (15, "dloss/dW", "wrong")]


def test_a_function_beside_a_step_is_judged(autodiff, tmp_path) -> None:
    script = TWO_LOSSES.replace(*MISTAKE).replace("loss_naive, grad_naive", "loss, dW")
    script = script.replace("grad_naive", "dW")
    wrong = [(15, "dloss/dW", "wrong"), (23, "dloss/dW", "wrong")]
    assert check(autodiff, tmp_path, script)[0] == [wrong[0], (22, "dloss/dW", "right"), wrong[1]]


@pytest.mark.parametrize(("name", "line"), [("loss_naive", 10), ("loss_fast", 15)])
def test_the_loss_that_a_call_returns_can_be_asked_for(autodiff, tmp_path, name: str, line: int) -> None:
    (tmp_path / "net.py").write_text(TWO_LOSSES)
    result = autodiff("check", "net.py", "--formula", "@", "--of", name, cwd=tmp_path)
    assert rows(result.out) == [(line, "dloss/dW", "right")]


def test_what_cannot_be_judged_is_named(autodiff, tmp_path) -> None:
    script = TWO_LOSSES + "def back(X, e):\n    dW = X.T.dot(e)\n    return dW\ng = back(X, y)\n"
    _, out = check(autodiff, tmp_path, script)
    reason = "not judged, no loss is known whose gradients the lines of `back` are"
    assert f"net.py:28: `g`: {reason}" in out


def test_a_script_that_stops_behind_the_steps_is_judged(autodiff, tmp_path) -> None:
    found, out = check(autodiff, tmp_path, TWO_LOSSES + "x = missing\n")
    assert found == [(10, "dloss/dW", "right"), (15, "dloss/dW", "right")]
    assert "line 25: the script stops here, behind the steps" in out


def test_a_script_that_runs_with_no_other_values_is_judged_at_its_own(autodiff, tmp_path) -> None:
    script = "import numpy as np\nx = np.array([0.5, 1.5])\nassert x[0] == 0.5\nL = np.sum(x**2)\ndx = 2*x\n"
    _, out = check(autodiff, tmp_path, script)
    assert "right: 1 step, at the script's values alone: it runs with no others\n" in out
    _, out = check(autodiff, tmp_path, script.replace("assert x[0] == 0.5\n", ""))
    assert "right: 1 step, at the script's values and at points drawn at random around them\n" in out


RECURRENT = """\
import numpy as np
np.random.seed(0)
data = np.random.randn(3, 2)
W = np.random.randn(4, 4)
U = np.random.randn(4, 2)
def loss_of(W, U):
    hs = [np.zeros(4)]
    loss = 0
    for t in range(3):
        hs.append(np.tanh(W.dot(hs[t]) + U.dot(data[t])))
        loss += np.sum(hs[t + 1]**2)
    dW, dU = np.zeros_like(W), np.zeros_like(U)
    dhnext = np.zeros(4)
    for t in reversed(range(3)):
        draw = (2*hs[t + 1] + dhnext) * (1 - hs[t + 1]**2)
        dW += np.outer(draw, hs[t])
        dU += np.outer(draw, data[t])
        dhnext = W.T.dot(draw)
    for d in [dW, dU]:
        np.clip(d, -1, 1, out=d)
    return loss, dW, dU
loss, dW, dU = loss_of(W, U)
"""


def test_a_function_that_bounds_its_gradients_is_judged_before_it_does(autodiff, tmp_path) -> None:
    found, out = check(autodiff, tmp_path, RECURRENT)
    assert found == [(22, "dloss/dW", "right"), (22, "dloss/dU", "right")]
    assert "it is compared before line 20 bounds it" in out
    assert "is not compared" not in out  # neither data nor what the steps are made of


def test_a_mistake_in_its_loop_is_named(autodiff, tmp_path) -> None:
    found, out = check(autodiff, tmp_path, RECURRENT.replace("outer(draw, hs[t])", "outer(draw, hs[t + 1])"))
    wrong = [(line, step) for line, step, answer in found if answer == "wrong"]
    assert wrong == [(16, "dloss/dW"), (22, "dloss/dW")]
    assert "with hs[t] in place of hs[t + 1]" in out


FLAT = """\
import numpy as np
x = np.array([0.5, 1.5])
w = np.array([2., 3.])
L = np.sum((w*x)**2)
dw = 2*w*x*x
"""


@pytest.mark.parametrize(
    "line", ["np.clip(dw, -1, 1, out=dw)", "dw = np.clip(dw, -1, 1)", "dw = dw.clip(-1, 1)"]
)
def test_a_line_that_bounds_a_finished_gradient_is_left_out(autodiff, tmp_path, line: str) -> None:
    found, out = check(autodiff, tmp_path, f"{FLAT}{line}\nw -= 0.1*dw\n")
    assert found == [(5, "dL/dw", "right")]
    assert "net.py:6: `dw` is compared before this line bounds it" in out
    assert check(autodiff, tmp_path, FLAT.replace("2*w", "3*w") + line + "\n")[0] == [(5, "dL/dw", "wrong")]


def test_a_bounded_gradient_that_another_is_made_of_is_wrong(autodiff, tmp_path) -> None:
    script = FLAT.replace("L = np.sum((w*x)**2)\ndw = 2*w*x*x\n", "z = w*x\nL = np.sum(z**2)\ndz = 2*z\n")
    found, _ = check(autodiff, tmp_path, f"{script}dz = np.clip(dz, -1, 1)\ndw = dz*x\n")
    assert found == [(7, "dL/dz", "wrong"), (8, "dL/dw", "right")]


def test_entries_that_a_loop_overwrites_are_named(autodiff, tmp_path) -> None:
    script = """\
import numpy as np
X = np.array([0.5, 1.5, -1., 2.])
out = np.zeros(3)
for i in range(3):
    out[i] = np.sum(X[i:i+2]**2)
L = np.sum(out)
dX = np.zeros_like(X)
for i in range(3):
    dX[i:i+2] = 2*X[i:i+2]
"""
    found, out = check(autodiff, tmp_path, script)
    assert found == [(9, "dL/dX", "wrong")]
    assert "each turn overwrites dX[i:i+2]: write `dX[i:i+2] += ...` (line 9)" in out
    assert check(autodiff, tmp_path, script.replace("dX[i:i+2] =", "dX[i:i+2] +="))[0] == [
        (9, "dL/dX", "right")
    ]


BY_DIFFERENCES = """\
dx_num = np.zeros_like(x)
for i in range(4):
    for j in range(3):
        old = x[i, j]
        x[i, j] = old + 1e-5
        a = np.sum(forward(x, gamma, beta)[0] * dout)
        x[i, j] = old - 1e-5
        b = np.sum(forward(x, gamma, beta)[0] * dout)
        x[i, j] = old
        dx_num[i, j] = (a - b) / 2e-5
"""


def test_differences_behind_the_steps_are_not_the_output(autodiff, tmp_path) -> None:
    """They give numbers, a gradient and a changed x; the lines of the function name gamma again."""
    script = NORM[: NORM.index("dx2, dgamma2 = ")] + BY_DIFFERENCES
    found, out = check(autodiff, tmp_path, script)
    assert found == [(23, "dout/dx", "right"), (23, "dout/dgamma", "right")]
    assert "the steps are about out, and `dout` is the gradient that arrives there" in out
    found, _ = check(autodiff, tmp_path, script.replace("(dx1 + dx2) / std", "(dx1 - dx2) / std"))
    assert [(line, answer) for line, step, answer in found if step == "dout/dxhat"] == [(8, "right")]
