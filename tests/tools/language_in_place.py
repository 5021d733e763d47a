"""Random scripts about changes in place, with views, aliases and every kind of gradient pass around them.

`in_place_script(seed)` writes one, the same one for the same seed. Many of them are refused by torch: what is
compared is which, in which words, and what the others compute. Run as a program it compares many with torch:

    python tests/tools/language_in_place.py --count 1000
"""

from __future__ import annotations

import argparse
import random
import sys

from language_generator import Script

MATRIX, VECTOR, NUMBER = "mat", "vec", "num"

#: What a tensor of a kind is computed with: `{x}` is the tensor, `{mat}`, `{vec}`, `{num}` some other one.
COMPUTED = {
    MATRIX: """
        {x} * {mat}|{x} * {x}|{x} + {mat}|{x} / {mat}|{mat} / {x}|2 / {x}|{x} ** 2|{x} ** 3|{x} ** {num}
        2 - {x}|{x}.exp()|{x}.sin()|{x}.tanh()|{x}.sigmoid()|{x}.abs()|{x}.relu()|{x}.sqrt()|{x}.log()
        {x}.reciprocal()|{x}.clamp(-2, 3)|{x} @ {mat}|{x} * {vec}|{x} * {num}|{x}.detach() * {mat}
        {x}.clone()|{x}.softmax(0)|{x}.log_softmax(1)|{x}.cumsum(0)|{x}.cumprod(1)|{x}.square()
        {x}.neg()|{x}.rsqrt()|torch.where({x} > 0, {x}, {mat})|torch.maximum({x}, {mat})
        {x}.lerp({mat}, 0.25)|{x}.masked_fill({x} > 1, 0.5)|torch.cat([{x}, {mat}])
        torch.stack([{x}, {mat}]).sum(0)|{x}.t() @ {mat}|torch.addcmul({x}, {mat}, {mat})
        torch.atan2({x}, {mat})|{x}.sinh()|{x}.erf()|{x}.expm1()|{x}.log1p()
        {x}.gather(1, torch.tensor([[0, 1], [1, 0]]))|{x}[:, [1, 0]]|{x}[torch.tensor([1, 0])]
        {x}.tril()|{x}.flip(0)|{x}.fmod(2)|{x}.hypot({mat})|{x}.atan()|F.softplus({x})|F.gelu({x})
        F.silu({x})|F.elu({x})|F.leaky_relu({x})|F.hardtanh({x})|F.layer_norm({x}, (2,))
        {x}.detach() + {mat}
    """,
    VECTOR: """
        {x} * {vec}|{x} * {x}|{x} + {vec}|{x} / {vec}|{x} ** 2|1 - {x}|{x} ** {vec}|2 ** {x}|{x}.exp()
        {x}.cos()|{x}.tanh()|{x}.abs()|{x}.sigmoid()|{x} * {num}|{mat} @ {x}|{mat} * {x}
        {x}.detach() * {vec}|{x}.cumsum(0)|{x}.cumprod(0)|{x}.softmax(0)|{x}.log()
        {x}.gather(0, torch.tensor([1, 0]))|{x}[[1, 1]]|{x}[{x} > 0].sum() * {vec}|{x}.sort().values
        {x}.flip(0)|torch.cat([{x}, {vec}])|torch.minimum({x}, {vec})|{x}.clamp(min=0.5)
        {x} @ {vec} * {vec}|{x}.logit()|{x}.index_select(0, torch.tensor([0, 0]))
        {x}.take(torch.tensor([0]))|{x}.relu() + {vec}|F.mish({x})
    """,
    NUMBER: """
        {x} * {num}|{x} * {x}|{x} + {num}|{x}.exp()|{x} ** 2|{x} * {vec}|{num} / {x}|{x}.sin()
        {x}.tanh()|{x}.detach() * {num}|{x}.sqrt()|{x} - {num}|{x} * {mat}|{x}.abs()
    """,
}

#: How a tensor is summed up, which is an op of its own.
SUMMED = "{x}.sum()|{x}.mean()|({x} * {x}).sum()|{x}.norm()|{x}.max()|{x}.logsumexp(0).sum()"

