"""Expressions that no template can write: literals, comprehensions, calls, formatted text, comparisons."""

from __future__ import annotations

from collections.abc import Callable

from language_writer import Name, Writer

Production = str | Callable[[Writer, int], str]


def quarter(w: Writer, depth: int) -> str:
    return str(w.random.randint(-15, 15) / 4)


def digits(w: Writer, depth: int) -> str:
    return str(w.random.randint(0, 99))


def numbers(w: Writer, depth: int, count: int = 3) -> str:
    return "[" + ", ".join(quarter(w, depth) for _ in range(count)) + "]"


def vector(w: Writer, depth: int) -> str:
    return w.choose("torch.tensor", "tensor") + f"({numbers(w, depth)})"


def matrix(w: Writer, depth: int) -> str:
    return f"tensor([{numbers(w, depth)}, {numbers(w, depth)}])"


def integers(w: Writer, depth: int) -> str:
    return f"tensor([{', '.join(digits(w, depth) for _ in range(3))}])"


def scalar(w: Writer, depth: int) -> str:
    return f"torch.tensor({quarter(w, depth)})"


def words(w: Writer, depth: int) -> str:
    word = w.choose("spam", "ham and eggs", "Grad", "ß-Wert", "x_1", "a b", "Ωmega", "42", "tab\\t", "日本")
    quote = w.choose("'", '"', "'''", '"""')
    prefix = w.choose("", "", "", "r") if "\\" not in word else ""
    return f"{prefix}{quote}{word}{quote}"


def inside(w: Writer, kind: str, depth: int, *names: tuple[str, str]) -> str:
    """An expression that may use names of its own."""
    w.scopes.append([Name(name, of, w.level) for name, of in names])
    text = w.expression(kind, depth - 1)
    w.scopes.pop()
    return text


def comprehension_of(kind: str, least: int) -> Callable[[Writer, int], str]:
    """A list comprehension; one with conditions or without a known length only where least is 0."""

    def write(w: Writer, depth: int) -> str:
        # A name that is bound outside too must come out of the comprehension as it went in.
        outer = [known.text for known in w.visible("int")]
        i = w.random.choice(outer) if outer and w.maybe(0.3) else w.choose("i", "j", "ki")
        rows = w.expression("ints", depth - 1) if w.maybe(0.5) else f"range({w.random.randint(2, 5)})"
        if least == 0 and w.maybe(0.3):
            k = w.choose("s", "o")
            element = inside(w, kind, depth, (i, "int"), (k, "int"))
            inner = w.choose(f"range({i} % 3)", f"[{i}, -{i}]", "(1, 2)", f"range(2) if {i} > 0 else [0]")
            if inner.startswith("range(2) if"):
                inner = f"({inner})"
            test = inside(w, "bool", depth, (i, "int"), (k, "int"))
            return f"[{element} for {i} in {rows} for {k} in {inner} if ({test})]"
        if w.maybe(0.2):
            k = w.choose("s", "o")
            element = inside(w, kind, depth, (i, "int"), (k, "int"))
            over = w.choose(f"enumerate({rows})", f"zip({rows}, range(2, 9))")
            return f"[{element} for {w.choose(f'{i}, {k}', f'({i}, {k})')} in {over}]"
        element = inside(w, kind, depth, (i, "int"))
        if least == 0 and w.maybe(0.7):
            tests = [inside(w, "bool", depth, (i, "int")) for _ in range(w.random.randint(1, 2))]
            return f"[{element} for {i} in {rows} " + " ".join(f"if ({test})" for test in tests) + "]"
        return f"[{element} for {i} in {rows}]"

    return write


def applied_lambda(w: Writer, depth: int) -> str:
    p, q = w.name("p"), w.name("q")
    body = inside(w, "int", depth, (p, "int"), (q, "int"))
    default = w.expression("iatom", depth - 1)
    call = w.choose(f"({w.expression('int', depth - 1)})", f"(1, {q}={digits(w, 0)})", f"({p}=3, {q}=-2)")
    return f"(lambda {p}, {q}={default}: {body}){call}"


def call_of(kind: str, otherwise: str) -> Callable[[Writer, int], str]:
    """A call of a function of the script; they take an int and something optional called ``by``."""

    def write(w: Writer, depth: int) -> str:
        functions = w.visible(f"to_{kind}")
        if not functions:
            return w.fill(otherwise, depth)
        f = w.random.choice(functions).text
        ways = ("(<int>)", "(<iatom>, <iatom>)", "(<int>, by=<iatom>)", "(*[<int>])", "(*(1, <iatom>))")
        return f + w.fill(w.choose(*ways), depth)

    return write


