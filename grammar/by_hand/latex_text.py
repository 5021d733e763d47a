r"""LaTeX in the words of the language: ``\frac{a}{b}``, ``x_{1}``, ``\begin{cases}``, what reports print.

What may mean several things is left as it is, or refused with what to write.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.left_side import parse_left_side, split_equation
from autodiff.grammar.by_hand.placed_text import PlacedText, joined
from autodiff.grammar.objects.builtins.namespaces import plain_value
from autodiff.grammar.objects.values import UNBOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

#: Commands of LaTeX that have another spelling here; others are names, such as ``\exp``.
COMMANDS = {
    **{"partial": "d", "cdot": "*", "times": "*", "odot": "*", "bmod": "%", "approx": "=", "infty": "inf"},
    **{"le": "<=", "ge": ">=", "leq": "<=", "geq": ">=", "ne": "!=", "neq": "!=", "lt": "<", "gt": ">"},
    **{"land": "&", "lor": "|", "lnot": "~", "wedge": "&", "vee": "|", "neg": "~"},
    **{"lvert": "abs(", "rvert": ")", "lVert": "norm(", "rVert": ")", "lfloor": "floor(", "rfloor": ")"},
    **{"lceil": "ceil(", "rceil": ")", "left": "", "right": "", "quad": " ", "qquad": " "},
    **dict.fromkeys(["big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "displaystyle"], ""),
    **{"circ": "*", "top": "T", "Tr": "tr"},
}
COMMAND = re.compile(r"\\(partial)\s*|\\(?:left|right)\s*\.|\\([a-zA-Z]+)|\\\\|\\[,;:! ]|&(?==)|\$")
FRACTION = re.compile(r"\\[dt]?frac\s*")
#: An exponent without braces, which is one digit: ``x^2y`` is ``x^{2}y``.
EXPONENT = re.compile(r"\^(\d)(?=[^\W\d_])")
SQUARED = re.compile(r"\^\{2\}")
UPRIGHT_D = re.compile(r"\\mathrm\s*\{d\}")
FONTS = "mathrm|mathit|mathbf|mathsf|mathcal|mathscr|boldsymbol|bm|vec|text|textbf|operatorname"
WORD = re.compile(rf"\\(?:{FONTS})\s*\{{(\w+)\}}")
#: Code, as reports write what has no notation of its own: ``\operatorname{\texttt{one\_hot}}``.
CODE = re.compile(r"\\operatorname\{\\texttt\{((?:[^{}\\]|\\.)*)\}\}|\\texttt\{((?:[^{}\\]|\\.)*)\}")
ESCAPE = re.compile(r"\\([{}$&#_%])")
#: An index in brackets, with a part of the name before it or not: ``x_{[1]}``, ``w_{1,[0]}``.
ENTRY = re.compile(r"_\{((?:\w+,)*)((?:\[[^\[\]{}]*\],?)+)\}")
#: A name with an index, ``w_{1}`` or ``w_1``; and one with the number of a layer above it, ``W^{[1]}``.
INDEX = re.compile(r"(?<![\w.])([^\W\d_]\w*)_(?:\{([\w\s,]+)\}|([^\W_])(?!\w))")
LAYER = re.compile(r"(?<![\w.])([^\W\d_]\w*)\^\{?[\[(](\w+)[\])]\}?")
#: A letter with a hat or a bar.
ACCENT = re.compile(r"\\(?:wide)?(hat|bar|tilde)\s*\{?\s*(\w+)\s*\}?")
#: ``x^\top``; and ``x^T``, if no variable has that name. ``A^{-T}`` is the inverse of ``A^T``.
TRANSPOSE_COMMAND = re.compile(r"\^\s*(?:\{\s*\\(?:top|intercal)\s*\}|\\(?:top|intercal)(?![a-zA-Z]))")
#: Arguments of fractions without braces: ``\frac12``, ``\frac{1}n``.
FIRST_DIGIT = re.compile(r"(\\[dt]?frac)\s*([0-9a-zA-Z])(?=\s*[0-9a-zA-Z{\\])")
SECOND_DIGIT = re.compile(r"(\\[dt]?frac\s*\{[^{}]*\})\s*([0-9a-zA-Z])")
#: What is above the line of a derivative.
ABOVE = re.compile(r"((?:\\partial\b|d)\s*(?:\^\s*2)?\s*)(.+)", re.S)
#: Names for the Greek letter that Python has as a word of its own.
LAMBDA = ("lam", "lambda_", "lmbda", "lambd", "lmbd", "reg", "λ")
#: The gradient by an input, ``\nabla_{w_1} L``.
NABLA = re.compile(r"\\nabla\s*_\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\w|\\[a-zA-Z]+))")
INVERSE_TRANSPOSE = re.compile(r"\^\s*\{\s*-\s*(?:T|\\top)\s*\}")
BRACE = re.compile(r"\\?[{}]")
#: Matrices of ones, and unit vectors as reports write them.
ONES = re.compile(r"\\math(?:bf|bb)\s*\{1\}_(?:\{([\w\s,]+(?:\\times\s*[\w\s]+)*)\}|(\w))")
UNIT = re.compile(r"\\mathbf\{e\}_\{\[(\d+)\]\}")
#: A matrix of second derivatives, with the names of the inputs.
HESSIAN = re.compile(
    r"\s*\\nabla_\{\\left\((.*?)\\right\)\}\^\{2\}\s*(.*?)\s*="
    r"\s*\\begin\{[pb]matrix\}(.*)\\end\{[pb]matrix\}\s*",
    re.S,
)
#: A line of LaTeX that is a comment, and one that says what a name stands for.
COMMENT = re.compile(r"^[ \t]*%[ \t]*(.*)$", re.M)
DEFINITION = re.compile(r"([^\W\d_]+\d*) = (.+)")
SHORT_NAME = re.compile(r"(?<![\w.\\])[^\W\d_]+(?:_\{\d+\}|\d*)(?!\w)")
#: Brackets and environments, between which an ``=`` compares.
PIECES = re.compile(
    r"\\begin\{\w+\}|\\end\{\w+\}|\\texttt\{(?:[^{}\\]|\\.)*\}|(?<!\\)[()\[\]{}]|(?<![=<>!~&])=(?!=)"
)
KEYWORD = re.compile(r"[(,]\s*([^\W\d]\w*)\s*$")
ENVIRONMENT = re.compile(r"\\begin\{(\w+)\}((?:(?!\\begin\{).)*?)\\end\{\1\}", re.S)
MATRICES = frozenset(["matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix"])
ROW = re.compile(r"\\\\(?:\s*\[[^\]]*\])?")
TEXT = r"\\(?:text|textrm|mathrm|mbox|operatorname)\s*"
#: ``\text{if $x > 0$}``.
TEXT_WITH_MATH = re.compile(rf"({TEXT}\{{)([^{{}}$]*)\$([^$]*)\$([^{{}}]*)\}}")
OTHERWISE = re.compile(rf"(?:{TEXT}\{{\s*|~|\s)*(?:otherwise|else|elsewhere)\.?(?:\s|\}})*")
IF = re.compile(rf"(?:~|\s|,)*(?:{TEXT}\{{\s*(?:if|when|for|where)?\s*\}}|(?:if|when|for)\b)(?:~|\s)*")
LAST_COMMA = re.compile(r"\s*[,.;]\s*$")
#: The number of columns of cases: a value, and when it holds.
COLUMNS = 2


def without_latex(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with the language's words for commands, environments, braces and indices.

    ``words`` are the names of the script: ``w_{1}`` is ``w1`` if that is one of them.
    """
    text = without_environments(with_comparisons(text, words))
    text = text.sub(CODE, lambda found: ESCAPE.sub(r"\1", found[1] or found[2] or ""))
    text = with_unit_vectors(text.sub(ONES, matrix_of_ones), words)
    text = text.sub(EXPONENT, lambda found: f"^{found[1]} ")
    text = text.sub(NABLA, lambda found: f"d/d {found[1] or found[2]} ")
    text = text.sub(UPRIGHT_D, lambda _: r"\partial").sub(WORD, lambda found: found[1])
    text = text.sub(ENTRY, bracketed_index)
    text = text.sub(INDEX, lambda found: indexed_name(found, words))
    text = text.sub(LAYER, lambda found: name_of_layer(found, words))
    text = text.sub(ACCENT, lambda found: accented_name(found, words))
    text = text.sub(INVERSE_TRANSPOSE, lambda _: ".T^(-1)").sub(TRANSPOSE_COMMAND, transposed)
    text = with_braces(text)
    text = without_fractions(text).sub(COMMAND, lambda found: spelled_command(found, words))
    return text.sub(BRACE, lambda found: "(" if found[0][-1] == "{" else ")")


