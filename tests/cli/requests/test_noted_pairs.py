"""The note on a loss that adds up all pairs of a column and a vector: its place, and a way out that works."""

from __future__ import annotations

import re

import pytest

TORCH = (
    "X = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])\nw = torch.tensor([[0.1], [0.2]], requires_grad=True)\n"
    "y = torch.tensor([1., 0., 1.])\n"
)
NUMPY = (
    "import numpy as np\nX = np.array([[1., 2.], [3., 4.], [5., 6.]])\nw = np.array([[0.1], [0.2]])\n"
    "y = np.array([1., 0., 1.])\ny_pred = X.dot(w)\n"
)
NOTED = {
    "difference": (TORCH + "loss = ((X @ w - y)**2).mean()\n", "`X @ w - y` in line 4"),
    "product": (TORCH + "e = y - X @ w\nloss = (e*e).sum() / 3\n", "`y - X @ w` in line 4"),
    "column of targets": (
        TORCH.replace("[[0.1], [0.2]]", "[0.1, 0.2]")
        + "y = y.reshape(-1, 1)\nloss = (0.5*(X @ w - y)**2).sum()\n",
        "`X @ w - y` in line 5",
    ),
    "numpy": (NUMPY + "loss = np.mean(np.square(y_pred - y))\n", "`y_pred - y` in line 6"),
    "numpy's sizes": (NUMPY + "loss = np.abs(y - y_pred).sum()\n", "`y - y_pred` in line 6"),
    "numpy's length": (NUMPY + "loss = np.linalg.norm(y_pred - y)\n", "`y_pred - y` in line 6"),
    "function": (
        "def mse(p, y):\n    return ((p - y)**2).mean()\n" + TORCH + "loss = mse(X @ w, y)\n",
        "`p - y` in line 2",
    ),
    "loop": (
        NUMPY + "for t in range(3):\n    p = X.dot(w)\n    loss = ((p - (y + 1))**2).mean()\n"
        "    w = w - 0.01*(X.T @ (p - y[:, None]))\nprint(loss)\n",
        "`p - (y + 1)` in line 8",
    ),
    "logarithms": (
        NUMPY + "p = 1/(1 + np.exp(-y_pred))\nloss = -np.mean(y*np.log(p) + (1 - y)*np.log(1 - p))\n",
        "`y*np.log(p)` in line 7",
    ),
}
MEANT = {
    "axis of a subscript": TORCH + "c = w[:, 0]\nloss = ((y[:2, None] - c)**2).sum()\nloss.backward()\n",
    "axis of a method": TORCH + "c = w[:, 0]\nloss = ((c.unsqueeze(1) - c)**2).sum()\nloss.backward()\n",
    "axis before": TORCH + "c = w[:, 0]\nd = c.reshape(2, 1)\nloss = ((d - c)**2).sum()\nloss.backward()\n",
    "no distance": TORCH + "loss = torch.exp(-(X @ w - y)**2).sum()\n",
    "no loss": TORCH + "e = X @ w - y\nloss = (e[0]**2).sum()\n",
    "entry by entry": TORCH + "loss = ((X @ w - y.reshape(3, 1))**2).sum()\n",
    "one entry": TORCH + "loss = ((X[:1] @ w - y[:1])**2).sum()\n",
    "other sizes": TORCH + "loss = ((X @ w - y[:2])**2).sum()\n",
}


@pytest.mark.parametrize("name", NOTED)
def test_a_loss_of_all_pairs_is_noted_once_and_its_way_out_works(autodiff, write, name):
    script, place = NOTED[name]
    noted = [line for line in autodiff("grad", write(script)).err.splitlines() if "pairs" in line]
    assert len(noted) == 1
    assert noted[0].startswith(
        f"note: {place}: a column of 3 entries meets a vector of 3, so the loss adds up all 9"
    )
    found = re.search(r"; `(.*)` (before it )?compares entry by entry$", noted[0])
    assert found is not None
    wrong, line = place.split("`")[1], int(place.split()[-1])
    lines = script.splitlines()
    if found[2]:
        lines.insert(line - 1, found[1])
    else:
        assert wrong in lines[line - 1]
        lines[line - 1] = lines[line - 1].replace(wrong, found[1])
    done = autodiff("grad", write("\n".join(lines) + "\n"))
    assert done.returncode == 0
    assert "pairs" not in done.err


@pytest.mark.parametrize("command", ["run", "explain", "check", "graph", "trace", "hessian", "minimize"])
def test_every_command_notes_a_loss_of_all_pairs(autodiff, write, command):
    done = autodiff(command, write(NOTED["difference"][0]))
    assert done.err.count("the loss adds up all 9 pairs") == 1


@pytest.mark.parametrize("name", MEANT)
def test_pairs_that_are_meant_are_not_noted(autodiff, write, name):
    done = autodiff("grad", write(MEANT[name]))
    assert done.returncode == 0
    assert "pairs" not in done.err
