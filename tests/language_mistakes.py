"""One run-time mistake to end a generated script with, at a random depth.

A mistake is an expression, with the lines that have to come before it, or statements of its own. Where it
stands - in functions, loops, comprehensions, branches, under no_grad() - is drawn apart from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from language_writer import Writer


@dataclass(frozen=True)
class Mistake:
    """``text`` fails: an expression, or statements where ``is_statement``. ``before`` runs well.

    ``quoted`` says that the whole first line is torch's; ``anywhere`` that it may stand under no_grad().
    """

    name: str
    text: str
    before: tuple[str, ...] = ()
    is_statement: bool = False
    quoted: bool = False
    anywhere: bool = True


def expression(name: str, text: str, *before: str, quoted: bool = False, anywhere: bool = True) -> Mistake:
    return Mistake(name, text, before, False, quoted, anywhere)


def statement(name: str, text: str, *before: str, quoted: bool = False, anywhere: bool = True) -> Mistake:
    return Mistake(name, text, before, True, quoted, anywhere)


LEAF = "q_ = torch.tensor([1., 2., 3.], requires_grad=True)"

MISTAKES: tuple[Mistake, ...] = (
    # names
    expression("a name bound nowhere", "unknown_name + 1"),
    expression("deleted", "gone_ + 1", "gone_ = 1", "del gone_"),
    expression("bound later only", "later_ + 1", "if False: later_ = 1"),
    statement(
        "local before assignment",
        "def reads_():\n    print(<int>, local_)\n    local_ = 1\nreads_()",
        "local_ = 3",
    ),
    statement(
        "free before assignment",
        "def outer_():\n    def inner_(): return free_\n    inner_()\n    free_ = 1\nouter_()",
    ),
    statement("augmented before assignment", "def adds_():\n    count_ += 1\nadds_()", "count_ = 0"),
    statement("deleted twice", "del once_\ndel once_", "once_ = 1"),
    statement("no such module", "import no_such_module_x"),
    # types
    expression("int and str", "<(int)> + <(str)>"),
    expression("str and int", "<(str)> + <(int)>"),
    expression("str minus str", "<(str)> - 'a'"),
    expression("list and int", "<(ints)> + 1"),
    expression("list and tuple", "<(ints)> + <(tup)>"),
    expression("list times list", "<(ints)> * <(ints)>"),
    expression("list minus list", "<(ints)> - [1]"),
    expression("str times float", "'ab' * 1.5"),
    expression("minus str", "-<(str)>"),
    expression("invert float", "~<(fsmall)>"),
    expression("int less than str", "<(int)> < <(str)>"),
    expression("list less than int", "<(ints)> <= 3"),
    expression("None plus", "None + <(int)>"),
    expression("None less", "None < <(int)>"),
    expression("shift by a float", "1 << 2.0"),
    expression("matmul of ints", "<(int)> @ <(int)>"),
    expression("float and", "<(fsmall)> & 1"),
    expression("in an int", "1 in <(int)>"),
    expression("int in str", "<(int)> in 'abc'"),
    expression("len of int", "len(<int>)"),
    expression("len of float", "len(1.5)"),
    expression("len of 0-d", "len(torch.tensor(1.))"),
    expression("sum of strs", "sum(['a', 'b'])"),
    expression("sum of mixed", "sum([1, 'b'])"),
    expression("max of mixed", "max(1, 'b')"),
    expression("sorted mixed", "sorted([1, 'a', <int>])"),
    expression("abs of str", "abs(<str>)"),
    expression("round of str", "round(<str>)"),
    expression("int of list", "int(<ints>)"),
    expression("float of None", "float(None)"),
    expression("list index of str", "<(ints)>['a']"),
    expression("list index of float", "<(ints)>[1.0]"),
    expression("tuple index", "<(tup)>['x']"),
    expression("str index", "<(str)>['x']"),
    expression("subscript of int", "<(int)>[0]"),
    expression("subscript of None", "None[0]"),
    expression("subscript of function", "abs[0]"),
    expression("call of int", "<(int)>(2)"),
    expression("call of str", "<(str)>()"),
    expression("call of list", "[1](0)"),
    expression("call of None", "(None)()"),
    expression("call of tensor", "<(vec)>(2)"),
    expression("iterate int", "[k for k in <(int)>]"),
    expression("iterate None", "list(None)"),
    expression("iterate 0-d", "[k for k in torch.tensor(2.)]"),
    expression("star an int", "print(*<(int)>)"),
    expression("zip an int", "list(zip(<ints>, 3))"),
    expression("range of a float", "range(1.5)"),
    expression("range of nothing", "range()"),
    expression("join of ints", "', '.join([1, 2])"),
    expression("isinstance of a value", "isinstance(<int>, 5)"),
    expression("percent too few", "'%d %d' % (1,)"),
    expression("percent too many", "'%d' % (1, 2)"),
    expression("percent of str", "'%d' % 'a'"),
    expression("percent f of str", "'%.2f' % 'a'"),
    expression("too few arguments", "two_(<int>)", "def two_(a, b): return a"),
    expression("too many arguments", "two_(1, 2, <int>)", "def two_(a, b=1): return a"),
    expression("unknown keyword", "two_(1, c=<int>)", "def two_(a, b=1): return a"),
    expression("twice the same argument", "two_(1, a=<int>)", "def two_(a, b=1): return a"),
    expression("keyword only missing", "two_(1)", "def two_(a, *, b): return a"),
    expression("no argument at all", "(lambda x: x)()"),
    expression("bad key function", "sorted([1, 2], key=3)"),
    statement("tuple item assignment", "pair_[0] = 1", "pair_ = (1, 2)"),
    statement("str item assignment", "text_[0] = 'a'", "text_ = 'abc'"),
    statement("tuple item deletion", "del pair_[0]", "pair_ = (1, 2)"),
    statement("unpack int", "u_, v_ = <(int)>"),
    statement("loop over int", "for u_ in <(int)>: pass"),
    statement("with an int", "with <(int)>: pass"),
    statement("augmented types", "sum_ += 'a'", "sum_ = 1"),
    statement("extend by an int", "rows_ += 1", "rows_ = []"),
    # values
    expression("int of words", "int('twelve')"),
    expression("int of a float text", "int('1.5')"),
    expression("int of nan", "int(float('nan'))"),
    expression("int of inf", "int(float('inf'))"),
    expression("float of words", "float('a')"),
    expression("int of bad base", "int('9', 8)"),
    expression("max of nothing", "max([])"),
    expression("min of nothing", "min([k for k in <ints> if k < -10**6])"),
    expression("index of nothing", "<(ints)>.index(-10**9)"),
    expression("tuple index of nothing", "(1, 2).index(3)"),
    expression("range step zero", "range(1, 5, 0)"),
    expression("slice step zero", "<(ints)>[::0]"),
    expression("square root", "math.sqrt(-1)"),
    expression("logarithm", "math.log(0)"),
    expression("bad spec", "f'{<iatom>:q}'"),
    expression("float spec for str", "f'{\"a\":.2f}'"),
    expression("int spec for float", "f'{1.5:d}'"),
    expression("bad format", "'{'.format(1)"),
    expression("zip strict", "list(zip([1], [1, 2], strict=True))"),
    expression("split by nothing", "<(str)>.split('')"),
    expression("negative shift", "1 << -1"),
    statement("too many values", "u_, v_ = [1, 2, <int>]"),
    statement("not enough values", "u_, v_, z_ = (1, 2)"),
    statement("not enough for a star", "u_, v_, *z_ = [1]"),
    statement("remove of nothing", "rows_.remove(7)", "rows_ = [1]"),
    statement("unpack in a loop", "for u_, v_ in [(1, 2), (3,)]: print(u_)"),
    statement("slice assignment", "rows_[::2] = [1]", "rows_ = [1, 2, 3]"),
    # positions
    expression("list index", "<(ints)>[99]"),
    expression("list index from the end", "<(ints)>[-99]"),
    expression("tuple position", "(1, 2)[5]"),
    expression("str position", "'abc'[3]"),
    expression("range position", "range(3)[3]"),
    expression("pop of nothing", "[].pop()"),
    expression("pop position", "[1].pop(4)"),
    expression("tensor position", "<(vec)>[3]", quoted=True),
    expression("second position", "<(mat)>[0, 7]", quoted=True),
    expression("too many indices", "<(vec)>[0, 0]", quoted=True),
    expression("format position", "'{} {}'.format(1)"),
    statement("list position assigned", "rows_[5] = 1", "rows_ = [1]"),
    statement("list position deleted", "del rows_[5]", "rows_ = [1]"),
    statement("tensor position assigned", "cells_[5] = 1", "cells_ = torch.zeros(2)", quoted=True),
    expression("shape position", "<(vec)>.shape[3]"),
    # attributes
    expression("attribute of int", "<(int)>.nothing"),
    expression("attribute of list", "<(ints)>.push(1)"),
    expression("attribute of str", "<(str)>.trim()"),
    expression("attribute of tensor", "<(vec)>.gard"),
    expression("attribute of None", "None.zero_()"),
    expression("gradient not there", "q_.grad.zero_()", LEAF),
    expression("attribute of a module", "torch.no_such_function(1)"),
    expression("attribute of math", "math.sine(1)"),
    expression("attribute of tuple", "<(tup)>.append(1)"),
    expression("attribute of a function", "(lambda: 1).call"),
    statement("attribute assigned", "q_.grad_fn = 1", LEAF),
    # division, overflow, assertion
    expression("division", "<(int)> / (3 - 3)"),
    expression("float division", "1.5 / 0.0"),
    expression("floor division", "<(int)> // 0"),
    expression("remainder", "<(int)> % 0"),
    expression("float remainder", "<(fsmall)> % 0.0"),
    expression("power of zero", "0 ** -1"),
    expression("divmod", "divmod(<int>, 0)"),
    expression("power too large", "2.0 ** 5000"),
    expression("exp too large", "math.exp(1000)"),
    statement("assertion", "assert <(int)> is None"),
    statement("assertion with words", "assert not <str> + 'x', f'found {<iatom>}'"),
    statement("assertion of a tensor", "assert (torch.tensor([1.]) > 2).all(), 'too small'"),
    # tensors
    expression("broadcast", "ones(3) + torch.ones(2)", quoted=True),
    expression("broadcast of matrices", "<(mat)> * torch.ones(2, 2)", quoted=True),
    expression("matrix product", "<(mat)> @ <(mat)>", quoted=True),
    expression("mm", "torch.mm(torch.ones(3, 3), torch.ones(2, 3))", quoted=True),
    expression("dot", "torch.dot(torch.ones(2), torch.ones(3))"),
    expression("matrix by vector", "torch.mv(ones(2, 2), ones(3))"),
    expression("reshape", "<(vec)>.reshape(2, 2)", quoted=True),
    expression("view", "<(mat)>.view(4)", quoted=True),
    expression("dimension", "<(vec)>.sum(3)", quoted=True),
    expression("dimension of softmax", "softmax(<vec>, 2)", quoted=True),
    expression("dimension of max", "torch.max(<mat>, -4)", quoted=True),
    expression("permute", "<(mat)>.permute(0, 0)"),
    expression("transpose", "<(mat)>.transpose(0, 5)", quoted=True),
    expression("stack", "torch.stack([ones(2), ones(3)])"),
    expression("cat", "torch.cat([ones(2, 2), ones(3, 3)])"),
    expression("cat of nothing", "torch.cat([])"),
    expression("expand", "ones(2).expand(3)"),
    expression("item", "<(vec)>.item()", quoted=True),
    expression("item of many", "torch.zeros(3, 3).item()", quoted=True),
    expression("float of many", "float(<vec>)"),
    expression("truth", "1 if <(vec)> > 0 else 2", quoted=True),
    expression("truth of and", "<(vec)> and 1", quoted=True),
    expression("truth of not", "not <(mat)>", quoted=True),
    expression("chained on a tensor", "0 < <(vec)> < 1", quoted=True),
    expression("ragged", "torch.tensor([[1, 2], [3]])"),
    expression("tensor of str", "torch.tensor('a')"),
    expression("tensor of None", "torch.tensor([None])"),
    expression("int that requires grad", "torch.tensor([1, 2], requires_grad=True)", quoted=True),
    expression("float index", "<(vec)>[1.5]"),
    expression("mask of another size", "<(vec)>[tensor([True, False])]"),
    expression("singular", "torch.linalg.inv(torch.zeros(2, 2))"),
    expression("bool subtraction", "(<(vec)> > 0) - (<(vec)> > 1)"),
    expression("tensor plus str", "<(vec)> + 'a'"),
    expression("tensor plus list", "<(vec)> + [1, 2, 3]"),
    expression("str plus tensor", "'a' + <(vec)>"),
    expression("tensor plus None", "<(vec)> * None"),
    expression("list minus tensor", "[1, 2] - <(vec)>"),
    expression("mean of ints", "<(ivec)>.mean()"),
    expression("dtypes", "<(mat)> @ <(ivec)>"),
    expression("sum of nonsense", "torch.sum('a')"),
    expression("no argument for sin", "torch.sin()"),
    expression("sin of a list", "torch.sin([1.0])"),
    expression("too many for exp", "torch.exp(<vec>, 1, 2)"),
    expression("unknown keyword of sum", "<(vec)>.sum(axes=1)"),
    expression("ones of str", "torch.ones('a')"),
    expression("negative size", "torch.zeros(-1)"),
    expression("tensor format", "f'{<vec>:.2f}'"),
    expression("range of a tensor", "range(<(vec)>)"),
    expression("arange step", "torch.arange(0, 5, -1)"),
    expression("squeeze", "<(vec)>.squeeze(4)", quoted=True),
    expression("unbind of 0-d", "[v for v in <(sca)>]"),
    statement("item of a wrong size", "cells_[0] = torch.ones(3)", "cells_ = torch.zeros(2)"),
    # gradients
    expression("no grad anywhere", "torch.tensor(1.).backward()", quoted=True),
    expression("backward of a vector", "(q_ * 2).backward()", LEAF, quoted=True, anywhere=False),
    statement("backward twice", "l_.backward()\nl_.backward()", LEAF, "l_ = (q_ * q_).sum()", quoted=True),
    expression(
        "gradient of another shape", "(q_ * 2).backward(torch.ones(2, 2))", LEAF, quoted=True, anywhere=False
    ),
    expression("gradient no tensor", "(q_ * 2).backward([1, 1, 1])", LEAF, anywhere=False),
    expression("retain_grad", "torch.ones(2).retain_grad()", quoted=True),
    statement("leaf in place", "q_ += 1", LEAF, quoted=True, anywhere=False),
    statement("leaf item", "q_[0] = 1", LEAF, quoted=True, anywhere=False),
    expression("leaf method", "q_.zero_()", LEAF, quoted=True, anywhere=False),
    statement(
        "saved value changed",
        "h_.add_(1)\nl_.backward()",
        LEAF,
        "h_ = q_ * 2",
        "l_ = (h_ * h_).sum()",
        anywhere=False,
    ),
    expression(
        "unused",
        "torch.autograd.grad((q_ * 2).sum(), torch.ones(1, requires_grad=True))",
        LEAF,
        quoted=True,
        anywhere=False,
    ),
    expression("grad of no grad", "torch.autograd.grad(torch.tensor(1.), q_)", LEAF, quoted=True),
    expression(
        "grad of what needs none",
        "torch.autograd.grad((q_ * 2).sum(), torch.ones(3))",
        LEAF,
        quoted=True,
        anywhere=False,
    ),
    expression("numpy", "q_.numpy()", LEAF, quoted=True, anywhere=False),
    statement("requires_grad of a result", "h_.requires_grad = False", LEAF, "h_ = q_ * 2", anywhere=False),
    statement("requires_grad of ints", "n_.requires_grad = True", "n_ = torch.tensor([1])"),
    expression("requires_grad_ of ints", "torch.tensor([1]).requires_grad_()", quoted=True),
    statement(
        "backward of the wrong shape",
        "Bad_.apply(q_).sum().backward()",
        LEAF,
        "class Bad_(Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): return g.sum().expand(7)",
        anywhere=False,
    ),
    statement(
        "mistake inside backward",
        "Bad_.apply(q_).sum().backward()",
        LEAF,
        "class Bad_(Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return g * (1 / 0)",
        anywhere=False,
    ),
    statement(
        "too many gradients",
        "Bad_.apply(q_).sum().backward()",
        LEAF,
        "class Bad_(Function):\n    @staticmethod\n    def forward(ctx, x): return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): return g, g",
        anywhere=False,
    ),
    statement("row in place", "for p_ in q_ * 2: p_ += 1", LEAF, quoted=True, anywhere=False),
    statement("view in place", "p_ = q_[0]\np_ += 1", LEAF, quoted=True, anywhere=False),
    statement(
        "create_graph lost",
        "g_ = torch.autograd.grad((q_ * q_).sum(), q_)[0]\ng_.sum().backward()",
        LEAF,
        quoted=True,
        anywhere=False,
    ),
    statement(
        "freed by grad",
        "torch.autograd.grad(l_, q_)\nl_.backward()",
        LEAF,
        "l_ = (q_ * q_).sum()",
        quoted=True,
        anywhere=False,
    ),
    statement(
        "under no_grad", "with torch.no_grad():\n    l_ = (q_ * q_).sum()\nl_.backward()", LEAF, quoted=True
    ),
)


def write(w: Writer, lines: str) -> None:
    for line in lines.split("\n"):
        w.line(line)


def make_mistake(w: Writer, mistake: Mistake) -> str:
    """Write a mistake and what stands around it; its name."""
    for line in mistake.before:
        write(w, line)
    text = w.fill(mistake.text, 1)
    places = [straight, in_function, in_loop, in_branch]
    if not mistake.is_statement:
        places += [in_comprehension, in_lambda, in_argument, in_condition, in_field]
    if mistake.anywhere:
        places.append(in_no_grad)
    around(w, mistake, text, [w.random.choice(places) for _ in range(w.random.choice((1, 1, 2, 3)))])
    w.line("print('not reached')")
    return mistake.name


def around(w: Writer, mistake: Mistake, text: str, places: list[Callable[..., Any]]) -> None:
    """Write the innermost text inside the places, the first of them outermost."""
    blocks = [place for place in places if place in (in_function, in_loop, in_branch, in_no_grad)]
    others = [place for place in places if place not in blocks][:1]

    def go(rest: list[Callable[..., Any]]) -> None:
        if rest:
            rest[0](w, lambda: go(rest[1:]))
        elif mistake.is_statement:
            write(w, text)
        else:
            w.line((others or [straight])[0](w, text))

    go(blocks)


def straight(w: Writer, text: str) -> str:
    return w.choose(f"print({text})", f"result_ = {text}", text)


def in_comprehension(w: Writer, text: str) -> str:
    return w.choose(
        f"found_ = [{text} if k == 1 else k for k in range(3)]",
        f"print([k for k in range(3) if k < 1 or ({text})])",
        f"found_ = [[({text}) for j in range(2)] for k in range(2)]",
    )


def in_lambda(w: Writer, text: str) -> str:
    return w.choose(f"print((lambda: {text})())", f"found_ = sorted([2, 1], key=lambda k: ({text}))")


def in_argument(w: Writer, text: str) -> str:
    return w.choose(
        f"print('a', [1, ({text})], sep=' ')", f"found_ = max(1, ({text}))", f"print(1, *[0, {text}])"
    )


def in_condition(w: Writer, text: str) -> str:
    return w.choose(
        f"if ({text}) or True: print('yes')",
        f"found_ = 1 if ({text}) else 2",
        f"assert True and ({text}), 'no'",
        f"while ({text}): break",
    )


def in_field(w: Writer, text: str) -> str:
    if "'" in text or '"' in text or "{" in text or "\\" in text:
        return straight(w, text)
    return f'print(f"before {{({text})}} after")'


def in_function(w: Writer, inner: Callable[[], None]) -> None:
    f = w.name("fails")
    with w.block(f"def {f}(n=2):"):
        w.line("print('in', n)")
        inner()
    w.line(w.choose(f"{f}()", f"print({f}(n=1))", f"outcome_ = [{f}(k) for k in range(2)]"))


def in_loop(w: Writer, inner: Callable[[], None]) -> None:
    i = w.name("turn")
    with w.block(w.choose(f"for {i} in range(3):", f"for {i} in [1, 2]:", "while True:")):
        w.line("print('turn')")
        inner()
        w.line("break")


def in_branch(w: Writer, inner: Callable[[], None]) -> None:
    with w.block(w.choose("if 1:", "if not 0:", "if True and [0]:")):
        inner()


def in_no_grad(w: Writer, inner: Callable[[], None]) -> None:
    with w.block("with torch.no_grad():"):
        inner()
