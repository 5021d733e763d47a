"""A minimum: names, values and standard errors for a pipe, a table for people."""

from __future__ import annotations

from autodiff.cli.process.streams import visible
from autodiff.cli.render.matrices import places
from autodiff.cli.render.numbers import exact, short
from autodiff.cli.render.page import (
    EMPTY,
    GRADIENT,
    MUTED,
    NAME,
    NUMBER,
    TITLE,
    Page,
    Table,
    fit,
    left_out,
    prose,
)
from autodiff.cli.render.prose import in_words
from autodiff.cli.render.records import Records, place
from autodiff.core.base.lazy_imports import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.cli.render.page import Line
    from autodiff.core.report.minimum import Minimum

#: How many inputs, residuals and flat directions are named.
MOST_NAMED = 3
#: How many inputs a command names.
MOST_KEPT = 8
WIDEST_RESIDUAL = 40
FIELDS = ("name", "index", "start", "value", "standard_error")


def entries_of(found: Minimum) -> list[tuple[str, tuple[int, ...], float, float, float]]:
    """Name, index, first value, value and standard error of each entry; nan where no error is known."""
    inputs = found.report.gradients
    values = [float(x) for variable in inputs for x in np.ravel(variable.value)]
    errors = [float("nan")] * len(values)
    if found.covariance is not None:
        errors = np.sqrt(np.diag(found.covariance)).tolist()
    rows = zip(places(inputs), found.start.tolist(), values, errors, strict=True)
    return [(name, index, start, value, error) for (name, index), start, value, error in rows]


def bare_minimum(found: Minimum) -> str:
    """A line for each entry of the inputs: its name, its value, its standard error, with tabs between."""
    return "".join(
        f"{visible(place(name, index))}\t{exact(value)}\t{exact(error)}\n"
        for name, index, _, value, error in entries_of(found)
    )


def minimum_records(found: Minimum) -> Records:
    """A row for each entry; the arrays are the values of the inputs, for ``--set`` and ``--data``."""
    arrays = {variable.name: np.asarray(variable.value) for variable in found.report.gradients}
    return Records(FIELDS, entries_of(found), arrays)


def minimum_numbers(found: Minimum) -> dict[str, Any]:
    """The numbers under the keys that they have in JSON."""
    start, errors, first = {}, {}, 0
    every = [error for *_, error in entries_of(found)]
    for variable in found.report.gradients:
        end = first + int(np.size(variable.value))
        start[variable.name] = found.start[first:end].reshape(variable.shape)
        errors[variable.name] = np.reshape(every[first:end], variable.shape)
        first = end
    return {
        "objective": found.value,
        "method": found.method,
        "steps": found.steps,
        "has_converged": found.has_converged,
        "reason": found.reason,
        "start": start,
        "standard_errors": errors if found.covariance is not None else None,
        "covariance": found.covariance,
        "undetermined": [moves_of(found, row) for row in found.flat],
        "residuals": found.residual_count,
        "residual_names": list(found.residuals),
        "degrees_of_freedom": found.degrees_of_freedom,
        "residual_sigma": found.residual_sigma,
        "absolute_sigma": found.absolute_sigma,
    }


def minimum_lines(found: Minimum, page: Page) -> Iterator[Line]:
    """``L = 0.12``, a table of the inputs, and how the search ended."""
    is_sum = bool(found.residual_count) and not found.residuals
    name = fit(found.report.output.name, 24)
    yield (
        (TITLE, f"sum of the squares of {name} = " if is_sum else f"{name} = "),
        (NUMBER, short(found.value, page.digits)),
    )
    yield EMPTY
    entries = entries_of(found)
    kept = entries[: page.shown_rows(len(entries))]
    digits = min(page.digits, max(3, (page.width - 44) // 3))
    shown = 4 if found.covariance is not None else 3  # columns: there may be no standard errors
    rows = [
        [
            [fit(place(name, index), 24)],
            [short(start, digits)],
            [short(value, digits)],
            [short(error, digits)],
        ][:shown]
        for name, index, start, value, error in kept
    ]
    header = ["input", "start", "value", "standard error"][:shown]
    styles, is_right = (NAME, MUTED, GRADIENT, NUMBER)[:shown], (False, True, True, True)[:shown]
    yield from Table(header, rows, styles, is_right).lines()
    if len(kept) < len(entries):
        yield left_out(len(entries) - len(kept), "input")
    yield EMPTY
    yield from prose(spell_end(found, page.digits), page.width, 2)


def moves_of(found: Minimum, row: Any) -> dict[str, float]:
    """The entries of the inputs that move together, each with how far."""
    names = [place(*one) for one in places(found.report.gradients)]
    return {name: move for name, move in zip(names, row.tolist(), strict=True) if move}


def spell_flat(found: Minimum) -> str:
    """The moves that nothing determines, as a clause; "" without any."""
    ways = []
    for row in found.flat[:MOST_NAMED]:
        moves = moves_of(found, row)
        moved = [f"{visible(name)} moves by {short(move, 4)}" for name, move in [*moves.items()][:MOST_NAMED]]
        if len(moves) > MOST_NAMED:
            moved.append(f"{len(moves) - MOST_NAMED:,} more move with them")
        ways.append(
            f"where {in_words(moved)}" if len(moves) > 1 else f"where {visible(next(iter(moves)))} moves"
        )
    if not ways:
        return ""
    if len(found.flat) > MOST_NAMED:
        ways.append(f"in {len(found.flat) - MOST_NAMED:,} other ways")
    what = "they do" if found.residual_count else "to second order it does"
    return f": {what} not change {', or '.join(ways)}{spell_held(found)}"


def spell_held(found: Minimum) -> str:
    """How to leave out of each way the first input that moves, if inputs are left; else ""."""
    held = {next(iter(moves_of(found, row))).partition("[")[0] for row in found.flat}
    names = [variable.name for variable in found.report.gradients]
    kept, left = ([visible(name) for name in names if (name in held) is is_held] for is_held in (False, True))
    if not kept or len(held) > MOST_NAMED or len(kept) > MOST_KEPT:
        return ""
    return f"; --wrt {','.join(kept)} leaves {in_words(left)} as given"


def spell_end(found: Minimum, digits: int) -> str:
    """How the search ended, and how far the residuals are from 0."""
    text = f"{found.method}, {found.steps:,} step{'s' * (found.steps != 1)}: {found.reason}"
    if found.covariance is None:
        return text
    if found.absolute_sigma:
        free = found.degrees_of_freedom
        return (
            f"{text}; the standard errors are those of residuals with the standard deviation 1: chi-squared"
            f" is {short(found.value, digits)}, with {free:,} degree{'s' * (free != 1)} of freedom"
        )
    if found.residual_sigma is None:
        return f"{text}; the standard errors are from the inverse of the Hessian"
    shown = [fit(name, WIDEST_RESIDUAL) for name in found.residuals[:MOST_NAMED]]
    if len(found.residuals) > MOST_NAMED:
        shown.append(f"{len(found.residuals) - MOST_NAMED:,} more")
    residuals = f"residuals {in_words(shown)}" if shown else "residuals"
    return (
        f"{text}; the standard errors are those of a fit, whose {residuals} have the standard deviation"
        f" {short(found.residual_sigma, digits)}, with {found.degrees_of_freedom:,} degrees of freedom"
    )
