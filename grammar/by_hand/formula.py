"""A hand formula as text and as a tree, and its value where names have given values."""

from __future__ import annotations

import re
from functools import partial

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import AutodiffError, CompileError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import np, services
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.by_hand.evaluate import FORMULA, function_names, parse_once, run_text
from autodiff.grammar.by_hand.latex_text import with_definitions
from autodiff.grammar.by_hand.left_side import (
    WEIGHED,
    DerivativeNames,
    no_derivative,
    parse_left_side,
    split_equation,
    split_members,
)
from autodiff.grammar.by_hand.numbering import without_label
from autodiff.grammar.by_hand.paper import as_typed, is_product_of_letters, with_letters, with_products
from autodiff.grammar.by_hand.paper_brackets import BESIDE
from autodiff.grammar.by_hand.placed_text import PlacedText
from autodiff.grammar.by_hand.primes import Primes, refuse_parameter, variable_of, with_quotients
from autodiff.grammar.by_hand.side_by_side import needs_values, with_signs
from autodiff.grammar.by_hand.upstream import PLACEHOLDER, UpstreamDerivatives
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.hand_gradients import stands_for_loss
from autodiff.grammar.session.versions import VERSION
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from autodiff.grammar.by_hand.left_side import LeftSide
    from autodiff.grammar.by_hand.primes import Inputs
    from autodiff.grammar.by_hand.runs import ScriptRun
    from autodiff.grammar.by_hand.steps import Workings

#: How many names of the script an error lists.
MAX_NAMES = 12
#: Signs that are not on a keyboard, with the language's signs for them.
SIGN_TRANSLATION = str.maketrans({"·": "*", "⋅": "*", "×": "*", "⊙": "*", "−": "-", "∂": "d", "≈": "="})
#: Comments and strings of a script: the words in them are no names.
UNREAD_TEXT = re.compile(r"""#.*|'[^'\n]*'|"[^"\n]*\"""")
#: A word that is no method or attribute and is not called.
VARIABLE = re.compile(r"(?<![\w.])\w+\b(?!\s*\()")
CALLED = re.compile(r"(?<![\w.])(\w+)\s*\(")
NAMES = re.compile(r"[^\W\d]\w*")
#: A function with its arguments, ``f(x)``: a variable ``f`` may be meant.
VALUE_OF = re.compile(r"\s*([^\W\d]\w*)\s*\([\w\s,]+\)\s*")
#: The identity matrix.
IDENTITY = re.compile(r"(?<![\w.])I(?:_n)?(?![\w(\[.])")
#: A name with a number behind it, as of an entry.
INDEXED = re.compile(r"([^\W\d_]\w*?)_?(\d+)")
#: A name that counts the turns of a loop, and one that is given a value by an equals sign.
COUNTER = re.compile(r"\bfor\s+([^\W\d]\w*)\s+in\s+range\(")
GIVEN = re.compile(r"([^\W\d]\w*)\s*[-+*/@%]*=(?!=)")
#: A comma between digits that stands in no bracket.
DECIMAL_COMMA = re.compile(r"[([{]|[)\]}]|(?<![\w.,])(\d+,\d+(?:[eE][-+]?\d+)?)(?![\w.,])")


class ShapeMismatchError(UsageError):
    """Raised when the parts of a formula have incompatible shapes."""


class NotJudgedError(UsageError):
    """Raised for a step that needs a line which cannot be read or run."""


def words_of(script: Source) -> set[str]:
    """Return the words of a script that may be variables, which separate the names in ``d2L/dxdw``.

    Names that only count turns are none: ``dj_dw`` beside ``for j in range(n)`` is a gradient of the loss.
    """
    text = UNREAD_TEXT.sub(" ", script.text)
    counters = set(COUNTER.findall(text)) - set(GIVEN.findall(text))
    return set(VARIABLE.findall(text)) - counters


def derivative_names(script: Source, others: Collection[str] = ()) -> DerivativeNames:
    """Return what tells the derivatives in formulas about a script; ``others`` are more of them."""
    words = words_of(script)
    return DerivativeNames(words, others, words - set(CALLED.findall(script.text)))


