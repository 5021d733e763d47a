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
#: What is there before, so that names are plain numbers, constants of the graph, or one tensor.
BEFORE = ["s = 0.5", "t = 2", "s = c", "s = p", "t = a", "q = c * 2", "r = 0.5", "p = a"]
#: Entries on the tape before the loop: none, or so many that hardly one more has room.
FILLED = [*[0] * 10, 4080, 4086, 4090, 4091, 4092]
RANGES = ["2", "9", "9", "40", "40", "40", "3, 60", "60, 3, -2", "700", "0", "1"]
#: Names that are numbers of the graph before the loop, and those that are something else.
TENSORS, OTHERS = ["p", "q", "r", "a", "b"], ["c", "k", "n", "i", "2", "0.5", "-1.5"]
ASSIGNED = ["p", "q", "r", "s", "t"]
TESTS = ["i % 2 == 0", "i < 7", "i % 3", "2 <= i < n * 9", "i != 4 and n > 1", "i + n > 8 or i == 2"]


def loop_script(seed: int) -> str:
    """A script with one loop, at the top, in a function, or in another loop."""
    rng = random.Random(seed)
    body = Body(rng)
    lines = body.lines(rng.randint(1, 5))
    if rng.random() < 0.6:
        lines.append(f"p = {body.value()}")
    before = rng.sample(BEFORE, rng.choice([0, 0, 1, 2]))
    filled = rng.choice(FILLED)
    if filled:
        before.append(f"xs = [a * 1.0 for x in range({filled})]")
    loop = [f"for i in range({rng.choice(RANGES)}):", *indented(lines)]
    kind = rng.randrange(5)
    if kind == 0:
        names = rng.choice(["p, q, r, a, b", "a * 2, torch.tensor(2.0, requires_grad=True), r, a, b"])
        loop = ["def f(p, q, r, a, b, c, k, n):", *indented([*loop, "return p + q * r"])]
        loop += [f"p = f({names}, c, k, n)"]
    elif kind == 1:
        loop = ["for j in range(3):", *indented(loop)]
    after = "z = torch.tensor(1.0)\nL = (p + q * 0.5 + r * 0.25) * z\n"
    return HEAD + "\n".join([*before, *loop, after])


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
        """A value that mostly stays near 1, however many turns there are."""
        inner = self.product()
        if self.rng.random() < 0.1:
            return self.rng.choice(
                [
                    f"1 / ({inner})",
                    f"exp({inner} * 400)",
                    f"sqrt({inner})",
                    f"2.0 ** ({inner})",
                    f"-({inner})",
                    "-0.5",
                ]
            )
        return self.rng.choice(
            [f"sin({inner})", f"torch.tanh({inner})", f"({inner}).cos()", f"-sin({inner}) * 0.5 + 0.1"]
        )

    def product(self) -> str:
        x = self.rng.choice(self.known)
        y = self.rng.choice(OTHERS if self.rng.random() < 0.25 else self.known)
        op = self.rng.choice(["+", "-", "*", "/ 2 +", "** 2 -", "/", "**"])
        if y.startswith("-"):
            y = f"({y})"
        x, y = (x, y) if op[0] in "*/" or self.rng.random() < 0.7 else (y, x)
        return f"{x} {op} {y}"
