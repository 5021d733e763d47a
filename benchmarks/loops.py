"""P5: what the interpreter adds: a loop in a script, and the same loop driving the same engine in Python."""

from __future__ import annotations

from typing import Any

from benchmarks.cases import Case, sized, worker
from benchmarks.worker import Run, answer

HEAD = """\
x = torch.tensor(0.5, requires_grad=True)
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
h = x
for i in range({steps}):
"""
BODIES = {
    "three statements": "    h = sin(h)\n    h = h * a\n    h = h + b\n",
    "one statement": "    h = sin(h) * a + b\n",
    "a branch": "    if i % 2 == 0:\n        h = sin(h) * a + b\n    else:\n        h = sin(h) * a + b\n",
}
TAIL = "h.backward()\n"


def cases(scale: float) -> list[Case]:
    n = sized(100_000, scale)
    return [
        Case(
            "P5",
            f"script loop, {body}, {n:,} ops",
            1.3,
            worker("loops", "ours", body, n),
            worker("loops", "ours, from Python", body, n),
            anchor_name="the engine, from Python",
        )
        for body in BODIES
    ]


def scripted(body: str, size: int) -> Run:
    from autodiff.grammar.execution import run as run_script

    text = HEAD.format(steps=size // 3) + BODIES[body] + TAIL

    def run() -> list[Any]:
        names = run_script(text)
        return [names[name].grad.item() for name in ("x", "a", "b")]

    return run


def driven(body: str, size: int) -> Run:
    from autodiff.core import tensor
    from autodiff.core.graph.op import OPS

    sin = OPS["sin"]

    def three(h: Any, a: Any, b: Any) -> Any:
        for _ in range(size // 3):
            h = sin(h)
            h = h * a
            h = h + b
        return h

    def one(h: Any, a: Any, b: Any) -> Any:
        for _ in range(size // 3):
            h = sin(h) * a + b
        return h

    def branch(h: Any, a: Any, b: Any) -> Any:
        for i in range(size // 3):
            if i % 2 == 0:
                h = sin(h) * a + b
            else:
                h = sin(h) * a + b  # the same work on purpose
        return h

    loop = {"three statements": three, "one statement": one, "a branch": branch}[body]

    def run() -> list[Any]:
        leaves = [tensor(value, requires_grad=True) for value in (0.5, 1.0, 0.0)]
        loop(*leaves).backward()
        return [leaf.grad.item() for leaf in leaves]

    return run


SIDES = {"ours": scripted, "ours, from Python": driven}

if __name__ == "__main__":
    answer(SIDES)