#: Changes of a tensor of any kind; `{k}` is another of its kind.
CHANGED = """
    {x}.add_({k})|{x}.add_(1)|{x}.mul_({k})|{x}.mul_(2)|{x}.sub_({k}, alpha=2)|{x}.div_({k})|{x}.pow_(2)
    {x} += {k}|{x} *= {k}|{x} -= 0.5|{x} /= {k}|{x} **= 2|{x} *= {x}|{x} += {x}|{x}.mul_({num})
    {x} -= {num}|{x}.exp_()|{x}.sin_()|{x}.cos_()|{x}.tanh_()|{x}.sigmoid_()|{x}.sqrt_()|{x}.log_()
    {x}.neg_()|{x}.abs_()|{x}.relu_()|{x}.clamp_(-1, 2)|{x}.clamp_(min=0.5)|{x}.reciprocal_()
    {x}.square_()|{x}.sign_()|{x}.zero_()|{x}.fill_(2)|{x}.fill_({num})|{x}.copy_({k})|{x}.copy_({num})
    {x}.round_()|{x}.addcdiv_({k}, {k}, value=0.5)|{x}.lerp_({k}, 0.5)|{x}.lerp_({k}, {k})
    {x}.masked_fill_({x} > 1, 0.5)|{x}.masked_fill_({x} > 1, {num})|{x}.eq_({k})|{x}.gt_(1)|{x}.le_({k})
    {x}.logit_(0.1)|{x}.atan2_({k})|{x}.hypot_({k})|{x}.copysign_({k})|{x}.fmod_(2)|{x}.remainder_(2)
    {x}.erf_()|{x}.expm1_()|{x}.log1p_()|{x}.rsqrt_()|{x}.floor_()|{x}.frac_()|{x}.trunc_()|{x}.sinc_()
    {x}.sinh_()|{x}.atan_()|{x}.nan_to_num_()|{x}.float_power_(2)|{x}.xlogy_({k})|{x}.lgamma_()
    {x}.digamma_()|{x}.exp2_()|{x}.log2_()|{x}.tan_()|{x}.unsqueeze_(0)|{x}.squeeze_()
    {x}.true_divide_(2)|F.relu({x}, inplace=True)|F.leaky_relu({x}, 0.1, inplace=True)
    F.elu({x}, inplace=True)|F.hardtanh({x}, inplace=True)|torch.relu_({x})
"""
CHANGED_OF = {
    MATRIX: """
        {x}[0] = {vec}|{x}[0] = 1.5|{x}[:, 1] = {vec}|{x}[0, 1] = {num}|{x}[0] += {vec}|{x}[:1] *= {num}
        {x}[:, 0] *= {vec}|{x}[1] *= {x}[0]|{x}[0] *= {x}[0]|{x}[{x} > 1] = 0.25|{x}[{x} > 1] *= 2
        {x}[:] = {mat}|{x}[[0, 1]] = {mat}|{x}[torch.tensor([1])] += 2|{x}[...] = {num}
        {x}[None] = {mat}|{x}[0] = {x}[1]|{x}[0, 0] -= 1|{x}[-1] /= {vec}|{x}[0][1] = {num}
        {x}[0][1] += 1|{x}[1:] **= 2|{x}.t_()|{x}.mul_({vec})|{x}.transpose_(0, 1)
        {x}.index_fill_(0, torch.tensor([1]), 0.5)|{x}.cumsum_(0)|{x}.cumprod_(1)|{x} += {vec}
        {x}.index_add_(0, torch.tensor([0]), {mat}[:1])|{x}.scatter_(1, torch.tensor([[0], [1]]), 0.5)
        {x}[0].mul_(2)|{x}[0].mul_({x}[1])|{x}[1].add_({vec})|{x}.t().mul_(2)|{x}.view(4)[1:].exp_()
        {x}.diagonal().zero_()|{x}.view(-1).copy_({mat}.reshape(4))|{x}[:, 1].copy_({vec})
        {x}.mul_({x}.t())|{x}.tril_()|{x}.triu_()|{x}.add_({x}.t())|{x}.swapaxes_(0, 1)
        {x}[:, :1] = {num}|{x}.index_copy_(0, torch.tensor([1]), {mat}[:1])|{x}.squeeze_(0)
        {x}.put_(torch.tensor([0, 3]), {vec})|{x}.index_put_((torch.tensor([0]),), {vec})
        {x}.addr_({vec}, {vec})
    """,
    VECTOR: """
        {x}[0] = {num}|{x}[0] = 2|{x}[:1] = 3|{x}[1:] = {num}|{x}[0] += {num}|{x}[-1] *= {num}
        {x}[[0, 1]] = {vec}|{x}[:] = {vec}|{x}[{x} > 1] = 0.5|{x}[:1] *= {x}[1:]|{x}[0] = {x}[1]
        {x}[0] *= {x}[0]|{x}[0].mul_(3)|{x}[1:].copy_({x}[:1])|{x}.cumsum_(0)
        {x}[0], {x}[1] = {x}[1], {x}[0]|{x}[torch.tensor([0, 0])] = {vec}|{x}.view(2, 1).mul_({num})
        {x}[::2] -= 1|{x}.scatter_(0, torch.tensor([1]), 0.25)|{x}.expand(2, 2).mul_(2)
        {x}.addmv_({mat}, {vec})|{x}.index_fill_(0, torch.tensor([0]), {num})|{x}[...] += {vec}|{x}.t_()
    """,
    NUMBER: "{x}[...] = {num}|{x}.view(1).mul_(2)|{x}.add_({vec})|{x}[None] = 3|{x}.expand(2).add_(1)",
}
#: Views and aliases, by what they are made of and what they are.
SHARED = {
    MATRIX: {
        MATRIX: "{x}.t()|{x}.T|{x}.view(2, 2)|{x}[:]|{x}.transpose(0, 1)|{x}.detach()|{x}.data"
        "|{x}.reshape(2, 2)|{x}.view(4).view(2, 2)|{x}[...]|{x}.mT|{x}.permute(1, 0)|{x}.unflatten(0, (2,))"
        "|{x}.contiguous()",
        VECTOR: "{x}[0]|{x}[1]|{x}[:, 0]|{x}.diagonal()|{x}.view(4)[1:3]|{x}.select(1, 1)|{x}.unbind()[1]"
        "|{x}.flatten()[::2]|{x}.T[0]|{x}[0].detach()|{x}.detach()[1]|{x}[1, :]|{x}.split(1)[0].squeeze()",
        NUMBER: "{x}[0, 1]|{x}[1][0]|{x}.view(4)[2]|{x}[0][0].detach()",
    },
    VECTOR: {
        MATRIX: "{x}.unfold(0, 1, 1) * {x}|{x}.expand(2, 2) + {x}",
        VECTOR: "{x}[:]|{x}.view(2)|{x}.detach()|{x}.data|{x}.view(2, 1).squeeze()|{x}[:2]|{x}.expand(2)",
        NUMBER: "{x}[0]|{x}[-1]|{x}.unbind()[0]|{x}[1].detach()",
    },
    NUMBER: {VECTOR: "{x}.expand(2) + 1", NUMBER: "{x}.detach()|{x}.view(())|{x}[...]|{x}.data"},
}


