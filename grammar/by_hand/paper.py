r"""Formulas as people write them on paper or in LaTeX, in the words of the language.

What can mean one thing only is read: ``2(a - y)``, ``x²``, ``e^{-x}``,
``\frac{\partial L}{\partial w}``, ``σ'(z)``. ``1/2x`` may mean two, and is left as it is.
"""

from __future__ import annotations

import re
from keyword import iskeyword

from autodiff.grammar.by_hand.evaluate import CALLED_ON_PAPER
from autodiff.grammar.by_hand.latex_sums import without_sums
from autodiff.grammar.by_hand.latex_text import LAMBDA, transposed, with_variables, without_latex
from autodiff.grammar.by_hand.paper_brackets import (
    BESIDE,
    end_of_bracket,
    with_indicators,
    with_round_brackets,
    without_bars,
)
from autodiff.grammar.by_hand.placed_text import PlacedText
from autodiff.grammar.objects.builtins.namespaces import plain_value
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.session.versions import version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

#: ``x^T``, if no variable has that name.
TRANSPOSE = re.compile(r"(?<=[\w)\]])\s*(?:\^\s*(?:T(?!\w)|[({]\s*T\s*[)}])|ᵀ)")
#: The same with a factor behind it, ``X^TX``.
TRANSPOSED_BESIDE = re.compile(r"\^T([^\W\d_]\w*)")
SUPERSCRIPT = re.compile(r"(?<=[\w)\]])([⁺⁻]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
#: The derivative of the logistic function, ``σ'(z)``.
SIGMA_PRIME = re.compile(r"(?<![\w.])(σ|sigma|sigmoid)\s*['’′]\s*\(((?:[^()]|\([^()]*\))*)\)")
CONSTANTS = frozenset(["e", "pi"])
#: Fractions that are one character.
PARTS = {"½": "1/2", "⅓": "1/3", "¼": "1/4", "⅔": "2/3", "¾": "3/4", "⅛": "1/8"}
PART = re.compile(f"[{''.join(PARTS)}]")
NAMES_OF_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lam mu nu xi omicron pi rho sigma"
)
#: Greek letters with their names, and the other way round.
GREEK = dict(zip("αβγδεζηθικλμνξοπρσ", NAMES_OF_LETTERS.split(), strict=True))
GREEK |= {
    "µ": "mu",
    "ϵ": "epsilon",
    "ϕ": "phi",
    "τ": "tau",
    "υ": "upsilon",
    "φ": "phi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}
LETTERS = {name: letter for letter, name in GREEK.items()}
WORD = re.compile(r"(?<![^\W\d])(?<!\.)([^\W\d_]+)(_?\d*)(?!\w)")
#: An index below a name, as on paper: ``w₁``.
BELOW = re.compile(r"(?<=\w)(?<![₀-₉])[₀-₉]+")
LOW_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
#: A function with an exponent in front of its argument.
FUNCTION_POWER = re.compile(
    r"(?<![\w.])(sinh?|cosh?|tanh?|log|ln|exp|sigmoid|sigma|σ)\s*(?:\^|\*\*)\s*\(?([2-9])\)?\s*"
    r"(?:(?P<open>\()|(?P<name>[^\W\d]\w*)(?!\s*(?:[\w(\[^.]|\*\*)))"
)
#: Signs that bind what stands behind them.
TIGHT_SIGNS = frozenset(["/", "//", "@", "%", "^", "**"])
TOKEN = re.compile(
    r"""(?x)
    (?P<quotient>(?<![\w.])
        (?:d\s*(?:\^|\*\*)?\s*2\s*[^\W\d]\w*\s*/\s*d[^\W\d]\w*(?:(?:\^|\*\*)?2|\s+d[^\W\d]\w*)
        | d\w+\s*/\s*d\w+))
    | (?P<number>0[xX][\da-fA-F]+ | (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)
    | (?P<name>[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*)
    | (?P<open>[(\[{]) | (?P<close>[)\]}](?:\s*\.T(?!\w))?)
    | (?P<text>'[^']*'|"[^"]*") | (?P<sign>\*\*|[^\w\s])
    """
)


def as_typed(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return an equation in the words of the language, but for signs of products.

    ``words`` are the names of the script.
    """
    text = without_sums(with_indicators(without_bars(text.sub(PART, as_quotient)), words), words)
    if any(sign in text.text for sign in ("\\", "^{", "_{", "$")):
        text = without_latex(text, words)
    text = with_variables(text.sub(BELOW, lambda found: f"_{found[0].translate(LOW_DIGITS)}"), words)
    text = with_greek_names(text.sub(SUPERSCRIPT, as_power), words)
    return without_sigma_prime(with_powers_behind(text, words), words)


def as_quotient(found: re.Match[str]) -> str:
    return f"({PARTS[found[0]]})"


def with_greek_names(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``theta`` for ``θ``, and the other way round, as the script has it."""

    def named(found: re.Match[str]) -> str:
        word, number, before = found[1], found[2], ""
        if word + number in words:
            return found[0]
        if word[0] == "d" and len(word) == 2:  # a derivative by it
            before, word = "d", word[1]
        letter, rest = (word[0], word[1:]) if word[0] in GREEK else (word, "")
        spellings = LAMBDA if letter == "λ" else (GREEK.get(letter, LETTERS.get(letter, letter)),)
        numbers = (number, number.strip("_"), "_" + number) if number and not rest else ("",)
        known = next((one + end for one in spellings for end in numbers if one + end in words), "")
        if not known:
            return found[0]
        return before + known + (f" {rest}{number}" if rest else "" if len(numbers) > 1 else number)

    return text.sub(WORD, named)


def with_powers_behind(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``tanh(a)^2`` for ``tanh^2(a)``, and ``sin(x)^2`` for ``sin^2 x``."""
    at = 0
    while found := FUNCTION_POWER.search(text.text, at):
        at = found.end()
        if found[1] in words:
            continue
        end = found.end()
        if found["open"]:
            closed = end_of_bracket(text.text, found.start("open"))
            if closed is None:
                continue
            argument = text[found.start("open") : closed[1]]
            end = closed[1]
        else:
            name = text[found.start("name") : found.end("name")]
            argument = PlacedText("(", []) + name + PlacedText(")", [])
        text = text[: found.end(1)] + argument + PlacedText(f"^{found[2]}", []) + text[end:]
    return text


def as_power(found: re.Match[str]) -> str:
    sign = "-" if found[1] == "⁻" else ""
    end = " " if found.string[found.end() : found.end() + 1].isalpha() else ""  # x²y is no x**(2y)
    digits = found[2].translate(DIGITS)
    return f"^(-{digits})" if sign else f"**{digits}{end}"


def without_sigma_prime(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``sigmoid(z)*(1 - sigmoid(z))`` for ``σ'(z)``, if the script has no ``σ``."""

    def replace(found: re.Match[str]) -> str:
        s = f"sigmoid({found[2]})"
        return found[0] if found[1] in words else f"({s}*(1 - {s}))"

    return text.sub(SIGMA_PRIME, replace)


# -- calls without brackets -------------------------------------------------------------------------


def with_calls(right: PlacedText, variables: Collection[str]) -> PlacedText:
    """Return a right side with ``cos(y)`` for ``cos y``, and ``sin(y)^2`` for ``sin^2 y`` and ``sin^2(y)``.

    Without brackets ``y`` is a name, a number, or ``2x``, with the sign and the power that it has:
    ``cos y^2`` is ``cos(y^2)``. Where more may belong to it, nothing changes: in ``cos y (1 + y)``.
    """
    tokens = list(TOKEN.finditer(right.text))
    made, done = PlacedText("", []), 0
    for at, token in enumerate(tokens):
        if token.start() < done or token.lastgroup != "name" or token[0] in variables:
            continue
        place = place_behind_power(tokens, at + 1)
        end = end_of_argument(tokens, place, variables)
        is_in_brackets = place < len(tokens) and tokens[place][0] == "("
        if end < 0 or (is_in_brackets and place == at + 1) or not is_function(token[0]):
            continue
        power = right[token.end() : tokens[place - 1].end()]
        signs = ("", "") if is_in_brackets else ("(", ")")
        argument = with_calls(right[tokens[place].start() : end], variables)
        made += (
            right[done : token.end()] + PlacedText(signs[0], []) + argument + PlacedText(signs[1], []) + power
        )
        done = end
    return made + right[done:] if done else right


def place_behind_power(tokens: list[re.Match[str]], at: int) -> int:
    """Return the place behind a power ``^2`` or ``^(2)`` that begins at a place; that itself if none does."""
    texts = [token[0] for token in tokens[at : at + 4]]
    if texts[:1] not in (["^"], ["**"]):
        return at
    if texts[1:2] and texts[1].isdigit():
        return at + 2
    return at + 4 if len(texts) == 4 and texts[1] == "(" and texts[2].isdigit() and texts[3] == ")" else at


def end_of_argument(tokens: list[re.Match[str]], at: int, variables: Collection[str]) -> int:
    """Return where the argument ends that begins at a token; -1 if none does, or if more may belong to it."""
    if at >= len(tokens):
        return -1
    if tokens[at][0] == "(":
        closing = place_of_closing(tokens, at)
        return -1 if closing < 0 else tokens[closing].end()
    if is_sign_of_argument(tokens, at):
        at += 1
    is_number, last = tokens[at].lastgroup == "number", at
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if is_number and behind is not None and behind.start() == tokens[at].end() and behind[0] in variables:
        last += 1  # 2x
    if not is_number and tokens[at][0] not in variables:
        return -1
    last = last_of_power(tokens, last, variables)
    if last + 1 < len(tokens) and not ends_argument(tokens[last + 1], is_number, variables):
        return -1
    return tokens[last].end()


def place_of_closing(tokens: list[re.Match[str]], at: int) -> int:
    """Return the place of what closes the bracket at a place; -1 if nothing does."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place].lastgroup == "open") - (tokens[place].lastgroup == "close")
        if not depth:
            return place
    return -1


def is_sign_of_argument(tokens: list[re.Match[str]], at: int) -> bool:
    """Whether a sign belongs to the value behind it, as in ``exp -x``: a space stands before it alone."""
    if tokens[at][0] not in ("+", "-") or at + 1 == len(tokens):
        return False
    function = tokens[at - 1][0]
    if function not in CALLED_ON_PAPER and not callable(plain_value(function)):
        return False  # inf -x
    return tokens[at - 1].end() < tokens[at].start() and tokens[at].end() == tokens[at + 1].start()


def last_of_power(tokens: list[re.Match[str]], at: int, variables: Collection[str]) -> int:
    """Return the place where the power ends whose base ends at a place; that itself if none does."""
    if at + 2 >= len(tokens) or tokens[at + 1][0] not in ("^", "**"):
        return at
    last = at + 2 + (tokens[at + 2][0] in ("+", "-") and at + 3 < len(tokens))
    if tokens[last][0] == "(":
        return max(place_of_closing(tokens, last), at)
    return last if tokens[last].lastgroup == "number" or tokens[last][0] in variables else at


def ends_argument(after: re.Match[str], is_number: bool, variables: Collection[str]) -> bool:
    """Whether a name or a number before this token is all of the argument of a function."""
    if after.lastgroup == "name":
        return after[0] not in variables and is_function(after[0]) and not is_number
    return after[0][0] in "+-=,)]}" or (after[0] == "*" and not is_number)


# -- products without a sign ------------------------------------------------------------------------


def with_products(right: PlacedText, variables: Collection[str]) -> PlacedText:
    """Return a right side with a ``*`` behind the number of ``2(a - y)`` and ``3x``.

    Between the factors of other products, such as ``X w``, there is a BESIDE. ``variables`` are names of
    the script that are no functions.
    """
    right = with_calls(right, variables)
    if "T" not in variables:
        right = right.sub(
            TRANSPOSED_BESIDE, lambda found: f"^T {found[1]}" if f"T{found[1]}" not in variables else found[0]
        )
        right = right.sub(TRANSPOSE, transposed)
    right = with_round_brackets(right)
    made, done = PlacedText("", []), 0
    for start, end, sign in places_of_signs(right.text, variables):
        made += right[done:start] + PlacedText(sign, [])
        done = end
    return made + right[done:] if done else right


def places_of_signs(text: str, variables: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where a sign is missing: the end of a value, the start of the next one, and the sign."""
    tokens = list(TOKEN.finditer(text))
    groups: list[int] = []  # the brackets that are open
    opened: dict[int, int] = {}  # by the brackets that close them
    for at, token in enumerate(tokens):
        if token.lastgroup == "open":
            groups.append(at)
        elif token.lastgroup == "close" and groups:
            opened[at] = groups.pop()
    for at in range(1, len(tokens)):
        if is_product(tokens, at, opened, variables):
            before = tokens[at - 1]
            yield before.end(), tokens[at].start(), "*" if before.lastgroup == "number" else BESIDE


def is_product(
    tokens: list[re.Match[str]], at: int, opened: dict[int, int], variables: Collection[str]
) -> bool:
    """Whether two values stand side by side, the second the token ``at``, and can only be multiplied."""
    before, token = tokens[at - 1], tokens[at]
    kind, is_spaced = before.lastgroup, token.start() > before.end()
    if token.lastgroup not in ("name", "open", "quotient") or token[0] == "{":
        return False
    if token[0] == "[" and kind != "number":
        return False
    if iskeyword(token[0]) or iskeyword(before[0]):
        return False
    start = opened.get(at - 1, at - 1)  # of the first value
    if kind == "close":
        is_list = before[0] == "]" and not is_value(tokens, start - 1)
        if before[0][0] != ")" and token.lastgroup == "open" and not is_list:
            return False
        is_whole = before[0].endswith(".T") or token[0] != "(" or is_list
        if not is_whole and not is_number_group(tokens, start, at - 1, variables):
            return False
        if start and tokens[start - 1].lastgroup == "name" and not iskeyword(tokens[start - 1][0]):
            start -= 1
    elif kind == "name":
        is_variable = before[0] in variables or version_of(before[0], variables) is not None
        is_called = not is_variable or is_argument(tokens, at)
        is_call = token[0] == "(" and is_called and not before[0].endswith(".T")
        if is_call or (before[0] not in variables and is_function(before[0])):
            return False
    elif kind not in ("number", "quotient"):
        return False
    sign = tokens[start - 1][0] if start else ""
    if sign in ("^", "**"):
        return kind == "close" or (kind == "number" and (is_spaced or token[0] == "("))
    if sign in TIGHT_SIGNS:
        return False
    is_exponent = start > 1 and sign in "+-~" and tokens[start - 2][0] in ("^", "**")
    return not is_exponent or kind == "close"


def is_value(tokens: list[re.Match[str]], at: int) -> bool:
    """Whether a token is the end of a value, of which a bracket behind it picks entries."""
    return at >= 0 and tokens[at].lastgroup in ("name", "close", "text") and not iskeyword(tokens[at][0])


def with_letters(right: PlacedText, variables: Collection[str]) -> PlacedText:
    """Return a right side with a BESIDE in ``xy``, which is no name, where its letters are ``variables``.

    Behind ``/`` or ``^`` it may mean two things, and before a bracket it is called.
    """
    tokens = list(TOKEN.finditer(right.text))
    made, done = PlacedText("", []), 0
    for at, token in enumerate(tokens):
        signs = [tokens[place][0] if 0 <= place < len(tokens) else "" for place in (at - 2, at - 1, at + 1)]
        is_second = signs[1] in TIGHT_SIGNS or (signs[1] in "+-~" and signs[0] in ("^", "**"))
        if not is_product_of_letters(token[0], variables) or is_second or signs[2] in ("(", "[", "="):
            continue
        for offset in range(token.start() + 1, token.end()):
            made += right[done:offset] + PlacedText(BESIDE, [])
            done = offset
    return made + right[done:] if done else right


def is_product_of_letters(name: str, variables: Collection[str]) -> bool:
    """Whether a word is no name, and each of its letters is."""
    is_derivative = name[0] == "d" and name[1:] in variables
    is_known = is_derivative or name in variables or is_function(name) or name in CONSTANTS
    return len(name) > 1 and name.isalpha() and not is_known and all(one in variables for one in name)


def is_argument(tokens: list[re.Match[str]], at: int) -> bool:
    """Whether the bracket ``at`` has one name in it, as in ``f(x)`` for the value of ``f``."""
    inside = [token.lastgroup for token in tokens[at + 1 : at + 3]]
    return inside == ["name", "close"]


def is_function(name: str) -> bool:
    """Whether a name is a function of the language, or one on paper."""
    return name in CALLED_ON_PAPER or (name not in CONSTANTS and plain_value(name) is not UNBOUND)


def is_number_group(tokens: list[re.Match[str]], start: int, end: int, variables: Collection[str]) -> bool:
    """Whether a bracket has a value that is no function: a formula, or the call of a function of numbers."""
    if start and tokens[start - 1].lastgroup == "name" and not iskeyword(tokens[start - 1][0]):
        called = tokens[start - 1][0]
        return called in variables or is_function(called)
    inside = [token[0] for token in tokens[start + 1 : end]]
    return len(inside) > 1 and not {"lambda", "if"}.intersection(inside)
