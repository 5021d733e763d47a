"""Parses the left side of a hand formula: which output is differentiated by which inputs.

The notations are ``dL/dw``, ``d(L)/d(w)``, ``dL/dW[0,1]``, ``dL/dparams[0]``, ``w.grad``, ``dw``, ``grad_w``;
``dL_dw`` and ``dLdw``; ``dy[0]/dx`` for a row of a Jacobian; ``d2L/dx2``, ``d2L/dx dw``, ``d2L/dxdw``,
``d(dL/dx)/dw``. A 2 may have ``^`` or ``**`` before it, and d may be ``∂``. So are ``f'(x)``, ``f''(x)``,
``d/dx f`` and ``D_x f``.
"""

from __future__ import annotations

import re

from autodiff.core.base.errors import UsageError
from autodiff.core.derivation.second_order import spelled_second
from autodiff.core.paths.node_names import bracketed
from autodiff.grammar.session.hand_gradients import BY_DIFFERENCES, OTHER_WAY, names_in_one, without_way

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from autodiff.grammar.by_hand.placed_text import PlacedText

#: What reports call the sum of the output's entries with weights.
WEIGHED = "S"
#: Patterns of a name, with or without parentheses, and of its entry or its place in a list. In parentheses it
#: may be an expression, such as ``f(x)``.
INSIDE = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))+?"
NAME = rf"(?:\(\s*(?P<{{0}}>{INSIDE})\s*\)|(?P<{{0}}_>[^\W\d]\w*?))"
INDEX = r"\s*-?\d+\s*(?:,\s*-?\d+\s*)*,?\s*"
BRACKETS = rf"(?:\s*\[{INDEX}\])*"
ENTRY = rf"(?P<{{0}}_at>{BRACKETS})"
#: A variable, a place in a list, or a parameter of a module.
PLACE = re.compile(rf"[^\W\d][\w.]*{BRACKETS}")
SQUARE = r"\s*(?:\^|\*\*)?\s*[2²]"


