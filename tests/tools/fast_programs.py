"""Random programs of numbers and of small arrays, run by the engine; as a program it prints what they give.

It is run with and without the modules that exist for speed, and the lines are compared.
"""

from __future__ import annotations

import math
import random
import sys
from typing import Any

import numpy as np
from autodiff.core import tensor
from autodiff.core.engine.public_functions import FUNCTIONS

#: Functions and the derivatives that textbooks give, in the order of operations that a rule has.
ONE: dict[str, tuple[Any, Any]] = {
    "sin": (math.sin, lambda out, x: math.cos(x)),
    "cos": (math.cos, lambda out, x: -math.sin(x)),
    "exp": (math.exp, lambda out, x: out),
    "tanh": (math.tanh, lambda out, x: 1 - out**2),
    "atan": (math.atan, lambda out, x: 1 / (1 + x**2)),
    "sinh": (math.sinh, lambda out, x: math.cosh(x)),
    "neg": (lambda x: -x, lambda out, x: -1.0),
}
TWO: dict[str, tuple[Any, Any, Any]] = {
    "+": (lambda x, y: x + y, lambda out, x, y: 1.0, lambda out, x, y: 1.0),
    "-": (lambda x, y: x - y, lambda out, x, y: 1.0, lambda out, x, y: -1.0),
    "*": (lambda x, y: x * y, lambda out, x, y: y, lambda out, x, y: x),
    "/": (lambda x, y: x / y, lambda out, x, y: 1 / y, lambda out, x, y: -out / y),
}
STEPS = 40
#: Of the leaves: alike, and to be broadcast.
SHAPES = [((2, 3),) * 3, ((2, 3), (3,), ()), ((), (2, 1), (3,))]
NUMBERS = [2.0, -0.5, 3.0]  # a whole one is written without its point

Step = tuple[str, Any, Any]


def program(seed: int) -> tuple[list[float], list[Step]]:
    """Values of three leaves, and steps ``(function, operand, operand)``; operands are places or numbers."""
    rng = random.Random(seed)
    leaves = [rng.uniform(-1.5, 1.5) for _ in range(3)]
    steps: list[Step] = []
    for at in range(3, 3 + STEPS):

        def place(at: int = at) -> int:
            return rng.randrange(max(0, at - 6), at) if rng.random() < 0.8 else rng.randrange(3)

        if rng.random() < 0.4:
            steps.append((rng.choice(["sin", "cos", "tanh", "atan", "neg"]), place(), None))
            continue
        name = rng.choice("+-*")
        x, y = place(), place()
        which = rng.random()
        if which < 0.15:
            steps.append((rng.choice("+-*/"), x, rng.choice(NUMBERS)))
        elif which < 0.3:
            steps.append((name, rng.choice(NUMBERS), y))
        else:
            steps.append((name, x, y))
    return leaves, steps


def wide(seed: int) -> tuple[list[float], list[Step]]:
    """As ``program``: many functions of the leaves, then their sum in some order."""
    rng = random.Random(seed)
    leaves = [rng.uniform(-1.5, 1.5) for _ in range(3)]
    steps: list[Step] = [(rng.choice(["sin", "cos", "tanh"]), rng.randrange(3), None) for _ in range(STEPS)]
    order = list(range(3, 3 + STEPS))
    if seed % 3 == 1:
        order.reverse()
    elif seed % 3 == 2:
        rng.shuffle(order)
    total = 0
    for place in order:
        steps.append((rng.choice("+-*"), total, place))
        total = 2 + len(steps)
    return leaves, steps


def by_hand(leaves: list[float], steps: list[Step]) -> tuple[float, list[float]]:
    """Value and gradients in plain Python floats: contributions are added newest first."""
    values = list(leaves)

    def operand(x: Any) -> Any:
        return values[x] if x.__class__ is int else x

    for name, x, y in steps:
        values.append(ONE[name][0](values[x]) if y is None else TWO[name][0](operand(x), operand(y)))
    received: list[float | None] = [None] * len(values)
    received[-1] = 1.0

    def give(x: Any, c: float) -> None:
        if x.__class__ is int:
            before = received[x]
            received[x] = c if before is None else before + c

    for at in range(len(values) - 1, 2, -1):
        g = received[at]
        if g is None:
            continue
        name, x, y = steps[at - 3]
        out = values[at]
        if y is None:
            give(x, g * ONE[name][1](out, values[x]))
        else:
            give(x, g * TWO[name][1](out, operand(x), operand(y)))
            give(y, g * TWO[name][2](out, operand(x), operand(y)))
    return values[-1], [0.0 if g is None else g for g in received[:3]]


