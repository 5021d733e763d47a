"""Training loops as users write them: the same text run by us as a script, and by Python with PyTorch."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import Case, sized, worker
from benchmarks.worker import Run, answer


def line_through(points: int, statement: str) -> str:
    """A line fitted to so many points, which are gone through one by one."""
    return f"""\
import torch
points = [(i / {points}, 2.0 * i / {points} + 1.0) for i in range({points})]
w = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
parameters = [w, b]
for step in range({{steps}}):
    w.grad, b.grad = None, None
    loss = torch.tensor(0.0, dtype=torch.float64)
    for x, y in points:
        {statement}
    loss.backward()
    with torch.no_grad():
        w -= 0.001 * w.grad
        b -= 0.001 * b.grad
"""


#: Texts that leave their parameters in ``parameters``, with gradients.
TEXTS = {
    "a line through four points": """\
import torch
points = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 7.0)]
w = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
b = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
parameters = [w, b]
for step in range({steps}):
    w.grad, b.grad = None, None
    loss = 0.0
    for x, y in points:
        loss = loss + (w * x + b - y) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
""",
    "a perceptron 2-16-1, 8 samples": """\
import torch
x = torch.linspace(-1.0, 1.0, 16, dtype=torch.float64).reshape(8, 2)
y = torch.linspace(0.0, 1.0, 8, dtype=torch.float64).reshape(8, 1)
W1 = torch.linspace(-1.0, 1.0, 32, dtype=torch.float64).reshape(2, 16).requires_grad_()
b1 = torch.zeros(16, dtype=torch.float64, requires_grad=True)
W2 = torch.linspace(1.0, -0.5, 16, dtype=torch.float64).reshape(16, 1).requires_grad_()
b2 = torch.zeros(1, dtype=torch.float64, requires_grad=True)
parameters = [W1, b1, W2, b2]
for step in range({steps}):
    h = torch.relu(x @ W1 + b1)
    loss = ((h @ W2 + b2 - y) ** 2).mean()
    for p in parameters:
        p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.01 * p.grad
""",
    "a line through 1,000 points": line_through(1_000, "loss = loss + (w * x + b - y) ** 2"),
    "the same, the loss added up in place": line_through(1_000, "loss += (w * x + b - y) ** 2"),
}
#: Of texts with thousands of ops a step, fewer steps than the others take.
STEPS = dict.fromkeys(TEXTS, 1_000) | dict.fromkeys(list(TEXTS)[-2:], 20)


def growth(scale: float) -> list[Case]:
    made = []
    for name in TEXTS:
        steps = sized(STEPS[name], scale)
        sides = [worker("training", side, name, steps, units=steps) for side in ("ours", "torch")]
        made.append(Case("training", f"{name}: {steps:,} steps, time per step", None, *sides))
    return made


def ours(name: str, steps: int) -> Run:
    from autodiff.grammar import run as run_script

    text = TEXTS[name].format(steps=steps)
    return lambda: [p.grad.value for p in run_script(text)["parameters"]]


def torchs(name: str, steps: int) -> Run:
    import torch  # noqa: F401 - not to be measured with the first run

    code = compile(TEXTS[name].format(steps=steps), "training", "exec")

    def run() -> list[Any]:
        names: dict[str, Any] = {}
        exec(code, names)
        return [p.grad.numpy() for p in names["parameters"]]

    return run


SIDES = {"ours": ours, "torch": torchs}

if __name__ == "__main__":
    answer(SIDES)
