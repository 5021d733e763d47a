"""Arrays with two names: what a line changes under one of them is changed under the other too."""

from __future__ import annotations

import pytest
from hand_checks import check_steps

SKIP = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]])
W = np.array([[0.2, -0.6], [0.4, 0.7]])
z = X @ W
a = np.maximum(z, 0)
o = a + X
loss = (o**2).sum()/2
"""
SKIP_STEPS = "do = o\nda = do\ndz = da\ndz[z <= 0] = 0\ndW = X.T @ dz\ndX = dz @ W.T + do\n"
TANH = """\
import numpy as np
X = np.array([[0.5, -1.0], [1.5, 2.0], [-0.3, 0.8]])
Y = np.eye(2)[[1, 0, 1]]
W1 = np.array([[0.2, -0.6], [0.4, 0.7]])
W2 = np.array([[0.9, -0.6], [0.3, 0.2]])
h = np.tanh(X @ W1)
s = h @ W2
p = np.exp(s)/np.exp(s).sum(axis=1, keepdims=True)
loss = -(Y*np.log(p)).sum()/3
"""
LATER = (
    "ds = (p - Y)/3\ndW2 = h.T @ ds\ndh = ds @ W2.T\ndz = dh\ndz *= 1 - h**2\ndW1 = X.T @ (dh*(1 - h**2))\n"
)
DIVIDED = "ds = p - Y\ndsn = ds\ndsn /= 3\ndW2 = h.T @ ds/3\ndh = ds @ W2.T\ndW1 = X.T @ (dh*(1 - h**2))\n"
TOO = "changes `{0}` too: `{1}` and `{0}` are one array; write `.copy()` where `{1}` gets its value"


@pytest.mark.parametrize(
    ("script", "steps", "wrong", "told"),
    [
        (SKIP, SKIP_STEPS, ["dloss/dX"], "line 4 " + TOO.format("do", "dz")),
        (SKIP, SKIP_STEPS.replace("dz = da", "dz = da[:]"), ["dloss/dX"], "line 4 " + TOO.format("do", "dz")),
        (SKIP, SKIP_STEPS.replace("dz = da", "dz = da.copy()"), [], ""),
        (SKIP, SKIP_STEPS.replace(" + do", ""), ["dloss/dX"], ""),
        (TANH, LATER, ["dloss/dW1"], "line 5 " + TOO.format("dh", "dz")),
        (TANH, LATER.replace("dz *= ", "dz = dz*"), [], ""),
        (TANH, DIVIDED, ["dloss/ds", "dloss/dW2"], "line 3 " + TOO.format("ds", "dsn")),
    ],
)
def test_steps_that_read_an_array_changed_under_another_name(
    script: str, steps: str, wrong: list[str], told: str
) -> None:
    found = check_steps(script, steps)
    assert [one.left for one in found if one.is_right is not True] == wrong
    remarks = [remark for one in found for remark in one.remarks if "one array" in remark]
    assert set(remarks) == ({told} if told else set())


def test_a_changed_array_whose_other_name_is_not_read_later_is_right() -> None:
    steps = "ds = p\nds -= Y\nds /= 3\ndW2 = h.T @ ds\ndh = ds @ W2.T\n"
    assert [one.is_right for one in check_steps(TANH, steps)] == [True] * 3
    [wrong, _, _] = check_steps(TANH, steps.replace("ds /= 3", "ds /= 3 + 0*p.sum() - p.sum()"))
    assert wrong.remarks == ["line 2 " + TOO.format("p", "ds")]