def single_formulas(text: str) -> list[str]:
    """Return the formulas of a matrix of second derivatives as reports write it; another text as it is."""
    found = HESSIAN.fullmatch(text)
    if found is None:
        return [text]
    names = [name.strip() for name in found[1].split(",")]
    rows = [[cell.text.strip() for cell in parts_between(row, "&")] for row in rows_of(PlacedText(found[3]))]
    if [len(names)] * len(names) != [len(row) for row in rows]:
        return [text]
    below = [
        (rf"\partial {{{a}}}^{{2}}" if a == b else rf"\partial {a} \, \partial {b}")
        for a in names
        for b in names
    ]
    entries = [entry for row in rows for entry in row]
    return [
        rf"\frac{{\partial^{{2}} {found[2]}}}{{{by}}} = {entry}"
        for by, entry in zip(below, entries, strict=True)
    ]


def with_definitions(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text without the comments behind it, which has for names what these say that they are.

    Reports write so, as in ``% t1 = x > 0``, what the script has no name for.
    """
    comments = COMMENT.findall(text.text)
    if not comments:
        return text
    text = text.sub(COMMENT, lambda _: "").strip()
    found = [one for comment in comments if (one := DEFINITION.match(comment)) and one[1] not in words]
    meanings = {one[1]: one[2] for one in found}

    def meant(match: re.Match[str]) -> str:
        name = re.sub(r"[_{}]", "", match[0])
        return f"({meanings[name]})" if name in meanings else match[0]

    return text.sub(SHORT_NAME, meant)


def with_comparisons(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``==`` for each ``=`` in brackets but those of arguments such as ``dim=0``."""
    made, done, depth = PlacedText("", []), 0, 0
    for found in PIECES.finditer(text.text):
        piece = found[0]
        depth += piece.startswith(("\\begin", "(", "[", "{")) - piece.startswith(("\\end", ")", "]", "}"))
        if piece != "=" or depth <= 0:
            continue
        named = KEYWORD.search(text.text, 0, found.start())
        if named is None or named[1] in words:
            made += text[done : found.start()] + PlacedText("=", [])
            done = found.start()
    return made + text[done:] if done else text


def without_environments(text: PlacedText) -> PlacedText:
    """Return a text with ``where(...)`` for cases and ``tensor(...)`` for matrices, the innermost first."""
    while found := ENVIRONMENT.search(text.text):
        kind, inside = found[1], text[found.start(2) : found.end(2)]
        rows = [[cell.strip() for cell in parts_between(row, "&")] for row in rows_of(inside)]
        rows = [row for row in rows if any(cell.text for cell in row)]
        if kind == "cases":
            made = as_choice(rows)
        elif kind in MATRICES:
            made = as_matrix(rows)
        else:
            made = inside
        text = text[: found.start()] + made + text[found.end() :]
    return text


def rows_of(text: PlacedText) -> list[PlacedText]:
    ends = [(found.start(), found.end()) for found in ROW.finditer(text.text)]
    starts = [0, *(end for _, end in ends)]
    return [text[start:end] for start, end in zip(starts, [*(at for at, _ in ends), None], strict=True)]


def parts_between(text: PlacedText, sign: str) -> list[PlacedText]:
    found, start = [], 0
    for at, character in enumerate(text.text):
        if character == sign and text.text[at - 1 : at] != "\\":
            found.append(text[start:at])
            start = at + 1
    return [*found, text[start:]]


def as_matrix(rows: list[list[PlacedText]]) -> PlacedText:
    """Return a matrix; one of a single row or column is a vector."""
    if len(rows) == 1 or max(map(len, rows), default=0) == 1:
        rows = [[cell for row in rows for cell in row]]
        return bracketed("(1.0*tensor([", joined(rows[0], ", "), "]))")
    lines = [bracketed("[", joined(row, ", "), "]") for row in rows]
    return bracketed("(1.0*tensor([", joined(lines, ", "), "]))")


def bracketed(opening: str, text: PlacedText, closing: str) -> PlacedText:
    return PlacedText(opening, []) + text + PlacedText(closing, [])


def as_choice(rows: list[list[PlacedText]]) -> PlacedText:
    r"""Return nested calls of ``where`` for rows such as ``a & x > 0`` and ``b & \text{otherwise}``.

    Where no row holds the value is nan. Raise a UsageError for a row without a condition.
    """
    made: PlacedText | None = None
    for at, row in reversed(list(enumerate(rows))):
        condition = row[1].sub(TEXT_WITH_MATH, text_around) if len(row) == COLUMNS else None
        if condition is not None:
            condition = condition.sub(IF, lambda _: " ").sub(LAST_COMMA, lambda _: "")
        if condition is not None and OTHERWISE.fullmatch(condition.text) and at == len(rows) - 1 and at:
            made = row[0].sub(LAST_COMMA, lambda _: "")
        elif condition is None or not condition.text.strip() or OTHERWISE.fullmatch(condition.text):
            raise UsageError(
                "--formula: a row of the cases has no condition",
                code="E0610",
                help=(
                    r"write rows such as a & x > 0 \\ b & \text{otherwise}",
                    "or where(x > 0, a, b)",
                ),
            )
        else:
            parts = [condition.strip(), row[0].sub(LAST_COMMA, lambda _: ""), made or PlacedText("nan", [])]
            made = bracketed("where(", joined(parts, ", "), ")")
    return made or PlacedText("", [])


def text_around(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}}} {found[3]} " + (f"{found[1]}{found[4]}}}" if found[4].strip() else "")


