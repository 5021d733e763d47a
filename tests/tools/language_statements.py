"""Plain statements of a generated script: assignments, branches, loops, functions, lists, printing.

Each function writes one small situation, made of whatever names are in sight; bodies hold further ones.
"""

from __future__ import annotations

from collections.abc import Callable

from language_closures import arguments, closure, lambdas, recursion
from language_lists import delete, list_work, nested_lists
from language_productions import bounded
from language_writer import Writer

Statement = Callable[[Writer], None]
KINDS = (
    "int",
    "int",
    "float",
    "bool",
    "str",
    "ints",
    "tup",
    "nest",
    "vec",
    "vec",
    "mat",
    "sca",
    "pairs",
    "ivec",
)
FUNCTION_KINDS = ("int", "str", "vec")


def assign(w: Writer) -> None:
    kind = w.choose(*KINDS)
    name = w.assignable(kind) if w.maybe(0.3) else None
    name = name or w.name()
    comment = w.choose("", "", "", "  # why not", "  # größer = besser")
    text = bounded(w, kind)
    if w.maybe(0.08) and " " in text and "'" not in text and '"' not in text:
        w.line(f"{name} = (  # over lines")
        w.line(f"      {text.replace(' + ', chr(10) + w.indent + '   + ')}")
        w.line(")" + comment)
    else:
        w.line(f"{name} = {text}{comment}")
    w.bind(name, kind)


def several_targets(w: Writer) -> None:
    kind = w.choose("int", "vec", "ints", "str")
    a, b, c = w.name(), w.name(), w.name()
    style = w.choose(
        "chain", "tuple", "list", "nested", "star", "star last", "swap", "one line", "starred names"
    )
    one, two, three = (bounded(w, kind) for _ in range(3))
    if style == "chain":
        w.line(f"{a} = {b} = {one}")
        w.line(f"print({a} is {b})")
        w.line(f"{c} = {two}")
    elif style == "tuple":
        w.line(f"{a}, {b}, {c} = {one}, {two}, {three}")
    elif style == "list":
        w.line(f"[{a}, {b}, {c}] = [{one}, {two}, {three}]")
    elif style == "nested":
        w.line(f"{a}, ({b}, {c}) = {one}, ({two}, {three})")
    elif style == "star":
        rest = w.name("rest")
        w.line(f"{a}, *{rest}, {b} = {one}, 1, {w.expression('int')}, 'x', {two}")
        w.line(f"print({rest}, len({rest})); {c} = {three}")
    elif style == "star last":
        rest = w.name("rest")
        w.line(f"{a}, {b}, *{rest} = [{one}, {two}]")
        w.line(f"{rest} += (4, 5); print({rest})")
        w.line(f"{c} = {three}")
    elif style == "swap":
        w.line(f"{a} = {one}; {b} = {two}")
        w.line(f"{a}, {b} = {b}, {a}")
        w.line(f"{c} = {three}")
    elif style == "starred names":
        w.line(f"(*{c}, {a}), {b} = [1, 2, {one}], {two}")
        w.line(f"print({c})")
        w.line(f"{c} = {three}")
    else:
        w.line(f"{a} = {one}; {b}, {c} = {two}, {three};")
    for name in (a, b, c):
        w.bind(name, kind)


