"""Scripts as a course would have them, all right, and the classic mistakes made in them."""

from __future__ import annotations

from teaching_gradients import GRADIENTS
from teaching_training import TRAINING

RIGHT = {**TRAINING, **GRADIENTS}

#: What is written, what is written instead, and what the lints say to it; the script comes before the colon.
MISTAKES = {
    "line: gradients add up": ("    w.grad.zero_()\n    b.grad.zero_()\n", "", ["L007"]),
    "line: a step with recording": (
        "    with torch.no_grad():\n        w -= lr * w.grad\n        b -= lr * b.grad\n",
        "    w -= lr * w.grad\n    b -= lr * b.grad\n",
        ["L003", "L003"],
    ),
    "line: leaves replaced": (
        "    with torch.no_grad():\n        w -= lr * w.grad\n        b -= lr * b.grad\n"
        "    w.grad.zero_()\n    b.grad.zero_()\n",
        "    w, b = w - lr * w.grad, b - lr * b.grad\n",
        ["L001"],
    ),
    "line: leaves replaced by plain tensors": (
        "        w -= lr * w.grad\n        b -= lr * b.grad\n    w.grad.zero_()\n    b.grad.zero_()\n",
        "        w = w - lr * w.grad\n        b = b - lr * b.grad\n",
        ["L002", "L002"],
    ),
    "line: losses keep their graphs": ("losses.append(loss.item())", "losses.append(loss)", ["L015"]),
    "line: the prediction is cut off": (
        "prediction = x @ w + b",
        "prediction = (x @ w + b).detach()",
        ["L008"],
    ),
    "line: no leaf": (
        "w = torch.zeros(1, 1, requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n",
        "w = torch.zeros(1, 1)\nb = torch.zeros(1)\n",
        ["L010"],
    ),
    "line: a data attribute in the loss": (
        "((prediction - y) ** 2)",
        "((prediction.data - y) ** 2)",
        ["L008"],
    ),
    "line: sum as a name": ("lr = 0.1", "sum = 0.0\nlr = 0.1", ["L030"]),
    "list of parameters: never reset": ("    for p in params:\n        p.grad = None\n", "", ["L007"]),
    "logistic: sigmoid twice": (
        "z = x @ w + b\n    loss",
        "z = torch.sigmoid(x @ w + b)\n    loss",
        ["L051"],
    ),
    "softmax: softmax twice": ("scores = x @ W + b", "scores = F.softmax(x @ W + b, dim=1)", ["L050"]),
    "likelihood: no logarithm": ("F.log_softmax(x @ W", "F.softmax(x @ W", ["L052"]),
    "likelihood: a logarithm apart": (
        "F.log_softmax(x @ W, dim=1)",
        "torch.log(torch.softmax(x @ W, dim=1))",
        ["L053"],
    ),
    "momentum: a step up": ("w -= 0.01 * velocity", "w += 0.01 * velocity", ["L004"]),
    "new leaf each step: a result": (
        "(x - 0.2 * x.grad).detach().requires_grad_(True)",
        "x - 0.2 * x.grad",
        ["L001"],
    ),
    "newton: no graph of the gradient": (
        "autograd.grad(f, x, create_graph=True)",
        "autograd.grad(f, x)",
        ["L017"],
    ),
    "second derivative: after backward": (
        "(dy,) = torch.autograd.grad(y.sum(), x, create_graph=True)\n",
        "y.sum().backward()\ndy = x.grad\n",
        ["L017"],
    ),
    "finite differences: digits": ("abs(x.grad - estimate) < 1e-6", "x.grad - estimate == 0.1", ["L056"]),
    "two losses: freed": ("one.backward(retain_graph=True)", "one.backward()", ["L005"]),
    "kept gradient: not kept": ("y.retain_grad()\n", "", ["L006"]),
    "kept gradient: asked late": (
        "x = torch.tensor(2.0, requires_grad=True)\ny = x * 3\ny.retain_grad()\nz = y ** 2\n",
        "x = torch.tensor(2.0)\ny = x * 3\nz = y ** 2\nx.requires_grad_()\n",
        ["L016"],
    ),
    "dropout: integers": (
        "w = torch.ones(6, requires_grad=True)",
        "w = torch.tensor([1, 1, 1, 1, 1, 1], requires_grad=True)",
        ["L011"],
    ),
    "dropout: a number in the loss": (
        "out = (w * keep / 0.5).sum()",
        "out = torch.tensor((w * keep / 0.5).sum().item())",
        ["L008"],
    ),
    "dropout: not called": ("out.backward()\n", "out.backward\n", ["L020"]),
    "dropout: computed unrecorded": ("out = (w *", "with torch.no_grad():\n    out = (w *", ["L009"]),
    "clipping: a norm by hand": ("loss = (w ** 4).sum()", "loss = torch.sqrt((w ** 2).sum())", ["L054"]),
    "batches: a sum of graphs": ("total += loss.item() * len(rows)", "total += loss", ["L015"]),
    "masked logarithm: one where": ("torch.log(safe)", "torch.log(x)", ["L055"]),
    "triplet: a leaf nobody uses": (
        "a = torch.tensor([1.0",
        "c = torch.ones(2, requires_grad=True)\na = torch.tensor([1.0",
        ["L012"],
    ),
    "triplet: a name misspelt": ("torch.relu", "torch.rellu", ["E0204"]),
}
