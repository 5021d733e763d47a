"""A hand formula as text and as a tree, and its value where names have given values."""

from __future__ import annotations

import re

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import AutodiffError, CompileError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.left_side import no_derivative, parse_left_side, split_equation
from autodiff.grammar.by_hand.upstream import PLACEHOLDER, UpstreamDerivatives
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.run import Settings, run_once
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse, parse_expression
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

#: How many names of the script an error lists.
MAX_NAMES = 12
#: Signs that are not on a keyboard, with the language's signs for them.
SIGN_TRANSLATION = str.maketrans({"·": "*", "⋅": "*", "×": "*", "−": "-", "∂": "d"})
#: The name of a derivative of which a step changes entries.
CHANGED = "changed_"
#: Comments and strings of a script: the words in them are no names.
UNREAD_TEXT = re.compile(r"""#.*|'[^'\n]*'|"[^"\n]*\"""")


class ShapeMismatchError(UsageError):
    """Raised when the parts of a formula have incompatible shapes."""


class Formula:
    """The parsed text of ``--formula``: ``left`` is its derivative, None if there is a right side only.

    ``words`` are the words of ``script``, which separate the names in ``d2L/dxdw``. ``steps`` are the left
    sides of a derivation of several steps, such as ``dh``, and ``changes`` what a step then writes to
    entries, such as ``[z <= 0] = 0``. ``written`` is the right side as it was given; in
    ``source``, names stand for the derivatives in it, ``upstream``. ``step`` is the file and the line of a
    step.
    """

    __slots__ = ("left", "node", "parsed", "source", "step", "upstream", "words", "written")

    def __init__(
        self, text: str, script: Source, steps: Collection[str] = (), changes: Collection[str] = ()
    ) -> None:
        self.step: tuple[str, int] | None = None
        self.words = set(re.findall(r"\w+", UNREAD_TEXT.sub(" ", script.text)))
        left, equals, right = split_equation(text.translate(SIGN_TRANSLATION))
        self.left = parse_left_side(left, self.words) if equals else None
        if not equals:
            right = left
        elif self.left is None:
            raise no_derivative(left)
        self.written = right.strip() or left.strip()
        if equals and not right.strip():
            raise self.no_right_side()
        self.upstream = UpstreamDerivatives("\n".join([self.written, *changes]), self.words, steps)
        self.source = Source(self.upstream.text, "--formula")
        if changes:
            first, *rest = self.upstream.text.split("\n")
            made = "".join(f"{CHANGED}{change}\n" for change in rest)
            self.source = Source(f"{CHANGED} = ({first}) + 0\n{made}{CHANGED}", "--formula")
            self.written = "; ".join([self.written, *(f"then {change}" for change in changes)])
        try:
            self.parsed = parse_formula(self.source)
        except CompileError as error:
            if not equals and parse_left_side(right, self.words) is not None:
                raise self.no_right_side() from None
            advice = tuple(map(self.upstream.spell, error.advice))
            raise UsageError(
                f"--formula: {self.upstream.spell(error.message)} in `{right.strip()}`",
                code="E0610",
                help=advice or ("write the right side as the script would",),
            ) from None

        self.node: Any = self.parsed[-1] if self.is_expression else self.parsed[-1].value

    @property
    def is_expression(self) -> bool:
        """Whether the formula is an expression, with no entries that are changed afterwards."""
        return len(self.parsed) == 1

    @property
    def output(self) -> str:
        return "" if self.left is None else self.left.output

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs that the left side gives, if any."""
        return [] if self.left is None else [name for name, _ in self.left.by]

    @property
    def is_second(self) -> bool:
        return len(self.inputs) == 2

    @property
    def place(self) -> tuple[int, ...] | None:
        return None if self.left is None else self.left.place

    def resolve_lists(self, names: Mapping[str, Any]) -> None:
        """If ``params`` is a list, let ``params[0]`` in a derivative mean the place in it, not an entry."""
        if self.left is not None:
            self.left = self.left.resolve_lists(names)
        self.upstream.resolve_lists(names)

    def is_left_side_only(self, names: Collection[str]) -> bool:
        """Whether the text is only a left side such as ``dy/dx``, not a quotient of two of these names."""
        is_left = self.left is None and parse_left_side(self.written, self.words) is not None
        return is_left and not self.names_read <= set(names)

    def accept_output(self, name: str) -> None:
        """Let a name that the script lacks mean an output without a name; else raise a UsageError."""
        for side in (self.left, *(one.side for one in self.upstream.found)):
            if side is None or not side.output or side.output in self.words:
                continue
            if name.isidentifier():
                by = side.by[0][0]
                raise UsageError(
                    f"--formula: there is no variable `{side.output}`: the output is `{name}`",
                    code="E0610",
                    help=(f"write d{name}/d{by}, or d{by} for short",),
                )
            side.output = ""

    def refuse_itself(self) -> None:
        """Raise a UsageError if the derivative that the left side asks for stands on the right."""
        for one in self.upstream.found:
            if self.left is not None and one.side.by == self.left.by and one.side.output in ("", self.output):
                raise UsageError(
                    f"--formula: `{one.written}` on the right is the derivative that is to be checked",
                    code="E0610",
                    help=("write what it comes to, from other derivatives and the script's names",),
                )

    def no_right_side(self) -> UsageError:
        text = self.written
        return UsageError(
            f"--formula: `{text}` says which derivative is meant and not what it comes to",
            code="E0610",
            help=(f"write your derivative behind it, as in --formula '{text} == 2*x'",),
        )

    @property
    def names_read(self) -> set[str]:
        """The names that the formula reads, those of functions and of derivatives in it too."""
        return {node.id for node in walk(*self.parsed) if isinstance(node, tree.Name)}

    def text(self, node: tree.SyntaxNode) -> str:
        return self.source.excerpt(node.span)


def parse_formula(source: Source) -> tuple[Any, ...]:
    """Return the expression of a formula; the statements, if entries are changed after it."""
    if source.text.startswith(CHANGED):
        return tuple(parse(source).body)
    return (parse_expression(source),)


def evaluate_formula(text: str, names: dict[str, Any]) -> Any:
    """Return the value of a formula with these values for names; raise a UsageError if that fails.

    Numbers of the script are tensors in it, unless it needs whole numbers, as ``one_hot(t, count)`` does.
    """
    try:
        return formula_value(text, names)
    except UsageError as error:
        written_out = with_whole_numbers(text, names)
        if written_out == text or isinstance(error, ShapeMismatchError):
            raise
        try:
            return formula_value(written_out, names)
        except UsageError:
            raise error from None


def with_whole_numbers(text: str, names: Mapping[str, Any]) -> str:
    """Return a formula with the whole numbers among its names written out."""
    parsed = parse_formula(Source(text, "--formula"))
    read = [node for node in walk(*parsed) if isinstance(node, tree.Name)]
    for node in sorted(read, key=lambda node: -node.span.start):
        if names.get(node.id).__class__ is int:
            text = f"{text[: node.span.start]}({names[node.id]}){text[node.span.end :]}"
    return text


def formula_value(text: str, names: dict[str, Any]) -> Any:
    source = Source(text, "--formula")
    read = {node.id for node in walk(*parse_formula(source)) if isinstance(node, tree.Name)}
    settings = Settings(sets={name: value for name, value in names.items() if name in read}, track=False)
    try:
        value = run_once(source, settings, discard_text, discard_warning).last_value
    except AutodiffError as error:
        advice = tuple(line for line in error.advice if "--set" not in line)
        unknown = next((name for name in read if error.message == f"name '{name}' is not defined"), None)
        if unknown is not None:
            advice = (unknown_name_help(unknown, names, advice),)
        kind = ShapeMismatchError if isinstance(error, ShapeError) else UsageError
        raise kind(f"--formula: {error.message} in `{text}`", code="E0610", help=advice) from None
    return to_numbers(value, text)


def unknown_name_help(unknown: str, names: Collection[str], advice: tuple[str, ...]) -> str:
    """Return the help for a name that neither the script nor the language has."""
    if unknown[:1] == "d" and unknown[1:] in names:
        return f"a derivative is written {unknown}/d..., with a name of the script at the end"
    names = [name for name in names if not PLACEHOLDER.fullmatch(name)]
    near = closest_name(unknown, names)
    if near is not None:
        return f"did you mean `{near}`?"
    known = ", ".join(names[:MAX_NAMES])
    suggestions = (line for line in advice if line.startswith("did you mean"))
    return next(suggestions, f"the script has {known}; `autodiff ops` lists the functions")


def to_numbers(value: Any, text: str) -> Any:
    """Return a number, a tensor or lists of them as a number or array; reject anything else."""
    if isinstance(value, Tensor):
        return value.data
    if isinstance(value, (list, tuple)):
        try:
            return np.array([to_numbers(part, text) for part in value], dtype=float)
        except ValueError:  # rows of different lengths
            pass
    elif isinstance(value, (int, float)):
        return value
    raise UsageError(
        f"--formula: `{text}` gives no number but {type_name(value)}",
        code="E0610",
        help=("write the derivative as an expression of the script's names, as in 'dL/dw == 2*x'",),
    )