def augmented(w: Writer) -> None:
    kind = w.choose("int", "float", "str", "ints", "vec", "tup")
    name = w.holding(kind)
    if kind == "int":
        op = w.choose("+=", "-=", "*=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=")
        right = {"//=": "<nz>", "%=": "<nz>", "**=": "2", "<<=": "2", ">>=": "1", "*=": "<iatom>"}.get(
            op, "<int>"
        )
        w.line(f"{name} {op} {w.fill(right, 2)}")
        w.line(f"{name} = {name} % 1000")
    elif kind == "float":
        w.line(f"{name} {w.choose('+=', '-=', '*=', '/=', '%=', '//=')} {w.choose('0.5', '2', '-1.5')}")
    elif kind == "str":
        w.line(f"{name} *= 2" if w.maybe(0.2) else f"{name} += {w.expression('str')}")
        w.line(f"{name} = {name}[:10]")
    elif kind == "vec":
        other = w.name()
        w.line(f"{name} = {name} * 1")
        w.line(f"{other} = {name}")
        op = w.choose("+=", "-=", "*=", "/=", "//=", "%=", "**=")
        right = (
            w.choose("2", "0.5", "3")
            if op in ("/=", "//=", "%=", "**=")
            else w.fill(w.choose("<vec>", "<fsmall>", "<sca>"), 1)
        )
        if op in ("//=", "%=", "**="):
            w.line(f"{name} = {name}.detach()")
        w.line(f"{name} {op} {right}")
        w.line(f"print({other} is {name}, {other})")
    else:
        other = w.name()
        w.line(f"{other} = {name}")
        tail = w.expression("ints" if kind == "ints" else "tup", 1)
        op = w.choose("+=", "*=")
        w.line(f"{name} {op} {tail if op == '+=' else '2'}")
        w.line(f"print({other} is {name}, {other}, len({name}))")
        w.line(f"{name} = {name}[:5]")
        w.bind(other, kind)


def check(w: Writer) -> None:
    test = w.expression("bool")
    message = w.choose("", f", {w.expression('str', 1)}")
    w.line(f"assert ({test}) or True{message}")


def nothing(w: Writer) -> None:
    w.line(w.choose("pass", "...", "# nothing but a comment", "'a string for nothing'", "pass; pass"))
    if w.lines[-1].lstrip().startswith("#"):
        w.line("pass")


def show(w: Writer) -> None:
    kinds = [w.choose(*KINDS, "bvec", "strs", "str") for _ in range(w.random.randint(1, 3))]
    values = ", ".join(w.expression(kind) for kind in kinds)
    ending = w.choose("", "", "", ", sep='|'", ", end=' $\\n'")
    w.line(f"print({values}{ending})")


def show_text(w: Writer) -> None:
    w.line(f"print({w.expression('str', 3)})")


def branch(w: Writer) -> None:
    kind = w.choose("int", "vec", "str")
    name = w.holding(kind)
    test = w.choose("bool", "bool", "int", "anyints", "str")
    with w.block(f"if {w.expression(test)}:"):
        w.line(f"{name} = {bounded(w, kind)}")
        body(w, 2)
    for _ in range(w.random.choice((0, 0, 1, 2))):
        with w.block(f"elif {w.expression('bool')}:"):
            body(w, 2)
            w.line(f"{name} = {bounded(w, kind)}")
    if w.maybe(0.6):
        with w.block("else:"):
            body(w, 2)
    if w.maybe(0.2):
        w.line(f"if {w.expression('bool')}: print({name}); {name} = {bounded(w, kind)}")
    w.line(f"print({name})")


