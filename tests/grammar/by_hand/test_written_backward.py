"""Backward passes in numpy, or in torch without autograd: each step is right, each mistake is found."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

SOFTMAX = """\
import numpy as np
np.random.seed(0)
x = np.random.randn(4, 3)
W = np.random.randn(3, 5) * 0.5
t = np.random.randn(4, 5)
s = x @ W
e = np.exp(s - s.max(axis=1, keepdims=True))
a = e / e.sum(axis=1, keepdims=True)
loss = np.sum(a * t)
da = t
ds = a * (da - (da * a).sum(axis=1, keepdims=True))
dW = x.T @ ds
dx = ds @ W.T
"""
LAYER_NORM = """\
import numpy as np
np.random.seed(1)
x = np.random.randn(4, 6)
gamma = np.random.randn(6)
beta = np.random.randn(6)
target = np.random.randn(4, 6)
mean = x.mean(axis=-1, keepdims=True)
std = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
xhat = (x - mean) / std
y = gamma * xhat + beta
loss = 0.5 * np.sum((y - target) ** 2)
dy = y - target
dgamma = (dy * xhat).sum(axis=0)
dbeta = dy.sum(axis=0)
dxhat = dy * gamma
D = x.shape[-1]
dx = 1 / D / std * (D * dxhat - dxhat.sum(axis=-1, keepdims=True)
                    - xhat * (dxhat * xhat).sum(axis=-1, keepdims=True))
"""
ATTENTION = """\
import numpy as np
np.random.seed(2)
T, d = 4, 3
X = np.random.randn(T, d)
Wq, Wk, Wv = np.random.randn(d, d), np.random.randn(d, d), np.random.randn(d, d)
target = np.random.randn(T, d)
q = X @ Wq
k = X @ Wk
v = X @ Wv
s = q @ k.T / np.sqrt(d)
e = np.exp(s - s.max(axis=-1, keepdims=True))
a = e / e.sum(axis=-1, keepdims=True)
o = a @ v
loss = ((o - target) ** 2).mean()
do = 2 * (o - target) / o.size
dv = a.T @ do
da = do @ v.T
ds = a * (da - (da * a).sum(axis=-1, keepdims=True))
dq = ds @ k / np.sqrt(d)
dk = ds.T @ q / np.sqrt(d)
dWq = X.T @ dq
dWk = X.T @ dk
dWv = X.T @ dv
dX = dq @ Wq.T + dk @ Wk.T + dv @ Wv.T
"""
SCRIPTS = {"softmax": SOFTMAX, "layer norm": LAYER_NORM, "attention": ATTENTION}
#: How torch writes what numpy writes.
IN_TORCH = {
    "import numpy as np": "import torch",
    "np.random.seed": "torch.manual_seed",
    "np.random.randn": "torch.randn",
    "np.sqrt(d)": "d ** 0.5",
    "np.": "torch.",
    "keepdims": "keepdim",
    "axis=": "dim=",
    ".max(": ".amax(",
    ".var(": ".var(unbiased=False, ",
    "o.size": "o.numel()",
}
MISTAKES = [
    ("softmax", "da - (da", "da + (da", "s", "the sign of the term (da * a).sum"),
    ("softmax", "a).sum(axis=1,", "a).sum(axis=0,", "s", "in place of (da * a).sum"),
    ("softmax", "ds = a * (da - (da * a).sum(axis=1, keepdims=True))", "ds = a * da", "s", "is missing"),
    ("softmax", "x.T @ ds", "x.T @ ds / 4", "W", "a factor 4 is missing"),
    ("layer norm", "dy * gamma", "dy", "xhat", "the factor d(gamma*xhat)/dxhat = gamma is missing"),
    ("layer norm", "(dy * xhat)", "(dy * x)", "gamma", "the factor x should be"),
    ("layer norm", " - dxhat.sum(axis=-1, keepdims=True)", "", "x", "<- mean <- x is missing"),
    ("layer norm", "(D * dxhat", "(dxhat", "x", "the factor D is missing beside dxhat"),
    ("attention", " / o.size", "", "o", "as if the 1/12 of the mean over 12 entries"),
    ("attention", "a.T @ do", "a @ do", "v", "a must be transposed: a.T"),
    ("attention", "ds.T @ q", "ds @ q", "k", "ds must be transposed: ds.T"),
    ("attention", "ds @ k / np.sqrt(d)", "ds @ k", "q", "it is 1.73205 times what it should be"),
    ("attention", " + dv @ Wv.T", "", "X", "<- v <- X is missing"),
]


def in_torch(text: str) -> str:
    for numpy, torch in IN_TORCH.items():
        text = text.replace(numpy, torch)
    return text


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_each_step_is_right(name: str, library: str) -> None:
    script = SCRIPTS[name] if library == "numpy" else in_torch(SCRIPTS[name])
    found = check_steps(script, script)
    assert len(found) == {"softmax": 4, "layer norm": 5, "attention": 10}[name]
    assert {one.verdict for one in found} == {"right"}


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize(("name", "old", "new", "by", "reason"), MISTAKES)
def test_a_mistake_is_found_at_its_step(
    name: str, old: str, new: str, by: str, reason: str, library: str
) -> None:
    script = SCRIPTS[name]
    assert script.count(old) == 1
    script = script.replace(old, new)
    script = script if library == "numpy" else in_torch(script)
    [wrong] = [one for one in check_steps(script, script) if one.verdict != "right"]
    assert (wrong.verdict, wrong.left) == ("wrong", f"dloss/d{by}")
    assert reason in wrong.remarks[0]


@pytest.mark.parametrize(
    ("forward", "loss", "steps"),
    [
        ("xhat = (x - x.mean(0)) / x.std(0)", "(xhat*t).sum()", "dxhat = t\ndx = {centred} / x.std(0)"),
        ("y = x.transpose(1, 0)", "(y*t.T).sum()", "dy = t.T\ndx = dy.transpose(1, 0)"),
        ("m = x.max(1)", "(m*t[:, 0]).sum()", "dm = t[:, 0]\ndx = (x == x.max(1)[:, None]) * dm[:, None]"),
        ("y = x**2 / x.size", "(y*t).sum()", "dy = t\ndx = 2*x*dy / x.size"),
        ("y = x.repeat(2, axis=0)", "(y**2).sum()", "dy = 2*y\ndx = 4*x.repeat(1, axis=0)"),
    ],
)
def test_methods_of_arrays_are_numpys(forward: str, loss: str, steps: str) -> None:
    """In a script of numpy ``x.std(0)`` divides by n, also in the lines of its backward pass."""
    script = f"""\
