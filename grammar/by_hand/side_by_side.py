"""Products without a sign, as in ``X w`` and ``p (1 - p)``: the values of the factors say what they mean.

A number beside anything is a factor. Two matrices, or a matrix and a vector, are multiplied as matrices,
whether or not they fit. A row beside a column, ``x^T y``, is the inner product of two vectors, a column
beside a row, ``x y^T``, the outer one. Two columns have no product of matrices: ``p (1 - p)`` is how people
write what holds for each entry, so they are multiplied entry by entry.

``A^{-1}`` is the inverse of a square matrix. Other powers are those of the entries, and so is ``A**-1``.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import CompileError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.by_hand.evaluate import parse_once
from autodiff.grammar.by_hand.paper_brackets import BESIDE
from autodiff.grammar.by_hand.placed_text import PlacedText
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    #: Returns the value of an expression; None if it has none.
    Evaluate = Callable[[str], Any]


#: A power with this exponent, as on paper.
INVERSE = re.compile(r"\^\s*\(*\s*-\s*1\s*\)*(?![\w.])")


def needs_values(text: str) -> bool:
    """Whether the meaning of a text depends on the values of its names."""
    return BESIDE in text or INVERSE.search(text) is not None


def with_signs(text: PlacedText, evaluate: Evaluate) -> PlacedText:
    """Return an expression with the sign that fits in place of each BESIDE.

    What is multiplied as matrices behind a written ``*`` comes first: ``g ⊙ X W`` is ``g*(X @ W)``. In a text
    that is no expression each is ``*``: its mistake is told where it is read as a formula.
    """
    if not needs_values(text.text):
        return text
    signs = Signs(text.text, evaluate)
    try:
        [statement] = parse_once(text.text.replace(BESIDE, "*"), True).script.body
    except CompileError:
        return signs.entered(text)
    for node in reversed(list(walk(statement))):  # the parts of a product come before it
        if isinstance(node, tree.Binary):
            signs.enter(node)
    return signs.entered(text)


class Signs:
    """The characters of an expression, those that are put between them, and where products begin."""

    def __init__(self, text: str, evaluate: Evaluate) -> None:
        self.text, self.evaluate = text, evaluate
        self.characters = list(text.replace(BESIDE, "*"))
        self.opening: dict[int, str] = {}
        self.closing: dict[int, str] = {}
        #: Where the first factor of a product begins, and where what multiplies it entry by entry ends.
        self.starts: dict[tree.SyntaxNode, tuple[int, int]] = {}
        #: The ends of products that need brackets, by their starts.
        self.brackets: dict[int, int] = {}

    def enter(self, node: tree.Binary) -> None:
        """Choose the sign of a product without one; another node is left as it is."""
        if node.op == "**":
            self.enter_power(node)
        at = self.text.find(BESIDE, node.left.span.end, node.right.span.start)
        if at < 0:
            return
        start, before = self.starts[node] = self.start_of(node)
        end = node.span.end
        left = self.evaluate(self.written(start, at))
        right = self.evaluate(self.written(at + 1, end))
        sign = self.sign_between(node, left, right)
        self.characters[at] = sign
        if sign == ", ":
            self.put_around(start, end, "outer(")
            if self.characters[end - 2 : end] == [".", "T"]:
                self.characters[end - 2 : end] = "", ""
        outside = self.evaluate(self.written(node.span.start, before)) if sign == " @ " and before else None
        if before and sign == " @ " and (outside is None or np.ndim(outside)):
            self.brackets[start] = end

    def enter_power(self, node: tree.Binary) -> None:
        """Let ``A^(-1)`` be the inverse of a square matrix."""
        at = self.text.find("^", node.left.span.end, node.right.span.start)
        if at < 0 or INVERSE.match(self.text, at) is None:
            return
        start, end = node.span.start, node.span.end
        base = self.evaluate(self.written(start, at))
        if base is not None and np.ndim(base) == 2 and np.shape(base)[0] == np.shape(base)[1]:
            self.characters[at:end] = [""] * (end - at)
            self.put_around(start, at, "inverse(")

    def start_of(self, node: tree.Binary) -> tuple[int, int]:
        """Return where the first factor begins, and where the factors before a written ``*`` end, if any."""
        left = node.left
        if left.span.start > node.span.start or not isinstance(left, tree.Binary) or left.op != "*":
            return node.span.start, 0
        if left in self.starts:
            return self.starts[left]
        before = self.text.index("*", left.left.span.end)
        return before + 1, before

    def written(self, start: int, end: int) -> str:
        """Return a part of the expression with the signs that are chosen."""
        parts = [
            f"{self.opening.get(at, '')}{self.characters[at]}{self.closing.get(at + 1, '')}"
            for at in range(start, end)
        ]
        return "".join(parts).strip()

    def put_around(self, start: int, end: int, opening: str) -> None:
        while self.text[start].isspace():
            start += 1
        self.opening[start] = opening + self.opening.get(start, "")
        self.closing[end] = self.closing.get(end, "") + ")"

    def entered(self, text: PlacedText) -> PlacedText:
        """Return the whole text with what is chosen."""
        for start, end in self.brackets.items():
            self.put_around(start, end, "(")
        made, done = PlacedText("", []), 0
        for at, character in enumerate(self.characters):
            opening, closing = self.opening.get(at, ""), self.closing.get(at + 1, "")
            if opening or closing or character != text.text[at]:
                kept = text[at : at + 1] if character == text.text[at] else PlacedText(character, [])
                made += text[done:at] + PlacedText(opening, []) + kept + PlacedText(closing, [])
                done = at + 1
        return made + text[done:]

    def sign_between(self, node: tree.Binary, left: Any, right: Any) -> str:
        """Return what stands between two factors with these values, None for those that are not known."""
        is_turned = is_transposed(node.left) or is_transposed(node.right)
        known = [np.ndim(one) for one in (left, right) if one is not None]
        if 0 in known:
            return "*"
        if len(known) < 2 or max(known) > 2:
            return " @ " if is_turned or known == [2] else "*"
        if known == [1, 1]:
            if self.is_row(node.right) and not self.is_row(node.left):
                return ", "
            return " @ " if self.is_row(node.left) or self.is_row(node.right) else "*"
        is_fit = np.shape(left)[-1] == np.shape(right)[0]
        return "*" if not is_fit and 1 in (np.size(left), np.size(right)) else " @ "

    def is_row(self, node: tree.Expression) -> bool:
        """Whether a vector is written as a row: ``x^T``, ``-x^T/n``, ``x^T A``."""
        if isinstance(node, tree.Attribute):
            return node.name == "T" and self.is_vector(node) and not self.is_row(node.object)
        if isinstance(node, tree.Unary):
            return self.is_row(node.operand)
        return isinstance(node, tree.Binary) and (
            self.is_row(node.left) or (node.op in "+-*" and self.is_row(node.right))
        )

    def is_vector(self, node: tree.Expression) -> bool:
        value = self.evaluate(self.written(node.span.start, node.span.end))
        return value is not None and np.ndim(value) == 1


def is_transposed(node: tree.Expression) -> bool:
    return isinstance(node, tree.Attribute) and node.name in ("T", "mT")
