"""Expressions as LaTeX for amsmath: fractions, powers, Greek letters, indices, Iverson brackets, functions.

A letter command replaces a backslash before punctuation where there is one, since Markdown would take that
backslash for an escape. Products have a ``\\cdot``, since long names would run together without it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from autodiff.core.base.limits import limits
from autodiff.core.symbolic.expr import ARGUMENT_SLOT, Expr, number_expr, number_text, postorder
from autodiff.core.symbolic.source_exprs import MODULE_CONSTANT, parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: How tightly a piece of LaTeX binds, as in ``expr``: sums, products, signs, powers, complete pieces.
#: Entrywise products bind more loosely than matrix products, whose factors are written side by side.
COMPARISON_LEVEL, SUM_LEVEL, ENTRYWISE_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, ATOM_LEVEL = 1, 3, 4, 5, 6, 8

GREEK = frozenset(
    """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
    psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
    """.split()
)
FUNCTIONS = frozenset("exp log ln sin cos tan arcsin arccos arctan sinh cosh tanh det max min".split())
#: The command of a function that has another name in LaTeX.
RENAMED_FUNCTIONS = {
    **{"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "sigmoid": r"\sigma"},
    **{"log2": r"\log_{2}", "log10": r"\log_{10}", "amax": r"\max", "amin": r"\min"},
    **{"maximum": r"\max", "minimum": r"\min"},
}
FUNCTION_DELIMITERS = {
    "abs": (r"\left\lvert ", r" \right\rvert"),
    "floor": (r"\left\lfloor ", r" \right\rfloor"),
    "ceil": (r"\left\lceil ", r" \right\rceil"),
    "sqrt": (r"\sqrt{", "}"),
    "norm": (r"\left\lVert ", r" \right\rVert"),
}
COMPARISONS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\ne"}
LOGIC = {"&": r"\land", "|": r"\lor", "^": r"\oplus"}
ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    **{sign: "\\" + sign for sign in "{}$&#_%"},
}
#: The middle of longer source texts is left out.
LONGEST_TEXT = 30
PLACES = re.compile(r"(\[[^\[\]]*\])*")
NAME_WITH_SUFFIX = re.compile(
    r"(.+) \((line \d+(?:, \d+[a-z]+)?|\d+[a-z]{2})\)"
)  # suffixes of core/paths/node_names
PLAIN = re.compile(r"([^\W\d_]+)(\d*)((?:_[^\W_]+)*)((?:\[[^\[\]]*\])*)")

#: The text, how tightly it binds, and how many dimensions its value has: 0 for a number, UNKNOWN for a tensor
#: of which no more is known.
Piece = tuple[str, int, int]
UNKNOWN = -1
#: Functions whose result is a number if they have no further arguments.
SCALAR_FUNCTIONS = frozenset(["sum", "mean", "dot", "det", "trace", "prod"])


def latex(
    root: Expr,
    values: Mapping[str, str] | None = None,
    digits: int | None = None,
    tensors: Mapping[str, int] | None = None,
) -> str:
    """The expression in math mode. ``values`` has LaTeX that replaces names, such as matrices.

    ``tensors`` has the names of tensors, each with the number of its dimensions or UNKNOWN. Tensors are
    multiplied entry by entry, which is written ``\\odot``. The inner product of two vectors is that of a row
    and a column.

    >>> from autodiff.core.symbolic.expr import infix, name_expr, neg, number_expr
    >>> x, w = name_expr("x"), name_expr("w1")
    >>> square = infix("**", x, number_expr(2))
    >>> print(latex(infix("/", neg(infix("*", w, infix("+", x, number_expr(1)))), square)))
    \\frac{-w_{1} \\cdot \\left(x + 1\\right)}{x^{2}}
    >>> print(latex(infix("*", name_expr("alpha"), infix(">", x, number_expr(0)))))
    \\alpha \\cdot \\left[x > 0\\right]
    """
    done: dict[int, Piece] = {}
    for expr in postorder(root):
        args = [done[id(arg)] for arg in expr.args]
        text, level = _piece(expr, args, values or {}, digits)
        done[id(expr)] = text, level, _dimensions(expr, [arg[2] for arg in args], tensors or {})
    return done[id(root)][0]


def _dimensions(expr: Expr, args: list[int], tensors: Mapping[str, int]) -> int:
    """How many dimensions the value has whose parts have so many; UNKNOWN for a tensor of another kind."""
    head = expr.head
    if head == "name":
        return tensors.get(expr.value, 0)
    if head == "call" and expr.value == "ones":
        return len(expr.details) or UNKNOWN
    if not any(args) or (head == "call" and expr.value in SCALAR_FUNCTIONS and not expr.details):
        return 0
    is_elementwise = expr.value in FUNCTIONS or expr.value in RENAMED_FUNCTIONS
    is_other = head == "call" and (expr.details or len(args) > 1 or not is_elementwise)
    if UNKNOWN in args or is_other or (head == "postfix" and expr.value not in (".T", ".mT")):
        return UNKNOWN
    if head == "@":
        return sum(args) - 2 if max(args) < 3 else UNKNOWN
    return max(args)


def derivative_latex(above: Expr | str, below: Expr | str, sign: str = r"\partial") -> str:
    """The derivative of one name by another.

    >>> print(derivative_latex("L", "w1"), derivative_latex("L", "x", r"\\mathrm{d}"))
    \\frac{\\partial L}{\\partial w_{1}} \\frac{\\mathrm{d} L}{\\mathrm{d} x}
    """
    return rf"\frac{{{sign} {_derivative_operand(above)}}}{{{sign} {_derivative_operand(below)}}}"


def second_derivative_latex(above: str, first: str, second: str, sign: str = r"\partial") -> str:
    """The second derivative of one name by two others, or twice by one.

    >>> print(second_derivative_latex("L", "w1", "w1"), second_derivative_latex("L", "v", "w"))
    \\frac{\\partial^{2} L}{\\partial w_{1}^{2}} \\frac{\\partial^{2} L}{\\partial v \\, \\partial w}
    """
    over, by, again = map(_derivative_operand, (above, first, second))
    below = rf"{sign} {by}^{{2}}" if first == second else rf"{sign} {by} \, {sign} {again}"
    return rf"\frac{{{sign}^{{2}} {over}}}{{{below}}}"


def _derivative_operand(what: Expr | str) -> str:
    """A name after a d, in brackets if it has several pieces."""
    if isinstance(what, Expr) and what.head != "name":
        text, is_whole = latex(what, digits=limits.digits), what.head == "call"
    else:
        text, level = name_piece(what.value if isinstance(what, Expr) else what)
        is_whole = level == ATOM_LEVEL
    return text if is_whole else rf"\left({text}\right)"


def name_latex(spelled: str) -> str:
    """A name, or the source text that is used as a name.

    >>> print(name_latex("w1"), name_latex("learning_rate"), name_latex("X[0,1]"), name_latex("x_2"))
    w_{1} \\mathrm{learning}_{\\mathrm{rate}} X_{[0,1]} x_{2}
    >>> print(name_latex("w2*x3"), name_latex("dL/dz[0]"), name_latex("torch.mm(X, W)"))
    w_{2} \\cdot x_{3} \\frac{\\partial L}{\\partial z_{[0]}} \\operatorname{mm}\\left(X, W\\right)
    """
    return name_piece(spelled)[0]


def escaped(text: str) -> str:
    """Any text, for text mode. Characters outside ASCII are written as their code points."""
    made = []
    for character in text:
        if character in ESCAPES:
            made.append(ESCAPES[character])
        elif character.isascii() and (character.isprintable() or character == " "):
            made.append(character)
        else:
            made.append(f"U+{ord(character):04X}")
    return "".join(made)


# -- names ------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 12)  # a derivative of fourth order has the same names thousands of times
def name_piece(spelled: str) -> tuple[str, int]:
    """A name as LaTeX, and how tightly it binds."""
    constant = MODULE_CONSTANT.fullmatch(spelled)
    plain = PLAIN.fullmatch(constant[1] if constant else spelled)
    if plain:
        return _plain_name(plain), ATOM_LEVEL
    repeated = NAME_WITH_SUFFIX.fullmatch(spelled)
    if repeated:
        text, level = name_piece(repeated[1])
        base = text if level == ATOM_LEVEL else rf"\left({text}\right)"
        return rf"{{{base}}}_{{\text{{{repeated[2]}}}}}", ATOM_LEVEL
    derivative = parse_quotient(spelled)
    if derivative is not None:
        return derivative_latex(*derivative), ATOM_LEVEL
    expr = parse_source(spelled)
    if expr is None or expr.head == "name":  # a name that is none of the plain ones above
        cut = LONGEST_TEXT // 2
        shown = spelled if len(spelled) <= LONGEST_TEXT else f"{spelled[:cut]}...{spelled[3 - cut :]}"
        return rf"\texttt{{{escaped(shown)}}}", ATOM_LEVEL
    text = latex(expr)
    return text, ATOM_LEVEL if expr.head in ("call", "name", "number", "postfix") else SUM_LEVEL


def parse_quotient(spelled: str) -> tuple[str, str] | None:
    """The two names of a derivative as ``node_names`` spells it; None for any other text.

    >>> parse_quotient("dL/d(x*y)"), parse_quotient("d(dL/dw)/dz[0]"), parse_quotient("dL/d(x)*2")
    (('L', 'x*y'), ('dL/dw', 'z[0]'), None)
    """
    above, rest = parse_quotient_side(spelled)
    below, rest = parse_quotient_side(rest.removeprefix("/")) if rest.startswith("/d") else ("", "?")
    return (above, below) if above and below and not rest else None


def parse_quotient_side(spelled: str) -> tuple[str, str]:
    """The name after a d, and the rest of the text. The name is empty if the text does not begin with a d."""
    if spelled.startswith("d("):
        depth = 0
        for at, character in enumerate(spelled):
            depth += (character == "(") - (character == ")")
            if not depth and character == ")":
                places = PLACES.match(spelled, at + 1)
                assert places is not None
                inner = spelled[2:at] if not places[0] else spelled[1 : at + 1] + places[0]
                return inner, spelled[places.end() :]
        return "", spelled
    plain = PLAIN.match(spelled, 1) if spelled.startswith("d") else None
    return ("", spelled) if plain is None else (plain[0], spelled[plain.end() :])


def _plain_name(match: re.Match[str]) -> str:
    letters, digits, rest, places = match.groups()
    base = _letters(letters)
    below = [digits] if digits else []
    below += [_word(part) for part in rest.split("_") if part]
    below += [_index(part) for part in re.findall(r"\[[^\[\]]*\]", places)]
    return base + (f"_{{{','.join(below)}}}" if below else "")


def _letters(letters: str) -> str:
    if letters in GREEK:
        return "\\" + letters
    if len(letters) == 1 and letters.isascii():
        return letters
    if len(letters) == 1:
        from unicodedata import name as unicode_name

        said = unicode_name(letters, "").split()
        if said[:1] == ["GREEK"] and said[-1].lower() in GREEK:
            return "\\" + (said[-1].lower() if "SMALL" in said else said[-1].capitalize())
    return rf"\mathrm{{{escaped(letters)}}}"


def _word(part: str) -> str:
    if part.isdigit() or (len(part) == 1 and part.isascii()):
        return part
    return _letters(part) if part in GREEK else rf"\mathrm{{{escaped(part)}}}"


def _index(part: str) -> str:
    """An index with its brackets: without them ``x_1`` would look the same as ``x[1]``."""
    part = part.replace(" ", "")
    return part if re.fullmatch(r"\[[\d:,+a-z-]*\]", part) else rf"\text{{{escaped(part)}}}"


# -- one head -----------------------------------------------------------------------------------------------


def _piece(expr: Expr, args: list[Piece], values: Mapping[str, str], digits: int | None) -> tuple[str, int]:
    head = expr.head
    if head == "number":
        return _number(expr.value, digits)
    if head == "name":
        given = values.get(expr.value)
        if given is not None:
            return given, SIGN_LEVEL if given.startswith("-") else ATOM_LEVEL
        return name_piece(expr.value)
    if head == "call":
        return _call(expr, args)
    if head == "postfix":
        base = _script_base(args[0])
        if expr.value in (".T", ".mT"):
            return rf"{base}^{{\top}}", ATOM_LEVEL
        return f"{base}_{{{_index(expr.value)}}}", ATOM_LEVEL
    if head == "claim":
        return rf"\left[{args[0][0]}\right]", ATOM_LEVEL
    if head == "neg":
        return "-" + _bracket_below_level(args[0], ENTRYWISE_LEVEL), SIGN_LEVEL if args[0][
            1
        ] >= PRODUCT_LEVEL else ENTRYWISE_LEVEL
    if head == "~":
        return r"\lnot " + _bracket_below_level(args[0], ATOM_LEVEL), COMPARISON_LEVEL
    return _infix(head, args)


def _infix(head: str, args: list[Piece]) -> tuple[str, int]:
    a, b = args
    if head == "/":
        return rf"\frac{{{a[0]}}}{{{b[0]}}}", ATOM_LEVEL
    if head == "**":
        base = _bracket_below_level(a, ATOM_LEVEL)
        # A power of a power or of a fraction needs brackets: otherwise LaTeX sees two exponents.
        is_bare = a[1] >= ATOM_LEVEL and (base.startswith(r"\frac") or "^" in base)
        base = rf"\left({base}\right)" if is_bare else base
        return f"{base}^{{{b[0]}}}", ATOM_LEVEL
    if head == "@" and a[2] == b[2] == 1:
        return rf"{_script_base(a)}^{{\top}} {_factor(b, is_right=True)}", PRODUCT_LEVEL
    if head == "@":
        return f"{_factor(a)} {_factor(b, is_right=True)}", PRODUCT_LEVEL
    if head == "*":
        is_entrywise = a[2] and b[2]
        sign = r"\odot" if is_entrywise else r"\cdot"
        level = ENTRYWISE_LEVEL if is_entrywise or ENTRYWISE_LEVEL in (a[1], b[1]) else PRODUCT_LEVEL
        return f"{_factor(a, ENTRYWISE_LEVEL)} {sign} {_factor(b, ENTRYWISE_LEVEL, is_right=True)}", level
    if head in ("+", "-"):
        right = _bracket_below_level(b, ENTRYWISE_LEVEL)
        right = rf"\left({right}\right)" if right.startswith("-") else right
        return f"{_term(a)} {head} {right}", SUM_LEVEL
    if head == "//":
        return rf"\left\lfloor \frac{{{a[0]}}}{{{b[0]}}} \right\rfloor", ATOM_LEVEL
    if head == "%":
        return rf"{_factor(a)} \bmod {_factor(b, is_right=True)}", PRODUCT_LEVEL
    if head in LOGIC:
        return rf"{_condition_latex(a)} {LOGIC[head]} {_condition_latex(b)}", COMPARISON_LEVEL
    return (
        rf"{_bracket_below_level(a, SUM_LEVEL)} {COMPARISONS[head]} {_bracket_below_level(b, SUM_LEVEL)}",
        COMPARISON_LEVEL,
    )


def _script_base(piece: Piece) -> str:
    """What a script such as an index is put behind."""
    base = _bracket_below_level(piece, ATOM_LEVEL)
    is_bare = piece[1] >= ATOM_LEVEL and ("^" in base or "_" in base)  # brackets separate scripts already
    return f"{{{base}}}" if is_bare else base


def _term(piece: Piece) -> str:
    return _bracket_below_level(piece, SUM_LEVEL)


def _condition_latex(piece: Piece) -> str:
    return rf"\left({piece[0]}\right)" if piece[1] <= COMPARISON_LEVEL else piece[0]


def _factor(piece: Piece, least: int = PRODUCT_LEVEL, is_right: bool = False) -> str:
    """A factor: a comparison gets Iverson brackets, and a sign gets brackets unless it comes first."""
    text, level, _ = piece
    if level == COMPARISON_LEVEL:
        return rf"\left[{text}\right]"
    if level < least or (is_right and (level == SIGN_LEVEL or text.startswith("-"))):
        return rf"\left({text}\right)"
    return text


def _bracket_below_level(piece: Piece, level: int) -> str:
    text, own, _ = piece
    if own >= level:
        return text
    return rf"\left[{text}\right]" if own == COMPARISON_LEVEL else rf"\left({text}\right)"


def _number(value: float, digits: int | None) -> tuple[str, int]:
    if value != value:
        return r"\mathrm{NaN}", ATOM_LEVEL
    if value in (float("inf"), float("-inf")):
        return (r"\infty", ATOM_LEVEL) if value > 0 else (r"-\infty", SIGN_LEVEL)
    spelled = number_text(value, digits)
    mantissa, e, exponent = spelled.partition("e")
    if e:
        return rf"{mantissa} \times 10^{{{int(exponent)}}}", PRODUCT_LEVEL
    return spelled, SIGN_LEVEL if spelled.startswith("-") else ATOM_LEVEL


def _call(expr: Expr, args: list[Piece]) -> tuple[str, int]:
    function = str(expr.value)
    texts = [text for text, *_ in args]
    if function in FUNCTION_DELIMITERS and len(args) == 1 and not expr.details:
        left, right = FUNCTION_DELIMITERS[function]
        return left + texts[0] + right, ATOM_LEVEL
    if function == "where" and len(args) == 3:
        condition, a, b = texts
        return rf"\begin{{cases}} {a} & {condition} \\ {b} & \text{{otherwise}} \end{{cases}}", ATOM_LEVEL
    if function == "ones" and not args:
        shape = r" \times ".join(expr.details)
        return rf"\mathbf{{1}}_{{{shape}}}", ATOM_LEVEL
    if function == "one_hot" and expr.params is not None and expr.params["targets"].__class__ is int:
        return rf"\mathbf{{e}}_{{[{expr.params['targets']}]}}", ATOM_LEVEL
    if "{0}" in function:
        parts = ARGUMENT_SLOT.split(function)
        shown = [texts[int(part)] if at % 2 else _typewriter_latex(part) for at, part in enumerate(parts)]
        return "".join(shown), ATOM_LEVEL
    if function in RENAMED_FUNCTIONS:
        command = RENAMED_FUNCTIONS[function]
    elif function in FUNCTIONS:
        command = "\\" + function
    elif re.fullmatch(r"[A-Za-z]+", function):
        command = rf"\operatorname{{{function}}}"
    else:
        command = rf"\operatorname{{\texttt{{{escaped(function)}}}}}"
    inside = ", ".join([*texts, *(rf"\texttt{{{escaped(detail)}}}" for detail in expr.details)])
    return rf"{command}\left({inside}\right)", ATOM_LEVEL


def _typewriter_latex(text: str) -> str:
    """A piece of code, split after commas so that a line may end there."""
    return ", ".join(rf"\texttt{{{escaped(part)}}}" if part else "" for part in text.split(", "))


# -- matrices ---------------------------------------------------------------------------------------------


def matrix(rows: Sequence[Sequence[float]], digits: int | None = None) -> str:
    """A matrix of numbers.

    >>> print(matrix([[1.0, 2.0], [3.0, -4.5]]))
    \\begin{pmatrix} 1 & 2 \\\\ 3 & -4.5 \\end{pmatrix}
    """
    lines = r" \\ ".join(" & ".join(_number(number_expr(x).value, digits)[0] for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {lines} \end{{pmatrix}}"