import numpy as np
np.random.seed(3)
x = np.random.randn(4, 3)
t = np.random.randn(4, 3)
{forward}
loss = {loss}
"""
    centred = "(dxhat - dxhat.mean(0) - xhat*(dxhat*xhat).mean(0))"
    script += steps.format(centred=centred) + "\n"
    assert [one.verdict for one in check_steps(script, script)] == ["right", "right"]


RECURRENT = """\
import numpy as np
np.random.seed(0)
T, n, m = 4, 3, 2
xs = np.random.randn(T, m)
ys = np.random.randn(T, n)
Wx, Wh = np.random.randn(n, m) * 0.5, np.random.randn(n, n) * 0.5
hs = [np.zeros(n)]
for t in range(T):
    hs.append(np.tanh(Wx @ xs[t] + Wh @ hs[t]))
loss = 0
for t in range(T):
    loss = loss + 0.5 * ((hs[t + 1] - ys[t]) ** 2).sum()
dWx, dWh = np.zeros_like(Wx), np.zeros_like(Wh)
dhnext = np.zeros(n)
for t in reversed(range(T)):
    dh = (hs[t + 1] - ys[t]) + dhnext
    dz = dh * (1 - hs[t + 1] ** 2)
    dWx += np.outer(dz, xs[t])
    dWh += np.outer(dz, hs[t])
    dhnext = Wh.T @ dz
"""


def test_a_script_that_ends_in_a_loop_back_through_time_is_about_its_loss() -> None:
    """It ends in ``dhnext``, which is no output."""
    found = check_steps(RECURRENT, RECURRENT)
    assert [(one.left, one.verdict) for one in found] == [("dloss/dWx", "right"), ("dloss/dWh", "right")]


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        (" + dhnext", "", "dh for t = 2 == (hs[t + 1] - ys[t])"),
        ("Wh.T @ dz", "Wh @ dz", "dhnext for t = 3 == Wh @ dz"),
        ("dh * (1 - hs[t + 1]", "dh * (1 - hs[t]", "dz for t = 3 == dh * (1 - hs[t] ** 2)"),
    ],
)
def test_the_title_of_a_wrong_turn_has_its_line(old: str, new: str, title: str) -> None:
    assert RECURRENT.count(old) == 1
    script = RECURRENT.replace(old, new)
    [wrong] = [one for one in check_steps(script, script) if one.verdict != "right"]
    assert wrong.spelled.startswith(f"{title} (steps.txt:")
