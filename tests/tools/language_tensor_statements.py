"""What generated scripts do with gradients: leaves, backward, grad(), in-place changes, Functions, modes."""

from __future__ import annotations

from language_productions import bounded
from language_statements import PLAIN, Statement, body
from language_writer import Name, Writer

NOT_ASSIGNED = -1  # a leaf stays what it is


def leaf(w: Writer) -> str:
    """The name of a (3,) leaf that requires a gradient, made here if need be."""
    found = w.assignable("leaf")
    return found if found is not None and w.maybe(0.7) else new_leaf(w)


def new_leaf(w: Writer) -> str:
    name = w.name("w")
    numbers = [w.random.randint(-15, 15) / 4 for _ in range(3)]
    style = w.choose("keyword", "keyword", "attribute", "method", "Variable", "clone")
    if style == "keyword":
        w.line(f"{name} = torch.tensor({numbers}, requires_grad=True)")
    elif style == "attribute":
        w.line(f"{name} = tensor({numbers}); {name}.requires_grad = True")
    elif style == "method":
        w.line(f"{name} = torch.tensor({numbers}).requires_grad_()")
    elif style == "Variable":
        w.line(f"{name} = Variable(torch.Tensor({numbers}), requires_grad=True)")
    else:
        w.line(f"{name} = ({w.expression('vec')}).detach().clone().requires_grad_(True)")
    w.bind(name, "leaf")
    w.scopes[-1].append(Name(name, "vec", NOT_ASSIGNED))
    return name


def fresh(w: Writer, text: str, depth: int = 2) -> str:
    """A template filled with tensors of no history but the leaf's."""
    before, w.leaves_only = w.leaves_only, True
    made = w.fill(text, depth)
    w.leaves_only = before
    return made


def loss(w: Writer, x: str, *more: str) -> str:
    """A scalar that depends on the leaf."""
    shape = w.choose(
        "({x} * {x} * <(vec)>).sum()",
        "({x} ** 2).sum() + <(sca)>",
        "(torch.sin({x}) * <(vec)>).mean()",
        "({x} @ <(vec)>) ** 2",
        "(<(mat)> @ {x}).sum() * {x}[0]",
        "torch.exp({x} * 0.1).prod() * <(fl)>",
        "F.mse_loss({x}, <vec>)",
        "({x} * <(bvec)>).sum() - {x}.max()",
        "torch.where(<bvec>, {x} ** 3, {x}).sum()",
        "torch.stack([{x}, {x} * 2]).sum(0).prod()",
        "(lambda v: (v * v).sum())({x})",
        *more,
    )
    return fresh(w, shape.replace("{x}", x))


def backward(w: Writer) -> None:
    if not w.tracking or w.level:
        return assign_tensor(w)
    x, y = leaf(w), w.name("L")
    w.line(f"{y} = {loss(w, x, 'sum([v * v * 0.5 for v in {x}])')}")
    if w.maybe(0.4):
        w.line(f"print({y}, {y}.grad_fn, {y}.is_leaf, {y}.requires_grad)")
    kind = w.choose("plain", "plain", "gradient", "twice", "named", "vector", "loop")
    if kind == "plain":
        w.line(f"{y}.backward()")
    elif kind == "gradient":
        w.line(f"{y}.backward(torch.tensor(0.5), retain_graph={w.choose('True', 'False', 'None')})")
    elif kind == "twice":
        w.line(f"{y}.backward(retain_graph=True)")
        w.line(f"print({x}.grad); {x}.grad = None") if w.maybe(0.5) else None
        w.line(f"{y}.backward()")
    elif kind == "named":
        h = w.name("h")
        w.line(f"{h} = {x} * 2; {h}.retain_grad()")
        w.line(f"({h} * {fresh(w, '<(vec)>')}).sum().backward()")
        w.line(f"print({h}.grad, {h}.retains_grad, {h}.grad_fn.name())")
    elif kind == "vector":
        h = w.name("h")
        w.line(f"{h} = {x} * {x} + {fresh(w, '<(vec)>')}")
        w.line(
            f"{h}.backward({w.choose('ones(3)', f'ones_like({h})', 'gradient=torch.tensor([1., 0., -2.])')})"
        )
    else:
        with w.loop(f"for step in range({w.random.randint(2, 4)}):"):
            w.line(f"({loss(w, x)} * (step + 1)).backward()")
            w.line(f"print(step, {x}.grad)")
            if w.maybe(0.5):
                w.line(f"{w.choose(f'{x}.grad.zero_()', f'{x}.grad = None')}")
    if w.maybe(0.3):
        with w.block(w.choose("with torch.no_grad():", "with no_grad():")):
            w.line(f"if {x}.grad is not None: {x} -= 0.25 * {x}.grad")
    w.line(f"print({x}.grad{w.choose('', f', {x}', f', {x}.grad is None')})")
    if w.maybe(0.5):
        w.line(f"{x}.grad = None")