def for_loop(w: Writer) -> None:
    total, kind = w.holding("int"), "int"
    i, j = w.name("i"), w.name("j")
    headers = [
        (f"{i} in range({w.fill('<iatom>', 1)} % 5)", [(i, "int")]),
        (f"{i} in range(2, 9, 3)", [(i, "int")]),
        (f"{i} in range(3, -1, -1)", [(i, "int")]),
        (f"{i} in {w.expression('anyints')}", [(i, "int")]),
        (f"{i} in {w.expression('tup')}", [(i, "int")]),
        (f"{i}, {j} in enumerate({w.expression('ints')})", [(i, "int"), (j, "int")]),
        (f"({i}, {j}) in zip({w.expression('ints')}, {w.expression('ints')})", [(i, "int"), (j, "int")]),
        (f"{i}, {j} in {w.expression('pairs')}", [(i, "int"), (j, "int")]),
        (f"{i}, ({j}, _) in enumerate({w.expression('pairs')}, 1)", [(i, "int"), (j, "int")]),
        (f"{i} in {w.expression('vec')}", [(i, "sca")]),
        (f"{i} in {w.expression('mat')}", [(i, "vec")]),
        (f"{i}, {j} in zip({w.expression('ints')}, {w.expression('vec')})", [(i, "int"), (j, "sca")]),
        (f"{i} in {w.expression('str')}", [(i, "str")]),
        (f"{i} in {w.expression('nest')}", [(i, "ints")]),
        (f"{i} in reversed({w.expression('ints')})", [(i, "int")]),
        (f"{i}, *{j} in [(1, 2, 3), [4], range(5)]", [(j, "anyints")]),
    ]
    header, names = w.random.choice(headers)
    w.bind(total, kind)
    with w.loop(f"for {header}:"):
        for name, of in names:
            w.bind(name, of)
        if w.maybe(0.3):
            with w.block(f"if {w.expression('bool')}:"):
                w.line(w.choose("continue", "break", f"{total} = 3; continue"))
        w.line(f"{total} = ({total} * 2 + {w.expression('iatom')}) % 1000")
        body(w, 2)
    if w.maybe(0.35):
        with w.block("else:"):
            w.line(f"print('no break', {total})")
            w.line(f"{total} += 1")
    w.line(f"print({total})")


def leaking(w: Writer) -> None:
    """A loop variable lives on; a comprehension's does not."""
    i = w.name("i")
    w.line(f"{i} = {w.expression('int')}")
    w.line(f"print([{i} * 2 for {i} in range(3)], {i})")
    with w.loop(f"for {i} in {w.choose('range(4)', '[7, 8]', '(1, 2)')}:"):
        w.line(f"if {i} > 2: break")
        w.line(f"{i} = {i} * 10")
    w.line(f"print({i})")
    w.bind(i, "int")


def while_loop(w: Writer) -> None:
    n, total = w.name("n"), w.holding("int")
    w.line(f"{n} = 0")
    test = w.choose(f"{n} < 4", f"0 <= {n} < 3", "True", f"not {n} >= 3", f"{n} - 3")
    with w.loop(f"while {test}:"):
        w.line(f"{n} += 1")
        last = 9 if test != "True" and w.maybe(0.5) else 2
        with w.block(w.choose(f"if {n} > {last}:", f"if {n} > {last} and {total} is not None:")):
            w.line("break")
        w.bind(n, "int read")
        if w.maybe(0.4):
            with w.block(f"if {w.expression('bool')}:"):
                w.line("continue")
        body(w, 2)
        w.line(f"{total} = ({total} + {w.expression('int')}) % 500")
    if w.maybe(0.4):
        with w.block("else:"):
            w.line("print('while ended by itself')")
    w.line(f"print({n}, {total})")


def nested_loops(w: Writer) -> None:
    i, j, found = w.name("i"), w.name("j"), w.name("found")
    w.line(f"{found} = []")
    with w.loop(f"for {i} in range(4):"):
        w.bind(i, "int")
        with w.loop(f"for {j} in range({i}, 4):"):
            w.bind(j, "int")
            w.line(f"if {w.fill('<bool>', 1)}: {w.choose('continue', 'break')}")
            w.line(f"{found}.append(({i}, {j}, {w.expression('iatom', 1)}))")
        if w.maybe(0.6):
            with w.block("else:"):
                w.line(w.choose("continue", "pass", f"{found}.append({i})"))
        w.line(f"if len({found}) > 5: break")
    w.line(f"print({found})")


def function(w: Writer) -> None:
    """A def with a default; its body is made of other statements."""
    kind = w.choose(*FUNCTION_KINDS)
    f, n = w.name("f"), w.name("n")
    default = w.expression("iatom", 1)
    signature = w.choose(
        f"{n}, by={default}", f"{n}, by={default}, *more, key=0", f"{n}, by={default}, *, key=2"
    )
    w.line("") if w.maybe(0.2) else None
    with w.function(f"def {f}({signature}):", (n, "int"), ("by", "int")):
        if w.maybe(0.2):
            w.line("'''What it does.'''")
        before, w.returns = w.returns, kind
        body(w, 3)
        w.line(f"{w.choose('by', n)} {w.choose('+=', '-=')} 1")
        w.line(f"return {bounded(w, kind)}")
        w.returns = before
    w.bind(f, f"to_{kind}")
    w.line(f"print({f}({w.expression('int')}), {f}(2, by={w.expression('iatom')}))")


