"""Random loops over numbers: assignments, branches on the counter, aliases, plain numbers among them."""

from __future__ import annotations

import random

HEAD = """\
a = torch.tensor(0.7, requires_grad=True)
b = torch.tensor(-0.4, requires_grad=True)
c = torch.tensor(0.2)
p, q, r = a * 1.0, a * b, b + 0.5
k, n = 0.25, 3
"""
#: Names that are numbers of the graph before the loop, and those that are something else.
TENSORS, OTHERS = ["p", "q", "r", "a", "b"], ["c", "k", "n", "i", "2", "0.5", "-1.5"]
ASSIGNED = ["p", "q", "r", "s", "t"]
TESTS = ["i % 2 == 0", "i < 7", "i % 3", "2 <= i < n * 9", "i != 4 and n > 1", "i + n > 8 or i == 2"]


def loop_script(seed: int) -> str:
    """A script with one loop, at the top, in a function, or in another loop."""
    rng = random.Random(seed)
    body = Body(rng)
    lines = body.lines(rng.randint(1, 5))
    turns = rng.choice([1, 2, 9, 40, 700])
    start = rng.choice(["", "", "3, "])
    loop = [f"for i in range({start}{turns}):", *indented(lines)]
    kind = rng.randrange(5)
    if kind == 0:
        loop = ["def f(p, q, r, a, b, c, k, n):", *indented([*loop, "return p + q * r"])]
        loop += ["p = f(p, q, r, a, b, c, k, n)"]
    elif kind == 1:
        loop = ["for j in range(3):", *indented(loop)]
    return HEAD + "\n".join(loop) + "\nL = p + q * 0.5 + r * 0.25\n"


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class Body:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.known = list(TENSORS)

    def lines(self, count: int) -> list[str]:
        made = []
        for _ in range(count):
            if self.rng.random() < 0.25:
                made += self.branches()
            else:
                made.append(self.assignment())
        return made

    def branches(self) -> list[str]:
        known = list(self.known)
        made = []
        words = ["if", "elif"][: self.rng.randint(1, 2)]
        for word in words:
            made += [f"{word} {self.rng.choice(TESTS)}:", *self.branch()]
        if self.rng.random() < 0.7:
            made += ["else:", *self.branch()]
        self.known = known
        return made

    def branch(self) -> list[str]:
        known = list(self.known)
        made = indented([self.assignment() for _ in range(self.rng.randint(1, 2))])
        self.known = known
        return made

    def assignment(self) -> str:
        draw = self.rng.random()
        if draw < 0.1:
            x, y = self.rng.sample(["p", "q", "r"], 2)
            values = self.rng.choice([f"{y}, {x}", f"{y}, {self.value()}", f"{self.value()}, {self.value()}"])
            return f"{x}, {y} = {values}"
        name = self.rng.choice(ASSIGNED)
        value = self.rng.choice(self.known) if draw < 0.2 else self.value()
        if name not in self.known:
            self.known.append(name)
        return f"{name} = {value}"

    def value(self) -> str:
        """A value that stays near 1, however many turns there are."""
        inner = self.product()
        return self.rng.choice(
            [f"sin({inner})", f"torch.tanh({inner})", f"({inner}).cos()", f"-sin({inner}) * 0.5 + 0.1"]
        )

    def product(self) -> str:
        x = self.rng.choice(self.known)
        y = self.rng.choice([*self.known, *OTHERS])
        op = self.rng.choice(["+", "-", "*", "/ 2 +", "** 2 -"])
        if y.startswith("-"):
            y = f"({y})"
        x, y = (x, y) if op[0] in "*/" or self.rng.random() < 0.7 else (y, x)
        return f"{x} {op} {y}"
