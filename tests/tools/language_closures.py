"""Functions of generated scripts in the forms that matter: closures, recursion, arguments, lambdas."""

from __future__ import annotations

from language_writer import Writer


def closure(w: Writer) -> None:
    from language_statements import body  # which draws closures too

    make, inner, k = w.name("make"), w.name("inner"), w.name("k")
    style = w.choose("adder", "later", "late", "shared list", "default", "shadow")
    value = w.expression("int")
    if style == "adder":
        with w.function(f"def {make}({k}):", (k, "int")):
            w.line(f"{k} = {k} + 1")
            with w.function(f"def {inner}(q, by=2):", ("q", "int"), ("by", "int")):
                body(w, 1)
                w.line(f"return q * by - {k}")
            w.line(f"{k} *= 2")
            w.line(f"return {inner}")
        w.line(f"one, two = {make}({value}), {make}(10)")
        w.line("print(one(3), two(3), one(q=2, by=5), one is two)")
    elif style == "later":
        with w.function(f"def {inner}():"):
            w.line(f"return {k} * 2")
        w.line(f"{k} = {value}; print({inner}())")
        w.line(f"{k} = [1, {value}]; print({inner}())")
    elif style == "late":
        w.line(f"{make} = [lambda: {k} for {k} in range(3)]")
        w.line(f"{inner} = [lambda {k}={k}: {k} for {k} in range(3)]")
        w.line(f"print([f() for f in {make}], [f() for f in {inner}], [f({value}) for f in {inner}])")
        w.line("table = []")
        with w.loop(f"for {k} in range(3):"):
            w.line(f"table.append(lambda x: x + {k})")
        w.line(f"print([f(1) for f in table]); {k} = 50; print(table[0](1))")
    elif style == "shared list":
        with w.function(f"def {make}():"):
            w.line(f"{k} = []")
            w.line(f"def add(x): {k}.append(x); return len({k})")
            w.line(f"def get(): return {k}")
            w.line("return add, get")
        w.line(f"add, get = {make}()")
        w.line(f"print(add({value}), add(2), get()); get().append('x'); print(get(), {make}()[1]())")
    elif style == "default":
        with w.function(f"def {make}(x, seen=[], t={value}):"):
            w.line("seen.append(x)")
            w.line("return seen, t")
        w.line(f"print({make}(1)); print({make}(2)); print({make}(3, [])); print({make}(4, t=0))")
    else:
        w.line(f"{k} = {value}")
        with w.function(f"def {make}({inner}):"):
            w.line(f"{k} = {inner} + 1")
            w.line(f"return {k}, [{k} for {k} in (1, 2)], (lambda {k}: {k} + 1)({inner})")
        w.line(f"print({make}(3), {k})")


def recursion(w: Writer) -> None:
    f, n = w.name("rec"), w.name("n")
    style = w.choose("factorial", "fibonacci", "mutual", "tensor", "flatten")
    if style == "factorial":
        w.line(f"def {f}({n}): return 1 if {n} <= 1 else {n} * {f}({n} - 1)")
        w.line(f"print([{f}(i) for i in range(8)])")
    elif style == "fibonacci":
        w.line(f"{f} = lambda {n}: {n} if {n} < 2 else {f}({n} - 1) + {f}({n} - 2)")
        w.line(f"print({f}({w.random.randint(5, 10)}))")
    elif style == "mutual":
        w.line(f"def even_{f}({n}): return {n} == 0 or odd_{f}({n} - 1)")
        w.line(f"def odd_{f}({n}): return {n} != 0 and even_{f}({n} - 1)")
        w.line(f"print(even_{f}({w.random.randint(3, 12)}), odd_{f}(7))")
    elif style == "tensor":
        with w.function(f"def {f}(v, {n}):"):
            with w.block(f"if not {n}:"):
                w.line("return v")
            w.line(f"v = {f}(v * 0.5, {n} - 1) + {n}")
            w.line("return v")
        w.line(f"print({f}({w.expression('vec')}, 3))")
    else:
        with w.function(f"def {f}(x):"):
            w.line("if not isinstance(x, (list, tuple)): return [x]")
            w.line("out = []")
            w.line(f"for part in x: out += {f}(part)")
            w.line("return out")
        w.line(f"print({f}([{w.expression('nest')}, {w.expression('tup')}, 5, []]))")


def arguments(w: Writer) -> None:
    f = w.name("g")
    with w.function(f"def {f}(a, b=1, *rest, key=2, last='z'):"):
        w.line("return f'{a} {b} {rest} {key} {last}'")
    calls = (
        "<int>",
        "<int>, <int>",
        "1, 2, 3, <int>",
        "*<ints>",
        "<int>, *<ints>, key=<int>",
        "b=<int>, a=3",
        "key=<str>, a=<int>",
        "*[1, 2], *<tup>, last=<bool>",
        "*<(str)>[:1], 9",
        "1, *[], key=None",
    )
    for _ in range(2):
        w.line(f"print({f}({w.fill(w.choose(*calls), 2)}))")


def lambdas(w: Writer) -> None:
    fs = w.name("fs")
    w.line(f"{fs} = [lambda v: v + 1, lambda v, k=3: v * k, lambda *v: len(v), abs, math.floor]")
    w.line(f"print([f({w.expression('int')}) for f in {fs}], {fs}[1](2, k={w.expression('int')}))")
    w.line(f"print(({fs}[0] if {w.expression('bool')} else {fs}[1])({w.expression('int')}))")
