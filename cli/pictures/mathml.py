"""Expressions as MathML, which browsers show without a library."""

from __future__ import annotations

import re
from html import escape

from autodiff.cli.render.expression_latex import NAME_WITH_SUFFIX, PLAIN, parse_quotient
from autodiff.cli.render.page import fit
from autodiff.core.base.limits import limits
from autodiff.core.symbolic.expr import BINDING_LEVELS, Expr, number_expr, number_text, postorder
from autodiff.core.symbolic.source_exprs import MODULE_CONSTANT, parse_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: XML, and how tightly it binds (``BINDING_LEVELS``).
Piece = tuple[str, int]

PRODUCT, SIGN, POWER = BINDING_LEVELS["*"], BINDING_LEVELS["neg"], BINDING_LEVELS["**"]
ATOM = POWER + 1
SIGNS = {
    "*": "·",
    "@": "",
    "-": "−",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "==": "=",
    "%": "mod",
    "&": "∧",
    "|": "∨",
}
FENCES = {"abs": "||", "norm": "‖‖", "floor": "⌊⌋", "ceil": "⌈⌉"}
#: Longer formulas are described by their size: nobody could read them, and shared parts are written out.
MOST_SYMBOLS = 400
WIDEST_TEXT = 60


def mathml(root: Expr, values: Mapping[str, Piece] | None = None) -> str:
    """An expression; ``values`` are what to write for names, such as matrices.

    >>> from autodiff.core.symbolic.expr import infix, name_expr, neg, number_expr
    >>> print(mathml(infix("**", name_expr("x1"), number_expr(2))))
    <msup><msub><mi>x</mi><mn>1</mn></msub><mn>2</mn></msup>
    """
    return _whole(root, values or {})[0]


def _whole(root: Expr, values: Mapping[str, Piece]) -> Piece:
    if root.size > MOST_SYMBOLS:
        return f"<mtext>a formula of {root.size:,} symbols</mtext>", ATOM
    done: dict[int, Piece] = {}
    for expr in postorder(root):
        done[id(expr)] = _piece(expr, [done[id(arg)] for arg in expr.args], values)
    return done[id(root)]


def text_mathml(text: str) -> str:
    """A formula that is given as text; what is no formula stays text."""
    return text_piece(text)[0]


def text_piece(text: str) -> Piece:
    """As ``text_mathml``, with how tightly it binds: a negative number needs brackets below a power."""
    expr = parse_source(text) if len(text) <= MOST_SYMBOLS else None
    return (mtext(text), ATOM) if expr is None else _whole(expr, {})


def quotient(above: Expr, below: Expr) -> str:
    """The derivative of one by the other."""
    parts = [_operand(part) for part in (above, below)]
    return "<mfrac>" + "".join(f"<mrow><mo>∂</mo>{part}</mrow>" for part in parts) + "</mfrac>"


def _operand(what: Expr) -> str:
    """What is differentiated, in brackets if it has several pieces; a name may be source text: ``w2*x3``."""
    if what.head == "name":
        return _at_least(_name(what.value), ATOM)
    return mathml(what) if what.head == "call" else brackets(mathml(what))


def matrix(rows: Sequence[Sequence[float]]) -> Piece:
    """A matrix of numbers."""
    entries = ("".join(f"<mtd>{_number(number_expr(x).value)[0]}</mtd>" for x in row) for row in rows)
    # The style sheet draws the brackets: signs grow with a table only in fonts that few machines have.
    return '<mtable class="matrix">' + "".join(f"<mtr>{row}</mtr>" for row in entries) + "</mtable>", ATOM


def brackets(inner: str, signs: str = "()") -> str:
    return f"<mrow><mo>{signs[0]}</mo>{inner}<mo>{signs[1]}</mo></mrow>"


def mtext(text: str) -> str:
    return f"<mtext>{escape(fit(text, WIDEST_TEXT))}</mtext>"


def _piece(expr: Expr, args: list[Piece], values: Mapping[str, Piece]) -> Piece:
    head = expr.head
    if head == "number":
        return _number(expr.value)
    if head == "name":
        return values.get(expr.value) or _name(expr.value)
    if head == "call":
        return _call(expr, args), ATOM
    if head == "postfix":
        script = "⊤" if expr.value in (".T", ".mT") else expr.value.strip("[]")
        tag = "msup" if script == "⊤" else "msub"
        return f"<{tag}>{_at_least(args[0], ATOM)}{mtext(script)}</{tag}>", ATOM
    if head == "list":
        return brackets("<mo>,</mo>".join(xml for xml, _ in args), "[]"), ATOM
    if head == "claim":
        return brackets(args[0][0], "[]"), ATOM
    if head in ("neg", "~"):
        sign = "−" if head == "neg" else "¬"
        operand = brackets(args[0][0]) if args[0][1] == SIGN else _at_least(args[0], PRODUCT)
        return f'<mrow><mo form="prefix">{sign}</mo>{operand}</mrow>', SIGN
    return _infix(head, args)