def grad_call(w: Writer) -> None:
    if not w.tracking or w.level:
        return assign_tensor(w)
    x, y, g = leaf(w), w.name("y"), w.name("g")
    w.line(f"{y} = {loss(w, x)}")
    call = w.choose("torch.autograd.grad", "grad", "autograd.grad")
    kind = w.choose("one", "higher", "higher", "unused", "list", "outputs")
    if kind == "one":
        w.line(f"{g}, = {call}({y}, {x})")
        w.line(f"print({g}, {g}.requires_grad)")
    elif kind == "higher":
        w.line(f"({g},) = {call}({y}, {x}, create_graph=True)")
        w.line(f"print({g}.requires_grad)")
        with w.block(f"if {g}.requires_grad:"):
            second = w.name("s")
            w.line(f"{second} = {call}(({g} * {fresh(w, '<(vec)>', 1)}).sum(), {x}, allow_unused=True)[0]")
            w.line(f"print({second})")
    elif kind == "unused":
        other = new_leaf(w)
        w.line(f"{g} = {call}({y}, ({x}, {other}), allow_unused=True)")
        w.line(f"print({g}, len({g}), {g}[1] is None)")
    elif kind == "list":
        w.line(f"{g} = {call}({y}, [{x}], retain_graph=True)[0]")
        w.line(f"print({call}({y}, {x}, grad_outputs=torch.tensor(2.)), {g})")
    else:
        w.line(f"{g} = {call}({x} * {x}, {x}, grad_outputs=torch.ones(3))")
        w.line(f"print({g})")


def functional(w: Writer) -> None:
    f = w.name("fun")
    inner = fresh(w, w.choose("v * v * <(vec)>", "torch.sin(v) * <(fl)>", "v ** 3 + <(vec)>", "v * v[0]"), 1)
    if w.maybe(0.5):
        w.line(f"{f} = lambda v: {inner}")
    else:
        w.line(f"def {f}(v): return {inner}")
    x, v = "torch.tensor([0.5, -1.25, 2.0])", "torch.tensor([1., 0.5, -1.])"
    home = w.choose("", "torch.autograd.functional.")
    call = w.choose(
        f"{home}jacobian({f}, {x})",
        f"{home}hessian(lambda v: {f}(v).sum(), {x})",
        f"{home}jvp({f}, {x}, {v})",
        f"{home}vjp({f}, {x}, {v})[1]",
        f"{home}hvp(lambda v: {f}(v).sum(), {x}, {v})",
        f"{home}vhp(lambda v: {f}(v).sum(), {x}, {v})[1]",
    )
    w.line(f"print({call})")


def in_place(w: Writer) -> None:
    """In-place methods and items, seen through aliases."""
    x = w.name("z")
    source = w.expression("vec")
    w.line(f"{x} = ({source}).{w.choose('detach().clone()', 'clone()', 'clone()')}")
    other = w.name("same")
    w.line(f"{other} = {w.choose(x, f'{x}.clone()')}")
    for _ in range(w.random.randint(1, 3)):
        step = w.choose(
            "{x}.zero_()",
            "{x}.fill_(<fl>)",
            "{x}.mul_(2)",
            "{x}.add_(<vec>)",
            "{x}.sub_(<fsmall>)",
            "{x}.copy_(<vec>)",
            "{x}[0] = <fl>",
            "{x}[1:] = <fl>",
            "{x}[-1] += <fl>",
            "{x}[<bvec>] = 0.25",
            "{x}[[0, 2]] = <(vec)>[:2]",
            "{x}.clamp_(-2, 2)",
            "{x}.neg_()",
            "{x}.abs_()",
            "{x}[:] = <vec>",
            "{x}[0], {x}[1] = 1.5, <fl>",
            "{x}.div_(4)",
            "{x}.add_(<vec>, alpha=0.5)",
            "{x}[0] *= 2",
            "{x}.exp_().clamp_(max=3)",
            "{x}[1] = <sca>",
        ).replace("{x}", x)
        w.line(w.fill(step, 1))
    w.line(f"print({x}, {other}, {other} is {x}, {x}.requires_grad)")
    w.bind(x, "vec")


def data_alias(w: Writer) -> None:
    x, d = w.name("base"), w.name("d")
    w.line(f"{x} = ({w.expression('vec')}).detach().clone().requires_grad_({w.choose('', 'False')})")
    w.line(f"{d} = {x}.{w.choose('data', 'detach()')}")
    w.line(f"{d}{w.choose('[0] = 8', '.mul_(2)', '.zero_()', ' += 1', '.fill_(0.5)')}")
    w.line(f"print({x}, {d}, {d}.requires_grad, {x}.is_leaf, {d}.grad_fn)")
    if w.maybe(0.4):
        w.line(f"{x}.data = {fresh(w, '<(vec)>', 1)}.detach()")
        w.line(f"print({x})")
    w.bind(d, "vec")


