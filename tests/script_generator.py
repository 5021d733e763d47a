"""Random `.ad` scripts that run: `generate(seed)` writes one, the same one for the same seed.

One function per kind of statement, grouped by feature; what they write into, and what keeps the scripts
valid and clear of kinks, is the `Builder`. Needs no torch, but for `valid_scripts`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator

from script_builder import (
    BINARY,
    BODIES,
    LARGEST,
    POWERS,
    SCALARS,
    SHAPES,
    UNARY,
    Builder,
    Shape,
    Value,
    broadcast,
)


def unary(b: Builder) -> None:
    function = b.random.choice(list(UNARY))
    argument, more, bound = UNARY[function]
    x = b.pick()
    if b.maybe(0.3):
        text, bound = b.random.choice(POWERS)
        b.bind(b.fill(text, x=x.name), x.shape, bound(x.bound))
    else:
        b.bind(b.call(function, b.fill(argument, x=x.name), b.fill(more)), x.shape, bound(x.bound))


def binary(b: Builder) -> None:
    x = b.pick()
    y = b.partner(x.shape)
    text, bound = b.random.choice(BINARY)
    b.bind(b.fill(text, x=x.name, y=y.name), broadcast(x.shape, y.shape) or (), bound(x.bound, y.bound))


def augmented(b: Builder) -> None:
    """`+=` and its kin, on a fresh product so that nothing saved is overwritten."""
    x = b.pick()
    y = b.partner(x.shape)
    name = b.name("h")
    b.line(f"{name} = {x.name} * {b.number()}")
    if broadcast(x.shape, y.shape) == x.shape:
        b.line(b.fill(f"{name} {b.choose('+=', '-=')} {{y}}", y=y.name))
    b.line(b.fill(f"{name} {b.choose('*=', '/=', '-=')} {{p}}"))
    b.values.append(Value(name, x.shape, LARGEST))
    b.line(f"{name} = tanh({name} * 0.2)")


def reduction(b: Builder) -> None:
    x = b.pick(lambda v: v.ndim > 0 and math.prod(v.shape) <= 12)
    n = math.prod(x.shape)
    distinct = f"{x.name} + {b.weights(x.shape)}"  # neither ties nor equal entries
    whole = {
        "sum": (x.name, x.bound * n),
        "mean": (x.name, x.bound),
        "max": (distinct, x.bound + 2),
        "min": (distinct, x.bound + 2),
        "amax": (distinct, x.bound + 2),
        "amin": (distinct, x.bound + 2),
        "prod": (f"sigmoid({x.name}) + 0.3", 1.3**n),
        "norm": (distinct, (x.bound + 2) * n**0.5),
        "std": (distinct, (x.bound + 2) * 2),
        "var": (distinct, (x.bound + 2) ** 2 * 2),
        "logsumexp": (x.name, x.bound + 3),
    }
    function = b.random.choice(list(whole))
    argument, bound = whole[function]
    if function in ("std", "var") and 1 in x.shape:
        function, argument = "mean", x.name
    if b.maybe(0.35) and function != "logsumexp":
        b.bind(b.call(function, argument), (), bound, "s")
        return
    dim, keep = b.dim(x), b.maybe(0.4)
    at = dim % x.ndim
    shape = x.shape[:at] + (1,) * keep + x.shape[at + 1 :]
    more = f", dim={dim}" + (", keepdim=True" if keep else "")
    if function in ("max", "min"):
        both = b.name("m")
        b.line(f"{both} = {b.call(function, argument, more)}")
        b.line(f"print({b.choose(f'{both}.indices', f'{both}[1].tolist()')})")
        b.bind(b.choose(f"{both}.values", f"{both}[0]"), shape, bound)
    elif function == "norm":
        b.bind(f"norm({argument}{more})", shape, bound)
    else:
        b.bind(b.call(function, argument, more), shape, bound)


def scan(b: Builder) -> None:
    """Along one dim, same shape: cumsum and the softmaxes, with weights so that no gradient cancels."""
    x = b.pick(lambda v: v.ndim > 0 and min(v.shape) > 1)
    dim = b.dim(x)
    function = b.choose("cumsum", "softmax", "log_softmax")
    text = b.call(function, x.name, f", dim={dim}")
    if function == "softmax":
        text += f" * {b.weights(x.shape)}"
    b.bind(text, x.shape, x.bound * x.shape[dim] if function == "cumsum" else 2 * x.bound + 2)


def index(b: Builder) -> None:
    """One subscript with a random entry for each dim, at most one of them a list, a tensor or a mask."""
    x = b.pick(lambda v: v.ndim > 0)
    parts, shape, advanced = [], [], False
    for size in x.shape[: b.random.randint(1, x.ndim)]:
        kind = b.choose("int", "slice", "slice", ":", "None", "list", "tensor", "mask")
        if kind == "None":
            parts.append("None")
            shape.append(1)
            kind = ":"
        if kind in ("list", "tensor", "mask") and not advanced:
            advanced = True
            picks = [b.random.randrange(-size, size) for _ in range(b.random.randint(1, 3))]
            mask = [b.maybe(0.6) for _ in range(size - 1)] + [True]
            parts.append({"list": f"{picks}", "tensor": f"tensor({picks})", "mask": f"tensor({mask})"}[kind])
            shape.append(sum(mask) if kind == "mask" else len(picks))
        elif kind == "int":
            parts.append(str(b.random.randrange(-size, size)))
        elif kind == "slice" and size > 1:
            text = b.choose("1:", ":-1", "::2", f"0:{size}", "-2:", f":{size - 1}")
            parts.append(text)
            shape.append(len(range(size)[slice(*(int(p) if p else None for p in text.split(":")))]))
        else:
            parts.append(":")
            shape.append(size)
    kept = x.shape[len([p for p in parts if p != "None"]) :]
    if b.maybe(0.2):
        parts.append("...")
    b.bind(f"{x.name}[{', '.join(parts)}]", (*shape, *kept), x.bound)


def gather(b: Builder) -> None:
    """index_select, gather, select and a mask worked out from the values."""
    x = b.matrix()
    rows, columns = x.shape
    picks = [b.random.randrange(columns) for _ in range(rows)]
    kind = b.choose("index_select", "gather", "select", "mask")
    if kind == "index_select":
        b.bind(b.call(kind, x.name, f", 1, tensor({picks})"), (rows, rows), x.bound)
    elif kind == "gather":
        b.bind(b.call(kind, x.name, f", 1, torch.tensor({[[p] for p in picks]})"), (rows, 1), x.bound)
    elif kind == "select":
        b.bind(f"{x.name}.select(1, {picks[0]})", (rows,), x.bound)
    else:
        b.bind(b.fill("({x}[{x} > {c}] * {p}).sum()", x=x.name), (), 2 * x.bound * rows * columns, "s")


def shape(b: Builder) -> None:
    x = b.pick(lambda v: 1 <= v.ndim <= 3)
    n, s, first = math.prod(x.shape), x.shape, b.random.randint(0, x.ndim)
    options: list[tuple[str, Shape]] = [
        (f"{x.name}.reshape({n})", (n,)),
        (b.call("reshape", x.name, f", ({s[0]}, -1)"), (s[0], n // s[0])),
        (b.call("flatten", x.name), (n,)),
        (b.call("unsqueeze", x.name, f", {first}"), (*s[:first], 1, *s[first:])),
        (f"{x.name}.unsqueeze(0).squeeze(0)", s),
        (f"{x.name}.repeat(2, {', '.join('1' * x.ndim)})", (2, *s)),
        (f"{x.name}.expand(2, {', '.join('-1' for _ in s)})", (2, *s)),
        (b.call("transpose", x.name, ", 0, -1"), (*s[-1:], *s[1:-1], *s[:1]) if x.ndim > 1 else s),
        (f"{x.name}.permute({', '.join(str(i) for i in reversed(range(x.ndim)))})", s[::-1]),
    ]
    if x.contiguous:
        options += [(f"{x.name}.view(-1)", (n,)), (f"{x.name}.view({(n, 1)})", (n, 1))]
    if x.ndim == 2:
        options += [(f"{x.name}.T", s[::-1]), (b.call("t", x.name), s[::-1])]
    twin = next((v for v in b.values if v.shape == s and v.name != x.name), x)
    dim = b.random.randrange(x.ndim)
    options.append((f"cat([{x.name}, {twin.name}], dim={dim})", (*s[:dim], 2 * s[dim], *s[dim + 1 :])))
    options.append((f"torch.stack(({x.name}, {twin.name}))", (2, *s)))
    text, result = b.random.choice([option for option in options if math.prod(option[1]) <= 24])
    b.bind(text, result, max(x.bound, twin.bound))


def product(b: Builder) -> None:
    """Matrix products in all their spellings."""
    x = b.matrix()
    m, n = x.shape
    y = b.pick(lambda v: v.ndim == 2 and v.shape[0] == n and v.shape[1] > 1, (n, 2))
    v = b.pick(lambda v: v.shape == (n,), (n,))
    k, bound = y.shape[1], x.bound * max(y.bound, v.bound) * n
    options: list[tuple[str, Shape]] = [
        (f"{x.name} @ {y.name}", (m, k)),
        (b.call("mm", x.name, f", {y.name}"), (m, k)),
        (b.call("matmul", x.name, f", {y.name}"), (m, k)),
        (f"{x.name} @ {v.name}", (m,)),
        (b.call("mv", x.name, f", {v.name}"), (m,)),
        (f"{v.name} @ {y.name}", (k,)),
        (b.call("dot", v.name, f", {v.name} + {b.weights((n,))}"), ()),
        (b.call("outer", v.name, f", {x.name}[0]"), (n, n)),
        (f"torch.bmm({x.name}.unsqueeze(0), {y.name}[None])", (1, m, k)),
        (f"einsum('ij,jk->ik', {x.name}, {y.name})", (m, k)),
        (f"torch.einsum('ij,j->i', {x.name}, {v.name})", (m,)),
        (f"einsum('ij,ij->', {x.name}, {x.name})", ()),
        (b.call("linear", v.name, f", {x.name}"), (m,)),
        (b.call("linear", f"{y.name}.T", f", {x.name}, {x.name}[:, 0]"), (k, m)),
    ]
    text, result = b.random.choice(options)
    b.bind(text, result, bound * 3, contiguous="linear" not in text)


def square_matrix(b: Builder) -> None:
    """det, inv and solve of a matrix made safely regular."""
    x = b.matrix()
    n = x.shape[0]
    a = b.bind(f"tanh({x.name} @ {x.name}.T * 0.2) + {n + 1} * eye({n})", (n, n), n + 2.0)
    home = b.choose("linalg.", "torch.linalg.")
    right = b.pick(lambda v: v.ndim == 2 and v.shape[0] == n, (n, 2))
    text, result, bound = b.random.choice(
        [
            (f"{home}det({a.name} / {n})", (), 10.0),
            (f"{home}inv({a.name})", (n, n), 1.0),
            (f"{home}solve({a.name}, {right.name})", right.shape, right.bound),
        ]
    )
    b.bind(text, result, bound)


def loss(b: Builder) -> None:
    x = b.matrix()
    rows, classes = x.shape
    labels = f"tensor({[b.random.randrange(classes) for _ in range(rows)]})"
    reduction = b.choose("", "", ", reduction='sum'", ", reduction='mean'")
    texts = (
        b.call("cross_entropy", x.name, f", {labels}{reduction}"),
        b.call("nll_loss", f"log_softmax({x.name}, 1)", f", {labels}{reduction}"),
        b.call("mse_loss", x.name, f", {b.weights(x.shape)}{reduction}"),
    )
    b.bind(b.random.choice(texts), (), (x.bound + 2) ** 2 * rows * classes, "loss")


def for_loop(b: Builder) -> None:
    x = b.pick(lambda v: v.ndim > 0)
    y = b.pick(lambda v: v.shape[:1] == x.shape[:1], x.shape)
    body = b.fill(b.random.choice(BODIES), x="row")
    i, total = b.name("i"), b.name("total")
    headers = {
        f"for {i} in range({x.shape[0]}):": (f"row = {x.name}[{i}] * ({i} + 1)", x.shape[1:]),
        f"for {i} in [0.5, {b.number()}, -1]:": (f"row = {x.name} * {i}", x.shape),
        f"for row in {x.name}:": ("row = row * 2", x.shape[1:]),
        f"for row, {i} in zip({x.name}, {y.name}):": (f"row = row * {i}.sum()", x.shape[1:]),
        f"for {i}, row in enumerate({x.name}):": (f"row = row - 0.1 * {i}", x.shape[1:]),
    }
    header = b.random.choice(list(headers))
    first, result = headers[header]
    b.line(f"{total} = {b.choose('0', '0.0', f'torch.zeros({result})')}")
    with b.block(header):
        b.line(first)
        if i in header and "range" in header and b.maybe(0.4):
            with b.block(f"if {i} % 2 == 1:"):
                b.line(b.choose("continue", "row = -row", "pass"))
        b.line(f"{total} = {total} + {body}")
    b.bind(f"{total} * 0.5", result, 12.0)


def while_loop(b: Builder) -> None:
    x = b.pick()
    steps, name = b.name("n"), b.name("z")
    b.line(f"{name}, {steps} = {x.name}, 0")
    conditions = (f"{steps} < 3", f"0 <= {steps} < 4 and not {steps} == 3", "True")
    with b.block(f"while {b.choose(*conditions)}:"):
        b.line(f"{name} = {b.fill(b.random.choice(BODIES), x=name)}")
        b.line(f"{steps} += 1")
        with b.block(f"if {steps} >= 3:"):
            b.line("break")
    b.line(f"print('steps', {steps})")
    b.bind(f"{name} + {x.name}", x.shape, x.bound + 2)


def branch(b: Builder) -> None:
    """Which branch runs depends on values, away from the border."""
    x = b.pick()
    name, s = b.name("z"), b.name("s")
    b.line(b.fill(f"{s} = ({{x}} * {{c}}).sum().item()", x=x.name))
    for header in (f"if {s} > {b.offset()}:", f"elif {-b.offset()} < {s} <= {b.offset()}:", "else:"):
        with b.block(header):
            b.line(f"{name} = {b.fill(b.random.choice(BODIES), x=x.name)}")
    text = b.fill("{n} if {s} < {c} else {n} * 2", n=name, s=s)
    b.bind(text, x.shape, 4.0)


def function(b: Builder) -> None:
    """def with a default, a closure, a recursion or a lambda, called in more than one way."""
    x = b.pick()
    f = b.name("f")
    body = b.fill(b.random.choice(BODIES), x="v")
    kind = b.choose("default", "closure", "recursion", "lambda", "many")
    if kind == "default":
        with b.block(f"def {f}(v, scale=0.5, *, shift=1):"):
            b.line(f"return ({body}) * scale + shift")
        text = b.choose(f"{f}({x.name})", f"{f}({x.name}, shift=-0.3)", f"{f}(v={x.name}, scale=0.7)")
    elif kind == "closure":
        with b.block(f"def make_{f}(k):"):
            with b.block("def inner(v):"):
                b.line(f"return ({body}) * k")
            b.line("return inner")
        b.line(f"{f} = make_{f}({b.number()})")
        text = f"{f}({x.name}) + {f}({x.name} * 0.5)"
    elif kind == "recursion":
        with b.block(f"def {f}(v, depth):"):
            with b.block("if depth == 0:"):
                b.line("return v")
            b.line(f"return {f}({body}, depth - 1)")
        text = f"{f}({x.name}, {b.random.randint(1, 4)})"
    elif kind == "lambda":
        b.line(f"{f} = lambda v, k=2: ({body}) / k")
        text = b.choose(f"{f}({x.name})", f"{f}({f}({x.name}), k=1)")
    else:
        with b.block(f"def {f}(v, *others):"):
            b.line("t = v")
            with b.block("for o in others:"):
                b.line("t = t + 0.5 * o")
            b.line("return t, len(others)")
        pair = b.name("p")
        b.line(f"{pair} = {f}({x.name}, {x.name} * 2, 1)")
        b.line(f"print({pair}[1])")
        text = f"{pair}[0] * 0.5"
    b.bind(text, x.shape, max(6.0, 2 * x.bound))


def comprehension(b: Builder) -> None:
    x = b.pick(lambda v: v.ndim > 0 and min(v.shape) > 1)
    parts = b.name("parts")
    keep = b.choose("", " if i != 1", " if i > 0 or True")
    b.line(f"{parts} = [{x.name}[i] * (i + 1) for i in range({x.shape[0]}){keep}]")
    rows = x.shape[0] - 1 if keep == " if i != 1" else x.shape[0]
    if b.maybe(0.5):
        b.bind(f"torch.stack({parts})", (rows, *x.shape[1:]), 4 * x.bound, contiguous=True)
    else:
        b.bind(f"sum({parts}) / len({parts})", x.shape[1:], 4 * x.bound)


def swap(b: Builder) -> None:
    """Tuples: packed, unpacked and swapped."""
    x, p, q = b.pick(), b.name("p"), b.name("q")
    b.line(b.fill(f"{p}, ({q}, rest) = {x.name} * {{p}}, ({x.name} + {{c}}, 3)"))
    b.line(f"{p}, {q} = {q}, {p}")
    b.bind(f"{p} * rest - {q}", x.shape, 8 * x.bound)


def show(b: Builder) -> None:
    """print, with the digits of computed numbers cut: only literals are printed whole."""
    x, leaf = b.pick(), b.random.choice(b.leaves)
    h, w = x.name, leaf.name
    scalar = f"({h} * {b.offset()}).sum().item()"
    texts = [
        f"print({h})",
        f"print({h}.shape, {h}.ndim)",
        f"print('fn', {h}.grad_fn)",
        f"print({w}, {w}.grad)",
        f"print({h}.is_leaf, {w}.is_leaf, {h}.requires_grad)",
        f"print({h}.shape, sep='', end=';\\n')",
        f"print({w}.dtype, {w}.T.shape)" if leaf.ndim == 2 else f"print({w}.dtype, {w}.grad_fn)",
        f'print(f"{w} = {{{w}}} {{{w}.requires_grad=}} {{{w}.shape!r}}")',
        f"print(f\"{{{scalar}:.5f}}|{{len('abc'):>4}}|{{{b.number()}:+.1e}}\")",
        f"print('%s: %.4f' % ('{h}', {scalar}))",
        f"print('{{}} {{:.3f}}'.format(1, {scalar}))",
        f"print([round(v, 5) for v in {h}.flatten().tolist()])",
    ]
    if x not in b.leaves:
        texts += [f"print({h}.grad_fn.name() if {h}.grad_fn is not None else 'none')"] * 2
    b.line(b.random.choice(texts))


def untracked(b: Builder) -> None:
    """no_grad, detach and clone; the result still joins the graph through a product."""
    x = b.pick()
    name = b.name("d")
    kind = b.choose("no_grad", "detach", "clone", "data")
    if kind == "no_grad":
        with b.block(b.choose("with torch.no_grad():", "with no_grad():")):
            b.line(f"{name} = {b.fill(b.random.choice(BODIES), x=x.name)}")
    else:
        b.line(f"{name} = {x.name}.{kind}" + ("" if kind == "data" else "()"))
    b.line(f"print({name}.requires_grad, {name}.is_leaf)")
    b.bind(f"{name} * {x.name}", x.shape, max(x.bound, 2.5) * x.bound)


def vector_backward(b: Builder) -> None:
    """backward of something that is no scalar, from fresh nodes, so that other graphs stay whole."""
    x, name = b.random.choice(b.leaves), b.name("y")
    b.line(f"{name} = {b.fill(b.random.choice(BODIES), x=x.name)}")
    seed = b.choose(f"torch.ones_like({name})", f"gradient={b.weights(x.shape)}", f"full_like({name}, 0.5)")
    if b.maybe(0.4):
        b.line(f"{name}.backward({seed}, retain_graph=True)")
    b.line(f"{name}.backward({seed})")
    b.line(f"print({x.name}.grad)")


def grad_call(b: Builder) -> None:
    """torch.autograd.grad, and with create_graph the gradient as one more tensor."""
    x, s, g = b.random.choice(b.leaves), b.name("s"), b.name("g")
    b.line(f"{s} = ({b.fill(b.random.choice(BODIES), x=x.name)} * {b.weights(x.shape)}).sum()")
    if b.maybe(0.5):
        b.line(f"print({b.choose('grad', 'torch.autograd.grad')}({s}, {x.name}))")
    else:
        b.line(f"({g},) = torch.autograd.grad({s}, [{x.name}], create_graph=True)")
        b.bind(f"{g} * {x.name}", x.shape, 20.0)


def training(b: Builder) -> None:
    """A few steps of descent on a small fit, in place under no_grad."""
    w, n = b.name("w"), b.random.randint(2, 3)
    inputs, target = b.constant((4, n)), b.constant((4,))
    b.line(f"{w} = torch.{b.choose('zeros', 'ones')}({n}, requires_grad=True)")
    with b.block(f"for epoch in range({b.random.randint(2, 4)}):"):
        b.line(f"error = (({inputs.name} @ {w} - {target.name}) ** 2).mean()")
        b.line("error.backward()")
        with b.block("with torch.no_grad():"):
            b.line(f"{w} -= 0.1 * {w}.grad")
            b.line(f"{w}.grad.zero_()")
        b.line('print(f"{epoch}: {error.item():.5f}")')
    b.leaves.append(Value(w, (n,), 4.0, True))
    b.values.append(b.leaves[-1])


FEATURES: dict[str, tuple[Callable[[Builder], None], ...]] = {
    "elementwise": (unary, unary, unary, binary, binary, binary, augmented),
    "reduction": (reduction, reduction, scan),
    "indexing": (index, index, gather),
    "shape": (shape, shape),
    "linalg": (product, product, square_matrix),
    "nn": (loss, scan),
    "control": (for_loop, while_loop, branch),
    "functions": (function, comprehension, swap),
    "print": (show, show, show),
    "grad": (untracked, vector_backward, grad_call, training),
}


def finish(b: Builder) -> None:
    """A scalar L that every tensor reaches, its backward, and what came of it."""
    ends = list(dict.fromkeys([*b.leaves, *b.values]))
    terms = [b.fill(b.random.choice(SCALARS), x=v.name, w=b.weights(v.shape)) for v in ends]
    kept = b.random.choice(b.values)
    if kept not in b.leaves:
        b.line(f"if {kept.name}.requires_grad: {kept.name}.retain_grad()")
    b.line("L = 0")
    for term in terms:
        b.line(f"L = L {b.choose('+', '-')} {term}")
    b.line(b.choose("print(L)", 'print(f"L = {L.item():.6f}", L.shape)'))
    b.line("print(L.grad_fn, L.is_leaf)")
    if b.maybe(0.25):
        b.line("L.backward(retain_graph=True)")
        b.line(f"print({b.leaves[0].name}.grad)")
    b.line(b.choose("L.backward()", "L.backward()", "L.backward(gradient=torch.tensor(0.5))"))
    b.line(f"print({kept.name}.grad_fn, {kept.name}.grad if {kept.name}.requires_grad else None)")
    for leaf in b.leaves:
        b.line(f'print("{leaf.name}", {leaf.name}.grad)')
    if b.maybe(0.3):
        with b.block("with torch.no_grad():"):
            b.line(f"{b.leaves[0].name} -= 0.05 * {b.leaves[0].name}.grad")
        b.line(f"print({b.leaves[0].name})")


def generate(seed: int, features: Collection[str] = tuple(FEATURES)) -> str:
    """The script of that seed, made of the statements of those features.

    >>> generate(7) == generate(7)
    True
    """
    b = Builder(seed)
    b.line(f"# Generated script {seed}.")
    for leaf_shape in b.random.sample(SHAPES, b.random.randint(2, 4)):
        b.leaf(leaf_shape)
    statements = [statement for feature in features for statement in FEATURES[feature]]
    for _ in range(b.random.randint(12, 22)):
        b.random.choice(statements)(b)
    finish(b)
    return "\n".join(b.lines) + "\n"


def valid_scripts(
    n: int, start: int = 0, features: Collection[str] = tuple(FEATURES)
) -> Iterator[tuple[int, str]]:
    """The first n seeds from start on, each with its script, whose run in torch is fit to compare with.

    Left out are runs that fail, and runs that print a number too small to be anything but rounding.
    """
    from torch_prelude import run_with_torch

    seed = start
    while n > 0:
        script = generate(seed, features)
        result = run_with_torch(script)
        if result.error is None and not re.search(r"e-(0[89]|[1-9]\d)\b|\b(nan|inf)\b", result.stdout):
            yield seed, script
            n -= 1
        seed += 1
