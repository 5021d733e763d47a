"""Turns the request of ``plot`` into a Curve: rows of values as those of ``--sweep``, or a loop's values."""

from __future__ import annotations

from functools import partial
from math import ceil, floor, isfinite

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.data_files.row_readers import Block, SweepRows
from autodiff.cli.process.exit_codes import OK
from autodiff.cli.render.curve import slope_name
from autodiff.cli.requests.curve_breaks import add_breaks
from autodiff.cli.requests.make_report import prepare_process, read_settings, warn
from autodiff.cli.requests.propagate import of_values, read_sigmas
from autodiff.cli.requests.row_sources import read_decimal, read_range
from autodiff.cli.requests.rows import AllRows
from autodiff.cli.requests.values import split_name, values_of
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.tensor import Tensor
from autodiff.core.report.curve import Curve, Tangent
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.values import NUMBER_CLASSES
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import assigned_names as targets_in
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from autodiff.cli.render.row_lines import Answer
    from autodiff.cli.requests.row_job import RowJob
    from autodiff.cli.requests.session import Session
    from autodiff.grammar.session.run import Execution, Settings

#: The points of a range without a step.
POINTS = 201
#: More gaps and names than these are counted, not listed.
MOST_NAMED = 5
NAN = float("nan")


def make_curve(session: Session, is_drawn: bool) -> tuple[Curve, int]:
    """The curve that is asked for, and the exit code; notes say where it has gaps.

    One that ``is_drawn`` over an input has its jumps and kinks.
    """
    if session.request.text("over") is not None:
        curve, status = over_input(session, is_drawn)
    else:
        curve, status = over_steps(session)
    note_gaps(session, curve)
    return curve, status


# -- over an input ------------------------------------------------------------------------------------