def matrix_of_ones(found: re.Match[str]) -> str:
    sizes = found[1] or found[2]
    return "ones(" + ", ".join(size.strip() for size in re.split(r"\\times|,", sizes)) + ")"


def with_unit_vectors(text: PlacedText, words: Collection[str]) -> PlacedText:
    r"""Return a text with ``eye(n)[1]`` for ``\mathbf{e}_{[1]}``, of the size of the input on the left."""
    if UNIT.search(text.text) is None:
        return text
    before, equals, _ = split_equation(text.text)
    left = parse_left_side(without_latex(PlacedText(before), words).text, words) if equals else None
    if left is None:
        raise UsageError(
            "--formula: how many entries the bold e has is known from a left side only",
            code="E0610",
            help=("write the derivative in front of it, or eye(n)[k] for a vector of n entries",),
        )
    return text.sub(UNIT, lambda found: f"eye({left.by[-1][0]}.shape[-1])[{found[1]}]")


def bracketed_index(found: re.Match[str]) -> str:
    """Return ``[1]`` for ``_{[1]}``, and ``_{1}[0]`` for ``_{1,[0]}``."""
    name = found[1].rstrip(",")
    return (f"_{{{name}}}" if name else "") + found[2].replace("],[", "][").rstrip(",")


def indexed_name(found: re.Match[str], words: Collection[str]) -> str:
    """Return the name that ``w_{1}`` or ``dw_{1}`` stands for: ``w1`` if the script has that only."""
    parts = re.findall(r"\w+", found[2] or found[3])
    spellings = ("_".join([found[1], *parts]), found[1] + "_".join(parts))
    for spelled in spellings:
        if spelled in words or is_known(spelled) or (spelled[0] == "d" and spelled[1:] in words):
            return spelled
    return spellings[0]


