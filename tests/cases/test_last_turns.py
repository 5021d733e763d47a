"""Scripts that end in steps of training by hand: the output is the loss before the last step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import Case, answer, each_of

DATA = (
    "import numpy as np\nx = np.array([1., 2., 3.]); y = np.array([2., 4., 7.])\nw, b, lr = 0.5, 0.0, 0.01\n"
)
SLOPES = "err = w*x + b - y\nloss = np.mean(err**2)\ndw = 2*np.mean(err*x)\ndb = 2*np.mean(err)\n"
STEPS = "w -= lr*dw\nb -= lr*db\n"
BOTH = "dw, db"
TURN_3 = (
    "the output is `loss` by w_2 and b_2, in the last turn of the loop in line 5; --of b takes `b` after that"
)


def loop(body: str, before: str = "\n", header: str = "for i in range(3):") -> str:
    """A script of the data, a line before the loop, and the loop."""
    return f"{DATA}{before}{header}\n" + "".join(f"    {line}\n" for line in body.splitlines())


#: By name: the script, the variables that have its gradients, and what the note says.
MEANT = {
    "plain_descent": (loop(SLOPES + STEPS), BOTH, TURN_3),
    "new_values": (loop(SLOPES + "w = w - lr*dw\nb = b - lr*db\n"), BOTH, TURN_3),
    "both_together": (loop(SLOPES + "w, b = w - lr*dw, b - lr*db\n"), BOTH, TURN_3),
    "minus_signs": (loop(SLOPES + "w += -lr*dw\nb = -0.01*db + b\n"), BOTH, TURN_3),
    "named_steps": (loop(SLOPES + "sw, sb = lr*dw, -lr*db\nw -= sw\nb += sb\n"), BOTH, TURN_3),
    "momentum": (
        loop(SLOPES + "v = 0.9*v - lr*dw\nw += v\nu = 0.9*u + lr*db\nb -= u\n", "u = v = 0.0\n"),
        BOTH,
        TURN_3,
    ),
    "adam": (
        loop(
            SLOPES
            + "m = 0.9*m + 0.1*dw\nv = 0.99*v + 0.01*dw**2\nw -= lr*m/(np.sqrt(v) + 1e-8)\nb -= lr*db\n",
            "m = v = 0.0\n",
        ),
        BOTH,
        TURN_3,
    ),
    "one_parameter": (loop(SLOPES + "w -= lr*dw\n"), "dw", "the output is `loss` by w_2, in the last turn"),
    "a_counter": (loop(SLOPES + STEPS + "i += 1\n", "i = 0\n", "while i < 3:"), BOTH, TURN_3),
    "until_it_is_small": (loop(SLOPES + STEPS, "loss = 30.\n", "while loss > 3:"), BOTH, "by w_"),
    "a_list_of_losses": (
        loop(SLOPES + STEPS + "losses.append(loss)\nif i % 2 == 0:\n    print(loss)\n", "losses = []\n"),
        BOTH,
        TURN_3,
    ),
    "losses_in_a_list_alone": (
        loop(
            "err = w*x + b - y\nlosses.append(np.mean(err**2))\ndw = 2*np.mean(err*x)\n"
            "db = 2*np.mean(err)\nw = w - lr*dw\nb = b - lr*db\n",
            "losses = []\n",
        ),
        BOTH,
        "the output is `losses[2]` by w_2 and b_2, in the last turn of the loop in line 5",
    ),
    "a_rate_that_falls": (loop(SLOPES + STEPS + "lr *= 0.9\n"), BOTH, TURN_3),
    "one_turn": (loop(SLOPES + STEPS, header="for i in range(1):"), BOTH, "by w and b, in the last turn"),
    "no_loop": (DATA + SLOPES + STEPS, BOTH, "by w and b, before the steps; --of b takes `b` after that"),
    "plain_numbers": (
        "w = 3.0\nfor i in range(3):\n    loss = (w - 1)**2\n    dw = 2*(w - 1)\n    w = w - 0.1*dw\n",
        "dw",
        "the output is `loss` by w_2",
    ),
    "arrays": (
        "import numpy as np\nX = np.array([[1., 2.], [3., 4.]]); y = np.array([1., 0.])\nw = np.zeros(2)\n"
        "b = np.zeros(1)\nfor i in range(4):\n    e = X @ w + b - y\n    cost = (e**2).sum()/2\n"
        "    dw = X.T @ e\n    db = e.sum()\n    w -= 0.1*dw\n    b -= 0.1*db\n",
        BOTH,
        "the output is `cost` by w_3 and b_3",
    ),
    "rows_one_by_one": (
        loop(
            "for k in range(3):\n    r = w*x[k] - y[k]\n    loss = r**2\n    dw = 2*r*x[k]\n    w -= lr*dw\n"
        ),
        "dw",
        "the output is `loss` by w_8",
    ),
    "tensors": (
        "import torch\nx = torch.tensor([1., 2.])\nw = torch.zeros(2)\nfor i in range(3):\n    e = w*x - 1\n"
        "    loss = (e**2).sum()\n    dw = 2*e*x\n    w -= 0.1*dw\n",
        "dw",
        "the output is `loss` by w_2",
    ),
}
#: What is not certain: the output is what the script ends in.
OTHERS = {
    "newtons_method": "x = 1.0\nfor i in range(5):\n    error = x**2 - 2\n    x = x - error/(2*x)\n",
    "motion": "x = 1.0; v = 0.; k = 2.; dt = 0.01\nfor i in range(9):\n    E = v**2/2 + k*x**2/2\n"
    "    v += -k*x*dt\n    x += v*dt\n",
    "decay": "N = 100.; k = 0.3; dt = 0.1\nfor i in range(9):\n    activity = k*N\n    N -= k*N*dt\n",
    "ascent": "w = 1.0\nfor i in range(3):\n    loss = (w - 3)**2\n    w += 0.1*2*(w - 3)\n",
    "a_result_after_the_loop": "w = 1.0\nfor i in range(3):\n    loss = w**2\n    w -= 0.1*2*w\ny = 3*w\n",
    "a_loss_after_the_step": "w = 1.0\nfor i in range(3):\n    w -= 0.1*2*w\n    loss = w**2\n",
    "two_losses": "w = 1.0\nfor i in range(3):\n    one_loss = w**2\n    other_loss = w**4\n    w -= 0.1*w\n",
    "no_product": "import numpy as np\nw = 1.0\nfor i in range(3):\n    loss = w**2\n    w -= np.sin(w)\n",
    "backward": "w = torch.tensor(1., requires_grad=True)\nfor i in range(2):\n    loss = w**2\n"
    "    loss.backward()\n    with torch.no_grad():\n        w -= 0.1*w.grad\n        w.grad = None\n",
}
COMMANDS = [
    Case(
        "every_command",
        loop(SLOPES + STEPS),
        "autodiff check script.ad && autodiff run script.ad && autodiff explain script.ad &&"
        " autodiff graph script.ad && autodiff trace script.ad",
        shows=[
            "w_2     ok",
            "loss = 8.75205",
            "dloss/db_2",
            "loss                  mean",
            "2 gradients checked",
        ],
        says=[TURN_3],
        never=["w_1", "lr  "],
    ),
    Case(
        "a_list_of_losses",
        loop(
            SLOPES.replace("loss = np.mean(err**2)", "losses.append(np.mean(err**2))") + STEPS,
            "losses = []\n",
        ),
        "autodiff check script.ad && autodiff run script.ad && autodiff explain script.ad &&"
        " autodiff graph script.ad",
        shows=["w_2     ok", "losses[2] = 8.75205", "d(losses[2])/db_2", "2 gradients checked"],
        says=["the output is `losses[2]` by w_2 and b_2"],
    ),
    Case(
        "two_scripts",
        loop(SLOPES + STEPS),
        "sed s/0[.]01/0.02/ script.ad >new.ad; autodiff diff script.ad new.ad || true",
        shows=["dloss/dw_2"],
    ),
    Case(
        "other_outputs_and_inputs",
        loop(SLOPES + STEPS),
        "autodiff grad --of w --wrt lr script.ad; autodiff grad --wrt w_1 script.ad | wc -w;"
        " autodiff jacobian --wrt lr script.ad | wc -w",
        says=["the output is `loss`, in the last turn of the loop in line 5"],
        never=["note: --of loss"],
    ),
]


@pytest.mark.parametrize("name", MEANT)
def test_the_loss_of_the_last_turn_is_meant(name: str, tmp_path: Path) -> None:
    script, gradients, says = MEANT[name]
    got = answer(f"{script}print('by hand', {gradients})\n", "autodiff grad script.ad", tmp_path, {})
    by_hand = next(line for line in got.err.splitlines() if line.startswith("by hand"))
    expected = [float(number) for number in re.findall(r"-?\d[\d.e+-]*", by_hand)]
    assert got.code == 0
    assert says in got.err
    assert got.numbers == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", OTHERS)
def test_other_scripts_have_the_output_that_they_end_in(name: str, tmp_path: Path) -> None:
    got = answer(OTHERS[name], "autodiff grad script.ad", tmp_path, {})
    assert got.code == 0
    assert "the output is `" not in got.err


@each_of(COMMANDS)
def test_commands_agree_on_what_is_meant(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
