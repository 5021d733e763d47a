"""What the lints find in scripts that differ in one point, and what they keep quiet about."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source
from autodiff.grammar.lint import LINTS, lint
from conftest import TESTS
from one_test import in_one_test
from script_runner import run_script

W = "w = torch.tensor(1.0, requires_grad=True)\n"
X = "x = torch.tensor([1.0, 2.0])\n"
LOOP = "for step in range(3):\n"
LOSS = "    loss = (w - 3) ** 2\n    loss.backward()\n"


def found(text: str) -> list[str]:
    return [one.code for one in lint(Source(text))]


V = "v = torch.tensor([1.0, 2.0], requires_grad=True)\n"
WRONG = {
    "a result changed that its operation saved": (V + "y = v.exp()\ny += 1\ny.sum().backward()\n", ["L018"]),
    "a factor changed whose partner needs it": (
        V + "y = v + 1\nz = y * v\ny[0] = 3.0\nz.sum().backward()\n",
        ["L018"],
    ),
    "a view changed whose base is needed": (
        V + "y = v * 2\nz = y**2\ny[0:1][0] = 3.0\nz.sum().backward()\n",
        ["L018"],
    ),
    "a divisor changed": (V + "y = v + 1\nz = v / y\ny.mul_(2)\nz.sum().backward()\n", ["L018"]),
    "an operand changed in each turn": (
        V + "y = v + 1\ntotal = 0\nfor i in range(3):\n    y += 1\n    total = total + (y**2).sum()\n"
        "total.backward()\n",
        ["L018"],
    ),
    "a gradient set to None before the step": (
        W + "L = w * w\nL.backward()\nw.grad = None\nwith torch.no_grad():\n    w -= 0.1 * w.grad\n",
        ["L019"],
    ),
    "a gradient cleared before a step by a method": (
        W + "L = w * w\nL.backward()\nw.grad.zero_()\nwith torch.no_grad():\n    w.sub_(0.1 * w.grad)\n",
        ["L019"],
    ),
    "a penalty of a detached copy": (
        V + "frozen = v.detach()\nfit = (v**3).sum()\n(fit + (frozen**2).sum() / 2).backward()\n",
        ["L023"],
    ),
    "a penalty of data": (
        V + "penalty = (v.data**2).sum()\nloss = (v**3).sum() - 0.1 * penalty\nloss.backward()\n",
        ["L023"],
    ),
    "grad() by a later result": (
        V + "y = (v**2).sum()\nz = y * 3\ng = torch.autograd.grad(y, z, allow_unused=True)\n",
        ["L024"],
    ),
    "a leaf in single precision": (V + "v = v.float()\n(v**2).sum().backward()\nprint(v.grad)\n", ["L006"]),
    "whole numbers of a leaf": (V + "L = (v.long() * 2).sum()\nL.backward()\n", ["L008"]),
    "an entry of a row of a leaf": (
        "w = torch.ones(2, 2, requires_grad=True)\nw[0][1] = 3.0\nprint(w)\n",
        ["L003"],
    ),
    "a leaf scaled where it is made": (
        "w = torch.randn(3, requires_grad=True) * 0.01\nL = (w**2).sum()\nL.backward()\nprint(w.grad)\n",
        ["L006"],
    ),
    "a step in a loop": (W + LOOP + LOSS + "    w = w - 0.1 * w.grad\n", ["L001"]),
    "a step in a loop, and the gradient shown": (
        W + LOOP + LOSS + "    w = w - 0.1 * w.grad\n    print(w.grad)\n",
        ["L001"],
    ),
    "a leaf made of a step's numbers": (
        W + LOOP + LOSS + "    w = torch.tensor(w - 0.1 * w.grad, requires_grad=True)\nprint(w)\n",
        ["L013"],
    ),
    "a leaf made of another's numbers": (
        W + "v = torch.tensor(w * 2, requires_grad=True)\n(v**2).backward()\nprint(w.grad, v.grad)\n",
        ["L013"],
    ),
    "a loss copied into a leaf": (
        W + "loss = (w - 3) ** 2\nloss = torch.tensor(loss, requires_grad=True)\n"
        "loss.backward()\nprint(w.grad)\n",
        ["L008"],
    ),
    "a step through a name": (W + "L = w * w\nL.backward()\ng = w.grad\nw = w - 0.1 * g\n", ["L001"]),
    "a step the other way round": (W + "L = w * w\nL.backward()\nw = w.grad * -0.1 + w\n", ["L001"]),
    "a step in a function": (
        W + "def step():\n    L = w * w\n    L.backward()\n    print(w.grad)\n\nstep()\nw = w - w.grad\n",
        ["L001"],
    ),
    "a step in a list": (
        W + "v = torch.tensor(2.0, requires_grad=True)\nL = w * v\nL.backward()\n"
        "for p in [w, v]:\n    p -= 0.1 * p.grad\n",
        ["L003"],
    ),
    "a step beside a detached copy": (
        W + "L = w * w + w.detach()\nL.backward()\nprint(w.requires_grad)\nw = w - 0.1 * w.grad\n",
        ["L001"],
    ),
    "an entry of a leaf": ("w = torch.ones(2, requires_grad=True)\nw[0] = 3.0\nprint(w)\n", ["L003"]),
    "a method in place": (W + "w.add_(1.0)\nprint(w)\n", ["L003"]),
    "a product that takes its name": (
        "w = torch.ones(2, 2, requires_grad=True)\nw @= w\nw.sum().backward()\n",
        [],
    ),
    "two passes in two functions": (
        W + "L = w * w\ndef go():\n    L.backward()\n\ngo()\ngo()\nprint(w.grad)\n",
        [],  # a call may end early: nothing is certain behind it
    ),
    "a pass in a loop over a graph made before": (W + "L = w * w\n" + LOOP + "    L.backward()\n", ["L005"]),
    "shared beginnings": (
        W + "h = torch.exp(w)\na = h * 2\nb = h + 1\na.backward()\nb.backward()\n",
        ["L005"],
    ),
    "grad before backward": (
        W + "L = w * w\n(g,) = torch.autograd.grad(L, w)\nL.backward()\nprint(g)\n",
        ["L005"],
    ),
    "a gradient reset for one of two": (
        W + "b = torch.tensor(0.0, requires_grad=True)\n" + LOOP + "    loss = (w * 2 + b - 3) ** 2\n"
        "    loss.backward()\n    with torch.no_grad():\n        w -= w.grad\n        b -= 0.1 * b.grad\n"
        "    w.grad.zero_()\n",
        ["L007"],
    ),
    "a while loop that adds up": (
        W + "n = 0\nwhile n < 3:\n" + LOSS + "    print(w.grad)\n    n += 1\n",
        ["L007"],
    ),
    "a number on the way": (W + "L = w.item() * w.item()\ny = torch.tensor(L)\ny.backward()\n", ["L008"]),
    "a difference on the way": (W + "y = 5 - (w - 2).detach()\nL = y**2\nL.backward()\n", ["L008"]),
    "a function with a default that adds up": (
        W + "def train(w, lr=0.1):\n" + LOSS + "    with torch.no_grad():\n        w -= lr * w.grad\n"
        "for i in range(3):\n    train(w)\n",
        ["L007"],
    ),
    "a function of keywords that adds up": (
        W + "def train(loss, leaf):\n    loss.backward()\n    return leaf.grad\n"
        "for i in range(3):\n    print(train(leaf=w, loss=(w - 3) ** 2))\n",
        ["L007"],
    ),
    "a pass in a function that does not know the leaf": (
        "def back(loss):\n    loss.backward()\ndef main():\n    w = torch.tensor(1.0, requires_grad=True)\n"
        "    for i in range(3):\n        back((w - 3) ** 2)\n        print(w.grad)\nmain()\n",
        ["L007"],
    ),
    "numbers summed in a loop on the way": (
        W + "total = 0\nfor i in range(3):\n    total += ((w - i) ** 2).item()\n"
        "loss = torch.tensor(total)\nloss.backward()\n",
        ["L008"],
    ),
    "arrays of numpy": (
        "a = np.linspace(0, 1, 5)\nx, y = torch.tensor(a), torch.tensor(2 * a + 1)\nprint(x, y)\n",
        ["E0145"],
    ),
    "numpy on the way": (
        W + "p = (w * 2).detach().numpy()\nL = torch.tensor(p) ** 2\nL.backward()\n",
        ["L008"],
    ),
    "a function of numpy on the way": (
        W + "p = (w * 2).detach().cpu().numpy()\nL = torch.tensor(np.square(p)).sum()\nL.backward()\n",
        ["L008"],
    ),
    "data on the way": (W + "L = (w * 2).data ** 2\nL.backward()\n", ["L008"]),
    "a cut leaf whose gradient is read": (
        W + "v = torch.tensor(2.0, requires_grad=True)\nL = w.detach() * v\nL.backward()\nprint(w.grad)\n",
        ["L008"],
    ),
    "integers made to require": ("x = torch.arange(3)\nx.requires_grad_()\n", ["L011"]),
    "a type of integers": ("x = torch.zeros(3, dtype=torch.int64, requires_grad=True)\nprint(x)\n", ["L011"]),
    "zero_ without parentheses": (
        W + LOOP + LOSS + "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    w.grad.zero_\n",
        ["L007", "L020"],
    ),
    "zero without its underscore": (W + "L = w * w\nL.backward()\nw.grad.zero()\nprint(w)\n", ["E0204"]),
    "requires_gard": (W + "print(w.requires_gard)\n", ["E0204"]),
    "required_grad as an argument": ("x = torch.tensor([1.0], required_grad=True)\nprint(x)\n", ["E0310"]),
    "a sum without a name": (X + "x + 1\nprint(x)\n", ["L021"]),
    "a function's result": (X + "torch.relu(x)\nprint(x)\n", ["L022"]),
    "detach alone": (X + "x.detach()\nprint(x)\n", ["L022"]),
    "nan as a number": ("x = 3.0\nprint(x != math.nan)\n", ["L040"]),
    "is not": ("n = 3\nprint(n is not 4)\n", ["L041"]),
    "behind break": ("for i in range(3):\n    break\n    print(i)\n", ["L043"]),
    "two steps at once": (
        W + "v = torch.tensor(2.0, requires_grad=True)\nL = w * v\nL.backward()\n"
        "w, v = w - 0.1 * w.grad, v - 0.1 * v.grad\n",
        ["L001"],
    ),
    "a step with decay": (
        W + "L = w * w\nL.backward()\nwith torch.no_grad():\n    w = 0.9 * w - 0.1 * w.grad\nprint(w)\n",
        ["L002"],
    ),
    "a step of several terms": (
        W + "L = w * w\nL.backward()\nwith torch.no_grad():\n    w = w - 0.1 * w.grad + 0.5\nprint(w)\n",
        ["L002"],
    ),
    "weights among data": (
        "x = torch.tensor([1.0, 2.0])\nw, b = torch.zeros(2), torch.tensor(0.5)\n"
        "L = (w @ x + b) ** 2\nL.backward()\n",
        ["L010"],
    ),
    "numbers added on the way": (
        W
        + "v = torch.tensor(2.0, requires_grad=True)\nL = torch.tensor(w.item() + v.item())\nL.backward()\n",
        ["L008"],
    ),
    "a list of numbers on the way": (
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\nparts = [w[0].item(), w[1].item()]\n"
        "L = torch.tensor(parts).sum()\nL.backward()\n",
        ["L008"],
    ),
    "numbers and tensors in a list": (W + "L = torch.tensor([w, 2.0 * 3]).sum()\nL.backward()\n", ["L008"]),
    "a comparison on the way": (W + "L = (w > 0.5) * torch.tensor(2.0)\nL.backward()\n", ["L008"]),
    "a place on the way": (
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\nL = w.argmax()\nL.backward()\n",
        ["L008"],
    ),
    "a power as a root": (
        "w = torch.tensor([1.0, 2.0], requires_grad=True)\nL = (w * w).sum() ** 0.5\nL.backward()\n",
        ["L054"],
    ),
    "norms of rows": (
        "w = torch.ones(2, 2, requires_grad=True)\nL = w.pow(2).sum(dim=1).sqrt().sum()\nL.backward()\n",
        ["L054"],
    ),
    "a quotient in the branch not taken": (
        "w = torch.tensor([0.0, 2.0], requires_grad=True)\n"
        "L = torch.where(w == 0, torch.zeros(2), torch.sin(w) / w).sum()\nL.backward()\n",
        ["L055"],
    ),
    "max as a name": (X + "max = 3\nprint(max, x)\n", ["L030"]),
    "min as a name in a function": (
        X + "def f(x):\n    min = x\n    return min\n\n\nprint(f(x))\n",
        ["L030"],
    ),
    "a gradient asked for after the loss": (
        "w = torch.tensor(1.0)\nL = w * w\nw.requires_grad = True\nL.backward()\n",
        ["L016"],
    ),
    "a total of losses": (
        W + "total = 0.0\n" + LOOP + LOSS + "    w.grad = None\n    total = total + loss\nprint(total)\n",
        ["L015"],
    ),
    "an entry of softmax": (V + "L = -torch.log(torch.softmax(v, 0)[1])\nL.backward()\n", ["L053"]),
    "softmax by hand": (
        V + "e = torch.exp(v)\np = e / e.sum()\nL = -torch.log(p[1])\nL.backward()\n",
        ["L053"],
    ),
    "softmax of rows by hand": (
        "z = torch.ones(2, 2, requires_grad=True)\ny = torch.tensor([[0], [1]])\n"
        "p = z.exp() / z.exp().sum(1, keepdim=True)\nL = -p.gather(1, y).log().mean()\nL.backward()\n",
        ["L053"],
    ),
    "softmax of all entries by hand": (
        "z = torch.ones(2, 2, requires_grad=True)\ne = (z * 2).exp()\nL = -torch.log(e / e.sum()).mean()\n"
        "L.backward()\n",
        ["L053"],
    ),
    "cross entropy of two classes by hand": (
        V + "t = torch.tensor([1.0, 0.0])\np = torch.sigmoid(v)\n"
        "L = -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()\nL.backward()\n",
        ["L053", "L053"],
    ),
    "logsumexp by hand": (V + "L = torch.log(torch.sum(torch.exp(v)))\nL.backward()\n", ["L057"]),
    "logsumexp of rows by hand": (
        "z = torch.ones(2, 2, requires_grad=True)\nL = (2 * z).exp().sum(1, keepdim=True).log().sum()\n"
        "L.backward()\n",
        ["L057"],
    ),
    "softplus by hand": (V + "L = torch.log(1 + torch.exp(-v)).sum()\nL.backward()\n", ["L057"]),
    "sigmoid by hand": (V + "p = 1.0 / (torch.exp(-2 * v) + 1)\np.sum().backward()\n", ["L058"]),
    "softmax by hand, not its logarithm": (
        V + "e = v.exp()\np = e / e.sum()\n(p * v).sum().backward()\n",
        ["L058"],
    ),
    "softmax by hand in steps": (
        "z = torch.ones(2, 2, requires_grad=True)\ncounts = z.exp()\n"
        "p = counts / counts.sum(1, keepdims=True)\np[0, 0].backward()\n",
        ["L058"],
    ),
    "softmax by hand in a function": (
        "def softmax(z):\n    e = torch.exp(z)\n    return e / e.sum()\n" + V + "softmax(v)[0].backward()\n",
        ["L058"],
    ),
    "softmax by hand and its logarithm": (
        "z = torch.ones(2, 2, requires_grad=True)\ncounts = z.exp()\n"
        "p = counts / counts.sum(1, keepdims=True)\nL = -p[torch.arange(2), torch.arange(2)].log().mean()\n"
        "L.backward()\n",
        ["L053"],
    ),
    "a vector and a column": (
        "x = torch.ones(3, 2)\ny = torch.ones(3, 1)\nw = torch.ones(2, requires_grad=True)\n"
        "loss = (x @ w - y).pow(2).mean()\nloss.backward()\n",
        ["L059"],
    ),
    "a column and a vector": (
        "x = torch.ones(3, 2)\ny = torch.tensor([1.0, 2.0, 3.0])\nw = torch.ones(2, 1, requires_grad=True)\n"
        "error = y - x.mm(w)\nloss = torch.mean(torch.abs(error))\nloss.backward()\n",
        ["L059"],
    ),
    "a loss function of a vector and a column": (
        V + "loss = F.mse_loss(v * 2, torch.zeros(2).unsqueeze(1))\nloss.backward()\n",
        ["L059"],
    ),
    "a vector and a column of numpy": (
        "import numpy as np\nX = np.array([[1., 2.], [3., 4.], [5., 6.]])\nw = np.array([[0.1], [0.2]])\n"
        "y = np.array([1., 2., 3.])\nerror = X.dot(w) - y\nloss = np.square(error).mean()\n",
        ["L059"],
    ),
    "a vector and a column of a loop over drawn arrays": (
        "import numpy as np\nX = np.random.randn(20, 2)\ny = np.random.randn(20)\nw = np.zeros((2, 1))\n"
        "for t in range(5):\n    loss = np.mean((np.dot(X, w) - y) ** 2)\n    w = w - 0.1 * loss\n",
        ["L059"],
    ),
    "a logarithm of sigmoid": (W + "L = torch.log(torch.sigmoid(w))\nL.backward()\n", ["L053"]),
}
RIGHT = {
    "pairs of numpy's arrays": (
        "import numpy as np\nx = np.array([1.0, 2.0, 3.0])\nc = np.array([0.0, 1.0, 5.0])\n"
        "d = ((x.reshape(3, 1) - c) ** 2).sum()\ne = ((x[:, None] - c) ** 2).mean()\n"
        "k = np.exp(-((np.array([[1.0], [2.0], [3.0]]) - c) ** 2)).sum()\nL = d + e + k\n"
    ),
    "columns of numpy's arrays": (
        "import numpy as np\nX = np.array([[1., 2.], [3., 4.], [5., 6.]])\nw = np.array([[0.1], [0.2]])\n"
        "y = np.array([[1.], [2.], [3.]])\nloss = ((X @ w - y) ** 2).sum() + (w[:, 0] ** 2).sum()\n"
    ),
    "an array of any shape": (
        "import numpy as np\ndef load(x):\n    return x\ny = load(np.array([1., 2.]))\n"
        "loss = ((np.array([[1.], [2.]]) * y.size - y.reshape(-1, 1)) ** 2).mean()\n"
    ),
    "methods of numpy's arrays": (
        "import numpy as np\nx = np.array([1.0, 2.0])\ny = (x > 0).astype(float)\n"
        "p = np.exp(x) / np.sum(np.exp(x))\nd = p.copy()\nd[0] -= 1\nL = np.sum(d.clip(0, 1) * y) / d.size\n"
    ),
    "what a module that draws makes": (
        "import torch\nimport matplotlib.pyplot as plt\nfrom tqdm import tqdm\nfig, axes = plt.subplots(2)\n"
        + W
        + "bar = tqdm(range(3))\nfor i in bar:\n    L = (w ** 2).sum()\n    bar.set_postfix(loss=L.item())\n"
        "L.backward()\naxes[0].plot(w.detach())\nfor ax in axes.flat:\n    ax.set_title('w')\nplt.show()\n"
    ),
    "a function with a default that clears": (
        W
        + "def train(w, lr=0.1):\n    w.grad = None\n"
        + LOSS
        + "    with torch.no_grad():\n        w -= lr * w.grad\nfor i in range(3):\n    train(w, lr=0.2)\n"
    ),
    "a product with a number saves no operand": V + "y = v + 1\nz = y * 2\ny += 1\nz.sum().backward()\n",
    "a sum saves nothing": V + "y = v + 1\nz = y + v\ny += 1\nz.sum().backward()\n",
    "a copy is changed": V + "y = v.exp()\nc = y.clone()\nc += 1\n(y + c).sum().backward()\n",
    "a change before the value is saved": V + "y = v + 1\ny += 1\nz = y**2\nz.sum().backward()\n",
    "a change after backward": V + "y = v.exp()\ny.sum().backward()\ny += 1\nprint(y)\n",
    "entries picked by a list are a copy": V + "y = v.exp()\nc = y[[0]]\nc += 1\ny.sum().backward()\n",
    "a change on a branch": V + "y = v.exp()\nif v[0] > 5:\n    y += 1\ny.sum().backward()\n",
    "a gradient cleared between two passes": W + "(w * w).backward()\nw.grad.zero_()\n(w**3).backward()\n"
    "with torch.no_grad():\n    w -= 0.1 * w.grad\n",
    "a gradient kept under another name": W + "(w * w).backward()\ng = w.grad\nw.grad = None\n"
    "with torch.no_grad():\n    w -= 0.1 * g\n",
    "a straight-through estimator": V + "y = v + (v.round() - v).detach()\n(y**2).sum().backward()\n",
    "a constant taken off on purpose": V
    + "loss = (v**2).sum()\nshown = loss - loss.detach()\nshown.backward()\n",
    "grad() of a gradient": V + "y = (v**3).sum()\n(g,) = torch.autograd.grad(y, v, create_graph=True)\n"
    "print(torch.autograd.grad(g.sum(), v))\n",
    "grad() by a result in between": V + "y = v**2\nz = y.sum()\nprint(torch.autograd.grad(z, y))\n",
    "float() where it changes nothing": "torch.set_default_dtype(torch.float32)\n"
    + V
    + "v = v.float()\n(v**2).sum().backward()\nprint(v.grad)\n",
    "a row of a leaf picked by a list is a copy": "w = torch.ones(2, 2, requires_grad=True)\n"
    "c = w[[0]]\nc[0, 1] = 3.0\nc.sum().backward()\n",
    "a step whose sign nobody knows": W
    + "loss = (w - 3) ** 2\nloss.backward()\nsign = torch.ones(1).tolist()[0] - 2\n"
    + "with torch.no_grad():\n    w += 0.1 * sign * w.grad\n",
    "a name taken away from its gradient": W + "loss = (w - 3) ** 2\nloss.backward()\nw = 0.1 * w.grad - w\n",
    "the step as it should be": W + LOOP + LOSS + "    with torch.no_grad():\n        w -= 0.1 * w.grad\n"
    "        w.grad.zero_()\n",
    "the gradient set to None": W + LOOP + "    w.grad = None\n" + LOSS + "    with torch.no_grad():\n"
    "        w -= 0.1 * w.grad\n",
    "gradients reset in a list": W + LOOP + LOSS + "    for p in [w]:\n        with torch.no_grad():\n"
    "            p -= 0.1 * p.grad\n        p.grad.zero_()\n",
    "gradients reset by a function": W
    + "def reset(p):\n    p.grad.zero_()\n\n"
    + LOOP
    + LOSS
    + "    with torch.no_grad():\n        w -= 0.1 * w.grad\n    reset(w)\n",
    "a reset now and then": W + LOOP + LOSS + "    if step % 2 == 1:\n        with torch.no_grad():\n"
    "            w -= 0.1 * w.grad\n        w.grad.zero_()\n",
    "a new leaf in each turn": W + LOOP + LOSS + "    w = (w - 0.1 * w.grad).detach().requires_grad_()\n",
    "a step that keeps its gradient": W + LOOP + LOSS + "    w = w - 0.1 * w.grad\n    w.retain_grad()\n",
    "a leaf detached again": W
    + LOOP
    + LOSS
    + "    w = w - 0.1 * w.grad\n    w = w.detach().requires_grad_()\n",
    "a leaf made again": W + LOOP + LOSS + "    with torch.no_grad():\n        w = w - 0.1 * w.grad\n"
    "    w.requires_grad = True\n",
    "a step through data": W + "L = w * w\nL.backward()\nw.data -= 0.1 * w.grad\nprint(w)\n",
    "ascent of a likelihood": W + "likelihood = -(w - 3) ** 2\nlikelihood.backward()\n"
    "with torch.no_grad():\n    w += 0.1 * w.grad\n",
    "a step with a negative rate": W + "lr = -0.1\nloss = w * w\nloss.backward()\n"
    "with torch.no_grad():\n    w += lr * w.grad\n",
    "a kept gradient": W + "y = w * 2\ny.retain_grad()\nL = y * y\nL.backward()\nprint(y.grad)\n",
    "a graph kept": W + "L = w * w\nL.backward(retain_graph=True)\nL.backward()\n",
    "sums keep nothing": W + "L = w + 1\nL.backward()\nL.backward()\n",
    "one pass in each branch": W + "L = w * w\nif w > 0:\n    L.backward()\nelse:\n    L.backward()\n",
    "a pass on the first turn": W + "L = w * w\n" + LOOP + "    if step == 0:\n        L.backward()\n",
    "a pass on one turn": W + "loss = w * 1\n" + LOOP + "    loss = loss + (w - step) ** 2\n"
    "    if step == 1:\n        loss.backward(retain_graph=True)\nprint(w.grad)\n",
    "a sum begun anew on the first turn": W + "loss = 0\n" + LOOP + "    for i in range(4):\n"
    "        if i == 0:\n            loss = w * 0\n        loss += (w - i) ** 2\n    w.grad = None\n"
    "    loss.backward()\n    print(w.grad)\n",
    "a loop of one turn": W + "L = w * w\nfor step in range(1):\n    L.backward()\n",
    "a target held on purpose": W
    + "y = w * 2\ntarget = y.detach() + 1\nL = (y - target) ** 2\nL.backward()\n",
    "a loss that is logged": W
    + "total = 0.0\n"
    + LOOP
    + LOSS
    + "    total += loss.item()\n    w.grad = None\n"
    "print(total)\n",
    "values set afterwards": "x = torch.Tensor(2)\nx[0] = 1.0\nx[1] = 2.0\nprint(x)\n",
    "values, not sizes": "x = torch.Tensor([1, 2])\nprint(x)\n",
    "the last line is the result": X + "x + 1\n",
    "a docstring and an ellipsis": 'def f(x):\n    "Doubles."\n    return x * 2\n\n\ndef g(x):\n    ...\n\n\n'
    "print(f(1), g(1))\n",
    "a name used in a function": "a = 1\n\n\ndef f():\n    return a\n\n\nprint(f())\na = 2\nprint(f())\n",
    "a value that may be read": "a = 1\nif a > 0:\n    b = a\na = 2\nprint(a, b)\n",
    "a default that is only read": "def f(x, sizes=[1, 2]):\n    return x * len(sizes)\n\n\nprint(f(3))\n",
    "a force called F": "m = 2.0\nF = m * 3\nprint(F)\n",
    "is None": "x = torch.tensor(1.0)\nprint(x.grad is None)\n",
    "a loop variable nobody reads": "for i in range(2):\n    for i in range(2):\n        print(i)\n",
    "a scalar script": "w = 3\nx = 2\nL = (w * x - 1) ** 2\n",
    "a row changed by a leaf": "h = torch.zeros(2, 2)\n" + W + "row = h[0]\nrow += w\nh.sum().backward()\n",
    "sum of numbers after sum of a tensor": X + "total = sum(x)\nprint(total, sum([1, 2]))\n",
    "gradients reset by what is not followed": W
    + "def reset(*rest):\n    w.grad.zero_()\n\n"
    + LOOP
    + LOSS
    + "    print(w.grad)\n    reset()\n",
    "a root of a mean": "w = torch.ones(2, requires_grad=True)\nL = (w ** 2).mean().sqrt()\nL.backward()\n",
    "a root of a plain vector": X + "print(torch.sqrt((x ** 2).sum()))\n",
    "scores and a softmax that is shown": "z = torch.tensor([[1.0, 2.0]], requires_grad=True)\n"
    "print(torch.softmax(z, dim=1))\nL = F.cross_entropy(z, torch.tensor([1]))\nL.backward()\n",
    "generators of numpy": """\
