"""A curve as numbers: a row for each point, and one JSON document."""

from __future__ import annotations

from autodiff.cli.render.numbers import exact
from autodiff.cli.render.records import Records
from autodiff.core.paths.node_names import bracketed
from autodiff.core.report.curve import Curve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def slope_name(curve: Curve) -> str:
    """``dL/dw``; an output that is an expression is in brackets."""
    return f"d{bracketed(curve.output)}/d{curve.input}"


def columns_of(curve: Curve) -> dict[str, list[float]]:
    """The columns by their names: the input, the output, the slope and the deviation where there are any."""
    columns = {curve.input: curve.xs, curve.output: curve.ys}
    if curve.slopes:
        columns[slope_name(curve)] = curve.slopes
    if curve.sigmas:
        columns[f"sigma({curve.output})"] = curve.sigmas
    return columns


def curve_records(curve: Curve) -> Records:
    """A row for each point."""
    columns = columns_of(curve)
    return Records(list(columns), zip(*columns.values(), strict=True), columns)


def bare_curve(curve: Curve) -> str:
    """A line of exact numbers for each point, separated by tabs."""
    rows = zip(*columns_of(curve).values(), strict=True)
    return "".join("\t".join(map(exact, row)) + "\n" for row in rows)


def curve_numbers(curve: Curve) -> dict[str, Any]:
    """What the JSON document of a curve holds."""
    tangent = curve.tangent
    return {
        "input": curve.input,
        "output": curve.output,
        "points": [
            dict(zip(("input", "output", "slope", "sigma"), row, strict=False))
            for row in zip(*columns_of(curve).values(), strict=True)
        ],
        "tangent": None if tangent is None else {"at": tangent.x, "value": tangent.y, "slope": tangent.slope},
    }
