"""Random loops over numbers: assignments, branches on the counter, aliases, plain numbers among them.

They go through ranges, or through rows of numbers among which there may be something else.
"""

from __future__ import annotations

import random

HEAD = """\
a = torch.tensor(0.7, requires_grad=True)
b = torch.tensor(-0.4, requires_grad=True)
c = torch.tensor(0.2)
p, q, r = a * 1.0, a * b, b + 0.5
k, n = 0.25, 3
i, x, y = 2, 0.5, 1.5
"""
#: What is there before, so that names are plain numbers, constants of the graph, or one tensor.
BEFORE = ["s = 0.5", "t = 2", "s = c", "s = p", "t = a", "q = c * 2", "r = 0.5", "p = a"]
#: Entries on the tape before the loop: none, or so many that hardly one more has room.
FILLED = [*[0] * 10, 4080, 4086, 4090, 4091, 4092]
RANGES = ["2", "9", "9", "40", "40", "40", "3, 60", "60, 3, -2", "700", "0", "1"]
#: Names that are numbers of the graph before the loop, and those that are something else.
TENSORS, OTHERS = ["p", "q", "r", "a", "b"], ["c", "k", "n", "i", "x", "y", "2", "0.5", "-1.5"]
ASSIGNED = ["p", "q", "r", "s", "t"]
TESTS = ["i % 2 == 0", "i < 7", "i % 3", "2 <= i < n * 9", "i != 4 and n > 1", "i + n > 8 or i == 2"]
TESTS_OF_ROWS = [*TESTS, "x < 0.4", "x", "x > y", "x % 2 < 1.5 and i < 30", "-0.5 <= y < n * x", "i % x < 1"]
#: Loops through rows: what is gone through, made of these numbers, and these pairs.
ROWS = [
    *("i in xs", "x in tuple(xs)", "y in reversed(xs)", "x in [*xs, *range(20)]"),
    *("x, y in points", "x, y in points", "[y, x] in tuple(points)", "x, y in reversed(points)"),
    *("i, x in enumerate(xs)", "i, x in enumerate(xs, 2**53 - 4)", "x, y in enumerate(reversed(xs))"),
    *("x, y in zip(xs, ys)", "x, y in zip(xs, ys)", "i, x, y in zip(range(10**9), xs, reversed(ys))"),
    *("x, y in zip(xs, range(-(2**62), 2**62))", "x, y in zip(xs, ys, strict=True)", "x, in zip(xs)"),
    *("x, x in points", "i, (x, y) in enumerate(points)", "x, *y in points", "x in zip(xs)"),
]
LENGTHS = [2, 9, 20, 20, 40, 300]
#: What is no number that a program takes, as one of a row and as a row.
UNFIT = ["a", "c", "c * 2", "torch.tensor(0.5)", "True", "2**53", "-2**60", "(0.5, 2)", "'s'"]
UNFIT_ROWS = ["(0.5,)", "(0.5, 1, 2)", "torch.tensor([0.5, 0.25])", "0.5", "torch.Size([2, 3])"]


#: What is added up in place begins as a leaf, a number or a result, which other names may share or read.
SUMS = [
    *(
        "u = torch.tensor(0.5)",
        "u = torch.tensor(0.5)",
        "u = 0.5",
        "u = 2",
        "u = a * 1.0",
        "u = a + 1",
        "u = p",
    ),
    *("u = exp(a)", "u = a + 1; v = u", "u = c; v = u.detach()", "u = a + 1; v = u * u", "u = c * 2"),
    *("u = torch.tensor(0.5); v = 2 * u", "u = a + 1; p = u"),
]


def loop_script(seed: int, rows: bool = False, sums: bool = False) -> str:
    """A script with one loop, at the top, in a function, or in another loop; through a range or rows.

    With ``sums`` something is added up in place in it.
    """
    rng = random.Random(seed)
    body = Body(rng, TESTS_OF_ROWS if rows else TESTS)
    lines = body.lines(rng.randint(1, 5))
    if rng.random() < 0.6:
        lines.append(f"p = {body.value()}")
    before = rng.sample(BEFORE, rng.choice([0, 0, 1, 2]))
    if sums:
        before.append(rng.choice(SUMS))
        lines = [line for line in lines if rng.random() < 0.5 and not line.startswith((" ", "if", "el"))]
        for _ in range(rng.choice([1, 1, 1, 2])):
            value = rng.choice(
                [body.value(), body.value(), "p", "0.25", "i", "c", "a", "u" * (seed % 9 < 1) or "q"]
            )
            lines.insert(rng.randint(0, len(lines)), f"u {rng.choice(['+=', '+=', '-='])} {value}")
    filled = rng.choice(FILLED)
    if filled:
        before.append(f"filling = [a * 1.0 for x in range({filled})]")
    through = f"i in range({rng.choice(RANGES)})"
    if rows:
        before += numbers(rng)
        through = rng.choice(ROWS)
    loop = [f"for {through}:", *indented(lines)]
    kind = rng.randrange(1 if sums else 0, 5)
    if kind == 0:
        names = rng.choice(["p, q, r, a, b", "a * 2, torch.tensor(2.0, requires_grad=True), r, a, b"])
        loop = ["def f(p, q, r, a, b, c, k, n):", *indented([*loop, "return p + q * r"])]
        loop += [f"p = f({names}, c, k, n)"]
    elif kind == 1:
        loop = ["for j in range(3):", *indented(loop)]
    after = "z = torch.tensor(1.0)\nL = (p + q * 0.5 + r * 0.25) * z\n"
    if sums:
        after += "L = L + u * 0.125\n"
    return HEAD + "\n".join([*before, *loop, after])


def numbers(rng: random.Random) -> list[str]:
    """Lists of numbers ``xs`` and ``ys``, and a list of pairs ``points``; in half of the scripts not only."""
    count = rng.choice(LENGTHS)
    odd = rng.choice([0, 0, 0.02, 0.1])

    def number() -> str:
        if rng.random() < odd:
            return rng.choice(UNFIT)
        return str(rng.randint(-3, 9)) if rng.random() < 0.2 else str(round(rng.uniform(-1, 1), 3))

    def pair() -> str:
        if rng.random() < odd / 4:
            return rng.choice(UNFIT_ROWS)
        return rng.choice(["({}, {})", "({}, {})", "[{}, {}]"]).format(number(), number())

    made = {"xs": number, "ys": number, "points": pair}
    return [
        f"{name} = [{', '.join(make() for _ in range(count + rng.choice([0, 0, 1])))}]"
        for name, make in made.items()
    ]


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


class Body:
    def __init__(self, rng: random.Random, tests: list[str]) -> None:
        self.rng = rng
        self.tests = tests
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
            made += [f"{word} {self.rng.choice(self.tests)}:", *self.branch()]
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
