"""What stands around the formulas of an exercise sheet: labels such as ``2a)``, and headings."""

from __future__ import annotations

import re

from autodiff.grammar.by_hand.left_side import split_equation
from autodiff.grammar.by_hand.paper import is_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from autodiff.grammar.by_hand.left_side import DerivativeNames
    from autodiff.grammar.by_hand.placed_text import PlacedText

#: ``2``, ``2.1``, ``2a``, ``2.a``, ``1(a`` and ``Q2``; ``a`` and ``iv``.
COUNT = (
    r"(?:[a-zA-Z]?\d{1,2}(?:\.\d{1,2})*(?:\.?[a-zA-Z](?!\w)|\((?:[a-zA-Z]|[ivx]+)(?=\)))?|[ivx]+|[a-zA-Z])"
)
#: A sign that ends one.
END = r"(?:[)\]]\.?:?|[.:])"
#: One label: ``2.1``; a word and a number, as in ``Exercise 2 (a)``; a count that a sign ends, as in ``2a)``.
COUNTED = (
    rf"[1-9]\d?(?:\.[1-9]\d?)+\s+|[^\W\d_]{{2,}}\.?\s+[(\[]?{COUNT}(?:{END}\s*|\s+)"
    rf"|[(\[]?{COUNT}{END}\s*"
)
#: The same, or words up to a colon.
LABEL = rf"{COUNTED}|[^\W_][^:=\[\]{{}}'\"]*:\s*"
COUNTED_LABELS = re.compile(rf"^\s*(?:{COUNTED})*")
LABELS = re.compile(rf"\s*(?:{LABEL})+")
#: The same in a list, or what begins an entry of one.
LIST_LABELS = re.compile(rf"\s*(?:[-*•–—>]\s+)?(?:(?:{LABEL})+|(?<=\s))")
#: Signs of which a formula is made, and no heading.
SIGNS_OF_FORMULAS = re.compile(r"[=+*/^@<>\[\]]")
#: A derivative that does not say by what it is: ``y'``, ``f''(2)``.
PRIMED = re.compile(r"[^\W\d]\w*\s*(?:['’′]{1,2}|[\"″])\s*(?:\([^()]*\))?")
FIRST_WORD = re.compile(r"\W*([^\W\d]\w*)")


def without_label(text: PlacedText, derivatives: DerivativeNames, in_list: bool) -> PlacedText:
    """Return an equation about a derivative without the label in front of it.

    A dash or a star in front of it is that of a list, if it is ``in_list``.
    """
    found = (LIST_LABELS if in_list else LABELS).match(text.text)
    if found is None or split_equation(text.text)[0].strip() in derivatives:
        return text
    rest = text[found.end() :]
    before, equals, _ = split_equation(rest.text)
    left = before.strip()
    return rest if equals and (left in derivatives or PRIMED.fullmatch(left)) else text


def is_heading(text: str, derivatives: DerivativeNames) -> bool:
    """Whether a line without a formula is a heading, or what is said between formulas: ``Exercise 1``.

    It does not begin with a name of the script or of the language.
    """
    rest = COUNTED_LABELS.sub("", text, count=1)
    if not re.search(r"\w", rest):
        return True
    first = FIRST_WORD.match(rest)
    if first is None or SIGNS_OF_FORMULAS.search(rest):
        return False
    return first[1] not in derivatives.words and first[1] not in derivatives and not is_function(first[1])
