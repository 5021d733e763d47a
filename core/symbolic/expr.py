"""Expressions: one immutable tree, and its text in Python notation.

Trees share branches and may be very deep. So every walk is a loop that visits a shared branch once. The
exception is ``text``, which writes a shared branch at each of its places and therefore takes a limit.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

#: How tightly each head binds, loosest first. An operand that binds less than its position requires gets
#: brackets.
COMPARISON_LEVEL, OR_LEVEL, AND_LEVEL, SUM_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, POWER_LEVEL, ATOM_LEVEL = range(
    1, 9
)
BINDING_LEVELS = {
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), COMPARISON_LEVEL),
    "|": OR_LEVEL,
    "^": OR_LEVEL,
    "&": AND_LEVEL,
    "+": SUM_LEVEL,
    "-": SUM_LEVEL,
    "*": PRODUCT_LEVEL,
    "/": PRODUCT_LEVEL,
    "//": PRODUCT_LEVEL,
    "%": PRODUCT_LEVEL,
    "@": PRODUCT_LEVEL,
    "neg": SIGN_LEVEL,
    "~": SIGN_LEVEL,
    "**": POWER_LEVEL,
}
ARITHMETIC = ("+", "-", "*", "/", "@", "neg", "**")
LARGEST_EXACT_INT = 2**53
#: The text before and after a comparison that is used as a number: for readers, and for code that is run.
IVERSON_BRACKETS, WHERE_BRACKETS = ("[", "]"), ("where(", ", 1.0, 0.0)")
SIZE_CAP = 10**9
BRACKETED_PART = re.compile(r"\([^()\[\]]*\)|\[[^()\[\]]*\]")
#: An operator; no sign of an exponent, as in 1e-5.
OPERATOR = re.compile(r"(?:\*\*|//|[<>=!]=|[-+](?<!\d[eE][-+])|[<>|^&*/%@~])")
ARGUMENT_SLOT = re.compile(r"\{(\d)\}")


class Expr:
    """A number, a name, or a head with arguments.

    ``head`` is ``"number"``, ``"name"``, ``"call"`` (of the function ``value``), ``"postfix"`` (``value`` is
    ``".T"`` or ``"[0, :]"``), ``"list"``, ``"claim"`` (1 where its argument holds, else 0), ``"neg"`` or an
    infix operator. A function may be a template such as ``"index_put({0}, (1,), {1})"``, with ``{0}`` and
    ``{1}`` for the arguments.
    ``details`` are the further arguments of a call as text, ``params`` the same arguments as values.
    ``shapes`` are the shapes that the arguments must have if the op does not broadcast, None if unknown.
    ``size`` is the number of symbols in the tree when it is written out, capped at ``SIZE_CAP``.
    """

    __slots__ = ("_hash", "args", "details", "head", "params", "shapes", "size", "value")

    _hash: int
    size: int

    def __init__(
        self,
        head: str,
        args: tuple[Expr, ...] = (),
        value: Any = None,
        details: tuple[str, ...] = (),
        params: dict[str, Any] | None = None,
        shapes: tuple[tuple[int, ...], ...] | None = None,
    ) -> None:
        self.head = head
        self.args = args
        self.value = value
        self.details = details
        self.params = params
        self.shapes = shapes
        size = 1
        for arg in args:
            size += arg.size
        self.size = size if size < SIZE_CAP else SIZE_CAP
        self._hash = hash((head, value, details, *(arg._hash for arg in args)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expr):
            return NotImplemented
        todo = [(self, other)]
        seen = set()
        while todo:
            a, b = todo.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if a._hash != b._hash or a.head != b.head or a.details != b.details:
                return False
            if a.value != b.value or len(a.args) != len(b.args):
                return False
            seen.add((id(a), id(b)))
            todo.extend(zip(a.args, b.args, strict=True))
        return True

    def with_args(self, args: tuple[Expr, ...]) -> Expr:
        """The same head with other arguments."""
        return Expr(self.head, args, self.value, self.details, self.params, self.shapes)

    def __str__(self) -> str:
        return expr_text(self)

    def __repr__(self) -> str:
        return f"<expr {expr_text(self, 200)}>"


def number_expr(value: float) -> Expr:
    """An expression for a number. Whole floats become ints, whose text is shorter.

    >>> str(number_expr(2.0)), str(number_expr(-0.5))
    ('2', '-0.5')
    """
    if value.__class__ is int and -LARGEST_EXACT_INT <= value <= LARGEST_EXACT_INT:
        return Expr("number", value=value)
    try:
        value = float(value)
    except OverflowError:
        value = float("inf") if value > 0 else float("-inf")
    whole = -LARGEST_EXACT_INT <= value <= LARGEST_EXACT_INT and value == int(value)
    return Expr("number", value=int(value) if whole else value)


def name_expr(text: str) -> Expr:
    """An expression for a variable."""
    return Expr("name", value=text)


def infix(head: str, a: Expr, b: Expr) -> Expr:
    """``a head b``."""
    return Expr(head, (a, b))


def neg(a: Expr) -> Expr:
    """``-a``."""
    return Expr("neg", (a,))


def call(
    function: str, *args: Expr, details: tuple[str, ...] = (), params: dict[str, Any] | None = None
) -> Expr:
    """``function(args, details)``. ``params`` are the details as values, for evaluation."""
    return Expr("call", args, function, details, params)


def postfix(a: Expr, tail: str, function: str = "", params: dict[str, Any] | None = None) -> Expr:
    """``a.T`` or ``a[0]``. ``function`` and ``params`` name the op that computes it."""
    return Expr("postfix", (a,), tail, (), {"function": function, **(params or {})})


ZERO, ONE = number_expr(0), number_expr(1)

# -- calls that create or rearrange tensors ---------------------------------------------------------------


def ones(shape: tuple[int, ...]) -> Expr:
    return call("ones", details=tuple(map(str, shape)), params={"shape": shape})


def times_ones(x: Expr, shape: tuple[int, ...]) -> Expr:
    """A number or a tensor of one entry, expanded to ``shape``."""
    return ones(shape) if x == ONE else infix("*", x, ones(shape))


def reshaped(x: Expr, shape: tuple[int, ...]) -> Expr:
    if x.head == "number":
        return name_expr(f"full({shape}, {float(x.value)!r})")
    return call("reshape", x, details=(str(shape),), params={"shape": shape})


def permuted(x: Expr, order: tuple[int, ...]) -> Expr:
    return call("permute", x, details=(str(order),))


def zeros(shape: tuple[int, ...]) -> Expr:
    return name_expr(f"zeros({', '.join(map(str, shape)) or '()'})")


def flipped(x: Expr, *dims: int) -> Expr:
    return call("flip", x, details=(str(dims),))


# -- walks ------------------------------------------------------------------------------------------------


def postorder(root: Expr) -> Iterator[Expr]:
    """Yield every distinct branch once, arguments before the expressions that contain them."""
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        expr, is_done = stack.pop()
        if is_done:
            yield expr
        elif id(expr) not in seen:
            seen.add(id(expr))
            stack.append((expr, True))
            stack.extend((arg, False) for arg in reversed(expr.args))


def names_in(root: Expr) -> list[str]:
    """The variables of an expression in the order in which they are written.

    >>> names_in(infix("*", name_expr("w"), infix("-", name_expr("x"), name_expr("w"))))
    ['w', 'x']
    """
    return list(dict.fromkeys(expr.value for expr in postorder(root) if expr.head == "name"))


def substitute(root: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with variables replaced by ``values``."""
    done: dict[int, Expr] = {}
    for expr in postorder(root):
        if expr.head == "name":
            done[id(expr)] = values.get(expr.value, expr)
        elif any(done[id(arg)] is not arg for arg in expr.args):
            done[id(expr)] = expr.with_args(tuple(done[id(arg)] for arg in expr.args))
        else:
            done[id(expr)] = expr
    return done[id(root)]


