"""What expressions of each kind are made of: templates with typed holes, and functions where a text is
not enough. See `language_writer` for the holes.

Tensors are ``vec`` (3,), ``mat`` (2, 3), ``sca`` (), ``ivec`` int64 (3,) and ``bvec`` bool (3,). Their
numbers are quarters, and what could round differently in two correct engines is rare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


PRODUCTIONS: dict[str, Sequence[Production]] = {
    # Small enough to be multiplied.
    "iatom": (
        digits,
        digits,
        "0",
        "-3",
        "0x1f",
        "0b101",
        "0o17",
        "1_000",
        "(<(int)> % 97)",
        "(<(int)> % -13)",
        "len(<anyints>)",
        "len(<str>)",
        "len(<tup>)",
        "<(ints)>[0]",
        "<(ints)>[-1]",
        "<(ints)>[<(int)> % 2]",
        "<(tup)>[1]",
        "<(nest)>[0][1]",
        "<(str)>.count('a')",
        "<(str)>.find('e')",
        "(4 if True else <(ints)>.index(99))",
        "<(anyints)>.count(<iatom>)",
        "<(vec)>.shape[0]",
        "<(mat)>.size(1)",
        "<(mat)>.numel()",
        "<(mat)>.dim()",
        "<(vec)>.ndim",
        "len(<mat>)",
        "<(ivec)>[1].item()",
        "<(ivec)>.tolist()[0]",
        "<(vec)>.argmax().item()",
        "int(<(vec)>.nelement())",
        "int('12')",
        "int('-ff', 16)",
        "int('1010', base=2)",
        "int(<fsmall>)",
        "round(<fsmall>)",
        "bool(<int>) + 1",
        "(True + <(bool)>)",
        "range(2, 20, 3)[1]",
        "len(range(10, 0, -3))",
        "math.floor(<fsmall>)",
        "math.ceil(<fsmall>)",
        "math.gcd(<iatom>, 12)",
    ),
    "nz": ("(<(int)> % 7 + 1)", "3", "-4", "7", "(<(int)> % 5 - 6)", "2"),
    "int": (
        "<iatom>",
        "<iatom>",
        "<~int> + <~int>",
        "<~int> - <~int>",
        "<(iatom)> * <(iatom)>",
        "<~int> // <nz>",
        "<~int> % <nz>",
        "-<~int>",
        "+<~int>",
        "~<~int>",
        "<(iatom)> ** 2",
        "-<(iatom)> ** 2",
        "2 ** (<(iatom)> % 9) % 5",
        "(<~int> << 3)",
        "(<(int)> >> 2)",
        "(<(int)> & <(int)>)",
        "(<(int)> | 6 ^ <(int)>)",
        "(<(int)> ^ <(int)>)",
        "abs(<int>)",
        "sum(<anyints>)",
        "sum(<anyints>, <int>)",
        "max(<ints>)",
        "min(<ints>)",
        "min(<int>, <int>, <int>)",
        "max(<int>, <int>, key=lambda k: -k)",
        "max([], default=<int>)",
        "pow(<iatom>, 2)",
        "pow(<iatom>, 3, 7)",
        "divmod(<int>, <nz>)[<(int)> % 2]",
        "round(<int>, -1)",
        "<(int)> if <(bool)> else <int>",
        "(<(int)> and <(int)>)",
        "(<(int)> or <(int)>)",
        "(<(bool)> and <(int)>) + 1",
        "(not <(int)>) * 2",
        applied_lambda,
        call_of("int", "<iatom>"),
        call_of("int", "sum(range(<iatom> % 9))"),
        "sorted(<ints>)[0]",
        "sorted(<ints>, key=lambda k: (k % 3, -k), reverse=True)[1]",
        "[<int>, <int>][<bool>]",
        "(<int>, <int>)[0]",
    ),
    # Floats that survive int().
    "fsmall": (
        "1.5",
        "-2.75",
        ".5",
        "3.",
        "1e-3",
        "2.5E1",
        "<iatom> / <nz>",
        "(<(fsmall)> % 8.0)",
        "<(iatom)> * 0.25",
    ),
    "float": (
        "<fsmall>",
        "<~float> + <~float>",
        "<~float> - <~int>",
        "<~float> * <~fsmall>",
        "<(int)> / <nz>",
        "<~float> // 0.75",
        "<(float)> % 2.5",
        "<(float)> % -1.5",
        "-<~fsmall>",
        "abs(<fsmall>) ** 0.5",
        "<(fsmall)> ** 2",
        "2.0 ** -3",
        "math.sqrt(abs(<fsmall>))",
        "math.sin(<fsmall>)",
        "math.exp(<fsmall> % 3)",
        "math.pi",
        "np.pi",
        "pi",
        "nan if <(bool)> else 1.5",
        "math.hypot(3, <fsmall>)",
        "round(<float>, 2)",
        "float(<int>)",
        "float('1.5e2')",
        "abs(<float>)",
        "min(<float>, <float>)",
        "sum([0.25, <fsmall>])",
        "<(float)> if <(bool)> else <float>",
        "<(sca)>.item() * 0 + 1.25 if <(bool)> else 0.5",
        "inf",
        "float('-inf') * 0 if False else -0.0",
        "e",
        "divmod(<fsmall>, 0.5)[0]",
    ),
    "bool": (
        comparison,
        comparison,
        comparison,
        "not <(bool)>",
        "<(bool)> and <(bool)>",
        "<(bool)> or not <(bool)>",
        "True",
        "False",
        "<(int)> in <(anyints)>",
        "<(int)> not in <(tup)>",
        "<(int)> in range(0, 50, 7)",
        "'a' in <(str)>",
        "<(str)> not in 'spam and ham'",
        "<(str)>.startswith('s')",
        "<(str)>.endswith('s')",
        "<(str)>.isdigit()",
        "<(str)>.isalpha()",
        "isinstance(<int>, int)",
        "isinstance(<fsmall>, (int, str))",
        "isinstance(<anyints>, list)",
        "isinstance(<bool>, bool)",
        "any(<anyints>)",
        "all(<anyints>)",
        "all([<bool>, <bool>])",
        "bool(<anyints>)",
        "bool(<str>)",
        "type(<int>) == int",
        "type(<str>) is type(<ints>)",
        "id(<ints>) is None",
        "torch.Size(<ints>) == <(tup)>",
        "<(int)> is None",
        "None is not <(int)>",
        "<(anyints)> == <(anyints)>",
        "<(tup)> < <(tup)>",
        "<(ints)> != <(ints)>",
        "<(vec)>.requires_grad",
        "<(vec)>.is_leaf",
        "(<(vec)>.sum() > <fsmall>).item()",
        "bool((<(vec)> > 0.3).any())",
        "(<(ivec)> == <(ivec)>).all().item()",
        "is_tensor(<vec>)",
        "torch.is_tensor(<int>)",
        "torch.is_grad_enabled()",
        "is_grad_enabled()",
        "<(vec)>.shape == torch.Size([3])",
        "<(mat)>.shape == (2, 3)",
        "<(vec)>.dtype == torch.float64",
        "math.isnan(<fsmall>)",
        "math.isfinite(<float>)",
        "<(vec)>.grad_fn is None",
        "float('nan') == <(fsmall)>",
        "<(float)> == <(int)>",
    ),
    "str": (
        words,
        words,
        "''",
        "'it\\'s' \" joined\"",
        "'\\u00e9\\n' 'x'",
        f_string,
        f_string,
        f_string,
        percent,
        percent,
        format_call,
        format_call,
        "str(<int>)",
        "str(<anyints>)",
        "repr(<tup>)",
        "repr(<str>)",
        "str(<float>)",
        "<(str)> + <(str)>",
        "<(str)>[:6] * 2",
        "3 * 'ab'",
        "<(str)>.upper()",
        "<(str)>.lower()",
        "<(str)>.title()",
        "<(str)>.capitalize()",
        "<(str)>.strip()",
        "<(str)>.lstrip('sx')",
        "<(str)>.rstrip()",
        "<(str)>.replace('a', '--')",
        "<(str)>[1:]",
        "<(str)>[::-1]",
        "<(str)>[-4:-1]",
        "<(str)>.split('a')[0]",
        "(<(str)> + 'q')[0]",
        "', '.join(<strs>)",
        "''.join([str(k) for k in <(anyints)>])",
        "'-'.join(<(str)>)",
        "<(str)>.ljust(8, '.')",
        "<(str)>.rjust(8)",
        "<(str)>.center(9, '*')",
        "<(str)> if <(bool)> else <str>",
        "(<(str)> or 'empty')",
        "str(<bool>)",
        "str(None)",
        "str(type(<fsmall>))",
        "str(torch.Size(<tup>))",
        call_of("str", "str(<int>)"),
    ),
    "strs": (
        "[<str>, <str>]",
        "<(str)>.split()",
        "list(<str>)",
        "[str(k) for k in <(ints)>]",
        "sorted([<str>, 'b', 'a'])",
        "sorted([<str>, 'bb', ''], key=len)",
        "[s.upper() for s in [<str>, <str>]]",
    ),
    "ints": (
        "[<iatom>, <iatom>]",
        "[<iatom>, <iatom>, <iatom>]",
        "list(range(<iatom> % 5 + 2))",
        "list(range(9, 1, -2))",
        comprehension_of("iatom", 2),
        "<(ints)> + <(anyints)>",
        "[<iatom>] * 3",
        "sorted(<ints>)",
        "sorted(<ints>, reverse=<bool>)",
        "list(reversed(<ints>))",
        "<(ints)>[::-1]",
        "<(ints)>[:]",
        "[*<ints>, <iatom>]",
        "[*range(3), *<anyints>]",
        "list(<tup>)",
        "<(ivec)>.tolist()",
        "<(ints)>.copy()",
        "list(<(mat)>.shape)",
    ),
    "anyints": (
        "<ints>",
        "[]",
        comprehension_of("iatom", 0),
        comprehension_of("iatom", 0),
        "<(ints)>[1:]",
        "<(ints)>[5:]",
        "<(ints)>[::2]",
        "<(ints)>[-2:<iatom>]",
        "<(ints)>[<int>:<int>]",
        "[k for k in <(ints)> if k > <iatom>]",
        "(<(anyints)> or [1])",
    ),
    "tup": (
        "(<iatom>, <iatom>)",
        "(<iatom>, <iatom>, <iatom>)",
        "tuple(<ints>)",
        "(<iatom>, *<ints>)",
        "<(tup)> + (<iatom>,)",
        "<(tup)> * 2",
        "<(tup)>[::-1]",
        "divmod(<int>, <nz>)",
        "tuple([k // 2 for k in <(ints)>])",
    ),
    "nest": (
        "[<ints>, <ints>]",
        "[[i * j for j in range(3)] for i in range(2)]",
        "[<ints> for _ in range(2)]",
        "list([<ints>, <ints>])",
        "[[<iatom>] * 2, <ints>]",
    ),
    "pairs": (
        "list(zip(<ints>, <ints>))",
        "list(enumerate(<ints>))",
        "list(enumerate(<ints>, 5))",
        "[(i, i % 3) for i in <(ints)>]",
        "[(<int>, <int>), (1, 2)]",
    ),
    "fl": ("0.5", "2", "-1.25", "3", "0.125", "-1", "<fsmall>", "True", "<iatom>"),
    "vec": (
        vector,
        vector,
        "ones(3)",
        "zeros(3)",
        "arange(3.)",
        "torch.linspace(0, 1, 3)",
        "full((3,), 0.5)",
        "torch.eye(3)[1]",
        "<~vec> + <~vec>",
        "<~vec> - <~vec>",
        "<(vec)> * <(vec)>",
        "<(vec)> * <(fl)>",
        "<(fsmall)> - <(vec)>",
        "<(vec)> / 2",
        "<(vec)> ** 2",
        "-<(vec)>",
        "+<(vec)>",
        "<(vec)> % 2",
        "<(vec)> // 0.75",
        "<(vec)>.abs()",
        "relu(<vec>)",
        "F.relu(<vec>)",
        "torch.sin(<vec>)",
        "<(vec)>.tanh()",
        "sigmoid(<vec>)",
        "<(mat)>[0]",
        "<(mat)>[-1, :]",
        "<(mat)>.sum(0)",
        "<(mat)>.mean(dim=0)",
        "<(mat)>.max(0).values",
        "torch.max(<mat>, 0)[0]",
        "<(mat)>.T[:, 1]",
        "torch.where(<bvec>, <vec>, <vec>)",
        "<(vec)>.clamp(-1, 1)",
        "<(vec)>.flip(0)",
        "<(vec)>[[2, 0, 1]]",
        "<(vec)>[tensor([0, 0, 2])]",
        "<(vec)>[<bvec>].sum() * <vec>",
        "torch.stack([<sca>, <sca>, <sca>])",
        "torch.cat([<(vec)>[:1], <(vec)>[1:]])",
        "<(vec)>.cumsum(0)",
        "<(vec)>.detach()",
        "<(vec)>.clone()",
        "<(vec)>.data",
        "ones_like(<vec>)",
        "maximum(<vec>, <vec>)",
        "<(vec)>.view(3, 1).squeeze(1)",
        "<(vec)>.reshape(1, -1)[0]",
        "<(vec)>[None][0]",
        "<(vec)>[...]",
        "<(ivec)> * 0.5",
        "<(ivec)>.double()",
        "<(vec)>.to(torch.float64)",
        "<(sca)>.expand(3)",
        "sum([<vec>, <vec>])",
        "<(vec)>.masked_fill(<bvec>, 0.5)",
        "<(vec)> if <(bool)> else <vec>",
        "(<(vec)> if <(bool)> else <(vec)>) * 1.5",
        "torch.outer(<vec>, <vec>)[1]",
        "(<(mat)> @ <(vec)>).sum() * <vec>",
        call_of("vec", "<(vec)> * 0.5"),
        call_of("vec", "<(vec)> + 1"),
    ),
    "mat": (
        matrix,
        matrix,
        "ones(2, 3)",
        "torch.zeros((2, 3))",
        "full((2, 3), -0.25)",
        "arange(6.).reshape(2, 3)",
        "<~mat> + <~mat>",
        "<~mat> - <~vec>",
        "<(mat)> * <(mat)>",
        "<(mat)> * <(vec)>",
        "<(mat)> / 4",
        "torch.stack([<vec>, <vec>])",
        "torch.outer(<(vec)>[:2], <vec>)",
        "<(mat)> @ eye(3)",
        "<(mat)>.T.T",
        "<(mat)>[[1, 0]]",
        "<(mat)>.unsqueeze(0)[0]",
        "<(mat)>.transpose(0, 1).t()",
        "ones(2, 3) * <iatom>",
    ),
    "sca": (
        scalar,
        scalar,
        "<(vec)>.sum()",
        "<(vec)>.mean()",
        "<(mat)>.sum()",
        "<(vec)> @ <(vec)>",
        "torch.dot(<vec>, <vec>)",
        "<(vec)>.max()",
        "<(vec)>.min()",
        "<(vec)>.prod()",
        "<(vec)>[0]",
        "<(vec)>[-1]",
        "<(mat)>[1, 2]",
        "<(mat)>[0][1]",
        "<~sca> + <~sca>",
        "<(sca)> * <(fl)>",
        "<(iatom)> - <(sca)>",
        "sum(<vec>)",
        "max(<vec>)",
        "torch.exp(<(sca)> * 0.1)",
        "<(sca)> ** 2",
        "F.mse_loss(<vec>, <vec>)",
        "(<(sca)> ** 2 + 1).sqrt()",
        "abs(<sca>)",
        "sum([v * 2 for v in <(vec)>])",
    ),
    "ivec": (
        integers,
        integers,
        "arange(3)",
        "torch.arange(1, 7, 2)",
        "<(ivec)> + <(ivec)>",
        "<(ivec)> * 2",
        "<(ivec)> % 5",
        "<(ivec)> // 2",
        "-<(ivec)>",
        "<(bvec)>.long()",
        "<(vec)>.long() % 9",
        "<(ivec)>.sort().values",
        "torch.tensor(<ints>)[:1] + arange(3)",
        "<(vec)>.argsort() * 0 + 2",
    ),
    "bvec": (
        "tensor([True, False, True])",
        "<(vec)> > 0.3",
        "<(vec)> <= <(vec)>",
        "<(vec)> == <(vec)>",
        "<(ivec)> != 3",
        "~<(bvec)>",
        "<(bvec)> & <(bvec)>",
        "<(bvec)> | <(bvec)>",
        "<(bvec)> ^ <(bvec)>",
        "1 < <(vec)>",
        "<(ivec)>.bool()",
    ),
}

# What is left where nesting ends.
SIMPLE: dict[str, Sequence[Production]] = {
    "iatom": (digits, digits, "0", "-3", "0x1f", "0b101", "0o17", "1_000"),
    "int": (digits, digits, "-7", "0xFF"),
    "nz": ("3", "-4", "7", "2"),
    "fsmall": ("1.5", "-2.75", ".5", "3.", "1e-3", "2.5E1"),
    "float": ("1.5", "-0.0", "inf", "6.25e-2", "1_0.5"),
    "fl": ("0.5", "2", "-1.25", "3", "0.125", "-1", "True"),
    "bool": ("True", "False"),
    "str": (words,),
    "strs": ("['b', 'aa', '']", "['x', 'Y']"),
    "ints": ("[3, 1, 2]", "[0, 7]", "[4, 4]"),
    "anyints": ("[]", "[5]", "[1, 0, 8]"),
    "tup": ("(1, 2)", "(0, 5, 3)", "(7, 7)"),
    "nest": ("[[1, 2], [3, 4]]", "[[0, 1, 2], [5, 6]]"),
    "pairs": ("[(1, 2), (0, 3)]", "[(2, 2), (1, 9), (2, 0)]"),
    "vec": (vector, vector, "ones(3)", "arange(3.)"),
    "mat": (matrix, matrix, "torch.ones(2, 3)"),
    "sca": (scalar,),
    "ivec": (integers, "arange(3)"),
    "bvec": ("tensor([True, False, True])",),
}
