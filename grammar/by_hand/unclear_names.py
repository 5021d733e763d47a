"""Names that look like gradients and do not say by what: ``delta2``, ``l2_delta``, ``grad``, ``grad_f``."""

from __future__ import annotations

import re

from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from autodiff.grammar.by_hand.step_lines import Line

#: Names that may be taken for the gradient of a value by its own name or number.
UNCLEAR = re.compile(r"(?:delta_?|d_)(?P<number>\w*)|(?P<base>\w+)_(?:delta|grad)")
#: Other names that look like a gradient's.
LOOKS_LIKE_GRADIENT = re.compile(r"(?i)\w*grad\w*|\w*deriv\w*|\w*_by_d\w+|d[^\W_]*_d\w+|jac\w*")
#: Names of other things that have to do with gradients.
OTHER_THINGS = re.compile(
    r"(?i)approx|ascent|check|clip|descent|diff|finite|fit|grade|hess|hist|learn|list|norm|num|optim|plot|step"
    r"|test|train|update|zero"
)
#: The right side of a line that gives a setting, such as the delta of Huber's loss.
PLAIN_NUMBER = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?")


def by_unclear_name(name: str, words: Collection[str]) -> str:
    """Return by what a name such as ``l2_delta`` may be the gradient, ``l2``; "" for other names."""
    found = UNCLEAR.fullmatch(name)
    if found is None:
        return ""
    base = found["base"] or found["number"]
    return next((one for one in (base, f"z{base}") if one.isidentifier() and one in words), "z")


def looks_like_gradient(name: str) -> bool:
    return UNCLEAR.fullmatch(name) is not None or LOOKS_LIKE_GRADIENT.fullmatch(name) is not None


def is_gradient_of_something(name: str) -> bool:
    """Whether a name or that of a function is a gradient's: ``grad``, no ``gradient_descent``."""
    return LOOKS_LIKE_GRADIENT.fullmatch(name) is not None and OTHER_THINGS.search(name) is None


def unclear_names(lines: Iterable[Line]) -> list[tuple[Line, str]]:
    """Return such names that lines give values to, with their lines; not those of plain numbers."""
    return [
        (line, name)
        for line in lines
        for name in sorted(line.binds | line.changes)
        if looks_like_gradient(name)
        if line.right is None or not PLAIN_NUMBER.fullmatch(line.right.text.strip())
    ]


def how_to_begin(lines: Iterable[Line], words: Collection[str], is_script: bool) -> str:
    """Return how to write a step, where a text has none."""
    if not is_script:
        return "write one on each line, as in dh == dz @ W.T"
    found = next(iter(unclear_names(lines)), None)
    return (
        how_to_judge(*found, words) if found else "give a gradient the name of what it is by, as in dw = 2*w"
    )


def how_to_judge(line: Line, name: str, words: Collection[str]) -> str:
    """Return how to write the step that a line with such a name is."""
    if isinstance(line.node, tree.FunctionDef):
        return f"`{name}` is a function: judge its result, as in L = f(w) and dw = {name}(w) behind it"
    by = by_unclear_name(name, words) or "w"
    formula = f"--formula 'dL/d{by} == {name}'"
    return f"write whose gradient `{name}` is, as in -e 'L = ...' {formula}, with your loss for the dots"