def compile_pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern: ``@x`` is a name, ``@x@`` a name with an optional entry, a space any white space."""
    text = re.sub(r"@(\w)@", lambda found: NAME.format(found[1]) + ENTRY.format(found[1]), text)
    text = re.sub(r"@(\w)", lambda found: NAME.format(found[1]), text)
    return re.compile(text.replace("²", SQUARE).replace(" ", r"\s*"))


FIRST_PATTERNS = tuple(
    map(compile_pattern, (r" d @y@ / d @x@ ", rf" (?P<x_>\w+{BRACKETS})\.grad" + ENTRY.format("x") + " "))
)
SECOND_DERIVATIVES = (
    rf"d² @y / d @x@²(?P<both>{BRACKETS})",
    r"d² @y / \( d @x@ \)²",
    r"d² @y / d @x@ \*? d @z@",
    r"d² @y / \( d @x@ \*? d @z@ \)",
    r"d \( d @y / d @x@ \) / d @z@",
)
SECOND_PATTERNS = tuple(compile_pattern(f" {text} ") for text in SECOND_DERIVATIVES)
#: ``dw`` or ``grad_w``, the output's derivative by a name ``w`` of the script, as courses on backpropagation
#: write it.
BARE = r"(?P<prefix>d|grad_)(?P<x_>[^\W\d]\w*)"
BARE_PATTERN = re.compile(rf"\s*{BARE}{ENTRY.format('x')}\s*")
#: ``d_w``, ``nabla_w`` and ``w_grad``. A value such as ``d_out`` may also be the gradient by what goes into
#: ``out``: in a derivation such a name says its input only if no other line goes on from it.
LOOSE = r"(?P<prefix>d_|nabla_)(?P<x_>[^\W\d]\w*)"
LOOSE_PATTERN = re.compile(rf"\s*{LOOSE}{ENTRY.format('x')}\s*")
#: ``w_grad``, which is read as ``nabla_w``.
GRAD_BEHIND = re.compile(r"\s*([^\W\d]\w*)_grad\s*")
#: Two names with only a d between them: the script's names show where the first one ends.
JOINED_DERIVATIVE = r"d² @y / (?P<open>\()? d(?P<pair>\w+) (?(open)\))"
JOINED_NAMES = compile_pattern(f" {JOINED_DERIVATIVE} ")
#: Notations of books with what they are here: ``f'(x)``, ``f''(x)``, ``d/dx f`` and ``D_x f``.
NOTATIONS = (
    (re.compile(r"\s*(\w+)\s*['’′]\s*\(\s*(\w+)\s*\)\s*"), r"d\1/d\2"),
    (re.compile(r"\s*(\w+)\s*(?:['’′]{2}|[\"″])\s*\(\s*(\w+)\s*\)\s*"), r"d2\1/d\g<2>2"),
    (
        re.compile(
            r"\s*(?:d\s*/\s*d\s*|[dD∇]_)(\w+)\s*(?:\(\s*(\w+)\s*\)|(?<=\s)(\w+)(?:\s*\(\s*\1\s*\))?)\s*"
        ),
        r"d\2\3/d\1",
    ),
    (re.compile(r"\s*(?:nabla|∇)\s*(\w+)\s*\(\s*(\w+)\s*\)\s*"), r"d\1/d\2"),
    (GRAD_BEHIND, r"nabla_\1"),
)
#: Notations that do not say the input: ``f'``, ``grad f``; and ``f_x``, which may be a name.
WITHOUT_INPUT = re.compile(r"\s*(?:(?:grad|nabla|∇)\s*\(?\s*(\w+)\s*\)?|(\w+?)(?:['’′]+|_\w+))\s*")
#: A first derivative among other terms.
QUOTIENT_IN_TEXT = re.compile(r"(?<![\w.])d\w+\s*/\s*d\w+")
#: Strings, comparison and equals signs, and brackets: what has to be distinguished to find the equals sign.
EQUATION_PIECES = re.compile(r"""(?<![\w'])'[^']*'|"[^"]*"|[<>!]=|==?|[()\[\]{}]""")
#: The beginning of a second or higher derivative.
HIGHER_DERIVATIVE = re.compile(r"\s*(?:d(?:\s*(?:\^|\*\*)\s*\d|\d)|\w+\s*['’′]{3,})")


class LeftSide:
    """A parsed left side: ``output`` is "" if not given, ``by`` has each input with its entry or None.

    ``row`` is the entry of the output that is differentiated; None for all of it. ``is_weighed`` says that
    it is the sum ``S`` of the output's entries with weights, as reports call it.
    """

    __slots__ = ("by", "is_weighed", "output", "row")

    def __init__(
        self,
        output: str,
        by: tuple[tuple[str, tuple[int, ...] | None], ...],
        row: tuple[int, ...] | None = None,
    ) -> None:
        self.output = output
        self.by = by
        self.row = row
        self.is_weighed = False

    @property
    def place(self) -> tuple[int, ...] | None:
        """The entry of the derivative that is meant; None for all entries."""
        given = [entry for _, entry in self.by if entry is not None]
        return tuple(index for entry in given for index in entry) if given else None

    def spelled(self, output: str) -> str:
        """Return the notation, such as ``dL/dW[0,1]`` or ``d2L/dx2``."""
        if len(self.by) == 2 and self.place is None:
            return spelled_second(output, "", self.by[0][0], self.by[1][0])
        names = [spelled_input(name) + ("" if entry is None else as_index(entry)) for name, entry in self.by]
        output = bracketed(output) + ("" if self.row is None else as_index(self.row))
        output = WEIGHED if self.is_weighed else output
        return f"d{output}/d{names[0]}" if len(names) == 1 else f"d2{output}/d{names[0]} d{names[1]}"

    def resolve_lists(self, names: Mapping[str, Any]) -> LeftSide:
        """Return the same with ``params[0]`` as a place in a list, not an entry, if ``params`` is a list."""
        by = []
        for name, entry in self.by:
            value, rest = names.get(name), list(entry or ())
            while value.__class__ in (list, tuple) and rest and -len(value) <= rest[0] < len(value):
                at = range(len(value))[rest.pop(0)]
                name, value = f"{name}[{at}]", value[at]
            by.append((name, tuple(rest) or None))
        return self.with_by(tuple(by))

    def with_inputs(self, names: Mapping[str, str]) -> LeftSide:
        """Return the same with other names for inputs."""
        return self.with_by(tuple((names.get(name, name), entry) for name, entry in self.by))

    def with_by(self, by: tuple[tuple[str, tuple[int, ...] | None], ...]) -> LeftSide:
        made = LeftSide(self.output, by, self.row)
        made.is_weighed = self.is_weighed
        return made


def spelled_input(name: str) -> str:
    """Return an input as it stands below a derivative: in parentheses if it is an expression."""
    return name if PLACE.fullmatch(name) else f"({name})"


def as_index(entry: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, entry))}]"


