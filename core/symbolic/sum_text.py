"""Sums with many similar terms, in Python's notation: ``sum(X[k,0]*G[k,1] for k in range(64))``."""

from __future__ import annotations

import re

from autodiff.core.symbolic.expr import expr_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.symbolic.expr import Expr

#: Shorter runs of similar texts are written one by one.
FEWEST_FOLDED = 5
LETTERS = "kmnpqr"
INDEX = re.compile(r"(?<=[\[,])\d+(?=[,\]])")
WORDS = re.compile(r"[^\W\d]\w*")


def written_sum(terms: Sequence[Expr], digits: int | None = None) -> str:
    """The sum of the terms. Runs of terms that differ only by a running index are folded.

    >>> from autodiff.core.symbolic.expr import infix, name_expr
    >>> terms = [infix("*", name_expr(f"X[{k},0]"), name_expr(f"v[{k + 1}]")) for k in range(8)]
    >>> written_sum(terms[:2]), written_sum(terms)
    ('X[0,0]*v[1] + X[1,0]*v[2]', 'sum(X[k,0]*v[k+1] for k in range(8))')
    """
    spelled = [expr_text(term, None, digits) for term in terms]
    return join_terms([f"sum({term} {rest})" if rest else term for term, rest in fold_runs(spelled)])


def join_terms(terms: Sequence[str]) -> str:
    """Terms joined as a sum. A leading minus sign of a term becomes the operator.

    >>> join_terms(["2*x", "-y", "3"])
    '2*x - y + 3'
    """
    total = terms[0]
    for term in terms[1:]:
        total += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return total


def fold_runs(spelled: Sequence[str]) -> list[tuple[str, str]]:
    """The texts, each with an empty text, or a whole run as one text with ``for k in range(8)``.

    Texts of a run differ only in indices, each of which stays or grows by one from one text to the next.

    >>> fold_runs(["a[0]"] + [f"a[{k}] = b[{k + 1}]" for k in range(2, 8)])
    [('a[0]', ''), ('a[k] = b[k+1]', 'for k in range(2, 8)')]
    """
    letter = free_letter(spelled)
    found = []
    at = 0
    while at < len(spelled):
        end = run_end(spelled, at)
        if end - at < FEWEST_FOLDED:
            found.append((spelled[at], ""))
            at += 1
        else:
            found.append(fold_run(spelled[at:end], letter))
            at = end
    return found


def free_letter(spelled: Sequence[str]) -> str:
    """A letter for the index that is not used as a name in the texts."""
    used = {word for one in spelled for word in WORDS.findall(one)}
    return next((letter for letter in LETTERS if letter not in used), "index")


def run_end(spelled: Sequence[str], start: int) -> int:
    """The end of the run of similar texts that begins at ``start``."""
    shape = INDEX.sub("", spelled[start])
    end = start + 1
    moving: list[int] | None = None
    while end < len(spelled) and INDEX.sub("", spelled[end]) == shape:
        before, after = (list(map(int, INDEX.findall(one))) for one in (spelled[end - 1], spelled[end]))
        steps = [b - a for a, b in zip(before, after, strict=True)]
        if any(step not in (0, 1) for step in steps) or not any(steps) or moving not in (None, steps):
            break
        moving = steps
        end += 1
    return end


def fold_run(run: Sequence[str], letter: str) -> tuple[str, str]:
    first, second = (list(map(int, INDEX.findall(one))) for one in run[:2])
    pairs = list(zip(first, second, strict=True))
    lowest = min(a for a, b in pairs if a != b)
    spelled = iter(
        str(a) if a == b else letter if a == lowest else f"{letter}+{a - lowest}" for a, b in pairs
    )
    bounds = f"{lowest}, {lowest + len(run)}" if lowest else str(len(run))
    return INDEX.sub(lambda match: next(spelled), run[0]), f"for {letter} in range({bounds})"
