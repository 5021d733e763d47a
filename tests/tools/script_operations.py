"""Statements of generated scripts that compute something: one function per kind of operation."""

from __future__ import annotations

import math

from script_builder import BINARY, LARGEST, POWERS, UNARY, Builder, Shape, Value, broadcast


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
    text, result = b.random.choice([option for option in options if math.prod(option[1]) <= max(n, 24)])
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