class Formula:
    """A parsed formula: ``left`` is its derivative, None if there is a right side only.

    ``right`` is the right side, an expression, or for a step of a derivation the statements that make the
    derivative and end in its name. ``others`` are the further members of a chain ``dL/dw = ... = ...``, right
    sides of the same derivative. ``given`` is the text that it comes from, the option or a file, ``words``
    are those of the script. ``written`` is the right side as it was given; in ``source``, names stand for
    the derivatives in it, ``upstream``. ``step`` is the file and the line of a step, and ``workings`` what
    the derivation computes before it. A number may stand for a gradient that it is rounded from, which
    ``stands_for`` then is; ``digits`` says to which digits.
    """

    __slots__ = (
        *("digits", "given", "is_expression", "left", "node", "others", "parsed", "placed", "source"),
        *("stands_for", "step", "upstream", "words", "workings", "written"),
    )

    def __init__(
        self,
        left: LeftSide | None,
        right: PlacedText,
        given: Source,
        words: Collection[str],
        step: tuple[str, int] | None = None,
        workings: Workings | None = None,
        written: str = "",
    ) -> None:
        self.left = left
        self.given = given
        self.words = words
        self.step = step
        self.workings = workings
        self.others: list[Formula] = []
        self.stands_for: Any = None
        self.digits = ""
        self.is_expression = not written
        self.written = written or " ".join(right.text.replace(BESIDE, "*").split())
        own = () if workings is None else workings.own_names
        steps = () if workings is None else workings.steps
        meant = {} if workings is None else workings.meant
        if self.is_expression:
            refuse_decimal_comma(right, given)
        right = without_calls(right, left, words)
        self.upstream = UpstreamDerivatives(right, words, steps, own, meant)
        try:
            self.read(self.upstream.placed)
        except CompileError as error:
            if left is None and parse_left_side(right.text, words) is not None:
                raise self.no_right_side() from None
            advice = error.advice or ("write the right side as the script would",)
            raise self.located(error, advice) from None

    def read(self, placed: PlacedText) -> None:
        """Set the text and the tree; raise a CompileError for a mistake."""
        self.placed = placed
        self.source = Source(placed.text.replace(BESIDE, "*"), FORMULA)
        body: tuple[Any, ...] = parse_once(self.source.text, self.is_expression).script.body
        self.parsed, self.node = body, body[-1].value

    def give_signs(self, first: ScriptRun) -> None:
        """Give products without a sign, such as ``X w``, the one that fits the values in the script's run."""
        for one in self.members:
            if needs_values(one.placed.text):
                names = {**first.names_with(one.names_read), **one.upstream.known_values(first)}
                one.read(with_signs(one.placed, partial(value_or_none, names)))
                one.written = " ".join(one.upstream.spell(one.placed.text).split())

    @property
    def members(self) -> list[Formula]:
        """The formula, and the others of its chain."""
        return [self, *self.others]

    @property
    def output(self) -> str:
        return "" if self.left is None else self.left.output

    @property
    def named_output(self) -> str:
        """The output if it is a variable of the script, or an expression of these, ``f(x)``; else ""."""
        known = [name for name in NAMES.findall(self.output) if name in self.words]
        is_known = self.output in self.words or (known and not self.output.isidentifier())
        return re.sub(r"\s+", " ", self.output) if is_known else ""

    def mean_output(self, output: str) -> None:
        """Let ``dy[0]/dx`` be about all of this output, if it is ``y[0]``."""
        for side in (one.left for one in self.members):
            if side is not None and side.row is not None:
                entry = f"{side.output}[{','.join(map(str, side.row))}]"
                if entry == "".join(output.split()):
                    side.output, side.row = output, None

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
        for member in self.others:
            member.resolve_lists(names)
        if self.left is not None:
            self.left = self.left.resolve_lists(names)
        for one in self.all_upstream:
            one.resolve_lists(names)

    def rename_inputs(self, names: Mapping[str, str], loss: str) -> None:
        """Let derivatives of the loss be by the values that have these names: ``w_4`` for ``w``."""
        for member in self.members:
            if member.left is not None and member.output in ("", loss):
                member.left = member.left.with_inputs(names)
                member.upstream.rename_inputs(names, ("", loss))

    @property
    def all_upstream(self) -> list[UpstreamDerivatives]:
        """The derivatives in the formula and its chain, and in what the derivation computes before it."""
        before = [] if self.workings is None else self.workings.upstream
        return [*(one.upstream for one in self.members), *before]

    def is_left_side_only(self, names: Collection[str]) -> bool:
        """Whether the text is only a left side such as ``dy/dx``, not a quotient of two of these names."""
        is_left = self.left is None and parse_left_side(self.written, self.words) is not None
        return is_left and not self.names_read <= set(names)

    def refuse_differential(self, name: str) -> None:
        """Raise a UsageError for ``df = 2*x*dx`` where ``f`` is the output: that is no derivative."""
        bare = [one.written for one in self.upstream.found if re.fullmatch(r"d\w+", one.written)]
        if self.output or self.is_second or self.inputs != [name] or name not in self.words or not bare:
            return
        help_text = f"write a formula for each input, as in d{name}/{bare[0]} == ..."
        if len(bare) == 1:
            factor = re.sub(rf"\s*\*\s*{bare[0]}\b|\b{bare[0]}\s*\*\s*", "", self.written)
            help_text = f"write the derivative: d{name}/{bare[0]} == {factor}"
        raise UsageError(
            f"--formula: `d{name} = {self.written}` is the differential of {name}",
            code="E0610",
            help=(help_text,),
        )

    def accept_output(self, name: str, is_only: bool = False, is_weighed: bool = False) -> str:
        """Let a name that the script lacks mean the output; else raise a UsageError.

        It does where the output has no name, where it ``is_only`` and the name is a loss's, and where it
        ``is_weighed`` and the name is that of reports for it. In the second case the note that says
        so is returned, else "".
        """
        if self.workings is None:
            self.refuse_differential(name)
        note = ""
        lefts = [one.left for one in self.members]
        for side in (*lefts, *(one.side for upstream in self.all_upstream for one in upstream.found)):
            if side is None or not side.output or side.output in self.words:
                continue
            side.is_weighed = is_weighed and side.output == WEIGHED
            if side.is_weighed:
                pass
            elif is_only and stands_for_loss(side.output):
                note = f"`{side.output}` in the formulas is read as `{name}`, the script's output"
            elif name.isidentifier():
                by = side.by[0][0]
                raise UsageError(
                    f"--formula: there is no variable `{side.output}`: the output is `{name}`",
                    code="E0610",
                    help=(f"write d{name}/d{by}, or d{by} for short",),
                )
            side.output = ""
        return note

    def refuse_itself(self) -> None:
        """Raise a UsageError if the derivative that the left side asks for stands on the right."""
        for one in self.upstream.found:
            is_named = self.workings is None or not self.workings.segment.spelled
            is_it = self.left is not None and is_named and one.node is None and one.side.by == self.left.by
            if is_it and one.side.output in ("", self.output):
                raise UsageError(
                    f"--formula: `{one.written}` on the right is the derivative that is to be checked",
                    code="E0610",
                    help=("write what it comes to, from other derivatives and the script's names",),
                )

    def no_right_side(self) -> UsageError:
        return no_right_side(self.written)

    @property
    def names_read(self) -> set[str]:
        """The names that the formula reads, those of functions and of derivatives in it too."""
        return {node.id for node in walk(*self.parsed) if isinstance(node, tree.Name)}

    def text(self, node: tree.SyntaxNode) -> str:
        return self.source.excerpt(node.span)

    def values_written(self) -> list[Any]:
        """Return the expressions of the formula; of several lines those that make the derivative first."""
        if self.is_expression:
            return [self.node]
        lines = simple_statements(self.parsed[:-1])
        own = [one for one in lines if self.node.id in written_names(one)]
        return [one.value for one in (*own, *(one for one in lines if one not in own))]

    def line(self, offset: int) -> int:
        """Return the line, in the text that was given, of what stands at an offset of ``source``."""
        return self.given.position(self.placed.origin(offset))[0]

    def value(self, names: Mapping[str, Any]) -> Any:
        """Return the value where names have these values; a UsageError points at its place in the text."""
        if self.stands_for is not None:
            return self.stands_for
        try:
            return computed_value(self.source.text, names, self.is_expression)
        except AutodiffError as error:
            raise self.located(error, advice_on(error, self.source, names, self.is_expression)) from None

    def located(self, error: AutodiffError, advice: tuple[str, ...]) -> UsageError:
        """Return an error about the formula's text as one about the text that was given."""
        return located_in(self.placed, self.given, error, advice or error.advice, self.upstream)