def _infix(head: str, args: list[Piece]) -> Piece:
    a, b = args
    level = BINDING_LEVELS[head]
    if head == "/":
        return f"<mfrac>{a[0]}{b[0]}</mfrac>", ATOM
    if head == "**":
        return f"<msup>{_at_least(a, ATOM)}{b[0]}</msup>", POWER
    first = a[0] if a[1] == SIGN else _at_least(a, level)  # -w*x needs no brackets
    second = _at_least(b, level if head in "+*&|" else level + 1)
    second = brackets(second) if b[1] == SIGN else second
    sign = SIGNS.get(head, head)
    middle = f"<mo>{escape(sign)}</mo>" if sign else "<mo>⁢</mo>"
    return f"<mrow>{first}{middle}{second}</mrow>", level


def _at_least(piece: Piece, level: int) -> str:
    return piece[0] if piece[1] >= level else brackets(piece[0])


def _number(value: float) -> Piece:
    if value != value:
        return "<mtext>nan</mtext>", ATOM
    spelled = number_text(value, limits.digits).replace("inf", "∞")
    sign = '<mo form="prefix">−</mo>' if spelled.startswith("-") else ""
    mantissa, e, exponent = spelled.removeprefix("-").partition("e")
    made = f"<mn>{mantissa}</mn>"
    if e:
        power = int(exponent)
        up = f"<mrow><mo>−</mo><mn>{-power}</mn></mrow>" if power < 0 else f"<mn>{power}</mn>"
        made = f"<mrow>{made}<mo>×</mo><msup><mn>10</mn>{up}</msup></mrow>"
    return (f"<mrow>{sign}{made}</mrow>", SIGN) if sign else (made, PRODUCT if e else ATOM)


def _name(spelled: str) -> Piece:
    """A name with its digits below, a derivative as a fraction, or the source text that stands for a name."""
    constant = MODULE_CONSTANT.fullmatch(spelled)
    plain = PLAIN.fullmatch(constant[1] if constant else spelled)
    if plain:
        letters, digits, rest, places = plain.groups()
        below = ",".join(filter(None, [digits, *rest.split("_"), *re.findall(r"\[([^\[\]]*)\]", places)]))
        made = f"<mi>{escape(fit(letters, WIDEST_TEXT))}</mi>"
        if below:
            low = f"<mn>{below}</mn>" if below.isdigit() else mtext(below)
            made = f"<msub>{made}{low}</msub>"
        return made, ATOM
    repeated = NAME_WITH_SUFFIX.fullmatch(spelled)
    if repeated:
        return f"<msub>{_at_least(_name(repeated[1]), ATOM)}{mtext(repeated[2])}</msub>", ATOM
    derivative = parse_quotient(spelled)
    if derivative is not None:
        parts = (f"<mrow><mo>∂</mo>{_at_least(_name(part), ATOM)}</mrow>" for part in derivative)
        return f"<mfrac>{''.join(parts)}</mfrac>", ATOM
    expr = parse_source(spelled) if len(spelled) <= MOST_SYMBOLS else None
    if expr is None or expr.head == "name":
        return mtext(spelled), ATOM
    return mathml(expr), BINDING_LEVELS.get(expr.head, ATOM)


def _call(expr: Expr, args: list[Piece]) -> str:
    function = str(expr.value)
    texts = [xml for xml, _ in args]
    if function == "sqrt" and len(texts) == 1:
        return f"<msqrt>{texts[0]}</msqrt>"
    if function in FENCES and len(texts) == 1 and not expr.details:
        return brackets(texts[0], FENCES[function])
    if function == "where" and len(texts) == 3:
        rows = ((texts[1], texts[0]), (texts[2], "<mtext>otherwise</mtext>"))
        table = "".join(f"<mtr><mtd>{value}</mtd><mtd>{when}</mtd></mtr>" for value, when in rows)
        return f"<mrow><mo>{{</mo><mtable>{table}</mtable></mrow>"
    if "{0}" in function:
        parts = re.split(r"\{(\d)\}", function)
        return (
            "<mrow>"
            + "".join(texts[int(p)] if at % 2 else mtext(p) for at, p in enumerate(parts))
            + "</mrow>"
        )
    inside = "<mo>,</mo>".join([*texts, *map(mtext, expr.details)])
    return f"<mrow><mi>{escape(fit(function, WIDEST_TEXT))}</mi><mo>⁡</mo>{brackets(inside)}</mrow>"