class CurvePoints:
    """Takes the answers to rows, as a RowWriter does, and keeps them.

    ``inputs`` are those that the gradients of an answer are by. An answer of None stands for a row that has
    none.
    """

    __slots__ = ("answers", "inputs", "output")
    kept = ()

    def __init__(self) -> None:
        self.output = ""
        self.inputs: list[str] = []
        self.answers: list[tuple[float, Sequence[Any]] | None] = []

    def name_answers(self, output: str, inputs: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        """Take the names of the output and of the inputs, before the first answer."""
        self.output = output
        self.inputs = [name for name, _ in inputs]

    def line(self, number: int, row: Any, answer: Answer) -> str:
        """Keep the answer to one row."""
        if isinstance(answer, AutodiffError):
            self.answers.append(None)
            return ""
        value, grads = answer
        if np.shape(value) != ():
            raise UsageError(
                f"`{self.output}` has shape {np.shape(value)}, and a curve needs one number at each point",
                code="E0610",
                help=(f"add its entries up: --of '{self.output}.sum()'",),
            )
        self.answers.append((float(value), grads))
        return ""

    def lines(self, first: int, rows: list[Any], value: Any, grads: Sequence[Any]) -> str:
        """Keep the answers to a block of rows."""
        each = zip(*[grad.tolist() for grad in grads], strict=True)
        self.answers += zip(value.tolist(), each, strict=True)
        return ""

    def end(self) -> str:
        return ""

    def slope(self, at: int, name: str) -> Any:
        """The gradient of an answer by an input; 0 by one that takes no part, nan without an answer."""
        answer = self.answers[at]
        if answer is None:
            return NAN
        return answer[1][self.inputs.index(name)] if name in self.inputs else 0.0


class CurveRows(AllRows):
    """The rows of a curve. ``error`` is that of the first one without an answer; none is shown here."""

    __slots__ = ("error",)

    error: AutodiffError | None

    def tell(self, error: AutodiffError, block: Block, at: int) -> None:
        if self.bad == 1:
            self.error = error


def over_input(session: Session, is_drawn: bool) -> tuple[Curve, int]:
    """The curve over the input of ``--over``: a row for each point, and one for the tangent."""
    request = session.request
    name, text = split_name("--over", request.text("over") or "")
    session.script = read_script(request)
    prepare_process(request)
    sigmas, parts = read_sigmas(values_of(session))
    given = [np.asarray(sigma, "float64") for sigma in (*sigmas.values(), *parts.values())]
    if not all(np.isfinite(sigma).all() and (sigma >= 0).all() for sigma in given):
        raise UsageError("--sigma: a standard deviation is 0 or more, and finite", code="E0605")
    settings = read_settings(session)
    settings.wrt = list(dict.fromkeys([name, *sigmas, *parts]))
    xs = list(read_range(session, f"--over {name}", text, name, POINTS))
    if len(xs) < 2:
        raise UsageError(
            f"--over {name}: a curve needs two points or more", code="E0610", help=(f"as in {name}=-2:2",)
        )
    at = request.text("tangent")
    places = [*xs, *([] if at is None else [float(read_decimal(session, "--tangent", at, name))])]
    points = CurvePoints()
    rows = CurveRows(session, settings, SweepRows({name: places}), [name], points)
    status = rows.answer_all([Block(range(len(places)))])
    if rows.bad:
        assert rows.error is not None
        if not points.output:
            raise rows.error
        first = points.answers.index(None)
        session.note(f"{name} = {places[first]:g}: {rows.error.message}")
    constants = {} if rows.job is None else rows.job.constants
    ys = [NAN if answer is None or not isfinite(answer[0]) else answer[0] for answer in points.answers]
    slopes = [float(points.slope(at, name)) for at in range(len(places))]
    curve = Curve(
        input=name,
        output=points.output,
        xs=xs,
        ys=ys[: len(xs)],
        slopes=slopes[: len(xs)],
        sigmas=[
            deviation(points, at, {**sigmas, **of_values(parts, {**constants, name: x})})
            for at, x in enumerate(xs)
        ]
        if given
        else [],
        is_log=text.startswith("log:"),
    )
    if at is not None:
        curve.tangent = tangent_at(curve, Tangent(places[-1], ys[-1], slopes[-1]))
    if is_drawn and rows.job is not None:
        add_breaks(curve, partial(more_points, rows, rows.job, points, places, name))
    return curve, status


def more_points(
    rows: CurveRows, job: RowJob, points: CurvePoints, places: list[float], name: str, xs: Sequence[float]
) -> list[tuple[float, float, float]]:
    """The input, the output and the slope at more values, which are added to those of the rows."""
    first = len(places)
    places += xs
    block = Block(range(first, len(places)))
    rows.write(block, job.answer(block))
    answers = points.answers[first:]
    ys = [NAN if answer is None else answer[0] for answer in answers]
    slopes = (float(points.slope(at, name)) for at in range(first, len(places)))
    return list(zip(xs, ys, slopes, strict=True))


def deviation(points: CurvePoints, at: int, sigmas: Mapping[str, Any]) -> float:
    """The standard deviation of a point to first order, from those of independent inputs."""
    parts = (np.multiply(points.slope(at, name), sigma) for name, sigma in sigmas.items())
    return float(np.sqrt(sum(np.sum(np.square(part)) for part in parts)))


def tangent_at(curve: Curve, found: Tangent) -> Tangent:
    """The tangent; raises UsageError where the curve has none."""
    if isfinite(found.y) and isfinite(found.slope):
        return found
    what = f"{curve.output} is" if not isfinite(found.y) else f"{slope_name(curve)} is"
    raise UsageError(
        f"--tangent {found.x:g}: there is no tangent, because {what} not finite there",
        code="E0610",
        help=("name another value",),
    )


# -- over the steps of a loop -------------------------------------------------------------------------


def over_steps(session: Session) -> tuple[Curve, int]:
    """The values that a name gets one after the other, as a loss in a loop does."""
    request = session.request
    for name in ("tangent", "sigma"):
        if request.values.get(name):
            raise UsageError(
                f"--{name} is for a curve over an input",
                code="E0610",
                help=("name the input: --over w=-2:2",),
            )
    session.script = read_script(request)
    prepare_process(request)
    settings = read_settings(session)
    found: dict[str, list[float | None]] = {}
    names, owners, looped = assigned_names(session)
    settings.changes = {name: keep_in(found, name) for name in (*names, *owners)}
    execution = execute(
        session.script.source, settings, session.print_from_script, lambda *what: warn(session, *what)
    )
    session.has_run = True
    name = chosen_name(execution, settings)
    values = found.get(name, [])
    if len(owners.get(name, ())) > 1:
        raise UsageError(
            f"`{name}` is a variable of several functions: {', '.join(owners[name][:MOST_NAMED])}",
            code="E0610",
            help=("give it another name in the one whose values are wanted", *others(found)),
        )
    if len(values) < 2 or None in values:
        raise UsageError(
            f"`{name}` has {'not one number each time' if None in values else 'one value only'},"
            " so there is no curve of its values",
            code="E0610",
            help=(*over_a_vector(execution, name), *others(found), *over_an_input(execution)),
        )
    ys = [NAN if value is None or not isfinite(value) else value for value in values]
    first = 1 if name in looped else 0
    return Curve("step", name, [float(at) for at in range(first, first + len(ys))], ys, [], []), OK


def assigned_names(session: Session) -> tuple[list[str], dict[str, list[str]], set[str]]:
    """The names that the script assigns outside functions, and by name the functions that assign another.

    The last are the names whose first value a loop makes: it has the number 1, as the loop's first turn. What
    a name is before a loop has the number 0, and reports call it ``h_0``.
    """
    from autodiff.grammar.session.assignment_plan import (
        augmented_targets,
        local_targets,
        top_level_assignments,
    )
    from autodiff.grammar.syntax.parser import parse_to_first_error

    assert session.script is not None
    body = parse_to_first_error(session.script.source).body
    targets = (*(target for target, _ in top_level_assignments(body)), *augmented_targets(body))
    names = list(dict.fromkeys(target.id for target in targets))
    owners: dict[str, list[str]] = {}
    looped = names_of_loops(body)
    for function, local in local_targets(body):
        for name in {target.id for target in local}.difference(names):
            owners.setdefault(name, []).append(function.name)
        looped |= names_of_loops(function.body).difference(names)
    return names, owners, looped


def names_of_loops(body: Sequence[tree.Statement]) -> set[str]:
    """The names in a body whose first value a loop makes, or a statement that makes all of them."""
    loops: dict[str, list[bool]] = {}
    for statement in body:
        if not isinstance(statement, (tree.FunctionDef, tree.ClassDef)):
            has_loop = any(isinstance(part, (tree.For, tree.While)) for part in walk(statement))
            for target in targets_in(statement):
                loops.setdefault(target.id, []).append(has_loop)
    return {name for name, found in loops.items() if found[0] or len(found) == 1}


def keep_in(found: dict[str, list[float | None]], name: str) -> Callable[[Any], Any]:
    """A function that keeps the number in each value of a name; None for a value that is not one number."""
    values = found[name] = []

    def keep(value: Any) -> Any:
        if value.__class__ is Tensor:
            values.append(float(value.item()) if np.size(value.value) == 1 else None)
        else:
            values.append(float(value) if value.__class__ in NUMBER_CLASSES else None)
        return value

    return keep


def chosen_name(execution: Execution, settings: Settings) -> str:
    """The name that ``--of`` gives, else that of the last backward(), else the last name assigned."""
    if settings.of:
        return settings.of
    roots = execution.last_passes.backward.roots if execution.last_passes.backwards else []
    return (roots[0].name if roots else None) or execution.last_assigned or ""


def others(found: dict[str, list[float | None]]) -> tuple[str, ...]:
    """The advice that names what could be plotted."""
    names = [name for name, values in found.items() if len(values) > 1 and None not in values]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    if not names:
        return ("assign in a loop what is to be drawn, as in `g = w.grad`, and plot it: --of g",)
    listed = f"names with several values: {', '.join(names[:MOST_NAMED])}{more}"
    return (f"plot one that has several: --of {names[0]}", *[listed] * (len(names) > 1))


def over_an_input(execution: Execution) -> tuple[str, ...]:
    """The advice to plot over an input, if the script has one that is a single number."""
    inputs = [name for name, value in execution.names.items() if is_input(value) and np.size(value.data) == 1]
    names = [*execution.leaves, *inputs]
    return (f"or plot over an input: --over {names[0]}=-2:2",) if names else ()


def over_a_vector(execution: Execution, name: str) -> tuple[str, ...]:
    """The advice to plot a vector over the only input, a vector of as many entries, between its ends."""
    inputs = [(one, value) for one, value in execution.names.items() if is_input(value)]
    made = execution.names.get(name)
    if len(inputs) != 1 or made.__class__ is not Tensor or made.shape != inputs[0][1].shape or not made.shape:
        return ()
    [(over, value)] = inputs
    ends = np.asarray(value.data)
    if not np.isfinite(ends).all() or np.size(ends) < 2:
        return ()
    low, high = floor(np.min(ends)), ceil(np.max(ends))
    return (f"plot over the input: --over {over}={low}:{max(high, low + 1)}",)


def is_input(value: Any) -> bool:
    return value.__class__ is Tensor and value.is_leaf and value.requires_grad


# -- gaps ---------------------------------------------------------------------------------------------


def note_gaps(session: Session, curve: Curve) -> None:
    """Say where the curve is not finite."""
    gaps = gaps_of(curve.ys)
    lost = sum(last - first + 1 for first, last in gaps)
    for first, last in gaps[:MOST_NAMED]:
        ends = f"{curve.xs[first]:g}" if first == last else f"{curve.xs[first]:g} to {curve.xs[last]:g}"
        session.note(f"{curve.output} is not finite for {curve.input} = {ends}: the curve has a gap there")
    if len(gaps) > MOST_NAMED:
        session.note(
            f"{len(gaps) - MOST_NAMED:,} more gaps; {lost:,} of {len(curve.ys):,} points are missing"
        )


def gaps_of(ys: Sequence[float]) -> list[tuple[int, int]]:
    """The first and the last index of each run of values that are not finite.

    >>> gaps_of([float("nan"), 1.0, float("nan"), float("nan")])
    [(0, 0), (2, 3)]
    """
    gaps: list[tuple[int, int]] = []
    for at, y in enumerate(ys):
        if isfinite(y):
            continue
        if gaps and gaps[-1][1] == at - 1:
            gaps[-1] = (gaps[-1][0], at)
        else:
            gaps.append((at, at))
    return gaps