import numpy as np

rng, old = np.random.default_rng(1), np.random.RandomState(0)
np.random.seed(1)
x = np.random.randn(3)
y = rng.normal(size=3) + old.rand(3).astype(float)
print(np.sum(x * y))
""",
    "exact floats": X + "y = x.sum() * 0.5\nprint(y == 1.5, (x * 2 == 4.0).any())\n",
    "losses added up for one pass": W + "total = 0.0\n" + LOOP + "    total = total + (w - step) ** 2\n"
    "total.backward()\nprint(w.grad)\n",
    "terms in a list": W + "parts = []\n" + LOOP + "    parts.append((w - step) ** 2)\n"
    "torch.stack(parts).sum().backward()\nprint(w.grad)\n",
    "a copy under no_grad made a leaf": W + LOOP + LOSS + "    with torch.no_grad():\n"
    "        w = w - 0.1 * w.grad\n    w = w.clone().requires_grad_()\n",
    "a function of their own called max": "def max(a, b):\n    return a if a > b else b\n\nmax(1, 2)\n",
    "limits as parameters": "def inside(x, min, max):\n    return min < x < max\n\ninside(1, 0, 2)\n",
    "softmax by hand of scores without their maximum": V
    + "e = torch.exp(v - v.max())\np = e / e.sum()\nL = -torch.log(p[1])\nL.backward()\n",
    "shares of what is positive": V + "p = v / v.sum()\nL = -torch.log(p[1])\nL.backward()\n",
    "shares of two exponentials": V + "L = torch.log(v.exp() / (2 * v).exp().sum()).sum()\nL.backward()\n",
    "a logarithm of a mean of exponentials": V + "L = torch.log(v.exp().mean())\nL.backward()\n",
    "a logarithm of 2 plus an exponential": V + "L = torch.log(2 + v.exp()).sum()\nL.backward()\n",
    "a quotient of another constant": V + "L = (1 / (2 + v.exp())).sum() + (2 / (1 + v.exp())).sum()\n"
    "L.backward()\n",
    "exponentials of plain numbers": "x = 2.0\nL = log(1 + exp(x)) + 1 / (1 + exp(-x))\n",
    "all pairs of two tensors": "a = torch.ones(3, requires_grad=True)\n"
    "b = torch.ones(3, 1, requires_grad=True)\n"
    "L = ((a - b) ** 2).mean()\nL.backward()\n",
    "a kernel of a vector and a column": V
    + "c = torch.zeros(2, 1)\nL = torch.exp(-((v - c) ** 2)).sum()\nL.backward()\n",
    "a column and a row of other lengths": V
    + "c = torch.zeros(3, 1)\nL = ((v - c) ** 2).mean()\nL.backward()\n",
    "a column subtracted in place": V + "h = v * 2\nh -= torch.ones(2, 1)\nL = (h**2).mean()\nL.backward()\n",
    "two columns": "v = torch.ones(3, 1, requires_grad=True)\nL = ((v - torch.zeros(3, 1)) ** 2).mean()\n"
    "L.backward()\n",
    "the gradient of a gradient": W + "L = w ** 3\nL.backward(create_graph=True)\n"
    "print(torch.autograd.grad(w.grad, w))\n",
    "a gradient looked at": W + "L = w * w\nL.backward()\nprint(w.grad, w.grad_fn, w.is_leaf)\n",
}


LOGARITHM = W + "L = torch.log(torch.sigmoid(w))\nL.backward()\n"


@pytest.mark.parametrize(
    ("imports", "prefix"),
    [
        ("", "F."),
        ("import torch\n", "torch.nn.functional."),
        ("import torch\nimport torch.nn as nn\n", "nn.functional."),
        ("import torch\nfrom torch import nn\n", "nn.functional."),
        ("import torch\nimport torch.nn.functional\n", "torch.nn.functional."),
        ("import torch\nimport torch.nn.functional as F\n", "F."),
        ("import torch\nfrom torch.nn import functional as fn\n", "fn."),
        ("import torch\nfrom torch.nn import functional\n", "functional."),
    ],
)
def test_repairs_call_the_functions_of_layers_as_the_imports_allow(imports: str, prefix: str) -> None:
    wanted = (imports + LOGARITHM).replace("torch.log(torch.sigmoid(w))", f"{prefix}logsigmoid(w)")
    assert ("L053", wanted) in fixes_of(imports + LOGARITHM)
    assert run_script(wanted).error is None
    for wrong in ("torch.logsigmoid(w)", "logsigmoidd(w)"):
        script = wanted.replace(f"{prefix}logsigmoid(w)", wrong)
        error = run_script(script).error
        assert error is not None
        assert [fix.apply(script) for fix in error.fixes] == [wanted]


@pytest.mark.parametrize(
    "total", ["e.sum()", "np.sum(e, axis=1, keepdims=True)", "e.sum(axis=0, keepdims=True)"]
)
def test_the_logarithm_of_softmax_in_numpy_is_repaired_in_numpy(total: str) -> None:
    script = (
        "import numpy as np\nz = np.array([[1., 3., -2.], [1., 2., 3.]])\n"
        f"e = np.exp(z)\np = e/{total}\nloss = -np.log(p[0, 1])\n"
    )
    [(code, repaired)] = fixes_of(script)
    assert code == "L053"
    assert "torch" not in repaired
    before, after = (run_script(text).names["loss"].item() for text in (script, repaired))
    assert after == pytest.approx(before, rel=1e-12)
    assert math.isfinite(run_script(repaired.replace("[1., 3.", "[900., 3.")).names["loss"].item())


OVER_LINES = {
    "a step": W + "L = w * w\nL.backward()\nw = (w\n     - 0.1\n * w.grad)\n",
    "an unused name": "def f(x):\n    y = (print(x)\n or 2)\n    return x\n\n\nf(1)\n",
}


@pytest.mark.parametrize("name", OVER_LINES)
def test_repairs_of_what_goes_over_lines_are_scripts(name: str) -> None:
    assert found(OVER_LINES[name])
    for _, repaired in fixes_of(OVER_LINES[name]):
        assert run_script(repaired).error is None


@pytest.mark.parametrize(
    "text", ["for a in 1e400:\n    pass\n", "f()()\n", "x = [1][2.5]\n", "del x\nx = 1\n"]
)
def test_scripts_that_make_no_sense_are_walked(text: str) -> None:
    codes = found("def f():\n    return f\n\n\n" + text)
    assert [code for code in codes if code.startswith("L")] == []


@in_one_test("name", WRONG)
def test_wrong(name: str) -> None:
    text, codes = WRONG[name]
    assert found(text) == codes


@in_one_test("name", RIGHT)
def test_right(name: str) -> None:
    assert found(RIGHT[name]) == []


def fixes_of(text: str) -> list[tuple[str, str]]:
    return [(one.code, fix.apply(text)) for one in lint(Source(text)) for fix in one.fixes]


@in_one_test("name", [name for name, (_, codes) in WRONG.items() if len(codes) == 1])
def test_the_repairs_of_wrong_scripts_hold(name: str) -> None:
    for code, repaired in fixes_of(WRONG[name][0]):
        assert code not in found(repaired)
        assert run_script(repaired).error is None


@pytest.mark.parametrize(
    ("made", "meant"),
    [
        ("torch.randn(3, requires_grad=True) * 0.01", "(torch.randn(3) * 0.01).requires_grad_()"),
        (
            "0.1 * torch.ones(3, requires_grad=True, dtype=torch.float64)",
            "(0.1 * torch.ones(3, dtype=torch.float64)).requires_grad_()",
        ),
        (
            "torch.ones(3, requires_grad=True) / math.sqrt(3)",
            "(torch.ones(3) / math.sqrt(3)).requires_grad_()",
        ),
        ("torch.exp(torch.ones(3, requires_grad=True))", "torch.exp(torch.ones(3)).requires_grad_()"),
    ],
)
def test_a_leaf_that_was_scaled_is_made_the_leaf(made: str, meant: str) -> None:
    rest = "\nL = (w**2).sum()\nL.backward()\nprint(w.grad)\n"
    [(_, repaired)] = fixes_of(f"w = {made}{rest}")
    assert repaired == f"w = {meant}{rest}"
    assert run_script(repaired).names["w"].grad is not None
    error = run_script(f"w = {made}{rest}w.grad.zero_()\n").error
    assert error is not None
    assert error.advice == (f"make the result the leaf: w = {meant}",)


def test_a_result_of_two_tensors_is_asked_to_keep_its_gradient() -> None:
    text = "x = torch.ones(3)\nw = torch.ones(3, requires_grad=True) * x\nw.sum().backward()\nprint(w.grad)\n"
    [(_, repaired)] = fixes_of(text)
    assert "w.retain_grad()\n" in repaired


def test_what_is_trained_is_made_a_leaf_and_the_data_is_not() -> None:
    text, _ = WRONG["weights among data"]
    assert [repaired.count("requires_grad=True") for _, repaired in fixes_of(text)] == [2]
    assert all("x = torch.tensor([1.0, 2.0])\n" in repaired for _, repaired in fixes_of(text))


#: What PyTorch says to scripts with these, when they run.
RAISED = {
    **{"L003": "E0407", "L005": "E0402", "L009": "E0410", "L010": "E0410", "L011": "E0404"},
    **{"L016": "E0410", "L017": "E0410"},
}


def test_what_would_fail_fails() -> None:
    texts = [text for text, _ in WRONG.values()]
    checked = 0
    for text in texts:
        for code in found(text):
            if code in RAISED:
                error = run_script(text).error
                assert error is not None
                assert error.code == RAISED[code]
                checked += 1
    assert checked > 5


@pytest.mark.oracle
@pytest.mark.parametrize("code", LINTS)
def test_torch_runs_the_repaired_examples(code: str) -> None:
    from torch_prelude import run_with_torch

    text = LINTS[code].example
    if code in RAISED:
        assert run_with_torch(text).error is not None
    for _, repaired in fixes_of(text):
        assert run_with_torch(repaired).error is None


@in_one_test("path", sorted((TESTS / "mistakes").glob("*/*.ad")))
def test_repairs_end_findings_in_the_scripts_with_mistakes(path: Path) -> None:
    text = path.read_text()
    try:
        repairs = fixes_of(text)
    except CompileError:
        return
    before = found(text)
    for code, repaired in repairs:
        assert found(repaired).count(code) < before.count(code)
