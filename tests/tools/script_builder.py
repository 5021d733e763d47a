"""The script a generator is writing: its lines, and the tensors they bound with shape and size.

Each tensor has its shape and a bound on its absolute value, so that a statement only combines what fits
and squashes what grows. Kinks, ties and gradients that cancel to rounding noise are kept away by odd
offsets, ramps and weights: two correct engines agree in every printed digit, or differ in the last one.
The statements themselves are in `script_operations` and `script_statements`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Shape = tuple[int, ...]
SHAPES: tuple[Shape, ...] = ((), (2,), (3,), (4,), (2, 3), (3, 2), (3, 3), (2, 4), (1, 3), (3, 1), (2, 2, 3))
LARGEST = 6.0  # values above this are squashed before anything else uses them
# torch has these in torch.nn.functional only, and not as methods.
IN_FUNCTIONAL = {"softplus", "gelu", "leaky_relu", "linear", "mse_loss", "cross_entropy", "nll_loss"}


@dataclass(frozen=True)
class Value:
    """A tensor the script has bound: its name, its shape and a bound on its entries."""

    name: str
    shape: Shape
    bound: float = 1.0
    contiguous: bool = False

    @property
    def ndim(self) -> int:
        return len(self.shape)


# name -> (argument, further arguments, bound of the result by the bound of x). {c} is an odd offset,
# {p} a positive number; the argument keeps clear of the end of the domain and of kinks.
UNARY: dict[str, tuple[str, str, Callable[[float], float]]] = {
    "abs": ("{x} + {c}", "", lambda b: b + 1),
    "neg": ("{x}", "", lambda b: b),
    "sqrt": ("{x} * {x} + {p}", "", lambda b: b + 2),
    "square": ("{x}", "", lambda b: b * b),
    "reciprocal": ("{p} + {x} * {x}", "", lambda b: 2.0),
    "exp": ("0.5 * {x}", "", lambda b: math.exp(b / 2)),
    "log": ("{p} + {x} * {x}", "", lambda b: math.log(2 + b * b)),
    "sin": ("{x}", "", lambda b: 1.0),
    "cos": ("{x}", "", lambda b: 1.0),
    "tan": ("0.2 * {x}", "", lambda b: 2.6),
    "tanh": ("{x}", "", lambda b: 1.0),
    "sigmoid": ("{x}", "", lambda b: 1.0),
    "relu": ("{x} + {c}", "", lambda b: b + 1),
    "clamp": ("{x}", ", min=-{p}, max={p}", lambda b: 2.0),
    "softplus": ("{x}", "", lambda b: b + 1),
    "gelu": ("{x}", "", lambda b: b),
    "leaky_relu": ("{x} + {c}", ", 0.1", lambda b: b + 1),
}
# Operators on one tensor: (text, bound of the result).
POWERS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{x} ** 2", lambda b: b * b),
    ("{x} ** 3", lambda b: b**3),
    ("({p} + {x} * {x}) ** 0.5", lambda b: b + 2),
    ("2 ** (0.3 * {x})", lambda b: 4.0),
    ("pow({x}, 2)", lambda b: b * b),
    ("-{x} + {c}", lambda b: b + 1),
    ("1 - {x} * {p}", lambda b: 2 * b + 1),
    ("{p} / ({p} + {x} * {x})", lambda b: 4.0),
    ("{x} / (1 + {x} * {x})", lambda b: 0.5),
    ("{x} if {p} < 1 else {x} + 1", lambda b: b + 1),
)
# Two tensors that broadcast: (text, bound of the result). An odd offset keeps x and y from tying.
BINARY: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{x} + {y}", lambda a, b: a + b),
    ("{x} - {p} * {y}", lambda a, b: a + 2 * b),
    ("{x} * {y}", lambda a, b: a * b),
    ("{x} / ({p} + {y} * {y})", lambda a, b: 2 * a),
    ("torch.add({x}, {y})", lambda a, b: a + b),
    ("sub({x}, 0.5 * {y})", lambda a, b: a + b),
    ("{x}.mul({y})", lambda a, b: a * b),
    ("torch.div({x}, {p} + {y} ** 2)", lambda a, b: 2 * a),
    ("torch.pow({p} + sigmoid({x}), tanh({y}))", lambda a, b: 3.0),
    ("maximum({x}, {y} + {c})", lambda a, b: max(a, b + 1)),
    ("torch.minimum({x}, {y} + {c})", lambda a, b: max(a, b + 1)),
    ("where({x} > {c}, {x}, {y})", max),
    ("torch.where({y} < {c}, sin({x}), {y} * 2)", lambda a, b: 2 * b + 1),
    ("where(({x} > {c}) & ({y} <= {p}), {x} * 0.5, {y})", max),
)
# What turns any tensor into a term of the loss.
SCALARS = (
    "({x} * {w}).sum()",
    "({x} ** 2).mean()",
    "tanh({x} + {c}).sum()",
    "sum({x} * {w})",
    "norm({x} + {c})",
    "F.mse_loss({x} + {c}, zeros_like({x}))",
)
# Elementwise bodies for loops and functions, bounded by 2 whatever x is.
BODIES = (
    "tanh({x}) * {p}",
    "sin({x} + {c})",
    "{x} / ({p} + {x} * {x})",
    "torch.sigmoid({x}) - {c}",
    "{x}.cos()",
)


def broadcast(a: Shape, b: Shape) -> Shape | None:
    """The shape the two broadcast to, or None."""
    size = max(len(a), len(b))
    pairs = list(zip((1,) * (size - len(a)) + a, (1,) * (size - len(b)) + b, strict=True))
    return tuple(max(pair) for pair in pairs) if all(m == n or 1 in (m, n) for m, n in pairs) else None


class Builder:
    """The script so far. Each statement below appends lines, and most of them bind one more tensor."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.leaves: list[Value] = []
        self.indent = ""
        self.counter = 0

    # -- text ---------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)

    @contextmanager
    def block(self, header: str) -> Iterator[None]:
        self.line(header)
        before, self.indent = self.indent, self.indent + "    "
        yield
        self.indent = before

    def name(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def number(self) -> float:
        """Two decimals, never near zero."""
        return self.random.choice((-1, 1)) * self.random.randint(11, 199) / 100

    def offset(self) -> float:
        """Four decimals with an odd last one, which no sum of `number`s can meet."""
        return (2 * self.random.randint(700, 4500) + 1) / 10000

    def fill(self, template: str, **names: object) -> str:
        """The template with its names put in, and fresh numbers for {c} and {p}."""
        while "{c}" in template:
            template = template.replace("{c}", str(self.offset()), 1)
        while "{p}" in template:
            template = template.replace("{p}", f"{self.random.randint(55, 195) / 100}", 1)
        return template.format(**names)

    def call(self, function: str, argument: str, more: str = "") -> str:
        """One of the ways to spell a call: bare, in a namespace or as a method."""
        if function in IN_FUNCTIONAL:
            return self.choose("", "F.", "torch.nn.functional.") + f"{function}({argument}{more})"
        receiver = argument if argument.isidentifier() else f"({argument})"
        bare = f"{function}({argument}{more})"
        return self.choose(bare, f"torch.{bare}", f"{receiver}.{function}({more.removeprefix(', ')})")

    def dim(self, value: Value) -> int:
        """A dim of the value, from either end."""
        return self.random.randrange(-value.ndim, value.ndim)

    def nested(self, shape: Shape) -> str:
        if not shape:
            return repr(self.number())
        return "[" + ", ".join(self.nested(shape[1:]) for _ in range(shape[0])) + "]"

    def weights(self, shape: Shape) -> str:
        """A constant of that shape without two equal entries, as an expression."""
        size = math.prod(shape)
        return self.fill("({c} + arange({n}.0).reshape({s}) / {n})", n=size, s=shape)

    # -- values -------------------------------------------------------------------------------------

    def bind(self, text: str, shape: Shape, bound: float, stem: str = "h", contiguous: bool = False) -> Value:
        """Assign, and squash in a second line what might grow too large."""
        name = self.name(stem)
        self.line(f"{name} = {text}")
        if self.maybe(0.2):
            self.line(f"print({name}.grad_fn)")
        if bound > LARGEST:
            scale = round(2 / bound, 4) or 0.0001
            squash = self.choose("tanh({x} * {s})", "{x} * {s}", "torch.sigmoid({s} * {x}) * 2")
            self.line(f"{name} = {squash.format(x=name, s=scale)}")
            bound, contiguous = 2.0, False
        self.values.append(Value(name, shape, bound, contiguous))
        return self.values[-1]

    def constant(self, shape: Shape) -> Value:
        """A tensor nobody asks a gradient of, not offered to later statements."""
        name = self.name("k")
        size = math.prod(shape)
        texts = [f"torch.tensor({self.nested(shape)})", f"full({shape}, {self.number()})"]
        texts.append(f"torch.linspace(-1.0, {abs(self.number())}, {size}).reshape({shape})")
        texts.append(f"(arange({size}) + 1).reshape({shape}) / {size}")
        texts.append(f"torch.ones({shape})" if self.maybe(0.3) else texts[0])
        self.line(f"{name} = {self.random.choice(texts)}")
        return Value(name, shape, 2.0, True)

    def leaf(self, shape: Shape) -> Value:
        """A new leaf, made in one of the ways a tensor comes to require a gradient."""
        name = self.name("w")
        literal, size = self.nested(shape), math.prod(shape)
        in_one = [f"torch.tensor({literal}, requires_grad=True)"] * 3
        in_one += [f"full({shape}, {self.number()}, requires_grad=True)"]
        in_one += [f"tensor({literal}).requires_grad_()"]
        if len(shape) == 1:
            in_one.append(f"torch.linspace(-0.9, {abs(self.number())}, {size}, requires_grad=True)")
            in_one.append(f"Variable(torch.Tensor({literal}), requires_grad=True)")
        if shape == (3, 3):
            in_one.append("eye(3, requires_grad=True)")
        if self.maybe(0.75):
            self.line(f"{name} = {self.random.choice(in_one)}")
        else:
            bare = self.choose(f"torch.ones({shape})", f"zeros({shape})", f"tensor({literal})")
            self.line(f"{name} = {bare}")
            self.line(self.choose(f"{name}.requires_grad = True", f"{name}.requires_grad_()"))
        value = Value(name, shape, 2.0, True)
        self.leaves.append(value)
        self.values.append(value)
        return value

    def pick(self, fits: Callable[[Value], bool] = lambda value: True, shape: Shape = (2, 3)) -> Value:
        """A bound tensor that fits, newer ones more often; a new leaf of that shape if there is none."""
        found = [value for value in self.values if fits(value)]
        if not found:
            return self.leaf(shape)
        return self.random.choice(found[-4:] if self.maybe(0.6) else found)

    def partner(self, shape: Shape) -> Value:
        """A tensor that broadcasts with the shape without blowing it up."""
        shapes = {v: broadcast(v.shape, shape) for v in self.values}
        found = [v for v, both in shapes.items() if both is not None and math.prod(both) <= 24]
        if found and self.maybe(0.8):
            return self.random.choice(found)
        return self.constant(shape[self.random.randint(0, len(shape)) :])

    def matrix(self) -> Value:
        return self.pick(lambda v: v.ndim == 2 and min(v.shape) > 1, (2, self.random.randint(2, 4)))
