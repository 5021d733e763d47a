"""The width of a typeset formula, and where to break a wide one.

Widths are those of Computer Modern at 10 points, to within about a tenth. A line ends before a sign or after
a comma. It may end inside brackets, which are completed by invisible ones: ``\\left(a \\right.`` and
``\\left. + b\\right)``. Nothing is broken inside braces. So a wide fraction is first rewritten with a slash,
a root with an exponent, a choice as a call.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    #: A place where a line may end: index of the next token, distance from the start, count of open brackets.
    BreakPoint = tuple[int, float, int]

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[^\\]", re.S)
#: Widths in points, including the space around a sign.
RELATION, SIGN, FACTOR, LETTER, DIGIT, BRACKET, SCRIPT = 13.5, 12.5, 7.5, 5.8, 5.1, 5.5, 0.75
COLUMN_GAP, FRACTION_GAP, TYPEWRITER = 10.5, 3.0, 5.3
WIDTHS = {
    **dict.fromkeys(["=", "<", ">", r"\le", r"\ge", r"\ne", ":"], RELATION),
    **dict.fromkeys(["+", "-", r"\odot", r"\times", r"\oplus", r"\land", r"\lor"], SIGN),
    **dict.fromkeys("0123456789", DIGIT),
    **dict.fromkeys("()[].,'|!/", 4.5),
    **{r"\cdot": FACTOR, r"\cdots": 16.0, r"\mapsto": 16.0, r"\quad": 10.0, r"\sum": 12.0, r"\infty": 10.0},
    **{r"\textstyle": 0.0, r"\bmod": 30.0, r"\operatorname": 2.0, r"\lnot": 7.0, r"\top": 7.8},
    **{r"\textbackslash": 5.3, r"\textasciitilde": 5.3, r"\textasciicircum": 5.3, r"\textasciigrave": 5.3},
}
BREAKING_SIGNS = frozenset(["+", "-", r"\cdot", r"\odot", "=", r"\mapsto"])
TEXT_COMMANDS = frozenset([r"\text", r"\mathrm", r"\texttt", r"\mathbf"])
#: A break that fills a line to at most this share of the room is avoided, even outside all brackets.
MIN_LINE_FILL = 0.4
#: A piece that takes more than this share of a line, and cannot be broken, is rewritten.
MAX_UNBROKEN_SHARE = 0.6


class Group:
    """The contents of a pair of braces or brackets, or of an environment with columns."""

    __slots__ = ("column", "columns", "kind", "next", "numerator", "width")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.width = 0.0
        self.next: list[str] = []  # the kinds of the groups that follow a command
        self.numerator = 0.0
        self.columns: list[float] = []
        self.column = 0

    def close(self, inner: Group) -> None:
        """Add the width of an inner group that has ended."""
        if inner.kind == "numerator":
            self.numerator = inner.width
        elif inner.kind == "denominator":
            self.width += max(self.numerator, inner.width) + FRACTION_GAP
        elif inner.kind == "script":
            self.width += SCRIPT * inner.width
        elif inner.kind == "environment":
            inner.end_column()
            self.width += sum(inner.columns) + COLUMN_GAP * len(inner.columns) + 2 * BRACKET
        else:
            self.width += inner.width + (2 * BRACKET if inner.kind == "brackets" else 0.0)

    def end_column(self) -> None:
        """Record the width of a column, which is the width of its widest entry."""
        if self.column == len(self.columns):
            self.columns.append(0.0)
        self.columns[self.column] = max(self.columns[self.column], self.width)
        self.column += 1
        self.width = 0.0


def width(text: str) -> float:
    """The width of a formula in points.

    >>> 10 < width("x + 1") < 30, width(r"\\frac{a}{b}") < width(r"a \\cdot b")
    (True, True)
    """
    return max((distance for _, distance, _ in break_points(TOKEN.findall(text))), default=0.0)


def break_points(tokens: Sequence[str]) -> Iterator[BreakPoint]:
    """Yield every place between two tokens: index, distance from the start, number of open brackets.

    The number of open brackets is -1 inside braces and environments.
    """
    stack = [Group("")]
    unbreakable_depth = 0  # how many of the open groups are not brackets
    at = 0
    while at < len(tokens):
        token = tokens[at]
        top = stack[-1]
        if token == "{":
            stack.append(Group(top.next.pop(0) if top.next else "braces"))
            unbreakable_depth += 1
        elif token == "}":
            stack.pop()
            stack[-1].close(top)
            unbreakable_depth -= 1
        elif token == r"\left":
            at += 1
            stack.append(Group("brackets"))
        elif token == r"\right":
            at += 1
            stack.pop()
            stack[-1].close(top)
        elif token in (r"\begin", r"\end"):
            at = tokens.index("}", at)
            if token == r"\begin":
                stack.append(Group("environment"))
                unbreakable_depth += 1
            else:
                stack.pop()
                stack[-1].close(top)
                unbreakable_depth -= 1
        elif token == "&":
            top.end_column()
        elif token == r"\\":
            top.end_column()
            top.column = 0
        elif token == r"\frac":
            top.next = ["numerator", "denominator"]
        elif token in "^_":
            top.next = ["script"]
        elif token in TEXT_COMMANDS:
            top.next = ["word" if token != r"\texttt" else "typewriter"]
        else:
            top.width += token_width(token, top.kind)
        at += 1
        yield at, sum(group.width for group in stack), -1 if unbreakable_depth else len(stack) - 1


def token_width(token: str, kind: str) -> float:
    if kind == "typewriter":
        return TYPEWRITER
    if token.isspace():
        return 3.4 if kind == "word" else 0.0
    if kind == "word":
        return 5.0
    known = WIDTHS.get(token)
    if known is not None:
        return known
    return LETTER if len(token) < 3 or not token.startswith("\\") else max(5.2 * (len(token) - 1) - 9, 6.0)


def break_into_lines(text: str, line_width: float) -> list[str]:
    """A formula on as few lines as hold it.

    >>> print(*break_into_lines(r"a \\cdot \\left(b + c\\right) + d", 55), sep="\\n")
    a \\cdot \\left(b + c\\right)
    + d
    """
    if width(text) <= line_width:
        return [text]
    tokens = make_breakable(TOKEN.findall(text), line_width)
    places = list(break_points(tokens))
    end = places[-1][1]
    lines = []
    start, begun, opened = 0, 0.0, 0
    while end - begun > line_width:
        found = [
            place
            for place in places
            if place[2] >= 0 and place[0] > start + 1 and may_break(tokens, place[0])
        ]
        fitting = [place for place in found if place[1] - begun <= line_width]
        if not fitting and not found:
            break
        full = (
            [place for place in fitting if place[1] - begun > MIN_LINE_FILL * line_width]
            or fitting
            or found[:1]
        )
        at, begun, depth = min(full, key=lambda place: (place[2], -place[1]))
        lines.append(line(tokens[start:at], opened, depth))
        start, opened = at, depth
    lines.append(line(tokens[start:], opened, 0))
    return lines


def may_break(tokens: Sequence[str], at: int) -> bool:
    """Whether a line may end before a token."""
    if at >= len(tokens):
        return False
    if tokens[at - 1] == ",":
        return True
    before = next((token for token in reversed(tokens[:at]) if not token.isspace()), "")
    return (
        tokens[at] in BREAKING_SIGNS
        and before not in BREAKING_SIGNS
        and before not in "([.=,"
        and tokens[at - 1] == " "
    )


def line(tokens: Sequence[str], opened: int, left_open: int) -> str:
    """One line, with invisible partners for brackets that are opened or closed on other lines."""
    return (r"\left. " * opened + "".join(tokens).strip() + r" \right." * left_open).strip()


def make_breakable(tokens: list[str], line_width: float) -> list[str]:
    """The tokens with wide fractions, roots and choices rewritten so that lines can break in them.

    Derivatives stay as they are.
    """
    made = tokens
    at = 0
    while at < len(made):
        token = made[at]
        if token in (r"\frac", r"\sqrt"):
            end = find_closing_brace(made, at + 1)
            inner = made[at + 2 : end]
            last = find_closing_brace(made, end + 1) if token == r"\frac" else end
            is_derivative = token == r"\frac" and inner[0] in (r"\partial", r"\mathrm")
            if not is_derivative and width("".join(made[at : last + 1])) > MAX_UNBROKEN_SHARE * line_width:
                spelled = in_brackets(inner)
                if token == r"\frac":
                    spelled += ["/", *in_brackets(made[end + 2 : last])]
                else:
                    spelled += ["^", "{", "1", "/", "2", "}"]
                made = [*made[:at], *spelled, *made[last + 1 :]]
        elif token == r"\begin" and "".join(made[at + 1 : at + 8]) == "{cases}":
            a, condition, b, last = parse_cases(made, at + 8)
            if width("".join(made[at : last + 1])) > MAX_UNBROKEN_SHARE * line_width:
                call = [r"\operatorname", *"{where}", *in_brackets([*condition, ",", " ", *a, ",", " ", *b])]
                made = [*made[:at], *call, *made[last + 1 :]]
        at += 1
    return made


def in_brackets(tokens: Sequence[str]) -> list[str]:
    return [r"\left", "(", *tokens, r"\right", ")"]


def parse_cases(tokens: Sequence[str], at: int) -> tuple[Sequence[str], Sequence[str], Sequence[str], int]:
    """The two values and the condition of the cases that begin at ``at``, and the index of the last token."""
    depth, cuts = 1, [at]
    while depth:
        depth += (tokens[at] == r"\begin") - (tokens[at] == r"\end")
        if depth == 1 and tokens[at] in ("&", r"\\"):
            cuts += [at, at + 1]
        at += 1
    a, condition, b = (
        stripped(tokens[start:end]) for start, end in zip(cuts[0:6:2], cuts[1:6:2], strict=True)
    )
    return a, condition, b, tokens.index("}", at)


def stripped(tokens: Sequence[str]) -> Sequence[str]:
    """The tokens without leading and trailing spaces."""
    kept = [at for at, token in enumerate(tokens) if not token.isspace()]
    return tokens[kept[0] : kept[-1] + 1]


def find_closing_brace(tokens: Sequence[str], at: int) -> int:
    """The index of the brace that closes the group which begins at ``at``."""
    depth = 0
    while True:
        depth += (tokens[at] == "{") - (tokens[at] == "}")
        if not depth:
            return at
        at += 1