def expand_names(root: Expr, meanings: Mapping[str, Expr]) -> Expr:
    """The expression with names replaced by their meanings, repeatedly, until no name with a meaning is left.

    >>> str(expand_names(name_expr("t2"), {"t1": name_expr("x"), "t2": neg(name_expr("t1"))}))
    '-x'
    """
    done: dict[str, Expr] = {}
    stack = [spelled for spelled in names_in(root) if spelled in meanings]
    while stack:
        spelled = stack[-1]
        if spelled in done:
            stack.pop()
            continue
        missing = [s for s in names_in(meanings[spelled]) if s in meanings and s not in done]
        if missing:
            stack.extend(missing)
        else:
            done[stack.pop()] = substitute(meanings[spelled], done)
    return substitute(root, done)


def number_text(value: float, digits: int | None = None) -> str:
    """The shortest text that reads back as the number, or as the number rounded to ``digits`` digits."""
    if digits is None or value.__class__ is not float:
        return repr(value)
    return repr(number_expr(float(f"{value:.{digits}g}")).value)


def expr_text(
    root: Expr,
    limit: int | None = None,
    digits: int | None = None,
    claims: tuple[str, str] = IVERSON_BRACKETS,
) -> str:
    """The expression in Python's notation, with no more brackets than readers need.

    A comparison that is used as a number is put in Iverson brackets, or between the two texts of ``claims``.
    Text beyond ``limit`` characters is replaced by ``...``. Numbers are rounded to ``digits`` significant
    digits if that is given.

    >>> x, y = name_expr("x"), name_expr("y")
    >>> expr_text(neg(infix("*", infix("-", x, y), infix("**", x, number_expr(2)))))
    '-(x - y)*x**2'
    >>> expr_text(infix("*", y, infix(">", x, ZERO)))
    'y*[x > 0]'
    """
    written: list[str] = []
    length = 0
    # Each entry is finished text or a tuple: a branch, the level at which it must bind, whether a sign or an
    # operator precedes it directly (so that no two signs meet), and the head of the enclosing expression.
    stack: list[Any] = [(root, 0, False, "")]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            written.append(item)
            length += len(item)
            if limit is not None and length > limit:
                return "".join(written)[:limit].rstrip() + "..."
            continue
        expr, level, after_sign, enclosing_head = item
        if expr.head == "number" and digits is not None:
            spelled = number_text(expr.value, digits)
            is_bracketed = spelled[0] == "-" and (level > SIGN_LEVEL or after_sign)
            stack.append(f"({spelled})" if is_bracketed else spelled)
            continue
        pieces = _pieces(expr, after_sign, claims)
        if _needs_brackets(expr, level, after_sign, enclosing_head):
            is_claim = _level(expr) <= AND_LEVEL or expr.head == "~"
            opening, closing = claims if is_claim and enclosing_head in ARITHMETIC else ("(", ")")
            pieces = [opening, *_pieces(expr, False, claims), closing]
        stack.extend(reversed(pieces))
    return "".join(written)