def by_engine(leaves: list[Any], steps: list[Step]) -> tuple[Any, list[Any]]:
    """The same by the engine; the leaves may be arrays."""
    values = [tensor(value, requires_grad=True) for value in leaves]
    inputs = values[:3]

    def operand(x: Any) -> Any:
        return values[x] if x.__class__ is int else int(x) if x.is_integer() else x

    for name, x, y in steps:
        if y is None:
            made = -values[x] if name == "neg" else FUNCTIONS[f"torch.{name}"](values[x])
        else:
            a, b = operand(x), operand(y)
            made = a + b if name == "+" else a - b if name == "-" else a * b if name == "*" else a / b
        values.append(made)
    result = values[-1] if not values[-1].shape else FUNCTIONS["torch.sum"](values[-1])
    if result.requires_grad:
        result.backward()
    return result.tolist(), [0.0 if x.grad is None else x.grad.tolist() for x in inputs]


#: Ops on whole arrays, of a matrix (3, 4), a vector (4,) and a square (4, 4) to a matrix (3, 4).
WHOLE: list[Any] = [
    lambda x, v, w: x @ w,
    lambda x, v, w: (w @ x.T).T,
    lambda x, v, w: x * call("reshape", x @ v, 3, 1),
    lambda x, v, w: x - (v @ w),
    lambda x, v, w: x * (v @ v),
    lambda x, v, w: call("sum", x, 1, True) * 0.5 + x,
    lambda x, v, w: x - call("mean", x, dim=0),
    lambda x, v, w: x * call("mean", w),
    lambda x, v, w: call("reshape", x.T, 3, 4),
    lambda x, v, w: call("relu", x) + v,
    lambda x, v, w: call("where", x > 0, x, call("relu", x) * 2),
    lambda x, v, w: call("maximum", x, x.T.T * 0.5),
    lambda x, v, w: x * w[1] + v[2],
    lambda x, v, w: call("cat", [x[1:], x[:1]]),
    lambda x, v, w: call("stack", [x[0], v, x[2]]),
]


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    return FUNCTIONS[f"torch.{name}"](*args, **kwargs)


def whole(seed: int, dtype: str) -> tuple[Any, list[Any]]:
    """The value and the gradients of a random chain of such ops, the second time into what is there."""
    rng = random.Random(seed)
    arrays = np.random.default_rng(seed)
    shapes = ((3, 4), (4,), (4, 4))
    leaves = [tensor(arrays.uniform(-1, 1, shape).astype(dtype), requires_grad=True) for shape in shapes]
    steps = [rng.choice(WHOLE) for _ in range(6)]
    # Of a plain sum nothing but rounding would be left after a step that takes the mean away.
    weights = tensor(arrays.uniform(1, 2, (3, 4)).astype(dtype))
    for _ in range(2):
        x, v, w = leaves
        for step in steps:
            x = step(x, v, w)
        total = call("sum", x * weights)
        total.backward()
    return total.tolist(), [0.0 if leaf.grad is None else leaf.grad.tolist() for leaf in leaves]


def printed(seeds: range) -> None:
    """A line for each program on numbers, and on arrays of both types."""
    for seed in seeds:
        leaves, steps = program(seed)
        print(seed, "numbers", *by_engine(leaves, steps), sep="\t")
        rng = np.random.default_rng(seed)
        for dtype in ("float64", "float32"):
            print(seed, dtype, *whole(seed, dtype), sep="\t")
            for shapes in SHAPES:
                arrays = [rng.uniform(-1.5, 1.5, shape).astype(dtype) for shape in shapes]
                print(seed, dtype, *by_engine(arrays, steps), sep="\t")


if __name__ == "__main__":
    printed(range(int(sys.argv[1])))