def with_variables(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``w1`` for ``w_1`` where the script has that, and neither ``w_1`` nor a ``w``."""

    def named(found: re.Match[str]) -> str:
        is_derivative = found[1] == "d" and (found[2] or found[3]) in words  # d_x f
        return found[0] if found[1] in words or is_derivative else indexed_name(found, words)

    return text.sub(INDEX, named)


def is_known(name: str) -> bool:
    """Whether the language has a function or a value of this name."""
    return plain_value(name) is not UNBOUND


def name_of_layer(found: re.Match[str], words: Collection[str]) -> str:
    """Return ``W1`` for ``W^{[1]}`` if the script has that and no ``W``."""
    for spelled in (found[1] + found[2], f"{found[1]}_{found[2]}"):
        if spelled in words and found[1] not in words:
            return spelled
    return found[0]


def accented_name(found: re.Match[str], words: Collection[str]) -> str:
    r"""Return the name that ``\hat{y}`` stands for: ``yhat`` if the script has that, ``y_hat`` else."""
    spellings = [f"{found[2]}_{found[1]}", f"{found[2]}{found[1]}", f"{found[1]}_{found[2]}"]
    return next((one for one in spellings if one in words), spellings[0])


def spelled_command(found: re.Match[str], words: Collection[str]) -> str:
    name = found[1] or found[2]
    if name == "lambda":
        spelled = next((one for one in LAMBDA if one in words), "")
        if not spelled:
            raise UsageError(
                r"--formula: the script has no name for `\lambda`",
                code="E0610",
                help=(f"write the name that the script has; {LAMBDA[0]} and {LAMBDA[1]} are known",),
            )
        return f" {spelled}"
    if name == "ell" and "l" in words:
        return " l"
    return f" {COMMANDS.get(name, name)}" if name else " "


def with_braces(text: PlacedText) -> PlacedText:
    r"""Return a text with ``\frac{1}{n}`` for ``\frac1n``."""
    for pattern in (FIRST_DIGIT, SECOND_DIGIT):
        text = text.sub(pattern, lambda found: f"{found[1]}{{{found[2]}}}")
    return text


def without_fractions(text: PlacedText) -> PlacedText:
    r"""Return a text with ``((a)/(b))`` for ``\frac{a}{b}``, and ``dL/dw`` for that of a derivative."""
    while found := FRACTION.search(text.text):
        middle = end_of_group(text.text, found.end())
        end = end_of_group(text.text, middle)
        if end < 0:
            return text
        above, below = (part[1:-1].strip() for part in (text[found.end() : middle], text[middle:end]))
        is_derivative = all(re.match(r"\\partial\b|d(?![a-z]{2})", part.text) for part in (above, below))
        if is_derivative:
            above, below = (part.sub(SQUARED, lambda _: "^2") for part in (above, below))
            above = with_brackets(above)
        between, around = ("/", (" ", " ")) if is_derivative else (")/(", ("((", "))"))
        parts = [PlacedText(sign, []) for sign in (around[0], between, around[1])]
        text = text[: found.start()] + parts[0] + above + parts[1] + below + parts[2] + text[end:]
    return text


def transposed(found: re.Match[str]) -> str:
    """Return the attribute, with a space in front of a name behind it."""
    return ".T " if found.string[found.end() : found.end() + 1].isalnum() else ".T"


def with_brackets(above: PlacedText) -> PlacedText:
    r"""Return what is above the line of a derivative, an expression in brackets: ``\partial(\det(X))``."""
    found = ABOVE.fullmatch(above.text)
    if found is None or not re.search(r"[(+*/-]", found[2]) or found[2].startswith(("(", "\\left")):
        return above
    return above[: found.start(2)] + bracketed("(", above[found.start(2) :], ")")


def end_of_group(text: str, start: int) -> int:
    """Return where the group in braces at a place ends; -1 if there is none."""
    depth = 0
    for at in range(start, len(text)) if 0 <= start < len(text) and text[start] == "{" else ():
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return at + 1
    return -1