def _level(expr: Expr) -> int:
    if expr.head == "number":
        return SIGN_LEVEL if number_text(expr.value)[0] == "-" else ATOM_LEVEL
    if expr.head == "name":
        return ATOM_LEVEL if expr.value.isidentifier() else source_text_level(expr.value)
    return BINDING_LEVELS.get(expr.head, ATOM_LEVEL)


def source_text_level(spelled: str) -> int:
    """How tightly a source text that serves as a name binds: the level of its loosest operator.

    >>> [source_text_level(text) == level for text, level in (("x-1", SUM_LEVEL), ("-x", SIGN_LEVEL))]
    [True, True]
    >>> source_text_level("f(x - 1)[0]") == ATOM_LEVEL
    True
    """
    before = ""
    while before != spelled:
        before, spelled = spelled, BRACKETED_PART.sub("_", spelled)
    # An operator after another one, or at the start, is a sign.
    levels = [BINDING_LEVELS["neg" if sign else operator] for operator, sign in _operators(spelled)]
    return min(levels, default=ATOM_LEVEL)


def _operators(spelled: str) -> Iterator[tuple[str, bool]]:
    """Yield the operators of a text without brackets, and whether each is a sign."""
    end, is_first = 0, not spelled[:1].strip("+-~")
    for found in OPERATOR.finditer(spelled):
        yield (
            found[0],
            found[0] in "+-~" and not spelled[end : found.start()].strip() and (end > 0 or is_first),
        )
        end = found.end()


def _needs_brackets(expr: Expr, level: int, after_sign: bool, enclosing_head: str) -> bool:
    own = _level(expr)
    if own < level:
        return True
    if own == PRODUCT_LEVEL and level == PRODUCT_LEVEL:
        # Without brackets, most people do not know how X @ W * G and X * W @ G group.
        return enclosing_head in ("*", "/", "@") and (expr.head == "@") != (enclosing_head == "@")
    if expr.head == "~":
        return enclosing_head in ARITHMETIC
    return after_sign and own == SIGN_LEVEL


def _pieces(expr: Expr, after_sign: bool, claims: tuple[str, str]) -> list[Any]:
    """What an expression is written with: finished text, and arguments as stack entries of ``text``."""
    head, args = expr.head, expr.args
    if head == "number":
        return [number_text(expr.value)]
    if head == "name":
        return [expr.value]
    if head == "call":
        if "{0}" in expr.value:
            parts = ARGUMENT_SLOT.split(expr.value)
            return [(args[int(part)], 0, False, head) if at % 2 else part for at, part in enumerate(parts)]
        pieces: list[Any] = [expr.value, "("]
        for arg in args:
            pieces += [(arg, 0, False, "call"), ", "]
        for detail in expr.details:
            pieces += [detail, ", "]
        if pieces[-1] == ", ":
            pieces.pop()
        return [*pieces, ")"]
    if head == "list":
        pieces = ["["]
        for arg in args:
            pieces += [", "] * (len(pieces) > 1) + [(arg, 0, False, "call")]
        return [*pieces, "]"]
    if head == "postfix":
        return [(args[0], ATOM_LEVEL, after_sign, head), expr.value]
    if head == "claim":
        return [claims[0], (args[0], 0, False, head), claims[1]]
    if head == "neg":
        return ["-", (args[0], PRODUCT_LEVEL, True, head)]
    if head == "~":
        return ["~", (args[0], ATOM_LEVEL, True, head)]
    level = BINDING_LEVELS[head]
    a, b = args
    if head == "**":
        return [(a, ATOM_LEVEL, after_sign, head), "**", (b, SIGN_LEVEL, False, head)]
    tight = head in "*/"
    left = (a, level + (level == COMPARISON_LEVEL), after_sign, head)
    return [left, head if tight else f" {head} ", (b, level + 1, level >= SUM_LEVEL, head)]