def simple_statements(body: Iterable[Any]) -> list[Any]:
    """Return the statements that give values, those in loops and branches too."""
    found: list[Any] = []
    for node in body:
        if isinstance(node, (tree.Assign, tree.AugmentedAssign, tree.ExpressionStatement)):
            found.append(node)
        for inner in inner_bodies(node):
            found += simple_statements(inner)
    return found


def inner_bodies(node: tree.SyntaxNode) -> list[tree.Body]:
    """Return the bodies of a loop, a branch or a ``with``."""
    if isinstance(node, (tree.For, tree.While)):
        return [node.body, node.orelse]
    if isinstance(node, tree.If):
        return [*(body for _, body in node.branches), node.orelse]
    return [node.body] if isinstance(node, tree.With) else []


def written_names(node: tree.SyntaxNode) -> set[str]:
    """Return the names that a simple statement binds or changes a part of."""
    if isinstance(node, tree.ExpressionStatement):
        call = node.value
        if not isinstance(call, tree.Call) or not isinstance(call.function, tree.Attribute):
            return set()
        return {root_name(call.function.object)}
    return {name.id for name in assigned_names(node)}


def root_name(node: tree.SyntaxNode) -> str:
    """Return the name whose value, or a part of it, an expression is: ``dx`` of ``dx[0].T``; "" if none."""
    while isinstance(node, (tree.Subscript, tree.Attribute)):
        node = node.object
    return node.id if isinstance(node, tree.Name) else ""


