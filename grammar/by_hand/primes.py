"""Derivatives as books write them: with primes, ``y' = 2*y``, ``f''(x) = 2*f'(x)``, ``f'(0) = 3``; ``f_xy``.

They are replaced by quotients, ``dy/dx`` and ``d2f/dx2``, before the formula is read.
"""

from __future__ import annotations

import re
from math import isclose

from autodiff.core.base.errors import CompileError, UsageError
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from autodiff.core.base.source import Source
    from autodiff.grammar.by_hand.placed_text import PlacedText

    #: Answers which inputs of the script a variable depends on, with their values if they are numbers.
    Inputs = Callable[[str], Sequence[tuple[str, float | None]]]

#: A text in quotation marks, or a name with primes and perhaps an argument.
PRIMES = re.compile(
    r"""(?<![\w'’′])'[^']*'|"[^"]*"|"""
    r"""(?<![\w.])(?P<name>[^\W\d]\w*)(?P<primes>['’′]{1,2}|″|"(?=\s*\())(?!['’′\w])(?:\s*\(\s*(?P<at>(?:[^()]|\([^()]*\))*?)\s*\))?"""
)
#: A name with others below it, ``f_x`` or ``f_xy``.
BELOW = re.compile(r"(?<![\w.])[^\W\d_]\w*_\w+(?!\w|\s*\()")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
NAME = re.compile(r"[^\W\d]\w*")


def with_quotients(text: PlacedText, variables: Collection[str]) -> PlacedText:
    """Return a formula with ``df/dx`` for ``f_x`` and ``d2f/dx dy`` for ``f_xy``.

    ``f``, ``x`` and ``y`` have to be ``variables`` of the script, and ``f_x`` none.
    """

    variables = {name for name in variables if name.isidentifier()}

    def replace(found: re.Match[str]) -> str:
        word = found[0]
        names = [word[:at] for at, letter in enumerate(word) if letter == "_" and word[:at] in variables]
        if word in variables or not names:
            return word
        name = names[-1]
        below = word[len(name) :].replace("_", "")
        if below in variables:
            return f"d{name}/d{below}"
        pairs = [(below[:at], below[at:]) for at in range(1, len(below))]
        known = [pair for pair in pairs if variables.issuperset(pair)]
        return f"d2{name}/d{known[0][0]} d{known[0][1]}" if known else word

    return text.sub(BELOW, replace)


class Primes:
    """Replaces derivatives with primes in a formula about a ``script``."""

    def __init__(self, script: Source, inputs: Inputs) -> None:
        self.script, self.inputs = script, inputs

    def replaced(self, text: PlacedText, only: Collection[str] | None = None) -> PlacedText:
        """Return the formula with quotients; raise a UsageError for a derivative that cannot be meant.

        If ``only`` some variables are given, it replaces theirs that no name in brackets is behind.
        """

        def replace(found: re.Match[str]) -> str:
            if found["name"] is None:
                return found[0]
            is_bare = found["at"] is None or NUMBER.fullmatch(found["at"])
            if only is not None and (found["name"] not in only or not is_bare):
                return found[0]
            by = self.input_of(found)
            name = found["name"] if found["at"] is None else variable_of(found["name"], by, self.script)
            return quotient(found, name, by)

        return text.sub(PRIMES, replace)

    def input_of(self, found: re.Match[str]) -> str:
        """Return the input that a derivative is by: its argument, or the only one behind the variable."""
        at, name = found["at"], found["name"]
        if at is not None and NAME.fullmatch(at):
            return str(at)
        if at is not None and not NUMBER.fullmatch(at):
            raise UsageError(
                f"--formula: `{found[0]}` is no derivative by a variable",
                code="E0610",
                help=(f"assign `u = {at}` in the script, and write {name}{found['primes']}(u)",),
            )
        inputs = self.inputs(name)
        if len(inputs) != 1:
            names = [one for one, _ in inputs]
            raise UsageError(
                f"--formula: `{found[0]}` does not say by which input: there are {' and '.join(names)}",
                code="E0610",
                help=("write " + " or ".join(quotient(found, name, one) for one in names),),
            )
        [(by, value)] = inputs
        if at is not None and (value is None or not isclose(float(at), value, abs_tol=1e-300)):
            here = "" if value is None else f": {by} = {value:g} in the script"
            raise UsageError(
                f"--formula: `{found[0]}` is the derivative at another point{here}",
                code="E0610",
                help=(
                    f"write {name}{found['primes']}({by}), with the name of the input, and --set {by}={at}",
                ),
            )
        return by


def quotient(found: re.Match[str], name: str, by: str) -> str:
    """Return the derivative with these primes as a quotient."""
    is_second = found["primes"] in ('"', "″") or len(found["primes"]) == 2
    return f"d2{name}/d{by}2" if is_second else f"d{name}/d{by}"


def refuse_parameter(name: str, script: Source) -> None:
    """Raise a UsageError for an input that is only a parameter of a function of the script."""
    try:
        body = parse_to_first_error(script).body
    except CompileError:
        return
    defined = [one for one in body if isinstance(one, tree.FunctionDef)]
    found = [one.name for one in defined if name in [parameter.name for parameter in one.parameters]]
    others = walk(*(one for one in body if one not in defined))
    if found and not any(isinstance(part, tree.Name) and part.id == name for part in others):
        raise UsageError(
            f"--formula: `{name}` is a parameter of `{found[0]}`, and no variable of the script",
            code="E0610",
            help=(f"assign the argument in the script: `{name} = ...`, and call {found[0]}({name})",),
        )


def variable_of(function: str, by: str, script: Source) -> str:
    """Return the variable that the script assigns ``f(x)`` to; raise a UsageError without one.

    It is ``f`` itself if that is no function of the script.
    """
    if not re.search(
        rf"^\s*(?:def\s+{re.escape(function)}\s*\(|{re.escape(function)}\s*=\s*lambda\b)", script.text, re.M
    ):
        return function
    call = rf"^[^\S\n]*(\w+)\s*=\s*{re.escape(function)}\(\s*{re.escape(by)}\s*\)[^\S\n]*(?:[#;].*)?$"
    assigned = re.findall(call, script.text, re.M)
    if not assigned:
        raise UsageError(
            f"--formula: `{function}` is a function, and no variable has the value {function}({by})",
            code="E0610",
            help=(f"assign it in the script, as in y = {function}({by}), and write dy/d{by}",),
        )
    return str(assigned[-1])
