"""A hand formula, and the points where it is evaluated, with the names' values and the gradients there."""

from __future__ import annotations

import re
from copy import copy
from functools import cached_property

from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import AutodiffError, CompileError, ShapeError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.paths.node_names import NodeNames
from autodiff.grammar.by_hand.left_side import no_derivative, parse_left_side, split_equation
from autodiff.grammar.by_hand.local_paths import LocalPaths
from autodiff.grammar.by_hand.runs import ScriptRun, is_same_graph
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

    from autodiff.core.graph.node import Node
    from autodiff.grammar.by_hand.runs import ScriptRuns

#: The relative distance of the inputs of other points from the script's own.
SPREAD = 0.3
#: Distances so small that there is hardly a kink in between, by the precision of the gradient.
NEAR_SPREAD = {"float64": 1e-4, "float32": 1e-2}
#: The tolerance for equal values, relative to the largest entry.
VALUE_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
#: The tolerance for terms of a formula.
TERM_TOLERANCE = 1e-5
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
        read = {node.id for node in walk(self.node) if isinstance(node, tree.Name)}
        is_left = self.left is None and parse_left_side(self.written, self.words) is not None
        return is_left and not read <= set(names)

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

    def reads(self, names: Collection[str]) -> bool:
        """Whether the formula reads one of these names, and is not only a number."""
        return any(isinstance(node, tree.Name) and node.id in names for node in walk(*self.parsed))

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


class SamplePoints:
    """The script's own point and some around it, with the values of names and the gradient at each.

    ``runs`` are the runs that give the points, ``subject`` is the pass of the first. ``whole`` has the whole
    gradients; ``gradients`` has these or, for a formula of one entry, that of each. ``upstream`` are the
    nodes whose derivatives stand in the formula.
    """

    def __init__(self, runs: ScriptRuns, formula: Formula, chosen: list[ScriptRun]) -> None:
        self.subject = runs.first.subject
        self.source = runs.first.execution.source
        self.leaves = runs.leaves
        upstream = formula.upstream.nodes(self.subject, runs.first.execution)
        #: The input, if the formula is about a first derivative.
        self.node = dict(self.subject.wrt)[formula.inputs[0]] if not formula.is_second else None
        #: Names for nodes of the gradient's graph.
        self.called: dict[Node, str] = {}
        self.upstream = [node for root, node in upstream if root is self.subject.root]
        self.runs = chosen
        self.whole = [run.gradient(formula.inputs) for run in chosen]
        self.gradients = self.whole
        self.place = formula.place
        if formula.place is not None:
            self.gradients = [gradient_entry(g, formula.place, formula.inputs) for g in self.whole]
        self.names = []
        for run in chosen:
            nodes = [(run.known[root], run.known.get(node, node)) for root, node in upstream]
            self.names.append({**run.names, **formula.upstream.values(nodes, run.subject)})

    @cached_property
    def node_names(self) -> NodeNames:
        return NodeNames(self.subject.order, self.source, self.called)

    @property
    def has_paths(self) -> bool:
        """Whether the derivative is the sum over the paths of the graph of ``subject``."""
        return self.node is not None

    def in_gradient_graph(self, inputs: list[str]) -> tuple[SamplePoints, list[int]]:
        """Return these points with the graph of the gradient by the first input, if both inputs are numbers.

        Second derivatives are sums over the paths of that graph. The indices of the points that have the
        same graph there are returned too.
        """
        first, second = (dict(self.subject.wrt)[name] for name in inputs)
        if first.shape or second.shape:
            return self, list(range(len(self.runs)))
        found = [run.gradient_pass(inputs) for run in self.runs]
        made = copy(self)
        made.subject, made.called, made.node = found[0].subject, found[0].called, second
        made.upstream = []
        kept = [at for at, one in enumerate(found) if is_same_graph(one.subject, made.subject)]
        made.keep(kept)
        made.runs = [ScriptRun(found[at].subject, self.runs[at].execution, made.subject) for at in kept]
        return made, kept

    def paths_to(self, node: Node) -> LocalPaths:
        """Return the paths that the formula is about."""
        return LocalPaths(self.subject, node, self.upstream)

    def variables(self) -> list[str]:
        """Return the script's names of tensors and numbers, those nearest to the output first."""
        names = self.names[0]
        nodes = [node.name for node in self.subject.order if node.name in names]
        known = [name for name, value in names.items() if value.__class__ not in (list, tuple)]
        return list(dict.fromkeys([*map(str, nodes), *known]))

    def number(self, name: str, at: int) -> Any:
        """Return the value of a name at a point, a number or an array."""
        value = self.names[at][name]
        return value.data if isinstance(value, Tensor) else value

    def compare(self, computed: list[Any]) -> list[bool | None]:
        """Return whether a formula with these values is right, at each point."""
        right = list(map(compare_values, computed, self.gradients))
        if self.node is not None:
            for at, is_right in enumerate(right):
                if is_right is False:
                    right[at] = compare_values(computed[at], self.gradients[at], self.noise(at))
        return right

    def noise(self, at: int) -> Any:
        """Return the rounding error that may be left of each entry of the gradient at a point."""
        assert self.node is not None
        noise = self.runs[at].noise(self.node)
        return noise if self.place is None else np.asarray(noise[self.place])

    def keep(self, places: list[int]) -> None:
        """Keep only the points at these indices."""
        self.runs = [self.runs[at] for at in places]
        self.names = [self.names[at] for at in places]
        self.whole = [self.whole[at] for at in places]
        self.gradients = [self.gradients[at] for at in places]


def gradient_entry(g: Any, entry: tuple[int, ...], by: list[str]) -> Any:
    """Return one entry of a gradient; raise a UsageError if it has no such entry."""
    if len(entry) != np.ndim(g) or not all(-n <= i < n for i, n in zip(entry, np.shape(g), strict=True)):
        raise UsageError(
            f"--formula: {' by '.join(by)} has no entry {list(entry)}: its shape is {np.shape(g)}",
            code="E0610",
        )
    return np.asarray(g[entry])


def values_equal(a: Any, b: Any, noise: Any = 0.0) -> bool:
    """Whether two values are equal up to rounding; inf equals inf of the same sign, and nan equals nan.

    ``noise`` is the rounding error that may be left of each entry of ``b`` where larger terms cancel.
    """
    a, b = np.asarray(a), np.asarray(b)
    is_single = any(x.dtype == np.float32 for x in (a, b))
    a, b, noise = np.broadcast_arrays(a.astype(float), b.astype(float), noise)
    is_finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~is_finite], b[~is_finite], equal_nan=True):
        return False
    a, b, noise = a[is_finite], b[is_finite], noise[is_finite]
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    tolerance = VALUE_TOLERANCE["float32" if is_single else "float64"]
    return bool(np.all(np.abs(a - b) <= tolerance * size + noise))


def compare_values(value: Any, gradient: Any, noise: Any = 0.0) -> bool | None:
    """Whether two values are the same; None if they are but no entry is finite, which proves nothing."""
    if not values_equal(value, gradient, noise):
        return False
    return True if np.isfinite(gradient).any() or not np.size(gradient) else None


def terms_equal(a: list[Any], b: list[Any]) -> bool:
    """Whether the values of two terms are equal at every point."""
    return all(map(is_close, a, b))


def is_close(a: Any, b: Any) -> bool:
    if not np.ndim(a) and not np.ndim(b):
        return bool(abs(a - b) <= TERM_TOLERANCE * max(abs(a), abs(b)))
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        return False
    return bool(np.all(np.abs(a - b) <= TERM_TOLERANCE * max(np.abs(a).max(), np.abs(b).max())))
