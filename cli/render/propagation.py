"""Propagated standard deviations: value and deviation for a pipe, a table of shares for people."""

from __future__ import annotations

from autodiff.cli.render.matrices import places
from autodiff.cli.render.numbers import exact, several, short
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
from autodiff.cli.render.records import Records, place
from autodiff.core.base.lazy_imports import np
from autodiff.core.report.propagation import LARGEST_ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.cli.render.page import Line
    from autodiff.core.report.propagation import MonteCarlo, Propagation

FIELDS = (
    *("output", "output_index", "value", "sigma", "input", "input_index", "input_value", "input_sigma"),
    *("derivative", "share"),
)


def bare_propagation(found: Propagation) -> str:
    """A line for each entry of the output: its value, a tab, its standard deviation."""
    values = np.ravel(found.report.output.value).tolist()
    pairs = zip(values, found.sigma.tolist(), strict=True)
    return "".join(f"{exact(value)}\t{exact(sigma)}\n" for value, sigma in pairs)


def propagation_records(found: Propagation) -> Records:
    """A row for each entry of the output and each entry of an input."""
    outputs, inputs = places((found.report.output,)), places(found.report.gradients)
    values = np.ravel(found.report.output.value).tolist()
    given = input_values(found)
    sigmas = np.sqrt(np.diag(found.covariance)).tolist()
    rows = (
        (
            *(*outputs[i], values[i], float(found.sigma[i]), *inputs[j], given[j], sigmas[j]),
            *(float(found.jacobian[i, j]), float(found.shares[i, j])),
        )
        for i in range(len(outputs))
        for j in range(len(inputs))
    )
    shape = found.report.output.shape
    arrays = {
        "value": np.asarray(found.report.output.value),
        "sigma": found.sigma.reshape(shape),
        "covariance": found.output_covariance,
    }
    return Records(FIELDS, rows, arrays)


def propagation_numbers(found: Propagation) -> dict[str, Any]:
    """The numbers under the keys that they have in JSON."""
    shape = found.report.output.shape
    names = [place(*one) for one in places(found.report.gradients)]
    deviations = np.sqrt(np.diag(found.covariance)).tolist()

    def by_input(matrix: Any) -> dict[str, Any]:
        return {name: matrix[:, at].reshape(shape) for at, name in enumerate(names)}

    made: dict[str, Any] = {
        "sigma": found.sigma.reshape(shape),
        "covariance": found.output_covariance,
        "input_sigmas": dict(zip(names, deviations, strict=True)),
        "derivatives": by_input(found.jacobian),
        "shares": by_input(found.shares),
        "monte_carlo": None,
    }
    drawn = found.monte_carlo
    if drawn is not None:
        made["monte_carlo"] = {
            "draws": drawn.count,
            "lost": drawn.lost,
            **{
                key: None if value is None else value.reshape(shape)
                for key, value in {
                    "mean": drawn.mean,
                    "sigma": drawn.sigma,
                    "sigma_error": drawn.sigma_error,
                    "agrees": drawn.agrees,
                    "second_order_mean": drawn.second_mean,
                    "second_order_sigma": drawn.second_sigma,
                    "is_curvature": drawn.is_curvature,
                }.items()
            },
        }
    return made


def input_values(found: Propagation) -> list[float]:
    return [float(x) for variable in found.report.gradients for x in np.ravel(variable.value)]


def propagation_lines(found: Propagation, page: Page) -> Iterator[Line]:
    """Each entry of the output with its deviation, and the shares of the inputs below."""
    outputs = [place(*one) for one in places((found.report.output,))]
    shown = outputs[: page.shown_rows(len(outputs))]
    for at, name in enumerate(shown):
        if at:
            yield EMPTY
        yield from entry_lines(found, at, name, page)
        if found.monte_carlo is not None:
            yield from prose(spell_draws(found.monte_carlo, at, page.digits), page.width, 2)
    if len(shown) < len(outputs):
        yield left_out(len(outputs) - len(shown), "entry", indent=0)


def entry_lines(found: Propagation, at: int, name: str, page: Page) -> Iterator[Line]:
    """``d = 431.291 +- 75.1``, and a table of the inputs that vary, the largest share first.

    Of inputs with several entries, as those of rows, only those are shown that the output depends on.
    """
    value = float(np.ravel(found.report.output.value)[at])
    sigma = float(found.sigma[at])
    yield (
        (TITLE, f"{fit(name, 24)} = "),
        (NUMBER, f"{short(value, page.digits)} +- {short(sigma, page.digits)}"),
    )
    yield EMPTY
    names = [place(*one) for one in places(found.report.gradients)]
    given, sigmas = input_values(found), np.sqrt(np.diag(found.covariance)).tolist()
    varied = [j for j in np.argsort(-found.shares[at], kind="stable").tolist() if sigmas[j]]
    order = [j for j in varied if found.jacobian[at, j] or names[j].isidentifier()]
    kept = order[: page.shown_rows(len(order))]
    digits = min(page.digits, max(3, (page.width - 50) // 3))
    rows = [
        [
            [fit(names[j], 24)],
            [short(given[j], digits)],
            [short(sigmas[j], digits)],
            [short(float(found.jacobian[at, j]), digits)],
            [f"{100 * float(found.shares[at, j]) + 0.0:.3g} %"],  # without the sign of -0
        ]
        for j in kept
    ]
    header = ["input", "value", "sigma", "derivative", "share"]
    styles = (NAME, NUMBER, NUMBER, MUTED, GRADIENT)
    yield from Table(header, rows, styles, (False, True, True, True, True)).lines()
    if len(kept) < len(order):
        yield left_out(len(order) - len(kept), "input")
    if len(order) < len(varied):
        others = several(len(varied) - len(order), "other entry")
        yield from prose(f"the derivatives by {others} of the inputs are 0", page.width, 2)
    if (found.shares[at] < 0).any():
        yield from prose("a negative share: its correlation with others lowers the variance", page.width, 2)


def spell_draws(drawn: MonteCarlo, at: int, digits: int) -> str:
    """The sentence about random draws: they agree, or why they do not."""
    if drawn.mean[at] != drawn.mean[at]:
        return f"Monte Carlo, {drawn.count:,} draws: none gives a number here"
    digits = min(digits, 4)
    mean, sigma, error = (short(float(x[at]), digits) for x in (drawn.mean, drawn.sigma, drawn.sigma_error))
    text = f"Monte Carlo, {drawn.count:,} draws: mean {mean}, sigma {sigma} (standard error {error})"
    if drawn.lost:
        return text + (
            f", without {drawn.lost:,} draws whose output is not finite: the inputs leave the range of the"
            " formula, and first order does not describe it"
        )
    if drawn.agrees[at]:
        return text + ", which agrees"
    second = (
        f"with second derivatives, the mean is {short(float(drawn.second_mean[at]), digits)} and sigma"
        f" {short(float(drawn.second_sigma[at]), digits)}"
    )
    if drawn.is_curvature[at]:
        return text + f", which differs from first order because of curvature: {second}"
    if drawn.sigma_error[at] > LARGEST_ERROR * drawn.sigma[at]:
        return text + (
            ", which a few far draws make: a heavy tail, as beside a pole, or too few draws; neither first"
            f" order nor this sigma says how wide the output is ({second})"
        )
    return text + (
        f", which differs from first order, and not by curvature alone: {second}; over the range of the"
        " inputs the output is far from a parabola, or has a kink: trust the draws"
    )