def located_in(
    placed: PlacedText,
    given: Source,
    error: AutodiffError,
    advice: tuple[str, ...],
    upstream: UpstreamDerivatives,
) -> UsageError:
    """Return an error about a text as one that points at the place where the text comes from."""
    kind = ShapeMismatchError if isinstance(error, ShapeError) else UsageError
    made = kind(
        f"--formula: {upstream.spell(error.message)}", code="E0610", help=tuple(map(upstream.spell, advice))
    )
    made.caret = upstream.spell(error.caret)
    if error.span is not None:
        start = placed.origin(error.span.start)
        made.span = Span(start, max(placed.origin(max(error.span.end - 1, 0)) + 1, start + 1))
    made.source = given
    return made


def read_formula(text: str, script: Source, inputs: Inputs) -> Formula:
    """Return the formula of ``--formula TEXT``; raise a UsageError that points at a mistake in it.

    ``inputs`` answers which inputs a variable of the script depends on.
    """
    given, names = Source(text, FORMULA), derivative_names(script)
    words = names.words
    plain = with_definitions(PlacedText(text.translate(SIGN_TRANSLATION)), words)
    typed = without_label(as_typed(plain, words), names, in_list=False)
    whole = Primes(script, inputs).replaced(with_quotients(typed, names.variables))
    before, equals, after = split_equation(whole.text)
    left = parse_left_side(before, words) if equals else None
    if not equals:
        right = with_letters(whole.strip(), names.variables)
        return Formula(None, with_products(right, names.variables), given, words)
    if left is None:
        raise no_derivative(before, split_equation(text)[0])
    if left.output:
        value = VALUE_OF.fullmatch(left.output)
        called = value is not None and value[1] in names.variables
        left.output = value[1] if value is not None and called else left.output
        left.output = variable_of(left.output, left.by[0][0], script)
    for name, _ in left.by:
        refuse_parameter(name, script)
    if not after.strip():
        raise no_right_side(before.strip())
    right = with_letters(whole[len(whole.text) - len(after) :], names.variables)
    right = with_products(right, names.variables)
    if "I" not in words:
        right = right.sub(IDENTITY, lambda _: f"eye({left.by[-1][0]}.shape[-1])")
    first, *others = split_members(right)
    made = Formula(left, first, given, words)
    made.others = [Formula(left, one, given, words) for one in others]
    return made


def entry_help(unknown: str, names: Collection[str]) -> str:
    """Return the help for ``x_1`` where there is an ``x``, and no ``x_2`` either; "" for another name."""
    found = INDEXED.fullmatch(unknown)
    if found is None or found[1] not in names:
        return ""
    if any(VERSION.fullmatch(name) and name.startswith(f"{found[1]}_") for name in names):
        return ""
    return f"an entry is written {found[1]}[{found[2]}], counted from 0"


def without_calls(right: PlacedText, left: LeftSide | None, words: Collection[str]) -> PlacedText:
    """Return a right side in which ``f(x)``, beside ``f'(x)`` on the left, is the variable ``f``."""
    if left is None or left.output not in words:
        return right
    inputs = "|".join(re.escape(name) for name, _ in left.by)
    call = re.compile(rf"(?<![\w.]){re.escape(left.output)}\s*\(\s*(?:{inputs})\s*\)")
    return right.sub(call, lambda _: left.output)


def refuse_decimal_comma(right: PlacedText, given: Source) -> None:
    """Raise a UsageError for ``-0,1586``, where a comma separates two values."""
    depth = 0
    for found in DECIMAL_COMMA.finditer(right.text):
        depth += (found[0] in "([{") - (found[0] in ")]}")
        if not depth and found[1]:
            whole, _, places = found[1].partition(",")
            error = UsageError(
                f"--formula: the comma of `{found[1]}` separates two values",
                code="E0610",
                help=(
                    f"write a decimal number with a point: {whole}.{places}",
                    f"write two values in square brackets: [{whole}, {places}]",
                ),
            )
            begin = right.origin(found.start(1))
            error.source, error.span = given, Span(begin, begin + len(found[1]))
            raise error


