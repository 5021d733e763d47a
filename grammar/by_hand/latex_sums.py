r"""Sums and products over an index, ``\sum_{i=1}^{n} (p_i - y_i) x_i``, as sums over the entries or rows.

They are read where all that has the index is a variable of the script, and the sum goes over all entries.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.grammar.by_hand.placed_text import PlacedText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

SUM = re.compile(
    r"(?:\\(?:sum|prod)(?![a-zA-Z])|[∑∏])\s*(?:\\limits\s*)?"
    r"(?:_\s*(?:\{\s*(?P<in>\w)\s*(?:=\s*[01])?\s*\}|(?P<alone>\w)))?\s*(?:\^\s*(?:\{\s*\w+\s*\}|\w))?"
)
BRACKET = re.compile(r"\\?[(\[{]|\\?[)\]}]|\\begin|\\end")


def without_sums(text: PlacedText, words: Collection[str]) -> PlacedText:
    r"""Return a text without ``\sum``; raise a UsageError for one that may go over other entries."""
    while found := SUM.search(text.text):
        index = found["in"] or found["alone"]
        end = end_of_term(text.text, found.end())
        term = text[found.end() : end]
        is_sum = found[0].startswith(("\\sum", "∑"))
        if index is None or SUM.search(term.text):
            raise not_certain(found[0], is_sum)
        names: dict[str, None] = {}

        def entry(match: re.Match[str], index: str = index, names: dict[str, None] = names) -> str:
            name = variable_of(match[1], words)
            names[name] = None
            return f"{name}[{index}]"

        below = rf"(?:_\s*\{{?\s*{index}\s*\}}?|\^\s*\{{\s*\(\s*{index}\s*\)\s*\}})(?![\w,])"
        accented = r"\\(?:wide)?(?:hat|bar|tilde)\s*\{?\s*\w+\s*\}?"
        indexed = re.compile(rf"(?<![\w\\])({accented}|\\?[^\W\d_]\w*?|\\math\w+\{{\w+\}}){below}")
        made = term.sub(indexed, entry)
        if (
            not names
            or "" in names
            or re.search(
                rf"[_^]\s*(?:\{{(?:[^{{}}]*\b)?{index}\b|\{{{index}\w\}}|\{{\w{index}\}}|{index}\b)",
                made.text,
            )
        ):
            raise not_certain(found[0], is_sum)
        method = "sum" if is_sum else "prod"
        size = f"{next(iter(names))}.shape[0]"
        opening = PlacedText(" stack([", [])
        closing = PlacedText(f" for {index} in range({size})]).{method}(0) ", [])
        text = text[: found.start()] + opening + made.strip() + closing + text[end:]
    return text


def end_of_term(text: str, start: int) -> int:
    """Return where the product ends that begins at a place: before a sign, or where a bracket closes."""
    at, depth = start, 0
    while at < len(text):
        found = BRACKET.match(text, at)
        if found is not None:
            depth += 1 if found[0][-1] in "([{" or found[0] == "\\begin" else -1
            if depth < 0:
                break
            at = found.end()
            continue
        is_sign = text[at] in "+-=,;&" and text[start:at].strip()
        if not depth and is_sign and text[start:at].rstrip()[-1] not in "*^_":
            break
        at += 1
    trimmed = text[:at].rstrip()
    return len(trimmed.removesuffix("\\right")) if trimmed.endswith("\\right") else at


def variable_of(spelled: str, words: Collection[str]) -> str:
    """Return the variable of the script that has the index: ``X`` for ``x_i``; "" for none."""
    accent = re.fullmatch(r"\\(?:wide)?(hat|bar|tilde)\s*\{?\s*(\w+)\s*\}?", spelled)
    name = re.sub(r"\\math\w+\{(\w+)\}|\\", r"\1", spelled)
    tried = [name, name.upper()]
    if accent:
        tried = [f"{accent[2]}_{accent[1]}", f"{accent[2]}{accent[1]}"]
    return next((one for one in tried if one in words), "")


def not_certain(text: str, is_sum: bool) -> UsageError:
    name = "sum" if is_sum else "prod"
    return UsageError(
        f"--formula: `{text.strip()}` does not say over which entries of the script's variables",
        code="E0610",
        help=(
            f"write {name}(...) of all entries, as in {name}(p - y)",
            "or a product of matrices, as in X^T (p - y)",
        ),
    )