def parse_left_side(text: str, names: Collection[str]) -> LeftSide | None:
    """Return the derivative that a text denotes, None if it is none; ``names`` are those of the script."""
    text = text.replace("∂", "d").replace("²", "2")
    for notation, form in NOTATIONS:
        text = found.expand(form) if (found := notation.fullmatch(text)) else text
    if together := JOINED_NAMES.fullmatch(text):
        pair = together["pair"]
        for at in (at for at, letter in enumerate(pair) if letter == "d"):
            if pair[:at] in names and pair[at + 1 :] in names:
                return LeftSide(
                    name_and_entry(together.groupdict(), "y")[0], ((pair[:at], None), (pair[at + 1 :], None))
                )
    for shape in (*SECOND_PATTERNS, *FIRST_PATTERNS):
        if found := shape.fullmatch(text):
            groups = found.groupdict()
            by = [name_and_entry(groups, letter) for letter in ("x", "z") if letter + "_" in groups]
            if len(by) == 1 and shape in SECOND_PATTERNS:
                both = tuple(map(int, re.findall(r"-?\d+", groups.get("both") or "")))
                half = len(both) // 2  # d2L/dw2[0, 1] is d2L/dw[0] dw[1]
                if len(both) % 2 or (both and by[0][1]):
                    return None
                by = [(by[0][0], both[:half]), (by[0][0], both[half:])] if both else by * 2
            output, row = name_and_entry(groups, "y") if "y_" in groups else ("", None)
            return LeftSide(output, tuple(by), row if shape in FIRST_PATTERNS else None)
    for shape in (BARE_PATTERN, LOOSE_PATTERN):
        if (found := shape.fullmatch(text)) and found["x_"] in names:
            return LeftSide("", (name_and_entry(found.groupdict(), "x"),))
    if (found := BARE_PATTERN.fullmatch(text)) and (
        pair := names_in_one(found["prefix"] + found["x_"], names)
    ):
        return LeftSide(pair[0], ((pair[1], name_and_entry(found.groupdict(), "x")[1]),))
    return None


def side_of_name(name: str, names: Collection[str]) -> LeftSide | None:
    """Return the derivative that the name of a step denotes, which may be another way to work it out."""
    by = of_other_way(name, names)
    return LeftSide("", ((by, None),)) if by else parse_left_side(name, names)


def of_other_way(text: str, names: Collection[str]) -> str:
    """Return by what a name such as ``dx2`` or ``grad_x_alt`` is the derivative; "" if it is no such name."""
    found = BARE_PATTERN.fullmatch(text)
    if found is None or found["x_at"] or names_in_one(text.strip(), names):
        return ""
    return without_way(found["x_"], names, OTHER_WAY)