def no_right_side(text: str) -> UsageError:
    return UsageError(
        f"--formula: `{text}` says which derivative is meant and not what it comes to",
        code="E0610",
        help=(f"write your derivative behind it, as in --formula '{text} == 2*x'",),
    )


def evaluate_formula(text: str, names: Mapping[str, Any], is_expression: bool = True) -> Any:
    """Return the value of a formula with these values for names; raise a UsageError if that fails."""
    try:
        return computed_value(text, names, is_expression)
    except ShapeError as error:
        raise ShapeMismatchError(error.message) from None
    except AutodiffError as error:
        raise UsageError(error.message, code="E0610") from None


def value_or_none(names: Mapping[str, Any], text: str) -> Any:
    """Return the value of an expression with these values for names; None if that fails."""
    try:
        return evaluate_formula(text, names)
    except UsageError:
        return None


def computed_value(text: str, names: Mapping[str, Any], is_expression: bool) -> Any:
    return to_numbers(run_text(text, names, is_expression)[1], text)


def advice_on(
    error: AutodiffError, source: Source, names: Mapping[str, Any], is_expression: bool
) -> tuple[str, ...]:
    """Return the advice on an error, with the near names for an unknown one; without changes that fail."""
    if error.span is not None and isinstance(error, CompileError):
        unknown = source.excerpt(error.span)
        if error.message == f"name '{unknown}' is not defined":
            return (unknown_name_help(unknown, list(names)),)
    if not error.frames and not isinstance(error, CompileError):
        script = parse_once(source.text, is_expression).script
        services["script errors"].complete_error(error, script, source, dict(names))
    if told := product_help(error, source, is_expression):
        return (told,)
    fixes = [fix.text for fix in error.fixes if fix.edits and evaluates(fix.apply(source.text), names)]
    return (*fixes, *(line for line in error.help if "--set" not in line))


def product_help(error: AutodiffError, source: Source, is_expression: bool) -> str:
    """Return the help for ``x[a*(1 - a)]``, where a product may be meant; "" for another mistake."""
    if isinstance(error, CompileError):
        return ""
    for part in walk(parse_once(source.text, is_expression).script):
        is_it = isinstance(part, tree.Subscript) and part.span == error.span
        if is_it and isinstance(part.index, (tree.Binary, tree.Call, tree.Unary)):
            left, right = source.excerpt(part.object.span), source.excerpt(part.index.span)
            return f"for a product, write round brackets: {left.strip('[]')}*({right})"
    return ""


def evaluates(text: str, names: Mapping[str, Any]) -> bool:
    try:
        evaluate_formula(text, names, False)
    except UsageError:
        return False
    return True


def unknown_name_help(unknown: str, names: Collection[str]) -> str:
    """Return the help for a name that neither the script nor the language has."""
    if unknown[:2] == "d2" and unknown[2:] in names:
        return f"a second derivative is written {unknown}/dx2 or {unknown}/dx dy, with names of the script"
    if unknown[:1] == "d" and unknown[1:] in names:
        return f"a derivative is written {unknown}/d..., with a name of the script at the end"
    if told := entry_help(unknown, names):
        return told
    names = [name for name in names if not PLACEHOLDER.fullmatch(name)]
    if is_product_of_letters(unknown, names):
        return f"for a product, write {'*'.join(unknown)}"
    near = closest_name(unknown, names) or closest_name(unknown, function_names())
    if near is not None:
        return f"did you mean `{near}`?"
    known = ", ".join(names[:MAX_NAMES])
    return f"the script has {known}; `autodiff ops` lists the functions"


def to_numbers(value: Any, text: str) -> Any:
    """Return a number, a tensor or lists of them as a number or array; reject anything else."""
    if isinstance(value, Tensor):
        return value.data * 1 if value.dtype.name == "bool" else value.data
    if isinstance(value, (list, tuple)):
        try:
            return np.array([to_numbers(part, text) for part in value], dtype=float)
        except ValueError:  # rows of different lengths
            pass
    elif isinstance(value, (int, float)):
        return int(value) if value.__class__ is bool else value
    raise UsageError(
        f"`{text}` gives no number but {type_name(value)}",
        code="E0610",
        help=("write the derivative as an expression of the script's names, as in 'dL/dw == 2*x'",),
    )
