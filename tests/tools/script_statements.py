"""Statements of generated scripts that steer, define, print or go backward: one function per kind."""

from __future__ import annotations

from script_builder import BODIES, Builder, Value


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