def options(text: str) -> list[str]:
    return [part.strip() for line in text.strip().splitlines() for part in line.strip().split("|")]


class InPlaceWriter:
    """A script of tensors of three kinds: 2 by 2, of two entries, single numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {MATRIX: [], VECTOR: [], NUMBER: []}
        self.leaves: list[str] = []
        self.count = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind[0]}{self.count}"

    def numbers(self, count: int) -> list[float]:
        return [self.random.choice((0.25, 0.5, 0.75, 1.25, 1.5, 2.5, 3.0, -0.5, -1.5)) for _ in range(count)]

    def new(self, kind: str) -> str:
        """A leaf, or a tensor that requires no gradient."""
        name = self.name(kind)
        a, b, c, d = self.numbers(4)
        data = {MATRIX: f"[[{a}, {b}], [{c}, {d}]]", VECTOR: f"[{a}, {b}]", NUMBER: str(a)}[kind]
        tracked = self.random.random() < 0.6
        self.lines.append(f"{name} = torch.tensor({data}{', requires_grad=True' if tracked else ''})")
        self.names[kind].append(name)
        if tracked:
            self.leaves.append(name)
        return name

    def pick(self, kind: str) -> str:
        names = self.names[kind]
        return self.random.choice(names[-4:]) if names and self.random.random() < 0.85 else self.new(kind)

    def kind(self) -> str:
        return self.random.choice((MATRIX, MATRIX, VECTOR, VECTOR, NUMBER))

    def fill(self, template: str, x: str, kind: str) -> str:
        text = template.replace("{x}", x)
        for hole, other in (("{k}", kind), *((f"{{{name}}}", name) for name in self.names)):
            while hole in text:
                text = text.replace(hole, self.pick(other), 1)
        return text

    def compute(self) -> None:
        kind = self.kind()
        x = self.pick(kind)
        text = self.fill(self.random.choice(options(COMPUTED[kind])), x, kind)
        name = self.name("y")
        self.lines.append(f"{name} = {text}")
        if self.random.random() < 0.2:
            self.lines.append(f"{name} = {name}.sum()")
        self.results.append(name)
        is_whole = self.lines[-1].endswith(text) and "cat" not in text and "take" not in text
        if is_whole and self.random.random() < 0.6:
            self.names[self.shape_of(kind, text)].append(name)

    def shape_of(self, kind: str, text: str) -> str:
        made = kind
        if "outer" in text or (kind != MATRIX and any(name in text for name in self.names[MATRIX])):
            made = VECTOR if " @ " in text else MATRIX
        elif kind == NUMBER and any(name in text for name in self.names[VECTOR]):
            made = VECTOR
        return made

    def change(self) -> None:
        kind = self.kind()
        x = self.pick(kind)
        if x in self.leaves and self.random.random() < 0.9:
            free = [name for name in self.names[kind] if name not in self.leaves]
            x = self.random.choice(free) if free else x
        templates = options(CHANGED) if self.random.random() < 0.6 else options(CHANGED_OF[kind])
        line = self.fill(self.random.choice(templates), x, kind)
        if self.random.random() < 0.12:
            line = f"with torch.no_grad(): {line}"
        self.lines.append(line)

    def look(self) -> None:
        kind = self.kind()
        x = self.pick(kind)
        made = self.random.choice(list(SHARED[kind]))
        text = self.random.choice(options(SHARED[kind][made])).replace("{x}", x)
        name = self.name("v")
        guard = "with torch.no_grad(): " if self.random.random() < 0.08 else ""
        self.lines.append(f"{guard}{name} = {text}")
        self.names[made].append(name)

    def finish(self) -> None:
        """A pass from all that was computed, or from some of it, and sometimes a second derivative."""
        shown = [*self.results[-3:], *(names[-1] for names in self.names.values() if names)]
        total = " + ".join(
            self.random.choice(options(SUMMED)).replace("{x}", name)
            if self.random.random() < 0.4
            else f"({name} * {self.random.choice((1, 2, 3))}).sum()"
            for name in dict.fromkeys(shown)
        )
        self.lines.append(f"L = {total}")
        leaves = ", ".join(dict.fromkeys(self.leaves[-3:]))
        if leaves and self.random.random() < 0.3:
            self.lines.append(f"g = torch.autograd.grad(L, [{leaves}], create_graph=True, allow_unused=True)")
            self.lines.append("print([None if p is None else p.detach() for p in g])")
            self.lines.append("t = torch.tensor(0.) + sum((p * p).sum() for p in g if p is not None)")
            self.lines.append(
                f"g = torch.autograd.grad(t, [{leaves}], allow_unused=True) if t.requires_grad else []"
            )
            self.lines.append("g = [p for p in g if p is not None and (p.abs() > 1e-9).any()]; print(g)")
            self.lines.append("del t")
        else:
            self.lines.append("L.backward()")
        self.lines.append(f"print({', '.join(['L', *dict.fromkeys(shown)])})")

    def write(self) -> str:
        self.results: list[str] = []
        for kind in self.names:
            self.new(kind)
        for kind in (MATRIX, VECTOR):  # something computed, which may be changed
            name, of = self.name("h"), self.names[kind][0]
            self.lines.append(f"{name} = {of} * {self.random.choice((1, 2))}")
            self.names[kind].append(name)
        for _ in range(self.random.randint(3, 8)):
            self.random.choice((self.compute, self.compute, self.change, self.change, self.look))()
        self.finish()
        return "\n".join(self.lines) + "\n"


def in_place_script(seed: int) -> Script:
    """The script of that seed.

    >>> in_place_script(3) == in_place_script(3)
    True
    """
    return Script(seed, InPlaceWriter(seed).write())


def main() -> int:
    from language_comparison import compare

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--show", type=int, help="write the script of this seed and stop")
    options = parser.parse_args()
    if options.show is not None:
        sys.stdout.write(in_place_script(options.show).text)
        return 0
    differ = refused = 0
    for seed in range(options.start, options.start + options.count):
        script = in_place_script(seed)
        compared = compare(script)
        refused += compared.oracle.error is not None
        differ += bool(compared.differences)
        if compared.differences:
            print(f"{seed}: {compared.differences}", flush=True)
    print(f"{options.count} scripts, {refused} refused by torch, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