def spec_for(w: Writer, kind: str) -> str:
    """A format spec that fits."""
    if kind == "str":
        return w.choose("", ":>12", ":^14", ":*<10", ":.3", ":-^9.4", "!r", "!r:>12", "!s:10", ":s", "!a")
    if kind == "int":
        options = ("", ":d", ":05d", ":,", ":+d", ":x", ":#x", ":b", ":#010b", ":o", ":>8", ":<6", ":^7")
        return w.choose(*options, ":_", ":e", ":.2f", ":8.3f", ": d", "!r", ":%", ":g", ":=+8d", ":n", ":X")
    return w.choose(
        "", ":.3f", ":>10.3f", ":+.2e", ":e", ":g", ":,.2f", ":010.2f", ":.1%", "!r", ":.0f", ":+", ":G"
    )


def f_string(w: Writer, depth: int) -> str:
    """Fields with specs; what cannot stand inside the quotes is replaced by a name or a number."""
    parts = []
    for _ in range(w.random.randint(1, 3)):
        kind = w.choose("int", "str", "float", "bool", "ints", "tup")
        text = w.expression(kind, depth - 1)
        if any(sign in text for sign in "\"\\{}#'") or "lambda" in text:
            text, kind = "7 + 1", "int"
        spec = spec_for(w, kind) if kind in ("int", "str", "float") else w.choose("", "!r", "!s")
        mark = w.choose("", "", "=", " = ") if not text.endswith("=") else ""
        if mark and kind != "int" and "!" not in spec and spec:
            spec = ""
        if w.maybe(0.1) and kind == "float":
            spec = ":{6 + 4}.{1 + 1}f"
        parts.append(w.choose("", "v: ", "{{x}} ", "ü|") + "{" + f"{text}{mark}{spec}" + "}")
    return w.choose("f", "f", "F", "rf", "fr") + '"' + "; ".join(parts) + '"'


def percent(w: Writer, depth: int) -> str:
    fields = {
        "int": ("%d", "%5d", "%-6d|", "%05d", "%+d", "%x", "%o", "%i", "%s", "%r", "%8.3f", "%e"),
        "float": ("%.3f", "%8.2f", "%-9.2e|", "%+.1f", "%g", "%s", "%r", "%d"),
        "str": ("%s", "%10s", "%-8s|", "%r", "%.2s"),
    }
    kinds = [w.choose(*fields) for _ in range(w.random.randint(1, 3))]
    text = " ".join(w.choose(*fields[kind]) for kind in kinds) + w.choose("", " %%", "!")
    values = [w.expression(kind if kind != "float" else "fsmall", depth - 1) for kind in kinds]
    return f"'{text}' % ({', '.join(values)},)"


def format_call(w: Writer, depth: int) -> str:
    kinds = [w.choose("int", "str", "fsmall") for _ in range(2)]
    values = [w.expression(kind, depth - 1) for kind in kinds]
    specs = [spec_for(w, "float" if kind == "fsmall" else kind) for kind in kinds]
    style = w.choose("auto", "position", "name")
    if style == "name":
        return f"'{{left{specs[0]}}} {{{{}}}} {{r{specs[1]}}}'.format(r={values[1]}, left={values[0]})"
    names = ("", "") if style == "auto" else ("0", "1")
    text = f"{{{names[0]}{specs[0]}}}, {{{names[1]}{specs[1]}}}"
    return f"'{text}'.format({values[0]}, {values[1]})"


def comparison(w: Writer, depth: int) -> str:
    kind = w.choose("int", "int", "float", "str")
    links = w.random.choice((1, 1, 2, 3))
    text = f"({w.expression(kind, depth - 1)})"
    for _ in range(links):
        text += f" {w.choose('<', '<=', '>', '>=', '==', '!=')} ({w.expression(kind, depth - 1)})"
    return text


def bounded(w: Writer, kind: str, depth: int = 2) -> str:
    """An expression that may be assigned again and again without growing."""
    text = w.expression(kind, depth)
    if kind == "int":
        return f"({text}) % {w.choose('1000', '89', '-50')}"
    if kind == "str":
        return f"({text})[:12]"
    if kind in ("ints", "tup"):
        return f"({text})[:6]"
    if kind in ("vec", "mat", "sca") and w.maybe(0.6):
        return w.choose(f"({text}).clamp(-9, 9)", f"tanh({text})", f"({text}) * 0.125", f"({text}) % 8")
    return text