def is_of_differences(text: str, names: Collection[str]) -> bool:
    """Whether a name such as ``dx_num`` is that of a derivative by differences."""
    found = BARE_PATTERN.fullmatch(text)
    return found is not None and bool(without_way(found["x_"], names, BY_DIFFERENCES))


def is_loose(text: str, names: Collection[str]) -> bool:
    """Whether a text is such a name as ``d_w``, which need not say by what it is the derivative.

    So is ``dx2``, which may be a part of ``dx``.
    """
    if of_other_way(text, names):
        return True
    text = GRAD_BEHIND.sub(r"nabla_\1", text)
    strict, loose = BARE_PATTERN.fullmatch(text), LOOSE_PATTERN.fullmatch(text)
    return loose is not None and loose["x_"] in names and (strict is None or strict["x_"] not in names)


class DerivativeNames:
    """The texts that are derivatives in a derivation: those with a script's ``words``, and ``others``.

    ``variables`` are the words that the script does not call. ``with_primes`` replaces ``y'`` by ``dy/dx`` in
    a line, if it is known what variables depend on.
    """

    __slots__ = ("others", "variables", "with_primes", "words")

    def __init__(
        self, words: Collection[str], others: Collection[str] = (), variables: Collection[str] = ()
    ) -> None:
        self.words, self.others, self.variables = words, others, variables
        self.with_primes: Callable[[PlacedText], PlacedText] | None = None

    def __contains__(self, text: str) -> bool:
        if text in self.others:
            return True
        left = parse_left_side(text, self.words)
        return left is not None and not is_loose(text, self.words)


def name_and_entry(groups: dict[str, str | None], letter: str) -> tuple[str, tuple[int, ...] | None]:
    """Return a name and its entry, which may be inside the parentheses with it."""
    name = groups[letter + "_"] or groups.get(letter) or ""
    at = groups.get(letter + "_at") or ""
    if inside := re.fullmatch(rf"(\w+)({BRACKETS})", name):
        name, at = inside[1], inside[2] + at
    return name, tuple(map(int, re.findall(r"-?\d+", at))) or None


def split_equation(text: str) -> tuple[str, str, str]:
    """Return the text left of the equals sign, the sign, and the text right of it.

    Without an equals sign, all of the text is left. An ``=`` inside brackets or quotes, or as part of a
    comparison such as ``<=``, does not count.
    """
    depth = 0
    for found in EQUATION_PIECES.finditer(text):
        piece = found[0]
        depth += (piece in "([{") - (piece in ")]}")
        if not depth and piece in ("==", "="):
            return text[: found.start()], piece, text[found.end() :]
    return text, "", ""


def split_members(right: PlacedText) -> list[PlacedText]:
    """Return what stands between the equals signs of a right side, as in ``2*x*y == 2*x*3 == 12``."""
    found = []
    equals = "="
    while equals:
        before, equals, after = split_equation(right.text)
        found.append(right[: len(before)].strip())
        right = right[len(right.text) - len(after) :]
    return found


def no_derivative(text: str, written: str = "") -> UsageError:
    """Return the error for a left side that is no first or second derivative, which was ``written`` so."""
    shown = text.strip()
    if HIGHER_DERIVATIVE.match(text.replace("∂", "d")):
        return UsageError(
            f"--formula: `{written.strip() or shown}` is no first or second derivative",
            code="E0610",
            help=(
                "write a second derivative as in d2L/dx2 == 6*x, or d2L/dx dw for two inputs",
                "for a third one, assign the second in the script, as in s = 6*x, and write ds/dx",
            ),
        )
    text = "write it as in --formula 'dL/dw == 2*w', or d(loss)/d(w)"
    if found := WITHOUT_INPUT.fullmatch(shown):
        text = f"write it as in d{found[1] or found[2]}/dx == 2*x, a formula for each input"
    if found := QUOTIENT_IN_TEXT.search(shown):
        text = f"solve the equation for {found[0]}, which stands alone on the left"
    return UsageError(f"--formula: `{shown}` is no derivative", code="E0610", help=(text,))