def modes(w: Writer) -> None:
    """with no_grad(), enable_grad(), set_grad_enabled(...), nested, left by break or return."""
    x, y = leaf(w), w.name("y")
    inside = w.name("in_")
    style = w.choose("plain", "nested", "loop", "function", "decorated", "switch", "values")
    if style == "plain":
        before, w.tracking = w.tracking, False
        with w.block(f"with {w.choose('torch.no_grad()', 'no_grad()', 'torch.set_grad_enabled(False)')}:"):
            w.line(f"{y} = {x} * 2")
            body(w, 2)
            w.line(f"print({y}.requires_grad, torch.is_grad_enabled())")
        w.tracking = before
    elif style == "nested":
        with w.block("with torch.no_grad():"):
            w.line(f"{y} = {x} * 2")
            with w.block(w.choose("with torch.enable_grad():", "with torch.set_grad_enabled(True):")):
                w.line(f"{inside} = {x} * 3; print({inside}.requires_grad, {inside}.grad_fn)")
            w.line(f"print({y}.requires_grad, ({x} + 1).requires_grad)")
    elif style == "loop":
        with w.loop("for turn in range(3):"):
            with w.block("with no_grad():"):
                w.line(f"if turn == {w.choose('0', '1')}: {w.choose('break', 'continue')}")
                w.line(f"print(turn, ({x} * 2).requires_grad)")
            w.line("print('after', is_grad_enabled())")
    elif style == "function":
        with w.function(f"def {inside}(v):", ("v", "vec")):
            with w.block("with torch.no_grad():"):
                w.line(f"if v[0] > {w.random.randint(-9, 9)} + 0.1: return v * 2")
            w.line("return v * 3")
        w.line(f"print({inside}({x}).requires_grad, {inside}(-{x}).requires_grad)")
    elif style == "decorated":
        w.line(w.choose("@torch.no_grad()", "@no_grad()", "@torch.no_grad"))
        with w.function(f"def {inside}(v, by=2):", ("v", "vec"), ("by", "int")):
            w.line(f"return v * by{w.choose('', ', torch.is_grad_enabled()')}")
        w.line(f"print({inside}({x}), {inside}({x}, by=3))")
    elif style == "switch":
        w.line(f"{w.choose('torch.', '')}set_grad_enabled(False)")
        w.line(f"print(({x} * 2).requires_grad, is_grad_enabled())")
        w.line("torch.set_grad_enabled(True)")
    else:
        w.line(f"with torch.no_grad(), torch.enable_grad(): print(({x} + 1).requires_grad)")
        w.line("with torch.inference_mode(): print(torch.is_grad_enabled())")
    w.line(f"print(torch.is_grad_enabled(), ({x} * 1).requires_grad)")


def custom_function(w: Writer) -> None:
    """class X(Function) with what its ctx can carry."""
    name = w.name("Op").capitalize()
    factor = w.choose("2.0", "-0.5", "3")
    with w.block(f"class {name}({w.choose('Function', 'torch.autograd.Function')}):"):
        w.line("@staticmethod")
        with w.function("def forward(ctx, x, k):"):
            w.line("ctx.save_for_backward(x)")
            w.line(f"ctx.k = k; ctx.factor = {factor}")
            w.line("print('forward', x.requires_grad, ctx.needs_input_grad)") if w.maybe(0.5) else None
            w.line("return x * x * k")
        w.line("@staticmethod")
        with w.function("def backward(ctx, g):"):
            w.line("x, = ctx.saved_tensors")
            if w.maybe(0.4):
                w.line("print('backward', g, ctx.k, len(ctx.saved_tensors))")
            w.line("if not ctx.needs_input_grad[0]: return None, None")
            w.line("return g * x * ctx.k * ctx.factor, None")
    x, y = leaf(w), w.name("y")
    w.line(f"{y} = {name}.apply({x}, {w.choose('2', '0.5')})")
    w.line(f"print({y}, {y}.grad_fn.name())")
    if w.tracking and not w.level:
        w.line(f"({y} * {fresh(w, '<(vec)>', 1)}).sum().backward()")
        w.line(f"print({x}.grad)")


def views(w: Writer) -> None:
    x, y = leaf(w), w.name("part")
    part = w.choose("[1:]", ".view(3, 1)", "[0]", ".unsqueeze(0)", ".expand(2, 3)", "[None]", "[::2]")
    w.line(f"{y} = {x}{part}")
    w.line(f"print({y}, {y}.shape, {y}.requires_grad, {y}.is_leaf)")


