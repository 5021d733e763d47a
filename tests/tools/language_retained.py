"""Random scripts about `retain_grad()` on results and views that are changed in place afterwards.

`retained_script(seed)` writes one, the same one for the same seed, which prints every
`.grad` and `.retains_grad`. Run as a program it compares many with torch:

    python tests/tools/language_retained.py --count 1000
"""

from __future__ import annotations

import argparse
import random
import sys

from language_generator import Script

#: Views of a matrix, a vector and a number, each with the kind of its result.
VIEWS = {
    "matrix": {
        **{"{x}[0]": "vector", "{x}[1]": "vector", "{x}[:, 1]": "vector", "{x}.t()": "matrix"},
        **{"{x}[:1]": "row", "{x}[0, 1]": "number", "{x}.view(4)": "long", "{x}.diagonal()": "vector"},
    },
    "row": {"{x}[0]": "vector", "{x}[0, 1]": "number", "{x}[:, 1:]": "single"},
    "long": {"{x}[1:3]": "vector", "{x}[::2]": "vector", "{x}[3]": "number", "{x}.view(2, 2)": "matrix"},
    "vector": {"{x}[0]": "number", "{x}[1]": "number", "{x}[:1]": "single", "{x}[:]": "vector"},
    "single": {"{x}[0]": "number", "{x}.squeeze()": "number"},
    "number": {"{x}.view(1)": "single"},
}
CHANGES = (
    "{x}.mul_(3)",
    "{x} += 1",
    "{x}.add_({x})",
    "{x} *= {k}",
    "{x}.zero_()",
    "{x}.sin_()",
    "{x}[...] = 2.",
)
RESULTS = ("{x} * 3", "{x} * {x}", "{x} + 1", "{x}.exp()", "{x} * {k}", "{x} - {k}")


class RetainedWriter:
    """A result of a leaf, views of it, changes in place and `retain_grad()` in any order, then one pass."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["x = torch.tensor([[1., 2.], [0.5, -1.]], requires_grad=True)", "k = torch.tensor(1.5)"]
        self.kinds = {"y": "matrix"}
        self.results: list[str] = []
        self.lines.append(
            self.random.choice(("y = x * 2", "y = x.clone()", "y = x + k", "y = x.view(4).view(2, 2) * k"))
        )
        if self.random.random() < 0.3:
            self.lines.append("k.requires_grad_()")

    def pick(self) -> str:
        return self.random.choice(list(self.kinds)[-4:])

    def view(self) -> None:
        of = self.pick()
        text, kind = self.random.choice(list(VIEWS[self.kinds[of]].items()))
        name = f"v{len(self.kinds)}"
        self.lines.append(f"{name} = {text.replace('{x}', of)}")
        self.kinds[name] = kind

    def retain(self) -> None:
        self.lines.append(f"{self.pick()}.retain_grad()")

    def change(self) -> None:
        line = self.random.choice(CHANGES).replace("{x}", self.pick()).replace("{k}", "k")
        guard = self.random.random()
        if guard < 0.12:
            line = f"with torch.no_grad(): {line}"
        self.lines.append(line)

    def compute(self) -> None:
        name = f"w{len(self.results)}"
        text = self.random.choice(RESULTS).replace("{x}", self.pick()).replace("{k}", "k")
        self.lines.append(f"{name} = {text}")
        self.results.append(name)

    def look(self) -> None:
        name = self.pick()
        self.lines.append(f"print({name})" if self.random.random() < 0.5 else f"print({name}.retains_grad)")

    def write(self) -> str:
        steps = (
            self.view,
            self.view,
            self.retain,
            self.retain,
            self.change,
            self.change,
            self.compute,
            self.look,
        )
        for _ in range(self.random.randint(5, 10)):
            self.random.choice(steps)()
        if self.random.random() < 0.6:
            self.compute()
        if not self.results:
            self.compute()
        total = " + ".join(f"{name}.sum()" for name in self.results[-3:])
        self.lines.append(f"L = {total}")
        again = self.random.random() < 0.2
        self.lines.append(f"L.backward({'retain_graph=True' if again else ''})")
        if again:
            self.lines.append("L.backward()")
        kept = list(self.kinds)
        # Adding 0 takes the sign from a zero, which depends on how entries are added up.
        self.lines.append("def shown(g): return None if g is None else g + 0.")
        self.lines.append("print(shown(x.grad), shown(k.grad))")
        self.lines += [f"print(shown({name}.grad), {name}.retains_grad)" for name in kept]
        return "\n".join(self.lines) + "\n"


def retained_script(seed: int) -> Script:
    """The script of that seed.

    >>> retained_script(3) == retained_script(3)
    True
    """
    return Script(seed, RetainedWriter(seed).write())


def main() -> int:
    from language_comparison import compare

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--show", type=int, help="write the script of this seed and stop")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(retained_script(options.show).text)
        return 0
    differ = refused = 0
    for seed in range(options.start, options.start + options.count):
        compared = compare(retained_script(seed))
        refused += compared.oracle.error is not None
        differ += bool(compared.differences)
        if compared.differences:
            print(f"{seed}: {compared.differences}", flush=True)
    print(f"{options.count} scripts, {refused} refused by torch, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