def early_return(w: Writer) -> None:
    if w.returns is None:
        return show(w)
    with w.block(f"if {w.expression('bool')}:"):
        w.line(f"return {bounded(w, w.returns)}")


def shadow(w: Writer) -> None:
    """Builtins may be shadowed, for a function or for good."""
    name = w.choose("sum", "len", "e", "max", "list", "input", "abs", "norm", "exp")
    f = w.name("f")
    with w.function(f"def {f}(x):"):
        w.line(f"{name} = x")
        w.line(f"return {name}")
    w.line(f"print({f}({w.expression('int')}))")


def sorting(w: Writer) -> None:
    template = w.choose(
        "print(sorted(<pairs>, key=lambda p: -p[1]))",
        "print(min(<pairs>), max(<pairs>, key=lambda p: p[1]))",
        "print(sorted(<strs>), sorted(<strs>, key=len, reverse=True))",
        "print(list(reversed(<ints>)), list(zip(<ints>, <str>, <tup>)))",
        "print(list(enumerate(<strs>, start=<iatom>)), sum(<ints>), any(<anyints>), all(<anyints>))",
        "print(max(<float>, <int>, <bool>), min(<ints>, default=0), sum([[1], <ints>], []))",
        "print([p for p, _ in <pairs>], [a + b for a, b in <pairs>], [*zip(<ints>, <ints>)])",
        "print(len(<pairs>), divmod(<int>, <nz>), pow(2, <iatom> % 7), round(<fsmall>, <iatom> % 3))",
        "print(range(<iatom>), list(range(5))[<int>:<int>], range(9)[2:7:2], range(3) == range(0, 3))",
        "print(<(ints)>.count(1), <(tup)>.count(1), (4, 5, 4).index(5))",
    )
    w.line(w.fill(template, 2))


def displayed(w: Writer) -> None:
    w.line(w.fill(w.choose("display(<int>, <str>)", "display(<vec>)", "display(Math('x^2'))"), 2))


def imports(w: Writer) -> None:
    w.line(
        w.choose(
            "import torch",
            "import math as m; print(m.sqrt(16), m.pi)",
            "from math import sin, pi as half_turn",
            "import numpy as np",
            "import torch.nn.functional as F",
            "from torch import *",
            "from torch.autograd import Variable, Function",
            "import torch as th; print(th.ones(2))",
            "from math import (gcd,\n" + w.indent + "      sqrt)",
            "from torch.nn import functional as F",
        )
    )


PLAIN: tuple[Statement, ...] = (
    *(assign,) * 6,
    *(several_targets,) * 2,
    *(augmented,) * 4,
    *(list_work,) * 2,
    nested_lists,
    delete,
    check,
    nothing,
    *(show,) * 4,
    *(show_text,) * 3,
    *(branch,) * 3,
    *(for_loop,) * 4,
    leaking,
    *(while_loop,) * 2,
    nested_loops,
    *(function,) * 3,
    *(early_return,) * 2,
    *(closure,) * 2,
    recursion,
    arguments,
    lambdas,
    shadow,
    sorting,
    sorting,
    displayed,
)
SHORT: tuple[Statement, ...] = (
    assign,
    augmented,
    show,
    show_text,
    several_targets,
    check,
    nothing,
    early_return,
)


def body(w: Writer, most: int) -> None:
    """Statements inside a block: short ones where it stands deep already."""
    deep = len(w.indent) > 8
    for _ in range(w.random.randint(1, most)):
        w.random.choice(SHORT if deep or w.maybe(0.6) else PLAIN)(w)