def named_results(w: Writer) -> None:
    m, r = w.expression("mat"), w.name("r")
    call = w.choose(
        "torch.max({m}, 0)", "({m}).max(dim=1)", "torch.min({m}, 1)", "({m}).max(0, keepdim=True)"
    )
    w.line(f"{r} = {call.replace('{m}', m)}")
    w.line(f"print({r}.values, {r}.indices, {r}[1].tolist(), len({r}))")
    a, b = w.name("a"), w.name("b")
    w.line(f"{a}, {b} = {r}")
    w.line(f"print({r})" if w.maybe(0.5) else f"print({a}.sum(), {b}.dtype)")


def print_options(w: Writer) -> None:
    options = w.choose(
        "precision=2", "sci_mode=True", "linewidth=40", "threshold=5", "edgeitems=1, threshold=4"
    )
    w.line(f"torch.set_printoptions({options})")
    w.line(f"print({w.expression('vec')}, arange(20.) / 7, {w.expression('mat')}, arange(12))")
    w.line("torch.set_printoptions(profile='default')")


def printing(w: Writer) -> None:
    """Tensors of every look."""
    text = w.choose(
        "tensor(<fl>)",
        "torch.zeros(0)",
        "torch.zeros(2, 0)",
        "tensor([])",
        "arange(1200.)",
        "torch.arange(1001)",
        "torch.zeros(40, 30)",
        "tensor([1e10, 1.])",
        "tensor([1e-5, 1.])",
        "tensor([inf, 1.5, -inf])",
        "tensor([nan, 2.])",
        "tensor([1e-7])",
        "tensor(123456789.)",
        "tensor([100000., 0.5])",
        "arange(30.) / 8",
        "<(mat)> > 0",
        "<ivec>",
        "[<vec>, <sca>]",
        "(<vec>, 1)",
        "[[<vec>], <ivec>]",
        "tensor([1.5], dtype=torch.float32)",
        "<(vec)>.float()",
        "tensor([1, 2], dtype=torch.int32)",
        "<(vec)>.shape, <(mat)>.size()",
        "<(vec)>.dtype, torch.int64",
        "torch.eye(3)",
        "<(mat)>[None]",
        "ones(2, 2, 2, requires_grad=True)",
        "torch.ones(3, requires_grad=True) * 2",
        "tensor(True)",
        "tensor([[1], [-20]])",
        "<(mat)> * 1e6",
        "<(mat)> / 7",
        "<vec>.tolist()",
        "(<(vec)>,)",
        "linspace(0, 1, 25)",
        "full((2, 2), 7)",
        "<(sca)>.item() > 0",
        "ones(3)",
        "f'{<sca>} {<sca>:.3f}'",
        "'%s %.2f' % (<ivec>, <sca>)",
        "str(<vec>), repr(<sca>)",
        "'{} {:8.2f}'.format(<vec>, <sca>)",
    )
    w.line(w.fill(f"print({text})", 1))


def attributes(w: Writer) -> None:
    x = leaf(w)
    values = w.fill(
        w.choose(
            "{x}.grad, {x}.is_leaf, {x}.requires_grad, {x}.grad_fn, {x}.data",
            "{x}.shape, {x}.size(), {x}.size(0), {x}.ndim, {x}.dtype, {x}.numel(), {x}.dim()",
            "<(vec)>.requires_grad, <(mat)>.T.shape, <(mat)>.mT.shape, <(vec)>.is_floating_point()",
            "{x}.detach(), {x}.clone().is_leaf, {x}.tolist(), {x}[0].item(), {x}.ndimension()",
            "({x} * 2).grad_fn, ({x} + 1).grad_fn.next_functions[0][0], {x}.nelement(), {x}.element_size()",
            "{x}.double() is {x}, {x}.float().dtype, {x}.long(), {x}.int().dtype, {x}.bool(), {x}.cpu()",
            "{x}.to(torch.int64), {x}.type_as(tensor([1])), {x}.contiguous().shape, {x}.retains_grad",
            "{x}.device, {x}.detach().requires_grad_().is_leaf",
            "({x} * 2).detach_().is_leaf, {x}.detach().type(torch.float32), torch.Size([2, 3]).numel()",
        ).replace("{x}", x),
        1,
    )
    w.line(f"print({values})")


def assign_tensor(w: Writer) -> None:
    kind = w.choose("vec", "mat", "sca", "bvec", "ivec")
    name = w.name()
    w.line(f"{name} = {bounded(w, kind)}")
    w.bind(name, kind)


TENSOR: tuple[Statement, ...] = (
    *(backward,) * 5,
    *(grad_call,) * 3,
    functional,
    *(in_place,) * 3,
    *(data_alias,) * 2,
    *(modes,) * 3,
    *(custom_function,) * 2,
    views,
    named_results,
    *(printing,) * 3,
    print_options,
    *(attributes,) * 2,
    assign_tensor,
)


STATEMENTS: tuple[Statement, ...] = PLAIN + TENSOR
