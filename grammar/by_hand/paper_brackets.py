r"""Square and curly brackets as on paper: around a part of a formula, and around the condition of a 1.

``2[x(a - y) + b]`` is ``2*(x*(a - y) + b)``. ``1[z > 0]``, ``𝟙[z > 0]`` and ``\mathbb{1}_{z > 0}`` are 1
where the condition holds, else 0: ``[z > 0]``. Behind a name, brackets are an index.
"""

from __future__ import annotations

import re

from autodiff.grammar.by_hand.latex_text import COMMANDS
from autodiff.grammar.by_hand.placed_text import PlacedText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

#: Stands where a product has no sign, until the values of its factors say which it is: see ``side_by_side``.
BESIDE = "\N{INVISIBLE TIMES}"
ONE = (
    r"[𝟙𝟏]|\\math(?:bb|bf|ds|bbm)\s*(?:\{[1I]\}|[1I])|\\(?:bb|mathrm)?I(?![a-zA-Z])|(?<![\w.\\])I(?=\s*[(\[])"
)
#: An indicator up to its bracket: signs that are nothing else, and a 1 with braces or an index behind it.
INDICATOR = re.compile(
    rf"(?:(?P<one>{ONE})\s*_?|(?<![\w.])1\s*(?:_|(?=\\?\{{)|(?=\\left\s*\\\{{)))"
    r"\s*(?:\\left\s*)?(?P<open>\\?\{|[\[(])"
)
COMPARED = re.compile(r"[<>=≤≥≠]|\\(?:[lg]eq?|neq?|[lg]t)(?![a-zA-Z])")
#: A bracket that opens or closes, with the sizes that LaTeX gives it.
BRACKET = re.compile(r"(?:\\(?:left|right)\s*)?\\?([(\[{)\]}])")
#: Bars around a norm and an absolute value.
DOUBLE_BAR = re.compile(r"(?:\\left\s*|\\right\s*)?\\(?:\||Vert\b)")
USUAL_NORM = re.compile(r"\\rVert\s*_\s*(?:\{\s*[2F]\s*\}|[2F])")
TYPED_NORM = re.compile(r"\|\|([^|]+)\|\|")
BAR = re.compile(r"(?:\\left\s*|\\right\s*)\||\\vert\b")
NORM = re.compile(r"‖([^‖]+)‖(?:_(?:\{\s*(\w+)\s*\}|(\w)))?")
ABSOLUTE = re.compile(r"\|([^|]+)\|")
NUMBER_BEFORE = re.compile(r"(?<![\w.])(?:\d[\d_]*\.?\d*|\.\d+)\s*$")
#: The end of a value or of a command, with spaces behind it.
VALUE_END = re.compile(r"(?:\\([a-zA-Z]+)|[\w)\]}'⁰¹²³⁴⁵⁶⁷⁸⁹])(?:\s|\\[,;:! ])*$")


def with_indicators(text: PlacedText, words: Collection[str]) -> PlacedText:
    """Return a text with ``[z > 0]`` for an indicator, with a BESIDE before it if a value stands there."""
    at = 0
    while found := INDICATOR.search(text.text, at):
        at = found.end()
        end = end_of_bracket(text.text, found.start("open"))
        if end is None or (found["one"] or "").strip() in words:
            continue
        inside = text[found.end() : end[0]].strip()
        if COMPARED.search(inside.text) is None:
            continue
        while inside.text[:1] in ("{", "\\") and (inner := end_of_bracket(inside.text, 0)) is not None:
            inside = inside[inside.text.index("{") + 1 : inner[0]].strip()
        sign = BESIDE if is_behind_value(text.text, found.start()) else ""
        made = PlacedText(f"{sign}[", []) + inside + PlacedText("]", [])
        text = text[: found.start()] + made + text[end[1] :]
        at = found.start() + len(made.text)
    return text


def without_bars(text: PlacedText) -> PlacedText:
    r"""Return a text with ``norm(w)`` for ``\|w\|`` and ``abs(x)`` for ``|x|``."""
    text = text.sub(USUAL_NORM, lambda _: r"\rVert ")
    text = text.sub(TYPED_NORM, lambda found: f"‖{found[1]}‖")
    text = text.sub(DOUBLE_BAR, lambda _: "‖").sub(BAR, lambda _: "|").sub(NORM, norm_of)
    at = 0
    while found := ABSOLUTE.search(text.text, at):
        at = found.end()
        is_factor = NUMBER_BEFORE.search(text.text, 0, found.start()) is not None
        if (is_factor and not text.text[found.start() - 1].isspace()) or not is_behind_value(
            text.text, found.start()
        ):
            inside = text[found.start(1) : found.end(1)]
            made = PlacedText("abs(", []) + inside + PlacedText(")", [])
            text = text[: found.start()] + made + text[found.end() :]
    return text


def norm_of(found: re.Match[str]) -> str:
    """Return the norm; that of index 2 or F is the usual one."""
    order = (found[2] or found[3] or "").strip()
    return f" norm({found[1]}, {order})" if order.isdigit() and order != "2" else f" norm({found[1]})"


def is_behind_value(text: str, at: int) -> bool:
    found = VALUE_END.search(text, 0, at)
    return found is not None and (found[1] is None or COMMANDS.get(found[1], found[1]).isalpha())


def end_of_bracket(text: str, start: int) -> tuple[int, int] | None:
    """Return where the bracket that closes the one at a place begins and ends."""
    depth = 0
    for found in BRACKET.finditer(text, start):
        depth += 1 if found[1] in "([{" else -1
        if not depth:
            return found.start(), found.end()
    return None


def with_round_brackets(text: PlacedText) -> PlacedText:
    """Return a text with ``2(x*y + 1)`` for ``2[x*y + 1]``: a number has no entries.

    Those of a condition are kept.
    """
    at = 0
    while (at := text.text.find("[", at)) >= 0:
        end = end_of_bracket(text.text, at)
        if (
            end is not None
            and NUMBER_BEFORE.search(text.text, 0, at)
            and is_formula(text.text[at + 1 : end[0]])
        ):
            parts = text[:at] + PlacedText("(", []) + text[at + 1 : end[0]]
            text = parts + PlacedText(")", []) + text[end[1] :]
        at += 1
    return text


def is_formula(text: str) -> bool:
    """Whether what stands in brackets is one value: no list, slice or condition."""
    depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if not depth and character in ",:<>=≤≥≠&|~":
            return False
    return bool(text.strip())
